"""Real CometBFT validators over real Apps, on loopback."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from nets import PATIENCE
from ports import first_port

from chain import wiring
from chain.abci.homes import ConsensusKey, Home, write_config, write_net
from chain.abci.supervise import STALL_SECONDS, MissingCometBFT, Net, Pair, find_cometbft


@pytest.fixture(scope="session")
def cometbft() -> str:
    try:
        return find_cometbft()
    except MissingCometBFT as error:
        if os.environ.get("MSGCHAIN_CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def make_net(
    cometbft: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Net]]:
    running: list[Net] = []

    def make(
        validators: int = 4,
        *,
        kind: str = "ed25519",
        block_time: str = "300ms",
        full_nodes: int = 0,
        commands: Mapping[str, Sequence[str]] | None = None,
        stall: float = STALL_SECONDS,
        chain_id: str = wiring.CHAIN_ID,
        keys: Sequence[ConsensusKey] = (),
        rpc_ports: Sequence[int] = (),
    ) -> Net:
        # a short path: a unix socket's has at most 107 bytes
        folder = Path(tmp_path_factory.mktemp("n", numbered=True))
        document = wiring.devnet_genesis(
            chain_id=chain_id, wallets=6, validators=0, time=time.time_ns()
        )
        homes = write_net(
            folder,
            document,
            validators=validators,
            full_nodes=full_nodes,
            kind=kind,
            first_port=first_port(),
            payouts=[wiring.dev_key(f"node{index}").address for index in range(validators)],
            keys=keys,
        )
        if rpc_ports:
            homes = [
                dataclasses.replace(home, rpc_port=port)
                for home, port in zip(homes, rpc_ports, strict=True)
            ]
        net = Net(
            [
                pair_of(home, homes, cometbft, block_time, (commands or {}).get(home.name, ()))
                for home in homes
            ],
            stall=stall,
        )
        running.append(net)
        net.start()
        assert net.wait_for(2, PATIENCE), said(net)
        return net

    yield make
    for net in running:
        net.stop()


def said(net: Net) -> str:
    """The heights, and the last words of each process."""
    parts = [str(net.heights())]
    for pair in net.pairs:
        for name in ("app.log", "node.log"):
            text = (pair.home.folder / name).read_text(errors="replace")
            parts.append(f"{pair.home.name} {name}: {text[-600:]}")
    return "\n".join(parts)


def pair_of(
    home: Home, homes: list[Home], binary: str, block_time: str, command: Sequence[str] = ()
) -> Pair:
    write_config(home, homes, block_time=block_time)
    return Pair(home, binary, command=command) if command else Pair(home, binary)
