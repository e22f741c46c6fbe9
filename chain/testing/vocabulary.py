"""Messages for contracts without message types: the keys that their source reads.

``msg["add"]["by"]``, ``"add" in msg`` and ``body.get("by")`` are read off the source of the
``execute`` function and of the functions of the same module that it names.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

from chain.testing.choices import Choices
from chain.testing.leaves import Maker, Surroundings, amount, untyped_leaf

Keys = dict[str, Any]  # a tree: key -> what is read below it


def keys_read(function: Callable[..., Any]) -> Keys:
    """The tree of keys that an ``execute`` reads of its message.

    Without source, every text constant is a key on its own.
    """
    tree: Keys = {}
    for source, parameter in _functions(function):
        reader = _Reader(tree, parameter)
        reader.visit(source)
    if not tree:
        texts = [text for text in _constants(function) if text.isidentifier()]
        tree = {text: {inner: {} for inner in texts if inner != text} for text in texts}
    return tree


def _functions(function: Callable[..., Any]) -> list[tuple[ast.AST, str]]:
    """Source trees of a function and of the module's functions it names, with their last
    parameter.
    """
    found: list[tuple[ast.AST, str]] = []
    waiting, seen = [function], set()
    while waiting:
        current = waiting.pop()
        code = getattr(current, "__code__", None)
        if code is None or code in seen:
            continue
        seen.add(code)
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(current)))
        except (OSError, TypeError, SyntaxError):
            continue
        parameters = code.co_varnames[: code.co_argcount]
        found.append((tree, parameters[-1] if parameters else ""))
        names = getattr(current, "__globals__", {})
        waiting += [names[name] for name in code.co_names if inspect.isfunction(names.get(name))]
    return found


def _constants(function: Callable[..., Any]) -> list[str]:
    code = getattr(function, "__code__", None)
    return [value for value in code.co_consts if isinstance(value, str)] if code else []


class _Reader(ast.NodeVisitor):
    """Follows the message through subscripts, ``in``, ``get`` and plain assignments."""

    def __init__(self, tree: Keys, parameter: str) -> None:
        self.places: dict[str, Keys] = {parameter: tree}

    def visit_Assign(self, node: ast.Assign) -> None:
        place = self.place(node.value)
        if place is not None:
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.places[target.id] = place
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.place(node)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self.place(node)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            place = self.place(node.comparators[0])
            if place is not None and _text(node.left) is not None:
                place.setdefault(str(_text(node.left)), {})
        self.generic_visit(node)

    def place(self, node: ast.AST) -> Keys | None:
        """The subtree that an expression stands for, made where it is new."""
        if isinstance(node, ast.Name):
            return self.places.get(node.id)
        key: str | None = None
        base: ast.AST | None = None
        if isinstance(node, ast.Subscript):
            base, key = node.value, _text(node.slice)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.args
            and node.func.attr in {"get", "pop"}
        ):
            base, key = node.func.value, _text(node.args[0])
        if base is None or key is None:
            return None
        below = self.place(base)
        found: Keys | None = None if below is None else below.setdefault(key, {})
        return found


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def untyped(function: Callable[..., Any]) -> Maker:
    """A maker of messages for an ``execute`` that takes decoded JSON."""
    tree = keys_read(function)
    top = [(key, _body(key, below)) for key, below in tree.items()]

    def make(choices: Choices, here: Surroundings) -> Any:
        if not top or choices.chance(6):
            return choices.pick(({}, {"unknown": {}}, [], "x", None))
        key, body = choices.pick(top)
        return {key: body(choices, here)}

    return make


def _body(name: str, below: Keys) -> Maker:
    """What stands under a key: an object with the keys that are read there, or a leaf."""
    if not below:
        leaf = untyped_leaf(name)
        return lambda choices, here: {} if choices.chance(20) else leaf(choices, here)
    makers = [(key, _body(key, inner)) for key, inner in below.items()]

    def make(choices: Choices, here: Surroundings) -> Any:
        if choices.chance(6):
            return amount(choices, here)
        return {key: maker(choices, here) for key, maker in makers if not choices.chance(10)}

    return make
