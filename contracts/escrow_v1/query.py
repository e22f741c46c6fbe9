"""What the escrow answers."""

from chain.std import Addr, Coin, Deps, Env, Uint128
from chain.storage_plus import Bound, Order, paginate
from contracts.escrow_v1.error import EscrowNotFound
from contracts.escrow_v1.msg import (
    Claimable,
    ClaimableResponse,
    ClaimView,
    Cw20Amount,
    Details,
    DetailsResponse,
    Held,
    HeldResponse,
    ListClaimable,
    ListEscrows,
    ListOpen,
    ListOpenResponse,
    ListResponse,
    OpenEscrow,
)
from contracts.escrow_v1.release import is_expired
from contracts.escrow_v1.state import CLAIMABLE, CW20_PREFIX, ESCROWS, HELD, Escrow, Holding

NATIVE_DENOM = "amsg"
CLAIMS_MAX = 100


def query_list(deps: Deps, env: Env, msg: ListEscrows) -> ListResponse:
    """Ids, ascending."""
    return ListResponse([escrow_id for escrow_id, escrow in rows(deps, msg)])


def query_list_open(deps: Deps, env: Env, msg: ListOpen) -> ListOpenResponse:
    """Open escrows with what they hold, ascending by id."""
    return ListOpenResponse(
        [open_escrow(escrow_id, escrow, env) for escrow_id, escrow in rows(deps, msg)]
    )


def query_details(deps: Deps, env: Env, msg: Details) -> DetailsResponse:
    """One open escrow."""
    escrow = ESCROWS.may_load(deps.storage, msg.id)
    if escrow is None:
        raise EscrowNotFound
    return DetailsResponse(
        msg.id,
        escrow.arbiter_addr,
        escrow.recipient_addr,
        escrow.source_addr,
        escrow.title,
        escrow.description,
        escrow.end_height,
        escrow.end_time,
        native_view(escrow.native),
        cw20_view(escrow.cw20),
        list(escrow.cw20_whitelist),
    )


def query_claimable(deps: Deps, env: Env, msg: Claimable) -> ClaimableResponse:
    """What waits for one address."""
    addr = deps.api.addr_validate(msg.address)
    found = paginate(CLAIMABLE.prefix(addr), deps.storage, None, CLAIMS_MAX, Order.ASCENDING)
    return ClaimableResponse([ClaimView(addr, denom, amount) for denom, amount in found])


def query_list_claimable(deps: Deps, env: Env, msg: ListClaimable) -> ClaimableResponse:
    """What waits for anybody."""
    found = paginate(CLAIMABLE, deps.storage, msg.start_after, msg.limit, Order.ASCENDING)
    return ClaimableResponse([ClaimView(key[0], key[1], amount) for key, amount in found])


def query_held(deps: Deps, env: Env, msg: Held) -> HeldResponse:
    """What is owed in a denomination."""
    return HeldResponse(msg.denom, HELD.may_load(deps.storage, msg.denom) or Uint128(0))


def rows(deps: Deps, msg: ListEscrows | ListOpen) -> list[tuple[str, Escrow]]:
    """Everything, as cw20-escrow lists it, unless a limit is named.

    The query's gas limit bounds it.
    """
    start = None if msg.start_after is None else Bound.exclusive(msg.start_after)
    found: list[tuple[str, Escrow]] = []
    for entry in ESCROWS.range(deps.storage, start):
        if msg.limit is not None and len(found) >= msg.limit:
            break
        found.append(entry)
    return found


def open_escrow(escrow_id: str, escrow: Escrow, env: Env) -> OpenEscrow:
    """One line of ``list_open``."""
    own = [holding.amount for holding in escrow.native if holding.denom == NATIVE_DENOM]
    return OpenEscrow(
        escrow_id,
        own[0] if own else Uint128(0),
        escrow.arbiter_addr,
        escrow.recipient_addr,
        escrow.source_addr,
        is_expired(escrow, env),
        native_view(escrow.native),
        cw20_view(escrow.cw20),
    )


def native_view(native: tuple[Holding, ...]) -> list[Coin]:
    """Coins as answers show them."""
    return [Coin(holding.denom, holding.amount) for holding in native]


def cw20_view(cw20: tuple[Holding, ...]) -> list[Cw20Amount]:
    """Tokens as answers show them."""
    return [Cw20Amount(Addr(holding.denom[len(CW20_PREFIX) :]), holding.amount) for holding in cw20]
