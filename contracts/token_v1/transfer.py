"""Moving and destroying one's own tokens."""

from chain.std import Binary, CosmosMsg, DepsMut, Env, MessageInfo, Response, WasmMsg
from contracts.token_v1.ledger import give, lower_supply, take
from contracts.token_v1.msg import Burn, Send, Transfer


def execute_transfer(deps: DepsMut, env: Env, info: MessageInfo, msg: Transfer) -> Response:
    """Move tokens; the recipient is not told."""
    recipient_addr = deps.api.addr_validate(msg.recipient)
    take(deps.storage, info.sender, msg.amount)
    give(deps.storage, recipient_addr, msg.amount)
    return (
        Response()
        .add_attribute("action", "transfer")
        .add_attribute("from", info.sender)
        .add_attribute("to", msg.recipient)
        .add_attribute("amount", str(msg.amount))
    )


def execute_burn(deps: DepsMut, env: Env, info: MessageInfo, msg: Burn) -> Response:
    """Destroy tokens: balance and supply fall alike."""
    take(deps.storage, info.sender, msg.amount)
    lower_supply(deps.storage, msg.amount)
    return (
        Response()
        .add_attribute("action", "burn")
        .add_attribute("from", info.sender)
        .add_attribute("amount", str(msg.amount))
    )


def execute_send(deps: DepsMut, env: Env, info: MessageInfo, msg: Send) -> Response:
    """Move tokens to a contract and call it; if it refuses, nothing has moved."""
    contract_addr = deps.api.addr_validate(msg.contract)
    take(deps.storage, info.sender, msg.amount)
    give(deps.storage, contract_addr, msg.amount)
    return (
        Response()
        .add_attribute("action", "send")
        .add_attribute("from", info.sender)
        .add_attribute("to", msg.contract)
        .add_attribute("amount", str(msg.amount))
        .add_message(receive_call(msg.contract, info.sender, msg.amount, msg.msg))
    )


def receive_call(contract: str, sender: str, amount: int, msg: bytes) -> CosmosMsg:
    """The hook of CW20. ``sender`` is who sent, which for an allowance is the spender."""
    body = {"sender": sender, "amount": str(amount), "msg": Binary(msg)}
    return WasmMsg.Execute(contract, {"receive": body})
