"""An account's newest transactions, however many it sent."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from chain.web.views.explorer import last_txs


class Node:
    """A node on which an account sent a transaction in some heights; counts what searches find."""

    def __init__(self, height: int, sent: list[int]) -> None:
        self.top, self.sent = height, sent
        self.looked = 0
        self.calls = 0

    def height(self) -> int:
        return self.top

    def tx_search(self, query: str, *, per_page: int, newest_first: bool) -> Any:
        match = re.fullmatch(r"message\.sender='msg1x' AND tx\.height > (\d+)", query)
        assert match is not None
        assert newest_first
        found = [height for height in self.sent if height > int(match[1])]
        self.looked += len(found)
        self.calls += 1
        return SimpleNamespace(txs=found[::-1][:per_page])


@pytest.mark.parametrize(
    ("height", "sent"),
    [
        (5, []),
        (5, [1, 2, 3]),
        (1_000_000, list(range(1, 1_000_001))),
        (1_000_000, list(range(1, 1_000_001, 1_000))),
        (1_000_000, [7]),
        (1_000_000, []),
    ],
)
def test_the_newest_are_found_without_looking_at_all(height: int, sent: list[int]) -> None:
    node = Node(height, sent)
    assert list(last_txs(node, "msg1x")) == sent[::-1][:10]  # type: ignore[arg-type]
    assert node.looked <= 10 * 8 * 2
    assert node.calls <= 8
