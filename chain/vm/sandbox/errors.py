"""The one error of a contract folder that cannot be registered."""

from __future__ import annotations


class ContractSourceError(Exception):
    """A contract's source is refused: file, line (0 for the file as a whole), and why."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        place = f"{file}:{line}" if line else file
        super().__init__(f"{place}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason
