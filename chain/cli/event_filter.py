"""The filter of events by type, attributes and address, which several commands have."""

from __future__ import annotations

from collections.abc import Callable

from chain.cli.output import fail

EventFilter = Callable[[str, list[tuple[str, str]]], bool]


def event_filter(kind: str | None, attributes: tuple[str, ...], address: str | None) -> EventFilter:
    """A predicate over (type, attributes) from the command's options."""
    pairs = [tuple(text.split("=", 1)) for text in attributes]
    if any(len(pair) != 2 for pair in pairs):
        fail("--attribute takes KEY=VALUE")

    def wanted(event_type: str, event_attributes: list[tuple[str, str]]) -> bool:
        if kind is not None and event_type not in (kind, f"wasm-{kind}"):
            return False
        if address is not None and all(value != address for _, value in event_attributes):
            return False
        return all(pair in map(tuple, event_attributes) for pair in pairs)

    return wanted
