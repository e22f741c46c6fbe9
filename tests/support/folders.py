"""Contract folders made of text, for tests of the source rules and the room."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from chain.gas import GasMeter
from chain.vm.contract import Contract
from chain.vm.sandbox.loader import load_source
from chain.vm.sandbox.runtime import run

GAS = 1_000_000


def contract(source: str, **modules: str) -> Contract:
    """A contract ``sample`` whose ``contract.py`` is the text; other modules by name."""
    files = {"sample/contract.py": textwrap.dedent(source)}
    files |= {f"sample/{name}.py": textwrap.dedent(text) for name, text in modules.items()}
    return load_source("sample", files)


def handler(body: str, head: str = "") -> Callable[..., Any]:
    """A function ``execute(deps, env, info, msg)`` with this body, as the call layer would call it."""
    source = f"{textwrap.dedent(head)}\n\ndef execute(deps, env, info, msg):\n"
    source += textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"
    entry = contract(source).execute
    assert entry is not None
    return entry


def call(body: str, msg: Any = None, head: str = "", gas: int = GAS) -> tuple[Any, GasMeter]:
    """Run a body with a message and no chain; the answer and the meter."""
    meter = GasMeter(gas)
    return run(meter, handler(body, head), None, None, None, msg), meter
