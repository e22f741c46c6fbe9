"""What the escrow stores. An escrow exists while it is open.

Paid out or refunded, it is gone and its id is free.
"""

from chain.std import Addr, Record, Uint128
from chain.storage_plus import Map

#: A denomination that begins so is a CW20 token; the contract's address follows.
CW20_PREFIX = "cw20:"


class Holding(Record):
    """An amount of a denomination."""

    denom: str
    amount: Uint128


class Escrow(Record):
    """Who, what and until when.

    ``native`` and ``cw20`` are in the order in which they first came.
    """

    arbiter_addr: Addr
    recipient_addr: Addr | None
    source_addr: Addr
    title: str
    description: str
    end_height: int | None
    end_time: int | None
    native: tuple[Holding, ...]
    cw20: tuple[Holding, ...]
    cw20_whitelist: tuple[Addr, ...]


ESCROWS = Map("escrow", (str,), Escrow)
#: denomination → open escrows and claims together
HELD = Map("held", (str,), Uint128)
#: (address, denomination) → money that waits for its owner
CLAIMABLE = Map("claimable", (Addr, str), Uint128)
