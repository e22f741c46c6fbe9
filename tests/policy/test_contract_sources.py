"""Every contract folder passes the rules of contract source, and is known to the registry."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from chain.vm.contract import ENTRY_POINTS
from chain.vm.sandbox.loader import load_folder
from contracts.registry import FOLDER, NAMES, REGISTRY

FOLDERS = sorted(path.parent.name for path in FOLDER.glob("*/contract.py"))


def test_the_registry_names_every_folder() -> None:
    assert sorted(NAMES) == FOLDERS


@pytest.mark.parametrize("name", FOLDERS)
def test_a_contract_folder_is_registered(name: str) -> None:
    contract = load_folder(name).compile()
    assert contract.metered
    assert contract.instantiate
    assert contract.execute
    assert contract.query
    assert contract.version.count(".") == 2
    assert REGISTRY[name].checksum == contract.checksum


@pytest.mark.parametrize("name", FOLDERS)
def test_a_contract_folder_has_the_usual_files(name: str) -> None:
    present = {path.name for path in (FOLDER / name).iterdir()}
    wanted = {"README.md", "__init__.py", "contract.py", "error.py", "msg.py", "query.py", "state.py"}
    assert wanted <= present


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/contract.py")), ids=lambda p: p.parent.name)
def test_entry_points_have_cosmwasm_s_arguments(path: Path) -> None:
    wanted = {
        "instantiate": ["deps", "env", "info", "msg"],
        "execute": ["deps", "env", "info", "msg"],
        "query": ["deps", "env", "msg"],
        "migrate": ["deps", "env", "msg"],
        "reply": ["deps", "env", "reply"],
        "sudo": ["deps", "env", "msg"],
    }
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name in ENTRY_POINTS:
            names = [argument.arg for argument in node.args.args]
            assert names[:2] == wanted[node.name][:2]
            assert len(names) == len(wanted[node.name])
