"""Numbers, bytes and times as CosmWasm types them.

Plain JSON numbers are annotated ints (``U8`` … ``I64``): a Python ``int`` with a range. ``Uint64
Uint128 Uint256 Int64 Int128`` and ``Timestamp`` are ``int`` subclasses that travel as decimal text;
``U128`` is one that travels as a number. A plain ``int`` may stand in every such field; what leaves
the range is refused when it is written.
"""

from __future__ import annotations

import binascii
from typing import Annotated, ClassVar, Final, NewType, Self

from msgspec import Meta

#: Checked address text; only ``addr_validate`` and the engine make one (ADDR-4).
Addr = NewType("Addr", str)

U8 = Annotated[int, Meta(ge=0, le=2**8 - 1, extra_json_schema={"format": "uint8"})]
U16 = Annotated[int, Meta(ge=0, le=2**16 - 1, extra_json_schema={"format": "uint16"})]
U32 = Annotated[int, Meta(ge=0, le=2**32 - 1, extra_json_schema={"format": "uint32"})]
U64 = Annotated[
    int, Meta(ge=0, extra_json_schema={"format": "uint64"})
]  # top: the decoder, 64 bits
I8 = Annotated[int, Meta(ge=-(2**7), le=2**7 - 1, extra_json_schema={"format": "int8"})]
I16 = Annotated[int, Meta(ge=-(2**15), le=2**15 - 1, extra_json_schema={"format": "int16"})]
I32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1, extra_json_schema={"format": "int32"})]
I64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, extra_json_schema={"format": "int64"})]

DECIMAL_DIGITS_MAX: Final = 78  # decimal digits of 2**256 - 1: bounds text before int()
TEXT_MAX: Final = 1_024  # characters of a number, leading zeros and all
FAST_DIGITS_MAX: Final = 18  # decimal digits that fit every one of the types
BASE64_PAD_MAX: Final = 2  # padding characters that one group can have

NANOS_PER_SECOND: Final = 1_000_000_000


class RangeError(ValueError):
    """A number or text that its type does not hold; decoders turn it into a ``ParseError``."""


