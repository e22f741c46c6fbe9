"""The contracts that a node or a replay knows, by the line that stands in a stored code.

No code comes in over the network: a line names a contract by its name and the SHA-256 of its
source, and what is not
known under both is refused.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from chain.driver.log.record import LogError
from chain.vm.contract import Contract
from chain.vm.sandbox.loader import load_source

LINE: Final = re.compile(r"msgchain:([^@]+)@([0-9a-f]{64})")
#: what a log carries of a code beside its name and its files by path
_FUNCTION, _LINE, _CHECKSUM = "function", "line", "checksum"


def line_of(contract: Contract) -> str:
    """The line that stores a contract: ``msgchain:<name>@<sha256 of its source>``."""
    return f"msgchain:{contract.name}@{contract.checksum.hex()}"


def logged(contract: Contract) -> dict[str, str]:
    """What a log carries of a code: its files, or how a contract of functions is imported."""
    if contract.source:
        return {"name": contract.name, **contract.source}
    return {"name": contract.name, _FUNCTION: _reference(contract)}


def logged_as(contract: Contract, line: str) -> dict[str, str]:
    """As ``logged`` for a code that stands under another line than the contract's own."""
    return {**logged(contract), _LINE: line, _CHECKSUM: contract.checksum.hex()}


def _reference(contract: Contract) -> str:
    """Module and name of a contract of functions; a value that no module names has none."""
    module = contract.source_ref.module
    found = sys.modules.get(module)
    for name, value in [] if found is None else list(vars(found).items()):
        if value is contract:
            return f"{module}:{name}"
    return f"{module}:<locals>.{contract.name}"


def code_checksum(contract: Contract) -> bytes:
    """The checksum of a stored code: SHA-256 of its line, as of any bytes that are uploaded."""
    return hashlib.sha256(line_of(contract).encode()).digest()


class KnownCodes:
    """Contracts by name and checksum.

    ``named`` is looked up lazily (a folder is read when its name is first asked for); ``add`` makes
    further versions
    known, from a user's folder or from the sources in a log.
    """

    def __init__(self, named: Mapping[str, Contract]) -> None:
        self._named = named
        self._added: dict[str, Contract] = {}
        self._by_checksum: dict[bytes, Contract] = {}

    def add(self, contract: Contract) -> str:
        """Make a contract known and return its line."""
        line = line_of(contract)
        self._added[line] = contract
        self._by_checksum[code_checksum(contract)] = contract
        return line

    def resolve(self, source: str) -> Contract | None:
        """The contract of a line, None for an unknown one."""
        added = self._added.get(source)
        if added is not None:
            return added
        match = LINE.fullmatch(source)
        if match is None or match[1] not in self._named:
            return None
        contract = self._named[match[1]]
        if contract.checksum.hex() != match[2]:
            return None
        self.add(contract)
        return contract

    def source(self, checksum: bytes) -> dict[str, str] | None:
        """What a log carries of a code: its files, or how a contract of functions is imported."""
        contract = self._by_checksum.get(checksum)
        if contract is None:
            return None
        return logged(contract)

    def lines(self) -> list[str]:
        """Every line that would be taken: shipped contracts first, then added ones."""
        return list(dict.fromkeys([*map(line_of, self._named.values()), *self._added]))

    def add_logged(self, sources: Mapping[str, Mapping[str, str]]) -> None:
        """Make the contracts that a log carries known, those of functions by importing them.

        Raises: LogError naming what cannot be imported or no longer is what was logged.
        """
        for checksum, entry in sources.items():
            files = dict(entry)
            line, wanted = files.pop(_LINE, None), files.pop(_CHECKSUM, checksum)
            contract = _logged(checksum, files)
            found = (code_checksum(contract) if line is None else contract.checksum).hex()
            if found != wanted:
                raise LogError(
                    f"contract {contract.name}: the log ran {wanted}, here it is {found}; "
                    "check out the version that was logged"
                )
            if line is None:
                self.add(contract)
            else:
                self._added[line] = contract


def _logged(checksum: str, files: dict[str, str]) -> Contract:
    name = files.pop("name", "")
    reference = files.get(_FUNCTION)
    if reference is None:
        return load_source(name, files)
    module, _, attribute = reference.partition(":")
    try:
        found: object = _imported(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise LogError(
            f"contract {name} ({checksum[:12]}…) is made of functions in {reference} and cannot be "
            f"imported here ({error}); run the replay where that module is"
        ) from None
    if not isinstance(found, Contract):
        raise LogError(f"contract {name}: {reference} is no contract")
    return found


def _imported(module: str) -> object:
    """A module, also one of the working folder, where an installed command does not look."""
    here = str(Path.cwd())
    if here in sys.path:
        return importlib.import_module(module)
    sys.path.append(here)
    try:
        return importlib.import_module(module)
    finally:
        sys.path.remove(here)
