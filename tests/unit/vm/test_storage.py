"""Metered storage: the store's gas, limits, ranges, dead handles (GAS-1 to GAS-3, STOR-13, STOR-24)."""

from __future__ import annotations

import pytest

from chain.errors import VmError
from chain.gas import GasMeter, OutOfGas
from chain.store import MemoryBackend, Overlay, StateStore
from chain.vm.storage import (
    KEY_MAX,
    VALUE_MAX,
    ContractStorage,
    QueryStorage,
    WatchedStorage,
)

PREFIX = b"w\x03" + bytes(32)
GROSS = 33  # bytes of the prefix that gas counts


@pytest.fixture
def overlay():
    return Overlay(StateStore(MemoryBackend()).view)


def opened(overlay, limit=10**9):
    meter = GasMeter(limit)
    return ContractStorage(overlay, PREFIX, meter), meter


def test_GAS_1_reads_and_writes_pay_for_key_and_value(overlay):
    storage, meter = opened(overlay)
    storage.set(b"k", b"value")
    assert meter.used == 2000 + 30 * (GROSS + 6)
    meter.used = 0
    assert storage.get(b"k") == b"value"
    assert meter.used == 1000 + 3 * (GROSS + 6)
    meter.used = 0
    storage.remove(b"k")
    assert meter.used == 1000


def test_GAS_2_a_missing_key_pays_for_itself(overlay):
    storage, meter = opened(overlay)
    assert storage.get(b"none") is None
    assert meter.used == 1000 + 3 * (GROSS + 4)


def test_GAS_3_the_first_entry_is_paid_twice(overlay):
    storage, meter = opened(overlay)
    storage.set(b"a", b"1")
    storage.set(b"b", b"22")
    meter.used = 0
    entries = storage.range()
    first = 30 + 3 * (GROSS + 2)
    assert meter.used == first
    assert next(entries) == (b"a", b"1")
    assert meter.used == 2 * first
    assert list(entries) == [(b"b", b"22")]
    assert meter.used == 2 * first + 30 + 3 * (GROSS + 3)


def test_GAS_3_an_empty_range_costs_a_step(overlay):
    storage, meter = opened(overlay)
    assert list(storage.range()) == []
    assert list(storage.range(b"b", b"a")) == []
    assert meter.used == 60


def test_a_write_is_charged_before_it_acts(overlay):
    storage, _ = opened(overlay, limit=100)
    with pytest.raises(OutOfGas):
        storage.set(b"k", b"v")
    assert overlay.writes == {}


def test_the_meter_is_sticky(overlay):
    storage, _ = opened(overlay, limit=100)
    for _ in range(2):
        with pytest.raises(OutOfGas):
            storage.get(b"k")


def test_ranges_stay_in_the_contract_and_follow_order(overlay):
    storage, _ = opened(overlay)
    overlay.set(b"w\x03" + b"\xff" * 32 + b"x", b"other")
    overlay.set(b"w\x02zzz", b"other")
    for key in (b"b", b"a", b"\xff\xff"):
        storage.set(key, key)
    assert [key for key, _ in storage.range()] == [b"a", b"b", b"\xff\xff"]
    assert [key for key, _ in storage.range(order="descending")] == [b"\xff\xff", b"b", b"a"]
    assert [key for key, _ in storage.range(b"a", b"b")] == [b"a"]
    assert [key for key, _ in storage.range(b"b", None)] == [b"b", b"\xff\xff"]


def test_STOR_13_an_empty_value_is_a_value_and_an_empty_key_aborts(overlay):
    storage, _ = opened(overlay)
    storage.set(b"k", b"")
    assert storage.get(b"k") == b""
    assert storage.get(b"") is None
    with pytest.raises(VmError):
        storage.set(b"", b"v")


def test_STOR_24_limits(overlay):
    storage, _ = opened(overlay)
    storage.set(b"k" * KEY_MAX, b"v" * VALUE_MAX)
    for act in (
        lambda: storage.set(b"k" * (KEY_MAX + 1), b""),
        lambda: storage.get(b"k" * (KEY_MAX + 1)),
        lambda: storage.remove(b"k" * (KEY_MAX + 1)),
        lambda: storage.set(b"k", b"v" * (VALUE_MAX + 1)),
        lambda: storage.set(b"k", "text"),
    ):
        with pytest.raises(VmError):
            act()


def test_QRY_1_a_query_cannot_write(overlay):
    storage = QueryStorage(overlay, PREFIX, GasMeter(10**9))
    with pytest.raises(VmError):
        storage.set(b"k", b"v")
    with pytest.raises(VmError):
        storage.remove(b"k")


def test_a_handle_dies_with_its_call(overlay):
    storage, _ = opened(overlay)
    storage.close()
    for act in (
        lambda: storage.get(b"k"),
        lambda: storage.set(b"k", b"v"),
        lambda: storage.remove(b"k"),
        lambda: list(storage.range()),
    ):
        with pytest.raises(VmError):
            act()


def test_watching_costs_no_gas(overlay):
    plain, meter = opened(overlay)
    seen = []
    watched_meter = GasMeter(10**9)
    watched = WatchedStorage(overlay, PREFIX, watched_meter, lambda *what: seen.append(what))
    for storage in (plain, watched):
        storage.set(b"k", b"v")
        storage.get(b"k")
        list(storage.range())
        storage.remove(b"k")
    assert meter.used == watched_meter.used
    assert [what[0] for what in seen] == ["set", "get", "range", "remove"]
