"""Where the test chain's contracts come from: values made of functions, and folders by name, path
or module.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import ModuleType

from chain.driver.codes import line_of, logged, logged_as
from chain.vm.contract import Contract
from chain.vm.sandbox.loader import load_folder

#: Marks of a line: the hash is the source's, and the code's checksum that of the line; or the hash
#: is the checksum itself.
_NATURAL = "@"
_FIXED = "="
#: What ``store_code`` takes.
ContractLike = Contract | str | Path | ModuleType


class ChainCodes:
    """The contracts that one chain knows, by the line that ``MsgStoreCode`` carries."""

    def __init__(self) -> None:
        self._known: dict[str, Contract] = {}
        self._by_checksum: dict[bytes, Contract] = {}
        #: where folders lie that were given as a path, by the hash of their source
        self.places: dict[bytes, str] = {}

    @property
    def known(self) -> dict[str, Contract]:
        """The contracts by line."""
        return self._known

    def resolve(self, source: str) -> Contract | None:
        """The contract of a line, None for an unknown one."""
        return self._known.get(source)

    def add(self, contract: ContractLike, checksum: bytes | None) -> str:
        """Make a contract known and return its line; two different values never share one.

        ``checksum`` stands in place of the source's hash. Raises: ValueError if it has not 32
        bytes.
        """
        value = contract if isinstance(contract, Contract) else load_folder(contract)
        self.place(value, contract)
        wanted = value.checksum if checksum is None else bytes(checksum)
        if len(wanted) != 32:
            raise ValueError(f"a checksum has 32 bytes, this one has {len(wanted)}")
        number = 1
        mark = _NATURAL if checksum is None else _FIXED
        line = _line(value.name, mark, wanted)
        while self._known.setdefault(line, value) is not value:
            number += 1
            line = _line(
                f"{value.name}.{number}", mark, _variant(wanted, number, fixed=mark == _FIXED)
            )
        stored = wanted if mark == _FIXED else hashlib.sha256(line.encode()).digest()
        self._by_checksum.setdefault(stored, value)
        return line

    def place(self, value: Contract, given: ContractLike) -> None:
        """Remember the path of a folder that is none of ``contracts/``, for scripts."""
        if isinstance(given, Path) or (isinstance(given, str) and given != value.name):
            self.places[value.checksum] = str(given)

    def named(self, checksum: bytes) -> str | None:
        """The name of the contract with a stored checksum."""
        value = self._by_checksum.get(checksum)
        return None if value is None else value.name

    def source(self, checksum: bytes) -> dict[str, str] | None:
        """What a log carries of a code: the files of a folder, or how a value is imported."""
        value = self._by_checksum.get(checksum)
        return None if value is None else logged(value)

    def sources(self) -> dict[str, dict[str, str]]:
        """What a log carries of every code, by the hex of the hash of its line."""
        return {
            hashlib.sha256(line.encode()).hexdigest(): (
                logged(value) if line == line_of(value) else logged_as(value, line)
            )
            for line, value in self._known.items()
        }


def _line(name: str, mark: str, checksum: bytes) -> str:
    return f"msgchain:{name}{mark}{checksum.hex()}"


def _variant(checksum: bytes, number: int, *, fixed: bool) -> bytes:
    """The hash of another value of the same name and functions; a hash that was asked for stays."""
    if fixed:
        return checksum
    return hashlib.sha256(checksum + number.to_bytes(8, "big")).digest()
