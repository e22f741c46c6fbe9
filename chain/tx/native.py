"""The native wire form: MessagePack, canonical, signed with ML-DSA-87 (or secp256k1).

::

transaction = [body, [signature, …]]                  body is a byte string, one signature a signer
body        = [1, chain_id, [message, …], [signer, …], gas_limit, [coin, …], fee_payer, memo,
timeout_height] message     = [tag, field, …]                         ``chain.tx.messages`` signer
= [address, [key type, key] or nil, sequence] coin        = [denomination, decimal text]

signed      = "msgchain/tx/v1" 00 · account number (8 bytes) · place among the signers (2 bytes) ·
body

Bytes that do not encode again to themselves are refused, so one transaction has one hash. A key
travels once per account: nil stands for the one that the account already has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Final, NoReturn

import msgspec

from chain.crypto.keys import ML_DSA_87, SECP256K1, PubKey
from chain.errors import AppError
from chain.tx.messages import Amount, Coin, SignedMessage, Wire
from chain.tx.value import MODE_NATIVE, NATIVE, Signer, Tx

VERSION: Final = 1
CONTEXT: Final = b"msgchain/tx/v1"
_KEY_BYTES: Final = {ML_DSA_87: 2592, SECP256K1: 33}
_MAX_AMOUNT_DIGITS: Final = 78

_Unsigned = Annotated[int, msgspec.Meta(ge=0)]


class SignerInfo(Wire, frozen=True):
    """A signer in the body."""

    address: str
    pubkey: PubKey | None
    sequence: _Unsigned


class Body(Wire, frozen=True):
    """All that is signed."""

    version: int
    chain_id: str
    messages: tuple[SignedMessage, ...]
    signers: tuple[SignerInfo, ...]
    gas_limit: _Unsigned
    fee: tuple[Coin, ...]
    fee_payer: str = ""
    memo: str = ""
    timeout_height: _Unsigned = 0


class Envelope(Wire, frozen=True):
    """What travels."""

    body: bytes
    signatures: tuple[bytes, ...]


def write_amount(value: Any) -> str:
    """The wire form of an amount; the encoder's hook for the one type it does not know."""
    if type(value) is not Amount or value < 0:
        raise TypeError(f"cannot encode {type(value).__name__}")
    return str(int(value))


def read_amount(_kind: type, value: Any) -> Amount:
    """An amount from its wire form: decimal digits, no sign, no leading zero."""
    if type(value) is not str or not value.isascii() or not value.isdigit():
        raise ValueError("an amount is decimal text")
    if len(value) > _MAX_AMOUNT_DIGITS or (value[0] == "0" and value != "0"):
        raise ValueError("an amount is decimal text in its shortest form")
    return Amount(value)


ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=write_amount)
_READ_BODY: Final = msgspec.msgpack.Decoder(Body, dec_hook=read_amount)
_READ_ENVELOPE: Final = msgspec.msgpack.Decoder(Envelope)


def refuse(text: str) -> NoReturn:
    """Refuse bytes as no transaction (sdk/2)."""
    raise AppError("sdk", 2, f"{text}: tx parse error")


def decode_native(raw: bytes) -> Tx:
    """The transaction of native bytes. Raises: AppError sdk/2."""
    try:
        envelope = _READ_ENVELOPE.decode(raw)
        body = _READ_BODY.decode(envelope.body)
        canonical = ENCODER.encode(body) == envelope.body and ENCODER.encode(envelope) == raw
    except (msgspec.MsgspecError, TypeError, RecursionError, UnicodeEncodeError):
        refuse("invalid native transaction")
    if not canonical:
        refuse("native transaction is not canonical")
    if body.version != VERSION:
        refuse(f"native transaction version {body.version} is not known")
    signatures = envelope.signatures
    signers = []
    seen: dict[str, None] = {}
    for index, info in enumerate(body.signers):
        if info.pubkey is not None and _KEY_BYTES.get(info.pubkey.type) != len(info.pubkey.key):
            refuse(f"public key of signer {index} is not a native key")
        if info.address in seen:
            refuse(f"signer {info.address} is named twice")
        seen[info.address] = None
        signature = signatures[index] if index < len(signatures) else b""
        signers.append(Signer(info.pubkey, info.address, info.sequence, MODE_NATIVE, signature))
    return Tx(
        form=NATIVE,
        messages=body.messages,
        signers=tuple(signers),
        gas_limit=body.gas_limit,
        fee=body.fee,
        fee_payer=body.fee_payer,
        memo=body.memo,
        timeout_height=body.timeout_height,
        chain_id=body.chain_id,
        raw=raw,
        hash=hashlib.sha256(raw).digest(),
        signatures=signatures,
        memo_size=len(body.memo) if body.memo.isascii() else len(body.memo.encode()),
        body=envelope.body,
    )


def sign_bytes(body: bytes, index: int, account_number: int) -> bytes:
    """What the signer at this place signs."""
    return CONTEXT + b"\x00" + account_number.to_bytes(8, "big") + index.to_bytes(2, "big") + body


def encode_body(body: Body) -> bytes:
    """The bytes of a body whose amounts are ``Amount``."""
    return ENCODER.encode(body)


def encode_envelope(body: bytes, signatures: Sequence[bytes]) -> bytes:
    """The bytes of a signed transaction."""
    return ENCODER.encode(Envelope(body, tuple(signatures)))
