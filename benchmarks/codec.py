"""How long transactions take from bytes to value and back, and blocks to their hashes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any

import msgspec

from chain.block.hashing import data_hash, header_hash, results_hash
from chain.block.types import BlockId, Header, TxResult
from chain.crypto import addresses
from chain.crypto.keys import MlDsa87Key, Secp256k1Key
from chain.tx.builder import build_cosmos_amino, build_cosmos_direct, build_native, coins
from chain.tx.codec import decode_tx
from chain.tx.messages import MsgExecuteContract
from chain.tx.native import Body, Envelope, read_amount
from chain.tx.results import EXECUTE, data_value, encode_tx_data
from chain.tx.signing import sign_bytes

_COUNTS = {"smoke": 50, "real": 5000}
_ROUNDS = 5


def _microseconds(work: Callable[[], Any], count: int) -> float:
    """The best of some rounds, a call."""
    best = None
    for _ in range(_ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(count):
            work()
        spent = (time.perf_counter_ns() - start) / count / 1000
        best = spent if best is None else min(best, spent)
    return round(best or 0.0, 2)


def _transactions() -> dict[str, bytes]:
    agent, wallet = MlDsa87Key(bytes(32)), Secp256k1Key(b"\x01" * 32)
    msg = b'{"send_message":{"recipient":"msg1a","body":"hello","priority":"normal"}}'
    contract = addresses.contract_address(1, 1)
    options: dict[str, Any] = {
        "chain_id": "msg-chain-1",
        "account_numbers": [1],
        "sequences": [2],
        "gas_limit": 200_000,
        "fee": coins("200000000000000amsg"),
    }
    native = [MsgExecuteContract(agent.address, contract, msg, coins("5umsg"))]
    cosmos = [MsgExecuteContract(wallet.address, contract, msg, coins("5umsg"))]
    return {
        "native": build_native(native, [agent], **options),
        "native, known key": build_native(native, [agent], send_keys=False, **options),
        "cosmos direct": build_cosmos_direct(cosmos, [wallet], **options),
        "cosmos amino": build_cosmos_amino(cosmos, [wallet], **options),
    }


def run(size: str) -> dict[str, Any]:
    """Microseconds a call; sizes; a hash of the transactions."""
    count = _COUNTS[size]
    found: dict[str, Any] = {}
    sent = _transactions()
    for name, raw in sent.items():
        tx = decode_tx(raw)
        found[f"{name}: bytes"] = len(raw)
        found[f"{name}: decode, µs"] = _microseconds(lambda raw=raw: decode_tx(raw), count)  # type: ignore[misc]
        found[f"{name}: sign bytes, µs"] = _microseconds(
            lambda tx=tx: sign_bytes(tx, 0, 1, "msg-chain-1"),  # type: ignore[misc]
            count,
        )
    body = msgspec.msgpack.Decoder(Body, dec_hook=read_amount)
    envelope = msgspec.msgpack.Decoder(Envelope)
    raw = sent["native"]
    found["native: MessagePack alone, µs"] = _microseconds(
        lambda: body.decode(envelope.decode(raw).body), count
    )
    data = encode_tx_data([(EXECUTE, data_value(b"answer"))])
    results = [TxResult(data=data, gas_wanted=200_000, gas_used=100_000 + i) for i in range(100)]
    txs = [raw + i.to_bytes(4, "big") for i in range(100)]
    h = bytes(32)
    header = Header("c", 1, 1, BlockId(), h, h, h, h, h, h, h, h, bytes(20))
    few = max(1, count // 100)
    found["data hash of 100, µs"] = _microseconds(lambda: data_hash(txs), few)
    found["results hash of 100, µs"] = _microseconds(lambda: results_hash(results), few)
    found["header hash, µs"] = _microseconds(lambda: header_hash(header), few)
    canonical = addresses.contract_canonical(1, 1)
    text = addresses.humanize(canonical)
    found["address from bytes, µs"] = _microseconds(
        lambda: addresses.humanize.__wrapped__(canonical), few
    )
    found["address check, µs"] = _microseconds(lambda: addresses.validate.__wrapped__(text), few)
    found["address check, remembered, µs"] = _microseconds(lambda: addresses.validate(text), few)
    found["hash"] = hashlib.sha256(b"".join(sent.values())).hexdigest()[:16]
    return found
