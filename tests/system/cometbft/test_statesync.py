"""A fifth node joins from a snapshot of the others, without the blocks before it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from abci_app import command
from nets import PATIENCE

from chain.abci.homes import free_ports, new_key, write_config, write_home
from chain.abci.supervise import Net, Pair
from chain.app.snapshots import INTERVAL
from chain.client.rpc import RpcClient

pytestmark = [pytest.mark.cometbft, pytest.mark.long]


def test_a_fifth_node_joins_from_a_snapshot_though_a_peer_tampers_with_its_chunks(
    make_net: Callable[..., Net], cometbft: str
) -> None:
    kinds = ["tamper", "small-chunks", "small-chunks", "small-chunks"]
    commands = {f"node{index}": command(kind) for index, kind in enumerate(kinds)}
    net = make_net(4, block_time="200ms", commands=commands)
    assert net.wait_for(INTERVAL + 3, PATIENCE)
    homes = [pair.home for pair in net.pairs]
    client = RpcClient(homes[0].rpc)
    genesis = client.genesis()
    ports = free_ports(2, homes[-1].rpc_port + 1)
    folder = homes[0].folder.parent / "late"
    late = write_home(folder, "late", new_key("ed25519"), genesis, ports=(ports[0], ports[1]))
    write_config(late, [*homes, late], block_time="200ms")
    trusted = client.http.call("commit", height="2")["signed_header"]["commit"]["block_id"]["hash"]
    config = folder / "config" / "config.toml"
    servers = ",".join(home.rpc for home in homes)
    sync = {
        "enable": "true",
        "rpc_servers": f'"{servers}"',
        "trust_height": "2",
        "trust_hash": f'"{trusted}"',
        "trust_period": '"168h"',
        "discovery_time": '"5s"',
        "chunk_request_timeout": '"5s"',
    }
    lines = "\n".join(f"{key} = {value}" for key, value in sync.items())
    config.write_text(config.read_text() + f"[statesync]\n{lines}\n")
    for pair in net.pairs:
        write_config(pair.home, [*homes, late], block_time="200ms")
    joining = Pair(late, cometbft, command=command("small-chunks"))
    node = RpcClient(late.rpc)
    joining.start()
    try:
        end = time.monotonic() + PATIENCE
        earliest, height = 0, 0
        while time.monotonic() < end and (not earliest or height < earliest + 3):
            time.sleep(0.3)
            if joining.height():
                status = node.http.call("status")["sync_info"]
                earliest = int(status["earliest_block_height"])
                height = int(status["latest_block_height"])
        assert earliest > 1, "it has the blocks before the snapshot"
        said = (late.folder / "app.log").read_text()
        assert "not what the snapshot says" in said, "a tampered chunk was met and fetched again"
        ours, theirs = (
            n.http.call("commit", height=str(height - 1))["signed_header"]["header"]["app_hash"]
            for n in (node, client)
        )
        assert ours == theirs
        assert int(node.http.call("abci_info")["response"]["last_block_height"]) >= height - 1
    finally:
        joining.stop()
        node.close()
        client.close()
