"""The genesis of a test chain: a devnet with one validator, no coins, no code, and a clock that starts in 2017."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from chain.app.application import App
from chain.block.types import Validator
from chain.crypto.keys import Ed25519Key

SECOND: Final = 1_000_000_000
#: 2017-01-01: before the block times that CosmWasm's own mocks use, because a test may only move time forwards
TIME: Final = 1_483_228_800 * SECOND
INTERVAL: Final = 5 * SECOND


class ChainGenesis:
    """What a test chain begins with, as values and as the mapping that its log carries."""

    __slots__ = (
        "app_state",
        "chain_id",
        "fees",
        "initial_height",
        "interval",
        "key",
        "time",
        "validators",
    )

    def __init__(
        self,
        given: Mapping[str, Any] | None,
        *,
        chain_id: str,
        fees: bool,
        seed: str = "test validator",
    ) -> None:
        found = dict(given or {})
        self.key = Ed25519Key(hashlib.sha256(seed.encode()).digest())
        self.chain_id: str = found.get("chain_id", chain_id)
        self.time: int = int(found.get("genesis_time", TIME))
        self.interval: int = int(found.get("block_interval", INTERVAL))
        self.initial_height: int = int(found.get("initial_height", 1))
        self.validators = (Validator("ed25519", self.key.pubkey.key, 1),)
        state: dict[str, Any] = dict(found.get("app_state", {}))
        state["devnet"] = True
        self.fees = fees
        if fees:
            state["params"] = {**state.get("params", {}), "dev_fees": True}
        self.app_state = state

    def begin(self, app: App) -> None:
        """Make the first state."""
        app.init_chain(
            self.time, self.chain_id, None, self.validators, self.app_state, self.initial_height
        )

    def proposer(self, height: int) -> bytes:
        """The 20-byte address of a block's proposer: there is one validator."""
        return self.key.validator_address
