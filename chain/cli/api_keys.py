"""``msgchain api-keys``: who may use the Agent API, and for which agent."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any, Final

import click

from chain.cli.gateway import api_key_options, contracts_of
from chain.cli.names import dev_key, key_options, opened, password, signer
from chain.cli.output import fail, output_option, say
from chain.cli.remote import in_words, show_fields, show_rows
from chain.client import agent_calls as calls
from chain.client.agent_calls import Contracts
from chain.client.control import Control, NotADevnet
from chain.client.keystore import Secret
from chain.client.rpc import RpcClient
from chain.client.wallet import Wallet, execute
from chain.crypto.keys import ML_DSA_87, PrivateKey
from chain.gateway.keys import ApiKey, ApiKeyError, ApiKeys

_FAUCET: Final = "1000msg"
_DEV: Final = "dev:"
_TYPES: Final = {ML_DSA_87: "ML-DSA-87"}


@click.group("api-keys")
def api_keys() -> None:
    """Make, list and revoke keys of the Agent API."""


@api_keys.command()
@click.option("--agent", "agent_id", required=True, metavar="ID", help="The agent it speaks for.")
@click.option(
    "--key",
    "name",
    metavar="NAME",
    help="The agent's key in the keystore, or dev:NAME of a devnet; default: what fits.",
)
@click.option("--no-signing", is_flag=True, help="The agent signs elsewhere.")
@click.option("--join", is_flag=True, help="Register the agent, with a DID document, if need be.")
@click.option("--capability", "capabilities", multiple=True, help="With --join. Repeatable.")
@click.option("--price", type=click.IntRange(0), help="With --join: amsg for a task.")
@api_key_options
@key_options
@output_option
@in_words
def create(
    *,
    agent_id: str,
    name: str | None,
    no_signing: bool,
    join: bool,
    capabilities: tuple[str, ...],
    price: int | None,
    rpc: str,
    api_keys: Path,
    named: tuple[str, ...],
    keyring: Path,
    password_file: Path | None,
    output: str,
) -> None:
    """Make a key for one agent. It is shown once."""
    client, contracts = RpcClient(rpc), contracts_of(named)
    if join:
        name = name or agent_id
        key = _own_key(name, keyring, password_file)
        _join(client, contracts, key, agent_id, capabilities=capabilities, price=price)
    asked = {"get_agent": {"agent_id": agent_id}}
    record = client.smart(contracts.registry, asked)["agent"]
    if record is None or record["status"] == "deregistered":
        fail(f"there is no agent {agent_id}; --join registers it")
    signing = "" if no_signing else _signing(name, record["address"], keyring)
    store = ApiKeys(api_keys.expanduser())
    try:
        token, made = store.create(agent_id, record["address"], signing)
    except ApiKeyError as error:
        fail(str(error))
    shown = {"api_key": token, **_fields(made)}
    show_fields(shown, output)
    if not signing and not no_signing:
        click.echo(
            "the keystore has no key of this agent: it can read, and send what it signed itself",
            err=True,
        )
    click.echo("keep the API key; it is not shown again", err=True)


def _own_key(name: str, keyring: Path, password_file: Path | None) -> PrivateKey:
    """The agent's key, made where there is none."""
    store = opened(keyring)
    if name not in store and dev_key(name) is None:
        store.add(name, Secret.native(), password(password_file, new=True))
        click.echo(f"made the key {name}", err=True)
    return signer(name, keyring, password_file, watch=False)


def _signing(name: str | None, address: str, keyring: Path) -> str:
    """How the gateway finds the agent's key; empty when it is not here."""
    store = opened(keyring)
    if name is not None:
        known = dev_key(name)
        if name in store and not name.startswith(_DEV):
            owner = store.info(name).address
        elif known is not None:
            owner, name = known.pubkey.address(), _DEV + name.removeprefix(_DEV)
        else:
            fail(f"--key {name}: there is no such key; `msgchain keys list` shows them")
        if owner != address:
            fail(f"--key {name} is the key of {owner}; the agent's account is {address}")
        return name
    fits = [one for one in store.names() if store.info(one).address == address]
    return fits[0] if fits else ""


def _join(
    client: RpcClient,
    contracts: Contracts,
    key: PrivateKey,
    agent_id: str,
    *,
    capabilities: tuple[str, ...],
    price: int | None,
) -> None:
    """Fund the account on a devnet, publish its document, register it; what is there stays."""
    address = key.pubkey.address()
    if not client.balance(address):
        try:
            Control(client.http).faucet(address, _FAUCET)
        except NotADevnet:
            fail(f"{address} has no coins to pay fees with; send it some first")
    wanted = []
    asked = {"did_by_address": {"address": address}}
    if client.smart(contracts.did_registry, asked)["did"] is None:
        kind = _TYPES.get(key.pubkey.type, "Secp256k1")
        entry = {
            "id": calls.SIGNING_KEY,
            "type": kind,
            "public_key": calls.binary(key.pubkey.key),
            "relations": ["authentication", "assertionMethod"],
        }
        did = f"did:msg:agent:{agent_id}"
        wanted.append(calls.call(contracts.did_registry, "create_did", did=did, keys=[entry]))
    record = client.smart(contracts.registry, {"get_agent": {"agent_id": agent_id}})["agent"]
    if record is None or record["status"] == "deregistered":
        wanted.append(
            calls.register_agent(contracts, agent_id, capabilities=capabilities, price=price)
        )
    if wanted:
        Wallet(key, client).send([execute(address, one.contract, one.msg) for one in wanted])


@api_keys.command("list")
@api_key_options
@output_option
@in_words
def list_command(*, rpc: str, api_keys: Path, named: tuple[str, ...], output: str) -> None:
    """List the keys; what they are is not kept."""
    store = ApiKeys(api_keys.expanduser())
    rows = [_fields(one) for one in store.all()]
    show_rows(rows, output, f"no API keys in {store.folder}")


@api_keys.command()
@click.argument("key_id", metavar="KEY-ID")
@api_key_options
@output_option
@in_words
def revoke(*, key_id: str, rpc: str, api_keys: Path, named: tuple[str, ...], output: str) -> None:
    """End the key KEY-ID at once and for good."""
    try:
        gone = ApiKeys(api_keys.expanduser()).revoke(key_id)
    except ApiKeyError as error:
        fail(str(error))
    text = f"revoked {gone.id} of {gone.agent_id}"
    say(output, text, revoked=gone.id, agent_id=gone.agent_id)


def _fields(key: ApiKey) -> dict[str, Any]:
    return {
        "key_id": key.id,
        "agent_id": key.agent_id,
        "address": key.address,
        "signs_with": key.signer or "(elsewhere)",
        "created": _time(key.created_at),
        "revoked": _time(key.revoked_at) if key.revoked_at else "",
    }


def _time(seconds: int) -> str:
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
