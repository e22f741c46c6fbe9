"""What a contract may dispatch, turned into the messages of a transaction with the contract as
sender.

A message is a ``BankMsg``/``WasmMsg`` value or a dict in CosmWasm's JSON form; a dict is read as
wasmd reads it: missing
members are empty, unknown ones ignored. What cannot be read at all fails the response (wasm/29)
before anything is
dispatched; what is read but refused fails when its turn comes, so it is kept here as the error.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from chain.app import anymsg, units
from chain.errors import AppError, VmError
from chain.gas import GasMeter
from chain.std import BankMsg, ReplyOn, SubMsg, WasmMsg
from chain.tx.goint import scan_int
from chain.tx.messages import (
    Amount,
    Coin,
    Coins,
    Msg,
    MsgClearAdmin,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
    MsgSend,
    MsgUpdateAdmin,
)
from chain.vm.call import PAYLOAD_MAX

_U64: Final = 1 << 64
#: parts of a message that are read without a charge of their own, what each costs where there are
#: more, and where counting ends
_PARTS_FREE: Final = 64
_PART: Final = 10
_PARTS_END: Final = 1 << 20
_BAD: Final = "Error calling the VM: malformed response"


class BurnOf(Msg, frozen=True):
    """A contract burns coins of its own (``BankMsg.Burn``); no transaction message does that."""

    holder: str
    amount: Coins


class Nothing(Msg, frozen=True):
    """A send of an empty list: nothing happens, successfully (BANK-4)."""


#: a dispatched message ready to run, or the error that it will be
Dispatchable = Msg | AppError


class Prepared:
    """A submessage whose parts were read and checked."""

    __slots__ = ("gas_limit", "id", "message", "payload", "reply_on", "wasm")

    def __init__(  # noqa: PLR0917  # one caller, in the order of the slots
        self,
        message: Dispatchable,
        id: int,
        reply_on: str,
        gas_limit: int | None,
        payload: bytes,
        wasm: bool,
    ) -> None:
        self.message = message
        self.id = id
        self.reply_on = reply_on
        self.gas_limit = gas_limit
        self.payload = payload
        #: its events reach the reply (SUB-14)
        self.wasm = wasm


_POLICIES: Final = ("always", "success", "error", "never")


def prepare(
    contract: str, submessages: Sequence[object], meter: GasMeter | None = None
) -> tuple[list[Prepared], bool]:
    """Read the submessages of a response, and whether a reply policy is missing (DISP-6). Raises:
    VmError; OutOfGas when reading what is very large is not paid for.
    """
    made = []
    missing = False
    for index, sub in enumerate(submessages):
        if type(sub) is not SubMsg:
            raise VmError(f"{_BAD}: message {index} is no submessage")
        reply_on = sub.reply_on
        policy = reply_on.value if isinstance(reply_on, ReplyOn) else reply_on
        if policy is None or policy == "":
            missing = True
            policy = "never"
        elif policy not in _POLICIES:
            shown = policy if isinstance(policy, str) else type(policy).__name__
            raise VmError(f"invalid reply_on value '{shown}'")
        if type(sub.id) is not int or not 0 <= sub.id < _U64:
            raise VmError(f"{_BAD}: the id of message {index} is no 64-bit number")
        limit = sub.gas_limit
        if limit is not None and (type(limit) is not int or not 0 <= limit < _U64):
            raise VmError(f"{_BAD}: the gas limit of message {index} is no 64-bit number")
        payload = sub.payload or b""
        if not isinstance(payload, bytes):
            raise VmError(f"{_BAD}: the payload of message {index} is not bytes")
        if len(payload) > PAYLOAD_MAX:
            raise VmError(
                f"reply contains submessage at index {index} with payload larger than "
                f"{PAYLOAD_MAX} bytes: {len(payload)} bytes"
            )
        if meter is not None:
            parts = _parts(sub.msg)
            if parts > _PARTS_FREE:
                meter.consume(_PART * parts, "Parse result")
        message, wasm = _message(contract, sub.msg)
        made.append(Prepared(message, sub.id, policy, limit, payload, wasm))
    return made, missing


def _parts(msg: object) -> int:
    """How many coins a message has, or parts where it is JSON; enough of them is enough."""
    if not isinstance(msg, dict):
        coins = getattr(msg, "funds", None) or getattr(msg, "amount", ())
        return len(coins) if isinstance(coins, (tuple, list)) else 0
    count = 0
    stack: list[object] = [msg]
    while stack and count < _PARTS_END:
        here = stack.pop()
        inner = here.values() if isinstance(here, dict) else here
        for part in inner:  # type: ignore[attr-defined]
            count += 1
            if isinstance(part, (dict, list, tuple)):
                stack.append(part)
                count += len(part)
    return count


def size(prepared: Prepared) -> int:
    """Bytes of a submessage that reading the result is charged for."""
    message = prepared.message
    body = getattr(message, "msg", b"")
    return len(prepared.payload) + (len(body) if isinstance(body, bytes) else 0)


def _message(contract: str, msg: object) -> tuple[Dispatchable, bool]:
    try:
        if isinstance(msg, WasmMsg.Execute):
            return MsgExecuteContract(
                contract, _text(msg.contract_addr), msg.msg, _funds(msg.funds)
            ), True
        if isinstance(msg, BankMsg.Send):
            return _send(contract, _text(msg.to_address), msg.amount), False
        if isinstance(msg, BankMsg.Burn):
            return _burn(contract, msg.amount), False
        if isinstance(msg, WasmMsg.Instantiate):
            return (
                MsgInstantiateContract(
                    contract,
                    _text(msg.admin),
                    _number(msg.code_id),
                    _text(msg.label),
                    msg.msg,
                    _funds(msg.funds),
                ),
                True,
            )
        if isinstance(msg, WasmMsg.Instantiate2):
            return (
                MsgInstantiateContract2(
                    contract,
                    _text(msg.admin),
                    _number(msg.code_id),
                    _text(msg.label),
                    msg.msg,
                    _funds(msg.funds),
                    msg.salt,
                    False,
                ),
                True,
            )
        if isinstance(msg, WasmMsg.Migrate):
            return MsgMigrateContract(
                contract, _text(msg.contract_addr), _number(msg.new_code_id), msg.msg
            ), True
        if isinstance(msg, WasmMsg.UpdateAdmin):
            return MsgUpdateAdmin(contract, _text(msg.contract_addr), _text(msg.admin)), True
        if isinstance(msg, WasmMsg.ClearAdmin):
            return MsgClearAdmin(contract, _text(msg.contract_addr)), True
    except VmError:
        raise
    except AppError as error:
        return error, not isinstance(msg, (BankMsg.Send, BankMsg.Burn))
    if isinstance(msg, dict):
        return _from_json(contract, msg)
    if msg is None:
        return _no_handler(), False
    raise VmError(f"{_BAD}: a message of unknown type")


def _no_handler() -> AppError:
    return AppError.wrap("wasm", 20, "no handler found")


def _from_json(contract: str, shape: Mapping[str, Any]) -> tuple[Dispatchable, bool]:
    """The first kind in wasmd's order that is there decides; within it the first known form."""
    for kind in _KINDS:
        body = shape.get(kind)
        if body is None:
            continue
        if kind == "custom":
            break
        wasm = kind == "wasm"
        try:
            if kind in ("any", "stargate"):
                url, value = _member(body, "type_url"), _base64(body, "value")
                return anymsg.read(contract, url, value), False
            forms = _object(body)
            for name, read in _FORMS.get(kind, {}).items():
                fields = forms.get(name)
                if fields is not None:
                    return read(contract, fields), wasm
        except VmError:
            raise
        except AppError as error:
            return error, wasm
        return _no_handler(), wasm
    return _no_handler(), False


