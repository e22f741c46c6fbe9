"""The page's languages."""

from __future__ import annotations

import re

import pytest
from web_texts import texts

from chain.web.words import CHINESE, ENGLISH, language_of, translate
from chain.web.words_zh import WORDS


def test_every_text_of_the_code_has_its_chinese() -> None:
    assert texts() - set(WORDS) == set()


def test_no_translation_is_left_over() -> None:
    assert set(WORDS) - texts() == set()


def test_translations_fill_in_the_same_values() -> None:
    for english, chinese in WORDS.items():
        assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", chinese))


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", ENGLISH),
        ("zh-CN,zh;q=0.9,en;q=0.8", CHINESE),
        ("en-US,en;q=0.9,zh;q=0.8", ENGLISH),
        ("de,zh-TW;q=0.7,en;q=0.3", CHINESE),
        ("en;q=0.1, zh;q=0.2", CHINESE),
        ("fr", ENGLISH),
        ("zh;q=nonsense,en", ENGLISH),
    ],
)
def test_the_browser_decides(header: str, language: str) -> None:
    assert language_of(header) == language


def test_an_unknown_text_stays_as_it_is() -> None:
    assert translate("no such text", CHINESE) == "no such text"
