"""JSON Schemas of contracts hold for real messages and refuse what the decoder refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from folders import contract
from jsonschema import Draft202012Validator

from chain.std import ParseError
from chain.std import json as cosmwasm_json
from chain.vm.contract import Contract
from chain.vm.sandbox.loader import load_folder
from chain.vm.sandbox.schema import contract_schema, write_schema
from contracts.registry import NAMES

MSG = """
from chain.std import Addr, Message, Uint128, Binary

class InstantiateMsg(Message):
    admin: str | None = None

class Transfer(Message):
    recipient: Addr
    amount: Uint128
    memo: str | None = None
    data: Binary | None = None

class Burn(Message):
    amount: Uint128

class Balance(Message):
    address: Addr

class BalanceResponse(Message):
    balance: Uint128

EXECUTE = (Transfer, Burn)
QUERY = (Balance,)
ANSWERS = {"balance": BalanceResponse}
"""

GOOD = [
    {"transfer": {"recipient": "a", "amount": "1"}},
    {"transfer": {"recipient": "a", "amount": "1", "memo": None, "data": "aGk="}},
    {"burn": {"amount": "340282366920938463463374607431768211455"}},
]
BAD: list[Any] = [
    {},
    {"transfer": {}},
    {"transfer": {"recipient": 1, "amount": "1"}},
    {"transfer": {"recipient": "a", "amount": 1}},
    {"transfer": {"recipient": "a", "amount": "1", "more": 1}},
    {"burn": {"amount": "1"}, "transfer": {"recipient": "a", "amount": "1"}},
    {"mint": {"amount": "1"}},
    [],
    "burn",
]


@pytest.fixture(scope="module")
def sample() -> Contract:
    return contract("from contracts.sample.msg import EXECUTE\n", msg=MSG)


@pytest.mark.parametrize("message", GOOD)
def test_what_the_decoder_takes_the_schema_takes(sample: Contract, message: Any) -> None:
    raw = json.dumps(message).encode()
    assert isinstance(sample.execute_msg, tuple)
    value = cosmwasm_json.decode_variant(raw, sample.execute_msg, "ExecuteMsg")
    Draft202012Validator(contract_schema(sample)["execute"]).validate(message)
    again = json.loads(cosmwasm_json.encode_variant(value))
    Draft202012Validator(contract_schema(sample)["execute"]).validate(again)


@pytest.mark.parametrize("message", BAD)
def test_what_the_decoder_refuses_the_schema_refuses(sample: Contract, message: Any) -> None:
    assert isinstance(sample.execute_msg, tuple)
    with pytest.raises(ParseError):
        cosmwasm_json.decode_variant(json.dumps(message).encode(), sample.execute_msg, "ExecuteMsg")
    assert not Draft202012Validator(contract_schema(sample)["execute"]).is_valid(message)


def test_files_are_named_like_cosmwasm_s(sample: Contract, tmp_path: Path) -> None:
    written = write_schema(sample, tmp_path / "schema")
    assert [path.name for path in written] == [
        "instantiate.json",
        "execute.json",
        "query.json",
        "response_to_balance.json",
    ]
    assert json.loads(written[1].read_text("utf-8")) == contract_schema(sample)["execute"]


def test_untyped_entry_points_have_no_schema() -> None:
    untyped = contract("def execute(deps, env, info, msg):\n    return msg\n")
    assert contract_schema(untyped) == {"answers": {}}


@pytest.mark.parametrize("name", NAMES)
def test_schemas_of_the_shipped_contracts_are_schemas(name: str) -> None:
    schemas = contract_schema(load_folder(name))
    assert {"instantiate", "execute", "query", "answers"} <= set(schemas)
    for schema in [*schemas.pop("answers").values(), *schemas.values()]:
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", NAMES)
def test_each_query_of_a_shipped_contract_has_an_answer(name: str) -> None:
    loaded = load_folder(name)
    assert isinstance(loaded.query_msg, tuple)
    assert set(loaded.answers) == {variant.variant for variant in loaded.query_msg}
