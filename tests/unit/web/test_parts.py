"""Long lists on one page: a part of them, and the ways to the others."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from chain.block.types import Event
from chain.web import kit
from chain.web.history import Happened, History, Sums

NOTHING: tuple[Any, ...] = ()


@pytest.mark.parametrize(
    ("count", "first", "shown", "links"),
    [
        (0, None, (0, 0), []),
        (5, None, (0, 5), []),
        (10, None, (0, 10), []),
        (11, None, (0, 10), [("More", "10")]),
        (25, 10, (10, 20), [("Before", "0"), ("More", "20")]),
        (25, 20, (20, 25), [("Before", "10")]),
        (25, 3, (3, 13), [("Before", "0"), ("More", "13")]),
        (25, 10**17, (24, 25), [("Before", "14")]),
    ],
)
def test_a_part_and_its_neighbours(
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    first: int | None,
    shown: tuple[int, int],
    links: list[tuple[str, str]],
) -> None:
    drawn: list[tuple[str, str]] = []

    def more(context: Any, cursor: object, name: str, label: str) -> None:
        assert name == "tx"
        if cursor not in (None, ""):
            drawn.append((label, str(cursor)))

    monkeypatch.setattr(kit, "more", more)
    context: Any = SimpleNamespace(number=lambda name: first if name == "tx" else None)
    assert kit.part(context, range(count), "tx", 10) == range(*shown)
    assert drawn == links


class Source:
    """A node whose blocks all have so many transactions; counts what is asked."""

    def __init__(self, height: int, txs: int) -> None:
        self.forgotten: list[Any] = []
        self.asked = 0
        self.client: Any = self
        self._txs = txs
        self._status = SimpleNamespace(height=height, earliest_height=1)

    def status(self) -> Any:
        return self._status

    def block_results(self, height: int) -> dict[str, Any]:
        self.asked += 1
        one = {"code": 0, "gas_used": "7", "events": []}
        return {"txs_results": [one] * self._txs, "finalize_block_events": []}


def test_charts_look_at_fewer_blocks_where_they_are_full() -> None:
    quiet, busy = Source(1_000_000, 1), Source(1_000_000, 500)
    history: Any = History(quiet)  # type: ignore[arg-type]
    assert [one.height for one in history.recent(60)] == list(range(999_941, 1_000_001))
    full: list[Sums] = History(busy).recent(60)  # type: ignore[arg-type]
    assert [one.height for one in full] == list(range(999_996, 1_000_001))
    assert (full[0].txs, full[0].gas) == (500, 3_500)
    assert (quiet.asked, busy.asked) == (60, 5)
    history.recent(60)
    assert quiet.asked == 60


def test_what_is_remembered_of_blocks_is_bounded_by_events() -> None:
    source = Source(10, 0)
    history: Any = History(source)  # type: ignore[arg-type]
    events = [Event("x", ())] * 20_000
    for height in range(1, 9):
        history._keep(Happened(height, NOTHING, NOTHING, NOTHING, events))
    assert list(history._kept) == [7, 8]
    assert list(history._sums) == list(range(1, 9))
