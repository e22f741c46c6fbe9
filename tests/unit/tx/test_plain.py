"""Messages as plain JSON: there and back, and what is refused."""

from __future__ import annotations

import json

import pytest

from chain.tx import messages as m
from chain.tx.plain import PlainError, from_plain, to_plain

COIN = {"denom": "msg", "amount": "5"}
EVERY = [
    {"type": "send", "from_address": "a", "to_address": "b", "amount": [COIN]},
    {
        "type": "multi_send",
        "inputs": [{"address": "a", "coins": [COIN]}],
        "outputs": [{"address": "b", "coins": [COIN]}],
    },
    {
        "type": "store",
        "sender": "a",
        "wasm_byte_code": "msgchain:x@00",
        "instantiate_permission": {"permission": 4, "addresses": ["b"]},
    },
    {
        "type": "instantiate",
        "sender": "a",
        "admin": "",
        "code_id": 1,
        "label": "l",
        "msg": {"x": [1, "é"]},
        "funds": [],
    },
    {
        "type": "instantiate2",
        "sender": "a",
        "admin": "b",
        "code_id": 1,
        "label": "l",
        "msg": {},
        "funds": [COIN],
        "salt": "AAE=",
        "fix_msg": True,
    },
    {"type": "execute", "sender": "a", "contract": "c", "msg": {"x": {}}, "funds": [COIN]},
    {"type": "migrate", "sender": "a", "contract": "c", "code_id": 2, "msg": {}},
    {"type": "update_admin", "sender": "a", "contract": "c", "new_admin": "b"},
    {"type": "clear_admin", "sender": "a", "contract": "c"},
    {"type": "update_label", "sender": "a", "contract": "c", "new_label": "b"},
    {"type": "update_params", "authority": "a", "params": {"gas_price": 1, "x": ["y"]}},
    {"type": "mint", "authority": "a", "to_address": "b", "amount": [COIN]},
    {
        "type": "update_validators",
        "authority": "a",
        "updates": [{"pubkey_type": "ed25519", "pubkey": "AAE=", "power": 1, "payout": ""}],
    },
    {"type": "dev_fund", "address": "a", "amount": [COIN]},
    {"type": "dev_sudo", "contract": "a", "msg": {}},
    {"type": "dev_set_params", "params": {}},
    {"type": "dev_time", "time_ns": 5},
    {"type": "dev_height", "height": 5},
    {"type": "dev_execute", "messages": [{"type": "clear_admin", "sender": "a", "contract": "c"}]},
]


@pytest.mark.parametrize("value", EVERY, ids=lambda value: value["type"])
def test_every_message_goes_there_and_back(value: dict[str, object]) -> None:
    shown = to_plain(from_plain(value))
    assert json.loads(json.dumps(shown)) == value


def test_every_message_is_here() -> None:
    kinds = {type(from_plain(value)) for value in EVERY}
    assert kinds == {*m.SIGNED, *m.DEV}


def test_type_urls_coin_text_and_defaults_are_taken() -> None:
    made = from_plain(
        {
            "type": "/cosmwasm.wasm.v1.MsgExecuteContract",
            "sender": "a",
            "contract": "c",
            "msg": {},
            "funds": "5msg,2utok",
        }
    )
    assert made == m.MsgExecuteContract(
        "a", "c", b"{}", (m.Coin("msg", m.Amount(5)), m.Coin("utok", m.Amount(2)))
    )


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "send",
        [],
        {},
        {"type": "nope"},
        {"type": "send"},
        {"type": "send", "from_address": 1, "to_address": "b", "amount": "1msg"},
        {"type": "send", "from_address": "a", "to_address": "b", "amount": "x"},
        {"type": "send", "from_address": "a", "to_address": "b", "amount": 5},
        {"type": "send", "from_address": "a", "to_address": "b", "amount": [{"denom": "x"}]},
        {"type": "clear_admin", "sender": "a", "contract": "c", "more": 1},
        {"type": "migrate", "sender": "a", "contract": "c", "code_id": "2", "msg": {}},
        {"type": "migrate", "sender": "a", "contract": "c", "code_id": 1 << 70, "msg": {}},
        {"type": "multi_send", "inputs": "x", "outputs": []},
        {"type": "multi_send", "inputs": ["x"], "outputs": []},
        {"type": "dev_execute", "messages": [{"type": "dev_time", "time_ns": 5}]},
        {"type": "update_params", "authority": "a", "params": {"x": 1.5}},
        {"type": "clear_admin", "sender": "\ud800", "contract": "c"},
    ],
)
def test_what_is_no_message_is_refused(value: object) -> None:
    with pytest.raises(PlainError):
        from_plain(value)
