"""A contract's ``any`` message: protobuf bytes under a type URL.

wasmd routes it as a transaction's message whose only signer is the contract, so what runs behind it
are the same handlers with the same checks.
"""

from __future__ import annotations

from typing import Final

from chain.errors import AppError
from chain.tx import schema
from chain.tx.goint import UnmarshalError
from chain.tx.messages import Msg
from chain.tx.wire import UnknownFieldError, Walker

_WALKER: Final = Walker(schema.resolve, lenient=True)


def read(contract: str, url: str, value: bytes) -> Msg:
    """The message. Raises: AppError wasm/10 for what is none, sdk/4 for one that somebody else must
    sign.
    """
    desc = schema.MESSAGE_DESCS.get(url)
    try:
        if desc is None or desc.make is None:
            raise UnmarshalError(url)
        message: Msg = desc.make(_WALKER.walk(desc, value))
    except (UnknownFieldError, UnmarshalError):
        text = f"Cannot unpack proto message with type URL: {url}"
        raise AppError.wrap("wasm", 10, text) from None
    if any(signer != contract for signer in message.signers):
        raise AppError.wrap("sdk", 4, "contract doesn't have permission")
    return message
