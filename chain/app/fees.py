"""Fees: reserved before execution, settled after the block's last transaction (CH-4, CH-5).

The whole ceiling moves to the fee collector first. Afterwards what was not used goes back and the
charge is split: 40 % to the block's proposer, 30 % to the creators of the contracts that ran (by
gas), 10 % to the treasury, and the rest, 20 % and every remainder, is burned. Shares are whole
amsg and add up to the charge.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from chain.app.bank import Bank
from chain.app.context import PendingFee
from chain.app.events import Event
from chain.app.units import BASE
from chain.errors import InvariantViolation
from chain.std import Coin
from chain.store.overlay import Overlay

VALIDATORS_PERCENT: Final = 40
DEVELOPERS_PERCENT: Final = 30
TREASURY_PERCENT: Final = 10


class Split(NamedTuple):
    """The shares of one fee."""

    validator: int
    developers: dict[str, int]
    treasury: int
    burned: int


def split(fee: int, creators: Mapping[str, int]) -> Split:
    """Divide a fee; ``creators`` is gas by contract creator, empty when no contract ran (then the
    treasury has it).
    """
    validator = fee * VALIDATORS_PERCENT // 100
    treasury = fee * TREASURY_PERCENT // 100
    pool = fee * DEVELOPERS_PERCENT // 100
    total = sum(creators.values())
    shares: dict[str, int] = {}
    if total <= 0:
        treasury += pool
    else:
        for creator in sorted(creators):
            share = pool * creators[creator] // total
            if share:
                shares[creator] = share
    burned = fee - validator - treasury - sum(shares.values())
    return Split(validator, shares, treasury, burned)


def settle(
    bank: Bank,
    overlay: Overlay,
    events: list[Event],
    fees: list[PendingFee],
    *,
    payout: str,
    treasury: str,
) -> None:
    """Empty the fee collector: refunds by payer, then the shares by recipient, then the burn.

    ``payout`` is the proposer's account, empty when it has none: its share is the treasury's.
    Without a treasury its
    shares are burned.
    """
    refunds: dict[str, int] = {}
    developers: dict[str, int] = {}
    validator = treasury_share = burned = reserved = 0
    for fee in fees:
        reserved += fee.reserved
        back = fee.reserved - fee.charged
        if back:
            refunds[fee.payer] = refunds.get(fee.payer, 0) + back
        if not fee.charged:
            continue
        shares = split(fee.charged, fee.creators)
        validator += shares.validator
        treasury_share += shares.treasury
        burned += shares.burned
        for creator, amount in shares.developers.items():
            developers[creator] = developers.get(creator, 0) + amount
    if not payout:
        treasury_share += validator
        validator = 0
    if not treasury:
        burned += treasury_share
        treasury_share = 0
    paid = sum(refunds.values()) + sum(developers.values()) + validator + treasury_share + burned
    if paid != reserved:
        raise InvariantViolation(f"fees do not add up: {reserved} reserved, {paid} settled")
    ledger = (bank, overlay, events)
    for payer, amount in refunds.items():
        _pay(ledger, payer, amount, "fee_refund", "")
    if validator:
        _pay(ledger, payout, validator, "fee_share", "validator")
    for creator in sorted(developers):
        _pay(ledger, creator, developers[creator], "fee_share", "developer")
    if treasury_share:
        _pay(ledger, treasury, treasury_share, "fee_share", "treasury")
    if burned:
        coins = (Coin(BASE, burned),)
        bank.burn(overlay, None, events, bank.collector, coins)
        events.append(
            Event(
                "fee_share", [("share", "burn"), ("recipient", ""), ("amount", f"{burned}{BASE}")]
            )
        )


def _pay(
    ledger: tuple[Bank, Overlay, list[Event]],
    recipient: str,
    amount: int,
    kind: str,
    share: str,
) -> None:
    bank, overlay, events = ledger
    bank.transfer(overlay, None, events, bank.collector, recipient, (Coin(BASE, amount),))
    attributes = [("recipient", recipient), ("amount", f"{amount}{BASE}")]
    events.append(Event(kind, [("share", share), *attributes] if share else attributes))
