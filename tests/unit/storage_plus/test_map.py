"""``Map``: keys, ranges, prefixes, bounds."""

import pytest

from chain.errors import ContractError
from chain.std import U8, U32, NotFound, Record
from chain.storage_plus import Bound, Item, Map, Order
from chain.store.types import Derived
from chain.testing.mocks import MemoryStorage

DESC = Order.DESCENDING


class Data(Record):
    name: str
    age: int


PEOPLE = Map("people", (str,), Data)
ALLOWANCE = Map("allow", (str, str), int)
TRIPLE = Map("triple", (str, U8, str), int)


@pytest.fixture
def storage():
    return MemoryStorage()


def saved(storage, map_, entries):
    for key, value in entries:
        map_.save(storage, key, value)
    return storage


class TestOneKey:
    def test_save_and_load(self, storage):
        john = Data("John", 32)
        assert PEOPLE.may_load(storage, "john") is None
        PEOPLE.save(storage, "john", john)
        assert PEOPLE.load(storage, "john") == john
        assert PEOPLE.may_load(storage, "jack") is None
        PEOPLE.remove(storage, "john")
        PEOPLE.remove(storage, "john")
        assert PEOPLE.may_load(storage, "john") is None

    def test_STOR_10_a_missing_key_is_named_in_hex(self, storage):
        with pytest.raises(NotFound) as caught:
            Map("m", (str,), int).load(storage, "ab")
        assert str(caught.value) == "type: int; key: [00, 01, 6D, 61, 62] not found"

    def test_C157_STOR_9_has_is_true_for_any_bytes(self, storage):
        PEOPLE.save(storage, "john", Data("John", 32))
        storage.set(PEOPLE.key("raw"), b"\xff\xffnot a record")
        assert PEOPLE.has(storage, "john")
        assert PEOPLE.has(storage, "raw")
        assert not PEOPLE.has(storage, "never")
        PEOPLE.remove(storage, "john")
        assert not PEOPLE.has(storage, "john")

    def test_STOR_11_update_gets_the_old_value_or_none(self, storage):
        seen = []

        def add(old):
            seen.append(old)
            return (old or 0) + 5

        assert ALLOWANCE.update(storage, ("a", "b"), add) == 5
        assert ALLOWANCE.update(storage, ("a", "b"), add) == 10
        assert seen == [None, 5]

        def refuse(old):
            raise ContractError("no")

        with pytest.raises(ContractError):
            ALLOWANCE.update(storage, ("a", "b"), refuse)
        assert ALLOWANCE.load(storage, ("a", "b")) == 10

    def test_STOR_12_items_and_maps_of_one_name_are_apart_and_two_maps_are_one(self, storage):
        Item("people", int).save(storage, 1)
        assert PEOPLE.is_empty(storage)
        Map("m", (str,), int).save(storage, "a", 1)
        assert Map("m", (str,), int).load(storage, "a") == 1

    def test_a_derived_map_marks_its_bytes(self, storage):
        counts = Map("counts", (str,), int, derived=True)
        counts.save(storage, "a", 1)
        counts.update(storage, "a", lambda n: n + 1)
        assert type(storage.get(counts.key("a"))) is Derived
        assert counts.load(storage, "a") == 2


