"""``msgchain tx``: sign and send transactions, and wait until they are in a block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, TypeVar

import click
import msgspec

from chain.cli.names import address_of, key_options, signer
from chain.cli.output import fail
from chain.cli.remote import (
    end_of_waiting,
    json_argument,
    reach,
    remote_options,
    show_fields,
)
from chain.cli.tx_result import outcome_fields
from chain.client.rpc import RpcClient
from chain.client.transport import TxFailed
from chain.client.wallet import GAS_MARGIN_PERCENT, Wallet
from chain.tx import messages as m
from chain.tx.builder import coins
from chain.tx.plain import PlainError, from_plain, to_plain

F = TypeVar("F", bound=Callable[..., Any])
#: makes the messages of a sender
Build = Callable[[str], Sequence[m.Msg]]


class Gas(click.ParamType):  # type: ignore[type-arg]
    """``auto`` or a limit."""

    name = "auto|LIMIT"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """A limit, 0 for auto."""
        if value in ("auto", 0):
            return 0
        if not str(value).isdigit() or not 0 < int(value) < 1 << 63:
            self.fail(f"{value!r} is neither auto nor a gas limit such as 200000", param, ctx)
        return int(value)


def signing(command: F) -> F:
    """Options of every command that sends a transaction."""
    for option in (
        click.option(
            "--from",
            "sender",
            required=True,
            help="Key that signs: of the keystore, or of a devnet account (alice, wallet0, …).",
        ),
        click.option(
            "--gas",
            type=Gas(),
            default="auto",
            show_default=True,
            help="Gas limit; auto: what a simulation needs, and 30 % more.",
        ),
        click.option("--memo", default="", help="Text that travels with the transaction."),
        click.option(
            "--timeout-height",
            type=click.IntRange(0),
            default=0,
            help="Height after which it is not taken any more.",
        ),
        click.option("--dry-run", is_flag=True, help="Say what it would cost; send nothing."),
        click.option("--no-wait", is_flag=True, help="Do not wait for the block."),
        click.option(
            "--wait-seconds",
            type=click.FloatRange(0.1),
            default=60.0,
            show_default=True,
            help="How long to wait for the block.",
        ),
        key_options,
    ):
        command = option(command)
    return remote_options(command)


def submit(build: Build, **shared: Any) -> None:
    """Build, estimate, sign, send, wait and show; the other options are those of ``signing``."""
    client = reach(shared["rpc"], timeout=shared["wait_seconds"])
    key = signer(
        shared["sender"], shared["keyring"], shared["password_file"], watch=shared["dry_run"]
    )
    wallet = Wallet(key, client)
    messages = list(build(wallet.address))
    if shared["dry_run"]:
        _dry_run(client, wallet, messages, **shared)
        return
    try:
        _send(client, wallet, messages, **shared)
    finally:
        end_of_waiting()


def _dry_run(client: RpcClient, wallet: Wallet, messages: Sequence[m.Msg], **shared: Any) -> None:
    estimated = wallet.estimate(messages, memo=shared["memo"])
    used = estimated * 100 // GAS_MARGIN_PERCENT
    limit = shared["gas"] or estimated
    price = client.gas_price
    show_fields(
        {
            "dry_run": True,
            "from": wallet.address,
            "gas_estimated": used,
            "gas_limit": limit,
            "gas_price": f"{price}amsg",
            "fee_estimated": f"{used * price}amsg",
            "fee_ceiling": f"{limit * price}amsg",
            "messages": [to_plain(one) for one in messages],
        },
        shared["output"],
    )


def _send(client: RpcClient, wallet: Wallet, messages: Sequence[m.Msg], **shared: Any) -> None:
    limit = shared["gas"] or wallet.estimate(messages, memo=shared["memo"])
    raw = wallet.sign(messages, limit, memo=shared["memo"], timeout_height=shared["timeout_height"])
    if shared["no_wait"]:
        accepted = client.broadcast_sync(raw)
        show_fields({"hash": accepted.hash, "gas_limit": limit}, shared["output"])
        return
    outcome = client.broadcast(raw)
    end_of_waiting()
    if outcome.code:
        raise TxFailed(outcome)
    show_fields(outcome_fields(outcome, client.gas_price), shared["output"])


def _coins(text: str, what: str) -> m.Coins:
    try:
        found = coins(text)
    except ValueError:
        found = ()
    if not found:
        fail(f"{what} {text!r} is no amount; write for example 5msg, or 5umsg,2utok")
    return found


def _funds(text: str) -> m.Coins:
    return _coins(text, "--funds") if text else ()


def _json_bytes(text: str) -> bytes:
    return msgspec.json.encode(json_argument(text))


@click.group()
def tx() -> None:
    """Sign and send transactions.

    Addresses may be names: of a key, or of a devnet's account or contract (alice, token_v1). MSG
    is JSON, @FILE, or - for standard input. Exit codes: 1 refused, 3 no node, 4 failed in its
    block, 5 not in a block in time.
    """


@tx.command()
@click.argument("to")
@click.argument("amount")
@signing
def send(to: str, amount: str, **shared: Any) -> None:
    """Send AMOUNT (5msg, 1000umsg) TO an address."""
    recipient, sent = address_of(to, shared["keyring"]), _coins(amount, "AMOUNT")
    submit(lambda sender: [m.MsgSend(sender, recipient, sent)], **shared)


@tx.command("multi-send")
@click.argument("payments", nargs=-1, required=True, metavar="TO=AMOUNT…")
@signing
def multi_send(payments: tuple[str, ...], **shared: Any) -> None:
    """Send to several addresses at once: alice=5msg bob=2msg."""
    outputs = []
    total: dict[str, int] = {}
    for payment in payments:
        to, equals, amount = payment.partition("=")
        if not equals:
            fail(f"{payment!r}: write TO=AMOUNT, such as bob=5msg")
        sent = _coins(amount, "AMOUNT")
        outputs.append(m.Transfer(address_of(to, shared["keyring"]), sent))
        for coin in sent:
            total[coin.denom] = total.get(coin.denom, 0) + coin.amount
    paid = tuple(m.Coin(denom, m.Amount(total[denom])) for denom in sorted(total))
    submit(lambda sender: [m.MsgMultiSend((m.Transfer(sender, paid),), tuple(outputs))], **shared)


@tx.command()
@click.argument("contract")
@click.option("--allow", multiple=True, help="Only this address may instantiate it. Repeatable.")
@signing
def store(contract: str, allow: tuple[str, ...], **shared: Any) -> None:
    """Register CONTRACT: a name of the repository, a contract's folder, or a line
    msgchain:<name>@<sha256>. The node must know it."""
    line = _line(contract)
    access = None
    if allow:
        found = tuple(address_of(one, shared["keyring"]) for one in allow)
        access = m.AccessConfig(4, found)
    submit(lambda sender: [m.MsgStoreCode(sender, line.encode(), access)], **shared)


def _line(contract: str) -> str:
    if contract.startswith("msgchain:"):
        return contract
    made: str = import_module("chain.cli.contracts").line_of_contract(contract)
    return made


_LABEL: Final = click.option("--label", required=True, help="Name of the instance, for people.")
_ADMIN: Final = click.option("--admin", default="", help="Who may migrate it; nobody by default.")
_FUNDS: Final = click.option("--funds", default="", help="Coins for the contract, such as 5msg.")


@tx.command()
@click.argument("code_id", type=click.IntRange(1))
@click.argument("msg")
@_LABEL
@_ADMIN
@_FUNDS
@signing
def instantiate(code_id: int, msg: str, label: str, admin: str, funds: str, **shared: Any) -> None:
    """Make a contract of CODE_ID with the message MSG."""
    owner = address_of(admin, shared["keyring"]) if admin else ""
    body, attached = _json_bytes(msg), _funds(funds)
    submit(
        lambda sender: [m.MsgInstantiateContract(sender, owner, code_id, label, body, attached)],
        **shared,
    )


@tx.command()
@click.argument("code_id", type=click.IntRange(1))
@click.argument("msg")
@_LABEL
@_ADMIN
@_FUNDS
@click.option("--salt", required=True, help="Text, or hex after 0x; with it the address is known.")
@click.option("--fix-msg", is_flag=True, help="Let the message count for the address as well.")
@signing
def instantiate2(
    *,
    code_id: int,
    msg: str,
    label: str,
    admin: str,
    funds: str,
    salt: str,
    fix_msg: bool,
    **shared: Any,
) -> None:
    """Make a contract of CODE_ID at an address that follows from code, sender and salt."""
    owner = address_of(admin, shared["keyring"]) if admin else ""
    body, attached = _json_bytes(msg), _funds(funds)
    try:
        salted = bytes.fromhex(salt[2:]) if salt.startswith("0x") else salt.encode()
    except ValueError:
        fail(f"--salt {salt}: after 0x come hex digits, two for each byte")
    submit(
        lambda sender: [
            m.MsgInstantiateContract2(
                sender, owner, code_id, label, body, attached, salted, fix_msg
            )
        ],
        **shared,
    )


@tx.command()
@click.argument("contract")
@click.argument("msg")
@_FUNDS
@signing
def execute(contract: str, msg: str, funds: str, **shared: Any) -> None:
    """Call CONTRACT with the message MSG."""
    address = address_of(contract, shared["keyring"])
    body, attached = _json_bytes(msg), _funds(funds)
    submit(lambda sender: [m.MsgExecuteContract(sender, address, body, attached)], **shared)


@tx.command()
@click.argument("contract")
@click.argument("code_id", type=click.IntRange(1))
@click.argument("msg")
@signing
def migrate(contract: str, code_id: int, msg: str, **shared: Any) -> None:
    """Give CONTRACT the code CODE_ID; its admin may."""
    address, body = address_of(contract, shared["keyring"]), _json_bytes(msg)
    submit(lambda sender: [m.MsgMigrateContract(sender, address, code_id, body)], **shared)


@tx.command("update-admin")
@click.argument("contract")
@click.argument("admin")
@signing
def update_admin(contract: str, admin: str, **shared: Any) -> None:
    """Make ADMIN the admin of CONTRACT."""
    address, owner = (address_of(one, shared["keyring"]) for one in (contract, admin))
    submit(lambda sender: [m.MsgUpdateAdmin(sender, address, owner)], **shared)


@tx.command("clear-admin")
@click.argument("contract")
@signing
def clear_admin(contract: str, **shared: Any) -> None:
    """Leave CONTRACT without an admin for good: nobody can migrate it then."""
    address = address_of(contract, shared["keyring"])
    submit(lambda sender: [m.MsgClearAdmin(sender, address)], **shared)


@tx.command("update-label")
@click.argument("contract")
@click.argument("label")
@signing
def update_label(contract: str, label: str, **shared: Any) -> None:
    """Give CONTRACT another LABEL; its admin may."""
    address = address_of(contract, shared["keyring"])
    submit(lambda sender: [m.MsgUpdateContractLabel(sender, address, label)], **shared)


@tx.command()
@click.argument("to")
@click.argument("amount")
@signing
def mint(to: str, amount: str, **shared: Any) -> None:
    """Create AMOUNT in the account TO; only the governance authority may."""
    recipient, made = address_of(to, shared["keyring"]), _coins(amount, "AMOUNT")
    submit(lambda sender: [m.MsgMint(sender, recipient, made)], **shared)


@tx.command("set-params")
@click.argument("params", metavar="JSON")
@signing
def set_params(params: str, **shared: Any) -> None:
    """Change chain parameters: '{"gas_price": 2000000000}'; only the authority may."""
    changes = json_argument(params, "JSON")
    if not isinstance(changes, dict) or not changes:
        fail('JSON: an object of parameters, such as {"gas_price": 2000000000}')
    frozen = {key: tuple(one) if isinstance(one, list) else one for key, one in changes.items()}
    submit(lambda sender: [m.MsgUpdateParams(sender, frozen)], **shared)


@tx.command()
@click.argument("file", metavar="JSON")
@signing
def messages(file: str, **shared: Any) -> None:
    """Send a list of messages in one transaction; all of them or none take effect.

    Each is an object such as {"type": "send", "to_address": "msg1…", "amount": "5msg"} or
    {"type": "execute", "contract": "msg1…", "msg": {…}, "funds": "5msg"}; who sends is filled in.
    """
    listed = json_argument(file, "JSON")

    def build(sender: str) -> list[m.Msg]:
        return [_message(one, sender) for one in (listed if isinstance(listed, list) else [listed])]

    submit(build, **shared)


_SENDER: Final = {"send": "from_address", "update_params": "authority", "mint": "authority"}


def _message(value: Any, sender: str) -> m.Msg:
    if isinstance(value, dict) and "type" in value:
        value = {_SENDER.get(str(value["type"]), "sender"): sender, **value}
        if value["type"] == "multi_send":
            value.pop("sender", None)
    try:
        found = from_plain(value)
    except PlainError as error:
        raise ValueError(str(error)) from None
    return found
