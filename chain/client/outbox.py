"""One account's transactions from many threads: none waits for the block of another."""

from __future__ import annotations

import re
import threading
from typing import Final

from chain.client.agent_calls import Call
from chain.client.rpc import RpcClient
from chain.client.transport import AccountInfo, Outcome, TxFailed, TxRefused
from chain.client.wallet import Wallet, execute
from chain.tx.messages import Msg

_TRIES: Final = 8
_EXPECTED: Final = re.compile(r"account sequence mismatch, expected (\d+)")


class Outbox:
    """Sends for a wallet. Over a node, several transactions may wait for one block."""

    def __init__(self, wallet: Wallet) -> None:
        self._wallet = wallet
        self._lock = threading.Lock()

    def submit(self, *wanted: Call) -> Outcome:
        """All the calls in one transaction, in its block. Raises: TxRefused, TxFailed, TimedOut."""
        wallet, client = self._wallet, self._wallet.transport
        messages = [execute(wallet.address, one.contract, one.msg, one.funds) for one in wanted]
        if not isinstance(client, RpcClient):
            with self._lock:
                return wallet.send(messages)
        for attempt in range(_TRIES):
            with self._lock:
                try:
                    limit = self._estimate(messages)
                    hash_ = client.broadcast_sync(wallet.sign(messages, limit)).hash
                    self._move(wallet.account().sequence + 1)
                    break
                except TxRefused as error:
                    expected = _EXPECTED.search(error.log)
                    if expected is None or attempt == _TRIES - 1:
                        raise
                    self._move(int(expected[1]))
        outcome = client.wait_for(hash_)
        if outcome.code:
            raise TxFailed(outcome)
        return outcome

    def _estimate(self, messages: list[Msg]) -> int:
        """A gas limit; simulations know only what is committed, so they get that sequence."""
        following = self._wallet.account().sequence
        try:
            return self._wallet.estimate(messages)
        except TxRefused as error:
            expected = _EXPECTED.search(error.log)
            if expected is None or int(expected[1]) >= following:
                raise
            self._move(int(expected[1]))
            try:
                return self._wallet.estimate(messages)
            finally:
                self._move(following)

    def _move(self, sequence: int) -> None:
        account = self._wallet.account()
        self._wallet.expect(AccountInfo(account.address, account.number, sequence, account.has_key))
