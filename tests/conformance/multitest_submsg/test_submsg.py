"""Replays 750 random submessage trees that cw-multi-test ran."""

import pytest
from recorded_submsg import TreeWorld, load


@pytest.fixture(scope="session")
def tree_world():
    """Three instances of the contract ``tree``."""
    return TreeWorld()


@pytest.mark.parametrize("case", load()["cases"], ids=lambda case: str(case["i"]))
def test_case(tree_world, case):
    assert tree_world.replay(case) == []
