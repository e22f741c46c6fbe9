"""Cases C049 to C051: listings."""

from __future__ import annotations

import pytest
from token_world import TokenWorld


@pytest.fixture
def world() -> TokenWorld:
    """Two owners allow one spender."""
    made = TokenWorld({"owner1": 10, "owner2": 10})
    made.run(
        "owner1", "increase_allowance", spender="s", amount=7777, expires={"at_height": 123_456}
    )
    made.run("owner2", "increase_allowance", spender="s", amount=54_321)
    return made


def test_C049_a_spenders_allowances_are_listed_by_owner(world: TokenWorld) -> None:
    spender = world.account("s")
    lines = sorted(
        [
            {
                "owner": world.account("owner1"),
                "allowance": "7777",
                "expires": {"at_height": 123_456},
            },
            {"owner": world.account("owner2"), "allowance": "54321", "expires": {"never": {}}},
        ],
        key=lambda line: str(line["owner"]),
    )
    assert world.ask("all_spender_allowances", spender=spender)["allowances"] == lines
    first = world.ask("all_spender_allowances", spender=spender, limit=1)["allowances"]
    assert first == lines[:1]
    after = world.ask(
        "all_spender_allowances", spender=spender, start_after=lines[0]["owner"], limit=10_000
    )
    assert after["allowances"] == lines[1:]


def test_C050_accounts_are_listed_by_address() -> None:
    world = TokenWorld({"acct1": 12_340_000})
    for name, amount in (("acct2", 222_222), ("acct3", 333_333), ("acct4", 444_444)):
        world.run("acct1", "transfer", recipient=name, amount=amount)
    accounts = sorted(world.account(f"acct{n}") for n in (1, 2, 3, 4))
    assert world.ask("all_accounts")["accounts"] == accounts
    assert world.ask("all_accounts", limit=2)["accounts"] == accounts[:2]
    third = world.ask("all_accounts", start_after=accounts[1], limit=1)["accounts"]
    assert third == accounts[2:3]
    rest = world.ask("all_accounts", start_after=accounts[2], limit=777)["accounts"]
    assert rest == accounts[3:]


def test_C051_ten_by_default_thirty_at_most() -> None:
    world = TokenWorld({f"acct{n}": 1 for n in range(35)})
    assert len(world.ask("all_accounts")["accounts"]) == 10
    assert len(world.ask("all_accounts", limit=35)["accounts"]) == 30
    assert world.ask("all_accounts", limit=0)["accounts"] == []
