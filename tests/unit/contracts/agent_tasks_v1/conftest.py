"""One fresh world a test."""

from __future__ import annotations

import pytest
from task_world import TaskWorld


@pytest.fixture
def world() -> TaskWorld:
    """Alice, Bob and the others, with the contracts they need."""
    return TaskWorld()
