"""``Map``: values by key under a namespace (STOR-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar, overload

from chain.std.codec import codec_of
from chain.std.deps import Storage
from chain.storage_plus.bound import Bound, Order
from chain.storage_plus.item import encoder, not_found
from chain.storage_plus.keys import PART_MAX, KeyCodec, length_prefixed, parts_of
from chain.storage_plus.prefix import Prefix

T = TypeVar("T")


class Map(Generic[T]):
    """Stored values by key; one key part is given bare, several as a tuple."""

    __slots__ = (
        "_all",
        "_decode",
        "_encode",
        "_key",
        "_keys",
        "_namespace",
        "key_types",
        "namespace",
        "value_type",
    )

    @overload
    def __init__(
        self, namespace: str, key_types: Any, value_type: type[T], *, derived: bool = False
    ) -> None: ...
    @overload
    def __init__(
        self, namespace: str, key_types: Any, value_type: Any, *, derived: bool = False
    ) -> None: ...
    def __init__(
        self, namespace: str, key_types: Any, value_type: Any, *, derived: bool = False
    ) -> None:
        codec = codec_of(value_type)
        self.namespace = namespace
        self.key_types = key_types if isinstance(key_types, tuple) else (key_types,)
        self.value_type = value_type
        named = namespace[: PART_MAX + 1]  # of a longer one, enough to be refused
        self._namespace = length_prefixed(named.encode("utf-8"))
        self._keys = KeyCodec(self._namespace, parts_of(key_types))
        self._key: Callable[[Any], bytes] = self._keys.key
        self._encode: Callable[[T], bytes] = encoder(codec, derived)
        self._decode: Callable[[bytes], T] = codec.decode
        self._all: Prefix[Any, T] = self._view(self._namespace, self._keys)

    def _view(self, raw: bytes, keys: KeyCodec) -> Prefix[Any, T]:
        parse, decode = keys.parse, self._decode

        def read(entry: tuple[bytes, bytes]) -> tuple[Any, T]:
            return parse(entry[0]), decode(entry[1])

        return Prefix(raw, keys.key, lambda entry: parse(entry[0]), lambda storage: read)

    # --- one key ----------------------------------------------------------------------------

    def key(self, key: Any) -> bytes:
        """The whole key bytes."""
        return self._key(key)

    def save(self, storage: Storage, key: Any, value: T) -> None:
        """Write the value, whatever was there."""
        storage.set(self._key(key), self._encode(value))

    def load(self, storage: Storage, key: Any) -> T:
        """The value. Raises: NotFound, ParseError."""
        raw = self._key(key)
        value = storage.get(raw)
        if value is None:
            raise not_found(codec_of(self.value_type).type_name, raw)
        return self._decode(value)

    def may_load(self, storage: Storage, key: Any) -> T | None:
        """The value, or None. Raises: ParseError."""
        value = storage.get(self._key(key))
        return None if value is None else self._decode(value)

    def has(self, storage: Storage, key: Any) -> bool:
        """Whether anything is stored, readable or not (STOR-9)."""
        return storage.get(self._key(key)) is not None

    def remove(self, storage: Storage, key: Any) -> None:
        """Delete; nothing there is no error."""
        storage.remove(self._key(key))

    def update(self, storage: Storage, key: Any, action: Callable[[T | None], T]) -> T:
        """Replace the value (or None) by ``action`` of it and give it back.

        An error stores nothing.
        """
        raw = self._key(key)
        old = storage.get(raw)
        value = action(None if old is None else self._decode(old))
        storage.set(raw, self._encode(value))
        return value

    # --- many keys --------------------------------------------------------------------------

    def range(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[Any, T]]:
        """Entries between two bounds of whole keys."""
        return self._all.range(storage, min, max, order)

    def keys(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[Any]:
        """Keys between two bounds."""
        return self._all.keys(storage, min, max, order)

    def range_raw(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Entries as bytes, keys without the namespace."""
        return self._all.range_raw(storage, min, max, order)

    def keys_raw(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[bytes]:
        """Keys as bytes, without the namespace."""
        return self._all.keys_raw(storage, min, max, order)

    def prefix(self, key: Any) -> Prefix[Any, T]:
        """All entries below the given leading parts: all parts but the last (STOR-17)."""
        count = self._keys.count(key)
        if count != len(self._keys.parts) - 1:
            raise TypeError(f"prefix takes {len(self._keys.parts) - 1} parts, sub_prefix fewer")
        return self._below(key, count)

    def sub_prefix(self, key: Any) -> Prefix[Any, T]:
        """All entries below the given leading parts, fewer than ``prefix`` takes."""
        count = self._keys.count(key)
        if count >= len(self._keys.parts):
            raise TypeError("sub_prefix takes leading parts only")
        return self._below(key, count)

    def _below(self, key: Any, count: int) -> Prefix[Any, T]:
        raw = self._keys.leading(key)
        return self._view(raw, KeyCodec(raw, self._keys.parts[count:]))

    def prefix_range(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[Any, T]]:
        """Entries whose leading parts lie between two bounds of leading parts (STOR-18)."""
        start, end = self._keys.edges(min, max)
        return self._all.between(storage, start, end, order)

    def is_empty(self, storage: Storage) -> bool:
        """Whether there is no entry."""
        return self._all.is_empty(storage)

    def first(self, storage: Storage) -> tuple[Any, T] | None:
        """The entry with the lowest key, or None."""
        return self._all.first(storage)

    def last(self, storage: Storage) -> tuple[Any, T] | None:
        """The entry with the highest key, or None."""
        return self._all.last(storage)

    def clear(self, storage: Storage, limit: int | None = None) -> None:
        """Remove all entries of the map and no others, or the first ``limit``."""
        self._all.clear(storage, limit)
