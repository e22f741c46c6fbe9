"""``msgchain abci`` and ``msgchain testnet``: the App behind CometBFT."""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

import click

from chain import wiring
from chain.abci.handler import Handler
from chain.abci.homes import Home, home_of, load_net, socket_of, write_config, write_net
from chain.abci.server import Server
from chain.abci.supervise import MissingCometBFT, Net, Pair, find_cometbft
from chain.app.application import App
from chain.app.queries.grpc import SERVICES
from chain.cli.output import JSON, fail, output_option, say
from chain.crypto.verify import node_verifier
from chain.driver.genesis import parse_interval
from chain.node import logs
from chain.node.process import tune
from chain.store import LevelBackend, StateStore
from chain.store.errors import StoreError

_FOLDER = click.Path(file_okay=False, path_type=Path)
_KINDS = {"ed25519": "ed25519", "ml-dsa-65": "ml_dsa_65"}
_STATUS_SECONDS = 2.0
_NET = "net.json"


@click.command()
@click.option("--home", type=_FOLDER, required=True, help="Folder of the node; state is in app/.")
@click.option("--address", help="unix://PATH or tcp://HOST:PORT; default unix://HOME/abci.sock.")
@click.option(
    "--log-level",
    type=click.Choice(logs.LEVELS),
    default="info",
    envvar="MSGCHAIN_LOG_LEVEL",
    show_default=True,
    help="debug: every call of CometBFT.",
)
@click.option(
    "--rollback",
    type=click.IntRange(1),
    metavar="N",
    help="Take the App's last N blocks back and end; `cometbft rollback --hard` does the node's.",
)
@click.option(
    "--with-node",
    is_flag=True,
    help="Run CometBFT beside it, restart the pair whatever ends, and say its height.",
)
@output_option
def abci(
    *,
    home: Path,
    address: str | None,
    log_level: str,
    rollback: int | None,
    with_node: bool,
    output: str,
) -> None:
    """Serve the App to CometBFT over the ABCI socket protocol."""
    logs.set_up(log_level, "text")
    home = home.resolve()
    if with_node:
        try:
            _watch([home_of(home)], find_cometbft(), output)
        except MissingCometBFT as error:
            fail(str(error))
        except (OSError, ValueError, KeyError) as error:
            fail(f"{home} is no home of a node: {error}")
        return
    (home / "app").mkdir(parents=True, exist_ok=True)
    try:
        store = StateStore(LevelBackend(home / "app"), keep_heights=wiring.KEEP_HEIGHTS)
    except StoreError as error:
        fail(str(error))
    codes = wiring.known_codes()
    app = App(store, codes, verifier=node_verifier())
    app.queries.services = SERVICES
    if rollback:
        _roll_back(app, rollback, output)
        return
    handler = Handler(app)
    place = address or f"unix://{socket_of(home)}"
    try:
        server = Server(place, handler)
    except (OSError, ValueError) as error:
        fail(f"cannot listen: {error}")
    if output == JSON:
        click.echo(json.dumps({"address": place, "height": app.height}))
    logging.getLogger("msgchain.abci").info("App at height %s, listening", app.height)
    _on_stop(server.close)
    tune()
    server.serve()
    app.verifier.close()
    with handler.quiet():
        store.close()


def _roll_back(app: App, blocks: int, output: str) -> None:
    try:
        for _ in range(blocks):
            app.rollback()
    except StoreError as error:
        fail(f"at height {app.height}: {error}")
    finally:
        app.store.close()
    info = app.info()
    found = info.app_hash.hex()
    text = f"at height {info.last_height}, app hash {found}"
    say(output, text, height=info.last_height, app_hash=found)


def _on_stop(stop: Any) -> None:
    def handle(number: int, frame: object) -> None:
        stop()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handle)


