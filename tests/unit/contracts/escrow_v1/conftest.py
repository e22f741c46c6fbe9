"""One fresh world a test."""

from __future__ import annotations

import pytest
from escrow_world import EscrowWorld


@pytest.fixture
def world() -> EscrowWorld:
    """An escrow contract and the people of the cases."""
    return EscrowWorld()
