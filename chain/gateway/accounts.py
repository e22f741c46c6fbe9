"""Signs for agents and sends: one line a account, because sequences only rise by one.

Nothing is remembered that the chain does not know: a sequence that another program used up comes
back in the refusal, and is used from there.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from chain import wiring
from chain.app.devnet import ACCOUNTS
from chain.client.agent_calls import Call
from chain.client.jsonrpc import RpcFailed
from chain.client.keystore import Keystore, KeystoreError
from chain.client.transport import (
    IN_CACHE,
    AccountInfo,
    ChainError,
    Outcome,
    TimedOut,
    TxFailed,
    TxRefused,
    accepted,
    pool_refusal,
)
from chain.client.wallet import COSMOS, execute, form_of
from chain.crypto.keys import ML_DSA_87, PrivateKey
from chain.gateway.events import Follower
from chain.gateway.link import Link
from chain.tx import native
from chain.tx.builder import (
    build_cosmos_direct,
    cosmos_auth_info,
    cosmos_body,
    cosmos_raw,
    native_body,
    sign_native,
)
from chain.tx.messages import Amount, Coin, Coins, Msg
from chain.tx.native import SignerInfo

#: seconds that a transaction may wait for its block
BLOCK_SECONDS: Final = 60.0
_GAS_MARGIN_PERCENT: Final = 130
_TRIES: Final = 8
_SIGNATURE_BYTES: Final = {ML_DSA_87: 4_627}
_SEQUENCE: Final = re.compile(r"account sequence mismatch, expected (\d+), got \d+")
_WRONG_SEQUENCE: Final = ("sdk", 32)
_LOW_FEE: Final = ("sdk", 13)
_DEV: Final = "dev:"
_WALLET: Final = "wallet"


class KeyRing:
    """The agents' keys: from an encrypted keystore, or a devnet's known ones (``dev:NAME``)."""

    def __init__(self, folder: Path | None, password: str | None) -> None:
        self._store = None if folder is None else Keystore(folder)
        self._password = password
        self._keys: dict[str, PrivateKey] = {}

    async def key(self, name: str) -> PrivateKey:
        """The key of a name, opened once. Raises: KeystoreError."""
        found = self._keys.get(name)
        if found is None:
            found = self._keys[name] = await asyncio.to_thread(self._opened, name)
        return found

    def _opened(self, name: str) -> PrivateKey:
        if name.startswith(_DEV):
            known = dev_key(name)
            if known is None:
                raise KeystoreError(f"there is no devnet account {name}")
            return known
        if self._store is None or self._password is None:
            raise KeystoreError("the gateway was started without a keystore or its password")
        return self._store.key(name, self._password)


def dev_key(name: str) -> PrivateKey | None:
    """The key of a devnet account, which everybody knows; None for what is none."""
    short = name.removeprefix(_DEV)
    if short in ACCOUNTS:
        return wiring.dev_key(short)
    number = short.removeprefix(_WALLET)
    if short.startswith(_WALLET) and number.isascii() and number.isdigit() and len(number) < 5:
        return wiring.dev_wallet(int(number))
    return None


class _Account(msgspec.Struct):
    """What is thought of an account: ``committed`` in the last block, ``next`` with what waits."""

    info: AccountInfo
    committed: int
    next: int
    line: asyncio.Lock


class Accounts:
    """All accounts that this gateway signs for."""

    def __init__(self, link: Link, follower: Follower) -> None:
        self._link = link
        self._follower = follower
        self._known: dict[str, _Account] = {}
        follower.when_gone_back(self._known.clear)

    async def submit(self, key: PrivateKey, wanted: Sequence[Call]) -> Outcome:
        """All the calls in one signed transaction, in its block.

        Raises: TxRefused (nothing was paid), TxFailed, TimedOut, ChainError.
        """
        address = key.pubkey.address()
        messages = [execute(address, one.contract, one.msg, one.funds) for one in wanted]
        account = await self._account(address)
        limit = await self._estimate(account, key, messages)
        hash_, sequence = await self._send(account, key, messages, limit)
        try:
            outcome = await self._follower.outcome(hash_, BLOCK_SECONDS)
        except TimedOut:
            self._known.pop(address, None)
            raise
        account.committed = max(account.committed, sequence + 1)
        account.info = msgspec.structs.replace(account.info, has_key=True)
        return _succeeded(outcome)

    async def broadcast(self, raw: bytes) -> Outcome:
        """A transaction that was signed elsewhere, in its block; again gives the same answer.

        Raises: TxRefused, TxFailed, TimedOut.
        """
        hash_ = hashlib.sha256(raw).hexdigest().upper()
        try:
            await self._offer(raw)
        except TxRefused:
            known = await self._committed(hash_)
            if known is None:
                raise
            return _succeeded(known)
        return _succeeded(await self._follower.outcome(hash_, BLOCK_SECONDS))

    async def _committed(self, hash_: str) -> Outcome | None:
        """The outcome of a transaction of an earlier block."""
        try:
            return await self._follower.find(hash_)
        except RpcFailed:
            return None

    async def _account(self, address: str) -> _Account:
        known = self._known.get(address)
        if known is None:
            info = await self._link.account(address)
            if info is None:
                raise ChainError("sdk", 9, f"account {address} does not exist")
            fresh = _Account(info, info.sequence, info.sequence, asyncio.Lock())
            known = self._known.setdefault(address, fresh)
        return known

    # --- building -------------------------------------------------------------------------------

    async def _estimate(self, account: _Account, key: PrivateKey, messages: Sequence[Msg]) -> int:
        for _ in range(_TRIES):
            raw = _built(
                key,
                messages,
                msgspec.structs.replace(account.info, sequence=account.committed),
                chain_id=await self._link.chain_id(),
                gas_limit=1,
                fee=_fee(1, await self._link.gas_price()),
                signed=False,
            )
            found = await self._link.simulate(raw)
            if not found.code:
                return found.gas_used * _GAS_MARGIN_PERCENT // 100
            expected = _SEQUENCE.search(found.log)
            if expected is None:
                raise TxRefused(found.codespace, found.code, found.log)
            account.committed = int(expected[1])
            account.info = await self._link.account(account.info.address) or account.info
        raise TxRefused(*_WRONG_SEQUENCE, "the account is used by too many programs at once")

    async def _send(
        self, account: _Account, key: PrivateKey, messages: Sequence[Msg], limit: int
    ) -> tuple[str, int]:
        """Sign with the next sequence and hand it to the node; its hash and the sequence."""
        price = await self._link.gas_price()
        async with account.line:
            for _ in range(_TRIES):
                raw = await asyncio.to_thread(
                    _built,
                    key,
                    messages,
                    msgspec.structs.replace(account.info, sequence=account.next),
                    chain_id=await self._link.chain_id(),
                    gas_limit=limit,
                    fee=_fee(limit, price),
                    signed=True,
                )
                try:
                    hash_ = await self._offer(raw)
                except TxRefused as error:
                    expected = _SEQUENCE.search(error.log)
                    if expected is not None:
                        account.next = int(expected[1])
                    elif (error.codespace, error.code) == _LOW_FEE:
                        price = await self._link.gas_price(again=True)
                    else:
                        raise
                    continue
                account.next += 1
                return hash_, account.next - 1
        raise TxRefused(*_WRONG_SEQUENCE, "the account is used by too many programs at once")

    async def _offer(self, raw: bytes) -> str:
        try:
            found = await self._link.call("broadcast_tx_sync", tx=base64.b64encode(raw).decode())
        except RpcFailed as error:
            if str(error) == IN_CACHE:
                return hashlib.sha256(raw).hexdigest().upper()
            raise pool_refusal(str(error)) or error from None
        return accepted(found)


def _succeeded(outcome: Outcome) -> Outcome:
    if outcome.code:
        raise TxFailed(outcome)
    return outcome


def _fee(gas_limit: int, price: int) -> Coins:
    return (Coin("amsg", Amount(gas_limit * price)),) if price else ()


def _built(
    key: PrivateKey,
    messages: Sequence[Msg],
    info: AccountInfo,
    *,
    chain_id: str,
    gas_limit: int,
    fee: Coins,
    signed: bool,
) -> bytes:
    """The transaction; unsigned, with zeros as long as a signature, for a simulation."""
    blank = bytes(_SIGNATURE_BYTES.get(key.pubkey.type, 64))
    if form_of(key) == COSMOS:
        if signed:
            return build_cosmos_direct(
                messages,
                [key],
                chain_id=chain_id,
                account_numbers=[info.number],
                sequences=[info.sequence],
                gas_limit=gas_limit,
                fee=fee,
            )
        auth = cosmos_auth_info([key.pubkey], [info.sequence], gas_limit=gas_limit, fee=fee)
        return cosmos_raw(cosmos_body(messages), auth, [blank])
    signer = SignerInfo(info.address, None if info.has_key else key.pubkey, info.sequence)
    body = native_body(messages, [signer], chain_id=chain_id, gas_limit=gas_limit, fee=fee)
    signature = sign_native(body, 0, info.number, key) if signed else blank
    return native.encode_envelope(body, [signature])