def _send_form(contract: str, fields: object) -> Msg:
    return _send(contract, _member(fields, "to_address"), _list(fields, "amount"))


def _burn_form(contract: str, fields: object) -> Msg:
    return _burn(contract, _list(fields, "amount"))


def _packet(contract: str, fields: object) -> Msg:
    _object(fields)
    raise AppError.wrap("wasm", 17, "ibc not supported")


def _vote(contract: str, fields: object) -> Msg:
    raise AppError.wrap("gov", 3, f"{_integer(fields, 'proposal_id')}")


def _execute(contract: str, fields: object) -> Msg:
    return MsgExecuteContract(
        contract,
        _member(fields, "contract_addr"),
        _base64(fields, "msg"),
        _funds(_list(fields, "funds")),
    )


def _instantiate(contract: str, fields: object) -> Msg:
    return MsgInstantiateContract(
        contract,
        _member(fields, "admin"),
        _integer(fields, "code_id"),
        _member(fields, "label"),
        _base64(fields, "msg"),
        _funds(_list(fields, "funds")),
    )


def _instantiate2(contract: str, fields: object) -> Msg:
    return MsgInstantiateContract2(
        contract,
        _member(fields, "admin"),
        _integer(fields, "code_id"),
        _member(fields, "label"),
        _base64(fields, "msg"),
        _funds(_list(fields, "funds")),
        _base64(fields, "salt"),
        False,
    )


