"""coverage.py sees the lines of contracts, although they are instrumented."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[4]
TRANSFER = ROOT / "contracts" / "token_v1" / "transfer.py"
SCRIPT = """
import json, sys
import coverage
measured = coverage.Coverage(data_file=None, include=[sys.argv[1]])
measured.start()
from chain.testing import Chain
chain = Chain()
alice, bob = chain.account("alice"), chain.account("bob")
start = {"name": "Coin", "symbol": "COIN", "decimals": 0,
         "initial_balances": [{"address": alice, "amount": "5"}]}
address = chain.instantiate(chain.store_code("token_v1"), start, alice, "coin")
chain.execute(address, {"transfer": {"recipient": bob, "amount": "2"}}, alice)
measured.stop()
_, statements, _, missing, _ = measured.analysis2(sys.argv[1])
print(json.dumps([statements, missing]))
"""


def body_of(name: str) -> set[int]:
    """The numbers of the lines between a function's head and the next function."""
    lines = TRANSFER.read_text().splitlines()
    start = next(i for i, line in enumerate(lines, 1) if line.startswith(f"def {name}("))
    after = [i for i, line in enumerate(lines, 1) if i > start and line.startswith("def ")]
    return set(range(start + 1, after[0] if after else len(lines) + 1))


def test_lines_that_ran_and_lines_that_did_not_are_told_apart() -> None:
    command = [sys.executable, "-c", SCRIPT, str(TRANSFER)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    statements, missing = (set(lines) for lines in json.loads(done.stdout))
    assert statements & body_of("execute_transfer")
    assert not missing & body_of("execute_transfer")
    assert statements & body_of("execute_burn") <= missing
