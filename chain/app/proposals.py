"""What an honest proposer puts into a block: a pure function of the committed state and the bytes.

A pool may hold a sender's transactions in another order than the App took them in: CometBFT 0.38
hears one transaction from several peers at once and may list a later one first. So a proposal is
put in the order of the sequences, and what has no predecessor in it goes on waiting: in a block
it would fail.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from chain.app import accounts
from chain.app.records import Params
from chain.crypto.addresses import AddressError, validate
from chain.errors import AppError
from chain.tx.codec import decode_tx
from chain.tx.value import Tx
from chain.vm.storage import ReadStore

#: the account and the sequence that a transaction waits for
Turn = tuple[str, int]
#: of a transaction whose turn has passed: its sequence was used, or its last height is behind
PAST: Final[Turn] = ("", -1)


class Basis(NamedTuple):
    """What a proposal stands on: the committed state and the height of the next block."""

    state: ReadStore
    params: Params
    height: int
    decode: Callable[[bytes], Tx] = decode_tx
    prefix: str = "msg"


class _Sequences:
    """The sequences that the accounts will have after the transactions taken so far."""

    __slots__ = ("_basis", "_next")

    def __init__(self, basis: Basis) -> None:
        self._basis = basis
        self._next: dict[str, int] = {}

    def waits_for(self, tx: Tx) -> Turn | None:
        """The turn that a transaction waits for, None when it is its own."""
        if tx.timeout_height and self._basis.height > tx.timeout_height:
            return PAST
        for signer in tx.signers:
            due = self._next.get(signer.address)
            if due is None:
                due = self._next[signer.address] = self._committed(signer.address)
            if signer.sequence != due:
                return PAST if signer.sequence < due else (signer.address, signer.sequence)
        return None

    def take(self, tx: Tx) -> list[Turn]:
        """Count a transaction; gives the turns that have come by it."""
        turns = turns_after(tx)
        self._next.update(turns)
        return turns

    def _committed(self, address: str) -> int:
        try:
            account = accounts.may_load(self._basis.state, validate(address, self._basis.prefix))
        except AddressError:
            return 0
        return 0 if account is None else account.sequence


def waits_for(tx: Tx, basis: Basis) -> Turn | None:
    """The turn that a transaction waits for in a state, None when it is its own."""
    return _Sequences(basis).waits_for(tx)


def turns_after(tx: Tx) -> list[Turn]:
    """The turns that come by a transaction."""
    return [(signer.address, signer.sequence + 1) for signer in tx.signers]


def prepare(txs: Sequence[bytes], max_tx_bytes: int, basis: Basis) -> list[bytes]:
    """The given transactions, each once and each sender's by sequence, as far as bytes and gas of
    a block go, without what is no transaction, too large for one, or not due.

    Bytes are counted as CometBFT counts them: each with its protobuf tag and length.
    """
    params = basis.params
    chosen: dict[bytes, None] = {}
    sequences = _Sequences(basis)
    waiting: dict[Turn, list[bytes]] = {}
    room = min(max_tx_bytes, params.block_max_bytes)
    size = gas = 0
    for given in txs:
        due = [given]
        while due:
            raw = due.pop()
            framed = framed_size(raw)
            tx = _proposable(raw, basis)
            if tx is None or raw in chosen or size + framed > room:
                continue
            if 0 <= params.block_max_gas < gas + tx.gas_limit:
                continue
            turn = sequences.waits_for(tx)
            if turn is not None:
                if turn is not PAST:
                    waiting.setdefault(turn, []).append(raw)
                continue
            size += framed
            gas += tx.gas_limit
            chosen[raw] = None
            for turn in sequences.take(tx):
                due += waiting.pop(turn, ())
    return list(chosen)


def accepts(txs: Sequence[bytes], basis: Basis) -> bool:
    """Whether ``prepare`` can have made this: everything decodes and is due where it stands,
    nothing is too large or there twice, and bytes and gas fit.
    """
    if len(set(txs)) != len(txs):
        return False
    params = basis.params
    sequences = _Sequences(basis)
    size = gas = 0
    for raw in txs:
        tx = _proposable(raw, basis)
        if tx is None or sequences.waits_for(tx) is not None:
            return False
        sequences.take(tx)
        gas += tx.gas_limit
        size += framed_size(raw)
    return size <= params.block_max_bytes and not 0 <= params.block_max_gas < gas


def _proposable(raw: bytes, basis: Basis) -> Tx | None:
    """The transaction of these bytes, None for bytes that are no transaction of this chain."""
    if len(raw) > basis.params.tx_max_bytes:
        return None
    try:
        return basis.decode(raw)
    except AppError:
        return None


def framed_size(raw: bytes) -> int:
    """Bytes that a transaction takes in a block: itself, its tag and its length."""
    return len(raw) + 1 + max(1, (len(raw).bit_length() + 6) // 7)
