"""Messages and keys to protobuf bytes, as CosmJS writes them: fields ascending,
defaults left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from chain.crypto import multisig
from chain.crypto.keys import ED25519, ML_DSA_87, MULTISIG, SECP256K1, PubKey
from chain.protowire import (
    any_field,
    bytes_field,
    int_field,
    message_field,
    text_field,
)
from chain.tx import messages as m
from chain.tx import schema

_KEY_URLS: Final = {
    SECP256K1: schema.SECP256K1_URL,
    ED25519: schema.ED25519_URL,
    ML_DSA_87: schema.ML_DSA_87_URL,
}


def coin(value: m.Coin) -> bytes:
    """A coin."""
    return text_field(1, value.denom) + text_field(2, str(int(value.amount)))


def coins_field(number: int, coins: m.Coins) -> bytes:
    """A repeated coin field."""
    return b"".join([message_field(number, coin(entry)) for entry in coins])


def _access(number: int, access: m.AccessConfig | None) -> bytes:
    if access is None:
        return b""
    entries = b"".join([message_field(3, entry.encode()) for entry in access.addresses])
    return message_field(number, int_field(1, access.permission) + entries)


def _texts(*values: str) -> bytes:
    return b"".join([text_field(number, value) for number, value in enumerate(values, 1)])


def _sides(number: int, entries: tuple[m.Transfer, ...]) -> bytes:
    return b"".join(
        [
            message_field(number, text_field(1, entry.address) + coins_field(2, entry.coins))
            for entry in entries
        ]
    )


def _instantiate(v: m.MsgInstantiateContract | m.MsgInstantiateContract2) -> bytes:
    return (
        _texts(v.sender, v.admin)
        + int_field(3, v.code_id)
        + text_field(4, v.label)
        + bytes_field(5, v.msg)
        + coins_field(6, v.funds)
    )


def _instantiate2(v: m.MsgInstantiateContract2) -> bytes:
    return _instantiate(v) + bytes_field(7, v.salt) + int_field(8, int(v.fix_msg))


def _execute(v: m.MsgExecuteContract) -> bytes:
    return _texts(v.sender, v.contract) + bytes_field(3, v.msg) + coins_field(5, v.funds)


def _change(v: m.ValidatorChange) -> bytes:
    return (
        text_field(1, v.pubkey_type)
        + bytes_field(2, v.pubkey)
        + int_field(3, v.power)
        + text_field(4, v.payout)
    )


def _update_validators(v: m.MsgUpdateValidators) -> bytes:
    changes = [message_field(2, _change(entry)) for entry in v.updates]
    return text_field(1, v.authority) + b"".join(changes)


_ENCODERS: Final[dict[type[m.Msg], Callable[[Any], bytes]]] = {
    m.MsgSend: lambda v: _texts(v.from_address, v.to_address) + coins_field(3, v.amount),
    m.MsgMultiSend: lambda v: _sides(1, v.inputs) + _sides(2, v.outputs),
    m.MsgStoreCode: lambda v: (
        text_field(1, v.sender)
        + bytes_field(2, v.wasm_byte_code)
        + _access(5, v.instantiate_permission)
    ),
    m.MsgInstantiateContract: _instantiate,
    m.MsgInstantiateContract2: _instantiate2,
    m.MsgExecuteContract: _execute,
    m.MsgMigrateContract: lambda v: (
        _texts(v.sender, v.contract) + int_field(3, v.code_id) + bytes_field(4, v.msg)
    ),
    m.MsgUpdateAdmin: lambda v: _texts(v.sender, v.new_admin, v.contract),
    m.MsgClearAdmin: lambda v: text_field(1, v.sender) + text_field(3, v.contract),
    m.MsgUpdateContractLabel: lambda v: _texts(v.sender, v.new_label, v.contract),
    m.MsgMint: lambda v: _texts(v.authority, v.to_address) + coins_field(3, v.amount),
    m.MsgUpdateParams: lambda v: (
        text_field(1, v.authority) + bytes_field(2, msgspec.json.encode(v.params))
    ),
    m.MsgUpdateValidators: _update_validators,
}


def encode_message(message: m.Msg) -> bytes:
    """The bytes inside the message's ``Any``. Raises: TypeError for messages that no
    Cosmos transaction carries.
    """
    encoder = _ENCODERS.get(type(message))
    if encoder is None:
        raise TypeError(f"{type(message).__name__} has no protobuf form")
    return encoder(message)


def encode_pubkey(key: PubKey) -> tuple[str, bytes]:
    """A key's type URL and its bytes, as accounts and signers show it."""
    if key.type == MULTISIG:
        threshold, members = multisig.members(key)
        entries = [any_field(2, *encode_pubkey(member)) for member in members]
        return schema.MULTISIG_URL, int_field(1, threshold) + b"".join(entries)
    return _KEY_URLS[key.type], bytes_field(1, key.key)
