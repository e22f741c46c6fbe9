"""Genesis: the first state from JSON, and the generator of a devnet's (CH-1).

``app_state`` members (all optional): ``devnet``, ``params``, ``treasury``, ``accounts`` (address,
coins, pub_key), ``validators`` (pub_key, payout), ``messages``: what runs in order on the fresh
state, each ``{"store": …}``, ``{"instantiate": …}`` or ``{"execute": …}``. ``params`` may name
contracts that the messages create, because addresses are known beforehand; they take effect after
the messages.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from chain.app import accounts, gov, keys, records
from chain.app.context import BlockScope
from chain.app.execution import Execution
from chain.app.records import EngineRecord, Params, ValidatorRecord
from chain.app.units import convert
from chain.app.validators import engine_record
from chain.block.types import ConsensusParams, Validator
from chain.crypto.addresses import AddressError, sha256_canonical, validate
from chain.crypto.keys import PubKey
from chain.errors import AppError
from chain.store.types import Derived
from chain.tx.messages import (
    AccessConfig,
    Amount,
    Coin,
    Coins,
    Msg,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgStoreCode,
)

#: module accounts that a Cosmos chain makes after those of the file, in its order: account numbers
#: go on behind them as they do there
MODULE_ACCOUNTS: Final = (
    "fee_collector",
    "distribution",
    "bonded_tokens_pool",
    "not_bonded_tokens_pool",
    "gov",
    "mint",
)


class GenesisError(AppError):
    """The genesis file is wrong; the text names the place."""

    def __init__(self, text: str) -> None:
        super().__init__("sdk", 18, text)


class CoinEntry(msgspec.Struct, forbid_unknown_fields=True):
    """An amount as text."""

    denom: str
    amount: str


class KeyEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A public key: type and hex."""

    type: str
    value: str


class AccountEntry(msgspec.Struct, forbid_unknown_fields=True):
    """An account with what it owns at the start."""

    address: str
    coins: list[CoinEntry] = msgspec.field(default_factory=list)
    pub_key: KeyEntry | None = None
    name: str = ""


class ValidatorEntry(msgspec.Struct, forbid_unknown_fields=True):
    """Where a validator's share of the fees goes. ``power`` counts where the driver names no
    validators itself.
    """

    pub_key: KeyEntry
    payout: str = ""
    power: int = 1
    name: str = ""


class StoreEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A code: the line ``msgchain:<name>@<sha256>``."""

    source: str
    sender: str
    allowed: list[str] | None = None


class InstantiateEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A contract instance; ``msg`` is JSON."""

    code_id: int
    sender: str
    label: str
    msg: Any
    admin: str = ""
    funds: list[CoinEntry] = msgspec.field(default_factory=list)


class ExecuteEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A contract call; ``msg`` is JSON."""

    contract: str
    sender: str
    msg: Any
    funds: list[CoinEntry] = msgspec.field(default_factory=list)


class MessageEntry(msgspec.Struct, forbid_unknown_fields=True):
    """Exactly one of the three."""

    store: StoreEntry | None = None
    instantiate: InstantiateEntry | None = None
    execute: ExecuteEntry | None = None


class GenesisState(msgspec.Struct, forbid_unknown_fields=True):
    """``app_state`` as JSON has it."""

    devnet: bool = False
    params: dict[str, Any] = msgspec.field(default_factory=dict)
    treasury: str = ""
    accounts: list[AccountEntry] = msgspec.field(default_factory=list)
    validators: list[ValidatorEntry] = msgspec.field(default_factory=list)
    messages: list[MessageEntry] = msgspec.field(default_factory=list)
    #: the whole state of another chain instead: key, value (base64), whether it is derived
    state: list[tuple[bytes, bytes, bool]] = msgspec.field(default_factory=list)


def export_state(entries: Iterable[tuple[bytes, bytes, bool]], *, devnet: bool) -> dict[str, Any]:
    """``app_state`` for a chain that goes on with the state of another one."""
    encode = base64.b64encode
    found = [(encode(key).decode(), encode(value).decode(), own) for key, value, own in entries]
    return {"devnet": devnet, "state": [list(entry) for entry in found]}


def read_state(app_state: bytes | Mapping[str, object]) -> GenesisState:
    """The genesis state of JSON bytes or of plain values. Raises: GenesisError."""
    try:
        values = json.loads(app_state) if isinstance(app_state, bytes) else app_state
        return msgspec.convert(values or {}, GenesisState)
    except (ValueError, RecursionError) as error:
        raise GenesisError(f"app_state: {error}") from None


def build(
    scope: BlockScope,
    execution: Execution,
    state: GenesisState,
    *,
    consensus_params: ConsensusParams | None,
    validators: Sequence[Validator],
) -> tuple[Validator, ...]:
    """Write the genesis state into the scope's overlay; gives the validators. Raises:
    GenesisError.
    """
    overlay = scope.overlay
    if state.state:
        adopted = _adopt(scope, execution, state, validators)
        _keep_engine(scope, consensus_params)
        return adopted
    _keep_engine(scope, consensus_params)
    overlay.set(keys.CHAIN, records.encode(scope.chain))
    _make_accounts(scope, execution, state.accounts)
    made = _make_validators(execution, state.validators, validators)
    overlay.set(keys.VALIDATORS, records.encode(made))
    limits: dict[str, object] = {}
    if consensus_params is not None:
        limits = {
            "block_max_bytes": consensus_params.max_bytes,
            "block_max_gas": consensus_params.max_gas,
        }
    params = _params(Params(), {**limits, "treasury": state.treasury}, execution.prefix)
    overlay.set(keys.PARAMS, records.encode(params))
    for index, entry in enumerate(state.messages):
        try:
            scope.events.extend(execution.genesis_message(scope, _message(entry)))
        except AppError as error:
            raise GenesisError(f"app_state.messages[{index}]: {error.log}") from None
    scope.events.clear()
    params = _params(params, state.params, execution.prefix)
    overlay.set(keys.PARAMS, records.encode(params))
    return tuple([Validator(record.key_type, record.key, record.power) for record in made])


def _keep_engine(scope: BlockScope, given: ConsensusParams | None) -> None:
    """What the engine was given comes back whenever its parameters change."""
    if given is None:
        return
    record = engine_record(given)
    if record != EngineRecord():
        scope.overlay.set(keys.ENGINE, records.encode(record))
    elif scope.overlay.get(keys.ENGINE) is not None:
        scope.overlay.remove(keys.ENGINE)


def _adopt(
    scope: BlockScope,
    execution: Execution,
    state: GenesisState,
    validators: Sequence[Validator],
) -> tuple[Validator, ...]:
    """Take the whole state of another chain; chain id, validators and heights are the new one's."""
    if state.accounts or state.messages or state.params or state.treasury:
        raise GenesisError("app_state: a state stands alone, without accounts, params or messages")
    overlay = scope.overlay
    for key, value, derived in state.state:
        overlay.set(key, Derived(value) if derived else value)
    overlay.set(keys.CHAIN, records.encode(scope.chain))
    if validators or state.validators:
        made = _make_validators(execution, state.validators, validators)
        overlay.set(keys.VALIDATORS, records.encode(made))
    made = gov.load_validators(overlay)
    return tuple([Validator(record.key_type, record.key, record.power) for record in made])


