"""Checks of a message that need no state: who may instantiate a code, as wasmd says it."""

import pytest
from app_world import native

from chain.app import static
from chain.errors import AppError
from chain.tx.messages import AccessConfig, MsgStoreCode

ALICE, BOB = native("alice").address, native("bob").address
WHERE = "instantiate permission: "


def check(permission, *addresses):
    static.check(MsgStoreCode(ALICE, b"code", AccessConfig(permission, addresses)), "msg")


@pytest.mark.parametrize(
    ("permission", "addresses"),
    [(1, ()), (3, ()), (1, (ALICE,)), (3, ("x",)), (4, (ALICE,)), (4, (ALICE, BOB))],
)
def test_INST_15_who_may_instantiate_is_said(permission, addresses):
    check(permission, *addresses)


@pytest.mark.parametrize(
    ("permission", "addresses", "error"),
    [
        (0, (), ("wasm", 12, "type: empty")),
        (2, (ALICE,), ("wasm", 14, 'unknown type: "Unspecified": invalid')),
        (5, (), ("wasm", 14, 'unknown type: "Unspecified": invalid')),
        (4, (), ("wasm", 12, "addresses: addresses: empty")),
        (4, (ALICE, ALICE), ("wasm", 15, "addresses: duplicate addresses: duplicate")),
        (
            4,
            (ALICE, ""),
            ("undefined", 1, "addresses: address: : empty address string is not allowed"),
        ),
        (
            4,
            ("x",) * 51,
            (
                "sdk",
                18,
                "addresses: total number of addresses is greater than 50: invalid request",
            ),
        ),
    ],
)
def test_INST_15_what_says_nothing_is_refused(permission, addresses, error):
    with pytest.raises(AppError) as caught:
        check(permission, *addresses)
    found = caught.value
    assert (found.codespace, found.code, found.log) == (error[0], error[1], WHERE + error[2])
