"""Chinese texts of the page by their English ones."""

from __future__ import annotations

from typing import Final

WORDS: Final[dict[str, str]] = {}
