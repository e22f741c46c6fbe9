"""Bounds of a range: included, excluded, or absent (STOR-14 to STOR-16)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

OrderText = Literal["ascending", "descending"]


class Order:
    """Direction of a range: the two words that storages take."""

    ASCENDING: Final = "ascending"
    DESCENDING: Final = "descending"


class Bound:
    """A key where a range starts or ends."""

    __slots__ = ("is_inclusive", "is_raw", "key")

    def __init__(self, key: Any, is_inclusive: bool, is_raw: bool = False) -> None:
        self.key = key
        self.is_inclusive = is_inclusive
        self.is_raw = is_raw

    @classmethod
    def inclusive(cls, key: Any) -> Bound:
        """The range contains the key."""
        return cls(key, True)

    @classmethod
    def exclusive(cls, key: Any) -> Bound:
        """The range ends right before, or starts right after the key."""
        return cls(key, False)

    @classmethod
    def inclusive_raw(cls, key: bytes) -> Bound:
        """As ``inclusive``, with the bytes behind the prefix."""
        return cls(key, True, True)

    @classmethod
    def exclusive_raw(cls, key: bytes) -> Bound:
        """As ``exclusive``, with the bytes behind the prefix."""
        return cls(key, False, True)

    def __repr__(self) -> str:
        return f"Bound.{'inclusive' if self.is_inclusive else 'exclusive'}({self.key!r})"


def start_of(bound: Bound | None, prefix: bytes, full: Callable[[Any], bytes]) -> bytes:
    """First key of a range under ``prefix``; ``full`` gives a key's whole bytes."""
    if bound is None:
        return prefix
    raw = prefix + bound.key if _checked(bound).is_raw else full(bound.key)
    return raw if bound.is_inclusive else raw + b"\x00"


def end_of(
    bound: Bound | None, prefix_end: bytes | None, prefix: bytes, full: Callable[[Any], bytes]
) -> bytes | None:
    """Key behind the last of a range under ``prefix``."""
    if bound is None:
        return prefix_end
    raw = prefix + bound.key if _checked(bound).is_raw else full(bound.key)
    return raw + b"\x00" if bound.is_inclusive else raw


def _checked(bound: Bound) -> Bound:
    if not isinstance(bound, Bound):
        raise TypeError("a bound is Bound.inclusive(key), Bound.exclusive(key) or None")
    return bound
