"""One log, both supported versions of Python: the same hashes (CH-15)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = ("3.11", "3.12")

pytestmark = pytest.mark.long


def other_python(uv: str) -> str:
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    (other,) = (version for version in VERSIONS if version != here)
    found = subprocess.run(
        [uv, "python", "find", "--no-python-downloads", "--system", other],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    if found.returncode == 0:
        return found.stdout.strip()
    managed = sorted(Path.home().glob(f".pyenv/versions/{other}.*/bin/python"))
    if not managed:
        pytest.skip(f"Python {other} is not on this machine; only {here} was tried")
    return str(managed[-1])


def test_a_log_replays_alike_on_the_other_python(tmp_path: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not on this machine, so no second environment can be made")
    python = other_python(uv)
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "chain.cli", "demo", "--json", "--log", str(log)]
    played = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    expected = json.loads(played.stdout)["app_hash"]
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(tmp_path / "venv")}
    environment.pop("VIRTUAL_ENV", None)
    run = [uv, "run", "--no-dev", "--no-python-downloads", "--python", python, "--project"]
    version = subprocess.run(
        [*run, str(ROOT), "python", "-c", "import sys; print(sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    assert version.returncode == 0, version.stderr
    assert version.stdout.strip() != str(sys.version_info[:2])
    for arguments in (["log", "replay", str(log), "--json"], ["demo", "--json"]):
        done = subprocess.run(
            [*run, str(ROOT), "msgchain", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["app_hash"] == expected
