"""Rules of the machine: what owners and the authority decide beside prices and capabilities."""

from __future__ import annotations

import base64

from agent_machine import PICK, WHO, AgentMachineBase
from agent_model import ACTIONS, SECOND, Bot
from hypothesis import strategies as st
from hypothesis.stateful import rule

CARDS = st.sampled_from(["", "one", "two"])
TOPICS = st.sampled_from([None, "side"])
DEFAULT_TOPIC = "logos-agent-discovery-v1"


class OwnerRules(AgentMachineBase):
    """Cards, announcements, policies, confirmed agents; the constitution beside its rules."""

    @rule(owner=WHO, account=WHO)
    def name_an_agent(self, owner: str, account: str) -> None:
        """Register somebody else's account: it must confirm."""
        if owner == account:
            return
        who, whose = self.people[owner], self.people[account]
        agent_id = f"{owner}-for-{account}"
        known = self.model.bots.get(agent_id)
        free = known is None or (known.status == "deregistered" and known.owner == who)
        expected = free and not self.model.bound(whose)
        self.act(
            expected,
            self.net.registry,
            who,
            "register_agent",
            agent_id=agent_id,
            address=whose,
            capabilities=["x"],
        )
        if expected:
            bot = Bot(agent_id, who, whose, "pending", None)
            bot.wants = ["x"]
            self.model.bots.pop(agent_id, None)
            self.model.bots[agent_id] = bot

    @rule(n=PICK, name=WHO)
    def confirm(self, n: int, name: str) -> None:
        bot = self.pick(self.model.bots.values(), n)
        if bot is None:
            return
        who = self.people[name]
        expected = bot.status == "pending" and who == bot.address and not self.model.bound(who)
        self.act(expected, self.net.registry, who, "confirm_agent", agent_id=bot.agent_id)
        if expected:
            bot.status = "active"
            bot.can = sorted(bot.wants)
            self.model.gained(bot, bot.can)

    @rule(n=PICK, name=WHO, card=CARDS)
    def set_card(self, n: int, name: str, card: str) -> None:
        bot = self.pick(self.model.bots.values(), n)
        if bot is None:
            return
        who = self.people[name]
        expected = self.speaks(who, bot) and bot.status == "active" and card != ""
        text = base64.b64encode(card.encode()).decode()
        self.act(expected, self.net.registry, who, "set_card", agent_id=bot.agent_id, card=text)
        if expected:
            bot.card = text

    @rule(n=PICK, name=WHO, topic=TOPICS, ttl=st.sampled_from([0, 5, 3_600]), ends=st.booleans())
    def announce(self, n: int, name: str, topic: str | None, *, ttl: int, ends: bool) -> None:
        bot = self.pick(self.model.bots.values(), n)
        if bot is None:
            return
        who, place = self.people[name], topic or DEFAULT_TOPIC
        fields = {"agent_id": bot.agent_id, "topic": topic}
        if ends:
            expected = self.speaks(who, bot) and place in bot.topics
            self.act(expected, self.net.registry, who, "withdraw_card", **fields)
            if expected:
                del bot.topics[place]
            return
        expected = (
            self.speaks(who, bot) and bot.status == "active" and bot.card is not None and ttl > 0
        )
        self.act(expected, self.net.registry, who, "announce_card", **fields, ttl_seconds=ttl)
        if expected:
            bot.topics[place] = self.model.now + ttl * SECOND

    @rule(n=PICK, name=WHO, limit=st.sampled_from([None, 0, 7]))
    def limit_spending(self, n: int, name: str, limit: int | None) -> None:
        bot = self.pick(self.model.bots.values(), n)
        if bot is None:
            return
        who = self.people[name]
        expected = who == bot.owner and bot.status != "deregistered"
        policy = None if limit is None else {"per_tx_limit": str(limit), "period_seconds": 60}
        self.act(
            expected,
            self.net.registry,
            who,
            "set_spending_policy",
            agent_id=bot.agent_id,
            policy=policy,
        )
        if expected:
            bot.policy = limit

    @rule()
    def prune(self) -> None:
        """The registry's start of a block; nobody sees a difference."""
        self.net.chain.sudo(self.net.registry, {"begin_block": {}})
        for bot in self.model.bots.values():
            bot.topics = {t: end for t, end in bot.topics.items() if end >= self.model.now}

    @rule(name=WHO, effect=st.sampled_from(["allow", "deny"]))
    def set_default(self, name: str, effect: str) -> None:
        """By whoever has the authority, and by others in vain."""
        for who in (self.people[name], self.model.authority):
            expected = who == self.model.authority
            rules = list(self.model.rules)
            self.act(expected, self.net.constitution, who, "set_rules", rules=rules, default=effect)
            self.model.versions += int(expected)
        self.model.default = effect

    @rule(position=st.integers(min_value=0, max_value=3))
    def remove_rule(self, position: int) -> None:
        expected = position < len(self.model.rules)
        self.act(
            expected,
            self.net.constitution,
            self.model.authority,
            "remove_rule",
            position=position,
        )
        if expected:
            del self.model.rules[position]
            self.model.versions += 1

    @rule(name=st.sampled_from(["admin", "alice"]))
    def give_authority(self, name: str) -> None:
        new = self.net.admin if name == "admin" else self.people[name]
        body = {"authority": new}
        self.act(True, self.net.constitution, self.model.authority, "update_authority", **body)
        self.model.authority = new

    def speaks(self, who: str, bot: Bot) -> bool:
        """Whether somebody may act for an agent's card."""
        return who in (bot.owner, bot.address) and bot.status != "deregistered"

    # --- comparing ------------------------------------------------------------------------------

    def compare_owners(self) -> None:
        """Cards, announcements, policies, owners' lists."""
        bots = list(self.model.bots.values())
        for bot in bots:
            stored = self.ask(self.net.registry, "get_card", agent_id=bot.agent_id)["card"]
            assert (stored and stored["card"]) == bot.card
        for topic in (DEFAULT_TOPIC, "side"):
            live = [
                bot.agent_id
                for bot in bots
                if bot.status == "active" and bot.topics.get(topic, -1) >= self.model.now
            ]
            seen: list[str] = []
            cursor = None
            while True:
                page = self.ask(
                    self.net.registry, "discover", topic=topic, start_after=cursor, limit=1
                )
                seen += [one["agent_id"] for one in page["announcements"]]
                cursor = page["next"]
                if cursor is None:
                    break
            assert seen == sorted(live)
        for who in self.people.values():
            owned = sorted(
                b.agent_id for b in bots if b.owner == who and b.status != "deregistered"
            )
            page = self.ask(self.net.registry, "get_agent_by_owner", owner=who)
            assert [one["agent_id"] for one in page["agents"]] == owned
            assert page["total"] == len(owned)
            bound = self.model.bound(who)
            found = self.ask(self.net.registry, "get_agent_by_address", address=who)["agent"]
            assert (found and found["agent_id"]) == (bound.agent_id if bound else None)
            policy = self.ask(self.net.registry, "get_spending_policy", address=who)["policy"]
            limit = bound.policy if bound else None
            assert (policy and policy["per_tx_limit"]) == (None if limit is None else str(limit))

    def compare_constitution(self) -> None:
        """Rules, versions, suspensions, verdicts."""
        model, here = self.model, self.net.constitution
        rules = self.ask(here, "get_rules")
        assert (rules["default"], rules["version"]) == (model.default, model.versions)
        shown = [{k: v for k, v in one.items() if k != "note"} for one in rules["rules"]]
        assert shown == model.rules
        assert self.ask(here, "list_versions", limit=1)["total"] == model.versions
        page = self.ask(here, "list_suspensions")
        assert [one["agent"] for one in page["suspensions"]] == sorted(model.suspended)
        assert page["total"] == len(model.suspended)
        assert self.ask(here, "get_config")["authority"] == model.authority
        for who in self.people.values():
            for kind, action in ACTIONS.items():
                check = {"agent_id": who, "action": action, "risk_tier": "medium"}
                verdict = self.ask(here, "check_action", **check)
                assert verdict["allowed"] == model.allowed(who, kind, 75)
