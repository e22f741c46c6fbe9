"""Where a price comes from: the card by skill, the card, the price model, nothing."""

from __future__ import annotations

from typing import Any

import pytest
from task_world import EXTENSION, TaskWorld, card


def price(world: TaskWorld, skill: str = "charts") -> tuple[str, str, str, int]:
    """Amount, denomination, source, share."""
    asked = {"get_price": {"provider": "bob-agent", "skill": skill}}
    answer = world.chain.query(world.tasks, asked)
    share = answer["cancellation_share_bps"]
    return answer["price"], answer["denom"], answer["source"], share


def test_TK_1_a_skills_price_overrides_the_cards_default(world: TaskWorld) -> None:
    world.card("bob-agent", card(price="70", pricing={"charts": "90"}, cancellation_share_bps=5))
    assert price(world) == ("90", "amsg", "skill", 5)
    assert price(world, "maps") == ("70", "amsg", "card", 5)


def test_a_card_may_price_in_a_token(world: TaskWorld) -> None:
    world.card("bob-agent", card(price="70", denom="cw20:abc"))
    assert price(world)[:2] == ("70", "cw20:abc")


def test_the_bindings_fields_are_read_as_decimal_msg(world: TaskWorld) -> None:
    world.card(
        "bob-agent",
        {"x-lez-price": "0.5", "skills": [{"id": "maps", "x-lez-price": "5.0"}, 3]},
    )
    assert price(world) == (str(5 * 10**17), "amsg", "card", 0)
    assert price(world, "maps") == (str(5 * 10**18), "amsg", "skill", 0)


def test_without_a_card_the_price_model_holds(world: TaskWorld) -> None:
    assert price(world) == ("1000", "amsg", "price_model", 0)


def test_without_any_price_the_skill_is_free(world: TaskWorld) -> None:
    world.agent("bob-agent", owner=world.otto, address=world.bob, price=None)
    assert price(world) == ("0", "amsg", "none", 0)


@pytest.mark.parametrize(
    "nonsense",
    [
        "not json",
        [],
        5,
        {"capabilities": 1},
        {"capabilities": {"extensions": {}}},
        {"capabilities": {"extensions": [1, {"uri": EXTENSION, "params": 2}]}},
        card(price="-1"),
        card(price="1.5"),
        card(price=True),
        card(price="9" * 40),
        card(price=str(1 << 128)),
        card(price=[], pricing=[]),
        {"x-lez-price": "1.0000000000000000001"},
        {"x-lez-price": "1."},
        {"x-lez-price": ".5"},
        {"x-lez-price": 5},
        {"skills": {"id": "charts"}},
    ],
)
def test_a_card_that_cannot_be_read_says_nothing(world: TaskWorld, nonsense: Any) -> None:
    world.card("bob-agent", nonsense)
    assert price(world) == ("1000", "amsg", "price_model", 0)


@pytest.mark.parametrize("share", [-1, 10_001, "5", True, None])
def test_a_share_that_is_none_counts_as_zero(world: TaskWorld, share: Any) -> None:
    world.card("bob-agent", card(price="70", cancellation_share_bps=share))
    assert price(world) == ("70", "amsg", "card", 0)


def test_an_integer_price_in_a_card_is_read_too(world: TaskWorld) -> None:
    world.card("bob-agent", card(price=70))
    assert price(world)[0] == "70"
