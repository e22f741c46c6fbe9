"""CometBFT's own crash points around one block's commit: whatever is lost, the pair goes on."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from abci_calls import LETTERS, fits
from nets import PATIENCE
from ports import first_port

from chain import wiring
from chain.abci.homes import write_config, write_net
from chain.abci.supervise import Net, Pair
from chain.app.devnet import dev_wallet
from chain.cli.log_cometbft import records_of
from chain.client.rpc import RpcClient
from chain.client.wallet import Wallet
from chain.driver.log.replay import replay
from chain.wiring import replay_app

pytestmark = [pytest.mark.cometbft, pytest.mark.long]


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.1)
    return False


#: the App's log then has every call
TOLD = {"MSGCHAIN_LOG_LEVEL": "debug"}


def heard(log: Path) -> list[str]:
    """What the Apps of a home heard, in letters, from one handshake to the next."""
    calls = re.findall(r"call (\w+) ", log.read_text())
    letters = "".join(LETTERS.get(call, "") for call in calls)
    return re.findall(r"i[^i]*", letters)


@pytest.mark.parametrize("app_dies_too", [False, True], ids=["app-lives", "app-killed"])
def test_every_crash_point_recovers(cometbft: str, tmp_path: Path, app_dies_too: bool) -> None:
    document = wiring.devnet_genesis(wallets=2, validators=0, time=time.time_ns())
    (home,) = write_net(tmp_path, document, validators=1, first_port=first_port())
    write_config(home, [home], block_time="200ms")
    for point in range(11):
        crashing = Pair(home, cometbft, {"FAIL_TEST_INDEX": str(point), **TOLD})
        crashing.start()
        assert crashing.node is not None
        ended = crashing.node.poll
        assert wait_until(lambda end=ended: end() is not None, PATIENCE), (
            f"point {point} not reached"
        )
        crashing.stop(signal.SIGKILL if app_dies_too else signal.SIGTERM)
    net = Net([Pair(home, cometbft, TOLD)])
    net.start()
    try:
        assert net.wait_for(3, PATIENCE), net.heights()
        client = RpcClient(home.rpc)
        Wallet(dev_wallet(0), client).pay(dev_wallet(1).address, "1msg")
        last = client.height() - 1
        replay(list(records_of(client, last=last)), replay_app())
        client.close()
    finally:
        net.stop()
    rows = heard(home.folder / "app.log")
    assert len(rows) >= 12
    assert [row for row in rows if not fits(row)] == []
    assert any(row.count("F") > row.count("C") for row in rows), "some block was run twice"
