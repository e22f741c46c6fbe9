"""What a piece of syntax costs in steps: its expressions and statements, displays a little more.

A step is about ten nanoseconds of work or ten bytes of memory on the machine it was measured on;
ten steps are one gas (``chain.gas.STEPS_PER_GAS``). A function or a loop is charged with everything
in its body, branches not taken included, but without what is charged by itself: inner loops,
comprehensions, functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, Final

from chain.vm.sandbox.trees import MARK, child_fields

CALL: Final = 10  # entering a function
LAMBDA: Final = 8
TURN: Final = 4  # a turn of a loop

_EXTRA: Final[dict[type[ast.AST], int]] = {
    ast.Call: 3,  # a frame, or an object
    ast.Dict: 16,  # an object of some 200 bytes
    ast.DictComp: 16,
    ast.List: 6,
    ast.ListComp: 8,
    ast.GeneratorExp: 8,
    ast.Tuple: 3,
    ast.JoinedStr: 4,
}


def weigh(tree: ast.Module) -> None:
    """Note on every function, lambda, loop and ``for`` of a comprehension what its body costs."""
    _sum(tree.body)


def cost_of(node: ast.AST) -> int:
    """What ``weigh`` noted."""
    cost: int = node.__dict__[MARK]
    return cost


def _sum(parts: Iterable[Any]) -> int:
    steps = 0
    for part in parts:
        steps += _weight(part)
    return steps


def _weight(node: Any) -> int:
    """Steps of a node; notes on the way what is charged by itself. Nesting is bounded."""
    kind = type(node)
    own = _SPECIAL.get(kind)
    if own is not None:
        return int(own(node))
    steps = 1 + _EXTRA.get(kind, 0) if isinstance(node, ast.expr | ast.stmt) else 0
    for field in child_fields(kind):
        value = getattr(node, field)
        if value.__class__ is list:
            for item in value:
                if item is not None:
                    steps += _weight(item)
        elif value is not None:
            steps += _weight(value)
    return steps


def _function(node: ast.FunctionDef) -> int:
    node.__dict__[MARK] = _sum(node.body)
    return 1


def _lambda(node: ast.Lambda) -> int:
    node.__dict__[MARK] = _weight(node.body)
    return 1


def _for(node: ast.For) -> int:
    node.__dict__[MARK] = _weight(node.target) + _sum(node.body)
    return 1 + _weight(node.iter) + _sum(node.orelse)


def _while(node: ast.While) -> int:
    node.__dict__[MARK] = _weight(node.test) + _sum(node.body)
    return 1 + _sum(node.orelse)


def _comprehension(node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> int:
    made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for number, generator in enumerate(node.generators):
        following = node.generators[number + 1 :]
        inner = _sum([following[0].iter] if following else made)
        generator.__dict__[MARK] = _weight(generator.target) + _sum(generator.ifs) + inner
    return 1 + _EXTRA[type(node)] + _weight(node.generators[0].iter)


def _joined(node: ast.JoinedStr) -> int:
    """The literal parts of an f-string are cut differently in Python 3.12: they are not counted."""
    values = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    return 1 + _EXTRA[ast.JoinedStr] + _sum(values)


def _annotated(node: ast.AnnAssign) -> int:
    return 1 if node.value is None else 2 + _weight(node.value)


_SPECIAL: Final[dict[type[ast.AST], Any]] = {
    ast.FunctionDef: _function,
    ast.Lambda: _lambda,
    ast.For: _for,
    ast.While: _while,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.JoinedStr: _joined,
    ast.AnnAssign: _annotated,
}
