"""What a view knows of its visitor: language, address, and on whose behalf they act."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from starlette.requests import Request

from chain.web.history import History
from chain.web.source import FAILURES, Account, Source
from chain.web.text import safe, short
from chain.web.words import CHINESE, ENGLISH, language_of, translate

#: parameter that says on whose behalf a window acts
AS: Final = "as"
_FIRST: Final = "alice"


class Context:
    """One window at one address."""

    def __init__(
        self,
        request: Request,
        source: Source,
        history: History,
        accounts: tuple[Account, ...],
        names: dict[str, str],
    ) -> None:
        self.source = source
        self.history = history
        self.language = language_of(request.headers.get("accept-language", ""))
        self.path = request.url.path
        self.query: Mapping[str, str] = dict(request.query_params)
        self.params: Mapping[str, Any] = dict(request.path_params)
        self.accounts = accounts
        self.names = names
        wanted = self.query.get(AS, _FIRST)
        known = {account.name: account for account in accounts}
        self.me = known.get(wanted) or known.get(_FIRST)

    @classmethod
    async def of(cls, request: Request, source: Source, history: History) -> Context:
        """The context of a request. Raises: Unreachable, RpcFailed, QueryRefused."""
        accounts = await source.run(source.accounts)
        try:
            names = await source.run(source.names)
        except FAILURES:
            names = {account.address: account.name for account in accounts}
        return cls(request, source, history, accounts, names)

    @classmethod
    def without_node(cls, request: Request, source: Source, history: History) -> Context:
        """The context where no node answers."""
        return cls(request, source, history, (), {})

    @property
    def html_language(self) -> str:
        """The language as HTML and the front end name it."""
        return CHINESE if self.language == CHINESE else ENGLISH

    def t(self, text: str, /, **values: object) -> str:
        """A text of the page in the visitor's language; ``{name}`` is filled in."""
        found = translate(text, self.language)
        for name, value in values.items():
            found = found.replace(f"{{{name}}}", str(value))
        return found

    def href(self, path: str, /, **query: object) -> str:
        """An address of the page with on whose behalf the window acts; ``as_`` changes that."""
        acting = query.pop("as_", self.me.name if self.me else "")
        given = {
            name.rstrip("_"): value for name, value in query.items() if value not in (None, "")
        }
        if acting and acting != _FIRST:
            given = {**given, AS: acting}
        safe_path = quote(path, safe="/")
        return f"{safe_path}?{urlencode(given)}" if given else safe_path

    def name(self, address: str) -> str:
        """A known name, else the address with its middle left out."""
        return safe(self.names.get(address) or short(address))

    def get(self, name: str) -> str:
        """A parameter of the address."""
        return self.query.get(name, "").strip()

    def number(self, name: str) -> int | None:
        """A whole number among the parameters."""
        text = self.get(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
