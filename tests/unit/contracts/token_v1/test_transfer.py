"""Cases C019 to C031: transfer, burn, send."""

from __future__ import annotations

import base64
import json

import pytest
from token_world import TokenWorld, attributes

from chain.testing.mocks import message_info, mock_deps, mock_env
from contracts.token_v1.msg import Send
from contracts.token_v1.state import BALANCES
from contracts.token_v1.transfer import execute_send


@pytest.fixture
def world() -> TokenWorld:
    """addr1 holds 12340000."""
    return TokenWorld()


def test_C019_a_transfer_of_nothing_succeeds(world: TokenWorld) -> None:
    assert world.run("addr1", "transfer", recipient="addr2", amount=0).code == 0


def test_C021_an_empty_account_transfers_nothing(world: TokenWorld) -> None:
    result = world.run("addr2", "transfer", recipient="addr1", amount=76_543)
    assert "Overflow: Cannot Sub" in result.log
    assert world.balance("addr1") == 12_340_000


def test_C022_a_transfer_moves_tokens(world: TokenWorld) -> None:
    result = world.run("addr1", "transfer", recipient="addr2", amount=76_543)
    assert attributes(result) == [
        ("action", "transfer"),
        ("from", world.account("addr1")),
        ("to", world.account("addr2")),
        ("amount", "76543"),
    ]
    assert (world.balance("addr1"), world.balance("addr2")) == (12_263_457, 76_543)
    assert world.supply() == 12_340_000


def test_C023_a_transfer_to_oneself_changes_nothing(world: TokenWorld) -> None:
    assert world.run("addr1", "transfer", recipient="addr1", amount=76_543).code == 0
    assert world.balance("addr1") == 12_340_000


def test_C025_a_burn_of_nothing_changes_nothing(world: TokenWorld) -> None:
    assert world.run("addr1", "burn", amount=0).code == 0
    assert world.supply() == 12_340_000


def test_C026_nobody_burns_more_than_they_hold(world: TokenWorld) -> None:
    assert "Overflow" in world.run("addr1", "burn", amount=12_340_321).log
    assert world.supply() == 12_340_000


def test_C027_a_burn_lowers_balance_and_supply(world: TokenWorld) -> None:
    result = world.run("addr1", "burn", amount=76_543)
    assert attributes(result) == [
        ("action", "burn"),
        ("from", world.account("addr1")),
        ("amount", "76543"),
    ]
    assert world.balance("addr1") == world.supply() == 12_263_457


def test_C029_nobody_sends_more_than_they_hold(world: TokenWorld) -> None:
    result = world.run("addr1", "send", contract=world.hook, amount=12_340_321, msg={"accept": {}})
    assert "Overflow" in result.log


def test_C030_a_send_is_a_transfer_and_one_call_of_the_hook(world: TokenWorld) -> None:
    deps, addr1 = mock_deps(), world.account("addr1")
    from chain.std import Uint128
    from contracts.token_v1.state import TOKEN_INFO, TokenInfo

    TOKEN_INFO.save(
        deps.storage, TokenInfo("Cash Token", "CASH", 9, Uint128(12_340_000), None, None)
    )
    BALANCES.save(deps.storage, addr1, 12_340_000)
    asked = b'{"some":123}'
    response = execute_send(deps, mock_env(), message_info(addr1), Send(world.hook, 76_543, asked))
    assert BALANCES.load(deps.storage, addr1) == 12_263_457
    assert BALANCES.load(deps.storage, world.hook) == 76_543
    assert len(response.messages) == 1
    sent = response.messages[0]
    assert str(sent.reply_on) == "never"
    assert (sent.msg.contract_addr, sent.msg.funds) == (world.hook, ())
    assert json.loads(sent.msg.msg) == {
        "receive": {
            "sender": addr1,
            "amount": "76543",
            "msg": base64.b64encode(asked).decode(),
        }
    }


def test_C031_a_receiver_that_refuses_leaves_everything_as_it_was(world: TokenWorld) -> None:
    result = world.run(
        "addr1", "send", contract=world.hook, amount=5, msg={"fail": {"text": "not today"}}
    )
    assert "not today" in result.log
    assert (world.balance("addr1"), world.balance(world.hook)) == (12_340_000, 0)


@pytest.mark.parametrize("amount", ["+1", "007"])
def test_amounts_are_read_as_rust_reads_them(world: TokenWorld, amount: str) -> None:
    result = world.run("addr1", "transfer", recipient="addr2", amount=amount)
    assert ("amount", str(int(amount))) in attributes(result)


@pytest.mark.parametrize("amount", ["", "-1", "1.0", " 1", "1e3", "0x10", "１", str(1 << 128)])
def test_other_amounts_do_not_parse(world: TokenWorld, amount: str) -> None:
    result = world.run("addr1", "transfer", recipient="addr2", amount=amount)
    assert "Error parsing" in result.log


def test_unknown_fields_are_ignored_as_cw20_base_ignores_them(world: TokenWorld) -> None:
    assert world.run("addr1", "burn", amount=1, more="fields").code == 0
