"""From a message's types to messages: every field becomes a small maker of plain JSON values.

A maker reads choices (``Choices``) and looks at what the run has seen (``Surroundings``). Names of
fields count where a type says little: ``recipient`` is an address, ``end_height`` lies near the
chain's height, ``msg`` of a token's ``send`` carries a message for the contract under attack.
"""

from __future__ import annotations

import enum
import re
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, NewType, TypeAlias, Union, get_args, get_origin

import msgspec

from chain.std import Addr, Binary, Coin, Expiration, Message, OneOf, Timestamp, encode
from chain.std.numbers import BoundedInt, base64_encode
from chain.testing.choices import Choices
from chain.testing.harvest import NANOS, Harvest

_NAME: Final = "[a-z0-9_]*"
_ADDRESS_WORDS: Final = re.compile(
    rf"({_NAME}_)?(address|addr|owner|recipient|receiver|sender|spender|to|from|admin|minter|arbiter|"
    r"beneficiary|buyer|seller|bidder|account|contract|creator|operator|delegate|member|payee|payer|"
    r"participant|requester|approver|user|token|whitelist|relays?|members|receivers|participants)"
)
_ID_WORDS: Final = re.compile(rf"({_NAME}_)?(id|ids|ref|key|name|slug|nonce|topic)")
_DURATION: Final = re.compile(
    rf"({_NAME}_)?(seconds|ttl|duration|timeout|period|interval|window|secs)"
)
_HEIGHT: Final = re.compile(rf"({_NAME}_)?(height|blocks?)")
_TIME: Final = re.compile(
    rf"({_NAME}_)?(time|deadline|expir{_NAME}|until|due|at|start|end|starts|ends|cliff|timestamp|after|before)"
)
#: Messages that make something begin so; their ids are mostly new ones.
CREATES: Final = re.compile(
    r"create|open|register|new|make|start|propose|submit|add|list|mint|place"
)
_SHORT_IDS: Final = ("a", "b", "c")
#: of 256, and the names of fields that want a contract
_CONTRACT_BELOW: Final = 216
_CONTRACT_WORDS: Final = re.compile(rf"({_NAME}_)?contract(_addr|_address)?")
_FIRST_DENOM_BELOW: Final = 160
_PARTNER_BELOW: Final = 192
_PAINFUL_ABOVE: Final = 248
_TEXTS: Final = ("x", "y", "")
_PAINFUL: Final = (
    "", " ", "\u0000", "a" * 300, "\U0001f600", "a/b", "../..", "\"'", "null", "0", "-1", "é", "İ",
    "{}", "msg1", "x\ny",
)  # fmt: skip
_JSON: Final[tuple[Any, ...]] = ({}, "x", 1, None, [], {"a": [1, {"b": "c"}]}, True)
_HOOKS: Final = frozenset({"msg", "hook"})
_CALLS: Final = frozenset({"call", "action"})
_BYTES: Final = (b"", b"x", b"{}", b"\x00", bytes(64), b"\xff" * 33)
_SMALL: Final = (1, 2, 3, 5, 4, 10, 7, 0, 6, 9)
_ROUND: Final = (100, 1_000, 11, 50, 99, 10_000, 10**6, 33)
_DURATIONS: Final = (10, 1, 60, 5, 3_600, 0, 86_400, 7)
_STEPS_SECONDS: Final = (10, 1, 0, 5, 60, 3_600, 86_400)


class Surroundings:
    """What makers may look at: addresses, the clock, what was seen, and who is calling."""

    __slots__ = (
        "addresses",
        "balance",
        "call",
        "contracts",
        "denoms",
        "draw",
        "harvest",
        "height",
        "hook",
        "partner",
        "sender",
        "time",
    )

    def __init__(self) -> None:
        self.addresses: Sequence[str] = ("msg1nobody",)
        #: contracts, the one under attack first
        self.contracts: Sequence[str] = ()
        self.denoms: Sequence[str] = ("amsg",)
        self.harvest = Harvest()
        self.height = 1
        self.time = 0
        self.sender = ""
        self.balance: Callable[[str, str], int] = _no_balance
        #: makes the message inside a ``msg`` field of bytes
        self.hook: Callable[[Choices, Surroundings], bytes] | None = None
        #: makes any message of the contract under attack, for a ``call`` field
        self.call: Callable[[Choices, Surroundings], bytes] | None = None
        #: whom addresses mostly are in this message, after what stood together before
        self.partner = ""
        #: draws from a strategy that was given for a field or type
        self.draw: Callable[[Any], Any] | None = None


def _no_balance(address: str, denom: str) -> int:
    return 0


Maker: TypeAlias = Callable[[Choices, Surroundings], Any]
Overrides: TypeAlias = Mapping[Any, Any]
_LEFT_OUT: Final = object()
#: of 256: optional fields are left out below, null above
_LEFT_OUT_BELOW: Final = 64
_NULL_ABOVE: Final = 248


