"""Who an agent is: keys from one root secret, DID document, registration, card, discovery."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from chain.client import agent_calls as calls
from chain.client.agent_actor import Actor
from chain.client.agent_calls import Contracts
from chain.client.agent_views import Announced, Found, announced_of, found_of
from chain.client.card import CardError, Skill, build_card, keys_of, offer_of, verify_card
from chain.client.transport import Outcome, Transport
from chain.client.wallet import Wallet
from chain.crypto.keys import Ed25519Key
from chain.crypto.mlkem import DecapsulationKey
from chain.crypto.root import RootSecret
from chain.crypto.seal import SealError, is_sealed, seal, unseal

DID_PREFIX = "did:msg:agent:"


class Identity(Actor):
    """The half of an agent that others know it by."""

    def __init__(
        self, root: RootSecret | bytes, transport: Transport, contracts: Contracts, agent_id: str
    ) -> None:
        self.root = RootSecret(root) if isinstance(root, bytes) else root
        super().__init__(Wallet(self.root.signing_key(), transport), contracts)
        self.agent_id = agent_id
        self.did = f"{DID_PREFIX}{agent_id}"

    @cached_property
    def encryption_key(self) -> DecapsulationKey:
        """Opens what others sealed for this agent."""
        return self.root.encryption_key()

    @cached_property
    def card_key(self) -> Ed25519Key:
        """Signs cards for readers that do not know ML-DSA."""
        return self.root.card_key()

    # --- cards ---------------------------------------------------------------------------------

    def make_card(self, *skills: Skill, **fields: Any) -> bytes:
        """A card signed with this agent's keys; fields as in ``chain.client.card.build_card``.

        Raises: CardError.
        """
        return build_card(self.root, self.agent_id, skills=skills, **fields)

    def check_card(self, agent_id: str, address: str, card: bytes) -> dict[str, Any]:
        """The card as JSON, if the agent with this account signed it and is who gets paid.

        Raises: CardError.
        """
        document = self.document_of(address)
        if document is None:
            raise CardError(f"{agent_id} has no DID document")
        checked = verify_card(card, keys_of(document))
        if offer_of(checked).payee != address:
            raise CardError(f"the card of {agent_id} names another account to pay")
        return checked

    # --- joining ---------------------------------------------------------------------------------

    def join(
        self,
        *,
        name: str = "",
        owner: str = "",
        capabilities: Sequence[str] = (),
        price: int | None = None,
        card: bytes | None = None,
        topic: str | None = None,
    ) -> Outcome | None:
        """Publish the DID document, register, store the card and announce it, in one transaction.

        Only what is missing is done, so that a program that starts again can call it again; None
        where nothing was.
        """
        wanted = []
        if not self.ask(self.contracts.did_registry, "resolve_did", did=self.did)["active"]:
            wanted.append(self._did_call())
        known = self.record(self.agent_id)
        if known is None or known["status"] == "deregistered":
            wanted.append(
                calls.register_agent(
                    self.contracts,
                    self.agent_id,
                    name=name,
                    owner=owner,
                    price=price,
                    capabilities=capabilities,
                )
            )
        if card is not None:
            wanted.append(calls.set_card(self.contracts, self.agent_id, card))
            wanted.append(calls.announce_card(self.contracts, self.agent_id, topic))
        return self.submit(*wanted) if wanted else None

    def _did_call(self) -> calls.Call:
        return calls.create_did(
            self.contracts,
            self.did,
            signing=self.wallet.key.pubkey.key,
            encryption=self.encryption_key.public_key,
            card=self.card_key.pubkey.key,
        )

    def set_card(self, card: bytes) -> Outcome:
        """Replace the stored card."""
        return self.submit(calls.set_card(self.contracts, self.agent_id, card))

    def announce(self, topic: str | None = None, ttl_seconds: int | None = None) -> Outcome:
        """Announce the stored card on a topic, or refresh it there before it lapses."""
        return self.submit(calls.announce_card(self.contracts, self.agent_id, topic, ttl_seconds))

    # --- finding others --------------------------------------------------------------------------

    def discover(self, topic: str | None = None) -> list[Announced]:
        """Live announcements on a topic, by agent id, whose cards their agents signed."""
        found = []
        for view in self.pages(self.contracts.registry, "discover", "announcements", topic=topic):
            one = announced_of(view)
            try:
                self.check_card(one.agent_id, one.address, one.card)
            except CardError:
                continue
            found.append(one)
        return found

    def find(self, capability: str, max_price: int | None = None) -> list[Found]:
        """Active agents with a capability, cheapest first; ``max_price`` in amsg."""
        found = self.pages(
            self.contracts.a2a,
            "find_agents_by_capability",
            "entries",
            capability=capability,
            order="price",
            max_price=None if max_price is None else str(max_price),
        )
        return [found_of(view) for view in found]

    def record(self, agent_id: str) -> dict[str, Any] | None:
        """An agent as the registry knows it, None for an unknown id."""
        found = self.ask(self.contracts.registry, "get_agent", agent_id=agent_id)["agent"]
        return None if found is None else dict(found)

    def card_of(self, agent_id: str) -> dict[str, Any] | None:
        """The stored card of an agent, verified; None where there is none. Raises: CardError."""
        stored = self.ask(self.contracts.registry, "get_card", agent_id=agent_id)["card"]
        record = self.record(agent_id)
        if stored is None or record is None:
            return None
        return self.check_card(agent_id, record["address"], calls.unbinary(stored["card"]))

    def document_of(self, address: str) -> dict[str, Any] | None:
        """The DID document that speaks for an account."""
        did = self.ask(self.contracts.did_registry, "did_by_address", address=address)["did"]
        if did is None:
            return None
        answer = self.ask(self.contracts.did_registry, "resolve_did", did=did)
        return dict(answer["document"]) if answer["active"] else None

    def encryption_key_of(self, address: str) -> bytes:
        """The ML-KEM-1024 key that an account published. Raises: LookupError."""
        document = self.document_of(address)
        if document is None:
            raise LookupError(f"{address} has no DID document")
        agreed = document["keyAgreement"]
        for method in document["verificationMethod"]:
            if method["id"] in agreed:
                return calls.multibase(method["publicKeyMultibase"])
        raise LookupError(f"{document['id']} publishes no key to seal with")

    # --- sealing ---------------------------------------------------------------------------------

    @staticmethod
    def sealer(key: bytes, content: bytes, context: bytes) -> bytes:
        """Encrypt for a published key; every call gives other bytes."""
        return seal(key, content, context)

    def opener(self, sealed: object, context: bytes) -> bytes:
        """What was sealed for this agent. Raises: SealError."""
        if not isinstance(sealed, bytes) or not is_sealed(sealed):
            raise SealError("not a sealed payload")
        return unseal(self.encryption_key, sealed, context)
