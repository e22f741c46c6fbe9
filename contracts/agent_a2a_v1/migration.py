"""Which stored versions this code takes over."""

from chain.storage_plus import ContractVersion
from contracts.agent_a2a_v1.error import MigrationRefused

PARTS = 3
DIGITS_MAX = 6


def check_migration(previous: ContractVersion, name: str, version: str) -> None:
    """The same contract, not newer than this code. Raises: MigrationRefused."""
    if previous.contract != name:
        raise MigrationRefused(f"this is {name}, not {previous.contract}")
    if version_key(previous.version) > version_key(version):
        raise MigrationRefused(f"from {previous.version} down to {version}")


def version_key(version: str) -> tuple[int, ...]:
    """``1.10.2`` as numbers. Raises: MigrationRefused."""
    parts = version.split(".")
    if len(parts) != PARTS:
        raise MigrationRefused(f"{version} is no version")
    for part in parts:
        if not (1 <= len(part) <= DIGITS_MAX and part.strip("0123456789") == ""):
            raise MigrationRefused(f"{version} is no version")
    return tuple([int(part) for part in parts])
