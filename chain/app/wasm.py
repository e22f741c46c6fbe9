"""The one call of an entry point around which everything turns (INST-1 to INST-16).

A call goes: look up contract and code, pay for the instance, move the funds, run the entry point,
emit the entry event, shape the response, and leave its messages to ``dispatch``.
"""

from __future__ import annotations

from functools import lru_cache

from chain.app import keys
from chain.app.bank import Bank
from chain.app.context import (
    EXECUTE,
    INSTANTIATE,
    INSTANTIATE2,
    MIGRATE,
    REPLY,
    SUDO,
    Call,
    Frame,
    Outcome,
    TxScope,
)
from chain.app.contracts import Contracts, check_permission
from chain.app.events import Event
from chain.app.queries.host import ChainHost
from chain.app.responses import refused, reply_cost, respond
from chain.app.trace import Observer
from chain.app.units import convert
from chain.crypto.addresses import humanize, validate
from chain.errors import AppError, ContractError
from chain.gas import GasMeter, OutOfGas
from chain.std import Addr, ContractInfo, DepsMut, Env, MessageInfo, Reply, Response
from chain.std import Coin as StdCoin
from chain.tx import results
from chain.tx.messages import (
    Coins,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
)
from chain.vm.api import Api
from chain.vm.call import Caller
from chain.vm.contract import Contract
from chain.vm.querier import NoSuchCode, Querier
from chain.vm.storage import ContractStorage, WatchedStorage


@lru_cache(maxsize=16384)
def _contract_info(address: str) -> ContractInfo:
    return ContractInfo(Addr(address))


