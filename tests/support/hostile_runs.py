"""Handlers that are registered and fail when they run, by the threat that each stands for."""

from __future__ import annotations

from typing import NamedTuple

from hostile import STD

from chain.vm.sandbox.runtime import Trap

HOSTS = (
    "from chain.std import BankMsg, Binary, Event, Response, Uint128, Words\n"
    "from chain.storage_plus import Item, Map\n"
)


#: Bugs whose kind is the same on every supported Python version; others are just "an error".
_KINDS: dict[type[BaseException], str] = {
    AttributeError: "a missing attribute",
    IndexError: "an index out of range",
    KeyError: "a missing key",
    NameError: "a name without a value",
    OverflowError: "a number out of range",
    TypeError: "a value of the wrong type",
    UnicodeDecodeError: "bytes that are not text",
    UnicodeEncodeError: "text that has no bytes",
    UnboundLocalError: "a name without a value",
    ValueError: "a wrong value",
    ZeroDivisionError: "a division by zero",
}


def describe_failure(error: BaseException) -> str:
    """What a failure is called in the table: the same on every supported Python version."""
    if isinstance(error, Trap):
        return str(error)
    for kind in type(error).__mro__:
        if kind in _KINDS:
            return _KINDS[kind]
    return "an error"


class Failing(NamedTuple):
    """The body of a handler that fails; ``how`` is ``gas`` or a part of the fixed text."""

    body: str
    how: str
    head: str = ""
    msg: object = None


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
        "d = {A(1): 2}",
        "dictionary key",
        STD + "class A(Record):\n    x: int\n",
    ),
}
