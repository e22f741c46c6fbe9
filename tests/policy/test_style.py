"""The house rules that tools can check: types, lint, layers, sizes, bans, words."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES_PER_FILE = 500
LINES_PER_FUNCTION = 70
#: Below the drivers a result is a function of state and block alone.
CONSENSUS = (
    "gas.py",
    "errors.py",
    "store",
    "std",
    "storage_plus",
    "crypto",
    "tx",
    "block",
    "vm",
    "app",
)
#: Names whose answer differs between machines, runs or Python versions.
BANNED_IMPORTS = {"random", "time", "datetime", "secrets", "uuid", "socket", "asyncio", "decimal"}
BANNED_CALLS = {"hash", "id", "round", "float", "input", "eval"}


def sources(*folders: str) -> list[Path]:
    found: list[Path] = []
    for folder in folders:
        path = ROOT / folder
        if path.is_file():
            found.append(path)
            continue
        below = sorted(path.rglob("*.py"))  # without what a benchmark installed beside itself
        found += [one for one in below if "/." not in f"/{one.relative_to(ROOT)}"]
    return found


def run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", ["chain", "contracts", "benchmarks"])
def test_types_are_strict(folder: str) -> None:
    run(sys.executable, "-m", "mypy", "-p", folder)


def test_ruff_finds_nothing() -> None:
    run(sys.executable, "-m", "ruff", "check", "chain", "contracts", "tests", "benchmarks")


def test_layers_hold() -> None:
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"
    run(sys.executable, "-c", code)


@pytest.mark.parametrize(
    "path",
    sources("chain", "contracts", "benchmarks", "tests"),
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_sizes_are_bounded(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LINES_PER_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= LINES_PER_FUNCTION, (
                f"{path.name}:{node.lineno} {node.name} has {lines} lines"
            )


@pytest.mark.parametrize(
    "path", sources("chain", "contracts"), ids=lambda p: str(p.relative_to(ROOT))
)
def test_public_things_are_documented(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    missing = [] if ast.get_docstring(tree) else ["module"]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            public = not node.name.startswith("_")
            if public and not ast.get_docstring(node):
                missing.append(node.name)
    assert not missing, f"no docstring: {missing}"


def banned_nodes(tree: ast.AST) -> list[str]:
    found: list[str] = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Constant(value=float() | complex()):
                found.append(f"{line}: float literal")
            case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                found.append(f"{line}: true division")
            case ast.Assert():
                found.append(f"{line}: assert disappears under -O")
            case ast.Call(func=ast.Name(id=name)) if name in BANNED_CALLS:
                found.append(f"{line}: {name}()")
            case ast.For(
                iter=ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset"))
            ):
                found.append(f"{line}: iteration over a set")
            case ast.Import(names=names):
                found += [
                    f"{line}: import {n.name}"
                    for n in names
                    if n.name.split(".")[0] in BANNED_IMPORTS
                ]
            case ast.ImportFrom(module=str(module)) if module.split(".")[0] in BANNED_IMPORTS:
                found.append(f"{line}: from {module}")
            case ast.Attribute(value=ast.Name(id="os"), attr="environ" | "getenv"):
                found.append(f"{line}: environment")
            case ast.ExceptHandler(type=None):
                found.append(f"{line}: bare except")
    return found


#: Line-exact exceptions with their reason: the driver-side helpers that live beside consensus code.
ALLOWED = {
    "chain/crypto/keys.py": "fresh keys are made with the system's randomness, outside consensus",
    "chain/crypto/seal.py": "sealing needs fresh randomness; it is a client's act",
    "chain/crypto/mldsa.py": "randomised signing is a client's choice",
    "chain/std/decode.py": "types are remembered by identity; the memory never reaches a result",
    "chain/vm/sandbox/nodes.py": "tree nodes are told apart by identity while one is rewritten",
    "chain/vm/sandbox/rules.py": "tree nodes are told apart by identity while one is read",
    "chain/vm/sandbox/source.py": "joins paths of files with /; the hash covers names and bytes",
    "chain/crypto/verify.py": "verification in a pool is a pure function of bytes",
    "chain/crypto/workers.py": "what a process answers is a pure function of bytes, or not taken",
}


@pytest.mark.parametrize(
    "path",
    sources(*(f"chain/{part}" for part in CONSENSUS)),
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_consensus_code_has_no_source_of_chance(path: Path) -> None:
    found = banned_nodes(ast.parse(path.read_text(encoding="utf-8")))
    if str(path.relative_to(ROOT)) not in ALLOWED:
        assert not found, f"{path}: {found}"


def test_the_ban_finds_what_it_bans() -> None:
    bad = "import time\nx = 1.0\ny = 1 / 2\nfor a in {1, 2}: pass\nhash(x)\nassert x\n"
    assert len(banned_nodes(ast.parse(bad))) == 6


def test_nothing_is_imported_inside_functions() -> None:
    bad: list[str] = []
    for path in sources("chain", "contracts"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                bad += [
                    f"{path.relative_to(ROOT)}:{inner.lineno}"
                    for inner in ast.walk(node)
                    if isinstance(inner, ast.Import | ast.ImportFrom)
                ]
    assert not bad, bad


def test_no_paths_of_a_machine_and_no_lock_files() -> None:
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert not [n for n in names if n.endswith(("uv.lock", "package-lock.json", "yarn.lock"))]
    words = re.compile("|".join(["/" + "work/", "/" + "root/", "/tmp/" + "build"]))
    bad = [
        n
        for n in names
        if (ROOT / n).is_file()
        and words.search((ROOT / n).read_text(encoding="utf-8", errors="ignore"))
    ]
    assert not bad, bad
