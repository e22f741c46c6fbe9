"""Balances and supply: every coin that moves, moves here (BANK-1 to BANK-11).

A zero balance is not stored. The supply of a denomination is the sum of its balances after every
transaction. Gas is
charged per read and write as the SDK's gas store would for these keys and values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from chain.app import accounts, keys, records
from chain.app.events import Event
from chain.app.keys import decode_amount, encode_amount
from chain.app.units import AMOUNT_MAX, CoinLike, text
from chain.crypto.addresses import module_address, validate
from chain.errors import AppError, InvariantViolation
from chain.gas import KV_DELETE, KV_READ, KV_READ_BYTE, KV_WRITE, KV_WRITE_BYTE, GasMeter
from chain.std import Coin
from chain.store.overlay import Overlay
from chain.vm.storage import ReadStore

#: gas of what the SDK's bank reads besides the two balances: send-enabled flags, parameters, the
#: sender's account for locked coins, the denomination's address index (16,422 for a plain send)
SEND_READS: Final = 6_178
#: module accounts; what may not receive funds from outside follows wasmd's application
FEE_COLLECTOR: Final = "fee_collector"
WASM: Final = "wasm"
GOV: Final = "gov"
BLOCKED_MODULES: Final = (
    "fee_collector",
    "distribution",
    "mint",
    "wasm",
    "bonded_tokens_pool",
    "not_bonded_tokens_pool",
)


class Bank:
    """Moves coins in one overlay. ``prefix`` is the chain's address prefix."""

    __slots__ = ("blocked", "collector", "gov", "prefix", "wasm")

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.collector = module_address(FEE_COLLECTOR, prefix)
        self.wasm = module_address(WASM, prefix)
        self.gov = module_address(GOV, prefix)
        self.blocked = frozenset(module_address(name, prefix) for name in BLOCKED_MODULES)

    def balance(
        self, store: ReadStore, address: str, denom: str, meter: GasMeter | None = None
    ) -> int:
        """What an address holds of a stored denomination."""
        key = keys.balance(validate(address, self.prefix), denom)
        raw = store.get(key)
        if meter is not None:
            meter.consume(KV_READ + KV_READ_BYTE * (len(key) - 1 + len(raw or b"")), "ReadPerByte")
        return decode_amount(raw)

    def balances(self, store: ReadStore, address: str, meter: GasMeter | None = None) -> list[Coin]:
        """All that an address holds, sorted by denomination."""
        prefix = keys.balances(validate(address, self.prefix))
        found = []
        for key, raw in store.range(prefix, keys.prefix_end(prefix)):
            if meter is not None:
                meter.consume(30 + KV_READ_BYTE * (len(key) - 1 + len(raw)), "IterNextFlat")
            found.append(Coin(key[len(prefix) :].decode(), decode_amount(raw)))
        if meter is not None:
            meter.consume(30, "IterNextFlat")
        return found

    def supply(self, store: ReadStore, denom: str, meter: GasMeter | None = None) -> int:
        """How much of a denomination exists."""
        key = keys.supply(denom)
        raw = store.get(key)
        if meter is not None:
            meter.consume(KV_READ + KV_READ_BYTE * (len(key) - 1 + len(raw or b"")), "ReadPerByte")
        return decode_amount(raw)

    def check_enabled(self, store: ReadStore, coins: Sequence[CoinLike]) -> None:
        """Refuse coins whose sending is switched off by parameter. Raises: AppError bank/5
        (BANK-9).
        """
        raw = store.get(keys.PARAMS)
        disabled = records.decode_params(raw).send_disabled if raw is not None else ()
        for coin in coins if disabled else ():
            if coin.denom in disabled:
                raise AppError(
                    "bank",
                    5,
                    f"{coin.denom} transfers are currently disabled: "
                    "send transactions are disabled",
                )

    def transfer(  # noqa: PLR0917  # who, to whom, what: the order of every send
        self,
        overlay: Overlay,
        meter: GasMeter | None,
        events: list[Event] | None,
        sender: str,
        recipient: str,
        coins: Sequence[CoinLike],
    ) -> None:
        """Move base-unit coins and say so in three events (None: nobody listens); an account is
        made for a new recipient.

        Raises: AppError sdk/5 when the sender is short of any of them; nothing is written then
        except what the
        caller's checkpoint takes back.
        """
        source = validate(sender, self.prefix)
        target = validate(recipient, self.prefix)
        if meter is not None:
            meter.consume(SEND_READS, "ReadFlat")
        for coin in coins:
            _take(overlay, meter, source, coin.denom, coin.amount)
        for coin in coins:
            _give(overlay, meter, target, coin.denom, coin.amount)
        accounts.ensure_exists(overlay, meter, target)
        if events is None:
            return
        amount = text(coins)
        events.append(Event("coin_spent", [("spender", sender), ("amount", amount)]))
        events.append(Event("coin_received", [("receiver", recipient), ("amount", amount)]))
        events.append(
            Event("transfer", [("recipient", recipient), ("sender", sender), ("amount", amount)])
        )

    def spend(
        self,
        overlay: Overlay,
        meter: GasMeter | None,
        events: list[Event],
        sender: str,
        coins: Sequence[CoinLike],
    ) -> None:
        """Take coins for a multi-send. Raises: AppError sdk/5."""
        source = validate(sender, self.prefix)
        for coin in coins:
            _take(overlay, meter, source, coin.denom, coin.amount)
        events.append(Event("coin_spent", [("spender", sender), ("amount", text(coins))]))

    def receive(
        self,
        overlay: Overlay,
        meter: GasMeter | None,
        events: list[Event],
        recipient: str,
        coins: Sequence[CoinLike],
    ) -> None:
        """Give coins that were taken or minted."""
        target = validate(recipient, self.prefix)
        for coin in coins:
            _give(overlay, meter, target, coin.denom, coin.amount)
        accounts.ensure_exists(overlay, meter, target)
        events.append(Event("coin_received", [("receiver", recipient), ("amount", text(coins))]))

    def mint(
        self,
        overlay: Overlay,
        meter: GasMeter | None,
        events: list[Event],
        recipient: str,
        coins: Sequence[CoinLike],
    ) -> None:
        """Create coins in an account."""
        for coin in coins:
            key = keys.supply(coin.denom)
            supply = decode_amount(overlay.get(key)) + coin.amount
            if supply > AMOUNT_MAX:
                raise AppError.wrap("sdk", 10, f"{supply}{coin.denom}")
            overlay.set(key, encode_amount(supply))
        self.receive(overlay, meter, events, recipient, coins)
        events.append(Event("coinbase", [("minter", self.gov), ("amount", text(coins))]))

    def burn(
        self,
        overlay: Overlay,
        meter: GasMeter | None,
        events: list[Event],
        holder: str,
        coins: Sequence[CoinLike],
    ) -> None:
        """Destroy coins of a module account: supply falls by them. Raises: AppError sdk/5."""
        source = validate(holder, self.prefix)
        amount = text(coins)
        for coin in coins:
            _take(overlay, meter, source, coin.denom, coin.amount)
            key = keys.supply(coin.denom)
            left = decode_amount(overlay.get(key)) - coin.amount
            if left < 0:
                raise InvariantViolation(f"supply of {coin.denom} would fall below zero")
            if left:
                overlay.set(key, encode_amount(left))
            else:
                overlay.remove(key)
        events.append(Event("coin_spent", [("spender", holder), ("amount", amount)]))
        events.append(Event("burn", [("burner", holder), ("amount", amount)]))


