"""What the tests of the A2A door share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from a2a_raw import RawWorld


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawWorld]:
    """A devnet's door that is spoken to without an SDK."""
    made = RawWorld(tmp_path_factory.mktemp("door"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def done(door: RawWorld) -> Any:
    """A task that is over."""
    return door.own.send("hello")


@pytest.fixture(scope="session")
def asking(door: RawWorld) -> Any:
    """A task that waits for input; nobody gives any."""
    return door.own.send("ask")
