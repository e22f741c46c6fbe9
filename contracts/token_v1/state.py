"""What the token stores. Keys and namespaces are cw20-base's."""

from chain.std import Addr, Record, Uint128
from chain.storage_plus import Item, Map
from contracts.token_v1.expiration import Expiry


class TokenInfo(Record):
    """Name, unit and supply; ``minter`` is nobody when the supply can only fall."""

    name: str
    symbol: str
    decimals: int
    total_supply: Uint128
    minter: Addr | None
    cap: Uint128 | None


class Allowance(Record):
    """What a spender may still take, and until when. Used up, it stays with 0."""

    amount: Uint128
    expires: Expiry


class MarketingInfo(Record):
    """Who stands behind the token. ``logo`` is a URL, ``embedded``, or nothing.

    See ``LogoRecord``.
    """

    project: str | None
    description: str | None
    marketing_addr: Addr | None
    has_logo: bool
    logo_url: str | None


class LogoRecord(Record):
    """An uploaded logo: a URL, or the bytes of an image with its type."""

    url: str | None
    mime_type: str | None
    data: bytes


TOKEN_INFO = Item("token_info", TokenInfo)
MARKETING_INFO = Item("marketing_info", MarketingInfo)
LOGO = Item("logo", LogoRecord)
BALANCES = Map("balance", (Addr,), Uint128)
#: (owner, spender) and, kept alike, (spender, owner)
ALLOWANCES = Map("allowance", (Addr, Addr), Allowance)
ALLOWANCES_SPENDER = Map("allowance_spender", (Addr, Addr), Allowance)
