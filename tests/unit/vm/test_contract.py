"""``Contract`` values made of functions."""

from __future__ import annotations

from typing import Any

import pytest

from chain.std import Message, Response
from chain.vm.contract import Contract


class Add(Message):
    """A message."""

    by: int


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    return Response()


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    return Response()


def make(**more: Any) -> Contract:
    return Contract(**{"name": "counter", "version": "1.0.0", "instantiate": instantiate} | more)


def test_a_value_keeps_what_it_is_given() -> None:
    contract = make(execute=execute, execute_msg=(Add,))
    assert contract.execute is execute
    assert contract.execute_msg == (Add,)
    assert contract.query is None
    assert not contract.metered
    assert contract.source == {}
    assert contract.source_bytes == 0
    assert contract.answers == {}
    assert contract.source_ref == ("function", __name__, "counter")
    assert contract.compile() is contract


def test_the_checksum_tells_contracts_apart_and_is_the_same_in_each_process() -> None:
    assert make().checksum == make().checksum
    others = [make(name="other"), make(version="2.0.0"), make(execute=execute), make(query=execute)]
    assert len({contract.checksum for contract in [make(), *others]}) == 5
    assert len(make().checksum) == 32


def test_a_contract_does_not_change() -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        make().execute = execute  # type: ignore[misc]
    with pytest.raises(AttributeError):
        _ = make().nothing


def test_bad_values_are_refused_by_name() -> None:
    with pytest.raises(TypeError, match="execute is not callable"):
        make(execute=1)
    for name in ("", "a@b", "a\nb", "x" * 129):
        with pytest.raises(ValueError, match="name"):
            make(name=name)
