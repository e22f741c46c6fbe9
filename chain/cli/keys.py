"""``msgchain keys``: keys in an encrypted keystore."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click

from chain.cli.names import dev_key as dev_key_of
from chain.cli.names import dev_names, key_options, opened, password
from chain.cli.output import fail, output_option, say
from chain.cli.remote import in_words, show_fields, show_rows
from chain.client.keystore import KeyInfo, Secret
from chain.crypto.keys import ML_DSA_87, SECP256K1

_FILE: Final = click.Path(dir_okay=False, path_type=Path)
_KIND: Final = click.option(
    "--type",
    "kind",
    type=click.Choice(["native", "wallet"]),
    default="native",
    show_default=True,
    help="native: ML-DSA-87; wallet: secp256k1 words as CosmJS and Keplr have.",
)
_NAMES: Final = {ML_DSA_87: "native", SECP256K1: "wallet"}


@click.group()
def keys() -> None:
    """Make and keep keys, encrypted with a password (scrypt, AES-256-GCM)."""


def _fields(info: KeyInfo) -> dict[str, Any]:
    return {"name": info.name, "type": _NAMES.get(info.type, info.type), "address": info.address}


@keys.command()
@click.argument("name")
@_KIND
@click.option("--no-backup", is_flag=True, help="Do not show the words of a new wallet.")
@key_options
@output_option
@in_words
def add(
    *,
    name: str,
    kind: str,
    no_backup: bool,
    keyring: Path,
    password_file: Path | None,
    output: str,
) -> None:
    """Make a key NAME. The words of a wallet are shown once."""
    secret = Secret.native() if kind == "native" else Secret.wallet()
    info = opened(keyring).add(name, secret, password(password_file, new=True))
    show_fields(_fields(info), output)
    if secret.words and not no_backup:
        click.echo(f"write these words down, they are the key:\n{secret.words}", err=True)


@keys.command("list")
@click.option("--dev", is_flag=True, help="Show the known keys of devnets as well.")
@key_options
@output_option
@in_words
def list_command(*, dev: bool, keyring: Path, password_file: Path | None, output: str) -> None:
    """List the keys and their addresses."""
    store = opened(keyring)
    rows = [_fields(store.info(name)) for name in store.names()]
    if dev:
        rows += [_dev_fields(name) for name in dev_names()]
    show_rows(rows, output, f"no keys in {store.folder}; make one with `msgchain keys add NAME`")


def _dev_fields(name: str) -> dict[str, Any]:
    key = dev_key_of(name)
    if key is None:
        fail(f"there is no devnet account {name}")
    kind = _NAMES.get(key.pubkey.type, key.pubkey.type)
    return {"name": f"dev:{name}", "type": kind, "address": key.pubkey.address()}


@keys.command()
@click.argument("name")
@key_options
@output_option
@in_words
def show(*, name: str, keyring: Path, password_file: Path | None, output: str) -> None:
    """Show address and public key of NAME (or of a devnet account, dev:NAME)."""
    store = opened(keyring)
    if name not in store:
        key = dev_key_of(name)
        if key is not None:
            short = name.removeprefix("dev:")
            show_fields({**_dev_fields(short), "pubkey": key.pubkey.key.hex()}, output)
            return
    info = store.info(name)
    show_fields({**_fields(info), "pubkey": info.pubkey}, output)


@keys.command("import")
@click.argument("name")
@click.argument("file", type=_FILE, required=False)
@click.option("--words", "from_words", is_flag=True, help="Read a wallet's words from input.")
@click.option("--seed", "from_seed", is_flag=True, help="Read a native seed (64 hex) from input.")
@click.option("--index", type=click.IntRange(0, 2**31 - 1), default=0, help="Account of the words.")
@key_options
@output_option
@in_words
def import_command(
    *,
    name: str,
    file: Path | None,
    from_words: bool,
    from_seed: bool,
    index: int,
    keyring: Path,
    password_file: Path | None,
    output: str,
) -> None:
    """Keep a key of elsewhere as NAME: an exported FILE, words, or a seed.

    Words and seeds are read from standard input, so that they stay out of the shell's history.
    """
    if (file is not None) + from_words + from_seed != 1:
        fail("name one source: a FILE from `msgchain keys export`, --words, or --seed")
    store = opened(keyring)
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            fail(f"{file} cannot be read: {error}")
        show_fields(_fields(store.import_file(name, text, password(password_file))), output)
        return
    given = _secret_input("words" if from_words else "seed")
    if from_words:
        secret = Secret.wallet(given or "-", index)
    else:
        try:
            secret = Secret(ML_DSA_87, seed=bytes.fromhex(given))
        except ValueError:
            fail("the seed is no hex; it has 64 digits")
    show_fields(_fields(store.add(name, secret, password(password_file, new=True))), output)


def _secret_input(what: str) -> str:
    if sys.stdin.isatty():
        text: str = click.prompt(what, hide_input=True, err=True)
        return text.strip()
    return sys.stdin.readline().strip()


@keys.command()
@click.argument("name")
@click.option("--unsafe-secret", is_flag=True, help="The words or the seed itself, in the clear.")
@click.option("--yes", is_flag=True, help="Do not ask before showing a secret.")
@key_options
@output_option
@in_words
def export(
    *,
    name: str,
    unsafe_secret: bool,
    yes: bool,
    keyring: Path,
    password_file: Path | None,
    output: str,
) -> None:
    """Print the encrypted file of NAME, for `keys import` elsewhere."""
    store = opened(keyring)
    if not unsafe_secret:
        click.echo(store.export(name))
        return
    store.info(name)
    if not yes and not click.confirm("who sees the secret owns the account; show it?", err=True):
        fail("not shown")
    secret = store.secret(name, password(password_file))
    shown = {"words": secret.words} if secret.words else {"seed": secret.seed.hex()}
    say(output, secret.words or secret.seed.hex(), name=name, **shown)


@keys.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask.")
@key_options
@output_option
@in_words
def delete(*, name: str, yes: bool, keyring: Path, password_file: Path | None, output: str) -> None:
    """Delete the key NAME for good."""
    store = opened(keyring)
    info = store.info(name)
    if not yes and not click.confirm(f"delete {name} ({info.address}) for good?", err=True):
        fail("not deleted")
    store.remove(name)
    say(output, f"deleted {name}", deleted=name, address=info.address)
