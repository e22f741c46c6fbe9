"""Which source is allowed: an allow-list of syntax, walked without recursion.

``check_module`` refuses with file, line and reason. What it does not know it refuses, so the new
syntax of a newer Python is refused too. Names are in ``names.py``, single nodes in ``nodes.py``.
"""

from __future__ import annotations

import ast
from typing import Final, NamedTuple

from chain.vm.sandbox.names import (
    BASES_ONLY,
    BUILTINS,
    HINTS,
    HOST_MAKERS,
    HOST_MODULES,
    is_open_name,
)
from chain.vm.sandbox.nodes import CHECKS, NodeRules, error_field, error_init
from chain.vm.sandbox.trees import child_fields

NODES_MAX: Final = 50_000  # of a module (F1, F8)
DEPTH_MAX: Final = 100  # nodes inside each other; Python itself refuses far later (F2, F3)

_ALLOWED: Final[frozenset[type[ast.AST]]] = frozenset(
    {
        *(ast.FunctionDef, ast.ClassDef, ast.Return, ast.Delete, ast.Assign, ast.AugAssign),
        *(ast.AnnAssign, ast.For, ast.While, ast.If, ast.Raise, ast.Try, ast.ImportFrom, ast.Expr),
        *(ast.Pass, ast.Break, ast.Continue, ast.Match, ast.BoolOp, ast.NamedExpr, ast.BinOp),
        *(ast.UnaryOp, ast.Lambda, ast.IfExp, ast.Dict, ast.ListComp, ast.DictComp),
        *(ast.GeneratorExp, ast.Compare, ast.Call, ast.FormattedValue, ast.JoinedStr, ast.Constant),
        *(ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple, ast.Slice),
        *(ast.comprehension, ast.ExceptHandler, ast.arguments, ast.arg, ast.keyword, ast.alias),
        *(ast.match_case, ast.MatchValue, ast.MatchSingleton, ast.MatchSequence, ast.MatchMapping),
        *(ast.MatchAs, ast.MatchOr, ast.Load, ast.Store, ast.Del, ast.And, ast.Or, ast.Add),
        *(ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift, ast.BitOr),
        *(ast.BitAnd, ast.BitXor, ast.Invert, ast.Not, ast.UAdd, ast.USub, ast.Eq, ast.NotEq),
        *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn),
    }
)
_IN_ANNOTATIONS: Final[frozenset[type[ast.AST]]] = frozenset(
    {ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.BitOr}
    | {ast.Constant, ast.Load}
)
_WHY_NOT: Final[dict[str, str]] = {
    "Div": "there is no /; use //",
    "MatMult": "there is no @",
    "Set": "there are no sets: their order differs; use a dict",
    "SetComp": "there are no sets: their order differs; use a dict",
    "Import": "only `from … import name` of listed modules",
    "Global": "there is no state between calls but storage",
    "Nonlocal": "there is no state between calls but storage",
    "Assert": "assert disappears under -O; raise a ContractError",
    "TryStar": "there is no except*",
    "With": "there is no with",
    "Yield": "there are no generators; return a list",
    "YieldFrom": "there are no generators; return a list",
    "Await": "there is no await",
    "AsyncFunctionDef": "there is no async",
    "AsyncFor": "there is no async",
    "AsyncWith": "there is no async",
    "MatchClass": "a class pattern reads attributes; match literals, sequences or mappings",
    "MatchStar": "a pattern cannot take the rest",
    "TypeAlias": "there are no type aliases",
}


_INIT: Final = "an __init__ is super().__init__(text), then self.field = value; errors only"


class Facts(NamedTuple):
    """What the loader must still look at when the module has run."""

    handlers: dict[str, int]  # names in except clauses: kinds of ContractError
    errors: dict[str, int]  # classes with an __init__: kinds of ContractError
    makers: dict[str, str]  # names given to host classes that copy, and their own


def check_module(file: str, tree: ast.Module) -> Facts:
    """Check a parsed module. Raises: ContractSourceError."""
    checker = _Module(file)
    checker.check(tree)
    return Facts(checker.handlers, checker.errors, checker.makers)


