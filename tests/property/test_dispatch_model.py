"""Random trees of contract calls against a simple recursive model: state, events and data must agree."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from scripted import shape
from twins.cosmos import b64, compact

from chain.std import ContractError, Event, Response, SubMsg, WasmMsg
from chain.testing import Chain, Contract

CONTRACTS = ("a", "b", "c")
MODES = ("always", "success", "error", "never")


@dataclass
class Node:
    """One call: what it writes, says and returns, what it dispatches, and whether it fails."""

    contract: str
    number: int
    fails: bool
    data: bytes | None
    children: list[Child] = field(default_factory=list)


@dataclass
class Child:
    """A dispatched call, how it is replied to, and what the reply does."""

    node: Node
    mode: str
    reply: Node


def nodes(depth: int) -> st.SearchStrategy[Node]:
    """Trees of calls; replies are calls of the same shape, one level less deep."""
    children: st.SearchStrategy[list[Child]] = st.just([])
    if depth:
        below = nodes(depth - 1)
        child = st.builds(Child, below, st.sampled_from(MODES), below)
        children = st.lists(child, max_size=3 if depth > 2 else 2)
    return st.builds(
        Node,
        contract=st.sampled_from(CONTRACTS),
        number=st.integers(0, 9),
        fails=st.sampled_from([False, False, False, True]),
        data=st.sampled_from([None, b"", b"x", b"yy"]),
        children=children,
    )


def to_json(node: Node) -> dict[str, Any]:
    """The tree as the contract's message."""
    return {
        "contract": node.contract,
        "number": node.number,
        "fails": node.fails,
        "data": b64(node.data),
        "children": [
            {"node": to_json(c.node), "mode": c.mode, "reply": to_json(c.reply)}
            for c in node.children
        ],
    }


# --- the contract -------------------------------------------------------------------------------

ADDRESSES: dict[str, str] = {}
MAKERS = {
    "always": SubMsg.reply_always,
    "success": SubMsg.reply_on_success,
    "error": SubMsg.reply_on_error,
}


def perform(deps: Any, node: dict[str, Any]) -> Response:
    """What one call does."""
    log = deps.storage.get(b"log") or b""
    deps.storage.set(b"log", log + str(node["number"]).encode())
    if node["fails"]:
        raise ContractError(f"node {node['number']} fails")
    response = Response().add_event(Event("node").add_attribute("n", str(node["number"])))
    if node["data"] is not None:
        response.set_data(base64.b64decode(node["data"]))
    for child in node["children"]:
        message = WasmMsg.Execute(ADDRESSES[child["node"]["contract"]], child["node"])
        if child["mode"] == "never":
            sub = SubMsg.reply_never(message)
        else:
            sub = MAKERS[child["mode"]](message, 0)
        response.add_submessage(sub.with_payload(compact(child["reply"]).encode()))
    return response


TREE = Contract(
    name="model_tree",
    instantiate=lambda deps, env, info, msg: Response(),
    execute=lambda deps, env, info, msg: perform(deps, msg),
    reply=lambda deps, env, reply: perform(deps, json.loads(reply.payload)),
)


# --- the model ----------------------------------------------------------------------------------

State = dict[str, str]
Events = list[tuple[str, str]]


class Failed(Exception):
    """The call failed; nothing of it stays."""


def model(
    node: Node, state: State, contract: str, entry: str
) -> tuple[State, Events, bytes | None]:
    """The state after a call, its events and its data, by the rules and nothing else."""
    state = {**state, contract: state[contract] + str(node.number)}
    if node.fails:
        raise Failed
    events: Events = [(entry, contract), (f"node{node.number}", contract)]
    data = node.data
    for child in node.children:
        try:
            state_after, below, _ = model(child.node, state, child.node.contract, "execute")
        except Failed:
            if child.mode in ("success", "never"):
                raise
            replied = True
        else:
            state, replied = state_after, child.mode in ("always", "success")
            events += below
        if replied:
            state, below, answer = model(child.reply, state, contract, "reply")
            events += below
            data = data if answer is None else answer
    return state, events, data


class Fixture:
    """One chain with three instances, made once."""

    def __init__(self) -> None:
        self.chain = Chain()
        self.alice = self.chain.account("alice")
        code = self.chain.store_code(TREE)
        for name in CONTRACTS:
            ADDRESSES[name] = self.chain.instantiate(code, {}, sender=self.alice, label=name)
        self.names = {address: name for name, address in ADDRESSES.items()}

    def events(self, result: Any) -> Events:
        """The events of a result in the model's form."""
        shown = []
        for kind, attributes in shape(result):
            values = dict(attributes)
            contract = self.names[values["_contract_address"]]
            shown.append((f"node{values['n']}" if kind == "wasm-node" else kind, contract))
        return shown

    def state(self) -> State:
        """The log of every contract."""
        return {
            name: self.chain.storage(address).get(b"log", b"").decode()
            for name, address in ADDRESSES.items()
        }


FIXTURE = Fixture()


@given(st.lists(nodes(3), min_size=1, max_size=3))
def test_calls_replies_and_rollbacks_agree_with_the_model(roots):
    mark = FIXTURE.chain.snapshot()
    state = dict.fromkeys(CONTRACTS, "")
    for root in roots:
        address = ADDRESSES[root.contract]
        result = FIXTURE.chain.try_execute(address, to_json(root), sender=FIXTURE.alice)
        try:
            state, events, data = model(root, state, root.contract, "execute")
        except Failed:
            assert (result.codespace, result.code) == ("wasm", 5)
            assert shape(result) == []
        else:
            assert result.code == 0
            assert FIXTURE.events(result) == events
            assert result.data == (data or b"")
        assert FIXTURE.state() == state
    FIXTURE.chain.revert(mark)


@given(nodes(3))
def test_the_same_tree_uses_the_same_gas(root):
    used = set()
    for _ in range(2):
        mark = FIXTURE.chain.snapshot()
        result = FIXTURE.chain.try_execute(
            ADDRESSES[root.contract], to_json(root), sender=FIXTURE.alice
        )
        used.add((result.code, result.gas_used, result.log))
        FIXTURE.chain.revert(mark)
    assert len(used) == 1
