"""Messages, channels, agents and documents of the four agent contracts, in every state that a check may meet."""

from __future__ import annotations

import base64
import functools
import json
from collections.abc import Callable
from typing import Any

from agent_keys import b64, create_did, ed25519_key, key_input, signed_content
from agent_net import AgentNet
from check_ladder import Rung

FUNDS = Rung("NonPayable", funds="1amsg")
CONTENT = {"payload": "aGk=", "priority": 50, "ttl": 60}


class Scene:
    """Messages, channels, agents, documents in every state that an operation may meet."""

    def __init__(self) -> None:
        self.net = net = AgentNet()
        for name in ("alice", "bob", "carol", "dave", "erin"):
            setattr(self, name, net.account(name))
        self.alice: str
        self.bob: str
        self.carol: str
        self.dave: str
        self.erin: str
        alice, bob, carol = self.alice, self.bob, self.carol
        self.hub = self.channel(alice, channel_type="pubsub", participant=bob)
        self.shut_hub = self.channel(alice, channel_type="pubsub")
        self.line = self.channel(alice, channel_type="broadcast", members=[bob, carol])
        self.shut_line = self.channel(alice, channel_type="broadcast", members=[bob])
        self.foreign = self.channel(bob, channel_type="direct", participant=carol)
        self.elsewhere = self.channel(alice, channel_type="direct", participant=carol)
        self.closed = self.channel(alice, channel_type="direct", participant=bob)
        self.fresh = net.send(alice, bob)
        self.shut = net.send(bob, alice, channel_id=self.closed)
        self.to_former, self.from_former = self.former_members()
        for channel_id in (self.closed, self.shut_hub, self.shut_line):
            net.do(alice, "close_channel", channel_id=channel_id)
        self.told = self.id_of(
            net.do(alice, "publish", channel_id=self.hub, topic="news", **CONTENT)
        )
        net.later()
        self.ended = [net.send(bob, alice, ttl=1), net.send(alice, bob, ttl=1)]
        self.answered = net.send(bob, alice)
        net.reply(alice, self.answered)
        self.taken_back = net.send(alice, bob)
        net.do(alice, "cancel_message", msg_id=self.taken_back)
        self.others = net.send(carol, bob)
        self.deep = self.thread(10)
        self.open = net.send(bob, alice)
        self.agents()
        self.documents()
        net.later()

    def former_members(self) -> tuple[str, str]:
        """Messages to alice over channels that she, or their sender, has left since."""
        ids = []
        for leaves in (self.alice, self.bob):
            line = self.channel(
                self.carol, channel_type="broadcast", members=[self.alice, self.bob]
            )
            ids.append(self.net.send(self.bob, self.alice, channel_id=line))
            self.net.do(self.carol, "update_channel", channel_id=line, remove_members=[leaves])
        return ids[0], ids[1]

    def channel(self, owner: str, **fields: Any) -> str:
        """Open a channel."""
        made = json.loads(self.net.do(owner, "create_channel", **fields).data)
        channel_id: str = made["channel_id"]
        return channel_id

    def id_of(self, result: Any) -> str:
        """The id in an answer's data."""
        found: str = next(iter(json.loads(result.data).values()))
        return found

    def thread(self, depth: int) -> str:
        """A message to alice so deep in a thread."""
        last = self.net.send(
            self.alice if depth % 2 else self.bob, self.alice if depth % 2 == 0 else self.bob
        )
        speaker, other = (self.bob, self.alice) if depth % 2 else (self.alice, self.bob)
        for _ in range(depth):
            self.net.later()
            last = self.net.reply(speaker, last)
            speaker, other = other, speaker
        return last

    def agents(self) -> None:
        """An agent of bob's that can do something, and intents of alice's."""
        net, alice, bob = self.net, self.alice, self.bob
        net.register(bob, "bot", capabilities=["chart", "full"])
        net.register(bob, "waits", address=self.dave)
        net.on(net.registry, bob, "set_card", agent_id="bot", card="aGk=")

        def wish(**fields: Any) -> str:
            body = {"target_capabilities": ["chart"], **CONTENT, **fields}
            made: str = json.loads(net.do(alice, "submit_intent", **body).data)["intent_id"]
            return made

        self.wish = wish()
        self.late_wish = wish(ttl=1)
        self.done_wish = wish()
        net.do(alice, "cancel_intent", intent_id=self.done_wish)
        self.vain_wish = wish(target_capabilities=["nothing"])

    def documents(self) -> None:
        """Documents, one of them ended, and challenges to alice's."""
        net = self.net
        self.key = ed25519_key(1)
        self.did = create_did(net, self.alice, "alice", key_input("k", self.key))
        self.ended_did = create_did(net, self.carol, "carol", key_input("k", ed25519_key(3)))
        net.on(net.did, self.carol, "deactivate_did", did=self.ended_did)
        create_did(net, self.bob, "bob", key_input("k", ed25519_key(2)))
        raw = self.key.sign(signed_content(net, self.alice, self.bob, nonce="used"))
        self.method = f"{self.did}#k"
        net.send(
            self.alice,
            self.bob,
            signature={"verification_method": self.method, "value": b64(raw), "nonce": "used"},
        )

        def challenge(nonce: str, ttl: int = 300) -> dict[str, str]:
            net.on(
                net.did,
                self.bob,
                "create_challenge",
                target_did=self.did,
                nonce=nonce,
                ttl_seconds=ttl,
            )
            listed = net.chain.query(net.did, {"list_challenges": {"target_did": self.did}})
            made: dict[str, str] = next(c for c in listed["challenges"] if c["nonce"] == nonce)
            return made

        self.challenge = challenge("one")
        self.late_challenge = challenge("two", 1)
        self.answered_challenge = challenge("three")
        net.on(net.did, self.alice, "respond_challenge", **self.response(self.answered_challenge))

    def response(self, challenge: dict[str, str]) -> dict[str, Any]:
        """The right answer to a challenge."""
        raw = self.key.sign(base64.b64decode(challenge["signed_content"]))
        return {
            "challenge_id": challenge["challenge_id"],
            "signature": b64(raw),
            "verification_method_id": self.method,
        }

    def deny(self) -> None:
        """The constitution denies everything."""
        self.net.on(self.net.constitution, self.net.admin, "set_rules", rules=[], default="deny")

    def exhaust(self, sender: str) -> Callable[[], None]:
        """Use the sender's window up."""

        def act() -> None:
            self.limit(rate_messages_max=1)()
            self.net.do(
                sender, "broadcast", receivers=[self.erin], payload="aGk=", priority=1, ttl=1
            )

        return act

    def talk(self) -> None:
        """An active channel between alice and bob."""
        self.live = self.channel(self.alice, channel_type="direct", participant=self.bob)
        self.net.send(self.alice, self.bob)
        self.net.later()

    def suspend(self) -> None:
        """The admin suspends that channel."""
        body = {"channel_id": self.live, "status": "suspended"}
        self.net.do(self.net.admin, "update_channel", **body)

    def limit(self, **limits: int) -> Callable[[], None]:
        """Another limit of ``agent_a2a_v1``."""

        def act() -> None:
            self.net.do(self.net.admin, "update_config", limits=limits)

        return act


@functools.cache
def scene() -> Scene:
    """The scene that all ladders share; each leaves it as it was."""
    return Scene()
