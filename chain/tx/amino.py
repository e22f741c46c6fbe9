"""Amino JSON sign documents: what Ledger devices and CosmJS's amino wallets sign.

The document is rebuilt from the transaction: object keys sorted at every depth, also inside a
contract's message, nothing between the tokens, ``&``, ``<`` and ``>`` escaped. Number tokens of a
contract's message stay as they were sent.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, Final

from chain.tx import messages as m
from chain.tx.value import Tx

_MAX_DEPTH: Final = 128
_PERMISSIONS: Final = {0: "Unspecified", 1: "Nobody", 3: "Everybody", 4: "AnyOfAddresses"}


class AminoError(Exception):
    """The transaction has no amino form."""


class _Number(str):
    """A JSON number as its token."""

    __slots__ = ()


def _refuse_constant(token: str) -> Any:
    raise AminoError(f"{token} is not JSON")


def _inline(raw: bytes) -> Any:
    """A contract's message as JSON values with number tokens kept."""
    try:
        return json.loads(
            raw, parse_int=_Number, parse_float=_Number, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError):
        raise AminoError("the message is not JSON") from None


_text: Final = json.JSONEncoder(ensure_ascii=False).encode


def canonical_json(value: Any, depth: int = _MAX_DEPTH) -> str:
    """JSON text with sorted keys and no spaces. Raises: AminoError when it is nested too deeply."""
    if not depth:
        raise AminoError("nested too deeply")
    if type(value) is _Number:
        return str(value)
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        parts = [f"{_text(k)}:{canonical_json(value[k], depth - 1)}" for k in sorted(value)]
        return "{" + ",".join(parts) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([canonical_json(entry, depth - 1) for entry in value]) + "]"
    raise AminoError(f"{type(value).__name__} has no JSON form")


def _coin(coin: m.Coin) -> dict[str, str]:
    text = coin.text or "0" if isinstance(coin, m.OddCoin) else str(coin.amount)
    return {"amount": text, **_present(denom=coin.denom)}


def _coins(coins: m.Coins) -> list[dict[str, str]]:
    return [_coin(coin) for coin in coins]


def _present(**fields: Any) -> dict[str, Any]:
    """The fields that are not empty; amino leaves empty ones out."""
    return {name: value for name, value in fields.items() if value}


def _number(value: int) -> str:
    return str(value) if value else ""


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _access(access: m.AccessConfig | None) -> dict[str, Any] | None:
    if access is None:
        return None
    name = _PERMISSIONS.get(access.permission)
    if name is None:
        raise AminoError("unknown access type")
    return {"permission": name, **_present(addresses=list(access.addresses))}


def _send(msg: m.MsgSend) -> dict[str, Any]:
    fields = _present(from_address=msg.from_address, to_address=msg.to_address)
    return {**fields, "amount": _coins(msg.amount)}


def _sides(entries: tuple[m.Transfer, ...]) -> list[dict[str, Any]]:
    return [{**_present(address=entry.address), "coins": _coins(entry.coins)} for entry in entries]


def _multi_send(msg: m.MsgMultiSend) -> dict[str, Any]:
    return {"inputs": _sides(msg.inputs), "outputs": _sides(msg.outputs)}


def _store(msg: m.MsgStoreCode) -> dict[str, Any]:
    permission = _access(msg.instantiate_permission)
    fields = _present(sender=msg.sender, wasm_byte_code=_base64(msg.wasm_byte_code))
    return fields if permission is None else {**fields, "instantiate_permission": permission}


def _instantiate(msg: m.MsgInstantiateContract | m.MsgInstantiateContract2) -> dict[str, Any]:
    fields = _present(
        sender=msg.sender, admin=msg.admin, code_id=_number(msg.code_id), label=msg.label
    )
    return {**fields, "msg": _inline(msg.msg), "funds": _coins(msg.funds)}


def _instantiate2(msg: m.MsgInstantiateContract2) -> dict[str, Any]:
    return {**_instantiate(msg), **_present(salt=_base64(msg.salt), fix_msg=msg.fix_msg)}


def _execute(msg: m.MsgExecuteContract) -> dict[str, Any]:
    fields = _present(sender=msg.sender, contract=msg.contract)
    return {**fields, "msg": _inline(msg.msg), "funds": _coins(msg.funds)}


def _migrate(msg: m.MsgMigrateContract) -> dict[str, Any]:
    fields = _present(sender=msg.sender, contract=msg.contract, code_id=_number(msg.code_id))
    return {**fields, "msg": _inline(msg.msg)}


def _update_admin(msg: m.MsgUpdateAdmin) -> dict[str, Any]:
    return _present(sender=msg.sender, contract=msg.contract, new_admin=msg.new_admin)


def _clear_admin(msg: m.MsgClearAdmin) -> dict[str, Any]:
    return _present(sender=msg.sender, contract=msg.contract)


def _label(msg: m.MsgUpdateContractLabel) -> dict[str, Any]:
    return _present(sender=msg.sender, contract=msg.contract, new_label=msg.new_label)


def _mint(msg: m.MsgMint) -> dict[str, Any]:
    fields = _present(authority=msg.authority, to_address=msg.to_address)
    return {**fields, "amount": _coins(msg.amount)}


_FORMS: Final[dict[type[m.Msg], tuple[str, Callable[[Any], dict[str, Any]]]]] = {
    m.MsgSend: ("cosmos-sdk/MsgSend", _send),
    m.MsgMultiSend: ("cosmos-sdk/MsgMultiSend", _multi_send),
    m.MsgStoreCode: ("wasm/MsgStoreCode", _store),
    m.MsgInstantiateContract: ("wasm/MsgInstantiateContract", _instantiate),
    m.MsgInstantiateContract2: ("wasm/MsgInstantiateContract2", _instantiate2),
    m.MsgExecuteContract: ("wasm/MsgExecuteContract", _execute),
    m.MsgMigrateContract: ("wasm/MsgMigrateContract", _migrate),
    m.MsgUpdateAdmin: ("wasm/MsgUpdateAdmin", _update_admin),
    m.MsgClearAdmin: ("wasm/MsgClearAdmin", _clear_admin),
    m.MsgUpdateContractLabel: ("wasm/MsgUpdateContractLabel", _label),
    m.MsgMint: ("msgchain/MsgMint", _mint),
}


def amino_message(message: m.Msg) -> dict[str, Any]:
    """A message in amino JSON. Raises: AminoError for messages without such a form."""
    form = _FORMS.get(type(message))
    if form is None:
        raise AminoError(f"{m.type_url(message)} has no amino form")
    name, make = form
    return {"type": name, "value": make(message)}


def sign_document(tx: Tx, *, chain_id: str, account_number: int, sequence: int) -> bytes:
    """The bytes that an amino signer of the transaction signs. Raises: AminoError."""
    fee = {"amount": _coins(tx.fee), "gas": str(tx.gas_limit)}
    document = {
        "account_number": str(account_number),
        "chain_id": chain_id,
        "fee": {**fee, **_present(payer=tx.fee_payer, granter=tx.fee_granter)},
        "memo": tx.memo,
        "msgs": [amino_message(message) for message in tx.messages],
        "sequence": str(sequence),
        **_present(timeout_height=_number(tx.timeout_height)),
    }
    text = canonical_json(document)
    text = text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return text.encode("utf-8", "surrogatepass")
