"""The few protobuf responses that contracts and clients see, written by hand: each is one or two
length-delimited fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

EXECUTE: Final = "/cosmwasm.wasm.v1.MsgExecuteContractResponse"
INSTANTIATE: Final = "/cosmwasm.wasm.v1.MsgInstantiateContractResponse"
INSTANTIATE2: Final = "/cosmwasm.wasm.v1.MsgInstantiateContract2Response"
MIGRATE: Final = "/cosmwasm.wasm.v1.MsgMigrateContractResponse"
SUDO: Final = "/msgchain.dev.v1.DevSudoResponse"
STORE: Final = "/cosmwasm.wasm.v1.MsgStoreCodeResponse"


def varint(number: int) -> bytes:
    """A base-128 number, least significant group first."""
    if number < 0x80:
        return bytes((number,))
    parts = bytearray()
    while number >= 0x80:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def field(number: int, data: bytes) -> bytes:
    """A length-delimited field; an empty one is left out, as proto3 does (DATA-5)."""
    if not data:
        return b""
    return varint(number << 3 | 2) + varint(len(data)) + data


def data_response(data: bytes | None) -> bytes:
    """``{data = 1}``: execute, migrate and sudo."""
    if not data:
        return b""
    size = len(data)
    if size < 0x80:
        return b"\x0a" + size.to_bytes(1, "big") + data
    return b"\x0a" + varint(size) + data


def instantiate_response(address: str, data: bytes | None) -> bytes:
    """``{address = 1, data = 2}``."""
    return field(1, address.encode()) + field(2, data or b"")


def store_response(code_id: int, checksum: bytes) -> bytes:
    """``{code_id = 1, checksum = 2}``."""
    return b"\x08" + varint(code_id) + field(2, checksum)


def tx_data(responses: Sequence[tuple[str, bytes]]) -> bytes:
    """``TxMsgData`` with one Any a message in field 2."""
    out = b""
    for type_url, value in responses:
        body = _url_field(type_url) + (field(2, value) if value else b"")
        out += b"\x12" + varint(len(body)) + body
    return out


@lru_cache(maxsize=256)
def _url_field(type_url: str) -> bytes:
    return field(1, type_url.encode())
