"""Signatures of a block are verified in parts while it runs: the same results with every verifier."""

import pytest
from dev_txs import wallet_send
from recorded_rpc import GENESIS_TIME

from chain.crypto.verify import InlineVerifier, ThreadedVerifier, TrustingVerifier
from chain.driver.genesis import parse
from chain.wiring import dev_validator_keys, dev_wallet, genesis_document, open_chain

SENDERS = 3


def run(verifier, txs, *, prove=False):
    """The codes of a block of transactions, and the hash after it."""
    accounts = [
        {"address": dev_wallet(index).address, "coins": [{"denom": "msg", "amount": "1000"}]}
        for index in range(SENDERS)
    ]
    state = {"devnet": True, "accounts": accounts, "messages": []}
    signers = dev_validator_keys(1)
    genesis = parse(genesis_document("msg-chain-1", GENESIS_TIME, signers, state))
    producer = open_chain(None, genesis, signers=signers, verifier=verifier)
    producer.produce([], 0)
    if prove:
        list(producer.app.proving(txs))
    record = producer.produce(txs, producer.state.time + 10**9)
    verifier.close()
    return [one.code for one in record.result.tx_results], record.result.app_hash


@pytest.fixture(scope="module")
def txs():
    """Three parts and a bit; a wrong signature in the first and third, one that is no transaction,
    one twice."""
    made = [
        wallet_send(place % SENDERS, place // SENDERS, number=place % SENDERS)
        for place in range(102)
    ]
    for place in (3, 70):
        made[place] = made[place][:-1] + bytes([made[place][-1] ^ 1])
    return [*made[:33], b"none", *made[33:35], made[34], *made[35:]]


@pytest.mark.parametrize("prove", [False, True])
def test_all_verifiers_give_one_result(txs, prove):
    expected = run(InlineVerifier(), txs)
    assert set(expected[0]) == {0, 2, 4, 32}
    assert run(ThreadedVerifier(2), txs, prove=prove) == expected
    assert run(ThreadedVerifier(2, processes=1, load=1), txs, prove=prove) == expected


def test_a_verifier_that_trusts_lets_wrong_signatures_pass(txs):
    codes, _ = run(TrustingVerifier(), txs)
    assert 4 not in codes