class TestRange:
    def test_C158_text_keys(self, storage):
        jim, john, ada = Data("Jim", 44), Data("John", 32), Data("Ada", 23)
        saved(storage, PEOPLE, [("john", john), ("jim", jim), ("ada", ada)])
        assert list(PEOPLE.range(storage)) == [("ada", ada), ("jim", jim), ("john", john)]
        assert list(PEOPLE.keys(storage, Bound.inclusive("j"))) == ["jim", "john"]
        assert list(PEOPLE.keys(storage, Bound.inclusive("jo"))) == ["john"]
        assert list(PEOPLE.keys(storage, order=DESC)) == ["john", "jim", "ada"]

    def test_C159_number_keys(self, storage):
        numbers = Map("n", (U32,), str)
        saved(storage, numbers, [(1234, "a"), (56, "b")])
        assert list(numbers.range(storage)) == [(56, "b"), (1234, "a")]
        assert list(numbers.keys(storage, Bound.inclusive(57))) == [1234]

    def test_C161_STOR_17_composite_keys(self, storage):
        entries = [
            (("owner", "spender"), 1000),
            (("owner", "spender2"), 3000),
            (("owner2", "spender"), 5000),
        ]
        saved(storage, ALLOWANCE, reversed(entries))
        assert list(ALLOWANCE.range(storage)) == entries
        prefix = ALLOWANCE.prefix("owner")
        assert list(prefix.range(storage)) == [("spender", 1000), ("spender2", 3000)]
        after = prefix.range(storage, Bound.exclusive("spender"))
        assert list(after) == [("spender2", 3000)]
        assert list(ALLOWANCE.prefix("own").range(storage)) == []

    def test_STOR_17_prefix_fixes_all_but_the_last_and_sub_prefix_fewer(self, storage):
        saved(
            storage,
            TRIPLE,
            [(("owner", 9, "r1"), 1), (("owner", 9, "r2"), 2), (("owner", 10, "r1"), 3)],
        )
        assert list(TRIPLE.prefix(("owner", 9)).range(storage)) == [("r1", 1), ("r2", 2)]
        assert list(TRIPLE.sub_prefix("owner").range(storage)) == [
            ((9, "r1"), 1),
            ((9, "r2"), 2),
            ((10, "r1"), 3),
        ]
        for wrong in ("owner", ("owner", 9, "r1")):
            with pytest.raises(TypeError):
                TRIPLE.prefix(wrong)
        with pytest.raises(TypeError):
            TRIPLE.sub_prefix(("owner", 9, "r1"))
        with pytest.raises(TypeError):
            PEOPLE.prefix("john")

    def test_C162_STOR_18_prefix_range(self, storage):
        ages = Map("ages", (U32, str), int)
        saved(
            storage,
            ages,
            [
                ((2, "maria"), 123),
                ((3, "foo"), 456),
                ((5, "maria"), 789),
                ((5, "william"), 987),
                ((7, "peter"), 2002),
                ((8, "ann"), 1234),
            ],
        )

        def values(low, high, order=Order.ASCENDING):
            return [v for _, v in ages.prefix_range(storage, low, high, order)]

        i, e = Bound.inclusive, Bound.exclusive
        assert values(i(3), i(7)) == [456, 789, 987, 2002]
        assert values(e(3), e(7)) == [789, 987]
        assert values(i(3), i(5), DESC) == [987, 789, 456]
        assert values(e(2), e(5), DESC) == [456]
        assert values(None, None) == [123, 456, 789, 987, 2002, 1234]
        assert values(i(6), i(5)) == []

    def test_C163_STOR_19_a_broken_key_is_one_item_of_the_iterator(self, storage):
        saved(storage, PEOPLE, [(n, Data(n, 1)) for n in ("a", "b", "c")])
        storage.set(PEOPLE.key("") + bytes.fromhex("dd696d"), storage.get(PEOPLE.key("a")))
        for iterator in (PEOPLE.range(storage), PEOPLE.keys(storage)):
            for _ in range(3):
                next(iterator)
            with pytest.raises(ContractError, match="Cannot decode UTF8"):
                next(iterator)
            with pytest.raises(StopIteration):
                next(iterator)
        raw = list(PEOPLE.range_raw(storage))
        assert len(raw) == 4
        assert raw[-1][0] == bytes.fromhex("dd696d")
        assert list(PEOPLE.keys_raw(storage))[-1] == bytes.fromhex("dd696d")

    def test_STOR_19_iteration_goes_on_behind_a_broken_value(self, storage):
        numbers = Map("n", (str,), int)
        saved(storage, numbers, [("a", 1), ("c", 3)])
        storage.set(numbers.key("b"), b"\xff\xff")
        iterator = numbers.range(storage)
        assert next(iterator) == ("a", 1)
        with pytest.raises(ContractError):
            next(iterator)
        assert next(iterator) == ("c", 3)

    def test_a_key_shorter_than_its_parts_is_an_error(self, storage):
        storage.set(b"\x00\x05allow\x00\x09ab", b"\x01")
        with pytest.raises(ContractError, match="shorter"):
            list(ALLOWANCE.range(storage))


