"""From a contract's source to its ``Contract``: check, instrument, compile, run the modules."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from chain.vm.contract import ENTRY_POINTS, Contract, Program
from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.source import Source, find_folder, from_files, read_folder


def load_folder(where: str | Path | ModuleType) -> Contract:
    """The contract of a folder: a name in ``contracts/``, a path, or a module.

    Nothing is compiled yet. Raises: ContractSourceError when it cannot be read as text.
    """
    return _contract(read_folder(find_folder(where)))


def load_source(name: str, files: Mapping[str, str]) -> Contract:
    """The contract of a source as logs keep it. Raises: ContractSourceError."""
    return _contract(from_files(name, files))


def _contract(source: Source) -> Contract:
    return Contract.lazy(
        source.name, source.checksum, source.files, lambda: compile_program(source)
    )


def compile_program(source: Source) -> Program:
    """Compile and run the modules of a source. Raises: ContractSourceError."""
    spaces: dict[str, dict[str, Any]] = {}
    _run(source, source.name, "contract", spaces)
    for module in ("__init__", "msg"):
        if f"{source.name}/{module}.py" in source.files:
            _run(source, source.name, module, spaces)
    return _program(source, spaces)


def _run(
    source: Source, package: str, module: str, spaces: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    key = f"{package}/{module}.py"
    if key in spaces:
        return spaces[key]
    tree = ast.parse(source.files[key])
    space: dict[str, Any] = {"__name__": f"contracts.{package}.{module}", "__builtins__": builtins}
    spaces[key] = space
    body = []
    for node in tree.body:
        if not isinstance(node, ast.ImportFrom):
            body.append(node)
            continue
        if node.module == "__future__":
            continue
        parts = (node.module or "").split(".")
        if node.level:
            parts = ["contracts", package, *parts]
        if parts[0] == "chain":
            origin = vars(import_module(".".join(parts)))
        else:
            parts = parts[1:] if parts[0] == "contracts" else parts
            inner = parts[1] if parts[1:] and parts[1] else "__init__"
            origin = _run(source, parts[0], inner, spaces)
        for alias in node.names:
            if alias.name not in origin:
                raise ContractSourceError(key, node.lineno, f"there is no {alias.name}")
            space[alias.asname or alias.name] = origin[alias.name]
    tree.body = body
    exec(compile(tree, source.places[key], "exec", dont_inherit=True), space)
    return space


def _program(source: Source, spaces: Mapping[str, dict[str, Any]]) -> Program:
    entry = spaces[f"{source.name}/contract.py"]
    about = spaces.get(f"{source.name}/__init__.py", {})
    msg = spaces.get(f"{source.name}/msg.py", {})
    messages = {
        "instantiate_msg": msg.get("InstantiateMsg"),
        "execute_msg": msg.get("EXECUTE"),
        "query_msg": msg.get("QUERY"),
        "migrate_msg": msg.get("MIGRATE", msg.get("MigrateMsg")),
        "sudo_msg": msg.get("SUDO", msg.get("SudoMsg")),
    }
    return Program(
        version=str(about.get("VERSION", "0.0.0")),
        entries={name: entry[name] for name in ENTRY_POINTS if callable(entry.get(name))},
        messages=messages,
        answers=msg.get("ANSWERS", {}),
    )
