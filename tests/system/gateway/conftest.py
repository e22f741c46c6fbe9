"""One devnet, agents that joined it by the command line, and two gateways.

Neither the gateways nor the ledger count requests here, so no test can use up another's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from devnet_process import Devnet
from gateway_process import Agent, Gateway, Net
from many_messages import allow_many_messages

OFF = ("--requests-per-second", "0", "--messages-per-second", "0")


@pytest.fixture(scope="module")
def net(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Net]:
    folder = tmp_path_factory.mktemp("gateway")
    api_keys = folder / "api-keys"
    agents: dict[str, Agent] = {}
    a2a = getattr(request.module, "A2A", False)
    options = (*OFF, "--grpc-port", "0") if a2a else (*OFF, "--no-a2a")
    with ExitStack() as running:
        devnet = Devnet(folder / "home", "--block-time", "instant", "--no-ui")
        running.callback(devnet.stop)
        allow_many_messages(devnet.url)
        gateways = []
        for name in ("one", "two"):
            gateways.append(Gateway(folder / name, devnet.url, api_keys, *options))
            running.callback(gateways[-1].stop)
        found = Net(devnet, api_keys, folder, agents, *gateways)
        for name in ("alice", "bob"):
            agents[name] = found.create(
                name, "--key", f"dev:{name}", "--join", "--capability", "charts"
            )
        yield found
    for gateway in gateways:
        assert "Traceback" not in gateway.errors, gateway.errors
        for agent in agents.values():
            assert agent.key.rpartition("_")[2] not in gateway.errors
    assert devnet.process.returncode == 0


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
