"""The same chain made again: what it answered to the transactions that the first recording kept
back, and to further queries of the state they leave.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from recorded_rpc import Replay, differences, load, replayed
from rpc_compare import query_differences
from rpc_differences import NAMED_AGAIN, judge

from chain.node.rpc import Rpc
from chain.node.server import application
from chain.node.service import Node
from chain.tx.proto import message

FOLDER = Path(__file__).parents[3] / "fixtures" / "recorded" / "again"
TRANSACTIONS = json.loads((FOLDER / "transactions.json").read_text())
QUERIES = json.loads((FOLDER / "queries.json").read_text())


@pytest.fixture(scope="module")
def replay() -> Iterator[Replay]:
    made = replayed()
    yield made
    made.node.stop()


async def ask(node: Node, queries: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Our answers to paths with request bytes in hex."""
    rpc = Rpc(node)
    transport = httpx.ASGITransport(app=application(node, rpc))
    found = []
    async with httpx.AsyncClient(transport=transport, base_url="http://node") as client:
        for path, data in queries:
            asked = {"path": path, "data": data, "prove": False}
            body = {"id": 1, "method": "abci_query", "params": asked}
            found.append((await client.post("/", json=body)).json()["result"]["response"])
    rpc.close()
    return found


@pytest.fixture(scope="module")
def answers(replay: Replay) -> dict[str, Any]:
    """Our answers to the queries, by id."""
    queries = [(entry["path"], entry["data_hex"]) for entry in QUERIES]
    found = asyncio.run(ask(replay.node, queries))
    return {entry["id"]: answer for entry, answer in zip(QUERIES, found, strict=True)}


@pytest.mark.parametrize("entry", TRANSACTIONS, ids=lambda entry: entry["id"])
def test_transaction(replay: Replay, entry: dict[str, Any]) -> None:
    case = next(case for case in load("tx_cases")["cases"] if case["id"] == entry["id"])
    found = differences({**case, **entry}, replay.answers[entry["id"]])
    judge(entry["id"], found, NAMED_AGAIN)


@pytest.mark.parametrize("entry", QUERIES, ids=lambda entry: f"{entry['id']}{entry['path']}")
def test_query(answers: dict[str, Any], entry: dict[str, Any]) -> None:
    found = query_differences(entry["path"], entry["response"], answers[entry["id"]])
    assert not found


def owners(replay: Replay, **page: Any) -> Any:
    """A page of those who hold utok: one comes before the other."""
    request = message("cosmos.bank.v1beta1.QueryDenomOwnersRequest")(denom="utok")
    for name, value in page.items():
        setattr(request.pagination, name, value)
    request.pagination.SetInParent()
    path = "/cosmos.bank.v1beta1.Query/DenomOwners"
    (answer,) = asyncio.run(ask(replay.node, [(path, request.SerializeToString().hex())]))
    made = message("cosmos.bank.v1beta1.QueryDenomOwnersResponse")()
    made.ParseFromString(base64.b64decode(answer["value"]))
    return made


def test_owners_are_listed_from_both_ends(replay: Replay) -> None:
    first, last = [owner.address for owner in owners(replay).denom_owners]
    behind = owners(replay, limit=1, reverse=True)
    assert [owner.address for owner in behind.denom_owners] == [last]
    further = owners(replay, key=behind.pagination.next_key, reverse=True)
    assert [owner.address for owner in further.denom_owners] == [first]
    ahead = owners(replay, limit=1)
    assert [owner.address for owner in ahead.denom_owners] == [first]
    assert [
        owner.address for owner in owners(replay, key=ahead.pagination.next_key).denom_owners
    ] == [last]


def test_owners_are_not_counted_past_the_end(replay: Replay) -> None:
    assert owners(replay, offset=1).pagination.total == 2
    assert owners(replay, offset=2).pagination.total == 0


def test_everything_that_was_kept_back_is_here_but_for_modules_we_lack() -> None:
    kept = {case["id"] for case in load("tx_cases")["cases"] if case.get("withheld")}
    lacking = {"staking_undelegate_too_much", "feegrant_use_ok"}
    assert kept - lacking == {entry["id"] for entry in TRANSACTIONS}


def test_a_memo_that_is_no_utf_8_is_shown_as_it_is(replay: Replay) -> None:
    case = next(
        case for case in load("tx_cases")["cases"] if case["id"] == "ante_memo_invalid_utf8"
    )
    path = "/cosmos.tx.v1beta1.Service/"
    one = message("cosmos.tx.v1beta1.GetTxRequest")(hash=case["hash"])
    many = message("cosmos.tx.v1beta1.GetTxsEventRequest")(query=f"tx.hash='{case['hash']}'")
    asked = [
        (path + "GetTx", one.SerializeToString().hex()),
        (path + "GetTxsEvent", many.SerializeToString().hex()),
    ]
    for answer in asyncio.run(ask(replay.node, asked)):
        assert answer["code"] == 0
        assert base64.b64decode(case["tx"]) in base64.b64decode(answer["value"])
