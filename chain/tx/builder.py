"""Transactions from messages and keys, for wallets and tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from chain.crypto import multisig
from chain.crypto.keys import PrivateKey, PubKey
from chain.protowire import any_field, bytes_field, int_field, message_field, text_field
from chain.std import Coin as StdCoin
from chain.tx import native
from chain.tx.amino import sign_document
from chain.tx.cosmos import decode_cosmos
from chain.tx.dev import DevBody, encode_dev
from chain.tx.encode import coins_field, encode_message, encode_pubkey
from chain.tx.messages import Amount, Coin, Coins, Msg, type_url
from chain.tx.native import Body, SignerInfo
from chain.tx.signing import CONTEXT, direct_bytes
from chain.tx.value import MODE_AMINO, MODE_DIRECT, MODE_UNSPECIFIED


def coins(text: str) -> Coins:
    """Coins from text such as ``5umsg,2utok``. Raises: ValueError."""
    found = []
    for part in filter(None, text.split(",")):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits or digits == part:
            raise ValueError(f"not a coin: {part}")
        found.append(Coin(part[len(digits) :], Amount(digits)))
    return tuple(found)


def exact(value: Any) -> Any:
    """The same message or tuple with every amount as ``Amount``, which the native encoder needs."""
    if isinstance(value, (Coin, StdCoin)):
        return Coin(value.denom, Amount(value.amount))
    if isinstance(value, (tuple, list)):
        return tuple([exact(entry) for entry in value])
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return type(value)(*[exact(getattr(value, name)) for name in names])
    return value


# --- native -------------------------------------------------------------------------------------


def native_body(
    messages: Sequence[Msg],
    signers: Sequence[SignerInfo],
    *,
    chain_id: str,
    gas_limit: int,
    fee: Iterable[Coin] = (),
    fee_payer: str = "",
    memo: str = "",
    timeout_height: int = 0,
) -> bytes:
    """The bytes that all signers of a native transaction sign over."""
    return native.encode_body(
        Body(
            native.VERSION,
            chain_id,
            exact(messages),
            tuple(signers),
            gas_limit,
            exact(tuple(fee)),
            fee_payer,
            memo,
            timeout_height,
        )
    )


def sign_native(body: bytes, index: int, account_number: int, key: PrivateKey) -> bytes:
    """One signer's signature over a native body."""
    return key.sign(native.sign_bytes(body, index, account_number), CONTEXT)


def build_native(
    messages: Sequence[Msg],
    keys: Sequence[PrivateKey],
    *,
    chain_id: str,
    account_numbers: Sequence[int],
    sequences: Sequence[int],
    gas_limit: int,
    fee: Iterable[Coin] = (),
    fee_payer: str = "",
    memo: str = "",
    timeout_height: int = 0,
    send_keys: bool = True,
) -> bytes:
    """A native transaction signed by all keys; ``send_keys=False`` where the accounts
    have theirs already.
    """
    signers = [
        SignerInfo(key.pubkey.address(), key.pubkey if send_keys else None, sequence)
        for key, sequence in zip(keys, sequences, strict=True)
    ]
    body = native_body(
        messages,
        signers,
        chain_id=chain_id,
        gas_limit=gas_limit,
        fee=fee,
        fee_payer=fee_payer,
        memo=memo,
        timeout_height=timeout_height,
    )
    signatures = [
        sign_native(body, index, number, key)
        for index, (key, number) in enumerate(zip(keys, account_numbers, strict=True))
    ]
    return native.encode_envelope(body, signatures)


def build_dev(
    messages: Sequence[Msg], *, chain_id: str, nonce: int = 0, gas_limit: int = 0, memo: str = ""
) -> bytes:
    """A developer transaction."""
    return encode_dev(DevBody(native.VERSION, chain_id, nonce, exact(messages), gas_limit, memo))


# --- Cosmos -------------------------------------------------------------------------------------


def cosmos_body(messages: Sequence[Msg], memo: str = "", timeout_height: int = 0) -> bytes:
    """TxBody bytes."""
    packed = [any_field(1, type_url(message), encode_message(message)) for message in messages]
    return b"".join(packed) + text_field(2, memo) + int_field(3, timeout_height)


def _fee(fee: Iterable[Coin], gas_limit: int, payer: str) -> bytes:
    return message_field(
        2, coins_field(1, tuple(fee)) + int_field(2, gas_limit) + text_field(3, payer)
    )


def _single(mode: int) -> bytes:
    return message_field(1, int_field(1, mode))


def _signer_info(pubkey: PubKey, mode_info: bytes, sequence: int) -> bytes:
    url, value = encode_pubkey(pubkey)
    return message_field(
        1, any_field(1, url, value) + message_field(2, mode_info) + int_field(3, sequence)
    )


