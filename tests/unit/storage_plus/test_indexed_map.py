"""``IndexedMap`` with its two kinds of index: entries, lookups, order, refusals."""

import json

import pytest

from chain.errors import ContractError
from chain.std import U32, U64, Record, Uint128
from chain.storage_plus import Bound, IndexedMap, Map, MultiIndex, Order, UniqueIndex
from chain.store.types import Derived
from chain.testing.mocks import MemoryStorage


class Data(Record):
    name: str
    age: int
    last_name: str | None = None


NAME = MultiIndex(lambda pk, d: d.name, "data__name", (str,))
AGE = UniqueIndex(lambda pk, d: d.age, "data__age", (U32,))
NAME_AGE = MultiIndex(lambda pk, d: (d.name, d.age), "data__name_age", (str, U32))
DATA = IndexedMap("data", (str,), Data, (NAME, AGE, NAME_AGE))

PEOPLE = [
    ("1", Data("Maria", 42)),
    ("2", Data("Maria", 23)),
    ("3", Data("John", 32)),
    ("4", Data("Maria Luisa", 12)),
    ("5", Data("Marta", 90)),
]


@pytest.fixture
def storage():
    return MemoryStorage()


@pytest.fixture
def people(storage):
    for key, value in PEOPLE:
        DATA.save(storage, key, value)
    return storage


def count(storage, name):
    return len(list(NAME.prefix(name).keys(storage)))


class TestEntries:
    def test_IDX_1_primary_data_live_under_the_primary_namespace(self, people):
        assert Map("data", (str,), Data).load(people, "1") == Data("Maria", 42)

    def test_IDX_5_a_multi_entry(self, storage):
        DATA.save(storage, "pk1", Data("Maria", 42))
        entries = storage.entries()
        key = b"\x00\x0adata__name\x00\x05Mariapk1"
        assert entries[key] == b"3"
        assert type(entries[key]) is Derived
        composite = b"\x00\x0edata__name_age\x00\x05Maria\x00\x04\x00\x00\x00\x2apk1"
        assert entries[composite] == b"3"

    def test_IDX_11_a_unique_entry(self, storage):
        DATA.save(storage, "pk1", Data("Maria", 42))
        value = storage.get(b"\x00\x09data__age\x00\x00\x00\x2a")
        assert value == b'{"pk":"cGsx","value":{"name":"Maria","age":42,"last_name":null}}'
        assert type(value) is bytes

    def test_IDX_5_composite_primary_keys_keep_their_lengths(self, storage):
        by_kind = MultiIndex(lambda pk, v: v % 2, "t__kind", (U64,))
        pairs = IndexedMap("t", (str, U32), int, (by_kind,))
        pairs.save(storage, ("ab", 7), 5)
        key = b"\x00\x07t__kind\x00\x08" + bytes(7) + b"\x01\x00\x02ab\x00\x00\x00\x07"
        assert storage.get(key) == b"8"
        assert list(by_kind.prefix(1).range(storage)) == [(("ab", 7), 5)]
        assert list(by_kind.range(storage, Bound.inclusive((1, ("ab", 7))))) == [(("ab", 7), 5)]
        assert list(by_kind.range(storage, Bound.exclusive((1, ("ab", 7))))) == []

    def test_IDX_15_the_function_gets_the_primary_key_bytes(self, storage):
        seen = []

        def first_byte(pk, value):
            seen.append(pk)
            return pk[:1]

        index = MultiIndex(first_byte, "m__first", (bytes,))
        IndexedMap("m", (str,), int, (index,)).save(storage, "xyz", 1)
        assert seen == [b"xyz"]
        assert list(index.prefix(b"x").keys(storage)) == ["xyz"]

    def test_IDX_15_absent_fields_are_found_under_their_stand_in(self, storage):
        index = MultiIndex(lambda pk, d: d.last_name or "", "d__last", (str,))
        table = IndexedMap("d", (str,), Data, (index,))
        table.save(storage, "a", Data("A", 1))
        table.save(storage, "b", Data("B", 2, "X"))
        assert list(index.prefix("").keys(storage)) == ["a"]


