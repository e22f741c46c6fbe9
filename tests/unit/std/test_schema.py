"""JSON Schemas from types: they accept what decoding accepts, for a table of messages."""

import json

import jsonschema
import pytest

from chain.std import (
    I64,
    U8,
    U64,
    U128,
    Addr,
    Answer,
    Binary,
    Coin,
    ContractError,
    Expiration,
    Int64,
    Message,
    OpenMessage,
    Record,
    Timestamp,
    Uint128,
    Words,
    decode,
    decode_variant,
    schema_of,
)


class Status(Words):
    PENDING = "pending"
    DONE = "done"


class Task(Record):
    """One piece of work."""

    id: str
    fee: Uint128
    due: Timestamp | None = None


class Create(Message):
    """Make a task."""

    task: Task
    owner: Addr
    count: U8
    big: U128
    any: U64
    signed: I64 | None
    raw: Binary
    status: Status = Status.PENDING
    funds: list[Coin] = []
    expires: Expiration | None = None
    extra: dict[str, Int64] = {}
    flag: bool | None = None


class Stop(Message):
    unit_variant = True


class Drop(Message):
    kind: str
    field_aliases = (("type", "kind"),)


class Loose(OpenMessage):
    amount: Uint128


EXECUTE = (Create, Stop, Drop, Loose)
GOOD = {
    "task": {"id": "a", "fee": "5"},
    "owner": "x",
    "count": 255,
    "big": 2**100,
    "any": 2**64 - 1,
    "signed": -1,
    "raw": "e30=",
    "status": "done",
    "funds": [{"denom": "a", "amount": "1"}],
    "expires": {"at_height": 5},
    "extra": {"k": "-5"},
    "flag": True,
}


def changed(**fields):
    return {"create": {**GOOD, **fields}}


CASES = [
    ({"create": GOOD}, True),
    (changed(expires={"never": {}}), True),
    (changed(expires=None, flag=None), True),
    ("stop", True),
    ({"drop": {"kind": "x"}}, True),
    ({"drop": {"type": "x"}}, True),
    ({"loose": {"amount": "1", "more": 1}}, True),
    ({"stop": {}}, False),
    ({}, False),
    ({"create": GOOD, "drop": {"kind": "x"}}, False),
    (changed(count=256), False),
    (changed(count="1"), False),
    (changed(any=2**64), False),
    (changed(any=-1), False),
    (changed(big=2**128), False),
    (changed(signed=2**63), False),
    (changed(task={"id": "a"}), False),
    (changed(task={"id": "a", "fee": 5}), False),
    (changed(status="gone"), False),
    (changed(funds=[{"denom": "a"}]), False),
    (changed(expires={"at_height": 1, "never": {}}), False),
    (changed(expires={"at_height": None}), False),
    (changed(extra={"k": 5}), False),
    (changed(flag=1), False),
    (changed(unknown=1), False),
    ({"create": {k: v for k, v in GOOD.items() if k != "owner"}}, False),
]


def test_the_schema_is_a_valid_one_of_draft_2020_12():
    schema = schema_of(EXECUTE, "ExecuteMsg")
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "ExecuteMsg"
    assert [v.get("required") for v in schema["oneOf"]] == [["create"], None, ["drop"], ["loose"]]
    assert schema["oneOf"][0]["description"] == "Make a task."
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize(("value", "valid"), CASES)
def test_schema_and_decoder_agree(value, valid):
    validator = jsonschema.Draft202012Validator(schema_of(EXECUTE))
    assert validator.is_valid(value) is valid
    raw = json.dumps(value).encode()
    if valid:
        decode_variant(raw, EXECUTE, "ExecuteMsg")
    else:
        with pytest.raises(ContractError):
            decode_variant(raw, EXECUTE, "ExecuteMsg")


def test_answers_and_plain_types():
    class Page(Answer):
        tasks: list[Task]
        next: str | None
        pair: tuple[int, str]
        either: int | str
        anything: object = None

    schema = schema_of(Page)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    good = {"tasks": [{"id": "a", "fee": "1"}], "next": None, "pair": [1, "x"], "either": "y"}
    assert validator.is_valid(good)
    assert decode(json.dumps(good).encode(), Page).pair == (1, "x")
    assert not validator.is_valid({**good, "pair": [1]})
    assert not validator.is_valid({**good, "tasks": None})
    assert schema["$defs"]["Task"]["description"] == "One piece of work."
    assert schema_of(str) == {"$schema": schema["$schema"], "type": "string"}
    assert schema_of(list[Uint128])["items"]["type"] == "string"


def test_a_type_that_contains_itself_ends():
    schema = schema_of(Tree)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert jsonschema.Draft202012Validator(schema).is_valid(
        {"value": "1", "below": [{"value": "2", "below": []}]}
    )


class Tree(Answer):
    """A tree."""

    value: Uint128
    below: list["Tree"]
