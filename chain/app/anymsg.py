"""A contract's ``any`` message: protobuf bytes under a type URL.

wasmd routes it as a transaction's message whose only signer is the contract, so what runs behind it
are the same handlers with the same checks.
"""

from __future__ import annotations

from typing import Final

from chain.app import static
from chain.crypto.addresses import AddressError, WrongPrefix, validate
from chain.errors import AppError
from chain.tx import schema
from chain.tx.goint import UnmarshalError
from chain.tx.messages import Msg, MsgMultiSend, MsgSend
from chain.tx.wire import UnknownFieldError, Walker

_WALKER: Final = Walker(schema.resolve, lenient=True)


def read(contract: str, url: str, value: bytes) -> Msg:
    """The message, checked as at the top of a transaction.

    Raises: AppError wasm/10 for what is none, sdk/4 for one that somebody else must sign.
    """
    desc = schema.MESSAGE_DESCS.get(url)
    try:
        if desc is None or desc.make is None:
            raise UnmarshalError(url)
        message: Msg = desc.make(_WALKER.walk(desc, value))
    except (UnknownFieldError, UnmarshalError):
        text = f"Cannot unpack proto message with type URL: {url}"
        raise AppError.wrap("wasm", 10, text) from None
    prefix = contract.partition("1")[0]
    if not isinstance(message, (MsgSend, MsgMultiSend)):  # these are checked by their handlers
        static.check(message, prefix)
    signers = [_signer(text, prefix) for text in message.signers]
    if any(signer != contract for signer in signers):
        raise AppError.wrap("sdk", 4, "contract doesn't have permission")
    return message


def _signer(text: str, prefix: str) -> str:
    """The address, if it is one. Raises: AppError in the words of the SDK's own decoder."""
    try:
        validate(text, prefix)
    except WrongPrefix as error:
        expected = f"expected '{error.expected}' got '{error.found}'"
        raise AppError.wrap("sdk", 35, f"hrp does not match bech32 prefix: {expected}") from None
    except AddressError as error:
        raise AppError("undefined", 1, str(error)) from None
    return text
