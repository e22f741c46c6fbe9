"""Checks of a message that need no state: who may instantiate a code, what is JSON at all."""

import pytest
from app_world import native

from chain.app import static
from chain.errors import AppError
from chain.tx.messages import AccessConfig, MsgStoreCode

JSON_OF_GO = (
    b'{"a":"\\ud800"}',
    b'{"a":"\\ud800\\u0041"}',
    b'"\xff\xfe"',
    b'{"\xc3":1}',
    b" [1e999,-0,0.5E-7] \r\n",
    b"9" * 5000,
)
NO_JSON = (
    *(b"", b" ", b"\xff", b"nul", b"NaN", b"-Infinity", b"01", b"+1", b"1.", b".5", b"-"),
    *(b'"\x01"', b'"\\x"', b'"\\ud8"', b"{}{}", b"[1,]", b"\xef\xbb\xbf{}", b"{'a':1}", b"{}\x0b"),
)
ALICE, BOB = native("alice").address, native("bob").address
WHERE = "instantiate permission: "


@pytest.mark.parametrize("raw", JSON_OF_GO)
def test_what_go_takes_as_json_is_left_to_the_contract(raw):
    static.json_payload(raw)


@pytest.mark.parametrize("raw", NO_JSON)
def test_what_is_no_json_is_refused(raw):
    with pytest.raises(AppError, match="payload msg: invalid"):
        static.json_payload(raw)


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
