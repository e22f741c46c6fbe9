"""``msgchain node``: a node for a genesis of one's own."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from chain import wiring
from chain.cli.output import fail, output_option, say
from chain.cli.running import BlockTime, node_options, opened, serve
from chain.crypto.keys import Ed25519Key
from chain.driver.codes import line_of
from chain.driver.genesis import GenesisFileError
from chain.node import logs
from chain.node.home import (
    GENESIS,
    HomeError,
    add_folders,
    open_node,
    read_genesis,
    write_genesis,
    write_keys,
)
from chain.node.service import Options
from contracts.registry import REGISTRY

_FOLDER = click.Path(file_okay=False, path_type=Path)
_HOME = click.option(
    "--home",
    type=_FOLDER,
    default=Path(".msgchain/node"),
    show_default=True,
    help="Folder of the node.",
)


@click.group()
def node() -> None:
    """Set up and run a node with a genesis of your own."""


@node.command()
@_HOME
@click.option("--chain-id", required=True, help="Name of the chain, 1 to 50 bytes.")
@click.option(
    "--validators",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    help="How many validator keys to make.",
)
@click.option(
    "--account",
    "accounts",
    multiple=True,
    metavar="ADDRESS=AMOUNT",
    help="An account and what it owns, such as msg1…=1000msg. Repeatable.",
)
@click.option("--block-time", default="5s", show_default=True, help="Interval of blocks.")
@output_option
def init(
    *,
    home: Path,
    chain_id: str,
    validators: int,
    accounts: tuple[str, ...],
    block_time: str,
    output: str,
) -> None:
    """Write a genesis file and new validator keys into the folder; edit the file, then start."""
    if (home / GENESIS).exists():
        fail(f"{home / GENESIS} exists already; choose another --home or delete it yourself")
    keys = [Ed25519Key(os.urandom(32)) for _ in range(validators)]
    state = {
        "devnet": False,
        "accounts": [_account(text) for text in accounts],
        "messages": [],
    }
    document = wiring.genesis_document(chain_id, time.time_ns(), keys, state, interval=block_time)
    write_genesis(home, document)
    try:
        read_genesis(home)
    except GenesisFileError as error:
        (home / GENESIS).unlink()
        fail(str(error))
    write_keys(home, keys)
    lines = [line_of(contract) for contract in REGISTRY.values()]
    listed = "\n".join(f"  {line}" for line in lines)
    say(
        output,
        f"wrote {home / GENESIS} and the validators' keys\n"
        f"lines that store the contracts of the repository:\n{listed}\n"
        f"start it with: msgchain node start --home {home}",
        home=str(home),
        genesis=str(home / GENESIS),
        chain_id=chain_id,
        lines=lines,
    )


def _account(text: str) -> dict[str, Any]:
    address, equals, amount = text.partition("=")
    digits = amount[: len(amount) - len(amount.lstrip("0123456789"))]
    if not (equals and address and digits and digits != amount):
        fail(f"--account {text}: write ADDRESS=AMOUNT, such as msg1…=1000msg")
    coins = [{"denom": amount[len(digits) :], "amount": digits}]
    return {"address": address, "coins": coins}


@node.command()
@_HOME
@click.option("--block-time", type=BlockTime(), help="Instead of the interval of the genesis.")
@click.option("--contracts", type=_FOLDER, help="Folder of contract folders to know as well.")
@node_options
@output_option
def start(
    *, home: Path, block_time: int | str | None, contracts: Path | None, output: str, **shared: Any
) -> None:
    """Run the node of a folder until it is stopped."""
    logs.set_up(shared["log_level"], shared["log_format"])
    codes = wiring.known_codes()
    try:
        found = read_genesis(home)
        if contracts is not None:
            add_folders(codes, contracts)
    except GenesisFileError as error:
        fail(f"{error}; make one with: msgchain node init --home {home} --chain-id NAME")
    except HomeError as error:
        fail(str(error))
    options = Options(
        block_time=block_time or found.interval,
        moniker=shared["moniker"],
        mempool_txs=shared["mempool_txs"],
        unsafe=shared["rpc_unsafe"],
        devnet=bool(found.app_state.get("devnet")),
    )
    running = opened(lambda: open_node(home, found, options, codes=codes))

    def greet(address: str) -> None:
        rpc, socket = f"http://{address}", f"ws://{address}/websocket"
        say(
            output,
            f"chain {found.chain_id}, kept in {home}\nRPC        {rpc}\nWebSocket  {socket}",
            chain_id=found.chain_id,
            home=str(home),
            rpc=rpc,
            websocket=socket,
        )

    serve(running, host=shared["host"], port=shared["rpc_port"], cors=shared["cors"], greet=greet)
