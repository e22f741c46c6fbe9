"""Messages as plain JSON, for people and for the RPC of a devnet: ``{"type": "send", …fields}``.

``type`` is the short tag of a message or its type URL. Coins are text (``5msg,2utok``) or a list
of ``{"denom", "amount"}``; a contract's ``msg`` is plain JSON; other bytes are base64.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any, Final

import msgspec

from chain.tx import messages as m
from chain.tx.builder import coins, exact
from chain.tx.native import ENCODER, read_amount

_KINDS: Final[dict[str, type[m.Msg]]] = {
    name: kind
    for kind in (*m.SIGNED, *m.DEV)
    for name in (str(kind.__struct_config__.tag), kind.TYPE_URL)
}
#: bytes that are JSON, and bytes that are text
_JSON: Final = ("msg",)
_TEXT: Final = ("wasm_byte_code",)
_COINS: Final = ("amount", "funds", "coins")


class PlainError(Exception):
    """Plain values that are no message; the text names the field."""


# --- reading --------------------------------------------------------------------------------------


def from_plain(value: object) -> m.Msg:
    """The message of plain values. Raises: PlainError."""
    if not isinstance(value, dict):
        raise PlainError('a message is an object such as {"type": "send", …}')
    kind = _KINDS.get(str(value.get("type", "")))
    if kind is None:
        known = ", ".join(name for name in _KINDS if not name.startswith("/"))
        raise PlainError(f"type {value.get('type')!r} is no message; there are: {known}")
    fields = {name: part for name, part in value.items() if name != "type"}
    made: m.Msg = _struct(kind, fields, str(value["type"]))
    return made


def _struct(kind: type[Any], value: object, where: str) -> Any:
    if not isinstance(value, dict):
        raise PlainError(f"{where}: expected an object")
    names = [field.name for field in msgspec.structs.fields(kind)]
    unknown = [name for name in value if name not in names]
    if unknown:
        raise PlainError(f"{where}: there is no field {unknown[0]}; fields: {', '.join(names)}")
    made = {}
    for field in msgspec.structs.fields(kind):
        if field.name in value:
            made[field.name] = _field(kind, field.name, value[field.name], where)
        elif field.required:
            if field.name in _COINS:
                made[field.name] = ()
            elif field.name == "admin":
                made[field.name] = ""
            else:
                raise PlainError(f"{where}: field {field.name} is missing")
    try:
        packed = ENCODER.encode(exact(kind(**made)))
        return msgspec.msgpack.decode(packed, type=kind, dec_hook=read_amount)
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
        raise PlainError(f"{where}: {error}") from None


def _field(kind: type[Any], name: str, value: object, where: str) -> Any:
    place = f"{where}.{name}"
    if kind is m.DevExecute and name == "messages":
        return tuple(from_plain(entry) for entry in _listed(value, place))
    if name in ("inputs", "outputs"):
        return tuple(_struct(m.Transfer, entry, place) for entry in _listed(value, place))
    if name in _COINS:
        return _coins(value, place)
    if name == "updates":
        return tuple(_struct(m.ValidatorChange, entry, place) for entry in _listed(value, place))
    if name == "instantiate_permission":
        return None if value is None else _struct(m.AccessConfig, value, place)
    if name in _JSON:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    if name in _TEXT:
        return str(value).encode()
    if name in ("salt", "pubkey"):
        return _bytes(value, place)
    if isinstance(value, list):
        return tuple(value)
    return value


def _listed(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise PlainError(f"{where}: expected a list")
    return value


def _coins(value: object, where: str) -> m.Coins:
    try:
        if isinstance(value, str):
            return coins(value)
        return tuple(
            m.Coin(entry["denom"], m.Amount(int(entry["amount"])))  # type: ignore[index]
            for entry in _listed(value, where)
        )
    except (ValueError, KeyError, TypeError):
        raise PlainError(
            f'{where}: write 5msg,2utok or [{{"denom": "msg", "amount": "5"}}]'
        ) from None


def _bytes(value: object, where: str) -> bytes:
    try:
        return base64.b64decode(str(value), validate=True)
    except (ValueError, binascii.Error):
        raise PlainError(f"{where}: not base64") from None


# --- writing --------------------------------------------------------------------------------------


def to_plain(message: m.Msg) -> dict[str, Any]:
    """The plain values of a message."""
    tag = getattr(message, "type_url", None) or str(type(message).__struct_config__.tag)
    return {"type": tag, **_named(message)}


def _named(value: msgspec.Struct) -> dict[str, Any]:
    return {name: _shown(name, getattr(value, name)) for name in value.__struct_fields__}


def _shown(name: str, value: Any) -> Any:
    if isinstance(value, m.Coin):
        return {"denom": value.denom, "amount": str(int(value.amount))}
    if isinstance(value, m.Msg):
        return to_plain(value)
    if isinstance(value, msgspec.Struct):
        return _named(value)
    if isinstance(value, (tuple, list)):
        return [_shown(name, entry) for entry in value]
    if isinstance(value, bytes):
        return _shown_bytes(name, value)
    return value


def _shown_bytes(name: str, value: bytes) -> Any:
    if name in _JSON:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value.decode("utf-8", "replace")
    if name in _TEXT:
        return value.decode("utf-8", "replace")
    return base64.b64encode(value).decode()
