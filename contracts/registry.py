"""The contracts that ship with the chain. Append only: a name, once here, keeps its meaning.

Nothing is read or compiled before a contract is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from chain.vm.contract import Contract
from chain.vm.sandbox.loader import load_folder

FOLDER: Final = Path(__file__).resolve().parent
NAMES: Final = (
    "did_registry_v1",
    "agent_registry_v1",
    "agent_a2a_v1",
    "ai_agent_constitution_v1",
    "token_v1",
    "escrow_v1",
    "agent_tasks_v1",
)


class Registry(Mapping[str, Contract]):
    """Contracts by name; a folder is read when its name is first looked up."""

    def __init__(self) -> None:
        self._loaded: dict[str, Contract] = {}

    def __getitem__(self, name: str) -> Contract:
        if name not in NAMES:
            raise KeyError(name)
        contract = self._loaded.get(name)
        if contract is None:
            contract = self._loaded[name] = load_folder(FOLDER / name)
        return contract

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


REGISTRY: Final = Registry()
