"""State values: bytes of each type, one spelling a number, no floats."""

import msgspec
import pytest

from chain.std import (
    Addr,
    Binary,
    Coin,
    Empty,
    Expiration,
    Int64,
    ParseError,
    Record,
    SerializeError,
    Timestamp,
    Uint64,
    Uint128,
    Uint256,
    Words,
)
from chain.std.codec import codec_of


class Status(Words):
    OPEN = "open"


class Task(Record):
    id: str
    fee: Uint128
    count: int = 0
    due: Timestamp | None = None
    status: Status = Status.OPEN
    coins: tuple[Coin, ...] = ()
    end: Expiration = Expiration(never=Empty())
    tags: dict[str, list[int]] = {}
    raw: bytes = b""


CASES = [
    (int, 5, "05"),
    (int, -1, "ff"),
    (int, 2**64 - 1, "cfffffffffffffffff"),
    (int, 2**64, "c70901010000000000000000"),
    (int, -(2**63) - 1, "c70901ff7fffffffffffffff"),
    (Uint128, Uint128(5), "05"),
    (Uint128, 2**128 - 1, "c7110100ffffffffffffffffffffffffffffffff"),
    (Int64, -5, "fb"),
    (Timestamp, Timestamp(7), "07"),
    (str, "ü", "a2c3bc"),
    (Addr, "x", "a178"),
    (bytes, b"\x00", "c40100"),
    (Binary, Binary(b"\x01"), "c40101"),
    (bool, True, "c3"),
    (dict, {"b": 1, "a": [None]}, "82a16201a16191c0"),
    (list, [1, "x"], "9201a178"),
    (str | None, None, "c0"),
    (str | None, "x", "a178"),
    (Status, Status.OPEN, "a46f70656e"),
    (Coin, Coin("a", 1), "82a564656e6f6da161a6616d6f756e7401"),
]


@pytest.mark.parametrize(("type_", "value", "raw"), CASES)
def test_bytes_of_each_type(type_, value, raw):
    codec = codec_of(type_)
    assert codec.encode(value).hex() == raw
    assert codec.decode(bytes.fromhex(raw)) == value


def test_a_record_is_an_array_and_comes_back_equal():
    value = Task(
        "a",
        Uint128(2**100),
        2**70,
        Timestamp(5),
        Status.OPEN,
        (Coin("x", 2**90),),
        Expiration(at_height=9),
        {"k": [1, 2**65]},
        b"\xcb\xcb",
    )
    codec = codec_of(Task)
    assert codec.decode(codec.encode(value)) == value
    assert type(codec.decode(codec.encode(value)).fee) is Uint128


def test_a_number_has_one_spelling_whatever_class_carries_it():
    codec = codec_of(Task)
    for number in (0, 5, 2**63, 2**64 - 1, 2**64, 2**128 - 1):
        assert codec.encode(Task("a", Uint128(number))) == codec.encode(Task("a", number))


def test_a_record_with_fewer_fields_gets_the_defaults():
    raw = msgspec.msgpack.encode(["a", 5])
    assert codec_of(Task).decode(raw) == Task("a", Uint128(5))


@pytest.mark.parametrize("value", [-1, 2**128])
def test_number_fields_check_their_range_when_written(value):
    class Two(Record):
        a: Uint128
        b: Uint128

    class Three(Two):
        c: Uint64

    for made, field in (
        (Two(value, 1), "a"),
        (Two(1, value), "b"),
        (Three(1, 1, value), "c"),
        (Three(1, value, 1), "b"),
    ):
        with pytest.raises(SerializeError, match=f"{field} is out of range"):
            codec_of(type(made)).encode(made)
    assert codec_of(Three).decode(codec_of(Three).encode(Three(1, 2, 3))) == Three(1, 2, 3)
    with pytest.raises(SerializeError, match="fee is out of range"):
        codec_of(Task).encode(Task("a", value))
    with pytest.raises(SerializeError, match="out of range"):
        codec_of(Uint128).encode(value)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (int, 1.0),
        (int, True),
        (int, "5"),
        (Uint64, 1.0),
        (Uint256, True),
        (str, b"x"),
        (str, 5),
        (bytes, "x"),
        (bool, 1),
        (Task, Coin("a", 1)),
        (Status, "open"),
    ],
)
def test_values_of_another_type_are_refused(type_, value):
    with pytest.raises((TypeError, SerializeError)):
        codec_of(type_).encode(value)


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (dict, {"a": 1.5}),
        (list, [float("nan")]),
        (dict, {"a": {1}}),
        (dict, {1.5: 1}),
        (object, object()),
        (Task, Task("a", 1, 1.5)),
        (Task, Task("a", 1, tags={"a": [1.0]})),
    ],
)
def test_floats_sets_and_objects_are_refused(type_, value):
    with pytest.raises(SerializeError):
        codec_of(type_).encode(value)


@pytest.mark.parametrize("type_", [float, set, list[float], dict[str, set[int]]])
def test_types_that_cannot_be_stored_are_refused_at_once(type_):
    with pytest.raises(TypeError, match="cannot be stored"):
        codec_of(type_)


def test_a_loop_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(SerializeError, match="recursion limit"):
        codec_of(list).encode(loop)


@pytest.mark.parametrize(
    ("type_", "raw"),
    [
        (int, b"\xa1x"),
        (int, b""),
        (int, b"\xc1"),
        (int, b"\xc7\x01\x02\x00"),
        (int, b"\xcb" + bytes(8)),
        (Uint128, b"\xff"),
        (Uint128, b"\xa1x"),
        (Uint128, b"\xc1"),
        (Uint64, b"\xc7\x09\x01\x01" + bytes(8)),
        (Task, b"\x92\xa1a\xff"),
        (Task, b"\x91\xa1a"),
        (str, b"\x05"),
    ],
)
def test_STOR_10_unreadable_bytes_are_a_parse_error(type_, raw):
    with pytest.raises(ParseError, match=r"^Error parsing into type "):
        codec_of(type_).decode(raw)


def test_loose_values_hold_records_words_and_our_numbers():
    codec = codec_of(list)
    value = [Task("a", 5), Status.OPEN, Uint128(2**70), Binary(b"x"), (1,), {b"k": 1, 5: 2}]
    found = codec.decode(codec.encode(value))
    assert found[0][:2] == ["a", 5]
    assert found[1:] == ["open", 2**70, b"x", [1], {b"k": 1, 5: 2}]
    for key in (True, 2**64, None):
        with pytest.raises(SerializeError, match="keys must be"):
            codec.encode([{key: 1}])


def test_a_number_of_our_classes_may_stand_in_an_int_place():
    assert codec_of(int).encode(Uint128(5)) == b"\x05"
    assert codec_of(int).encode(Timestamp(7)) == b"\x07"


def test_a_record_that_contains_itself_is_a_type():
    codec = codec_of(Chain)
    value = Chain(1, Chain(2**80, None))
    assert codec.decode(codec.encode(value)) == value


class Chain(Record):
    value: int
    below: "Chain | None" = None
