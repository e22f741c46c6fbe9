"""What each message does besides calling a contract: bank, code, admin and label.

A handler gets the message as it was sent (or dispatched), after its static checks, and gives an
``Outcome`` or, for a
contract call, a ``Frame``. Only a message of the transaction itself emits the ``message`` event
around these.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Callable
from typing import Final

from chain.app import boundary, keys, records
from chain.app.bank import Bank
from chain.app.boundary import lonely_agent
from chain.app.context import Frame, Outcome, TxScope
from chain.app.contracts import CodeSource, Contracts, next_id
from chain.app.dispatch import Handler
from chain.app.events import Event
from chain.app.records import CodeRecord, ContractRecord, Params
from chain.app.static import CODE_MAX
from chain.app.submessages import BurnOf, Nothing
from chain.app.units import convert, list_error, text
from chain.app.wasm import Wasm
from chain.crypto.addresses import AddressError, WrongPrefix, validate
from chain.errors import AppError
from chain.gas import (
    COMPILE_BYTE,
    KV_HAS,
    KV_WRITE,
    KV_WRITE_BYTE,
    GasMeter,
    uncompress_cost,
)
from chain.tx import results
from chain.tx.messages import (
    Coins,
    Msg,
    MsgClearAdmin,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
    MsgMultiSend,
    MsgSend,
    MsgStoreCode,
    MsgUpdateAdmin,
    MsgUpdateContractLabel,
)

#: a contract by its name (the test chain may number it) and the hash of its source; the test chain
#: also gives a code any checksum, after ``=``
_SOURCE: Final = re.compile(r"msgchain:([^@\x00-\x1f\x7f]{1,140})([@=])([0-9a-f]{64})")


class Handlers:
    """The handlers of user messages. ``params`` reads the parameters of an overlay."""

    __slots__ = ("_bank", "_codes", "_contracts", "_params", "_prefix", "_wasm")

    def __init__(
        self,
        bank: Bank,
        wasm: Wasm,
        codes: CodeSource,
        params: Callable[[TxScope], Params],
        prefix: str,
    ) -> None:
        self._bank = bank
        self._wasm = wasm
        self._contracts: Contracts = wasm.contracts
        self._codes = codes
        self._params = params
        self._prefix = prefix

    def table(self) -> dict[type[Msg], Handler]:
        """Message type to handler."""
        return {
            MsgExecuteContract: self._wasm.execute,
            MsgInstantiateContract: self.instantiate,
            MsgInstantiateContract2: self.instantiate,
            MsgMigrateContract: self._wasm.migrate,
            MsgSend: self.send,
            MsgMultiSend: self.multi_send,
            MsgStoreCode: self.store_code,
            MsgUpdateAdmin: self.update_admin,
            MsgClearAdmin: self.clear_admin,
            MsgUpdateContractLabel: self.update_label,
            BurnOf: self.burn,
            Nothing: self.nothing,
        }

    # --- bank -----------------------------------------------------------------------------------

    def send(self, tx: TxScope, message: MsgSend, meter: GasMeter, depth: int) -> Outcome:
        """Move coins (BANK-2 to BANK-6, BANK-9)."""
        meter.consume(KV_HAS, "Has")  # wasmd asks its circuit breaker before anything else
        coins = message.amount
        recipient = self._recipient(message.to_address)
        self._check_coins(coins)
        self._bank.check_enabled(tx.overlay, convert(coins))
        if recipient in self._bank.blocked:
            raise AppError.wrap("sdk", 4, f"{recipient} is not allowed to receive funds")
        self._bank.transfer(
            tx.overlay, meter, tx.events, message.from_address, recipient, convert(coins)
        )
        if depth == 0:
            tx.events.append(Event("message", [("sender", message.from_address)]))
        return Outcome("/cosmos.bank.v1beta1.MsgSendResponse", b"", False)

    def multi_send(
        self, tx: TxScope, message: MsgMultiSend, meter: GasMeter, depth: int
    ) -> Outcome:
        """Move coins from one account to several."""
        meter.consume(KV_HAS, "Has")
        if not message.inputs:
            raise AppError("bank", 2, "no inputs to send transaction")
        if len(message.inputs) != 1:
            raise AppError("bank", 9, "multiple senders not allowed")
        if not message.outputs:
            raise AppError("bank", 3, "no outputs to send transaction")
        source = message.inputs[0]
        self._check_coins(source.coins)
        total: list[tuple[str, int]] = []
        for output in message.outputs:
            self._recipient(output.address, "output")
            self._check_coins(output.coins)
            total.extend((coin.denom, coin.amount) for coin in convert(output.coins))
        sums: dict[str, int] = {}
        for denom, amount in total:
            sums[denom] = sums.get(denom, 0) + amount
        paid = convert(source.coins)
        if sums != {coin.denom: coin.amount for coin in paid}:
            raise AppError("bank", 4, "sum inputs != sum outputs")
        self._bank.check_enabled(tx.overlay, paid)
        for output in message.outputs:
            if output.address in self._bank.blocked:
                raise AppError.wrap("sdk", 4, f"{output.address} is not allowed to receive funds")
        self._bank.spend(tx.overlay, meter, tx.events, source.address, paid)
        if depth == 0:
            tx.events.append(Event("message", [("sender", source.address)]))
        for output in message.outputs:
            coins = convert(output.coins)
            self._bank.receive(tx.overlay, meter, tx.events, output.address, coins)
            tx.events.append(
                Event(
                    "transfer",
                    [
                        ("recipient", output.address),
                        ("sender", source.address),
                        ("amount", text(coins)),
                    ],
                )
            )
        return Outcome("/cosmos.bank.v1beta1.MsgMultiSendResponse", b"", False)

    def burn(self, tx: TxScope, message: BurnOf, meter: GasMeter, depth: int) -> Outcome:
        """A contract burns its own coins: over the wasm module account (BANK-7)."""
        self._check_boundary(tx, message)
        coins = convert(message.amount)
        try:
            self._bank.transfer(
                tx.overlay, meter, tx.events, message.holder, self._bank.wasm, coins
            )
        except AppError as error:
            raise AppError(
                error.codespace, error.code, f"transfer to module: {error.log}"
            ) from None
        self._bank.burn(tx.overlay, meter, tx.events, self._bank.wasm, coins)
        return Outcome("", b"", False)

    def nothing(self, tx: TxScope, message: Nothing, meter: GasMeter, depth: int) -> Outcome:
        """A send of an empty list by a contract (BANK-4)."""
        return Outcome("", b"", False)

    def _recipient(self, address: str, where: str = "to") -> str:
        try:
            validate(address, self._prefix)
        except AddressError as error:
            text = str(error)
            if isinstance(error, WrongPrefix) and where == "to":  # read by another decoder there
                text = (
                    f"hrp does not match bech32 prefix: expected '{error.expected}' "
                    f"got '{error.found}': internal logic error"
                )
            raise AppError.wrap("sdk", 7, f"invalid {where} address: {text}") from None
        return address

    def _check_coins(self, coins: Coins) -> None:
        if not coins or list_error(coins) is not None:
            raise AppError.wrap("sdk", 10, shown(coins))

    # --- code and contracts ---------------------------------------------------------------------

    def instantiate(
        self,
        tx: TxScope,
        message: MsgInstantiateContract | MsgInstantiateContract2,
        meter: GasMeter,
        depth: int,
    ) -> Frame | Outcome:
        """Make a contract, unless the safety boundary forbids it."""
        self._check_boundary(tx, message)
        return self._wasm.instantiate(tx, message, meter, depth)

    def store_code(
        self, tx: TxScope, message: MsgStoreCode, meter: GasMeter, depth: int
    ) -> Outcome:
        """Register a contract that this node knows under the next code id (INST-1).

        Gas: 3 per byte of the contract's source, as wasmd charges per byte of Wasm.
        """
        self._check_boundary(tx, message)
        if message.wasm_byte_code.startswith(_GZIP):
            price = uncompress_cost(len(message.wasm_byte_code))
            meter.consume(price, "Uncompress gzip bytecode")
        sent = _unpacked(message.wasm_byte_code)
        line = sent.decode("utf-8", "replace")
        found = _SOURCE.fullmatch(line)
        if found is None:
            raise AppError.wrap(
                "wasm",
                2,
                "no code comes in over the network: send the line msgchain:<name>@<sha256> of a "
                "contract that this node knows",
            )
        contract = self._codes.resolve(line)
        if contract is None:
            raise AppError.wrap("wasm", 2, f"{line} is not known to this node")
        meter.consume(COMPILE_BYTE * (contract.source_bytes + len(line)), "Compiling wasm bytecode")
        access = message.instantiate_permission
        permission: tuple[str, ...] | None = None
        if access is not None and access.permission != 3:
            permission = access.addresses if access.permission == 4 else ()
        checksum = hashlib.sha256(sent).digest()  # as clients compute it of what they send
        if found[2] == "=":
            checksum = bytes.fromhex(found[3])
        code_id = next_id(tx.overlay, keys.LAST_CODE_ID, meter)
        raw = records.encode(CodeRecord(checksum, message.sender, line, permission))
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (9 + len(raw)), "WritePerByte")
        tx.overlay.set(keys.code(code_id), raw)
        tx.events.append(
            Event("store_code", [("code_checksum", checksum.hex()), ("code_id", str(code_id))])
        )
        return Outcome(results.STORE, results.store_value(code_id, checksum), True)

    def update_admin(
        self, tx: TxScope, message: MsgUpdateAdmin, meter: GasMeter, depth: int
    ) -> Outcome:
        """Hand a contract to another admin (INST-12)."""
        self._set_admin(tx, message.contract, message.sender, message.new_admin, meter)
        return Outcome("/cosmwasm.wasm.v1.MsgUpdateAdminResponse", b"", True)

    def clear_admin(
        self, tx: TxScope, message: MsgClearAdmin, meter: GasMeter, depth: int
    ) -> Outcome:
        """Leave a contract without admin for good."""
        self._set_admin(tx, message.contract, message.sender, "", meter)
        return Outcome("/cosmwasm.wasm.v1.MsgClearAdminResponse", b"", True)

    def update_label(
        self, tx: TxScope, message: MsgUpdateContractLabel, meter: GasMeter, depth: int
    ) -> Outcome:
        """Give a contract another label; its admin may."""
        canonical, record = self._administered(tx, message.contract, message.sender, meter)
        changed = ContractRecord(
            record.code_id,
            record.creator,
            record.admin,
            message.new_label,
            record.created,
            record.history,
        )
        self._contracts.save(tx.overlay, canonical, changed, meter)
        tx.events.append(
            Event(
                "update_contract_label",
                [("_contract_address", message.contract), ("new_label", message.new_label)],
            )
        )
        return Outcome("/cosmwasm.wasm.v1.MsgUpdateContractLabelResponse", b"", True)

    def _set_admin(
        self, tx: TxScope, contract: str, sender: str, admin: str, meter: GasMeter
    ) -> None:
        canonical, record = self._administered(tx, contract, sender, meter)
        changed = ContractRecord(
            record.code_id,
            record.creator,
            admin or None,
            record.label,
            record.created,
            record.history,
        )
        self._contracts.save(tx.overlay, canonical, changed, meter)
        tx.events.append(
            Event(
                "update_contract_admin",
                [("_contract_address", contract), ("new_admin_address", admin)],
            )
        )

    def _administered(
        self, tx: TxScope, contract: str, sender: str, meter: GasMeter
    ) -> tuple[bytes, ContractRecord]:
        canonical = validate(contract, self._prefix)
        record = self._contracts.may_load(tx.overlay, canonical, meter)
        if record is None:
            raise AppError.wrap("sdk", 18, "unknown contract")
        if record.admin != sender:
            raise AppError.wrap("sdk", 4, "can not modify contract")
        return canonical, record

    def _check_boundary(self, tx: TxScope, message: Msg) -> None:
        """Refuse what a lonely agent may not set off (CH-11). Raises: AppError msgchain/1."""
        check_boundary(tx, message, self._params(tx), self._prefix)


def check_boundary(tx: TxScope, message: Msg, params: Params, prefix: str) -> None:
    """Refuse a restricted message when an agent signed this transaction without its owner
    (CH-11).
    """
    agent = tx.restricted or lonely_agent(tx.overlay, params, tx.signers, prefix)
    if agent:
        raise boundary.refusal(agent, boundary.RESTRICTED[type(message)])


def shown(coins: Coins) -> str:
    """Coins as they were sent, for error texts."""
    return ",".join(
        [f"{getattr(coin, 'text', None) or int(coin.amount)}{coin.denom}" for coin in coins]
    )


_GZIP: Final = b"\x1f\x8b\x08"
_GZIP_WINDOW: Final = 31  # zlib's number for a stream in gzip's frame


def _unpacked(raw: bytes) -> bytes:
    """What clients compressed. Raises: AppError wasm/2 for a broken archive or one of too much."""
    if not raw.startswith(_GZIP):
        return raw
    stream = zlib.decompressobj(_GZIP_WINDOW)
    try:
        found = stream.decompress(raw, CODE_MAX + 1)
    except zlib.error as error:
        broken = "gzip: invalid checksum" if "check" in str(error) else "gzip: invalid header"
        raise AppError.wrap("wasm", 2, f"uncompress wasm archive: {broken}") from None
    if len(found) > CODE_MAX:
        raise AppError.wrap(
            "wasm", 2, f"uncompress wasm archive: max {CODE_MAX} bytes: exceeds limit"
        )
    if not stream.eof:
        raise AppError.wrap("wasm", 2, "uncompress wasm archive: unexpected EOF")
    return found