def _params(params: Params, changes: Mapping[str, object], prefix: str) -> Params:
    try:
        return gov.changed_params(params, changes, prefix)
    except AppError as error:
        raise GenesisError(f"app_state.params: {error.log}") from None


def _make_accounts(
    scope: BlockScope, execution: Execution, entries: Sequence[AccountEntry]
) -> None:
    """Accounts in the order of the file, which numbers them; then the module accounts, as the SDK
    does.
    """
    overlay, bank = scope.overlay, execution.bank
    for index, entry in enumerate(entries):
        where = f"app_state.accounts[{index}]"
        try:
            canonical = validate(entry.address, execution.prefix)
            if overlay.get(keys.ACCOUNT + canonical) is not None:
                raise GenesisError(f"{where}: {entry.address} is listed twice")
            accounts.create(overlay, None, canonical)
            if entry.pub_key is not None:
                accounts.save_key(overlay, canonical, _key(entry.pub_key, where))
            coins = convert(_coins(entry.coins, where))
            if coins:
                bank.mint(overlay, None, scope.events, entry.address, coins)
        except GenesisError:
            raise
        except (AddressError, AppError) as error:
            raise GenesisError(f"{where}: {error}") from None
    for name in MODULE_ACCOUNTS:
        accounts.ensure_exists(overlay, None, sha256_canonical(name.encode()))


def _make_validators(
    execution: Execution, entries: Sequence[ValidatorEntry], given: Sequence[Validator]
) -> tuple[ValidatorRecord, ...]:
    """The driver's validators, else the file's; payout accounts come from the file."""
    listed: dict[tuple[str, bytes], ValidatorEntry] = {}
    for index, entry in enumerate(entries):
        pubkey = _key(entry.pub_key, f"app_state.validators[{index}]")
        if entry.payout:
            try:
                validate(entry.payout, execution.prefix)
            except AddressError as error:
                raise GenesisError(f"app_state.validators[{index}].payout: {error}") from None
        listed[pubkey.type, pubkey.key] = entry
    if given:
        found = [(v.pubkey_type, v.pubkey, v.power) for v in given]
    else:
        found = [(kind, key, entry.power) for (kind, key), entry in listed.items()]
    found.sort(key=lambda item: (-item[2], sha256_canonical(item[1])))
    made = []
    for kind, key, power in found:
        own = listed.get((kind, key))
        payout = own.payout if own is not None and own.payout else None
        made.append(ValidatorRecord(kind, key, power, sha256_canonical(key), payout))
    return tuple(made)


def _key(entry: KeyEntry, where: str) -> PubKey:
    try:
        return PubKey(entry.type, bytes.fromhex(entry.value))
    except ValueError:
        raise GenesisError(f"{where}.pub_key: value is not hex") from None


def _coins(entries: Sequence[CoinEntry], where: str) -> Coins:
    made = []
    for entry in entries:
        if not (entry.amount.isascii() and entry.amount.isdigit() and len(entry.amount) <= 78):
            raise GenesisError(f"{where}: {entry.amount!r} is no amount")
        made.append(Coin(entry.denom, Amount(int(entry.amount))))
    return tuple(made)


_ACCESS_ANY_OF: Final = 4
_ACCESS_NOBODY: Final = 1


def _message(entry: MessageEntry) -> Msg:
    if entry.store is not None:
        access = None
        if entry.store.allowed is not None:
            kind = _ACCESS_ANY_OF if entry.store.allowed else _ACCESS_NOBODY
            access = AccessConfig(kind, tuple(entry.store.allowed))
        return MsgStoreCode(entry.store.sender, entry.store.source.encode(), access)
    if entry.instantiate is not None:
        new = entry.instantiate
        msg = msgspec.json.encode(new.msg)
        return MsgInstantiateContract(
            new.sender, new.admin, new.code_id, new.label, msg, _coins(new.funds, "funds")
        )
    if entry.execute is not None:
        call = entry.execute
        msg = msgspec.json.encode(call.msg)
        return MsgExecuteContract(call.sender, call.contract, msg, _coins(call.funds, "funds"))
    raise GenesisError("app_state.messages: an entry is empty")
