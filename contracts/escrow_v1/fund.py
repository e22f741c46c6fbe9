"""Money goes in: a new escrow, or more for an open one."""

from chain.std import (
    Addr,
    ContractError,
    DepsMut,
    Env,
    MessageInfo,
    Response,
    Uint128,
    decode_variant,
    replace,
)
from contracts.escrow_v1.error import (
    AlreadyInUse,
    EmptyBalance,
    EscrowNotFound,
    NotInWhitelist,
    TooManyAssets,
)
from contracts.escrow_v1.money import attached, hold, keep_stray
from contracts.escrow_v1.msg import HOOK, Create, Receive, TopUp
from contracts.escrow_v1.state import CW20_PREFIX, ESCROWS, Escrow, Holding

#: Coins, and tokens, of one escrow: what can be paid out in one transaction.
ASSETS_MAX = 50


def execute_create(deps: DepsMut, env: Env, info: MessageInfo, msg: Create) -> Response:
    """Open an escrow with native coins; the sender is its source."""
    return create(deps, msg, info.sender, attached(info), ())


def execute_top_up(deps: DepsMut, env: Env, info: MessageInfo, msg: TopUp) -> Response:
    """Add native coins."""
    return top_up(deps, msg.id, attached(info), ())


def execute_receive(deps: DepsMut, env: Env, info: MessageInfo, msg: Receive) -> Response:
    """The same two with tokens: the caller is the token, ``sender`` who sent them."""
    hook = decode_variant(msg.msg, HOOK, "ReceiveMsg")
    keep_stray(deps.storage, info)
    tokens: tuple[Holding, ...] = ()
    if msg.amount > 0:
        tokens = (Holding(f"{CW20_PREFIX}{info.sender}", msg.amount),)
    if isinstance(hook, Create):
        return create(deps, hook, deps.api.addr_validate(msg.sender), (), tokens)
    return top_up(deps, hook.id, (), tokens)


def create(
    deps: DepsMut,
    msg: Create,
    source_addr: Addr,
    native: tuple[Holding, ...],
    cw20: tuple[Holding, ...],
) -> Response:
    """Order: something attached, whitelist, arbiter, id. An invalid recipient counts as none."""
    if not native and not cw20:
        raise EmptyBalance
    whitelist = [deps.api.addr_validate(token) for token in msg.cw20_whitelist or []]
    for token in cw20:
        if token_addr(token) not in whitelist:
            whitelist.append(token_addr(token))
    check_amount(native, whitelist)
    escrow = Escrow(
        arbiter_addr=deps.api.addr_validate(msg.arbiter),
        recipient_addr=recipient_or_none(deps, msg.recipient),
        source_addr=source_addr,
        title=msg.title,
        description=msg.description,
        end_height=msg.end_height,
        end_time=msg.end_time,
        native=native,
        cw20=cw20,
        cw20_whitelist=tuple(whitelist),
    )
    if ESCROWS.has(deps.storage, msg.id):
        raise AlreadyInUse
    ESCROWS.save(deps.storage, msg.id, escrow)
    hold(deps.storage, native)
    hold(deps.storage, cw20)
    return Response().add_attribute("action", "create").add_attribute("id", msg.id)


def top_up(
    deps: DepsMut, escrow_id: str, native: tuple[Holding, ...], cw20: tuple[Holding, ...]
) -> Response:
    """Add to an open escrow, also to an expired one; tokens of the whitelist only."""
    if not native and not cw20:
        raise EmptyBalance
    escrow = load_escrow(deps, escrow_id)
    for token in cw20:
        if token_addr(token) not in escrow.cw20_whitelist:
            raise NotInWhitelist
    grown = replace(
        escrow, native=add_holdings(escrow.native, native), cw20=add_holdings(escrow.cw20, cw20)
    )
    check_amount(grown.native, list(grown.cw20_whitelist))
    ESCROWS.save(deps.storage, escrow_id, grown)
    hold(deps.storage, native)
    hold(deps.storage, cw20)
    return Response().add_attribute("action", "top_up").add_attribute("id", escrow_id)


def load_escrow(deps: DepsMut, escrow_id: str) -> Escrow:
    """The open escrow with this id."""
    escrow = ESCROWS.may_load(deps.storage, escrow_id)
    if escrow is None:
        raise EscrowNotFound
    return escrow


def add_holdings(current: tuple[Holding, ...], added: tuple[Holding, ...]) -> tuple[Holding, ...]:
    """Sum by denomination, in the order in which they first came."""
    totals = {holding.denom: holding.amount for holding in current}
    for holding in added:
        before = totals.get(holding.denom, Uint128(0))
        totals[holding.denom] = Uint128(before + holding.amount)
    return tuple([Holding(denom, amount) for denom, amount in totals.items()])


def token_addr(token: Holding) -> Addr:
    """The token contract behind a denomination."""
    return Addr(token.denom[len(CW20_PREFIX) :])


def recipient_or_none(deps: DepsMut, recipient: str | None) -> Addr | None:
    """An address that can be read, or nobody."""
    if recipient is None:
        return None
    try:
        return deps.api.addr_validate(recipient)
    except ContractError:
        return None


def check_amount(native: tuple[Holding, ...], whitelist: list[Addr]) -> None:
    """Bound what one payout has to move."""
    if len(native) > ASSETS_MAX or len(whitelist) > ASSETS_MAX:
        raise TooManyAssets(ASSETS_MAX)
