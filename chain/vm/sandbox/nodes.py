"""The rules of single pieces of syntax; ``rules.py`` walks a module and applies them.

Letters in brackets are the parts of the threat model that a rule answers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NoReturn

from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.names import (
    ANNOTATION_ONLY,
    BASES_ONLY,
    BUILTINS,
    REFUSED_METHODS,
    TAKE_GENERATORS,
    is_open_name,
    why_not_attribute,
)

ARGUMENTS_MAX: Final = 255
INT_BITS_MAX: Final = 512  # also of every integer at run time
TEXT_MAX: Final = 65_536  # characters of a literal
STARS_MAX: Final = 8  # unpackings in one display or call
_SPEC: Final = re.compile(r"(0?[1-9][0-9]?)?[dxX]?|[<>^][1-9][0-9]?")
_LITERAL_KINDS: Final = (str, bytes, int, bool, type(None))


def children(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The nodes directly below, with the field that holds them."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield field, value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, ast.AST):
                    yield field, item


class NodeRules:
    """One check for each kind of node that needs one. ``names`` is all that the module binds."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.names: set[str] = set()
        self.module_names: set[str] = set()
        self.loads: list[ast.Name] = []
        self.allowed: set[int] = set()  # ids of nodes that their parent has vouched for
        self.raised: list[ast.Name] = []
        self.caught: set[str] = set()
        self.handlers: dict[str, int] = {}  # names in except clauses, and where
        self.errors: dict[str, int] = {}  # classes with an __init__, and where
        self.makers: dict[str, str] = {}  # names given to host classes that copy, and their own

    def refuse(self, node: ast.AST | int, reason: str) -> NoReturn:
        """Raises: ContractSourceError at the node's line."""
        line = node if isinstance(node, int) else getattr(node, "lineno", 0)
        raise ContractSourceError(self.file, line, reason)

    # --- names ------------------------------------------------------------------------------------

    def bind(self, name: str, node: ast.AST) -> None:
        """A name is bound: open, and not one of the room's own (A1, A2, I)."""
        if not is_open_name(name):
            self.refuse(node, f"the name {name} is private or not ASCII")
        if name in BUILTINS or name in ANNOTATION_ONLY:
            self.refuse(node, f"{name} is built in; take another name")
        if name in self.makers:
            self.refuse(node, f"{name} is imported; take another name")
        self.names.add(name)

    def name(self, node: ast.Name) -> None:
        """A name is read or bound."""
        if not is_open_name(node.id) and id(node) not in self.allowed:
            self.refuse(node, f"the name {node.id} is private or not ASCII")
        if isinstance(node.ctx, ast.Del):
            self.refuse(node, "a name cannot be deleted")
        if id(node) in self.allowed:
            return
        if node.id in BASES_ONLY:
            self.refuse(node, f"{node.id} is a base class")
        if isinstance(node.ctx, ast.Store):
            self.bind(node.id, node)
        else:
            self.loads.append(node)

    def attribute(self, node: ast.Attribute) -> None:
        """Read only, and none that reaches the interpreter (A1, A4, H)."""
        if not isinstance(node.ctx, ast.Load) and id(node) not in self.allowed:
            self.refuse(node, "attributes cannot be set: records are frozen")
        reason = None if id(node) in self.allowed else why_not_attribute(node.attr)
        if reason is not None:
            self.refuse(node, reason)

    def keyword(self, node: ast.keyword) -> None:
        """``f(**x)`` would take names from data (G)."""
        if node.arg is None:
            self.refuse(node, "no ** in a call: name the arguments")
        if not is_open_name(node.arg):
            self.refuse(node, f"the name {node.arg} is private or not ASCII")

    # --- functions --------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef) -> None:
        """No decorators (A9); the name is open, or the one ``__init__`` of an error."""
        if node.decorator_list:
            self.refuse(node.decorator_list[0], "there are no decorators")
        method = id(node) in self.allowed
        if not (method and node.name == "__init__"):
            if method and is_open_name(node.name):
                return
            self.bind(node.name, node)

    def arguments(self, node: ast.arguments) -> None:
        """Bounded, without ``**``, with constants for defaults (C3, H)."""
        listed = [*node.posonlyargs, *node.args, *node.kwonlyargs]
        if node.vararg is not None:
            listed.append(node.vararg)
        if node.kwarg is not None:
            self.refuse(node.kwarg, "no ** parameter: name the arguments")
        if len(listed) > ARGUMENTS_MAX:
            self.refuse(listed[0], f"more than {ARGUMENTS_MAX} parameters")
        for argument in listed:
            self.bind(argument.arg, argument)
        for default in [*node.defaults, *node.kw_defaults]:
            if default is not None:
                self.constant(default)

    def constant(self, node: ast.expr) -> None:
        """What may stand behind a module constant, a default or a class field."""
        stack: list[ast.AST] = [node]
        while stack:
            here = stack.pop()
            if isinstance(here, ast.Lambda):
                continue
            if not isinstance(here, _CONSTANT_NODES):
                self.refuse(node, "not a constant: literals, records and storage declarations are")
            if isinstance(here, ast.Call) and not _calls_a_class(here):
                self.refuse(here, "a constant calls only classes and storage declarations")
            stack.extend(child for _, child in children(here))

    # --- statements -------------------------------------------------------------------------------

    def assign(self, node: ast.Assign) -> None:
        """Names, one level of unpacking, or one place in a container."""
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            self.place(node.targets[0])
            return
        for target in node.targets:
            if id(target) not in self.allowed:
                self.target(target, star=True)

    def aug_assign(self, node: ast.AugAssign) -> None:
        """A name, or a place in a container."""
        if isinstance(node.target, ast.Subscript):
            self.place(node.target)
        elif not isinstance(node.target, ast.Name):
            self.refuse(node, "attributes cannot be set: records are frozen")
        else:
            self.loads.append(node.target)

    def ann_assign(self, node: ast.AnnAssign) -> None:
        """A name."""
        if not isinstance(node.target, ast.Name):
            self.refuse(node, "only a name is annotated")

    def for_loop(self, node: ast.For | ast.comprehension) -> None:
        """Targets are names; not async."""
        if isinstance(node, ast.comprehension) and node.is_async:
            self.refuse(node.target, "there is no async")
        self.target(node.target, star=False)

    def target(self, node: ast.expr, *, star: bool) -> None:
        """A name or a tuple of names; at the top of an assignment one may take the rest."""
        if isinstance(node, ast.Name):
            return
        if isinstance(node, ast.Tuple | ast.List):
            for item in node.elts:
                if star and isinstance(item, ast.Starred) and isinstance(item.value, ast.Name):
                    self.allowed.add(id(item))
                else:
                    self.target(item, star=False)
            return
        if isinstance(node, ast.Attribute):
            self.refuse(node, "attributes cannot be set: records are frozen")
        self.refuse(node, "only names are assigned here")

    def place(self, node: ast.Subscript) -> None:
        """``x[key]``, no slice."""
        self.allowed.add(id(node))
        if isinstance(node.slice, ast.Slice):
            self.refuse(node, "a slice cannot be assigned or deleted")

    def delete(self, node: ast.Delete) -> None:
        """One place in a container."""
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                self.refuse(node, "only del container[key]")
            self.place(target)

    def raise_(self, node: ast.Raise) -> None:
        """A fresh error, a class of errors, or the one that was caught (A13)."""
        if node.exc is not None and not isinstance(node.exc, ast.Call | ast.Name):
            self.refuse(node, "raise takes an error class or a call that makes an error")
        if isinstance(node.exc, ast.Name):
            self.raised.append(node.exc)
        if node.cause is not None and not (
            isinstance(node.cause, ast.Name)
            or (isinstance(node.cause, ast.Constant) and node.cause.value is None)
        ):
            self.refuse(node, "raise … from takes the caught error or None")

    def try_(self, node: ast.Try) -> None:
        """No finally (B1, B6, F4)."""
        if node.finalbody:
            self.refuse(node.finalbody[0], "there is no finally: it would run after out of gas")

    def handler(self, node: ast.ExceptHandler) -> None:
        """Error classes by name (B2); the loader checks that they are kinds of ContractError."""
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        for kind in kinds:
            if not isinstance(kind, ast.Name):
                self.refuse(node, "except takes the names of ContractError or its kinds")
            self.handlers.setdefault(kind.id, node.lineno)
            if is_open_name(kind.id):
                self.allowed.add(id(kind))
        if node.name is not None:
            self.bind(node.name, node)
            self.caught.add(node.name)

    # --- expressions ------------------------------------------------------------------------------

    def literal(self, node: ast.Constant) -> None:
        """Text, bytes, integers of 512 bits, True, False, None (F5, G)."""
        value = node.value
        if type(value) not in _LITERAL_KINDS:
            kind = type(value).__name__
            self.refuse(node, f"no {kind} literal: text, bytes and integers only")
        if isinstance(value, int) and value.bit_length() > INT_BITS_MAX:
            self.refuse(node, f"an integer of more than {INT_BITS_MAX} bits")
        if isinstance(value, str | bytes) and len(value) > TEXT_MAX:
            self.refuse(node, f"a literal longer than {TEXT_MAX}")

    def formatted(self, node: ast.FormattedValue) -> None:
        """Values with a constant width at most (A3, D)."""
        if node.conversion != -1:
            self.refuse(node, "no ! in an f-string: the text of an object differs")
        spec = node.format_spec
        if spec is None:
            return
        parts = spec.values if isinstance(spec, ast.JoinedStr) else []
        if len(parts) != 1 or not isinstance(parts[0], ast.Constant):
            self.refuse(node, "the format in an f-string is a constant")
        if not _SPEC.fullmatch(str(parts[0].value)):
            self.refuse(node, "formats are a width below 100 and d, x or X")

    def compare(self, node: ast.Compare) -> None:
        """``is`` only with None, True, False (G)."""
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, ast.Is | ast.IsNot) and not (_singleton(left) or _singleton(right)):
                self.refuse(node, "is compares only with None, True and False; use ==")
            left = right

    def binary(self, node: ast.BinOp) -> None:
        """``%`` is a remainder (A3)."""
        left = node.left.value if isinstance(node.left, ast.Constant) else None
        text = isinstance(left, str | bytes) or isinstance(node.left, ast.JoinedStr)
        if text and isinstance(node.op, ast.Mod):
            self.refuse(node, "no % on text; use an f-string")

    def call(self, node: ast.Call) -> None:
        """Bounded; a generator expression only where it is used up at once (E3)."""
        func = node.func
        if len(node.args) + len(node.keywords) > ARGUMENTS_MAX:
            self.refuse(node, f"more than {ARGUMENTS_MAX} arguments")
        self.stars(node, node.args)
        taker = func.id if isinstance(func, ast.Name) else ""
        if isinstance(func, ast.Attribute):
            taker = func.attr if func.attr == "join" else ""
            if func.attr in REFUSED_METHODS:
                self.refuse(node, f"no .{func.attr}(): {REFUSED_METHODS[func.attr]}")
        if taker in TAKE_GENERATORS and node.args and isinstance(node.args[0], ast.GeneratorExp):
            self.allowed.add(id(node.args[0]))
        if taker == "isinstance" and len(node.args) == 2:
            kinds = node.args[1].elts if isinstance(node.args[1], ast.Tuple) else [node.args[1]]
            for kind in kinds:
                if not isinstance(kind, ast.Name | ast.Attribute):
                    self.refuse(node, "isinstance takes the names of types")

    def generator(self, node: ast.GeneratorExp) -> None:
        """Only as the argument of what uses it up."""
        if id(node) not in self.allowed:
            self.refuse(node, "a generator expression only inside sum, any, all, list, … ; use [ ]")

    def stars(self, node: ast.expr, items: list[ast.expr]) -> None:
        """Unpacking in a call or a display: counted (C5, F8)."""
        found = [item for item in items if isinstance(item, ast.Starred)]
        if len(found) > STARS_MAX:
            self.refuse(node, f"more than {STARS_MAX} unpackings in one place")
        self.allowed |= {id(item) for item in found}

    def display(self, node: ast.List | ast.Tuple) -> None:
        """A list or a tuple."""
        self.stars(node, node.elts)

    def mapping(self, node: ast.Dict) -> None:
        """A dictionary."""
        if sum(1 for key in node.keys if key is None) > STARS_MAX:
            self.refuse(node, f"more than {STARS_MAX} unpackings in one place")

    def starred(self, node: ast.Starred) -> None:
        """Only where the parent said so."""
        if id(node) not in self.allowed:
            self.refuse(node, "no * here")

    def subscript(self, node: ast.Subscript) -> None:
        """One index or one slice."""
        if not isinstance(node.ctx, ast.Load) and id(node) not in self.allowed:
            self.refuse(node, "only one place is assigned at a time")

    # --- match ------------------------------------------------------------------------------------

    def match_value(self, node: ast.MatchValue) -> None:
        """Literals (A6)."""
        value = node.value.operand if isinstance(node.value, ast.UnaryOp) else node.value
        if not isinstance(value, ast.Constant):
            self.refuse(node, "a pattern compares with literals")

    def match_mapping(self, node: ast.MatchMapping) -> None:
        """Literal keys; the rest is not taken."""
        if node.rest is not None:
            self.refuse(node, "a pattern cannot take the rest")
        for key in node.keys:
            if not isinstance(key, ast.Constant):
                self.refuse(node, "a pattern compares with literals")

    def match_as(self, node: ast.MatchAs) -> None:
        """A capture."""
        if node.name is not None:
            self.bind(node.name, node)


