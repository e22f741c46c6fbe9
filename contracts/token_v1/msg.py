"""Messages of the token: cw20-base 2.0's, names, order of fields and leniency included.

Differs: unknown fields are ignored here (``OpenMessage``), as the recorded cw20-base does; every
other contract of ours refuses them.
"""

from chain.std import (
    U8,
    U32,
    U64,
    Addr,
    Answer,
    Binary,
    Expiration,
    Message,
    OneOf,
    OpenMessage,
    Timestamp,
    Uint128,
)


class Cw20Coin(OpenMessage):
    """One holder's first balance."""

    address: Addr
    amount: Uint128


class MinterResponse(OpenMessage):
    """Who may mint, and up to which supply; both question and answer."""

    minter: Addr
    cap: Uint128 | None = None


class EmbeddedLogo(OneOf):
    """Exactly one of an SVG and a PNG."""

    svg: Binary | None = None
    png: Binary | None = None


class Logo(OneOf):
    """Exactly one of a URL and an image."""

    url: str | None = None
    embedded: EmbeddedLogo | None = None


class InstantiateMarketingInfo(OpenMessage):
    """Who stands behind the token; ``marketing`` may change it later."""

    project: str | None = None
    description: str | None = None
    marketing: Addr | None = None
    logo: Logo | None = None


class InstantiateMsg(OpenMessage):
    """A new token."""

    name: str
    symbol: str
    decimals: U8
    initial_balances: list[Cw20Coin]
    mint: MinterResponse | None = None
    marketing: InstantiateMarketingInfo | None = None


class OpenEmpty(OpenMessage):
    """``{}``; what else it holds is ignored."""


class OpenExpiration(OneOf):
    """When an allowance ends, as an answer's ``Expiration``; ``never`` ignores what it holds."""

    at_height: U64 | None = None
    at_time: Timestamp | None = None
    never: OpenEmpty | None = None


class MigrateMsg(OpenMessage):
    """Move to this code; nothing to say."""


class Transfer(OpenMessage):
    """Move the sender's tokens, without telling the recipient."""

    recipient: Addr
    amount: Uint128


class Burn(OpenMessage):
    """Destroy the sender's tokens."""

    amount: Uint128


class Send(OpenMessage):
    """Move the sender's tokens to a contract and call its ``receive``."""

    contract: Addr
    amount: Uint128
    msg: Binary


class IncreaseAllowance(OpenMessage):
    """Let a spender take more; a new end replaces the old one."""

    spender: Addr
    amount: Uint128
    expires: OpenExpiration | None = None


class DecreaseAllowance(OpenMessage):
    """Let a spender take less; at or below nothing the allowance disappears."""

    spender: Addr
    amount: Uint128
    expires: OpenExpiration | None = None


class TransferFrom(OpenMessage):
    """Move an owner's tokens within an allowance."""

    owner: Addr
    recipient: Addr
    amount: Uint128


class SendFrom(OpenMessage):
    """``send`` of an owner's tokens within an allowance."""

    owner: Addr
    contract: Addr
    amount: Uint128
    msg: Binary


class BurnFrom(OpenMessage):
    """Destroy an owner's tokens within an allowance."""

    owner: Addr
    amount: Uint128


class Mint(OpenMessage):
    """Make new tokens: the minter only, up to the cap."""

    recipient: Addr
    amount: Uint128


class UpdateMinter(OpenMessage):
    """Hand the minter's right over, or end it for ever with null."""

    new_minter: Addr | None = None


class UpdateMarketing(OpenMessage):
    """Change what is named; blank text clears a field."""

    project: str | None = None
    description: str | None = None
    marketing: Addr | None = None


class UploadLogo(Message):
    """The logo: ``{"url": text}`` or ``{"embedded": {"svg" or "png": base64}}``.

    cw20 writes the choice in place of the fields, so the class has its fields; exactly one is
    given.
    """

    url: str | None = None
    embedded: EmbeddedLogo | None = None


EXECUTE = (
    Transfer,
    Burn,
    Send,
    IncreaseAllowance,
    DecreaseAllowance,
    TransferFrom,
    SendFrom,
    BurnFrom,
    Mint,
    UpdateMinter,
    UpdateMarketing,
    UploadLogo,
)


class Balance(OpenMessage):
    """What an address holds; 0 for one never seen."""

    address: Addr


class TokenInfo(OpenMessage):
    """Name, symbol, decimals, supply."""


class Minter(OpenMessage):
    """Who may mint, or null."""


class Allowance(OpenMessage):
    """What a spender may take from an owner."""

    owner: Addr
    spender: Addr


class AllAllowances(OpenMessage):
    """Allowances an owner gave, by spender."""

    owner: Addr
    start_after: str | None = None
    limit: U32 | None = None


class AllSpenderAllowances(OpenMessage):
    """Allowances a spender was given, by owner."""

    spender: Addr
    start_after: str | None = None
    limit: U32 | None = None


class AllAccounts(OpenMessage):
    """Every address that ever held tokens."""

    start_after: str | None = None
    limit: U32 | None = None


class MarketingInfo(OpenMessage):
    """Who stands behind the token."""


class DownloadLogo(OpenMessage):
    """The embedded logo."""


QUERY = (
    Balance,
    TokenInfo,
    Minter,
    Allowance,
    AllAllowances,
    AllSpenderAllowances,
    AllAccounts,
    MarketingInfo,
    DownloadLogo,
)


class BalanceResponse(Answer):
    """Answer to ``balance``."""

    balance: Uint128


class TokenInfoResponse(Answer):
    """Answer to ``token_info``."""

    name: str
    symbol: str
    decimals: U8
    total_supply: Uint128


class AllowanceResponse(Answer):
    """Answer to ``allowance``."""

    allowance: Uint128
    expires: Expiration


class AllowanceInfo(Answer):
    """One line of ``all_allowances``."""

    spender: Addr
    allowance: Uint128
    expires: Expiration


class AllAllowancesResponse(Answer):
    """Answer to ``all_allowances``."""

    allowances: list[AllowanceInfo]


class SpenderAllowanceInfo(Answer):
    """One line of ``all_spender_allowances``."""

    owner: Addr
    allowance: Uint128
    expires: Expiration


class AllSpenderAllowancesResponse(Answer):
    """Answer to ``all_spender_allowances``."""

    allowances: list[SpenderAllowanceInfo]


class AllAccountsResponse(Answer):
    """Answer to ``all_accounts``."""

    accounts: list[Addr]


class MarketingInfoResponse(Answer):
    """Answer to ``marketing_info``; ``logo`` is ``"embedded"``, ``{"url": text}`` or null."""

    project: str | None
    description: str | None
    logo: object
    marketing: Addr | None


class DownloadLogoResponse(Answer):
    """Answer to ``download_logo``."""

    mime_type: str
    data: Binary


ANSWERS = {
    "balance": BalanceResponse,
    "token_info": TokenInfoResponse,
    "minter": MinterResponse,
    "allowance": AllowanceResponse,
    "all_allowances": AllAllowancesResponse,
    "all_spender_allowances": AllSpenderAllowancesResponse,
    "all_accounts": AllAccountsResponse,
    "marketing_info": MarketingInfoResponse,
    "download_logo": DownloadLogoResponse,
}
