"""The invariant tests of the README: a contract author's view of escrow_v1 and of token_v1."""

import pytest
from readme_law import README, readme_text

exec(compile(readme_text("TestEscrow"), str(README), "exec"), globals())  # makes TestEscrow
exec(compile(readme_text("TestToken"), str(README), "exec"), globals())  # makes TestToken


@pytest.mark.parametrize("test", ["TestEscrow", "TestToken"])
def test_it_has_fewer_than_fifteen_lines(test: str) -> None:
    assert len([line for line in readme_text(test).splitlines() if line.strip()]) < 15