class TestWrites:
    def test_IDX_2_save_moves_index_entries(self, people):
        before = len(people.entries())
        DATA.save(people, "3", Data("Mary", 33))
        assert [count(people, "John"), count(people, "Mary")] == [0, 1]
        assert AGE.item(people, 32) is None
        assert AGE.item(people, 33) == ("3", Data("Mary", 33))
        assert len(people.entries()) == before

    def test_IDX_3_remove_takes_the_entries_along(self, people):
        for key, _ in PEOPLE:
            DATA.remove(people, key)
        DATA.remove(people, "never")
        assert people.entries() == {}

    def test_C171_remove_and_update_show_in_indexes(self, people):
        DATA.remove(people, "2")
        DATA.update(people, "3", lambda d: Data("Mary", d.age))
        names = ("Maria", "Maria Luisa", "John", "Mary")
        assert [count(people, n) for n in names] == [1, 1, 0, 1]

    def test_update_of_a_missing_record_gets_none(self, storage):
        assert (
            DATA.update(storage, "9", lambda d: Data("New" if d is None else "?", 9)).name == "New"
        )
        assert count(storage, "New") == 1

    def test_an_update_that_refuses_changes_nothing(self, people):
        before = people.entries()

        def refuse(data):
            raise ContractError("no")

        with pytest.raises(ContractError):
            DATA.update(people, "1", refuse)
        assert people.entries() == before

    def test_saving_the_same_record_again_changes_nothing(self, people):
        before = people.entries()
        for key, value in PEOPLE:
            DATA.save(people, key, value)
        assert people.entries() == before

    def test_IDX_4_replace_believes_the_old_value_it_is_given(self, people):
        DATA.replace(people, "1", Data("Anna", 43), Data("Maria", 42))
        assert [count(people, "Maria"), count(people, "Anna")] == [1, 1]
        DATA.replace(people, "1", Data("Eve", 44), Data("Nobody", 77))
        assert [count(people, "Anna"), count(people, "Eve")] == [1, 1]
        DATA.replace(people, "5", None, Data("Marta", 90))
        assert not DATA.has(people, "5")
        assert count(people, "Marta") == 0
        DATA.replace(people, "6", Data("Six", 6), None)
        assert count(people, "Six") == 1

    def test_C174_IDX_13_a_plain_map_leaves_indexes_behind(self, people):
        plain = Map("data", (str,), Data)
        plain.save(people, "9", Data("Zoe", 9))
        assert DATA.load(people, "9") == Data("Zoe", 9)
        assert count(people, "Zoe") == 0
        plain.save(people, "1", Data("Renamed", 42))
        assert count(people, "Maria") == 2

    def test_IDX_14_clear_removes_primaries_only(self, people):
        DATA.clear(people)
        assert DATA.is_empty(people)
        assert not NAME.is_empty(people)


class TestMultiIndex:
    def test_C169_IDX_6_IDX_7_lookups_match_exactly(self, people):
        assert list(NAME.prefix("Maria").range(people)) == PEOPLE[:2]
        for name in ("Marib", "Mari`", "Maria5", "Mari", ""):
            assert list(NAME.prefix(name).range(people)) == []
        assert list(NAME.prefix("Maria").range(people, order=Order.DESCENDING)) == [
            PEOPLE[1],
            PEOPLE[0],
        ]

    def test_C169_IDX_9_the_whole_index_in_order(self, people):
        keys = list(NAME.keys(people))
        assert keys == ["3", "1", "2", "5", "4"]
        from_maria = list(NAME.range(people, Bound.inclusive(("Maria", ""))))
        assert [k for k, _ in from_maria] == ["1", "2", "5", "4"]
        after_one = list(NAME.range(people, Bound.exclusive(("Maria", "1"))))
        assert [k for k, _ in after_one] == ["2", "5", "4"]
        upto = NAME.keys(people, None, Bound.inclusive(("Maria", "1")), Order.DESCENDING)
        assert list(upto) == ["1", "3"]

    def test_bounds_below_a_prefix_are_primary_keys(self, people):
        page = NAME.prefix("Maria").range(people, Bound.exclusive("1"))
        assert list(page) == [PEOPLE[1]]

    def test_C173_IDX_8_sub_prefix_orders_by_the_rest_of_the_index(self, storage):
        for key, value in (
            ("5627", Data("Maria", 42)),
            ("5628", Data("Maria", 24)),
            ("5629", Data("John", 43)),
        ):
            DATA.save(storage, key, value)
        found = NAME_AGE.sub_prefix("Maria").range(storage, order=Order.DESCENDING)
        assert [(k, d.age) for k, d in found] == [("5627", 42), ("5628", 24)]
        low = NAME_AGE.sub_prefix("Maria").keys(storage, Bound.inclusive((30, "")))
        assert list(low) == ["5627"]
        assert list(NAME_AGE.prefix(("Maria", 24)).keys(storage)) == ["5628"]
        assert list(NAME_AGE.range(storage, Bound.inclusive((("Maria", 30), "")))) == [
            ("5627", Data("Maria", 42))
        ]
        for wrong in (lambda: NAME_AGE.prefix("Maria"), lambda: NAME_AGE.sub_prefix(("M", 1))):
            with pytest.raises(TypeError):
                wrong()

    def test_prefix_range_over_index_values(self, people):
        found = NAME.prefix_range(people, Bound.inclusive("Maria"), Bound.exclusive("Marta"))
        assert [k for k, _ in found] == ["1", "2"]

    def test_IDX_10_an_entry_without_primary_is_an_error(self, people):
        people.remove(DATA.key("1"))
        iterator = NAME.prefix("Maria").range(people)
        with pytest.raises(ContractError, match="pk not found"):
            next(iterator)
        assert next(iterator) == PEOPLE[1]
        assert list(NAME.prefix("Maria").keys(people)) == ["1", "2"]

    def test_raw_entries(self, people):
        assert next(iter(NAME.range_raw(people))) == (b"\x00\x04John3", b"1")

    def test_a_bound_of_the_whole_index_names_both_parts(self, people):
        with pytest.raises(TypeError, match="index value, primary key"):
            list(NAME_AGE.range(people, Bound.inclusive(("Maria", "1"))))


