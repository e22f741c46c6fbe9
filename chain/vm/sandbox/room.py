"""The closed namespace: what a contract module sees as built in, and what it imports of the host.

There is nothing here that reflects, reads a file, a clock or chance; so the room holds also for
source that the rules have not seen. Helpers of instrumented code are bound here too, under names
that source cannot spell.
"""

from __future__ import annotations

import builtins as python
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from importlib import import_module
from types import FunctionType, GenericAlias, MappingProxyType, ModuleType, UnionType
from typing import Any, Final, NewType

from msgspec import Struct, structs

from chain.errors import ContractError
from chain.vm.sandbox import builtins, iteration, operators, sizes
from chain.vm.sandbox.methods import METHODS, attribute
from chain.vm.sandbox.names import HOST_MODULES
from chain.vm.sandbox.runtime import BATCH_STEPS, DEPTH_MAX, Compute, Trap, current
from chain.vm.sandbox.trees import helper

_PLAIN: Final = (str, bytes, int, bool, type(None), Enum)
_TYPES: Final = (FunctionType, UnionType, NewType)
#: ``list[int]`` as a constant becomes one that cannot be called: it would make uncounted lists.
_ALIASES: Final[dict[Any, str]] = {list: "List", dict: "Dict", tuple: "Tuple"}
#: Storage declarations and bounds: they hold no state of their own.
_DECLARATIONS: Final = "chain.storage_plus"
_ROOM: Final[dict[str, Any]] = {}


def freeze(value: Any) -> Any:
    """A constant of a module: immutable all the way down, dictionaries become read-only (H).

    Raises: Trap for anything that could keep state between calls, or that is a bare built-in.
    """
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple):
        return tuple(freeze(item) for item in value) if type(value) is tuple else value
    if isinstance(value, dict | MappingProxyType):
        return MappingProxyType({key: freeze(item) for key, item in value.items()})
    if isinstance(value, Struct):
        if not value.__struct_config__.frozen:
            raise Trap("a constant record is frozen")
        for part in structs.astuple(value):
            if freeze(part) is not part and not isinstance(part, tuple):
                raise Trap("a constant record holds no dictionary")
        return value
    if isinstance(value, type):
        if issubclass(value, Struct | Enum | ContractError) or value.__module__ in HOST_MODULES:
            return value
    elif isinstance(value, GenericAlias) and value.__origin__ in _ALIASES:
        return getattr(typing, _ALIASES[value.__origin__])[value.__args__]
    elif isinstance(value, _TYPES) or type(value).__module__.startswith(_DECLARATIONS):
        return value
    raise Trap("a constant is text, a number, a tuple, a dictionary of these, a record, or a type")


def lambda_enter(cost: int) -> Compute:
    """The entry of a lambda: as that of a function."""
    state = current()
    state.owed += cost
    if state.owed > BATCH_STEPS:
        state.flush()
    if state.depth >= DEPTH_MAX:
        state.too_deep()
    state.depth += 1
    return state


def lambda_leave(state: Compute, answer: Any) -> Any:
    """The end of a lambda that has answered."""
    state.depth -= 1
    return answer


def error_init(owner: Any, error: Any, text: Any) -> None:
    """``super().__init__(text)`` in an error class of a contract."""
    super(owner, error).__init__(builtins.to_text(text))


def error_set(error: Any, name: str, value: Any) -> None:
    """``self.name = value`` in the ``__init__`` of an error class."""
    if not isinstance(error, ContractError):
        raise Trap("attributes cannot be set: records are frozen")
    setattr(error, name, value)


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A host function as contracts call it: what goes in is looked at, and numbers out too."""

    def call(*args: Any, **named: Any) -> Any:
        for arg in (*args, *named.values()):
            if isinstance(arg, sizes.TEXTS):
                if len(arg) > sizes.TEXT_FREE:
                    current().charge(4 * len(arg))  # decoding takes about 30 ns a byte
            else:
                sizes.admit(arg)
        answer = function(*args, **named)
        return sizes.check_int(answer) if type(answer) is int else answer

    return call


def room() -> Mapping[str, Any]:
    """The built-ins of every contract module; one dictionary that nobody can reach."""
    if not _ROOM:
        _ROOM.update(builtins.FUNCTIONS)
        for name in ("bool", "bytes", "dict", "int", "list", "object", "range", "str", "tuple"):
            _ROOM[name] = getattr(python, name)
        _ROOM["__build_class__"] = python.__build_class__
        for name, maker in builtins.MAKERS.items():
            _ROOM[helper(f"new_{name}")] = maker
        for name, maker in builtins.HOST_MAKERS.items():
            _ROOM[helper(f"new_{name}")] = maker
        for name, method in METHODS.items():
            _ROOM[helper(f"m_{name}")] = method
        for module in (operators, iteration, sizes):
            for name, thing in vars(module).items():
                if isinstance(thing, FunctionType) and not name.startswith("_"):
                    _ROOM[helper(name)] = thing
        _ROOM[helper("joined")] = builtins.joined
        _ROOM[helper("formatted")] = builtins.formatted
        _ROOM[helper("attribute")] = attribute
        _ROOM[helper("freeze")] = freeze
        _ROOM[helper("lambda_enter")] = lambda_enter
        _ROOM[helper("lambda_leave")] = lambda_leave
        _ROOM[helper("error_init")] = error_init
        _ROOM[helper("error_set")] = error_set
        _ROOM[helper("current")] = current
        _ROOM[helper("batch")] = BATCH_STEPS
        _ROOM[helper("depth_max")] = DEPTH_MAX
    return _ROOM


def host_name(module: str, name: str) -> Any:
    """What ``from chain.std import name`` gives. Raises: KeyError when there is no such name."""
    if module not in HOST_MODULES:
        raise KeyError(module)
    origin = import_module(module)
    if name not in origin.__all__:
        raise KeyError(name)
    thing = vars(origin)[name]
    if isinstance(thing, ModuleType):
        raise KeyError(name)
    return guarded(thing) if isinstance(thing, FunctionType) else thing
