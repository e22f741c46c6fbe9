"""Messages of ``execute_many`` as messages of a transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chain.errors import AppError
from chain.std import BankMsg, WasmMsg, encode_message
from chain.testing.coins import parse_coins
from chain.tx.messages import (
    Msg,
    MsgClearAdmin,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
    MsgSend,
    MsgUpdateAdmin,
)


def transaction_messages(messages: Sequence[Any], sender: str | None) -> tuple[Msg, ...]:
    """The messages of one transaction. Raises: TypeError for what is no message, ValueError without
    a sender, AppError sdk/6 for what only contracts can send.

    >>> transaction_messages([(address, {"reset": {}})], alice)[0].msg
    b'{"reset":{}}'
    """
    return tuple([_message(entry, sender) for entry in messages])


def _message(entry: Any, sender: str | None) -> Msg:
    if isinstance(entry, Msg):
        return entry
    if isinstance(entry, tuple):
        address, msg, by, funds = (*entry, sender, ())[:4] if len(entry) == 2 else (*entry, ())[:4]
        return MsgExecuteContract(
            _named(by or sender), address, encode_message(msg), parse_coins(funds)
        )
    return _dispatched(entry, _named(sender))


def _named(sender: str | None) -> str:
    if sender is None:
        raise ValueError("execute_many needs a sender for messages that name none")
    return sender


def _dispatched(msg: Any, sender: str) -> Msg:
    if isinstance(msg, WasmMsg.Execute):
        return MsgExecuteContract(sender, msg.contract_addr, msg.msg, parse_coins(msg.funds))
    if isinstance(msg, BankMsg.Send):
        return MsgSend(sender, msg.to_address, parse_coins(msg.amount))
    if isinstance(msg, WasmMsg.Instantiate):
        funds = parse_coins(msg.funds)
        return MsgInstantiateContract(
            sender, msg.admin or "", msg.code_id, msg.label, msg.msg, funds
        )
    if isinstance(msg, WasmMsg.Instantiate2):
        funds = parse_coins(msg.funds)
        return MsgInstantiateContract2(
            sender, msg.admin or "", msg.code_id, msg.label, msg.msg, funds, msg.salt, False
        )
    if isinstance(msg, WasmMsg.Migrate):
        return MsgMigrateContract(sender, msg.contract_addr, msg.new_code_id, msg.msg)
    if isinstance(msg, WasmMsg.UpdateAdmin):
        return MsgUpdateAdmin(sender, msg.contract_addr, msg.admin)
    if isinstance(msg, WasmMsg.ClearAdmin):
        return MsgClearAdmin(sender, msg.contract_addr)
    if isinstance(msg, BankMsg.Burn):
        raise AppError.wrap("sdk", 6, "only a contract burns coins, its own, by BankMsg.Burn")
    raise TypeError(f"{type(msg).__name__} is no message of a transaction")
