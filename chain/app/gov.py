"""What only the governance authority may do: parameters, mint, validators (CH-10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from chain.app import keys, records
from chain.app.bank import Bank
from chain.app.context import Outcome, TxScope
from chain.app.dispatch import Handler
from chain.app.events import Event
from chain.app.handlers import check_boundary, shown
from chain.app.records import EngineRecord, Params, ValidatorRecord
from chain.app.units import convert, list_error
from chain.crypto.addresses import AddressError, sha256_canonical, validate
from chain.errors import AppError
from chain.gas import KV_WRITE, KV_WRITE_BYTE, GasMeter
from chain.tx.messages import (
    Msg,
    MsgAuthorityOnly,
    MsgMint,
    MsgUpdateParams,
    MsgUpdateValidators,
    ValidatorChange,
)
from chain.vm.storage import ReadStore

#: consensus key types that the engine knows, and their sizes; genesis says which are allowed
KEY_BYTES: Final = {"ed25519": 32, "ml_dsa_65": 1952}
POWER_MAX: Final = 1 << 59  # all powers together stay far below CometBFT's 2**63 / 8
_ADDRESS_PARAMS: Final = ("authority", "treasury", "agent_registry")


def load_params(store: ReadStore) -> Params:
    """The parameters in force."""
    raw = store.get(keys.PARAMS)
    return Params() if raw is None else records.decode_params(raw)


def load_validators(store: ReadStore) -> tuple[ValidatorRecord, ...]:
    """The validators in force, in the order in which they came."""
    raw = store.get(keys.VALIDATORS)
    return () if raw is None else records.decode_validators(raw)


def load_engine(store: ReadStore) -> EngineRecord:
    """What genesis gave the consensus engine."""
    raw = store.get(keys.ENGINE)
    return EngineRecord() if raw is None else records.decode_engine(raw)


def changed_params(params: Params, changes: Mapping[str, object], prefix: str) -> Params:
    """Parameters with some of them changed. Raises: AppError sdk/18 naming the parameter."""
    merged: dict[str, object] = msgspec.to_builtins(params)
    for name in sorted(changes):
        if name not in merged:
            raise AppError.wrap("sdk", 18, f"there is no parameter {name}")
        merged[name] = changes[name]
    try:
        made = msgspec.convert(merged, Params, strict=True)
    except msgspec.ValidationError as error:
        names = ", ".join(sorted(changes))
        raise AppError.wrap("sdk", 18, f"a value of {names} has the wrong type") from error
    for name in (*_ADDRESS_PARAMS, "begin_block_contracts"):
        value = getattr(made, name)
        for address in value if isinstance(value, tuple) else (value,):
            if address:
                try:
                    validate(address, prefix)
                except AddressError as error:
                    raise AppError.wrap("sdk", 18, f"parameter {name}: {error}") from None
    for name in (
        "gas_price",
        "query_gas_limit",
        "begin_block_gas",
        "tx_max_bytes",
        "memo_max_bytes",
        "signatures_max",
    ):
        if getattr(made, name) < 0:
            raise AppError.wrap("sdk", 18, f"parameter {name} is negative")
    if made.block_max_gas < -1 or not 0 < made.block_max_bytes <= 104_857_600:
        raise AppError.wrap("sdk", 18, "block limits are out of range")
    return made


def changed_validators(
    current: tuple[ValidatorRecord, ...],
    updates: tuple[ValidatorChange, ...],
    prefix: str,
    key_types: tuple[str, ...] = ("ed25519",),
) -> tuple[ValidatorRecord, ...]:
    """The validator set after updates, checked as CometBFT would. Raises: AppError sdk/18."""
    table = {(record.key_type, record.key): record for record in current}
    seen: dict[bytes, None] = {}
    for update in updates:
        key = (update.pubkey_type, update.pubkey)
        if update.pubkey in seen:
            raise AppError.wrap("sdk", 18, "a validator is named twice")
        seen[update.pubkey] = None
        size = KEY_BYTES.get(update.pubkey_type, -1) if update.pubkey_type in key_types else -1
        if len(update.pubkey) != size:
            raise AppError.wrap(
                "sdk", 18, f"validator keys of type {update.pubkey_type} are not allowed"
            )
        if update.power < 0:
            raise AppError.wrap("sdk", 18, "a validator's power is negative")
        if update.payout:
            try:
                validate(update.payout, prefix)
            except AddressError as error:
                raise AppError.wrap("sdk", 18, f"payout account: {error}") from None
        if not update.power:
            if key not in table:
                raise AppError.wrap("sdk", 18, "a validator to remove is not in the set")
            del table[key]
            continue
        old = table.get(key)
        table[key] = ValidatorRecord(
            update.pubkey_type,
            update.pubkey,
            update.power,
            sha256_canonical(update.pubkey),
            update.payout or (old.payout if old else None),
            old.faults if old else 0,
        )
    made = tuple(table.values())
    if not made:
        raise AppError.wrap("sdk", 18, "the whole validator set would be removed")
    if sum(record.power for record in made) > POWER_MAX:
        raise AppError.wrap("sdk", 18, "the validators' power is too large")
    return made


class Gov:
    """The handlers of the authority's messages."""

    __slots__ = ("_bank", "_prefix")

    def __init__(self, bank: Bank, prefix: str) -> None:
        self._bank = bank
        self._prefix = prefix

    def table(self) -> dict[type[Msg], Handler]:
        """Message type to handler."""
        return {
            MsgUpdateParams: self.update_params,
            MsgMint: self.mint,
            MsgUpdateValidators: self.update_validators,
            MsgAuthorityOnly: self.authority_only,
        }

    def update_params(
        self, tx: TxScope, message: MsgUpdateParams, meter: GasMeter, depth: int
    ) -> Outcome:
        """Change parameters by name."""
        params = self._authorised(tx, message.authority)
        check_boundary(tx, message, params, self._prefix)
        set_params(tx, changed_params(params, message.params, self._prefix), message.params, meter)
        return Outcome("/msgchain.gov.v1.MsgUpdateParamsResponse", b"", False)

    def mint(self, tx: TxScope, message: MsgMint, meter: GasMeter, depth: int) -> Outcome:
        """Create coins in an account."""
        params = self._authorised(tx, message.authority)
        check_boundary(tx, message, params, self._prefix)
        if not message.amount or list_error(message.amount) is not None:
            raise AppError.wrap("sdk", 10, shown(message.amount))
        try:
            validate(message.to_address, self._prefix)
        except AddressError as error:
            raise AppError.wrap("sdk", 7, f"invalid to address: {error}") from None
        if message.to_address in self._bank.blocked:
            raise AppError.wrap("sdk", 4, f"{message.to_address} is not allowed to receive funds")
        self._bank.mint(tx.overlay, meter, tx.events, message.to_address, convert(message.amount))
        return Outcome("/msgchain.gov.v1.MsgMintResponse", b"", False)

    def update_validators(
        self, tx: TxScope, message: MsgUpdateValidators, meter: GasMeter, depth: int
    ) -> Outcome:
        """Change the validator set; the driver hears of it at the end of the block."""
        self._authorised(tx, message.authority)
        made = changed_validators(
            load_validators(tx.overlay),
            message.updates,
            self._prefix,
            load_engine(tx.overlay).pub_key_types,
        )
        raw = records.encode(made)
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (1 + len(raw)), "WritePerByte")
        tx.overlay.set(keys.VALIDATORS, raw)
        for update in message.updates:
            tx.events.append(
                Event(
                    "validator_update",
                    [
                        ("validator", sha256_canonical(update.pubkey).hex().upper()),
                        ("power", str(update.power)),
                        ("payout", update.payout),
                    ],
                )
            )
        return Outcome("/msgchain.gov.v1.MsgUpdateValidatorsResponse", b"", False)

    def authority_only(
        self, tx: TxScope, message: MsgAuthorityOnly, meter: GasMeter, depth: int
    ) -> Outcome:
        """A message of wasmd's governance that has nothing behind it here: refused with the
        authority's name.
        """
        text = f"invalid authority; expected {self._bank.gov}, got {message.authority}"
        if message.module == "wasm":
            raise AppError.wrap("wasm", 14, text)
        raise _not_authority(text)

    def _authorised(self, tx: TxScope, authority: str) -> Params:
        params = load_params(tx.overlay)
        expected = params.authority or self._bank.gov
        if authority != expected:
            raise _not_authority(f"invalid authority; expected {expected}, got {authority}")
        return params


def set_params(
    tx: TxScope, params: Params, changes: Mapping[str, object], meter: GasMeter | None
) -> None:
    """Write parameters and name the changed ones in an event."""
    raw = records.encode(params)
    if meter is not None:
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (1 + len(raw)), "WritePerByte")
    tx.overlay.set(keys.PARAMS, raw)
    names = sorted(changes)
    shown_values = msgspec.json.encode([getattr(params, name) for name in names]).decode()
    tx.events.append(
        Event("update_params", [("params", ",".join(names)), ("values", shown_values)])
    )


def _not_authority(text: str) -> AppError:
    return AppError("gov", 13, f"{text}: expected gov account as only signer for proposal message")
