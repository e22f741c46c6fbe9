"""``msgchain new`` writes a project that passes its own tests outside of the repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from chain.cli.new import new

ROOT = Path(__file__).parents[2]
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
        [sys.executable, "-m", "pytest", "-q", "--invariant-runs=5", "--invariant-report"],
        cwd=root, env=clean, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
    assert "my_box.deposit" in done.stdout


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("json", "installed package"),
        ("chain", "installed package"),
        ("winreg", "installed package"),
        ("click", "installed package"),
        ("class", "a word of Python"),
        ("tests", "a folder of this name"),
        ("msgchain", "depends on"),
        ("Box", "lower-case letters"),
        ("a b", "lower-case letters"),
        ("a.b", "lower-case letters"),
        ("böx", "lower-case letters"),
        ("b\u043ex", "lower-case letters"),
        ("9lives", "lower-case letters"),
        ("my--box", "lower-case letters"),
        ("box-", "lower-case letters"),
        ("box\n", "lower-case letters"),
        ("../x", "lower-case letters"),
        ("/tmp/x", "lower-case letters"),
        ("", "lower-case letters"),
        ("x" * 49, "lower-case letters"),
    ],
)
def test_names_that_would_hide_something_or_are_none_are_refused(
    name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = CliRunner().invoke(new, [name])
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: ")
    assert reason in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["folder", "file", "broken link"])
def test_what_exists_is_left_alone(kind: str, tmp_path: Path) -> None:
    there = tmp_path / "my-box"
    if kind == "folder":
        there.mkdir()
    elif kind == "file":
        there.write_text("mine")
    else:
        there.symlink_to(tmp_path / "nowhere")
    refused = CliRunner().invoke(new, ["my-box", "--into", str(tmp_path)])
    assert refused.exit_code == 1
    assert "exists; choose another name" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["my-box"]


def test_a_folder_that_takes_no_files_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    refused = CliRunner().invoke(new, ["my-box", "--into", "/proc/nowhere"])
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: /proc/nowhere")


def cannot(reason: str) -> NoReturn:
    """Leave a test out; where everything has to be there, it fails."""
    if os.environ.get("MSGCHAIN_CI") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def run(command: list[str], cwd: Path) -> str:
    """Run outside of this environment: none of its variables for Python, pytest and uv."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "PYTHON", "VIRTUAL_ENV", "COV_"))
    }
    done = subprocess.run(
        command, cwd=cwd, env=clean, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_alone_makes_and_tests_a_project(tmp_path: Path) -> None:
    """Nothing of the repository but its wheel, in an environment of its own."""
    uv = shutil.which("uv") or cannot("uv is missing")
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=_only_the_package)
    try:
        run([uv, "build", "--wheel", "--out-dir", str(tmp_path / "wheels"), str(source)], tmp_path)
    except AssertionError as error:
        if "error sending request" not in str(error):
            raise
        cannot("uv reaches no packages")
    [wheel] = (tmp_path / "wheels").glob("*.whl")
    shutil.rmtree(source)
    run([uv, "venv", "--python", sys.executable, str(tmp_path / "venv")], tmp_path)
    python = str(tmp_path / "venv" / "bin" / "python")
    run([uv, "pip", "install", "--python", python, str(wheel), "pytest"], tmp_path)
    run([str(tmp_path / "venv" / "bin" / "msgchain"), "new", "my-box"], tmp_path)
    root = tmp_path / "my-box"
    told = run([python, "-m", "pytest", "--invariant-runs=5", "--invariant-report"], root)
    assert "3 passed" in told
    where = run([python, "-c", "import chain.testing; print(chain.testing.__file__)"], root)
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")


def _only_the_package(folder: str, names: list[str]) -> set[str]:
    """What a wheel is not made of."""
    here = Path(folder)
    if here == ROOT:
        kept = {"benchmarks", "chain", "contracts", "pyproject.toml", "README.md", "LICENSE"}
        return {name for name in names if name not in kept}
    return {name for name in names if name in {"__pycache__", "node_modules"}}
