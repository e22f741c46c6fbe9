"""Contracts: codes, instances, and the one call of an entry point around which everything turns (INST-1 to INST-16).

A call goes: look up contract and code, pay for the instance, move the funds, run the entry point, emit the entry event,
shape the response's events, and hand its messages to ``dispatch``. Errors of everything after the
entry point of an
instantiate, migrate, sudo or reply carry ``dispatch: `` in front, as in wasmd.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, Protocol

from chain.app import accounts, keys, protobuf, records
from chain.app.bank import Bank
from chain.app.context import EXECUTE, INSTANTIATE, MIGRATE, REPLY, SUDO, Frame, Outcome, TxScope
from chain.app.events import Event, event_cost, shape_attributes, shape_event
from chain.app.queries.host import ChainHost
from chain.app.records import CodeRecord, ContractRecord, HistoryEntry
from chain.app.submessages import prepare, size
from chain.app.units import convert
from chain.crypto.addresses import contract_canonical, humanize, predictable_canonical, validate
from chain.errors import AppError, ContractError, VmError
from chain.gas import (
    EVENT_ATTRIBUTE,
    EVENT_BYTE,
    EVENT_FREE_BYTES,
    INSTANCE,
    INSTANCE_DISCOUNT,
    KV_READ,
    KV_READ_BYTE,
    KV_WRITE,
    KV_WRITE_BYTE,
    RESULT_BYTE,
    GasMeter,
    OutOfGas,
)
from chain.std import Addr, Coin, ContractInfo, DepsMut, Env, MessageInfo, Reply, Response
from chain.store.types import Derived
from chain.tx.messages import (
    Msg,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
)
from chain.vm.api import Api
from chain.vm.call import Caller
from chain.vm.contract import Contract
from chain.vm.querier import ContractRefused, NoSuchCode, NoSuchContract, Querier
from chain.vm.storage import ContractStorage, ReadStore, WatchedStorage


class CodeSource(Protocol):
    """Where contracts come from: the node's registry, a folder of contracts, a test's values."""

    def resolve(self, source: str) -> Contract | None:
        """The contract of a stored source line, None for an unknown one. The same line gives the
        same contract.
        """


@lru_cache(maxsize=16384)
def _contract_info(address: str) -> ContractInfo:
    return ContractInfo(Addr(address))


def setup_cost(discount: bool, msg_size: int = 0) -> int:
    """Gas of loading a contract for one call (GAS-5). ``msg_size`` costs nothing in wasmd's
    table, ours neither.
    """
    if msg_size < 0:
        raise ValueError("negative length")
    return INSTANCE_DISCOUNT if discount else INSTANCE


def reply_cost(reply: Reply, discount: bool = True) -> int:
    """Gas of calling ``reply``: the instance and what it is handed (GAS-6)."""
    gas = INSTANCE_DISCOUNT if discount else INSTANCE
    answered = reply.result.ok
    if answered is None:
        return gas
    count = length = 0
    for event in answered.events:
        gas += EVENT_BYTE * len(event.type.encode())
        count += len(event.attributes)
        for key, value in event.attributes:
            length += len(key.encode()) + len(value.encode())
    return gas + EVENT_ATTRIBUTE * count + EVENT_BYTE * max(0, length - EVENT_FREE_BYTES)


def dispatched(error: AppError) -> AppError:
    """The same error from the messages of an instantiate, migrate, sudo or reply."""
    return AppError(error.codespace, error.code, f"dispatch: {error.log}")


_FAILED: Final = {EXECUTE: 5, INSTANTIATE: 4, MIGRATE: 11, SUDO: 5, REPLY: 5}


def refused(kind: str, error: ContractError) -> ContractRefused:
    """A contract's refusal as the chain's error: ``<text>: execute wasm contract failed``."""
    wrapped = AppError.wrap("wasm", _FAILED[kind], error.text)
    return ContractRefused(wrapped.codespace, wrapped.code, wrapped.log)


class Wasm:
    """Runs contract calls inside of a transaction."""

    __slots__ = ("_bank", "_codes", "_contracts", "_prefix", "caller")

    def __init__(self, bank: Bank, codes: CodeSource, prefix: str, caller: Caller) -> None:
        self._bank = bank
        self._codes = codes
        self._prefix = prefix
        self._contracts: dict[str, Contract] = {}
        self.caller = caller

    # --- looking up -----------------------------------------------------------------------------

    def contract_of(self, code: CodeRecord) -> Contract:
        """The contract behind a code record. Raises: VmError when this node does not know it."""
        contract = self._contracts.get(code.source)
        if contract is None:
            found = self._codes.resolve(code.source)
            if found is None:
                raise VmError(f"Error calling the VM: code {code.source} is not known to this node")
            contract = self._contracts[code.source] = found
        return contract

    def load_code(self, store: ReadStore, code_id: int, meter: GasMeter) -> CodeRecord:
        """A code record. Raises: NoSuchCode wasm/28."""
        raw = store.get(keys.CODE + code_id.to_bytes(8, "big"))
        meter.consume(KV_READ + KV_READ_BYTE * (9 + len(raw or b"")), "ReadPerByte")
        if raw is None:
            raise NoSuchCode(code_id)
        return records.decode_code(raw)

    def may_load_contract(
        self, store: ReadStore, canonical: bytes, meter: GasMeter
    ) -> ContractRecord | None:
        """A contract record, None for what is no contract."""
        raw = store.get(keys.CONTRACT + canonical)
        meter.consume(
            KV_READ + KV_READ_BYTE * (1 + len(canonical) + len(raw or b"")), "ReadPerByte"
        )
        return None if raw is None else records.decode_contract(raw)

    def load_instance(
        self, store: ReadStore, address: str, canonical: bytes, meter: GasMeter
    ) -> tuple[ContractRecord, CodeRecord, Contract]:
        """Contract record, code record and contract (GAS-4: two reads). Raises: NoSuchContract
        wasm/22.
        """
        raw = store.get(keys.CONTRACT + canonical)
        if raw is None:
            meter.consume(KV_READ + KV_READ_BYTE * (1 + len(canonical)), "ReadPerByte")
            raise NoSuchContract(address)
        record = records.decode_contract(raw)
        code_raw = store.get(keys.CODE + record.code_id.to_bytes(8, "big"))
        meter.consume(
            2 * KV_READ + KV_READ_BYTE * (10 + len(canonical) + len(raw) + len(code_raw or b"")),
            "ReadPerByte",
        )
        if code_raw is None:
            raise NoSuchCode(record.code_id)
        code = records.decode_code(code_raw)
        contract = self._contracts.get(code.source)
        return record, code, contract if contract is not None else self.contract_of(code)

    def load_setup(
        self, loaded: dict[bytes, None], checksum: bytes, meter: GasMeter, entry: str
    ) -> None:
        """Pay for the instance: in full for the first call of a checksum in a transaction
        (GAS-5).
        """
        if checksum in loaded:
            meter.consume(INSTANCE_DISCOUNT, f"Loading CosmWasm module: {entry}")
            return
        loaded[checksum] = None
        meter.consume(INSTANCE, f"Loading CosmWasm module: {entry}")

    # --- calls ----------------------------------------------------------------------------------

    def execute(
        self, tx: TxScope, message: MsgExecuteContract, meter: GasMeter, depth: int
    ) -> Frame | Outcome:
        """Call ``execute`` with the funds moved first (FUND-1)."""
        address = message.contract
        canonical = validate(address, self._prefix)
        start = meter.used
        creator = ""
        try:
            record, code, contract = self.load_instance(tx.overlay, address, canonical, meter)
            creator = record.creator
            self.load_setup(tx.loaded, code.checksum, meter, EXECUTE)
            funds = self._move_funds(tx, meter, message.sender, address, convert(message.funds))
            info = MessageInfo(Addr(message.sender), funds)
            caller = self.caller
            response = self._enter(
                tx,
                EXECUTE,
                address,
                canonical,
                meter,
                lambda deps, env: caller.execute(contract, deps, env, info, message.msg, meter),
                message.sender,
                message.msg,
            )
            tx.events.append(Event(EXECUTE, [("_contract_address", address)]))
            return self._respond(tx, EXECUTE, address, response, meter, depth)
        finally:
            if creator:
                tx.creators[creator] = tx.creators.get(creator, 0) + meter.used - start

    def instantiate(
        self,
        tx: TxScope,
        message: MsgInstantiateContract | MsgInstantiateContract2,
        meter: GasMeter,
        depth: int,
    ) -> Frame | Outcome:
        """Make a contract: permission, address, account, funds, entry point, record, messages
        (INST-3).
        """
        start = meter.used
        try:
            code = self.load_code(tx.overlay, message.code_id, meter)
            self._check_permission(code, message.sender, "can not instantiate")
            contract = self.contract_of(code)
            self.load_setup(tx.loaded, code.checksum, meter, INSTANTIATE)
            canonical = self._new_address(tx, message, code, meter)
            address = humanize(canonical, self._prefix)
            self._claim_account(tx, canonical, meter)
            funds = self._move_funds(tx, meter, message.sender, address, convert(message.funds))
            info = MessageInfo(Addr(message.sender), funds)
            caller = self.caller
            response = self._enter(
                tx,
                INSTANTIATE,
                address,
                canonical,
                meter,
                lambda deps, env: caller.instantiate(contract, deps, env, info, message.msg, meter),
                message.sender,
                message.msg,
            )
            height, index = tx.block.info.height, tx.transaction.index if tx.transaction else 0
            record = ContractRecord(
                message.code_id,
                message.sender,
                message.admin or None,
                message.label,
                (height, index),
            )
            self._save_contract(tx, canonical, record, meter)
            self._append_history(
                tx,
                canonical,
                0,
                HistoryEntry("init", message.code_id, height, index, message.msg),
                meter,
            )
            creator = validate(message.sender, self._prefix)
            tx.overlay.set(
                keys.by_code(message.code_id, height, index, canonical), Derived(b"\x01")
            )
            tx.overlay.set(keys.by_creator(creator, height, index, canonical), Derived(b"\x01"))
            tx.events.append(
                Event(
                    INSTANTIATE, [("_contract_address", address), ("code_id", str(message.code_id))]
                )
            )
            two = type(message) is MsgInstantiateContract2
            return self._respond(tx, INSTANTIATE, address, response, meter, depth, two)
        finally:
            tx.creators[message.sender] = tx.creators.get(message.sender, 0) + meter.used - start

    def migrate(
        self, tx: TxScope, message: MsgMigrateContract, meter: GasMeter, depth: int
    ) -> Frame | Outcome:
        """Give a contract another code; equal declared versions skip the entry point (INST-11)."""
        address = message.contract
        canonical = validate(address, self._prefix)
        start = meter.used
        record = self.may_load_contract(tx.overlay, canonical, meter)
        if record is None:
            raise AppError.wrap("sdk", 18, "unknown contract")
        try:
            if record.admin != message.sender:
                raise AppError.wrap("sdk", 4, "can not migrate")
            try:
                code = self.load_code(tx.overlay, message.code_id, meter)
            except NoSuchCode:
                raise AppError.wrap("sdk", 18, "unknown code") from None
            self._check_permission(code, message.sender, "to use new code")
            contract = self.contract_of(code)
            self.load_setup(tx.loaded, code.checksum, meter, MIGRATE)
            old = self.contract_of(self.load_code(tx.overlay, record.code_id, meter))
            response: Response | None = None
            version = getattr(contract, "migrate_version", None)
            if version is None or version != getattr(old, "migrate_version", None):
                caller = self.caller
                response = self._enter(
                    tx,
                    MIGRATE,
                    address,
                    canonical,
                    meter,
                    lambda deps, env: caller.migrate(contract, deps, env, message.msg, meter),
                    message.sender,
                    message.msg,
                )
            self._persist_migration(tx, canonical, record, message, meter)
            tx.events.append(
                Event(MIGRATE, [("code_id", str(message.code_id)), ("_contract_address", address)])
            )
            if response is None:
                return Outcome(protobuf.MIGRATE, b"", True)
            return self._respond(tx, MIGRATE, address, response, meter, depth)
        finally:
            tx.creators[record.creator] = tx.creators.get(record.creator, 0) + meter.used - start

    def sudo(self, tx: TxScope, address: str, msg: bytes, meter: GasMeter) -> Frame | Outcome:
        """Call ``sudo``: from privileged code only (INST-13)."""
        canonical = validate(address, self._prefix)
        record, code, contract = self.load_instance(tx.overlay, address, canonical, meter)
        start = meter.used
        try:
            self.load_setup(tx.loaded, code.checksum, meter, SUDO)
            caller = self.caller
            response = self._enter(
                tx,
                SUDO,
                address,
                canonical,
                meter,
                lambda deps, env: caller.sudo(contract, deps, env, msg, meter),
                "",
                msg,
            )
            tx.events.append(Event(SUDO, [("_contract_address", address)]))
            return self._respond(tx, SUDO, address, response, meter, 0)
        finally:
            tx.creators[record.creator] = tx.creators.get(record.creator, 0) + meter.used - start

    def reply(
        self, tx: TxScope, address: str, reply: Reply, meter: GasMeter, depth: int
    ) -> Frame | Outcome:
        """Call ``reply`` of the code that the contract has now (SUB-12), in the caller's state
        (SUB-4).
        """
        canonical = validate(address, self._prefix)
        start = meter.used
        record, _, contract = self.load_instance(tx.overlay, address, canonical, meter)
        try:
            meter.consume(reply_cost(reply), "Loading CosmWasm module: reply")
            caller = self.caller
            response = self._enter(
                tx,
                REPLY,
                address,
                canonical,
                meter,
                lambda deps, env: caller.reply(contract, deps, env, reply, meter),
                "",
                b"",
            )
            tx.events.append(Event(REPLY, [("_contract_address", address)]))
            return self._respond(tx, REPLY, address, response, meter, depth)
        finally:
            tx.creators[record.creator] = tx.creators.get(record.creator, 0) + meter.used - start

    # --- parts ----------------------------------------------------------------------------------

    def _enter(
        self,
        tx: TxScope,
        kind: str,
        address: str,
        canonical: bytes,
        meter: GasMeter,
        run: Callable[[DepsMut, Env], Response],
        sender: str,
        msg: bytes,
    ) -> Response:
        """Build what the contract sees, run it, turn its refusal into the chain's error."""
        host = tx.host
        if host is None:
            host = tx.host = ChainHost(
                self, self._bank, tx.overlay, tx.block.info, tx.transaction, tx.loaded, tx.observer
            )
        observer = tx.observer
        prefix = keys.CONTRACT_STORAGE + canonical
        storage = (
            ContractStorage(tx.overlay, prefix, meter)
            if observer is None
            else WatchedStorage(tx.overlay, prefix, meter, observer.storage)
        )
        deps = DepsMut(storage, Api(meter, self._prefix), Querier(host, meter, 0))
        env = Env(tx.block.info, tx.transaction, _contract_info(address))
        if observer is not None:
            return self._enter_observed(tx, kind, address, meter, run, deps, env, sender, msg)
        try:
            return run(deps, env)
        except ContractError as error:
            raise refused(kind, error) from None
        finally:
            storage.close()

    def _enter_observed(
        self,
        tx: TxScope,
        kind: str,
        address: str,
        meter: GasMeter,
        run: Callable[[DepsMut, Env], Response],
        deps: DepsMut,
        env: Env,
        sender: str,
        msg: bytes,
    ) -> Response:
        observer = tx.observer
        if observer is None:
            raise AppError.wrap("sdk", 18, "no observer")
        observer.enter(kind, address, sender, msg, meter.used)
        outcome = "ok"
        try:
            return run(deps, env)
        except ContractError as error:
            failure = refused(kind, error)
            outcome = failure.log
            raise failure from None
        except AppError as error:
            outcome = error.log
            raise
        except OutOfGas:
            outcome = "out of gas"
            raise
        finally:
            observer.leave(outcome, meter.used)

    def _respond(
        self,
        tx: TxScope,
        kind: str,
        address: str,
        response: Response,
        meter: GasMeter,
        depth: int,
        predictable: bool = False,
    ) -> Frame | Outcome:
        """Charge and shape what a response says; its messages become a frame (EV-9)."""
        try:
            attributes, custom, data = response.attributes, response.events, response.data
            messages, unclear = (
                prepare(address, response.messages) if response.messages else ([], False)
            )
            if data is not None and not isinstance(data, bytes):
                raise VmError("Error calling the VM: the data of a response is not bytes")
            gas = RESULT_BYTE * len(data) if data else 0
            if attributes or custom:
                gas += _response_cost(attributes, custom)
            for sub in messages:
                gas += RESULT_BYTE * size(sub)
            if gas:
                meter.consume(gas, "Custom contract event attributes")
            if attributes:
                tx.events.append(Event("wasm", shape_attributes(address, attributes)))
            for event in custom:
                tx.events.append(shape_event(address, event))
            if unclear:
                raise AppError.wrap("wasm", 14, "replyOn value")
        except AppError as error:
            if kind is EXECUTE or isinstance(error, VmError):
                raise
            raise dispatched(error) from None
        if not messages:
            if kind is REPLY:
                return Frame(kind, address, messages, data, meter, depth)
            return finish(kind, address, data, predictable)
        frame_kind = "instantiate2" if predictable else kind
        return Frame(frame_kind, address, messages, data, meter, depth)

    def _move_funds(
        self, tx: TxScope, meter: GasMeter, sender: str, recipient: str, funds: tuple[Coin, ...]
    ) -> tuple[Coin, ...]:
        if funds:
            if recipient in self._bank.blocked:
                raise AppError.wrap("sdk", 4, f"{recipient} is not allowed to receive funds")
            self._bank.check_enabled(tx.overlay, funds)
            self._bank.transfer(tx.overlay, meter, tx.events, sender, recipient, funds)
        return funds

    def _check_permission(self, code: CodeRecord, sender: str, what: str) -> None:
        if code.permission is not None and sender not in code.permission:
            raise AppError.wrap("sdk", 4, what)

    def _new_address(
        self,
        tx: TxScope,
        message: MsgInstantiateContract | MsgInstantiateContract2,
        code: CodeRecord,
        meter: GasMeter,
    ) -> bytes:
        """The canonical address of a new contract. Raises: AppError wasm/15 when it is taken
        (INST-9).
        """
        if isinstance(message, MsgInstantiateContract2):
            creator = validate(message.sender, self._prefix)
            fixed = message.msg if message.fix_msg else b""
            canonical = predictable_canonical(code.checksum, creator, message.salt, fixed)
        else:
            instance = next_id(tx, keys.LAST_INSTANCE_ID, meter)
            canonical = contract_canonical(message.code_id, instance)
        if self.may_load_contract(tx.overlay, canonical, meter) is not None:
            raise AppError.wrap(
                "wasm",
                15,
                "contract address already exists, try a different combination of creator, checksum and salt",
            )
        return canonical

    def _claim_account(self, tx: TxScope, canonical: bytes, meter: GasMeter) -> None:
        """Take over an untouched account at the address, or make one (INST-10)."""
        account = accounts.may_load(tx.overlay, canonical, meter)
        if account is None:
            accounts.create(tx.overlay, meter, canonical)
        elif account.sequence or tx.overlay.get(keys.PUBKEY + canonical) is not None:
            raise AppError.wrap("wasm", 3, "address is claimed by external account")

    def _save_contract(
        self, tx: TxScope, canonical: bytes, record: ContractRecord, meter: GasMeter
    ) -> None:
        raw = records.encode(record)
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (1 + len(canonical) + len(raw)), "WritePerByte")
        tx.overlay.set(keys.CONTRACT + canonical, raw)

    def _append_history(
        self, tx: TxScope, canonical: bytes, position: int, entry: HistoryEntry, meter: GasMeter
    ) -> None:
        raw = records.encode(entry)
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (9 + len(canonical) + len(raw)), "WritePerByte")
        tx.overlay.set(keys.history(canonical, position), raw)

    def _persist_migration(
        self,
        tx: TxScope,
        canonical: bytes,
        record: ContractRecord,
        message: MsgMigrateContract,
        meter: GasMeter,
    ) -> None:
        height, index = tx.block.info.height, tx.transaction.index if tx.transaction else 0
        created_height, created_index = record.created
        tx.overlay.remove(keys.by_code(record.code_id, created_height, created_index, canonical))
        tx.overlay.set(
            keys.by_code(message.code_id, created_height, created_index, canonical),
            Derived(b"\x01"),
        )
        entry = HistoryEntry(MIGRATE, message.code_id, height, index, message.msg)
        self._append_history(tx, canonical, record.history, entry, meter)
        changed = ContractRecord(
            message.code_id,
            record.creator,
            record.admin,
            record.label,
            record.created,
            record.history + 1,
        )
        self._save_contract(tx, canonical, changed, meter)


