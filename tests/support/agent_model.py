"""What the four agent contracts should do, in a few dictionaries.

Each operation says whether it goes through and, if so, what changes; ``None`` means refused. Ids come from the chain, so
an operation that makes something takes the id that the chain gave.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SECOND = 10**9
LIVE = ("pending", "delivered", "read")
ACTIONS = {
    "request": "a2a:send_request",
    "response": "a2a:send_response",
    "broadcast": "a2a:broadcast",
    "notification": "a2a:notify",
    "discovery": "a2a:discover",
}


@dataclass
class Mail:
    """A message."""

    msg_id: str
    sender: str
    receiver: str
    message_type: str
    priority: int
    ttl: int
    created: int
    status: str = "pending"
    channel: str | None = None
    reply_to: str | None = None
    depth: int = 0
    root: str = ""
    topic: str | None = None
    signed: tuple[str, str, int] | None = None  # DID, key, seed

    def at(self, now: int) -> str:
        """The status that holds."""
        if self.status in LIVE and now > self.created + self.ttl * SECOND:
            return "expired"
        return self.status


@dataclass
class Line:
    """A channel."""

    channel_id: str
    kind: str
    people: list[str]
    status: str = "open"
    messages: int = 0
    metadata: str | None = None


@dataclass
class Wish:
    """An intent."""

    intent_id: str
    source: str
    targets: list[str]
    max_price: int | None
    created: int
    ttl: int
    status: str
    matched: list[str]
    routed_to: str | None = None
    msg_id: str | None = None

    def at(self, now: int) -> str:
        """The status that holds."""
        if self.status in ("pending", "matched") and now > self.created + self.ttl * SECOND:
            return "expired"
        return self.status


@dataclass
class Bot:
    """An agent."""

    agent_id: str
    owner: str
    address: str
    status: str
    price: int | None
    can: list[str] = field(default_factory=list)
    wants: list[str] = field(default_factory=list)  # until it is confirmed
    card: str | None = None
    topics: dict[str, int] = field(default_factory=dict)  # to the end of the announcement
    policy: int | None = None


@dataclass
class Document:
    """A DID document."""

    did: str
    controller: str
    address: str
    keys: dict[str, tuple[int, tuple[str, ...]]]  # name to seed and relations
    active: bool = True
    version: int = 1

    def proves(self, key: str, seed: int, relation: str) -> bool:
        """Whether a signature with a seed's key stands under a relation."""
        held = self.keys.get(key)
        return self.active and held is not None and held[0] == seed and relation in held[1]


@dataclass
class Asked:
    """A challenge; all of them live five seconds."""

    challenge_id: str
    target: str
    relation: str
    created: int
    status: str = "open"
    key: str | None = None

    def at(self, now: int) -> str:
        """The status that holds."""
        return (
            "expired" if self.status == "open" and now > self.created + 5 * SECOND else self.status
        )


