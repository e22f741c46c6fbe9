"""Cases C033 to C047: allowances."""

from __future__ import annotations

from typing import Any

import pytest
from token_world import TokenWorld, attributes

HEIGHT = {"at_height": 123_456}
NEVER: dict[str, Any] = {"never": {}}


@pytest.fixture
def world() -> TokenWorld:
    """owner holds 999999; height 12345."""
    made = TokenWorld({"owner": 999_999})
    made.chain.set_height(12_345)
    return made


def give(world: TokenWorld, amount: int, expires: Any = None, spender: str = "spender") -> Any:
    """Increase an allowance of the owner's."""
    return world.run("owner", "increase_allowance", spender=spender, amount=amount, expires=expires)


def test_C033_to_C035_an_allowance_grows_and_shrinks(world: TokenWorld) -> None:
    give(world, 7777, HEIGHT)
    assert world.allowance("owner", "spender") == {"allowance": "7777", "expires": HEIGHT}
    world.run("owner", "decrease_allowance", spender="spender", amount=4444)
    assert world.allowance("owner", "spender") == {"allowance": "3333", "expires": HEIGHT}
    later = {"at_time": "8888888888000000000"}
    give(world, 87_654, later)
    assert world.allowance("owner", "spender") == {"allowance": "90987", "expires": later}


def test_C037_allowances_are_independent(world: TokenWorld) -> None:
    give(world, 7777, HEIGHT)
    give(world, 87_654, NEVER, "spender2")
    assert world.allowance("spender", "spender2")["allowance"] == "0"
    later = {"at_time": "3767626296000000000"}
    world.run("spender", "increase_allowance", spender="spender2", amount=1821, expires=later)
    assert world.allowance("spender", "spender2") == {"allowance": "1821", "expires": later}
    assert world.allowance("owner", "spender") == {"allowance": "7777", "expires": HEIGHT}
    assert world.allowance("owner", "spender2") == {"allowance": "87654", "expires": NEVER}


@pytest.mark.parametrize("name", ["increase_allowance", "decrease_allowance"])
def test_JSON_11_never_ignores_what_it_holds_as_cw20_base_does(
    world: TokenWorld, name: str
) -> None:
    give(world, 7777, HEIGHT)
    ends = {"never": {"more": ["fields"]}}
    assert world.run("owner", name, spender="spender", amount=1, expires=ends).code == 0
    assert world.allowance("owner", "spender")["expires"] == NEVER


@pytest.mark.parametrize("ends", [{}, {"never": None}, {"never": []}, {"never": {}, "more": 1}])
def test_JSON_11_an_end_is_exactly_one_variant(world: TokenWorld, ends: Any) -> None:
    assert "Error parsing" in give(world, 1, ends).log


@pytest.mark.parametrize("name", ["increase_allowance", "decrease_allowance"])
def test_C038_nobody_allows_oneself(world: TokenWorld, name: str) -> None:
    assert "Cannot set to own account" in world.run("owner", name, spender="owner", amount=7777).log


def test_C039_transfer_from_uses_the_allowance(world: TokenWorld) -> None:
    give(world, 77_777)
    result = world.run("spender", "transfer_from", owner="owner", recipient="rcpt", amount=44_444)
    shown = attributes(result)
    assert [key for key, _ in shown] == ["action", "from", "to", "by", "amount"]
    assert shown[0] == ("action", "transfer_from")
    assert (world.balance("owner"), world.balance("rcpt")) == (955_555, 44_444)
    assert world.allowance("owner", "spender")["allowance"] == "33333"


USES: list[tuple[str, dict[str, Any]]] = [
    ("transfer_from", {"recipient": "rcpt"}),
    ("burn_from", {}),
    ("send_from", {"msg": {"accept": {}}}),
]


