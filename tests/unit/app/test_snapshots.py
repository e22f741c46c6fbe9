"""State sync: what one store gives, another takes, and nothing else."""

from __future__ import annotations

from chain.app import snapshots
from chain.app.snapshots import ACCEPT, REJECT, REJECT_FORMAT, REJECT_SNAPSHOT, RETRY
from chain.crypto.keys import MlDsa87Key
from chain.driver.genesis import SECOND, parse
from chain.driver.producer import Producer
from chain.tx.builder import build_native, coins
from chain.tx.messages import MsgSend
from chain.wiring import dev_secret, dev_validator_keys, genesis_document, open_chain

ALICE = MlDsa87Key(dev_secret("alice"))


def chain_of(blocks: int) -> Producer:
    state = {"accounts": [{"address": ALICE.address, "coins": [{"denom": "msg", "amount": "9"}]}]}
    keys = dev_validator_keys(1)
    chain = open_chain(None, parse(genesis_document("snap", SECOND, keys, state)), signers=keys)
    for height in range(blocks):
        tx = build_native(
            [MsgSend(ALICE.address, ALICE.address, coins("1amsg"))],
            [ALICE],
            chain_id="snap",
            account_numbers=[0],
            sequences=[height],
            gas_limit=300_000,
            fee=coins("300000000000000amsg"),
        )
        chain.produce([tx], (height + 2) * SECOND)
    return chain


def test_a_fresh_store_takes_a_snapshot_and_goes_on(monkeypatch) -> None:
    monkeypatch.setattr(snapshots, "CHUNK_BYTES", 400)
    source = chain_of(11)
    app = source.app
    offered = app.list_snapshots()[0]
    assert (offered.height, offered.format) == (10, 1)
    assert offered.chunks > 2
    header = source.record(11).header
    target = chain_of(0).app
    assert target.offer_snapshot(offered._replace(format=2), header.app_hash) == REJECT_FORMAT
    assert target.offer_snapshot(offered._replace(hash=b"x"), header.app_hash) == REJECT
    assert target.offer_snapshot(offered, header.app_hash) == ACCEPT
    chunks = [app.load_snapshot_chunk(10, 1, index) for index in range(offered.chunks)]
    tampered = target.apply_snapshot_chunk(0, chunks[0][:-1] + b"\x00")
    assert tampered == (RETRY, (0,), True)
    for index, chunk in reversed(list(enumerate(chunks))):
        assert target.apply_snapshot_chunk(index, chunk).result == ACCEPT
    assert target.info().last_height == 10
    assert target.info().app_hash == header.app_hash
    record = source.record(11)
    assert target.finalize_block(record.block) == record.result
    target.commit()


def test_a_snapshot_of_another_root_is_refused_and_nothing_is_written() -> None:
    source, target = chain_of(10).app, chain_of(0).app
    offered = source.list_snapshots()[0]
    assert target.offer_snapshot(offered, bytes(32)) == ACCEPT
    result = target.apply_snapshot_chunk(0, source.load_snapshot_chunk(10, 1, 0))
    assert result.result == REJECT_SNAPSHOT
    assert target.info().last_height == 0


def test_snapshots_are_the_same_bytes_on_every_node() -> None:
    one, other = chain_of(10).app, chain_of(10).app
    assert one.list_snapshots() == other.list_snapshots()
    assert one.load_snapshot_chunk(10, 1, 0) == other.load_snapshot_chunk(10, 1, 0)
    assert one.load_snapshot_chunk(10, 1, 99) == b""
    assert one.load_snapshot_chunk(9, 1, 0) == b""


def test_who_began_to_fetch_can_end_though_newer_snapshots_are_offered() -> None:
    source, target = chain_of(10), chain_of(0).app
    offered = source.app.list_snapshots()[0]
    root = source.app.info().app_hash
    for height in range(11, 61):
        source.produce([], (height + 2) * SECOND)
        source.app.list_snapshots()
    assert [one.height for one in source.app.list_snapshots()] == [60, 50]
    assert target.offer_snapshot(offered, root) == ACCEPT
    for index in range(offered.chunks):
        chunk = source.app.load_snapshot_chunk(10, 1, index)
        assert target.apply_snapshot_chunk(index, chunk).result == ACCEPT
    assert target.info().app_hash == root
    assert len(source.app._snapshots._made) == 3
    assert source.app.load_snapshot_chunk(70, 1, 0) == b""
    assert source.app.load_snapshot_chunk(0, 1, 0) == b""
