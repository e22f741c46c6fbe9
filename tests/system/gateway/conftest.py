"""One devnet, agents that joined it by the command line, and two gateways.

Neither the gateways nor the ledger count requests here, so no test can use up another's.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from devnet_process import Devnet
from gateway_process import Agent, Gateway, Net
from many_messages import allow_many_messages

OFF = ("--requests-per-second", "0", "--messages-per-second", "0")


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Net]:
    folder = tmp_path_factory.mktemp("gateway")
    api_keys = folder / "api-keys"
    devnet = Devnet(folder / "home", "--block-time", "instant", "--no-ui")
    allow_many_messages(devnet.url)
    gateway = Gateway(folder / "one", devnet.url, api_keys, *OFF)
    other = Gateway(folder / "two", devnet.url, api_keys, *OFF)
    agents: dict[str, Agent] = {}
    found = Net(devnet, api_keys, folder, agents, gateway, other)
    for name in ("alice", "bob"):
        agents[name] = found.create(
            name, "--key", f"dev:{name}", "--join", "--capability", "charts"
        )
    yield found
    for one in (gateway, other):
        one.stop()
        assert "Traceback" not in one.errors, one.errors
        for agent in agents.values():
            assert agent.key.rpartition("_")[2] not in one.errors
    assert devnet.stop() == 0


@pytest.fixture(autouse=True)
def settled(net: Net) -> None:
    """Begin when both gateways know all that the tests before did."""
    net.settle()


@pytest.fixture
def alice(net: Net) -> Agent:
    return net.agents["alice"]


@pytest.fixture
def bob(net: Net) -> Agent:
    return net.agents["bob"]
