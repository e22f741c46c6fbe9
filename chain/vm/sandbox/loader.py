"""From a contract's source to its ``Contract``: check, instrument, compile, run the modules once.

Parsing and compiling happen on a fresh thread with a stack of fixed size, so that what is accepted
does not depend on the caller (threats F2), and everything that goes wrong is a refusal. Programs
are kept by checksum: a source is compiled once in a process.
"""

from __future__ import annotations

import gc
import linecache
import threading
from collections.abc import Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

from msgspec import Struct

from chain.errors import ContractError
from chain.gas import GasMeter, OutOfGas
from chain.std import Words
from chain.vm.contract import ENTRY_POINTS, Contract, Entry, Program, is_migrate_version
from chain.vm.sandbox.compiled import Compiled, Import, compiled
from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.names import HOST_MAKERS, HOST_MODULES
from chain.vm.sandbox.room import host_name, room
from chain.vm.sandbox.runtime import Trap, enter, leave
from chain.vm.sandbox.sizes import admit
from chain.vm.sandbox.source import Source, find_folder, from_files, read_folder

STACK_BYTES: Final = 64 * 1024 * 1024
LOAD_GAS: Final = 100_000  # for running the modules: definitions and constants
_ROOT: Final = "contracts"

_programs: dict[tuple[bytes, str], Program] = {}
_compiling = threading.Lock()


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
    """Check, instrument, compile and run a source; once a process. Raises: ContractSourceError."""
    key = (source.checksum, source.places[f"{source.name}/contract.py"])
    program = _programs.get(key)
    if program is None:
        program = _programs[key] = _on_own_stack(source)
    return program


def _on_own_stack(source: Source) -> Program:
    answers: list[Program] = []
    errors: list[BaseException] = []

    def work() -> None:
        collecting = gc.isenabled()
        gc.disable()  # trees are many small objects that stay: a third of the time
        try:
            answers.append(_Build(source).program())
        except BaseException as error:
            errors.append(error)
        finally:
            if collecting:
                gc.enable()

    with _compiling:
        before = threading.stack_size(STACK_BYTES)
        try:
            thread = threading.Thread(target=work, name="msgchain contract compiler")
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
    if errors:
        raise errors[0]
    return answers[0]


