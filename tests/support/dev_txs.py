"""Transactions of a devnet's accounts, for system tests."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from devnet_process import Devnet

from chain.tx.builder import build_cosmos_direct, build_native, coins
from chain.tx.messages import MsgSend
from chain.wiring import dev_key, dev_wallet


def wallet_send(
    index: int, sequence: int, *, number: int | None = None, amount: str = "1umsg"
) -> bytes:
    """A signed transfer from a wallet account to wallet 3."""
    key = dev_wallet(index)
    return build_cosmos_direct(
        [MsgSend(key.address, dev_wallet(3).address, coins(amount))],
        [key],
        chain_id="msg-chain-1",
        account_numbers=[8 + index if number is None else number],
        sequences=[sequence],
        gas_limit=200_000,
        fee=coins("200umsg"),
    )


def native_send(name: str, number: int, sequence: int) -> bytes:
    """A transfer signed with ML-DSA-87 from a native account to another."""
    key = dev_key(name)
    return build_native(
        [MsgSend(key.address, dev_key("bob").address, coins("1umsg"))],
        [key],
        chain_id="msg-chain-1",
        account_numbers=[number],
        sequences=[sequence],
        gas_limit=300_000,
        fee=coins("300umsg"),
    )


def send(net: Devnet, raw: bytes, mode: str = "sync") -> Any:
    """The answer to a broadcast."""
    return net.call(f"broadcast_tx_{mode}", tx=base64.b64encode(raw).decode())


def hash_of(raw: bytes) -> str:
    """The hash as clients show it."""
    return hashlib.sha256(raw).hexdigest().upper()


def found(net: Devnet, raw: bytes) -> Any:
    """The transaction as a search finds it, or None."""
    result = net.call("tx_search", query=f"tx.hash='{hash_of(raw)}'")
    return result["txs"][0] if result["txs"] else None