class Deriver:
    """Makes makers. ``overrides``: by ``message.field``, field name or type, a strategy.

    >>> class Pay(Message):
    ...     recipient: Addr
    ...     amount: int
    >>> here = Surroundings()
    >>> here.addresses = ("msg1alice", "msg1bob")
    >>> Deriver().message(Pay)(Choices(bytes([1, 0, 1])), here)
    {'pay': {'recipient': 'msg1bob', 'amount': 2}}
    """

    def __init__(self, overrides: Overrides | None = None) -> None:
        self.overrides: Overrides = overrides or {}
        self._message = ""
        self._open: list[type] = []
        #: whether a maker that was made draws from a strategy
        self.draws = False

    def message(self, cls: type[Message]) -> Maker:
        """A maker of ``{"variant": {…}}`` (or the bare name of a unit variant)."""
        name = cls.variant
        if cls.unit_variant:
            return lambda choices, here: name
        self._message = name
        body = self.struct(cls)
        return lambda choices, here: {name: body(choices, here)}

    def plain(self, cls: type) -> Maker:
        """A maker of a message without variant name, as an instantiate message is."""
        self._message = "instantiate"
        return self.value(cls, "")

    def struct(self, cls: type) -> Maker:
        """A maker of an object with a struct's fields."""
        if cls in self._open:
            return lambda choices, here: {}  # a type that contains itself ends here
        self._open.append(cls)
        try:
            makers = [self._field(field) for field in msgspec.structs.fields(cls)]
        finally:
            self._open.pop()

        def make(choices: Choices, here: Surroundings) -> dict[str, Any]:
            made = {}
            for name, maker in makers:
                value = maker(choices, here)
                if value is not _LEFT_OUT:
                    made[name] = value
            return made

        return make

    def _field(self, field: Any) -> tuple[str, Maker]:
        if field.required or self._overridden(field.type, field.name):
            return field.encode_name, self.value(field.type, field.name)
        members = get_args(field.type)
        nullable = type(None) in members
        rest = [member for member in members if member is not type(None)]
        plain = nullable and len(rest) == 1 and _is_union(field.type)
        given = self.value(rest[0] if plain else field.type, field.name)

        def maker(choices: Choices, here: Surroundings) -> Any:
            kind = choices.byte()
            if kind < _LEFT_OUT_BELOW:
                return _LEFT_OUT
            return None if plain and kind > _NULL_ABOVE else given(choices, here)

        return field.encode_name, maker

    def _overridden(self, kind: Any, name: str) -> bool:
        return any(_known(key, self.overrides) for key in (f"{self._message}.{name}", name, kind))

    def value(self, kind: Any, name: str) -> Maker:
        """A maker for a type that stands in a field of this name."""
        for key in (f"{self._message}.{name}", name, kind):
            if _known(key, self.overrides):
                return self._drawn(self.overrides[key])
        if get_origin(kind) is Annotated:
            return self._annotated(kind, name)
        if isinstance(kind, NewType) and kind is not Addr:
            return self.value(kind.__supertype__, name)
        if _is_union(kind):
            return self._union(get_args(kind), name)
        if get_origin(kind) is Literal:
            options = get_args(kind)
            return lambda choices, here: choices.pick(options)
        container = self._container(kind, name)
        return container or self._leaf(kind, name)

    def _drawn(self, strategy: Any) -> Maker:
        self.draws = True

        def make(choices: Choices, here: Surroundings) -> Any:
            if here.draw is None:
                raise RuntimeError("an override needs a source of draws; use it in a state machine")
            return _plain(here.draw(strategy))

        return make

    def _annotated(self, kind: Any, name: str) -> Maker:
        base, *metas = get_args(kind)
        if base is not int:
            return self.value(base, name)
        low, high = -(2**63), 2**64 - 1
        for meta in metas:
            if isinstance(meta, msgspec.Meta):
                low = meta.ge if isinstance(meta.ge, int) else low
                high = meta.le if isinstance(meta.le, int) else high
        return _integer(name, low, high)

    def _union(self, members: tuple[Any, ...], name: str) -> Maker:
        makers = [self.value(member, name) for member in members if member is not type(None)]
        nullable = type(None) in members

        def make(choices: Choices, here: Surroundings) -> Any:
            if nullable and not choices.chance(176):
                return None
            return makers[choices.below(len(makers)) if len(makers) > 1 else 0](choices, here)

        return make

    def _container(self, kind: Any, name: str) -> Maker | None:
        origin, args = get_origin(kind) or kind, get_args(kind)
        if origin in (list, set, frozenset) or (origin is tuple and (not args or args[-1] is ...)):
            inner = self.value(args[0] if args else object, name.removesuffix("s") or name)

            def make(choices: Choices, here: Surroundings) -> Any:
                return [inner(choices, here) for _ in range(choices.pick((1, 0, 2, 1, 3, 1)))]

            return make
        if origin is tuple:
            parts = [self.value(arg, name) for arg in args]
            return lambda choices, here: [part(choices, here) for part in parts]
        if origin is dict:
            key = self.value(args[0] if args else str, "key")
            inner_value = self.value(args[1] if args else object, name)
            return lambda choices, here: {
                str(key(choices, here)): inner_value(choices, here) for _ in range(choices.below(3))
            }
        return None

    def _leaf(self, kind: Any, name: str) -> Maker:
        if kind is Addr:
            return contract_address if _CONTRACT_WORDS.fullmatch(name) else address
        if kind is bool:
            return lambda choices, here: choices.chance(128)
        if isinstance(kind, type):
            if issubclass(kind, enum.Enum):
                options = [member.value for member in kind]
                return lambda choices, here: choices.pick(options)
            if issubclass(kind, Timestamp):
                return lambda choices, here: str(_moment(choices, here))
            if issubclass(kind, BoundedInt):
                number = _integer(name, kind.MIN, kind.MAX)
                return (
                    (lambda choices, here: str(number(choices, here))) if kind.AS_TEXT else number
                )
            if issubclass(kind, int):
                return _integer(name, -(2**63), 2**64 - 1)
            if issubclass(kind, Coin):
                return coin_value
            if issubclass(kind, Expiration):
                return expiration
            if issubclass(kind, OneOf):
                return self._one_of(kind)
            if issubclass(kind, msgspec.Struct):
                return self.struct(kind)
            if issubclass(kind, bytes):
                if name in _CALLS:
                    return _call
                return _carried if name in _HOOKS else _binary
            if issubclass(kind, str):
                return _text(name, new=bool(CREATES.match(self._message)))
        return lambda choices, here: choices.pick(_JSON)

    def _one_of(self, cls: type) -> Maker:
        makers = []
        for field in msgspec.structs.fields(cls):
            inner = [arg for arg in get_args(field.type) if arg is not type(None)]
            makers.append((field.encode_name, self.value(inner[0], field.name)))

        def make(choices: Choices, here: Surroundings) -> Any:
            name, maker = choices.pick(makers)
            return {name: maker(choices, here)}

        return make


