"""What an entry point returns, and what comes back of it.

Responses, events, submessages, replies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, NamedTuple, Self

from msgspec import Struct

from chain.std.deps import Deps, DepsMut, Env, MessageInfo
from chain.std.messages import CosmosMsg
from chain.std.records import Words

REPLY_PAYLOAD_MAX: Final = 131_072  # bytes (SUB-11)


class Attribute(NamedTuple):
    """A key and a value, both text."""

    key: str
    value: str


#: ``Attribute(key, value)`` of a pair, without the call of its constructor
_attribute: Final = partial(tuple.__new__, Attribute)


_NO_PAIRS: Final = ()


class _Attributed:
    """A list of attributes. They are plain pairs until somebody asks for ``attributes``, for a
    named one costs more than all else that is done with it.
    """

    __slots__ = ("_named", "pairs")

    _named: bool
    #: the attributes in order, of one kind or the other
    pairs: list[Any]

    @property
    def attributes(self) -> list[Attribute]:
        """The attributes in order; the list may be changed."""
        if not self._named:
            self._named = True
            self.pairs = list(map(_attribute, self.pairs))
        return self.pairs

    @attributes.setter
    def attributes(self, attributes: list[Attribute]) -> None:
        self._named = True
        self.pairs = attributes

    def add_attribute(self, key: str, value: str) -> Self:
        """Add one attribute at the end."""
        self.pairs.append(_attribute((key, value)) if self._named else (key, value))
        return self

    def add_attributes(self, attributes: Iterable[tuple[str, str]]) -> Self:
        """Add attributes at the end, in order."""
        pairs = [(key, value) for key, value in attributes]
        self.pairs.extend(map(_attribute, pairs) if self._named else pairs)
        return self


class Event(_Attributed):
    """A typed list of attributes; ``add_attribute`` adds in place and gives the event back."""

    __slots__ = ("type",)

    def __init__(self, type: str, attributes: Iterable[tuple[str, str]] = ()) -> None:
        self.type = type
        pairs = attributes is not _NO_PAIRS
        self.pairs = [(key, value) for key, value in attributes] if pairs else []
        self._named = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and self.type == other.type and self.pairs == other.pairs

    def __hash__(self) -> int:
        raise TypeError("Event has no hash")

    def __repr__(self) -> str:
        return f"Event({self.type!r}, {[tuple(a) for a in self.pairs]!r})"


class ReplyOn(Words):
    """When a submessage's end comes back to ``reply`` (section 3 of the rules)."""

    ALWAYS = "always"
    SUCCESS = "success"
    ERROR = "error"
    NEVER = "never"


class SubMsg:
    """A message with a reply policy, an id and optionally a gas limit and a payload."""

    __slots__ = ("gas_limit", "id", "msg", "payload", "reply_on")

    def __init__(
        self,
        msg: CosmosMsg | dict[str, Any],
        id: int = 0,
        reply_on: ReplyOn = ReplyOn.NEVER,
        gas_limit: int | None = None,
        payload: bytes = b"",
    ) -> None:
        self.msg = msg
        self.id = id
        self.reply_on = reply_on
        self.gas_limit = gas_limit
        self.payload = payload

    @classmethod
    def new(cls, msg: CosmosMsg | dict[str, Any]) -> SubMsg:
        """Without reply."""
        return cls(msg)

    @classmethod
    def reply_always(cls, msg: CosmosMsg | dict[str, Any], id: int) -> SubMsg:
        """Reply on success and on error."""
        return cls(msg, id, ReplyOn.ALWAYS)

    @classmethod
    def reply_on_success(cls, msg: CosmosMsg | dict[str, Any], id: int) -> SubMsg:
        """Reply on success; an error goes up."""
        return cls(msg, id, ReplyOn.SUCCESS)

    @classmethod
    def reply_on_error(cls, msg: CosmosMsg | dict[str, Any], id: int) -> SubMsg:
        """Reply on error only."""
        return cls(msg, id, ReplyOn.ERROR)

    @classmethod
    def reply_never(cls, msg: CosmosMsg | dict[str, Any]) -> SubMsg:
        """No reply; an error goes up."""
        return cls(msg)

    def with_gas_limit(self, limit: int) -> SubMsg:
        """The same with a gas limit (SUB-8)."""
        return SubMsg(self.msg, self.id, self.reply_on, limit, self.payload)

    def with_payload(self, payload: bytes) -> SubMsg:
        """The same with bytes that the reply gets back (SUB-11)."""
        return SubMsg(self.msg, self.id, self.reply_on, self.gas_limit, payload)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SubMsg) and self._key() == other._key()

    def __hash__(self) -> int:
        raise TypeError("SubMsg has no hash")

    def _key(self) -> tuple[Any, ...]:
        return (self.msg, self.id, self.reply_on, self.gas_limit, self.payload)

    def __repr__(self) -> str:
        return f"SubMsg({self.msg!r}, id={self.id}, reply_on={str(self.reply_on)!r})"


