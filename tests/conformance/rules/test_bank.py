"""Balances and supply: rules BANK-1 to BANK-11."""

import base64
import json

import pytest
from scripted import burn, call, coins, plain, script, send, shape, sub

from chain.std import Coin, Response


def asked(world, request):
    world.run({"do": [["query", request]]})
    line = (world.text(world.a, "log") or "").splitlines()[-1]
    return json.loads(line)


def answer(world, request):
    return json.loads(base64.b64decode(asked(world, request)["ok"]["ok"]))


def test_BANK_1_unknown_balances_are_zero_and_not_listed(world):
    chain = world.chain
    nobody = chain.account("nobody", "")
    assert chain.balance(nobody, "denom") == 0
    assert chain.balances(nobody) == []
    request = {"bank": {"balance": {"address": nobody, "denom": "zip"}}}
    assert answer(world, request) == {"amount": {"denom": "zip", "amount": "0"}}


def test_BANK_1_balances_are_sorted(world):
    rich = world.chain.account("rich", "3zzz,1abc,2mmm")
    assert [c.denom for c in world.chain.balances(rich)] == ["abc", "mmm", "zzz"]
    world.chain.send(rich, world.bob, "1abc")
    assert [c.denom for c in world.chain.balances(rich)] == ["mmm", "zzz"]


@pytest.mark.parametrize("amount", ["1denom,99999999earth", "99999999denom,1earth"])
def test_BANK_2_an_overdraw_changes_nothing(world, amount):
    before = world.chain.balances(world.alice)
    result = world.chain.try_send(world.alice, world.bob, amount)
    assert (result.codespace, result.code) == ("sdk", 5)
    assert world.chain.balances(world.alice) == before


def test_BANK_2_the_text_names_both_amounts(world):
    result = world.chain.try_send(world.bob, world.alice, "11denom")
    assert result.log.endswith(
        "spendable balance 10denom is smaller than 11denom: insufficient funds"
    )


def test_BANK_2_an_address_of_another_chain_is_named_as_the_bank_reads_it(world):
    cosmos = "cosmos19rqs2ezpjmgwzqqlqs2tzqlcvt472rx9yuvnah"
    text = "hrp does not match bech32 prefix: expected 'msg' got 'cosmos': internal logic error"
    for result in (
        world.chain.try_send(world.alice, cosmos, "1denom"),
        world.run(script(messages=[plain(send(cosmos, "1denom"))])),
    ):
        assert (result.codespace, result.code) == ("sdk", 7)
        assert result.log.endswith(f"invalid to address: {text}: invalid address")


def test_BANK_3_an_unknown_denomination_is_an_empty_balance(world):
    result = world.chain.try_send(world.bob, world.alice, "1nosuch")
    assert result.log.endswith(
        "spendable balance 0nosuch is smaller than 1nosuch: insufficient funds"
    )


def test_BANK_4_an_empty_send_is_nothing_and_zeros_are_refused(world):
    assert world.run(script(messages=[plain(send(world.bob, ""))])).code == 0
    result = world.run(script(messages=[plain(send(world.bob, "0denom"))]))
    assert (result.codespace, result.code) == ("sdk", 10)
    assert result.log.endswith(": invalid coins")


def test_BANK_5_duplicates_are_summed_then_checked(world):
    assert world.run(script(messages=[plain(send(world.bob, "400denom,600denom"))])).code == 0
    assert world.chain.balance(world.bob, "denom") == 1010
    assert world.run(script(messages=[plain(send(world.bob, "1denom,0denom"))])).code == 5


def test_BANK_6_a_send_to_oneself_changes_nothing(world):
    world.chain.send(world.alice, world.alice, "7denom")
    assert world.chain.balance(world.alice, "denom") == 7000


def test_BANK_7_a_burn_reduces_balance_and_supply(world):
    supply = world.chain.supply("denom")
    result = world.run(script(messages=[plain(burn("7denom"))]))
    assert world.chain.balance(world.a, "denom") == 993
    assert world.chain.supply("denom") == supply - 7
    module = "msg1xds4f0m87ajl3a6az6s2enhxrd0wta48x9yy83"
    amount = ("amount", "7denom")
    assert shape(result)[1:] == [
        ("coin_spent", [("spender", world.a), amount]),
        ("coin_received", [("receiver", module), amount]),
        ("transfer", [("recipient", module), ("sender", world.a), amount]),
        ("coin_spent", [("spender", module), amount]),
        ("burn", [("burner", module), amount]),
    ]


@pytest.mark.parametrize(
    ("amount", "code"),
    [("", ("wasm", 12)), ("0denom", None), ("1001denom", ("sdk", 5)), ("1zip", ("sdk", 5))],
)
def test_BANK_7_what_cannot_be_burned(world, amount, code):
    result = world.run(script(messages=[plain(burn(amount))]))
    assert result.code != 0
    assert code is None or (result.codespace, result.code) == code


@pytest.mark.parametrize("denom", ["abc", "a" * 128, "A1/:._-z"])
def test_BANK_8_good_denominations(world, denom):
    world.chain.fund(world.bob, [Coin(denom, 5)])
    assert world.chain.send(world.bob, world.alice, [Coin(denom, 1)]).code == 0


@pytest.mark.parametrize("denom", ["", "ab", "1abc", "a" * 129, "a b", "ab!", "äbc"])
def test_BANK_8_bad_denominations(world, denom):
    assert world.chain.try_send(world.alice, world.bob, [Coin(denom, 1)]).code != 0


@pytest.mark.parametrize("name", ["fee_collector", "distribution", "wasm"])
def test_BANK_9_module_accounts_receive_nothing(world, name):
    from chain.crypto.addresses import module_address

    module = module_address(name)
    result = world.run(script(messages=[plain(send(module, "1denom"))]))
    assert (result.codespace, result.code) == ("sdk", 4)
    assert result.log.endswith(f"{module} is not allowed to receive funds: unauthorized")
    assert world.chain.try_send(world.alice, module, "1denom").code == 4


def test_BANK_10_only_privileged_code_mints(world):
    message = {"bank": {"mint": {"amount": coins("5denom")}}}
    result = world.run(script(messages=[plain(message)]))
    assert (result.codespace, result.code) == ("wasm", 20)


def test_BANK_11_supply_is_the_sum_of_balances(world):
    everyone = [world.alice, world.bob, world.a, world.b, world.c]

    def holds():
        return sum(world.chain.balance(address, "denom") for address in everyone)

    assert holds() == world.chain.supply("denom")
    bad = call(world.b, script(messages=[plain(burn("5denom"))]), "3denom")
    world.run(script(messages=[sub(bad), plain(burn("2denom")), plain(send(world.bob, "9denom"))]))
    assert holds() == world.chain.supply("denom")


def test_BANK_1_a_contract_sees_all_balances_sorted(world):
    seen = []

    def execute(deps, env, info, msg):
        seen.extend(deps.querier.query_all_balances(world.alice))
        seen.append(deps.querier.query_supply("denom"))
        return Response()

    world.chain.execute(world.deploy(execute=execute), {}, sender=world.alice)
    assert [c.denom for c in seen] == ["amsg", "denom", "earth", "denom"]
