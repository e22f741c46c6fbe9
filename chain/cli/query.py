"""``msgchain query``: what a node knows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from chain.app.records import decode_params
from chain.cli.event_filter import event_filter
from chain.cli.names import DEFAULT_FOLDER, address_of
from chain.cli.output import fail
from chain.cli.remote import (
    json_argument,
    reach,
    remote_options,
    show_fields,
    show_json,
    show_rows,
)
from chain.cli.tx_result import outcome_fields
from chain.client.rpc_queries import tx_hash
from chain.client.rpc_types import FoundTx
from chain.client.transport import QueryRefused
from chain.driver.genesis import format_time
from chain.errors import AppError
from chain.store.ics23 import verify_membership, verify_non_membership
from chain.tx.codec import decode_tx
from chain.tx.plain import to_plain

F = TypeVar("F", bound=Callable[..., Any])
_KEYRING: Final = click.option(
    "--keyring",
    type=click.Path(file_okay=False, path_type=Path),
    default=DEFAULT_FOLDER,
    envvar="MSGCHAIN_KEYS",
    help="Folder of the keys whose names may stand for addresses.",
)
_HEIGHT: Final = click.option("--height", type=click.IntRange(0), default=0, help="An older one.")
_HASH_HEX: Final = 64
_STORES: Final = {"acc": b"a", "bank": b"b", "wasm": b"w", "msg": b"m"}


def _named(command: F) -> F:
    return _KEYRING(remote_options(command))


@click.group()
def query() -> None:
    """Ask a node. Addresses may be names: of a key, or of a devnet's account or contract."""


# --- accounts and coins ---------------------------------------------------------------------------


@query.command()
@click.argument("address")
@_named
def account(address: str, keyring: Path, rpc: str, output: str) -> None:
    """Number, sequence and balances of an account."""
    client, found = reach(rpc), address_of(address, keyring)
    known = client.account(found)
    if known is None:
        raise QueryRefused("sdk", 9, f"account {found} not found")
    show_fields(
        {
            "address": known.address,
            "number": known.number,
            "sequence": known.sequence,
            "key_known": known.has_key,
            "balances": {denom: str(one) for denom, one in client.balances(found).items()},
        },
        output,
    )


@query.command()
@click.argument("address")
@click.argument("denom", default="amsg")
@_named
def balance(address: str, denom: str, keyring: Path, rpc: str, output: str) -> None:
    """How much ADDRESS has of DENOM (amsg, umsg, msg; units are rounded down)."""
    amount = reach(rpc).balance(address_of(address, keyring), denom)
    if output == "json":
        show_json({"denom": denom, "amount": str(amount)})
    else:
        click.echo(f"{amount}{denom}")


@query.command()
@click.argument("address")
@_named
def balances(address: str, keyring: Path, rpc: str, output: str) -> None:
    """All balances of ADDRESS."""
    found = reach(rpc).balances(address_of(address, keyring))
    show_rows(_coins(found), output, "nothing")


@query.command()
@remote_options
def supply(rpc: str, output: str) -> None:
    """How much exists of each denomination."""
    show_rows(_coins(reach(rpc).supply()), output, "nothing")


def _coins(found: dict[str, int]) -> list[dict[str, str]]:
    return [{"denom": denom, "amount": str(one)} for denom, one in found.items()]


# --- contracts ------------------------------------------------------------------------------------


@query.command()
@click.argument("address")
@_named
def contract(address: str, keyring: Path, rpc: str, output: str) -> None:
    """Code, creator, admin, label and code history of a contract."""
    client, found = reach(rpc), address_of(address, keyring)
    info = client.contract_info(found)
    fields = {name: getattr(info, name) for name in info.__struct_fields__}
    fields["history"] = [
        {"operation": one.operation, "code_id": one.code_id, "height": one.height}
        for one in client.contract_history(found)
    ]
    show_fields(fields, output)


@query.command()
@click.argument("address")
@click.argument("msg")
@_HEIGHT
@_named
def smart(*, address: str, msg: str, height: int, keyring: Path, rpc: str, output: str) -> None:
    """Ask the contract ADDRESS the question MSG (JSON, @FILE or -)."""
    question = json_argument(msg)
    if not isinstance(question, dict):
        fail("MSG: a question is an object such as '{\"get_config\": {}}'")
    show_json(reach(rpc).smart_at(address_of(address, keyring), question, height))


@query.command()
@click.argument("address")
@click.argument("key")
@_named
def raw(address: str, key: str, keyring: Path, rpc: str, output: str) -> None:
    """A raw value of a contract's storage; KEY is text, or hex after 0x."""
    found = reach(rpc).raw(address_of(address, keyring), _key(key))
    if output == "json":
        show_json({"key": _key(key).hex(), "value": None if found is None else found.hex()})
    else:
        click.echo("nothing there" if found is None else found.hex())


