"""Base classes of messages, answers and stored records, and the records everybody shares.

``Message``  one variant of an enum of messages, or a plain message; strict and frozen.
``OpenMessage``  the same, but unknown fields pass (JSON-4, ``token_v1``).
``Answer``   what a query returns; a JSON object, fields in declaration order.
``Record``   what storage holds; a MessagePack array, a JSON object where it is answered.
``OneOf``    an enum inside a message: an object with exactly one of the declared fields.
``Words``    an enum of status words: lower snake case out, any case in.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeVar, dataclass_transform

from msgspec import Struct, field, structs

from chain.std.numbers import Uint128

AnyStruct = TypeVar("AnyStruct", bound=Struct)

if TYPE_CHECKING:
    Amount = int  # a plain int may stand in every Uint128 field
else:
    Amount = Uint128

WORD_MAX: Final = 256  # characters of a status word, however it is spelled
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """``CreateTask`` becomes ``create_task``; a run of capitals is one word (``CreateDID``)."""
    return ascii_lower(_WORD_START.sub("_", name))


def ascii_lower(text: str) -> str:
    """Lower-case the 26 ASCII letters and nothing else.

    Unicode tables change between Python versions.
    """
    return text.encode("utf-8").lower().decode("utf-8")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A message: unknown fields, wrong types and missing fields are refused with an error that
    names the field.
    """

    #: Name in JSON; the class name in snake case unless the class sets it.
    variant: ClassVar[str] = "message"
    #: Other accepted spellings of fields: pairs of (spelling, field).
    field_aliases: ClassVar[tuple[tuple[str, str], ...]] = ()
    #: Written and read as the bare string of its name (``"never"``); such a class has no fields.
    unit_variant: ClassVar[bool] = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the variant."""
        super().__init_subclass__(**kwargs)
        if "variant" not in cls.__dict__:
            cls.variant = snake_case(cls.__name__)


class OpenMessage(Message, frozen=True, forbid_unknown_fields=False):
    """A message that ignores unknown fields, as plain serde types do."""


class Empty(Message, frozen=True):
    """An object without fields: ``{}``."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Answer(Struct, frozen=True):
    """What a query returns: a JSON object; reading one ignores unknown fields."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Record(Struct, frozen=True, array_like=True):
    """What storage holds.

    Fields by position in MessagePack, so new fields go at the end and have defaults.
    """


def replace(record: AnyStruct, **changes: Any) -> AnyStruct:
    """The same record or message with some fields changed; the original stays as it is."""
    return structs.replace(record, **changes)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class OneOf(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An externally tagged enum inside a message.

    Every field is ``T | None = None`` and exactly one is set.
    """

    def __post_init__(self) -> None:
        """Refuse none and several."""
        self.variant_of()

    def variant_of(self) -> str:
        """The name of the field that is set."""
        found = [name for name in self.__struct_fields__ if getattr(self, name) is not None]
        if len(found) != 1:
            raise ValueError(f"expected exactly one of {backticked(self.__struct_fields__)}")
        return found[0]


class Words(enum.StrEnum):
    """An enum of words.

    ``IN_PROGRESS = "in_progress"``; ``InProgress``, ``IN_PROGRESS`` are read too.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str) or len(value) > WORD_MAX or not value.isascii():
            return None
        wanted = ascii_lower(value).replace("_", "").replace("-", "")
        for member in cls:
            if member.value.replace("_", "") == wanted:
                return member
        return None

    def __str__(self) -> str:
        return str(self.value)


class Coin(Struct, frozen=True, order=True):
    """An amount of a denomination; ``amount`` is decimal text in JSON (JSON-10)."""

    denom: str
    amount: Amount

    def __str__(self) -> str:
        return f"{self.amount}{self.denom}"


def coin(amount: int, denom: str) -> Coin:
    """CosmWasm's argument order."""
    return Coin(denom, amount)


def coins(amount: int, denom: str) -> tuple[Coin, ...]:
    """A list of one coin."""
    return (Coin(denom, amount),)


def backticked(names: tuple[str, ...]) -> str:
    """serde's list of names: `` `a`, `b` ``."""
    return ", ".join(f"`{name}`" for name in names)