class Wasm:
    """Runs contract calls inside of a transaction."""

    __slots__ = ("_bank", "_prefix", "caller", "contracts")

    def __init__(self, bank: Bank, contracts: Contracts, caller: Caller) -> None:
        self._bank = bank
        self._prefix = contracts.prefix
        self.contracts = contracts
        self.caller = caller

    def execute(
        self, tx: TxScope, message: MsgExecuteContract, meter: GasMeter, depth: int
    ) -> Frame | Outcome:
        """Call ``execute`` with the funds moved first (FUND-1)."""
        address, sender = message.contract, message.sender
        canonical = validate(address, self._prefix)
        start = meter.used
        contracts = self.contracts
        record, code, contract = contracts.load_instance(tx.overlay, address, canonical, meter)
        try:
            contracts.load_setup(tx.loaded, code.checksum, meter, EXECUTE)
            funds = self._move_funds(tx, meter, sender, address, message.funds)
            call = Call(tx, EXECUTE, address, canonical, sender, meter, depth)
            info = MessageInfo(Addr(sender), funds)
            response = self._enter(call, contract, info, message.msg)
            tx.events.append(Event(EXECUTE, [("_contract_address", address)]))
            return respond(call, response)
        finally:
            tx.creators[record.creator] = tx.creators.get(record.creator, 0) + meter.used - start

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
        start, sender = meter.used, message.sender
        contracts = self.contracts
        try:
            code = contracts.load_code(tx.overlay, message.code_id, meter)
            check_permission(code, sender, "can not instantiate")
            contract = contracts.resolve(code)
            contracts.load_setup(tx.loaded, code.checksum, meter, INSTANTIATE)
            canonical = contracts.new_address(tx, message, code, meter)
            address = humanize(canonical, self._prefix)
            funds = self._move_funds(tx, meter, sender, address, message.funds)
            kind = INSTANTIATE if type(message) is MsgInstantiateContract else INSTANTIATE2
            call = Call(tx, kind, address, canonical, sender, meter, depth)
            info = MessageInfo(Addr(sender), funds)
            response = self._enter(call, contract, info, message.msg)
            contracts.create(tx, canonical, message, meter)
            made = [("_contract_address", address), ("code_id", str(message.code_id))]
            tx.events.append(Event(INSTANTIATE, made))
            return respond(call, response)
        finally:
            tx.creators[sender] = tx.creators.get(sender, 0) + meter.used - start

    def migrate(
        self, tx: TxScope, message: MsgMigrateContract, meter: GasMeter, depth: int
    ) -> Frame | Outcome:
        """Give a contract another code; equal declared versions skip the entry point (INST-11)."""
        address, sender = message.contract, message.sender
        canonical = validate(address, self._prefix)
        start = meter.used
        contracts = self.contracts
        record = contracts.may_load(tx.overlay, canonical, meter)
        if record is None:
            raise AppError.wrap("sdk", 18, "unknown contract")
        try:
            if record.admin != sender:
                raise AppError.wrap("sdk", 4, "can not migrate")
            try:
                code = contracts.load_code(tx.overlay, message.code_id, meter)
            except NoSuchCode:
                raise AppError.wrap("sdk", 18, "unknown code") from None
            check_permission(code, sender, "to use new code")
            contract = contracts.resolve(code)
            contracts.load_setup(tx.loaded, code.checksum, meter, MIGRATE)
            old = contracts.resolve(contracts.load_code(tx.overlay, record.code_id, meter))
            call = Call(tx, MIGRATE, address, canonical, sender, meter, depth)
            response = None
            if not _same_version(old, contract):
                response = self._enter(call, contract, None, message.msg)
            contracts.migrated(tx, canonical, record, message, meter)
            moved = [("code_id", str(message.code_id)), ("_contract_address", address)]
            tx.events.append(Event(MIGRATE, moved))
            if response is None:
                return Outcome(results.MIGRATE, b"", True)
            return respond(call, response)
        finally:
            tx.creators[record.creator] = tx.creators.get(record.creator, 0) + meter.used - start

    def sudo(self, tx: TxScope, address: str, msg: bytes, meter: GasMeter) -> Frame | Outcome:
        """Call ``sudo``: from privileged code only (INST-13)."""
        canonical = validate(address, self._prefix)
        start = meter.used
        contracts = self.contracts
        record, code, contract = contracts.load_instance(tx.overlay, address, canonical, meter)
        try:
            contracts.load_setup(tx.loaded, code.checksum, meter, SUDO)
            call = Call(tx, SUDO, address, canonical, "", meter, 0)
            response = self._enter(call, contract, None, msg)
            tx.events.append(Event(SUDO, [("_contract_address", address)]))
            return respond(call, response)
        finally:
            tx.creators[record.creator] = tx.creators.get(record.creator, 0) + meter.used - start

    def reply(
        self, tx: TxScope, address: str, reply: Reply, meter: GasMeter, depth: int
    ) -> Frame | Outcome:
        """Call ``reply`` of the code the contract has now (SUB-12), in its state (SUB-4)."""
        canonical = validate(address, self._prefix)
        start = meter.used
        contracts = self.contracts
        record, _, contract = contracts.load_instance(tx.overlay, address, canonical, meter)
        try:
            meter.consume(reply_cost(reply), "Loading CosmWasm module: reply")
            call = Call(tx, REPLY, address, canonical, "", meter, depth)
            response = self._enter(call, contract, None, reply)
            tx.events.append(Event(REPLY, [("_contract_address", address)]))
            return respond(call, response)
        finally:
            tx.creators[record.creator] = tx.creators.get(record.creator, 0) + meter.used - start

    def host(self, tx: TxScope) -> ChainHost:
        """What answers the queries of a transaction's contracts."""
        return ChainHost(
            self,
            self._bank,
            tx.overlay,
            tx.block.info,
            transaction=tx.transaction,
            loaded=tx.loaded,
            observer=tx.observer,
        )

    # --- parts ----------------------------------------------------------------------------------

    def _enter(
        self, call: Call, contract: Contract, info: MessageInfo | None, msg: bytes | Reply
    ) -> Response:
        """Build what the contract sees, run it, turn its refusal into the chain's error."""
        tx, meter = call.tx, call.meter
        prefix = keys.CONTRACT_STORAGE + call.canonical
        observer = tx.observer
        storage = (
            ContractStorage(tx.overlay, prefix, meter)
            if observer is None
            else WatchedStorage(tx.overlay, prefix, meter, observer.storage)
        )
        deps = DepsMut(storage, Api(meter, self._prefix), Querier(tx, meter, 0))
        env = Env(tx.block.info, tx.transaction, _contract_info(call.address))
        args = (deps, env) if info is None else (deps, env, info)
        try:
            if observer is not None:
                return self._enter_observed(observer, call, contract, args, msg)
            return self.caller.enter(contract, call.kind, args, msg, meter)
        except ContractError as error:
            raise refused(call.kind, error) from None
        finally:
            storage.close()

    def _enter_observed(
        self,
        observer: Observer,
        call: Call,
        contract: Contract,
        args: tuple[object, ...],
        msg: bytes | Reply,
    ) -> Response:
        """The same with an observer told of the beginning and the end."""
        meter = call.meter
        shown = msg if isinstance(msg, bytes) else b""
        observer.enter(call.kind, call.address, call.sender, shown, meter.used)
        outcome = "ok"
        try:
            return self.caller.enter(contract, call.kind, args, msg, meter)
        except (ContractError, AppError) as error:
            outcome = str(error)
            raise
        except OutOfGas:
            outcome = "out of gas"
            raise
        finally:
            observer.leave(outcome, meter.used)

    def _move_funds(
        self, tx: TxScope, meter: GasMeter, sender: str, recipient: str, coins: Coins
    ) -> tuple[StdCoin, ...]:
        """Move attached funds into the contract. Raises: AppError sdk/4, sdk/5 (FUND-2)."""
        if not coins:
            return ()
        funds = convert(coins)
        if funds:
            if recipient in self._bank.blocked:
                raise AppError.wrap("sdk", 4, f"{recipient} is not allowed to receive funds")
            self._bank.check_enabled(tx.overlay, funds)
            self._bank.transfer(tx.overlay, meter, tx.events, sender, recipient, funds)
        return funds


def _same_version(old: Contract, new: Contract) -> bool:
    """Whether both declare a migrate version, and the same one."""
    version = new.migrate_version
    return version is not None and version == old.migrate_version
