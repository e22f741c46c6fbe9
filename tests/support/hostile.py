"""Contracts that try what went wrong in other engines: one table of sources that are refused, one of
handlers that must end as a failed call in bounded time and memory.

The ids are the lines of the threat model (A1 to I); numbers in brackets are its inputs to survive.
"""

from __future__ import annotations

from typing import NamedTuple


class Refused(NamedTuple):
    """A module that is not registered: the line that is named, and a part of the reason."""

    source: str
    line: int
    reason: str


class Failing(NamedTuple):
    """The body of a handler that fails; ``how`` is ``gas`` or a part of the fixed text."""

    body: str
    how: str
    head: str = ""
    msg: object = None


STD = "from chain.std import Addr, ContractError, Message, Record, Response, Words\n"
HOSTS = (
    "from chain.std import BankMsg, Binary, Event, Response, Uint128, Words\n"
    "from chain.storage_plus import Item, Map\n"
)
DEF = "def execute(deps, env, info, msg):\n    "


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

FAILING: dict[str, Failing] = {
    # A
    "A3 template built at run time": Failing("x = '%s'\nreturn x % msg", "% is for integers"),
    "A5 attribute of a bug": Failing(
        "return msg['x'].nothing", "a missing attribute", msg={"x": 1}
    ),
    "A9 unguarded alias": Failing("f = 'a'.ljust\nreturn f(10**9)", "longer than"),
    # B
    "B6 error handler goes on (1)": Failing(
        "for i in range(1000):\n    try:\n        work()\n    except ContractError:\n        pass\nreturn 1",
        "gas",
        STD
        + "def work():\n    while True:\n        raise_it()\ndef raise_it():\n    n = 0\n    while n < 10**9:\n        n += 1\n    raise ContractError('x')\n",
    ),
    # C
    "C1 filtered comprehension (2)": Failing("return [1 for i in range(10**9) if False]", "gas"),
    "C1 two loops (2)": Failing(
        "return [1 for i in range(10**9) for j in range(10**9) if False]", "gas"
    ),
    "C1 dictionary (2)": Failing("return {i: 1 for i in range(10**9) if False}", "gas"),
    "C1 unfiltered": Failing("return [1 for i in range(10**9)]", "too many values"),
    "C1 any": Failing("return any(False for i in range(10**9))", "gas"),
    "C2 while": Failing("while True:\n    pass", "gas"),
    "C2 continue": Failing("while True:\n    continue", "gas"),
    "C2 condition": Failing("while [0 for i in range(10**9) if False] == []:\n    pass", "gas"),
    "C2 for": Failing("for i in range(10**18):\n    pass", "gas"),
    "C2 huge range": Failing("for i in range(10**60):\n    pass", "gas"),
    "C2 loop without end over a list": Failing(
        "x = [0] * 100\nfor i in x:\n    x.append(i)", "items"
    ),
    "C2 a short list that grows while it is walked": Failing(
        "x = [1]\nn = 0\nfor i in x:\n    x.append(i)\n" + "    n = n + 1\n" * 400, "gas"
    ),
    "C2 many short lists that grow": Failing(
        "for i in range(1000):\n    x = [1]\n    for j in x:\n        if len(x) < 2000:\n"
        "            x.append(j)\n" + "        n = [j, j]\n" * 50,
        "gas",
    ),
    "C4 sum of a range": Failing("return sum(range(5 * 10**7))", "items"),
    "C4 sum of lists": Failing("return sum([[1]] * 3000, [])", "sum adds integers"),
    "C4 sorted": Failing("return sorted(range(10**9))", "items"),
    "C4 list": Failing("return list(range(10**9))", "items"),
    "C4 tuple": Failing("return tuple(range(10**60))", "items"),
    "C4 sorted in a loop": Failing(
        "x = list(range(100000))\nwhile True:\n    x = sorted(x)", "gas"
    ),
    "C4 in": Failing("x = list(range(100000))\nwhile True:\n    y = -1 in x", "gas"),
    "C4 equal texts": Failing("x = 'a' * 10**6\ny = 'a' * 10**6\nwhile x == y:\n    pass", "gas"),
    "C4 equal lists": Failing(
        "x = ['a' * 1000] * 1000\ny = ['a' * 1000] * 1000\nwhile x == y:\n    pass", "gas"
    ),
    "C4 count": Failing("x = 'ab' * 500000\nwhile True:\n    y = x.count('b')", "gas"),
    "C4 find": Failing("x = 'a' * 10**6\nwhile True:\n    y = x.find('b')", "gas"),
    "C4 backward": Failing(
        "x = 'a' * 10**6\ny = 'b' + 'a' * 500000\nwhile True:\n    z = x.rfind(y)", "gas"
    ),
    "C4 strip": Failing("x = 'a' * 10**6\nwhile True:\n    z = x.strip('b' * 1000 + 'a')", "gas"),
    "C4 join": Failing("x = ['a'] * 100000\nwhile True:\n    y = ''.join(x)", "too many values"),
    "C4 min": Failing("x = ['a' * 1000] * 1000\nwhile True:\n    y = min(x)", "gas"),
    "C5 alias": Failing("f = sorted\nwhile True:\n    f(list(range(1000)))", "too many values"),
    "C5 in a tuple": Failing("return (list,)[0](range(10**9))", "items"),
    "C5 map": Failing("return map(list, [range(10**9)])", "items"),
    "C5 method of a type": Failing("return str.ljust('a', 10**9)", "a missing attribute"),
    "C5 method of a host type": Failing(
        "return Binary.ljust(b'a', 10**9)", "called on a value", "from chain.std import Binary\n"
    ),
    "C10 copies of bytes": Failing(
        "x = b'x' * 10**6\nreturn [Binary(x) for i in range(3000)]", "too many values", HOSTS
    ),
    "C10 copies through an alias": Failing(
        "x = b'x' * 10**6\nf = Binary\nreturn [f(x) for i in range(3000)]", "too many values", HOSTS
    ),
    "C10 copies through map": Failing(
        "return map(Binary, [b'x' * 10**6] * 3000)", "too many values", HOSTS
    ),
    "C10 plain bytes of Binary": Failing(
        "x = Binary(b'x' * 10**6)\nreturn [bytes(x) for i in range(3000)]", "too many values", HOSTS
    ),
    "C10 cut texts": Failing(
        "x = 'x' * 10**6\nreturn [x.removeprefix('x') for i in range(9000)]", "too many values"
    ),
    "C10 stripped texts": Failing(
        "x = 'x' * 10**6 + ' '\nreturn [x.strip() for i in range(9000)]", "too many values"
    ),
    "C10 attributes of an event": Failing(
        "x = [('k', 'v')] * 130000\nreturn [Event('abc', x) for i in range(500)]",
        "too many values",
        HOSTS,
    ),
    "C10 attributes of a response": Failing(
        "x = [('k', 'v')] * 130000\nr = Response()\nfor i in range(500):\n    r.add_attributes(x)",
        "too many values",
        HOSTS,
    ),
    "C10 messages of a response": Failing(
        "x = [1] * 130000\nr = Response()\nfor i in range(500):\n    r.add_messages(x)",
        "too many values",
        HOSTS,
    ),
    "C10 method taken from a response": Failing(
        "x = [1] * 130000\nf = Response().add_messages\nfor i in range(500):\n    f(x)",
        "too many values",
        HOSTS,
    ),
    "C10 coins of a send": Failing(
        "x = [1] * 130000\nreturn [BankMsg.Send('a', x) for i in range(2000)]", "gas", HOSTS
    ),
    "C10 coins of a send by an alias": Failing(
        "x = [1] * 130000\nf = BankMsg.Send\nreturn [f('a', x) for i in range(2000)]", "gas", HOSTS
    ),
    "C10 number of zeros": Failing(
        "x = '0' * 10**6 + '1'\nwhile True:\n    Uint128(x)", "a wrong value", HOSTS
    ),
    "C10 number of zeros, parsed": Failing(
        "x = '0' * 10**6 + '1'\nwhile True:\n    Uint128.parse(x)", "gas", HOSTS
    ),
    "C10 word of underscores": Failing(
        "x = 'a' + '_' * 10**6\nwhile True:\n    W(x)",
        "a wrong value",
        HOSTS + "class W(Words):\n    A = 'a'\n",
    ),
    "C10 base64": Failing(
        "x = 'A' * 400000\nwhile True:\n    Binary.from_base64(x).to_base64()", "values", HOSTS
    ),
    "C10 errors that hold errors": Failing(
        "last = None\nwhile True:\n    try:\n        raise ContractError('b') from last\n"
        "    except ContractError as e:\n        last = e",
        "gas",
        STD,
    ),
    "C10 a float at the end": Failing(
        "x = b'[' + b'1,' * 500000 + b'1.5]'\nwhile True:\n    try:\n        decode(x)\n"
        "    except ContractError as e:\n        pass",
        "gas",
        "from chain.std import ContractError, decode\n",
    ),
    "C10 exponent of one": Failing("x = 2**500\nwhile True:\n    y = 1 ** x", "gas"),
    "C10 name of an item": Failing(
        "x = 'x' * 10**6\nwhile True:\n    Item(x, Uint128)", "a wrong value", HOSTS
    ),
    "C10 prefix of a map": Failing(
        "x = 'x' * 10**6\nwhile True:\n    M.prefix(x)",
        "",
        HOSTS + "M = Map('m', (str, str), int)\n",
    ),
    "C5 unpacked arguments": Failing("return max(*range(10**6))", "items"),
    "C5 arguments": Failing("return max(*range(1000))", "arguments"),
    "C5 rest": Failing("a, *b = range(10**9)", "items"),
    "C5 display": Failing("return [*range(10**9)]", "items"),
    "C6 power": Failing("x = 10\nreturn x ** 10**9", "512 bits"),
    "C6 multiplication": Failing("x = 2**500\nreturn x * x", "512 bits"),
    "C6 addition": Failing("x = 2**511 + 5\nreturn x + x", "512 bits"),
    "C6 doubling": Failing("x = 1\nwhile True:\n    x += x", "512 bits"),
    "C6 shift": Failing("x = 1\nreturn x << 10**9", "512 bits"),
    "C6 negative power (7)": Failing("x = -1\nreturn 2 ** x", "fraction"),
    "C7 sorting records": Failing(
        "return sorted([A(1), A(2)])",
        "sorted is a flat value",
        STD + "class A(Record):\n    x: int\n",
    ),
    "C10 decoding": Failing(
        "x = b'[' + b'1,' * 400000 + b'1]'\nwhile True:\n    y = decode(x)",
        "gas",
        "from chain.std import decode\n",
    ),
    # D
    "D doubling text": Failing("x = 'a'\nwhile True:\n    x = x + x", "longer than"),
    "D doubling list": Failing("x = [1]\nwhile True:\n    x += x", "items"),
    "D repetition": Failing("return 'a' * 10**9", "longer than"),
    "D repeated list": Failing("x = [0]\nreturn x * 10**9", "items"),
    "D replace": Failing("x = 'a' * 30000\nreturn x.replace('a', x)", "longer than"),
    "D replace nothing": Failing("x = 'a' * 30000\nreturn x.replace('', x)", "longer than"),
    "D join": Failing("x = 'a' * 30000\nreturn x.join(['b'] * 30000)", "longer than"),
    "D zfill": Failing("return 'a'.zfill(10**9)", "longer than"),
    "D rjust": Failing("return 'a'.rjust(10**9, 'b')", "longer than"),
    "D bytes": Failing("return bytes(10**9)", "longer than"),
    "D to_bytes": Failing("return (1).to_bytes(10**9, 'big')", "64 bytes"),
    "D zip": Failing("x = range(10**9)\nreturn zip(x, x, x)", "items"),
    "D modular power (3)": Failing(
        "return pow(msg['a'], msg['a'], msg['a'])", "512 bits", msg={"a": 3**12_619}
    ),
    "D modular power in a loop": Failing(
        "x = 2**511 - 1\nwhile True:\n    y = pow(x, x, x)", "gas"
    ),
    "D big operands (3)": Failing("return msg['a'] * 2", "512 bits", msg={"a": 3**12_619}),
    "D text of a big number (3)": Failing(
        "return int(msg['a'])", "155 digits", msg={"a": "9" * 4_301}
    ),
    "D colliding keys": Failing(
        "d = {}\nfor i in range(20000):\n    d[i * (2**61 - 1)] = i", "dictionary key"
    ),
    "D tuple keys": Failing("d = {}\nk = (1, 2)\nd[k] = 1", "dictionary key"),
    "D memory in lists": Failing(
        "x = []\nwhile True:\n    x.append([0] * 1000)", "too many values"
    ),
    "D memory in texts": Failing(
        "x = []\nwhile True:\n    x.append('a' * 1000000)", "too many values"
    ),
    "D memory in a dictionary": Failing("d = {}\nwhile True:\n    d[len(d)] = {}", ""),
    "D shared lists as text": Failing(
        "x = [1]\nfor i in range(60):\n    x = [x, x]\nreturn f'{x}'", "no text of a list"
    ),
    "D shared lists compared": Failing(
        "x = [1]\ny = [1]\nfor i in range(60):\n    x = [x, x]\n    y = [y, y]\nreturn x == y",
        "gas",
    ),
    "D shared lists as JSON": Failing(
        "x = [1]\nfor i in range(60):\n    x = [x, x]\nreturn encode(x)",
        "gas",
        "from chain.std import encode\n",
    ),
    "D cross product": Failing("x = {'a': 1}\nreturn x.keys() & x.keys()", "& is for integers"),
    "D split": Failing("x = 'a,' * 500000\nreturn x.split(',')", "items"),
    # E
    "E2 deep tuple as a key (4)": Failing(
        "t = ()\nfor i in range(200000):\n    t = (t,)\nd = {}\nd[t] = 1", "dictionary key"
    ),
    "E2 deep tuple compared (4)": Failing(
        "t = ()\nu = ()\nfor i in range(200000):\n    t = (t,)\n    u = (u,)\nreturn t == u", "deep"
    ),
    "E2 deep tuple looked for (4)": Failing(
        "t = ()\nfor i in range(200000):\n    t = (t,)\nreturn t in [t]", "deep"
    ),
    "E2 deep tuple saved": Failing(
        "t = ()\nfor i in range(200000):\n    t = (t,)\nX.save(deps, t)",
        "deep",
        "from chain.storage_plus import Item\nX = Item('x', tuple)\n",
    ),
    "E2 deep tuple in a record": Failing(
        "t = ()\nfor i in range(200000):\n    t = (t,)\nreturn encode(A(t))",
        "deep",
        STD + "from chain.std import encode\nclass A(Record):\n    x: int\n",
    ),
    "E3 chain of iterators (4)": Failing(
        "x = [1]\nfor i in range(200000):\n    x = map(abs, x)\nreturn [y for y in x][5]", ""
    ),
    "E4 recursion through sorted": Failing(
        "f = [0]\ndef g(n):\n    return sorted([1, 2], key=f[0])\nf[0] = g\nreturn g(1)",
        "calls inside",
    ),
    "E4 recursion through map": Failing(
        "f = [0]\ndef g(n):\n    return map(f[0], [1])\nf[0] = g\nreturn g(1)", "calls inside"
    ),
    "E4 recursion through a lambda": Failing(
        "f = [0]\nf[0] = lambda n: f[0](n)\nreturn f[0](1)", "calls inside"
    ),
    "E5 recursion": Failing(
        "return down(1)", "calls inside", "def down(n):\n    return down(n + 1)\n"
    ),
    "E5 mutual recursion": Failing(
        "return ping(1)",
        "calls inside",
        "def ping(n):\n    return pong(n)\ndef pong(n):\n    return ping(n)\n",
    ),
    "E7 list in itself": Failing("x = []\nx.append(x)\nreturn x == [x]", "deep"),
    "E7 list in itself as JSON": Failing(
        "x = []\nx.append(x)\nreturn encode(x)", "deep", "from chain.std import encode\n"
    ),
    # G
    "G text of a function (7)": Failing("return str(execute)", "no text of"),
    "G text of a list": Failing("return f'{[1]}'", "no text of"),
    "G text of None": Failing("return str(None)", "no text of None"),
    "G unicode digits": Failing("return int('١٢')", "digits"),
    "G unicode digits in a sum": Failing("return sum([], '١٢')", "sum adds integers"),
    "G unicode digits of newer tables": Failing("return hex('\U00011f51')", "hex is for integers"),
    "G unicode digits as a width": Failing(
        "return 'a'.ljust('\U00011f51' * 3)", "a width is an integer"
    ),
    "G spaced number": Failing("return int(' 1_0 ')", "digits"),
    "G spaced hexadecimal": Failing("return bytes.fromhex(' 0a')", "hexadecimal"),
    "G unicode method by an alias (7)": Failing(
        "f = msg.upper\nreturn f()", "no upper here", msg="ıß"
    ),
    "G codec": Failing("return msg.encode('idna')", "UTF-8 or ASCII", msg="a"),
    "G lenient decoding": Failing("return b'a'.decode('utf-8', 'ignore')", "UTF-8 or ASCII"),
    # H
    "H generic built-in called": Failing("return X(range(10**9))", "wrong type", "X = list[int]\n"),
    "H generic built-in used": Failing(
        "return X.append([1], 2)", "on a value, not on a class", "X = list[int]\n"
    ),
    "H empty module dictionary": Failing("D['a'] = 1", "only places of lists", "D = {}\n"),
    "H empty dictionary as default": Failing(
        "return f()", "only places of lists", "def f(x={}):\n    x['a'] = 1\n"
    ),
    "H module dictionary": Failing("D['a'] = 1", "only places of lists", "D = {'a': 0}\n"),
    "H module dictionary updated": Failing(
        "D.update({'a': 1})", "missing attribute", "D = {'a': 0}\n"
    ),
    "H record": Failing(
        "msg.x += 1" if False else "d = {A(1): 2}",
        "dictionary key",
        STD + "class A(Record):\n    x: int\n",
    ),
}
