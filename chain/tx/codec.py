"""Bytes to a transaction: the first byte says which of the three forms it is."""

from __future__ import annotations

from chain.tx.cosmos import decode_cosmos
from chain.tx.dev import FIRST_BYTE, decode_dev
from chain.tx.native import decode_native
from chain.tx.value import Tx


def decode_tx(raw: bytes) -> Tx:
    """The one value of a transaction's bytes.

    A MessagePack array is native, ``c1`` a developer's; everything else is read as Cosmos ``TxRaw``
    and refused in its words. Raises: AppError sdk/2 for bytes that are no transaction.
    """
    first = raw[0] if raw else 0x0A
    if first & 0xF0 == 0x90 or first in (0xDC, 0xDD):
        return decode_native(raw)
    if first == FIRST_BYTE:
        return decode_dev(raw)
    return decode_cosmos(raw)