@pytest.mark.parametrize(("name", "fields"), USES)
def test_C041_an_allowance_is_over_at_its_height_whatever_the_amount(
    world: TokenWorld, name: str, fields: dict[str, Any]
) -> None:
    give(world, 77_777)
    give(world, 1000, {"at_height": 12_346})
    if name == "send_from":
        fields = {**fields, "contract": world.hook}
    world.chain.set_height(12_346)
    result = world.run("spender", name, owner="owner", amount=333_443, **fields)
    assert "Allowance is expired" in result.log


def test_C042_burn_from_lowers_the_supply(world: TokenWorld) -> None:
    give(world, 77_777)
    world.run("spender", "burn_from", owner="owner", amount=44_444)
    assert world.balance("owner") == world.supply() == 955_555
    assert world.allowance("owner", "spender")["allowance"] == "33333"
    assert "Overflow" in world.run("spender", "burn_from", owner="owner", amount=33_443).log


def test_C043_send_from_calls_the_hook_with_the_spender_as_sender(world: TokenWorld) -> None:
    give(world, 77_777)
    result = world.run(
        "spender",
        "send_from",
        owner="owner",
        contract=world.hook,
        amount=44_444,
        msg={"accept": {}},
    )
    hook = [e for e in result.events if e.type == "wasm"][1]
    shown = {a.key: a.value for a in hook.attributes}
    assert (shown["from"], shown["amount"]) == (world.account("spender"), "44444")
    assert (world.balance("owner"), world.balance(world.hook)) == (955_555, 44_444)
    more = {"owner": "owner", "contract": world.hook, "amount": 33_443, "msg": {"accept": {}}}
    assert "Overflow" in world.run("spender", "send_from", **more).log


def test_C045_without_an_allowance_nothing_moves(world: TokenWorld) -> None:
    result = world.run("spender", "transfer_from", owner="owner", recipient="rcpt", amount=1)
    assert "No allowance for this account" in result.log


def test_C046_a_used_up_allowance_stays_listed(world: TokenWorld) -> None:
    give(world, 5)
    world.run("spender", "transfer_from", owner="owner", recipient="rcpt", amount=5)
    listed = world.ask("all_allowances", owner=world.account("owner"))["allowances"]
    assert [line["allowance"] for line in listed] == ["0"]


def test_C047_migration_keeps_allowances(world: TokenWorld) -> None:
    give(world, 7777, HEIGHT)
    code = world.chain.store_code("token_v1")
    world.chain.migrate(world.token, code, {}, sender=world.creator)
    owner, spender = world.account("owner"), world.account("spender")
    assert world.ask("all_allowances", owner=owner)["allowances"] == [
        {"spender": spender, "allowance": "7777", "expires": HEIGHT}
    ]
    assert world.ask("all_spender_allowances", spender=spender)["allowances"] == [
        {"owner": owner, "allowance": "7777", "expires": HEIGHT}
    ]


def test_an_end_that_has_come_is_refused(world: TokenWorld) -> None:
    assert "Invalid expiration value" in give(world, 5, {"at_height": 12_345}).log
    now = str(world.chain.time)
    assert "Invalid expiration value" in give(world, 5, {"at_time": now}).log
    give(world, 5)
    lower = {"spender": "spender", "amount": 1, "expires": {"at_height": 1}}
    assert "Invalid expiration value" in world.run("owner", "decrease_allowance", **lower).log


def test_an_allowance_lowered_to_nothing_disappears_whatever_its_end(world: TokenWorld) -> None:
    give(world, 5)
    lower = {"spender": "spender", "amount": 5, "expires": {"at_height": 1}}
    assert world.run("owner", "decrease_allowance", **lower).code == 0
    assert world.ask("all_allowances", owner=world.account("owner"))["allowances"] == []
    assert "not found" in world.run("owner", "decrease_allowance", spender="spender", amount=1).log


@pytest.mark.parametrize(
    "expires", [{}, {"never": None}, "never", {"at_week": 1}, {"never": {}, "at_height": 5}]
)
def test_an_end_is_exactly_one_of_three(world: TokenWorld, expires: Any) -> None:
    assert "Error parsing" in give(world, 5, expires).log
