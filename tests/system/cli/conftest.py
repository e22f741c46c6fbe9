"""One devnet for the tests of the command line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cli_process import Cli
from devnet_process import Devnet


@pytest.fixture(scope="session")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    home = tmp_path_factory.mktemp("cli")
    devnet = Devnet(home / "home", "--block-time", "instant")
    yield Cli(devnet.url, home)
    devnet.stop()
