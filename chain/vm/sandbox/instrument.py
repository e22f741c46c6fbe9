"""Rewriting a checked module so that its compute is charged and its values are bounded.

What is added calls helpers whose names source cannot spell (C9); ``room.py`` binds them. Charges
are counted on the tree, never on frames or bytecode, so every Python version agrees (C8):

* a function costs ``CALL`` and the syntax of its body when it is entered, and a level of depth;
* a turn of a loop or comprehension costs ``TURN`` and the syntax of its body, before the turn;
* operators, methods and built-ins on values of unknown size go through helpers that charge by size.

Only function bodies are rewritten; constants and defaults are frozen as they are bound (H).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, Final

from chain.vm.sandbox.literals import (
    OPERATORS,
    adds,
    comparison,
    fold,
    is_empty,
    literal_index,
    small,
    small_int,
    takes_rest,
)
from chain.vm.sandbox.names import GUARDED, PLAIN_TYPES, TYPES
from chain.vm.sandbox.nodes import error_field, error_init
from chain.vm.sandbox.trees import (
    MARK,
    at_place,
    call_helper,
    depth_is_one_more,
    depth_is_own,
    function_entry,
    helper,
    literal,
    name_at,
    target_at,
    turn_charge,
)
from chain.vm.sandbox.weights import CALL, LAMBDA, TURN, cost_of, weigh

#: Iterators that stay lazy straight in a loop.
_LAZY: Final = frozenset({"enumerate", "reversed", "zip"})
#: Class methods of built-in types that source may call on the type itself.
_TYPE_METHODS: Final = frozenset({"from_base64", "from_bytes", "fromhex"})


def instrument(tree: ast.Module, makers: Mapping[str, str]) -> ast.Module:
    """Rewrite a checked module in place and give it back. ``makers``: names that it gives to host
    classes which copy, and the classes' own names.
    """
    weigh(tree)
    rewriter = _Rewriter(makers)
    tree.body = [rewriter.top(node) for node in tree.body]
    return tree


class _Rewriter(ast.NodeTransformer):
    """Recursive, which is safe: the rules bound nesting, and compiling has a thread of its own."""

    def __init__(self, makers: Mapping[str, str]) -> None:
        self.makers = makers
        self.temporaries = 0
        self.owner = ""  # the class whose methods are rewritten

    # --- module and class level -------------------------------------------------------------------

    def top(self, node: ast.stmt) -> ast.stmt:
        """A statement of a module or of a class."""
        if isinstance(node, ast.FunctionDef):
            return self.function(node)
        if isinstance(node, ast.ClassDef):
            self.owner = node.name
            node.body = [self.field(item) for item in node.body]
        elif isinstance(node, ast.Assign):
            node.value = self.frozen(node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is None:
                return at_place(ast.Pass(), node)
            return at_place(ast.Assign(targets=[node.target], value=self.frozen(node.value)), node)
        return node

    def field(self, node: ast.stmt) -> ast.stmt:
        """A statement of a class; annotations stay, for they are the fields."""
        if isinstance(node, ast.AnnAssign):
            if node.value is not None and not is_empty(node.value):
                node.value = self.frozen(node.value)
            return node
        return self.top(node)

    def frozen(self, node: ast.expr) -> ast.expr:
        """A constant of a module: folded, and frozen unless it is a plain literal."""
        node = _Constants(self).visit(node)
        if isinstance(node, ast.Constant):
            return node
        return call_helper("freeze", node, at=node)

    # --- functions --------------------------------------------------------------------------------

    def function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Charge the entry, count the depth, and undo the count however the function ends."""
        body = node.body
        start = body[1] if ast.get_docstring(node) is not None and len(body) > 1 else body[0]
        if node.name == "__init__":
            node.body = [self.error_part(node, item) for item in body[body.index(start) :]]
            self.signature(node.args)
            return node
        self.signature(node.args)
        node.returns = None
        guard = ast.Try(
            body=self.block(body), handlers=[], orelse=[], finalbody=[depth_is_own(start)]
        )
        entry = function_entry(CALL + cost_of(node), start)
        node.body = [*entry, at_place(guard, start)]
        return node

    def error_part(self, node: ast.FunctionDef, item: ast.stmt) -> ast.stmt:
        """``super().__init__(text)`` and ``self.field = value`` of an error, without ``super``."""
        this = node.args.args[0].arg if node.args.args else "self"
        owner = name_at(self.owner, item)
        text, field = error_init(item), error_field(item)
        if text is not None:
            value = self.visit(text.args[0])
            made = call_helper("error_init", owner, name_at(this, item), value, at=item)
        elif field is not None:
            name, value = literal(field[0].attr, item), self.visit(field[1])
            made = call_helper("error_set", name_at(this, item), name, value, at=item)
        else:
            return item
        return at_place(ast.Expr(value=made), item)

    def signature(self, arguments: ast.arguments) -> None:
        """Annotations are dropped, defaults are frozen."""
        listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in [*listed, *([arguments.vararg] if arguments.vararg else [])]:
            argument.annotation = None
        arguments.defaults = [self.frozen(item) for item in arguments.defaults]
        arguments.kw_defaults = [
            None if item is None else self.frozen(item) for item in arguments.kw_defaults
        ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """A function inside a function."""
        return self.function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """``§leave(§enter(cost), body)``: a lambda that raises is undone by whoever catches."""
        cost = LAMBDA + cost_of(node)
        self.signature(node.args)
        body = self.visit(node.body)
        entry = call_helper("lambda_enter", literal(cost, node.body), at=node.body)
        node.body = call_helper("lambda_leave", entry, body, at=node.body)
        return node

    # --- statements -------------------------------------------------------------------------------

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Statements of a block."""
        flat: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            flat += made if isinstance(made, list) else [made]
        return flat

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """The annotation goes; a declaration without a value binds nothing."""
        if node.value is None:
            return at_place(ast.Pass(), node)
        return at_place(ast.Assign(targets=[node.target], value=self.visit(node.value)), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """Places in containers go through a helper; an unpacking that takes the rest is charged."""
        value = self.visit(node.value)
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            place, index = self.visit(target.value), self.visit(target.slice)
            stored = call_helper("store", value, place, index, at=node)
            return at_place(ast.Expr(value=stored), node)
        if any(takes_rest(item) for item in node.targets):
            value = call_helper("unpacked", value, at=node.value)
        node.value = value
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """``x += y`` is ``x = §iadd(x, y)``; a place in a container is looked up once."""
        name = "iadd" if isinstance(node.op, ast.Add) else OPERATORS.get(type(node.op))
        if isinstance(node.target, ast.Name):
            if name is None or (adds(node.op) and small_int(node.value)):
                node.value = self.visit(node.value)
                return node
            read = name_at(node.target.id, node.target)
            total = call_helper(name, read, self.visit(node.value), at=node)
            return at_place(ast.Assign(targets=[node.target], value=total), node)
        if not isinstance(node.target, ast.Subscript):
            return node
        place, index = self.temporary(), self.temporary()
        old = call_helper("load", name_at(place, node), name_at(index, node), at=node)
        new: ast.expr = self.visit(node.value)
        value: ast.expr = at_place(ast.BinOp(left=old, op=node.op, right=new), node)
        if name is not None:
            value = call_helper(name, old, new, at=node)
        store = call_helper("store", value, name_at(place, node), name_at(index, node), at=node)
        first = ast.Assign(targets=[target_at(place, node)], value=self.visit(node.target.value))
        second = ast.Assign(targets=[target_at(index, node)], value=self.visit(node.target.slice))
        return [at_place(part, node) for part in (first, second, ast.Expr(value=store))]

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Without a cause: errors that hold errors would be a chain without end."""
        node.cause = None if node.cause is None else literal(None, node)
        return self.generic_visit(node)

    def visit_Delete(self, node: ast.Delete) -> Any:
        """``del container[key]``."""
        made = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                place, index = self.visit(target.value), self.visit(target.slice)
                deleted = call_helper("delete", place, index, at=node)
                made.append(at_place(ast.Expr(value=deleted), node))
        return made

    def visit_For(self, node: ast.For) -> ast.For:
        """The iterable is wrapped; the loop body is rewritten."""
        node.iter = self.turns(node.iter, "turns", TURN + cost_of(node))
        node.body = self.block(node.body)
        node.orelse = self.block(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        """Each turn is charged first thing in the body."""
        cost = TURN + cost_of(node)
        node.test = self.visit(node.test)
        node.body = [*turn_charge(cost, node.body[0]), *self.block(node.body)]
        node.orelse = self.block(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        """A branch."""
        node.test = self.visit(node.test)
        node.body = self.block(node.body)
        node.orelse = self.block(node.orelse)
        return node

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """A handler puts the depth back: a lambda may have raised."""
        node.body = self.block(node.body)
        for handler in node.handlers:
            start = handler.body[0]
            handler.body = [depth_is_one_more(start), *self.block(handler.body)]
        node.orelse = self.block(node.orelse)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        """One case."""
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = self.block(node.body)
        return node

    # --- expressions ------------------------------------------------------------------------------

    def temporary(self) -> str:
        """A fresh local name."""
        self.temporaries += 1
        return f"{MARK}{self.temporaries}"

    def turns(self, iterable: ast.expr, name: str, cost: int) -> ast.expr:
        """Wrap an iterable; ``enumerate`` and the like stay lazy where a loop uses them up."""
        if (
            isinstance(iterable, ast.Call)
            and isinstance(iterable.func, ast.Name)
            and iterable.func.id in _LAZY
        ):
            iterable.func.id = helper(f"lazy_{iterable.func.id}")
        return call_helper(name, self.visit(iterable), literal(cost, iterable), at=iterable)

    def comprehension(self, node: Any, name: str) -> None:
        """The iterables; the last one fills the room for values unless items are filtered."""
        filtered = any(generator.ifs for generator in node.generators)
        for generator in node.generators:
            last = generator is node.generators[-1] and not filtered
            cost = TURN + cost_of(generator)
            generator.iter = self.turns(generator.iter, name if last else "turns", cost)
            generator.ifs = [self.visit(test) for test in generator.ifs]
        for field in ("elt", "value"):
            if hasattr(node, field):
                item = self.visit(getattr(node, field))
                if filtered and name == "made_turns":
                    item = call_helper("cell", item, at=item)
                setattr(node, field, item)
        if hasattr(node, "key"):
            node.key = self.key(node.key)

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        """A list."""
        self.comprehension(node, "made_turns")
        return call_helper("made", node, at=node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        """A dictionary."""
        self.comprehension(node, "made_turns")
        return call_helper("made", node, at=node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        """Only ``any`` and ``all`` reach this; elsewhere ``visit_Call`` has made a list of it."""
        self.comprehension(node, "turns")
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """Through a helper, unless both sides are constants or the result is hardly larger."""
        folded = fold(node)
        if folded is not None:
            return literal(folded, node)
        name = OPERATORS.get(type(node.op))
        hardly = adds(node.op) and (small_int(node.left) or small_int(node.right))
        node.left, node.right = self.visit(node.left), self.visit(node.right)
        if name is None or hardly:
            return node
        return call_helper(name, node.left, node.right, at=node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Each comparison of a chain by itself; the middle operands are looked at once."""
        tests: list[ast.expr] = []
        left: ast.expr = node.left
        small_left = small(left)
        left = self.visit(left)
        last = len(node.ops) - 1
        for number, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            small_right = small(right)
            right_new = self.visit(right)
            again: ast.expr | None = None
            if number < last:
                if isinstance(right_new, ast.Name | ast.Constant):
                    again = right_new
                else:
                    name = self.temporary()
                    kept = ast.NamedExpr(target=target_at(name, node), value=right_new)
                    right_new = at_place(kept, right)
                    again = at_place(name_at(name, node), right)
            pair = ast.Compare(left=left, ops=[op], comparators=[right_new])
            tests.append(comparison(at_place(pair, node), quick=small_left or small_right))
            if again is not None:
                left, small_left = again, small_right
        if len(tests) == 1:
            return tests[0]
        return at_place(ast.BoolOp(op=ast.And(), values=tests), node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Methods and makers through helpers; unpacked arguments are counted."""
        func = node.func
        if isinstance(func, ast.Name) and func.id == "isinstance":
            node.args[0] = self.visit(node.args[0])
            return node
        short_circuit = isinstance(func, ast.Name) and func.id in ("any", "all")
        for number, argument in enumerate(node.args):
            if isinstance(argument, ast.GeneratorExp) and not short_circuit:
                as_list = ast.ListComp(elt=argument.elt, generators=argument.generators)
                node.args[number] = ast.copy_location(as_list, argument)
        node.args = [self.argument(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if isinstance(func, ast.Attribute) and func.attr in GUARDED:
            receiver: ast.expr = func.value
            if not self.on_type(receiver, func.attr):
                receiver = self.visit(receiver)
            node.func = name_at(helper(f"m_{func.attr}"), func)
            node.args.insert(0, receiver)
        elif self.plain_event(node):
            pass  # copies nothing
        else:
            node.func = self.visit(func)
        return node

    def on_type(self, receiver: ast.expr, name: str) -> bool:
        """``int.from_bytes``, ``Binary.from_base64``: the class itself is meant."""
        if not isinstance(receiver, ast.Name):
            return False
        return receiver.id in self.makers or (receiver.id in TYPES and name in _TYPE_METHODS)

    def plain_event(self, node: ast.Call) -> bool:
        """``Event(type)`` without attributes."""
        named = isinstance(node.func, ast.Name) and self.makers.get(node.func.id) == "Event"
        return named and len(node.args) == 1 and not node.keywords

    def argument(self, node: ast.expr) -> ast.expr:
        """One argument of a call."""
        if isinstance(node, ast.Starred):
            node.value = call_helper("arguments", self.visit(node.value), at=node)
            return node
        return self.visit(node)  # type: ignore[no-any-return]

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A field; a name that built-in values have as a method is looked at."""
        if not (isinstance(node.value, ast.Name) and node.value.id in self.makers):
            node.value = self.visit(node.value)
        if node.attr in GUARDED:
            return call_helper("attribute", node.value, literal(node.attr, node), at=node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A built-in type in a function body is its charging maker."""
        if node.id in TYPES and node.id not in PLAIN_TYPES and isinstance(node.ctx, ast.Load):
            node.id = helper(f"new_{node.id}")
        elif node.id in self.makers and isinstance(node.ctx, ast.Load):
            node.id = helper(f"new_{self.makers[node.id]}")
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """An index that is a literal is plain; a slice is charged by what it copies."""
        container = self.visit(node.value)
        part = node.slice
        if isinstance(part, ast.Slice):
            bounds = [
                literal(None, node) if bound is None else self.visit(bound)
                for bound in (part.lower, part.upper, part.step)
            ]
            return call_helper("cut", container, *bounds, at=node)
        if literal_index(part):
            node.value = container
            return node
        return call_helper("load", container, self.visit(part), at=node)

    def key(self, node: ast.expr) -> ast.expr:
        """A key of a dictionary that is being made."""
        if isinstance(node, ast.Constant):
            return node
        return call_helper("key", self.visit(node), at=node)

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        """Keys are plain; unpacked dictionaries are counted."""
        stars = False
        for number, key in enumerate(node.keys):
            value = self.visit(node.values[number])
            if key is None:
                stars = True
                node.values[number] = call_helper("unpacked_mapping", value, at=value)
            else:
                node.keys[number] = self.key(key)
                node.values[number] = value
        return call_helper("made", node, at=node) if stars else node

    def display(self, node: ast.List | ast.Tuple) -> ast.expr:
        """Unpacked parts are counted."""
        stars = False
        for number, item in enumerate(node.elts):
            if isinstance(item, ast.Starred):
                stars = True
                item.value = call_helper("unpacked", self.visit(item.value), at=item)
            else:
                node.elts[number] = self.visit(item)
        return call_helper("made", node, at=node) if stars else node

    def visit_List(self, node: ast.List) -> ast.expr:
        """A list."""
        return self.display(node) if isinstance(node.ctx, ast.Load) else node

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        """A tuple."""
        return self.display(node) if isinstance(node.ctx, ast.Load) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        """``f"a{x}b"`` is ``§joined("a", x, "b")``."""
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = self.visit(part.value)
                if isinstance(part.format_spec, ast.JoinedStr):
                    value = call_helper("formatted", value, part.format_spec.values[0], at=node)
                parts.append(value)
            else:
                parts.append(part)
        return call_helper("joined", *parts, at=node)


class _Constants(ast.NodeTransformer):
    """Expressions outside functions: arithmetic is folded, lambdas are rewritten."""

    def __init__(self, rewriter: _Rewriter) -> None:
        self.rewriter = rewriter

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """A lambda."""
        return self.rewriter.visit_Lambda(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """An operator; ``|`` between types stays what it is."""
        folded = fold(node)
        if folded is not None:
            return literal(folded, node)
        self.generic_visit(node)
        name = OPERATORS.get(type(node.op))
        if name is None or isinstance(node.op, ast.BitOr):
            return node
        return call_helper(name, node.left, node.right, at=node)
