"""``Item``: one value under one name."""

import pytest

from chain.errors import ContractError
from chain.std import NotFound, ParseError, Record, Uint128
from chain.storage_plus import Item
from chain.store.types import Derived
from chain.testing.mocks import MemoryStorage


class Config(Record):
    owner: str
    max_tokens: int


class Branch(Record):
    name: str
    below: "tuple[Branch, ...]"


CONFIG = Item("demo", Config)
COUNT = Item("count", int)


@pytest.fixture
def storage():
    return MemoryStorage()


def test_save_load_remove(storage):
    COUNT.save(storage, 5)
    assert storage.entries() == {b"count": b"\x05"}
    assert COUNT.load(storage) == 5
    assert COUNT.has(storage)
    assert COUNT.exists(storage)
    COUNT.remove(storage)
    COUNT.remove(storage)
    assert not COUNT.has(storage)
    assert COUNT.may_load(storage) is None


def test_STOR_9_save_overwrites_silently(storage):
    COUNT.save(storage, 5)
    COUNT.save(storage, 6)
    assert COUNT.load(storage) == 6


def test_STOR_10_a_missing_value_is_an_error_with_type_and_key(storage):
    with pytest.raises(NotFound) as caught:
        COUNT.load(storage)
    assert str(caught.value) == "type: int; key: [63, 6F, 75, 6E, 74] not found"
    with pytest.raises(NotFound, match=r"^type: .*test_item\.Config; key: \[64, 65, 6D, 6F\] not "):
        CONFIG.load(storage)


def test_STOR_9_STOR_10_unparsable_bytes_exist_but_do_not_load(storage):
    storage.set(b"count", b"\xa1x")
    assert COUNT.has(storage)
    for read in (COUNT.load, COUNT.may_load):
        with pytest.raises(ParseError):
            read(storage)


def test_C167_update_success(storage):
    CONFIG.save(storage, Config("admin", 1234))
    made = CONFIG.update(storage, lambda c: Config(c.owner, c.max_tokens * 2))
    assert made == CONFIG.load(storage) == Config("admin", 2468)


def test_C167_STOR_11_update_does_not_change_data_on_error(storage):
    CONFIG.save(storage, Config("admin", 1234))

    def refuse(config):
        raise ContractError("no")

    with pytest.raises(ContractError, match=r"^no$"):
        CONFIG.update(storage, refuse)
    assert CONFIG.load(storage) == Config("admin", 1234)


def test_STOR_11_update_needs_a_value(storage):
    with pytest.raises(NotFound):
        COUNT.update(storage, lambda n: n + 1)


def test_STOR_13_an_empty_value_is_a_value_and_an_empty_key_is_none(storage):
    Item("raw", bytes).save(storage, b"")
    assert Item("raw", bytes).load(storage) == b""
    with pytest.raises(ContractError):
        storage.set(b"", b"x")
    assert storage.get(b"") is None
    storage.remove(b"")


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (dict, {"a": [1, {"b": None}], "big": 2**90}),
        (list, [1, "x", b"y", True]),
        (str, ""),
        (bytes, b"\x00"),
        (bool, False),
        (int, -(2**200)),
        (Uint128, Uint128(2**127)),
        (str | None, None),
        (dict[str, int], {"a": 2**70}),
        (list[Config], [Config("a", 2**80), Config("b", 1)]),
        (tuple[int, ...], (1, 2)),
    ],
)
def test_values_of_many_types_come_back_equal(storage, type_, value):
    item = Item("x", type_)
    item.save(storage, value)
    assert item.load(storage) == value
    assert item.may_load(storage) == value


def test_a_derived_item_marks_its_bytes(storage):
    Item("n", int, derived=True).save(storage, 5)
    assert type(storage.get(b"n")) is Derived
    assert type(MemoryStorage().get(b"n")) is type(None)
    COUNT.save(storage, 5)
    assert type(storage.get(b"count")) is bytes


def test_a_remembered_record_follows_its_bytes(storage):
    other = MemoryStorage()
    CONFIG.save(storage, Config("alice", 1))
    CONFIG.save(other, Config("bob", 2))
    assert CONFIG.load(storage) == Config("alice", 1)
    assert CONFIG.load(other) == Config("bob", 2)
    assert CONFIG.load(storage) is CONFIG.load(storage)
    CONFIG.save(storage, Config("alice", 3))
    assert CONFIG.load(storage) == Config("alice", 3)
    CONFIG.remove(storage)
    with pytest.raises(NotFound):
        CONFIG.load(storage)
    storage.set(b"demo", b"")
    with pytest.raises(ParseError):
        CONFIG.load(storage)


def test_a_record_that_can_be_changed_is_made_anew(storage):
    class Names(Record):
        names: list[str]

    names = Item("names", Names)
    names.save(storage, Names(["a"]))
    names.load(storage).names.append("b")
    assert names.load(storage).names == ["a"]


def test_a_record_that_holds_itself_is_remembered_too(storage):
    item = Item("tree", Branch)
    item.save(storage, Branch("a", (Branch("b", ()),)))
    assert item.load(storage) is item.load(storage)
