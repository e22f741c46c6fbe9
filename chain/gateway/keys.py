"""API keys: made once, shown once, kept as a hash, bound to one agent, revocable.

A folder holds one small file a key, so that every gateway that sees the folder knows a new or a
revoked key with its next request. A secret has 256 random bits, which makes a plain SHA-256 as
good as a slow hash.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from pathlib import Path
from typing import Final

import msgspec

PREFIX: Final = "msgk"
_TOKEN: Final = re.compile(r"msgk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")
_ID: Final = re.compile(r"[0-9a-f]{16}")
#: compared with where there is no such key, so that this takes as long
_NOBODY: Final = "0" * 64


class ApiKeyError(Exception):
    """A key that cannot be made, read or revoked; the text says what to do."""


class ApiKey(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of a key. ``signer`` names the agent's key in the keystore (or ``dev:NAME``);
    empty: the agent signs elsewhere. Times are seconds since 1970, 0 for never."""

    id: str
    agent_id: str
    address: str
    hash: str
    created_at: int
    signer: str = ""
    revoked_at: int = 0


class ApiKeys:
    """The keys in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, tuple[tuple[int, int, int], ApiKey]] = {}

    def create(self, agent_id: str, address: str, signer: str = "") -> tuple[str, ApiKey]:
        """Make a key; its text, which is kept nowhere, and its record. Raises: ApiKeyError."""
        number, secret = secrets.token_hex(8), secrets.token_urlsafe(32)
        token = f"{PREFIX}_{number}_{secret}"
        made = ApiKey(number, agent_id, address, _hash(token), int(time.time()), signer)
        self._write(made)
        return token, made

    def all(self) -> list[ApiKey]:
        """All keys, oldest first."""
        if not self.folder.is_dir():
            return []
        names = [path.stem for path in self.folder.glob("*.json") if _ID.fullmatch(path.stem)]
        found = [one for one in map(self._load, names) if one is not None]
        return sorted(found, key=lambda one: (one.created_at, one.id))

    def revoke(self, number: str) -> ApiKey:
        """End a key for good. Raises: ApiKeyError."""
        found = self._load(number) if _ID.fullmatch(number) else None
        if found is None:
            raise ApiKeyError(f"there is no API key {number}; see `msgchain api-keys list`")
        if not found.revoked_at:
            found = msgspec.structs.replace(found, revoked_at=int(time.time()))
            self._write(found)
        return found

    def find(self, token: str) -> ApiKey | None:
        """The live key with this text; None for a wrong or revoked one."""
        match = _TOKEN.fullmatch(token)
        found = None if match is None else self._load(match[1])
        known = _NOBODY if found is None else found.hash
        same = hmac.compare_digest(_hash(token), known)
        return found if found is not None and same and not found.revoked_at else None

    def _load(self, number: str) -> ApiKey | None:
        path = self.folder / f"{number}.json"
        try:
            at = path.stat()
            mark = (at.st_mtime_ns, at.st_size, at.st_ino)
            kept = self._read.get(number)
            if kept is not None and kept[0] == mark:
                return kept[1]
            found = msgspec.json.decode(path.read_bytes(), type=ApiKey)
        except (OSError, msgspec.MsgspecError):
            self._read.pop(number, None)
            return None
        self._read[number] = (mark, found)
        return found

    def _write(self, key: ApiKey) -> None:
        path = self.folder / f"{key.id}.json"
        partial = self.folder / f".{key.id}.part"
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(msgspec.json.encode(key) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError as error:
            raise ApiKeyError(f"{path} cannot be written: {error.strerror}") from None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
