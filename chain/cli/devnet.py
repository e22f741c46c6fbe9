"""``msgchain devnet``: a local chain with every contract of the repository."""

from __future__ import annotations

import io
import json
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Any

import click

from chain import wiring
from chain.app.devnet import ACCOUNTS, WALLETS, WORDS
from chain.child import Child
from chain.cli.beside import PLACES, A2aOptions, a2a_given, gateway_options, open_gateway, url_of
from chain.cli.output import JSON, fail, output_option
from chain.cli.page import open_page, page_options
from chain.cli.running import BlockTime, node_options, opened, serve
from chain.driver.codes import KnownCodes
from chain.driver.genesis import Genesis, GenesisFileError, format_time, parse, read_file
from chain.node import logs
from chain.node.home import (
    GENESIS,
    HomeError,
    add_folders,
    open_node,
    recall,
    remember,
    wipe,
    write_genesis,
)
from chain.node.reload import Watcher
from chain.node.service import Options
from chain.store.errors import StoreError, StoreLocked

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_SHOWN_MAX = 20


@click.command()
@click.option(
    "--home",
    type=_FOLDER,
    default=Path(".msgchain/devnet"),
    show_default=True,
    help="Where the chain is kept.",
)
@click.option("--reset", is_flag=True, help="Delete the chain of the folder and begin anew.")
@click.option("--genesis", type=_FILE, help="Begin with this genesis file instead of a made one.")
@click.option(
    "--block-time",
    type=BlockTime(),
    default="5s",
    show_default=True,
    help="Interval of blocks (5s, 200ms), instant (one a transaction), or manual.",
)
@click.option("--chain-id", default=wiring.CHAIN_ID, show_default=True, help="Name of the chain.")
@click.option(
    "--accounts",
    type=click.IntRange(0, 1_000),
    default=WALLETS,
    show_default=True,
    help="Wallet accounts with funds.",
)
@click.option(
    "--validators",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="Validators of a made genesis.",
)
@click.option("--contracts", type=_FOLDER, help="Folder of contract folders to know as well.")
@page_options
@gateway_options
@node_options
@output_option
def devnet(
    *,
    home: Path,
    reset: bool,
    genesis: Path | None,
    block_time: int | str,
    chain_id: str,
    accounts: int,
    validators: int,
    contracts: Path | None,
    output: str,
    **shared: Any,
) -> None:
    """Run a local chain with every contract of the repository, and accounts with known keys."""
    a2a = a2a_given(shared)
    logs.set_up(shared["log_level"], shared["log_format"])
    codes = wiring.known_codes()
    lines = _user_contracts(codes, contracts, home)
    try:
        if genesis is not None:
            read_file(genesis)
        if reset:
            wipe(home)
        kept = (home / GENESIS).exists()
        found = _genesis(home, genesis, chain_id, accounts, validators)
    except StoreLocked as error:
        fail(f"{error}; stop that process, or use another --home")
    except (StoreError, HomeError, GenesisFileError) as error:
        fail(str(error))
    options = Options(
        block_time=block_time,
        moniker=shared["moniker"],
        mempool_txs=shared["mempool_txs"],
        unsafe=shared["rpc_unsafe"],
        devnet=True,
    )
    try:
        node = opened(lambda: open_node(home, found, options, codes=codes))
    except SystemExit:
        if not kept:
            (home / GENESIS).unlink(missing_ok=True)
        raise
    children: list[Child] = []

    def greet(address: str) -> None:
        with redirect_stdout(io.StringIO()) as told:
            places = _open_doors(beside, children, f"http://{address}", home, shared, a2a=a2a)
        if output == JSON:
            shown = _introduction(found, home, block_time, address, lines)
            click.echo(json.dumps(shown | places))
        else:
            _introduce(found, home, block_time, address, lines, accounts=accounts)
        click.echo(told.getvalue(), nl=False, err=output == JSON)

    def end() -> None:
        for child in children:
            child.end_soon()

    with ExitStack() as beside:
        if contracts is not None:
            watcher = Watcher(node, codes, contracts, lines, home)
            watcher.start()
            beside.callback(watcher.stop)
        port, cors = shared["rpc_port"], shared["cors"]
        serve(node, host=shared["host"], port=port, cors=cors, greet=greet, on_end=end)


def _open_doors(
    beside: ExitStack,
    children: list[Child],
    rpc: str,
    home: Path,
    given: dict[str, Any],
    *,
    a2a: A2aOptions,
) -> dict[str, str | None]:
    """Open gateway and page beside a node; says where they are, and gives it by name."""
    host = given["host"]
    places: dict[str, str | None] = dict.fromkeys(PLACES)
    if not given["no_gateway"]:
        gate = beside.enter_context(open_gateway(host, given["gateway_port"], rpc, a2a, home))
        children.append(gate.child)
        places |= gate.places
    if not given["no_ui"]:
        page = beside.enter_context(open_page(host, given["ui_port"], rpc))
        if page is not None:
            children.append(page)
            places["page"] = url_of(host, page.listening)
    return places


