"""RFC 8785 (JCS): the one JSON text of a value, which is what cards are signed over.

Numbers are integers up to 2^53 - 1, because nothing we sign has others; keys are ordered by their
UTF-16 code units, text is escaped as ECMAScript escapes it.
"""

from __future__ import annotations

import json
from typing import Any, Final

#: The largest integer that every JSON reader keeps exactly.
INTEGER_MAX: Final = 2**53 - 1
DEPTH_MAX: Final = 64


class CanonicalError(ValueError):
    """The value has no canonical text here: a float, a wide integer, a lone surrogate, too deep."""


def canonical(value: Any) -> bytes:
    """The canonical text in UTF-8. Raises: CanonicalError."""
    return _text(value, 1).encode("utf-8")


def _text(value: Any, depth: int) -> str:
    if depth > DEPTH_MAX:
        raise CanonicalError(f"nested deeper than {DEPTH_MAX}")
    if value is None or value is True or value is False:
        return json.dumps(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int):
        if not -INTEGER_MAX <= value <= INTEGER_MAX:
            raise CanonicalError("an integer beyond 2^53 - 1 is not exact in JSON; use text")
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_text(item, depth + 1) for item in value) + "]"
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise CanonicalError("keys are text")
        keys = sorted(value, key=_order)
        body = (f"{_quoted(key)}:{_text(value[key], depth + 1)}" for key in keys)
        return "{" + ",".join(body) + "}"
    raise CanonicalError(f"{type(value).__name__} has no canonical text")


def _order(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _quoted(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise CanonicalError("a lone surrogate is no text") from None
    return json.dumps(text, ensure_ascii=False)
