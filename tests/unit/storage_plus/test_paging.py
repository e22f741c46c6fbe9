"""Pages: exclusive cursor, limits, both orders."""

import pytest

from chain.std import U64
from chain.storage_plus import IndexedMap, Map, MultiIndex, Order, page_size, paginate
from chain.testing.mocks import MemoryStorage


@pytest.fixture
def numbers():
    return Map("n", (U64,), int)


@pytest.fixture
def storage(numbers):
    made = MemoryStorage()
    for n in range(250):
        numbers.save(made, n, n * 10)
    return made


def test_STOR_22_sizes():
    assert [page_size(limit) for limit in (None, 0, 5, 100, 101)] == [30, 0, 5, 100, 100]
    assert page_size(None, 10, 30) == 10
    assert page_size(10_000, 10, 30) == 30


def test_STOR_22_limit_0_is_an_empty_page(numbers, storage):
    assert paginate(numbers, storage, limit=0) == []


def test_newest_first_with_an_exclusive_cursor(numbers, storage):
    first = paginate(numbers, storage, limit=2)
    assert first == [(249, 2490), (248, 2480)]
    assert paginate(numbers, storage, first[-1][0], 2) == [(247, 2470), (246, 2460)]
    assert paginate(numbers, storage, 0) == []


@pytest.mark.parametrize("order", [Order.ASCENDING, Order.DESCENDING])
@pytest.mark.parametrize("limit", [1, 7, None, 100, 1_000])
def test_STOR_22_pages_concatenated_equal_the_whole_list(numbers, storage, order, limit):
    pages, cursor = [], None
    while page := paginate(numbers, storage, cursor, limit, order):
        pages += page
        cursor = page[-1][0]
    assert pages == list(numbers.range(storage, order=order))


def test_entries_can_be_left_out(numbers, storage):
    page = paginate(numbers, storage, limit=3, keep=lambda key, value: key % 100 == 0)
    assert [k for k, _ in page] == [200, 100, 0]


def test_pages_of_an_index(storage):
    index = MultiIndex(lambda pk, v: v % 2, "t__kind", (U64,))
    table = IndexedMap("t", (U64,), int, (index,))
    for n in range(10):
        table.save(storage, n, n)
    assert paginate(index.prefix(1), storage, 7, 2) == [(5, 5), (3, 3)]
