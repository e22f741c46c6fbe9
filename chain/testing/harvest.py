"""What a run has seen: ids, amounts and deadlines in answers, events, messages and raw state.

Nothing here depends on anything but the chain and the calls of one run, so a run that is repeated
sees the same.
"""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

NANOS: Final = 1_000_000_000
#: Values kept for a name; the oldest goes first.
KEPT: Final = 6
AMOUNTS: Final = 8
DEADLINES: Final = 12
_DEPTH: Final = 6
_TEXT_MAX: Final = 128
_FAR_HEIGHTS: Final = 1_000_000
_FAR_NANOS: Final = 20 * 365 * 86_400 * NANOS
_PLAIN: Final = frozenset({"action", "_contract_address", "msg_index", "sender", "code_id"})
_ADDRESS: Final = re.compile(r"[a-z]{1,10}1[02-9ac-hj-np-z]{38,64}")
_DURATION: Final = re.compile(r"seconds|ttl|duration|timeout|period|interval|window|delay")
#: names of fields that tell one thing from others
ID_WORDS: Final = re.compile(r"([a-z0-9_]*_)?(id|ids|ref|key|name|slug|nonce|topic)")
#: Text in raw keys and values that may be an id.
_RAW_TEXT: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,63}")


class Harvest:
    """Pools of seen values, by the name they stood under.

    >>> seen = Harvest()
    >>> seen.take({"task_id": "task-1", "price": "12", "deadline": 7}, height=5, time=0)
    >>> seen.texts("task_id"), seen.amounts, seen.heights
    (['task-1'], [12], [7])
    """

    __slots__ = (
        "_ids", "_texts", "_who", "active", "amounts", "heights", "pairs", "people", "times",
    )  # fmt: skip

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        #: addresses that stood in one call with an id, by id
        self.people: dict[str, list[str]] = {}
        #: actors who stood in one accepted call: sender and other
        self.pairs: list[tuple[str, str]] = []
        #: who got something accepted, the last one last
        self.active: list[str] = []
        self._ids: list[str] = []
        self._who: list[str] = []
        self.amounts: list[int] = []
        self.heights: list[int] = []
        self.times: list[int] = []  # nanoseconds

    def texts(self, name: str) -> list[str]:
        """The values last seen under a name; for ``id`` those of every ``…_id``, and reversed; for
        ``token`` those of ``token_id``, and reversed.
        """
        found = self._texts.get(name)
        if found is None and name.endswith("_id"):
            found = self._texts.get("id") or self._texts.get(name[:-3])
        elif found is None and name == "id":
            found = [
                text for key, texts in self._texts.items() if key[-3:] == "_id" for text in texts
            ]
        elif found is None:
            found = self._texts.get(f"{name}_id")
        return found or []

    def text(self, name: str, value: str) -> None:
        """Remember a text."""
        if ID_WORDS.fullmatch(name):
            self._ids.append(value)
        known = self._texts.get(name)
        if known is None:
            self._texts[name] = [value]
        elif value not in known:
            known.append(value)
            if len(known) > KEPT:
                del known[0]

    def attributes(self, pairs: Any, height: int, time: int) -> None:
        """The attributes of an event."""
        for key, value in pairs:
            if key in _PLAIN or len(value) > _TEXT_MAX:
                continue
            if value.isdigit():
                self.integer(key, int(value), height, time)
            if _ADDRESS.fullmatch(value):
                self._who.append(value)
            else:
                self.text(key, value)

    def link(self, sender: str, cast: frozenset[str]) -> None:
        """End of an accepted call: who stood in it is concerned with the ids that stood in it."""
        for known in self._ids:
            people = self.people.setdefault(known, [])
            for who in (*self._who, sender):
                if who in cast and who not in people:
                    people.append(who)
        for who in self._who:
            if who in cast and who != sender and (sender, who) not in self.pairs:
                self.pairs.append((sender, who))
                del self.pairs[:-KEPT]
        self._ids.clear()
        self._who.clear()
        if sender in self.active:
            self.active.remove(sender)
        self.active.append(sender)

    def take(self, value: Any, *, height: int, time: int, name: str = "", depth: int = 0) -> None:
        """A decoded answer, message or record."""
        if isinstance(value, str):
            if len(value) <= _TEXT_MAX:
                if value.isdigit() and len(value) <= 39:
                    self.integer(name, int(value), height, time)
                elif _ADDRESS.fullmatch(value):
                    self._who.append(value)
                elif name:
                    self.text(name, value)
        elif isinstance(value, bool) or value is None or depth > _DEPTH:
            return
        elif isinstance(value, int):
            self.integer(name, value, height, time)
        elif isinstance(value, dict):
            for key, inner in value.items():
                self.take(inner, height=height, time=time, name=str(key), depth=depth + 1)
        elif isinstance(value, list | tuple):
            for inner in value:
                self.take(inner, height=height, time=time, name=name, depth=depth + 1)

    def integer(self, name: str, value: int, height: int, time: int) -> None:
        """A number: a deadline if it can be one, else an amount."""
        if ID_WORDS.fullmatch(name):
            self.text(name, str(value))
        elif value > 0 and _DURATION.search(name):
            _keep(self.times, time + value * NANOS, DEADLINES)
        elif time <= value <= time + _FAR_NANOS and value > NANOS * NANOS // 10:
            _keep(self.times, value, DEADLINES)
        elif time // NANOS <= value <= (time + _FAR_NANOS) // NANOS and value > NANOS // 2:
            _keep(self.times, value * NANOS, DEADLINES)
        elif height <= value <= height + _FAR_HEIGHTS and _looks_like_height(name):
            _keep(self.heights, value, DEADLINES)
        elif value > 0:
            _keep(self.amounts, value, AMOUNTS)

    def raw_state(self, storage: dict[bytes, bytes], height: int, time: int) -> None:
        """Numbers and texts of raw storage, MessagePack or not."""
        for key, value in storage.items():
            for text in _RAW_TEXT.findall(key[2:])[-1:]:
                self.text("state", text.decode("ascii"))
            try:
                record = msgspec.msgpack.decode(value)
            except (msgspec.DecodeError, ValueError):
                continue
            self._record(record, height, time, 0)

    def _record(self, value: Any, height: int, time: int, depth: int) -> None:
        """A stored record has no names: a small number may be a height or an amount."""
        if isinstance(value, list | tuple) and depth < _DEPTH:
            for inner in value:
                self._record(inner, height, time, depth + 1)
        elif isinstance(value, dict) and depth < _DEPTH:
            for inner in value.values():
                self._record(inner, height, time, depth + 1)
        elif isinstance(value, int) and not isinstance(value, bool):
            if height <= value <= height + 100:
                _keep(self.heights, value, DEADLINES)
            elif value > NANOS // 2:
                self.integer("", value, height, time)

    def deadlines(self, height: int, time: int) -> list[tuple[str, int]]:
        """Everything that still lies ahead, the nearest first."""
        ahead = [("height", value) for value in sorted(self.heights) if value >= height]
        return ahead + [("time", value) for value in sorted(self.times) if value >= time]


def _keep(values: list[int], value: int, most: int) -> None:
    if value not in values:
        values.append(value)
        if len(values) > most:
            del values[0]


def _looks_like_height(name: str) -> bool:
    return any(word in name for word in ("height", "block", "end", "expir", "until", "deadline"))
