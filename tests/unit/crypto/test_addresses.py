"""Addresses: the recorded vectors, the native form, and everything that is refused."""

import json
from pathlib import Path

import pytest

from chain.crypto import addresses, bech32
from chain.crypto.addresses import AddressError, humanize, is_address, validate

RECORDED = json.loads(
    (Path(__file__).parents[3] / "fixtures/recorded/wasmd/addresses.json").read_text()
)
ACCOUNT = "msg19rl4cm2hmr8afy4kldpxz3fka4jguq0a2r4ntm"
CONTRACT = "msg14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9sp9vuk4"
NATIVE = addresses.native_address(b"a key")


def text_of(entry):
    if "input_hex" in entry:
        return bytes.fromhex(entry["input_hex"]).decode("utf-8", "surrogateescape")
    value = entry["input"]
    return value["repeat"][0] * value["repeat"][1] if isinstance(value, dict) else value


def answer(text):
    try:
        return {"ok": validate(text).hex()}
    except AddressError as error:
        return {"error": str(error)}


REFUSED = [e for e in RECORDED["sdk_acc_address_from_bech32"] if "error" in e] + [
    e
    for e in RECORDED["contract_api"]
    if e["call"] == "addr_canonicalize"
    and "error" in e
    and e["error"] not in ("Input is empty", "Input is not valid UTF-8")
]
ACCEPTED = [e for e in RECORDED["sdk_acc_address_from_bech32"] if "hex" in e]


@pytest.mark.parametrize("entry", REFUSED)
def test_ADDR_1_recorded_refusals_come_in_the_same_words(entry):
    assert answer(text_of(entry)) == {"error": entry["error"]}


@pytest.mark.parametrize("entry", ACCEPTED)
def test_ADDR_8_accounts_have_20_and_contracts_32_bytes_and_nothing_else_is_accepted(entry):
    text = text_of(entry)
    if text != text.lower():
        assert answer(text) == {"error": "address not normalized"}
    elif len(entry["hex"]) in (40, 64):
        assert answer(text) == {"ok": entry["hex"]}
        assert humanize(bytes.fromhex(entry["hex"])) == text
    else:
        size = len(entry["hex"]) // 2
        assert answer(text) == {
            "error": f"address length must be 20 or 32 bytes, got {size}: unknown address"
        }


def test_recorded_contract_addresses_follow():
    for entry in RECORDED["classic"]:
        made = addresses.contract_address(int(entry["code_id"]), int(entry["instance_id"]))
        assert made == entry["address"]
        assert validate(made).hex() == entry["hex"]


def test_recorded_predictable_addresses_follow():
    for entry in RECORDED["predictable"]:
        parts = [bytes.fromhex(entry[name]) for name in ("checksum", "creator", "salt")]
        if "address" in entry:
            made = addresses.predictable_address(*parts, entry["msg"].encode())
            assert made == entry["address"]
        elif entry["note"] != "negative: msg not JSON":
            with pytest.raises(AddressError):
                addresses.predictable_address(*parts)


def test_recorded_module_addresses_follow():
    for entry in RECORDED["module_accounts"]:
        assert addresses.module_address(entry["name"]) == entry["address"]
    for entry in RECORDED["address_hash"]:
        made = addresses.address_hash(entry["type"], bytes.fromhex(entry["key"]))
        assert made.hex() == entry["hex"]


def test_native_text_is_hash_and_checksum():
    data = validate(NATIVE)
    assert len(data) == 24
    assert "msg1" + data.hex() == NATIVE
    assert humanize(data) == NATIVE


@pytest.mark.parametrize("text", [ACCOUNT, CONTRACT, NATIVE])
def test_ADDR_7_one_account_has_one_text(text):
    assert humanize(validate(text)) == text
    for other in (text.upper(), text[0].upper() + text[1:], text[:-1] + text[-1].upper()):
        if other != text:
            assert not is_address(other)
    for other in (text + " ", " " + text, text + "q", text[:-1], text + "\n", "msg11" + text[4:]):
        assert not is_address(other)


@pytest.mark.parametrize("place", range(4, 52))
def test_every_changed_native_digit_is_refused(place):
    digit = "0" if NATIVE[place] != "0" else "1"
    assert not is_address(NATIVE[:place] + digit + NATIVE[place + 1 :])
    assert not is_address(NATIVE[:place] + "o" + NATIVE[place + 1 :])


def test_native_refusals_say_why():
    changed = NATIVE[:-1] + ("0" if NATIVE[-1] != "0" else "1")
    with pytest.raises(AddressError, match="native address failed: invalid checksum"):
        validate(changed)
    with pytest.raises(AddressError, match="address not normalized"):
        validate(NATIVE.upper())
    with pytest.raises(AddressError, match="checksum does not match"):
        humanize(bytes(24))


def test_canonical_forms_never_collide():
    sizes = [len(validate(text)) for text in (ACCOUNT, CONTRACT, NATIVE)]
    assert sizes == [20, 32, 24]
    with pytest.raises(AddressError, match="got 24"):
        validate(bech32.encode("msg", validate(NATIVE)))


@pytest.mark.parametrize("size", [0, 1, 19, 21, 33, 64, 255, 256])
def test_other_canonical_lengths_have_no_text(size):
    with pytest.raises(AddressError):
        humanize(bytes(size))


def test_look_alikes_outside_ascii_are_refused():
    for text in ("msg1" + "٣" * 48, "msg1" + "а" * 48, ACCOUNT.replace("l", "ⅼ"), "ｍsg1qqqqqqqqq"):
        assert not is_address(text)


def test_native_text_of_another_prefix_is_no_address():
    with pytest.raises(AddressError, match="decoding bech32 failed"):
        validate("abc1" + NATIVE[4:])


def test_other_prefixes_have_their_own_texts():
    data = validate(ACCOUNT)
    other = humanize(data, "abc")
    assert other.startswith("abc1")
    assert validate(other, "abc") == data
    with pytest.raises(AddressError, match="expected msg, got abc"):
        validate(other)