class Model:
    """The state, and what each operation makes of it."""

    def __init__(self) -> None:
        self.now = 0
        self.mails: dict[str, Mail] = {}  # in order of creation
        self.lines: dict[str, Line] = {}  # in order of creation
        self.wishes: dict[str, Wish] = {}
        self.bots: dict[str, Bot] = {}
        self.sends: dict[str, list[tuple[int, bool]]] = {}
        self.rules: list[dict[str, str]] = []
        self.suspended: set[str] = set()
        self.follows: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.dids: dict[str, Document] = {}
        self.asked: dict[str, Asked] = {}
        self.asked_nonces: set[tuple[str, str]] = set()
        self.sent_nonces: set[tuple[str, str]] = set()
        self.authority = ""
        self.default = "allow"
        self.versions = 1

    # --- guards ---------------------------------------------------------------------------------

    def allowed(self, sender: str, message_type: str, priority: int) -> bool:
        """What the constitution says."""
        if sender in self.suspended:
            return False
        tier = "high" if priority >= 150 else "medium" if priority >= 75 else "low"
        for rule in self.rules:
            if (
                rule["agent"] in ("*", sender)
                and rule["action"] in ("*", ACTIONS[message_type])
                and rule["risk_tier"] in ("*", tier)
            ):
                return rule["effect"] == "allow"
        return self.default == "allow"

    def did_of(self, account: str) -> Document | None:
        """The live document that speaks for an account."""
        live = [d for d in self.dids.values() if d.active and d.address == account]
        return live[0] if live else None

    def bound(self, account: str) -> Bot | None:
        """The agent whose account this is."""
        for bot in self.bots.values():
            if bot.address == account and bot.status in ("active", "inactive"):
                return bot
        return None

    def within_rate(self, sender: str, message_type: str) -> bool:
        """Whether one more send fits the window."""
        recent = [s for s in self.sends.get(sender, []) if s[0] > self.now - SECOND]
        if len(recent) >= 20:
            return False
        return not (message_type == "discovery" and sum(1 for s in recent if s[1]) >= 5)

    def count_send(self, sender: str, message_type: str) -> None:
        """A send went through."""
        self.sends.setdefault(sender, []).append((self.now, message_type == "discovery"))

    def live_line(self, one: str, two: str) -> Line | None:
        """The pair's direct channel that is not closed."""
        for line in self.lines.values():
            if line.kind == "direct" and set(line.people) == {one, two} and line.status != "closed":
                return line
        return None

    def line_for(self, sender: str, receiver: str, named: str | None) -> tuple[bool, Line | None]:
        """Whether a message may go, and over which channel."""
        if named is None:
            line = self.live_line(sender, receiver)
            return (line is None or line.status != "suspended", line)
        found = self.lines.get(named)
        if found is None or found.kind == "pubsub":
            return (False, None)
        good = {sender, receiver} <= set(found.people) and found.status in ("open", "active")
        return (good, found)

    # --- messages -------------------------------------------------------------------------------

    def can_send(
        self, sender: str, receiver: str, message_type: str, priority: int, named: str | None
    ) -> bool:
        """Whether a first message goes through."""
        return (
            sender != receiver
            and self.line_for(sender, receiver, named)[0]
            and self.allowed(sender, message_type, priority)
            and self.within_rate(sender, message_type)
        )

    def add(self, mail: Mail, line: Line | None) -> None:
        """Store a message."""
        if line is not None:
            mail.channel = line.channel_id
            line.messages += 1
            if line.status == "open":
                line.status = "active"
        mail.root = mail.root or mail.msg_id
        self.mails[mail.msg_id] = mail

    def can_reply(self, sender: str, original: Mail, message_type: str) -> bool:
        """Whether an answer goes through."""
        return (
            original.receiver == sender
            and original.topic is None
            and original.at(self.now) in LIVE
            and original.depth < 10
            and self.line_for(sender, original.sender, original.channel)[0]
            and self.allowed(sender, message_type, original.priority)
            and self.within_rate(sender, message_type)
        )

    # --- agents ---------------------------------------------------------------------------------

    def holders(self, capability: str) -> list[Bot]:
        """Active agents with a capability, by id."""
        found = [b for b in self.bots.values() if b.status == "active" and capability in b.can]
        return sorted(found, key=lambda bot: bot.agent_id)

    def fitting(self, source: str, targets: list[str], max_price: int | None) -> list[str]:
        """Agents that answer an intent, cheapest first, then by id."""
        found = [
            bot
            for bot in self.holders(targets[0])
            if all(t in bot.can for t in targets)
            and bot.address != source
            and (max_price is None or (bot.price is not None and bot.price <= max_price))
        ]
        found.sort(key=lambda bot: (bot.price is None, bot.price or 0, bot.agent_id))
        return [bot.agent_id for bot in found]

    def gained(self, bot: Bot, capabilities: list[str]) -> None:
        """An agent offers something new: intents that waited for it are matched."""
        if bot.status != "active":
            return
        for wish in self.wishes.values():
            waits = wish.at(self.now) == "pending" and any(c in wish.targets for c in capabilities)
            if waits and bot.agent_id in self.fitting(wish.source, wish.targets, wish.max_price):
                wish.status = "matched"
                wish.matched = [bot.agent_id]
