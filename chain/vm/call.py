"""One call of one entry point: decode the message, run the function, look at what came back.

How a call ends is asked of the meter, not of the exception: a meter at its limit is out of gas
whatever the contract
returned or swallowed (GAS-8). A contract's refusal is ``ContractError``; anything else that it
raises, or gives in place of a ``Response``, is a ``VmError`` (TX-4) whose text never holds a host
error's words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

from chain.errors import ContractError, InvariantViolation, VmError
from chain.gas import RESULT_BYTE, GasMeter, OutOfGas
from chain.std import Deps, Env, Reply, Response
from chain.std import json as cosmwasm_json
from chain.vm.contract import Contract, Entry
from chain.vm.sandbox import runtime

#: bytes of a submessage's payload (SUB-11)
PAYLOAD_MAX: Final = 131_072
#: what a contract bug is called in results; the traceback goes to ``on_bug`` (test kit, devnet
#: log) and nowhere else
BugWatch = Callable[[Contract, str, BaseException], None]

#: kind of call -> entry point, attribute with its message types, name of the type in error texts
_ENTRIES: Final = {
    "instantiate": ("instantiate", "instantiate_msg", "InstantiateMsg"),
    "instantiate2": ("instantiate", "instantiate_msg", "InstantiateMsg"),
    "execute": ("execute", "execute_msg", "ExecuteMsg"),
    "migrate": ("migrate", "migrate_msg", "MigrateMsg"),
    "sudo": ("sudo", "sudo_msg", "SudoMsg"),
    "reply": ("reply", "", ""),
}
_TEXT_FREE: Final = 1_024  # bytes of a refusal's text that are read for nothing
_CALLING: Final = "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "


class Caller:
    """Runs entry points. ``on_bug`` is told of exceptions that are no refusals; it must not
    change anything.
    """

    __slots__ = ("on_bug",)

    def __init__(self, on_bug: BugWatch | None = None) -> None:
        self.on_bug = on_bug

    def enter(
        self,
        contract: Contract,
        kind: str,
        args: tuple[object, ...],
        msg: bytes | Reply,
        meter: GasMeter,
    ) -> Response:
        """Run the entry point of a kind with ``args`` and the decoded message behind them.

        Raises: ContractError, VmError, OutOfGas.
        """
        name, messages, type_name = _ENTRIES[kind]
        entry = getattr(contract, name) or _missing(name)
        try:
            value: object
            if isinstance(msg, bytes):
                value = decode_message(getattr(contract, messages), msg, type_name)
            else:
                value = msg
            if contract.metered:
                found = runtime.run(meter, entry, *args, value)
            else:
                found = entry(*args, value)
        except Exception as error:
            self._failed(contract, name, error, meter)
        if meter.used >= meter.limit:
            raise OutOfGas("Wasm engine function execution")
        if type(found) is not Response:
            raise VmError("Error calling the VM: the entry point gave no Response")
        return found

    def query(self, contract: Contract, deps: Deps, env: Env, msg: bytes, meter: GasMeter) -> bytes:
        """Run ``query``; the answer is its JSON, or the bytes it gave."""
        entry = contract.query or _missing("query")
        try:
            value = decode_message(contract.query_msg, msg, "QueryMsg")
            if contract.metered:
                found = runtime.run(meter, entry, deps, env, value)
            else:
                found = entry(deps, env, value)
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
        if isinstance(error, ContractError):
            if not _is_text(error.text):
                raise VmError(f"Error calling the VM: {entry} refused without a text") from error
            size = len(error.text.encode())
            if size > _TEXT_FREE:
                meter.consume(RESULT_BYTE * size, "Parse result")
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


def _is_text(text: object) -> bool:
    """Whether a refusal says something that can be written down; an empty text does not (TX-4)."""
    if not isinstance(text, str) or not text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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


def _missing(entry: str) -> Entry:
    raise VmError(
        "Error calling the VM: Error resolving Wasm function: Could not get export: "
        f"Missing export {entry}"
    )
