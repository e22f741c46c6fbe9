"""Cases C009 to C018: minting, and who may."""

from __future__ import annotations

from typing import Any

import pytest
from token_world import TokenWorld, attributes


@pytest.fixture
def world() -> TokenWorld:
    """Genesis holds 11223344; asmodat mints up to 511223344."""
    account = TokenWorld().account("asmodat")
    return TokenWorld({"genesis": 11_223_344}, mint={"minter": account, "cap": "511223344"})


def test_C009_the_minter_mints(world: TokenWorld) -> None:
    result = world.run("asmodat", "mint", recipient="winner", amount=222_222_222)
    winner = world.account("winner")
    assert sorted(attributes(result)) == sorted(
        [("action", "mint"), ("to", winner), ("amount", "222222222")]
    )
    assert (world.balance("winner"), world.balance("genesis")) == (222_222_222, 11_223_344)
    assert world.supply() == 233_445_566


def test_C010_minting_nothing_changes_nothing(world: TokenWorld) -> None:
    assert world.run("asmodat", "mint", recipient="winner", amount=0).code == 0
    assert (world.balance("winner"), world.supply()) == (0, 11_223_344)


def test_C011_the_cap_holds(world: TokenWorld) -> None:
    world.run("asmodat", "mint", recipient="winner", amount=222_222_222)
    result = world.run("asmodat", "mint", recipient="winner", amount=333_222_222)
    assert "Minting cannot exceed the cap" in result.log
    assert world.supply() == 233_445_566


def test_C013_without_a_minter_nobody_mints() -> None:
    world = TokenWorld()
    assert "Unauthorized" in world.run("addr1", "mint", recipient="winner", amount=222).log


def test_C014_the_minter_hands_over_and_the_cap_stays() -> None:
    account = TokenWorld().account("minter")
    world = TokenWorld({"a": 1234}, mint={"minter": account, "cap": "3000000"})
    result = world.run("minter", "update_minter", new_minter="newminter")
    new = world.account("newminter")
    assert ("new_minter", new) in attributes(result)
    assert world.ask("minter") == {"minter": new, "cap": "3000000"}
    assert "Unauthorized" in world.run("minter", "mint", recipient="a", amount=1).log
    assert world.run("newminter", "mint", recipient="a", amount=1).code == 0


def test_C015_others_do_not_update_the_minter(world: TokenWorld) -> None:
    assert "Unauthorized" in world.run("winner", "update_minter", new_minter="winner").log


def test_a_minter_given_up_is_gone_with_its_cap(world: TokenWorld) -> None:
    result = world.run("asmodat", "update_minter", new_minter=None)
    assert ("new_minter", "None") in attributes(result)
    assert world.ask("minter") is None
    assert "Unauthorized" in world.run("asmodat", "update_minter", new_minter="asmodat").log


def test_C017_burning_makes_room_below_the_cap() -> None:
    account = TokenWorld().account("m")
    world = TokenWorld({"a": 1000}, mint={"minter": account, "cap": "1000"})
    assert "cap" in world.run("m", "mint", recipient="a", amount=1).log
    assert world.run("a", "burn", amount=100).code == 0
    assert world.run("m", "mint", recipient="a", amount=100).code == 0
    assert "cap" in world.run("m", "mint", recipient="a", amount=1).log


def test_C018_an_unknown_address_holds_nothing(world: TokenWorld) -> None:
    assert world.balance("nobody") == 0


def test_minting_past_128_bits_panics() -> None:
    account = TokenWorld().account("m")
    world = TokenWorld({"a": (1 << 128) - 1}, mint={"minter": account, "cap": None})
    result: Any = world.run("m", "mint", recipient="a", amount=1)
    assert (result.codespace, result.code) == ("wasm", 29)
