"""Typed storage against plain models: a dict for maps, a list of records for indexes."""

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from chain.errors import ContractError
from chain.std import I32, U8, U32, Record
from chain.storage_plus import Bound, IndexedMap, Map, MultiIndex, Order, UniqueIndex, paginate
from chain.storage_plus.keys import part_of
from chain.testing.mocks import MemoryStorage

SHORT = st.text("ab\x00\u00ff~", max_size=3)
ORDERS = st.sampled_from([Order.ASCENDING, Order.DESCENDING])
BOUND = st.sampled_from([Bound.inclusive, Bound.exclusive])

SINGLE = Map("single", (str,), int)
TRIPLE = Map("triple", (str, U8, I32), int)
NEIGHBOURS = (Map("singl", (str,), int), Map("single\x00", (str,), int), Map("t", (str,), int))

TRIPLES = st.tuples(SHORT, st.integers(0, 255), st.integers(-300, 300))


def fresh(map_, entries):
    storage = MemoryStorage()
    for neighbour in NEIGHBOURS:
        neighbour.save(storage, "a", -1)
    for key, value in entries.items():
        map_.save(storage, key, value)
    return storage


def within(low, high, key_of):
    def check(key):
        raw = key_of(key)
        above = low is None or raw > key_of(low.key) or (low.is_inclusive and key == low.key)
        below = high is None or raw < key_of(high.key) or (high.is_inclusive and key == high.key)
        return above and below

    return check


def bounds(keys):
    return st.none() | st.builds(lambda make, key: make(key), BOUND, keys)


@given(st.dictionaries(SHORT, st.integers(), max_size=8), bounds(SHORT), bounds(SHORT), ORDERS)
def test_a_map_ranges_like_a_sorted_dict(entries, low, high, order):
    storage = fresh(SINGLE, entries)
    check = within(low, high, SINGLE.key)
    expected = sorted((e for e in entries.items() if check(e[0])), key=lambda e: e[0].encode())
    if order == Order.DESCENDING:
        expected.reverse()
    assert list(SINGLE.range(storage, low, high, order)) == expected
    assert list(SINGLE.keys(storage, low, high, order)) == [k for k, _ in expected]
    assert [k for k, _ in SINGLE.range_raw(storage, low, high, order)] == [
        k.encode() for k, _ in expected
    ]


def triple_order(key):
    first, second, third = key
    return (len(first.encode()), first.encode(), second, third)


@given(
    st.dictionaries(TRIPLES, st.integers(), max_size=8), bounds(TRIPLES), bounds(TRIPLES), ORDERS
)
def test_STOR_6_composite_keys_sort_by_length_then_bytes_then_number(entries, low, high, order):
    storage = fresh(TRIPLE, entries)
    check = within(low, high, triple_order)
    expected = sorted((k for k in entries if check(k)), key=triple_order)
    if order == Order.DESCENDING:
        expected.reverse()
    assert list(TRIPLE.keys(storage, low, high, order)) == expected


@given(st.dictionaries(TRIPLES, st.integers(), max_size=8), SHORT, st.integers(0, 255))
def test_STOR_17_prefixes_are_filters(entries, first, second):
    storage = fresh(TRIPLE, entries)
    whole = sorted(entries, key=triple_order)
    for a, b in [(first, second), *[(k[0], k[1]) for k in whole[:2]]]:
        assert list(TRIPLE.sub_prefix(a).keys(storage)) == [k[1:] for k in whole if k[0] == a]
        assert list(TRIPLE.prefix((a, b)).keys(storage)) == [k[2] for k in whole if k[:2] == (a, b)]


@given(st.dictionaries(TRIPLES, st.integers(), max_size=8), bounds(SHORT), bounds(SHORT), ORDERS)
def test_STOR_18_prefix_ranges_are_filters_on_first_parts(entries, low, high, order):
    storage = fresh(TRIPLE, entries)

    def first_order(text):
        return (len(text.encode()), text.encode())

    check = within(low, high, first_order)
    expected = sorted((k for k in entries if check(k[0])), key=triple_order)
    if order == Order.DESCENDING:
        expected.reverse()
    assert [k for k, _ in TRIPLE.prefix_range(storage, low, high, order)] == expected


@given(st.dictionaries(SHORT, st.integers(), max_size=8))
def test_STOR_20_clear_leaves_the_neighbours(entries):
    storage = fresh(SINGLE, entries)
    SINGLE.clear(storage)
    assert len(storage.entries()) == len(NEIGHBOURS)


