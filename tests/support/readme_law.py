"""The invariant tests of the README, word for word as it shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import chain.testing

README = Path(__file__).parents[2] / "README.md"


def readme_text(test: str = "TestEscrow") -> str:
    """The block of the README that makes a test."""
    blocks = README.read_text(encoding="utf-8").split("```python\n")[1:]
    texts = [block.partition("```\n")[0] for block in blocks]
    [text] = [text for text in texts if f"{test} = contract_machine(" in text]
    return text


def _over_copy(test: str, name: str, contract: Any, more: dict[str, Any]) -> Any:
    """The machine that a text makes of ``name``, over a mutated copy in its place."""
    original, made = chain.testing.contract_machine, []

    def over_copy(attacked: str, **given: Any) -> Any:
        if attacked != name:
            raise AssertionError(f"the README attacks {attacked}")
        made.append(original(contract, **given, **more))
        return made[0]

    with patch.object(chain.testing, "contract_machine", over_copy):
        exec(compile(readme_text(test), str(README), "exec"), {"__name__": "readme"})
    return made[0]


def escrow_machine(contract: Any, **more: Any) -> Any:
    """The README's machine over the escrow."""
    return _over_copy("TestEscrow", "escrow_v1", contract, more)


def allowance_machine(contract: Any, **more: Any) -> Any:
    """The README's machine over the token."""
    return _over_copy("TestToken", "token_v1", contract, more)
