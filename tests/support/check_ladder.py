"""Checks of an operation in their order: break all, mend the first, see the next speak.

A rung is an error's name and what breaks its check: fields of the message (dicts are merged), or the sender, the funds,
the state. A later rung for the same field gives way to an earlier one.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONTRACTS = Path(__file__).parents[2] / "contracts"
MARK = "\N{SECTION SIGN}"


@dataclass(frozen=True)
class Rung:
    """One check and how to fail it."""

    error: str
    fields: dict[str, Any] = field(default_factory=dict)
    sender: str | None = None
    funds: str = ""
    before: Callable[[], object] | None = None


@dataclass(frozen=True)
class Ladder:
    """An operation that goes through, and what fails it, in order."""

    contract: str
    address: str
    variant: str
    sender: str
    good: dict[str, Any]
    rungs: tuple[Rung, ...]
    prepare: Callable[[], object] | None = None
    good_funds: str = ""


def merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """``base`` with the values of ``over``; dicts inside are merged too."""
    found = dict(base)
    for key, value in over.items():
        both = isinstance(value, dict) and isinstance(found.get(key), dict)
        found[key] = merged(found[key], value) if both else value
    return found


def documented(contract: str, variant: str) -> list[str]:
    """Error names of the README's row ``Checks in order``."""
    text = (CONTRACTS / contract / "README.md").read_text()
    section = text.split(f"### `{variant}`\n", 1)[1].split("\n### ", 1)[0]
    (row,) = re.findall(r"^\| Checks in order \| (.*) \|$", section, re.MULTILINE)
    return [re.findall(r"`(\w+)`", check)[0] for check in row.split("; ")]


def text_of(contract: str, error: str) -> re.Pattern[str]:
    """What an error says, whatever it names."""
    cls = getattr(importlib.import_module(f"contracts.{contract}.error"), error)
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    arguments = [1_024 * 7 if p.annotation in ("int", int) else MARK for p in parameters]
    text = re.escape(str(cls(*arguments)))
    return re.compile(re.sub(r"\d+", r"\\d+", text.replace(MARK, ".*")))


def variants(contract: str) -> list[str]:
    """The operations of a contract."""
    return [cls.variant for cls in importlib.import_module(f"contracts.{contract}.msg").EXECUTE]


def by_variant(*groups: Callable[[], Iterator[Ladder]]) -> dict[str, Ladder]:
    """The ladders of a contract by operation."""
    return {ladder.variant: ladder for group in groups for ladder in group()}


def climb_as_documented(chain: Any, ladder: Ladder) -> None:
    """The rungs are the README's checks, and the contract speaks in their order."""
    assert [rung.error for rung in ladder.rungs] == documented(ladder.contract, ladder.variant)
    climb(chain, ladder)


def climb(chain: Any, ladder: Ladder) -> None:
    """Every check speaks before all that come after it; with all mended the call goes through."""
    start = chain.snapshot()
    try:
        if ladder.prepare is not None:
            ladder.prepare()
        for first in range(len(ladder.rungs) + 1):
            mark = chain.snapshot()
            step(chain, ladder, first)
            chain.revert(mark)
    finally:
        chain.revert(start)


def step(chain: Any, ladder: Ladder, first: int) -> None:
    """The call with all rungs from ``first`` on broken."""
    fields, sender, funds = ladder.good, ladder.sender, ladder.good_funds
    for rung in reversed(ladder.rungs[first:]):
        fields = merged(fields, rung.fields)
        sender = rung.sender or sender
        funds = rung.funds or funds
        if rung.before is not None:
            rung.before()
    result = chain.try_execute(ladder.address, {ladder.variant: fields}, sender, funds)
    if first == len(ladder.rungs):
        assert result.code == 0, (ladder.variant, result.log)
        return
    name = ladder.rungs[first].error
    assert result.code != 0, (ladder.variant, name, "went through")
    expected = text_of(ladder.contract, name)
    assert expected.search(result.log), (ladder.variant, name, result.log)