def cosmos_auth_info(
    pubkeys: Sequence[PubKey],
    sequences: Sequence[int],
    *,
    gas_limit: int,
    fee: Iterable[Coin] = (),
    fee_payer: str = "",
    mode: int = MODE_DIRECT,
) -> bytes:
    """AuthInfo bytes with one way of signing for all."""
    infos = [
        _signer_info(pubkey, _single(mode), sequence)
        for pubkey, sequence in zip(pubkeys, sequences, strict=True)
    ]
    return b"".join(infos) + _fee(fee, gas_limit, fee_payer)


def cosmos_raw(body: bytes, auth_info: bytes, signatures: Sequence[bytes]) -> bytes:
    """TxRaw bytes; an empty signature is written, as simulations have one."""
    signed = b"".join([message_field(3, signature) for signature in signatures])
    return bytes_field(1, body) + bytes_field(2, auth_info) + signed


def build_cosmos_direct(
    messages: Sequence[Msg],
    keys: Sequence[PrivateKey],
    *,
    chain_id: str,
    account_numbers: Sequence[int],
    sequences: Sequence[int],
    gas_limit: int,
    fee: Iterable[Coin] = (),
    fee_payer: str = "",
    memo: str = "",
    timeout_height: int = 0,
) -> bytes:
    """A Cosmos transaction in SIGN_MODE_DIRECT."""
    body = cosmos_body(messages, memo, timeout_height)
    auth = cosmos_auth_info(
        [key.pubkey for key in keys], sequences, gas_limit=gas_limit, fee=fee, fee_payer=fee_payer
    )
    signatures = [
        key.sign(direct_bytes(body, auth, chain_id, number), CONTEXT)
        for key, number in zip(keys, account_numbers, strict=True)
    ]
    return cosmos_raw(body, auth, signatures)


def build_cosmos_amino(
    messages: Sequence[Msg],
    keys: Sequence[PrivateKey],
    *,
    chain_id: str,
    account_numbers: Sequence[int],
    sequences: Sequence[int],
    gas_limit: int,
    fee: Iterable[Coin] = (),
    fee_payer: str = "",
    memo: str = "",
    timeout_height: int = 0,
) -> bytes:
    """A Cosmos transaction in SIGN_MODE_LEGACY_AMINO_JSON."""
    body = cosmos_body(messages, memo, timeout_height)
    auth = cosmos_auth_info(
        [key.pubkey for key in keys],
        sequences,
        gas_limit=gas_limit,
        fee=fee,
        fee_payer=fee_payer,
        mode=MODE_AMINO,
    )
    tx = decode_cosmos(cosmos_raw(body, auth, ()))
    signatures = [
        key.sign(sign_document(tx, chain_id=chain_id, account_number=number, sequence=sequence))
        for key, number, sequence in zip(keys, account_numbers, sequences, strict=True)
    ]
    return cosmos_raw(body, auth, signatures)


def build_cosmos_multisig(
    messages: Sequence[Msg],
    pubkey: PubKey,
    keys: dict[int, PrivateKey],
    *,
    chain_id: str,
    account_number: int,
    sequence: int,
    gas_limit: int,
    fee: Iterable[Coin] = (),
    memo: str = "",
) -> bytes:
    """A Cosmos transaction of a threshold key, signed in amino mode by the members at
    the given places.
    """
    chosen = tuple(sorted(keys))
    extra, elements = multisig.bit_array(len(multisig.members(pubkey)[1]), chosen)
    array = message_field(1, int_field(1, extra) + bytes_field(2, elements))
    modes = b"".join([message_field(2, _single(MODE_AMINO)) for _ in chosen])
    body = cosmos_body(messages, memo)
    info = _signer_info(pubkey, message_field(2, array + modes), sequence)
    auth = info + _fee(fee, gas_limit, "")
    tx = decode_cosmos(cosmos_raw(body, auth, ()))
    document = sign_document(
        tx, chain_id=chain_id, account_number=account_number, sequence=sequence
    )
    parts = [message_field(1, keys[index].sign(document)) for index in chosen]
    return cosmos_raw(body, auth, [b"".join(parts)])


def build_simulation(
    messages: Sequence[Msg], pubkeys: Sequence[PubKey], sequences: Sequence[int], memo: str = ""
) -> bytes:
    """The unsigned bytes that CosmJS has simulated: no mode, an empty fee, empty signatures."""
    body = cosmos_body(messages, memo)
    auth = cosmos_auth_info(pubkeys, sequences, gas_limit=0, mode=MODE_UNSPECIFIED)
    return cosmos_raw(body, auth, [b""] * len(pubkeys))
