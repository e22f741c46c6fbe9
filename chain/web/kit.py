"""The pieces that every view is made of. All text passes ``safe`` and is sent as text, never as
HTML.
"""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from nicegui import ui
from nicegui.element import Element

from chain.web.context import AS, Context
from chain.web.source import FAILURES
from chain.web.text import SHOWN_MAX, moment, safe

LOG: Final = logging.getLogger("msgchain.web")
T = TypeVar("T")
STYLE: Final = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
NAVIGATION: Final = (
    ("/", "Agents"),
    ("/messages", "Messages"),
    ("/tasks", "Tasks"),
    ("/blocks", "Explorer"),
    ("/contracts", "Contracts"),
    ("/log", "Log"),
    ("/time", "Time"),
    ("/charts", "Charts"),
)


class Tag(Element):
    """An HTML element with text."""

    def __init__(
        self,
        name: str,
        text: object = "",
        /,
        css: str = "",
        *,
        limit: int = SHOWN_MAX,
        **attrs: Any,
    ) -> None:
        super().__init__(name)
        if text != "":
            self._text = safe(text, limit)
        if css:
            self.classes(css)
        for key, value in attrs.items():
            self.props[key.rstrip("_").replace("_", "-")] = value

    def say(self, text: object) -> None:
        """Other text."""
        self._text = safe(text)
        self.update()


def link(context: Context, text: object, path: str, css: str = "", **query: object) -> Tag:
    """A link to an address of the page."""
    return Tag("a", text, css=css, href=context.href(path, **query))


def heading(text: object, level: int = 2) -> Tag:
    """A heading."""
    return Tag(f"h{level}", text)


def note(text: object, css: str = "quiet") -> Tag:
    """A sentence."""
    return Tag("p", text, css=css)


def alert(text: object) -> Tag:
    """Something went wrong, said at once."""
    return Tag("p", text, css="alert", role="alert")


def badge(text: object, kind: str = "") -> Tag:
    """A state in a word."""
    return Tag("span", text, css=f"badge {kind}".strip())


def person(context: Context, address: str) -> Tag:
    """Who stands behind an address, as a link."""
    return Tag(
        "a",
        context.name(address),
        "who",
        href=context.href(f"/address/{address}"),
        title=safe(address),
    )


def at(nanos: int) -> Tag:
    """A time."""
    return Tag("time", moment(nanos))


def code(text: object, limit: int = SHOWN_MAX) -> Tag:
    """Something exact, such as a hash."""
    return Tag("code", text, limit=limit)


def block_of_text(text: object, label: str, limit: int = SHOWN_MAX) -> Tag:
    """Text of several lines; it scrolls inside where it is long, also by keyboard."""
    return Tag("pre", text, limit=limit, tabindex="0", role="region", aria_label=label)


def facts(pairs: Sequence[tuple[str, object]]) -> None:
    """Names with values; a value may be a function that draws it."""
    with Tag("dl", css="facts"):
        for name, value in pairs:
            with Tag("div"):
                Tag("dt", name)
                with Tag("dd") as slot:
                    if callable(value):
                        value()
                    elif value in (None, ""):
                        slot.say("–")
                    else:
                        slot.say(value)


@contextmanager
def section(title: str, css: str = "") -> Iterator[None]:
    """A part of a page with its heading."""
    with Tag("section", css=f"card {css}".strip(), aria_label=title):
        heading(title)
        yield


@contextmanager
def folded(title: object, css: str = "", *, open_: bool = False) -> Iterator[None]:
    """Something that opens on demand."""
    with Tag("details", css=css) as outer:
        if open_:
            outer.props["open"] = True
        Tag("summary", title)
        yield


@contextmanager
def listing(label: str) -> Iterator[None]:
    """A list of rows."""
    with Tag("ul", css="rows", aria_label=label):
        yield


