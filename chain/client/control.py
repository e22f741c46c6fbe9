"""The controls of a devnet from afar: what ``msgchain control`` and tests call."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from chain.client.jsonrpc import JsonRpc, RpcFailed
from chain.client.rpc_types import outcome_of, unbase64
from chain.client.transport import Outcome, TxFailed

#: bytes of a piece of a dump on its way to the node, whose requests have at most a megabyte
PIECE: Final = 600_000
_NO_METHOD: Final = -32601


class NotADevnet(Exception):
    """The node has no controls."""


class Mined(msgspec.Struct, frozen=True):
    """Blocks that were made."""

    blocks: int
    height: int
    time: str
    app_hash: str


class Control:
    """The controls of one node. Raises of all methods: NotADevnet, RpcFailed with what was
    refused, Unreachable; TxFailed where a step failed in its block."""

    def __init__(self, http: JsonRpc) -> None:
        self._http = http

    def call(self, name: str, /, **params: Any) -> Any:
        """The result of ``devnet_<name>``."""
        try:
            return self._http.call(f"devnet_{name}", **params)
        except RpcFailed as error:
            if error.code == _NO_METHOD:
                raise NotADevnet(
                    f"{self._http.url} is no devnet: its genesis does not say devnet"
                ) from None
            raise

    def _step(self, name: str, /, **params: Any) -> Outcome:
        found = self.call(name, **params)
        outcome = outcome_of(found["hash"], int(found["height"]), found["tx_result"])
        if outcome.code:
            raise TxFailed(outcome)
        return outcome

    # --- going back -----------------------------------------------------------------------------

    def snapshot(self) -> int:
        """Remember chain, clock and pool; gives the number for ``revert``."""
        return int(self.call("snapshot")["id"])

    def revert(self, number: int) -> int:
        """Go back to a snapshot; gives the height."""
        return int(self.call("revert", id=number)["height"])

    # --- clock and blocks -----------------------------------------------------------------------

    def set_time(self, time: str | int) -> Outcome:
        """Make it that time: RFC 3339, or nanoseconds since 1970."""
        return self._step("setTime", time=time)

    def advance_time(self, seconds: int | str) -> Outcome:
        """Move the clock on, by seconds or text such as ``2h``."""
        return self._step("advanceTime", seconds=seconds)

    def mine(self, blocks: int = 1, interval: int | str | None = None) -> Mined:
        """Make blocks, each so many seconds (or ``500ms``) later than the one before."""
        found = self.call("mine", blocks=blocks, interval=interval)
        return Mined(found["blocks"], int(found["height"]), found["time"], found["app_hash"])

    def pause(self) -> None:
        """Make no blocks but those that are asked for."""
        self.call("pause")

    def resume(self) -> None:
        """Make blocks again."""
        self.call("resume")

    def set_block_time(self, pace: str) -> None:
        """Change how blocks come: ``5s``, ``200ms``, ``instant`` or ``manual``."""
        self.call("setBlockTime", block_time=pace)

    # --- changes of state -----------------------------------------------------------------------

    def faucet(self, address: str, amount: str = "1000msg") -> Outcome:
        """Create coins in an account."""
        return self._step("faucet", address=address, amount=amount)

    def impersonate(self, messages: Sequence[Mapping[str, Any]], gas_limit: int = 0) -> Outcome:
        """Run messages (as ``chain.tx.plain`` writes them) as their senders."""
        return self._step("impersonate", messages=list(messages), gas_limit=gas_limit)

    def set_params(self, changes: Mapping[str, Any]) -> Outcome:
        """Change parameters by name."""
        return self._step("setParams", params=dict(changes))

    def sudo(self, contract: str, msg: Mapping[str, Any]) -> Outcome:
        """Call a contract's ``sudo``."""
        return self._step("sudo", contract=contract, msg=dict(msg))

    # --- dumps ----------------------------------------------------------------------------------

    def dump(self) -> Iterator[bytes]:
        """The whole chain with its clock, in pieces."""
        found = self.call("dumpState", piece=0)
        yield unbase64(found["data"])
        for number in range(1, found["pieces"]):
            found = self.call("dumpState", piece=number, dump=found["dump"])
            yield unbase64(found["data"])

    def load(self, raw: bytes) -> dict[str, Any]:
        """Put a dump in place of the node's chain; gives its id, height and app hash."""
        total = max(1, -(-len(raw) // PIECE))
        found: dict[str, Any] = {}
        for number in range(total):
            part = base64.b64encode(raw[number * PIECE : (number + 1) * PIECE]).decode()
            found = self.call("loadState", piece=number, pieces=total, data=part)
        return found

    # --- looking --------------------------------------------------------------------------------

    def trace(self, hash_: str) -> dict[str, Any]:
        """What a committed transaction did, as ``chain.app.trace.Trace.to_json`` writes it."""
        raw = base64.b64encode(bytes.fromhex(hash_)).decode()
        found: dict[str, Any] = self.call("traceTransaction", hash=raw)
        return found

    def trace_call(self, raw: bytes) -> dict[str, Any]:
        """The same of a transaction that is not sent."""
        found: dict[str, Any] = self.call("traceCall", tx=base64.b64encode(raw).decode())
        return found

    def status(self) -> dict[str, Any]:
        """Where chain, clock and pool stand."""
        found: dict[str, Any] = self.call("status")
        return found

    def accounts(self) -> list[dict[str, Any]]:
        """The accounts of the genesis and what they have."""
        return list(self.call("accounts"))
