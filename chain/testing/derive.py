"""From a message's types to messages: every field becomes a small maker of plain JSON values.

A maker reads choices (``Choices``) and looks at what the run has seen (``Surroundings``). Names of
fields count where a type says little: ``recipient`` is an address, ``end_height`` lies near the
chain's height, ``msg`` of a token's ``send`` carries a message for the contract under attack.
"""

from __future__ import annotations

import enum
import re
import types
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NewType, TypeAlias, Union, get_args, get_origin

import msgspec

from chain.std import Addr, Binary, Coin, Expiration, Message, OneOf, Timestamp, encode
from chain.std.numbers import BoundedInt, base64_encode
from chain.testing.choices import Choices
from chain.testing.harvest import ID_WORDS
from chain.testing.leaves import (
    CONTRACT_WORDS,
    Maker,
    Surroundings,
    address,
    binary,
    called,
    carried,
    coin_value,
    contract_address,
    expiration,
    integer_maker,
    moment,
    text_maker,
)

#: Messages that make something begin so; their ids are mostly new ones.
CREATES: Final = re.compile(
    r"create|open|register|new|make|start|propose|submit|add|list|mint|place"
)
_JSON: Final[tuple[Any, ...]] = ({}, "x", 1, None, [], {"a": [1, {"b": "c"}]}, True)
_HOOKS: Final = frozenset({"msg", "hook"})
CALLS: Final = frozenset({"call", "action"})

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
        return integer_maker(name, low, high)

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
            return contract_address if CONTRACT_WORDS.fullmatch(name) else address
        if kind is bool:
            return lambda choices, here: choices.chance(128)
        if isinstance(kind, type):
            if issubclass(kind, enum.Enum):
                options = [member.value for member in kind]
                return lambda choices, here: choices.pick(options)
            if issubclass(kind, Timestamp):
                return lambda choices, here: str(moment(choices, here))
            if issubclass(kind, BoundedInt):
                number = integer_maker(name, kind.MIN, kind.MAX)
                return (
                    (lambda choices, here: str(number(choices, here))) if kind.AS_TEXT else number
                )
            if issubclass(kind, int):
                return integer_maker(name, -(2**63), 2**64 - 1)
            if issubclass(kind, Coin):
                return coin_value
            if issubclass(kind, Expiration):
                return expiration
            if issubclass(kind, OneOf):
                return self._one_of(kind)
            if issubclass(kind, msgspec.Struct):
                return self.struct(kind)
            if issubclass(kind, bytes):
                if name in CALLS:
                    return called
                return carried if name in _HOOKS else binary
            if issubclass(kind, str):
                return text_maker(name, new=bool(CREATES.match(self._message)))
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


def names_something(cls: type) -> bool:
    """Whether a message has an id of what an earlier one began.

    >>> class Close(Message):
    ...     order_id: str
    >>> names_something(Close)
    True
    """
    fields = msgspec.structs.fields(cls)
    return any(field.required and ID_WORDS.fullmatch(field.name) for field in fields)


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
                and field.name in {*_HOOKS, *CALLS}
            ):
                total += 16
    return total