BOUNDS = [
    (Bound.inclusive("ra"), None, "ascending", ["ra", "zi"]),
    (Bound.exclusive("ra"), None, "ascending", ["zi"]),
    (Bound.exclusive("r"), None, "ascending", ["ra", "zi"]),
    (None, Bound.inclusive("ra"), "descending", ["ra", "bar"]),
    (None, Bound.exclusive("ra"), "descending", ["bar"]),
    (None, Bound.exclusive("rb"), "descending", ["ra", "bar"]),
    (Bound.inclusive("ra"), Bound.exclusive("zi"), "ascending", ["ra"]),
    (Bound.exclusive("ra"), Bound.exclusive("zi"), "ascending", []),
    (Bound.inclusive("zi"), Bound.inclusive("bar"), "ascending", []),
    (Bound.inclusive("zi"), Bound.inclusive("bar"), "descending", []),
    (None, None, "descending", ["zi", "ra", "bar"]),
    (Bound.inclusive_raw(b"ra"), Bound.exclusive_raw(b"zj"), "ascending", ["ra", "zi"]),
]


@pytest.mark.parametrize(("low", "high", "order", "keys"), BOUNDS)
def test_C165_STOR_14_STOR_15_STOR_16_bounds(storage, low, high, order, keys):
    foo = Map("foo", (str,), int)
    for position, key in enumerate(("bar", "ra", "zi")):
        foo.save(storage, key, position)
    for raw in (b"\x00\x03foply", b"\x00\x03font", b"\x00\x03fop", b"foply"):
        storage.set(raw, b"\x01")
    assert list(foo.keys(storage, low, high, order)) == keys
    assert [k for k, _ in foo.range(storage, low, high, order)] == keys


def test_a_bound_must_be_a_bound(storage):
    with pytest.raises(TypeError, match="Bound"):
        PEOPLE.range(storage, "john")


def test_iteration_is_lazy(storage):
    numbers = Map("n", (U32,), int)
    saved(storage, numbers, [(n, n) for n in range(100)])
    reads = []

    class Counting:
        def range(self, start=None, end=None, order="ascending"):
            for entry in storage.range(start, end, order):
                reads.append(entry)
                yield entry

    iterator = numbers.range(Counting())
    assert next(iterator) == (0, 0)
    assert len(reads) == 1


def test_STOR_21_writing_while_iterating_is_refused(storage):
    numbers = Map("n", (U32,), int)
    saved(storage, numbers, [(n, n) for n in range(3)])
    iterator = numbers.range(storage)
    next(iterator)
    numbers.save(storage, 99, 1)
    with pytest.raises(RuntimeError, match="while a range over it was read"):
        next(iterator)


class TestWhole:
    def test_STOR_20_clear_removes_the_map_and_nothing_else(self, storage):
        numbers, other = Map("n", (U32,), int), Map("o", (U32,), int)
        saved(storage, numbers, [(n, n) for n in range(55)])
        other.save(storage, 1, 1)
        Item("n", int).save(storage, 7)
        numbers.clear(storage)
        assert numbers.is_empty(storage)
        assert storage.entries() == {b"n": b"\x07", other.key(1): b"\x01"}
        numbers.clear(storage)

    def test_C166_clear_with_a_limit(self, storage):
        numbers = Map("n", (U32, U32), int)
        saved(storage, numbers, [((1, n), n) for n in range(100)])
        prefix = numbers.prefix(1)
        for limit, left in ((0, 100), (1, 99), (12, 87), (20, 67), (1000, 0)):
            prefix.clear(storage, limit)
            assert len(list(prefix.keys(storage))) == left

    def test_STOR_20_is_empty_first_last(self, storage):
        numbers = Map("n", (U32,), int)
        assert numbers.is_empty(storage)
        assert numbers.first(storage) is None
        assert numbers.last(storage) is None
        saved(storage, numbers, [(5, 50), (3, 30), (9, 90)])
        assert not numbers.is_empty(storage)
        assert numbers.first(storage) == (3, 30)
        assert numbers.last(storage) == (9, 90)
        assert ALLOWANCE.prefix("a").first(storage) is None
        assert ALLOWANCE.prefix("a").is_empty(storage)
