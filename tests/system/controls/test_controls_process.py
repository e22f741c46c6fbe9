"""The controls of a devnet that runs as a process of its own, over its RPC."""

from __future__ import annotations

import base64
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from devnet_process import Devnet

from chain import wiring
from chain.app.devnet import dev_key, dev_wallet
from chain.cli.node import node
from chain.client.control import Control, NotADevnet
from chain.client.jsonrpc import RpcFailed
from chain.client.rpc import RpcClient
from chain.client.transport import TimedOut, TxFailed
from chain.client.wallet import Wallet
from chain.driver.log.record import unpack
from chain.driver.log.replay import replay
from chain.tx.builder import coins
from chain.tx.messages import MsgSend

ALICE = dev_key("alice").address
BOB = dev_key("bob").address
TOKEN = wiring.dev_contract("token_v1")
MSG = 10**18


def transfer(amount: int = 5) -> dict[str, Any]:
    msg = {"transfer": {"recipient": BOB, "amount": str(amount)}}
    return {"type": "execute", "sender": ALICE, "contract": TOKEN, "msg": msg}


class World:
    """A devnet, its controls and a client."""

    def __init__(self, home: Path, *options: str) -> None:
        self.devnet = Devnet(home, *options)
        self.client = RpcClient(self.devnet.url, timeout=10)
        self.control = Control(self.client.http)

    def close(self) -> None:
        self.client.close()
        self.devnet.stop()

    def replayed(self) -> bytes:
        """The app hash that a replay of the node's log gives."""
        found = self.client.http.call("msgchain_records", first=0, limit=10_000)
        records = (unpack(base64.b64decode(raw), "the log") for raw in found["records"])
        return replay(records, wiring.replay_app()).app_hash

    def app_hash(self) -> bytes:
        return bytes.fromhex(self.control.status()["app_hash"])


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("controls") / "home", "--block-time", "manual")
    yield made
    made.close()


@pytest.fixture
def world(shared: World) -> Iterator[World]:
    """The shared node, taken back after each test."""
    number = shared.control.snapshot()
    yield shared
    shared.control.revert(number)


def test_revert_undoes_everything_that_came_after(world: World) -> None:
    control, client = world.control, world.client
    before = control.status()
    number = control.snapshot()
    paid = control.faucet(BOB, "7msg")
    control.set_time("2035-01-01T00:00:00Z")
    control.impersonate([transfer()])
    control.mine(5, "1h")
    wallet = Wallet(dev_wallet(0), client)
    client.broadcast_sync(wallet.sign([_send(wallet.address)], 200_000))
    assert control.status()["waiting"] == 1
    assert control.revert(number) == int(before["height"])
    after = control.status()
    for name in ("height", "app_hash", "block_time", "waiting", "clock_offset", "paused"):
        assert after[name] == before[name], name
    assert client.tx(paid.hash) is None
    assert client.balance(BOB) == 10**6 * MSG
    assert client.height() == int(before["height"])


def _send(sender: str) -> Any:
    return MsgSend(sender, BOB, coins("1msg"))


def test_replay_after_controls_gives_the_same_hash(world: World) -> None:
    control = world.control
    control.faucet(BOB, "7msg")
    number = control.snapshot()
    control.mine(3, 5)
    control.revert(number)
    control.advance_time("2h")
    control.impersonate([transfer(), transfer(7)])
    control.set_params({"gas_price": 5})
    control.sudo(wiring.dev_contract("agent_registry_v1"), {"begin_block": {}})
    assert world.replayed() == world.app_hash()


def test_a_failed_step_is_said_and_is_in_the_log(world: World) -> None:
    with pytest.raises(TxFailed, match=r"verflow|nsufficient"):
        world.control.impersonate([transfer(10**15)])
    with pytest.raises(TxFailed, match="there is no parameter nope"):
        world.control.set_params({"nope": 1})
    assert world.replayed() == world.app_hash()


def test_time_goes_on_from_where_it_was_set(world: World) -> None:
    world.control.set_time("2040-01-01T00:00:00Z")
    time.sleep(0.05)
    assert world.control.mine().time.startswith("2040-01-01T00:00:00.")
    with pytest.raises(RpcFailed, match="time moves forward only"):
        world.control.set_time("2039-01-01T00:00:00Z")


