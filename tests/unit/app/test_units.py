"""Units and coin lists (CH-3, BANK-8, FUND-3, FUND-4)."""

from __future__ import annotations

import pytest
from app_world import coins

from chain.app.units import convert, list_error, query_denom, text, valid_denom
from chain.errors import AppError
from chain.std import Coin


@pytest.mark.parametrize("denom", ["amsg", "abc", "a" + "b" * 127, "ibc/27A", "a:b._-"])
def test_BANK_8_denominations(denom):
    assert valid_denom(denom)


@pytest.mark.parametrize("denom", ["", "ab", "1abc", "a" * 129, "a b", "äbc", "abc!"])
def test_BANK_8_what_is_no_denomination(denom):
    assert not valid_denom(denom)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("1aaa,2bbb", None),
        ("", None),
        ("2bbb,1aaa", "denomination aaa is not sorted"),
        ("1aaa,2aaa", "duplicate denomination aaa"),
        ("0aaa", "coin 0aaa amount is not positive"),
        ("1aaa,0bbb", "coin bbb amount is not positive"),
        ("1a", "invalid denom: a"),
    ],
)
def test_FUND_3_a_list_is_checked_as_sent(given, reason):
    assert list_error(coins(given)) == reason


def test_units_become_amsg_and_are_added_up():
    assert convert(coins("1amsg,2msg,3umsg")) == (Coin("amsg", 2 * 10**18 + 3 * 10**12 + 1),)


def test_FUND_4_conversion_sorts_and_drops_zeros():
    assert convert(coins("5mars,0earth,1amsg,5mars")) == (Coin("amsg", 1), Coin("mars", 10))


def test_amounts_beyond_256_bits_are_refused():
    for given in (f"{2**256}earth", f"1amsg,{2**256}earth"):
        with pytest.raises(AppError) as caught:
            convert(coins(given))
        assert (caught.value.codespace, caught.value.code) == ("sdk", 10)


def test_a_query_in_a_unit_is_divided():
    assert query_denom("umsg") == ("amsg", 10**12)
    assert query_denom("earth") == ("earth", 1)


def test_text_is_amount_then_denomination():
    assert text(coins("1amsg,2earth")) == "1amsg,2earth"
