"""One transaction in an open block: ante, messages, result. Also the same as a simulation, and
privileged calls.
"""

from __future__ import annotations

from typing import Final

from chain.app import gov, static
from chain.app.ante import Ante, Desk, Mode, static_check
from chain.app.bank import Bank
from chain.app.context import BlockScope, PendingFee, TxScope
from chain.app.contracts import CodeSource, Contracts
from chain.app.dev import Dev
from chain.app.dispatch import Dispatcher
from chain.app.events import Event
from chain.app.handlers import Handlers
from chain.app.known import Proof
from chain.app.records import Params
from chain.app.trace import Observer
from chain.app.wasm import Wasm
from chain.block.types import TxResult
from chain.crypto.verify import Verifier
from chain.errors import REGISTERED, AppError
from chain.gas import GasMeter, OutOfGas
from chain.std import TransactionInfo
from chain.tx import results
from chain.tx.messages import Msg, type_url
from chain.tx.value import DEV, Tx
from chain.vm.call import BugWatch, Caller

#: a meter that never ends: privileged work and developer transactions without a limit
ENDLESS: Final = (1 << 63) - 1


class Execution:
    """Runs transactions. One for an App; the state is in the scopes that it is given."""

    __slots__ = ("_hosts", "ante", "bank", "contracts", "dispatcher", "prefix", "wasm")

    def __init__(
        self, codes: CodeSource, verifier: Verifier, prefix: str, on_bug: BugWatch | None = None
    ) -> None:
        self.prefix = prefix
        self.bank = Bank(prefix)
        self.contracts = Contracts(codes, prefix)
        self.wasm = Wasm(self.bank, self.contracts, Caller(on_bug))
        self._hosts = self.wasm.host
        self.ante = Ante(self.bank, verifier, prefix)
        handlers = {
            **Handlers(self.bank, self.wasm, codes, _params_of, prefix).table(),
            **gov.Gov(self.bank, prefix).table(),
            **Dev(self.bank, self.wasm, prefix).table(),
        }
        self.dispatcher = Dispatcher(self.wasm, handlers, prefix)

    def deliver(self, block: BlockScope, tx: Tx, mode: Mode, observer: Observer | None) -> TxResult:
        """Run one transaction in the open block; whatever it is, it gets a result.

        Raises only InvariantViolation.
        """
        overlay = block.overlay
        params = gov.load_params(overlay)
        start = overlay.checkpoint()
        meter = GasMeter(_limit(tx, params, mode))
        events: list[Event] = []
        try:
            messages = static_check(
                tx, block.chain, params, block.info.height, self.prefix, mode.sound
            )
            if 0 <= params.block_max_gas < block.gas_wanted + tx.gas_limit:
                raise AppError.wrap("sdk", 11, "no block gas left to run tx")
            if tx.form == DEV:
                passed = self.ante.developer(tx, messages, overlay, events, params)
            else:
                desk = Desk(overlay, meter, events, block.chain, params, mode)
                passed = self.ante.run(tx, messages, desk)
        except AppError as error:
            overlay.rollback(start)
            return _refused(error, tx, meter, [])
        except OutOfGas as error:
            overlay.rollback(start)
            return _refused(_out_of_gas(error, meter), tx, meter, [])
        block.gas_wanted += tx.gas_limit
        index = block.index
        block.index += 1  # one that was refused before its messages does not count (TX-7)
        scope = TxScope(block, overlay, meter, passed.signers, TransactionInfo(index), events)
        scope.restricted = passed.restricted
        scope.hosts = self._hosts
        scope.observer = observer
        result = self._run(scope, tx, messages)
        if passed.reserved:
            charged = min(meter.used, meter.limit) * params.gas_price
            block.fees.append(
                PendingFee(
                    passed.payer, passed.reserved, min(charged, passed.reserved), scope.creators
                )
            )
        return result

    def _run(self, scope: TxScope, tx: Tx, messages: tuple[Msg, ...]) -> TxResult:
        """Run the messages of a transaction that has paid: all of them or none (TX-1)."""
        overlay, meter, events = scope.overlay, scope.meter, scope.events
        before = overlay.checkpoint()
        mark = len(events)
        responses: list[tuple[str, bytes]] = []
        try:
            for message in messages:
                responses.append(self._run_message(scope, message, len(responses)))
        except AppError as error:
            overlay.rollback(before)
            del events[mark:]
            log = f"failed to execute message; message index: {len(responses)}: {error.log}"
            return _refused(AppError(error.codespace, error.code, log), tx, meter, events)
        except OutOfGas as error:
            overlay.rollback(before)
            del events[mark:]
            return _refused(_out_of_gas(error, meter), tx, meter, events)
        data = results.encode_tx_data(responses)
        return TxResult(0, "", "", "", data, tx.gas_limit, meter.used, events)

    def _run_message(self, scope: TxScope, message: Msg, index: int) -> tuple[str, bytes]:
        events = scope.events
        mark = len(events)
        url = type_url(message)
        events.append(
            Event(
                "message", [("action", url), ("sender", message.signer), ("module", message.MODULE)]
            )
        )
        outcome = self.dispatcher.run(scope, message)
        position = ("msg_index", str(index))
        for event in events[mark:]:
            event.attributes.append(position)
        return outcome.type_url or f"{url}Response", outcome.value

    def check(
        self, block: BlockScope, tx: Tx, mode: Mode
    ) -> tuple[AppError | None, int, tuple[Proof, ...]]:
        """The ante alone, in the check state: what refuses the transaction, None when it may
        enter the pool; the gas that this took; and the signatures that hold.
        """
        overlay = block.overlay
        params = gov.load_params(overlay)
        start = overlay.checkpoint()
        meter = GasMeter(_limit(tx, params, mode))
        try:
            messages = static_check(
                tx, block.chain, params, block.info.height, self.prefix, mode.sound
            )
            if tx.form == DEV:
                passed = self.ante.developer(tx, messages, overlay, [], params)
            else:
                desk = Desk(overlay, meter, None, block.chain, params, mode)
                passed = self.ante.run(tx, messages, desk)
        except AppError as error:
            overlay.rollback(start)
            return error, meter.used, ()
        except OutOfGas as error:
            overlay.rollback(start)
            return _out_of_gas(error, meter), meter.used, ()
        return None, meter.used, passed.proofs

    def privileged_sudo(
        self, block: BlockScope, contract: str, msg: bytes, gas_limit: int
    ) -> AppError | None:
        """Call a contract's ``sudo`` outside of transactions; its events are the block's, a
        failure is returned.
        """
        meter = GasMeter(gas_limit)
        scope = TxScope(block, block.overlay, meter, (), None, [])
        scope.hosts = self._hosts
        before = block.overlay.checkpoint()
        try:
            self.dispatcher.drive(scope, self.wasm.sudo(scope, contract, msg, meter))
        except AppError as error:
            block.overlay.rollback(before)
            return error
        except OutOfGas as error:
            block.overlay.rollback(before)
            return _out_of_gas(error, meter)
        if len(scope.events) > 1 or block.overlay.checkpoint() != before:
            block.events.extend(
                scope.events
            )  # nothing due: no event, so the app hash rests (CH-13)
        return None

    def genesis_message(self, block: BlockScope, message: Msg) -> list[Event]:
        """Run a message of the genesis file, without fee, limit or signature. Raises: AppError."""
        static.check(message, self.prefix)
        scope = TxScope(block, block.overlay, GasMeter(ENDLESS), (), None, [])
        scope.hosts = self._hosts
        try:
            self.dispatcher.run(scope, message)
        except OutOfGas:
            raise AppError.wrap("sdk", 11, "genesis message") from None
        return scope.events


def _limit(tx: Tx, params: Params, mode: Mode) -> int:
    """The gas limit that a transaction runs under."""
    if mode.simulate:
        return params.query_gas_limit
    return tx.gas_limit if tx.gas_limit or tx.form != DEV else ENDLESS


def _params_of(scope: TxScope) -> Params:
    return gov.load_params(scope.overlay)


def _out_of_gas(error: OutOfGas, meter: GasMeter) -> AppError:
    return AppError(
        "sdk",
        11,
        f"out of gas in location: {error.what}; gasWanted: {meter.limit}, gasUsed: {meter.used}: "
        f"{REGISTERED['sdk', 11]}",
    )


def _refused(error: AppError, tx: Tx, meter: GasMeter, events: list[Event]) -> TxResult:
    used = min(meter.used, meter.limit)
    return TxResult(error.code, error.codespace, error.log, "", b"", tx.gas_limit, used, events)
