"""A browser and two sites: one with things to look at, an empty one to act on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser import Site, chromium, require


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium."""
    require()
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Any]]:
    """A site whose chain has something in every view, also what tries to be more than text."""
    require()
    from web_world import World

    site = Site(tmp_path_factory.mktemp("shown") / "chain", "--block-time", "instant")
    try:
        world = World(site.devnet.url)
        world.fill()
        world.spoil()
        yield site, world
        world.source.close()
    finally:
        site.stop()


@pytest.fixture
def fresh(tmp_path: Any) -> Iterator[Site]:
    """A site of a chain of its own."""
    require()
    site = Site(tmp_path / "chain", "--block-time", "200ms")
    try:
        yield site
    finally:
        site.stop()
