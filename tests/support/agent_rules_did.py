"""Rules of the machine: documents, their keys, challenges, signed messages."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from agent_keys import b64, ed25519_key, key_input, signed_content
from agent_machine import PICK, PRIORITIES, WHO, AgentMachineBase
from agent_model import Asked, Document, Mail
from hypothesis import strategies as st
from hypothesis.stateful import rule

KEYS = st.sampled_from(["k", "m"])
SEEDS = st.integers(min_value=1, max_value=4)
RELATIONS = st.sampled_from(
    [("authentication", "assertionMethod"), ("authentication",), ("assertionMethod",)]
)
BAD = st.sampled_from([None, None, None, None, "priority", "nonce", "receiver", "chain_id"])


class DidRules(AgentMachineBase):
    """Who somebody is."""

    @rule(name=WHO, key=KEYS, seed=SEEDS, relations=RELATIONS)
    def create_document(self, name: str, key: str, seed: int, relations: tuple[str, ...]) -> None:
        who = self.people[name]
        did = f"did:msg:agent:{name}-{sum(d.address == who for d in self.model.dids.values())}"
        expected = self.model.did_of(who) is None
        body = [key_input(key, ed25519_key(seed), relations=list(relations))]
        self.act(expected, self.net.did, who, "create_did", did=did, keys=body)
        if expected:
            self.model.dids[did] = Document(did, who, who, {key: (seed, relations)})

    @rule(n=PICK, name=WHO, key=KEYS, seed=SEEDS, relations=RELATIONS, adds=st.booleans())
    def change_keys(
        self, n: int, name: str, key: str, *, seed: int, relations: tuple[str, ...], adds: bool
    ) -> None:
        found = self.pick(self.model.dids.values(), n)
        if found is None:
            return
        who = self.people[name]
        right = found.active and who == found.controller
        expected = right and (key in found.keys) != adds and (adds or len(found.keys) > 1)
        fields: dict[str, Any] = {"remove_keys": [f"{found.did}#{key}"]}
        if adds:
            body = key_input(key, ed25519_key(seed), relations=list(relations))
            fields = {"add_keys": [body]}
        self.act(expected, self.net.did, who, "update_did", did=found.did, **fields)
        if expected:
            found.version += 1
            if adds:
                found.keys[key] = (seed, relations)
            else:
                del found.keys[key]

    @rule(n=PICK, name=WHO, old=KEYS, new=KEYS, seed=SEEDS)
    def rotate(self, n: int, name: str, old: str, new: str, seed: int) -> None:
        found = self.pick(self.model.dids.values(), n)
        if found is None:
            return
        who = self.people[name]
        expected = (
            found.active
            and who == found.controller
            and old in found.keys
            and found.keys[old][0] != seed
            and (new == old or new not in found.keys)
        )
        body = key_input(new, ed25519_key(seed))
        self.act(
            expected, self.net.did, who, "rotate_key", did=found.did, old_key=old, new_key=body
        )
        if expected:
            found.version += 1
            found.keys = {
                (new if key == old else key): ((seed, held[1]) if key == old else held)
                for key, held in found.keys.items()
            }

    @rule(n=PICK, name=WHO, other=WHO, end=st.booleans())
    def hand_over(self, n: int, name: str, other: str, end: bool) -> None:
        found = self.pick(self.model.dids.values(), n)
        if found is None:
            return
        who = self.people[name]
        expected = found.active and who == found.controller
        if end:
            self.act(expected, self.net.did, who, "deactivate_did", did=found.did)
        else:
            body = {"did": found.did, "new_controller": self.people[other]}
            self.act(expected, self.net.did, who, "transfer_did", **body)
        if expected:
            found.version += 1
            if end:
                found.active = False
            else:
                found.controller = self.people[other]

    @rule(n=PICK, name=WHO, relation=st.sampled_from(["authentication", "assertionMethod"]))
    def challenge(self, n: int, name: str, relation: str) -> None:
        target = self.pick(self.model.dids.values(), n)
        if target is None:
            return
        who = self.people[name]
        own = self.model.did_of(who)
        nonce = f"n{n % 8}"
        expected = (
            own is not None and target.active and (own.did, nonce) not in self.model.asked_nonces
        )
        made = self.act(
            expected,
            self.net.did,
            who,
            "create_challenge",
            target_did=target.did,
            nonce=nonce,
            required_verification=relation,
            ttl_seconds=5,
        )
        if expected and own is not None:
            self.model.asked_nonces.add((own.did, nonce))
            asked = Asked(made["challenge_id"], target.did, relation, self.model.now)
            self.model.asked[asked.challenge_id] = asked

    @rule(n=PICK, key=KEYS, seed=SEEDS, flips=st.booleans())
    def respond(self, n: int, key: str, seed: int, flips: bool) -> None:
        asked = self.pick(self.model.asked.values(), n)
        if asked is None:
            return
        shown = self.ask(self.net.did, "get_challenge", challenge_id=asked.challenge_id)
        content = base64.b64decode(shown["challenge"]["signed_content"])
        raw = ed25519_key(seed).sign(content + b"x" * flips)
        target = self.model.dids[asked.target]
        expected = (
            asked.at(self.model.now) == "open"
            and not flips
            and target.proves(key, seed, asked.relation)
        )
        self.act(
            expected,
            self.net.did,
            self.people["dave"],
            "respond_challenge",
            challenge_id=asked.challenge_id,
            signature=b64(raw),
            verification_method_id=f"{asked.target}#{key}",
        )
        if expected:
            asked.status = "verified"
            asked.key = key

    @rule(sender=WHO, to=WHO, key=KEYS, seed=SEEDS, priority=PRIORITIES, bad=BAD, n=PICK)
    def send_signed(
        self, sender: str, to: str, *, key: str, seed: int, priority: int, bad: str | None, n: int
    ) -> None:
        who, whom = self.people[sender], self.people[to]
        own = self.model.did_of(who)
        if own is None:
            return
        nonce = f"s{n % 16}"
        words: dict[str, Any] = {"priority": priority, "nonce": nonce}
        other = {
            "priority": (priority + 1) % 256,
            "nonce": "other",
            "receiver": who,
            "chain_id": "msg-chain-2",
        }
        if bad is not None:
            words[bad] = other[bad]
        receiver = words.pop("receiver", whom)
        raw = ed25519_key(seed).sign(signed_content(self.net, who, receiver, **words))
        expected = (
            self.model.can_send(who, whom, "request", priority, None)
            and (who, nonce) not in self.model.sent_nonces
            and bad is None
            and own.proves(key, seed, "assertionMethod")
        )
        made = self.act(
            expected,
            self.net.a2a,
            who,
            "send_message",
            to=whom,
            message_type="request",
            payload="aGk=",
            priority=priority,
            ttl=3_600,
            signature={
                "verification_method": f"{own.did}#{key}",
                "value": b64(raw),
                "nonce": nonce,
            },
        )
        if expected:
            over = self.model.line_for(who, whom, None)[1]
            mail = Mail(made["msg_id"], who, whom, "request", priority, 3_600, self.model.now)
            mail.signed = (own.did, key, seed)
            self.model.add(mail, over)
            self.model.count_send(who, "request")
            self.model.sent_nonces.add((who, nonce))

    # --- comparing ------------------------------------------------------------------------------

    def compare_signature(self, mail: Mail) -> None:
        """Signed or not, and whether the signature stands by the documents of now."""
        answer = self.net.ask("verify_message", msg_id=mail.msg_id)
        if mail.signed is None:
            assert (answer["valid"], answer["reason"]) == (False, "unsigned")
            return
        did, key, seed = mail.signed
        assert answer["valid"] == self.model.dids[did].proves(key, seed, "assertionMethod")
        assert answer["verification_method"] == f"{did}#{key}"
        content = base64.b64decode(answer["signed_content"])
        assert hashlib.sha256(b"hi").hexdigest().encode() in content

    def compare_documents(self) -> None:
        """Every document, and the challenges to it."""
        for found in self.model.dids.values():
            shown = self.ask(self.net.did, "resolve_did", did=found.did)
            assert (shown["active"], shown["version"]) == (found.active, found.version)
            assert (shown["controller"], shown["address"]) == (found.controller, found.address)
            document = shown["document"]
            names = [one["id"].partition("#")[2] for one in document["verificationMethod"]]
            assert names == list(found.keys)
            for relation in ("authentication", "assertionMethod"):
                under = [name for name, held in found.keys.items() if relation in held[1]]
                assert document[relation] == [f"{found.did}#{name}" for name in under]
            asked = [one for one in self.model.asked.values() if one.target == found.did][::-1]
            page = self.ask(self.net.did, "list_challenges", target_did=found.did, limit=100)
            listed = [(c["challenge_id"], c["status"]) for c in page["challenges"]]
            assert listed == [(one.challenge_id, one.at(self.model.now)) for one in asked]
            assert page["total"] == len(asked)
        for who in self.people.values():
            own = self.model.did_of(who)
            answer = self.ask(self.net.did, "did_by_address", address=who)
            assert answer["did"] == (None if own is None else own.did)
