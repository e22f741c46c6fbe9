"""One module of a contract, compiled; kept beside its source as Python keeps its ``.pyc`` files.

Checking and instrumenting takes ten times as long as loading the result, so it is stored in the
folder's ``__pycache__``, under a name that is the hash of everything it depends on: the text, its
place, this package's own sources and the Python version. A file that does not verify is made anew;
where nothing can be written nothing is.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import marshal
import os
import sys
from pathlib import Path
from types import CodeType
from typing import Any, Final, NamedTuple

from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.grammar import parse
from chain.vm.sandbox.instrument import instrument
from chain.vm.sandbox.rules import check_module
from chain.vm.sandbox.trees import at_place

_HERE: Final = Path(__file__).resolve().parent
#: What the outcome of compiling depends on.
_MAKERS: Final = (
    *("compiled", "grammar", "instrument", "literals", "names", "nodes", "rules", "trees"),
    "weights",
)
_DIGEST_BYTES: Final = 32


class Import(NamedTuple):
    """``from <level dots><module> import <names>``; a name with the name it gets."""

    line: int
    level: int
    module: str
    names: tuple[tuple[str, str], ...]


class Compiled(NamedTuple):
    """A module ready to run, and what the loader still has to look at."""

    imports: tuple[Import, ...]
    handlers: dict[str, int]  # names in except clauses, and their lines
    errors: dict[str, int]  # classes with an __init__, and their lines
    code: CodeType


def compiled(path: str, text: str, place: str) -> Compiled:
    """A module of a contract, from its cache or compiled now. Raises: ContractSourceError."""
    if place.startswith("<"):
        return _compile(path, text, place)
    digest = _digest(path, text, place)
    kept = _kept(place, digest)
    found = _read(kept)
    if found is None:
        found = _compile(path, text, place)
        _write(kept, found)
    return found


def _compile(path: str, text: str, place: str) -> Compiled:
    tree = parse(path, text)
    facts = check_module(path, tree)
    imports = tuple(_import(node) for node in tree.body if isinstance(node, ast.ImportFrom))
    tree.body = [  # the loader binds what is imported; coverage still sees the line run
        at_place(ast.Pass(), node) if isinstance(node, ast.ImportFrom) else node
        for node in tree.body
    ]
    try:
        code = compile(instrument(tree, facts.makers), place, "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        line = getattr(error, "lineno", None) or 0
        raise ContractSourceError(path, line, "the source does not compile") from error
    return Compiled(imports, facts.handlers, facts.errors, code)


def _import(node: ast.ImportFrom) -> Import:
    names = tuple((alias.name, alias.asname or alias.name) for alias in node.names)
    return Import(node.lineno, node.level, node.module or "", names)


_version: list[bytes] = []


def _digest(path: str, text: str, place: str) -> str:
    if not _version:
        makers = hashlib.sha256(importlib.util.MAGIC_NUMBER + sys.version.encode())
        for name in _MAKERS:
            makers.update(_HERE.joinpath(f"{name}.py").read_bytes())
        _version.append(makers.digest())
    parts = (path, place, text)
    head = "\0".join(str(len(part)) for part in parts)
    body = head + "".join(parts)
    return hashlib.sha256(_version[0] + body.encode("utf-8")).hexdigest()


def _kept(place: str, digest: str) -> Path:
    source = Path(place)
    name = f"{source.stem}.room-{sys.implementation.cache_tag}-{digest[:32]}.bin"
    return source.parent.joinpath("__pycache__", name)


def _read(kept: Path) -> Compiled | None:
    try:
        raw = kept.read_bytes()
    except OSError:
        return None
    payload = raw[_DIGEST_BYTES:]
    if hashlib.sha256(payload).digest() != raw[:_DIGEST_BYTES]:
        return None
    imports, handlers, errors, code = marshal.loads(payload)
    return Compiled(tuple(Import(*item) for item in imports), handlers, errors, code)


def _write(kept: Path, module: Compiled) -> None:
    if sys.dont_write_bytecode:
        return
    plain: Any = tuple(tuple(item) for item in module.imports)
    payload = marshal.dumps((plain, module.handlers, module.errors, module.code))
    fresh = kept.with_name(f"{kept.name}.{os.getpid()}")
    try:
        kept.parent.mkdir(exist_ok=True)
        fresh.write_bytes(hashlib.sha256(payload).digest() + payload)
        stem = kept.name[: -len(".bin") - 32]
        for old in kept.parent.glob(f"{stem}*.bin"):
            old.unlink(missing_ok=True)
        fresh.replace(kept)
    except OSError:
        return
