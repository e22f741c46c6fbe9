"""Funds and environment: rules FUND-1 to FUND-9."""

import json

import pytest
from scripted import call, plain, script, shape

from chain.std import Coin, Response
from chain.testing import message_info, mock_env


def test_FUND_1_attached_funds_are_there_at_once(world):
    seen = []

    def look(deps, env, info, msg):
        seen.append(deps.querier.query_balance(env.contract.address, "denom").amount)
        return Response()

    from chain.testing import Contract

    chain = world.chain
    code = chain.store_code(Contract(name="look", instantiate=look, execute=look))
    address = chain.instantiate(code, {}, sender=world.alice, label="l", funds="10denom")
    chain.execute(address, {}, sender=world.alice, funds="20denom")
    assert seen == [10, 30]


def test_FUND_2_without_the_transfer_the_contract_is_not_entered(world):
    result = world.run({"do": [["trap"]]}, funds="99999999denom")
    assert (result.codespace, result.code) == ("sdk", 5)


@pytest.mark.parametrize(
    ("funds", "log"),
    [
        ([("earth", 2), ("denom", 1)], "funds: denomination denom is not sorted"),
        ([("denom", 2), ("denom", 1)], "funds: duplicate denomination denom"),
        ([("denom", 2), ("earth", 1), ("denom", 1)], "funds: denomination denom is not sorted"),
        ([("denom", 2), ("denom", 0)], "funds: duplicate denomination denom"),
        ([("denom", 2), ("earth", 0)], "funds: coin earth amount is not positive"),
        ([("denom", -2), ("earth", 1)], "funds: coin -2denom amount is not positive"),
        ([("denom", 2), ("!", 1)], "funds: invalid denom: !"),
        ([("denom", 0)], "funds: coin 0denom amount is not positive"),
        ([("denom", 0), ("earth", 1)], "funds: coin 0denom amount is not positive"),
    ],
)
def test_FUND_3_top_level_funds_are_a_valid_list(world, funds, log):
    listed = [{"denom": denom, "amount": str(amount)} for denom, amount in funds]
    result = world.run(script(), funds=listed)
    assert (result.codespace, result.code, result.log) == ("undefined", 1, log)


def test_FUND_4_dispatched_funds_are_normalised(world):
    message = call(world.b, {"store_env": 1}, "0earth,3denom,4denom")
    assert world.run(script(messages=[plain(message)])).code == 0
    funds = json.loads(world.text(world.b, "info"))["funds"]
    assert funds == [{"denom": "denom", "amount": "7"}]


def test_FUND_4_an_invalid_denomination_is_an_error(world):
    assert world.run(script(messages=[plain(call(world.b, {}, "1d"))])).code != 0


def test_FUND_5_no_funds_no_bank_events(world):
    assert shape(world.run(script(), funds=[])) == [("execute", [("_contract_address", world.a)])]


def test_FUND_6_migrate_sudo_and_reply_take_no_funds(world):
    calls = {}

    def note(name):
        def entry(*arguments):
            calls[name] = len(arguments)
            return Response()

        return entry

    address = world.deploy(migrate=note("migrate"), sudo=note("sudo"))
    code = world.chain.contract_info(address).code_id
    world.chain.migrate(address, code, {}, sender=world.alice)
    world.chain.sudo(address, {})
    assert calls == {"migrate": 3, "sudo": 3}


def test_FUND_7_env_and_info_as_json(world):
    chain = world.chain
    chain.next_block()
    world.run({"store_env": 1}, funds="2denom")
    assert json.loads(world.text(world.a, "env")) == {
        "block": {"height": chain.height, "time": str(int(chain.time)), "chain_id": "msg-chain-1"},
        "transaction": {"index": 0},
        "contract": {"address": world.a},
    }
    assert json.loads(world.text(world.a, "info")) == {
        "sender": world.alice,
        "funds": [{"denom": "denom", "amount": "2"}],
    }


def test_FUND_8_the_defaults_of_the_mocks():
    env = mock_env()
    assert (env.block.height, int(env.block.time)) == (12345, 1571797419879305533)
    assert env.block.chain_id == "cosmos-testnet-14002"


def test_FUND_8_the_next_block_is_five_seconds_later(world):
    height, time = world.chain.height, int(world.chain.time)
    world.chain.next_block()
    assert (world.chain.height, int(world.chain.time)) == (height + 1, time + 5 * 10**9)


def test_FUND_8_a_message_info_of_the_mocks():
    info = message_info("creator", [Coin("earth", 5)])
    assert (info.sender, info.funds[0].denom, info.funds[0].amount) == ("creator", "earth", 5)