class BoundedInt(int):
    """An ``int`` with a range and a name; base of all the number types that are classes."""

    __slots__ = ()
    MIN: ClassVar[int] = 0
    MAX: ClassVar[int] = 0
    #: Rust's name of the integer behind it, as the error texts have it.
    RUST: ClassVar[str] = ""
    #: Decimal text in JSON; a JSON number when false.
    AS_TEXT: ClassVar[bool] = True

    def __new__(cls, value: int | str = 0) -> Self:
        """Check the range. Raises: RangeError (a ``ValueError``)."""
        if isinstance(value, str):
            if len(value) > TEXT_MAX:  # nobody writes so many zeros
                raise RangeError(f"a number of {len(value)} characters")
            return cls.parse(value)
        if not cls.MIN <= value <= cls.MAX:
            raise RangeError(f"{value} is not a {cls.__name__}")
        return int.__new__(cls, value)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read decimal text as Rust's integer parser does.

        ``+1`` and ``007`` pass, blanks do not (JSON-7).
        """
        if len(text) <= FAST_DIGITS_MAX and text.isdigit() and text.isascii():
            return int.__new__(cls, int(text))
        digits = text[1:] if text[:1] == "+" or (cls.MIN < 0 and text[:1] == "-") else text
        if not (digits.isascii() and digits.isdigit()):
            why = (
                "invalid digit found in string"
                if text
                else "cannot parse integer from empty string"
            )
            raise RangeError(f"invalid $t '{text}' - Generic error: Parsing {cls.RUST}: {why}")
        digits = digits.lstrip("0")
        if len(digits) <= DECIMAL_DIGITS_MAX:
            value = int(digits or "0")
            if text[0] == "-":
                value = -value
            if cls.MIN <= value <= cls.MAX:
                return int.__new__(cls, value)
        size = "small" if text[0] == "-" else "large"
        raise RangeError(
            f"invalid $t '{text}' - Generic error: Parsing {cls.RUST}: "
            f"number too {size} to fit in target type"
        )


class Uint64(BoundedInt):
    """64 bits unsigned, decimal text in JSON."""

    __slots__ = ()
    MAX = 2**64 - 1
    RUST = "u64"


class Uint128(BoundedInt):
    """128 bits unsigned, decimal text in JSON."""

    __slots__ = ()
    MAX = 2**128 - 1
    RUST = "u128"


class Uint256(BoundedInt):
    """256 bits unsigned, decimal text in JSON."""

    __slots__ = ()
    MAX = 2**256 - 1
    RUST = "u256"


class Int64(BoundedInt):
    """64 bits signed, decimal text in JSON."""

    __slots__ = ()
    MIN = -(2**63)
    MAX = 2**63 - 1
    RUST = "i64"


class Int128(BoundedInt):
    """128 bits signed, decimal text in JSON."""

    __slots__ = ()
    MIN = -(2**127)
    MAX = 2**127 - 1
    RUST = "i128"


class U128(BoundedInt):
    """128 bits unsigned, a JSON number (JSON-7)."""

    __slots__ = ()
    MAX = 2**128 - 1
    RUST = "u128"
    AS_TEXT = False


class I128(BoundedInt):
    """128 bits signed, a JSON number."""

    __slots__ = ()
    MIN = -(2**127)
    MAX = 2**127 - 1
    RUST = "i128"
    AS_TEXT = False


class Timestamp(BoundedInt):
    """Nanoseconds since the epoch, 64 bits, decimal text in JSON (JSON-8).

    Arithmetic is checked (JSON-14).
    """

    __slots__ = ()
    MAX = 2**64 - 1
    RUST = "u64"

    @classmethod
    def from_nanos(cls, nanos: int) -> Timestamp:
        """The time ``nanos`` after the epoch."""
        return cls(nanos)

    @classmethod
    def from_seconds(cls, seconds: int) -> Timestamp:
        """The time ``seconds`` after the epoch."""
        return cls(seconds * NANOS_PER_SECOND)

    def nanos(self) -> int:
        """Whole nanoseconds since the epoch."""
        return int(self)

    def seconds(self) -> int:
        """Whole seconds since the epoch, rounded down."""
        return int(self) // NANOS_PER_SECOND

    def subsec_nanos(self) -> int:
        """Nanoseconds since the last whole second."""
        return int(self) % NANOS_PER_SECOND

    def plus_nanos(self, nanos: int) -> Timestamp:
        """The time ``nanos`` later."""
        return Timestamp(int(self) + nanos)

    def plus_seconds(self, seconds: int) -> Timestamp:
        """The time ``seconds`` later."""
        return Timestamp(int(self) + seconds * NANOS_PER_SECOND)

    def plus_minutes(self, minutes: int) -> Timestamp:
        """The time ``minutes`` later."""
        return self.plus_seconds(minutes * 60)

    def plus_hours(self, hours: int) -> Timestamp:
        """The time ``hours`` later."""
        return self.plus_seconds(hours * 3_600)

    def plus_days(self, days: int) -> Timestamp:
        """The time ``days`` later."""
        return self.plus_seconds(days * 86_400)

    def minus_nanos(self, nanos: int) -> Timestamp:
        """The time ``nanos`` earlier."""
        return Timestamp(int(self) - nanos)

    def minus_seconds(self, seconds: int) -> Timestamp:
        """The time ``seconds`` earlier."""
        return Timestamp(int(self) - seconds * NANOS_PER_SECOND)

    def minus_minutes(self, minutes: int) -> Timestamp:
        """The time ``minutes`` earlier."""
        return self.minus_seconds(minutes * 60)

    def minus_hours(self, hours: int) -> Timestamp:
        """The time ``hours`` earlier."""
        return self.minus_seconds(hours * 3_600)

    def minus_days(self, days: int) -> Timestamp:
        """The time ``days`` earlier."""
        return self.minus_seconds(days * 86_400)

    def text(self) -> str:
        """``seconds.nanoseconds``, as CosmWasm displays it."""
        return f"{self.seconds()}.{self.subsec_nanos():09d}"


class Binary(bytes):
    """Bytes that are base64 text in JSON (JSON-9)."""

    __slots__ = ()

    @classmethod
    def from_base64(cls, text: str) -> Binary:
        """Read standard base64.

        Padding may be missing, nothing else may differ. Raises: RangeError.
        """
        return cls(base64_decode(text))

    def to_base64(self) -> str:
        """The standard base64 text, padded."""
        return base64_encode(self)


def base64_encode(raw: bytes) -> str:
    """Standard base64 with padding, no line ends."""
    return binascii.b2a_base64(raw, newline=False).decode("ascii")


def base64_decode(text: str) -> bytes:
    """Standard base64, padded or not at all padded.

    Other characters, lengths or spare bits are refused.
    """
    try:
        raw = binascii.a2b_base64(text)
        if binascii.b2a_base64(raw, newline=False) == text.encode():
            return raw
    except ValueError:
        pass
    body = text.rstrip("=")
    pads = len(text) - len(body)
    if body.isascii() and (not pads or (len(text) % 4 == 0 and pads <= BASE64_PAD_MAX)):
        padded = body.encode("ascii") + b"=" * (-len(body) % 4)
        try:
            raw = binascii.a2b_base64(padded)
        except binascii.Error:
            raise RangeError(f"invalid base64: {text}") from None
        if binascii.b2a_base64(raw, newline=False) == padded:
            return raw
    raise RangeError(f"invalid base64: {text}")
