"""Cases C057 to C071 with their values, and what of C075 to C079 applies."""

from __future__ import annotations

import pytest
from escrow_world import EscrowWorld, native

from chain.testing import QueryFailed
from contracts.escrow_v1.fund import add_holdings
from contracts.escrow_v1.state import Holding


def shown(result: object) -> list[tuple[str, str]]:
    """Attributes of the escrow's own event."""
    event = next(e for e in result.events if e.type == "wasm")  # type: ignore[attr-defined]
    return [(a.key, a.value) for a in event.attributes[1:] if a.key != "msg_index"]


def test_C057_the_arbiter_approves_once_and_the_id_is_free_again(world: EscrowWorld) -> None:
    world.create("100earth", end_height=123_456)
    before = world.coins("recd")
    result = world.run("arbiter", "approve", id="foobar")
    assert shown(result) == [("action", "approve"), ("id", "foobar"), ("to", world.addr["recd"])]
    assert world.coins("recd") == before + 100
    assert "not found" in world.run("arbiter", "approve", id="foobar").log
    assert world.create("1earth").code == 0


def test_C058_tokens_come_through_the_hook(world: EscrowWorld) -> None:
    hook = world.create_hook(cw20_whitelist=[world.other_token])
    assert world.send(world.token, 100, hook).code == 0
    details = world.details()
    assert details["cw20_whitelist"] == [world.other_token, world.token]
    assert details["source"] == world.addr["source"]
    assert details["cw20_balance"] == [{"address": world.token, "amount": "100"}]
    result = world.run("arbiter", "approve", id="foobar")
    token_event = [e for e in result.events if e.type == "wasm"][1]
    assert {a.key: a.value for a in token_event.attributes}["action"] == "transfer"
    assert world.tokens("recd", world.token) == 100
    assert "not found" in world.run("arbiter", "approve", id="foobar").log


def test_C059_something_must_be_sent(world: EscrowWorld) -> None:
    text = "Send some coins to create an escrow"
    assert text in world.create("").log
    assert text in world.send(world.token, 0, world.create_hook()).log


def test_C061_the_recipient_may_be_named_later(world: EscrowWorld) -> None:
    world.create(recipient=None)
    assert "Recipient is not set" in world.run("arbiter", "approve", id="foobar").log
    for other in ("source", "recd", "other"):
        refused = world.run(other, "set_recipient", id="foobar", recipient="recd")
        assert "Unauthorized" in refused.log
    result = world.run("arbiter", "set_recipient", id="foobar", recipient="recd")
    assert shown(result) == [
        ("action", "set_recipient"),
        ("id", "foobar"),
        ("recipient", world.addr["recd"]),
    ]
    before = world.coins("recd")
    world.run("arbiter", "approve", id="foobar")
    assert world.coins("recd") == before + 100


def test_C062_an_invalid_recipient_counts_as_none(world: EscrowWorld) -> None:
    assert world.create(recipient="nonsense").code == 0
    assert world.details()["recipient"] is None
    assert world.run("arbiter", "set_recipient", id="foobar", recipient="nonsense").code == 5


def test_C063_source_and_recipient_do_not_approve(world: EscrowWorld) -> None:
    world.create(end_height=world.chain.height)
    world.chain.next_block()
    for other in ("source", "recd"):
        assert "Unauthorized" in world.run(other, "approve", id="foobar").log
    assert "Escrow is expired" in world.run("arbiter", "approve", id="foobar").log


def test_C065_refunds_go_to_the_source(world: EscrowWorld) -> None:
    before = world.coins("source")
    world.create()
    assert "Unauthorized" in world.run("source", "refund", id="foobar").log
    assert world.run("arbiter", "refund", id="foobar").code == 0
    world.create(end_height=world.chain.height)
    assert "Unauthorized" in world.run("other", "refund", id="foobar").log
    world.chain.next_block()
    assert world.run("other", "refund", id="foobar").code == 0
    assert "not found" in world.run("other", "refund", id="foobar").log
    assert world.coins("source") == before


