"""The quick form of a log's JSON lines against the plain one: same bytes, records and refusals."""

from __future__ import annotations

import json
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.driver.log.named import block_of, line_of
from chain.driver.log.record import BlockRecord, LogError, from_json, to_json

INTEGERS = st.integers(-(2**63), 2**64 - 1)
TEXTS = st.text(max_size=8) | st.sampled_from(['"\\/\b\f\n\r\t', "\x00\x1f\x7f\x80", "\u2028😀é"])


def values(kind: Any) -> st.SearchStrategy[Any]:
    """Anything that a field of this type may hold."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.none() | values(next(one for one in inner if one is not NoneType))
    if origin is list:
        return st.lists(values(inner[0]), max_size=2)
    if origin is tuple and Ellipsis in inner:
        return st.lists(values(inner[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, inner))
    if origin is dict:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=2)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = get_type_hints(kind)
        return st.builds(kind, **{name: values(hints[name]) for name in kind.__struct_fields__})
    return {int: INTEGERS, str: TEXTS, bytes: st.binary(max_size=6)}[kind]


RECORDS = values(BlockRecord)


@settings(max_examples=60, deadline=None)
@given(record=RECORDS)
def test_a_line_is_the_plain_one_and_gives_the_record_back(record: BlockRecord) -> None:
    line = to_json(record).encode()
    assert line_of(record) == line
    assert block_of(line) == record == from_json(line.decode(), "here")


@settings(max_examples=60, deadline=None)
@given(record=RECORDS, data=st.data())
def test_what_is_read_quickly_is_written_as_records_are(
    record: BlockRecord, data: st.DataObject
) -> None:
    line = bytearray(to_json(record).encode())
    at = data.draw(st.integers(0, len(line) - 1))
    line[at] = data.draw(st.integers(0, 255))
    found = block_of(bytes(line))
    if found is None:
        return  # the plain one says what it is
    text = line.decode()
    assert to_json(found) == text
    assert from_json(text, "here") == found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'{"record":"block",', b'{"record":"footer",'),
        (b'{"record":"block",', b'{"record":"block","more":1,'),
        (b'{"record":"block",', b'{"record":"block","record":"block",'),
        (b'{"record":"block",', b'{"record": "block",'),
        (b'"height":5', b'"height":5.0'),
        (b'"height":5', b'"height":05'),
        (b'"height":5', b'"height":"5"'),
        (b'"prev":"00ff', b'"prev":"00FF'),
        (b'"prev":"00ff', b'"prev":"00 ff'),
        (b'"AAE="', b'"AAF="'),
        (b'"AAE="', b'"AAE"'),
        (b'"key":"k"', b'"key":"\\u006b"'),
    ],
)
def test_a_line_in_other_clothes_is_left_to_the_plain_reader(old: bytes, new: bytes) -> None:
    record = plain_record()
    line = to_json(record).encode()
    assert block_of(line) == record
    assert old in line
    edited = line.replace(old, new, 1)
    assert block_of(edited) is None
    try:
        again = to_json(from_json(edited.decode(), "here")).encode()
    except LogError:
        return
    assert again != edited


def plain_record() -> BlockRecord:
    """A record with a height of 5, bytes and an attribute."""
    line = {
        "block": {"height": 5, "time": 1, "proposer_address": "", "txs": ["AAE="],
                  "last_commit_votes": [], "misbehavior": []},
        "result": {"tx_results": [], "validator_updates": [], "consensus_param_updates": None,
                   "events": [{"type": "t", "attributes": [{"key": "k", "value": "v"}]}],
                   "app_hash": ""},
        "header": _filled("header"), "last_commit": _filled("last_commit"),
        "sources": {}, "prev": "00ff", "hash": "",
    }  # fmt: skip
    return from_json(json.dumps({"record": "block", **line}), "here")  # type: ignore[return-value]


def _filled(name: str) -> dict[str, Any]:
    """A struct of a record with nothing in it."""
    kind = get_type_hints(BlockRecord)[name]
    empty = {int: 0, str: "", bytes: ""}
    part = {"hash": "", "parts": {"total": 0, "hash": ""}}
    return {
        field: part if field.endswith("block_id") else empty.get(hint, [])
        for field, hint in get_type_hints(kind).items()
    }
