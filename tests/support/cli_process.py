"""The command line as its users call it, in this process or in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner
from devnet_process import ROOT

from chain import wiring
from chain.app.devnet import dev_key, dev_wallet
from chain.cli.main import cli as msgchain

ALICE = dev_key("alice").address
BOB = dev_key("bob").address
WALLET1 = dev_wallet(1).pubkey.address()
TOKEN = wiring.dev_contract("token_v1")
START = "from chain.cli.main import main; main()"
PASSWORD = "correct horse"


class Done(NamedTuple):
    """What a command did."""

    returncode: int
    stdout: str
    stderr: str


class Cli:
    """Runs commands against the node: in this process, which is quicker, or in one of their own."""

    def __init__(self, url: str, home: Path) -> None:
        self.url = url
        self.home = home
        self.env = {
            "MSGCHAIN_RPC": url,
            "MSGCHAIN_KEYS": str(home / "keys"),
            "MSGCHAIN_PASSWORD": PASSWORD,
        }

    def run(self, *words: str, text: str = "") -> Done:
        """What a command did; it never lets an exception out."""
        done = CliRunner(env=self.env).invoke(msgchain, words, input=text)
        if not isinstance(done.exception, SystemExit | None):
            raise done.exception
        return Done(done.exit_code, done.stdout, done.stderr)

    def process(self, *words: str, text: str = "") -> Done:
        """The same in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-c", START, *words],
            cwd=ROOT,
            env={**os.environ, **self.env},
            input=text,
            capture_output=True,
            text=True,
            timeout=90,
            check=False,
        )
        assert "Traceback" not in done.stderr + done.stdout, done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    def ok(self, *words: str, text: str = "") -> str:
        """Standard output of a command that must go well."""
        done = self.run(*words, text=text)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def json(self, *words: str) -> Any:
        """Its JSON."""
        return json.loads(self.ok(*words, "--output", "json"))

    def bad(self, *words: str, code: int = 1, text: str = "") -> str:
        """What it says on standard error when it must fail."""
        done = self.run(*words, text=text)
        assert done.returncode == code, (words, done.stdout, done.stderr)
        assert done.stdout == ""
        return done.stderr
