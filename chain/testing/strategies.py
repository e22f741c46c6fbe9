"""Hypothesis strategies for what contracts take: each std type, and whole messages.

Every strategy gives plain JSON values, as they stand in a message, so that they can be put together
with dicts; ``messages`` derives whole messages from a contract's types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st

from chain.std import Message, Timestamp, Uint128
from chain.std.numbers import BoundedInt, base64_encode
from chain.testing.choices import Choices
from chain.testing.codes import ContractLike
from chain.testing.derive import Deriver, width
from chain.testing.engine import account_address
from chain.testing.leaves import Surroundings
from chain.testing.vocabulary import untyped
from chain.testing.world import NAMES, NO_ADDRESS, load_contract

_NANOS: Final = 1_000_000_000
_SIZE_MAX: Final = 96
#: Texts that have broken parsers, displays and limits.
PAINFUL_TEXTS: Final = (
    "", " ", "\u0000", "a" * 300, "\U0001f600", "../..", "\"'", "null", "-1", "é", "İ", "x\ny",
)  # fmt: skip


def addresses(names: Sequence[str] = NAMES[:4], *, invalid: bool = False) -> st.SearchStrategy[str]:
    """Addresses of named accounts; with ``invalid`` also text that is none.

    >>> from chain.testing import Chain
    >>> Chain().account("alice") == account_address("alice", "msg")
    True
    >>> from hypothesis import find
    >>> find(addresses(["alice"]), lambda _: True) == account_address("alice", "msg")
    True
    """
    options = [account_address(name, "msg") for name in names]
    return st.sampled_from([*options, NO_ADDRESS] if invalid else options)


def integers(kind: type[BoundedInt] = Uint128) -> st.SearchStrategy[int]:
    """Numbers of a std type around what tends to matter: small ones, round ones, both ends.

    >>> from hypothesis import find
    >>> find(integers(), lambda n: n > 2**127) > 2**127
    True
    """
    ends = [
        n for n in (kind.MIN, kind.MIN + 1, kind.MAX, kind.MAX - 1, 2**64, 2**63) if _fits(kind, n)
    ]
    return st.one_of(
        st.integers(max(0, kind.MIN), 10),
        st.integers(max(0, kind.MIN), min(10**6, kind.MAX)),
        st.sampled_from(ends),
        st.integers(kind.MIN, kind.MAX),
    )


def _fits(kind: type[BoundedInt], value: int) -> bool:
    return kind.MIN <= value <= kind.MAX


def amounts(kind: type[BoundedInt] = Uint128) -> st.SearchStrategy[str]:
    """The same as decimal text, which is how such numbers travel.

    >>> from hypothesis import find
    >>> find(amounts(), lambda text: int(text) >= 7)
    '7'
    """
    return integers(kind).map(str)


def coins(denoms: Sequence[str] = ("amsg", "stray")) -> st.SearchStrategy[dict[str, str]]:
    """One coin as JSON.

    >>> from hypothesis import find
    >>> find(coins(), lambda coin: coin["amount"] != "0")
    {'denom': 'amsg', 'amount': '1'}
    """
    return st.fixed_dictionaries({"denom": st.sampled_from(list(denoms)), "amount": amounts()})


def timestamps(around: int, seconds: int = 86_400) -> st.SearchStrategy[str]:
    """Times within ``seconds`` of a moment in nanoseconds, and the moment's two neighbours.

    >>> from hypothesis import find
    >>> find(timestamps(10**18), lambda text: True)
    '1000000000000000000'
    """
    low, high = max(0, around - seconds * _NANOS), min(Timestamp.MAX, around + seconds * _NANOS)
    near = st.sampled_from([around, around + 1, max(0, around - 1)])
    return st.one_of(near, st.integers(low, high)).map(str)


def expirations(height: int, time: int) -> st.SearchStrategy[dict[str, Any]]:
    """Expirations near a height and a time.

    >>> from hypothesis import find
    >>> find(expirations(7, 0), lambda value: "at_height" in value)
    {'at_height': 7}
    """
    return st.one_of(
        st.just({"never": {}}),
        st.integers(height, height + 10).map(lambda value: {"at_height": value}),
        timestamps(time).map(lambda value: {"at_time": value}),
    )


def texts() -> st.SearchStrategy[str]:
    """Short text, and text that hurts.

    >>> from hypothesis import find
    >>> find(texts(), lambda text: len(text) > 200) == "a" * 300
    True
    """
    return st.one_of(st.text("abxyz_09", max_size=8), st.sampled_from(PAINFUL_TEXTS), st.text())


def binaries(max_size: int = 64) -> st.SearchStrategy[str]:
    """Bytes as base64 text.

    >>> from hypothesis import find
    >>> find(binaries(), lambda text: len(text) > 0)
    'AA=='
    """
    return st.binary(max_size=max_size).map(base64_encode)


def of_type(kind: Any, name: str = "", **where: Any) -> st.SearchStrategy[Any]:
    """Values of any type that may stand in a message, with the name of the field as a hint.

    ``where``: attributes of ``Surroundings`` (``addresses``, ``denoms``, ``height``, ``time``).

    >>> from hypothesis import find
    >>> find(of_type(Uint128), lambda text: int(text) > 3)
    '5'
    """
    return _from_bytes(Deriver().value(kind, name), 24, where)


def message(cls: type[Message], overrides: Mapping[Any, Any] | None = None, **where: Any) -> Any:
    """Messages of one class, as ``{"variant": {…}}``.

    >>> from hypothesis import find
    >>> from chain.testing.examples import Add
    >>> find(message(Add), lambda made: int(made["add"]["by"]) > 3)
    {'add': {'by': '5'}}
    """
    deriver = Deriver(overrides)
    maker = deriver.message(cls)
    return _from_bytes(maker, min(6 + width(cls), _SIZE_MAX), where, draws=deriver.draws)


def messages(
    contract: ContractLike, *, overrides: Mapping[Any, Any] | None = None, **where: Any
) -> st.SearchStrategy[Any]:
    """Execute messages of a contract, derived from its types, or from what its source reads.

    ``overrides``: strategies by ``message.field``, field name or type. ``where``: attributes of
    ``Surroundings``: ``addresses``, ``denoms``, ``height``, ``time``, ``harvest``.

    >>> from hypothesis import find
    >>> found = find(messages("token_v1"), lambda made: "burn" in made)
    >>> list(found["burn"])
    ['amount']
    """
    value = load_contract(contract)
    types = value.execute_msg
    if types is None:
        if value.execute is None:
            return st.nothing()
        return _from_bytes(untyped(value.execute), 32, where)
    classes = types if isinstance(types, tuple) else (types,)
    return st.one_of([message(cls, overrides, **where) for cls in classes])


def _from_bytes(
    maker: Any, size: int, where: Mapping[str, Any], *, draws: bool = False
) -> st.SearchStrategy[Any]:
    """A strategy over a maker: one byte string of choices, plus draws where overrides need them."""

    def made(raw: bytes, draw: Any = None) -> Any:
        here = Surroundings()
        here.addresses = [account_address(name, "msg") for name in NAMES[:4]]
        for name, value in where.items():
            setattr(here, name, value)
        here.sender = here.addresses[0]
        here.draw = draw
        return maker(Choices(raw), here)

    strategy = st.binary(min_size=size, max_size=size)
    if not draws:
        return strategy.map(made)
    return st.composite(lambda draw: made(draw(strategy), draw))()
