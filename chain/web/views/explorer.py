"""The explorer: blocks, transactions with events and gas, accounts, and the search."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from nicegui import ui

from chain.block.types import Event
from chain.client.rpc import RpcClient, RpcFailed
from chain.client.rpc_types import Block, FoundTx
from chain.client.transport import QueryRefused
from chain.errors import AppError
from chain.tx.codec import decode_tx
from chain.tx.plain import to_plain
from chain.web import kit
from chain.web.context import Context
from chain.web.history import Happened, Meta
from chain.web.source import FAILURES
from chain.web.text import money, pretty, short
from chain.web.views.task_parts import show_task
from chain.web.views.trace_parts import show_trace

Json = dict[str, Any]
_PAGE: Final = 10
#: blocks that the first search for an account's transactions goes back, and what each more takes
_REACH: Final = 30
_REACH_TIMES: Final = 8
_TXS: Final = 50
_EVENTS: Final = 100
_HASH: Final = re.compile(r"(?:0[xX])?([0-9a-fA-F]{64})")
_CHANNEL: Final = re.compile(r"ch:.+")


# --- blocks ---------------------------------------------------------------------------------------


async def show_blocks(context: Context) -> None:
    """Blocks, newest first."""
    before = context.number("before")

    def load() -> list[Meta]:
        return context.history.metas(before)

    await kit.live(context, load, lambda metas: _show_blocks(context, metas))


def _show_blocks(context: Context, metas: Sequence[Meta]) -> None:
    t = context.t
    with kit.listing(t("Blocks")):
        for meta in metas:
            with kit.row():
                kit.link(context, f"#{meta.height}", f"/block/{meta.height}", "strong")
                kit.at(meta.time)
                kit.badge(t("Transactions: {count}", count=meta.txs), "busy" if meta.txs else "")
                kit.Tag("span", t("{size} bytes", size=f"{meta.size:,}"), "quiet")
                kit.code(short(meta.hash))
    if metas and metas[-1].height > 1:
        kit.more(context, metas[-1].height - 1, "before")


async def show_block(context: Context) -> None:
    """One block: header, transactions, events, and the split of the fees."""
    text = str(context.params["height"])
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ValueError(context.t("A height is a whole number"))
    height = int(text)

    def load() -> tuple[Block, Happened]:
        return context.history.block(height), context.history.at(height)

    block, happened = await context.source.run(load)
    _show_block(context, block, happened)


def _show_block(context: Context, block: Block, happened: Happened) -> None:
    t = context.t
    with kit.Tag("nav", css="pager", aria_label=t("Pages")):
        if block.height > 1:
            kit.link(context, t("Before"), f"/block/{block.height - 1}")
        kit.link(context, t("After"), f"/block/{block.height + 1}")
    with kit.section(t("Header")):
        kit.facts(
            [
                (t("Height"), block.height),
                (t("Time"), lambda: kit.at(block.time) and None),
                (t("Hash"), lambda: kit.code(block.hash) and None),
                (t("App hash before it"), lambda: kit.code(block.app_hash.hex().upper()) and None),
                (t("Proposer"), lambda: kit.code(block.proposer) and None),
                (t("Gas used"), f"{happened.gas_used:,}"),
            ]
        )
    with kit.section(t("Transactions")):
        if not block.txs:
            kit.note(t("No transactions"))
        shown = kit.part(context, range(len(block.txs)), "tx", _TXS)
        with kit.listing(t("Transactions")):
            for index in shown:
                _tx_row(context, block.txs[index], happened, index)
    _show_split(context, happened)
    with kit.section(t("Events of the block")):
        show_events(context, happened.events)


def _tx_row(context: Context, raw: bytes, happened: Happened, index: int) -> None:
    t = context.t
    digest = hashlib.sha256(raw).hexdigest().upper()
    ok = happened.codes[index] == 0
    with kit.row():
        kit.link(context, short(digest), f"/tx/{digest}", "strong")
        kit.badge(t("ok") if ok else t("failed"), "good" if ok else "urgent")
        kit.Tag("span", t("gas {gas}", gas=f"{happened.gas[index]:,}"), "quiet")
        kit.Tag("span", ", ".join(_what(raw)))


def _show_split(context: Context, happened: Happened) -> None:
    """Where the fees went."""
    t, shares = context.t, happened.shares()
    if not shares:
        return
    with kit.section(t("Split of the fees")):
        kit.facts([(t("All fees"), money(happened.fees))])
        with kit.listing(t("Split of the fees")):
            for share, receiver, amount in shares:
                with kit.row():
                    kit.Tag("strong", t(share))
                    kit.badge(money(amount), "price")
                    if receiver.startswith("msg1"):
                        kit.person(context, receiver)


def _what(raw: bytes) -> list[str]:
    """What the messages of a transaction are, in a word each."""
    try:
        listed = [to_plain(message) for message in decode_tx(raw).messages]
    except (AppError, ValueError):
        return []
    return [_word(one) for one in listed[:5]]


def _word(plain: Json) -> str:
    inner = plain.get("msg")
    if isinstance(inner, dict) and len(inner) == 1:
        return str(next(iter(inner)))
    return str(plain["type"]).rpartition(".")[2]


def show_events(context: Context, events: Sequence[Event]) -> None:
    """Events with their attributes; addresses are links."""
    if not events:
        kit.note(context.t("No events"))
        return
    shown = kit.part(context, events, "event", _EVENTS)
    with kit.listing(context.t("Events")):
        for event in shown:
            show_event(context, event)


def show_event(context: Context, event: Event) -> None:
    """One event."""
    with kit.row("event"):
        kit.Tag("strong", event.type)
        for key, value in event.attributes:
            with kit.Tag("span", css="pair"):
                kit.Tag("span", f"{key}=", "quiet")
                show_value(context, value)


def show_value(context: Context, value: str) -> None:
    """A value, as a link where it names somebody."""
    if value.startswith("msg1") and value.isascii() and value.isalnum():
        kit.person(context, value)
    elif re.fullmatch(r"\d{1,60}amsg", value):
        kit.Tag("span", amounts(value), title=value)
    else:
        kit.Tag("span", value, limit=200)


# --- one transaction ------------------------------------------------------------------------------


async def show_tx(context: Context) -> None:
    """A transaction: result, messages, fee and gas, events, and the tree of its calls."""
    t, source = context.t, context.source
    match = _HASH.fullmatch(str(context.params["hash"]))
    if match is None:
        raise ValueError(t("A hash has 64 hexadecimal digits"))
    found = await source.run(lambda: source.client.tx(match[1]))
    if found is None:
        kit.alert(t("There is no transaction {name} in a block", name=short(match[1])))
        return
    _show_result(context, found)
    _show_body(context, found)
    with kit.section(t("Events")):
        show_events(context, found.outcome.events)
    with kit.section(t("Tree of calls")):
        try:
            trace = await source.run(lambda: source.control.trace(found.outcome.hash))
        except FAILURES as error:  # a node may have no controls, or not that old a state
            kit.note(str(error))
            return
        show_trace(context, trace)


def _show_result(context: Context, found: FoundTx) -> None:
    t, outcome = context.t, found.outcome
    ok = outcome.code == 0
    fee = next(
        (dict(one.attributes).get("fee", "") for one in outcome.events if one.type == "tx"
         and any(key == "fee" for key, _ in one.attributes)), "",
    )  # fmt: skip
    with kit.section(t("Result")):
        kit.badge(t("ok") if ok else t("failed"), "good" if ok else "urgent")
        if not ok:
            kit.Tag("p", outcome.log, "alert", limit=4_000)
        kit.facts(
            [
                (t("Hash"), lambda: kit.code(outcome.hash) and None),
                (
                    t("Block"),
                    lambda: (
                        kit.link(context, f"#{outcome.height}", f"/block/{outcome.height}") and None
                    ),
                ),
                *([] if ok else [(t("Error code"), f"{outcome.codespace}/{outcome.code}")]),
                (t("Gas used"), f"{outcome.gas_used:,}"),
                (t("Gas limit"), f"{outcome.gas_wanted:,}"),
                (t("Fee"), amounts(fee)),
                (t("Size"), t("{size} bytes", size=f"{len(found.raw):,}")),
            ]
        )


def amounts(text: str) -> str:
    """Coins of an event, such as ``5amsg,2utok``, in words."""
    shown = []
    for part in filter(None, text.split(",")):
        match = re.fullmatch(r"(\d{1,80})(.+)", part)
        shown.append(money(int(match[1]), match[2]) if match else part)
    return ", ".join(shown)


def _show_body(context: Context, found: FoundTx) -> None:
    t = context.t
    try:
        tx = decode_tx(found.raw)
    except (AppError, ValueError) as error:
        kit.note(str(error))
        return
    with kit.section(t("Messages")):
        kit.facts(
            [
                (t("Form"), tx.form),
                (t("Signers"), ", ".join(context.name(one.address) for one in tx.signers)),
                (t("Memo"), tx.memo),
            ]
        )
        for message in tx.messages:
            plain = to_plain(message)
            with kit.folded(_word(plain), open_=True):
                kit.block_of_text(pretty(plain), t("Message"), 20_000)


# --- an account -----------------------------------------------------------------------------------


class Stands(msgspec.Struct, frozen=True):
    """How an account stands."""

    balances: dict[str, int]
    number: int | None
    sequence: int | None
    agent: Json | None
    contract: str
    txs: Sequence[FoundTx]
    requested: Sequence[Json]


async def show_address(context: Context) -> None:
    """What an address has, is and did."""
    address = str(context.params["address"])
    with kit.Tag("p", css="line"):
        kit.Tag("strong", context.name(address))
        kit.code(address)
    await kit.live(
        context, lambda: _stands(context, address), lambda found: _show_stands(context, found)
    )


def _stands(context: Context, address: str) -> Stands:
    source = context.source
    client, to = source.client, source.addresses()
    account = client.account(address)
    agent = source.ask(to.registry, "get_agent_by_address", address=address)["agent"]
    try:
        contract = client.contract_info(address).label
    except QueryRefused:
        contract = ""
    return Stands(
        balances=client.balances(address),
        number=account.number if account else None,
        sequence=account.sequence if account else None,
        agent=agent,
        contract=contract,
        txs=last_txs(client, address),
        requested=source.ask(to.tasks, "list_tasks", requester=address, limit=_PAGE)["tasks"],
    )


def last_txs(client: RpcClient, address: str) -> Sequence[FoundTx]:
    """The newest transactions that an address sent.

    A search counts all that it finds, so it goes back a few blocks first, and further only while
    that was not enough: it looks at little more than it shows, however much the address sent.
    """
    quoted = address.replace("'", "")
    top, reach = client.height(), _REACH
    while True:
        low = max(top - reach, 0)
        query = f"message.sender='{quoted}' AND tx.height > {low}"
        try:
            found = client.tx_search(query, per_page=_PAGE, newest_first=True).txs
        except RpcFailed:  # too many to list
            return ()
        if low == 0 or len(found) >= _PAGE:
            return found
        reach *= _REACH_TIMES


def _show_stands(context: Context, found: Stands) -> None:
    t, address = context.t, str(context.params["address"])
    with kit.section(t("Account")):
        kit.facts(
            [
                *[(denom, money(amount, denom)) for denom, amount in found.balances.items()],
                (t("Number"), found.number),
                (t("Sequence"), found.sequence),
            ]
        )
        with kit.Tag("div", css="line"):
            if found.agent:
                name = found.agent["agent_id"]
                kit.link(context, t("Agent {name}", name=name), f"/agent/{name}", "action")
            if found.contract:
                kit.link(context, t("Contract {name}", name=found.contract),
                         f"/contract/{address}", "action")  # fmt: skip
            if context.me is not None and address != context.me.address:
                kit.link(context, t("Write to it"), "/chat", "action", with_=address)
    with kit.section(t("Tasks asked for")):
        if not found.requested:
            kit.note(t("No tasks yet"))
        for one in found.requested:
            show_task(context, one)
        if len(found.requested) >= _PAGE:
            kit.link(context, t("All of them"), "/tasks", "action", requester=address)
    with kit.section(t("Last transactions")):
        if not found.txs:
            kit.note(t("No transactions"))
        with kit.listing(t("Last transactions")):
            for tx in found.txs:
                ok = tx.outcome.code == 0
                with kit.row():
                    kit.link(context, short(tx.outcome.hash), f"/tx/{tx.outcome.hash}", "strong")
                    kit.badge(t("ok") if ok else t("failed"), "good" if ok else "urgent")
                    kit.link(context, f"#{tx.outcome.height}", f"/block/{tx.outcome.height}")
                    kit.Tag("span", ", ".join(_what(tx.raw)))


# --- search ---------------------------------------------------------------------------------------


async def show_search(context: Context) -> None:
    """Goes to what a height, hash, address, message, task, channel or agent id names."""
    wanted = context.get("q")[:300]
    place = await context.source.run(_place_of, context, wanted) if wanted else None
    if place is not None:
        ui.navigate.to(place)
        with kit.Tag("p"):
            kit.Tag("a", context.t("Found"), href=place)
        return
    kit.alert(context.t("Nothing is called {name}", name=wanted))
    kit.note(context.t("Search by height, hash, address, name, message id, task id or agent id."))


def _place_of(context: Context, wanted: str) -> str | None:
    source = context.source
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 19:
        known = 1 <= int(wanted) <= source.client.height()
        return context.href(f"/block/{wanted}") if known else None
    for address, name in context.names.items():
        if wanted == name:
            return context.href(f"/address/{address}")
    match = _HASH.fullmatch(wanted)
    if match is not None:
        return _by_hash(context, match[1])
    if wanted.startswith("msg1"):
        return context.href(f"/address/{wanted}")
    to = source.addresses()
    if _CHANNEL.fullmatch(wanted):
        found = source.ask(to.a2a, "get_channel", channel_id=wanted)["channel"]
        return context.href("/channel", id=wanted) if found else None
    if source.ask(to.a2a, "get_message", msg_id=wanted)["message"]:
        return context.href(f"/message/{wanted}")
    if source.ask(to.tasks, "get_task", task_id=wanted)["task"]:
        return context.href(f"/task/{wanted}")
    if source.ask(to.registry, "get_agent", agent_id=wanted)["agent"]:
        return context.href(f"/agent/{wanted}")
    return None


def _by_hash(context: Context, digits: str) -> str | None:
    client = context.source.client
    if client.tx(digits) is not None:
        return context.href(f"/tx/{digits.upper()}")
    try:
        found = client.http.call("block_by_hash", hash=_base64(digits))
    except RpcFailed:
        return None
    block = found.get("block")
    return context.href(f"/block/{block['header']['height']}") if block else None


def _base64(digits: str) -> str:
    return base64.b64encode(bytes.fromhex(digits)).decode()
