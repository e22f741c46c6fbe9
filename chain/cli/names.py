"""Names in place of addresses: keys of the keystore, and accounts and contracts of a devnet."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from chain.app import devnet
from chain.cli.output import fail
from chain.client.keystore import Keystore
from chain.crypto.addresses import validate
from chain.crypto.hd import wallet_key
from chain.crypto.keys import PrivateKey, PubKey

DEFAULT_FOLDER: Final = Path("~/.msgchain/keys")
PASSWORD: Final = "MSGCHAIN_PASSWORD"
_WALLET: Final = "wallet"
_DEV: Final = "dev:"
F = TypeVar("F", bound=Callable[..., Any])


class Watched:
    """A key that can be named and not sign: enough for a dry run."""

    def __init__(self, pubkey: PubKey) -> None:
        self.pubkey = pubkey

    def sign(self, message: bytes, context: bytes = b"") -> bytes:
        """Refuse. Raises: ValueError."""
        raise ValueError("a dry run does not sign")


def key_options(command: F) -> F:
    """Where keys are, and what opens them."""
    folder = click.option(
        "--keyring",
        type=click.Path(file_okay=False, path_type=Path),
        default=DEFAULT_FOLDER,
        show_default=True,
        envvar="MSGCHAIN_KEYS",
        help="Folder of the keys; also from MSGCHAIN_KEYS.",
    )
    password = click.option(
        "--password-file",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"File with the password; else {PASSWORD}, else it is asked for.",
    )
    return folder(password(command))


def opened(folder: Path) -> Keystore:
    """The keystore of a folder."""
    return Keystore(folder.expanduser())


def password(file: Path | None, *, new: bool = False) -> str:
    """The password: of the file, the environment, or asked for at a terminal."""
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            fail(f"--password-file {file} cannot be read: {error}")
    given = os.environ.get(PASSWORD)
    if given is not None:
        return given
    if not sys.stdin.isatty():
        fail(f"a password is needed: set {PASSWORD} or use --password-file")
    text: str = click.prompt("password", hide_input=True, confirmation_prompt=new, err=True)
    return text


def dev_names() -> list[str]:
    """The accounts whose keys everybody knows."""
    return [*devnet.ACCOUNTS, *(f"{_WALLET}{index}" for index in range(devnet.WALLETS))]


def dev_key(name: str) -> PrivateKey | None:
    """A devnet account's key, None for what is none. The keys are worthless on purpose."""
    short = name.removeprefix(_DEV)
    if short in devnet.ACCOUNTS:
        return devnet.dev_key(short)
    number = short.removeprefix(_WALLET)
    if short.startswith(_WALLET) and number.isascii() and number.isdigit() and len(number) < 5:
        return wallet_key(devnet.WORDS, int(number))
    return None


def signer(name: str, keyring: Path, password_file: Path | None, *, watch: bool) -> PrivateKey:
    """The key of a name; ``watch``: it will not sign, so no password is asked for."""
    store = opened(keyring)
    if name in store and not name.startswith(_DEV):
        if watch:
            info = store.info(name)
            return Watched(PubKey(info.type, bytes.fromhex(info.pubkey)))
        return store.key(name, password(password_file))
    found = dev_key(name)
    if found is None:
        fail(
            f"--from {name}: there is no such key; `msgchain keys add {name}` makes one. "
            f"A devnet has {', '.join(dev_names())}"
        )
    return found


def address_of(text: str, keyring: Path) -> str:
    """The address of an address, a key, or a devnet's account or contract."""
    if text.startswith("msg1"):
        validate(text)
        return text
    store = opened(keyring)
    if text in store:
        return store.info(text).address
    if text in devnet.CONTRACTS:
        return devnet.dev_contract(text)
    found = dev_key(text)
    if found is None:
        fail(
            f"{text!r} is neither an address (msg1…) nor a name: keys "
            f"{', '.join(store.names()) or '(none)'}; devnet accounts {', '.join(dev_names())}; "
            f"devnet contracts {', '.join(devnet.CONTRACTS)}"
        )
    return found.pubkey.address()
