"""Texts of the chain made harmless, amounts, payloads by envelope."""

from __future__ import annotations

import pytest

from chain.client.envelope import binary_payload, json_payload
from chain.web.text import bytes_shown, money, payload, safe, short, units


@pytest.mark.parametrize(
    "letter", ["\u202e", "\u2066", "\u200f", "\x00", "\x1b", "\ud800", "\u200b"]
)
def test_letters_that_control_others_are_shown_by_number(letter: str) -> None:
    assert safe(f"a{letter}b") == f"a⟨U+{ord(letter):04X}⟩b"


def test_markup_stays_the_text_it_is() -> None:
    assert safe("<script>alert(1)</script>") == "<script>alert(1)</script>"


def test_other_scripts_are_left_alone() -> None:
    assert safe("你好 שלום مرحبا") == "你好 שלום مرحبا"


def test_long_text_is_cut() -> None:
    assert safe("x" * 1_000, 10) == "x" * 10 + "…"


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0, "0 MSG"), (10**18, "1 MSG"), (1, "0.000000000000000001 MSG"), (25 * 10**17, "2.5 MSG")],
)
def test_amounts_are_exact(amount: int, shown: str) -> None:
    assert money(amount) == shown
    assert units(shown.removesuffix(" MSG")) == amount


@pytest.mark.parametrize("text", ["", "-1", "1.2.3", "1e3", "1." + "0" * 19, "٣"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    if text:
        with pytest.raises(ValueError, match="amount"):
            units(text)
    else:
        assert units(text or "0") == 0


def test_payloads_are_told_apart() -> None:
    assert payload(json_payload({"text": "hello"})).text == "hello"
    assert payload(json_payload({"a": 1})).kind == "json"
    assert payload(b"plain words").kind == "text"
    found = payload(binary_payload(bytes(range(256)), "image/png"))
    assert (found.kind, found.size, found.content_type) == ("binary", 256, "image/png")
    assert payload(b"\xff\xfe").kind == "binary"
    assert payload(b'{"encoding":"base64","data":"!"}').kind == "broken"


def test_keys_are_shown_as_text_where_they_are() -> None:
    assert bytes_shown(b"\x00\x05tasks1") == "\\x00\\x05tasks1"
    assert bytes_shown(bytes(8)) == "0x0000000000000000"
    assert bytes_shown("名".encode()) == "名"


def test_short_ids_keep_both_ends() -> None:
    assert short("msg1ea69a9d6499e770bb93cf7de47c57f3598c22cd85ac6292f") == "msg1ea69a9…c6292f"
