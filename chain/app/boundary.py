"""The agent safety boundary (CH-11): an agent does not create code or contracts, change gas
parameters, mint or burn alone.

The chain knows agents through the contract named in the parameter ``agent_registry``, which keeps
``Map("agent_accounts", (Addr,), Addr)``: account of the agent -> account of its owner. One raw
read per signer, free of gas. The rule covers the whole transaction, also what contracts dispatch
in it; the owner's signature lifts it. An agent
that unregisters in a transaction stays bound until its end; one that registers is bound from then
on.
"""

from __future__ import annotations

from typing import Final

import msgspec

from chain.app import keys
from chain.app.records import Params
from chain.app.submessages import BurnOf
from chain.crypto.addresses import validate
from chain.errors import AppError
from chain.tx.messages import (
    DevExecute,
    Msg,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMint,
    MsgStoreCode,
    MsgUpdateParams,
)
from chain.vm.storage import ReadStore

_NAMESPACE: Final = b"agent_accounts"
_MAP_PREFIX: Final = len(_NAMESPACE).to_bytes(2, "big") + _NAMESPACE
_TEXT: Final = msgspec.msgpack.Decoder(str)

#: what an agent may not do alone -> how a refusal names it
RESTRICTED: Final[dict[type[Msg], str]] = {
    MsgStoreCode: "store code",
    MsgInstantiateContract: "instantiate a contract",
    MsgInstantiateContract2: "instantiate a contract",
    MsgUpdateParams: "change parameters",
    MsgMint: "mint tokens",
    BurnOf: "burn tokens",
}


def owner_of(store: ReadStore, params: Params, account: str, prefix: str) -> str | None:
    """The owner of an agent's account, None for an account that is no agent."""
    registry = params.agent_registry
    if not registry:
        return None
    raw = store.get(
        keys.CONTRACT_STORAGE + validate(registry, prefix) + _MAP_PREFIX + account.encode()
    )
    return None if raw is None else _TEXT.decode(raw)


def lonely_agent(store: ReadStore, params: Params, signers: tuple[str, ...], prefix: str) -> str:
    """The first signer that is an agent and signs without its owner; empty when there is none."""
    if not params.agent_registry:
        return ""
    for account in signers:
        owner = owner_of(store, params, account, prefix)
        if owner is not None and (owner == account or owner not in signers):
            if owner == account:
                continue  # an agent that owns itself signs for both
            return account
    return ""


def refusal(agent: str, what: str) -> AppError:
    """The error of an agent that acts alone."""
    return AppError.wrap(
        "msgchain", 1, f"agent {agent} may not {what} without its owner's signature"
    )


def first_restricted(messages: tuple[Msg, ...]) -> str:
    """What the first restricted message would do; empty when none is restricted."""
    for message in messages:
        inner = message.messages if isinstance(message, DevExecute) else (message,)
        for each in inner:
            what = RESTRICTED.get(type(each))
            if what is not None:
                return what
    return ""
