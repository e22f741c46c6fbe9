"""The history of a chain as a short Python script that does the same again."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from chain.testing.results import instantiated_address
from chain.tx.messages import (
    DevExecute,
    DevFund,
    DevSudo,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgMigrateContract,
    MsgSend,
    MsgStoreCode,
)
from chain.vm.contract import Contract

if TYPE_CHECKING:
    from chain.testing.chain import Chain
    from chain.tx.value import Tx


#: stands where the run of a machine begins, behind its set
RUN: Final = "# --- the run ---"


class _Writer:
    """Collects lines; addresses appear under their names."""

    def __init__(
        self, names: Mapping[str, str], codes: Mapping[str, Contract], places: Mapping[bytes, str]
    ) -> None:
        self.places = places
        self.names = {address: _variable(name) for address, name in names.items()}
        self.codes = codes
        self.imports: dict[str, None] = {"from chain.testing import Chain": None}
        self.body: list[str] = []
        self.contracts = 0
        self.code_id = 0
        self.used: dict[str, None] = {}

    def who(self, address: str) -> str:
        name = self.names.get(address)
        if name is None:
            return repr(address)
        self.used[address] = None
        return name

    def made(self, message: Any, data: bytes) -> None:
        """A contract that nobody named is called as its label."""
        inner = message.messages[-1] if isinstance(message, DevExecute) else message
        address = instantiated_address(data)
        if isinstance(inner, MsgInstantiateContract) and address and address not in self.names:
            self.names[address] = _variable(inner.label)

    def value(self, value: Any) -> str:
        """Python text of plain JSON with names for addresses."""
        if isinstance(value, str):
            return self.who(value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.value(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(self.value(inner) for inner in value) + "]"
        return repr(value)

    def message(self, raw: bytes) -> str:
        try:
            return self.value(msgspec.json.decode(raw))
        except msgspec.DecodeError:
            return repr(bytes(raw))

    def transaction(self, messages: Iterable[Any], failed: str) -> None:
        """One line a message."""
        note = f"  # {failed}" if failed else ""
        entry = "try_" if failed else ""
        for message in messages:
            self.body.append(self._line(message, entry) + note)

    def _line(self, message: Any, entry: str) -> str:
        if isinstance(message, DevExecute):
            lines = [self._line(inner, entry) for inner in message.messages]
            return "\n".join(lines)
        if isinstance(message, MsgExecuteContract):
            body = self.message(message.msg)
            sender = self.who(message.sender)
            funds = f", funds={_coins(message.funds)}" if message.funds else ""
            target = self.who(message.contract)
            return f"chain.{entry}execute({target}, {body}, sender={sender}{funds})"
        if isinstance(message, MsgInstantiateContract):
            sender, body = self.who(message.sender), self.message(message.msg)
            target = "_" if entry else _variable(message.label)
            funds = f", funds={_coins(message.funds)}" if message.funds else ""
            return (
                f"{target} = chain.{entry}instantiate({message.code_id}, {body}, sender={sender}, "
                f"label={message.label!r}{funds}, admin={self.who(message.admin)})"
            )
        if isinstance(message, MsgStoreCode):
            return f"chain.store_code({self._source(message.wasm_byte_code.decode())})"
        if isinstance(message, MsgSend):
            return (
                f"chain.{entry}send({self.who(message.from_address)}, "
                f"{self.who(message.to_address)}, {_coins(message.amount)})"
            )
        if isinstance(message, MsgMigrateContract):
            return (
                f"chain.{entry}migrate({self.who(message.contract)}, {message.code_id}, "
                f"{self.message(message.msg)}, sender={self.who(message.sender)})"
            )
        if isinstance(message, DevFund):
            return f"chain.fund({self.who(message.address)}, {_coins(message.amount)})"
        if isinstance(message, DevSudo):
            return f"chain.sudo({self.who(message.contract)}, {self.message(message.msg)})"
        return f"# {type(message).__name__}: {message}"

    def _source(self, line: str) -> str:
        """How the script names a contract: a folder, or a value that is imported."""
        contract = self.codes.get(line)
        if contract is None or contract.source:
            return repr(self.places.get(contract.checksum, contract.name) if contract else line)
        module = contract.source_ref.module
        for name, value in (
            vars(sys.modules.get(module, object())).items() if module in sys.modules else ()
        ):
            if value is contract:
                self.imports[f"from {module} import {name}"] = None
                return name
        return f"{contract.name}  # the Contract value made in {module}"


def _variable(name: str) -> str:
    made = "".join(char if char.isalnum() else "_" for char in name)
    return made if made and not made[0].isdigit() else f"c_{made}"


def _coins(coins: Iterable[Any]) -> str:
    given = list(coins)
    denoms = [coin.denom for coin in given]
    plain = all(denom.isalpha() for denom in denoms)
    if plain and denoms == sorted({*denoms}):
        return repr(",".join(f"{coin.amount}{coin.denom}" for coin in given))
    return json.dumps([{"denom": coin.denom, "amount": str(coin.amount)} for coin in given])


def lines_of(chain: Chain, tx: Tx) -> list[str]:
    """One transaction as Python, a line a message.

    >>> from chain.testing import Chain
    >>> chain = Chain()
    >>> alice = chain.account("alice", "5msg")
    >>> lines_of(chain, chain._engine.txs[-1])
    ["chain.fund(alice, '5msg')"]
    """
    engine = chain._engine
    writer = _Writer(engine.named, engine.codes.known, engine.codes.places)
    writer.transaction(tx.messages, "")
    return writer.body


def script(
    chain: Chain,
    names: Mapping[str, str] | None = None,
    *,
    since: int = 0,
    mark: int = 0,
    refused: bool = True,
) -> str:
    """Write what happened on a chain as Python that does it again.

    ``names`` are used for addresses, besides those of ``account``. ``since``: leave out the
    transactions before this number of them, apart from what makes accounts. ``mark``: say where the
    block of this height begins. ``refused=False`` leaves out calls that were refused, which changed
    nothing, but for the last one.

    >>> from chain.testing import Chain
    >>> chain = Chain()
    >>> alice, bob = chain.account("alice", "5msg"), chain.account("bob", "")
    >>> _ = chain.send(alice, bob, "3amsg")
    >>> print(script(chain))
    from chain.testing import Chain
    <BLANKLINE>
    chain = Chain()
    alice = chain.account("alice", "")
    bob = chain.account("bob", "")
    chain.fund(alice, '5msg')
    chain.send(alice, bob, '3amsg')
    """
    engine = chain._engine
    given = {**engine.named, **(names or {})}
    writer = _Writer(given, engine.codes.known, engine.codes.places)
    height, time = engine.genesis.genesis.initial_height, engine.genesis.genesis.time
    number = 0
    blocks = [(closed.block, closed.txs, closed.results) for closed in chain._history.closed]
    blocks.append((engine.block, engine.txs, engine.app.open_results))
    total = sum(len(txs) for _, txs, _ in blocks)
    for block, txs, results in blocks:
        if number >= since and (block.height, block.time) != (height, time):
            writer.body.append(_step(block, height, time, engine.genesis.genesis.interval))
        if mark and height < mark <= block.height:
            writer.body.append(RUN)
        height, time = block.height, block.time
        for tx, result in zip(txs, results, strict=False):
            number += 1
            last = number == total
            if number > since and (refused or not result.code or last):
                for message in tx.messages:
                    writer.made(message, result.data)
                failed = f"{result.codespace}/{result.code}" if result.code else ""
                writer.transaction(tx.messages, failed)
    accounts = [
        f'{writer.names[address]} = chain.account("{name}", "")'
        for address, name in engine.named.items()
        if address in writer.used
    ]
    return "\n".join([*writer.imports, "", "chain = Chain()", *accounts, *writer.body])


def _step(block: Any, height: int, time: int, interval: int) -> str:
    if block.height == height + 1 and block.time == time + interval:
        return "chain.next_block()"
    if block.height == height + 1:
        return f"chain.next_block(); chain.set_time({block.time})"
    return f"chain.set_height({block.height}); chain.set_time({block.time})"
