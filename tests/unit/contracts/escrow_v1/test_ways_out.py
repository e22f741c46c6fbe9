"""Every state has a way out: the rules that are ours."""

from __future__ import annotations

from typing import Any

import pytest
from escrow_world import EscrowWorld, native


def claims(world: EscrowWorld, name: str) -> list[tuple[str, str]]:
    """What waits for a person."""
    found = world.ask("claimable", address=world.addr[name])["claims"]
    return [(claim["denom"], claim["amount"]) for claim in found]


@pytest.mark.parametrize("name", ["approve", "refund"])
def test_an_end_time_beyond_64_bit_nanoseconds_locks_nothing(world: EscrowWorld, name: str) -> None:
    world.create(end_time=18_446_744_074)
    assert world.run("arbiter", name, id="foobar").code == 0
    assert world.coins("escrow") == 0


@pytest.mark.parametrize("name", ["approve", "refund"])
def test_a_token_that_does_not_exist_locks_nothing(world: EscrowWorld, name: str) -> None:
    hook = {"sender": world.addr["source"], "amount": "5", "msg": encoded(world.create_hook())}
    assert world.run("other", "receive", **hook).code == 0
    world.run("source", "top_up", "100earth", id="foobar")
    assert world.run("arbiter", name, id="foobar").code == 0
    assert world.coins("escrow") == world.held() == 0
    payee = "recd" if name == "approve" else "source"
    assert claims(world, payee) == [(f"cw20:{world.addr['other']}", "5")]


def test_a_token_that_never_moves_does_not_freeze_the_coins(world: EscrowWorld) -> None:
    world.pay_hostile(9, world.create_hook())
    world.run("source", "top_up", "100earth", id="foobar")
    world.chain.execute(world.hostile, {"break": True}, sender=world.addr["other"])
    before = world.coins("recd")
    assert world.run("arbiter", "approve", id="foobar").code == 0
    assert world.coins("recd") == before + 100
    denom = f"cw20:{world.hostile}"
    assert claims(world, "recd") == [(denom, "9")]
    assert "never moves" in world.run("recd", "claim", denom=denom).log
    world.chain.execute(world.hostile, {"break": False}, sender=world.addr["other"])
    assert world.run("recd", "claim", denom=denom, to="other").code == 0
    assert "Nothing to claim" in world.run("recd", "claim", denom=denom).log
    assert world.held(denom) == 0


def test_coins_attached_where_none_belong_stay_the_senders(world: EscrowWorld) -> None:
    world.create()
    before = world.coins("arbiter")
    world.run("arbiter", "set_recipient", "3earth", id="foobar", recipient="recd")
    world.run("arbiter", "approve", "4earth", id="foobar")
    world.create()
    world.run("arbiter", "refund", "5earth", id="foobar")
    assert world.coins("escrow") == world.held() == 12
    assert claims(world, "arbiter") == [("earth", "12")]
    world.run("arbiter", "claim", denom="earth")
    assert world.coins("arbiter") == before
    assert world.coins("escrow") == world.held() == 0


def test_coins_attached_to_a_hook_stay_the_callers(world: EscrowWorld) -> None:
    world.create()
    hook = {
        "sender": world.addr["source"],
        "amount": "5",
        "msg": encoded({"top_up": {"id": "foobar"}}),
    }
    assert "whitelist" in world.run("other", "receive", "6earth", **hook).log
    hook["msg"] = encoded(world.create_hook("second"))
    assert world.run("other", "receive", "6earth", **hook).code == 0
    assert claims(world, "other") == [("earth", "6")]


def test_no_order_in_one_block_pays_twice(world: EscrowWorld) -> None:
    world.create("100earth", end_height=world.chain.height)
    world.create("100earth", "twin", end_height=world.chain.height)
    for name in ("approve", "refund", "approve", "partial_release", "refund"):
        fields: dict[str, Any] = {"id": "foobar"}
        if name == "partial_release":
            fields["native"] = native((1, "earth"))
        world.run("arbiter", name, **fields)
    assert world.coins("escrow") == world.held() == 100
    assert world.ids() == ["twin"]


def test_an_open_id_is_taken(world: EscrowWorld) -> None:
    world.create()
    assert "Escrow id already in use" in world.create("5earth").log
    assert world.coins("escrow") == 100


