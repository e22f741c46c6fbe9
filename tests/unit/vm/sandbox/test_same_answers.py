"""Instrumented code answers what plain Python answers."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from folders import call

BODIES = {
    "sums": "return 1 + msg, msg - 1, msg + msg, msg * 3, msg * msg, 7 // msg, 7 % msg, 2 ** msg, -msg",
    "shifts": "return 1 << msg, 1000 >> msg, msg | 8, msg & 3, msg ^ 1, ~msg",
    "folding": "return 10 ** 18, 2 ** 64 - 1, 1 << 128, -5 * 3, 7 - 9",
    "texts": "return 'a' + 'b' * msg, f'{msg}-{msg:03d}-{msg:x}', 'x,y'.split(','), ','.join(['a', 'b'])",
    "chains": "return 1 < msg < 10, 1 < msg + 1 <= 4 < 9, 0 < len('abc') < msg, msg == 3 == 3, 9 > msg > 5",
    "in": "d = {'a': 1}\nreturn 'a' in d, 'b' not in d, 2 in [1, msg], msg in (1, 2), 'b' in 'abc', msg in range(9)",
    "lists": "x = [1]\ny = x\nx += [2, msg]\nx.append(4)\nx.extend((5,))\nx.insert(0, 0)\nreturn x, y is None, x[1:3], x[::-1], x[-1]",
    "same list": "x = [1]\ny = x\nx += [2]\nreturn y",
    "dicts": "d = {}\nd['a'] = 1\nd['a'] += msg\nd.setdefault('b', []).append(2)\nd.update({'c': 3})\nreturn d, d.get('z'), d.pop('c'), list(d.items())",
    "once": "calls = []\ndef place():\n    calls.append(1)\n    return calls\nd = {0: 5}\ndef at():\n    calls.append(2)\n    return 0\nd[at()] += len(calls)\nreturn d, calls",
    "delete": "d = {'a': 1, 'b': 2}\nx = [1, 2, 3]\ndel d['a'], x[0]\nreturn d, x",
    "for else": "out = []\nfor i in range(msg):\n    if i == 1:\n        continue\n    out.append(i)\nelse:\n    out.append(99)\nreturn out",
    "break": "for i in range(100):\n    if i == 70:\n        break\nelse:\n    i = -1\nreturn i",
    "while": "n = msg\nout = 0\nwhile n > 0:\n    n -= 1\n    if n == 1:\n        continue\n    out += n\nelse:\n    out += 100\nreturn out",
    "comprehensions": "return [x * y for x in range(msg) for y in range(x) if y != 1], {k: v for k, v in zip('ab', [1, 2])}, [i for i, c in enumerate('abc') if c > 'a']",
    "long": "return len([i for i in range(1000)]), sum(i for i in range(1000) if i % 2 == 0), [x for x in list(range(200))][-1]",
    "growing": "x = [0] * 70\nn = 0\nfor i in x:\n    n += 1\n    if n < 75:\n        x.append(i)\nreturn n, len(x)",
    "growing from short": "x = [0, 1]\nn = 0\nfor i in x:\n    n += i\n    if len(x) < 9:\n        x.append(i + 1)\nreturn n, x",
    "shrinking": "x = [0, 1, 2, 3]\nseen = []\nfor i in x:\n    seen.append(i)\n    x.pop()\nreturn seen, x",
    "growing comprehension": "x = [0, 1]\nreturn [x.append(i) for i in x if len(x) < 5], x",
    "lambda": "f = lambda a, b=2: a * b + msg\nreturn f(1), f(2, 3), sorted([3, 1, 2], key=lambda v: -v)",
    "closures": "def add(n):\n    def inner(m):\n        return n + m + msg\n    return inner\nreturn add(1)(2)",
    "unpack": "a, *b = [1, 2, 3]\n(c, d), e = (4, 5), 6\nf = g = 7\nreturn a, b, c, d, e, f, g, [*b, *'xy'], {**{'a': 1}, 'b': 2}, max(*b)",
    "conditional": "return ('small' if msg < 5 else 'big'), msg and 0, None or msg, not msg",
    "walrus": "if (n := msg + 1) > 2:\n    return n\nreturn 0",
    "match": "match msg:\n    case 1 | 2:\n        return 'low'\n    case 3:\n        return 'three'\n    case _:\n        return 'other'",
    "match structures": "match {'kind': 'pair', 'of': [1, msg]}:\n    case {'kind': 'pair', 'of': [a, b]} if b > 1:\n        return a, b\n    case _:\n        return None",
    "built-ins": "return min(3, 1), max([1, 5, 2]), min('b', 'a', key=ord), abs(-4), divmod(7, 3), pow(3, 4), pow(3, 4, 5), sum([1, 2]), any([0, 1]), all([]), any(x > 1 for x in [1, 2]), len('abc')",
    "eager": "return list(map(lambda x: x + 1, [1, 2])), list(filter(None, [0, 1])), list(zip('ab', 'cd')), list(reversed([1, 2])), list(enumerate('ab', 1)), tuple([1]), dict([('a', 1)]), dict(a=2)",
    "conversions": "return int('12'), int('-7'), int('ff', 16), str(msg), str(True), bytes([1, 2]), bytes(3), bool(msg), list('ab'), hex(255), chr(65), ord('A')",
    "bytes": "return (258).to_bytes(4, 'big'), int.from_bytes(b'\\x01\\x02', 'big'), b'ab'.hex(), bytes.fromhex('0aff'), 'ä'.encode(), b'ab'.decode(), b'a' + b'b', b'abc'[1], b'abc'[1:]",
    "text methods": "return 'a-b-c'.replace('-', '+'), 'a-b-c'.replace('-', '', 1), ' x '.strip(), 'abc'.find('c'), 'abcabc'.rfind('c'), 'a,b'.partition(','), 'ab'.startswith('a'), 'ab'.endswith(('x', 'b')), '7'.zfill(3), 'aXb'.split('X', 1), 'a b'.split(), 'abab'.count('ab'), 'ab'.isascii()",
    "list methods": "x = [3, 1, 2]\nx.sort()\nx.sort(key=lambda v: -v)\nx.reverse()\ny = x.copy()\ny.remove(3)\nreturn x, y, x.index(2), x.count(1), x.pop(), x.pop(0), (1, 2, 1).count(1)",
    "views": "d = {'a': 1, 'b': 2}\nreturn [k for k in d], list(d.keys()), list(d.values()), [v for k, v in d.items()], 'a' in d.keys(), d == {'b': 2, 'a': 1}",
    "compare": "return [1, 2] == [1, 2], [1, [2]] != [1, [3]], (1, 'a') < (1, 'b'), {'a': [1]} == {'a': [1]}, msg == 'x', None is None, msg != None",
    "nested": "def fact(n):\n    return 1 if n <= 1 else n * fact(n - 1)\nreturn fact(10 + msg)",
    "assert-free checks": "return isinstance(msg, int), isinstance('a', (int, str)), isinstance(msg, bool)",
    "empty": "pass",
    "declared": "x: int = 1\ny: str\ny = 'a'\nreturn x, y",
    "deep comparison chain": "a = [1]\nreturn (0 if a[0] == 1 and not a == [2] and a != [3] else 1)",
}


def plain(body: str, msg: Any) -> Any:
    source = "def execute(msg):\n" + textwrap.indent(body, "    ")
    space: dict[str, Any] = {}
    exec(source, space)
    return space["execute"](msg)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
@pytest.mark.parametrize("msg", [1, 3])
def test_answers_are_python_s(body: str, msg: int) -> None:
    answer, _ = call(body, msg)
    assert answer == plain(body, msg)
    assert repr(answer) == repr(plain(body, msg))
