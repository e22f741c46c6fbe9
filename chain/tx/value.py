"""The one transaction value that all wire forms decode to."""

from __future__ import annotations

from typing import Final

import msgspec

from chain.crypto.keys import PubKey
from chain.tx.messages import Coin, Msg

NATIVE: Final = "native"
COSMOS: Final = "cosmos"
DEV: Final = "dev"

#: How a signer signed. The Cosmos numbers are SignMode's; a multisig has the modes of its parts.
MODE_UNSPECIFIED: Final = 0
MODE_DIRECT: Final = 1
MODE_TEXTUAL: Final = 2
MODE_DIRECT_AUX: Final = 3
MODE_AMINO: Final = 127
MODE_EIP_191: Final = 191
MODE_ABSENT: Final = -1  # a Cosmos signer without mode
MODE_NATIVE: Final = -2
MODE_MULTI: Final = -3


class MultiPart(msgspec.Struct, frozen=True, gc=False):
    """Who of a multisig's members signed, in member order, and how."""

    size: int  # members the bit array counts
    members: tuple[int, ...]
    modes: tuple[int, ...]
    signatures: tuple[bytes, ...]


class Signer(msgspec.Struct, frozen=True, gc=False):
    """One signer as the transaction names it.

    ``address`` is the account it stands for; in a Cosmos transaction that follows from the
    messages, and is empty when there are more signers than the messages ask for. ``pubkey`` is None
    where the account is to have one.
    """

    pubkey: PubKey | None
    address: str
    sequence: int
    mode: int
    signature: bytes
    multi: MultiPart | None = None


class Tx(msgspec.Struct, frozen=True, gc=False):
    """A decoded transaction. ``raw`` and ``hash`` are the bytes it came from."""

    form: str
    messages: tuple[Msg, ...]
    signers: tuple[Signer, ...]
    gas_limit: int
    fee: tuple[Coin, ...]
    fee_payer: str  # as stated; empty: the first signer
    memo: str
    timeout_height: int
    chain_id: str | None  # None: only bound by the signature
    raw: bytes
    hash: bytes
    signatures: tuple[bytes, ...] = ()  # as many as were sent, which may not be as many as signers
    memo_size: int = 0  # bytes; text that is not UTF-8 is shown with replacement characters
    fee_granter: str = ""
    has_fee: bool = True
    body: bytes = b""  # signed parts as received
    auth_info: bytes = b""
    nonce: int = 0  # developer transactions: tells equal ones apart

    @property
    def payer(self) -> str:
        """The account that pays the fee."""
        return self.fee_payer or (self.messages[0].signer if self.messages else "")


def required_signers(tx: Tx) -> tuple[str, ...]:
    """Accounts that must have signed: the messages' signers in order of appearance, then a stated
    fee payer.
    """
    found: dict[str, None] = {}
    for message in tx.messages:
        for address in message.signers:
            found[address] = None
    if tx.fee_payer:
        found[tx.fee_payer] = None
    return tuple(found)
