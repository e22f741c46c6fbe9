"""A log as a SQLite file that people can query: blocks, transactions, events, and what they add up
to.

Tables: ``blocks transactions events attributes messages channels tasks balances``. Messages,
channels
and tasks are read from contract events, balances from the bank's events on top of the genesis
accounts; amounts are texts because they pass 64 bits.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from chain.block.hashing import tx_hash
from chain.block.types import Event
from chain.driver.log.record import BlockRecord, GenesisRecord, LogError, Record

SCHEMA: Final = """
CREATE TABLE blocks (height INTEGER PRIMARY KEY, time INTEGER, proposer TEXT, app_hash TEXT,
    transactions INTEGER, gas_used INTEGER);
CREATE TABLE transactions (height INTEGER, position INTEGER, hash TEXT, code INTEGER,
    codespace TEXT, log TEXT, gas_wanted INTEGER, gas_used INTEGER, bytes BLOB,
    PRIMARY KEY (height, position));
CREATE INDEX transactions_hash ON transactions (hash);
CREATE TABLE events (id INTEGER PRIMARY KEY, height INTEGER, position INTEGER, type TEXT,
    contract TEXT);
CREATE INDEX events_type ON events (type, height);
CREATE TABLE attributes (event INTEGER, key TEXT, value TEXT);
CREATE INDEX attributes_event ON attributes (event);
CREATE INDEX attributes_value ON attributes (key, value);
CREATE TABLE messages (id TEXT PRIMARY KEY, sender TEXT, receiver TEXT, type TEXT, priority INTEGER,
    status TEXT, channel TEXT, reply_to TEXT, height INTEGER, changed INTEGER);
CREATE INDEX messages_receiver ON messages (receiver, status);
CREATE TABLE channels (id TEXT PRIMARY KEY, type TEXT, status TEXT, opened INTEGER, changed
INTEGER);
CREATE TABLE tasks (id TEXT PRIMARY KEY, requester TEXT, provider TEXT, state TEXT, price TEXT,
    denom TEXT, paid TEXT, refunded TEXT, opened INTEGER, changed INTEGER);
