"""``msgchain repair``, ``rollback`` and ``state``: an operator's tools for a node that is
stopped."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from chain import wiring
from chain.app.genesis import export_state
from chain.app.gov import load_validators
from chain.app.records import ValidatorRecord
from chain.cli.output import fail, output_option, progress, say
from chain.crypto.verify import TrustingVerifier
from chain.driver.genesis import GenesisFileError, format_time, parse, validator_entry
from chain.driver.log import files
from chain.driver.log.record import GenesisRecord, LogError, Record
from chain.driver.producer import Producer, driver_state, read_records
from chain.driver.recovery import (
    check_folder,
    rebuild_tree,
    replay_into,
    salvaged_records,
    set_aside,
)
from chain.node.home import DATA, INDEX, HomeError, open_node, read_genesis, signers_of
from chain.node.service import Options
from chain.store import LevelBackend, StateStore
from chain.store.errors import StoreDamaged, StoreError, StoreLocked
from chain.store.keys import DERIVED_KEY

_HOME = click.option(
    "--home",
    type=click.Path(file_okay=False, path_type=Path, exists=True),
    required=True,
    help="Folder of a node that does not run.",
)
_FAILURES = (LogError, StoreError, GenesisFileError, HomeError)


@click.command()
@_HOME
@click.option("--tree", is_flag=True, help="Only make the tree anew from the state.")
@click.option("--index", "only_index", is_flag=True, help="Only make the search index anew.")
@click.option(
    "--log",
    "log_file",
    type=click.Path(dir_okay=False, exists=True, path_type=Path),
    help="Rebuild from this log instead of the one in the folder.",
)
@output_option
def repair(*, home: Path, tree: bool, only_index: bool, log_file: Path | None, output: str) -> None:
    """Repair the data of a stopped node: salvage, else rebuild by running its log again.

    Damaged data are moved aside, never deleted.
    """
    data = home / DATA
    try:
        if only_index:
            shutil.rmtree(home / INDEX, ignore_errors=True)
            text = f"{home / INDEX} is made anew at the next start"
            say(output, text, repaired="index")
            return
        if tree:
            height, root = rebuild_tree(data)
            _told(output, "tree", "tree made anew at", height, root)
            return
        _repair(home, data, log_file, output)
    except StoreLocked as error:
        fail(f"{error}; stop the node first")
    except _FAILURES as error:
        fail(str(error))


def _told(
    output: str, what: str, text: str, height: int, root: bytes, *, kept: Path | None = None
) -> None:
    more = f"; what was damaged lies in {kept}" if kept else ""
    say(
        output,
        f"{text} height {height}, app hash {root.hex()}{more}",
        repaired=what,
        height=height,
        app_hash=root.hex(),
        **({"damaged": str(kept)} if kept else {}),
    )


def _repair(home: Path, data: Path, log_file: Path | None, output: str) -> None:
    if log_file is None and _sound(data):
        height, root = check_folder(data)
        _told(output, "nothing", "nothing to repair:", height, root)
        return
    if log_file is None:
        LevelBackend.repair(data)
        if _sound(data):
            height, root = check_folder(data)
            _told(output, "salvaged", "salvaged:", height, root)
            return
    records: Iterator[Record]
    if log_file is not None:
        records = files.checked(files.read(log_file), str(log_file))
    else:
        records = salvaged_records(data)
    fresh = home / f"{DATA}.rebuilt"
    shutil.rmtree(fresh, ignore_errors=True)
    height, root = _rebuild(home, fresh, records)
    kept = set_aside(data) if data.exists() else None
    fresh.rename(data)
    shutil.rmtree(home / INDEX, ignore_errors=True)
    _told(output, "rebuilt", "rebuilt from the log:", height, root, kept=kept)


def _sound(data: Path) -> bool:
    try:
        check_folder(data)
    except StoreLocked:
        raise
    except (StoreError, LogError):
        return False
    return True


def _rebuild(home: Path, fresh: Path, records: Iterator[Record]) -> tuple[int, bytes]:
    made: list[Producer] = []

    def begin(record: GenesisRecord) -> Producer:
        genesis = parse(record.genesis)
        codes = wiring.known_codes()
        codes.add_logged(record.sources)
        producer = wiring.open_chain(
            fresh,
            genesis,
            signers=signers_of(home, genesis),
            codes=codes,
            verifier=TrustingVerifier(),
        )
        made.append(producer)
        return producer

    try:
        with progress("rebuilding") as step:
            return replay_into(records, begin, step)
    finally:
        for producer in made:
            producer.store.close()


@click.command()
@_HOME
@click.option("--blocks", type=click.IntRange(1), default=1, show_default=True)
@output_option
def rollback(*, home: Path, blocks: int, output: str) -> None:
    """Take the last blocks of a stopped node back: state, log and index."""
    try:
        node = open_node(home, read_genesis(home), Options())
    except StoreLocked as error:
        fail(f"{error}; stop the node first")
    except _FAILURES as error:
        fail(str(error))
    try:
        for _ in range(blocks):
            node.producer.rollback()
    except StoreError as error:
        fail(f"at height {node.producer.height}: {error}")
    finally:
        state = node.producer.state
        node.close()
    shutil.rmtree(home / INDEX, ignore_errors=True)
    root = state.app_hash.hex()
    text = f"at height {state.height}, app hash {root}"
    say(output, text, height=state.height, app_hash=root)


@click.group()
def state() -> None:
    """The whole state of a stopped node, as the genesis of a chain that goes on with it."""


@state.command()
@_HOME
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--chain-id", help="Name of the new chain; default: the old one's.")
@output_option
def export(*, home: Path, file: Path, chain_id: str | None, output: str) -> None:
    """Write FILE, a genesis that starts where the chain in --home stands."""
    try:
        document = exported(home / DATA, chain_id)
    except StoreLocked as error:
        fail(f"{error}; stop the node first")
    except _FAILURES as error:
        fail(str(error))
    try:
        file.write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        fail(f"{file}: cannot be written: {error.strerror}")
    say(
        output,
        f"{file}: chain {document['chain_id']} from height {document['initial_height']}; start it "
        f"with `msgchain devnet --genesis {file} --home NEW`",
        file=str(file),
        chain_id=document["chain_id"],
        initial_height=document["initial_height"],
    )


def exported(data: Path, chain_id: str | None = None) -> dict[str, Any]:
    """The genesis document of a chain that goes on with the state in a folder."""
    if not data.is_dir():
        raise LogError(f"{data} holds no chain; name the --home that the node was started with")
    store = StateStore(LevelBackend(data))
    try:
        driver = driver_state(store)
        if driver is None:
            raise StoreDamaged(str(data), "the driver's row is missing")
        genesis = next(iter(read_records(store)))
        if not isinstance(genesis, GenesisRecord):
            raise StoreDamaged(str(data), "the genesis record is missing")
        old = genesis.genesis
        before = old.get("app_state", {})
        members = load_validators(store.view)
        state = export_state(_entries(store), devnet=bool(before.get("devnet")))
        state["validators"] = [_payout(member) for member in members if member.payout]
        names = {
            base64.b64decode(entry["pub_key"]["value"]): entry.get("name", "")
            for entry in old.get("validators") or ()
        }
        listed = [
            validator_entry(
                one.key_type, one.key, one.address, power=one.power, name=names.get(one.key, "")
            )
            for one in members
        ]
        return {
            **old,
            "chain_id": chain_id or old["chain_id"],
            "genesis_time": format_time(driver.time + 1),
            "initial_height": str(driver.height + 1),
            "validators": listed,
            "app_state": state,
        }
    finally:
        store.close()


def _entries(store: StateStore) -> Iterator[tuple[bytes, bytes, bool]]:
    """The state, without the hash over derived writes: the new chain's store makes its own."""
    return (entry for entry in store.export(store.height) if entry[0] != DERIVED_KEY)


def _payout(member: ValidatorRecord) -> dict[str, Any]:
    """Where a validator's share of the fees goes, as a genesis says it."""
    return {
        "pub_key": {"type": member.key_type, "value": member.key.hex()},
        "payout": member.payout,
    }
