"""Contracts that try what went wrong in other engines: sources that are refused (handlers that must
end as a failed call in bounded time and memory are in ``hostile_runs``).

The ids are the lines of the threat model (A1 to I); numbers in brackets are its inputs to survive.
"""

from __future__ import annotations

from typing import NamedTuple


class Refused(NamedTuple):
    """A module that is not registered: the line that is named, and a part of the reason."""

    source: str
    line: int
    reason: str


STD = "from chain.std import Addr, ContractError, Message, Record, Response, Words\n"


def _body(text: str) -> str:
    return "def execute(deps, env, info, msg):\n" + "".join(f"    {x}\n" for x in text.split("\n"))


REFUSED: dict[str, Refused] = {
    # A: reaching the interpreter
    "A1 attribute": Refused(_body("return msg.__class__"), 2, "private"),
    "A1 name": Refused(_body("return __builtins__"), 2, "private"),
    "A1 function": Refused("def __secret():\n    pass\n", 1, "private"),
    "A1 class": Refused(STD + "class _A(Record):\n    pass\n", 2, "private"),
    "A1 parameter": Refused("def f(__x):\n    pass\n", 1, "private"),
    "A1 keyword": Refused(_body("return dict(__x=1)"), 2, "private"),
    "A1 alias": Refused("from chain.std import Addr as __a\n", 1, "private"),
    "A1 imported": Refused("from chain.std import __all__\n", 1, "private"),
    "A1 except": Refused(
        STD + _body("try:\n    pass\nexcept ContractError as _e:\n    pass"), 5, "private"
    ),
    "A1 match": Refused(_body("match msg:\n    case _x:\n        pass"), 3, "private"),
    "A1 field": Refused(STD + "class A(Record):\n    _x: int\n", 3, "private"),
    "A1 method": Refused(
        STD + "class A(Record):\n    def __eq__(self, other):\n        return True\n", 3, "private"
    ),
    "A1 slots": Refused(STD + "class A(Record):\n    __slots__ = ()\n", 3, "private"),
    "A1 lambda": Refused(_body("return lambda _x: 1"), 2, "private"),
    "A1 walrus": Refused(_body("return (_x := 1)"), 2, "private"),
    "A1 for": Refused(_body("for _x in msg:\n    pass"), 2, "private"),
    "A11 copying class through another name": Refused(
        "from chain.std import Event\ndef f(Event):\n    return Event('a', [])\n", 2, "imported"
    ),
    "A2 full width attribute": Refused(_body("return msg.__ｃlass__"), 2, "ASCII"),
    "A2 full width name": Refused(_body("return ｅval('1')"), 2, "ASCII"),
    "A2 look-alike": Refused("def еxecute(deps, env, info, msg):\n    pass\n", 1, "ASCII"),
    "A2 bidi": Refused("# \u202e\nX = 1\n", 1, "invisible"),
    "A3 format": Refused(_body("return '{0.__class__}'.format(msg)"), 2, "template"),
    "A3 format_map": Refused(_body("return msg.format_map({})"), 2, "template"),
    "A3 percent": Refused(_body("return '%(x)s' % msg"), 2, "%"),
    "A3 f-string repr": Refused(_body("return f'{msg!r}'"), 2, "f-string"),
    "A3 f-string spec": Refused(_body("return f'{msg:{msg}}'"), 2, "constant"),
    "A3 f-string debug": Refused(_body("return f'{msg=}'"), 2, "f-string"),
    "A4 generator frame": Refused(_body("return msg.gi_frame"), 2, "interpreter"),
    "A4 frame": Refused(_body("return msg.f_globals"), 2, "interpreter"),
    "A4 code": Refused(_body("return msg.co_consts"), 2, "interpreter"),
    "A4 traceback": Refused(_body("return msg.tb_next"), 2, "interpreter"),
    "A4 coroutine": Refused(_body("return msg.cr_await"), 2, "interpreter"),
    "A4 mro": Refused(_body("return msg.mro"), 2, "interpreter"),
    "A4 with_traceback": Refused(_body("return msg.with_traceback"), 2, "interpreter"),
    "A5 catching AttributeError": Refused(
        _body("try:\n    pass\nexcept AttributeError:\n    pass"), 4, "except"
    ),
    "A6 class pattern": Refused(
        _body("match msg:\n    case int(__class__=c):\n        return c"), 3, "pattern"
    ),
    "A6 class pattern plain": Refused(
        STD + _body("match msg:\n    case Record():\n        return 1"), 4, "pattern"
    ),
    "A7 getattr": Refused(_body("return getattr(msg, 'a' + 'b')"), 2, "getattr is not available"),
    "A7 alias": Refused("g = getattr\n", 1, "getattr is not available"),
    "A7 vars": Refused(_body("return vars(msg)"), 2, "vars is not available"),
    "A7 operator": Refused("from operator import attrgetter\n", 1, "operator is not available"),
    "A8 type": Refused(_body("return type(msg)"), 2, "type is not available"),
    "A8 keyword in the header": Refused(
        STD + "class A(Record, metaclass=Addr):\n    pass\n", 2, "keywords"
    ),
    "A8 no base": Refused("class A:\n    pass\n", 1, "base"),
    "A8 two bases": Refused(STD + "class A(Record, Message):\n    pass\n", 2, "base"),
    "A8 init_subclass": Refused(
        STD + "class A(Record):\n    def __init_subclass__(cls):\n        pass\n", 3, "private"
    ),
    "A8 statement in a class": Refused(
        STD + "class A(Record):\n    for i in (1,):\n        pass\n", 3, "class holds"
    ),
    "A8 class in a function": Refused(
        STD + _body("class A(Record):\n    pass"), 3, "top of a module"
    ),
    "A8 base that is no record": Refused(
        "from chain.std import Deps\nclass A(Deps):\n    pass\n", 0, "derive"
    ),
    "A8 class made by a call": Refused(STD + _body("return Words('X', 'a b')"), 3, "base class"),
    "A8 base under another name": Refused("from chain.std import Words as W\n", 1, "base class"),
    "A9 decorator": Refused(
        "from chain.std import coin\n@coin\ndef f():\n    pass\n", 2, "decorators"
    ),
    "A9 class decorator": Refused(STD + "@Addr\nclass A(Record):\n    pass\n", 2, "decorators"),
    "A10 text annotation": Refused(
        STD + "class A(Record):\n    x: '__import__(\"os\")'\n", 3, "annotation"
    ),
    "A10 call in an annotation": Refused(
        STD + "class A(Record):\n    x: Addr('a')\n", 3, "annotation"
    ),
    "A10 annotation of a function": Refused(
        "def f(x: [print(1)][0]):\n    pass\n", 1, "annotation"
    ),
    "A10 returns": Refused("def f() -> 'x':\n    pass\n", 1, "annotation"),
    "A11 module": Refused("import chain.std\n", 1, "from"),
    "A11 module as": Refused("import chain.std as s\n", 1, "from"),
    "A11 star": Refused("from chain.std import *\n", 1, "name what"),
    "A11 not public": Refused("from chain.std import errors\n", 1, "no public errors"),
    "A11 other module": Refused(
        "from chain.store import Overlay\n", 1, "chain.store is not available"
    ),
    "A11 library": Refused("from os import system\n", 1, "os is not available"),
    "A11 in a function": Refused(_body("from chain.std import Addr"), 2, "top of a module"),
    "A11 up": Refused("from ..registry import REGISTRY\n", 1, "no further"),
    "A11 another contract's state": Refused(
        "from contracts.token_v1.state import BALANCES\n", 1, "only its msg"
    ),
    "A11 package": Refused("from chain import std\n", 1, "chain is not available"),
    "A13 SystemExit": Refused(_body("raise SystemExit"), 2, "raise takes"),
    "A13 OutOfGas": Refused("from chain.gas import OutOfGas\n", 1, "chain.gas is not available"),
    "A13 kept instance": Refused(STD + "E = ContractError('x')\n", 2, "constant is"),
    "A13 instance in a name": Refused(
        STD + _body("e = ContractError('x')\nraise e"), 4, "raise takes"
    ),
    "A13 text that lies": Refused(
        STD + "class E(ContractError):\n    def __str__(self):\n        return 'x'\n", 3, "private"
    ),
    # B: swallowing out of gas
    "B1 finally (1)": Refused(
        _body("while True:\n    try:\n        pass\n    finally:\n        continue"), 6, "finally"
    ),
    "B2 bare except (1)": Refused(_body("try:\n    pass\nexcept:\n    pass"), 4, "except"),
    "B2 BaseException": Refused(
        _body("try:\n    pass\nexcept BaseException:\n    pass"), 4, "except"
    ),
    "B2 except star": Refused(
        STD + _body("try:\n    pass\nexcept* ContractError:\n    pass"), 3, "except*"
    ),
    "B2 computed": Refused(
        STD + _body("try:\n    pass\nexcept (ContractError, *[msg]):\n    pass"), 5, "except"
    ),
    "B2 local name": Refused(
        _body("kind = msg\ntry:\n    pass\nexcept kind:\n    pass"), 5, "except"
    ),
    "B2 not an error": Refused(
        STD + _body("try:\n    pass\nexcept Record:\n    pass"), 5, "not a kind"
    ),
    "B3 with": Refused(_body("with msg:\n    pass"), 2, "with"),
    "B3 exit": Refused(
        STD + "class A(Record):\n    def __exit__(self, *a):\n        return True\n", 3, "private"
    ),
    "B4 yield": Refused(_body("yield 1"), 2, "generators"),
    "B5 del": Refused(
        STD + "class A(Record):\n    def __del__(self):\n        pass\n", 3, "private"
    ),
    # C: where a charge can be missed
    "C3 loop": Refused("while True:\n    pass\n", 1, "module holds"),
    "C3 comprehension (2)": Refused("X = [1 for i in range(10**9) if False]\n", 1, "constant"),
    "C3 default (2)": Refused(
        "def f(x=[1 for i in range(10**9) if False]):\n    pass\n", 1, "constant"
    ),
    "C3 class body": Refused(STD + "class A(Record):\n    x = sum(range(10**9))\n", 3, "constant"),
    "C3 call": Refused("def f():\n    return 1\nX = f()\n", 3, "constant"),
    "C5 slice assignment": Refused(_body("msg[1:2] = msg"), 2, "slice"),
    "C5 keyword arguments": Refused(_body("return dict(**msg)"), 2, "**"),
    "C7 comparison method": Refused(
        STD + "class A(Record):\n    def __lt__(self, o):\n        return True\n", 3, "private"
    ),
    "C9 meter assigned": Refused(_body("§state = 1"), 2, "ASCII"),
    "C9 built-in rebound": Refused(_body("range = list"), 2, "built in"),
    "C9 built-in parameter": Refused("def f(len):\n    pass\n", 1, "built in"),
    "C9 built-in import": Refused("from chain.std import Addr as sum\n", 1, "built in"),
    # D: amplifiers
    "D regular expression": Refused("from re import match\n", 1, "re is not available"),
    "D f-string width": Refused(_body("return f'{msg:999999999}'"), 2, "width"),
    "D f-string precision": Refused(_body("return f'{msg:.99999999f}'"), 2, "width"),
    "D literal": Refused("X = 0x" + "f" * 200 + "\n", 1, "512 bits"),
    "D folded": Refused("X = 2 ** 100000\n", 1, "512 bits"),
    "D text": Refused("X = 'a' * 1048577\n", 1, "longer than"),
    "D set": Refused(_body("return {1, 2}"), 2, "sets"),
    "D fromkeys": Refused(_body("return dict.fromkeys(msg)"), 2, "fromkeys"),
    # E, F: crashes and compile time
    "E1 except star": Refused(_body("try:\n    pass\nexcept* Exception:\n    pass"), 2, "except*"),
    "F1 sum": Refused("X = " + "+".join(["1"] * 60_000) + "\n", 0, "deep"),
    "F1 attributes": Refused(_body("return msg" + ".a" * 20_000), 0, "deep"),
    "F1 not": Refused(_body("return " + "not " * 20_000 + "msg"), 0, "deep"),
    "F1 brackets": Refused(_body("return " + "(" * 300 + "msg" + ")" * 300), 0, "syntax"),
    "F1 elif": Refused(
        _body(
            "if msg == 0:\n    pass\n"
            + "\n".join(f"elif msg == {i}:\n    pass" for i in range(2_000))
        ),
        0,
        "deep",
    ),
    "F2 sum (F3)": Refused("X = " + "+".join(["1"] * 600) + "\n", 1, "deep"),
    "F4 nested finally": Refused(
        _body("try:\n    pass\nfinally:\n    try:\n        pass\n    finally:\n        pass"),
        5,
        "finally",
    ),
    "F5 digits": Refused("X = " + "1" * 120_000 + "\n", 1, "syntax"),
    "F5 hexadecimal": Refused("X = 0x" + "1" * 120_000 + "\n", 1, "512 bits"),
    "F6 cookie": Refused("# -*- coding: utf-7 -*-\nX = 1\n", 1, "encoding"),
    "F6 byte order mark": Refused("\ufeffX = 1\n", 1, "invisible"),
    "F6 NUL": Refused("X = 1\n\0", 2, "NUL"),
    "F6 surrogate": Refused("X = '\ud800'\n", 1, "UTF-8"),
    "F6 CR": Refused("X = 1\r\n", 1, "CR"),
    "F6 form feed": Refused("\fX = 1\n", 1, "form feed"),
    "F8 comparisons": Refused(_body("return " + "<".join(["1"] * 40_000)), 0, ""),
    "F8 arguments": Refused(_body("return max(" + ",".join(["1"] * 30_000) + ")"), 2, "255"),
    "F8 stars": Refused(_body("return [" + ",".join(["*msg"] * 30) + "]"), 2, "unpackings"),
    "F8 parameters": Refused(
        "def f(" + ",".join(f"a{i}" for i in range(300)) + "):\n    pass\n", 1, "255"
    ),
    # G: nondeterminism
    "G set": Refused(_body("return set(msg)"), 2, "set is not available"),
    "G hash": Refused(_body("return hash(msg)"), 2, "hash is not available"),
    "G id": Refused(_body("return id(msg)"), 2, "id is not available"),
    "G repr": Refused(_body("return repr(msg)"), 2, "repr is not available"),
    "G division (7)": Refused(_body("return msg / 3"), 2, "//"),
    "G in-place division": Refused(_body("msg /= 3"), 2, "//"),
    "G float": Refused("X = 1.5\n", 1, "float"),
    "G exponent": Refused("X = 1e3\n", 1, "float"),
    "G complex": Refused("X = 1j\n", 1, "complex"),
    "G round": Refused(_body("return round(msg)"), 2, "round is not available"),
    "G upper (7)": Refused(_body("return msg.upper()"), 2, "Unicode"),
    "G isdigit": Refused(_body("return msg.isdigit()"), 2, "Unicode"),
    "G is": Refused(_body("return msg is 1000"), 2, "is compares"),
    "G assert": Refused(_body("assert msg"), 2, "assert"),
    "G debug": Refused(_body("return __debug__"), 2, "private"),
    "G keyword order": Refused("def f(**kw):\n    pass\n", 1, "**"),
    # H: state that survives
    "H list": Refused("X = 1\nY = [1]\n", 2, "constant is"),
    "H empty list": Refused("X = []\n", 1, "constant is"),
    "H empty list with a type": Refused("X: list[int] = []\n", 1, "constant is"),
    "H empty list of a class": Refused(
        STD + "class E(ContractError):\n    kept = []\n", 3, "constant is"
    ),
    "H empty list of an error's field": Refused(
        STD + "class E(ContractError):\n    kept: list[int] = []\n", 0, "keep state"
    ),
    "H empty list of a record": Refused(
        STD + "class A(Record):\n    x: int\n    kept = []\n", 4, "constant is"
    ),
    "H empty default": Refused("def f(x=[]):\n    pass\n", 1, "constant is"),
    "H empty default of a lambda": Refused("f = lambda x=[]: x\n", 1, "constant is"),
    "H list in a tuple": Refused("Y = ([1],)\n", 1, "constant is"),
    "H response": Refused(STD + "R = Response()\n", 2, "constant is"),
    "H global": Refused(_body("global X\nX = 1"), 2, "storage"),
    "H nonlocal": Refused(_body("x = 1\ndef g():\n    nonlocal x"), 4, "storage"),
    "H attribute": Refused(_body("execute.count = 1"), 2, "frozen"),
    "H attribute in a loop": Refused(_body("for msg.x in (1,):\n    pass"), 2, "frozen"),
    "H default": Refused("def f(x=[1]):\n    pass\n", 1, "constant is"),
    "H built-in kept": Refused("X = (list, 1)\n", 1, "constant is"),
    "H list in a record": Refused(
        STD + "class A(Record):\n    x: list[int]\nX = A([1])\n", 4, "constant is"
    ),
}
