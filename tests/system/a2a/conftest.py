"""What the tests of the A2A door share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from a2a_raw import RawWorld


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RawWorld]:
    """A devnet's door that is spoken to without an SDK."""
    made = RawWorld(tmp_path_factory.mktemp("door"))
    yield made
    made.close()
