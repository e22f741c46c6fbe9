"""Traces of committed transactions: the tree, its events, and the state it is made on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from control_node import ALICE, BOB, TOKEN, ask, running, transfer

from chain import wiring
from chain.app.trace import Access, CallNode, SubNode, Trace, Tracer
from chain.block.types import Event, TxResult
from chain.driver.trace import TraceError, trace_call, trace_tx
from chain.node.service import Node
from chain.tx.builder import build_dev
from chain.tx.messages import DevExecute
from chain.tx.plain import from_plain


@pytest.fixture
def node() -> Iterator[Node]:
    with running() as made:
        yield made


def traced(node: Node, height: int, index: int = 0) -> Trace:
    record = node.record(height)
    assert record is not None
    return trace_tx(node.producer, record, index)


def test_a_call_shows_what_it_read_and_wrote(node: Node) -> None:
    done = ask(node, "impersonate", messages=transfer(5))
    trace = traced(node, int(done["height"]))
    call = trace.steps[0]
    assert isinstance(call, CallNode)
    assert (call.kind, call.contract, call.sender, call.outcome) == ("execute", TOKEN, ALICE, "ok")
    accesses = [step for step in call.steps if isinstance(step, Access)]
    assert [step.operation for step in accesses] == ["get", "set", "get", "set"]
    assert accesses[1].key.endswith(ALICE.encode())
    assert 0 < call.gas < trace.result.gas_used
    assert [event.type for event in call.events] == ["execute", "wasm"]


def test_a_trace_is_made_on_the_state_of_then(node: Node) -> None:
    first = int(ask(node, "impersonate", messages=transfer(5))["height"])
    ask(node, "impersonate", messages=transfer(100))
    values = [
        step.value
        for step in next(traced(node, first).calls()).steps
        if isinstance(step, Access) and step.operation == "get"
    ]
    assert values[0] == b"\xce\x3b\x9a\xca\x00"  # 1,000,000,000: before both


def test_earlier_transactions_of_the_block_count(node: Node) -> None:
    raws = [
        build_dev(
            [DevExecute((from_plain(transfer(5)),))],  # type: ignore[arg-type]
            chain_id=node.producer.chain_id,
            nonce=nonce,
        )
        for nonce in (1, 2)
    ]
    record = node.produce(raws)
    second = trace_tx(node.producer, record, 1)
    first = trace_tx(node.producer, record, 0)
    values = [next(one.calls()).steps[0].value for one in (first, second)]  # type: ignore[union-attr]
    assert values[0] != values[1]


def test_a_failed_transaction_shows_where_it_failed(node: Node) -> None:
    done = ask(node, "impersonate", messages=[transfer(5), transfer(10**15)])
    trace = traced(node, int(done["height"]))
    outcomes = [call.outcome for call in trace.calls()]
    assert outcomes[0] == "ok"
    assert "verflow" in outcomes[1] or "nsufficient" in outcomes[1]
    assert trace.result.code
    assert all(not call.events for call in trace.calls())


def test_a_transaction_of_the_first_block_is_traced() -> None:
    with running() as node:
        ask(node, "mine")
        ask(node, "revert", id=ask(node, "snapshot")["id"])
        record = node.record(1)
        assert record is not None
        raw = build_dev(
            [DevExecute((from_plain(transfer(5)),))],  # type: ignore[arg-type]
            chain_id=node.producer.chain_id,
        )
    other = wiring.open_chain(
        None,
        wiring.parse(wiring.devnet_genesis()),
        signers=wiring.dev_validator_keys(1),
    )
    first = other.produce([raw], 0)
    assert trace_tx(other, first, 0).result.code == 0


def test_a_height_that_is_not_kept_is_named(node: Node) -> None:
    done = ask(node, "impersonate", messages=transfer(5))
    node.producer.store._keep = 2
    ask(node, "mine", blocks=6)
    with pytest.raises(TraceError, match="is not kept, only from"):
        traced(node, int(done["height"]))


def test_submessages_stand_inside_with_their_events(node: Node) -> None:
    registry = wiring.dev_contract("agent_registry_v1")
    register = {"register_agent": {"agent_id": "bob-agent", "capabilities": ["charts"]}}
    message = {"type": "execute", "sender": BOB, "contract": registry, "msg": register}
    raw = build_dev(
        [DevExecute((from_plain(message),))],  # type: ignore[arg-type]
        chain_id=node.producer.chain_id,
    )
    trace = trace_call(node.app, raw, node.clock.now())
    call, sub = trace.steps
    assert isinstance(call, CallNode)
    assert isinstance(sub, SubNode)
    assert (sub.contract, sub.message, sub.error) == (registry, "MsgExecuteContract", None)
    inner = sub.steps[0]
    assert isinstance(inner, CallNode)
    assert inner.contract == wiring.dev_contract("agent_a2a_v1")
    assert "wasm-a2a_agent_synced" in [event.type for event in inner.events]
    assert "wasm-agent_registered" in [event.type for event in call.events]
    assert node.height == 1


def test_a_trace_changes_nothing(node: Node) -> None:
    done = ask(node, "impersonate", messages=transfer(5))
    before = node.producer.state.app_hash
    for _ in range(3):
        traced(node, int(done["height"]))
    ask(node, "mine")
    assert node.producer.state.app_hash == before


# --- the tree alone -------------------------------------------------------------------------------


def test_a_tree_of_submessages_with_a_caught_failure() -> None:
    tracer = Tracer()
    tracer.enter("execute", "a", "x", b"{}", 10)
    tracer.storage("get", b"k", None)
    tracer.leave("ok", 30)
    tracer.dispatch("a", 1, "always", "MsgExecuteContract")
    tracer.enter("execute", "b", "a", b"{}", 40)
    tracer.leave("ok", 50)
    tracer.dispatch("b", 7, "never", "MsgSend")
    tracer.outcome("b", 7, "no money")
    tracer.outcome("a", 1, "no money")
    tracer.enter("reply", "a", "", b"", 60)
    tracer.leave("ok", 70)
    events = [
        Event("execute", [("_contract_address", "a")]),
        Event("wasm", [("_contract_address", "a"), ("k", "v")]),
        Event("reply", [("_contract_address", "a")]),
    ]
    trace = tracer.finish(TxResult(events=events))
    call, sub, reply = trace.steps
    assert isinstance(call, CallNode)
    assert isinstance(sub, SubNode)
    assert isinstance(reply, CallNode)
    assert (call.gas, len(call.events), len(reply.events)) == (20, 2, 1)
    assert sub.error == "no money"
    assert isinstance(sub.steps[1], SubNode)
    assert [one.contract for one in trace.calls()] == ["a", "b", "a"]
    plain = trace.to_json()
    assert plain["steps"][0]["steps"] == [
        {"step": "storage", "operation": "get", "key": "6b", "value": None}
    ]


def test_what_runs_out_of_gas_is_closed() -> None:
    tracer = Tracer()
    tracer.enter("execute", "a", "x", b"{}", 0)
    tracer.leave("ok", 5)
    tracer.dispatch("a", 1, "never", "MsgExecuteContract")
    tracer.enter("execute", "b", "a", b"{}", 5)
    tracer.leave("out of gas", 100)
    trace = tracer.finish(TxResult(11, "sdk", "out of gas"))
    sub = trace.steps[1]
    assert isinstance(sub, SubNode)
    assert sub.error == "out of gas"
