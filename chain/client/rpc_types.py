"""What a node answers, as values: numbers are numbers, bytes are bytes, times nanoseconds."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from chain.block.types import Event
from chain.client.transport import Outcome

_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")


class Status(msgspec.Struct, frozen=True):
    """Where a node stands."""

    chain_id: str
    moniker: str
    version: str
    height: int
    time: int
    app_hash: bytes
    block_hash: bytes
    earliest_height: int
    catching_up: bool


class Accepted(msgspec.Struct, frozen=True):
    """A transaction that waits for a block."""

    hash: str


class FoundTx(msgspec.Struct, frozen=True):
    """A transaction in a block, with its bytes."""

    outcome: Outcome
    index: int
    raw: bytes


class Page(msgspec.Struct, frozen=True):
    """Some of what a search found; ``total`` counts all."""

    txs: Sequence[FoundTx]
    total: int


class Block(msgspec.Struct, frozen=True):
    """A block; ``header`` as the node shows it."""

    height: int
    time: int
    hash: str
    proposer: str
    app_hash: bytes
    txs: Sequence[bytes]
    header: dict[str, Any]


class ContractInfo(msgspec.Struct, frozen=True):
    """A contract's record."""

    address: str
    code_id: int
    creator: str
    admin: str
    label: str
    created_height: int
    created_index: int


class CodeInfo(msgspec.Struct, frozen=True):
    """A code; ``source`` is its line ``msgchain:<name>@<sha256>``, where it was asked for."""

    code_id: int
    creator: str
    checksum: bytes
    permission: str
    source: str = ""


class HistoryItem(msgspec.Struct, frozen=True):
    """A step of a contract's code history."""

    operation: str
    code_id: int
    height: int
    msg: str


class RawAnswer(msgspec.Struct, frozen=True):
    """A raw ABCI answer: ``value`` is None for what is not there; ``proof`` is an ICS-23
    ``CommitmentProof`` for the app hash in header ``height`` + 1."""

    key: bytes
    value: bytes | None
    height: int
    proof: bytes


def unbase64(text: str | None) -> bytes:
    """Bytes of base64; none for nothing."""
    return base64.b64decode(text) if text else b""


def time_of(text: str) -> int:
    """Nanoseconds since 1970 of an RFC 3339 time. Raises: ValueError."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no time like 2026-01-01T00:00:00Z")
    moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return seconds * 1_000_000_000 + int((match[2] or "0").ljust(9, "0"))


def events_of(found: Sequence[dict[str, Any]] | None) -> list[Event]:
    """Events of their JSON."""
    return [
        Event(
            str(one.get("type", "")),
            [(str(pair["key"]), str(pair["value"])) for pair in one.get("attributes") or ()],
        )
        for one in found or ()
    ]


def outcome_of(hash_: str, height: int, result: dict[str, Any]) -> Outcome:
    """A transaction's result of its JSON."""
    return Outcome(
        hash=hash_,
        height=height,
        code=int(result.get("code", 0)),
        codespace=str(result.get("codespace", "")),
        log=str(result.get("log", "")),
        data=unbase64(result.get("data")),
        gas_wanted=int(result.get("gas_wanted") or 0),
        gas_used=int(result.get("gas_used") or 0),
        events=events_of(result.get("events")),
    )


def status_of(found: dict[str, Any]) -> Status:
    """A node's status of its JSON."""
    node, sync = found["node_info"], found["sync_info"]
    return Status(
        chain_id=node["network"],
        moniker=node["moniker"],
        version=node["version"],
        height=int(sync["latest_block_height"]),
        time=time_of(sync["latest_block_time"]),
        app_hash=bytes.fromhex(sync["latest_app_hash"]),
        block_hash=bytes.fromhex(sync["latest_block_hash"]),
        earliest_height=int(sync["earliest_block_height"]),
        catching_up=bool(sync["catching_up"]),
    )


def tx_of(found: dict[str, Any]) -> FoundTx:
    """A found transaction of its JSON."""
    outcome = outcome_of(found["hash"], int(found["height"]), found["tx_result"])
    return FoundTx(outcome, int(found["index"]), unbase64(found["tx"]))


def block_of(found: dict[str, Any]) -> Block:
    """A block of its JSON."""
    header = found["block"]["header"]
    return Block(
        height=int(header["height"]),
        time=time_of(header["time"]),
        hash=found["block_id"]["hash"],
        proposer=header["proposer_address"],
        app_hash=bytes.fromhex(header["app_hash"]),
        txs=[unbase64(raw) for raw in found["block"]["data"]["txs"] or ()],
        header=header,
    )
