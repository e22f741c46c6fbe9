"""A devnet that the tests of a module share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from devnet_process import Devnet


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devnet]:
    made = Devnet(tmp_path_factory.mktemp("net") / "home", "--block-time", "300ms")
    yield made
    assert made.stop() == 0
    assert "Traceback" not in made.errors, made.errors
