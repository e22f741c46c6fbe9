"""Failures as answers: every kind has its status, and none tells a secret."""

from __future__ import annotations

import json

import pytest

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.keystore import KeystoreError
from chain.client.transport import ChainError, Outcome, QueryRefused, TimedOut, TxFailed, TxRefused
from chain.gateway.rest_faults import Fault, fault_of
from contracts.agent_a2a_v1 import error as contract_errors

LOG = "failed to execute message; message index: 0: {}: execute wasm contract failed"


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        (str(contract_errors.Unauthorized()), 403, "forbidden"),
        (str(contract_errors.MessageNotFound("m")), 404, "not_found"),
        (str(contract_errors.OriginalMessageNotFound()), 404, "not_found"),
        (str(contract_errors.ChannelNotFound("c")), 404, "not_found"),
        (str(contract_errors.ChannelNotOpen("c")), 409, "channel_not_open"),
        (str(contract_errors.MessageExpired()), 409, "message_expired"),
        (str(contract_errors.InvalidMessageStatus("a", "b")), 409, "wrong_status"),
        (str(contract_errors.RateLimitExceeded()), 429, "rate_limited"),
        (str(contract_errors.ConstitutionCheckFailed()), 403, "constitution"),
        (str(contract_errors.MessageTooLarge(262_144)), 413, "too_large"),
        (str(contract_errors.DidVerificationFailed()), 409, "no_did"),
        (str(contract_errors.NonceUsed()), 409, "nonce_used"),
        (str(contract_errors.AgentNotRegistered()), 404, "agent_not_registered"),
        (str(contract_errors.InvalidTTL()), 422, "refused"),
        ("something new", 422, "refused"),
    ],
)
def test_what_the_contract_refuses(text: str, status: int, code: str) -> None:
    fault = fault_of(TxRefused("wasm", 5, LOG.format(text)))
    assert (fault.status, fault.code, fault.text) == (status, code, text)


def test_failures_of_chain_and_node() -> None:
    outcome = Outcome("AB", 3, 5, "wasm", LOG.format("odd"), b"", 1, 1, [])
    found = {
        402: TxRefused("sdk", 5, "spendable balance is smaller"),
        503: Unreachable("http://secret-node:1: refused"),
        504: TimedOut("transaction AB was in no block"),
        409: KeystoreError("/home/x/keys/alice.json: wrong password"),
        422: TxFailed(outcome),
    }
    for status, error in found.items():
        shown = fault_of(error)
        assert shown.status == status
        assert "secret-node" not in shown.text
        assert "alice.json" not in shown.text
    assert "AB" in fault_of(TxFailed(outcome)).text
    assert fault_of(RpcFailed(1, "m", "d")).status == 503
    assert fault_of(ChainError("sdk", 9, "account x does not exist")).status == 402
    busy = fault_of(TxRefused("sdk", 20, "mempool is full")).response()
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")


def test_a_refused_query_shows_the_contracts_words() -> None:
    error = QueryRefused(
        "wasm", 9, "Invalid start_after: query wasm contract failed: unknown request"
    )
    assert fault_of(error).text == "Invalid start_after"


def test_an_unknown_failure_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        fault_of(ZeroDivisionError())


def test_the_answer_has_one_shape() -> None:
    response = Fault(429, "rate_limited", "wait \ud800", retry_after=0.2).response()
    assert json.loads(bytes(response.body)) == {
        "error": {"code": "rate_limited", "message": "wait ?"}
    }
    assert response.headers["retry-after"] == "1"
    assert "www-authenticate" in Fault(401, "unauthorized", "x").response().headers


def test_what_is_no_address_and_what_is_too_large_for_a_node_are_said_in_their_words() -> None:
    text = "Generic error: addr_validate errored: decoding bech32 failed: no separator"
    fault = fault_of(TxRefused("wasm", 5, LOG.format(text)))
    assert (fault.status, fault.code) == (422, "bad_address")
    assert "addr_validate" not in fault.text
    assert "decoding bech32 failed: no separator" in fault.text
    fault = fault_of(ChainError("sdk", 21, "too large"))
    assert (fault.status, fault.code) == (413, "too_large")
