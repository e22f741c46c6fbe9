"""The test chain's calls: accounts, codes, contracts, transactions, queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from chain.app.records import ContractRecord
from chain.block.types import TxResult
from chain.errors import AppError
from chain.std import Coin, encode, encode_message
from chain.testing.codes import ContractLike
from chain.testing.coins import CoinsLike, parse_coins
from chain.testing.engine import Engine, account_address
from chain.testing.results import ExecTxResult, TxFailed, stored_code_id
from chain.testing.sending import transaction_messages
from chain.tx.messages import (
    AccessConfig,
    DevFund,
    DevSudo,
    Msg,
    MsgClearAdmin,
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMigrateContract,
    MsgSend,
    MsgStoreCode,
    MsgUpdateAdmin,
)

_NOBODY, _ANY_OF = 1, 4


class ChainCalls:
    """Everything of ``Chain`` but blocks and snapshots. Any valid address may be a ``sender``, with
    or without key.
    """

    _engine: Engine
    _auto_block: bool

    def _setup(self, engine: Engine, *, auto_block: bool) -> None:
        self._engine = engine
        self._auto_block = auto_block

    def _end_of_transaction(self) -> None:
        """Called after each transaction of a chain with ``auto_block``."""

    def _run(self, message: Msg, gas_limit: int | None = None) -> ExecTxResult:
        """One transaction of one message by its sender."""
        result = ExecTxResult(self._engine.deliver((message,), gas_limit))
        if self._auto_block:
            self._end_of_transaction()
        return result

    def _run_again(self, messages: tuple[Any, ...]) -> None:
        """One transaction of messages as a log has them; a refusal is part of the story."""
        engine = self._engine
        developer = isinstance(messages[0], DevFund | DevSudo)
        if developer:
            engine.deliver_developer(messages[0])
        else:
            engine.deliver(messages, None)

    def _developer(self, message: Msg) -> ExecTxResult:
        """One transaction by the tester's hand. Raises: TxFailed."""
        result = ExecTxResult(self._engine.deliver_developer(message))
        if self._auto_block:
            self._end_of_transaction()
        return _checked(result)

    # --- accounts and coins ---------------------------------------------------------------------

    def account(self, name: str, balance: CoinsLike = "1000000msg") -> str:
        """The address of a named account, the same on every machine; its first mention gives it
        ``balance``.

        >>> chain.account("alice") == alice
        True
        """
        address = account_address(name, self._engine.prefix)
        if address not in self._engine.named:
            self._engine.named[address] = name
            coins = parse_coins(balance)
            if coins:
                self._developer(DevFund(address, coins))
        return address

    def fund(self, address: str, coins: CoinsLike) -> ExecTxResult:
        """Create coins in an account. Raises: TxFailed.

        >>> chain.fund(alice, "2earth").code, chain.balance(alice, "earth")
        (0, 2)
        """
        return self._developer(DevFund(address, parse_coins(coins)))

    def try_send(self, sender: str, to: str, coins: CoinsLike) -> ExecTxResult:
        """A bank send as a transaction.

        >>> chain.try_send(alice, bob, "1000000000msg").code  # more than she has
        5
        """
        return self._run(MsgSend(sender, to, parse_coins(coins)))

    def send(self, sender: str, to: str, coins: CoinsLike) -> ExecTxResult:
        """A bank send as a transaction. Raises: TxFailed.

        >>> _ = chain.send(alice, bob, "1msg")
        >>> chain.balance(bob)
        1000000000000000000
        """
        return _checked(self.try_send(sender, to, coins))

    def balance(self, address: str, denom: str = "amsg") -> int:
        """One balance.

        >>> chain.balance(alice), chain.balance(alice, "earth")
        (5000000000000000000, 0)
        """
        return self._engine.balance(address, denom)

    def balances(self, address: str) -> list[Coin]:
        """All balances of an address, sorted by denomination.

        >>> [(coin.denom, int(coin.amount)) for coin in chain.balances(alice)]
        [('amsg', 5000000000000000000)]
        """
        return self._engine.balances(address)

    def supply(self, denom: str = "amsg") -> int:
        """How much of a denomination exists.

        >>> before = chain.supply("earth")
        >>> _ = chain.fund(bob, "7earth")
        >>> chain.supply("earth") - before
        7
        """
        return self._engine.supply(denom)

    def _deployer(self) -> str:
        """Who stores codes that nobody else stores; given coins where gas costs something."""
        return self.account("deployer", "1000000msg" if self._engine.genesis.fees else "")

    # --- codes and contracts --------------------------------------------------------------------

    def store_code(
        self,
        contract: ContractLike,
        sender: str | None = None,
        checksum: bytes | None = None,
        instantiate_by: Iterable[str] | None = None,
    ) -> int:
        """Store a contract value, or a contract folder by name, path or module; returns the code
        id.

        ``checksum``: 32 bytes in place of the source's hash. ``instantiate_by``: who may
        instantiate, default
        everybody. Raises: TxFailed.

        >>> chain.store_code("token_v1")  # a folder of the repository; the counter has code 1
        2
        """
        line = self._engine.codes.add(contract, checksum)
        config = None
        if instantiate_by is not None:
            if isinstance(instantiate_by, str):
                raise TypeError("instantiate_by is a list of addresses")
            allowed = tuple(instantiate_by)
            config = AccessConfig(_ANY_OF if allowed else _NOBODY, allowed)
        result = self._run(MsgStoreCode(sender or self._deployer(), line.encode(), config))
        return stored_code_id(_checked(result).tx_data)

    def try_instantiate(  # noqa: PLR0917  # public signature
        self,
        code_id: int,
        msg: Any,
        sender: str,
        label: str,
        funds: CoinsLike = (),
        admin: str | None = None,
    ) -> ExecTxResult:
        """Create a contract; the address is in the result's ``address``.

        >>> chain.try_instantiate(99, {}, alice, "none").log
        'failed to execute message; message index: 0: code id 99: no such code'
        """
        body = _body(msg)
        return self._run(
            MsgInstantiateContract(sender, admin or "", code_id, label, body, parse_coins(funds))
        )

    def instantiate(  # noqa: PLR0917  # public signature
        self,
        code_id: int,
        msg: Any,
        sender: str,
        label: str,
        funds: CoinsLike = (),
        admin: str | None = None,
    ) -> str:
        """Create a contract and return its address. Raises: TxFailed.

        >>> another = chain.instantiate(1, {"start": 7}, sender=alice, label="another")
        >>> chain.query(another, {})
        {'count': 7}
        """
        return _checked(self.try_instantiate(code_id, msg, sender, label, funds, admin)).address

    def instantiate2(  # noqa: PLR0917  # public signature
        self,
        code_id: int,
        msg: Any,
        sender: str,
        label: str,
        funds: CoinsLike = (),
        admin: str | None = None,
        *,
        salt: bytes,
        fix_msg: bool = False,
    ) -> str:
        """Create a contract at a predictable address and return it. Raises: TxFailed.

        >>> found = chain.instantiate2(1, {"start": 0}, alice, "salted", salt=b"one")
        >>> found == address
        False
        """
        message = MsgInstantiateContract2(
            sender,
            admin or "",
            code_id,
            label,
            _body(msg),
            parse_coins(funds),
            bytes(salt),
            fix_msg,
        )
        return _checked(self._run(message)).address

    def try_execute(
        self,
        address: str,
        msg: Any,
        sender: str,
        funds: CoinsLike = (),
        gas_limit: int | None = None,
    ) -> ExecTxResult:
        """Call a contract; what goes wrong is in the result.

        >>> "too much at once" in chain.try_execute(address, {"add": {"by": "9000000"}}, bob).log
        True
        """
        message = MsgExecuteContract(
            sender, address, encode_message(msg), parse_coins(funds) if funds else ()
        )
        result = ExecTxResult(self._engine.deliver((message,), gas_limit))
        if self._auto_block:
            self._end_of_transaction()
        return result

    def execute(
        self,
        address: str,
        msg: Any,
        sender: str,
        funds: CoinsLike = (),
        gas_limit: int | None = None,
    ) -> ExecTxResult:
        """Call a contract. Raises: TxFailed.

        >>> chain.execute(address, {"add": {"by": "3"}}, sender=alice).code
        0
        >>> chain.query(address, {})
        {'count': 3}
        """
        return _checked(self.try_execute(address, msg, sender, funds, gas_limit))

    def try_execute_many(
        self, messages: Sequence[Any], sender: str | None = None, gas_limit: int | None = None
    ) -> ExecTxResult:
        """One transaction of several messages: ``(address, msg, sender, funds)``, ``BankMsg`` or
        ``WasmMsg`` values.

        Transaction messages of ``chain.tx.messages`` pass as they are.

        >>> chain.try_execute_many([(address, {"reset": {}}), (address, {"no": {}})], alice).code
        5
        """
        try:
            made = transaction_messages(messages, sender)
        except AppError as error:
            refused = TxResult(error.code, error.codespace, error.log, gas_wanted=gas_limit or 0)
            return ExecTxResult(refused)
        result = ExecTxResult(self._engine.deliver(made, gas_limit))
        if self._auto_block:
            self._end_of_transaction()
        return result

    def execute_many(
        self, messages: Sequence[Any], sender: str | None = None, gas_limit: int | None = None
    ) -> ExecTxResult:
        """One transaction of several messages. Raises: TxFailed.

        >>> _ = chain.execute_many([(address, {"add": {"by": "1"}}, who) for who in (alice, bob)])
        >>> chain.query(address, {})
        {'count': 2}
        """
        return _checked(self.try_execute_many(messages, sender, gas_limit))

    def try_migrate(self, address: str, code_id: int, msg: Any, sender: str) -> ExecTxResult:
        """Give a contract another code.

        >>> chain.try_migrate(address, 1, {}, sender=bob).codespace  # he is not its admin
        'sdk'
        """
        return self._run(MsgMigrateContract(sender, address, code_id, _body(msg)))

    def migrate(self, address: str, code_id: int, msg: Any, sender: str) -> ExecTxResult:
        """Give a contract another code. Raises: TxFailed.

        >>> chain.migrate(address, 1, {}, sender=bob)
        Traceback (most recent call last):
        ...
        chain.testing.results.TxFailed: sdk/4: ...can not migrate: unauthorized
        """
        return _checked(self.try_migrate(address, code_id, msg, sender))

    def update_admin(self, address: str, new_admin: str, sender: str) -> ExecTxResult:
        """Hand a contract to another admin. Raises: TxFailed.

        >>> _ = chain.update_admin(address, bob, sender=alice)
        >>> chain.contract_info(address).admin == bob
        True
        """
        return _checked(self._run(MsgUpdateAdmin(sender, address, new_admin)))

    def clear_admin(self, address: str, sender: str) -> ExecTxResult:
        """Leave a contract without admin. Raises: TxFailed.

        >>> _ = chain.clear_admin(address, sender=alice)
        >>> chain.contract_info(address).admin is None
        True
        """
        return _checked(self._run(MsgClearAdmin(sender, address)))

    def sudo(self, address: str, msg: Any) -> ExecTxResult:
        """Call ``sudo`` as privileged code does. Raises: TxFailed.

        >>> chain.sudo(address, {"reset": {}})  # the counter has none
        Traceback (most recent call last):
        ...
        chain.testing.results.TxFailed: wasm/29: ...Missing export sudo: wasmvm error
        """
        return self._developer(DevSudo(address, encode_message(msg)))

    # --- reading --------------------------------------------------------------------------------

    def query(self, address: str, msg: Any) -> Any:
        """A contract's answer, decoded; bytes that are no JSON as they are. Raises: QueryFailed.

        >>> chain.query(address, {})
        {'count': 0}
        """
        return self._engine.query(address, encode_message(msg))

    def query_raw(self, address: str, key: bytes) -> bytes | None:
        """A raw value of a contract's storage. Raises: QueryFailed for what is no contract.

        >>> chain.query_raw(address, b"count")
        b'\\x00'
        """
        return self._engine.query_raw(address, key)

    def contract_info(self, address: str) -> ContractRecord:
        """Code id, creator, admin, label and creation of a contract. Raises: QueryFailed for what
        is none.

        >>> chain.contract_info(address).label
        'counter'
        """
        return self._engine.contract_record(address)

    def storage(self, address: str) -> dict[bytes, bytes]:
        """Everything in a contract's raw storage, in key order.

        >>> chain.storage(address)
        {b'count': b'\\x00'}
        """
        return self._engine.storage(address)


def _checked(result: ExecTxResult) -> ExecTxResult:
    if result.code:
        raise TxFailed(result)
    return result


def _body(msg: Any) -> bytes:
    """The message of an instantiate or migrate, which is a plain object and no variant."""
    return bytes(msg) if isinstance(msg, bytes) else encode(msg)
