"""Who plays in the demo: keys that follow from the seed, and the programs on top of them."""

from __future__ import annotations

import hashlib
from typing import Final, NamedTuple

from chain.cli.demo_chain import DemoChain
from chain.client.agent import Agent, Owner
from chain.client.card import Skill
from chain.client.wallet import Wallet
from chain.crypto.keys import Secp256k1Key
from chain.crypto.root import RootSecret

_LABEL: Final = b"msgchain demo, worthless key"
#: MSG of each of them at the start
BALANCE: Final = "1000"
AGENTS: Final = ("alice", "bob", "carol")
OWNER: Final = "olivia"


def secret(seed: int, name: str) -> bytes:
    """32 bytes for a name of one run."""
    return hashlib.sha256(_LABEL + f"/{seed}/{name}".encode()).digest()


class Keys(NamedTuple):
    """The keys of a run: a root secret for each agent, and the owner's wallet key."""

    roots: dict[str, RootSecret]
    owner: Secp256k1Key

    def accounts(self) -> list[tuple[str, str, str]]:
        """What genesis gives them: name, address, MSG."""
        found = [(name, root.signing_key().address, BALANCE) for name, root in self.roots.items()]
        return [*found, (OWNER, self.owner.address, BALANCE)]


def keys_of(seed: int) -> Keys:
    """The keys of a seed."""
    roots = {name: RootSecret(secret(seed, name)) for name in AGENTS}
    return Keys(roots, Secp256k1Key(secret(seed, OWNER)))


class Cast(NamedTuple):
    """The programs: Alice needs charts, Bob draws them, Carol too but for more, Olivia owns
    Alice."""

    alice: Agent
    bob: Agent
    carol: Agent
    olivia: Owner

    def names(self) -> dict[str, str]:
        """Names by address."""
        agents = {"Alice": self.alice, "Bob": self.bob, "Carol": self.carol, "Olivia": self.olivia}
        return {actor.address: name for name, actor in agents.items()}


def cast_of(keys: Keys, chain: DemoChain) -> Cast:
    """The programs of a run on its chain."""
    agents = {
        name: Agent(root, chain, chain.contracts, f"{name}-agent")
        for name, root in keys.roots.items()
    }
    owner = Owner(Wallet(keys.owner, chain), chain.contracts)
    return Cast(agents["alice"], agents["bob"], agents["carol"], owner)


def card(agent: Agent, name: str, prices: dict[str, int]) -> bytes:
    """An agent's signed card with a price for each skill, in amsg."""
    skills = [
        Skill(skill, skill.replace("_", " "), f"{name} makes it", ("charts",), price)
        for skill, price in prices.items()
    ]
    return agent.make_card(
        *skills,
        name=name,
        description="Draws charts from tables",
        url=f"https://agents.example/{agent.agent_id}",
    )