def error_init(node: ast.stmt) -> ast.Call | None:
    """The call when a statement is ``super().__init__(text)``."""
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Call(func=ast.Name(id="super"), args=[], keywords=[]),
                    attr="__init__",
                ),
                args=[_],
                keywords=[],
            ) as call
        ):
            return call
    return None


def error_field(node: ast.stmt) -> tuple[ast.Attribute, ast.expr] | None:
    """The place and the value when a statement is ``self.field = value``."""
    match node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self")) as place], value=value):
            return place, value
    return None


_CONSTANT_NODES: Final = (
    *(ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Name, ast.Attribute, ast.Call, ast.UnaryOp),
    *(ast.BinOp, ast.Subscript, ast.keyword, ast.operator, ast.unaryop, ast.expr_context),
)


def _calls_a_class(node: ast.Call) -> bool:
    """``Item(…)``, ``Uint128(5)``, ``Bound.exclusive(…)``: the name begins with a capital."""
    func = node.func
    while isinstance(func, ast.Attribute):
        func = func.value
    return isinstance(func, ast.Name) and func.id[:1].isupper()


def _singleton(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


CHECKS: Final[dict[type[ast.AST], Callable[[Any, Any], None]]] = {
    ast.Name: NodeRules.name,
    ast.Attribute: NodeRules.attribute,
    ast.keyword: NodeRules.keyword,
    ast.FunctionDef: NodeRules.function,
    ast.arguments: NodeRules.arguments,
    ast.Assign: NodeRules.assign,
    ast.AugAssign: NodeRules.aug_assign,
    ast.AnnAssign: NodeRules.ann_assign,
    ast.For: NodeRules.for_loop,
    ast.comprehension: NodeRules.for_loop,
    ast.Delete: NodeRules.delete,
    ast.Raise: NodeRules.raise_,
    ast.Try: NodeRules.try_,
    ast.ExceptHandler: NodeRules.handler,
    ast.Constant: NodeRules.literal,
    ast.FormattedValue: NodeRules.formatted,
    ast.Compare: NodeRules.compare,
    ast.BinOp: NodeRules.binary,
    ast.Call: NodeRules.call,
    ast.GeneratorExp: NodeRules.generator,
    ast.List: NodeRules.display,
    ast.Tuple: NodeRules.display,
    ast.Dict: NodeRules.mapping,
    ast.Starred: NodeRules.starred,
    ast.Subscript: NodeRules.subscript,
    ast.MatchValue: NodeRules.match_value,
    ast.MatchMapping: NodeRules.match_mapping,
    ast.MatchAs: NodeRules.match_as,
}
