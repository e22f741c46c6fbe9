"""Allowances: giving, taking back, and using them."""

from chain.std import (
    Addr,
    BlockInfo,
    DepsMut,
    Env,
    MessageInfo,
    Response,
    Storage,
    Uint128,
)
from contracts.token_v1.error import (
    AllowanceNotFound,
    CannotSetOwnAccount,
    Expired,
    InvalidExpiration,
    NoAllowance,
    Overdrawn,
)
from contracts.token_v1.expiration import (
    NEVER,
    Expiry,
    expiry_of,
    is_expired,
)
from contracts.token_v1.ledger import add_amounts, give, lower_supply, take
from contracts.token_v1.msg import (
    BurnFrom,
    DecreaseAllowance,
    IncreaseAllowance,
    OpenExpiration,
    SendFrom,
    TransferFrom,
)
from contracts.token_v1.state import ALLOWANCES, ALLOWANCES_SPENDER, Allowance
from contracts.token_v1.transfer import receive_call


def execute_increase_allowance(
    deps: DepsMut, env: Env, info: MessageInfo, msg: IncreaseAllowance
) -> Response:
    """Raise an allowance, or give a first one; a new end replaces the old."""
    given = given_expiry(msg.expires)
    spender_addr = other_account(deps, info, msg.spender)
    current = ALLOWANCES.may_load(deps.storage, (info.sender, spender_addr))
    expires = open_expiry(given, env.block)
    if expires is None:
        expires = Expiry(NEVER, 0) if current is None else current.expires
    amount = add_amounts(0 if current is None else current.amount, msg.amount)
    save_allowance(deps.storage, info.sender, spender_addr, Allowance(amount, expires))
    return allowance_response("increase_allowance", info.sender, msg.spender, msg.amount)


def execute_decrease_allowance(
    deps: DepsMut, env: Env, info: MessageInfo, msg: DecreaseAllowance
) -> Response:
    """Lower an allowance; to nothing or below it disappears, whatever end was named."""
    given = given_expiry(msg.expires)
    spender_addr = other_account(deps, info, msg.spender)
    current = ALLOWANCES.may_load(deps.storage, (info.sender, spender_addr))
    if current is None:
        raise AllowanceNotFound
    if msg.amount < current.amount:
        expires = open_expiry(given, env.block)
        if expires is None:
            expires = current.expires
        left = Allowance(Uint128(current.amount - msg.amount), expires)
        save_allowance(deps.storage, info.sender, spender_addr, left)
    else:
        ALLOWANCES.remove(deps.storage, (info.sender, spender_addr))
        ALLOWANCES_SPENDER.remove(deps.storage, (spender_addr, info.sender))
    return allowance_response("decrease_allowance", info.sender, msg.spender, msg.amount)


def execute_transfer_from(
    deps: DepsMut, env: Env, info: MessageInfo, msg: TransferFrom
) -> Response:
    """Move an owner's tokens. Order: recipient, owner, allowance, balance."""
    recipient_addr = deps.api.addr_validate(msg.recipient)
    owner_addr = deps.api.addr_validate(msg.owner)
    deduct_allowance(deps.storage, owner_addr, info.sender, env.block, msg.amount)
    take(deps.storage, owner_addr, msg.amount)
    give(deps.storage, recipient_addr, msg.amount)
    return (
        Response()
        .add_attribute("action", "transfer_from")
        .add_attribute("from", msg.owner)
        .add_attribute("to", msg.recipient)
        .add_attribute("by", info.sender)
        .add_attribute("amount", str(msg.amount))
    )


def execute_send_from(deps: DepsMut, env: Env, info: MessageInfo, msg: SendFrom) -> Response:
    """Move an owner's tokens to a contract and call it; it sees the spender as sender."""
    contract_addr = deps.api.addr_validate(msg.contract)
    owner_addr = deps.api.addr_validate(msg.owner)
    deduct_allowance(deps.storage, owner_addr, info.sender, env.block, msg.amount)
    take(deps.storage, owner_addr, msg.amount)
    give(deps.storage, contract_addr, msg.amount)
    return (
        Response()
        .add_attribute("action", "send_from")
        .add_attribute("from", msg.owner)
        .add_attribute("to", msg.contract)
        .add_attribute("by", info.sender)
        .add_attribute("amount", str(msg.amount))
        .add_message(receive_call(msg.contract, info.sender, msg.amount, msg.msg))
    )


def execute_burn_from(deps: DepsMut, env: Env, info: MessageInfo, msg: BurnFrom) -> Response:
    """Destroy an owner's tokens."""
    owner_addr = deps.api.addr_validate(msg.owner)
    deduct_allowance(deps.storage, owner_addr, info.sender, env.block, msg.amount)
    take(deps.storage, owner_addr, msg.amount)
    lower_supply(deps.storage, msg.amount)
    return (
        Response()
        .add_attribute("action", "burn_from")
        .add_attribute("from", msg.owner)
        .add_attribute("by", info.sender)
        .add_attribute("amount", str(msg.amount))
    )


def other_account(deps: DepsMut, info: MessageInfo, spender: str) -> Addr:
    """Check the spender's address; oneself needs no allowance."""
    spender_addr = deps.api.addr_validate(spender)
    if spender_addr == info.sender:
        raise CannotSetOwnAccount
    return spender_addr


def given_expiry(expires: OpenExpiration | None) -> Expiry | None:
    """The end the sender named, as it is stored."""
    return None if expires is None else expiry_of(expires)


def open_expiry(expiry: Expiry | None, block: BlockInfo) -> Expiry | None:
    """Refuse an end that has come already."""
    if expiry is not None and is_expired(expiry, block):
        raise InvalidExpiration
    return expiry


def deduct_allowance(
    storage: Storage, owner_addr: Addr, spender_addr: Addr, block: BlockInfo, amount: int
) -> None:
    """Use a part of an allowance; the record stays, also with 0 left."""
    current = ALLOWANCES.may_load(storage, (owner_addr, spender_addr))
    if current is None:
        raise NoAllowance
    if is_expired(current.expires, block):
        raise Expired
    if amount > current.amount:
        raise Overdrawn
    left = Allowance(Uint128(current.amount - amount), current.expires)
    save_allowance(storage, owner_addr, spender_addr, left)


def save_allowance(
    storage: Storage, owner_addr: Addr, spender_addr: Addr, allowance: Allowance
) -> None:
    """Write both directions."""
    ALLOWANCES.save(storage, (owner_addr, spender_addr), allowance)
    ALLOWANCES_SPENDER.save(storage, (spender_addr, owner_addr), allowance)


def allowance_response(action: str, owner: str, spender: str, amount: int) -> Response:
    """The attributes both changes share; ``amount`` is what the sender named."""
    return (
        Response()
        .add_attribute("action", action)
        .add_attribute("owner", owner)
        .add_attribute("spender", spender)
        .add_attribute("amount", str(amount))
    )
