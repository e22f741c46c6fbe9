"""One call of one entry point: decode the message, run the function, look at what came back.

How a call ends is asked of the meter, not of the exception: a meter at its limit is out of gas
whatever the contract
returned or swallowed (GAS-8). A contract's refusal is ``ContractError``; anything else that it raises, or gives in place
of a ``Response``, is a ``VmError`` (TX-4) whose text never holds a host error's words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

from chain.errors import ContractError, InvariantViolation, VmError
from chain.gas import RESULT_BYTE, GasMeter, OutOfGas
from chain.std import Deps, DepsMut, Env, MessageInfo, Reply, Response
from chain.std import json as cosmwasm_json
from chain.vm.contract import Contract, Entry
from chain.vm.sandbox import runtime

#: bytes of a submessage's payload (SUB-11)
PAYLOAD_MAX: Final = 131_072
#: what a contract bug is called in results; the traceback goes to ``on_bug`` (test kit, devnet
#: log) and nowhere else
BugWatch = Callable[[Contract, str, BaseException], None]

_CALLING: Final = "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "


class Caller:
    """Runs entry points. ``on_bug`` is told of exceptions that are no refusals; it must not
    change anything.
    """

    __slots__ = ("on_bug",)

    def __init__(self, on_bug: BugWatch | None = None) -> None:
        self.on_bug = on_bug

    def instantiate(
        self,
        contract: Contract,
        deps: DepsMut,
        env: Env,
        info: MessageInfo,
        msg: bytes,
        meter: GasMeter,
    ) -> Response:
        """Run ``instantiate``. Raises: ContractError, VmError, OutOfGas; so do all below."""
        entry = contract.instantiate or _missing("instantiate")
        try:
            value = decode_message(contract.instantiate_msg, msg, "InstantiateMsg")
            found = _run(contract, meter, entry, deps, env, info, value)
        except Exception as error:
            self._failed(contract, "instantiate", error, meter)
        return _response(found, meter)

    def execute(
        self,
        contract: Contract,
        deps: DepsMut,
        env: Env,
        info: MessageInfo,
        msg: bytes,
        meter: GasMeter,
    ) -> Response:
        """Run ``execute``."""
        entry = contract.execute or _missing("execute")
        try:
            value = decode_message(contract.execute_msg, msg, "ExecuteMsg")
            found = _run(contract, meter, entry, deps, env, info, value)
        except Exception as error:
            self._failed(contract, "execute", error, meter)
        return _response(found, meter)

    def migrate(
        self, contract: Contract, deps: DepsMut, env: Env, msg: bytes, meter: GasMeter
    ) -> Response:
        """Run ``migrate``."""
        entry = contract.migrate or _missing("migrate")
        try:
            value = decode_message(contract.migrate_msg, msg, "MigrateMsg")
            found = _run(contract, meter, entry, deps, env, value)
        except Exception as error:
            self._failed(contract, "migrate", error, meter)
        return _response(found, meter)

    def sudo(
        self, contract: Contract, deps: DepsMut, env: Env, msg: bytes, meter: GasMeter
    ) -> Response:
        """Run ``sudo``."""
        entry = contract.sudo or _missing("sudo")
        try:
            value = decode_message(contract.sudo_msg, msg, "SudoMsg")
            found = _run(contract, meter, entry, deps, env, value)
        except Exception as error:
            self._failed(contract, "sudo", error, meter)
        return _response(found, meter)

    def reply(
        self, contract: Contract, deps: DepsMut, env: Env, reply: Reply, meter: GasMeter
    ) -> Response:
        """Run ``reply``."""
        entry = contract.reply or _missing("reply")
        try:
            found = _run(contract, meter, entry, deps, env, reply)
        except Exception as error:
            self._failed(contract, "reply", error, meter)
        return _response(found, meter)

    def query(self, contract: Contract, deps: Deps, env: Env, msg: bytes, meter: GasMeter) -> bytes:
        """Run ``query``; the answer is its JSON, or the bytes it gave."""
        entry = contract.query or _missing("query")
        try:
            value = decode_message(contract.query_msg, msg, "QueryMsg")
            found = _run(contract, meter, entry, deps, env, value)
            answer = bytes(found) if type(found) is bytes else cosmwasm_json.encode(found)
        except Exception as error:
            self._failed(contract, "query", error, meter)
        meter.consume(RESULT_BYTE * len(answer), "Parse result")
        _ask(meter)
        return answer

    def _failed(
        self, contract: Contract, entry: str, error: Exception, meter: GasMeter
    ) -> NoReturn:
        """Turn what an entry point raised into what the chain makes of it."""
        _ask(meter)
        if isinstance(error, (ContractError, VmError, InvariantViolation)):
            raise error
        if isinstance(error, runtime.Trap):
            raise VmError(f"{_CALLING}{error}") from None
        if isinstance(error, (MemoryError, RecursionError)) and contract.metered:
            raise InvariantViolation(
                f"contract {contract.name} exhausted the host: {type(error).__name__}"
            ) from error
        if self.on_bug is not None:
            self.on_bug(contract, entry, error)
        raise VmError(f"{_CALLING}Aborted: {contract.name} failed in {entry}") from error


def _run(contract: Contract, meter: GasMeter, entry: Entry, *args: object) -> Any:
    """Call an entry point; a compiled one on the compute state of this thread."""
    return runtime.run(meter, entry, *args) if contract.metered else entry(*args)


def decode_message(types: object, msg: bytes, name: str) -> Any:
    """The message of an entry point: plain JSON, one plain class, or one variant of several.
    Raises: ContractError.
    """
    if types is None:
        return cosmwasm_json.decode(msg, Any)
    if isinstance(types, tuple):
        return cosmwasm_json.decode_variant(msg, types, name)
    return cosmwasm_json.decode(msg, types)


def _ask(meter: GasMeter) -> None:
    if meter.used >= meter.limit:
        raise OutOfGas("Wasm engine function execution")


def _response(found: object, meter: GasMeter) -> Response:
    if meter.used >= meter.limit:
        raise OutOfGas("Wasm engine function execution")
    if type(found) is not Response:
        raise VmError("Error calling the VM: the entry point gave no Response")
    return found


def _missing(entry: str) -> Entry:
    raise VmError(
        f"Error calling the VM: Error resolving Wasm function: Could not get export: Missing export {entry}"
    )
