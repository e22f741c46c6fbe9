"""The five kinds of error, and the one table of transaction codes.

``ContractError``  the contract refuses; its text is a template over message fields.
``VmError``        the host refuses a contract (bad response, depth, trap); wasm/29.
``AppError``       a transaction or message is refused around the contract: codespace, code, log.
``OutOfGas``       lives in ``chain.gas``; derives from ``BaseException``.
``InvariantViolation``  our bug or a damaged disk; nobody catches it, the node stops before it
commits.
"""

from __future__ import annotations

from typing import Final

#: (codespace, code) -> the registered text that ends a wrapped error. Numbers are wasmd's and the
#: SDK's; none is reused.
REGISTERED: Final[dict[tuple[str, int], str]] = {
    ("sdk", 2): "tx parse error",
    ("sdk", 3): "invalid sequence",
    ("sdk", 4): "unauthorized",
    ("sdk", 5): "insufficient funds",
    ("sdk", 6): "unknown request",
    ("sdk", 7): "invalid address",
    ("sdk", 8): "invalid pubkey",
    ("sdk", 9): "unknown address",
    ("sdk", 10): "invalid coins",
    ("sdk", 11): "out of gas",
    ("sdk", 12): "memo too large",
    ("sdk", 13): "insufficient fee",
    ("sdk", 14): "maximum number of signatures exceeded",
    ("sdk", 15): "no signatures supplied",
    ("sdk", 18): "invalid request",
    ("sdk", 19): "tx already in mempool",
    ("sdk", 20): "mempool is full",
    ("sdk", 21): "tx too large",
    ("sdk", 22): "key not found",
    ("sdk", 26): "invalid height",
    ("sdk", 28): "invalid chain-id",
    ("sdk", 30): "tx timeout height",
    ("sdk", 32): "incorrect account sequence",
    ("sdk", 35): "internal logic error",
    ("sdk", 38): "not found",
    ("bank", 2): "no inputs to send transaction",
    ("bank", 3): "no outputs to send transaction",
    ("bank", 4): "sum inputs != sum outputs",
    ("bank", 5): "send transactions are disabled",
    ("bank", 9): "multiple senders not allowed",
    ("gov", 3): "inactive proposal",
    ("gov", 13): "expected gov account as only signer for proposal message",
    ("store", 3): "tx parse error",
    ("store", 4): "unknown request",
    ("undefined", 1): "internal",
    ("wasm", 2): "create wasm contract failed",
    ("wasm", 3): "contract account already exists",
    ("wasm", 4): "instantiate wasm contract failed",
    ("wasm", 5): "execute wasm contract failed",
    ("wasm", 8): "not found",
    ("wasm", 9): "query wasm contract failed",
    ("wasm", 10): "invalid CosmosMsg from the contract",
    ("wasm", 11): "migrate wasm contract failed",
    ("wasm", 12): "empty",
    ("wasm", 13): "exceeds limit",
    ("wasm", 14): "invalid",
    ("wasm", 15): "duplicate",
    ("wasm", 17): "unsupported for this contract",
    ("wasm", 20): "unknown message from the contract",
    ("wasm", 21): "invalid event",
    ("wasm", 22): "no such contract",
    ("wasm", 27): "max query stack size exceeded",
    ("wasm", 28): "no such code",
    ("wasm", 29): "wasmvm error",
    ("wasm", 30): "max call depth exceeded",
    ("msgchain", 1): "agent safety boundary",
    ("msgchain", 2): "devnet only",
    ("msgchain", 3): "fee denomination not accepted",
    ("msgchain", 4): "gas limit",
}


class ContractError(Exception):
    """A contract refuses. The text reaches callers as rule SUB-13 says."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return self.text


class AppError(Exception):
    """A transaction or a message is refused: ``codespace``, ``code`` and the whole ``log`` text."""

    def __init__(self, codespace: str, code: int, log: str) -> None:
        super().__init__(log)
        self.codespace = codespace
        self.code = code
        self.log = log

    @classmethod
    def wrap(cls, codespace: str, code: int, text: str) -> AppError:
        """The SDK's wrapping: ``<text>: <registered text>``."""
        return cls(codespace, code, f"{text}: {REGISTERED[codespace, code]}")


class VmError(AppError):
    """The host refuses what a contract did: wasm/29, its text ends with ``wasmvm error``."""

    def __init__(self, text: str) -> None:
        super().__init__("wasm", 29, f"{text}: wasmvm error")


class InvariantViolation(Exception):
    """State that cannot be: our bug or a damaged disk. The node stops before it commits."""


def ensure(condition: object, error: Exception) -> None:
    """Refuse with ``error`` unless ``condition`` holds."""
    if not condition:
        raise error


def invariant(condition: object, why: str) -> None:
    """State a fact that holds by construction; a breach stops the node."""
    if not condition:
        raise InvariantViolation(why)
