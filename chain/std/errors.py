"""Refusals that the standard library of contracts itself makes, with CosmWasm's texts (JSON-16)."""

from __future__ import annotations

from chain.errors import ContractError


class ParseError(ContractError):
    """Bytes that are not what they should be: ``Error parsing into type <T>: <reason>``."""

    def __init__(self, type_name: str, reason: str) -> None:
        super().__init__(f"Error parsing into type {type_name}: {reason}")
        self.type_name = type_name
        self.reason = reason


class SerializeError(ContractError):
    """A value that has no bytes: ``Error serializing type <T>: <reason>``."""

    def __init__(self, type_name: str, reason: str) -> None:
        super().__init__(f"Error serializing type {type_name}: {reason}")
        self.type_name = type_name
        self.reason = reason


class NotFound(ContractError):
    """A key without a value: ``<kind> not found`` (STOR-10)."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"{kind} not found")


class Overflow(ContractError):
    """Checked arithmetic left its range (JSON-13, 1.x line)."""


def checked_add(left: int, right: int, bits: int = 128) -> int:
    """``left + right``. Raises: Overflow when the sum needs more than ``bits`` bits."""
    total = left + right
    if total >> bits:
        raise Overflow(f"Cannot Add with {left} and {right}")
    return total


def checked_sub(left: int, right: int) -> int:
    """``left - right``. Raises: Overflow when the difference is negative."""
    if right > left:
        raise Overflow(f"Cannot Sub with {left} and {right}")
    return left - right


def checked_mul(left: int, right: int, bits: int = 128) -> int:
    """``left * right``. Raises: Overflow when the product needs more than ``bits`` bits."""
    product = left * right
    if product >> bits:
        raise Overflow(f"Cannot Mul with {left} and {right}")
    return product
