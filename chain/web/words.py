"""The page's languages: English is written in the code, Chinese stands in a table."""

from __future__ import annotations

from typing import Final

from chain.web.words_zh import WORDS

ENGLISH: Final = "en-US"
CHINESE: Final = "zh-CN"


def language_of(accepted: str) -> str:
    """The language of an ``Accept-Language`` header: the first of ours that it prefers."""
    wanted: list[tuple[int, int, str]] = []
    for place, part in enumerate(accepted.lower().split(",")[:20]):
        name, _, weight = part.strip().partition(";q=")
        wanted.append((-_thousandths(weight), place, name.strip()))
    for _, _, name in sorted(wanted):
        if name.startswith("zh"):
            return CHINESE
        if name.startswith("en"):
            return ENGLISH
    return ENGLISH


def _thousandths(weight: str) -> int:
    """A weight such as ``0.8`` without its point."""
    if not weight:
        return 1_000
    whole, _, places = weight.strip().partition(".")
    digits = whole + places[:3].ljust(3, "0")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else 0


def translate(text: str, language: str) -> str:
    """A text in a language; what a table lacks stays English."""
    return WORDS.get(text, text) if language == CHINESE else text
