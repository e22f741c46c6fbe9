"""All operations of the four agent contracts against a few dictionaries."""

from __future__ import annotations

from typing import Any

import pytest
from agent_compare import Comparing
from agent_machine import NAMES, PICK, PRIORITIES, TTLS, WHO
from agent_model import SECOND, Bot, Line, Mail, Wish
from agent_rules_lines import LineRules
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

TYPES = st.sampled_from(["request", "response", "broadcast", "notification", "discovery"])
SKILLS = st.sampled_from(["x", "y", "z"])
PRICES = st.sampled_from([None, 0, 5, 10])


class AgentMachine(LineRules, Comparing):
    """All of it; the rules of identity, shared channels and owners come from ``tests/support``."""

    # --- messages -------------------------------------------------------------------------------

    @rule(
        sender=WHO, to=WHO, kind=TYPES, priority=PRIORITIES, ttl=TTLS, named=st.booleans(), n=PICK
    )
    def send(
        self, sender: str, to: str, kind: str, *, priority: int, ttl: int, named: bool, n: int
    ) -> None:
        who, whom = self.people[sender], self.people[to]
        line = self.pick(self.model.lines.values(), n) if named else None
        channel = None if line is None else line.channel_id
        expected = self.model.can_send(who, whom, kind, priority, channel)
        made = self.act(
            expected,
            self.net.a2a,
            who,
            "send_message",
            to=whom,
            message_type=kind,
            payload="aGk=",
            priority=priority,
            ttl=ttl,
            channel_id=channel,
        )
        if expected:
            over = self.model.line_for(who, whom, channel)[1]
            mail = Mail(made["msg_id"], who, whom, kind, priority, ttl, self.model.now)
            self.model.add(mail, over)
            self.model.count_send(who, kind)

    @rule(n=PICK, by_send=st.booleans(), wrong=st.sampled_from([None, None, None, "alice"]))
    def reply(self, n: int, by_send: bool, wrong: str | None) -> None:
        original = self.pick(self.model.mails.values(), n)
        if original is None:
            return
        who = original.receiver if wrong is None else self.people[wrong]
        if who not in self.people.values():
            return
        kind = "request" if by_send else "response"
        expected = self.model.can_reply(who, original, kind)
        if by_send:
            made = self.act(
                expected,
                self.net.a2a,
                who,
                "send_message",
                to=original.sender,
                message_type=kind,
                payload="b2s=",
                priority=1,
                ttl=1,
                reply_to=original.msg_id,
            )
        else:
            made = self.act(
                expected,
                self.net.a2a,
                who,
                "reply_message",
                original_msg_id=original.msg_id,
                payload="b2s=",
            )
        if expected:
            over = self.model.line_for(who, original.sender, original.channel)[1]
            self.model.add(
                Mail(
                    made["msg_id"],
                    who,
                    original.sender,
                    kind,
                    original.priority,
                    original.ttl,
                    self.model.now,
                    reply_to=original.msg_id,
                    depth=original.depth + 1,
                    root=original.root,
                ),
                over,
            )
            original.status = "replied"
            self.model.count_send(who, kind)

    @rule(
        n=PICK,
        move=st.sampled_from(["mark_delivered", "mark_read", "cancel_message"]),
        stranger=st.sampled_from([None, None, None, *NAMES]),
    )
    def move(self, n: int, move: str, stranger: str | None) -> None:
        mail = self.pick(self.model.mails.values(), n)
        if mail is None or mail.topic is not None:
            return
        party = mail.sender if move == "cancel_message" else mail.receiver
        who = party if stranger is None else self.people[stranger]
        first = {"mark_read": ("pending", "delivered")}.get(move, ("pending",))
        expected = who == party and mail.at(self.model.now) in first
        self.act(expected, self.net.a2a, who, move, msg_id=mail.msg_id)
        if expected:
            mail.status = {
                "mark_delivered": "delivered",
                "mark_read": "read",
                "cancel_message": "cancelled",
            }[move]

    @rule(sender=WHO, to=st.lists(WHO, min_size=1, max_size=3), priority=PRIORITIES, ttl=TTLS)
    def broadcast(self, sender: str, to: list[str], priority: int, ttl: int) -> None:
        who = self.people[sender]
        whom = [self.people[name] for name in to]
        expected = (
            len(set(whom)) == len(whom)
            and who not in whom
            and all(self.model.line_for(who, one, None)[0] for one in whom)
            and self.model.allowed(who, "broadcast", priority)
            and self.model.within_rate(who, "broadcast")
        )
        made = self.act(
            expected,
            self.net.a2a,
            who,
            "broadcast",
            receivers=whom,
            payload="aGk=",
            priority=priority,
            ttl=ttl,
        )
        if expected:
            for one, msg_id in zip(whom, made["msg_ids"], strict=True):
                over = self.model.line_for(who, one, None)[1]
                mail = Mail(msg_id, who, one, "broadcast", priority, ttl, self.model.now)
                self.model.add(mail, over)
            self.model.count_send(who, "broadcast")

    # --- channels -------------------------------------------------------------------------------

    @rule(sender=WHO, other=WHO, kind=st.sampled_from(["direct", "direct", "pubsub"]))
    def create_channel(self, sender: str, other: str, kind: str) -> None:
        who, whom = self.people[sender], self.people[other]
        expected = who != whom and (kind != "direct" or self.model.live_line(who, whom) is None)
        made = self.act(
            expected, self.net.a2a, who, "create_channel", participant=whom, channel_type=kind
        )
        if expected:
            line = Line(made["channel_id"], kind, [who, whom])
            self.model.lines[line.channel_id] = line

    @rule(
        n=PICK,
        who=st.sampled_from(["owner", "other", "admin", "alice"]),
        status=st.sampled_from(["open", "active", "suspended", "closed"]),
    )
    def update_channel(self, n: int, who: str, status: str) -> None:
        line = self.pick(self.model.lines.values(), n)
        if line is None:
            return
        sender = {
            "owner": line.people[0],
            "other": line.people[-1],
            "admin": self.net.admin,
            "alice": self.people["alice"],
        }[who]
        member = sender in line.people
        if status == line.status and status != "closed":
            expected = member
        elif status == "suspended" or (status == "active" and line.status == "suspended"):
            move = (line.status, status)
            legal = move in (("active", "suspended"), ("suspended", "active"))
            expected = sender in (self.net.admin, self.model.authority) and legal
        else:
            closes = status == "closed" and line.status != "closed"
            expected = member and closes and (line.kind == "direct" or sender == line.people[0])
        self.act(
            expected,
            self.net.a2a,
            sender,
            "update_channel",
            channel_id=line.channel_id,
            status=status,
        )
        if expected:
            line.status = status

    @rule(n=PICK, sender=WHO, topic=st.sampled_from(["a", "b"]), priority=PRIORITIES)
    def publish(self, n: int, sender: str, topic: str, priority: int) -> None:
        line = self.pick(self.model.lines.values(), n)
        if line is None:
            return
        who = self.people[sender]
        expected = (
            line.kind == "pubsub"
            and who in line.people
            and line.status in ("open", "active")
            and self.model.allowed(who, "notification", priority)
            and self.model.within_rate(who, "notification")
        )
        made = self.act(
            expected,
            self.net.a2a,
            who,
            "publish",
            channel_id=line.channel_id,
            topic=topic,
            payload="aGk=",
            priority=priority,
            ttl=60,
        )
        if expected:
            mail = Mail(
                made["msg_id"], who, self.net.a2a, "notification", priority, 60, self.model.now
            )
            mail.topic = topic
            self.model.add(mail, line)
            self.model.count_send(who, "notification")

    @rule(n=PICK, sender=WHO, topic=st.sampled_from(["a", "b"]), follow=st.booleans())
    def follow(self, n: int, sender: str, topic: str, follow: bool) -> None:
        line = self.pick(self.model.lines.values(), n)
        if line is None:
            return
        key = (self.people[sender], line.channel_id, topic)
        known = self.model.follows.get(key)
        if follow:
            expected = line.kind == "pubsub" and line.status in ("open", "active")
            self.act(
                expected,
                self.net.a2a,
                key[0],
                "subscribe",
                channel_id=key[1],
                topic=topic,
                filter="priority >= 75",
            )
            if expected and (known is None or not known["active"]):
                self.model.follows[key] = {"active": True, "after": len(self.model.mails)}
        else:
            expected = known is not None and known["active"]
            self.act(expected, self.net.a2a, key[0], "unsubscribe", channel_id=key[1], topic=topic)
            if known is not None and expected:
                known["active"] = False

    # --- agents ---------------------------------------------------------------------------------

    @rule(sender=WHO, owner=WHO, price=PRICES, skills=st.lists(SKILLS, max_size=2, unique=True))
    def register(self, sender: str, owner: str, price: int | None, skills: list[str]) -> None:
        who, whose = self.people[sender], self.people[owner]
        agent_id = f"{sender}-agent"
        known = self.model.bots.get(agent_id)
        free = known is None or (known.status == "deregistered" and known.owner == who)
        expected = free and not self.model.bound(who)
        self.act(
            expected,
            self.net.registry,
            who,
            "register_agent",
            agent_id=agent_id,
            owner=whose,
            price_model=None if price is None else {"price": price},
            capabilities=skills,
        )
        if expected:
            bot = Bot(agent_id, whose, who, "active", price, sorted(skills))
            self.model.bots.pop(agent_id, None)
            self.model.bots[agent_id] = bot
            self.model.gained(bot, bot.can)

    @rule(
        n=PICK,
        sender=WHO,
        change=st.sampled_from(["price", "inactive", "active", "transfer", "deregister"]),
        price=st.sampled_from([0, 5, 10]),
        other=WHO,
    )
    def change_agent(self, n: int, sender: str, change: str, price: int, other: str) -> None:
        bot = self.pick(self.model.bots.values(), n)
        if bot is None:
            return
        who = self.people[sender]
        expected = who == bot.owner and bot.status != "deregistered"
        fields: dict[str, Any] = {"agent_id": bot.agent_id}
        if change == "transfer":
            variant = "transfer_ownership"
            fields["new_owner"] = self.people[other]
        elif change == "deregister":
            variant = "deregister_agent"
        else:
            variant = "update_agent"
            if change == "price":
                fields["price_model"] = {"price": price}
            else:
                fields["status"] = change
                expected = expected and bot.status != "pending"
        self.act(expected, self.net.registry, who, variant, **fields)
        if expected:
            if change == "transfer":
                bot.owner, bot.policy = self.people[other], None
            elif change == "deregister":
                bot.status, bot.can, bot.card, bot.policy = "deregistered", [], None, None
                bot.topics = {}
            elif change == "price":
                bot.price = price
            else:
                bot.status = change
            self.model.gained(bot, bot.can)

    @rule(n=PICK, sender=WHO, skill=SKILLS, adds=st.booleans())
    def change_skill(self, n: int, sender: str, skill: str, adds: bool) -> None:
        bot = self.pick(self.model.bots.values(), n)
        if bot is None:
            return
        who = self.people[sender]
        right = who == bot.owner and bot.status in ("active", "inactive")
        expected = right and (skill in bot.can) != adds
        variant = "add_capability" if adds else "remove_capability"
        self.act(expected, self.net.a2a, who, variant, agent_id=bot.agent_id, capability=skill)
        if expected and adds:
            bot.can = sorted([*bot.can, skill])
            self.model.gained(bot, [skill])
        elif expected:
            bot.can.remove(skill)

    @rule(
        sender=WHO,
        skills=st.lists(SKILLS, min_size=1, max_size=2, unique=True),
        price=PRICES,
        ttl=TTLS,
    )
    def submit(self, sender: str, skills: list[str], price: int | None, ttl: int) -> None:
        who = self.people[sender]
        made = self.act(
            True,
            self.net.a2a,
            who,
            "submit_intent",
            target_capabilities=skills,
            payload="aGk=",
            priority=60,
            ttl=ttl,
            max_price=price,
        )
        matched = self.model.fitting(who, skills, price)
        wish = Wish(
            made["intent_id"],
            who,
            skills,
            price,
            self.model.now,
            ttl,
            "matched" if matched else "pending",
            matched,
        )
        self.model.wishes[wish.intent_id] = wish

    @rule(n=PICK, route=st.booleans())
    def finish_intent(self, n: int, route: bool) -> None:
        wish = self.pick(self.model.wishes.values(), n)
        if wish is None:
            return
        who = wish.source
        open_now = wish.at(self.model.now) in ("pending", "matched")
        if not route:
            self.act(open_now, self.net.a2a, who, "cancel_intent", intent_id=wish.intent_id)
            if open_now:
                wish.status = "cancelled"
            return
        best = self.model.fitting(who, wish.targets, wish.max_price)
        address = self.model.bots[best[0]].address if best else None
        expected = (
            open_now
            and address is not None
            and self.model.can_send(who, address, "request", 60, None)
        )
        made = self.act(expected, self.net.a2a, who, "route_intent", intent_id=wish.intent_id)
        if expected and address is not None:
            wish.status = "routed"
            wish.routed_to = made["agent_id"]
            wish.msg_id = made["msg_id"]
            over = self.model.line_for(who, address, None)[1]
            mail = Mail(made["msg_id"], who, address, "request", 60, wish.ttl, self.model.now)
            self.model.add(mail, over)
            self.model.count_send(who, "request")

    # --- constitution, time ---------------------------------------------------------------------

    @rule(
        agent=st.sampled_from(["*", *NAMES]),
        action=st.sampled_from(["*", "a2a:broadcast", "a2a:discover"]),
        tier=st.sampled_from(["low", "medium", "high"]),
        effect=st.sampled_from(["allow", "deny"]),
    )
    def add_rule(self, agent: str, action: str, tier: str, effect: str) -> None:
        made = {
            "effect": effect,
            "agent": self.people.get(agent, "*"),
            "action": action,
            "risk_tier": tier,
        }
        expected = len(self.model.rules) < 64
        here, who = self.net.constitution, self.model.authority
        self.act(expected, here, who, "add_rule", rule=made, position=0)
        if expected:
            self.model.rules.insert(0, made)
            self.model.versions += 1

    @rule()
    def no_rules(self) -> None:
        self.act(True, self.net.constitution, self.model.authority, "set_rules", rules=[])
        self.model.rules = []
        self.model.versions += 1

    @rule(name=WHO)
    def suspend(self, name: str) -> None:
        who = self.people[name]
        variant = "reinstate_agent" if who in self.model.suspended else "suspend_agent"
        self.act(True, self.net.constitution, self.model.authority, variant, agent_id=who)
        self.model.suspended ^= {who}

    @rule(seconds=st.sampled_from([1, 2, 5, 6, 61, 3_601]))
    def later(self, seconds: int) -> None:
        self.net.later(seconds)
        self.model.now += seconds * SECOND

    @rule(most=st.sampled_from([1, 2, 100]))
    def sweep(self, most: int) -> None:
        self.act(True, self.net.a2a, self.net.admin, "update_config", limits={"sweep_max": most})
        self.net.begin_block()

    # --- comparing ------------------------------------------------------------------------------

    @invariant()
    def clocks_agree(self) -> None:
        assert self.net.chain.time == self.model.now

    @rule(name=WHO, size=st.sampled_from([1, 2, 100]))
    def look(self, name: str, size: int) -> None:
        self.compare_mail(self.people[name], size)


QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large]


def test_operations_agree_with_the_model() -> None:
    """A small run beside every change."""
    run_state_machine_as_test(
        AgentMachine,
        settings=settings(
            max_examples=15,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=QUIET,
            phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
        ),
    )


@pytest.mark.long
def test_operations_agree_with_the_model_at_length() -> None:
    """The run that CI makes."""
    run_state_machine_as_test(
        AgentMachine,
        settings=settings(
            max_examples=200, stateful_step_count=50, deadline=None, suppress_health_check=QUIET
        ),
    )
