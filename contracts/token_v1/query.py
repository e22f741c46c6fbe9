"""What the token answers, in cw20's shapes."""

from chain.std import Binary, Deps, Empty, Env, Expiration, Uint128
from chain.storage_plus import Order, paginate
from contracts.token_v1.error import LogoNotFound
from contracts.token_v1.expiration import expiration_of
from contracts.token_v1.msg import (
    AllAccounts,
    AllAccountsResponse,
    AllAllowances,
    AllAllowancesResponse,
    Allowance,
    AllowanceInfo,
    AllowanceResponse,
    AllSpenderAllowances,
    AllSpenderAllowancesResponse,
    Balance,
    BalanceResponse,
    DownloadLogo,
    DownloadLogoResponse,
    MarketingInfo,
    MarketingInfoResponse,
    Minter,
    MinterResponse,
    SpenderAllowanceInfo,
    TokenInfo,
    TokenInfoResponse,
)
from contracts.token_v1.state import (
    ALLOWANCES,
    ALLOWANCES_SPENDER,
    BALANCES,
    LOGO,
    MARKETING_INFO,
    TOKEN_INFO,
)

PAGE_DEFAULT = 10
PAGE_MAX = 30


def query_balance(deps: Deps, env: Env, msg: Balance) -> BalanceResponse:
    """What an address holds; 0 for one never seen."""
    addr = deps.api.addr_validate(msg.address)
    return BalanceResponse(BALANCES.may_load(deps.storage, addr) or Uint128(0))


def query_token_info(deps: Deps, env: Env, msg: TokenInfo) -> TokenInfoResponse:
    """Name, symbol, decimals, supply."""
    info = TOKEN_INFO.load(deps.storage)
    return TokenInfoResponse(info.name, info.symbol, info.decimals, info.total_supply)


def query_minter(deps: Deps, env: Env, msg: Minter) -> MinterResponse | None:
    """The minter and its cap, or null."""
    info = TOKEN_INFO.load(deps.storage)
    return None if info.minter is None else MinterResponse(info.minter, info.cap)


def query_allowance(deps: Deps, env: Env, msg: Allowance) -> AllowanceResponse:
    """One allowance; none answers 0 without an end."""
    owner_addr = deps.api.addr_validate(msg.owner)
    spender_addr = deps.api.addr_validate(msg.spender)
    found = ALLOWANCES.may_load(deps.storage, (owner_addr, spender_addr))
    if found is None:
        return AllowanceResponse(Uint128(0), Expiration(never=Empty()))
    return AllowanceResponse(found.amount, expiration_of(found.expires))


def query_all_allowances(deps: Deps, env: Env, msg: AllAllowances) -> AllAllowancesResponse:
    """An owner's allowances, ascending by spender; ``start_after`` is any text."""
    owner_addr = deps.api.addr_validate(msg.owner)
    rows = paginate(
        ALLOWANCES.prefix(owner_addr),
        deps.storage,
        msg.start_after,
        msg.limit,
        Order.ASCENDING,
        default=PAGE_DEFAULT,
        maximum=PAGE_MAX,
    )
    found = [
        AllowanceInfo(spender, allowance.amount, expiration_of(allowance.expires))
        for spender, allowance in rows
    ]
    return AllAllowancesResponse(found)


def query_all_spender_allowances(
    deps: Deps, env: Env, msg: AllSpenderAllowances
) -> AllSpenderAllowancesResponse:
    """A spender's allowances, ascending by owner."""
    spender_addr = deps.api.addr_validate(msg.spender)
    rows = paginate(
        ALLOWANCES_SPENDER.prefix(spender_addr),
        deps.storage,
        msg.start_after,
        msg.limit,
        Order.ASCENDING,
        default=PAGE_DEFAULT,
        maximum=PAGE_MAX,
    )
    found = [
        SpenderAllowanceInfo(owner, allowance.amount, expiration_of(allowance.expires))
        for owner, allowance in rows
    ]
    return AllSpenderAllowancesResponse(found)


def query_all_accounts(deps: Deps, env: Env, msg: AllAccounts) -> AllAccountsResponse:
    """Every address that ever held tokens, ascending, also those with 0."""
    rows = paginate(
        BALANCES,
        deps.storage,
        msg.start_after,
        msg.limit,
        Order.ASCENDING,
        default=PAGE_DEFAULT,
        maximum=PAGE_MAX,
    )
    return AllAccountsResponse([addr for addr, balance in rows])


def query_marketing_info(deps: Deps, env: Env, msg: MarketingInfo) -> MarketingInfoResponse:
    """All null when there is no record."""
    found = MARKETING_INFO.may_load(deps.storage)
    if found is None:
        return MarketingInfoResponse(None, None, None, None)
    logo: object = None
    if found.has_logo:
        logo = "embedded" if found.logo_url is None else {"url": found.logo_url}
    return MarketingInfoResponse(found.project, found.description, logo, found.marketing_addr)


def query_download_logo(deps: Deps, env: Env, msg: DownloadLogo) -> DownloadLogoResponse:
    """The embedded image; a logo that is a URL is not found."""
    found = LOGO.may_load(deps.storage)
    if found is None or found.mime_type is None:
        raise LogoNotFound
    return DownloadLogoResponse(found.mime_type, Binary(found.data))
