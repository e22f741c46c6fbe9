"""The contracts that a node or a replay knows, by the line that stands in a stored code.

No code comes in over the network: a line names a contract by its name and the SHA-256 of its
source, and what is not
known under both is refused.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Iterable, Mapping
from typing import Final

from chain.driver.log.record import LogError
from chain.vm.contract import Contract
from chain.vm.sandbox.loader import load_source

LINE: Final = re.compile(r"msgchain:([^@]+)@([0-9a-f]{64})")


def line_of(contract: Contract) -> str:
    """The line that stores a contract: ``msgchain:<name>@<sha256 of its source>``."""
    return f"msgchain:{contract.name}@{contract.checksum.hex()}"


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
        if contract.source:
            return {"name": contract.name, **contract.source}
        ref = contract.source_ref
        return {"name": contract.name, ref.kind: f"{ref.module}:{ref.name}"}

    def lines(self) -> list[str]:
        """Every line that would be taken: shipped contracts first, then added ones."""
        return list(dict.fromkeys([*map(line_of, self._named.values()), *self._added]))

    def add_logged(self, sources: Mapping[str, Mapping[str, str]]) -> None:
        """Make the contracts that a log carries known, those of functions by importing them.

        Raises: LogError naming what cannot be imported or no longer is what was logged.
        """
        for checksum, files in sources.items():
            contract = _logged(checksum, dict(files))
            found = code_checksum(contract).hex()
            if found != checksum:
                raise LogError(
                    f"contract {contract.name}: the log ran {checksum}, here it is {found}; "
                    "check out the version that was logged"
                )
            self.add(contract)


def _logged(checksum: str, files: dict[str, str]) -> Contract:
    name = files.pop("name", "")
    reference = files.get("function")
    if reference is None:
        return load_source(name, files)
    module, _, attribute = reference.partition(":")
    try:
        found: object = importlib.import_module(module)
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


def contracts_in(contracts: Iterable[Contract]) -> dict[str, Contract]:
    """Contracts by name. Raises: ValueError for two of one name."""
    found: dict[str, Contract] = {}
    for contract in contracts:
        if contract.name in found:
            raise ValueError(f"two contracts are called {contract.name}")
        found[contract.name] = contract
    return found
