"""CometBFT's own end-to-end tests, built from its module, for nets that we start ourselves."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from chain.abci.homes import ConsensusKey
from chain.abci.supervise import VERSION

MODULE = "github.com/cometbft/cometbft"
POWER = 10


class Missing(Exception):
    """Go or the module is not there."""


def build(folder: Path) -> tuple[Path, Path]:
    """The tests and their runner, from the module cache or the module proxy. Raises: Missing."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise Missing("CometBFT's end-to-end tests need Go, which is not installed")
    env = {**os.environ, "GOFLAGS": "-mod=mod"}
    (folder / "go.mod").write_text(f"module e2e\n\ngo 1.22\n\nrequire {MODULE} {VERSION}\n")
    tests, runner = folder / "e2e.test", folder / "runner"
    for command in (
        [go, "mod", "download", MODULE],
        [go, "test", "-c", "-o", str(tests), f"{MODULE}/test/e2e/tests"],
        [go, "build", "-o", str(runner), f"{MODULE}/test/e2e/runner"],
    ):
        done = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, timeout=1_200, check=False
        )
        if done.returncode:
            raise Missing(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return tests, runner


class Manifest:
    """The net as CometBFT's tests see it: names, fixed keys, where each node's RPC is."""

    def __init__(self, folder: Path, ports: Mapping[str, int], *, evidence: int = 0) -> None:
        self.folder = folder
        self.file = folder / "net.toml"
        lines = [f"evidence = {evidence}", "[validators]"]
        lines += [f"{name} = {POWER}" for name in ports]
        lines += [f"[node.{name}]" for name in ports]
        self.file.write_text("\n".join(lines) + "\n")
        self.place = folder / "where.json"
        entries = {
            name: {"ip_address": "127.0.0.1", "ext_ip_address": "127.0.0.1", "port": port}
            for name, port in ports.items()
        }
        content = {"provider": "digital-ocean", "instances": entries, "network": "127.0.0.0/8"}
        self.place.write_text(json.dumps(content))

    def run_runner(self, runner: Path, *words: str) -> str:
        """One command of the runner."""
        where = ["--infrastructure-type", "digital-ocean", "--infrastructure-data", str(self.place)]
        done = subprocess.run(
            [runner, "-f", str(self.file), *where, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def keys(self, names: Sequence[str]) -> list[ConsensusKey]:
        """The validators' keys that ``setup`` wrote."""
        found = []
        for name in names:
            path = self.folder / "net" / name / "config" / "priv_validator_key.json"
            entry = json.loads(path.read_text())
            public = base64.b64decode(entry["pub_key"]["value"])
            private = base64.b64decode(entry["priv_key"]["value"])
            found.append(ConsensusKey("ed25519", public, private))
        return found

    def run_tests(self, tests: Path, pattern: str, *, skip: str = "^$") -> str:
        """Run the tests that fit; their output. They fail the calling test."""
        done = subprocess.run(
            [tests, "-test.v", "-test.run", pattern, "-test.skip", skip, "-test.count=1"],
            cwd=self.folder,
            env={
                **os.environ,
                "E2E_MANIFEST": str(self.file),
                "INFRASTRUCTURE_TYPE": "digital-ocean",
                "INFRASTRUCTURE_FILE": str(self.place),
            },
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
        return done.stdout
