"""The developer form: unsigned changes by a tester's hand, on chains whose genesis says ``devnet``
(CH-8).

The first byte is the one that MessagePack never uses; then ``[1, chain_id, nonce, [message, …],
gas_limit, memo]``, canonical as the native form is. The nonce tells equal transactions apart. Gas
limit 0 means no limit of its own.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Final

import msgspec

from chain.tx.messages import Amount, DevMessage, Wire
from chain.tx.native import VERSION, refuse
from chain.tx.value import DEV, Tx

FIRST_BYTE: Final = 0xC1
_PREFIX: Final = bytes([FIRST_BYTE])

_MAX_AMOUNT_DIGITS: Final = 1_000  # far beyond 256 bits: testers send what is to be refused

_Unsigned = Annotated[int, msgspec.Meta(ge=0)]


class DevBody(Wire, frozen=True):
    """All of a developer transaction."""

    version: int
    chain_id: str
    nonce: _Unsigned
    messages: tuple[DevMessage, ...]
    gas_limit: _Unsigned = 0
    memo: str = ""


def _write_amount(value: Any) -> str:
    """An amount as a tester wrote it, also a negative one, which the chain then refuses."""
    if type(value) is not Amount:
        raise TypeError(f"cannot encode {type(value).__name__}")
    return str(int(value))


def _read_amount(_kind: type, value: Any) -> Amount:
    digits = value.removeprefix("-") if type(value) is str else ""
    if not digits.isascii() or not digits.isdigit() or len(digits) > _MAX_AMOUNT_DIGITS:
        raise ValueError("an amount is decimal text")
    if str(int(value)) != value:
        raise ValueError("an amount is decimal text in its shortest form")
    return Amount(value)


_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=_write_amount)
_READ: Final = msgspec.msgpack.Decoder(DevBody, dec_hook=_read_amount)


def decode_dev(raw: bytes) -> Tx:
    """The transaction of developer bytes. Raises: AppError sdk/2."""
    try:
        body = _READ.decode(raw[1:])
        canonical = encode_dev(body) == raw
    except (msgspec.MsgspecError, TypeError, RecursionError, UnicodeEncodeError):
        refuse("invalid developer transaction")
    if not canonical:
        refuse("developer transaction is not canonical")
    if body.version != VERSION:
        refuse(f"developer transaction version {body.version} is not known")
    return Tx(
        form=DEV,
        messages=body.messages,
        signers=(),
        gas_limit=body.gas_limit,
        fee=(),
        fee_payer="",
        memo=body.memo,
        timeout_height=0,
        chain_id=body.chain_id,
        raw=raw,
        hash=hashlib.sha256(raw).digest(),
        memo_size=len(body.memo.encode()),
        has_fee=False,
        nonce=body.nonce,
    )


def encode_dev(body: DevBody) -> bytes:
    """The bytes of a developer transaction whose amounts are ``Amount``."""
    return _PREFIX + _ENCODER.encode(body)