class _Module(NodeRules):
    """The rules over one module."""

    def check(self, tree: ast.Module) -> None:
        """All rules: the order of statements, then every node, then the names that are left."""
        for statement in tree.body:
            self.top(statement)
        self.walk(tree)
        for name in self.raised:
            if name.id not in self.module_names and name.id not in self.caught:
                self.refuse(name, f"raise takes an error class, not {name.id}")
        for name in self.loads:
            if name.id not in self.names and name.id not in BUILTINS:
                hint = HINTS.get(name.id)
                self.refuse(name, f"{name.id} is not available" + (f": {hint}" if hint else ""))
        for kind, line in self.handlers.items():
            if kind not in self.module_names:
                self.refuse(line, f"except takes names of error classes, not {kind}")

    def walk(self, tree: ast.Module) -> None:
        """Every node once, parents first."""
        count = 0
        stack: list[tuple[ast.AST, int, bool, int]] = [(s, 1, False, 0) for s in tree.body]
        stack.reverse()
        while stack:
            node, depth, annotation, line = stack.pop()
            line = getattr(node, "lineno", line)
            count += 1
            if count > NODES_MAX:
                self.refuse(line, f"more than {NODES_MAX} pieces of syntax in a module")
            if depth > DEPTH_MAX:
                self.refuse(line, f"nested more than {DEPTH_MAX} deep")
            self.node(node, annotation, line)
            depth += 1
            for field in reversed(child_fields(type(node))):
                value = getattr(node, field)
                noted = annotation or field in ("annotation", "returns")
                if value.__class__ is list:
                    for item in reversed(value):
                        if item is not None:
                            stack.append((item, depth, noted, line))
                elif value is not None:
                    stack.append((value, depth, noted, line))

    def node(self, node: ast.AST, annotation: bool, line: int) -> None:
        """One node: known, and allowed where it stands."""
        kind = type(node)
        if kind not in _ALLOWED:
            self.refuse(line, _WHY_NOT.get(kind.__name__, f"{kind.__name__} is not available"))
        if getattr(node, "type_params", None):
            self.refuse(line, "there are no type parameters")
        if isinstance(node, ast.ImportFrom | ast.ClassDef) and id(node) not in self.allowed:
            self.refuse(line, "imports and classes stand at the top of a module")
        if annotation:
            self.annotation(node, line)
        elif kind in CHECKS:
            CHECKS[kind](self, node)

    def annotation(self, node: ast.AST, line: int) -> None:
        """Names, subscripts and ``|`` (A10): annotations of fields are evaluated."""
        if type(node) not in _IN_ANNOTATIONS:
            self.refuse(line, "an annotation is names, subscripts and |")
        if isinstance(node, ast.Constant) and node.value is not None and node.value is not ...:
            self.refuse(line, "no text or number in an annotation: it would be evaluated later")
        if isinstance(node, ast.Name) and not is_open_name(node.id):
            self.refuse(line, f"the name {node.id} is private or not ASCII")
        if isinstance(node, ast.Attribute):
            self.attribute(node)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.BitOr):
            self.refuse(line, "an annotation is names, subscripts and |")

    # --- the top of a module ----------------------------------------------------------------------

    def top(self, node: ast.stmt) -> None:
        """Definitions, imports and constants only: loading is short by construction (C3, H)."""
        if isinstance(node, ast.ImportFrom):
            self.allowed.add(id(node))
            self.import_from(node)
        elif isinstance(node, ast.FunctionDef):
            self.module_names.add(node.name)
        elif isinstance(node, ast.ClassDef):
            self.allowed.add(id(node))
            self.bind(node.name, node)
            self.module_names.add(node.name)
            self.class_(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.top_target(target)
            self.constant(node.value)
        elif isinstance(node, ast.AnnAssign):
            self.top_target(node.target)
            if node.value is not None:
                self.constant(node.value)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            if type(node) not in _ALLOWED:
                self.node(node, False, node.lineno)  # says what is wrong with it
            self.refuse(node, "a module holds imports, definitions and constants")

    def top_target(self, node: ast.expr) -> None:
        """The one name of a constant."""
        if not isinstance(node, ast.Name):
            self.refuse(node, "a constant has one name")
        self.module_names.add(node.id)

    def import_from(self, node: ast.ImportFrom) -> None:
        """The form of an import (A11); the loader decides which modules and names there are."""
        if node.module == "__future__" and not node.level:
            if [alias.name for alias in node.names] != ["annotations"]:
                self.refuse(node, "nothing of __future__ but annotations")
            return
        for alias in node.names:
            if alias.name == "*":
                self.refuse(node, "name what you import")
            if not is_open_name(alias.name):
                self.refuse(node, f"the name {alias.name} is private or not ASCII")
            if alias.name in BASES_ONLY and alias.asname:
                self.refuse(node, f"{alias.name} is a base class and keeps its name")
            name = alias.asname or alias.name
            self.bind(name, node)
            self.module_names.add(name)
            if alias.name in HOST_MAKERS and not node.level and node.module in HOST_MODULES:
                self.makers[name] = alias.name

    def class_(self, node: ast.ClassDef) -> None:
        """Records, messages, words and errors: fields, constants, plain methods (A8, C7)."""
        if node.decorator_list:
            self.refuse(node.decorator_list[0], "there are no decorators")
        if node.keywords:
            self.refuse(node, "a class header takes no keywords")
        if len(node.bases) != 1 or not isinstance(node.bases[0], ast.Name):
            self.refuse(node, "a class has one base: Record, Message, Answer, ContractError …")
        if node.bases[0].id in BASES_ONLY:
            self.allowed.add(id(node.bases[0]))
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                self.field(item.target, item.value)
            elif isinstance(item, ast.Assign):
                for target in item.targets:
                    self.field(target, item.value)
            elif isinstance(item, ast.FunctionDef):
                self.allowed.add(id(item))
                if item.name == "__init__":
                    self.error_text(node, item)
            elif not isinstance(item, ast.Pass) and not (
                isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
            ):
                self.refuse(item, "a class holds fields, constants and methods")

    def field(self, target: ast.expr, value: ast.expr | None) -> None:
        """A field or a constant of a class; it may have the name of a built-in."""
        if not isinstance(target, ast.Name):
            self.refuse(target, "a class holds fields, constants and methods")
        if not is_open_name(target.id):
            self.refuse(target, f"the name {target.id} is private or not ASCII")
        self.allowed.add(id(target))
        if value is not None:
            self.constant(value)

    def error_text(self, owner: ast.ClassDef, node: ast.FunctionDef) -> None:
        """The one ``__init__`` there is: an error's, handing its text to ``super().__init__``.

        Beside that only ``self.field = value``.
        """
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        self.errors[owner.name] = node.lineno
        for number, statement in enumerate(body):
            call = error_init(statement) if number == 0 else None
            field = error_field(statement) if number > 0 else None
            if call is not None:
                if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Call):
                    self.allowed |= {id(call.func), id(call.func.value.func)}
            elif field is not None:
                if not is_open_name(field[0].attr) or field[0].attr in ("args", "text"):
                    self.refuse(statement, f"an error has no place for {field[0].attr}")
                self.allowed.add(id(field[0]))
            else:
                self.refuse(statement, _INIT)
        if not body:
            self.refuse(node, _INIT)