def _is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def _known(key: Any, overrides: Overrides) -> bool:
    try:
        return key in overrides
    except TypeError:  # a type that cannot be hashed
        return False


def _plain(value: Any) -> Any:
    """What a strategy gave, as JSON has it."""
    if isinstance(value, bytes):
        return base64_encode(value)
    if isinstance(value, BoundedInt):
        return str(value) if value.AS_TEXT else int(value)
    return msgspec.json.decode(encode(value)) if isinstance(value, msgspec.Struct) else value


# --- leaves -----------------------------------------------------------------------------------


def address(choices: Choices, here: Surroundings) -> str:
    """Somebody of the cast, a contract, the caller, a stranger, or what is no address."""
    kind = choices.byte()
    if here.partner and kind < _PARTNER_BELOW:
        return here.partner
    return here.addresses[kind % len(here.addresses)]


def contract_address(choices: Choices, here: Surroundings) -> str:
    """Mostly the contract under attack, or another one; now and then any address."""
    kind = choices.byte()
    if not here.contracts or kind >= _CONTRACT_BELOW:
        return address(choices, here)
    return here.contracts[0 if kind < _CONTRACT_BELOW // 2 else kind % len(here.contracts)]


def amount(choices: Choices, here: Surroundings) -> int:
    """Small numbers, amounts that were seen, their neighbours, the balance, extremes."""
    kind = choices.byte()
    if kind < 128:
        return _SMALL[kind % len(_SMALL)]
    if kind < 212:
        seen = here.harvest.amounts
        if seen:
            return max(0, seen[choices.below(len(seen))] + (0, 0, 1, -1)[kind & 3])
        return choices.below(200)
    if kind < 236:
        return choices.pick(_ROUND)
    if kind < 246:
        return max(0, here.balance(here.sender, here.denoms[0]) + (0, 1, -1)[kind % 3])
    return choices.pick((2**32, 2**53, 2**63, 2**64 - 1, 2**64, 2**127, 2**128 - 1))


def _duration(choices: Choices, here: Surroundings) -> int:
    return choices.pick(_DURATIONS)


def _near_height(choices: Choices, here: Surroundings) -> int:
    return here.height + choices.below(4)


def _near_second(choices: Choices, here: Surroundings) -> int:
    return _moment(choices, here) // NANOS


def _integer(name: str, low: int, high: int) -> Maker:
    if _DURATION.fullmatch(name):
        near = _duration
    elif _HEIGHT.fullmatch(name):
        near = _near_height
    elif _TIME.fullmatch(name):
        near = _near_second
    else:
        near = amount

    def make(choices: Choices, here: Surroundings) -> int:
        if choices.chance(8):
            return choices.pick((low, high, low + 1, high - 1))
        return min(max(near(choices, here), low), high)

    return make


def _moment(choices: Choices, here: Surroundings) -> int:
    """A time near the chain's, nanoseconds; now and then a deadline that was seen."""
    kind = choices.byte()
    if kind > 240:
        return choices.pick((0, 2**64 - 1, here.time - NANOS, here.time + 1))
    times = here.harvest.times
    if kind > 200 and times:
        return times[choices.below(len(times))]
    return here.time + _STEPS_SECONDS[kind % len(_STEPS_SECONDS)] * NANOS


def expiration(choices: Choices, here: Surroundings) -> dict[str, Any]:
    """A height or a time near the chain's, or never."""
    kind = choices.below(5)
    if kind == 0:
        return {"never": {}}
    if kind < 3:
        return {"at_height": here.height + choices.below(4)}
    return {"at_time": str(_moment(choices, here))}


def coin_value(choices: Choices, here: Surroundings) -> dict[str, str]:
    """One coin."""
    kind = choices.byte()
    denom = here.denoms[0 if kind < _FIRST_DENOM_BELOW else kind % len(here.denoms)]
    return {"denom": denom, "amount": str(amount(choices, here))}


def _text(name: str, *, new: bool = False) -> Maker:
    if name == "denom" or name.endswith("_denom"):
        return lambda choices, here: here.denoms[choices.below(len(here.denoms))]
    if _ID_WORDS.fullmatch(name):
        return lambda choices, here: _identifier(name, choices, here, new=new)
    if _ADDRESS_WORDS.fullmatch(name):
        return contract_address if _CONTRACT_WORDS.fullmatch(name) else address

    def make(choices: Choices, here: Surroundings) -> str:
        kind = choices.byte()
        if kind < 176:
            seen = here.harvest.texts(name)
            return seen[kind % len(seen)] if seen else _TEXTS[kind // 80]
        if kind < 232:
            return _TEXTS[kind % 2]
        return choices.pick(_PAINFUL)

    return make


def _identifier(name: str, choices: Choices, here: Surroundings, *, new: bool) -> str:
    """An id: mostly the one seen last; where something is made, mostly a new one."""
    kind = choices.byte()
    if kind >= _PAINFUL_ABOVE:
        return choices.pick(_PAINFUL)
    seen = here.harvest.texts(name)
    if not seen and kind >= 192:
        seen = here.harvest.texts("state")
    fresh = [short for short in _SHORT_IDS if short not in seen]
    if new and fresh and kind < 176:
        return fresh[kind % len(fresh)]
    if not seen or (kind >= 216 and fresh):
        return (fresh or list(_SHORT_IDS))[0]
    return seen[-1 - (0 if kind < 96 else kind % len(seen))]


def untyped_leaf(name: str) -> Maker:
    """A value for a field of which only the name is known."""
    if _ADDRESS_WORDS.fullmatch(name) or _ID_WORDS.fullmatch(name) or name.endswith("denom"):
        return _text(name)
    number = _integer(name, -(2**63), 2**128)
    text = _text(name)

    def make(choices: Choices, here: Surroundings) -> Any:
        kind = choices.byte()
        if kind < 160:
            return number(choices, here)
        return str(number(choices, here)) if kind < 208 else text(choices, here)

    return make


def _binary(choices: Choices, here: Surroundings) -> str:
    return base64_encode(choices.pick(_BYTES))


def _carried(choices: Choices, here: Surroundings) -> str:
    """Bytes that a contract hands on: mostly a message for the contract under attack."""
    if here.hook is None or choices.chance(16):
        return base64_encode(choices.pick(_BYTES))
    hook, here.hook = here.hook, None  # a message inside carries no further one
    try:
        return base64_encode(hook(choices, here))
    finally:
        here.hook = hook


def _call(choices: Choices, here: Surroundings) -> str:
    """Bytes that a contract sends as a call: a message of the contract under attack."""
    if here.call is None:
        return base64_encode(choices.pick(_BYTES))
    call, here.call = here.call, None
    try:
        return base64_encode(call(choices, here))
    finally:
        here.call = call


def width(cls: type, depth: int = 0) -> int:
    """How many bytes of choices a message of this type may want, roughly."""
    if depth > 3:
        return 4
    total = 0
    for field in msgspec.structs.fields(cls):
        total += 3
        for inner in (field.type, *get_args(field.type)):
            if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
                total += width(inner, depth + 1)
            elif (
                isinstance(inner, type)
                and issubclass(inner, Binary)
                and field.name in {*_HOOKS, *_CALLS}
            ):
                total += 16
    return total
