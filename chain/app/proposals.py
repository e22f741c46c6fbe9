"""What an honest proposer puts into a block: a pure function of the bytes and the parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chain.app.records import Params
from chain.errors import AppError
from chain.tx.codec import decode_tx
from chain.tx.value import Tx

Decode = Callable[[bytes], Tx]


def prepare(
    txs: Sequence[bytes], max_tx_bytes: int, params: Params, decode: Decode = decode_tx
) -> list[bytes]:
    """The given transactions in order, each once, as far as bytes and gas of a block go, without
    what is no transaction or too large for one.

    Bytes are counted as CometBFT counts them: each with its protobuf tag and length.
    """
    chosen: dict[bytes, None] = {}
    room = min(max_tx_bytes, params.block_max_bytes)
    size = gas = 0
    for raw in txs:
        framed = _framed(raw)
        if size + framed > room or raw in chosen:
            continue
        wanted = _gas_of(raw, params, decode)
        if wanted is None or 0 <= params.block_max_gas < gas + wanted:
            continue
        size += framed
        gas += wanted
        chosen[raw] = None
    return list(chosen)


def accepts(txs: Sequence[bytes], params: Params, decode: Decode = decode_tx) -> bool:
    """Whether ``prepare`` can have made this: everything decodes, nothing is too large or there
    twice, and bytes and gas fit.
    """
    if len(set(txs)) != len(txs):
        return False
    size = gas = 0
    for raw in txs:
        wanted = _gas_of(raw, params, decode)
        if wanted is None:
            return False
        size += _framed(raw)
        gas += wanted
    return size <= params.block_max_bytes and not 0 <= params.block_max_gas < gas


def _gas_of(raw: bytes, params: Params, decode: Decode) -> int | None:
    """Gas limit of a transaction's bytes, None for bytes that are no transaction of this chain."""
    if len(raw) > params.tx_max_bytes:
        return None
    try:
        return decode(raw).gas_limit
    except AppError:
        return None


def _framed(raw: bytes) -> int:
    """Bytes that a transaction takes in a block: itself, its tag and its length."""
    return len(raw) + 1 + max(1, (len(raw).bit_length() + 6) // 7)
