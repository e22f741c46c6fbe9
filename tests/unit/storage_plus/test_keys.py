"""Key bytes: the same as cw-storage-plus writes."""

import pytest

from chain.errors import ContractError, VmError
from chain.std import (
    I8,
    I16,
    I32,
    I64,
    I128,
    U8,
    U16,
    U32,
    U64,
    U128,
    Addr,
    Binary,
    Int64,
    Int128,
    Timestamp,
    Uint64,
    Uint128,
    Words,
)
from chain.storage_plus import Item, Map
from chain.storage_plus.keys import after, part_of


class Status(Words):
    OPEN = "open"


def test_STOR_2_an_item_is_stored_under_its_name_bytes():
    assert Item("count", int).key == b"count"
    assert Item("zähler", int).key == "zähler".encode()


def test_C155_STOR_3_map_keys_carry_the_lengths_of_all_parts_but_the_last():
    assert Map("people", (str,), int).key("john") == b"\x00\x06peoplejohn"
    assert Map("allow", (str, str), int).key(("john", "maria")) == b"\x00\x05allow\x00\x04johnmaria"
    triple = Map("triple", (str, U8, str), int).key(("john", 8, "pedro"))
    assert triple == b"\x00\x06triple\x00\x04john\x00\x01\x08pedro"
    assert [len(Map("people", str, int).key("john")), len(triple)] == [12, 22]
    assert len(Map("allow", (bytes, bytes), int).key((b"john", b"maria"))) == 18


def test_STOR_4_a_part_with_a_length_has_at_most_65535_bytes():
    pairs = Map("m", (bytes, bytes), int)
    triples = Map("m", (bytes, bytes, bytes), int)
    assert pairs.key((b"x" * 65_535, b""))[3:5] == b"\xff\xff"
    assert len(pairs.key((b"", b"x" * 70_000))) == 70_005
    with pytest.raises(VmError, match="0xFFFF"):
        pairs.key((b"x" * 65_536, b""))
    with pytest.raises(VmError, match="0xFFFF"):
        triples.key((b"", b"x" * 65_536, b""))
    with pytest.raises(VmError, match="0xFFFF"):
        Map("n" * 65_536, (str,), int)


def test_STOR_5_parts_do_not_run_into_each_other():
    allow = Map("allow", (str, str), int)
    assert allow.key(("owner", "spender")) != allow.key(("owners", "pender"))


def test_STOR_6_first_parts_sort_by_length_and_last_parts_by_bytes():
    pairs = Map("m", (str, str), int)
    assert pairs.key(("z", "")) < pairs.key(("aa", ""))
    assert pairs.key(("a", "aa")) < pairs.key(("a", "z"))


@pytest.mark.parametrize(
    ("type_", "value", "raw"),
    [
        (U8, 8, "08"),
        (U16, 0x4243, "4243"),
        (U32, 0x424344, "00424344"),
        (U64, 1, "0000000000000001"),
        (int, 1, "0000000000000001"),
        (Uint64, Uint64(1), "0000000000000001"),
        (Timestamp, Timestamp(2), "0000000000000002"),
        (U128, 1, "00000000000000000000000000000001"),
        (Uint128, 1, "00000000000000000000000000000001"),
        (I8, 0x42, "c2"),
        (I8, -1, "7f"),
        (I16, 0x4243, "c243"),
        (I32, 0x424344, "80424344"),
        (I64, 0, "8000000000000000"),
        (Int64, -1, "7fffffffffffffff"),
        (I128, 0, "80" + "00" * 15),
        (Int128, 1, "80" + "00" * 14 + "01"),
        (str, "ü", "c3bc"),
        (Addr, "msg1x", "6d73673178"),
        (bytes, b"\x00\xff", "00ff"),
        (Binary, Binary(b"\x01"), "01"),
        (bool, True, "01"),
        (Status, Status.OPEN, "6f70656e"),
    ],
)
def test_STOR_7_STOR_8_bytes_of_each_part_type(type_, value, raw):
    part = part_of(type_)
    assert part.dump(value).hex() == raw
    assert part.load(bytes.fromhex(raw)) == value
    assert Map("m", (type_,), int).key(value) == b"\x00\x01m" + bytes.fromhex(raw)


def test_STOR_7_signed_keys_sort_by_value():
    keys = [Map("m", (I32,), int).key(n) for n in (-1234, -56, 50)]
    assert keys == sorted(keys)


@pytest.mark.parametrize(
    ("type_", "value"),
    [(U8, 256), (U8, -1), (I8, 128), (int, 2**64), (str, 5), (int, "x"), (bytes, "x"), (I8, "x")],
)
def test_values_that_are_no_keys_are_refused(type_, value):
    with pytest.raises((TypeError, OverflowError, AttributeError)):
        Map("m", (type_,), int).key(value)


@pytest.mark.parametrize("type_", [float, dict, None, list, "str"])
def test_types_that_are_no_keys_are_refused_at_once(type_):
    with pytest.raises(TypeError, match="is not a key type"):
        Map("m", (type_,), int)
    with pytest.raises(TypeError):
        Map("m", (), int)


def test_a_key_needs_all_its_parts():
    with pytest.raises((TypeError, ValueError)):
        Map("m", (str, str), int).key(("a",))
    with pytest.raises(TypeError):
        Map("m", (str, str, str), int).key(("a", "b"))


def test_keys_of_other_sizes_do_not_read():
    for type_ in (U8, I64, bool):
        with pytest.raises(ContractError, match="Invalid data size"):
            part_of(type_).load(b"123")
    with pytest.raises(ContractError):
        part_of(Status).load(b"closed")


@pytest.mark.parametrize(
    ("prefix", "end"),
    [(b"foo", b"fop"), (b"fo\xff", b"fp"), (b"f\xff\xff", b"g"), (b"\xff\xff", None), (b"", None)],
)
def test_STOR_14_the_end_of_a_prefix_carries_left(prefix, end):
    assert after(prefix) == end
