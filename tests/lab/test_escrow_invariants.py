"""The invariant test of the README: a contract author's view of escrow_v1."""

from readme_law import README, readme_text

exec(compile(readme_text(), str(README), "exec"), globals())  # makes TestEscrow


def test_it_has_fewer_than_fifteen_lines() -> None:
    assert len([line for line in readme_text().splitlines() if line.strip()]) < 15
