"""``Item``: one value under one name (STOR-2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, overload

from chain.std.codec import Codec, codec_of, is_fixed
from chain.std.deps import Storage
from chain.std.errors import NotFound
from chain.std.shapes import is_struct
from chain.storage_plus.keys import PART_MAX
from chain.store.types import MISSING, Derived

T = TypeVar("T")


def not_found(type_name: str, key: bytes) -> NotFound:
    """The refusal of a missing key, in storage-plus's words (STOR-10)."""
    return NotFound(f"type: {type_name}; key: [{', '.join(f'{byte:02X}' for byte in key)}]")


REMEMBERED_BYTES: Final = 4_096  # of a record
_TRUE: Final = Derived(b"\xc3")


def encoder(codec: Codec[Any], derived: bool) -> Callable[[Any], bytes]:
    """How values are written; derived ones are marked to stay outside the Merkle tree."""
    if not derived:
        return codec.encode
    marked = codec.marked(Derived)
    if codec.type_ is bool:
        return lambda value: _TRUE if value is True else marked(value)
    return marked


class Item(Generic[T]):
    """One stored value.

    ``load`` raises if absent, ``may_load`` gives None, ``update`` needs a value. A record that
    nobody can change is remembered with its bytes: most calls read the same configuration.
    """

    __slots__ = ("_decode", "_encode", "_key", "_known", "_remembers", "name", "value_type")

    @overload
    def __init__(self, name: str, value_type: type[T], *, derived: bool = False) -> None: ...
    @overload
    def __init__(self, name: str, value_type: Any, *, derived: bool = False) -> None: ...
    def __init__(self, name: str, value_type: Any, *, derived: bool = False) -> None:
        codec = codec_of(value_type)
        self.name = name
        self.value_type = value_type
        if len(name) > PART_MAX:
            raise ValueError(f"a name of more than {PART_MAX} characters")
        self._key = name.encode("utf-8")
        self._encode: Callable[[T], bytes] = encoder(codec, derived)
        self._decode: Callable[[bytes], T] = codec.decode
        self._remembers = is_struct(value_type) and is_fixed(value_type)
        self._known: tuple[object, Any] = (MISSING, None)  # bytes and the record in them

    @property
    def key(self) -> bytes:
        """The key bytes: the name, nothing added."""
        return self._key

    def save(self, storage: Storage, value: T) -> None:
        """Write the value, whatever was there."""
        storage.set(self._key, self._encode(value))

    def load(self, storage: Storage) -> T:
        """The value. Raises: NotFound, ParseError."""
        raw = storage.get(self._key)
        known, value = self._known
        if raw == known:
            return value  # type: ignore[no-any-return]
        if raw is None:
            raise not_found(codec_of(self.value_type).type_name, self._key)
        value = self._decode(raw)
        if self._remembers and len(raw) <= REMEMBERED_BYTES:
            self._known = (raw, value)
        return value

    def may_load(self, storage: Storage) -> T | None:
        """The value, or None. Raises: ParseError."""
        raw = storage.get(self._key)
        return None if raw is None else self._decode(raw)

    def has(self, storage: Storage) -> bool:
        """Whether anything is stored, readable or not (STOR-9)."""
        return storage.get(self._key) is not None

    exists = has

    def remove(self, storage: Storage) -> None:
        """Delete; nothing there is no error."""
        storage.remove(self._key)

    def update(self, storage: Storage, action: Callable[[T], T]) -> T:
        """Replace the value by ``action`` of it and give it back.

        An error stores nothing (STOR-11).
        """
        value = action(self.load(storage))
        storage.set(self._key, self._encode(value))
        return value
