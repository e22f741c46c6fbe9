"""The event log with filters, the controls of a devnet, and charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import msgspec

from chain.block.types import Event
from chain.client.control import NotADevnet
from chain.client.rpc import RpcFailed
from chain.web import kit
from chain.web.context import Context
from chain.web.history import Happened
from chain.web.views.explorer import show_event

Json = dict[str, Any]
_EVENTS: Final = 40
#: of a full block no more than these; its own page has all
_SHOWN: Final = 200
#: blocks that one page looks through
_BLOCKS: Final = 200
#: events that one page looks at: fewer blocks, where they are full
_LOOKED: Final = 20_000
#: in every block of every chain, and nobody asks for them
_DULL: Final = (
    "mint", "burn", "coin_spent", "coin_received", "transfer", "message", "tx", "execute",
    "fee_share", "fee_refund",
)  # fmt: skip


class Logged(msgspec.Struct, frozen=True):
    """A page of the log: events with height and place, and the height to go on below."""

    events: list[tuple[int, int | None, Event]]
    looked_to: int


async def show_log(context: Context) -> None:
    """Events, newest first, by type, address and attribute."""
    t = context.t
    kit.search_form(
        context,
        [
            ("type", t("Event type")),
            ("address", t("Address")),
            ("attribute", t("Attribute, as key=value")),
        ],
        t("Filter events"),
    )
    below = context.number("below")
    wanted = _filter(context)
    await kit.live(
        context,
        lambda: _page(context, below, wanted),
        lambda page: _show_log(context, page),
    )


def _filter(context: Context) -> Callable[[Event], bool]:
    kind, who, pair = context.get("type"), context.get("address"), context.get("attribute")
    address = next((one for one, name in context.names.items() if name == who), who)
    key, _, value = pair.partition("=")

    def wanted(event: Event) -> bool:
        if kind and event.type not in (kind, f"wasm-{kind}"):
            return False
        if not (kind or who or pair) and event.type in _DULL:
            return False
        if address and all(found != address for _, found in event.attributes):
            return False
        return not pair or any(
            name == key and (not value or found == value) for name, found in event.attributes
        )

    return wanted


def _page(context: Context, below: int | None, wanted: Callable[[Event], bool]) -> Logged:
    status = context.source.client.status()
    top = status.height if below is None else min(below, status.height)
    first = max(status.earliest_height, top - _BLOCKS + 1, 1)
    found: list[tuple[int, int | None, Event]] = []
    looked = 0
    for height in range(top, first - 1, -1):
        happened = context.history.at(height)
        looked += happened.size
        found.extend(one for one in _backwards(happened) if wanted(one[2]))
        if len(found) >= _EVENTS or looked >= _LOOKED:
            return Logged(found[:_SHOWN], height)
    return Logged(found[:_SHOWN], first)


def _backwards(happened: Happened) -> Iterator[tuple[int, int | None, Event]]:
    height = happened.height
    for event in reversed(happened.events):
        yield height, None, event
    for index in range(len(happened.tx_events) - 1, -1, -1):
        for event in reversed(happened.tx_events[index]):
            yield height, index, event


def _show_log(context: Context, page: Logged) -> None:
    t = context.t
    if not page.events:
        kit.note(t("No such event in blocks {first} and after", first=page.looked_to))
    with kit.Tag("div", css="log", role="log", aria_label=t("Events")):
        for height, index, event in page.events:
            with kit.Tag("div", css="logged"):
                kit.link(context, f"#{height}", f"/block/{height}", "strong")
                place = t("block") if index is None else t("tx {number}", number=index)
                kit.Tag("span", place, "quiet")
                with kit.Tag("ul", css="rows"):
                    show_event(context, event)
    if page.looked_to > 1:
        kit.more(context, page.looked_to - 1, "below")


# --- time -----------------------------------------------------------------------------------------


async def show_time(context: Context) -> None:
    """The controls of a devnet: clock, blocks, snapshots, coins."""
    t, source = context.t, context.source

    def load() -> Json:
        return source.control.status()

    try:
        await source.run(load)
    except (NotADevnet, RpcFailed) as error:
        kit.note(str(error))
        return
    await kit.live(context, load, lambda status: _show_status(context, status))
    result = kit.Result()
    with kit.section(t("Clock")):
        seconds = kit.Field(t("Advance by, such as 90 or 2h"), "60")
        _control(
            context, t("Advance the clock"), result,
            lambda: lambda: source.control.advance_time(_span(seconds.value)),
        )  # fmt: skip
    with kit.section(t("Blocks")):
        count = kit.Field(t("How many"), "1")
        _control(
            context, t("Mine"), result, lambda: lambda: source.control.mine(_count(count.value))
        )
        pace = kit.Field(t("Pace: 5s, 200ms, instant or manual"), "5s")
        _control(
            context, t("Set pace"), result,
            lambda: lambda: source.control.set_block_time(pace.value.strip()),
        )  # fmt: skip
        _control(context, t("Pause"), result, lambda: source.control.pause)
        _control(context, t("Resume"), result, lambda: source.control.resume)
    with kit.section(t("Snapshots")):
        _control(context, t("Take a snapshot"), result, lambda: source.control.snapshot)
        number = kit.Field(t("Number of the snapshot"), "1")
        _control(
            context, t("Go back"), result,
            lambda: lambda: source.control.revert(_count(number.value)),
        )  # fmt: skip


def _span(text: str) -> int | str:
    wanted = text.strip()
    return int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 12 else wanted


def _count(text: str) -> int:
    wanted = text.strip()
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 7):
        raise ValueError(f"{wanted!r} is no whole number")
    return int(wanted)


def _control(
    context: Context,
    text: str,
    result: kit.Result,
    step: Callable[[], Callable[[], object]],
) -> None:
    def done(outcome: object) -> str:
        height = getattr(outcome, "height", None)
        if isinstance(outcome, int):
            return context.t("{what}: {number}", what=text, number=outcome)
        return context.t("{what}: done", what=text) + (f" (#{height})" if height else "")

    kit.button(context, text, step, result, done=done)


def _show_status(context: Context, status: Json) -> None:
    t = context.t
    with kit.section(t("Now")):
        kit.facts(
            [
                (t("Chain"), status["chain_id"]),
                (t("Height"), status["height"]),
                (t("Block time"), status["block_time"]),
                (t("Pace"), status["pace"]),
                (t("Paused"), t("yes") if status["paused"] else t("no")),
                (t("Waiting transactions"), status["waiting"]),
                (
                    t("Snapshots"),
                    ", ".join(f"{one['id']} (#{one['height']})" for one in status["snapshots"]),
                ),
            ]
        )