@query.command("contract-state")
@click.argument("address")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
@_named
def contract_state(address: str, limit: int, keyring: Path, rpc: str, output: str) -> None:
    """The storage of a contract, in hex, from the first key on."""
    found = reach(rpc).contract_state(address_of(address, keyring), limit)
    rows = [{"key": key.hex(), "value": value.hex()} for key, value in found]
    show_rows(rows, output, "the contract stores nothing")


@query.command()
@click.option("--code", "code_id", type=click.IntRange(1), help="Only instances of this code.")
@click.option("--creator", help="Only those that this account made.")
@_named
def contracts(
    code_id: int | None, creator: str | None, keyring: Path, rpc: str, output: str
) -> None:
    """The contracts of the chain."""
    client = reach(rpc)
    if creator is not None:
        found = client.contracts_by_creator(address_of(creator, keyring))
    else:
        wanted = [one.code_id for one in client.codes()] if code_id is None else [code_id]
        found = [address for one in wanted for address in client.contracts_by_code(one)]
    rows = []
    for address in found:
        info = client.contract_info(address)
        if code_id in (None, info.code_id):
            rows.append({"code": info.code_id, "label": info.label, "address": address})
    show_rows(rows, output, "no contracts; `msgchain tx instantiate` makes one")


@query.command()
@click.argument("code_id", type=click.IntRange(1))
@remote_options
def code(code_id: int, rpc: str, output: str) -> None:
    """A code: its source line, checksum and who may instantiate it."""
    found = reach(rpc).code(code_id)
    show_fields(
        {
            "code_id": found.code_id,
            "source": found.source,
            "checksum": found.checksum.hex(),
            "creator": found.creator,
            "instantiable_by": found.permission,
        },
        output,
    )


@query.command()
@remote_options
def codes(rpc: str, output: str) -> None:
    """The codes of the chain."""
    rows = [
        {
            "id": one.code_id,
            "checksum": one.checksum.hex(),
            "creator": one.creator,
            "instantiable_by": one.permission,
        }
        for one in reach(rpc).codes()
    ]
    show_rows(rows, output, "no codes; `msgchain tx store` registers one")


# --- transactions, blocks, events -----------------------------------------------------------------


@query.command()
@click.argument("hash_", metavar="HASH")
@remote_options
def tx(hash_: str, rpc: str, output: str) -> None:
    """A transaction: its messages, result, events and gas."""
    client = reach(rpc)
    found = client.tx(checked_hash(hash_))
    if found is None:
        fail(f"transaction {hash_} is in no block; it may still wait, or never came")
    show_fields(_tx_fields(found, client.gas_price), output)


def checked_hash(text: str) -> str:
    """The hash of a transaction. Fails for what is none."""
    found = text.removeprefix("0x").upper()
    if len(found) != _HASH_HEX or any(digit not in "0123456789ABCDEF" for digit in found):
        fail(f"{text!r} is no hash of a transaction; it has {_HASH_HEX} hex digits")
    return found


def _tx_fields(found: FoundTx, gas_price: int) -> dict[str, Any]:
    fields = outcome_fields(found.outcome, gas_price)
    try:
        decoded = decode_tx(found.raw)
    except AppError as error:
        return {**fields, "messages": f"not decodable: {error.log}"}
    return {
        **fields,
        "form": decoded.form,
        "memo": decoded.memo,
        "signers": [one.address for one in decoded.signers],
        "messages": [to_plain(one) for one in decoded.messages],
    }


@query.command()
@click.argument("query_text", metavar="QUERY")
@click.option("--page", type=click.IntRange(1), default=1, show_default=True)
@click.option("--per-page", type=click.IntRange(1, 100), default=30, show_default=True)
@click.option("--oldest-first", is_flag=True, help="Instead of newest first.")
@remote_options
def txs(
    *, query_text: str, page: int, per_page: int, oldest_first: bool, rpc: str, output: str
) -> None:
    """Transactions by their events: "transfer.recipient = 'msg1…' AND tx.height > 5"."""
    found = reach(rpc).tx_search(
        query_text, page=page, per_page=per_page, newest_first=not oldest_first
    )
    rows = [
        {
            "height": one.outcome.height,
            "hash": one.outcome.hash,
            "code": one.outcome.code,
            "gas_used": one.outcome.gas_used,
            "does": ", ".join(event.get("action", "") for event in _actions(one)),
        }
        for one in found.txs
    ]
    if output == "json":
        show_json({"total": found.total, "txs": rows})
        return
    show_rows(rows, output, "none")
    if found.total > len(rows):
        click.echo(f"{len(rows)} of {found.total}; see --page")


