"""``msgchain control``: the controls of a running devnet."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from chain.app import devnet
from chain.cli.names import DEFAULT_FOLDER, address_of
from chain.cli.output import fail
from chain.cli.query import checked_hash
from chain.cli.remote import (
    json_argument,
    reach,
    remote_options,
    show_fields,
    show_json,
    show_rows,
)
from chain.cli.tx_result import outcome_fields
from chain.client.control import Control
from chain.client.transport import Outcome
from chain.driver.genesis import parse_time

_KEYRING: Final = click.option(
    "--keyring",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEFAULT_FOLDER,
    envvar="MSGCHAIN_KEYS",
    help="Folder of the keys whose names may stand for addresses.",
)
_FILE: Final = click.Path(dir_okay=False, path_type=Path)


def _control(rpc: str) -> Control:
    return Control(reach(rpc).http)


def _done(outcome: Outcome, output: str) -> None:
    show_fields(outcome_fields(outcome), output)


@click.group()
def control() -> None:
    """Go back, move the clock, make blocks, give coins, act as others, on a running devnet.

    What changes state is a developer transaction in a block, so it is in the log and replays.
    """


@control.command()
@remote_options
def status(rpc: str, output: str) -> None:
    """Where chain, clock and pool stand."""
    show_fields(_control(rpc).status(), output)


@control.command()
@remote_options
def accounts(rpc: str, output: str) -> None:
    """The accounts of the genesis and what they have."""
    show_rows(_control(rpc).accounts(), output, "the genesis has no accounts")


@control.command()
@remote_options
def snapshot(rpc: str, output: str) -> None:
    """Remember chain, clock and pool; prints the number for `revert`."""
    number = _control(rpc).snapshot()
    if output == "json":
        show_json({"id": number})
    else:
        click.echo(number)


@control.command()
@click.argument("number", type=click.IntRange(1))
@remote_options
def revert(number: int, rpc: str, output: str) -> None:
    """Go back to snapshot NUMBER; it stays, later ones are gone."""
    height = _control(rpc).revert(number)
    show_fields({"snapshot": number, "height": height}, output)


@control.command("set-time")
@click.argument("time")
@remote_options
def set_time(time: str, rpc: str, output: str) -> None:
    """Make it TIME now (2027-01-01T00:00:00Z), which is after the last block."""
    parse_time(time)
    _done(_control(rpc).set_time(time), output)


@control.command("advance-time")
@click.argument("span")
@remote_options
def advance_time(span: str, rpc: str, output: str) -> None:
    """Move the clock on by SPAN: seconds, or 500ms, 10m, 2h."""
    _done(_control(rpc).advance_time(span), output)


@control.command()
@click.argument("blocks", type=click.IntRange(1, 10_000), default=1)
@click.option("--interval", help="Let each block be so much later than the one before: 5s, 1h.")
@remote_options
def mine(blocks: int, interval: str | None, rpc: str, output: str) -> None:
    """Make BLOCKS blocks now, with what waits."""
    made = _control(rpc).mine(blocks, interval)
    show_fields({name: getattr(made, name) for name in made.__struct_fields__}, output)


@control.command()
@remote_options
def pause(rpc: str, output: str) -> None:
    """Make no blocks but those that are asked for."""
    _control(rpc).pause()
    show_fields({"paused": True}, output)


@control.command()
@remote_options
def resume(rpc: str, output: str) -> None:
    """Make blocks again."""
    _control(rpc).resume()
    show_fields({"paused": False}, output)


@control.command("block-time")
@click.argument("pace")
@remote_options
def block_time(pace: str, rpc: str, output: str) -> None:
    """Change how blocks come: 5s, 200ms, instant or manual."""
    _control(rpc).set_block_time(pace)
    show_fields({"pace": pace}, output)


@control.command()
@click.argument("address")
@click.argument("amount", default="1000msg")
@_KEYRING
@remote_options
def faucet(address: str, amount: str, keyring: Path, rpc: str, output: str) -> None:
    """Create AMOUNT in the account ADDRESS."""
    _done(_control(rpc).faucet(address_of(address, keyring), amount), output)


@control.command()
@click.argument("messages", metavar="JSON")
@click.option("--gas", type=click.IntRange(0), default=0, help="Gas limit; 0: none.")
@remote_options
def impersonate(messages: str, gas: int, rpc: str, output: str) -> None:
    """Run messages as their senders, without signatures.

    JSON is a message or a list of them: {"type": "execute", "sender": "msg1…", "contract":
    "msg1…", "msg": {…}} or {"type": "send", "from_address": …, "to_address": …, "amount": "5msg"}.
    """
    found = json_argument(messages, "JSON")
    _done(_control(rpc).impersonate(found if isinstance(found, list) else [found], gas), output)


@control.command()
@click.argument("contract")
@click.argument("msg")
@_KEYRING
@remote_options
def sudo(contract: str, msg: str, keyring: Path, rpc: str, output: str) -> None:
    """Call the `sudo` entry point of CONTRACT."""
    body = json_argument(msg)
    _done(_control(rpc).sudo(address_of(contract, keyring), _object(body, "MSG")), output)


@control.command("set-params")
@click.argument("params", metavar="JSON")
@remote_options
def set_params(params: str, rpc: str, output: str) -> None:
    """Change chain parameters: '{"gas_price": 0}'; `msgchain query params` lists them."""
    changes = _object(json_argument(params, "JSON"), "JSON")
    _done(_control(rpc).set_params(changes), output)


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        fail(f'{what}: expected an object such as {{"name": "value"}}')
    return value


@control.command()
@click.argument("file", type=_FILE)
@remote_options
def dump(file: Path, rpc: str, output: str) -> None:
    """Write the whole chain with its clock and log to FILE, for `load` anywhere."""
    partial = file.with_name(file.name + ".part")
    size = 0
    try:
        with partial.open("wb") as target:
            for piece in _control(rpc).dump():
                size += target.write(piece)
        partial.replace(file)
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}")
    finally:
        partial.unlink(missing_ok=True)
    show_fields({"file": str(file), "bytes": size}, output)


@control.command()
@click.argument("file", type=_FILE)
@remote_options
def load(file: Path, rpc: str, output: str) -> None:
    """Put the dump of FILE in place of the running chain, which is lost."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}; `msgchain control dump FILE` makes one")
    found = _control(rpc).load(raw)
    show_fields({name: found[name] for name in ("chain_id", "height", "app_hash")}, output)


@control.command()
@click.argument("hash_", metavar="HASH")
@remote_options
def trace(hash_: str, rpc: str, output: str) -> None:
    """What a committed transaction did: call tree with gas, storage and events."""
    found = _control(rpc).trace(checked_hash(hash_))
    if output == "json":
        show_json(found)
        return
    names = {devnet.dev_contract(name): name for name in devnet.CONTRACTS}
    import_module("chain.cli.trace_view").show_trace(found, names)
