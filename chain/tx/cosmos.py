"""Cosmos ``TxRaw`` bytes to a ``Tx``: strict where the SDK is strict, lenient where it is, and in
its words.
"""

from __future__ import annotations

import hashlib
from typing import Final, NoReturn

from chain import protowire
from chain.crypto import multisig
from chain.crypto.keys import PubKey
from chain.errors import AppError
from chain.protowire import WireError
from chain.tx import schema
from chain.tx.goint import UnmarshalError
from chain.tx.messages import Msg
from chain.tx.value import COSMOS, MODE_ABSENT, MODE_MULTI, MultiPart, Signer, Tx
from chain.tx.wire import UnknownFieldError, Values, Walker

_BODY: Final = Walker(schema.resolve, lenient=True)
_AUTH: Final = Walker(schema.resolve, lenient=False)
_MSG_INTERFACE: Final = "*interface { ProtoMessage(); Reset(); String() string }"
_NO_OPTIONS: Final = "no registered implementations of type tx.TxExtensionOptionI"


def refuse(text: str) -> NoReturn:
    """Refuse bytes as no transaction (sdk/2)."""
    raise AppError("sdk", 2, f"{text}: tx parse error")


def decode_cosmos(raw: bytes) -> Tx:
    """The transaction of ``TxRaw`` bytes. Raises: AppError sdk/2 with the text a real
    node gives.
    """
    body, auth_info, signatures = _split(raw)
    try:
        walked_body = _BODY.walk(schema.BODY, body)
        messages = _messages(walked_body)
        walked_auth = _AUTH.walk(schema.AUTH_INFO, auth_info)
        infos, fee, _ = walked_auth
        amount = schema.coins_of(fee[0]) if fee is not None else ()
        if walked_auth[2] is not None:
            schema.coins_of(walked_auth[2][0])
        payer = fee[2] if fee is not None else ""
        signers = _signers(infos or (), signatures, _required(messages, payer))
    except (UnknownFieldError, UnmarshalError, multisig.MultisigError) as error:
        refuse(str(error))
    memo: bytes = walked_body[1]
    return Tx(
        form=COSMOS,
        messages=messages,
        signers=signers,
        gas_limit=fee[1] if fee is not None else 0,
        fee=amount,
        fee_payer=payer,
        memo=memo.decode("utf-8", "replace"),
        timeout_height=walked_body[2],
        chain_id=None,
        raw=raw,
        hash=hashlib.sha256(raw).digest(),
        signatures=signatures,
        memo_size=len(memo),
        fee_granter=fee[3] if fee is not None else "",
        has_fee=fee is not None,
        body=body,
        auth_info=auth_info,
    )


def _split(raw: bytes) -> tuple[bytes, bytes, tuple[bytes, ...]]:
    """The three parts of TxRaw, in ADR-027 form: ascending fields, shortest lengths, nothing
    unknown.
    """
    body = auth_info = b""
    signatures = []
    last = at = 0
    end = len(raw)
    unknown = 0
    while at < end:
        try:
            tag, at = protowire.read_tag(raw, at, end)
            if tag & 7 != 2:
                refuse(f"expected 2 wire type, got {tag & 7}")
            number = tag >> 3
            if number < last:
                refuse(f"txRaw must follow ADR-027, got tagNum {number} after tagNum {last}")
            last = number
            start = at
            length, at = protowire.read_varint(raw, at, end)
            shortest = len(protowire.varint(length))
            if at - start != shortest:
                refuse(
                    f"length prefix varint for tagNum {number} is not as short as possible, "
                    f"read {at - start}, only need {shortest}"
                )
            if at + length > end:
                raise WireError("unexpected EOF")
        except WireError as error:
            refuse(f"invalid length; {error}")
        part = raw[at : at + length]
        at += length
        if number == 1:
            body = part
        elif number == 2:
            auth_info = part
        elif number == 3:
            signatures.append(part)
        elif not unknown:
            unknown = number
    if unknown:
        refuse(f'errUnknownField "*tx.TxRaw": {{TagNum: {unknown}, WireType:"bytes"}}')
    return body, auth_info, tuple(signatures)


def _messages(body: Values) -> tuple[Msg, ...]:
    found: list[Msg] = []
    for entry in body[0] or ():
        found.append(schema.unpack(entry, schema.MESSAGE_DESCS, _MSG_INTERFACE))
    if body[3] or body[4]:
        raise UnmarshalError(_NO_OPTIONS)
    return tuple(found)


def _required(messages: tuple[Msg, ...], payer: str) -> tuple[str, ...]:
    if len(messages) == 1 and not payer:
        return messages[0].signers
    found: dict[str, None] = {}
    for message in messages:
        for address in message.signers:
            found[address] = None
    if payer:
        found[payer] = None
    return tuple(found)


def _signers(
    infos: list[Values] | tuple[Values, ...],
    signatures: tuple[bytes, ...],
    required: tuple[str, ...],
) -> tuple[Signer, ...]:
    found = []
    for index, (key, mode_info, sequence) in enumerate(infos):
        pubkey: PubKey | None = None
        if key is not None:
            pubkey = schema.unpack(key, schema.PUBKEYS, "*types.PubKey")
        signature = signatures[index] if index < len(signatures) else b""
        mode, multi = _mode(mode_info, signature)
        address = required[index] if index < len(required) else ""
        found.append(Signer(pubkey, address, sequence, mode, signature, multi))
    return tuple(found)


def _mode(info: Values | None, signature: bytes) -> tuple[int, MultiPart | None]:
    if info is None:
        return MODE_ABSENT, None
    single, multi = info
    if single is not None:
        return single[0] & 0xFFFFFFFF, None
    if multi is None:
        return MODE_ABSENT, None
    array, infos = multi
    extra, elements = array if array is not None else (0, b"")
    size, chosen = multisig.bits(extra, elements)
    modes = tuple([_mode(entry, b"")[0] for entry in infos or ()])
    return MODE_MULTI, MultiPart(size, chosen, modes, _parts(signature))


def _parts(signature: bytes) -> tuple[bytes, ...]:
    """The members' signatures of a MultiSignature; an unreadable one gives none, and the check
    fails later.
    """
    found = []
    at = 0
    end = len(signature)
    try:
        while at < end:
            tag, at = protowire.read_tag(signature, at, end)
            stop = protowire.skip_value(tag, signature, at, end)
            if tag != 0x0A:
                return ()
            length, start = protowire.read_varint(signature, at, end)
            found.append(signature[start : start + length])
            at = stop
    except WireError:
        return ()
    return tuple(found)
