"""Validators come, change and go by governance, on a running net; fees reach who proposed the block."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from nets import PATIENCE

from chain import wiring
from chain.abci.homes import Home
from chain.abci.supervise import Net
from chain.app import fees
from chain.app.devnet import dev_key
from chain.block.hashing import validator_address
from chain.cli.log_cometbft import records_of
from chain.cli.main import cli
from chain.client.rpc import RpcClient
from chain.client.transport import Outcome, TxFailed
from chain.client.wallet import Wallet
from chain.driver.genesis import parse
from chain.driver.log import files
from chain.driver.log.record import BlockRecord
from chain.driver.log.replay import replay
from chain.tx.messages import MsgUpdateValidators, ValidatorChange
from chain.wiring import replay_app

pytestmark = [pytest.mark.cometbft, pytest.mark.long]

GAS = 2_000_000


def consensus_key(home: Home) -> bytes:
    found = json.loads((home.folder / "config" / "priv_validator_key.json").read_text())
    return base64.b64decode(found["pub_key"]["value"])


def change(client: RpcClient, *changes: tuple[str, bytes, int, str]) -> Outcome:
    authority = Wallet(dev_key("authority"), client)
    updates = tuple(ValidatorChange(*one) for one in changes)
    return authority.send([MsgUpdateValidators(authority.address, updates)], gas_limit=GAS)


def powers(client: RpcClient, height: int) -> dict[bytes, int]:
    return {
        base64.b64decode(one["pub_key"]["value"]): int(one["voting_power"])
        for one in client.validators(height)
    }


def signers(client: RpcClient, height: int) -> set[str]:
    """Whose votes a block shows of the one before it."""
    commit = client.http.call("block", height=str(height))["block"]["last_commit"]
    return {one["validator_address"] for one in commit["signatures"]}


@pytest.fixture(scope="module")
def net(make_net: Callable[..., Net]) -> Net:
    return make_net(4, full_nodes=1, block_time="200ms")


@pytest.fixture
def client(net: Net) -> Iterator[RpcClient]:
    with RpcClient(net.pairs[0].home.rpc) as found:
        yield found


def records(client: RpcClient) -> list[Any]:
    return list(records_of(client, last=client.height() - 1))


def test_fee_shares_go_to_who_proposed(net: Net, client: RpcClient) -> None:
    for _ in range(2):
        for pair, name in zip(net.pairs, ("alice", "bob", "carol", "dave", "faucet"), strict=True):
            with RpcClient(pair.home.rpc) as node:
                Wallet(dev_key(name), node).pay(dev_key("alice").address, "1umsg")
    assert net.wait_for(client.height() + 2, PATIENCE)
    found = records(client)
    payouts = {
        validator_address(consensus_key(pair.home)): dev_key(pair.home.name).address
        for pair in net.pairs[:4]
    }
    price, shares = client.gas_price, Counter[str]()
    for record in found:
        if not isinstance(record, BlockRecord):
            continue
        charges = [one.gas_used * price for one in record.result.tx_results]
        expected = sum(fees.split(charge, {}).validator for charge in charges)
        paid = [
            dict(event.attributes)
            for event in record.result.events
            if event.type == "fee_share" and ("share", "validator") in event.attributes
        ]
        assert sum(int(one["amount"].removesuffix("amsg")) for one in paid) == expected
        for one in paid:
            assert one["recipient"] == payouts[record.header.proposer_address]
            shares[one["recipient"]] += int(one["amount"].removesuffix("amsg"))
    assert len(shares) > 1, "several proposed"
    height = max(record.block.height for record in found if isinstance(record, BlockRecord))
    for payout, share in shares.items():
        assert client.balance(payout, "amsg") >= share
    assert height > 5


def test_a_validator_is_added_changed_and_removed(net: Net, client: RpcClient) -> None:
    keys = [consensus_key(pair.home) for pair in net.pairs]
    assert keys[4] not in powers(client, client.height())
    payout = dev_key("bob").address
    at = change(client, ("ed25519", keys[4], 10, payout), ("ed25519", keys[0], 13, "")).height
    assert net.wait_for(at + 4, PATIENCE)
    assert powers(client, at + 1) == dict.fromkeys(keys[:4], 10)
    assert powers(client, at + 2) == {**dict.fromkeys(keys, 10), keys[0]: 13}
    # a commit needs only two thirds: a vote of the new one may come too late for one or the other
    height, new = at + 4, validator_address(keys[4]).hex().upper()
    while new not in signers(client, height):
        height += 1
        assert height < at + 40, "it does not vote"
        assert net.wait_for(height, PATIENCE)

    at = change(client, ("ed25519", keys[1], 0, "")).height
    assert net.wait_for(at + 4, PATIENCE)
    assert keys[1] in powers(client, at + 1)
    assert powers(client, at + 2) == {keys[0]: 13, keys[2]: 10, keys[3]: 10, keys[4]: 10}
    net.hold("node1")
    assert net.wait_for(client.height() + 3, PATIENCE), "the others do not need it"
    net.resume("node1")
    assert net.wait_for(client.height() + 2, PATIENCE), "it follows"


@pytest.mark.parametrize(
    "impossible",
    [
        [("ed25519", bytes([7]) * 32, 0, "")],
        [("ed25519", bytes([7]) * 32, 1, ""), ("ed25519", bytes([7]) * 32, 2, "")],
        [("ml_dsa_65", bytes(1952), 1, "")],
        [("ed25519", bytes([7]) * 32, 1 << 60, "")],
        [("ed25519", bytes([7]) * 32, -1, "")],
    ],
    ids=["unknown", "twice", "other-kind", "too-strong", "negative"],
)
def test_what_would_stop_every_node_fails_as_a_transaction(
    net: Net, client: RpcClient, impossible: list[tuple[str, bytes, int, str]]
) -> None:
    with pytest.raises(TxFailed) as caught:
        change(client, *impossible)
    assert (caught.value.outcome.codespace, caught.value.outcome.code) == ("sdk", 18)
    assert net.wait_for(caught.value.outcome.height + 2, PATIENCE)


def test_the_log_of_all_this_replays_and_feeds_an_embedded_node(
    net: Net, client: RpcClient, tmp_path: Path
) -> None:
    ends = set()
    last = client.height() - 1
    assert net.wait_for(last + 1, PATIENCE)
    for pair in net.pairs:
        with RpcClient(pair.home.rpc) as node:
            ends.add(replay(list(records_of(node, last=last)), replay_app()).app_hash)
    assert len(ends) == 1

    def msgchain(*words: str) -> str:
        done = CliRunner().invoke(cli, list(words))
        assert done.exit_code == 0, done.output
        return done.output

    file = tmp_path / "net.jsonl"
    msgchain("log", "export", str(file), "--rpc", net.pairs[2].home.rpc)
    msgchain("log", "verify", str(file))
    msgchain("log", "replay", str(file))
    fed = wiring.open_chain(None, parse(client.genesis()), signers=())
    for record in files.read(file):
        if not isinstance(record, BlockRecord):
            continue
        before = fed.state.last_block_id
        assert before == record.header.last_block_id, "the embedded node names blocks alike"
        chained = msgspec.structs.replace(record, prev=fed.state.record_hash)
        fed.take_over(chained, lambda result, wanted=record.result: equal(result, wanted))
        assert fed.state.app_hash == record.result.app_hash


def equal(one: object, other: object) -> None:
    assert one == other
