"""``msgchain demo``: two agents negotiate and pay on a fresh chain in this process."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click

from chain.cli.demo_cast import Cast, Keys, cast_of, keys_of
from chain.cli.demo_chain import DemoChain, LocalChain
from chain.cli.demo_remote import RemoteChain
from chain.cli.demo_report import Totals, listed, summary
from chain.cli.demo_story import StoryFailed, money, play
from chain.cli.output import JSON, fail, output_or_json
from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.transport import ChainError, Outcome, TimedOut
from chain.driver.log import files
from chain.driver.log.record import LogError
from chain.store.errors import StoreError
from chain.tx.messages import Msg, MsgExecuteContract
from chain.tx.value import Tx


class Printer:
    """Tells the story on standard output: what somebody did, and below it what was sent for it."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._sent: list[str] = []
        self.gas_price = 0

    def line(self, text: str = "") -> None:
        """One line, at once."""
        if not self.quiet:
            click.echo(text)

    def act(self, title: str) -> None:
        """A new part begins."""
        self.line(f"\n=== {title} ===\n")

    def say(self, who: str, text: str) -> None:
        """Somebody did or learned something."""
        self.line(f"[{who}] {text}")
        for sent in self._sent:
            self.line(sent)
        self._sent.clear()

    def watch(self, tx: Tx, outcome: Outcome) -> None:
        """A transaction is in a block."""
        calls = " + ".join(_verb(message) for message in tx.messages)
        fee = money(outcome.gas_used * self.gas_price)
        self._sent.append(
            f"         block {outcome.height}: {calls}, gas {outcome.gas_used:,}, fee {fee}"
        )


def _verb(message: Msg) -> str:
    if isinstance(message, MsgExecuteContract):
        return str(next(iter(json.loads(message.msg))))
    return type(message).__name__


@click.command()
@click.option("--seed", default=1, show_default=True, help="Other seeds give other keys.")
@output_or_json
@click.option(
    "--log",
    "log_file",
    type=click.Path(path_type=Path),
    help="Write the event log: JSON Lines, or MessagePack where the name ends in .msgpack.",
)
@click.option(
    "--home",
    type=click.Path(path_type=Path),
    help="Keep the chain in this folder, which must be new; default is a temporary one.",
)
@click.option(
    "--rpc",
    metavar="URL",
    help="Play on this node instead, of a devnet or a testnet, which has the demo once.",
)
def demo(seed: int, output: str, log_file: Path | None, home: Path | None, rpc: str | None) -> None:
    """Play two agents that find each other, negotiate, work and pay, on a fresh chain.

    The clock is simulated and every key follows from the seed, so that a seed gives one app hash.
    """
    as_json = output == JSON
    if log_file is not None:
        _check_place(log_file)
    if rpc is not None:
        if home is not None:
            fail("--home is for a chain in this process; with --rpc the node keeps the chain")
        printer, keys = Printer(quiet=as_json), keys_of(seed)
        _play(printer, keys, seed, log_file, _remote(rpc, printer, keys))
        return
    if home is not None:
        if home.exists() and (not home.is_dir() or any(home.iterdir())):
            fail(f"{home} is not empty; give a folder that does not exist yet")
        _run(seed, as_json, log_file, home)
        return
    with tempfile.TemporaryDirectory(prefix="msgchain-demo-") as folder:
        _run(seed, as_json, log_file, Path(folder) / "chain")


def _check_place(path: Path) -> None:
    """Say before the play that the log cannot be written after it."""
    if path.is_dir():
        fail(f"{path} is a folder; name a file such as {path / 'demo.jsonl'}")
    if not path.absolute().parent.is_dir():
        fail(f"{path}: there is no folder {path.absolute().parent}; make it first")
    probe = path.with_name(path.name + ".part")
    try:
        probe.open("ab").close()
        probe.unlink()
    except OSError as error:
        fail(f"{path}: cannot be written: {error.strerror}; name a file elsewhere")


def _run(seed: int, as_json: bool, log_file: Path | None, home: Path) -> None:
    printer = Printer(quiet=as_json)
    keys = keys_of(seed)
    try:
        chain = LocalChain(home, keys.accounts(), printer.watch)
    except (StoreError, OSError) as error:
        fail(f"{home}: the chain cannot be kept there: {error}")
    _play(printer, keys, seed, log_file, chain)


def _remote(rpc: str, printer: Printer, keys: Keys) -> DemoChain:
    try:
        chain = RemoteChain(rpc, printer.watch)
    except (Unreachable, RpcFailed, ValueError) as error:
        fail(f"no node to play on: {error}")
    try:
        chain.fund(keys.accounts())
    except (Unreachable, RpcFailed, ChainError, TimedOut) as error:
        chain.close()
        fail(f"the players cannot be paid: {error}")
    return chain


def _play(printer: Printer, keys: Keys, seed: int, log_file: Path | None, chain: DemoChain) -> None:
    try:
        cast = cast_of(keys, chain)
        printer.gas_price = chain.gas_price
        _open(printer, chain, cast, seed)
        play(cast, printer)
        if log_file is not None:
            files.write(log_file, chain.log())
        if printer.quiet:
            click.echo(json.dumps(summary(chain), ensure_ascii=False))
        else:
            _close(printer, chain, cast)
            if log_file is not None:
                printer.line(f"Event log: {log_file}; try `msgchain log replay {log_file}`")
    except (StoryFailed, ChainError, TimedOut) as error:
        fail(f"the demo broke off at height {chain.height()}: {error}")
    except LogError as error:
        fail(str(error))
    finally:
        chain.close()


def _open(printer: Printer, chain: DemoChain, cast: Cast, seed: int) -> None:
    printer.line("=== MSG Chain A2A Agent Negotiation Demo ===")
    printer.line(f"\n{chain.chain_id}, {chain.title}; seed {seed}")
    for address, name in cast.names().items():
        printer.line(f"{name:<7}{address}  {money(chain.balance(address))}")


def _close(printer: Printer, chain: DemoChain, cast: Cast) -> None:
    printer.act("What it came to")
    for address, name in cast.names().items():
        printer.line(f"{name:<7}{money(chain.balance(address))}")
    totals = Totals.of(chain.records())
    burned = chain.burned()
    printer.line(
        f"\n{totals.transactions} transactions, gas {totals.gas_used:,}, fees "
        f"{money(totals.fees)}; of them burned {money(burned)}, by which the supply fell"
    )
    printer.line(f"height {chain.height()}, app hash {chain.app_hash().hex()}")
    printer.act("Events of the negotiation (guide 10.4)")
    for line in listed(chain.records()):
        printer.line(line)
