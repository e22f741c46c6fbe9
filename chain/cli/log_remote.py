"""``msgchain log export / follow / import``: logs out of and into nodes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import click

from chain import wiring
from chain.block.types import BlockResult, Event
from chain.cli.event_filter import EventFilter, event_filter
from chain.cli.log_cometbft import records_of as cometbft_records
from chain.cli.log_snapshot import stopped_chain
from chain.cli.names import DEFAULT_FOLDER, address_of
from chain.cli.output import fail, output_option, progress, say
from chain.cli.remote import reach, remote_options, show_fields
from chain.client.jsonrpc import RpcFailed
from chain.client.rpc import RpcClient
from chain.client.rpc_types import unbase64
from chain.driver.genesis import GenesisFileError, parse
from chain.driver.log import files
from chain.driver.log.record import BlockRecord, GenesisRecord, LogError, unpack
from chain.driver.log.replay import check_headers, compare
from chain.driver.producer import Producer, read_records
from chain.node.home import DATA, GENESIS, HomeError, signers_of, write_genesis
from chain.store.errors import StoreError

Logged = GenesisRecord | BlockRecord
_HOME: Final = click.Path(file_okay=False, path_type=Path)
_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_PAGE: Final = 1_000
_NO_METHOD: Final = -32601


@click.command()
@click.argument("file", type=_FILE)
@click.option("--home", type=_HOME, help="Folder of a node that does not run.")
@remote_options
def export(*, file: Path, home: Path | None, rpc: str, output: str) -> None:
    """Write the log of a node to FILE: JSON Lines, or MessagePack where it ends in .msgpack.

    Of a running node (--rpc), or of the folder of one that does not run (--home).
    """
    try:
        with progress("exporting") as step:
            records = _watched(_of_home(home) if home else _of_node(reach(rpc)), step)
            blocks = files.write(file, records)
    except LogError as error:
        fail(str(error))
    show_fields({"file": str(file), "blocks": blocks}, output)


def _watched(records: Iterator[Logged], step: Callable[[int], None]) -> Iterator[Logged]:
    for record in records:
        if isinstance(record, BlockRecord):
            step(record.block.height)
        yield record


def _of_home(home: Path) -> Iterator[Logged]:
    store = stopped_chain(home, "while the node runs, use --rpc instead of --home")
    try:
        yield from read_records(store)
    finally:
        store.close()


def _of_node(client: RpcClient, first: int = 0, last: int | None = None) -> Iterator[Logged]:
    """The records of a running node up to its height of now; made from blocks for CometBFT."""
    while True:
        try:
            found = client.http.call("msgchain_records", first=first, limit=_PAGE)
        except RpcFailed as error:
            if error.code != _NO_METHOD:
                raise
            yield from cometbft_records(client, first, last)
            return
        end = int(found["height"]) if last is None else last
        last = end
        for number, raw in enumerate(found["records"]):
            record = unpack(unbase64(raw), f"{client.url}, record {first + number}")
            if isinstance(record, BlockRecord) and record.block.height > end:
                return
            if not isinstance(record, GenesisRecord | BlockRecord):
                raise LogError(f"{client.url} sent what is no record")
            yield record
        first = int(found["next"])
        if first > end:
            return


# --- following ------------------------------------------------------------------------------------


@click.command()
@click.option("--type", "kind", help="Only events of this type (wasm- may be left out).")
@click.option("--address", help="An address (or name) that must stand in some attribute.")
@click.option("--attribute", "pairs", multiple=True, help="KEY=VALUE that must stand. Repeatable.")
@click.option("--from-height", type=click.IntRange(1), help="Show blocks from here on first.")
@click.option("--blocks", type=click.IntRange(1), help="End after so many blocks.")
@remote_options
def follow(
    *,
    kind: str | None,
    address: str | None,
    pairs: tuple[str, ...],
    from_height: int | None,
    blocks: int | None,
    rpc: str,
    output: str,
) -> None:
    """Show the events of a running node as its blocks come, filtered; Ctrl-C ends it."""
    client = reach(rpc)
    who = address and address_of(address, DEFAULT_FOLDER)
    wanted = event_filter(kind, pairs, who)
    for number, record in enumerate(_coming(client, from_height), 1):
        _show(record, wanted, output)
        if number == blocks:
            return


def _coming(client: RpcClient, from_height: int | None) -> Iterator[BlockRecord]:
    """The blocks from a height on, then those to come."""
    after = client.height() if from_height is None else from_height - 1
    subscription = client.subscribe("tm.event = 'NewBlock'")
    while True:
        height = client.height()
        if height < after:
            click.echo(f"the chain went back to height {height}", err=True)
            after = height
        if height > after:
            for record in _of_node(client, after + 1, height):
                if isinstance(record, BlockRecord):
                    yield record
            after = height
            continue
        next(subscription)


def _show(record: BlockRecord, wanted: EventFilter, output: str) -> None:
    for index, result in enumerate(record.result.tx_results):
        for event in result.events:
            _show_event(record.block.height, index, event, wanted, output)
    for event in record.result.events:
        _show_event(record.block.height, None, event, wanted, output)


def _show_event(
    height: int, tx: int | None, event: Event, wanted: EventFilter, output: str
) -> None:
    if not wanted(event.type, event.attributes):
        return
    if output == "json":
        value = {
            "height": height,
            "tx": tx,
            "type": event.type,
            "attributes": dict(event.attributes),
        }
        click.echo(json.dumps(value, ensure_ascii=False))
    else:
        place = "block" if tx is None else f"tx {tx}"
        text = " ".join(f"{key}={value}" for key, value in event.attributes)
        click.echo(f"{height:>6} {place:>6}  {event.type}  {text}")


# --- importing ------------------------------------------------------------------------------------


@click.command("import")
@click.argument("file", type=_FILE)
@click.option("--home", type=_HOME, required=True, help="Folder for the chain; a new one.")
@output_option
def import_command(file: Path, home: Path, output: str) -> None:
    """Make the folder of a node out of the log FILE: every block is run again and compared.

    `msgchain devnet --home HOME` then goes on where the log ends.
    """
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        fail(f"{home} is not empty; give a folder that does not exist yet")
    try:
        with progress("importing", files.last_height(file)) as step:
            producer = _import(file, home, step)
    except LogError as error:
        fail(f"{error}; what is in {home} so far is not whole" if home.exists() else str(error))
    except (HomeError, GenesisFileError, StoreError) as error:
        fail(str(error))
    state = producer.state
    producer.store.close()
    say(
        output,
        f"{producer.chain_id}: height {state.height}, app hash {state.app_hash.hex()}, in {home}",
        chain_id=producer.chain_id,
        height=state.height,
        app_hash=state.app_hash.hex(),
        home=str(home),
    )


def _import(file: Path, home: Path, step: Callable[[int], None]) -> Producer:
    producer: Producer | None = None
    before: BlockRecord | None = None
    try:
        for record in files.checked(files.read(file), str(file)):
            if isinstance(record, GenesisRecord):
                producer = _begun(record, home)
            elif isinstance(record, BlockRecord) and producer is not None:
                _take(producer, record, before)
                before = record
                step(record.block.height)
    except BaseException:
        if producer is not None:
            producer.store.close()
        raise
    if producer is None:
        raise LogError(f"{file}: the log has no genesis record")
    return producer


def _begun(record: GenesisRecord, home: Path) -> Producer:
    genesis = parse(record.genesis)
    codes = wiring.known_codes()
    codes.add_logged(record.sources)
    write_genesis(home, record.genesis)
    producer = wiring.open_chain(
        home / DATA, genesis, signers=signers_of(home, genesis), codes=codes
    )
    if producer.state.record_hash != record.hash:
        raise LogError(
            f"{home / GENESIS}: the genesis of the log gives another first record here; the "
            "contracts of this version are not those of the log"
        )
    return producer


def _take(producer: Producer, record: BlockRecord, before: BlockRecord | None) -> None:
    def accept(result: BlockResult) -> None:
        height = record.block.height
        found = compare(height, record.result, result) or check_headers(record, before)
        if found is not None:
            raise LogError(str(found))

    producer.take_over(record, accept)