def finish(kind: str, address: str, data: bytes | None, predictable: bool = False) -> Outcome:
    """The protobuf response of a finished call (DATA-5, DATA-6)."""
    if kind == EXECUTE:
        return Outcome(protobuf.EXECUTE, protobuf.data_response(data), True)
    if kind == MIGRATE:
        return Outcome(protobuf.MIGRATE, protobuf.data_response(data), True)
    if kind == SUDO:
        return Outcome("", data or b"", True)
    url = protobuf.INSTANTIATE2 if predictable or kind == "instantiate2" else protobuf.INSTANTIATE
    return Outcome(url, protobuf.instantiate_response(address, data), True)


def next_id(tx: TxScope, key: bytes, meter: GasMeter) -> int:
    """Raise a counter and give its new value; a rolled back message gives its number back."""
    raw = tx.overlay.get(key)
    value = keys.decode_amount(raw) + 1
    size_bytes = len(key) - 1 + len(raw or b"")
    meter.consume(
        KV_READ + KV_READ_BYTE * size_bytes + KV_WRITE + KV_WRITE_BYTE * (len(key) + 7),
        "WritePerByte",
    )
    tx.overlay.set(key, keys.encode_amount(value))
    return value


def _response_cost(attributes: list, custom: list) -> int:  # type: ignore[type-arg]
    """Gas of attributes and events, and of parsing them. Raises: VmError for what is no text."""
    try:
        gas = event_cost(attributes, custom)
        for key, value in attributes:
            gas += len(key) + len(value)
    except (AttributeError, TypeError, ValueError):
        raise VmError("Error calling the VM: an attribute or event is malformed") from None
    return gas


__all__ = [
    "CodeSource",
    "Msg",
    "Wasm",
    "dispatched",
    "finish",
    "next_id",
    "refused",
    "reply_cost",
    "setup_cost",
]
