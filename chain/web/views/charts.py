"""Charts: transactions and gas per block, fees and burn, messages by state.

Bars are elements with a height; a table with the same numbers stands behind each chart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from chain.web import kit
from chain.web.chat import STATUSES
from chain.web.context import Context
from chain.web.history import Sums
from chain.web.source import Account
from chain.web.text import money

_BLOCKS: Final = 60
#: bars that have room for their names below
_NAMED_MAX: Final = 8
Bar = tuple[str, int]


async def show_charts(context: Context) -> None:
    """The last blocks, and the acting account's messages."""
    t, me = context.t, context.me
    await kit.live(
        context,
        lambda: context.history.recent(_BLOCKS),
        lambda found: _show_blocks(context, found),
    )
    if me is not None:
        account = me
        await kit.live(
            context,
            lambda: _states(context, account),
            lambda bars: show_bars(
                context, t("Messages to {name} by state", name=account.name), bars
            ),
        )


def _show_blocks(context: Context, found: Sequence[Sums]) -> None:
    t = context.t

    def bars(value: Callable[[Sums], int]) -> list[Bar]:
        return [(f"#{one.height}", value(one)) for one in found]

    show_bars(context, t("Transactions per block"), bars(lambda one: one.txs))
    show_bars(context, t("Gas per block"), bars(lambda one: one.gas))
    show_bars(context, t("Fees per block"), bars(lambda one: one.fees), money)
    show_bars(context, t("Burned per block"), bars(lambda one: one.burned), money)


def _states(context: Context, me: Account) -> list[Bar]:
    source = context.source
    a2a = source.addresses().a2a
    return [
        (
            context.t(status),
            int(source.ask(a2a, "list_messages", address=me.address, status=status, limit=1)[
                "total"
            ]),
        )
        for status in STATUSES
    ]  # fmt: skip


def show_bars(
    context: Context,
    title: str,
    bars: Sequence[Bar],
    shown: Callable[[int], str] = lambda value: f"{value:,}",
) -> None:
    """One chart."""
    t = context.t
    top = max((value for _, value in bars), default=0)
    total = sum(value for _, value in bars)
    text = t("{title}: {total} in all, at most {top}", title=title, total=shown(total),
             top=shown(top))  # fmt: skip
    with kit.section(title):
        with kit.Tag("div", css="bars", role="img", aria_label=text):
            for name, value in bars:
                share = value * 1_000 // top if top else 0
                with kit.Tag("span", css="slot", title=f"{name}: {shown(value)}"):
                    kit.Tag("span", css="bar").style(f"height:{share // 10}.{share % 10}%")
        if len(bars) <= _NAMED_MAX:
            with kit.Tag("div", css="names", aria_hidden="true"):
                for name, _ in bars:
                    kit.Tag("span", name)
        kit.note(text)
        with kit.folded(t("The numbers")), kit.Tag("table"):
            kit.Tag("caption", title)
            with kit.Tag("tbody"):
                for name, value in bars:
                    with kit.Tag("tr"):
                        kit.Tag("th", name, scope="row")
                        kit.Tag("td", shown(value))
