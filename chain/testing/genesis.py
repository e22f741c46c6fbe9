"""The genesis of a test chain: a devnet with one validator, no coins and no code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

from chain.app.application import App
from chain.block.hashing import validator_address
from chain.crypto.addresses import DEFAULT_PREFIX
from chain.crypto.keys import Ed25519Key
from chain.driver.genesis import Genesis, begin, format_time, parse, validator_entry
from chain.driver.producer import update_validators

#: 2017-01-01, before the block times of CosmWasm's own mocks: a test may only move time forwards
TIME: Final = 1_483_228_800_000_000_000
_SEED: Final = b"test validator"


class ChainGenesis:
    """What a test chain begins with. A given document is taken as a devnet's, whatever it says."""

    __slots__ = ("_members", "fees", "genesis", "key")

    def __init__(
        self, given: Mapping[str, Any] | None, *, chain_id: str, prefix: str, fees: bool
    ) -> None:
        self.key = Ed25519Key(hashlib.sha256(_SEED).digest())
        self.fees = fees
        pubkey, address = self.key.pubkey, self.key.validator_address
        document: dict[str, Any] = {
            "chain_id": chain_id,
            "genesis_time": format_time(TIME),
            "initial_height": "1",
            "block_interval": "5s",
            "validators": [validator_entry(pubkey.type, pubkey.key, address, name="validator")],
            **({} if prefix == DEFAULT_PREFIX else {"bech32_prefix": prefix}),
            **(given or {}),
        }
        state: dict[str, Any] = {**document.get("app_state", {}), "devnet": True}
        if fees:
            state["params"] = {**state.get("params", {}), "dev_fees": True}
        document["app_state"] = state
        self.genesis: Genesis = parse(document)
        self._members = update_validators((), self.genesis.validators)

    def begin(self, app: App) -> None:
        """Make the first state."""
        begin(app, self.genesis)

    def proposer(self, last_height: int) -> bytes:
        """The 20-byte address of the next block's proposer: round robin, as the producer has it."""
        members = self._members
        return validator_address(members[last_height % len(members)].pubkey) if members else b""
