"""The escrow's invariant test, word for word as the README shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import chain.testing

README = Path(__file__).parents[2] / "README.md"


def readme_text() -> str:
    """The block of the README that makes ``TestEscrow``."""
    blocks = README.read_text(encoding="utf-8").split("```python\n")[1:]
    texts = [block.partition("```\n")[0] for block in blocks]
    [text] = [text for text in texts if "TestEscrow = contract_machine(" in text]
    return text


def escrow_machine(contract: Any, **more: Any) -> Any:
    """The machine that this text makes, over a mutated copy in place of ``escrow_v1``."""
    original, made = chain.testing.contract_machine, []

    def over_copy(name: str, **given: Any) -> Any:
        if name != "escrow_v1":
            raise AssertionError(f"the README attacks {name}")
        made.append(original(contract, **given, **more))
        return made[0]

    with patch.object(chain.testing, "contract_machine", over_copy):
        exec(compile(readme_text(), str(README), "exec"), {"__name__": "readme"})
    return made[0]
