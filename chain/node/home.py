"""A node's folder: genesis, validator keys, chain and index; and a node out of it.

``genesis.json`` is the chain's genesis, ``validators.json`` the secret keys of its validators
(a devnet has none: its keys are known to everybody), ``data`` the chain, ``contracts`` the sources
of one's own contracts, ``index`` what may be deleted.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from chain.crypto.keys import Ed25519Key
from chain.crypto.verify import node_verifier
from chain.driver.codes import KnownCodes
from chain.driver.genesis import Genesis, parse, read_file
from chain.index.index import Index
from chain.node.controls_rpc import install
from chain.node.service import Node, Options
from chain.node.services import Services
from chain.store import LevelBackend, MemoryBackend
from chain.store.types import Backend
from chain.vm.contract import Contract
from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.loader import load_folder, load_source
from chain.wiring import dev_validator_keys, known_codes, open_chain

LOG: Final = logging.getLogger("msgchain.contracts")
GENESIS: Final = "genesis.json"
KEYS: Final = "validators.json"
DATA: Final = "data"
INDEX: Final = "index"
#: The index keeps no tree, whose updates are what larger buffers are good for.
INDEX_BUFFER_BYTES: Final = 8 << 20
SOURCES: Final = "contracts"
_DEV_VALIDATORS_MAX: Final = 100


class HomeError(Exception):
    """A folder that cannot be used; the text says what to do."""


def write_genesis(home: Path, document: dict[str, Any]) -> None:
    """Write a genesis file into a folder, made if absent."""
    home.mkdir(parents=True, exist_ok=True)
    _write_whole(home / GENESIS, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Write all of a file or nothing of it."""
    partial_path = path.with_name(f".{path.name}.part")
    descriptor = os.open(partial_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        partial_path.replace(path)
    finally:
        partial_path.unlink(missing_ok=True)


def write_keys(home: Path, keys: Sequence[Ed25519Key]) -> None:
    """Write the secret keys of validators, readable by their owner alone."""
    entries = [
        {"address": key.validator_address.hex().upper(), "seed": key.seed.hex()} for key in keys
    ]
    _write_whole(home / KEYS, json.dumps(entries, indent=2) + "\n", 0o600)


def read_keys(home: Path) -> list[Ed25519Key]:
    """The validators' keys of a folder. Raises: HomeError."""
    path = home / KEYS
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [Ed25519Key(bytes.fromhex(entry["seed"])) for entry in entries]
    except FileNotFoundError:
        raise HomeError(f"{path} is missing: make it with `msgchain node init`") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HomeError(f"{path} cannot be read: {error}") from None


def read_genesis(home: Path) -> Genesis:
    """The genesis of a folder. Raises: GenesisFileError."""
    return read_file(home / GENESIS)


def wipe(home: Path) -> None:
    """Delete the chain of a folder, and nothing that is not a node's. Raises: HomeError."""
    for name in (DATA, INDEX):
        folder = home / name
        if folder.is_dir():
            backend = LevelBackend(folder)  # refuses while a node runs
            backend.close()
            shutil.rmtree(folder)
    (home / GENESIS).unlink(missing_ok=True)


def signers_of(home: Path | None, genesis: Genesis) -> list[Ed25519Key]:
    """The keys to sign with: the folder's, or a devnet's known ones. Raises: HomeError."""
    if home is not None and (home / KEYS).exists():
        return read_keys(home)
    wanted = {member.pubkey for member in genesis.validators}
    known = dev_validator_keys(min(len(wanted), _DEV_VALIDATORS_MAX))
    found = [key for key in known if key.pubkey.key in wanted]
    if found or not wanted:
        return found
    where = "the folder" if home is None else str(home / KEYS)
    raise HomeError(f"no key of a validator of this genesis; {where} must hold one")


def open_node(
    home: Path | None,
    genesis: Genesis | dict[str, Any],
    options: Options,
    *,
    codes: KnownCodes | None = None,
) -> Node:
    """A node over a folder, or in memory for None. Raises: StoreLocked, StoreDamaged,
    GenesisFileError, HomeError."""
    found = parse(genesis) if isinstance(genesis, dict) else genesis
    producer = open_chain(
        None if home is None else home / DATA,
        found,
        signers=signers_of(home, found),
        codes=codes or known_codes(),
        verifier=node_verifier(),
        on_bug=_report_bug,
    )
    backend: Backend = (
        MemoryBackend()
        if home is None
        else LevelBackend(home / INDEX, write_buffer_bytes=INDEX_BUFFER_BYTES)
    )
    node = Node(producer, Index(backend), options)
    producer.app.queries.services = Services(node)
    install(node, signers=lambda one: _keys_of(home, one), write_genesis=partial(_rewrite, home))
    return node


def _keys_of(home: Path | None, genesis: Genesis) -> list[Ed25519Key]:
    try:
        return signers_of(home, genesis)
    except HomeError as error:
        raise ValueError(str(error)) from None


def _rewrite(home: Path | None, document: dict[str, Any]) -> None:
    if home is not None:
        write_genesis(home, document)


def add_folders(codes: KnownCodes, folder: Path) -> dict[str, str]:
    """Make the contracts in the folders of ``folder`` known; name to line. Raises: HomeError."""
    if not folder.is_dir():
        raise HomeError(f"{folder} is no folder")
    entries = [entry for entry in sorted(folder.iterdir()) if (entry / "contract.py").is_file()]
    return dict([add_folder(codes, entry) for entry in entries])


def add_folder(codes: KnownCodes, entry: Path) -> tuple[str, str]:
    """Make the contract of one folder known: its name and its line. Raises: HomeError."""
    try:
        contract = load_folder(entry)
        compile_now(contract)
    except ContractSourceError as error:
        raise HomeError(f"{entry}: {error}") from None
    return contract.name, codes.add(contract)


def remember(home: Path, codes: KnownCodes, lines: Iterable[str]) -> None:
    """Keep the sources of one's own contracts, so that what was stored runs after a restart."""
    folder = home / SOURCES
    folder.mkdir(parents=True, exist_ok=True)
    for line in lines:
        contract = codes.resolve(line)
        if contract is not None and contract.source:
            kept = {"name": contract.name, "files": dict(contract.source)}
            path = folder / f"{contract.checksum.hex()}.json"
            _write_whole(path, json.dumps(kept))


def recall(home: Path, codes: KnownCodes) -> None:
    """Make the kept sources known again. Raises: HomeError."""
    for path in sorted((home / SOURCES).glob("*.json")):
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            codes.add(load_source(kept["name"], kept["files"]))
        except (OSError, ValueError, KeyError, TypeError, ContractSourceError) as error:
            raise HomeError(f"{path} cannot be read: {error}; delete it to go on") from None


def compile_now(contract: Contract) -> str:
    """Check and compile a contract that would be compiled when it is first called; its version.
    Raises: ContractSourceError."""
    return contract.version


def _report_bug(contract: Contract, entry: str, error: BaseException) -> None:
    LOG.warning("contract bug", extra={"contract": contract.name, "entry": entry}, exc_info=error)
