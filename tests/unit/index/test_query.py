"""The query language."""

from __future__ import annotations

import pytest

from chain.index.query import QueryError, parse, written_number

ERRORS = {
    "": "offset 0: EOF",
    "tx.height=": "offset 10: EOF",
    "nonsense": "offset 8: EOF",
    "tx.height=1 OR tx.height=2": "offset 12: got tag, want 6",
    "tx.height=1 AND": "offset 15: EOF",
    "tm.event='Tx": "offset 9: EOF",
    'tm.event="Tx"': 'offset 9: invalid input " at offset 10',
    "a.b CONTAINS 5": "offset 13: got number, wanted string",
    "a.b < 'x'": "offset 6: got string, wanted number, timestamp or datestamp",
    "'a'=1": "offset 0: got string, wanted tag",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_have_the_texts_of_cometbft(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert str(caught.value) == ERRORS[text]


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("a.b='x'", True),
        ("a.b='y'", False),
        ("a.b CONTAINS 'x'", True),
        ("a.b EXISTS", True),
        ("a.c EXISTS", False),
        ("a EXISTS", True),
        ("a.n=8", True),
        ("a.n>=7.5 AND a.n<9", True),
        ("a.n>8", False),
        ("a.t>TIME 2013-05-03T14:45:00Z", True),
        ("a.t<TIME 2013-05-03T14:45:00Z", False),
        ("a.d=DATE 2020-01-02", True),
        ("a.b='x' AND c.d='e'", True),
    ],
)
def test_conditions_hold_across_events(text: str, holds: bool) -> None:
    events = {
        "a.b": ["w", "x"],
        "a.n": ["8umsg"],
        "a.t": ["2021-01-01T00:00:00+01:00"],
        "a.d": ["2020-01-02"],
        "c.d": ["e"],
    }
    assert parse(text).matches(events) is holds


@pytest.mark.parametrize(
    ("value", "number"),
    [("8", 8), ("-8", -8), ("+8.5", 8.5), (".5", 0.5), ("1e3", 1000), ("8umsg", None), ("", None)],
)
def test_a_search_reads_whole_numbers_only(value: str, number: float | None) -> None:
    assert written_number(value) == number


def test_an_open_quote_after_a_condition_ends_the_query() -> None:
    assert parse("a.b='x''").text == "a.b = 'x'"
    with pytest.raises(QueryError, match="offset 4: EOF"):
        parse("a.b='x")
    with pytest.raises(QueryError, match="offset 7: got string, want 6"):
        parse("a.b='x''y'")


def test_white_space_does_not_matter() -> None:
    assert parse("tm.event = 'Tx'  AND a.b>5").text == parse("tm.event='Tx' AND a.b > 5").text
