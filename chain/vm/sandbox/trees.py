"""Making syntax: small builders for what the instrumenter adds, and a quick look at nodes."""

from __future__ import annotations

import ast
from typing import Any, Final, TypeVar

AnyNode = TypeVar("AnyNode", bound=ast.AST)

#: Prefix of our names; no Python identifier begins like this.
MARK: Final = "§"
#: Fields that hold no nodes that anybody looks at.
_PLAIN: Final = frozenset(
    {"arg", "asname", "attr", "ctx", "id", "is_async", "kind", "level", "module", "conversion"}
    | {"type_comment", "simple", "name", "names", "rest", "kwd_attrs"}
)
_PLACE: Final = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_fields: dict[type[ast.AST], tuple[str, ...]] = {}


def child_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that hold nodes, or lists of them."""
    found = _fields.get(kind)
    if found is None:
        plain = {*_PLAIN, "value"} if kind in (ast.Constant, ast.MatchSingleton) else _PLAIN
        found = _fields[kind] = tuple(field for field in kind._fields if field not in plain)
    return found


def helper(name: str) -> str:
    """The name in instrumented code of one of our helpers."""
    return MARK + name


def at_place(made: AnyNode, place: ast.AST) -> AnyNode:
    """Give a new node the place of what it stands for: tracebacks and coverage use it."""
    for field in _PLACE:
        setattr(made, field, getattr(place, field))
    return made


def name_at(name: str, place: ast.AST) -> ast.Name:
    """A name, read."""
    return at_place(ast.Name(id=name, ctx=ast.Load()), place)


def target_at(name: str, place: ast.AST) -> ast.Name:
    """A name, bound."""
    return at_place(ast.Name(id=name, ctx=ast.Store()), place)


def literal(value: Any, place: ast.AST) -> ast.Constant:
    """A constant."""
    return at_place(ast.Constant(value=value), place)


def call_helper(name: str, *args: ast.expr, at: ast.AST) -> ast.Call:
    """A call of a helper, at the place of what it replaces."""
    func = name_at(helper(name), at)
    return at_place(ast.Call(func=func, args=list(args), keywords=[]), at)


def function_entry(cost: int, place: ast.AST) -> list[ast.stmt]:
    """Charge a function and count its depth::

    state = current()
    depth = state.depth
    state.depth = depth + 1
    state.owed += cost
    if state.owed > batch: state.flush()
    if depth >= depth_max: state.too_deep()
    """
    make = _Maker(place)
    deep = make.compare(make.name("depth"), ast.GtE(), "depth_max")
    return [
        make.assign("state", make.call(make.name("current"))),
        make.assign("depth", make.state("depth")),
        depth_is_one_more(place),
        *turn_charge(cost, place),
        make.when(deep, make.call(make.state("too_deep"))),
    ]


def turn_charge(cost: int, place: ast.AST) -> list[ast.stmt]:
    """``state.owed += cost`` and ``if state.owed > batch: state.flush()``."""
    make = _Maker(place)
    owe = ast.AugAssign(
        target=make.state("owed", ast.Store()), op=ast.Add(), value=literal(cost, place)
    )
    full = make.compare(make.state("owed"), ast.Gt(), "batch")
    return [at_place(owe, place), make.when(full, make.call(make.state("flush")))]


def depth_is_own(place: ast.AST) -> ast.stmt:
    """``state.depth = depth``: the function ends."""
    make = _Maker(place)
    target = make.state("depth", ast.Store())
    return at_place(ast.Assign(targets=[target], value=make.name("depth")), place)


def depth_is_one_more(place: ast.AST) -> ast.stmt:
    """``state.depth = depth + 1``: the function runs."""
    make = _Maker(place)
    target = make.state("depth", ast.Store())
    more = ast.BinOp(left=make.name("depth"), op=ast.Add(), right=literal(1, place))
    return at_place(ast.Assign(targets=[target], value=at_place(more, place)), place)


class _Maker:
    """Our own statements at one place."""

    def __init__(self, place: ast.AST) -> None:
        self.place = place

    def name(self, name: str) -> ast.Name:
        return name_at(helper(name), self.place)

    def state(self, field: str, ctx: ast.expr_context | None = None) -> ast.Attribute:
        node = ast.Attribute(value=self.name("state"), attr=field, ctx=ctx or ast.Load())
        return at_place(node, self.place)

    def call(self, function: ast.expr) -> ast.Call:
        return at_place(ast.Call(func=function, args=[], keywords=[]), self.place)

    def assign(self, name: str, value: ast.expr) -> ast.stmt:
        target = target_at(helper(name), self.place)
        return at_place(ast.Assign(targets=[target], value=value), self.place)

    def compare(self, left: ast.expr, op: ast.cmpop, right: str) -> ast.expr:
        return at_place(
            ast.Compare(left=left, ops=[op], comparators=[self.name(right)]), self.place
        )

    def when(self, test: ast.expr, then: ast.expr) -> ast.stmt:
        body = at_place(ast.Expr(value=then), self.place)
        return at_place(ast.If(test=test, body=[body], orelse=[]), self.place)
