"""Storage of the constitution: who decides, what holds, every version, who is suspended."""

from chain.std import Addr, Record
from chain.storage_plus import Item, Map


class Config(Record):
    """Who may change the rules, and who resolves agent ids."""

    authority: Addr
    registry: Addr | None


class RuleRecord(Record):
    """One rule; ``agent`` is an address or ``*``."""

    allow: bool
    agent: str
    action: str
    risk_tier: str
    note: str | None


class Version(Record):
    """One version of the rules; ``hash`` is hex SHA-256 of their canonical form (README)."""

    version: int
    hash: str
    default_allow: bool
    rules: tuple[RuleRecord, ...]
    created_at: int  # nanoseconds
    height: int


class SuspensionRecord(Record):
    """Why and since when an agent is suspended."""

    reason: str | None
    since: int  # nanoseconds


CONFIG = Item("config", Config)
CURRENT = Item("current", Version)
VERSIONS = Map("versions", (int,), Version)
SUSPENSIONS = Map("suspensions", (Addr,), SuspensionRecord)
SUSPENSION_COUNT = Item("suspension_count", int, derived=True)
