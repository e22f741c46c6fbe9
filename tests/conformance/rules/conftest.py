"""The small scripted world of the rule tests."""

import pytest
from scripted import Scripted


@pytest.fixture(scope="session")
def _base():
    return Scripted()


@pytest.fixture
def world(_base):
    """Three script contracts and two accounts; every test starts from the same state."""
    mark = _base.chain.snapshot()
    yield _base
    _base.chain.revert(mark)
