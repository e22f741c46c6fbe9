"""The developer messages of a devnet (CH-8): so that also a tester's changes are transactions, in
the log, and replay.
"""

from __future__ import annotations

from chain.app.bank import Bank
from chain.app.context import Frame, Outcome, TxScope
from chain.app.dispatch import Handler
from chain.app.events import Event
from chain.app.gov import changed_params, load_params, set_params
from chain.app.handlers import shown
from chain.app.units import convert, list_error
from chain.app.wasm import Wasm
from chain.crypto.addresses import AddressError, validate
from chain.errors import AppError
from chain.gas import GasMeter
from chain.tx.messages import DevFund, DevHeight, DevSetParams, DevSudo, DevTime, Msg


class Dev:
    """The handlers of developer messages; the ante has checked that genesis allows them."""

    __slots__ = ("_bank", "_prefix", "_wasm")

    def __init__(self, bank: Bank, wasm: Wasm, prefix: str) -> None:
        self._bank = bank
        self._wasm = wasm
        self._prefix = prefix

    def table(self) -> dict[type[Msg], Handler]:
        """Message type to handler."""
        return {
            DevFund: self.fund,
            DevSudo: self.sudo,
            DevSetParams: self.set_params,
            DevTime: self.time,
            DevHeight: self.height,
        }

    def fund(self, tx: TxScope, message: DevFund, meter: GasMeter, depth: int) -> Outcome:
        """Create coins in an account."""
        self._check_address(message.address)
        if list_error(message.amount) is not None:
            raise AppError.wrap("sdk", 10, shown(message.amount))
        self._bank.mint(tx.overlay, None, tx.events, message.address, convert(message.amount))
        return Outcome("/msgchain.dev.v1.DevFundResponse", b"", False)

    def sudo(self, tx: TxScope, message: DevSudo, meter: GasMeter, depth: int) -> Frame | Outcome:
        """Call a contract's ``sudo``."""
        self._check_address(message.contract)
        return self._wasm.sudo(tx, message.contract, message.msg, meter)

    def set_params(
        self, tx: TxScope, message: DevSetParams, meter: GasMeter, depth: int
    ) -> Outcome:
        """Change parameters by name."""
        made = changed_params(load_params(tx.overlay), message.params, self._prefix)
        set_params(tx, made, message.params, None)
        return Outcome("/msgchain.dev.v1.DevSetParamsResponse", b"", False)

    def time(self, tx: TxScope, message: DevTime, meter: GasMeter, depth: int) -> Outcome:
        """Say in the log that the driver moved the clock; the block's header is what counts."""
        tx.events.append(Event("dev_time", [("time", str(message.time_ns))]))
        return Outcome("/msgchain.dev.v1.DevTimeResponse", b"", False)

    def height(self, tx: TxScope, message: DevHeight, meter: GasMeter, depth: int) -> Outcome:
        """Say in the log that the driver moved the height."""
        tx.events.append(Event("dev_height", [("height", str(message.height))]))
        return Outcome("/msgchain.dev.v1.DevHeightResponse", b"", False)

    def _check_address(self, address: str) -> None:
        try:
            validate(address, self._prefix)
        except AddressError as error:
            raise AppError.wrap("sdk", 7, f"invalid address: {error}") from None
