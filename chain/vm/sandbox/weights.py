"""What a piece of syntax costs in steps: its expressions and statements, displays a little more.

A step is about ten nanoseconds of work or ten bytes of memory on the machine it was measured on;
ten steps are one gas (``chain.gas.STEPS_PER_GAS``). A function or a loop is charged with everything
in its body, branches not taken included, but without what is charged by itself: inner loops,
comprehensions, functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final

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
_MARK: Final = "§"


def weight(node: ast.FunctionDef | ast.Lambda) -> int:
    """Steps of the body of a function, apart from the turns of its loops."""
    body = node.body if isinstance(node.body, list) else [node.body]
    return sum(_weight(part) for part in body)


def weigh_turns(tree: ast.Module) -> None:
    """Note on every loop and every ``for`` of a comprehension what one turn costs."""
    for node in ast.walk(tree):
        if isinstance(node, ast.For):
            node.__dict__[_MARK] = sum(_weight(part) for part in (node.target, *node.body))
        elif isinstance(node, ast.While):
            node.__dict__[_MARK] = sum(_weight(part) for part in (node.test, *node.body))
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
            _weigh_comprehension(node)


def _weigh_comprehension(node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> None:
    made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for number, generator in enumerate(node.generators):
        parts = [generator.target, *generator.ifs]
        following = node.generators[number + 1 :]
        parts += [following[0].iter] if following else made
        generator.__dict__[_MARK] = sum(_weight(part) for part in parts)


def _weight(node: ast.AST) -> int:
    steps = 0
    stack: list[ast.AST] = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, ast.expr | ast.stmt):
            steps += 1 + _EXTRA.get(type(here), 0)
        stack.extend(_parts(here))
    return steps


def _parts(node: ast.AST) -> Iterator[Any]:
    """What is paid together with the node."""
    if isinstance(node, ast.For):
        yield node.iter
        yield from node.orelse
    elif isinstance(node, ast.While):
        yield from node.orelse
    elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp):
        yield node.generators[0].iter
    elif isinstance(node, ast.JoinedStr):  # its literal parts are cut differently in Python 3.12
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                yield part.value
    elif isinstance(node, ast.AnnAssign):
        if node.value is not None:
            yield node.value
    elif not isinstance(node, ast.FunctionDef | ast.Lambda):
        yield from ast.iter_child_nodes(node)
