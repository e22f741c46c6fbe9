"""What unmodified CosmJS sent to the recorded chain for each call, sent to our node."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import httpx
import pytest
from recorded_rpc import Replay, load, replayed
from rpc_compare import compare, query_differences

from chain.crypto.hd import wallet_key
from chain.node.rpc import Rpc
from chain.node.server import application
from chain.tx.builder import build_cosmos_direct, build_dev, coins
from chain.tx.messages import DevFund, MsgSend

CALLS = load("cosmjs_trace")["calls"]
HEIGHT = 615
_QUERY = "abci_query"
_OUT_OF_GAS = next(one["call"] for one in CALLS if one["call"].startswith("updateAdmin(auto)"))


def _left_out(call: str) -> dict[str, Any]:
    """The transaction of a call that the recording leaves out, as another call found it."""
    found = next(one for one in CALLS if one["call"] == call)
    (tx,) = _body(found["exchanges"][0]["response"])["result"]["txs"]
    return dict(tx)


def _body(side: dict[str, Any]) -> Any:
    return json.loads(side["body"])


class Trace:
    """A replayed node with the two accounts of the trace; sends what CosmJS sent."""

    def __init__(self, replay: Replay, client: httpx.AsyncClient) -> None:
        self.replay = replay
        self.node = replay.node
        self._client = client
        mnemonic = load("tx_cases")["meta"]["mnemonic"]
        self.keys = [wallet_key(mnemonic, index) for index in (40, 41)]
        funds = [DevFund(key.pubkey.address(), coins("10000000umsg")) for key in self.keys]
        self.node.produce([build_dev(funds, chain_id="msg-chain-1", nonce=1)])
        replay.mine_to(HEIGHT)
        #: calls before which transactions went through that the recording leaves out
        self._before = {
            "instantiate2(code 1, fixed fee)": (self.plain(0), _left_out("getTx")),
            "sendTokens with too little fee": (self.plain(5),),
            _OUT_OF_GAS: (_left_out("searchTx by string"),),
        }

    def plain(self, sequence: int) -> dict[str, Any]:
        """A transaction of the first account that stands for another."""
        address = self.keys[0].pubkey.address()
        raw = build_cosmos_direct(
            [MsgSend(address, self.keys[1].pubkey.address(), coins("1umsg"))],
            [self.keys[0]],
            chain_id="msg-chain-1",
            account_numbers=[50],
            sequences=[sequence],
            gas_limit=200_000,
            fee=coins("200umsg"),
        )
        return {"tx": base64.b64encode(raw).decode()}

    async def call(self, found: dict[str, Any]) -> list[tuple[dict[str, Any], httpx.Response]]:
        """A call's exchanges with our answers."""
        for tx in self._before.get(found["call"], ()):
            if "height" in tx:
                self.replay.mine_to(int(tx["height"]) - 1)
            assert self.replay.check(base64.b64decode(tx["tx"]))["code"] == 0
            self.node.mine()
        answers = []
        for exchange in found["exchanges"]:
            request, recorded = exchange["request"], _body(exchange["response"])
            txs = recorded.get("result", {}).get("txs")
            if txs and len(self.node.mempool):
                self.replay.mine_to(int(txs[0]["height"]))
            answer = await self._client.request(
                request["method"],
                request["path"],
                content=request["body"],
                headers=request["headers"],
            )
            answers.append((exchange, answer))
        return answers


@pytest.fixture(scope="module")
def found() -> dict[str, list[tuple[dict[str, Any], httpx.Response]]]:
    """All exchanges with our answers, by call."""

    async def ask(replay: Replay) -> dict[str, Any]:
        rpc = Rpc(replay.node)
        transport = httpx.ASGITransport(app=application(replay.node, rpc))
        async with httpx.AsyncClient(transport=transport, base_url="http://node") as client:
            trace = Trace(replay, client)
            answers = {call["call"]: await trace.call(call) for call in CALLS}
        rpc.close()
        return answers

    replay = replayed()
    try:
        return asyncio.run(ask(replay))
    finally:
        replay.node.stop()


@pytest.mark.parametrize("call", [one["call"] for one in CALLS])
def test_recorded_call(
    found: dict[str, list[tuple[dict[str, Any], httpx.Response]]], call: str
) -> None:
    differences: list[str] = []
    for exchange, answer in found[call]:
        assert answer.status_code == exchange["response"]["status"]
        sent, recorded, ours = (
            _body(exchange["request"]),
            _body(exchange["response"]),
            answer.json(),
        )
        if sent["method"] == _QUERY:
            left, right = recorded["result"]["response"], ours["result"]["response"]
            assert list(left) == list(right)
            differences += query_differences(sent["params"]["path"], left, right)
        else:
            differences += compare(recorded, ours)
    assert not differences, "\n".join(differences)
