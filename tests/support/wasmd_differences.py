"""Every difference between this chain and the recorded wasmd, with its reason.

``CASES`` maps a recorded case to the aspects that differ and the key of the reason. The replay fails when another
aspect differs, and when an aspect named here does not differ any more.
"""

from __future__ import annotations

REASONS: dict[str, str] = {
    "fee coins": "fees are paid in MSG only (CH-4), so the 25stake of these transactions are not taken",
    "nil result": "where wasmd crashes into undefined/111222 (an ok of null, an empty error) ours is wasm/29",
    "value size": "storage values may have 512 KiB here, 128 KiB in wasmd",
    "upper case": "an address in upper case is refused everywhere (CH-7); wasmd's message fields take it",
    "no Wasm": "code is a line that names a Python contract; bytes of a Wasm module are no such line",
    "record bytes": (
        "the chain's own records are shorter than the SDK's protobuf, and no Wasm is executed: a "
        "gas limit between the two prices is enough here"
    ),
    "staking": "there is no staking module to ask for its denomination",
    "gRPC text": "the text of an external query that is no JSON is the one of wasmd's gRPC server",
}

_FEE = frozenset({"balances"})
_LIMIT = frozenset({"events", "trace", "state"})

CASES: dict[str, tuple[frozenset[str], str]] = {
    **dict.fromkeys(
        (
            *("s0038", "s0131", "s0145", "s0176", "s0215", "s0381", "s0400", "s0537"),
            *("l0473", "l0474", "l0475"),
        ),
        (_FEE, "fee coins"),
    ),
    **dict.fromkeys(("l0199", "l0200", "l0201", "l0208"), (frozenset({"code"}), "nil result")),
    "l0471": (frozenset({"code", "trace", "state"}), "nil result"),
    "l0245": (frozenset({"code", "trace", "state"}), "value size"),
    "l0360": (frozenset({"code", "state"}), "value size"),
    "l0282": (
        frozenset({"events", "trace", "state", "contracts", "next_instance_id"}),
        "upper case",
    ),
    "l0283": (frozenset({"code", "contracts", "next_instance_id"}), "upper case"),
    "l0284": (frozenset({"events", "trace", "state", "contracts"}), "upper case"),
    "l0285": (frozenset({"code"}), "upper case"),
    **dict.fromkeys(("l0437", "l0439"), (frozenset({"code"}), "no Wasm")),
    **dict.fromkeys(
        ("l0440", "l0441", "l0443", "l0444", "l0445", "l0446", "l0448"),
        (frozenset({"log"}), "no Wasm"),
    ),
    "l0426": (_LIMIT | {"balances"}, "record bytes"),
    "l0435": (frozenset({"code"}), "record bytes"),
    "l0349": (frozenset({"state"}), "staking"),
    "l0317": (frozenset({"query"}), "gRPC text"),
}