CREATE TABLE balances (address TEXT, denom TEXT, amount TEXT, PRIMARY KEY (address, denom));
"""

_COIN: Final = re.compile(r"([0-9]+)([a-zA-Z][a-zA-Z0-9/:._-]{1,127})")
_STATUS: Final = re.compile(r"wasm-a2a_message_(delivered|read|expired|cancelled)")
_UNITS: Final = {"msg": 10**18, "umsg": 10**12}


class Projection:
    """Builds the tables record by record; balances are written at the end."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._events = 0
        self._balances: dict[tuple[str, str], int] = {}

    def add(self, record: Record) -> None:
        """Take one record into the tables."""
        if isinstance(record, GenesisRecord):
            self._add_genesis(record)
        elif isinstance(record, BlockRecord):
            self._add_block(record)

    def finish(self) -> None:
        """Write the balances; zero ones are left out, as on the chain."""
        rows = [(*key, str(amount)) for key, amount in sorted(self._balances.items()) if amount]
        self._db.executemany("INSERT INTO balances VALUES (?, ?, ?)", rows)
        self._db.commit()

    def _add_genesis(self, record: GenesisRecord) -> None:
        state = record.genesis.get("app_state", {})
        for account in state.get("accounts", ()):
            for coin in account.get("coins", ()):
                factor = _UNITS.get(coin["denom"], 1)
                denom = "amsg" if factor > 1 else coin["denom"]
                self._move(account["address"], denom, int(coin["amount"]) * factor)

    def _add_block(self, record: BlockRecord) -> None:
        height, results = record.block.height, record.result.tx_results
        self._db.execute(
            "INSERT INTO blocks VALUES (?, ?, ?, ?, ?, ?)",
            (
                height,
                record.block.time,
                record.block.proposer_address.hex(),
                record.result.app_hash.hex(),
                len(results),
                sum(result.gas_used for result in results),
            ),
        )
        for position, (raw, result) in enumerate(zip(record.block.txs, results, strict=True)):
            self._db.execute(
                "INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    height,
                    position,
                    tx_hash(raw).hex().upper(),
                    result.code,
                    result.codespace,
                    result.log,
                    result.gas_wanted,
                    result.gas_used,
                    raw,
                ),
            )
            for event in result.events:
                self._add_event(height, position, event)
        for event in record.result.events:
            self._add_event(height, None, event)

    def _add_event(self, height: int, position: int | None, event: Event) -> None:
        self._events += 1
        attributes = dict(event.attributes)
        self._db.execute(
            "INSERT INTO events VALUES (?, ?, ?, ?, ?)",
            (self._events, height, position, event.type, attributes.get("_contract_address")),
        )
        self._db.executemany(
            "INSERT INTO attributes VALUES (?, ?, ?)",
            [(self._events, key, value) for key, value in event.attributes],
        )
        if event.type in ("coin_spent", "coin_received"):
            self._add_transfer(event.type, attributes)
        elif event.type.startswith("wasm-a2a_"):
            self._add_a2a(height, event.type, attributes)
        elif event.type == "wasm-agent_task":
            self._add_task(height, attributes)

    def _add_transfer(self, kind: str, attributes: dict[str, str]) -> None:
        sign, name = (-1, "spender") if kind == "coin_spent" else (1, "receiver")
        for amount, denom in _COIN.findall(attributes.get("amount", "")):
            self._move(attributes[name], denom, sign * int(amount))

    def _move(self, address: str, denom: str, amount: int) -> None:
        if not isinstance(address, str) or not isinstance(denom, str):  # a genesis is any JSON
            raise TypeError(f"balance of {address!r} in {denom!r}")
        key = (address, denom)
        self._balances[key] = self._balances.get(key, 0) + amount

    def _add_a2a(self, height: int, kind: str, attributes: dict[str, str]) -> None:
        status = _STATUS.fullmatch(kind)
        if status is not None:
            self._set_status(attributes.get("msg_id"), status[1], height)
        elif kind in ("wasm-a2a_message_sent", "wasm-a2a_message_replied"):
            self._add_message(height, attributes)
            answered = attributes.get("original_msg_id") or attributes.get("reply_to")
            self._set_status(answered, "replied", height)
        elif kind == "wasm-a2a_channel_created":
            row = (attributes.get("channel_id"), attributes.get("channel_type"), "open")
            self._db.execute(
                "INSERT OR REPLACE INTO channels VALUES (?, ?, ?, ?, ?)", (*row, height, height)
            )
        elif kind in ("wasm-a2a_channel_closed", "wasm-a2a_channel_updated"):
            status_text = "closed" if kind.endswith("closed") else attributes.get("status")
            self._db.execute(
                "UPDATE channels SET status = coalesce(?, status), changed = ? WHERE id = ?",
                (status_text, height, attributes.get("channel_id")),
            )

    def _add_message(self, height: int, attributes: dict[str, str]) -> None:
        get = attributes.get
        self._db.execute(
            "INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                get("msg_id"),
                get("sender"),
                get("receiver"),
                get("message_type"),
                get("priority"),
                "pending",
                get("channel_id"),
                get("reply_to") or get("original_msg_id"),
                height,
                height,
            ),
        )

    def _set_status(self, message: str | None, status: str, height: int) -> None:
        if message is not None:
            self._db.execute(
                "UPDATE messages SET status = ?, changed = ? WHERE id = ?",
                (status, height, message),
            )

    def _add_task(self, height: int, attributes: dict[str, str]) -> None:
        get = attributes.get
        self._db.execute(
            "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET state = excluded.state, paid = excluded.paid, "
            "refunded = excluded.refunded, changed = excluded.changed",
            (
                get("task_id"),
                get("requester"),
                get("provider"),
                get("state"),
                get("price"),
                get("denom"),
                get("paid"),
                get("refunded"),
                height,
                height,
            ),
        )


def to_sqlite(records: Iterable[Record], path: Path) -> dict[str, Any]:
    """Write the tables to a new file; an existing one is replaced only when all is written.

    Returns: rows by table. Raises: LogError when the file cannot be written.
    """
    partial = path.with_name(path.name + ".part")
    partial.unlink(missing_ok=True)
    try:
        db = sqlite3.connect(partial)
        try:
            db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + SCHEMA)
            projection = Projection(db)
            for record in records:
                _added(projection, record)
            projection.finish()
            counts = {name: _count(db, name) for name in _tables(db)}
        finally:
            db.close()
        partial.replace(path)
    except (sqlite3.Error, OSError) as error:
        raise LogError(f"{path}: cannot be written: {error}") from None
    finally:
        partial.unlink(missing_ok=True)
    return counts


def _added(projection: Projection, record: Record) -> None:
    try:
        projection.add(record)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        place = f"height {record.block.height}" if isinstance(record, BlockRecord) else "genesis"
        raise LogError(
            f"{place}: holds what no chain writes ({error!r}); see `msgchain log replay`"
        ) from None


def _tables(db: sqlite3.Connection) -> list[str]:
    return [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def _count(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