@contextmanager
def row(css: str = "") -> Iterator[None]:
    """A row of a list; its pieces wrap where the window is narrow."""
    with Tag("li", css=f"item {css}".strip()):
        yield


def more(context: Context, cursor: object, name: str = "after", label: str = "Older") -> None:
    """A link to the next page of a list, where there is one."""
    if cursor in (None, ""):
        return
    kept = {key: value for key, value in context.query.items() if key not in (AS, name)}
    with Tag("nav", css="pager", aria_label=context.t("Pages")):
        link(context, context.t(label), context.path, **{**kept, name: str(cursor)})


def part(context: Context, items: Sequence[T], name: str, size: int) -> Sequence[T]:
    """The items from the place that the address names on, a page of them; draws the links."""
    first = min(context.number(name) or 0, max(len(items) - 1, 0))
    if first > 0:
        more(context, max(first - size, 0) or None, name, "Before")
        if first <= size:
            more(context, "0", name, "Before")
    if first + size < len(items):
        more(context, first + size, name, "More")
    return items[first : first + size]


def search_form(
    context: Context,
    fields: Sequence[tuple[str, str]],
    label: str,
    *,
    path: str = "",
    choices: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Fields that go into the address of the page; Enter sends them."""
    with Tag("form", css="search", action=path or context.path, method="get", role="search",
             aria_label=label):  # fmt: skip
        if context.get(AS):
            Tag("input", type="hidden", name=AS, value=context.get(AS))
        for name, title in fields:
            with Tag("label"):
                Tag("span", title)
                listed = (choices or {}).get(name)
                if listed is None:
                    Tag("input", name=name, value=context.get(name), autocomplete="off")
                else:
                    _choice(context, name, listed)
        Tag("button", context.t("Search"), type="submit")


def _choice(context: Context, name: str, listed: Sequence[str]) -> None:
    with Tag("select", name=name):
        for one in ("", *listed):
            shown = context.t(one) if one else context.t("all")
            option = Tag("option", shown, value=one)
            if one == context.get(name):
                option.props["selected"] = True


# --- the frame of a page ----------------------------------------------------------------------


@contextmanager
def frame(context: Context, title: str) -> Iterator[None]:
    """Header, navigation and main part of a page."""
    client = ui.context.client
    page = copy.copy(client.page)
    page.language = context.html_language  # type: ignore[assignment]
    client.page = page
    ui.page_title(f"{title} · msgchain")
    ui.add_css(STYLE)
    with ui.header(fixed=False, elevated=False).classes("top"):
        Tag("a", context.t("To the content"), css="skip", href="#content")
        Tag("a", "msgchain", css="brand", href=context.href("/"))
        with Tag("nav", aria_label=context.t("Main")):
            for path, name in NAVIGATION:
                shown = link(context, context.t(name), path)
                if path == context.path:
                    shown.props["aria-current"] = "page"
        search_form(
            context, [("q", context.t("Search the chain"))], context.t("Whole chain"),
            path="/search",
        )  # fmt: skip
        _who(context)
    with Tag("div", css="page", id="content", tabindex="-1"):
        heading(title, 1)
        yield


def _who(context: Context) -> None:
    """On whose behalf the window acts, and others to choose."""
    if context.me is None:
        return
    with folded(context.t("Acting as {name}", name=context.me.name), "menu"):
        kept = {key: value for key, value in context.query.items() if key != AS}
        with Tag("ul", aria_label=context.t("Act as")):
            for account in context.accounts:
                with Tag("li"):
                    shown = link(
                        context, account.name, context.path, **{**kept, "as_": account.name}
                    )
                    if account == context.me:
                        shown.props["aria-current"] = "true"


async def guarded(draw: Callable[[Context], Awaitable[None]], context: Context) -> None:
    """Draw a view; what the chain refuses is shown in its place."""
    try:
        await draw(context)
    except FAILURES as error:
        alert(str(error) or type(error).__name__)


# --- what changes with blocks -----------------------------------------------------------------


async def live(context: Context, load: Callable[[], T], draw: Callable[[T], None]) -> T:
    """A part that is drawn again whenever a block changed what ``load`` gives; what it gave first.

    ``load`` runs in a thread. Only one load of a part is under way at a time.
    """
    source = context.source
    first = await source.run(load)
    holder = Tag("div", css="live")
    with holder:
        draw(first)
    shown: list[Any] = [first]
    state = {"busy": False, "again": False}

    async def look() -> None:
        if state["busy"]:
            state["again"] = True
            return
        state["busy"] = True
        try:
            while True:
                state["again"] = False
                await _refresh(context, load, draw, holder, shown)
                if not state["again"]:
                    return
        finally:
            state["busy"] = False

    source.blocks.subscribe(look)
    return first


async def _refresh(
    context: Context, load: Callable[[], T], draw: Callable[[T], None], holder: Tag, shown: list[T]
) -> None:
    try:
        found = await context.source.run(load)
    except FAILURES as error:
        LOG.info("not refreshed: %s", error)
        return
    if found == shown[0] or holder.is_deleted:
        return
    shown[0] = found
    holder.clear()
    with holder:
        draw(found)


# --- doing something ----------------------------------------------------------------------------


class Result:
    """Where a step says what came of it; screen readers say it too."""

    def __init__(self) -> None:
        self._line = Tag("p", css="result", role="status", aria_live="polite")

    def say(self, text: object, *, failed: bool = False) -> None:
        """What came of it."""
        self._line.classes(remove="failed")
        if failed:
            self._line.classes("failed")
        self._line.say(text)


def button(
    context: Context,
    text: str,
    step: Callable[[], Callable[[], object]],
    result: Result,
    *,
    done: Callable[[Any], str] | None = None,
    css: str = "",
) -> Tag:
    """A button that does something on the chain.

    ``step`` reads the fields and gives the call that a thread makes; it may raise ``ValueError``.
    """
    shown = Tag("button", text, css=css, type="button")

    async def click() -> None:
        if shown.props.get("disabled"):
            return
        shown.props["disabled"] = True
        result.say(context.t("Waiting for a block …"))
        try:
            outcome = await context.source.run(step())
        except FAILURES as error:
            result.say(str(error) or type(error).__name__, failed=True)
        except Exception:
            result.say(context.t("This did not work; the log of the node says why"), failed=True)
            raise
        else:
            result.say(done(outcome) if done else _done(context, outcome))
        finally:
            shown.props.pop("disabled", None)
            shown.update()

    shown.on("click", click, [])
    return shown


def _done(context: Context, outcome: Any) -> str:
    height = getattr(outcome, "height", None)
    if height is None:
        return context.t("Done")
    return context.t("Done in block {height}", height=height)


class Field:
    """A field that keeps what is typed into it."""

    def __init__(self, label: str, value: str = "", *, lines: int = 1, hint: str = "") -> None:
        kind = ui.textarea if lines > 1 else ui.input
        self._element = kind(label, value=value).props("outlined dense").classes("field")
        if lines > 1:
            self._element.props["rows"] = lines
        if hint:
            self._element.props["hint"] = safe(hint)

    @property
    def value(self) -> str:
        """What stands in it."""
        return str(self._element.value or "")

    def clear(self) -> None:
        """Empty it."""
        self._element.set_value("")


class Choice:
    """A field with few values; the first is chosen if no other is."""

    def __init__(self, label: str, options: Sequence[tuple[str, str]], value: str = "") -> None:
        chosen = value or (options[0][0] if options else None)
        self._element = (
            ui.select(dict(options), label=label, value=chosen)
            .props("outlined dense options-dense")
            .classes("field")
        )

    @property
    def value(self) -> str:
        """The chosen value."""
        return str(self._element.value or "")


def json_value(text: str) -> Any:
    """The value of JSON that somebody typed. Raises: ValueError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"JSON: {error}") from None
