"""Nonsense for every method of the RPC: no crash, no traceback, no status 500, no change."""

from __future__ import annotations

import json
from typing import Any

import pytest
from devnet_process import Devnet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chain.node import info, txs

METHODS = {
    method.name: [param.name for param in method.params]
    for method in (*info.TABLE, *txs.TABLE)
    if method.name != "broadcast_tx_commit"  # waits for a block
}
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
    | st.sampled_from(
        [
            "1",
            "0",
            "-1",
            "99999999999999999999",
            "tx.height>0",
            "AA==",
            "0x",
            "\u2028<>&",
            "[]",
            "/store/bank/key",
            "/cosmos.bank.v1beta1.Query/AllBalances",
            "asc",
            "tx.hash='00'",
        ]
    )
    | st.from_regex(r"[0-9a-f]{0,80}", fullmatch=True)
    | st.from_regex(
        r"[a-z]+\.[a-z]+ ?(=|<|>|<=|>=|CONTAINS|EXISTS) ?('[^']*'|\d+)?", fullmatch=True
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def requests(draw: st.DrawFn) -> Any:
    """A request that is mostly well formed."""
    name = draw(st.sampled_from(sorted(METHODS)) | st.text(max_size=10))
    names = METHODS.get(name, [])
    by_name = st.fixed_dictionaries({}, optional=dict.fromkeys(names, VALUES))
    sent: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": draw(st.integers(0, 9) | SCALARS),
        "method": name,
        "params": draw(by_name | st.lists(VALUES, max_size=len(names) + 1) | VALUES),
    }
    for member in draw(st.sets(st.sampled_from(sorted(sent)), max_size=1)):
        del sent[member]
    return sent


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Any:
    net = Devnet(tmp_path_factory.mktemp("net") / "home", "--block-time", "manual")
    before = net.call("status")["sync_info"]
    yield net
    assert net.call("status")["sync_info"] == before
    assert net.call("num_unconfirmed_txs")["total"] == "0"
    net.call("devnet_mine", blocks=2)
    after = net.call("header", height="2")["header"]["app_hash"]
    assert after == net.call("header", height="3")["header"]["app_hash"]
    assert net.stop() == 0
    assert "Traceback" not in net.errors, net.errors


def check(status: int, raw: bytes) -> None:
    assert status in (200, 400, 404), (status, raw)
    assert b"Traceback" not in raw
    assert b"the node failed" not in raw
    if raw:
        answer = json.loads(raw)
        assert "result" in answer or "error" in answer


def send_one(quiet: Devnet, request: Any) -> None:
    status, raw = quiet.post(json.dumps(request).encode())
    check(status, raw)


@given(request=requests())
@settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
def test_some_nonsense_changes_nothing(quiet: Devnet, request: Any) -> None:
    send_one(quiet, request)


@pytest.mark.long
@given(request=requests())
@settings(max_examples=2_500, suppress_health_check=list(HealthCheck), deadline=None)
def test_much_nonsense_changes_nothing(quiet: Devnet, request: Any) -> None:
    send_one(quiet, request)


@given(body=st.binary(max_size=300))
@settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
def test_bytes_are_answered_or_refused(quiet: Devnet, body: bytes) -> None:
    status, raw = quiet.post(body)
    assert status in (200, 400)
    assert b"Traceback" not in raw


@given(name=st.sampled_from(sorted(METHODS)), argument=st.text(max_size=30), data=st.data())
@settings(max_examples=100, suppress_health_check=list(HealthCheck), deadline=None)
def test_arguments_in_the_address_are_taken_or_refused(
    quiet: Devnet, name: str, argument: str, data: st.DataObject
) -> None:
    from urllib.parse import quote

    key = data.draw(st.sampled_from([*METHODS[name], "other"]))
    status, raw = quiet.post(b"", f"/{name}?{key}={quote(argument)}")
    check(status, raw)
