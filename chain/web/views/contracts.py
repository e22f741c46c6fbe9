"""Contracts: codes and instances, one with its schema, its state with proofs, and forms."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from chain.app import keys
from chain.client import rpc_queries as queries
from chain.client.rpc import RpcFailed
from chain.client.rpc_types import CodeInfo, ContractInfo
from chain.client.transport import Outcome, QueryRefused
from chain.crypto.addresses import AddressError, validate
from chain.store.ics23 import verify_membership, verify_non_membership
from chain.web import kit
from chain.web.context import Context
from chain.web.forms import Variant, VariantForm, variants_of
from chain.web.source import Account, code_name
from chain.web.text import bytes_shown, pretty, short

Json = dict[str, Any]
_WASM: Final = "cosmwasm.wasm.v1."
_INSTANCES: Final = 20
_CODES: Final = 20
_ENTRIES: Final = 25


# --- all ------------------------------------------------------------------------------------------


async def show_contracts(context: Context) -> None:
    """Codes with their first instances, a page of them."""
    start = _hex(context.get("after"))

    def load() -> tuple[list[tuple[CodeInfo, list[str]]], str]:
        client = context.source.client
        page = queries.query(
            client.abci, _WASM, "Codes", pagination={"key": start, "limit": _CODES}
        )
        found = []
        for one in page.code_infos:
            found.append((client.code(one.code_id), _instances(context, one.code_id)))
        return found, page.pagination.next_key.hex()

    await kit.live(context, load, lambda found: _show_codes(context, *found))


def _instances(context: Context, code_id: int) -> list[str]:
    page = {"limit": _INSTANCES}
    found = queries.query(
        context.source.client.abci, _WASM, "ContractsByCode", code_id=code_id, pagination=page
    )
    return list(found.contracts)


def _show_codes(context: Context, found: Sequence[tuple[CodeInfo, list[str]]], cursor: str) -> None:
    t = context.t
    with kit.listing(t("Codes")):
        for one, instances in found:
            with kit.row():
                kit.Tag("strong", t("Code {number}", number=one.code_id))
                kit.Tag("span", code_name(one.source) or one.source)
                kit.code(short(one.checksum.hex()))
                for address in instances:
                    kit.link(context, context.name(address), f"/contract/{address}", "action")
    kit.more(context, cursor, label="More")


# --- one ------------------------------------------------------------------------------------------


class Seen(msgspec.Struct, frozen=True):
    """A contract as its page shows it."""

    info: ContractInfo
    source: str
    balances: dict[str, int]


async def show_contract(context: Context) -> None:
    """A contract: its record, its messages as forms, its state."""
    address, source, t = str(context.params["address"]), context.source, context.t

    def load() -> Seen:
        client = source.client
        info = client.contract_info(address)
        return Seen(info, client.code(info.code_id).source, client.balances(address))

    seen = await source.run(load)
    _show_record(context, seen)
    try:
        schema: Json = await source.run(
            lambda: source.client.http.call("msgchain_schema", contract=address)
        )
    except RpcFailed as error:
        kit.note(t("No schema: {why}", why=error))
        schema = {}
    for entry, title in (("execute", t("Send a message")), ("query", t("Ask"))):
        with kit.section(title):
            await _show_forms(context, address, entry, schema.get(entry))
    with kit.section(t("State")):
        await _show_state(context, address)
    with kit.section(t("Schema")), kit.folded(t("JSON Schema")):
        kit.block_of_text(pretty(schema), t("JSON Schema"), 200_000)


def _show_record(context: Context, seen: Seen) -> None:
    t, info = context.t, seen.info
    with kit.section(t("Contract {name}", name=info.label)):
        kit.facts(
            [
                (t("Address"), lambda: kit.code(info.address) and None),
                (t("Code"), f"{info.code_id}, {code_name(seen.source)}"),
                (t("Source"), lambda: kit.code(seen.source) and None),
                (t("Creator"), lambda: kit.person(context, info.creator) and None),
                (
                    t("Admin"),
                    (lambda: kit.person(context, info.admin) and None) if info.admin else "",
                ),
                (t("Balance"), ", ".join(f"{n:,} {d}" for d, n in seen.balances.items())),
            ]
        )


async def _show_forms(context: Context, address: str, entry: str, schema: Any) -> None:
    """One form, of the message that the address of the page names."""
    t, me = context.t, context.me
    listed = variants_of(schema)
    name = context.get(entry)
    with kit.Tag("nav", css="tabs", aria_label=t("Messages")):
        for one in listed:
            kept = {key: context.get(key) for key in ("execute", "query") if key != entry}
            shown = kit.link(context, one.name, context.path, **{**kept, entry: one.name})
            if one.name == name:
                shown.props["aria-current"] = "true"
    chosen = next((one for one in listed if one.name == name), None)
    if chosen is None:
        kit.note(t("Choose a message"))
    elif entry == "query":
        _query_form(context, address, chosen)
    elif me is not None:
        _execute_form(context, me, address, chosen)


def _execute_form(context: Context, me: Account, address: str, variant: Variant) -> None:
    t = context.t
    form = VariantForm(context, variant)
    funds = kit.Field(t("Coins to send along, such as 5msg"))
    result = kit.Result()

    def read() -> Callable[[], Outcome]:
        message, coins = form.message(), funds.value.strip()

        def step() -> Outcome:
            return context.source.actor(me).wallet.execute(address, message, coins)

        return lambda: context.source.act(me, step)

    kit.button(context, t("Send as {name}", name=me.name), read, result, css="primary")


def _query_form(context: Context, address: str, variant: Variant) -> None:
    t = context.t
    form = VariantForm(context, variant)
    result = kit.Result()
    holder = kit.Tag("div")

    def read() -> Callable[[], Any]:
        message = form.message()
        return lambda: context.source.client.smart(address, message)

    def done(answer: Any) -> str:
        holder.clear()
        with holder:
            kit.block_of_text(pretty(answer), t("Answer of the contract"), 200_000)
        return t("Answered")

    kit.button(context, t("Ask the contract"), read, result, done=done, css="primary")
    holder.move(target_index=-1)


# --- state ----------------------------------------------------------------------------------------


async def _show_state(context: Context, address: str) -> None:
    """Entries in key order, a page at a time; one with its proof."""
    t, source = context.t, context.source
    start = _hex(context.get("from"))
    fields: Json = {"address": address, "pagination": {"key": start, "limit": _ENTRIES}}
    found = await source.run(
        lambda: queries.query(source.client.abci, _WASM, "AllContractState", **fields)
    )
    proven = context.get("key")
    if proven:
        await _show_proof(context, address, _hex(proven))
    with kit.listing(t("State")):
        for model in found.models:
            with kit.row("entry"):
                kit.code(bytes_shown(model.key), 120)
                kit.Tag("span", bytes_shown(model.value), "quiet words", limit=160)
                kept = {name: context.get(name) for name in ("from", "execute", "query")}
                shown = kit.link(
                    context, t("Prove"), context.path, "action", **kept, key=model.key.hex()
                )
                shown.props["aria-label"] = t("Prove {name}", name=model.key.hex()[:40])
    if found.pagination.next_key:
        kit.more(context, found.pagination.next_key.hex(), "from", "More")


def _hex(text: str) -> bytes:
    """Bytes of hexadecimal digits. Raises: ValueError."""
    try:
        return bytes.fromhex(text)
    except (ValueError, binascii.Error):
        raise ValueError(f"{text[:40]!r}: not hexadecimal") from None


class Proven(msgspec.Struct, frozen=True):
    """A proof, and whether it holds against the app hash of a header. ``derived``: the entry can be
    made again from others and stands outside of the tree.
    """

    value: bytes | None
    height: int
    header: int
    root: bytes
    proof: bytes
    holds: bool
    derived: bool = False


def prove(context: Context, address: str, key: bytes) -> Proven:
    """Fetch an entry with its proof and check it here. Raises: QueryRefused."""
    client = context.source.client
    try:
        full = keys.CONTRACT_STORAGE + validate(address) + key
    except AddressError as error:
        raise ValueError(str(error)) from None
    answer = client.store("wasm", full.removeprefix(keys.STORES["wasm"]), prove=True)
    header = client.block(answer.height + 1)
    root = header.app_hash
    absent = verify_non_membership(root, full, answer.proof)
    if answer.value is None:
        holds = absent
    else:
        holds = verify_membership(root, full, answer.value, answer.proof)
    derived = absent and answer.value is not None
    return Proven(answer.value, answer.height, header.height, root, answer.proof, holds, derived)


async def _show_proof(context: Context, address: str, key: bytes) -> None:
    t = context.t
    try:
        found = await context.source.run(prove, context, address, key)
    except QueryRefused as error:
        kit.alert(str(error))
        return
    with kit.Tag("section", css="card proof", aria_label=t("Proof")):
        kit.heading(t("Proof"), 3)
        if found.holds:
            kit.badge(t("The proof holds"), "good")
        elif found.derived:
            kit.badge(t("Derived: made from other entries, so the tree does not hold it"), "busy")
        else:
            kit.badge(t("The proof does not hold"), "urgent")
        kit.note(t("Checked here against the app hash in header {height}.", height=found.header))
        kit.facts(
            [
                (t("Key"), lambda: kit.code(bytes_shown(key)) and None),
                (t("State of height"), found.height),
                (t("App hash"), lambda: kit.code(found.root.hex().upper()) and None),
                (t("Proof"), t("{size} bytes", size=f"{len(found.proof):,}")),
            ]
        )
        if found.value is None:
            kit.note(t("There is nothing at this key"))
        else:
            kit.block_of_text(bytes_shown(found.value), t("Value"), 100_000)
        with kit.folded(t("Bytes of the proof")):
            kit.block_of_text(found.proof.hex(), t("Bytes of the proof"), 50_000)
