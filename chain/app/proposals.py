"""What an honest proposer puts into a block: a pure function of the bytes and the parameters."""

from __future__ import annotations

from collections.abc import Sequence

from chain.app.records import Params
from chain.errors import AppError
from chain.tx.codec import decode_tx


def prepare(txs: Sequence[bytes], max_tx_bytes: int, params: Params) -> list[bytes]:
    """The given transactions in order, as far as bytes and gas of a block go, without junk.

    Bytes are counted as CometBFT counts them: each with its protobuf tag and length.
    """
    chosen: list[bytes] = []
    size = gas = 0
    for raw in txs:
        framed = len(raw) + 1 + _varint_size(len(raw))
        wanted = gas_of(raw)
        if size + framed > max_tx_bytes or wanted is None:
            continue
        if 0 <= params.block_max_gas < gas + wanted:
            continue
        size += framed
        gas += wanted
        chosen.append(raw)
    return chosen


def accepts(txs: Sequence[bytes], params: Params) -> bool:
    """Whether ``prepare`` can have made this: everything decodes and the gas fits."""
    gas = 0
    for raw in txs:
        wanted = gas_of(raw)
        if wanted is None:
            return False
        gas += wanted
    return not 0 <= params.block_max_gas < gas


def gas_of(raw: bytes) -> int | None:
    """Gas limit of a transaction's bytes, None for bytes that are no transaction."""
    try:
        return decode_tx(raw).gas_limit
    except AppError:
        return None


def _varint_size(number: int) -> int:
    return max(1, (number.bit_length() + 6) // 7)
