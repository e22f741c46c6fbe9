"""What a run reached: successes and refusals per message, errors, gas, and what it missed."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from chain.vm.contract import Contract

#: gas figures kept for a message, first come; enough for percentiles, bounded for long runs
SAMPLES: Final = 20_000
_HEAD: Final = re.compile(r"^failed to execute message; message index: \d+: ")
_TAILS: Final = (": execute wasm contract failed", ": instantiate wasm contract failed")
_DIGITS: Final = re.compile(r"(?<![A-Za-z])\d+")
ADDRESS: Final = re.compile(r"[a-z]{1,10}1[02-9ac-hj-np-z]{38,64}")
_ERROR_WIDTH: Final = 100


def error_text(log: str) -> str:
    """The contract's own words in a transaction's log.

    >>> error_text("failed to execute message; message index: 0: No: execute wasm contract failed")
    'No'
    """
    text = _HEAD.sub("", log)
    for tail in _TAILS:
        text = text.removesuffix(tail)
    return text


def error_kind(log: str) -> str:
    """The same with numbers and addresses left out, so that equal refusals count together.

    >>> error_kind("The escrow holds 5 of amsg, asked for 7")
    'The escrow holds # of amsg, asked for #'
    """
    return _DIGITS.sub("#", ADDRESS.sub("…", error_text(log)))[:_ERROR_WIDTH]


class Tally:
    """One message of one contract: how often it passed, how it was refused, what it cost."""

    __slots__ = ("errors", "gas", "ok")

    def __init__(self) -> None:
        self.ok = 0
        self.errors: dict[str, int] = {}
        self.gas: list[int] = []

    @property
    def failed(self) -> int:
        """Refusals together."""
        return sum(self.errors.values())


class Report:
    """Counts of one state machine over all its runs.

    >>> report = Report("demo")
    >>> report.add("counter", "add", 0, "", 900)
    >>> report.add("counter", "add", 5, "too much: 7: execute wasm contract failed", 300)
    >>> print(report)
    demo: 2 calls
      counter.add  1 passed, 1 refused  gas 900 900 900
        1  too much: #
    """

    def __init__(self, name: str, messages: Mapping[str, Iterable[str]] | None = None) -> None:
        self.name = name
        #: rules that ran; a message that is refused may be tried several times in one
        self.steps = 0
        self.tallies: dict[tuple[str, str], Tally] = {}
        self._kinds: dict[str, str] = {}
        self.errors_known: dict[str, list[str]] = {}
        for contract, variants in (messages or {}).items():
            for variant in variants:
                self.tallies[contract, variant] = Tally()

    def add(self, contract: str, variant: str, code: int, log: str, gas: int) -> None:
        """Count one call.

        >>> report = Report("demo")
        >>> report.add("counter", "add", 0, "", 900)
        >>> report.calls
        1
        """
        tally = self.tallies.get((contract, variant))
        if tally is None:
            tally = self.tallies[contract, variant] = Tally()
        if code:
            kind = self._kinds.get(log)
            if kind is None:
                kind = error_kind(log)
                if len(self._kinds) < SAMPLES:
                    self._kinds[log] = kind
            tally.errors[kind] = tally.errors.get(kind, 0) + 1
            return
        tally.ok += 1
        if len(tally.gas) < SAMPLES:
            tally.gas.append(gas)

    @property
    def calls(self) -> int:
        """All calls.

        >>> Report("demo").calls
        0
        """
        return sum(tally.ok + tally.failed for tally in self.tallies.values())

    def never_accepted(self) -> list[str]:
        """Messages that no call got accepted of: the test says nothing about them.

        >>> Report("demo", {"counter": ["add"]}).never_accepted()
        ['counter.add']
        """
        return [f"{c}.{v}" for (c, v), tally in self.tallies.items() if not tally.ok]

    def never_raised(self) -> list[str]:
        """Errors that the contracts define and no call met.

        >>> Report("demo").never_raised()
        []
        """
        seen = [kind for tally in self.tallies.values() for kind in tally.errors]
        missing = []
        for contract, patterns in self.errors_known.items():
            for pattern in patterns:
                if not any(re.search(pattern, kind) for kind in seen):
                    missing.append(f"{contract}: {_readable(pattern)}")
        return missing

    def to_plain(self) -> dict[str, Any]:
        """Plain values, for another process.

        >>> Report("demo").to_plain()
        {'name': 'demo', 'rows': [], 'known': {}}
        """
        rows = [[c, v, t.ok, t.errors, sorted(t.gas)[:: max(1, len(t.gas) // 100)]]
                for (c, v), t in self.tallies.items()]  # fmt: skip
        return {"name": self.name, "rows": rows, "known": self.errors_known}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Report:
        """Back from plain values.

        >>> Report.from_plain(Report("demo").to_plain()).name
        'demo'
        """
        report = cls(plain["name"])
        report.errors_known = dict(plain["known"])
        for contract, variant, ok, errors, gas in plain["rows"]:
            tally = report.tallies[contract, variant] = Tally()
            tally.ok, tally.errors, tally.gas = ok, dict(errors), list(gas)
        return report

    def lines(self, errors: int = 3) -> list[str]:
        """The report as lines, with the most frequent ``errors`` of each message.

        >>> Report("demo", {"counter": ["add"]}).lines()[-1]
        '  never accepted: counter.add'
        """
        lines = [f"{self.name}: {self.calls} calls"]
        for (contract, variant), tally in self.tallies.items():
            gas = "  gas {} {} {}".format(*percentiles(tally.gas)) if tally.gas else ""
            lines.append(f"  {contract}.{variant}  {tally.ok} passed, {tally.failed} refused{gas}")
            ranked = sorted(tally.errors.items(), key=lambda item: (-item[1], item[0]))
            lines += [f"    {count}  {kind}" for kind, count in ranked[:errors]]
        if never := self.never_accepted():
            lines.append(f"  never accepted: {', '.join(never)}")
        if missing := self.never_raised():
            lines.append(f"  errors never met: {'; '.join(missing)}")
        return lines

    def __str__(self) -> str:
        return "\n".join(self.lines())


def percentiles(values: Iterable[int]) -> tuple[int, int, int]:
    """Smallest, median, largest.

    >>> percentiles([3, 1, 2])
    (1, 2, 3)
    """
    ordered = sorted(values)
    return ordered[0], ordered[len(ordered) // 2], ordered[-1]


def _readable(pattern: str) -> str:
    return re.sub(r"\\(.)", r"\1", pattern.replace(".*", "…"))


def error_patterns(contract: Contract) -> list[str]:
    """What the contract's refusals look like, as regular expressions, read off its source: the
    texts of ``ContractError`` and of classes derived from it.

    >>> error_patterns(Contract(name="empty"))
    []
    """
    found: dict[str, None] = {}
    for text in _sources(contract):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            pattern = _refusal(node)
            if pattern:
                found[pattern] = None
    return list(found)


def _sources(contract: Contract) -> list[str]:
    if contract.source:
        own = f"{contract.name}/"
        return [text for path, text in contract.source.items() if path.startswith(own)]
    texts = []
    for entry in (contract.execute,):
        try:
            texts.append(inspect.getsource(inspect.getmodule(entry) or entry))  # type: ignore[arg-type]
        except (OSError, TypeError):
            continue
    return texts


def _refusal(node: ast.AST) -> str | None:
    """The pattern of ``ContractError(text)`` or of ``super().__init__(text)`` in an error class."""
    if not (isinstance(node, ast.Call) and node.args):
        return None
    name = node.func
    direct = isinstance(name, ast.Name) and name.id == "ContractError"
    derived = (
        isinstance(name, ast.Attribute)
        and name.attr == "__init__"
        and isinstance(name.value, ast.Call)
        and isinstance(name.value.func, ast.Name)
        and name.value.func.id == "super"
    )
    return _pattern(node.args[0]) if direct or derived else None


def _pattern(node: ast.AST) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(error_kind(node.value))
    if isinstance(node, ast.JoinedStr):
        parts = [
            re.escape(_DIGITS.sub("#", str(part.value))) if isinstance(part, ast.Constant) else ".*"
            for part in node.values
        ]
        return "".join(parts)
    return None
