"""Who asks, and in whose name the gateway acts.

A caller with an API key is that key's agent: its tasks are the agent's, prices are paid from the
agent's account within its owner's policy. Everybody else shares the gateway's own account, which
asks for free tasks and keeps offers, and pays nobody: what anonymous callers do, all of them can
see.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from a2a.auth.user import User
from a2a.server.context import ServerCallContext
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.utils.errors import (
    A2AError,
    InternalError,
    InvalidParamsError,
    TaskNotCancelableError,
    UnsupportedOperationError,
)
from starlette.requests import Request

from chain.client.agent_calls import Call
from chain.client.keystore import KeystoreError
from chain.client.provider_card import API_KEY_HEADER
from chain.client.transport import ChainError, Outcome
from chain.crypto.keys import PrivateKey
from chain.gateway.accounts import Accounts, KeyRing
from chain.gateway.keys import ApiKeys

_TRIES: Final = 4
_WRONG_SEQUENCE: Final = ("sdk", 32)
SCOPE_KEY: Final = "msgchain.caller"
_BEARER: Final = re.compile(r"[Bb]earer +(msgk_\S+)")
_WRONG_STATE: Final = re.compile(r"(Task task-\d+ is \w+: \w+ is not possible)")
_REFUSALS: Final = (
    "Deadline of task",
    "Approval of task",
    "is not possible",
    "Unauthorized",
    "An agent cannot give itself a task",
    "insufficient funds",
    "Agent ",
    "denied",
)


class Caller(msgspec.Struct, frozen=True):
    """Somebody who asks. ``signer`` names the key, empty for the gateway's own account."""

    address: str
    agent_id: str = ""
    signer: str = ""
    number: str = ""

    @property
    def known(self) -> bool:
        """Whether it showed an API key."""
        return bool(self.agent_id)


class _User(User):
    """A caller as the SDK sees one."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @property
    def is_authenticated(self) -> bool:
        """Whether it showed an API key."""
        return self._caller.known

    @property
    def user_name(self) -> str:
        """The agent, or nobody."""
        return self._caller.agent_id


def user_of(caller: Caller) -> User:
    """A caller as the SDK sees one."""
    return _User(caller)


class ContextBuilder(DefaultServerCallContextBuilder):
    """Takes the caller that the door found."""

    def build(self, request: Request) -> ServerCallContext:
        """The context of a request."""
        context = super().build(request)
        caller = request.scope[SCOPE_KEY]
        context.user = user_of(caller)
        context.state[SCOPE_KEY] = caller
        return context


def caller_of(context: ServerCallContext) -> Caller:
    """Who asks."""
    found: Caller = context.state[SCOPE_KEY]
    return found


class Callers:
    """Finds callers by their keys, and acts for them. ``own`` is the gateway's own key."""

    def __init__(
        self, accounts: Accounts, api_keys: ApiKeys | None, ring: KeyRing, own: PrivateKey | None
    ) -> None:
        self._accounts = accounts
        self._api_keys = api_keys
        self._ring = ring
        self._own = own
        self.own_address = "" if own is None else own.pubkey.address()

    def find(self, headers: dict[str, str]) -> Caller | None:
        """Who shows these headers (names in lower case); None for a key that is wrong."""
        token = headers.get(API_KEY_HEADER.lower())
        shown = headers.get("authorization", "")
        if token is None and shown:
            match = _BEARER.fullmatch(shown)
            token = "" if match is None else match[1]
        if token is None:
            return Caller(self.own_address)
        found = None if self._api_keys is None else self._api_keys.find(token)
        if found is None:
            return None
        return Caller(found.address, found.agent_id, found.signer, found.id)

    async def submit(self, caller: Caller, *wanted: Call) -> Outcome:
        """Act for a caller. Raises: A2AError with what the chain says."""
        key = await self._key(caller)
        return await self.submit_with(key, *wanted)

    async def submit_with(self, key: PrivateKey, *wanted: Call) -> Outcome:
        """Act for an account. Raises: A2AError with what the chain says."""
        for attempt in range(_TRIES):
            try:
                return await self._accounts.submit(key, wanted)
            except ChainError as error:
                again = (error.codespace, error.code) == _WRONG_SEQUENCE  # of another gateway
                if not again or attempt == _TRIES - 1:
                    raise fault_of(error) from None
        raise InternalError("the account is used by too many programs at once")

    async def _key(self, caller: Caller) -> PrivateKey:
        if not caller.known:
            if self._own is None:
                raise UnsupportedOperationError(
                    "this gateway has no account of its own; show an API key"
                )
            return self._own
        if not caller.signer:
            raise UnsupportedOperationError(
                f"the agent {caller.agent_id} signs elsewhere: send its transactions to the chain"
            )
        try:
            return await self._ring.key(caller.signer)
        except KeystoreError:
            raise InternalError("the agent's key cannot be used here") from None


def fault_of(error: ChainError) -> A2AError:
    """A refusal of the chain as A2A says it."""
    text = error.log or "the chain refused the transaction"
    if text.startswith("account ") and "does not exist" in text:
        return UnsupportedOperationError(f"{text}; or show an API key")
    if _WRONG_STATE.search(text) and "cancel_task" in text:
        return TaskNotCancelableError(text)
    if any(word in text for word in ("Invalid ", "at most", "which has another body")):
        return InvalidParamsError(text)
    if any(word in text for word in _REFUSALS):
        return UnsupportedOperationError(text)
    return InternalError(text)