@given(st.dictionaries(SHORT, st.integers(), max_size=12), st.integers(1, 5), ORDERS)
def test_STOR_22_pages_concatenated_equal_the_list(entries, limit, order):
    storage = fresh(SINGLE, entries)
    pages, cursor = [], None
    while page := paginate(SINGLE, storage, cursor, limit, order):
        pages += page
        cursor = page[-1][0]
    assert pages == list(SINGLE.range(storage, order=order))


@given(st.lists(TRIPLES, min_size=2, max_size=2))
def test_STOR_3_STOR_5_different_keys_have_different_bytes(keys):
    left, right = keys
    assert (TRIPLE.key(left) == TRIPLE.key(right)) == (left == right)


@given(TRIPLES)
def test_keys_come_back_equal(key):
    assert next(TRIPLE.keys(fresh(TRIPLE, {key: 1}))) == key


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=2, max_size=2))
def test_STOR_7_number_keys_sort_like_numbers(numbers):
    part = part_of(I32)
    left, right = numbers
    assert (part.dump(left) < part.dump(right)) == (left < right)
    assert part.load(part.dump(left)) == left


class Person(Record):
    name: str
    age: int
    note: int = 0


class IndexMachine(RuleBasedStateMachine):
    """An indexed map beside a plain dict; every look-up must agree after every step."""

    names = st.sampled_from(["Maria", "Maria Luisa", "John", "Jo", ""])
    ages = st.integers(0, 6)
    keys = st.sampled_from(["a", "b", "aa", "ab", ""])

    def __init__(self):
        super().__init__()
        self.by_name = MultiIndex(lambda pk, p: (p.name, p.note), "p__name", (str, U8))
        self.by_age = UniqueIndex(lambda pk, p: p.age, "p__age", (U32,))
        self.table = IndexedMap("p", (str,), Person, (self.by_name, self.by_age))
        self.storage = MemoryStorage()
        self.model = {}

    def _write(self, key, person, write):
        taken = any(k != key and p.age == person.age for k, p in self.model.items())
        before = self.storage.entries()
        try:
            write()
        except ContractError:
            assert taken
            self.storage = MemoryStorage(before)
        else:
            assert not taken
            self.model[key] = person

    @rule(key=keys, name=names, age=ages, note=st.integers(0, 2))
    def save(self, key, name, age, note):
        person = Person(name, age, note)
        self._write(key, person, lambda: self.table.save(self.storage, key, person))

    @rule(key=keys, age=ages)
    def update(self, key, age):
        old = self.model.get(key)
        person = Person(old.name if old else "New", age)

        def change(found):
            assert found == old
            return person

        self._write(key, person, lambda: self.table.update(self.storage, key, change))

    @rule(key=keys)
    def remove(self, key):
        self.table.remove(self.storage, key)
        self.model.pop(key, None)

    @precondition(lambda self: self.model)
    @rule(data=st.data(), note=st.integers(0, 2))
    def replace(self, data, note):
        key = data.draw(st.sampled_from(sorted(self.model)))
        old = self.model[key]
        person = Person(old.name, old.age, note)
        self.table.replace(self.storage, key, person, old)
        self.model[key] = person

    @invariant()
    def look_ups_agree(self):
        ordered = sorted(self.model.items())
        assert list(self.table.range(self.storage)) == ordered
        for name in ("Maria", "Maria Luisa", "John", "Jo", "", "New"):
            for note in range(3):
                found = list(self.by_name.prefix((name, note)).range(self.storage))
                assert found == [(k, p) for k, p in ordered if (p.name, p.note) == (name, note)]
        by_age = sorted(self.model.items(), key=lambda e: e[1].age)
        assert list(self.by_age.range(self.storage)) == by_age
        for age in range(7):
            expected = next(((k, p) for k, p in by_age if p.age == age), None)
            assert self.by_age.item(self.storage, age) == expected
        whole = sorted(ordered, key=lambda e: (len(e[1].name), e[1].name, e[1].note, e[0]))
        assert list(self.by_name.range(self.storage)) == whole

    @invariant()
    def no_entry_is_left_behind(self):
        assert len(self.storage.entries()) == 3 * len(self.model)


IndexMachine.TestCase.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
TestIndexedMapModel = IndexMachine.TestCase
