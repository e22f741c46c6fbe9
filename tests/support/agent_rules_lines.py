"""Rules of the machine: broadcast channels, members, metadata, closing, topics read."""

from __future__ import annotations

import base64

from agent_machine import PICK, PRIORITIES, TTLS, WHO, AgentMachineBase
from agent_model import Line, Mail
from hypothesis import strategies as st
from hypothesis.stateful import rule

METADATA = st.sampled_from(["", "a", "b" * 4_096, "c" * 4_097])


class LineRules(AgentMachineBase):
    """What several share a channel for."""

    @rule(owner=WHO, members=st.lists(WHO, max_size=3), text=METADATA)
    def open_broadcast(self, owner: str, members: list[str], text: str) -> None:
        who, named = self.people[owner], [self.people[name] for name in members]
        expected = who not in named and len(set(named)) == len(named) and len(text) <= 4_096
        made = self.act(
            expected,
            self.net.a2a,
            who,
            "create_channel",
            channel_type="broadcast",
            members=named,
            metadata=encoded(text),
        )
        if expected:
            line = Line(made["channel_id"], "broadcast", [who, *named])
            line.metadata = encoded(text)
            self.model.lines[line.channel_id] = line

    @rule(n=PICK, sender=WHO, priority=PRIORITIES, ttl=TTLS)
    def broadcast_over(self, n: int, sender: str, priority: int, ttl: int) -> None:
        lines = [line for line in self.model.lines.values() if line.kind != "direct"]
        line = self.pick(lines, n)
        if line is None:
            return
        who = self.people[sender]
        expected = (
            line.kind == "broadcast"
            and who == line.people[0]
            and len(line.people) > 1
            and line.status in ("open", "active")
            and self.model.allowed(who, "broadcast", priority)
            and self.model.within_rate(who, "broadcast")
        )
        made = self.act(
            expected,
            self.net.a2a,
            who,
            "broadcast",
            channel_id=line.channel_id,
            payload="aGk=",
            priority=priority,
            ttl=ttl,
        )
        if expected:
            for member, msg_id in zip(line.people[1:], made["msg_ids"], strict=True):
                mail = Mail(msg_id, who, member, "broadcast", priority, ttl, self.model.now)
                self.model.add(mail, line)
            self.model.count_send(who, "broadcast")

    @rule(n=PICK, sender=WHO, other=WHO, adds=st.booleans(), text=st.none() | METADATA)
    def change_line(self, n: int, sender: str, other: str, adds: bool, text: str | None) -> None:
        """Members and metadata; a null field stays as it is."""
        line = self.pick(self.model.lines.values(), n)
        if line is None:
            return
        who, whom = self.people[sender], self.people[other]
        owner = line.people[0]
        fits = whom != owner and (whom in line.people) != adds and line.kind != "direct"
        allowed = who == owner or (not adds and who == whom)
        alone = text is not None and n % 2 == 0  # metadata without members
        expected = (
            who in line.people
            and line.status != "closed"
            and len(text or "") <= 4_096
            and (alone or (fits and allowed))
        )
        fields = {} if alone else {"add_members" if adds else "remove_members": [whom]}
        self.act(
            expected,
            self.net.a2a,
            who,
            "update_channel",
            channel_id=line.channel_id,
            metadata=None if text is None else encoded(text) or "",
            **fields,
        )
        if not expected:
            return
        if text is not None:
            line.metadata = encoded(text)
        if not alone and adds:
            line.people.append(whom)
        elif not alone:
            line.people.remove(whom)

    @rule(n=PICK, sender=WHO)
    def close(self, n: int, sender: str) -> None:
        line = self.pick(self.model.lines.values(), n)
        if line is None:
            return
        who = self.people[sender]
        party = line.people if line.kind == "direct" else line.people[:1]
        expected = who in party and line.status != "closed"
        self.act(expected, self.net.a2a, who, "close_channel", channel_id=line.channel_id)
        if expected:
            line.status = "closed"

    @rule(n=PICK, sender=WHO)
    def read_topic(self, n: int, sender: str) -> None:
        """A subscriber's cursor moves to a message; never back."""
        mail = self.pick([m for m in self.model.mails.values() if m.topic is not None], n)
        if mail is None:
            return
        key = (self.people[sender], mail.channel, mail.topic)
        known = self.model.follows.get(key)
        expected = known is not None and known["active"]
        self.act(expected, self.net.a2a, key[0], "mark_read", msg_id=mail.msg_id)
        if known is not None and expected:
            place = list(self.model.mails).index(mail.msg_id) + 1
            known["after"] = max(known["after"], place)


def encoded(text: str) -> str | None:
    """Metadata as answers show it: nothing is null."""
    return base64.b64encode(text.encode()).decode() if text else None
