"""Joins contracts, App, store and driver; the only place that may."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from chain.app import devnet
from chain.app.application import App
from chain.app.devnet import dev_contract, dev_key, dev_secret, dev_wallet
from chain.crypto.keys import Ed25519Key
from chain.crypto.verify import InlineVerifier, TrustingVerifier, Verifier
from chain.driver.codes import KnownCodes, line_of
from chain.driver.genesis import Genesis, begin, format_time, parse, validator_entry
from chain.driver.log.record import GenesisRecord
from chain.driver.producer import Producer
from chain.store import LevelBackend, MemoryBackend, StateStore
from chain.store.types import Backend
from chain.vm.call import BugWatch
from contracts.registry import REGISTRY

#: Heights whose state is kept for queries, proofs, revert and rollback.
KEEP_HEIGHTS: Final = 1_000
#: devnets begin at this moment on every machine, so that their first hashes are the same
GENESIS_TIME: Final = 1_767_225_600_000_000_000  # 2026-01-01T00:00:00Z
CHAIN_ID: Final = "msg-chain-1"
__all__ = [
    "CHAIN_ID",
    "contract_addresses",
    "dev_contract",
    "dev_key",
    "dev_secret",
    "dev_validator_keys",
    "dev_wallet",
    "devnet_genesis",
    "genesis_document",
    "known_codes",
    "open_chain",
    "replay_app",
]


def known_codes() -> KnownCodes:
    """The contracts of the repository."""
    return KnownCodes(REGISTRY)


def dev_validator_keys(count: int) -> list[Ed25519Key]:
    """The consensus keys of a devnet."""
    return [Ed25519Key(dev_secret(f"validator/{index}")) for index in range(count)]


def open_chain(
    home: Path | None,
    genesis: Genesis,
    *,
    signers: Sequence[Ed25519Key],
    codes: KnownCodes | None = None,
    verifier: Verifier | None = None,
    keep_heights: int = KEEP_HEIGHTS,
    on_bug: BugWatch | None = None,
) -> Producer:
    """A producer over the LevelDB in ``home`` (created if absent), or in memory for None.
    ``on_bug`` is told of exceptions in contracts that are no refusals.

    Raises: StoreLocked, StoreDamaged, GenesisFileError.
    """
    backend: Backend = MemoryBackend() if home is None else LevelBackend(home)
    store = StateStore(backend, keep_heights=keep_heights)
    known = codes or known_codes()
    app = App(
        store,
        known,
        verifier=verifier or InlineVerifier(),
        prefix=genesis.prefix,
        on_bug=on_bug,
    )
    producer = Producer(app, store, known, signers)
    producer.start(genesis)
    return producer


def replay_app(
    *, check_signatures: bool = True, home: Path | None = None, authenticate: bool = True
) -> Callable[[GenesisRecord], App]:
    """What ``replay`` makes an App with: in memory, with the contracts that the log carries."""

    def make(record: GenesisRecord) -> App:
        codes = known_codes()
        codes.add_logged(record.sources)
        backend: Backend = MemoryBackend() if home is None else LevelBackend(home)
        store = StateStore(backend, keep_heights=0, authenticate=authenticate)
        verifier: Verifier = InlineVerifier() if check_signatures else TrustingVerifier()
        genesis = parse(record.genesis)
        app = App(store, codes, verifier=verifier, prefix=genesis.prefix)
        begin(app, genesis)
        return app

    return make


def genesis_document(
    chain_id: str,
    time: int,
    validators: Sequence[Ed25519Key],
    app_state: Mapping[str, Any],
    *,
    interval: str = "5s",
) -> dict[str, Any]:
    """A genesis document with equal validators; ``app_state`` as ``chain.app.genesis`` reads it."""
    return {
        "genesis_time": format_time(time),
        "chain_id": chain_id,
        "initial_height": "1",
        "block_interval": interval,
        "validators": [
            validator_entry(
                key.pubkey.type, key.pubkey.key, key.validator_address, name=f"validator{index}"
            )
            for index, key in enumerate(validators)
        ],
        "app_hash": "",
        "app_state": dict(app_state),
    }


def store_entry(name: str, sender: str) -> dict[str, Any]:
    """The genesis message that stores a contract of the repository."""
    return {"store": {"source": line_of(REGISTRY[name]), "sender": sender}}


def devnet_genesis(
    *,
    chain_id: str = CHAIN_ID,
    validators: int = 1,
    wallets: int = devnet.WALLETS,
    accounts: Sequence[tuple[str, str, str]] = (),
    params: Mapping[str, object] | None = None,
    interval: str = "5s",
    time: int = GENESIS_TIME,
) -> dict[str, Any]:
    """The genesis document of a devnet: every contract of the repository, wired to each other.

    ``validators`` with keys that everybody knows; ``wallets`` accounts of ``devnet.WORDS``;
    ``accounts``: more of them, each name, address and MSG.
    """
    keys = dev_validator_keys(validators)
    state = devnet.devnet_genesis(
        {name: line_of(REGISTRY[name]) for name in devnet.CONTRACTS},
        accounts=accounts,
        wallets=wallets,
        payouts=[("validator", key.pubkey.key) for key in keys],
        params=params,
    )
    return genesis_document(chain_id, time, keys, state, interval=interval)


def contract_addresses() -> dict[str, str]:
    """Where a devnet's contracts are, by name."""
    return {name: dev_contract(name) for name in devnet.CONTRACTS}