def test_a_trace_shows_calls_gas_storage_and_events(world: World) -> None:
    done = world.control.impersonate([transfer(11)])
    world.control.impersonate([transfer(12)])
    world.control.mine(3)
    trace = world.control.trace(done.hash)
    assert (trace["hash"], trace["height"]) == (done.hash, str(done.height))
    assert trace["gas_used"] == done.gas_used
    call = trace["steps"][0]
    assert (call["kind"], call["contract"]) == ("execute", TOKEN)
    assert [step["operation"] for step in call["steps"]] == ["get", "set", "get", "set"]
    assert [event["type"] for event in call["events"]] == ["execute", "wasm"]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("revert", {"id": 10**6}),
        ("revert", {}),
        ("revert", {"id": "x"}),
        ("setTime", {}),
        ("setTime", {"time": "yesterday"}),
        ("setTime", {"time": 1 << 80}),
        ("setTime", {"time": {"a": []}}),
        ("advanceTime", {"seconds": -5}),
        ("advanceTime", {"seconds": "x"}),
        ("mine", {"blocks": 0}),
        ("mine", {"blocks": 1 << 62}),
        ("mine", {"interval": "-5s"}),
        ("setBlockTime", {"block_time": "never"}),
        ("setBlockTime", {"block_time": 0}),
        ("faucet", {}),
        ("faucet", {"address": BOB, "amount": "-5msg"}),
        ("faucet", {"address": BOB, "amount": "1" * 5_000 + "msg"}),
        ("impersonate", {}),
        ("impersonate", {"messages": [transfer()], "gas_limit": -1}),
        ("impersonate", {"messages": [[]]}),
        ("sudo", {"contract": TOKEN}),
        ("setParams", {"params": [1]}),
        ("dumpState", {"piece": 7}),
        ("loadState", {"data": "!"}),
        ("loadState", {"piece": 5, "pieces": 2, "data": "AAAA"}),
        ("traceTransaction", {"hash": "AAAA"}),
        ("traceTransaction", {}),
        ("traceCall", {"tx": "AAAA"}),
    ],
)
def test_nonsense_is_refused_and_changes_nothing(
    world: World, name: str, values: dict[str, Any]
) -> None:
    before = world.control.status()
    with pytest.raises(RpcFailed) as caught:
        world.control.call(name, **values)
    assert "failed; see its log" not in str(caught.value)
    after = world.control.status()
    assert (after["height"], after["app_hash"]) == (before["height"], before["app_hash"])


def test_a_dump_goes_on_elsewhere_with_the_same_hashes(world: World, tmp_path: Path) -> None:
    world.control.impersonate([transfer(3)])
    world.control.set_time("2036-01-01T00:00:00Z")
    raw = b"".join(world.control.dump())
    other = World(tmp_path / "other", "--block-time", "manual", "--chain-id", "other-1")
    try:
        other.control.mine(9)
        found = other.control.load(raw)
        assert found["chain_id"] == "msg-chain-1"
        for one in (world, other):
            one.control.set_time("2037-01-01T00:00:00Z")
            one.control.mine(2, "10s")
        last = world.client.height()
        assert other.client.height() == last
        assert other.client.block(last).hash == world.client.block(last).hash
        assert other.app_hash() == world.app_hash() == other.replayed()
        # and after a restart of the loaded node
        other.devnet.stop(signal.SIGKILL)
        other.client.close()
        again = World(tmp_path / "other", "--block-time", "manual")
        assert again.client.block(last).hash == world.client.block(last).hash
        assert again.client.chain_id == "msg-chain-1"
        again.close()
    finally:
        other.close()


@pytest.mark.parametrize("change", [lambda raw: raw[:-9], lambda raw: b"x" * 100])
def test_a_damaged_dump_leaves_the_chain_alone(world: World, change: Any) -> None:
    before = world.control.status()
    raw = b"".join(world.control.dump())
    with pytest.raises(RpcFailed, match="dump"):
        world.control.load(change(raw))
    after = world.control.status()
    assert (after["height"], after["app_hash"]) == (before["height"], before["app_hash"])


def test_pause_and_resume_over_the_clock(tmp_path: Path) -> None:
    world = World(tmp_path / "home", "--block-time", "100ms")
    try:
        world.devnet.wait_for_height(3)
        world.control.pause()
        height = world.client.height()
        time.sleep(0.5)
        assert world.client.height() == height
        with RpcClient(world.devnet.url, timeout=0.5) as client:
            wallet = Wallet(dev_wallet(0), client)
            with pytest.raises(TimedOut):
                wallet.send([_send(wallet.address)], gas_limit=200_000)
        world.control.mine()
        assert world.client.height() == height + 1
        world.control.resume()
        world.devnet.wait_for_height(height + 3)
        world.control.set_block_time("manual")
        assert world.control.status()["pace"] == "manual"
        assert world.replayed() == world.app_hash()
    finally:
        world.close()


def test_a_kill_after_controls_loses_nothing(tmp_path: Path) -> None:
    world = World(tmp_path / "home", "--block-time", "manual")
    number = world.control.snapshot()
    world.control.mine(4)
    world.control.revert(number)
    world.control.set_time("2033-01-01T00:00:00Z")
    world.control.faucet(BOB, "3msg")
    before = world.control.status()
    world.devnet.stop(signal.SIGKILL)
    world.client.close()
    again = World(tmp_path / "home", "--block-time", "manual")
    try:
        after = again.control.status()
        assert (after["height"], after["app_hash"]) == (before["height"], before["app_hash"])
        assert after["clock"] >= "2033-01-01"
        assert again.control.mine().time.startswith("2033-01-01")
        assert again.replayed() == again.app_hash()
    finally:
        again.close()


def test_without_devnet_in_the_genesis_there_are_no_controls(tmp_path: Path) -> None:
    home = tmp_path / "node"
    made = CliRunner().invoke(
        node, ["init", "--home", str(home), "--chain-id", "x-1", "--account", f"{ALICE}=5msg"]
    )
    assert made.exit_code == 0, made.output
    devnet = Devnet(home, command=("node", "start"))
    try:
        client = RpcClient(devnet.url)
        devnet.wait_for_height(1)
        for name in ("status", "faucet", "dumpState", "mine"):
            with pytest.raises(NotADevnet):
                Control(client.http).call(name)
        assert client.http.call("msgchain_records", first=0, limit=1)["records"]
        client.close()
    finally:
        devnet.stop()
