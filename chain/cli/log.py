"""``msgchain log``: show, verify and replay event logs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import click

from chain.app.application import App
from chain.block.types import BlockInput, BlockResult
from chain.cli.event_filter import EventFilter, event_filter
from chain.cli.lazy import LazyGroup
from chain.cli.log_snapshot import SnapshotOf
from chain.cli.output import JSON, fail, output_option, output_or_json, progress, say
from chain.cli.trace_view import show_trace
from chain.driver.genesis import GenesisFileError
from chain.driver.log import files
from chain.driver.log.projection import to_sqlite
from chain.driver.log.record import BlockRecord, GenesisRecord, LogError, Record
from chain.driver.log.replay import ReplayDiffers, first_difference, replay
from chain.driver.trace import trace_block
from chain.node.process import tune
from chain.wiring import replay_app

#: Exit codes: 0 whole and equal, 1 damaged or different, 2 open-ended (no footer).
OPEN_ENDED = 2

_FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group(
    cls=LazyGroup,
    lazy={
        "export": ("chain.cli.log_remote:export", "Write the log of a node to a file."),
        "follow": ("chain.cli.log_remote:follow", "Show the events of a node as blocks come."),
        "import": ("chain.cli.log_remote:import_command", "Make a node's folder out of a log."),
    },
)
def log() -> None:
    """Export, follow, show, verify and replay event logs (JSON Lines or MessagePack)."""


def _open_ended(path: Path) -> NoReturn:
    fail(
        f"{path}: open-ended: the file has no footer, so blocks may be missing at its end; "
        "export it again or take it as it is",
        code=OPEN_ENDED,
    )


@log.command()
@_FILE
@output_or_json
def verify(file: Path, output: str) -> None:
    """Check the hash chain of FILE without executing it."""
    try:
        summary = files.verify(file)
    except LogError as error:
        fail(str(error))
    say(
        output,
        f"{file}: {summary.chain_id}, heights {summary.first_height} to {summary.height}, "
        f"{summary.transactions} transactions, app hash {summary.app_hash.hex()}",
        **{**_fields(summary), "app_hash": summary.app_hash.hex()},
    )
    if not summary.closed:
        _open_ended(file)


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


@log.command("replay")
@_FILE
@output_or_json
@click.option("--until", type=click.IntRange(1), help="Stop after this height.")
@click.option(
    "--snapshot",
    type=click.Path(file_okay=False, path_type=Path),
    help="Begin at the state of this stopped node's folder, not at the genesis.",
)
@click.option("--no-signatures", is_flag=True, help="Do not check signatures again.")
@click.option("--trace", is_flag=True, help="Show every transaction as a tree of calls.")
def replay_command(
    *,
    file: Path,
    output: str,
    until: int | None,
    snapshot: Path | None,
    no_signatures: bool,
    trace: bool,
) -> None:
    """Execute FILE from its genesis, or from a node's state, and compare every event, gas figure
    and hash."""
    closed = False
    tune()
    start = None if snapshot is None else SnapshotOf(snapshot, check_signatures=not no_signatures)
    make_app = start.app if start else replay_app(check_signatures=not no_signatures)

    def watched(record: Record) -> Record:
        nonlocal closed
        closed = not isinstance(record, GenesisRecord | BlockRecord)
        if start is not None:
            start.watch(record)
        return record

    try:
        with progress("replaying", until or files.last_height(file)) as step:
            records = map(watched, files.checked(files.read(file), str(file)))
            done = replay(
                records,
                (lambda record: _Traced(make_app(record))) if trace else make_app,
                until=until,
                after=start.height if start else 0,
                progress=lambda record: step(record.block.height),
            )
    except ReplayDiffers as error:
        fail(f"{file}: {error}")
    except LogError as error:
        fail(str(error))
    except GenesisFileError as error:
        fail(f"{file}, record 1: {error}")
    say(
        output,
        f"{done.chain_id}: height {done.height}, {done.blocks} blocks, "
        f"{done.transactions} transactions, app hash {done.app_hash.hex()}: equal",
        **{**_fields(done), "app_hash": done.app_hash.hex()},
    )
    if not closed and until is None:
        _open_ended(file)


class _Traced:
    """An App that shows each transaction of a block before the block runs."""

    def __init__(self, app: App) -> None:
        self.app = app

    def finalize_block(self, block: BlockInput) -> BlockResult:
        """Show, then run."""
        for number, trace in enumerate(trace_block(self.app, block)):
            title = f"height {block.height}, transaction {number}:"
            show_trace({**trace.to_json(), "hash": title}, {})
        return self.app.finalize_block(block)

    def commit(self) -> int:
        """Keep it."""
        return self.app.commit()


@log.command()
@_FILE
@click.option("--type", "kind", help="Only events of this type (wasm- may be left out).")
@click.option("--attribute", "attributes", multiple=True, help="KEY=VALUE that an event must have.")
@click.option("--address", help="An address that must stand in some attribute.")
@click.option("--height", type=click.IntRange(0), help="Only this height.")
@click.option("--from-height", "low", type=click.IntRange(0), help="From this height on.")
@click.option("--to-height", "high", type=click.IntRange(0), help="Up to this height.")
@output_or_json
def show(
    file: Path,
    *,
    kind: str | None,
    attributes: tuple[str, ...],
    address: str | None,
    height: int | None,
    low: int | None,
    high: int | None,
    output: str,
) -> None:
    """Show the events of FILE, filtered."""
    wanted = event_filter(kind, attributes, address)
    if height is not None:
        low, high = height, height
    try:
        for record in files.checked(files.read(file), str(file)):
            if isinstance(record, BlockRecord) and _within(record.block.height, low, high):
                _show_block(record, wanted, output == JSON)
    except LogError as error:
        fail(str(error))


def _within(height: int, low: int | None, high: int | None) -> bool:
    return (low is None or height >= low) and (high is None or height <= high)


def _show_block(record: BlockRecord, wanted: EventFilter, as_json: bool) -> None:
    rows = [
        (number, event.type, event.attributes)
        for number, result in enumerate(record.result.tx_results)
        for event in result.events
        if wanted(event.type, event.attributes)
    ]
    rows += [
        (-1, event.type, event.attributes)
        for event in record.result.events
        if wanted(event.type, event.attributes)
    ]
    for tx, event_type, attributes in rows:
        place = "block" if tx < 0 else f"tx {tx}"
        if as_json:
            value = {
                "height": record.block.height,
                "tx": None if tx < 0 else tx,
                "type": event_type,
                "attributes": dict(attributes),
            }
            click.echo(json.dumps(value, ensure_ascii=False))
        else:
            text = " ".join(f"{key}={value}" for key, value in attributes)
            click.echo(f"{record.block.height:>6} {place:>6}  {event_type}  {text}")


@log.command()
@_FILE
@click.argument("target", type=click.Path(path_type=Path))
@output_option
def convert(file: Path, target: Path, output: str) -> None:
    """Convert FILE to TARGET: .jsonl for JSON Lines, .msgpack for MessagePack."""
    try:
        summary = files.verify(file)
        files.write(target, files.read(file), footer=summary.closed)
    except LogError as error:
        fail(str(error))
    say(output, f"{target}: {summary.blocks} blocks", file=str(target), blocks=summary.blocks)


@log.command()
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path))
@output_option
def diff(left: Path, right: Path, output: str) -> None:
    """Find the first difference of two logs; ends with 1 if there is one."""
    try:
        found = first_difference(
            files.checked(files.read(left), str(left)), files.checked(files.read(right), str(right))
        )
    except LogError as error:
        fail(str(error))
    if found is None:
        say(output, "equal", equal=True)
        return
    place = f"height {found.height}" + ("" if found.tx is None else f", transaction {found.tx}")
    say(
        output,
        f"{place}, {found.what}:\n  {left}: {found.expected}\n  {right}: {found.came}",
        equal=False,
        height=found.height,
        tx=found.tx,
        what=found.what,
        left=str(found.expected),
        right=str(found.came),
    )
    raise SystemExit(1)


@log.command("to-sqlite")
@_FILE
@click.argument("target", type=click.Path(path_type=Path))
@output_option
def to_sqlite_command(file: Path, target: Path, output: str) -> None:
    """Write FILE as the SQLite file TARGET: blocks, transactions, events, messages, tasks,
    balances."""
    try:
        counts = to_sqlite(files.checked(files.read(file), str(file)), target)
    except LogError as error:
        fail(str(error))
    text = ", ".join(f"{count} {name}" for name, count in counts.items())
    say(output, f"{target}: {text}", file=str(target), **counts)
