"""Keys in a folder, each in a file of its own, encrypted with a password.

A file is JSON: name, type, address and public key in the clear; the secret under AES-256-GCM with
a key that scrypt makes of the password. What is in the clear is bound to the secret, so that a
file whose address was changed does not open.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from chain.crypto.hd import MnemonicError, to_words, wallet_key
from chain.crypto.keys import ML_DSA_87, SECP256K1, MlDsa87Key, PrivateKey

FORMAT: Final = "msgchain-key-1"
#: scrypt's cost: 64 MiB of memory, about a quarter of a second
COST: Final = 1 << 16
_COST_MAX: Final = 1 << 20
_R: Final = 8
_P: Final = 1
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
PASSWORD_MIN: Final = 8


class KeystoreError(Exception):
    """A key that cannot be used; the text says what to do."""


class KeyInfo(msgspec.Struct, frozen=True):
    """What is known of a key without its password."""

    name: str
    type: str
    address: str
    pubkey: str


class Secret(msgspec.Struct, frozen=True):
    """What a key follows from: a 32-byte ``seed`` (native), or words and an index (wallet)."""

    type: str
    seed: bytes = b""
    words: str = ""
    index: int = 0

    def key(self) -> PrivateKey:
        """The key. Raises: KeystoreError."""
        if self.type == ML_DSA_87:
            if len(self.seed) != 32:
                raise KeystoreError("the seed of a native key has 32 bytes (64 hex digits)")
            return MlDsa87Key(self.seed)
        try:
            return wallet_key(self.words, self.index)
        except MnemonicError as error:
            raise KeystoreError(f"{error}; write the 12 to 24 words with a space between") from None

    @classmethod
    def native(cls) -> Secret:
        """A new native secret."""
        return cls(ML_DSA_87, seed=os.urandom(32))

    @classmethod
    def wallet(cls, words: str = "", index: int = 0) -> Secret:
        """A wallet's secret, of new words where none are given."""
        found = " ".join(words.split()) or to_words(os.urandom(32))
        return cls(SECP256K1, words=found, index=index)


class Keystore:
    """The keys in a folder, which is made with the first of them. ``cost``: scrypt's, for new
    files."""

    def __init__(self, folder: Path, *, cost: int = COST) -> None:
        self.folder = folder
        self._cost = cost

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise KeystoreError(
                f"{name!r} is no name for a key; use 1 to 64 letters, digits, dots, - and _"
            )
        return self.folder / f"{name}.json"

    def names(self) -> list[str]:
        """The names of the keys."""
        if not self.folder.is_dir():
            return []
        return sorted(path.stem for path in self.folder.glob("*.json"))

    def __contains__(self, name: str) -> bool:
        return bool(_NAME.fullmatch(name)) and self._path(name).is_file()

    def info(self, name: str) -> KeyInfo:
        """What is in the clear of a key. Raises: KeystoreError."""
        document = self._read(name)
        return KeyInfo(name, document["type"], document["address"], document["pubkey"])

    def add(self, name: str, secret: Secret, password: str) -> KeyInfo:
        """Keep a secret under a name that is free. Raises: KeystoreError."""
        path = self._path(name)
        if path.exists():
            raise KeystoreError(f"there is a key {name} already; choose another name")
        if len(password) < PASSWORD_MIN:
            raise KeystoreError(f"a password has at least {PASSWORD_MIN} characters")
        pubkey = secret.key().pubkey
        info = KeyInfo(name, pubkey.type, pubkey.address(), pubkey.key.hex())
        self._write(path, _sealed(info, secret, password, self._cost))
        return info

    def remove(self, name: str) -> None:
        """Delete a key's file. Raises: KeystoreError."""
        self._read(name)
        self._path(name).unlink()

    def secret(self, name: str, password: str) -> Secret:
        """The secret of a key. Raises: KeystoreError for a wrong password."""
        return _opened(self._read(name), password, name)

    def key(self, name: str, password: str) -> PrivateKey:
        """The key itself. Raises: KeystoreError."""
        return self.secret(name, password).key()

    def export(self, name: str) -> str:
        """The encrypted file of a key. Raises: KeystoreError."""
        return json.dumps(self._read(name), indent=2)

    def import_file(self, name: str, text: str, password: str) -> KeyInfo:
        """Keep an exported key under a name; its password must open it, and stays. Raises:
        KeystoreError."""
        document = _checked(text, "the file")
        return self.add(name, _opened(document, password, "the file"), password)

    def _read(self, name: str) -> dict[str, Any]:
        path = self._path(name)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            known = ", ".join(self.names()) or "none"
            raise KeystoreError(
                f"there is no key {name} in {self.folder}; there are: {known}"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise KeystoreError(f"{path} cannot be read: {error}") from None
        return _checked(text, str(path))

    def _write(self, path: Path, document: Mapping[str, Any]) -> None:
        partial = path.with_name(f".{path.name}.part")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=2)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError as error:
            raise KeystoreError(f"{path} cannot be written: {error.strerror}") from None


def _checked(text: str, where: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    wanted = ("format", "type", "address", "pubkey", "cost", "salt", "nonce", "secret")
    if not isinstance(document, dict) or any(name not in document for name in wanted):
        raise KeystoreError(f"{where} is no key file; export one with `msgchain keys export NAME`")
    if document["format"] != FORMAT:
        raise KeystoreError(
            f"{where}: format {document['format']!r}, this program reads {FORMAT!r}"
        )
    return document


def _bound(document: Mapping[str, Any]) -> bytes:
    """What stands in the clear and must not be changed."""
    names = ("format", "type", "address", "pubkey", "cost")
    return json.dumps({name: document[name] for name in names}, sort_keys=True).encode()


def _derived(password: str, salt: bytes, cost: int) -> bytes:
    return Scrypt(salt=salt, length=32, n=cost, r=_R, p=_P).derive(password.encode())


def _sealed(info: KeyInfo, secret: Secret, password: str, cost: int) -> dict[str, Any]:
    salt, nonce = os.urandom(16), os.urandom(12)
    document: dict[str, Any] = {
        "format": FORMAT,
        "type": info.type,
        "address": info.address,
        "pubkey": info.pubkey,
        "cost": cost,
        "salt": salt.hex(),
        "nonce": nonce.hex(),
    }
    sealed = AESGCM(_derived(password, salt, cost)).encrypt(
        nonce, msgspec.msgpack.encode(secret), _bound(document)
    )
    return {**document, "secret": sealed.hex()}


def _opened(document: Mapping[str, Any], password: str, where: str) -> Secret:
    try:
        salt, nonce = bytes.fromhex(document["salt"]), bytes.fromhex(document["nonce"])
        cost = document["cost"]
        if not isinstance(cost, int) or not 2 <= cost <= _COST_MAX or cost & (cost - 1):
            raise KeystoreError(f"{where}: the cost is no power of two up to {_COST_MAX}")
        sealed = bytes.fromhex(document["secret"])
        raw = AESGCM(_derived(password, salt, cost)).decrypt(nonce, sealed, _bound(document))
        return msgspec.msgpack.decode(raw, type=Secret)
    except InvalidTag:
        raise KeystoreError(f"{where}: wrong password, or the file was changed") from None
    except (ValueError, TypeError, msgspec.MsgspecError):
        raise KeystoreError(f"{where}: the file is damaged; import it again from a copy") from None
