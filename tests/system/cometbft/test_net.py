"""The same App behind four real validators: transactions, failures, recovery, replay."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nets import PATIENCE, top

from chain.abci.supervise import Net
from chain.app.devnet import dev_key, dev_wallet
from chain.cli.log_cometbft import records_of
from chain.client.rpc import RpcClient
from chain.client.transport import TxRefused
from chain.client.wallet import Wallet
from chain.driver.codes import line_of
from chain.driver.log.record import BlockRecord
from chain.driver.log.replay import replay
from chain.tx.messages import MsgUpdateValidators, ValidatorChange
from chain.wiring import contract_addresses, replay_app
from contracts.registry import REGISTRY

SCRIPTS = Path(__file__).parents[1] / "node"
pytestmark = [pytest.mark.cometbft, pytest.mark.long]


@pytest.fixture(scope="module")
def net(make_net: Callable[..., Net]) -> Net:
    return make_net(stall=15)


@pytest.fixture
def client(net: Net) -> Iterator[RpcClient]:
    found = RpcClient(net.pairs[0].home.rpc)
    yield found
    found.close()


def app_hashes(net: Net, height: int) -> set[str]:
    hashes = set()
    for pair in net.pairs:
        with_node = RpcClient(pair.home.rpc)
        hashes.add(
            with_node.http.call("commit", height=str(height))["signed_header"]["header"]["app_hash"]
        )
        with_node.close()
    return hashes


def test_a_payment_lands_and_all_hashes_agree(net: Net, client: RpcClient) -> None:
    sender, receiver = Wallet(dev_wallet(0), client), dev_wallet(1).address
    before = client.balance(receiver, "amsg")
    outcome = sender.pay(receiver, "7msg")
    assert client.balance(receiver, "amsg") - before == 7 * 10**18
    assert net.wait_for(outcome.height + 2, PATIENCE)
    for height in range(2, outcome.height + 2):
        assert len(app_hashes(net, height)) == 1


def test_blocks_fetched_from_every_validator_replay_to_the_same_hash(
    net: Net, client: RpcClient
) -> None:
    Wallet(dev_wallet(2), client).pay(dev_wallet(3).address, "1msg")
    with pytest.raises(TxRefused):
        client.broadcast(b"junk")
    last = client.height() - 1
    assert net.wait_for(last + 1, PATIENCE)
    ends = set()
    for pair in net.pairs:
        node = RpcClient(pair.home.rpc)
        records = list(records_of(node, last=last))
        node.close()
        assert any(r.block.txs for r in records if isinstance(r, BlockRecord))
        ends.add(replay(records, replay_app()).app_hash)
    assert len(ends) == 1


@pytest.mark.parametrize("part", ["app", "node"])
def test_a_killed_process_takes_its_pair_along_and_both_come_back(net: Net, part: str) -> None:
    pair = net.pairs[1]
    process = getattr(pair, part)
    before, restarts, old = top(net), pair.restarts, (pair.app, pair.node)
    os.kill(process.pid, signal.SIGKILL)
    assert net.wait_for(before + 4, PATIENCE), net.heights()
    assert pair.restarts > restarts
    assert pair.app is not old[0]
    assert pair.node is not old[1]
    assert len(app_hashes(net, before + 3)) == 1


def test_a_pair_that_lives_and_stands_is_started_again(net: Net) -> None:
    pair = net.pairs[3]
    restarts = pair.restarts
    assert pair.node is not None
    os.kill(pair.node.pid, signal.SIGSTOP)  # alive, and never moves
    end = time.monotonic() + PATIENCE
    while pair.restarts == restarts:
        assert time.monotonic() < end, net.heights()
        time.sleep(0.2)
    assert net.wait_for(top(net) + 2, 60)


def test_one_of_four_may_be_away_two_may_not(net: Net) -> None:
    net.hold("node3")
    height = top(net)
    assert net.wait_for(height + 3, PATIENCE), "three of four go on"
    net.hold("node2")
    height = top(net)
    assert not net.wait_for(height + 3, 6), "two of four cannot decide"
    net.resume("node2")
    assert net.wait_for(height + 3, PATIENCE), "a third lets them go on"
    net.resume("node3")
    height = top(net)
    assert net.wait_for(height + 2, PATIENCE), net.heights()
    assert len(app_hashes(net, height)) == 1


def test_lost_app_data_are_refilled_by_replay(net: Net) -> None:
    pair = net.pairs[2]
    net.hold("node2")
    for path in (pair.home.folder / "app").iterdir():
        path.unlink()
    height = top(net)
    net.resume("node2")
    assert net.wait_for(height + 3, PATIENCE), net.heights()
    assert len(app_hashes(net, height + 1)) == 1


def test_a_wallet_moves_between_nodes_without_a_change(net: Net) -> None:
    for index, pair in enumerate(net.pairs):
        node = RpcClient(pair.home.rpc)
        assert Wallet(dev_wallet(4), node).pay(dev_wallet(5).address, "1msg").code == 0
        assert node.status().chain_id == "msg-chain-1", index
        node.close()


def cosmjs(net: Net, name: str, validators: str) -> None:
    """The CosmJS suite of the devnet, unchanged, against one node."""
    modules = Path(os.environ.get("MSGCHAIN_NODE_MODULES", SCRIPTS / "node_modules"))
    if shutil.which("node") is None or not (modules / "@cosmjs").is_dir():
        reason = f"needs Node.js and the packages of tests/system/node/package.json in {modules}"
        if os.environ.get("MSGCHAIN_CI") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    url = next(pair.home.rpc for pair in net.pairs if pair.home.name == name)
    words = [url, url.replace("http", "ws"), json.dumps(contract_addresses())]
    done = subprocess.run(
        ["node", str(SCRIPTS / "cosmjs.test.cjs"), *words, line_of(REGISTRY["escrow_v1"])],
        env={
            **os.environ,
            "MSGCHAIN_NODE_MODULES": str(modules),
            "MSGCHAIN_VALIDATORS": validators,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.node
def test_cosmjs_speaks_to_cometbft_in_front(make_net: Callable[..., Net]) -> None:
    plain = make_net(1, block_time="200ms")
    cosmjs(plain, "node0", "1")
    plain.stop()


@pytest.mark.node
def test_cosmjs_speaks_to_a_full_node_of_post_quantum_validators(
    make_net: Callable[..., Net],
) -> None:
    quantum = make_net(2, kind="ml_dsa_65", full_nodes=1, block_time="200ms")
    cosmjs(quantum, "node2", "unreadable")
    # governance changes such a validator, and the log of it is read and replayed
    with RpcClient(quantum.pairs[0].home.rpc) as client:
        key = client.validators(client.height())[0]["pub_key"]
        assert key["type"] == "cometbft/PubKeyMlDsa65"
        authority = Wallet(dev_key("authority"), client)
        change = ValidatorChange("ml_dsa_65", base64.b64decode(key["value"]), 17)
        at = authority.send([MsgUpdateValidators(authority.address, (change,))]).height
        assert quantum.wait_for(at + 4, PATIENCE)
        powers = sorted(int(one["voting_power"]) for one in client.validators(at + 2))
        assert powers == [10, 17]
        replay(list(records_of(client, last=at + 2)), replay_app())
    quantum.stop()


def test_validators_with_post_quantum_keys(make_net: Callable[..., Net]) -> None:
    quantum = make_net(4, kind="ml_dsa_65", block_time="200ms")
    height = top(quantum)
    quantum.hold("node1")
    assert quantum.wait_for(height + 3, PATIENCE)
    quantum.resume("node1")
    assert quantum.wait_for(height + 5, PATIENCE), quantum.heights()
    assert len(app_hashes(quantum, height + 3)) == 1
    quantum.stop()