def _user_contracts(codes: KnownCodes, folder: Path | None, home: Path) -> dict[str, str]:
    """Know the contracts of a folder, and those that the chain may hold from before."""
    try:
        recall(home, codes)
        if folder is None:
            return {}
        lines = add_folders(codes, folder)
        remember(home, codes, lines.values())
        return lines
    except HomeError as error:
        fail(str(error))


def _genesis(
    home: Path, given: Path | None, chain_id: str, accounts: int, validators: int
) -> Genesis:
    """The genesis of the folder, made where there is none."""
    path = home / GENESIS
    if given is not None:
        found = read_file(given)
        if path.exists() and read_file(path).document != found.document:
            raise HomeError(
                f"{home} holds a chain with another genesis than {given}; "
                "use --reset to begin anew, or another --home"
            )
        if not path.exists():
            write_genesis(home, found.document)
        return found
    if path.exists():
        found = read_file(path)
        if chain_id not in (found.chain_id, wiring.CHAIN_ID):
            raise HomeError(
                f"{home} holds chain {found.chain_id}, not {chain_id}; "
                "use --reset to begin anew, or another --home"
            )
        return found
    document = wiring.devnet_genesis(chain_id=chain_id, wallets=accounts, validators=validators)
    made = parse(document)
    write_genesis(home, document)
    return made


def _introduce(
    genesis: Genesis,
    home: Path,
    block_time: int | str,
    address: str,
    lines: dict[str, str],
    *,
    accounts: int,
) -> None:
    """What a devnet says at its start."""
    pace = block_time if isinstance(block_time, str) else f"every {block_time / 1e9:g} s"
    click.echo(
        f"chain {genesis.chain_id}, blocks {pace}, genesis {format_time(genesis.time)}\n"
        f"kept in {home}\n"
    )
    _show_accounts(genesis, accounts)
    _show_contracts(genesis, lines)
    click.echo(
        f"RPC        http://{address}\n"
        f"WebSocket  ws://{address}/websocket\n"
        f"metrics    http://{address}/metrics"
    )


def _introduction(
    genesis: Genesis, home: Path, pace: int | str, address: str, lines: dict[str, str]
) -> dict[str, Any]:
    """What a devnet says at its start, for machines."""
    has_contracts = bool(genesis.app_state.get("messages"))
    return {
        "chain_id": genesis.chain_id,
        "home": str(home),
        "block_time": pace,
        "rpc": f"http://{address}",
        "websocket": f"ws://{address}/websocket",
        "words": WORDS,
        "accounts": {
            entry["name"]: entry["address"] for entry in _accounts(genesis) if entry.get("name")
        },
        "contracts": wiring.contract_addresses() if has_contracts else {},
        "lines": lines,
    }


def _show_accounts(genesis: Genesis, wallets: int) -> None:
    """Who has funds, and where the keys are."""
    say = click.echo
    named = {entry.get("name", ""): entry["address"] for entry in _accounts(genesis)}
    say("native accounts (ML-DSA-87); keys: chain.wiring.dev_key(NAME)")
    for name in ACCOUNTS:
        if name in named:
            say(f"  {name:<10} {named[name]}")
    shown = [f"wallet{index}" for index in range(wallets) if f"wallet{index}" in named]
    if shown:
        say("wallet accounts (secp256k1), m/44'/118'/0'/0/N of the words")
        say(f"  {WORDS}")
        for name in shown[:_SHOWN_MAX]:
            say(f"  {name:<10} {named[name]}")
        if len(shown) > _SHOWN_MAX:
            say(f"  and {len(shown) - _SHOWN_MAX} more")
    say("these keys are known to everybody: never use them for anything of value\n")


def _show_contracts(genesis: Genesis, lines: dict[str, str]) -> None:
    """Where the contracts are, and what may be stored besides."""
    if genesis.app_state.get("messages"):
        click.echo("contracts")
        for name, contract in wiring.contract_addresses().items():
            click.echo(f"  {name:<24} {contract}")
    if lines:
        click.echo("own contracts, to be stored as")
        for line in lines.values():
            click.echo(f"  {line}")
    click.echo("")


def _accounts(genesis: Genesis) -> list[dict[str, Any]]:
    found = genesis.app_state.get("accounts", [])
    return [entry for entry in found if isinstance(entry, dict) and "address" in entry]
