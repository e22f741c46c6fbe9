"""Apps that misbehave in one way, for tests of what the other nodes make of it.

``python abci_app.py KIND abci --home HOME`` is ``msgchain abci --home HOME`` with one thing changed:

- ``small-chunks``: one snapshot in many chunks (all nodes of a net must agree on it);
- ``tamper``: the same, and each chunk that is given away has a bit turned over;
- ``force``: its proposals hold what no honest proposer makes;
- ``blind``: accepts every proposal, and forces as well.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

JUNK = (b"junk", b"\xff" * 40)
CHUNK_BYTES = 512


def small_chunks() -> None:
    """One snapshot of many chunks, for ever: peers are asked for their snapshots one after another,
    and those asked after the next one was made would be the only ones to offer it.
    """
    from chain.app import snapshots

    def on_offer(self: snapshots.Snapshots) -> list[snapshots.Snapshot]:
        first = snapshots.INTERVAL
        return [self._of(first)[0]] if self._kept(first) else []

    snapshots.CHUNK_BYTES = CHUNK_BYTES  # type: ignore[misc]
    snapshots.Snapshots.on_offer = on_offer  # type: ignore[method-assign]


def tamper() -> None:
    """Chunks that are not what the snapshot says."""
    from chain.app.application import App

    small_chunks()
    honest = App.load_snapshot_chunk

    def load(self: App, height: int, format_: int, chunk: int) -> bytes:
        found = honest(self, height, format_, chunk)
        return found[:-1] + bytes([found[-1] ^ 1]) if found else found

    App.load_snapshot_chunk = load  # type: ignore[method-assign]


def force() -> None:
    """Proposals with junk, a transaction twice, and one that is too large."""
    from chain.app.application import App
    from chain.app.devnet import dev_wallet
    from chain.tx.builder import build_cosmos_direct, coins
    from chain.tx.messages import MsgSend

    key = dev_wallet(5)
    sender = key.pubkey.address()
    too_large = build_cosmos_direct(
        [MsgSend(sender, sender, coins("1amsg"))],
        [key],
        chain_id="msg-chain-1",
        account_numbers=[0],
        sequences=[0],
        gas_limit=1,
        fee=(),
        memo="m" * 2_000_000,
    )

    def prepare(self: App, txs: Any, max_tx_bytes: int) -> list[bytes]:
        given = list(txs)
        return [*JUNK, *given, *given, too_large]

    App.prepare_proposal = prepare  # type: ignore[method-assign]


def blind() -> None:
    """As ``force``, and every proposal is welcome."""
    from chain.app.application import App

    force()
    App.process_proposal = lambda self, txs: True  # type: ignore[assignment, method-assign]


KINDS = {"small-chunks": small_chunks, "tamper": tamper, "force": force, "blind": blind}


def command(kind: str) -> tuple[str, ...]:
    """What a ``Pair`` starts such an App with."""
    return (sys.executable, str(Path(__file__).resolve()), kind)


if __name__ == "__main__":
    sys.path[:0] = [os.environ.get("PYTHONPATH", ""), str(Path(__file__).resolve().parents[2])]
    from chain.cli.main import main

    KINDS[sys.argv.pop(1)]()
    main()