def _take(
    overlay: Overlay, meter: GasMeter | None, canonical: bytes, denom: str, amount: int
) -> None:
    key = keys.balance(canonical, denom)
    raw = overlay.get(key)
    size = len(key) - 1
    held = 0
    if raw is not None:
        held = int.from_bytes(raw, "big")
        size += len(raw)
    if meter is not None:
        meter.consume(KV_READ + KV_READ_BYTE * size, "ReadPerByte")
    if held < amount:
        raise AppError(
            "sdk",
            5,
            f"spendable balance {held}{denom} is smaller than {int(amount)}{denom}: "
            "insufficient funds",
        )
    _put(overlay, meter, key, held - amount)


def _give(
    overlay: Overlay, meter: GasMeter | None, canonical: bytes, denom: str, amount: int
) -> None:
    key = keys.balance(canonical, denom)
    raw = overlay.get(key)
    held = 0 if raw is None else int.from_bytes(raw, "big")
    if meter is not None:
        meter.consume(KV_READ + KV_READ_BYTE * (len(key) - 1 + len(raw or b"")), "ReadPerByte")
    _put(overlay, meter, key, held + amount)


def _put(overlay: Overlay, meter: GasMeter | None, key: bytes, amount: int) -> None:
    if not amount:
        if meter is not None:
            meter.consume(KV_DELETE, "Delete")
        overlay.remove(key)
        return
    raw = amount.to_bytes((amount.bit_length() + 7) >> 3, "big")
    if meter is not None:
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (len(key) - 1 + len(raw)), "WritePerByte")
    overlay.set(key, raw)
