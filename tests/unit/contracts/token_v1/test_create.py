"""Cases C001 to C007: instantiation."""

from __future__ import annotations

from typing import Any

import pytest
from token_world import TokenWorld


def minter(world: TokenWorld, name: str, cap: int | None) -> dict[str, Any]:
    """The mint field."""
    return {"minter": world.account(name), "cap": None if cap is None else str(cap)}


def test_C001_a_token_without_minter() -> None:
    world = TokenWorld({"addr0000": 11_223_344})
    assert [
        e.type for e in world.made.events if "msg_index" in [a.key for a in e.attributes]
    ].count("wasm") == 0
    assert world.ask("token_info") == {
        "name": "Cash Token",
        "symbol": "CASH",
        "decimals": 9,
        "total_supply": "11223344",
    }
    assert world.balance("addr0000") == 11_223_344
    assert world.ask("minter") is None


def test_C002_a_token_with_minter_and_cap() -> None:
    account = TokenWorld().account("asmodat")
    world = TokenWorld({"addr0000": 11_223_344}, mint={"minter": account, "cap": "511223344"})
    assert world.ask("minter") == {"minter": account, "cap": "511223344"}
    assert world.supply() == 11_223_344


def test_C003_a_supply_above_the_cap_is_refused() -> None:
    account = TokenWorld().account("asmodat")
    world = TokenWorld({"addr0000": 11_223_344}, mint={"minter": account, "cap": "11223300"})
    assert "Initial supply greater than cap" in world.made.log
    assert world.token == ""


def test_C005_an_address_twice_is_refused() -> None:
    world = TokenWorld()
    twice = [{"address": world.account("addr1"), "amount": "1"}] * 2
    result = world.chain.try_instantiate(
        world.code,
        {"name": "Cash Token", "symbol": "CASH", "decimals": 9, "initial_balances": twice},
        sender=world.creator,
        label="t",
    )
    assert "Duplicate initial balance addresses" in result.log


@pytest.mark.parametrize("name", ["ab", "x" * 51, "é", "é" * 26])
def test_C006_a_name_has_3_to_50_bytes(name: str) -> None:
    text = "Name is not in the expected format (3-50 UTF-8 bytes)"
    assert text in TokenWorld(name=name).made.log


@pytest.mark.parametrize("name", ["abc", "x" * 50, "éa", "é" * 25])
def test_C006_names_at_the_bounds_are_taken(name: str) -> None:
    assert TokenWorld(name=name).ask("token_info")["name"] == name


@pytest.mark.parametrize("symbol", ["CASH", "a-b-", "abc", "ABCDEFGHIJKL"])
def test_C007_symbols_of_letters_and_hyphens(symbol: str) -> None:
    assert TokenWorld(symbol=symbol).ask("token_info")["symbol"] == symbol


@pytest.mark.parametrize(
    "symbol", ["ab", "ABCDEFGHIJKLM", "CA$H", "AB@", "AB[", "AB{", "AB1", "ABé"]
)
def test_C007_other_symbols_are_refused(symbol: str) -> None:
    text = "Ticker symbol is not in expected format [a-zA-Z\\-]{3,12}"
    assert text in TokenWorld(symbol=symbol).made.log


def test_more_than_18_decimals_are_refused() -> None:
    assert "Decimals must not exceed 18" in TokenWorld(decimals=19).made.log
    assert "Error parsing" in TokenWorld(decimals=256).made.log


def test_a_supply_above_128_bits_panics() -> None:
    world = TokenWorld({"addr1": (1 << 128) - 1, "addr2": 1})
    assert (world.made.codespace, world.made.code) == ("wasm", 29)


def test_the_contract_says_what_it_is_as_cw2_does() -> None:
    world = TokenWorld()
    raw = world.chain.query_raw(world.token, b"contract_info")
    assert raw == b'{"contract":"token_v1","version":"1.0.0"}'
