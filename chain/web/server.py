"""The page's web server: NiceGUI on a socket that is listening already."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from collections.abc import AsyncIterator, Callable
from typing import Final

import uvicorn
from fastapi import FastAPI, Request
from nicegui import ui
from starlette.types import ASGIApp, Receive, Scope, Send

from chain import serving
from chain.web import kit
from chain.web.context import Context
from chain.web.history import History
from chain.web.source import FAILURES, Source
from chain.web.views import PAGES, View

#: the page runs scripts of its own server alone, and nobody may frame it
_POLICY: Final = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self' ws: wss:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
#: a node under load may be slow; the visitor sees the browser wait
_PATIENCE_SECONDS: Final = 60


class _Guarded:
    """Headers for every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: dict[str, object]) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                if isinstance(headers, list):
                    headers.append((b"content-security-policy", _POLICY.encode()))
                    headers.append((b"x-content-type-options", b"nosniff"))
            await send(message)

        await self._app(scope, receive, sent)  # type: ignore[arg-type]


def _register(source: Source, history: History, path: str, view: View) -> None:
    """One address of the page."""

    async def show(request: Request) -> None:
        try:
            context = await Context.of(request, source, history)
        except FAILURES as error:
            context = Context.without_node(request, source, history)
            with kit.frame(context, context.t("No node")):
                kit.alert(str(error))
            return
        with kit.frame(context, context.t(view.title)):
            await kit.guarded(view.show, context)

    ui.page(path, response_timeout=_PATIENCE_SECONDS)(show)


def application(url: str) -> FastAPI:
    """The page of a node as an application."""
    source = Source(url)
    history = History(source)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        source.follow(asyncio.get_running_loop())
        yield

    app = FastAPI(lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    for path, view in PAGES.items():
        _register(source, history, path, view)
    ui.run_with(
        app,
        title="msgchain",
        dark=None,
        tailwind=False,
        favicon="✉️",
        language="en-US",
        show_welcome_message=False,
        binding_refresh_interval=None,
    )
    app.add_middleware(_Guarded)
    return app


def _is_news(record: logging.LogRecord) -> bool:
    """Whether the log should have it: not that a visitor asked for what is not there."""
    return not record.getMessage().endswith(" not found")


def serve(listening: socket.socket, url: str, ready: Callable[[], None] | None = None) -> None:
    """Serve the page on a socket until the process ends."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    config = uvicorn.Config(
        application(url),
        http=serving.BoundedProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=serving.IDLE_SECONDS,
        limit_concurrency=serving.CONNECTIONS_MAX,
        ws_max_size=2**20,
    )
    serving.log_news_alone()
    logging.getLogger("nicegui").addFilter(_is_news)
    if ready is not None:
        ready()
    asyncio.run(serving.Server(config).serve([listening]))
