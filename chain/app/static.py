"""Checks of a message that need no state: wasmd's and the SDK's ``ValidateBasic`` with their texts.

They run for every message of a transaction before the ante, and for a dispatched message when its
turn comes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import msgspec

from chain.app.events import WHITE
from chain.app.printable import is_printable
from chain.app.units import CoinLike, list_error
from chain.crypto.addresses import AddressError, validate
from chain.errors import AppError
from chain.tx.messages import (
    AccessConfig,
    Msg,
    MsgAuthorityOnly,
    MsgClearAdmin,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
    MsgMint,
    MsgMultiSend,
    MsgSend,
    MsgStoreCode,
    MsgUpdateAdmin,
    MsgUpdateContractLabel,
    MsgUpdateParams,
    MsgUpdateValidators,
)

LABEL_MAX: Final = 128  # bytes
SALT_MAX: Final = 64  # bytes
CODE_MAX: Final = 819_200  # bytes
CODE_ID_END: Final = 1 << 64
ADDRESSES_MAX: Final = 50  # that may instantiate a code
_DEPTH_MAX: Final = 64
_RAW: Final = msgspec.json.Decoder(msgspec.Raw)


def check(message: Msg, prefix: str) -> None:
    """Refuse what is wrong with a message whatever the state. Raises: AppError."""
    checker = _CHECKS.get(type(message))
    if checker is not None:
        checker(message, prefix)


def address(text: str, where: str, prefix: str) -> bytes:
    """Canonical bytes of a message's address field. Raises: AppError undefined/1 with the field's
    name in front.
    """
    try:
        return validate(text, prefix)
    except AddressError as error:
        raise AppError("undefined", 1, f"{where}: {error}" if where else str(error)) from None


def funds(coins: tuple[CoinLike, ...]) -> None:
    """Refuse attached funds that are no valid coin list (FUND-3). Raises: AppError undefined/1."""
    if coins:
        error = list_error(coins)
        if error is not None:
            raise AppError("undefined", 1, f"funds: {error}")


def label(text: str) -> None:
    """Refuse an empty, long, padded or unprintable label (INST-2). Raises: AppError."""
    if not text:
        raise AppError.wrap("wasm", 12, "label: is required")
    if len(text.encode("utf-8", "surrogatepass")) > LABEL_MAX:
        raise AppError.wrap("wasm", 13, f"label: cannot be longer than {LABEL_MAX} characters")
    if text != text.strip(WHITE):
        raise AppError.wrap("wasm", 14, "label: label must not start/end with whitespaces")
    if not is_printable(text):
        raise AppError.wrap("wasm", 14, "label: label must have printable characters only")


def json_payload(raw: bytes) -> None:
    """Refuse a contract message that is not JSON at all. Raises: AppError wasm/14.

    Nesting beyond our limit passes here and fails in the contract's own decoding, so no recursion
    happens here.
    """
    if raw.count(b"[") + raw.count(b"{") > _DEPTH_MAX and _depth(raw) > _DEPTH_MAX:
        return
    try:
        _RAW.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        if not _go_takes(raw):
            raise AppError.wrap("wasm", 14, "payload msg") from None


def _go_takes(raw: bytes) -> bool:
    """Whether it is JSON for Go, to which half a surrogate pair and bytes that are no UTF-8 are
    text; a contract's own decoding refuses them.
    """
    try:
        json.loads(
            raw.decode("utf-8", "replace"),
            parse_int=str,
            parse_float=str,
            parse_constant=_no_constant,
        )
    except ValueError:
        return False
    return True


def _no_constant(name: str) -> None:
    """NaN and the like are no JSON. Raises: ValueError."""
    raise ValueError(name)


def _depth(raw: bytes) -> int:
    """Deepest bracket nesting; brackets inside of texts count too, an over-estimate."""
    deepest = depth = 0
    for byte in raw:
        if byte in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"]}":
            depth -= 1
    return deepest


def _check_send(message: MsgSend, prefix: str) -> None:
    address(message.from_address, "", prefix)


def _check_multi_send(message: MsgMultiSend, prefix: str) -> None:
    for entry in message.inputs:
        address(entry.address, "", prefix)


def _check_store(message: MsgStoreCode, prefix: str) -> None:
    address(message.sender, "sender", prefix)
    if not message.wasm_byte_code:
        raise AppError.wrap("sdk", 18, "code bytes is required: empty")
    if len(message.wasm_byte_code) > CODE_MAX:
        raise AppError.wrap(
            "sdk", 18, f"code bytes cannot be longer than {CODE_MAX} bytes: exceeds limit"
        )
    if message.instantiate_permission is not None:
        _check_access(message.instantiate_permission, prefix)


def _check_access(access: AccessConfig, prefix: str) -> None:
    where = "instantiate permission"
    if access.permission in (1, 3):
        return
    if access.permission == 0:
        raise AppError.wrap("wasm", 12, f"{where}: type")
    if access.permission != 4:
        raise AppError.wrap("wasm", 14, f'{where}: unknown type: "Unspecified"')
    if not access.addresses:
        raise AppError.wrap("wasm", 12, f"{where}: addresses: addresses")
    if len(access.addresses) > ADDRESSES_MAX:
        text = f"total number of addresses is greater than {ADDRESSES_MAX}"
        raise AppError.wrap("sdk", 18, f"{where}: addresses: {text}")
    seen: dict[str, None] = {}
    for entry in access.addresses:
        address(entry, f"{where}: addresses: address: {entry}", prefix)
        if entry in seen:
            raise AppError.wrap("wasm", 15, f"{where}: addresses: duplicate addresses")
        seen[entry] = None


def _check_new(message: MsgInstantiateContract | MsgInstantiateContract2, prefix: str) -> None:
    address(message.sender, "sender", prefix)
    if not 0 < message.code_id < CODE_ID_END:
        raise AppError.wrap("sdk", 18, "code id is required")
    label(message.label)
    funds(message.funds)
    if message.admin:
        address(message.admin, "admin", prefix)
    json_payload(message.msg)


def _check_instantiate(message: MsgInstantiateContract, prefix: str) -> None:
    _check_new(message, prefix)


def _check_instantiate2(message: MsgInstantiateContract2, prefix: str) -> None:
    _check_new(message, prefix)
    if not message.salt:
        raise AppError.wrap("wasm", 12, "salt: is required")
    if len(message.salt) > SALT_MAX:
        raise AppError.wrap("wasm", 13, f"salt: cannot be longer than {SALT_MAX} characters")


def _check_execute(message: MsgExecuteContract, prefix: str) -> None:
    address(message.sender, "sender", prefix)
    address(message.contract, "contract", prefix)
    funds(message.funds)
    json_payload(message.msg)


def _check_migrate(message: MsgMigrateContract, prefix: str) -> None:
    if not 0 < message.code_id < CODE_ID_END:
        raise AppError.wrap("sdk", 18, "code id is required")
    address(message.sender, "sender", prefix)
    address(message.contract, "contract", prefix)
    json_payload(message.msg)


def _check_update_admin(message: MsgUpdateAdmin, prefix: str) -> None:
    address(message.sender, "sender", prefix)
    address(message.contract, "contract", prefix)
    address(message.new_admin, "new admin", prefix)
    if message.new_admin == message.sender:
        raise AppError.wrap("wasm", 14, "new admin is the same as the old")


def _check_clear_admin(message: MsgClearAdmin, prefix: str) -> None:
    address(message.sender, "sender", prefix)
    address(message.contract, "contract", prefix)


def _check_label(message: MsgUpdateContractLabel, prefix: str) -> None:
    address(message.sender, "sender", prefix)
    label(message.new_label)
    address(message.contract, "contract", prefix)


def _check_authority(
    message: MsgUpdateParams | MsgMint | MsgUpdateValidators | MsgAuthorityOnly, prefix: str
) -> None:
    address(message.authority, "authority", prefix)


_CHECKS: Final[dict[type[Msg], Callable[..., None]]] = {
    MsgSend: _check_send,
    MsgMultiSend: _check_multi_send,
    MsgStoreCode: _check_store,
    MsgInstantiateContract: _check_instantiate,
    MsgInstantiateContract2: _check_instantiate2,
    MsgExecuteContract: _check_execute,
    MsgMigrateContract: _check_migrate,
    MsgUpdateAdmin: _check_update_admin,
    MsgClearAdmin: _check_clear_admin,
    MsgUpdateContractLabel: _check_label,
    MsgUpdateParams: _check_authority,
    MsgMint: _check_authority,
    MsgUpdateValidators: _check_authority,
    MsgAuthorityOnly: _check_authority,
}
