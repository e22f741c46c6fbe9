"""Fixtures of the agent contracts' tests: one net a process, each test on a snapshot of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from agent_net import AgentNet


@pytest.fixture(scope="session")
def agent_net() -> AgentNet:
    """The net that tests share."""
    net = AgentNet()
    for name in ("alice", "bob", "carol", "dave"):
        net.account(name)
    net.later()
    return net


@pytest.fixture
def net(agent_net: AgentNet) -> Iterator[AgentNet]:
    """The shared net; what the test does is taken back."""
    before = agent_net.chain.snapshot()
    yield agent_net
    agent_net.chain.revert(before)


@pytest.fixture
def alice(net: AgentNet) -> str:
    """An account."""
    return net.account("alice")


@pytest.fixture
def bob(net: AgentNet) -> str:
    """An account."""
    return net.account("bob")


@pytest.fixture
def carol(net: AgentNet) -> str:
    """An account."""
    return net.account("carol")


@pytest.fixture
def dave(net: AgentNet) -> str:
    """An account."""
    return net.account("dave")
