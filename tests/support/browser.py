"""A real browser and a devnet with its page, for the tests in ``tests/system/web``."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from devnet_process import START_SECONDS, Devnet

#: what Chromium needs in a container, and what keeps it from looking for its maker
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 390, "height": 844}
#: a first visit starts the page's process
FIRST_MS = 180_000
WAIT_MS = 60_000


def missing() -> str:
    """What the browser tests lack, in words."""
    if shutil.which("chromium") is None:
        return "chromium is not installed (apt-get install chromium)"
    try:
        import nicegui  # noqa: F401
        import playwright  # noqa: F401
    except ImportError as error:
        return f"{error.name} is not installed"
    return ""


def require() -> None:
    """Skip without a browser; on the machine that has to have one, fail."""
    lacking = missing()
    if lacking and os.environ.get("MSGCHAIN_CI") == "1":
        pytest.fail(lacking)
    if lacking:
        pytest.skip(lacking)


def playwright_error() -> type[Exception]:
    """What Playwright raises."""
    from playwright.sync_api import Error

    return Error


@contextmanager
def chromium() -> Iterator[Any]:
    """The system's Chromium under Playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS), timeout=FIRST_MS
        )
        try:
            yield browser
        finally:
            browser.close()


class Site:
    """The page of a devnet."""

    def __init__(self, home: Path, *options: str) -> None:
        self.devnet = Devnet(home, "--ui-port", "0", *options)
        match = re.search(r"page +(http://\S+)", self._said())
        assert match is not None, self.devnet.output
        self.url = match[1]

    def _said(self) -> str:
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and not re.search(r"page +http\S+\n", self.devnet.output):
            time.sleep(0.05)
        return self.devnet.output

    def window(self, browser: Any, path: str = "/", **options: Any) -> Any:
        """A window of its own at an address of the page."""
        context = browser.new_context(**{"locale": "en-US", "viewport": WIDE, **options})
        page = context.new_page()
        page.set_default_timeout(WAIT_MS)
        self.go(page, path)
        return page

    def go(self, page: Any, path: str) -> None:
        """To an address; waits until the window is connected."""
        for last in (False, True):  # a window that lost its connection may be loading itself anew
            try:
                page.goto(self.url + path, timeout=FIRST_MS, wait_until="load")
                break
            except playwright_error() as error:
                if last or "ERR_ABORTED" not in str(error):
                    raise
        page.wait_for_function("window.did_handshake === true", timeout=FIRST_MS)

    def stop(self) -> None:
        """End the devnet and with it the page."""
        self.devnet.stop()
