"""``msgchain new`` writes a project that passes its own tests outside of the repository."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

START = "from chain.cli.main import main; main()"


def msgchain(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", START, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_new_project_passes_its_own_tests(tmp_path: Path) -> None:
    made = msgchain("new", "my-box", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    root = tmp_path / "my-box"
    assert sorted(path.name for path in root.iterdir()) == [
        ".gitignore", "README.md", "my_box", "pyproject.toml", "tests",
    ]  # fmt: skip
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--invariant-runs=15", "--invariant-report"],
        cwd=root, env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert "my_box.deposit" in done.stdout


@pytest.mark.parametrize("name", ["json", "Box", "a b", "chain", "../x"])
def test_names_that_would_hide_something_or_are_none_are_refused(name: str, tmp_path: Path) -> None:
    refused = msgchain("new", name, cwd=tmp_path)
    assert refused.returncode == 1
    assert "error:" in refused.stderr
    assert not list(tmp_path.iterdir())
