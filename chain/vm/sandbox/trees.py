"""Making syntax: small builders for what the instrumenter adds."""

from __future__ import annotations

import ast
from typing import Final, TypeVar

AnyNode = TypeVar("AnyNode", bound=ast.AST)

#: Prefix of our names; no Python identifier begins like this.
MARK: Final = "§"


def helper(name: str) -> str:
    """The name in instrumented code of one of our helpers."""
    return MARK + name


def helper_name(name: str) -> ast.Name:
    """The name of a helper, read."""
    return ast.Name(id=helper(name), ctx=ast.Load())


def at_place(made: AnyNode, place: ast.AST) -> AnyNode:
    """Give a new node, and new nodes below it, the place of what it stands for (tracebacks)."""
    stack: list[ast.AST] = [made]
    while stack:
        node = stack.pop()
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, place)
            stack.extend(ast.iter_child_nodes(node))
    return made


def call_helper(name: str, *args: ast.expr, at: ast.AST) -> ast.Call:
    """A call of a helper, at the place of what it replaces."""
    return at_place(ast.Call(func=helper_name(name), args=list(args), keywords=[]), at)


def int_literal(value: int) -> ast.Constant:
    """An integer."""
    return ast.Constant(value=value)


def statements(text: str, at: ast.AST, cost: int = 0) -> list[ast.stmt]:
    """Our own statements from text, in which ``S_`` stands for the mark."""
    body = ast.parse(text.replace("COST", str(cost))).body
    for statement in body:
        for node in ast.walk(statement):
            if "lineno" in node._attributes:
                ast.copy_location(node, at)
            if isinstance(node, ast.Name) and node.id.startswith("S_"):
                node.id = MARK + node.id[2:]
    return body


ENTRY: Final = """
S_state = S_current()
S_depth = S_state.depth
S_state.depth = S_depth + 1
S_state.owed += COST
if S_state.owed > S_batch: S_state.flush()
if S_depth >= S_depth_max: S_state.too_deep()
"""
TURN_CHARGE: Final = """
S_state.owed += COST
if S_state.owed > S_batch: S_state.flush()
"""
BACK: Final = "S_state.depth = S_depth"
CAUGHT: Final = "S_state.depth = S_depth + 1"


def read_name(name: str) -> ast.Name:
    """A name, read."""
    return ast.Name(id=name, ctx=ast.Load())


def write_name(name: str) -> ast.Name:
    """A name, bound."""
    return ast.Name(id=name, ctx=ast.Store())
