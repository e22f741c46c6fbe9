"""The controls of a devnet as JSON-RPC methods ``devnet_…``, the log as ``msgchain_records``,
and what a contract takes as ``msgchain_schema``.

Numbers may be JSON numbers or decimal text. A dump is larger than a request may be, so it travels
in pieces of base64: ``devnet_dumpState`` gives them by number, ``devnet_loadState`` takes them in
order and loads after the last one.
"""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final

from chain.block.hashing import tx_hash
from chain.crypto.keys import Ed25519Key
from chain.driver.genesis import GenesisFileError, format_time, parse, parse_interval, parse_time
from chain.driver.log.record import BlockRecord, GenesisRecord, pack
from chain.driver.trace import TraceError
from chain.errors import AppError
from chain.node import shapes
from chain.node.controls import ControlError, Controls, Done
from chain.node.dump import DumpError
from chain.node.methods import Method, RpcError, params
from chain.node.service import INSTANT, MANUAL, Node
from chain.tx.plain import PlainError, from_plain
from chain.vm.sandbox.schema import contract_schema

Json = dict[str, Any]
SECOND: Final = 1_000_000_000
#: bytes of a piece that is sent, and the most that is taken
PIECE: Final = 4 * 1024 * 1024
PIECE_MAX: Final = 700_000
_LOAD_MAX: Final = 512 * 1024 * 1024
#: bytes of records in one answer
_RECORDS_MAX: Final = 8 * 1024 * 1024
_INT_MAX: Final = (1 << 63) - 1


def _number(value: Any, name: str, default: int | None = None) -> int:
    if value is None and default is not None:
        return default
    if isinstance(value, str) and value.isascii() and value.removeprefix("-").isdigit():
        value = int(value[:20])
    if not isinstance(value, int) or isinstance(value, bool) or not -_INT_MAX <= value <= _INT_MAX:
        raise RpcError(f"{name}: expected a whole number, such as 10")
    return value


def _nanos(value: Any, name: str) -> int:
    """A span: seconds as a number, or text such as ``500ms`` or ``2h``."""
    if isinstance(value, str) and not value.isdigit():
        try:
            return parse_interval(value)
        except ValueError as error:
            raise RpcError(f"{name}: {error}") from None
    return _number(value, name) * SECOND


def _moment(value: Any) -> int:
    """A time: RFC 3339, or nanoseconds since 1970."""
    if isinstance(value, str) and not value.isdigit():
        try:
            return parse_time(value)
        except ValueError as error:
            raise RpcError(f"time: {error}") from None
    return _number(value, "time")


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value:
        raise RpcError(f"{name}: expected text")
    return value


def _done(done: Done) -> Json:
    result = shapes.tx_result(done.result)
    return {
        "hash": shapes.upper(done.hash),
        "height": str(done.record.block.height),
        "time": format_time(done.record.block.time),
        "tx_result": result,
    }


