"""Answers ABCI requests from one App.

Consensus and pool calls take one lock; queries and snapshot reads take none, they read the
committed view. An exception in Info, InitChain, FinalizeBlock or Commit stops the node; in Query,
CheckTx and the reading of snapshots, which strangers cause, it is logged and answered with a code.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from chain.abci import convert
from chain.abci.wire import METHODS, Response
from chain.app.application import App
from chain.app.proposals import Turn, turns_after
from chain.app.snapshots import Snapshot
from chain.gas import OutOfGas

log: Final = logging.getLogger("msgchain.abci")

ACCEPT: Final = 1
REJECT: Final = 2
_RECHECK: Final = 1
_PROOF_OP: Final = "ics23:smt"
#: read only, on the committed view: answered beside a running block
UNLOCKED: Final = ("echo", "flush", "query", "list_snapshots", "load_snapshot_chunk")
#: what strangers cause: a failure there is an answer, and stops nothing
FORGIVEN: Final = ("query", "check_tx", "list_snapshots", "load_snapshot_chunk")
_INTERNAL: Final = 1
#: transactions that are verified together, while those before them are checked
_TOGETHER: Final = 32
#: codespace and code of a sequence that is not the next one
_SEQUENCE: Final = ("sdk", 32)


class Handler:
    """One App behind any number of connections. ``on_commit(height)`` is told after each commit."""

    def __init__(self, app: App, on_commit: Callable[[int], None] = lambda height: None) -> None:
        self._app = app
        self._on_commit = on_commit
        self._lock = threading.Lock()
        self._begun = app.height > 0

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Hold the lock: no consensus call runs meanwhile."""
        with self._lock:
            yield

    def prove_ahead(self, asked: Sequence[tuple[str, Any]]) -> dict[int, Iterator[None]]:
        """Begin to verify the signatures of transactions that wait together, some at a time. By the
        place of the first of each such part: what gives a value when that part is done.

        Who comes alone is verified where it is checked, because handing over costs more.
        """
        fresh = [
            (place, bytes(request.check_tx.tx))
            for place, (method, request) in enumerate(asked)
            if method == "check_tx" and request.check_tx.type != _RECHECK
        ]
        if len(fresh) < 2:
            return {}
        parts = [fresh[at : at + _TOGETHER] for at in range(0, len(fresh), _TOGETHER)]
        try:
            proven = self._app.proving(*[[raw for _, raw in part] for part in parts])
        except Exception:
            return {}  # each is then verified where it is checked
        return {part[0][0]: proven for part in parts}

    def waits_for(self, request: Any, response: Any) -> Turn | None:
        """The turn that a transaction came before, when CheckTx refused it for its sequence."""
        check = response.check_tx
        if (check.codespace, check.code) != _SEQUENCE:
            return None
        with self._lock:
            return self._app.waits_for(bytes(request.check_tx.tx))

    def turns_after(self, request: Any) -> list[Turn]:
        """The turns that come by a transaction which CheckTx took."""
        return turns_after(self._app.transaction(bytes(request.check_tx.tx)))

    def answer(self, method: str, request: Any) -> Any:
        """The Response to a Request of this method."""
        if log.isEnabledFor(logging.DEBUG):
            asked = getattr(request, method)
            log.debug("call %s", method, extra={"height": getattr(asked, "height", 0)})
        if method not in FORGIVEN:
            return self._answer(method, request)
        try:
            return self._answer(method, request)
        except (Exception, OutOfGas):
            log.exception("the application failed in %s; the caller hears of it", method)
        response = Response()
        out = getattr(response, method)
        out.SetInParent()
        if method in {"query", "check_tx"}:
            out.code, out.codespace, out.log = _INTERNAL, "undefined", "internal error"
        return response

    def _answer(self, method: str, request: Any) -> Any:
        response = Response()
        out = getattr(response, method)
        out.SetInParent()
        handle = getattr(self, "_" + method)
        if method in UNLOCKED:
            handle(getattr(request, method), out)
        else:
            with self._lock:
                handle(getattr(request, method), out)
        return response

    def _echo(self, request: Any, out: Any) -> None:
        out.message = request.message

    def _flush(self, request: Any, out: Any) -> None:
        pass

    def _info(self, request: Any, out: Any) -> None:
        info = self._app.info()
        out.data, out.version, out.app_version = info.name, info.version, info.app_version
        out.last_block_height, out.last_block_app_hash = info.last_height, info.app_hash
        if info.last_height == 0:
            out.last_block_app_hash = b""

    def _init_chain(self, request: Any, out: Any) -> None:
        given = request.HasField("consensus_params")
        made = self._app.init_chain(
            convert.nanos(request.time),
            request.chain_id,
            convert.consensus_params(request.consensus_params) if given else None,
            [convert.validator(update) for update in request.validators],
            bytes(request.app_state_bytes),
            int(request.initial_height),
        )
        for member in made.validators:
            convert.put_validator(out.validators.add(), member)
        convert.put_consensus_params(out.consensus_params, made.consensus_params)
        out.app_hash = made.app_hash
        self._begun = True

    def _query(self, request: Any, out: Any) -> None:
        if self._app.height == 0:
            out.code, out.codespace = 26, "sdk"
            out.log = "the chain has no block yet: invalid height"
            return
        result = self._app.query(
            request.path, bytes(request.data), int(request.height), bool(request.prove)
        )
        out.code, out.codespace, out.log = result.code, result.codespace, result.log
        out.key, out.value, out.height = result.key, result.value or b"", result.height
        if result.proof:
            op = out.proof_ops.ops.add()
            op.type, op.key, op.data = _PROOF_OP, result.key, result.proof

    def _check_tx(self, request: Any, out: Any) -> None:
        if not self._begun:
            out.code, out.codespace = 18, "sdk"
            out.log = "the chain has not begun; send it after its first block: invalid request"
            return
        result = self._app.check_tx(bytes(request.tx), request.type == _RECHECK)
        out.code, out.codespace, out.log = result.code, result.codespace, result.log
        out.gas_wanted = result.gas_wanted

    def _prepare_proposal(self, request: Any, out: Any) -> None:
        out.txs.extend(self._app.prepare_proposal(list(request.txs), int(request.max_tx_bytes)))

    def _process_proposal(self, request: Any, out: Any) -> None:
        out.status = ACCEPT if self._app.process_proposal(list(request.txs)) else REJECT

    def _extend_vote(self, request: Any, out: Any) -> None:
        out.vote_extension = b""

    def _verify_vote_extension(self, request: Any, out: Any) -> None:
        out.status = ACCEPT

    def _finalize_block(self, request: Any, out: Any) -> None:
        convert.put_block_result(out, self._app.finalize_block(convert.block_input(request)))

    def _commit(self, request: Any, out: Any) -> None:
        out.retain_height = self._app.commit()
        self._on_commit(self._app.height)

    def _list_snapshots(self, request: Any, out: Any) -> None:
        for snapshot in self._app.list_snapshots():
            entry = out.snapshots.add()
            entry.height, entry.format, entry.chunks = (
                snapshot.height,
                snapshot.format,
                snapshot.chunks,
            )
            entry.hash, entry.metadata = snapshot.hash, snapshot.metadata

    def _offer_snapshot(self, request: Any, out: Any) -> None:
        offered = request.snapshot
        snapshot = Snapshot(
            int(offered.height),
            int(offered.format),
            int(offered.chunks),
            bytes(offered.hash),
            bytes(offered.metadata),
        )
        out.result = self._app.offer_snapshot(snapshot, bytes(request.app_hash))

    def _load_snapshot_chunk(self, request: Any, out: Any) -> None:
        out.chunk = self._app.load_snapshot_chunk(
            int(request.height), int(request.format), int(request.chunk)
        )

    def _apply_snapshot_chunk(self, request: Any, out: Any) -> None:
        applied = self._app.apply_snapshot_chunk(int(request.index), bytes(request.chunk))
        self._begun = self._app.height > 0
        if applied.refetch:
            log.warning("chunk %s is not what the snapshot says; fetched again", request.index)
        out.result = applied.result
        out.refetch_chunks.extend(applied.refetch)
        if applied.reject_sender:
            out.reject_senders.append(request.sender)


def missing_methods() -> list[str]:
    """Methods of the protocol that the handler does not answer: none."""
    return [method for method in METHODS if not hasattr(Handler, "_" + method)]
