"""A small chain with real signatures for the driver's tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chain.crypto.keys import MlDsa87Key
from chain.driver.genesis import SECOND, parse
from chain.driver.producer import Producer
from chain.tx.builder import build_native, coins
from chain.tx.messages import MsgSend
from chain.wiring import (
    dev_secret,
    dev_validator_keys,
    genesis_document,
    open_chain,
    store_entry,
)

START = 1_704_067_200 * SECOND
ALICE = MlDsa87Key(dev_secret("alice"))
BOB = MlDsa87Key(dev_secret("bob"))
FEE = "400000000000000amsg"


def document() -> dict[str, Any]:
    state = {
        "devnet": True,
        "accounts": [{"address": ALICE.address, "coins": [{"denom": "msg", "amount": "1000"}]}],
        "messages": [store_entry("token_v1", ALICE.address)],
    }
    return genesis_document("msg-chain-1", START, dev_validator_keys(3), state)


@pytest.fixture
def make_chain() -> Callable[..., Producer]:
    def make(home: Path | None = None) -> Producer:
        return open_chain(home, parse(document()), signers=dev_validator_keys(3))

    return make


@pytest.fixture
def payment() -> Callable[..., bytes]:
    def build(sequence: int, amount: str = "1msg") -> bytes:
        return build_native(
            [MsgSend(ALICE.address, BOB.address, coins(amount))],
            [ALICE],
            chain_id="msg-chain-1",
            account_numbers=[0],
            sequences=[sequence],
            gas_limit=400_000,
            fee=coins(FEE),
        )

    return build


@pytest.fixture
def start_time() -> int:
    return START
