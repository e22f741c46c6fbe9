"""The room has no way out: names, methods, host objects, and what stays shut without the rules."""

from __future__ import annotations

import ast
import builtins as python
import sys
import threading
import traceback
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any

import pytest
from folders import call

import chain.std
import chain.storage_plus
import chain.vm.sandbox
from chain.gas import GasMeter
from chain.std import Deps, DepsMut, Env, Event, MessageInfo, Record, Reply, Response, SubMsg
from chain.storage_plus import Bound, IndexedMap, Item, Map, MultiIndex
from chain.vm.sandbox.loader import load_folder
from chain.vm.sandbox.methods import METHODS as TABLE
from chain.vm.sandbox.names import (
    BUILTINS,
    HOST_METHODS,
    METHODS,
    REFUSED_ATTRIBUTES,
    REFUSED_METHODS,
    why_not_attribute,
)
from chain.vm.sandbox.room import host_name, room
from chain.vm.sandbox.runtime import Trap, run


def test_every_method_of_a_built_in_value_is_allowed_or_refused_by_name() -> None:
    known = METHODS | set(REFUSED_METHODS) | set(REFUSED_ATTRIBUTES) | {"start", "step", "stop"}
    for kind in (str, bytes, int, list, dict, tuple, range, MappingProxyType):
        public = {name for name in dir(kind) if not name.startswith("_")}
        assert public <= known, kind


def test_the_tables_agree() -> None:
    assert set(TABLE) == METHODS | HOST_METHODS
    seen = {name for name in room() if name.isidentifier() and not name.startswith("__")}
    assert seen == BUILTINS | {"object"}


def test_python_s_dangerous_built_ins_are_absent() -> None:
    absent = {
        *("eval", "exec", "compile", "open", "input", "print", "getattr", "setattr", "delattr"),
        *("hasattr", "vars", "dir", "globals", "locals", "type", "super", "id", "hash", "repr"),
        *("iter", "next", "memoryview", "bytearray", "float", "complex", "set", "frozenset"),
        *("property", "classmethod", "staticmethod", "__import__", "breakpoint", "round"),
        *("BaseException", "Exception", "KeyError", "GeneratorExit", "SystemExit", "help"),
    }
    assert absent <= set(dir(python)) | {"help"}
    assert not absent & set(room())


@pytest.mark.parametrize(
    "source", ["open('x')", "__import__('os')", "getattr(1, 'real')", "type(1)"]
)
def test_the_room_is_closed_also_to_source_that_the_rules_have_not_seen(source: str) -> None:
    with pytest.raises(NameError):
        eval(source, {"__builtins__": dict(room())})
    with pytest.raises(ImportError):
        exec("import os", {"__builtins__": dict(room())})


def test_every_public_name_of_the_host_can_be_imported_and_none_is_a_module() -> None:
    for module in (chain.std, chain.storage_plus):
        for name in module.__all__:
            assert not isinstance(host_name(module.__name__, name), ModuleType)
    for module_name, name in (("chain.std", "__all__"), ("chain.std", "Struct"), ("os", "system")):
        with pytest.raises(KeyError):
            host_name(module_name, name)


HOST: tuple[Any, ...] = (
    *(Deps, DepsMut, Env, MessageInfo, Response, SubMsg, Event, Reply, Item, Map, IndexedMap),
    Bound,
)


@pytest.mark.parametrize("kind", HOST, ids=lambda kind: kind.__name__)
def test_A12_host_objects_have_slots_and_no_public_way_to_the_interpreter(kind: Any) -> None:
    assert "__dict__" not in dir(kind), "an object with attributes of its own could keep state"
    for name in dir(kind):
        if not name.startswith("_") and why_not_attribute(name) is None:
            thing = getattr(kind, name)
            assert not isinstance(thing, ModuleType)
            assert thing not in (str, bytes, int, list, dict, tuple, type, object)


def test_nothing_of_the_sandbox_is_asserted_or_recursive_by_the_limit() -> None:
    folder = Path(chain.vm.sandbox.__file__).parent
    for path in folder.glob("*.py"):
        text = path.read_text("utf-8")
        assert "setrecursionlimit" not in text
        assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(text)))


def test_arguments_of_host_functions_are_paid_for() -> None:
    meters = []
    for size in (10, 100_000):
        _, meter = call(
            f"return ascii_lower('A' * {size})", head="from chain.std import ascii_lower\n"
        )
        meters.append(meter.used)
    assert meters[1] - meters[0] > 10_000
    with pytest.raises(Trap, match="512 bits"):
        call(
            "x = 2 ** 500\nreturn checked_mul(x, x, 10000)",
            head="from chain.std import checked_mul\n",
        )


def test_fields_may_have_the_names_of_methods() -> None:
    head = (
        "from chain.std import Record\n"
        "class Page(Record):\n    count: int\n    title: str\n    items: tuple[int, ...]\n    format: str\n"
    )
    answer, _ = call(
        "p = Page(1, 'a', (2,), 'b')\nreturn p.count, p.title, p.items, p.format", head=head
    )
    assert answer == (1, "a", (2,), "b")


def test_code_carries_the_real_file_and_lines(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    folder.mkdir()
    path = folder / "contract.py"
    path.write_text("def execute(deps, env, info, msg):\n    x = 1\n    return x // msg\n")
    entry = load_folder(folder).execute
    assert entry is not None
    assert entry.__code__.co_filename == str(path)
    lines = {line for _, _, line in entry.__code__.co_lines() if line}
    assert lines == {1, 2, 3}
    with pytest.raises(ZeroDivisionError) as caught:
        run(GasMeter(1000), entry, None, None, None, 0)
    shown = "".join(traceback.format_exception(caught.value))
    assert f'File "{path}", line 3, in execute' in shown


def declarations() -> list[Any]:
    """One of each storage declaration, and what they give."""
    amounts = Map("amounts", (str, int), int)
    by_owner = MultiIndex(lambda pk, row: row.owner, "rows__owner", (str,))
    rows = IndexedMap("rows", (str,), Row, {"by_owner": by_owner})
    return [Item("item", int), amounts, amounts.prefix("a"), rows, by_owner, Bound.inclusive(1)]


class Row(Record):
    """A record."""

    owner: str


def test_A12_storage_declarations_show_no_types_and_no_functions_of_the_host() -> None:
    for thing in declarations():
        for name in dir(thing):
            if not name.startswith("_") and why_not_attribute(name) is None:
                value = getattr(thing, name)
                assert not isinstance(value, type | ModuleType | list | dict), (thing, name)


def test_every_line_of_a_module_is_seen_to_run(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    folder.mkdir()
    path = folder / "contract.py"
    path.write_text(
        "from chain.std import Addr\n\nX: int = 1\n\n\ndef execute(a, b, c, d):\n    return X\n"
    )
    seen: set[int] = set()

    def watch(frame: Any, event: str, arg: object) -> Any:
        if frame.f_code.co_filename == str(path) and event == "line":
            seen.add(frame.f_lineno)
        return watch

    threading.settrace(watch)
    sys.settrace(watch)
    try:
        entry = load_folder(folder).execute
        assert entry is not None
        run(GasMeter(1000), entry, None, None, None, None)
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    assert seen == {1, 3, 6, 7}
