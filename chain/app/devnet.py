"""The state of a devnet: the repository's contracts, wired to each other, and accounts whose keys everybody knows.

Addresses of contracts follow from code and instance numbers, so each can be named before it
exists. The keys are
worthless on purpose: the same on every machine, derived from a text that says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from chain.crypto.addresses import DEFAULT_PREFIX, contract_address
from chain.crypto.keys import MlDsa87Key, Secp256k1Key

_SEED: Final = b"msgchain devnet, worthless key"
#: code and instance numbers of a devnet are places in this list, from 1; only added to
CONTRACTS: Final = (
    "did_registry_v1",
    "agent_registry_v1",
    "ai_agent_constitution_v1",
    "agent_a2a_v1",
    "escrow_v1",
    "agent_tasks_v1",
)
#: stored after those, without an instance
CODES: Final = ("token_v1",)
#: native accounts: governance, treasury, and people and agents to play with
ACCOUNTS: Final = ("authority", "treasury", "alice", "bob", "carol", "dave", "faucet")
#: wallet accounts with bech32 addresses
WALLETS: Final = ("wallet0", "wallet1", "wallet2", "wallet3")
BALANCE: Final = "1000000"  # MSG of each account
_LABELS: Final = (
    "DID registry",
    "agent registry",
    "constitution",
    "agent messages",
    "escrow",
    "tasks",
)


def dev_secret(label: str) -> bytes:
    """32 bytes of a development secret: no secret at all."""
    return hashlib.sha256(_SEED + b"/" + label.encode()).digest()


def dev_key(name: str) -> MlDsa87Key:
    """The native key of a development account."""
    return MlDsa87Key(dev_secret(f"account/{name}"))


def dev_wallet(name: str) -> Secp256k1Key:
    """The wallet key of a development account."""
    return Secp256k1Key(dev_secret(f"wallet/{name}"))


def dev_contract(name: str, prefix: str = DEFAULT_PREFIX) -> str:
    """The address of a devnet's contract."""
    number = CONTRACTS.index(name) + 1
    return contract_address(number, number, prefix)


def devnet_genesis(
    sources: Mapping[str, str],
    *,
    accounts: Sequence[tuple[str, str, str]] = (),
    payouts: Sequence[tuple[str, bytes]] = (),
    params: Mapping[str, object] | None = None,
    prefix: str = DEFAULT_PREFIX,
) -> dict[str, Any]:
    """The ``app_state`` of a devnet, as JSON values.

    ``sources``: contract name to its line ``msgchain:<name>@<sha256>``; contracts that it lacks
    are left out.
    ``accounts``: more accounts, each name, address and MSG. ``payouts``: account name and
    consensus key of each validator.
    """
    keys = {name: dev_key(name) for name in ACCOUNTS}
    addresses = {name: key.pubkey.address(prefix) for name, key in keys.items()}
    wallets = {name: dev_wallet(name).pubkey.address(prefix) for name in WALLETS}
    listed = [*addresses.items(), *wallets.items()]
    entries = [_account(name, address, BALANCE) for name, address in listed]
    entries.extend(_account(name, address, amount) for name, address, amount in accounts)
    known = [name for name in CONTRACTS if name in sources]
    authority = addresses["authority"]
    begin = [
        dev_contract(name, prefix) for name in ("agent_a2a_v1", "agent_tasks_v1") if name in known
    ]
    chosen: dict[str, object] = {
        "authority": authority,
        "agent_registry": dev_contract("agent_registry_v1", prefix)
        if "agent_registry_v1" in known
        else "",
        "begin_block_contracts": begin,
        **(params or {}),
    }
    return {
        "devnet": True,
        "treasury": addresses["treasury"],
        "params": chosen,
        "accounts": entries,
        "validators": [
            {
                "name": name,
                "pub_key": {"type": "ed25519", "value": key.hex()},
                "payout": addresses.get(name, ""),
            }
            for name, key in payouts
        ],
        "messages": _messages(sources, authority, prefix),
    }


def _account(name: str, address: str, amount: str) -> dict[str, Any]:
    return {"name": name, "address": address, "coins": [{"denom": "msg", "amount": amount}]}


def _messages(sources: Mapping[str, str], authority: str, prefix: str) -> list[dict[str, Any]]:
    """Store everything, then make the instances; all or none of the contracts, whose numbers are
    their places.
    """
    if any(name not in sources for name in CONTRACTS):
        return []
    stored = [
        {"store": {"source": sources[name], "sender": authority}}
        for name in (*CONTRACTS, *CODES)
        if name in sources
    ]
    at = {name: dev_contract(name, prefix) for name in CONTRACTS}
    first: dict[str, dict[str, object]] = {
        "did_registry_v1": {"admin": authority},
        "agent_registry_v1": {"admin": authority, "a2a_address": at["agent_a2a_v1"]},
        "ai_agent_constitution_v1": {
            "authority": authority,
            "registry_address": at["agent_registry_v1"],
        },
        "agent_a2a_v1": {
            "admin": authority,
            "registry_address": at["agent_registry_v1"],
            "did_registry_address": at["did_registry_v1"],
            "constitution_address": at["ai_agent_constitution_v1"],
            "relays": [at["agent_tasks_v1"]],
        },
        "escrow_v1": {},
        "agent_tasks_v1": {
            "admin": authority,
            "registry_address": at["agent_registry_v1"],
            "a2a_address": at["agent_a2a_v1"],
        },
    }
    made = [
        {
            "instantiate": {
                "code_id": index + 1,
                "sender": authority,
                "label": _LABELS[index],
                "msg": first[name],
                "admin": authority,
            }
        }
        for index, name in enumerate(CONTRACTS)
    ]
    return [*stored, *made]