class Response(_Attributed):
    """What a call did besides writing.

    Messages, attributes (of the ``wasm`` event), events, data. Methods add in place and chain.
    """

    __slots__ = ("data", "events", "messages")

    messages: list[SubMsg]
    events: list[Event]
    data: bytes | None

    def __init__(self) -> None:
        self.messages = []
        self.pairs = []
        self._named = False
        self.events = []
        self.data = None

    def add_event(self, event: Event) -> Response:
        """Add a custom event, emitted as ``wasm-<type>`` (EV-4)."""
        self.events.append(event)
        return self

    def add_events(self, events: Iterable[Event]) -> Response:
        """Add custom events, in order."""
        self.events.extend(events)
        return self

    def add_message(self, msg: CosmosMsg | dict[str, Any]) -> Response:
        """Dispatch a message without reply."""
        self.messages.append(SubMsg(msg))
        return self

    def add_messages(self, msgs: Iterable[CosmosMsg | dict[str, Any]]) -> Response:
        """Dispatch messages without reply, in order."""
        self.messages.extend(SubMsg(msg) for msg in msgs)
        return self

    def add_submessage(self, submessage: SubMsg) -> Response:
        """Dispatch a submessage."""
        self.messages.append(submessage)
        return self

    def add_submessages(self, submessages: Iterable[SubMsg]) -> Response:
        """Dispatch submessages, in order."""
        self.messages.extend(submessages)
        return self

    def set_data(self, data: bytes) -> Response:
        """Set the call's result (DATA-1)."""
        self.data = data
        return self

    def __repr__(self) -> str:
        return (
            f"Response(messages={self.messages!r}, attributes={self.attributes!r}, "
            f"events={self.events!r}, data={self.data!r})"
        )


class MsgResponse(Struct, frozen=True):
    """Protobuf result of one message: type URL and bytes (DATA-6)."""

    type_url: str
    value: bytes


class SubMsgResponse(Struct, frozen=True):
    """What a successful submessage left."""

    events: tuple[Event, ...] | list[Event] = ()
    data: bytes | None = None
    msg_responses: tuple[MsgResponse, ...] | list[MsgResponse] = ()


class SubMsgResult(Struct, frozen=True):
    """Exactly one of ``ok`` and ``error``; the other is None."""

    ok: SubMsgResponse | None = None
    error: str | None = None


class Reply(Struct, frozen=True):
    """The end of a submessage as its sender's ``reply`` sees it (SUB-12)."""

    id: int
    result: SubMsgResult
    payload: bytes = b""
    gas_used: int = 0


#: A contract's handler of one message, and of one question, as dispatch tables hold them.
ExecuteHandler = Callable[[DepsMut, Env, MessageInfo, Any], Response]
QueryHandler = Callable[[Deps, Env, Any], object]
