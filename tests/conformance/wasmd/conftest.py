"""The recorded world, set up once a process."""

import pytest
from recorded_wasmd import World


@pytest.fixture(scope="session")
def world():
    """The recorded starting state."""
    return World()
