"""Storage, index and JSON rules as a chain shows them: those that the unit tests of the helpers leave open."""

import json

import pytest
from scripted import script

from chain.std import (
    ContractError,
    Message,
    NotFound,
    Overflow,
    ParseError,
    Record,
    Response,
    SerializeError,
    Timestamp,
    Uint128,
    decode_variant,
    encode,
)
from chain.storage_plus import (
    Bound,
    IndexedMap,
    Map,
    MultiIndex,
    Order,
    get_contract_version,
    set_contract_version,
)
from chain.testing import mock_deps

VALUE_MAX = 524_288  # ours; 128 KiB in wasmd


class Person(Record):
    """One record of the indexed map."""

    name: str
    age: int


BY_NAME = MultiIndex(lambda key, person: person.name, "people__name", (str,))
BY_BOTH = MultiIndex(lambda key, person: (person.name, person.age), "people__both", (str, int))
PEOPLE = IndexedMap("people", (str,), Person, (BY_NAME,))
BOTH = IndexedMap("both", (str,), Person, (BY_BOTH,))


@pytest.fixture
def storage():
    deps = mock_deps()
    for key, name, age in (
        ("1", "Maria", 42),
        ("2", "Maria", 23),
        ("3", "John", 32),
        ("5", "Maria5", 1),
    ):
        PEOPLE.save(deps.storage, key, Person(name, age))
        BOTH.save(deps.storage, key, Person(name, age))
    return deps.storage


def keys_of(entries):
    return [entry[0] for entry in entries]


def test_STOR_1_storage_is_per_contract_and_ordered_by_unsigned_bytes(world):
    fill = [["sethex", key, "00"] for key in ("ff", "61", "00", "7f", "80", "6100")]
    world.run(script(*fill))
    assert [key.hex() for key in world.chain.storage(world.a)] == [
        "00",
        "61",
        "6100",
        "7f",
        "80",
        "ff",
    ]
    assert world.chain.storage(world.b) == {}


def test_STOR_8_text_and_byte_keys_are_their_bytes():
    assert Map("m", (str,), int).key("ab") == b"\x00\x01mab"
    assert Map("m", (bytes,), int).key(b"\xff") == b"\x00\x01m\xff"
    assert Map("m", (Uint128,), int).key(5) == b"\x00\x01m" + bytes(15) + b"\x05"


@pytest.fixture
def words():
    deps = mock_deps()
    found = Map("words", (str,), int)
    for number, word in enumerate(("bar", "ra", "zi")):
        found.save(deps.storage, word, number)
    return deps.storage, found


def test_STOR_15_an_exclusive_bound_at_a_missing_key_excludes_nothing(words):
    storage, found = words
    assert keys_of(found.range(storage, min=Bound.exclusive("r"))) == ["ra", "zi"]
    assert keys_of(found.range(storage, max=Bound.exclusive("rb"))) == ["bar", "ra"]


def test_STOR_16_order_turns_the_output_around(words):
    storage, found = words
    bounds = {"min": Bound.inclusive("bar"), "max": Bound.inclusive("ra")}
    assert keys_of(found.range(storage, **bounds)) == ["bar", "ra"]
    assert keys_of(found.range(storage, **bounds, order=Order.DESCENDING)) == ["ra", "bar"]
    upside_down = {"min": Bound.inclusive("zi"), "max": Bound.inclusive("bar")}
    assert keys_of(found.range(storage, **upside_down)) == []


@pytest.mark.parametrize(
    ("key", "value", "passes"),
    [(65_536, 1, True), (65_537, 1, False), (1, VALUE_MAX, True), (1, VALUE_MAX + 1, False)],
)
def test_STOR_24_limits_on_keys_and_values(world, key, value, passes):
    result = world.run({"do": [["fill", "k", key, value]]})
    assert result.code == (0 if passes else 29)


def test_IDX_6_many_primaries_share_an_index_value(storage):
    assert keys_of(BY_NAME.prefix("Maria").range(storage)) == ["1", "2"]


@pytest.mark.parametrize("name", ["Mari", "Maria ", "Marib", "Maria55"])
def test_IDX_7_an_index_value_must_match_whole(storage, name):
    assert keys_of(BY_NAME.prefix(name).range(storage)) == []


def test_IDX_8_a_composite_index_value_needs_all_parts(storage):
    assert keys_of(BY_BOTH.prefix(("Maria", 42)).range(storage)) == ["1"]
    assert len(list(BY_BOTH.sub_prefix("Maria").range(storage))) == 2


def test_IDX_9_bounds_over_an_index_contain_the_primary_key(storage):
    after = list(BY_NAME.range(storage, min=Bound.exclusive(("Maria", "1"))))
    assert [person.age for _, person in after] == [23, 1]
    assert next(iter(BY_NAME.range(storage)))[1].name == "John"


def test_IDX_13_writing_past_the_indexes_leaves_them_stale(storage):
    Map("people", (str,), Person).save(storage, "9", Person("Zoe", 7))
    assert PEOPLE.load(storage, "9") == Person("Zoe", 7)
    assert keys_of(BY_NAME.prefix("Zoe").range(storage)) == []


class At(Message):
    """A message with a time."""

    time: Timestamp


def test_JSON_8_times_are_nanoseconds_as_text():
    read = decode_variant(b'{"at":{"time":"1571797419879305533"}}', (At,), "Msg")
    assert read.time == 1571797419879305533
    assert json.loads(encode(read))["time"] == "1571797419879305533"
    with pytest.raises(ContractError):
        decode_variant(b'{"at":{"time":1571797419879305533}}', (At,), "Msg")


def test_JSON_15_bounds_on_requests_and_payloads(world):
    request = {"wasm": {"smart": {"contract_addr": world.b, "msg": "A" * 70_000}}}
    result = world.run({"do": [["query", request]]})
    assert (result.codespace, result.code) == ("wasm", 29)
    assert world.run(script(["set", "k", "v" * 300_000]), gas_limit=50_000_000).code == 0


def test_JSON_16_texts_of_standard_errors():
    assert str(NotFound("count")) == "count not found"
    assert str(ParseError("T", "why")) == "Error parsing into type T: why"
    assert str(SerializeError("T", "why")) == "Error serializing type T: why"
    assert issubclass(Overflow, ContractError)


def test_INST_14_name_and_version_as_cw2_writes_them(world):
    def execute(deps, env, info, msg):
        set_contract_version(deps.storage, "crate:demo", "1.2.3")
        return Response()

    address = world.deploy(execute=execute)
    world.chain.execute(address, {}, sender=world.alice)
    stored = world.chain.query_raw(address, b"contract_info")
    assert stored == b'{"contract":"crate:demo","version":"1.2.3"}'
    deps = mock_deps()
    set_contract_version(deps.storage, "crate:demo", "1.2.3")
    assert get_contract_version(deps.storage).version == "1.2.3"


def test_VER_5_multi_indexes_know_their_primary_key_type(storage):
    numbered = MultiIndex(lambda key, person: person.name, "n__name", (str,))
    people = IndexedMap("n", (int,), Person, (numbered,))
    people.save(storage, 7, Person("Ann", 1))
    assert keys_of(numbered.prefix("Ann").range(storage)) == [7]
