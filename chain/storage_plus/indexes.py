"""``MultiIndex`` and ``UniqueIndex``: other ways into an ``IndexedMap`` (section 12 of the rules).

An index is made first and given to its map, which binds it:

    BY_OWNER = MultiIndex(lambda pk, task: task.owner, "tasks__owner", (Addr,))
    TASKS = IndexedMap("tasks", (str,), Task, (BY_OWNER,))
    BY_OWNER.prefix(owner).range(deps.storage)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Generic, TypeVar

from chain.errors import ContractError
from chain.std.decode import convert
from chain.std.deps import Storage
from chain.std.encode import encode
from chain.std.numbers import Binary
from chain.std.records import Message
from chain.std.scan import parse
from chain.std.shapes import plain
from chain.storage_plus.bound import Bound, Order
from chain.storage_plus.keys import KeyCodec, Part, length_prefixed, parts_of
from chain.storage_plus.prefix import Prefix
from chain.store.types import Derived

T = TypeVar("T")


class Primary(Generic[T]):
    """What an index needs to know of its map."""

    __slots__ = ("decode", "keys", "value_type")

    def __init__(self, keys: KeyCodec, decode: Callable[[bytes], T], value_type: Any) -> None:
        self.keys = keys
        self.decode = decode
        self.value_type = value_type


class _Index(Generic[T]):
    """Common part: the index function, the namespace, the parts of the index value."""

    __slots__ = ("_all", "_function", "_keys", "_primary", "namespace")

    def __init__(self, function: Callable[[bytes, T], Any], namespace: str, key_types: Any) -> None:
        self.namespace = namespace
        self._function = function
        raw = length_prefixed(namespace.encode("utf-8"))
        self._keys = KeyCodec(raw, parts_of(key_types))
        self._primary: Primary[T] | None = None
        self._all: Prefix[Any, T] | None = None

    def bind(self, primary: Primary[T]) -> None:
        """Attach the index to its map; once. Raises: TypeError."""
        if self._primary is not None:
            raise TypeError(f"index {self.namespace} belongs to a map already")
        self._primary = primary

    def primary(self) -> Primary[T]:
        """The map it is bound to. Raises: TypeError before that."""
        if self._primary is None:
            raise TypeError(f"index {self.namespace} belongs to no map")
        return self._primary

    def _whole(self) -> Prefix[Any, T]:
        if self._all is None:
            raise TypeError(f"index {self.namespace} belongs to no map")
        return self._all

    def index_of(self, primary_key: bytes, value: T) -> Any:
        """The index value of a record."""
        return self._function(primary_key, value)

    def entry_key(self, primary_key: bytes, index: Any) -> bytes:
        """Key bytes of the entry of a record with this index value."""
        raise NotImplementedError

    def entry_value(self, primary_key: bytes, value: T) -> bytes:
        """Value bytes of the entry of a record."""
        raise NotImplementedError

    def range(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[Any, T]]:
        """Records in index order: (primary key, value); bounds as the index's keys."""
        return self._whole().range(storage, min, max, order)

    def keys(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[Any]:
        """Primary keys (``MultiIndex``) or index values (``UniqueIndex``) in index order."""
        return self._whole().keys(storage, min, max, order)

    def range_raw(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Index entries as they stand, keys without the namespace."""
        return self._whole().range_raw(storage, min, max, order)

    def is_empty(self, storage: Storage) -> bool:
        """Whether there is no entry."""
        return self._whole().is_empty(storage)


class MultiIndex(_Index[T]):
    """Many records may share an index value. Entries are derived: outside the Merkle tree."""

    __slots__ = ("_single",)
    is_unique: ClassVar[bool] = False

    def __init__(self, function: Callable[[bytes, T], Any], namespace: str, key_types: Any) -> None:
        super().__init__(function, namespace, key_types)
        parts = self._keys.parts
        self._single: Callable[[Any], bytes] | None = parts[0].dump if len(parts) == 1 else None

    def bind(self, primary: Primary[T]) -> None:
        """Attach the index to its map; whole keys are then (index value, primary key)."""
        super().bind(primary)
        self._all = self._view(self._keys.prefix, self._keys.parts)

    def entry_key(self, primary_key: bytes, index: Any) -> bytes:
        """Namespace, every index part behind its length, the primary key raw (IDX-5)."""
        if self._single is not None:
            return self._keys.prefix + length_prefixed(self._single(index)) + primary_key
        return self._keys.leading(index) + primary_key

    def entry_value(self, primary_key: bytes, value: T) -> bytes:
        """The JSON number of the primary key's length, marked as derived."""
        return Derived(b"%d" % len(primary_key))

    def prefix(self, index: Any) -> Prefix[Any, T]:
        """All records with exactly this index value (IDX-7, IDX-8)."""
        if self._keys.count(index) != len(self._keys.parts):
            raise TypeError(f"prefix takes {len(self._keys.parts)} parts, sub_prefix fewer")
        return self._view(self._keys.leading(index), ())

    def sub_prefix(self, index: Any) -> Prefix[Any, T]:
        """All records whose index value starts with these parts (IDX-8)."""
        count = self._keys.count(index)
        if count >= len(self._keys.parts):
            raise TypeError("sub_prefix takes leading parts only")
        return self._view(self._keys.leading(index), self._keys.parts[count:])

    def prefix_range(
        self,
        storage: Storage,
        min: Bound | None = None,
        max: Bound | None = None,
        order: str = Order.ASCENDING,
    ) -> Iterator[tuple[Any, T]]:
        """Records whose index value (or its leading parts) lies between two bounds."""
        start, end = self._keys.edges(min, max)
        return self._whole().between(storage, start, end, order)

    def _view(self, raw: bytes, parts: tuple[Part, ...]) -> Prefix[Any, T]:
        primary = self.primary()
        keys, decode = primary.keys, primary.decode
        namespace, parse_primary = keys.prefix, keys.parse
        heads = tuple(part.dump for part in parts)

        def full(bound: Any) -> bytes:
            if not heads:
                return raw + keys.joined(bound)
            *index, primary_key = bound
            values = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
            if len(values) != len(heads):
                raise TypeError("a bound here is (index value, primary key)")
            made = raw
            for dump, item in zip(heads, values, strict=True):
                made += length_prefixed(dump(item))
            return made + keys.joined(primary_key)

        def key_of(entry: tuple[bytes, bytes]) -> bytes:
            key, value = entry
            return namespace + key[len(key) - int(value) :]

        def reader(storage: Storage) -> Callable[[tuple[bytes, bytes]], tuple[Any, T]]:
            get = storage.get

            def read(entry: tuple[bytes, bytes]) -> tuple[Any, T]:
                key = key_of(entry)
                value = get(key)
                if value is None:
                    raise ContractError("pk not found")
                return parse_primary(key), decode(value)

            return read

        return Prefix(raw, full, lambda entry: parse_primary(key_of(entry)), reader)


class UniqueRef(Message):
    """Value of a unique entry: the primary key and a copy of the record (IDX-11)."""

    pk: Binary
    value: Any


class UniqueIndex(_Index[T]):
    """At most one record has an index value. Entries are part of the authenticated state."""

    __slots__ = ()
    is_unique: ClassVar[bool] = True

    def bind(self, primary: Primary[T]) -> None:
        """Attach the index to its map."""
        super().bind(primary)
        keys = primary.keys
        value_type = primary.value_type

        def read(entry: tuple[bytes, bytes]) -> tuple[Any, T]:
            found = convert(parse(entry[1]), UniqueRef)
            return keys.parse(keys.prefix + found.pk), convert(found.value, value_type)

        parse_index = self._keys.parse
        self._all = Prefix(
            self._keys.prefix, self._keys.key, lambda entry: parse_index(entry[0]), lambda _: read
        )

    def entry_key(self, primary_key: bytes, index: Any) -> bytes:
        """Namespace and index value as a map's key."""
        return self._keys.key(index)

    def entry_value(self, primary_key: bytes, value: T) -> bytes:
        """JSON of the primary key in base64 and the record."""
        return encode(UniqueRef(Binary(primary_key), plain(value)))

    def item(self, storage: Storage, index: Any) -> tuple[Any, T] | None:
        """Primary key and record with this index value, or None."""
        key = self._keys.key(index)
        raw = storage.get(key)
        if raw is None:
            return None
        return self._whole().read(storage)((key, raw))

    def prefix(self, index: Any) -> Prefix[Any, T]:
        """Records whose composite index value has these leading parts."""
        count = self._keys.count(index)
        if count >= len(self._keys.parts):
            raise TypeError("prefix takes leading parts only")
        raw = self._keys.leading(index)
        below = KeyCodec(raw, self._keys.parts[count:])
        parse_index = below.parse
        return Prefix(raw, below.key, lambda entry: parse_index(entry[0]), self._whole().read)

    sub_prefix = prefix