def test_C066_native_coins_add_up_in_the_order_they_came() -> None:
    first = (Holding("atom", 123), Holding("eth", 789))
    added = add_holdings(first, (Holding("atom", 456), Holding("btc", 12)))
    assert [(h.denom, h.amount) for h in added] == [("atom", 579), ("eth", 789), ("btc", 12)]


def test_C067_tokens_add_up_in_the_order_they_came() -> None:
    held: tuple[Holding, ...] = ()
    for token, amount in (("foo", 12_345), ("bar", 777), ("foo", 23_400)):
        held = add_holdings(held, (Holding(f"cw20:{token}", amount),))
    assert [(h.denom, h.amount) for h in held] == [("cw20:foo", 35_745), ("cw20:bar", 777)]


def test_C069_anybody_tops_up_also_after_the_end(world: EscrowWorld) -> None:
    world.create(end_height=world.chain.height)
    assert "Send some coins" in world.run("other", "top_up", id="foobar").log
    assert "not found" in world.run("other", "top_up", "1earth", id="nope").log
    world.chain.next_block()
    assert world.run("other", "top_up", "5earth,7mars", id="foobar").code == 0
    assert world.details()["native_balance"] == native((105, "earth"), (7, "mars"))
    refused = world.send(world.token, 5, {"top_up": {"id": "foobar"}})
    assert "Only accepts tokens in the cw20_whitelist" in refused.log


def test_C070_ids_are_listed_in_order(world: EscrowWorld) -> None:
    assert world.ids() == []
    for escrow_id in ("lazy", "assign", "zen"):
        world.create("1earth", escrow_id)
    assert world.ids() == ["assign", "lazy", "zen"]
    assert world.ask("list", limit=1)["escrows"] == ["assign"]
    assert world.ask("list", start_after="assign")["escrows"] == ["lazy", "zen"]


def test_C071_a_token_escrow_from_end_to_end(world: EscrowWorld) -> None:
    result = world.send(world.token, 1200, world.create_hook("demo"))
    events = [e for e in result.events if e.attributes and e.attributes[-1].key == "msg_index"]
    kinds = [e for e in events if e.type in ("execute", "wasm")]
    assert [e.type for e in kinds] == ["execute", "wasm", "execute", "wasm"]
    assert [len(e.attributes) for e in kinds if e.type == "wasm"] == [4 + 2, 2 + 2]
    assert world.tokens("source", world.token) == 3800
    assert world.tokens("escrow", world.token) == 1200
    world.run("arbiter", "approve", id="demo")
    assert world.tokens("recd", world.token) == 1200
    assert world.tokens("escrow", world.token) == 0


def test_C077_a_part_is_released(world: EscrowWorld) -> None:
    world.create("1000earth", end_height=1000)
    world.chain.set_height(999)
    before = world.coins("recd")
    result = world.run("arbiter", "partial_release", id="foobar", native=native((500, "earth")))
    assert shown(result)[0] == ("action", "partial_release")
    assert world.coins("recd") == before + 500
    assert world.details()["native_balance"] == native((500, "earth"))


@pytest.mark.parametrize(
    ("step", "open_still"), [(0, True), (1, False)], ids=["at the height", "above it"]
)
def test_the_end_height_itself_is_in_time(world: EscrowWorld, step: int, open_still: bool) -> None:
    world.create(end_height=1000)
    world.chain.set_height(1000 + step)
    assert (world.run("arbiter", "approve", id="foobar").code == 0) is open_still


@pytest.mark.parametrize(("nanos", "open_still"), [(0, True), (1, False)])
def test_the_end_time_itself_is_in_time(world: EscrowWorld, nanos: int, open_still: bool) -> None:
    end = world.chain.time // 1_000_000_000 + 100
    world.create(end_time=end)
    world.chain.set_time(end * 1_000_000_000 + nanos)
    assert (world.run("arbiter", "approve", id="foobar").code == 0) is open_still


def test_details_of_an_unknown_escrow_are_not_found(world: EscrowWorld) -> None:
    with pytest.raises(QueryFailed, match="not found"):
        world.details("nope")