def _actions(found: FoundTx) -> list[dict[str, str]]:
    return [one for one in found.outcome.attributes("message") if "action" in one]


@query.command()
@click.argument("height", type=click.IntRange(1), required=False)
@remote_options
def block(height: int | None, rpc: str, output: str) -> None:
    """A block (default the last): header and transactions."""
    client = reach(rpc)
    found = client.block(height)
    results = client.block_results(found.height)["txs_results"] or []
    fields: dict[str, Any] = {
        "height": found.height,
        "time": found.header["time"],
        "hash": found.hash,
        "proposer": found.proposer,
        "app_hash_before": found.app_hash.hex().upper(),
        "txs": [
            {
                "hash": tx_hash(one),
                "code": result["code"],
                "gas_used": int(result["gas_used"]),
            }
            for one, result in zip(found.txs, results, strict=True)
        ],
    }
    show_fields(fields, output)


@query.command()
@click.option("--type", "kind", help="Only events of this type (wasm- may be left out).")
@click.option("--address", help="An address that must stand in some attribute.")
@click.option("--attribute", "pairs", multiple=True, help="KEY=VALUE that must stand. Repeatable.")
@click.option("--from-height", type=click.IntRange(1), help="Default: the last 20 blocks.")
@click.option("--to-height", type=click.IntRange(1))
@_named
def events(
    *,
    kind: str | None,
    address: str | None,
    pairs: tuple[str, ...],
    from_height: int | None,
    to_height: int | None,
    keyring: Path,
    rpc: str,
    output: str,
) -> None:
    """The events of blocks, filtered. `msgchain log follow` shows those to come."""
    client = reach(rpc)
    wanted = event_filter(kind, pairs, address and address_of(address, keyring))
    last = client.height()
    start = from_height or max(1, last - 19)
    rows = []
    for one in client.events(start - 1):
        if to_height is not None and one.height > to_height:
            break
        if wanted(one.event.type, list(one.event.attributes)):
            rows.append(
                {
                    "height": one.height,
                    "tx": one.tx,
                    "type": one.event.type,
                    "attributes": dict(one.event.attributes),
                }
            )
    show_rows(rows, output, f"none from height {start} on; see --from-height")


# --- the chain ------------------------------------------------------------------------------------


@query.command()
@remote_options
def status(rpc: str, output: str) -> None:
    """Where the node stands."""
    found = reach(rpc).status()
    fields = {name: getattr(found, name) for name in found.__struct_fields__}
    fields |= {
        "time": format_time(found.time),
        "app_hash": found.app_hash.hex().upper(),
        "block_hash": found.block_hash.hex().upper(),
    }
    show_fields(fields, output)


@query.command()
@_HEIGHT
@remote_options
def params(height: int, rpc: str, output: str) -> None:
    """The chain's parameters."""
    found = reach(rpc).store("msg", b"p", height).value
    if found is None:
        fail("the node has no parameters; is it a msgchain node?")
    made = decode_params(found)
    show_fields({name: _plain(getattr(made, name)) for name in made.__struct_fields__}, output)


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


@query.command()
@remote_options
def validators(rpc: str, output: str) -> None:
    """The validators."""
    rows = [
        {"address": one["address"], "power": one["voting_power"], "key": one["pub_key"]["value"]}
        for one in reach(rpc).validators()
    ]
    show_rows(rows, output, "none")


@query.command()
@click.argument("store", type=click.Choice(list(_STORES)))
@click.argument("key")
@_HEIGHT
@remote_options
def proof(store: str, key: str, height: int, rpc: str, output: str) -> None:
    """Prove a raw value of a store, or its absence, and verify that against the header.

    KEY is text, or hex after 0x. Stores: acc, bank, wasm, msg.
    """
    client, name = reach(rpc), _key(key)
    found = client.store(store, name, height, prove=True)
    root = client.block(found.height + 1).app_hash
    full = _STORES[store] + name
    if found.value is None:
        good = verify_non_membership(root, full, found.proof)
    else:
        good = verify_membership(root, full, found.value, found.proof)
    show_fields(
        {
            "store": store,
            "key": name.hex(),
            "value": None if found.value is None else found.value.hex(),
            "height": found.height,
            "root": root.hex().upper(),
            "proof": found.proof.hex(),
            "verified": good,
        },
        output,
    )
    if not good:
        fail("the proof does not lead to the app hash of the header")


def _key(text: str) -> bytes:
    if not text.startswith("0x"):
        return text.encode()
    try:
        return bytes.fromhex(text[2:])
    except ValueError:
        fail(f"KEY {text}: after 0x come hex digits, two for each byte")
