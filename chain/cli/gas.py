"""``msgchain gas``: what things cost, and what a transaction used."""

from __future__ import annotations

from typing import Any, Final

import click

from chain import gas as prices
from chain.cli.output import fail, output_option
from chain.cli.query import checked_hash
from chain.cli.remote import reach, remote_options, show_json, show_rows
from chain.client.control import Control, NotADevnet

#: price, what one unit is, and where the number is from
_TABLE: Final = (
    ("KV_READ", "store read", "sdk"),
    ("KV_READ_BYTE", "byte of a key and value that is read", "sdk"),
    ("KV_WRITE", "store write", "sdk"),
    ("KV_WRITE_BYTE", "byte of a key and value that is written", "sdk"),
    ("KV_DELETE", "store delete", "sdk"),
    ("KV_HAS", "look whether a key is there", "sdk"),
    ("KV_ITER_NEXT", "step of an iterator", "sdk"),
    ("KV_ITER_BYTE", "byte of a key and value that an iterator gives", "sdk"),
    ("INSTANCE", "first call of a code in a transaction", "wasmd"),
    ("INSTANCE_DISCOUNT", "later call of a code, and a reply", "wasmd"),
    ("COMPILE_BYTE", "byte of source at upload", "wasmd"),
    ("EVENT", "custom event", "wasmd"),
    ("EVENT_ATTRIBUTE", "attribute", "wasmd"),
    ("EVENT_BYTE", "byte of attributes beyond the first 100 of a response", "wasmd"),
    ("RESULT_BYTE", "byte of a contract's result", "wasmd"),
    ("HUMANIZE", "address made of bytes by a contract", "wasmd"),
    ("CANONICALIZE", "bytes made of an address by a contract", "wasmd"),
    ("VALIDATE", "address checked by a contract", "wasmd"),
    ("TX_SIZE_BYTE", "byte of a transaction", "sdk"),
    ("SIG_SECP256K1", "secp256k1 signature of a transaction", "sdk"),
    ("SIG_ED25519", "Ed25519 signature of a transaction", "sdk"),
    ("SIG_ML_DSA_87", "ML-DSA-87 signature of a transaction", "ours: as measured"),
    ("VM_SECP256K1", "secp256k1 signature checked by a contract", "wasmd"),
    ("VM_ED25519", "Ed25519 signature checked by a contract", "wasmd"),
    ("VM_ML_DSA_87", "ML-DSA-87 signature checked by a contract", "ours: as measured"),
    ("SMART_QUERY_LIMIT", "limit of a query, unless the parameters say otherwise", "ours"),
)


@click.group()
def gas() -> None:
    """What things cost in gas, and what a transaction used."""


@gas.command("prices")
@output_option
def prices_command(output: str) -> None:
    """The price table: gas for each thing that is charged."""
    rows: list[dict[str, Any]] = [
        {"name": name, "gas": getattr(prices, name), "for": what, "from": source}
        for name, what, source in _TABLE
    ]
    rows.append(
        {
            "name": "STEPS_PER_GAS",
            "gas": f"1/{prices.STEPS_PER_GAS}",
            "for": "compute step of a contract (loop turn, call, size)",
            "from": "ours",
        }
    )
    show_rows(rows, output, "")


@gas.command("tx")
@click.argument("hash_", metavar="HASH")
@remote_options
def tx_command(hash_: str, rpc: str, output: str) -> None:
    """Gas and fee of a transaction; on a devnet also by contract call."""
    client = reach(rpc)
    found = client.tx(checked_hash(hash_))
    if found is None:
        fail(f"transaction {hash_} is in no block; it may still wait, or never came")
    outcome, price = found.outcome, client.gas_price
    try:
        calls = _calls(Control(client.http).trace(outcome.hash)["steps"], 0)
    except NotADevnet:
        calls = []
    value = {
        "hash": outcome.hash,
        "gas_used": outcome.gas_used,
        "gas_wanted": outcome.gas_wanted,
        "gas_price": f"{price}amsg",
        "fee": f"{outcome.gas_used * price}amsg",
    }
    if output == "json":
        show_json({**value, "calls": calls})
        return
    for name, one in value.items():
        click.echo(f"{name.replace('_', ' '):<10}  {one}")
    for call in calls:
        indent = "  " * call["depth"]
        click.echo(f"{call['gas']:>10}  {indent}{call['kind']} {call['contract']}")


def _calls(steps: list[dict[str, Any]], depth: int) -> list[dict[str, Any]]:
    """The calls of a trace, in order, with how deep they are."""
    found: list[dict[str, Any]] = []
    for step in steps:
        if step["step"] == "storage":
            continue
        if step["step"] == "call":
            found.append(
                {name: step[name] for name in ("kind", "contract", "gas", "outcome")}
                | {"depth": depth}
            )
        found += _calls(step["steps"], depth + 1)
    return found