class _Build:
    """One compilation: the namespaces of the modules, in the order of their imports."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.spaces: dict[str, dict[str, Any]] = {}
        self.running: list[str] = []

    def program(self) -> Program:
        """Run ``contract.py`` and what it imports; ``__init__.py`` and ``msg.py`` too."""
        name = self.source.name
        entry = self.module(f"{name}/contract.py")
        about = {**entry, **self.optional(f"{name}/__init__.py")}
        msg = {**entry, **self.optional(f"{name}/msg.py")}  # a small contract is one file
        messages = {
            "instantiate_msg": msg.get("InstantiateMsg"),
            "execute_msg": msg.get("EXECUTE"),
            "query_msg": msg.get("QUERY"),
            "migrate_msg": msg.get("MIGRATE", msg.get("MigrateMsg")),
            "sudo_msg": msg.get("SUDO", msg.get("SudoMsg")),
        }
        for kind, types in messages.items():
            if types is not None and not all(map(_is_message, _several(types))):
                self.refuse(f"{name}/msg.py", 0, f"{kind} is a message class, or a tuple of them")
        migrate_version = about.get("MIGRATE_VERSION")
        if migrate_version is not None and not is_migrate_version(migrate_version):
            self.refuse(f"{name}/__init__.py", 0, "MIGRATE_VERSION is a 64-bit number")
        functions = {key: entry.get(key) for key in ENTRY_POINTS}
        entries = {key: f for key, f in functions.items() if isinstance(f, FunctionType)}
        made: dict[str, Entry] = dict(entries)
        if "query" in made:
            made["query"] = _answering(made["query"])
        return Program(
            version=str(about.get("VERSION", "0.0.0")),
            entries=made,
            messages=messages,
            answers=dict(msg.get("ANSWERS", {})),
            migrate_version=migrate_version,
        )

    def refuse(self, path: str, line: int, reason: str) -> None:
        """Raises: ContractSourceError."""
        raise ContractSourceError(path, line, reason)

    def optional(self, path: str) -> dict[str, Any]:
        """The namespace of a module that need not exist."""
        return self.module(path) if path in self.source.files else {}

    def module(self, path: str) -> dict[str, Any]:
        """The namespace of a module, run at most once. Raises: ContractSourceError."""
        if path in self.spaces:
            return self.spaces[path]
        self.running.append(path)
        place = self.source.places[path]
        made = compiled(path, self.source.files[path], place)
        space: dict[str, Any] = {"__builtins__": dict(room())}
        space["__name__"] = f"{_ROOT}.{path[:-3].replace('/', '.')}"
        for item in made.imports:
            self.bind_import(path, item, space)
        self.remember_lines(path)
        _run(path, made.code, space, place)
        _check_classes(path, space, made)
        self.running.pop()
        self.spaces[path] = space
        return space

    def remember_lines(self, path: str) -> None:
        """Let tracebacks show the lines of a source that is not on disk."""
        place = self.source.places[path]
        if place.startswith("<"):
            text = self.source.files[path]
            linecache.cache[place] = (len(text), None, text.splitlines(keepends=True), place)

    def bind_import(self, path: str, item: Import, space: dict[str, Any]) -> None:
        """Give the module the names that it imports; it never sees a module object (A11)."""
        if item.module == "__future__" and not item.level:
            return
        if not item.level and item.module.split(".")[0] == "chain":
            for name, bound in item.names:
                try:
                    space[bound] = host_name(item.module, name)
                except KeyError:
                    self.refuse(path, item.line, _no_host_name(item.module, name))
            return
        target = self.own_module(path, item)
        if target in self.running:
            self.refuse(path, item.line, f"{target} imports this module: a circle")
        origin = self.module(target)
        for name, bound in item.names:
            if name not in origin:
                self.refuse(path, item.line, f"there is no {name} in {target}")
            if any(origin[name] is thing for thing in _COPYING):
                self.refuse(path, item.line, f"import {name} from chain.std")
            space[bound] = origin[name]

    def own_module(self, path: str, item: Import) -> str:
        """Which file an import of contract code means. Raises: ContractSourceError."""
        package = path.split("/", maxsplit=1)[0]
        parts = item.module.split(".") if item.module else []
        if item.level > 1:
            self.refuse(path, item.line, "an import reaches no further than the folder")
        if item.level == 1:
            parts = [package, *parts]
        elif parts[0] == _ROOT:
            parts = parts[1:]
        elif parts[0] not in (package, self.source.name):
            self.refuse(path, item.line, f"{item.module} is not available: {_WHERE}")
        module = parts[1] if len(parts) == 2 else "__init__"
        target = f"{parts[0]}/{module}.py" if 0 < len(parts) < 3 else ""
        if parts and parts[0] != package and module != "msg":
            self.refuse(path, item.line, "of another contract only its msg is imported")
        if target not in self.source.files:
            self.refuse(path, item.line, f"there is no module {item.module or '.'}; {_WHERE}")
        return target


#: host classes for which the instrumenter must see where they come from
_COPYING: Final = tuple([host_name("chain.std", name) for name in sorted(HOST_MAKERS)])
_WHERE: Final = (
    "imports are `from chain.std`, `from chain.storage_plus`, `from contracts.<name>.<module>` "
    "or `from .<module>`, each with names"
)


def _no_host_name(module: str, name: str) -> str:
    if module not in HOST_MODULES:
        return f"{module} is not available: {_WHERE}"
    return f"{module} has no public {name}"


def _run(path: str, code: CodeType, space: dict[str, Any], place: str) -> None:
    """Run a module: definitions and constants. Whatever it raises is a refusal."""
    enter(GasMeter(LOAD_GAS))
    try:
        exec(code, space)
    except Trap as error:
        raise ContractSourceError(path, _line(error, place), str(error)) from error
    except OutOfGas as error:
        raise ContractSourceError(path, _line(error, place), "loading takes too long") from error
    except Exception as error:
        kind = type(error).__name__
        raise ContractSourceError(path, _line(error, place), f"{kind} while loading") from error
    finally:
        leave()


def _line(error: BaseException, place: str) -> int:
    line = 0
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == place:
            line = step.tb_lineno
        step = step.tb_next
    return line


def _check_classes(path: str, space: Mapping[str, Any], facts: Compiled) -> None:
    """What only the loaded classes tell: their bases, and what ``except`` catches."""
    module = space["__name__"]
    for name, thing in space.items():
        if isinstance(thing, type) and thing.__module__ == module:
            frozen = issubclass(thing, Struct) and thing.__struct_config__.frozen
            if not (frozen or issubclass(thing, ContractError | Words)):
                raise ContractSourceError(path, 0, f"class {name}: derive from Record, Message …")
            if not frozen and any(map(_keeps_state, vars(thing).items())):
                reason = f"class {name}: a list or dictionary would keep state between calls"
                raise ContractSourceError(path, 0, reason)
    for kinds, what in ((facts.handlers, "except"), (facts.errors, "__init__")):
        for name, line in kinds.items():
            thing = space.get(name)
            if not (isinstance(thing, type) and issubclass(thing, ContractError)):
                reason = f"{what}: {name} is not a kind of ContractError"
                raise ContractSourceError(path, line, reason)


def _keeps_state(entry: tuple[str, Any]) -> bool:
    """Whether a class attribute of the contract's own could be changed and kept."""
    name, held = entry
    return not name.startswith("_") and isinstance(held, list | dict)


def _several(types: Any) -> tuple[Any, ...]:
    return types if isinstance(types, tuple) else (types,)


def _is_message(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, Struct)


def _answering(query: Entry) -> Entry:
    """A query whose answer is looked at before the host encodes it."""

    def answer(deps: Any, env: Any, msg: Any) -> Any:
        return admit(query(deps, env, msg))

    return answer