class ControlMethods:
    """The handlers over the controls of one node."""

    def __init__(self, node: Node, controls: Controls) -> None:
        self._node = node
        self._controls = controls
        self._dump: tuple[str, bytes] = ("", b"")
        self._pieces: list[bytes] = []
        self._lock = threading.Lock()

    def table(self) -> tuple[Method, ...]:
        """All methods."""
        kinds: dict[Callable[..., Any], dict[str, str]] = {
            self.snapshot: {},
            self.revert: {"id": "json"},
            self.setTime: {"time": "json"},
            self.advanceTime: {"seconds": "json"},
            self.mine: {"blocks": "json", "interval": "json"},
            self.pause: {},
            self.resume: {},
            self.setBlockTime: {"block_time": "json"},
            self.faucet: {"address": "json", "amount": "json"},
            self.impersonate: {"messages": "json", "gas_limit": "json"},
            self.sudo: {"contract": "json", "msg": "json"},
            self.setParams: {"params": "json"},
            self.dumpState: {"piece": "json", "dump": "json"},
            self.loadState: {"piece": "json", "pieces": "json", "data": "json"},
            self.traceTransaction: {"hash": "bytes"},
            self.traceCall: {"tx": "tx"},
            self.status: {},
            self.accounts: {},
        }
        return tuple(
            Method(f"devnet_{found.__name__}", params(**names), _guarded(found), waits=True)
            for found, names in kinds.items()
        )

    # The methods' names are those of the wire.

    def snapshot(self, node: Node) -> Json:
        """Remember chain, clock and pool."""
        return {"id": self._controls.snapshot(), "height": str(node.height)}

    def revert(self, node: Node, number: Any) -> Json:
        """Go back to a snapshot."""
        mark = self._controls.revert(_number(number, "id"))
        return {"id": _number(number, "id"), "height": str(mark.height)}

    def setTime(self, node: Node, time: Any) -> Json:  # noqa: N802
        """Make it that time now."""
        return _done(self._controls.set_time(_moment(time)))

    def advanceTime(self, node: Node, seconds: Any) -> Json:  # noqa: N802
        """Move the clock on."""
        return _done(self._controls.advance_time(_nanos(seconds, "seconds")))

    def mine(self, node: Node, blocks: Any, interval: Any) -> Json:
        """Make blocks."""
        step = None if interval is None else _nanos(interval, "interval")
        made = self._controls.mine(_number(blocks, "blocks", 1), step)
        last = made[-1]
        return {
            "blocks": len(made),
            "height": str(last.block.height),
            "time": format_time(last.block.time),
            "app_hash": shapes.upper(last.result.app_hash),
        }

    def pause(self, node: Node) -> Json:
        """Make no blocks but those that are asked for."""
        self._controls.pause()
        return self.status(node)

    def resume(self, node: Node) -> Json:
        """Make blocks again."""
        self._controls.resume()
        return self.status(node)

    def setBlockTime(self, node: Node, block_time: Any) -> Json:  # noqa: N802
        """Change how blocks come: an interval such as 5s, instant or manual."""
        if block_time in (INSTANT, MANUAL):
            node.set_block_time(str(block_time))
        else:
            step = _nanos(block_time, "block_time")
            if step <= 0:
                raise RpcError("block_time: an interval such as 5s, instant or manual")
            node.set_block_time(step)
        return self.status(node)

    def faucet(self, node: Node, address: Any, amount: Any) -> Json:
        """Create coins in an account."""
        found = "1000msg" if amount is None else _text(amount, "amount")
        return _done(self._controls.fund(_text(address, "address"), found))

    def impersonate(self, node: Node, messages: Any, gas_limit: Any) -> Json:
        """Run messages as their senders."""
        listed = messages if isinstance(messages, list) else [messages]
        gas = _number(gas_limit, "gas_limit", 0)
        if gas < 0:
            raise RpcError("gas_limit: not below 0")
        return _done(self._controls.impersonate([from_plain(one) for one in listed], gas))

    def sudo(self, node: Node, contract: Any, msg: Any) -> Json:
        """Call a contract's ``sudo``."""
        if not isinstance(msg, dict):
            raise RpcError('msg: expected an object such as {"begin_block": {}}')
        message = from_plain({"type": "dev_sudo", "contract": contract, "msg": msg})
        return _done(self._controls.run(message))

    def setParams(self, node: Node, changes: Any) -> Json:  # noqa: N802
        """Change parameters by name."""
        if not isinstance(changes, dict):
            raise RpcError('params: expected an object such as {"gas_price": 0}')
        return _done(self._controls.set_params(changes))

    def dumpState(self, node: Node, piece: Any, name: Any) -> Json:  # noqa: N802
        """A piece of a dump; piece 0 makes a new one, others name theirs."""
        number = _number(piece, "piece", 0)
        if number == 0:
            raw = self._controls.dump()
            self._dump = (hashlib.sha256(raw).hexdigest(), raw)
        known, raw = self._dump
        total = max(1, -(-len(raw) // PIECE))
        if number and name != known:
            raise RpcError("dump: another dump was made since; begin again with piece 0")
        if not 0 <= number < total:
            raise RpcError(f"piece: there are {total}, from 0 on")
        part = raw[number * PIECE : (number + 1) * PIECE]
        return {
            "dump": known,
            "piece": number,
            "pieces": total,
            "data": shapes.base64(part),
        }

    def loadState(self, node: Node, piece: Any, pieces: Any, data: Any) -> Json:  # noqa: N802
        """Take a piece of a dump; the last one puts the dump in place of this chain."""
        number, total = _number(piece, "piece", 0), _number(pieces, "pieces", 1)
        try:
            part = base64.b64decode(_text(data, "data"), validate=True)
        except (ValueError, binascii.Error):
            raise RpcError("data: not base64") from None
        with self._lock:
            if number == 0:
                self._pieces.clear()
            if number != len(self._pieces) or not 0 <= number < total:
                raise RpcError(f"piece: {len(self._pieces)} is the next one, not {number}")
            if len(part) > PIECE_MAX or sum(map(len, self._pieces)) + len(part) > _LOAD_MAX:
                raise RpcError(f"data: a piece has at most {PIECE_MAX} bytes, a dump {_LOAD_MAX}")
            self._pieces.append(part)
            if number + 1 < total:
                return {"taken": number + 1, "pieces": total}
            raw = b"".join(self._pieces)
            self._pieces.clear()
        found = self._controls.load(raw)
        return {
            "taken": total,
            "pieces": total,
            "chain_id": node.producer.chain_id,
            "height": str(found.height),
            "app_hash": shapes.upper(found.app_hash),
        }

    def traceTransaction(self, node: Node, hash_: bytes) -> Json:  # noqa: N802
        """What a committed transaction did: calls, gas, storage, events."""
        record, index, trace = self._controls.trace(hash_)
        return {
            "hash": shapes.upper(tx_hash(record.block.txs[index])),
            "height": str(record.block.height),
            "index": index,
            **trace.to_json(),
        }

    def traceCall(self, node: Node, raw: bytes) -> Json:  # noqa: N802
        """The same of a transaction that is not sent."""
        return self._controls.trace_call(raw).to_json()

    def status(self, node: Node) -> Json:
        """Where chain, clock and pool stand."""
        state = node.producer.state
        pace = node.block_time
        return {
            "chain_id": node.producer.chain_id,
            "height": str(state.height),
            "app_hash": shapes.upper(state.app_hash),
            "block_time": format_time(state.time),
            "clock": format_time(self._controls.now()),
            "clock_offset": str(node.clock.offset),
            "pace": pace if isinstance(pace, str) else f"{pace // 1_000_000}ms",
            "paused": node.paused,
            "waiting": node.unconfirmed()[1],
            "snapshots": [
                {"id": one, "height": str(mark.height)}
                for one, mark in dict(self._controls.snapshots).items()
            ],
        }

    def accounts(self, node: Node) -> list[Json]:
        """The accounts of the genesis and what they have now."""
        found = node.genesis().genesis.get("app_state", {}).get("accounts", [])
        return [
            {
                "name": entry.get("name", ""),
                "address": entry["address"],
                "balance": str(node.app.queries.balance(entry["address"], "amsg").amount),
            }
            for entry in found
        ]


def _guarded(handler: Callable[..., Any]) -> Callable[..., Any]:
    """The handler with the controls' refusals as the RPC's."""

    @functools.wraps(handler)
    def call(*values: Any) -> Any:
        try:
            return handler(*values)
        except (ControlError, DumpError, TraceError, PlainError) as error:
            raise RpcError(str(error)) from None
        except AppError as error:
            raise RpcError(error.log) from None

    return call


def records(node: Node, first: Any, limit: Any) -> Json:
    """The log's records from a height on, packed; 0 begins with the genesis."""
    start, most = _number(first, "first", 0), _number(limit, "limit", 1_000)
    if start < 0 or not 0 < most <= 10_000:
        raise RpcError("first: a height; limit: 1 to 10000")
    height = node.height
    end = min(height, start + most)
    after = end + 1
    shown: list[str] = []
    size = 0
    for record in node.producer.records(start, end):
        raw = pack(record)
        if shown and size + len(raw) > _RECORDS_MAX:
            after = record.block.height if isinstance(record, BlockRecord) else 0
            break
        size += len(raw)
        shown.append(shapes.base64(raw))
    return {"records": shown, "next": str(after), "height": str(height)}


LOG_METHOD: Final = Method("msgchain_records", params(first="json", limit="json"), records)


def schema(node: Node, contract: Any) -> Json:
    """JSON Schemas of a contract's messages by entry point, and of its answers."""
    queries = node.app.queries
    try:
        record = queries.contract_info(_text(contract, "contract"))
        code = node.app.execution.contracts.codes.resolve(queries.code(record.code_id).source)
    except AppError as error:
        raise RpcError(error.log) from None
    if code is None:
        raise RpcError("contract: this node does not know its source")
    return contract_schema(code)


SCHEMA_METHOD: Final = Method("msgchain_schema", params(contract="json"), schema)


def install(
    node: Node,
    *,
    signers: Callable[[Any], Sequence[Ed25519Key]],
    write_genesis: Callable[[dict[str, Any]], None],
) -> None:
    """Give a node the method of the log, and where its genesis says devnet, the controls.

    ``signers`` gives the keys for a parsed genesis and raises ``ValueError`` with a text for one
    without; ``write_genesis`` keeps the genesis of a chain that was loaded.
    """
    for method in (LOG_METHOD, SCHEMA_METHOD):
        node.extra_methods[method.name] = method
    if not node.app.chain_record().devnet:
        return

    def began_anew(record: GenesisRecord) -> Sequence[Ed25519Key]:
        try:
            keys = signers(parse(record.genesis))
        except (GenesisFileError, ValueError) as error:
            raise DumpError(str(error)) from None
        write_genesis(record.genesis)
        return keys

    controls = ControlMethods(node, Controls(node, began_anew))
    node.extra_methods.update((method.name, method) for method in controls.table())