@click.command()
@click.option("--home", type=_FOLDER, required=True, help="Folder of the net, made if absent.")
@click.option("--validators", type=click.IntRange(1, 20), default=4, show_default=True)
@click.option("--full-nodes", type=click.IntRange(0, 20), default=0, show_default=True)
@click.option("--block-time", default="1s", show_default=True, help="CometBFT's timeout_commit.")
@click.option("--chain-id", default="msg-chain-1", show_default=True)
@click.option("--accounts", type=click.IntRange(1, 1000), default=10, show_default=True)
@click.option(
    "--consensus-keys", type=click.Choice(sorted(_KINDS)), default="ed25519", show_default=True
)
@click.option("--reset", is_flag=True, help="Delete the folder first.")
@click.option("--init-only", is_flag=True, help="Write the homes and stop.")
@click.option(
    "--hosts",
    metavar="A,B,…",
    help="A machine for each node: write homes for them, with CometBFT's own ports, and stop.",
)
@output_option
def testnet(
    *,
    home: Path,
    validators: int,
    full_nodes: int,
    block_time: str,
    chain_id: str,
    accounts: int,
    consensus_keys: str,
    reset: bool,
    init_only: bool,
    hosts: str | None,
    output: str,
) -> None:
    """Run the same App behind several CometBFT validators on loopback."""
    home = home.resolve()
    machines = hosts.split(",") if hosts else []
    init_only = init_only or bool(machines)
    if machines and len(machines) != validators + full_nodes:
        fail(f"--hosts names {len(machines)} machines for {validators + full_nodes} nodes")
    try:
        binary = "" if init_only else find_cometbft()
    except MissingCometBFT as error:
        fail(str(error))
    try:
        parse_interval(block_time)
    except ValueError as error:
        fail(f"--block-time: {error}")
    if reset and home.exists():
        _wipe(home)
    if (home / _NET).exists():
        homes = load_net(home)
    else:
        home.mkdir(parents=True, exist_ok=True)
        document = wiring.devnet_genesis(
            chain_id=chain_id, wallets=accounts, validators=0, time=time.time_ns()
        )
        homes = write_net(
            home,
            document,
            validators=validators,
            full_nodes=full_nodes,
            kind=_KINDS[consensus_keys],
            payouts=[wiring.dev_key(f"node{index}").address for index in range(validators)],
            hosts=machines,
        )
    for one in homes:
        write_config(one, homes, block_time=block_time)
    lines = [f"{one.name}  RPC {one.rpc}  home {one.folder}" for one in homes]
    if machines:
        lines.append(
            "copy each home to its machine; run there: msgchain abci --with-node --home HOME"
        )
    nodes = [{"name": one.name, "rpc": one.rpc, "home": str(one.folder)} for one in homes]
    say(output, "\n".join(lines), nodes=nodes)
    if not init_only:
        _watch(homes, binary, output)


def _wipe(home: Path) -> None:
    """Delete a net, and nothing else."""
    if any(home.iterdir()) and not (home / _NET).exists():
        fail(f"--reset: {home} is the folder of no net; delete it yourself, or use another --home")
    shutil.rmtree(home)


def _watch(homes: list[Home], binary: str, output: str) -> None:
    """Run pairs until somebody stops them, with a line of heights every two seconds."""
    net = Net([Pair(one, binary) for one in homes])
    ended = threading.Event()
    _on_stop(ended.set)
    net.start()
    if output != JSON:
        click.echo("press Ctrl-C to stop")
    before: dict[str, int | None] = {}
    while not ended.wait(_STATUS_SECONDS):
        now = net.heights()
        parts = []
        for name, height in now.items():
            moved = height is not None and height > (before.get(name) or 0)
            parts.append(
                f"{name} {'-' if height is None else height}{'' if moved else ' (stands)'}"
            )
        before = now
        say(output, "  ".join(parts), heights=now)
    net.stop()
    folder = os.path.commonpath([str(one.folder) for one in homes])
    say(output, f"stopped; state is in {folder}", stopped=folder)
