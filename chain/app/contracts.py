"""Codes and instances as records: looking them up, making and changing them, with their gas."""

from __future__ import annotations

from typing import Final, Protocol

from chain.app import accounts, keys, records
from chain.app.context import TxScope
from chain.app.records import CodeRecord, ContractRecord, HistoryEntry
from chain.crypto.addresses import contract_canonical, predictable_canonical, validate
from chain.errors import AppError, VmError
from chain.gas import (
    INSTANCE,
    INSTANCE_DISCOUNT,
    KV_HAS,
    KV_READ,
    KV_READ_BYTE,
    KV_WRITE,
    KV_WRITE_BYTE,
    GasMeter,
)
from chain.store.overlay import Overlay
from chain.store.types import Derived
from chain.tx.messages import MsgInstantiateContract, MsgInstantiateContract2, MsgMigrateContract
from chain.vm.contract import Contract
from chain.vm.querier import NoSuchCode, NoSuchContract
from chain.vm.storage import ReadStore

_LISTED: Final = Derived(b"\x01")
#: where gas runs out, by entry point
_LOADING: Final = {
    entry: f"Loading CosmWasm module: {entry}"
    for entry in ("instantiate", "execute", "migrate", "sudo", "query")
}
_TAKEN: Final = (
    "contract address already exists, try a different combination of creator, checksum and salt"
)


class CodeSource(Protocol):
    """Where contracts come from: the node's registry, a folder of contracts, a test's values."""

    def resolve(self, source: str) -> Contract | None:
        """The contract of a stored source line, None for an unknown one; the same line gives the
        same contract.
        """


