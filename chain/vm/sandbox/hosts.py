"""Methods of host objects that work in proportion to what they are given, with their charges.

A host object charges gas for what it reads and writes; here is paid for what it copies, decodes or
looks through before, so that no call of the host is worth more than its steps.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

from chain.errors import ContractError
from chain.vm.sandbox.names import ADDRESS_METHODS, LISTING_METHODS, TEXT_METHODS
from chain.vm.sandbox.runtime import Trap, current
from chain.vm.sandbox.sizes import (
    ITEMS_FREE,
    MAPPINGS,
    SEQUENCES,
    TEXTS,
    admit,
    make_items,
    make_text,
    scan_text,
)

BUILT_IN: Final = (str, bytes, int, list, tuple, dict, MappingProxyType, range)
_ON_TYPES: Final = frozenset({"from_base64", "from_bytes", "fromhex", "parse"})
#: steps of decoding or encoding a letter of an address, and of looking at a request
ADDRESS_STEPS: Final = 60
QUERY_STEPS: Final = 100
#: steps and cells of each thing that is copied: a pair is some sixty bytes, a submessage more
_COPY: Final = 8
_COPIED: Final = (*SEQUENCES, *MAPPINGS)
_COIN: Final = 100  # steps of reading a coin


def own(receiver: Any, name: str) -> Callable[..., Any]:
    """The receiver's method. Raises: Trap for ``Binary.join(…)``, called on the class."""
    on_class = isinstance(receiver, type) and issubclass(receiver, BUILT_IN)
    if (on_class and name not in _ON_TYPES) or receiver.__class__.__module__ == "typing":
        raise Trap(f"{name} is called on a value, not on a class")
    method: Callable[..., Any] = getattr(receiver, name)
    return method


def copied(items: Any) -> None:
    """Pay for a list that the host copies, part by part. Raises: Trap when it is too long."""
    if isinstance(items, _COPIED):
        size = len(items)
        if size > ITEMS_FREE:
            make_items(size)
            state = current()
            state.charge((_COPY - 1) * size)
            state.fill((_COPY - 1) * size)


def _listing(name: str) -> Callable[..., Any]:
    """Methods that copy the lists they are given."""

    def method(receiver: Any, *args: Any, **named: Any) -> Any:
        for arg in (*args, *named.values()):
            copied(arg)
        return own(receiver, name)(*args, **named)

    return method


def _paying(name: str) -> Callable[..., Any]:
    """``BankMsg.Send`` and ``Burn``: every coin is read later."""

    def method(receiver: Any, *args: Any, **named: Any) -> Any:
        for arg in (*args, *named.values()):
            if isinstance(arg, SEQUENCES) and len(arg) > ITEMS_FREE:
                current().charge(_COIN * len(arg))
            copied(arg)
        return own(receiver, name)(*args, **named)

    return method


def _texting(name: str) -> Callable[..., Any]:
    """Methods that read texts, which are as long as somebody likes."""

    def method(receiver: Any, *args: Any, **named: Any) -> Any:
        for arg in (*args, *named.values()):
            for part in arg if isinstance(arg, SEQUENCES) else (arg,):
                if isinstance(part, TEXTS):
                    scan_text(4 * len(part))
        return answered(own(receiver, name), args, named)

    return method


def answered(method: Callable[..., Any], args: Any, named: Any) -> Any:
    """The host's answer; being refused without having read anything costs steps."""
    try:
        return method(*args, **named)
    except ContractError:
        current().charge(QUERY_STEPS)
        raise


def _smart(receiver: Any, *args: Any, **named: Any) -> Any:
    """``querier.query_wasm_smart``: the message is encoded."""
    for arg in (*args, *named.values()):
        admit(arg)
    return answered(own(receiver, "query_wasm_smart"), args, named)


def _addressing(name: str) -> Callable[..., Any]:
    """Methods that decode an address; good ones are remembered, others are decoded each time."""

    def method(receiver: Any, *args: Any, **named: Any) -> Any:
        try:
            return own(receiver, name)(*args, **named)
        except ContractError:
            given = (*args, *named.values())
            letters = sum([len(arg) for arg in given if isinstance(arg, TEXTS)])
            current().charge(ADDRESS_STEPS * letters)
            raise

    return method


def _humanize(receiver: Any, *args: Any, **named: Any) -> Any:
    """``api.addr_humanize``."""
    for arg in (*args, *named.values()):
        current().charge(2 * ADDRESS_STEPS * len(arg))
    return own(receiver, "addr_humanize")(*args, **named)


def _raw_query(receiver: Any, *args: Any, **named: Any) -> Any:
    """``querier.raw_query``: the request is JSON."""
    for arg in (*args, *named.values()):
        current().charge(QUERY_STEPS + (4 * len(arg) if isinstance(arg, TEXTS) else 0))
    return own(receiver, "raw_query")(*args, **named)


def _base64(name: str) -> Callable[..., Any]:
    """``Binary.from_base64(text)`` and ``binary.to_base64()``."""

    def method(receiver: Any, *args: Any) -> Any:
        for value in (receiver, *args):
            if isinstance(value, TEXTS):
                make_text(2 * len(value))
        return own(receiver, name)(*args)

    return method


#: By name, as ``methods.METHODS``.
HOSTS: Final[dict[str, Callable[..., Any]]] = {
    **{name: _listing(name) for name in LISTING_METHODS},
    **{name: _paying(name) for name in ("Burn", "Send")},
    **{name: _texting(name) for name in TEXT_METHODS},
    **{name: _addressing(name) for name in ADDRESS_METHODS},
    **{name: _base64(name) for name in ("to_base64", "from_base64")},
    "addr_humanize": _humanize,
    "query_wasm_smart": _smart,
    "raw_query": _raw_query,
}
