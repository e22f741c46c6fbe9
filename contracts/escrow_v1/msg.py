"""Messages of the escrow: cw20-escrow's, strict as it is, and three of ours.

``partial_release`` and ``claim`` are ours, and so are ``list_open``, ``claimable``,
``list_claimable`` and ``held``. A denomination is a native one, or ``cw20:<token contract>``.
"""

from chain.std import U32, U64, Addr, Answer, Binary, Coin, Message, Uint128


class InstantiateMsg(Message):
    """Nothing to configure."""


class Cw20Amount(Message):
    """An amount of a token."""

    address: Addr
    amount: Uint128


class Create(Message):
    """Open an escrow with what is attached."""

    id: str
    arbiter: Addr
    title: str
    description: str
    recipient: str | None = None  # an invalid address counts as none
    end_height: U64 | None = None  # expired above it
    end_time: U64 | None = None  # seconds; expired after it
    cw20_whitelist: list[str] | None = None


class TopUp(Message):
    """Add what is attached; anybody, at any time."""

    id: str


class SetRecipient(Message):
    """Name who is paid; the arbiter."""

    id: str
    recipient: str


class Approve(Message):
    """Pay everything to the recipient; the arbiter, before it expires."""

    id: str


class PartialRelease(Message):
    """Pay a part to the recipient; the arbiter, before it expires."""

    id: str
    native: list[Coin] = []
    cw20: list[Cw20Amount] = []


class Refund(Message):
    """Give everything back to the source; the arbiter at any time, anybody once it expired."""

    id: str


class Receive(Message):
    """A CW20 token reports tokens; ``msg`` is ``{"create": {…}}`` or ``{"top_up": {…}}``."""

    sender: str
    amount: Uint128
    msg: Binary


class Claim(Message):
    """Fetch money of the sender's that was not delivered, or was attached where none belongs."""

    denom: str
    to: str | None = None


EXECUTE = (
    Create,
    TopUp,
    SetRecipient,
    Approve,
    PartialRelease,
    Refund,
    Receive,
    Claim,
)

#: What a token's hook may carry.
HOOK: tuple[type[Create | TopUp], ...] = (Create, TopUp)


class MigrateMsg(Message):
    """Same contract, equal or newer version."""


MIGRATE = MigrateMsg


class ListEscrows(Message):
    """Ids of open escrows, ascending: all of them, or a page."""

    variant = "list"

    start_after: str | None = None
    limit: U32 | None = None


class Details(Message):
    """One open escrow."""

    id: str


class ListOpen(Message):
    """Open escrows with what they hold, ascending by id: all of them, or a page."""

    start_after: str | None = None
    limit: U32 | None = None


class Claimable(Message):
    """What waits for an address."""

    address: str


class ListClaimable(Message):
    """Everything that waits."""

    start_after: tuple[str, str] | None = None  # address, denomination
    limit: U32 | None = None


class Held(Message):
    """What the contract owes in a denomination: open escrows and what waits to be claimed."""

    denom: str = "amsg"


QUERY = (ListEscrows, Details, ListOpen, Claimable, ListClaimable, Held)


class ListResponse(Answer):
    """Answer to ``list``."""

    escrows: list[str]


class DetailsResponse(Answer):
    """Answer to ``details``; ``end_time`` in seconds."""

    id: str
    arbiter: Addr
    recipient: Addr | None
    source: Addr
    title: str
    description: str
    end_height: U64 | None
    end_time: U64 | None
    native_balance: list[Coin]
    cw20_balance: list[Cw20Amount]
    cw20_whitelist: list[Addr]


class OpenEscrow(Answer):
    """One open escrow; ``amount`` is what it holds of the chain's own coin, in ``amsg``."""

    id: str
    amount: Uint128
    arbiter: Addr
    recipient: Addr | None
    source: Addr
    expired: bool
    native_balance: list[Coin]
    cw20_balance: list[Cw20Amount]


class ListOpenResponse(Answer):
    """Answer to ``list_open``."""

    escrows: list[OpenEscrow]


class ClaimView(Answer):
    """Money that waits."""

    address: Addr
    denom: str
    amount: Uint128


class ClaimableResponse(Answer):
    """Answer to ``claimable`` and ``list_claimable``."""

    claims: list[ClaimView]


class HeldResponse(Answer):
    """Answer to ``held``; the contract's balance is never below."""

    denom: str
    amount: Uint128


ANSWERS = {
    "list": ListResponse,
    "details": DetailsResponse,
    "list_open": ListOpenResponse,
    "claimable": ClaimableResponse,
    "list_claimable": ClaimableResponse,
    "held": HeldResponse,
}