class Contracts:
    """Reads and writes the records of codes and contracts; remembers what source lines mean."""

    __slots__ = ("_codes", "_known", "prefix")

    def __init__(self, codes: CodeSource, prefix: str) -> None:
        self._codes = codes
        self._known: dict[str, Contract] = {}
        self.prefix = prefix

    @property
    def codes(self) -> CodeSource:
        """Where source lines are looked up."""
        return self._codes

    def resolve(self, code: CodeRecord) -> Contract:
        """The contract behind a code record. Raises: VmError when this node does not know it."""
        contract = self._known.get(code.source)
        if contract is None:
            found = self._codes.resolve(code.source)
            if found is None:
                raise VmError(f"Error calling the VM: code {code.source} is not known to this node")
            contract = self._known[code.source] = found
        return contract

    def load_code(self, store: ReadStore, code_id: int, meter: GasMeter) -> CodeRecord:
        """A code record. Raises: NoSuchCode wasm/28."""
        raw = store.get(keys.CODE + code_id.to_bytes(8, "big"))
        meter.consume(KV_READ + KV_READ_BYTE * (9 + len(raw or b"")), "ReadPerByte")
        if raw is None:
            raise NoSuchCode(code_id)
        return records.decode_code(raw)

    def may_load(
        self, store: ReadStore, canonical: bytes, meter: GasMeter
    ) -> ContractRecord | None:
        """A contract record, None for what is no contract."""
        raw = store.get(keys.CONTRACT + canonical)
        size = 1 + len(canonical) + len(raw or b"")
        meter.consume(KV_READ + KV_READ_BYTE * size, "ReadPerByte")
        return None if raw is None else records.decode_contract(raw)

    def load_instance(
        self, store: ReadStore, address: str, canonical: bytes, meter: GasMeter
    ) -> tuple[ContractRecord, CodeRecord, Contract]:
        """Contract record, code record and contract, for two reads (GAS-4).

        Raises: NoSuchContract wasm/22.
        """
        raw = store.get(keys.CONTRACT + canonical)
        if raw is None:
            meter.consume(KV_READ + KV_READ_BYTE * (1 + len(canonical)), "ReadPerByte")
            raise NoSuchContract(address)
        record = records.decode_contract(raw)
        code_raw = store.get(keys.CODE + record.code_id.to_bytes(8, "big"))
        if code_raw is None:
            raise NoSuchCode(record.code_id)
        size = 10 + len(canonical) + len(raw) + len(code_raw)
        meter.consume(2 * KV_READ + KV_READ_BYTE * size, "ReadPerByte")
        code = records.decode_code(code_raw)
        return record, code, self._known.get(code.source) or self.resolve(code)

    def load_setup(
        self, loaded: dict[bytes, None], checksum: bytes, meter: GasMeter, entry: str
    ) -> None:
        """Pay for the instance: in full once per checksum and transaction (GAS-5).

        wasmd looks whether the code is pinned first; nothing is pinned here, the look-up is paid.
        """
        if checksum in loaded:
            meter.consume(KV_HAS + INSTANCE_DISCOUNT, _LOADING[entry])
            return
        loaded[checksum] = None
        meter.consume(KV_HAS + INSTANCE, _LOADING[entry])

    def new_address(
        self,
        tx: TxScope,
        message: MsgInstantiateContract | MsgInstantiateContract2,
        code: CodeRecord,
        meter: GasMeter,
    ) -> bytes:
        """Canonical address of a new contract, claimed (INST-5, INST-7, INST-10).

        Raises: AppError wasm/15 when it is a contract's already, wasm/3 when an account is in use.
        """
        if isinstance(message, MsgInstantiateContract2):
            creator = validate(message.sender, self.prefix)
            fixed = message.msg if message.fix_msg else b""
            canonical = predictable_canonical(code.checksum, creator, message.salt, fixed)
        else:
            instance = next_id(tx.overlay, keys.LAST_INSTANCE_ID, meter)
            canonical = contract_canonical(message.code_id, instance)
        if self.may_load(tx.overlay, canonical, meter) is not None:
            raise AppError.wrap("wasm", 15, _TAKEN)
        account = accounts.may_load(tx.overlay, canonical, meter)
        if account is None:
            accounts.create(tx.overlay, meter, canonical)
        elif account.sequence or tx.overlay.get(keys.PUBKEY + canonical) is not None:
            raise AppError.wrap("wasm", 3, "address is claimed by external account")
        return canonical

    def create(
        self,
        tx: TxScope,
        canonical: bytes,
        message: MsgInstantiateContract | MsgInstantiateContract2,
        meter: GasMeter,
    ) -> None:
        """Write a new contract's record, history and places in the lists."""
        overlay, code_id = tx.overlay, message.code_id
        height, index = tx.position
        record = ContractRecord(
            code_id, message.sender, message.admin or None, message.label, (height, index)
        )
        self.save(overlay, canonical, record, meter)
        entry = HistoryEntry("init", code_id, height, index, message.msg)
        self._append_history(overlay, canonical, 1, entry, meter)
        creator = validate(message.sender, self.prefix)
        overlay.set(keys.by_code(code_id, height, index, canonical), _LISTED)
        overlay.set(keys.by_creator(creator, height, index, canonical), _LISTED)

    def migrated(
        self,
        tx: TxScope,
        canonical: bytes,
        record: ContractRecord,
        message: MsgMigrateContract,
        meter: GasMeter,
    ) -> None:
        """Write another code id, the history entry, and move the contract to the end of its code's
        list."""
        overlay = tx.overlay
        raw = overlay.get(keys.history(canonical, record.history))
        if raw is not None:
            last = records.decode_history(raw)
            overlay.remove(keys.by_code(record.code_id, last.height, last.index, canonical))
        overlay.set(keys.by_code(message.code_id, *tx.position, canonical), _LISTED)
        entry = HistoryEntry("migrate", message.code_id, *tx.position, message.msg)
        self._append_history(overlay, canonical, record.history + 1, entry, meter)
        changed = ContractRecord(
            message.code_id,
            record.creator,
            record.admin,
            record.label,
            record.created,
            record.history + 1,
        )
        self.save(overlay, canonical, changed, meter)

    def save(
        self, overlay: Overlay, canonical: bytes, record: ContractRecord, meter: GasMeter
    ) -> None:
        """Write a contract's record."""
        raw = records.encode(record)
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (1 + len(canonical) + len(raw)), "WritePerByte")
        overlay.set(keys.CONTRACT + canonical, raw)

    def _append_history(
        self,
        overlay: Overlay,
        canonical: bytes,
        position: int,
        entry: HistoryEntry,
        meter: GasMeter,
    ) -> None:
        raw = records.encode(entry)
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (9 + len(canonical) + len(raw)), "WritePerByte")
        overlay.set(keys.history(canonical, position), raw)


def check_permission(code: CodeRecord, sender: str, what: str) -> None:
    """Refuse whoever may not instantiate a code (INST-15). Raises: AppError sdk/4."""
    if code.permission is not None and sender not in code.permission:
        raise AppError.wrap("sdk", 4, what)


def next_id(overlay: Overlay, key: bytes, meter: GasMeter) -> int:
    """Raise a counter and give its new value; a rolled back message gives its number back."""
    raw = overlay.get(key)
    value = keys.decode_amount(raw) + 1
    read = KV_READ + KV_READ_BYTE * (len(key) - 1 + len(raw or b""))
    meter.consume(read + KV_WRITE + KV_WRITE_BYTE * (len(key) + 7), "WritePerByte")
    overlay.set(key, keys.encode_amount(value))
    return value