def test_partial_releases_end_with_the_last_coin(world: EscrowWorld) -> None:
    world.send(world.token, 30, world.create_hook())
    world.run("source", "top_up", "100earth,7mars", id="foobar")
    token = [{"address": world.token, "amount": "30"}]
    world.run("arbiter", "partial_release", id="foobar", native=native((100, "earth")), cw20=token)
    assert world.details()["native_balance"] == native((7, "mars"))
    assert world.details()["cw20_balance"] == []
    assert world.tokens("recd", world.token) == 30
    world.run("arbiter", "partial_release", id="foobar", native=native((7, "mars")))
    assert world.ids() == []
    assert world.held("mars") == 0


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({}, "Name amounts above zero"),
        ({"native": native((0, "earth"))}, "Name amounts above zero"),
        ({"native": native((101, "earth"))}, "The escrow holds 100 of earth, asked for 101"),
        ({"native": native((60, "earth"), (41, "earth"))}, "The escrow holds 40 of earth"),
        ({"native": native((1, "mars"))}, "The escrow holds 0 of mars"),
    ],
)
def test_a_part_that_is_not_there_is_refused(
    world: EscrowWorld, fields: dict[str, Any], text: str
) -> None:
    world.create()
    assert text in world.run("arbiter", "partial_release", id="foobar", **fields).log
    assert world.details()["native_balance"] == native((100, "earth"))


def test_a_part_goes_out_under_the_terms_of_the_whole(world: EscrowWorld) -> None:
    part = {"id": "foobar", "native": native((1, "earth"))}
    assert "not found" in world.run("arbiter", "partial_release", **part).log
    world.create(recipient=None, end_height=world.chain.height)
    assert "Unauthorized" in world.run("source", "partial_release", **part).log
    assert "Recipient is not set" in world.run("arbiter", "partial_release", **part).log
    world.chain.next_block()
    assert "Escrow is expired" in world.run("arbiter", "partial_release", **part).log


def test_what_the_contract_pays_itself_waits_for_the_source(world: EscrowWorld) -> None:
    """cw20-escrow does it, and the money is locked there."""
    world.create(recipient=world.escrow)
    part = {"id": "foobar", "native": native((40, "earth"))}
    assert world.run("arbiter", "partial_release", **part).code == 0
    assert claims(world, "source") == [("earth", "40")]
    world.send(world.token, 7, world.create_hook("b", recipient=world.escrow))
    world.pay_hostile(5, world.create_hook("c", recipient=world.escrow))
    for escrow_id in ("foobar", "b", "c"):
        assert world.run("arbiter", "approve", id=escrow_id).code == 0
    assert world.ids() == []
    assert world.coins("escrow") == world.held() == 100
    token, hostile = f"cw20:{world.token}", f"cw20:{world.hostile}"
    assert world.held(token) == world.tokens("escrow", world.token) == 7
    assert world.held(hostile) == 5
    own = world.run("source", "claim", denom="earth", to=world.escrow)
    assert "The escrow contract cannot be paid itself" in own.log
    for denom in ("earth", token):
        assert world.run("source", "claim", denom=denom, to="other").code == 0
    assert world.coins("escrow") == world.held() == world.held(token) == 0


def test_a_whitelist_is_bounded(world: EscrowWorld) -> None:
    refused = world.create(cw20_whitelist=[world.token] * 51)
    assert "at most 50 coins and 50 tokens" in refused.log
    assert world.create(cw20_whitelist=[world.token] * 50).code == 0


def test_open_escrows_are_listed_with_what_they_hold(world: EscrowWorld) -> None:
    world.create("2msg,5earth", "a", end_height=world.chain.height)
    world.create("5earth", "b")
    lines = world.ask("list_open")["escrows"]
    assert [(line["id"], line["amount"]) for line in lines] == [("a", str(2 * 10**18)), ("b", "0")]
    world.chain.next_block()
    assert [line["expired"] for line in world.ask("list_open")["escrows"]] == [True, False]


def test_all_that_waits_is_listed(world: EscrowWorld) -> None:
    world.create()
    world.run("arbiter", "set_recipient", "3earth", id="foobar", recipient="recd")
    line = {"address": world.addr["arbiter"], "denom": "earth", "amount": "3"}
    assert world.ask("list_claimable")["claims"] == [line]


def test_messages_are_strict_as_cw20_escrows_are(world: EscrowWorld) -> None:
    assert "Error parsing" in world.create(extra=1).log
    assert "Error parsing" in world.run("arbiter", "release", id="foobar").log


def test_migration_keeps_open_escrows(world: EscrowWorld) -> None:
    code = world.chain.store_code("escrow_v1")
    admin = world.addr["arbiter"]
    made = world.chain.instantiate(code, {}, sender=admin, label="m", admin=admin, funds="3earth")
    world.escrow = made
    world.create()
    world.chain.migrate(made, world.chain.store_code("escrow_v1"), {}, sender=admin)
    assert world.ids() == ["foobar"]
    assert claims(world, "arbiter") == [("earth", "3")]


def encoded(hook: dict[str, Any]) -> str:
    """A hook message as base64."""
    import base64
    import json

    return base64.b64encode(json.dumps(hook).encode()).decode()