class TestUniqueIndex:
    def test_C169_lookups_and_ranges(self, people):
        assert AGE.item(people, 42) == PEOPLE[0]
        assert AGE.item(people, 43) is None
        found = list(AGE.range(people, Bound.inclusive(23)))
        assert [d.age for _, d in found] == [23, 32, 42, 90]
        assert list(AGE.keys(people)) == [12, 23, 32, 42, 90]

    def test_C170_IDX_11_the_constraint_is_enforced(self, people):
        with pytest.raises(ContractError, match=r"^Violates unique constraint on index$"):
            DATA.save(people, "6", Data("Marta", 42))
        DATA.remove(people, "1")
        DATA.save(people, "7", Data("Marta", 42))
        assert AGE.item(people, 42) == ("7", Data("Marta", 42))

    def test_IDX_11_the_same_record_may_be_saved_again_and_its_copy_follows(self, people):
        DATA.save(people, "1", Data("Maria", 42))
        DATA.save(people, "1", Data("Anna", 42))
        assert AGE.item(people, 42) == ("1", Data("Anna", 42))
        copy = json.loads(people.get(b"\x00\x09data__age\x00\x00\x00\x2a"))
        assert copy["value"]["name"] == "Anna"

    def test_IDX_11_a_record_cannot_move_onto_anothers_value(self, people):
        with pytest.raises(ContractError, match="Violates unique"):
            DATA.save(people, "2", Data("Maria", 42))

    def test_IDX_12_earlier_index_writes_of_a_refused_save_stay(self, people):
        with pytest.raises(ContractError):
            DATA.save(people, "6", Data("Zoe", 42))
        assert list(NAME.prefix("Zoe").keys(people)) == ["6"]
        assert not DATA.has(people, "6")

    def test_composite_values_and_prefixes(self, storage):
        class Person(Record):
            first: str
            last: str
            wealth: Uint128 = Uint128(0)

        full = UniqueIndex(lambda pk, p: (p.first, p.last), "p__full", (str, str))
        persons = IndexedMap("p", (U64,), Person, (full,))
        persons.save(storage, 1, Person("Ann", "Zee", Uint128(2**100)))
        persons.save(storage, 2, Person("Ann", "Abe"))
        persons.save(storage, 3, Person("Bob", "Abe"))
        assert full.item(storage, ("Ann", "Zee")) == (1, Person("Ann", "Zee", Uint128(2**100)))
        assert [k for k, _ in full.prefix("Ann").range(storage)] == [2, 1]
        assert list(full.prefix("Ann").keys(storage)) == ["Abe", "Zee"]
        with pytest.raises(TypeError):
            full.prefix(("Ann", "Zee"))


class TestBinding:
    def test_an_index_serves_one_map(self):
        index = MultiIndex(lambda pk, v: v, "x__v", (U64,))
        with pytest.raises(TypeError, match="belongs to no map"):
            index.prefix(1)
        with pytest.raises(TypeError, match="belongs to no map"):
            index.range(MemoryStorage())
        IndexedMap("x", (str,), int, (index,))
        with pytest.raises(TypeError, match="belongs to a map already"):
            IndexedMap("y", (str,), int, (index,))

    def test_indexes_by_name(self, storage):
        table = IndexedMap("t", (str,), int, {"value": MultiIndex(lambda pk, v: v, "t__v", (U64,))})
        table.save(storage, "a", 5)
        assert list(table.idx["value"].prefix(5).keys(storage)) == ["a"]
