"""A chain that hostile contracts are let loose on."""

import pytest
from scripted import Scripted


@pytest.fixture(scope="session")
def _base():
    return Scripted()


@pytest.fixture
def world(_base):
    """Every test starts from the same state."""
    mark = _base.chain.snapshot()
    yield _base
    _base.chain.revert(mark)
