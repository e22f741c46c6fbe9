"""Gas per contract and message over a test session: measured, saved, compared."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

SAMPLES: Final = 10_000
Row = tuple[int, int, int, int]  # calls, min, median, max


class GasTable:
    """Gas of accepted calls by (contract, message), but for those of state machines: they differ
    from run to run, so their medians say nothing about a change.

    >>> table = GasTable()
    >>> for gas in (30, 10, 20): table.add("counter", "add", gas)
    >>> print("\\n".join(table.lines()))
    contract  message  calls  min  median  max
    counter   add          3   10      20   30
    """

    def __init__(self) -> None:
        self._calls: dict[tuple[str, str], int] = {}
        self._gas: dict[tuple[str, str], list[int]] = {}
        self._fixed: dict[tuple[str, str], Row] = {}

    def watch(self) -> None:
        """Have every test chain of this process report its calls here."""
        import_module("chain.testing.engine").WATCHERS.append(self._seen)

    def _seen(self, engine: Any, messages: Any, result: Any) -> None:
        if result.code or len(messages) != 1 or engine.attacked:
            return
        message = messages[0]
        if type(message).__name__ != "MsgExecuteContract":
            return
        try:
            body = msgspec.json.decode(message.msg)
        except msgspec.DecodeError:
            return
        variant = body if isinstance(body, str) else next(iter(body), "") if body else ""
        self.add(engine.contract_name(message.contract), str(variant), result.gas_used)

    def add(self, contract: str, message: str, gas: int) -> None:
        """Count one call."""
        key = (contract, message)
        self._calls[key] = self._calls.get(key, 0) + 1
        samples = self._gas.setdefault(key, [])
        if len(samples) < SAMPLES:
            samples.append(gas)

    def rows(self) -> dict[tuple[str, str], Row]:
        """Calls, smallest, median and largest of each."""
        found = dict(self._fixed)
        for key, samples in self._gas.items():
            ordered = sorted(samples)
            found[key] = (self._calls[key], ordered[0], ordered[len(ordered) // 2], ordered[-1])
        return dict(sorted(found.items()))

    def lines(self, before: GasTable | None = None) -> list[str]:
        """The table; with an earlier one, how the medians moved."""
        old = before.rows() if before else {}
        head = ["contract", "message", "calls", "min", "median", "max"]
        head += ["change"] if before else []
        cells = [head]
        for key, row in self.rows().items():
            line = [*key, *map(str, row)]
            if before:
                line.append(_change(row, old.get(key)))
            cells.append(line)
        widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
        return [
            "  ".join(_cell(text, widths[n], n) for n, text in enumerate(line)).rstrip()
            for line in cells
        ]

    def above(self, before: GasTable, per_cent: int) -> list[str]:
        """Messages whose median rose by more than so many per cent."""
        old = before.rows()
        found = []
        for key, row in self.rows().items():
            known = old.get(key)
            if known and row[2] * 100 > known[2] * (100 + per_cent):
                found.append(f"{key[0]}.{key[1]}: median {known[2]} to {row[2]}")
        return found

    def to_plain(self) -> list[Any]:
        """Plain values, for another process."""
        return [[*key, self._calls[key], samples] for key, samples in self._gas.items()]

    def merge(self, plain: list[Any]) -> None:
        """Add what another process measured."""
        for contract, message, calls, samples in plain:
            key = (contract, message)
            self._calls[key] = self._calls.get(key, 0) + calls
            kept = self._gas.setdefault(key, [])
            kept += samples[: SAMPLES - len(kept)]

    def save(self, path: Path) -> None:
        """Write the table as JSON."""
        rows = {f"{c}.{m}": list(row) for (c, m), row in self.rows().items()}
        path.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> GasTable:
        """Read a saved table. Raises: OSError; ValueError with one line for what is none."""
        table = cls()
        try:
            rows = msgspec.json.decode(path.read_bytes(), type=dict[str, Row])
        except msgspec.DecodeError as error:
            raise ValueError(f"no gas table: {error}") from None
        for name, row in rows.items():
            contract, _, message = name.rpartition(".")
            table._fixed[contract, message] = row
        return table


def _cell(text: str, width: int, column: int) -> str:
    return text.ljust(width) if column < 2 else text.rjust(width)


def _change(row: Row, old: Row | None) -> str:
    if old is None:
        return "new"
    if not old[2]:
        return ""
    change = (row[2] - old[2]) * 1000 // old[2]
    return f"{change / 10:+.1f} %" if change else "="
