"""Keys and sequences: who signs, in which of the two forms, and what it may cost.

A wallet asks the chain for number and sequence once, then counts itself, so that it can send one
transaction after another. Gas is estimated by a simulation with signatures of zeros, which are as
long as real ones; the fee ceiling is the limit times the chain's gas price, and what is not used
comes back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from chain.client.transport import (
    AccountInfo,
    ChainError,
    Outcome,
    TimedOut,
    Transport,
    TxFailed,
    TxRefused,
)
from chain.crypto.keys import ML_DSA_87, MlDsa87Key, PrivateKey
from chain.tx import native
from chain.tx.builder import (
    build_cosmos_direct,
    coins,
    cosmos_auth_info,
    cosmos_body,
    cosmos_raw,
    native_body,
    sign_native,
)
from chain.tx.messages import Amount, Coin, Coins, Msg, MsgExecuteContract, MsgSend
from chain.tx.native import SignerInfo

#: the wire forms
NATIVE: Final = "native"
COSMOS: Final = "cosmos"
#: Gas limit over what a simulation used, in hundredths: state may change until the block.
GAS_MARGIN_PERCENT: Final = 130
_SIGNATURE_BYTES: Final = {ML_DSA_87: 4_627}
_WRONG_SEQUENCE: Final = ("sdk", 32)


def form_of(key: PrivateKey) -> str:
    """The form that fits a key: native for ML-DSA, Cosmos for all others."""
    return NATIVE if key.pubkey.type == ML_DSA_87 else COSMOS


def funds(text: str) -> Coins:
    """Coins from text such as ``5msg`` or ``5umsg,2utok``. Raises: ValueError."""
    return coins(text)


def execute(sender: str, contract: str, msg: dict[str, Any], attached: str = "") -> Msg:
    """A contract call; ``msg`` is plain JSON."""
    body = json.dumps(msg, ensure_ascii=False, separators=(",", ":")).encode()
    return MsgExecuteContract(sender, contract, body, funds(attached))


class Wallet:
    """One account's key on one chain."""

    def __init__(self, key: PrivateKey, transport: Transport, *, form: str = "") -> None:
        self.key = key
        self.transport = transport
        self.form = form or form_of(key)
        self.address = key.pubkey.address()
        self._account: AccountInfo | None = None

    @classmethod
    def from_seed(cls, seed: bytes, transport: Transport) -> Wallet:
        """The wallet of a native account."""
        return cls(MlDsa87Key(seed), transport)

    # --- account ---------------------------------------------------------------------------------

    def account(self) -> AccountInfo:
        """Number and next sequence. Raises: ChainError for an account that nobody has paid yet."""
        if self._account is None:
            found = self.transport.account(self.address)
            if found is None:
                raise ChainError(
                    "sdk", 9, f"account {self.address} does not exist; send it some coins first"
                )
            self._account = found
        return self._account

    def forget(self) -> None:
        """Ask the chain again before the next transaction."""
        self._account = None

    def expect(self, account: AccountInfo) -> None:
        """Take number and sequence as given for the next transaction."""
        self._account = account

    def balance(self, denom: str = "amsg") -> int:
        """What the account has."""
        return self.transport.balance(self.address, denom)

    # --- building --------------------------------------------------------------------------------

    def estimate(
        self, messages: Sequence[Msg], *, cosigners: Sequence[Wallet] = (), memo: str = ""
    ) -> int:
        """A gas limit for the messages. Raises: TxRefused with what they would run into."""
        found = self.transport.simulate(self._unsigned(messages, cosigners, memo))
        if found.code:
            raise TxRefused(found.codespace, found.code, found.log)
        return found.gas_used * GAS_MARGIN_PERCENT // 100

    def sign(
        self,
        messages: Sequence[Msg],
        gas_limit: int,
        *,
        cosigners: Sequence[Wallet] = (),
        memo: str = "",
        timeout_height: int = 0,
    ) -> bytes:
        """The signed transaction with the next sequences; nothing is sent."""
        signers = (self, *cosigners)
        fee = self._fee(gas_limit)
        if self.form == COSMOS:
            return build_cosmos_direct(
                messages,
                [signer.key for signer in signers],
                chain_id=self.transport.chain_id,
                account_numbers=[signer.account().number for signer in signers],
                sequences=[signer.account().sequence for signer in signers],
                gas_limit=gas_limit,
                fee=fee,
                memo=memo,
                timeout_height=timeout_height,
            )
        body = self._body(messages, signers, gas_limit, memo=memo, timeout_height=timeout_height)
        signatures = [
            sign_native(body, index, signer.account().number, signer.key)
            for index, signer in enumerate(signers)
        ]
        return native.encode_envelope(body, signatures)

    def _fee(self, gas_limit: int) -> Coins:
        amount = gas_limit * self.transport.gas_price
        return (Coin("amsg", Amount(amount)),) if amount else ()

    def _body(
        self,
        messages: Sequence[Msg],
        signers: Sequence[Wallet],
        gas_limit: int,
        *,
        memo: str,
        timeout_height: int = 0,
    ) -> bytes:
        infos = [signer._signer_info() for signer in signers]
        return native_body(
            messages,
            infos,
            chain_id=self.transport.chain_id,
            gas_limit=gas_limit,
            fee=self._fee(gas_limit),
            memo=memo,
            timeout_height=timeout_height,
        )

    def _signer_info(self) -> SignerInfo:
        account = self.account()
        key = None if account.has_key else self.key.pubkey
        return SignerInfo(self.address, key, account.sequence)

    def _unsigned(self, messages: Sequence[Msg], cosigners: Sequence[Wallet], memo: str) -> bytes:
        signers = (self, *cosigners)
        blanks = [bytes(_SIGNATURE_BYTES.get(signer.key.pubkey.type, 64)) for signer in signers]
        if self.form == COSMOS:
            auth = cosmos_auth_info(
                [signer.key.pubkey for signer in signers],
                [signer.account().sequence for signer in signers],
                gas_limit=1,
                fee=self._fee(1),
            )
            return cosmos_raw(cosmos_body(messages, memo), auth, blanks)
        body = self._body(messages, signers, 1, memo=memo)
        return native.encode_envelope(body, blanks)

    # --- sending ---------------------------------------------------------------------------------

    def send(
        self,
        messages: Sequence[Msg],
        *,
        gas_limit: int = 0,
        cosigners: Sequence[Wallet] = (),
        memo: str = "",
    ) -> Outcome:
        """Estimate (where no limit is given), sign, send, and wait for the block.

        After a sequence that others used up, it asks the chain and tries once more. Raises:
        TxRefused, TxFailed, TimedOut.
        """
        try:
            outcome = self._send(messages, gas_limit, cosigners, memo)
        except TxRefused as error:
            self._forget(cosigners)
            if (error.codespace, error.code) != _WRONG_SEQUENCE:
                raise
            outcome = self._send(messages, gas_limit, cosigners, memo)
        except TimedOut:  # it may still get in
            self._forget(cosigners)
            raise
        if outcome.code:
            raise TxFailed(outcome)
        return outcome

    def _send(
        self, messages: Sequence[Msg], gas_limit: int, cosigners: Sequence[Wallet], memo: str
    ) -> Outcome:
        limit = gas_limit or self.estimate(messages, cosigners=cosigners, memo=memo)
        raw = self.sign(messages, limit, cosigners=cosigners, memo=memo)
        outcome = self.transport.broadcast(raw)
        for signer in (self, *cosigners):
            signer._used()
        return outcome

    def _forget(self, cosigners: Sequence[Wallet]) -> None:
        for signer in (self, *cosigners):
            signer.forget()

    def _used(self) -> None:
        account = self.account()
        self._account = AccountInfo(account.address, account.number, account.sequence + 1, True)

    def execute(
        self, contract: str, msg: dict[str, Any], attached: str = "", *, gas_limit: int = 0
    ) -> Outcome:
        """One contract call."""
        return self.send([execute(self.address, contract, msg, attached)], gas_limit=gas_limit)

    def pay(self, to: str, amount: str, *, memo: str = "") -> Outcome:
        """Send coins such as ``5msg``."""
        return self.send([MsgSend(self.address, to, funds(amount))], memo=memo)
