"""What a transaction's result carries in ``data``: TxMsgData with one response per message, written
and read.

A failed transaction has no data. A response's type URL is the message's with ``Response`` behind
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from chain.protowire import (
    WireError,
    bytes_field,
    int_field,
    message_field,
    read_tag,
    read_varint,
    skip_value,
    text_field,
)
from chain.tx import messages as m


class MsgResponse(NamedTuple):
    """One message's answer."""

    type_url: str
    value: bytes


class ContractResponse(NamedTuple):
    """An answer of a contract: its address where it was created, and the data it set."""

    address: str
    data: bytes


def response_url(type_url: str) -> str:
    """The type URL of the answer to messages of this type."""
    return type_url + "Response"


#: Type URLs of the answers that carry something.
EXECUTE: Final = response_url(m.MsgExecuteContract.TYPE_URL)
INSTANTIATE: Final = response_url(m.MsgInstantiateContract.TYPE_URL)
INSTANTIATE2: Final = response_url(m.MsgInstantiateContract2.TYPE_URL)
MIGRATE: Final = response_url(m.MsgMigrateContract.TYPE_URL)
STORE: Final = response_url(m.MsgStoreCode.TYPE_URL)
SUDO: Final = response_url(m.DevSudo.TYPE_URL)
_WITH_DATA: Final = (EXECUTE, MIGRATE, SUDO)
_WITH_ADDRESS: Final = (INSTANTIATE, INSTANTIATE2)


def encode_tx_data(responses: Sequence[tuple[str, bytes]]) -> bytes:
    """TxMsgData with the answers (type URL, value) in message order, in field 2 only."""
    made = b""
    for type_url, value in responses:
        made += message_field(2, _named(type_url) + bytes_field(2, value))
    return made


@lru_cache(maxsize=256)
def _named(type_url: str) -> bytes:
    """The first field of an ``Any``; the types are the engine's own, so they are few."""
    return text_field(1, type_url)


def data_value(data: bytes | None) -> bytes:
    """Inside the answers to execute, migrate and sudo; empty data is left out (DATA-5)."""
    return bytes_field(1, data or b"")


def instantiate_value(address: str, data: bytes | None) -> bytes:
    """Inside MsgInstantiateContractResponse and its second form."""
    return text_field(1, address) + bytes_field(2, data or b"")


def store_value(code_id: int, checksum: bytes) -> bytes:
    """Inside MsgStoreCodeResponse."""
    return int_field(1, code_id) + bytes_field(2, checksum)


# --- reading ------------------------------------------------------------------------------------


class ResultError(Exception):
    """Bytes that are no result data."""


def _fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a message, in order; only varints and byte strings."""
    found: list[tuple[int, int | bytes]] = []
    at = 0
    end = len(data)
    try:
        while at < end:
            tag, at = read_tag(data, at, end)
            if tag & 7 not in (0, 2):
                raise ResultError("not a result")
            stop = skip_value(tag, data, at, end)
            value, start = read_varint(data, at, end)
            found.append((tag >> 3, value if tag & 7 == 0 else data[start:stop]))
            at = stop
    except WireError as error:
        raise ResultError(str(error)) from None
    return found


def _text(value: int | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def decode_any(data: bytes) -> MsgResponse:
    """A type URL and its bytes. Raises: ResultError."""
    url, inner = "", b""
    for number, value in _fields(data):
        if number == 1:
            url = _text(value)
        elif number == 2 and isinstance(value, bytes):
            inner = value
    return MsgResponse(url, inner)


def decode_tx_data(data: bytes) -> tuple[MsgResponse, ...]:
    """The answers in TxMsgData. Raises: ResultError."""
    found = []
    for number, value in _fields(data):
        if number == 2 and isinstance(value, bytes):
            found.append(decode_any(value))
    return tuple(found)


def decode_contract_response(response: MsgResponse) -> ContractResponse:
    """Address and data of an answer to execute, migrate, sudo or instantiate. Raises:
    ResultError.
    """
    kind = response.type_url
    if kind not in (*_WITH_DATA, *_WITH_ADDRESS):
        raise ResultError(f"{kind} carries no contract data")
    address, data = "", b""
    for number, value in _fields(response.value):
        if kind in _WITH_ADDRESS and number == 1:
            address = _text(value)
        elif isinstance(value, bytes) and number == (2 if kind in _WITH_ADDRESS else 1):
            data = value
    return ContractResponse(address, data)


def decode_store_response(response: MsgResponse) -> tuple[int, bytes]:
    """Code id and checksum of an answer to store. Raises: ResultError."""
    if response.type_url != STORE:
        raise ResultError(f"{response.type_url} carries no code id")
    code_id, checksum = 0, b""
    for number, value in _fields(response.value):
        if number == 1 and isinstance(value, int):
            code_id = value
        elif number == 2 and isinstance(value, bytes):
            checksum = value
    return code_id, checksum
