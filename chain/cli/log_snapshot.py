"""``msgchain log replay --snapshot``: where a replay begins that does not begin at the genesis."""

from __future__ import annotations

from pathlib import Path

from chain import wiring
from chain.app.application import App
from chain.cli.output import fail
from chain.crypto.verify import InlineVerifier, TrustingVerifier, Verifier
from chain.driver.genesis import parse
from chain.driver.log.record import BlockRecord, GenesisRecord, LogError, Record
from chain.driver.producer import driver_state
from chain.node.home import DATA
from chain.store import LevelBackend, MemoryBackend, StateStore
from chain.store.errors import StoreError


def stopped_chain(home: Path, advice: str) -> StateStore:
    """The chain of a stopped node's folder; fails with ``advice`` where it cannot be opened."""
    folder = home / DATA
    if not folder.is_dir():
        fail(f"{home} holds no chain; name the --home that the node was started with")
    try:
        return StateStore(LevelBackend(folder))
    except StoreError as error:
        fail(f"{error}; {advice}")


class SnapshotOf:
    """The state of a stopped node's folder, copied into memory: the folder stays as it is."""

    def __init__(self, home: Path, *, check_signatures: bool) -> None:
        self._home = home
        self._verifier: Verifier = InlineVerifier() if check_signatures else TrustingVerifier()
        found = stopped_chain(home, "if a node runs there, stop it or name a copy of its folder")
        try:
            state = driver_state(found)
            if state is None or not found.height:
                fail(f"{home} holds no block yet; replay without --snapshot")
            self.height = found.height
            self._record = state.record_hash
            self._store = StateStore(MemoryBackend(), keep_heights=0)
            if self._store.import_state(found.height, found.export(found.height)) != state.app_hash:
                fail(
                    f"{home / DATA}: the state does not have the app hash of height {found.height}"
                )
        except StoreError as error:
            fail(str(error))
        finally:
            found.close()

    def watch(self, record: Record) -> None:
        """See a record of the log go by. Raises: LogError if the folder is of another chain."""
        if (
            isinstance(record, BlockRecord)
            and record.block.height == self.height
            and record.hash != self._record
        ):
            raise LogError(
                f"{self._home} has another block at height {self.height} than the log: it is of "
                "another chain, or of another branch of this one"
            )

    def app(self, record: GenesisRecord) -> App:
        """An App that goes on from there."""
        codes = wiring.known_codes()
        codes.add_logged(record.sources)
        return App(self._store, codes, verifier=self._verifier, prefix=parse(record.genesis).prefix)
