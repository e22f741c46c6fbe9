"""What the machine of the four agent contracts compares: the answer of every query with the model's."""

from __future__ import annotations

from agent_machine import NAMES
from agent_model import LIVE, SECOND, Line, Mail
from agent_rules_did import DidRules
from agent_rules_owners import OwnerRules


class Comparing(DidRules, OwnerRules):
    """Looks at everything there is through every query."""

    def compare_mail(self, who: str, size: int) -> None:
        model = self.model
        mails = list(model.mails.values())[::-1]
        mine = [m for m in mails if m.receiver == who]
        assert self.walk("list_messages", "msg_id", "messages", size, address=who) == [
            m.msg_id for m in mine
        ]
        for status in (*LIVE, "replied", "expired", "cancelled"):
            wanted = [m.msg_id for m in mine if m.at(model.now) == status]
            seen = self.walk(
                "list_messages", "msg_id", "messages", size, address=who, status=status
            )
            assert seen == wanted
        pending = sum(1 for m in mine if m.at(model.now) == "pending")
        assert self.net.ask("count_pending_messages", address=who)["count"] == pending
        sent = [m.msg_id for m in mails if m.sender == who]
        assert self.walk("list_sent_messages", "msg_id", "messages", size, address=who) == sent
        recent = [s for s in model.sends.get(who, []) if s[0] > model.now - SECOND]
        limits = self.net.ask("rate_limit_status", address=who)
        used = (limits["messages_used"], limits["discovery_used"])
        assert used == (len(recent), sum(1 for s in recent if s[1]))

    def compare_everything(self) -> None:
        """Every query, for everything there is."""
        for who in self.people.values():
            self.compare_mail(who, 3)
            self.compare_person(who)
        for mail in self.model.mails.values():
            self.compare_message(mail)
        for line in self.model.lines.values():
            self.compare_channel(line)
        self.compare_pairs()
        self.compare_agents()
        self.compare_documents()
        self.compare_owners()
        self.compare_constitution()

    def compare_person(self, who: str) -> None:
        model = self.model
        lines = [line.channel_id for line in model.lines.values() if who in line.people][::-1]
        assert self.walk("list_channels_of", "channel_id", "channels", 2, address=who) == lines
        wishes = [w for w in model.wishes.values() if w.source == who][::-1]
        seen = self.walk("list_intents", "intent_id", "intents", 2, address=who)
        assert seen == [w.intent_id for w in wishes]
        for status in ("pending", "matched", "routed", "expired", "cancelled"):
            wanted = [w.intent_id for w in wishes if w.at(model.now) == status]
            seen = self.walk("list_intents", "intent_id", "intents", 2, address=who, status=status)
            assert seen == wanted
        for wish in wishes:
            shown = self.net.ask("get_intent", intent_id=wish.intent_id)["intent"]
            assert shown["status"] == wish.at(model.now)
            assert shown["matched_agents"] == wish.matched
            assert (shown["routed_to"], shown["msg_id"]) == (wish.routed_to, wish.msg_id)
        follows = self.net.ask("list_subscriptions", subscriber=who, limit=100)["subscriptions"]
        wanted_follows = sorted(
            (k[1], k[2], v["active"]) for k, v in model.follows.items() if k[0] == who
        )
        shown_follows = sorted((f["channel_id"], f["topic"], f["active"]) for f in follows)
        assert shown_follows == wanted_follows

    def compare_message(self, mail: Mail) -> None:
        now = self.model.now
        shown = self.net.ask("get_message", msg_id=mail.msg_id)["message"]
        assert shown["status"] == mail.at(now)
        assert (shown["sender"], shown["receiver"]) == (mail.sender, mail.receiver)
        assert (shown["priority"], shown["ttl"]) == (mail.priority, mail.ttl)
        assert (shown["message_type"], shown["depth"]) == (mail.message_type, mail.depth)
        assert (shown["channel_id"], shown["reply_to"]) == (mail.channel, mail.reply_to)
        assert (shown["thread"], shown["topic"]) == (mail.root, mail.topic)
        assert self.net.status(mail.msg_id) == mail.at(now)
        self.compare_signature(mail)
        if mail.depth == 0:
            chain = [m.msg_id for m in self.model.mails.values() if m.root == mail.msg_id][::-1]
            seen = self.walk("list_thread", "msg_id", "messages", 3, msg_id=mail.msg_id)
            assert seen == chain

    def compare_channel(self, line: Line) -> None:
        shown = self.net.ask("get_channel", channel_id=line.channel_id)["channel"]
        assert (shown["status"], shown["message_count"]) == (line.status, line.messages)
        assert (shown["participants"], shown["metadata"]) == (line.people, line.metadata)
        mails = [m for m in self.model.mails.values() if m.channel == line.channel_id]
        seen = self.walk(
            "list_channel_messages", "msg_id", "messages", 4, channel_id=line.channel_id
        )
        assert seen == [m.msg_id for m in mails][::-1]
        if line.kind != "pubsub":
            return
        order = list(self.model.mails)
        for topic in ("a", "b"):
            told = [m for m in mails if m.topic == topic]
            seen = self.walk(
                "list_topic_messages",
                "msg_id",
                "messages",
                2,
                channel_id=line.channel_id,
                topic=topic,
            )
            assert seen == [m.msg_id for m in told][::-1]
            for who in self.people.values():
                known = self.model.follows.get((who, line.channel_id, topic))
                if known is None or not known["active"]:
                    continue
                page = self.net.ask(
                    "list_topic_messages",
                    channel_id=line.channel_id,
                    topic=topic,
                    subscriber=who,
                    limit=100,
                )
                wanted = [
                    m.msg_id
                    for m in told
                    if order.index(m.msg_id) >= known["after"] and m.priority >= 75
                ]
                assert [m["msg_id"] for m in page["messages"]] == wanted

    def compare_pairs(self) -> None:
        for one in NAMES:
            for two in NAMES:
                if one >= two:
                    continue
                pair = [self.people[one], self.people[two]]
                mails = [
                    m.msg_id
                    for m in self.model.mails.values()
                    if {m.sender, m.receiver} == set(pair)
                ]
                seen = self.walk("list_conversation", "msg_id", "messages", 3, participants=pair)
                assert seen == mails[::-1]
                lines = [
                    line.channel_id
                    for line in self.model.lines.values()
                    if line.kind == "direct" and set(line.people) == set(pair)
                ]
                seen = self.walk("list_channels", "channel_id", "channels", 2, participants=pair)
                assert seen == lines[::-1]

    def compare_agents(self) -> None:
        for bot in self.model.bots.values():
            found = self.net.chain.query(
                self.net.registry, {"get_agent": {"agent_id": bot.agent_id}}
            )["agent"]
            assert (found["owner"], found["status"]) == (bot.owner, bot.status)
            listed = self.net.ask("list_capabilities", agent_id=bot.agent_id)["capabilities"]
            assert listed == bot.can
        for skill in ("x", "y", "z"):
            wanted = [bot.agent_id for bot in self.model.holders(skill)]
            seen = []
            cursor = None
            while True:
                page = self.net.ask(
                    "find_agents_by_capability", capability=skill, start_after=cursor, limit=1
                )
                assert page["count"] == len(wanted)
                seen += page["agents"]
                cursor = page["next"]
                if cursor is None:
                    break
            assert seen == wanted
            found = self.net.chain.query(
                self.net.registry, {"discover_agents": {"capability": skill, "max_price": 5}}
            )["agents"]
            assert [a["agent_id"] for a in found] == self.model.fitting("", [skill], 5)
        live = [b for b in self.model.bots.values() if b.status != "deregistered"]
        page = self.net.chain.query(self.net.registry, {"list_agents": {}})
        assert [a["agent_id"] for a in page["agents"]] == sorted(b.agent_id for b in live)
        assert page["total"] == len(live)
