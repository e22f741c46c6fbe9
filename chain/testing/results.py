"""What the test chain answers: results of transactions, and the two exceptions."""

from __future__ import annotations

from chain.block.types import TxResult
from chain.std import Event
from chain.tx.results import (
    ContractResponse,
    MsgResponse,
    ResultError,
    decode_contract_response,
    decode_store_response,
    decode_tx_data,
)


class ExecTxResult:
    """A transaction's result. ``data`` is what the contract of the last message set, unwrapped.

    Events and data are made when asked for: most tests look at one of them.

    >>> chain.execute(address, {"add": {"by": "3"}}, sender=alice)  # doctest: +ELLIPSIS
    <ExecTxResult ok data=b'' gas_used=...>
    """

    __slots__ = ("_data", "_events", "_raw")

    def __init__(self, raw: TxResult) -> None:
        self._raw = raw
        self._events: list[Event] | None = None
        self._data: bytes | None = None

    @property
    def code(self) -> int:
        """0 is success.

        >>> chain.send(alice, bob, "1msg").code
        0
        """
        return self._raw.code

    @property
    def codespace(self) -> str:
        """Whose code it is: ``sdk``, ``wasm``, …; empty for success.

        >>> chain.try_send(bob, alice, "1msg").codespace
        'sdk'
        """
        return self._raw.codespace

    @property
    def log(self) -> str:
        """Why the transaction failed; empty for success.

        >>> "insufficient funds" in chain.try_send(bob, alice, "1msg").log
        True
        """
        return self._raw.log

    @property
    def tx_data(self) -> bytes:
        """The protobuf ``TxMsgData`` that clients get.

        >>> b"MsgSendResponse" in chain.send(alice, bob, "1msg").tx_data
        True
        """
        return self._raw.data

    @property
    def gas_wanted(self) -> int:
        """The gas limit.

        >>> chain.try_execute(address, {"reset": {}}, alice, gas_limit=900_000).gas_wanted
        900000
        """
        return self._raw.gas_wanted

    @property
    def gas_used(self) -> int:
        """Gas used, up to the failure if it failed.

        >>> 0 < chain.send(alice, bob, "1msg").gas_used < 200_000
        True
        """
        return self._raw.gas_used

    @property
    def data(self) -> bytes:
        """Data of the last message's contract; empty when it set none.

        >>> chain.execute(address, {"reset": {}}, alice).data
        b''
        """
        if self._data is None:
            self._data = contract_data(self._raw.data)
        return self._data

    @property
    def events(self) -> list[Event]:
        """All events in order; those of a message carry ``msg_index`` as last attribute.

        >>> result = chain.execute(address, {"add": {"by": "3"}}, alice)
        >>> [dict(event.attributes)["total"] for event in result.events if event.type == "wasm"]
        ['3']
        """
        if self._events is None:
            self._events = [Event(event.type, event.attributes) for event in self._raw.events]
        return self._events

    @property
    def address(self) -> str:
        """Where the last message's instantiation put the contract; empty for other messages.

        >>> made = chain.try_instantiate(1, {"start": 1}, alice, "second")
        >>> chain.query(made.address, {})
        {'count': 1}
        """
        return instantiated_address(self._raw.data)

    def __repr__(self) -> str:
        if self.code:
            return (
                f"<ExecTxResult {self.codespace}/{self.code} {self.log!r} gas_used={self.gas_used}>"
            )
        return f"<ExecTxResult ok data={self.data!r} gas_used={self.gas_used}>"


class TxFailed(Exception):
    """A transaction failed; ``result`` is its result.

    >>> try:
    ...     chain.send(bob, alice, "1msg")
    ... except TxFailed as error:
    ...     print(error.result.code)
    5
    """

    def __init__(self, result: ExecTxResult) -> None:
        super().__init__(f"{result.codespace}/{result.code}: {result.log}")
        self.result = result


class QueryFailed(Exception):
    """A query failed; the text is the contract's, or the chain's.

    >>> chain.query(alice, {})
    Traceback (most recent call last):
    ...
    chain.testing.results.QueryFailed: ...
    """


def _last(tx_data: bytes) -> MsgResponse:
    """The last message's answer."""
    answers = decode_tx_data(tx_data)
    return answers[-1] if answers else MsgResponse("", b"")


def _contract(tx_data: bytes) -> ContractResponse:
    """What the contract of the last message answered; nothing where that was no contract's."""
    try:
        return decode_contract_response(_last(tx_data))
    except ResultError:
        return ContractResponse("", b"")


def contract_data(tx_data: bytes) -> bytes:
    """The contract's own data in a ``TxMsgData``."""
    return _contract(tx_data).data


def instantiated_address(tx_data: bytes) -> str:
    """The address in the answer to an instantiation, or nothing."""
    return _contract(tx_data).address


def stored_code_id(tx_data: bytes) -> int:
    """The code id in the answer to a ``MsgStoreCode``."""
    return decode_store_response(_last(tx_data))[0]
