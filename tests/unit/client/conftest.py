"""One devnet in memory for the client's tests; every test brings accounts of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from chain.cli.demo_chain import LocalChain
from chain.client.agent import Agent, Owner
from chain.client.wallet import Wallet
from chain.crypto.keys import Secp256k1Key
from chain.wiring import dev_key

Actors = Callable[..., Agent]


def secret_of(name: str) -> bytes:
    return hashlib.sha256(f"client tests/{name}".encode()).digest()


@pytest.fixture(scope="session")
def chain() -> LocalChain:
    return LocalChain(None, [])


@pytest.fixture(scope="session")
def faucet(chain: LocalChain) -> Wallet:
    return Wallet(dev_key("faucet"), chain)


@pytest.fixture
def agent(chain: LocalChain, faucet: Wallet, request: pytest.FixtureRequest) -> Actors:
    """Makes agents with 200 MSG, by a name that is the test's own; joined unless told."""

    def make(name: str, *, joined: bool = True, **options: object) -> Agent:
        label = f"{request.node.name}/{name}"
        agent_id = f"{name}-{hashlib.sha256(label.encode()).hexdigest()[:8]}"
        made = Agent(secret_of(label), chain, chain.contracts, agent_id)
        faucet.pay(made.address, "200msg")
        if joined:
            made.join(**options)
        return made

    return make


@pytest.fixture
def owner(chain: LocalChain, faucet: Wallet, request: pytest.FixtureRequest) -> Owner:
    """A person with a wallet key and 10 MSG."""
    wallet = Wallet(Secp256k1Key(secret_of(f"{request.node.name}/owner")), chain)
    faucet.pay(wallet.address, "10msg")
    return Owner(wallet, chain.contracts)
