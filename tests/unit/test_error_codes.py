"""Every code that can be raised stands in the one table of codes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import chain
from chain.errors import REGISTERED, AppError, VmError

ROOT = Path(chain.__file__).parent
#: the calls that name a codespace and a code
RAISING = ("AppError", "ContractRefused")


def raised() -> Iterator[tuple[str, ast.expr, ast.expr]]:
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) in RAISING and len(node.args) > 1:
                place = f"{path.relative_to(ROOT.parent)}:{node.lineno}"
                yield place, node.args[0], node.args[1]


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute) and function.attr == "wrap":
        function = function.value
    return function.id if isinstance(function, ast.Name) else ""


def test_every_raised_code_is_registered() -> None:
    missing = []
    found = set()
    for place, codespace, code in raised():
        if isinstance(codespace, ast.Constant) and isinstance(code, ast.Constant):
            found.add((codespace.value, code.value))
            if (codespace.value, code.value) not in REGISTERED:
                missing.append(f"{place}: {codespace.value}/{code.value}")
    assert not missing
    assert len(found) > 30


def test_codes_that_are_no_constants_are_handed_on() -> None:
    """What is no constant is the code of another error, or one of a few of one codespace."""
    strange = []
    for place, codespace, code in raised():
        if isinstance(code, ast.Constant):
            continue
        if isinstance(codespace, ast.Attribute) and isinstance(code, ast.Attribute):
            continue
        if isinstance(codespace, ast.Constant) and codespace.value in ("sdk", "wasm"):
            continue
        strange.append(f"{place}: {ast.unparse(codespace)}, {ast.unparse(code)}")
    assert not strange


def test_a_wrapped_error_ends_with_its_text() -> None:
    for (codespace, code), text in REGISTERED.items():
        assert AppError.wrap(codespace, code, "why").log == f"why: {text}"
    vm = VmError("why")
    assert vm.log == AppError.wrap(vm.codespace, vm.code, "why").log
