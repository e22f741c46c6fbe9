"""Every key family of the state, in one place.

A key is one byte for the store, then the key as the SDK's module of that name lays it out, so that
``/store/<name>/key``
answers to the keys that Cosmos clients know. Values are ours (compact MessagePack or minimal
big-endian integers).

=====  ====  ================================  ===============================================
store  byte  key                               value
=====  ====  ================================  ===============================================
acc    a     01, address                       account number, sequence
acc    a     02, address                       public key (type, bytes), written once
acc    a     03                                next account number
bank   b     02, length, address, denom        amount
bank   b     00, denom                         supply
wasm   w     01, code id (8)                   code record
wasm   w     02, contract                      contract record
wasm   w     03, contract, key                 what the contract stored
wasm   w     04, counter name                  last code id, last instance id
wasm   w     05, contract, position (8)        history entry
wasm   w     06, code id (8), position, contr  contracts of a code (derived)
wasm   w     09, length, creator, position, c  contracts of a creator (derived)
msg    m     p                                 parameters
msg    m     v                                 validators
msg    m     c                                 chain record: chain id, devnet, initial height
msg    m     g                                 what the consensus engine was given (if special)
msg    m     e                                 digest of the last non-empty block's events
=====  ====  ================================  ===============================================

Addresses are canonical bytes; a position is height and transaction index, 8 bytes each.
"""

from __future__ import annotations

from typing import Final

#: store name -> its byte; ``/store/<name>/key`` looks here
STORES: Final[dict[str, bytes]] = {"acc": b"a", "bank": b"b", "wasm": b"w", "msg": b"m"}

ACCOUNT: Final = b"a\x01"
PUBKEY: Final = b"a\x02"
ACCOUNT_NUMBER: Final = b"a\x03"
SUPPLY: Final = b"b\x00"
BALANCE: Final = b"b\x02"
CODE: Final = b"w\x01"
CONTRACT: Final = b"w\x02"
CONTRACT_STORAGE: Final = b"w\x03"
LAST_CODE_ID: Final = b"w\x04lastCodeId"
LAST_INSTANCE_ID: Final = b"w\x04lastContractId"
HISTORY: Final = b"w\x05"
BY_CODE: Final = b"w\x06"
BY_CREATOR: Final = b"w\x09"
PARAMS: Final = b"mp"
VALIDATORS: Final = b"mv"
CHAIN: Final = b"mc"
ENGINE: Final = b"mg"
EVENTS_DIGEST: Final = b"me"

#: bytes of a key that belong to us and not to the SDK's store; gas counts the SDK's key (GAS-1)
STORE_BYTE: Final = 1


def prefix_end(prefix: bytes) -> bytes | None:
    """The first key after all keys that start with ``prefix``; None when there is none."""
    body = prefix.rstrip(b"\xff")
    if not body:
        return None
    return body[:-1] + bytes((body[-1] + 1,))


def account(canonical: bytes) -> bytes:
    """Key of an account's number and sequence."""
    return ACCOUNT + canonical


def pubkey(canonical: bytes) -> bytes:
    """Key of an account's public key."""
    return PUBKEY + canonical


def balances(canonical: bytes) -> bytes:
    """Prefix of all balances of one address."""
    return BALANCE + bytes((len(canonical),)) + canonical


def balance(canonical: bytes, denom: str) -> bytes:
    """Key of one balance."""
    return BALANCE + bytes((len(canonical),)) + canonical + denom.encode()


def supply(denom: str) -> bytes:
    """Key of a denomination's supply."""
    return SUPPLY + denom.encode()


def code(code_id: int) -> bytes:
    """Key of a code record."""
    return CODE + code_id.to_bytes(8, "big")


def contract(canonical: bytes) -> bytes:
    """Key of a contract record."""
    return CONTRACT + canonical


def contract_storage(canonical: bytes) -> bytes:
    """Prefix of what one contract stored."""
    return CONTRACT_STORAGE + canonical


def history(canonical: bytes, position: int) -> bytes:
    """Key of one entry of a contract's code history; the first is 1."""
    return HISTORY + canonical + position.to_bytes(8, "big")


def by_code(code_id: int, height: int, index: int, canonical: bytes) -> bytes:
    """Key of the list of contracts of a code, in the order in which they came to it."""
    return _position(BY_CODE + code_id.to_bytes(8, "big"), height, index) + canonical


def by_creator(creator: bytes, height: int, index: int, canonical: bytes) -> bytes:
    """Key of the list of contracts of a creator, in creation order."""
    return _position(BY_CREATOR + bytes((len(creator),)) + creator, height, index) + canonical


def _position(prefix: bytes, height: int, index: int) -> bytes:
    return prefix + height.to_bytes(8, "big") + index.to_bytes(8, "big")


def encode_amount(amount: int) -> bytes:
    """An amount as minimal big-endian bytes; zero is never stored."""
    return amount.to_bytes((amount.bit_length() + 7) >> 3, "big")


def decode_amount(raw: bytes | None) -> int:
    """The amount of stored bytes; a missing one is zero."""
    return 0 if raw is None else int.from_bytes(raw, "big")
