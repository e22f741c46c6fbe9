"""The messages of Cosmos transactions on the wire: field tables and what they become
(``chain.tx.messages``).

A type that is not in the tables cannot be resolved, and its transaction is refused with the text
that a node gives for types it does not have. That holds for staking, distribution, governance, fee
grants and IBC, which this chain lacks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from chain.crypto import multisig
from chain.crypto.keys import ED25519, ML_DSA_87, SECP256K1, PubKey
from chain.tx import messages as m
from chain.tx.goint import UnmarshalError, parse_int
from chain.tx.wire import (
    ANY,
    ANYS,
    BYTES,
    BYTESES,
    MESSAGE,
    MESSAGES,
    STRING,
    STRINGS,
    VARINT,
    VARINTS,
    Desc,
    UnknownFieldError,
    Values,
)

SECP256K1_URL: Final = "/cosmos.crypto.secp256k1.PubKey"
ED25519_URL: Final = "/cosmos.crypto.ed25519.PubKey"
MULTISIG_URL: Final = "/cosmos.crypto.multisig.LegacyAminoPubKey"
ML_DSA_87_URL: Final = "/msgchain.crypto.v1.MlDsa87PubKey"

Field = tuple[int, str, int, Desc | None]


def _coin(values: Values) -> m.Coin:
    denom, text = values
    amount = parse_int(text)
    if text == str(amount):
        return m.Coin(denom, amount)
    return m.OddCoin(denom, amount, text)


COIN: Final = Desc(
    "/cosmos.base.v1beta1.Coin",
    "*types.Coin",
    ((1, "Denom", STRING, None), (2, "Amount", STRING, None)),
    _coin,
)


def _coins(values: list[Values] | None) -> tuple[m.Coin, ...]:
    return tuple([_coin(entry) for entry in values]) if values else ()


def _access(values: Values | None) -> m.AccessConfig | None:
    if values is None:
        return None
    return m.AccessConfig(_int32(values[0]), tuple(values[1] or ()))


def _int32(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


ACCESS: Final = Desc(
    "/cosmwasm.wasm.v1.AccessConfig",
    "*types.AccessConfig",
    ((1, "Permission", VARINT, None), (3, "Addresses", STRINGS, None)),
)
_TRANSFER: Final[tuple[Field, ...]] = ((1, "Address", STRING, None), (2, "Coins", MESSAGES, COIN))
_INPUT: Final = Desc("/cosmos.bank.v1beta1.Input", "*types.Input", _TRANSFER)
_OUTPUT: Final = Desc("/cosmos.bank.v1beta1.Output", "*types.Output", _TRANSFER)


def _transfers(values: list[Values] | None) -> tuple[m.Transfer, ...]:
    return tuple([m.Transfer(address, _coins(coins)) for address, coins in values or ()])


def _strings(*names: str) -> tuple[Field, ...]:
    return tuple([(number, name, STRING, None) for number, name in enumerate(names, 1)])


def _message(
    kind: type[m.Msg], fields: tuple[Field, ...], make: Callable[[Values], m.Msg]
) -> tuple[str, Desc]:
    name = kind.TYPE_URL.rpartition(".")[2]
    return kind.TYPE_URL, Desc(kind.TYPE_URL, f"*types.{name}", fields, make)


def _send(values: Values) -> m.Msg:
    sender, to, amount = values
    return m.MsgSend(sender, to, _coins(amount))


def _multi_send(values: Values) -> m.Msg:
    return m.MsgMultiSend(_transfers(values[0]), _transfers(values[1]))


def _store(values: Values) -> m.Msg:
    return m.MsgStoreCode(values[0], values[1], _access(values[2]))


def _instantiate(values: Values) -> m.Msg:
    sender, admin, code_id, label, msg, funds = values
    return m.MsgInstantiateContract(sender, admin, code_id, label, msg, _coins(funds))


def _instantiate2(values: Values) -> m.Msg:
    sender, admin, code_id, label, msg, funds, salt, fix = values
    return m.MsgInstantiateContract2(
        sender, admin, code_id, label, msg, _coins(funds), salt, bool(fix)
    )


def _execute(values: Values) -> m.Msg:
    sender, contract, msg, funds = values
    return m.MsgExecuteContract(sender, contract, msg, _coins(funds))


def _mint(values: Values) -> m.Msg:
    return m.MsgMint(values[0], values[1], _coins(values[2]))


_CHANGE: Final = Desc(
    "/msgchain.gov.v1.ValidatorChange",
    "*types.ValidatorChange",
    (
        (1, "PubkeyType", STRING, None),
        (2, "Pubkey", BYTES, None),
        (3, "Power", VARINT, None),
        (4, "Payout", STRING, None),
    ),
)
_READ_PARAMS: Final = msgspec.json.Decoder(dict[str, m.ParamValue])


def _update_params(values: Values) -> m.Msg:
    try:
        params = _READ_PARAMS.decode(values[1])
    except (msgspec.MsgspecError, RecursionError):
        raise UnmarshalError("parameters are not a JSON object of plain values") from None
    return m.MsgUpdateParams(values[0], params)


def _update_validators(values: Values) -> m.Msg:
    changes = [m.ValidatorChange(*entry) for entry in values[1] or ()]
    return m.MsgUpdateValidators(values[0], tuple(changes))


_INSTANTIATE: Final[tuple[Field, ...]] = (
    (1, "Sender", STRING, None),
    (2, "Admin", STRING, None),
    (3, "CodeID", VARINT, None),
    (4, "Label", STRING, None),
    (5, "Msg", BYTES, None),
    (6, "Funds", MESSAGES, COIN),
)

_MESSAGES: Final[dict[str, Desc]] = dict(
    [
        _message(
            m.MsgSend,
            (*_strings("FromAddress", "ToAddress"), (3, "Amount", MESSAGES, COIN)),
            _send,
        ),
        _message(
            m.MsgMultiSend,
            ((1, "Inputs", MESSAGES, _INPUT), (2, "Outputs", MESSAGES, _OUTPUT)),
            _multi_send,
        ),
        _message(
            m.MsgStoreCode,
            (
                (1, "Sender", STRING, None),
                (2, "WASMByteCode", BYTES, None),
                (5, "InstantiatePermission", MESSAGE, ACCESS),
            ),
            _store,
        ),
        _message(m.MsgInstantiateContract, _INSTANTIATE, _instantiate),
        _message(
            m.MsgInstantiateContract2,
            (*_INSTANTIATE, (7, "Salt", BYTES, None), (8, "FixMsg", VARINT, None)),
            _instantiate2,
        ),
        _message(
            m.MsgExecuteContract,
            (
                *_strings("Sender", "Contract"),
                (3, "Msg", BYTES, None),
                (5, "Funds", MESSAGES, COIN),
            ),
            _execute,
        ),
        _message(
            m.MsgMigrateContract,
            (
                *_strings("Sender", "Contract"),
                (3, "CodeID", VARINT, None),
                (4, "Msg", BYTES, None),
            ),
            lambda v: m.MsgMigrateContract(*v),
        ),
        _message(
            m.MsgUpdateAdmin,
            _strings("Sender", "NewAdmin", "Contract"),
            lambda v: m.MsgUpdateAdmin(v[0], v[2], v[1]),
        ),
        _message(
            m.MsgClearAdmin,
            ((1, "Sender", STRING, None), (3, "Contract", STRING, None)),
            lambda v: m.MsgClearAdmin(*v),
        ),
        _message(
            m.MsgUpdateContractLabel,
            _strings("Sender", "NewLabel", "Contract"),
            lambda v: m.MsgUpdateContractLabel(v[0], v[2], v[1]),
        ),
        _message(
            m.MsgMint,
            (*_strings("Authority", "ToAddress"), (3, "Amount", MESSAGES, COIN)),
            _mint,
        ),
        _message(
            m.MsgUpdateParams,
            ((1, "Authority", STRING, None), (2, "Params", BYTES, None)),
            _update_params,
        ),
        _message(
            m.MsgUpdateValidators,
            ((1, "Authority", STRING, None), (2, "Updates", MESSAGES, _CHANGE)),
            _update_validators,
        ),
    ]
)


# --- messages that only wasmd's governance may send ---------------------------------------------

_SEND_ENABLED: Final = Desc(
    "/cosmos.bank.v1beta1.SendEnabled",
    "*types.SendEnabled",
    ((1, "Denom", STRING, None), (2, "Enabled", VARINT, None)),
)
_BANK_PARAMS: Final = Desc(
    "/cosmos.bank.v1beta1.Params",
    "*types.Params",
    ((1, "SendEnabled", MESSAGES, _SEND_ENABLED), (2, "DefaultSendEnabled", VARINT, None)),
)
_WASM_PARAMS: Final = Desc(
    "/cosmwasm.wasm.v1.Params",
    "*types.Params",
    ((1, "CodeUploadAccess", MESSAGE, ACCESS), (2, "InstantiateDefaultPermission", VARINT, None)),
)


def _authority(url: str, module: str, *fields: Field) -> tuple[str, Desc]:
    def make(values: Values) -> m.Msg:
        return m.MsgAuthorityOnly(url, module, values[0])

    go = f"*types.{url.rpartition('.')[2]}"
    return url, Desc(url, go, ((1, "Authority", STRING, None), *fields), make)


_AUTHORITY: Final = dict(
    [
        _authority(
            "/cosmos.bank.v1beta1.MsgUpdateParams", "bank", (2, "Params", MESSAGE, _BANK_PARAMS)
        ),
        _authority(
            "/cosmos.bank.v1beta1.MsgSetSendEnabled",
            "bank",
            (2, "SendEnabled", MESSAGES, _SEND_ENABLED),
            (3, "UseDefaultFor", STRINGS, None),
        ),
        _authority(
            "/cosmwasm.wasm.v1.MsgUpdateParams", "wasm", (2, "Params", MESSAGE, _WASM_PARAMS)
        ),
        _authority(
            "/cosmwasm.wasm.v1.MsgSudoContract",
            "wasm",
            (2, "Contract", STRING, None),
            (3, "Msg", BYTES, None),
        ),
        _authority("/cosmwasm.wasm.v1.MsgPinCodes", "wasm", (2, "CodeIDs", VARINTS, None)),
        _authority("/cosmwasm.wasm.v1.MsgUnpinCodes", "wasm", (2, "CodeIDs", VARINTS, None)),
    ]
)

# --- keys ---------------------------------------------------------------------------------------


def _key(kind: str) -> Callable[[Values], PubKey]:
    def make(values: Values) -> PubKey:
        return PubKey(kind, values[0])

    return make


def _multisig(values: Values) -> PubKey:
    threshold, members = values
    keys = [unpack(entry, PUBKEYS, "*types.PubKey") for entry in members or ()]
    return multisig.public_key(threshold & 0xFFFFFFFF, keys)


_KEY: Final[tuple[Field, ...]] = ((1, "Key", BYTES, None),)
PUBKEYS: Final[dict[str, Desc]] = {
    SECP256K1_URL: Desc(SECP256K1_URL, "*secp256k1.PubKey", _KEY, _key(SECP256K1)),
    ED25519_URL: Desc(ED25519_URL, "*ed25519.PubKey", _KEY, _key(ED25519)),
    ML_DSA_87_URL: Desc(ML_DSA_87_URL, "*mldsa87.PubKey", _KEY, _key(ML_DSA_87)),
    MULTISIG_URL: Desc(
        MULTISIG_URL,
        "*multisig.LegacyAminoPubKey",
        ((1, "Threshold", VARINT, None), (2, "PubKeys", ANYS, None)),
        _multisig,
    ),
}

# --- types that can be resolved, but are no messages --------------------------------------------


def _others() -> dict[str, Desc]:
    found = {}
    for url, go, fields in (
        (
            "/cosmos.auth.v1beta1.BaseAccount",
            "*types.BaseAccount",
            (
                (1, "Address", STRING, None),
                (2, "PubKey", ANY, None),
                (3, "AccountNumber", VARINT, None),
                (4, "Sequence", VARINT, None),
            ),
        ),
        ("/cosmos.bank.v1beta1.MsgSendResponse", "*types.MsgSendResponse", ()),
        ("/cosmos.bank.v1beta1.MsgMultiSendResponse", "*types.MsgMultiSendResponse", ()),
        (
            "/cosmwasm.wasm.v1.MsgExecuteContractResponse",
            "*types.MsgExecuteContractResponse",
            ((1, "Data", BYTES, None),),
        ),
        (
            "/cosmwasm.wasm.v1.MsgInstantiateContractResponse",
            "*types.MsgInstantiateContractResponse",
            ((1, "Address", STRING, None), (2, "Data", BYTES, None)),
        ),
    ):
        found[url] = Desc(url, go, fields)
    return found


MESSAGE_DESCS: Final[dict[str, Desc]] = {**_MESSAGES, **_AUTHORITY}
_RESOLVABLE: Final[dict[str, Desc]] = {**MESSAGE_DESCS, **PUBKEYS, **_others()}


def resolve(url: str) -> Desc:
    """The description of a type URL. Raises: UnknownFieldError when this chain does not have the
    type.
    """
    desc = _RESOLVABLE.get(url)
    if desc is None:
        raise UnknownFieldError(f"unable to resolve type URL {url}")
    return desc


def unpack(entry: tuple[Desc, Values], allowed: dict[str, Desc], interface: str) -> Any:
    """The value of a walked ``Any`` whose type must be in ``allowed``. Raises: UnmarshalError."""
    desc, values = entry
    if desc.url not in allowed or desc.make is None:
        raise UnmarshalError(
            f"no concrete type registered for type URL {desc.url} against interface {interface}"
        )
    return desc.make(values)


# --- the envelope -------------------------------------------------------------------------------

BODY: Final = Desc(
    "/cosmos.tx.v1beta1.TxBody",
    "*tx.TxBody",
    (
        (1, "Messages", ANYS, None),
        (2, "Memo", BYTES, None),
        (3, "TimeoutHeight", VARINT, None),
        (1023, "ExtensionOptions", ANYS, None),
        (2047, "NonCriticalExtensionOptions", ANYS, None),
    ),
)
_SINGLE: Final = Desc(
    "/cosmos.tx.v1beta1.ModeInfo.Single", "*tx.ModeInfo_Single", ((1, "Mode", VARINT, None),)
)
_BIT_ARRAY: Final = Desc(
    "/cosmos.crypto.multisig.v1beta1.CompactBitArray",
    "*types.CompactBitArray",
    ((1, "ExtraBitsStored", VARINT, None), (2, "Elems", BYTES, None)),
)
_MULTI: Final = Desc("/cosmos.tx.v1beta1.ModeInfo.Multi", "*tx.ModeInfo_Multi", ())
MODE_INFO: Final = Desc(
    "/cosmos.tx.v1beta1.ModeInfo",
    "*tx.ModeInfo",
    ((1, "Single", MESSAGE, _SINGLE), (2, "Multi", MESSAGE, _MULTI)),
    oneof=True,
)
_MULTI.__init__(  # type: ignore[misc]  # the two descriptions hold each other
    _MULTI.url,
    _MULTI.go,
    ((1, "Bitarray", MESSAGE, _BIT_ARRAY), (2, "ModeInfos", MESSAGES, MODE_INFO)),
)
SIGNER_INFO: Final = Desc(
    "/cosmos.tx.v1beta1.SignerInfo",
    "*tx.SignerInfo",
    (
        (1, "PublicKey", ANY, None),
        (2, "ModeInfo", MESSAGE, MODE_INFO),
        (3, "Sequence", VARINT, None),
    ),
)
FEE: Final = Desc(
    "/cosmos.tx.v1beta1.Fee",
    "*tx.Fee",
    (
        (1, "Amount", MESSAGES, COIN),
        (2, "GasLimit", VARINT, None),
        (3, "Payer", STRING, None),
        (4, "Granter", STRING, None),
    ),
)
_TIP: Final = Desc(
    "/cosmos.tx.v1beta1.Tip",
    "*tx.Tip",
    ((1, "Amount", MESSAGES, COIN), (2, "Tipper", STRING, None)),
)
AUTH_INFO: Final = Desc(
    "/cosmos.tx.v1beta1.AuthInfo",
    "*tx.AuthInfo",
    (
        (1, "SignerInfos", MESSAGES, SIGNER_INFO),
        (2, "Fee", MESSAGE, FEE),
        (3, "Tip", MESSAGE, _TIP),
    ),
)
TX_RAW: Final = Desc(
    "/cosmos.tx.v1beta1.TxRaw",
    "*tx.TxRaw",
    (
        (1, "BodyBytes", BYTES, None),
        (2, "AuthInfoBytes", BYTES, None),
        (3, "Signatures", BYTESES, None),
    ),
)


def coins_of(values: list[Values] | None) -> tuple[m.Coin, ...]:
    """Coins of walked fields. Raises: UnmarshalError for an amount that is no integer."""
    return _coins(values)
