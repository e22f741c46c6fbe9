"""Watches a developer's contract folders and puts changed ones into the running devnet.

A change becomes transactions, as everything does: the new source is stored as a code, and every
instance of a code of that name is migrated to it in its admin's name. What is refused is logged
and leaves the chain as it is.
"""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import Final

from chain.block.types import TxResult
from chain.driver.codes import LINE, KnownCodes
from chain.errors import AppError
from chain.node.home import HomeError, add_folder, remember
from chain.node.service import Node, NodeFailed
from chain.tx.builder import build_dev
from chain.tx.messages import DevExecute, MsgMigrateContract, MsgStoreCode

LOG: Final = logging.getLogger("msgchain.contracts")
_SECONDS: Final = 0.5
_EMPTY: Final = b"{}"


def _stamp(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when a file of a contract folder does."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        state = path.stat()
        found.append((str(path), state.st_mtime_ns, state.st_size))
    return tuple(found)


class Watcher:
    """Looks at the folders in ``folder`` twice a second, in a thread of its own."""

    def __init__(
        self, node: Node, codes: KnownCodes, folder: Path, lines: dict[str, str], home: Path
    ) -> None:
        self._node = node
        self._home = home
        self._codes = codes
        self._folder = folder
        self._lines = dict(lines)
        self._stamps = self._look()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="contracts", daemon=True)
        self._nonce = time.time_ns()

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._end.set()

    def _look(self) -> dict[Path, tuple[tuple[str, int, int], ...]]:
        return {
            entry: _stamp(entry)
            for entry in sorted(self._folder.iterdir())
            if (entry / "contract.py").is_file()
        }

    def _run(self) -> None:
        while not self._end.wait(_SECONDS):
            try:
                now = self._look()
                for entry, stamp in now.items():
                    if self._stamps.get(entry) != stamp:
                        self.reload(entry)
                self._stamps = now
            except OSError as error:  # a file went away while it was looked at
                LOG.debug("contracts: %s", error)
            except NodeFailed:
                return

    def reload(self, entry: Path) -> None:
        """Store the source of a folder if it is new, and migrate what runs on the name."""
        try:
            name, line = add_folder(self._codes, entry)
        except HomeError as error:
            LOG.warning("contract not reloaded", extra={"reason": str(error)})
            return
        if self._lines.get(name) == line:
            return
        self._lines[name] = line
        remember(self._home, self._codes, [line])
        LOG.warning("contract changed", extra={"contract": name, "line": line})
        if self._node.height:
            self._replace(name, line)

    def _replace(self, name: str, line: str) -> None:
        queries = self._node.app.queries
        old = [
            (code_id, code)
            for code_id, code in queries.codes()
            if (match := LINE.fullmatch(code.source)) is not None and match[1] == name
        ]
        if not old:
            return  # never stored: there is nothing to replace
        stored = self._send(MsgStoreCode(old[-1][1].creator, line.encode()))
        if stored.code:
            LOG.warning("code refused", extra={"contract": name, "reason": stored.log})
            return
        new_id = queries.codes()[-1][0]
        for code_id, _ in old:
            for address in queries.contracts_of_code(code_id):
                self._migrate(address, new_id)

    def _migrate(self, address: str, code_id: int) -> None:
        try:
            admin = self._node.app.queries.contract_info(address).admin
        except AppError:
            return
        if admin is None:
            LOG.warning("not migrated: it has no admin", extra={"address": address})
            return
        result = self._send(MsgMigrateContract(admin, address, code_id, _EMPTY))
        if result.code:
            LOG.warning("not migrated", extra={"address": address, "reason": result.log})
        else:
            LOG.warning("migrated", extra={"address": address, "code": code_id})

    def _send(self, message: MsgStoreCode | MsgMigrateContract) -> TxResult:
        self._nonce += 1
        chain_id = self._node.producer.chain_id
        raw = build_dev([DevExecute((message,))], chain_id=chain_id, nonce=self._nonce)
        return self._node.produce([raw]).result.tx_results[0]
