"""A developer's own contracts: known at start, replaced when their files change, kept over a restart."""

from __future__ import annotations

import base64
import json
import re
import time
from pathlib import Path
from typing import Any

from dev_txs import send
from devnet_process import Devnet

from chain.tx.builder import build_cosmos_direct, coins
from chain.tx.messages import MsgInstantiateContract, MsgStoreCode
from chain.tx.proto import message
from chain.wiring import dev_wallet

SOURCE = """
from chain.std import Response


def instantiate(deps, env, info, msg):
    deps.storage.set(b"n", b"1")
    return Response()


def execute(deps, env, info, msg):
    return Response()


def query(deps, env, msg):
    return {"says": "ONE", "kept": deps.storage.get(b"n").decode()}


def migrate(deps, env, msg):
    return Response()
"""


def says(net: Devnet, address: str) -> Any:
    request = message("cosmwasm.wasm.v1.QuerySmartContractStateRequest")(
        address=address, query_data=b'{"any":{}}'
    )
    answer = net.call(
        "abci_query",
        path="/cosmwasm.wasm.v1.Query/SmartContractState",
        data=request.SerializeToString().hex(),
    )["response"]
    if answer["code"]:
        return answer["log"]
    kind = message("cosmwasm.wasm.v1.QuerySmartContractStateResponse")
    return json.loads(kind.FromString(base64.b64decode(answer["value"])).data)


def test_a_changed_folder_is_stored_and_its_instances_migrated(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "parrot"
    folder.mkdir(parents=True)
    file = folder / "contract.py"
    file.write_text(SOURCE)
    options = ("--block-time", "instant", "--contracts", str(tmp_path / "mine"))
    net = Devnet(tmp_path / "home", *options)
    wallet = dev_wallet(0).address
    line = re.search(r"msgchain:parrot@[0-9a-f]{64}", net.output)
    assert line is not None
    messages = (
        MsgStoreCode(wallet, line[0].encode()),
        MsgInstantiateContract(wallet, wallet, 8, "parrot", b"{}", ()),
    )
    raw = build_cosmos_direct(
        messages,
        [dev_wallet(0)],
        chain_id="msg-chain-1",
        account_numbers=[8],
        sequences=[0],
        gas_limit=2_000_000,
        fee=coins("2000umsg"),
    )
    result = send(net, raw, "commit")
    assert result["tx_result"]["code"] == 0, result
    address = _address_in(net, int(result["height"]))
    assert says(net, address) == {"says": "ONE", "kept": "1"}
    file.write_text(SOURCE.replace("ONE", "TWO"))
    end = time.monotonic() + 15
    while says(net, address)["says"] != "TWO" and time.monotonic() < end:
        time.sleep(0.2)
    assert says(net, address) == {"says": "TWO", "kept": "1"}
    file.write_text("import os\n")
    time.sleep(1.5)
    assert says(net, address) == {"says": "TWO", "kept": "1"}
    assert net.stop() == 0
    assert "not reloaded" in net.errors
    again = Devnet(tmp_path / "home", "--block-time", "instant")
    try:
        assert says(again, address) == {"says": "TWO", "kept": "1"}
    finally:
        assert again.stop() == 0


def _address_in(net: Devnet, height: int) -> str:
    results = net.call("block_results", height=str(height))["txs_results"]
    events = [event for result in results for event in result["events"]]
    event = next(event for event in events if event["type"] == "instantiate")
    address: str = event["attributes"][0]["value"]
    return address