def _migrate(contract: str, fields: object) -> Msg:
    return MsgMigrateContract(
        contract,
        _member(fields, "contract_addr"),
        _integer(fields, "new_code_id"),
        _base64(fields, "msg"),
    )


def _update_admin(contract: str, fields: object) -> Msg:
    return MsgUpdateAdmin(contract, _member(fields, "contract_addr"), _member(fields, "admin"))


def _clear_admin(contract: str, fields: object) -> Msg:
    return MsgClearAdmin(contract, _member(fields, "contract_addr"))


_FORMS: Final[Mapping[str, Mapping[str, Callable[[str, object], Msg]]]] = {
    "bank": {"send": _send_form, "burn": _burn_form},
    "ibc": {"send_packet": _packet},
    "wasm": {
        "execute": _execute,
        "instantiate": _instantiate,
        "instantiate2": _instantiate2,
        "migrate": _migrate,
        "clear_admin": _clear_admin,
        "update_admin": _update_admin,
    },
    "gov": {"vote": _vote, "vote_weighted": _vote},
}
#: the order in which wasmd looks at a message that names several
_KINDS: Final = (
    *("bank", "custom", "distribution", "ibc", "staking", "any", "stargate", "wasm", "gov"),
)


def _send(contract: str, to_address: str, amount: Iterable[object]) -> Msg:
    listed = tuple(amount)
    if not listed:
        return Nothing()
    return MsgSend(contract, to_address, _funds(listed))


def _burn(contract: str, amount: Iterable[object]) -> Msg:
    funds = _funds(amount)
    if not funds:
        raise AppError.wrap("wasm", 12, "amount")
    return BurnOf(contract, funds)


def _funds(coins: Iterable[object]) -> Coins:
    """A coin list as wasmd normalises it (FUND-4): checked coin by coin, added up, zeros dropped,
    sorted.
    """
    read = [_coin(coin) for coin in coins]
    if not read:
        return ()
    return tuple([Coin(coin.denom, Amount(coin.amount)) for coin in units.convert(read)])


def _coin(coin: object) -> Coin:
    if isinstance(coin, dict):
        denom, amount = (
            _member(coin, "denom"),
            _amount(coin.get("amount", ""), _member(coin, "denom")),
        )
    else:
        denom, amount = _text(getattr(coin, "denom", None)), getattr(coin, "amount", None)  # type: ignore[assignment]
        if isinstance(amount, bool) or not isinstance(amount, int):
            raise VmError(f"{_BAD}: an amount is no integer")
        amount = int(amount)
        if abs(amount) > units.AMOUNT_MAX:
            raise AppError.wrap("sdk", 10, f"{amount}{denom}")
    if not units.valid_denom(denom):
        raise AppError("undefined", 1, f"invalid denom: {denom}")
    if amount < 0:
        raise AppError("undefined", 1, f"negative coin amount: {amount}")
    return Coin(denom, Amount(amount))


def _amount(text: object, denom: str) -> int:
    """The integer of an amount in Go's spellings, as wasmd reads it: ``010`` is 8."""
    if text is None:
        text = ""
    if not isinstance(text, str):
        raise VmError(f"{_BAD}: an amount is no text")
    value = scan_int(text) if text else None
    if value is None or abs(value) > units.AMOUNT_MAX:
        raise AppError.wrap("sdk", 10, f"{text}{denom}")
    return value


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise VmError(f"{_BAD}: a text is no text")
    return value


def _number(value: object) -> int:
    if type(value) is not int or not 0 <= value < _U64:
        raise VmError(f"{_BAD}: a code id is no 64-bit number")
    return value


def _object(fields: object) -> dict[str, Any]:
    if not isinstance(fields, dict):
        raise VmError(f"{_BAD}: a message is no object")
    return fields


def _member(fields: object, name: str) -> str:
    return _text(_object(fields).get(name))


def _integer(fields: object, name: str) -> int:
    value = _object(fields).get(name)
    return 0 if value is None else _number(value)


def _list(fields: object, name: str) -> list[object]:
    value = _object(fields).get(name)
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise VmError(f"{_BAD}: a coin list is no list")
    return list(value)


def _base64(fields: object, name: str) -> bytes:
    text = _member(fields, name)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise VmError("illegal base64 data") from None
