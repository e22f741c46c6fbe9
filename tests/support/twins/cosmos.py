"""Messages and answers in CosmWasm's JSON, as the recorded contracts read and write them."""

from __future__ import annotations

import base64
import json
from typing import Any

from twins import serde

COIN = serde.struct({"denom": serde.text, "amount": serde.uint128}, strict=False)
COINS = serde.list_of(COIN)

BANK = serde.enum(
    {
        "send": serde.struct({"to_address": serde.text, "amount": COINS}, strict=False),
        "burn": serde.struct({"amount": COINS}, strict=False),
    }
)
WASM = serde.enum(
    {
        "execute": serde.struct(
            {"contract_addr": serde.text, "msg": serde.binary, "funds": COINS}, strict=False
        ),
        "instantiate": serde.struct(
            {
                "admin": serde.optional(serde.text),
                "code_id": serde.unsigned(64),
                "msg": serde.binary,
                "funds": COINS,
                "label": serde.text,
            },
            {"admin": None},
            strict=False,
        ),
        "instantiate2": serde.struct(
            {
                "admin": serde.optional(serde.text),
                "code_id": serde.unsigned(64),
                "label": serde.text,
                "msg": serde.binary,
                "funds": COINS,
                "salt": serde.binary,
            },
            {"admin": None},
            strict=False,
        ),
        "migrate": serde.struct(
            {"contract_addr": serde.text, "new_code_id": serde.unsigned(64), "msg": serde.binary},
            strict=False,
        ),
        "update_admin": serde.struct(
            {"contract_addr": serde.text, "admin": serde.text}, strict=False
        ),
        "clear_admin": serde.struct({"contract_addr": serde.text}, strict=False),
    }
)
CUSTOM = serde.enum(
    {
        "debug": serde.text,
        "raw": serde.binary,
    }
)
COSMOS_MSG = serde.enum(
    {
        "bank": BANK,
        "custom": CUSTOM,
        "staking": serde.anything,
        "distribution": serde.anything,
        "any": serde.anything,
        "ibc": serde.anything,
        "wasm": WASM,
        "gov": serde.anything,
    }
)


def compact(value: Any) -> str:
    """JSON as serde writes it: compact, UTF-8, fields in the order given."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def b64(data: bytes | None) -> str | None:
    """Base64 text, or None."""
    return None if data is None else base64.b64encode(data).decode()


def to_json(message: tuple[str, Any]) -> dict[str, Any]:
    """A message that was read by ``COSMOS_MSG``, back in its JSON form."""
    kind, inner = message
    if kind in {"bank", "wasm"}:
        variant, fields = inner
        return {kind: {variant: {name: _plain(value) for name, value in fields.items()}}}
    if kind == "custom":
        return {kind: {inner[0]: _plain(inner[1])}}
    return {kind: inner}


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return b64(value)
    if isinstance(value, list):
        return [{"denom": c["denom"], "amount": str(c["amount"])} for c in value]
    return value
