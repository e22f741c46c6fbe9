"""When a pair is started again: a process is gone, or it stands while another goes on."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from chain.abci import supervise
from chain.abci.homes import Home
from chain.abci.supervise import Net, Pair


class Fake(Pair):
    """A pair without processes."""

    def __init__(self, folder: Path, name: str) -> None:
        super().__init__(Home(folder / name, name, "", 0, 0, True), "")
        self.at: int | None = 1
        self.up = True

    def start_app(self) -> None:
        self.restarts += 1
        self.up = True

    def start_node(self) -> None:
        pass

    def stop(self, how: int = 15) -> None:
        self.up = False

    def alive(self) -> bool:
        return self.up

    def height(self) -> int | None:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(supervise, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.fixture
def net(tmp_path: Path) -> Net:
    return Net([Fake(tmp_path, name) for name in ("a", "b")], stall=10)


def standing(net: Net) -> list[str]:
    return [pair.home.name for pair in net._standing()]


@pytest.mark.parametrize("height", [1, None], ids=["answers", "silent"])
def test_a_pair_that_stands_while_another_goes_on_is_named_at_longer_and_longer_intervals(
    net: Net, clock: list[float], height: int | None
) -> None:
    one, other = net.pairs
    found = []
    one.at = height
    for second in range(100):
        clock[0], other.at = float(second), second + 1
        if standing(net):
            found.append(second)
    assert found == [11, 32, 73]


def test_a_net_that_stands_as_a_whole_is_left_alone(net: Net, clock: list[float]) -> None:
    for second in range(100):
        clock[0] = float(second)
        assert standing(net) == []


def test_a_silent_pair_whose_app_writes_is_replaying(
    net: Net, clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = net.pairs
    one.at = None
    monkeypatch.setattr(one, "wrote", lambda: clock[0])
    for second in range(100):
        clock[0], other.at = float(second), second + 1
        assert standing(net) == []


def test_a_held_pair_stays_down_and_another_is_started_again(net: Net) -> None:
    one, other = net.pairs
    net.hold("a")
    net._again([one], "lost a process")
    assert one.restarts == -1
    other.up = False
    net._again([one, other], "lost a process")
    assert other.restarts == 0
    net.resume("a")
    assert one.up
