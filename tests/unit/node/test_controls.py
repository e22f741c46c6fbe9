"""The controls of a devnet, step by step, over a node in this process."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from control_node import ALICE, BOB, TOKEN, ask, running, transfer

from chain import wiring
from chain.driver.genesis import parse_time
from chain.driver.log.replay import replay
from chain.node import controls_rpc, dump
from chain.node.methods import RpcError
from chain.node.service import INSTANT, Node
from chain.tx.builder import build_cosmos_direct, build_dev, coins
from chain.tx.messages import DevFund, MsgSend

WALLET = wiring.dev_wallet(0)
YEAR_2030 = "2030-01-01T00:00:00Z"


@pytest.fixture
def node() -> Iterator[Node]:
    with running() as made:
        yield made


def balance(node: Node, address: str) -> int:
    return int(node.app.queries.balance(address, "amsg").amount)


def waiting_tx(node: Node, nonce: int = 1_000) -> bytes:
    message = DevFund(BOB, coins("1msg"))
    return build_dev([message], chain_id=node.producer.chain_id, nonce=nonce)


# --- going back -----------------------------------------------------------------------------------


def test_revert_brings_back_state_height_hashes_and_index(node: Node) -> None:
    before = ask(node, "status")
    number = ask(node, "snapshot")["id"]
    done = ask(node, "faucet", address=BOB, amount="7msg")
    ask(node, "mine", blocks=3)
    assert balance(node, BOB) == 1_000_007 * 10**18
    ask(node, "revert", id=number)
    after = ask(node, "status")
    assert after["height"] == before["height"]
    assert after["app_hash"] == before["app_hash"]
    assert balance(node, BOB) == 10**6 * 10**18
    assert node.index.find(bytes.fromhex(done["hash"])) is None
    assert node.record(int(done["height"])) is None
    assert node.index.tip.height == node.height


def test_revert_brings_back_the_clock(node: Node) -> None:
    number = ask(node, "snapshot")["id"]
    ask(node, "setTime", time=YEAR_2030)
    assert node.clock.now() >= parse_time(YEAR_2030)
    ask(node, "revert", id=number)
    assert node.clock.now() < parse_time(YEAR_2030)
    assert ask(node, "mine")["time"] < YEAR_2030


def test_revert_brings_back_the_pool(node: Node) -> None:
    kept, later = waiting_tx(node, 1), waiting_tx(node, 2)
    node.broadcast(kept)
    number = ask(node, "snapshot")["id"]
    node.broadcast(later)
    ask(node, "mine")
    assert len(node.mempool) == 0
    ask(node, "revert", id=number)
    assert list(node.mempool) == [kept]
    assert node.broadcast(later).code == 0  # the cache forgot it as well


def test_revert_without_a_block_between_brings_back_signed_transactions(node: Node) -> None:
    def signed(sequence: int) -> bytes:
        return build_cosmos_direct(
            [MsgSend(WALLET.pubkey.address(), BOB, coins("1msg"))],
            [WALLET],
            chain_id=node.producer.chain_id,
            account_numbers=[number],
            sequences=[sequence],
            gas_limit=200_000,
            fee=coins("200000000000000amsg"),
        )

    found = node.app.queries.account(WALLET.pubkey.address())
    assert found is not None
    number = found[0].number
    assert node.broadcast(signed(0)).code == 0
    mark = ask(node, "snapshot")["id"]
    assert node.broadcast(signed(1)).code == 0
    ask(node, "revert", id=mark)
    assert list(node.mempool) == [signed(0)]
    assert node.broadcast(signed(1)).code == 0
    ask(node, "mine")
    record = node.record(node.height)
    assert record is not None
    assert [one.code for one in record.result.tx_results] == [0, 0]


def test_revert_brings_back_pause_and_pace(node: Node) -> None:
    number = ask(node, "snapshot")["id"]
    ask(node, "pause")
    ask(node, "setBlockTime", block_time="7s")
    ask(node, "revert", id=number)
    status = ask(node, "status")
    assert (status["paused"], status["pace"]) == (False, "manual")


def test_a_snapshot_stays_and_later_ones_are_gone(node: Node) -> None:
    first = ask(node, "snapshot")["id"]
    ask(node, "mine")
    second = ask(node, "snapshot")["id"]
    ask(node, "mine")
    ask(node, "revert", id=first)
    ask(node, "mine")
    ask(node, "revert", id=first)
    with pytest.raises(RpcError, match=f"there is no snapshot {second}; there are: {first}"):
        ask(node, "revert", id=second)
    assert ask(node, "snapshot")["id"] == second  # counters went back too


def test_the_same_steps_after_a_revert_give_the_same_hashes(node: Node) -> None:
    ask(node, "setTime", time=YEAR_2030)
    number = ask(node, "snapshot")["id"]

    def steps() -> tuple[Any, ...]:
        ask(node, "setTime", time="2031-01-01T00:00:00Z")
        ask(node, "mine", blocks=2, interval=5)
        record = node.record(node.height)
        assert record is not None
        return node.height, record.hash, record.result.app_hash

    first = steps()
    ask(node, "revert", id=number)
    assert steps() == first


# --- clock and blocks -----------------------------------------------------------------------------


def test_time_is_set_in_a_block_that_says_so(node: Node) -> None:
    done = ask(node, "setTime", time=YEAR_2030)
    assert done["time"] == YEAR_2030
    types = [event["type"] for event in done["tx_result"]["events"]]
    assert "dev_time" in types
    assert parse_time(ask(node, "mine")["time"]) > parse_time(YEAR_2030)


@pytest.mark.parametrize("time", ["2020-01-01T00:00:00Z", "0", 5, -1])
def test_time_moves_forward_only(node: Node, time: object) -> None:
    height = node.height
    with pytest.raises(RpcError, match="time moves forward only"):
        ask(node, "setTime", time=time)
    assert node.height == height


@pytest.mark.parametrize("span", [0, -1, "0", 10**12])
def test_a_step_of_time_is_bounded(node: Node, span: object) -> None:
    with pytest.raises(RpcError, match=r"forward only|interval"):
        ask(node, "advanceTime", seconds=span)


@pytest.mark.parametrize(("span", "seconds"), [(3600, 3600), ("3600", 3600), ("2h", 7200)])
def test_spans_are_seconds_or_text(node: Node, span: object, seconds: int) -> None:
    before = node.clock.now()
    ask(node, "advanceTime", seconds=span)
    assert 0 <= node.producer.state.time - before - seconds * 10**9 < 60 * 10**9


def test_mined_blocks_are_an_interval_apart(node: Node) -> None:
    start = node.producer.state.time
    made = ask(node, "mine", blocks=3, interval="500ms")
    assert made["blocks"] == 3
    assert node.producer.state.time == start + 3 * 500_000_000


def test_mining_far_ahead_takes_the_clock_along(node: Node) -> None:
    ask(node, "mine", blocks=2, interval=10**9)
    assert node.clock.now() >= node.producer.state.time


@pytest.mark.parametrize("blocks", [0, -1, 10_001, "x", 1.5, True, [], {}])
def test_what_is_no_number_of_blocks_is_refused(node: Node, blocks: object) -> None:
    with pytest.raises(RpcError):
        ask(node, "mine", blocks=blocks)


def test_a_paused_node_makes_only_what_is_asked_for() -> None:
    with running(INSTANT) as node:
        ask(node, "pause")
        node.broadcast(waiting_tx(node))
        assert len(node.mempool) == 1
        height = node.height
        ask(node, "faucet", address=BOB)
        assert (node.height, len(node.mempool)) == (height + 1, 1)
        ask(node, "resume")
        assert len(node.mempool) == 0


# --- changes of state -----------------------------------------------------------------------------


def test_a_faucet_gives_a_thousand_by_default(node: Node) -> None:
    ask(node, "faucet", address=BOB)
    assert balance(node, BOB) == (10**6 + 1000) * 10**18


@pytest.mark.parametrize(
    ("address", "amount"),
    [("x", "1msg"), ("", "1msg"), (5, "1msg"), (BOB, "x"), (BOB, ""), (BOB, 5), (None, None)],
)
def test_a_faucet_refuses_nonsense(node: Node, address: object, amount: object) -> None:
    height = node.height
    if address is None:
        amount = "1msg"
    with pytest.raises(RpcError):
        ask(node, "faucet", address=address, amount=amount)
    assert node.height == height


def test_impersonated_messages_need_no_signature(node: Node) -> None:
    done = ask(node, "impersonate", messages=[transfer(5), transfer(3, BOB, ALICE)])
    assert done["tx_result"]["code"] == 0
    found = json.loads(node.app.query_smart(TOKEN, b'{"balance":{"address":"%s"}}' % BOB.encode()))
    assert found == {"balance": "1000000002"}


@pytest.mark.parametrize(
    "messages",
    [
        [],
        None,
        "x",
        [{}],
        [{"type": "dev_fund", "address": BOB, "amount": "1msg"}],
        [transfer(), 5],
    ],
)
def test_what_cannot_be_impersonated_is_refused(node: Node, messages: object) -> None:
    with pytest.raises(RpcError):
        ask(node, "impersonate", messages=messages)


def test_parameters_change(node: Node) -> None:
    assert ask(node, "setParams", params={"gas_price": 7})["tx_result"]["code"] == 0
    assert node.app.queries.params().gas_price == 7


@pytest.mark.parametrize("params", [{}, None, [], "x", {"gas_price": 1.5}, {"gas_price": None}])
def test_what_is_no_parameter_is_refused(node: Node, params: object) -> None:
    with pytest.raises(RpcError):
        ask(node, "setParams", params=params)


def test_sudo_reaches_the_contract(node: Node) -> None:
    registry = wiring.dev_contract("agent_registry_v1")
    done = ask(node, "sudo", contract=registry, msg={"begin_block": {}})
    assert done["tx_result"]["code"] == 0


def test_the_log_of_all_steps_replays(node: Node) -> None:
    ask(node, "faucet", address=BOB, amount="7msg")
    number = ask(node, "snapshot")["id"]
    ask(node, "mine", blocks=2)
    ask(node, "revert", id=number)
    ask(node, "impersonate", messages=transfer())
    ask(node, "advanceTime", seconds=60)
    ask(node, "setParams", params={"gas_price": 0})
    done = replay(node.producer.records(), wiring.replay_app())
    assert (done.height, done.app_hash) == (node.height, node.producer.state.app_hash)


# --- dumps ----------------------------------------------------------------------------------------


def dumped(node: Node) -> bytes:
    found = ask(node, "dumpState", piece=0)
    raw = base64.b64decode(found["data"])
    for number in range(1, found["pieces"]):
        raw += base64.b64decode(ask(node, "dumpState", piece=number, dump=found["dump"])["data"])
    return raw


def loaded(node: Node, raw: bytes, size: int = 50_000) -> Any:
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    for number, part in enumerate(pieces):
        data = base64.b64encode(part).decode()
        found = ask(node, "loadState", piece=number, pieces=len(pieces), data=data)
    return found


def test_a_dump_loaded_elsewhere_goes_on_with_the_same_hashes(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controls_rpc, "PIECE", 40_000)
    ask(node, "impersonate", messages=transfer(9))
    ask(node, "setTime", time=YEAR_2030)
    raw = dumped(node)
    with running() as other:
        ask(other, "mine", blocks=4)
        snapshot = ask(other, "snapshot")["id"]
        found = loaded(other, raw)
        assert int(found["height"]) == node.height == other.height
        hashes = []
        for one in (node, other):
            ask(one, "setTime", time="2031-01-01T00:00:00Z")
            ask(one, "mine", blocks=2, interval=5)
            record = one.record(one.height)
            assert record is not None
            hashes.append((record.hash, record.header.app_hash, one.height))
        assert hashes[0] == hashes[1]
        done = replay(other.producer.records(), wiring.replay_app())
        assert done.app_hash == node.producer.state.app_hash
        with pytest.raises(RpcError, match="no snapshot"):
            ask(other, "revert", id=snapshot)
        assert other.index.tip.height == other.height


def test_a_loaded_clock_is_as_far_ahead(node: Node) -> None:
    ask(node, "setTime", time=YEAR_2030)
    with running() as other:
        loaded(other, dumped(node))
        assert abs(other.clock.offset - node.clock.offset) < 10**9


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: b"",
        lambda raw: b"nonsense",
        lambda raw: raw[:-50],
        lambda raw: raw[:1000],
        lambda raw: raw[:5000] + b"\x00" + raw[5001:],
    ],
    ids=["empty", "nonsense", "end cut", "cut", "changed"],
)
def test_a_damaged_dump_changes_nothing(node: Node, change: Any) -> None:
    raw = dumped(node)
    ask(node, "mine", blocks=2)
    before = ask(node, "status")
    with pytest.raises(RpcError):
        loaded(node, change(raw)) if change(raw) else ask(node, "loadState", data="")
    after = ask(node, "status")
    assert (after["height"], after["app_hash"]) == (before["height"], before["app_hash"])


def test_a_dump_whose_state_was_changed_is_refused(node: Node) -> None:
    found = dump.read(dumped(node))
    state = tuple(
        (key, value + b"x", derived) if key == b"mc" else (key, value, derived)
        for key, value, derived in found.state
    )
    changed = msgspec.structs.replace(found, state=state)
    raw = zlib.compress(msgspec.msgpack.encode(changed))
    with pytest.raises(RpcError, match="does not have the app hash"):
        loaded(node, raw)


def test_a_dump_with_an_unknown_contract_is_refused(node: Node) -> None:
    raw = dumped(node)
    with running() as other:
        known = other.app.execution.contracts
        known._codes = type("None_", (), {"resolve": staticmethod(lambda line: None)})()
        with pytest.raises(RpcError, match="does not know the contract msgchain:did_registry_v1@"):
            loaded(other, raw)


def test_pieces_come_in_order(node: Node) -> None:
    with pytest.raises(RpcError, match="piece: 0 is the next one, not 1"):
        ask(node, "loadState", piece=1, pieces=2, data="AAAA")
    ask(node, "loadState", piece=0, pieces=3, data="AAAA")
    with pytest.raises(RpcError, match="piece: 1 is the next one, not 2"):
        ask(node, "loadState", piece=2, pieces=3, data="AAAA")


def test_a_piece_of_an_older_dump_is_refused(node: Node) -> None:
    old = ask(node, "dumpState")["dump"]
    ask(node, "mine")
    ask(node, "dumpState")
    with pytest.raises(RpcError, match="another dump"):
        ask(node, "dumpState", piece=1, dump=old)
