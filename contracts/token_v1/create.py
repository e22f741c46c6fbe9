"""A new token: its description, first holders, minter, marketing."""

from chain.std import DepsMut, Uint128
from contracts.token_v1.error import (
    DuplicateInitialBalanceAddresses,
    InvalidMetadata,
)
from contracts.token_v1.ledger import add_amounts
from contracts.token_v1.marketing import checked_logo
from contracts.token_v1.msg import Cw20Coin, InstantiateMarketingInfo, InstantiateMsg
from contracts.token_v1.state import (
    BALANCES,
    LOGO,
    MARKETING_INFO,
    TOKEN_INFO,
    MarketingInfo,
    TokenInfo,
)

NAME_MIN_BYTES = 3
NAME_MAX_BYTES = 50
SYMBOL_MIN_BYTES = 3
SYMBOL_MAX_BYTES = 12
SYMBOL_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"
DECIMALS_MAX = 18


def create_token(deps: DepsMut, msg: InstantiateMsg) -> None:
    """Check and store everything.

    Order: name, symbol, decimals, duplicate addresses, each address, 128 bits, cap, minter, logo,
    marketing address.
    """
    check_metadata(msg)
    total_supply = create_accounts(deps, msg.initial_balances)
    minter_addr = None
    cap = None
    if msg.mint is not None:
        cap = msg.mint.cap
        if cap is not None and total_supply > cap:
            raise InvalidMetadata("Initial supply greater than cap")
        minter_addr = deps.api.addr_validate(msg.mint.minter)
    TOKEN_INFO.save(
        deps.storage,
        TokenInfo(msg.name, msg.symbol, msg.decimals, total_supply, minter_addr, cap),
    )
    if msg.marketing is not None:
        create_marketing(deps, msg.marketing)


def check_metadata(msg: InstantiateMsg) -> None:
    """Name, symbol and decimals; lengths are in bytes."""
    if not NAME_MIN_BYTES <= len(msg.name.encode()) <= NAME_MAX_BYTES:
        raise InvalidMetadata("Name is not in the expected format (3-50 UTF-8 bytes)")
    symbol = msg.symbol.encode()
    letters = [byte for byte in symbol if byte in SYMBOL_LETTERS]
    if len(letters) != len(symbol) or not SYMBOL_MIN_BYTES <= len(symbol) <= SYMBOL_MAX_BYTES:
        raise InvalidMetadata("Ticker symbol is not in expected format [a-zA-Z\\-]{3,12}")
    if msg.decimals > DECIMALS_MAX:
        raise InvalidMetadata("Decimals must not exceed 18")


def create_accounts(deps: DepsMut, balances: list[Cw20Coin]) -> Uint128:
    """Store the first balances; their sum is the supply."""
    seen: dict[str, bool] = {}
    for coin in balances:
        if coin.address in seen:
            raise DuplicateInitialBalanceAddresses
        seen[coin.address] = True
    total_supply = Uint128(0)
    for coin in balances:
        addr = deps.api.addr_validate(coin.address)
        BALANCES.save(deps.storage, addr, coin.amount)
        total_supply = add_amounts(total_supply, coin.amount)
    return total_supply


def create_marketing(deps: DepsMut, given: InstantiateMarketingInfo) -> None:
    """Store who stands behind the token."""
    logo = None
    if given.logo is not None:
        logo = checked_logo(given.logo)
        LOGO.save(deps.storage, logo)
    marketing_addr = None
    if given.marketing is not None:
        marketing_addr = deps.api.addr_validate(given.marketing)
    MARKETING_INFO.save(
        deps.storage,
        MarketingInfo(
            given.project,
            given.description,
            marketing_addr,
            logo is not None,
            None if logo is None else logo.url,
        ),
    )
