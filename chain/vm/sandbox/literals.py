"""What the tree alone says about the size of values: operators, literals, arithmetic on them."""

from __future__ import annotations

import ast
from typing import Final

from chain.vm.sandbox.nodes import INT_BITS_MAX
from chain.vm.sandbox.trees import at_place, call_helper

#: Operators and comparisons that go through a helper, and its name.
OPERATORS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "power",
    ast.LShift: "shift_left",
    ast.BitOr: "bit_or",
    ast.BitAnd: "bit_and",
    ast.BitXor: "bit_xor",
}
COMPARISONS: Final[dict[type[ast.AST], str]] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
#: Calls whose answer is small, so that comparing with it is quick.
_SMALL_CALLS: Final = frozenset({"len", "ord", "isinstance", "bool"})


def fold(node: ast.expr) -> int | None:
    """The value of integer arithmetic on literals, when it has at most 512 bits (F7)."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = fold(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp):
        return None
    left, right = fold(node.left), fold(node.right)
    if left is None or right is None:
        return None
    value = _apply(node.op, left, right)
    return value if value is not None and value.bit_length() <= INT_BITS_MAX else None


def _apply(op: ast.operator, left: int, right: int) -> int | None:
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Sub):
        return left - right
    if isinstance(op, ast.Mult):
        return left * right
    if isinstance(op, ast.Pow) and right >= 0 and right * left.bit_length() <= INT_BITS_MAX:
        return int(left**right)
    if isinstance(op, ast.LShift) and 0 <= right <= INT_BITS_MAX:
        return left << right
    return None


def adds(op: ast.operator) -> bool:
    """``+`` or ``-``."""
    return isinstance(op, ast.Add | ast.Sub)


def small_int(node: ast.expr) -> bool:
    """A literal below 2^64: adding it to anything cannot be large."""
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value < 1 << 64


def small(node: ast.expr) -> bool:
    """Whether comparing with it is quick whatever stands on the other side."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not) or small(node.operand)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _SMALL_CALLS
    return fold(node) is not None


def constant_display(node: ast.expr) -> bool:
    """A literal, or a tuple or list of literals: looking into it is quick."""
    if isinstance(node, ast.Constant):
        return True
    return isinstance(node, ast.Tuple | ast.List) and all(
        isinstance(item, ast.Constant) for item in node.elts
    )


def literal_index(node: ast.expr) -> bool:
    """``x[0]``, ``x[-1]``, ``x["a"]``."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


def is_empty(node: ast.expr) -> bool:
    """``[]`` or ``{}``: as the default of a field, each record makes its own."""
    return (isinstance(node, ast.List) and not node.elts) or (
        isinstance(node, ast.Dict) and not node.keys
    )


def takes_rest(node: ast.expr) -> bool:
    """``a, *b = …``."""
    return isinstance(node, ast.Tuple | ast.List) and any(
        isinstance(item, ast.Starred) for item in node.elts
    )


def comparison(node: ast.Compare, *, quick: bool) -> ast.expr:
    """One comparison, through a helper unless one side is known to be small."""
    op, left, right = node.ops[0], node.left, node.comparators[0]
    if isinstance(op, ast.In | ast.NotIn):
        if constant_display(right):
            return node
        made = call_helper("contains", left, right, at=node)
        if isinstance(op, ast.In):
            return made
        return at_place(ast.UnaryOp(op=ast.Not(), operand=made), node)
    if type(op) in COMPARISONS and not quick:
        return call_helper(COMPARISONS[type(op)], left, right, at=node)
    return node
