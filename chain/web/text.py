"""What the chain says, made fit for eyes: harmless text, short ids, amounts and times."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from chain.client.agent_messages import seal_context
from chain.client.envelope import BASE64, JSON, EnvelopeError, read_payload
from chain.crypto.mlkem import DecapsulationKey
from chain.crypto.seal import SealError, is_sealed, unseal

#: letters of a text that a list shows; more stands behind a link
SHOWN_MAX: Final = 600
#: letters of a text that a page of its own shows; the whole has 256 KiB and more
WHOLE_MAX: Final = 300_000
_SHORT: Final = 20
_MSG: Final = 10**18
_BREAKS: Final = "\n\t"
_HEX_SHOWN: Final = 48


def safe(text: object, limit: int = SHOWN_MAX) -> str:
    """Text without letters that control others: those are shown by their number.

    Direction marks, other control and format characters, and halves of pairs would change how the
    text around them is read, or cannot be sent.
    """
    whole = str(text)
    cut = whole[:limit]
    shown = "".join(one if _harmless(one) else f"⟨U+{ord(one):04X}⟩" for one in cut)
    return f"{shown}…" if len(whole) > limit else shown


def _harmless(letter: str) -> bool:
    if letter.isascii():
        return letter.isprintable() or letter in _BREAKS
    return unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def short(text: str) -> str:
    """An address, a hash or an id with its middle left out."""
    if len(text) <= _SHORT:
        return text
    return f"{text[:10]}…{text[-6:]}"


def money(amount: int, denom: str = "amsg") -> str:
    """An exact amount: amsg as MSG, other denominations as they are."""
    if denom != "amsg":
        return f"{amount:,} {denom}"
    whole, rest = divmod(amount, _MSG)
    places = f"{rest:018d}".rstrip("0")
    return f"{whole:,}.{places} MSG" if places else f"{whole:,} MSG"


def units(text: str) -> int:
    """amsg of an amount in MSG, such as ``2.5``. Raises: ValueError."""
    whole, _, places = text.strip().partition(".")
    digits = whole + places
    if not (digits.isascii() and digits.isdigit()) or len(places) > 18 or len(whole) > 30:
        raise ValueError(f"{text!r} is no amount of MSG, such as 2.5")
    return int(whole or "0") * _MSG + int(places.ljust(18, "0") or "0")


def moment(nanos: int) -> str:
    """A time to the second."""
    try:
        found = datetime.fromtimestamp(nanos // 1_000_000_000, UTC)
    except (ValueError, OverflowError, OSError):
        return str(nanos)
    return found.strftime("%Y-%m-%d %H:%M:%S UTC")


def pretty(value: Any) -> str:
    """A JSON value over several lines."""
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def bytes_shown(raw: bytes) -> str:
    """Bytes as text where they are, else the first of them in hex."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = ""
    if text and all(_harmless(one) for one in text[:WHOLE_MAX]):
        return text
    escaped = "".join(chr(one) if 32 <= one < 127 else f"\\x{one:02x}" for one in raw[:SHOWN_MAX])
    if len(raw) <= SHOWN_MAX and escaped.count("\\x") * 2 <= len(raw):
        return escaped
    more = "…" if len(raw) > _HEX_SHOWN else ""
    return f"0x{raw[:_HEX_SHOWN].hex()}{more}"


class Shown(msgspec.Struct, frozen=True):
    """A payload for eyes: its kind (``text json binary sealed broken``), the text, and facts."""

    kind: str
    text: str
    size: int
    sha256: str
    content_type: str = ""
    schema: str = ""


def payload(raw: bytes) -> Shown:
    """A message's payload by its envelope."""
    facts = (len(raw), hashlib.sha256(raw).hexdigest())
    if is_sealed(raw):
        return Shown("sealed", "", *facts)
    try:
        found = read_payload(raw)
    except EnvelopeError as error:
        return Shown("broken", f"{error}\n{bytes_shown(raw)}", *facts)
    if found.encoding == BASE64:
        inner = found.data
        facts = (len(inner), hashlib.sha256(inner).hexdigest())
        kind = "sealed" if found.sealed else "binary"
        body = "" if found.sealed else bytes_shown(inner)
        return Shown(kind, body, *facts, found.content_type, found.schema)
    if found.encoding == JSON:
        words = _words(found.data)
        if words is not None:
            return Shown("text", words, *facts, schema=found.schema)
        return Shown("json", pretty(found.data), *facts, schema=found.schema)
    try:
        return Shown("text", raw.decode(), *facts)
    except UnicodeDecodeError:
        return Shown("binary", bytes_shown(raw), *facts)


def unsealed(key: DecapsulationKey, sender: str, receiver: str, raw: bytes) -> bytes | None:
    """What a payload says that was sealed for a key; None for any other."""
    sealed: object = raw
    if not is_sealed(raw):
        try:
            found = read_payload(raw)
        except EnvelopeError:
            return None
        sealed = found.data if found.sealed else None
    if not isinstance(sealed, bytes):
        return None
    try:
        return unseal(key, sealed, seal_context(sender, receiver))
    except SealError:
        return None


def _words(value: Any) -> str | None:
    """The text of a value that is nothing but text."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and list(value) == ["text"] and isinstance(value["text"], str):
        return value["text"]
    return None
