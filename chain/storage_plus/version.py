"""Name and version of a contract in its own storage, as cw2 writes them: key ``contract_info``,
JSON.

Every CosmWasm tool reads this entry raw, so it is JSON and not MessagePack.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from chain.std.decode import decode
from chain.std.deps import Storage
from chain.std.encode import encode
from chain.std.errors import NotFound

CONTRACT_INFO_KEY: Final = b"contract_info"


class ContractVersion(Struct, frozen=True):
    """What cw2 stores."""

    contract: str
    version: str


def set_contract_version(storage: Storage, contract: str, version: str) -> None:
    """Write the entry; instantiate and migrate do."""
    storage.set(CONTRACT_INFO_KEY, encode(ContractVersion(contract, version)))


def get_contract_version(storage: Storage) -> ContractVersion:
    """Read the entry. Raises: NotFound, ParseError."""
    raw = storage.get(CONTRACT_INFO_KEY)
    if raw is None:
        raise NotFound("ContractVersion")
    found: ContractVersion = decode(raw, ContractVersion)
    return found
