"""Bech32 (BIP 173) as the SDK reads it, with its error texts and without its length limit of 90."""

from __future__ import annotations

from typing import Final

CHARSET: Final = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_VALUE: Final = {char: value for value, char in enumerate(CHARSET)}
_MAX_LENGTH: Final = 1023
_MIN_LENGTH: Final = 8


def _generator_table() -> tuple[int, ...]:
    """What the five bits that fall out at the top add to the checksum, for each of
    their 32 values.
    """
    generators = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
    table = []
    for top in range(32):
        mask = 0
        for bit, generator in enumerate(generators):
            if top >> bit & 1:
                mask ^= generator
        table.append(mask)
    return tuple(table)


_GENERATOR: Final = _generator_table()


class Bech32Error(Exception):
    """The text is not bech32; the message is the SDK's."""


def _polymod(checksum: int, values: list[int]) -> int:
    table = _GENERATOR
    for value in values:
        checksum = (checksum & 0x1FFFFFF) << 5 ^ value ^ table[checksum >> 25]
    return checksum


def _prefix_state(prefix: str) -> int:
    codes = prefix.encode()
    return _polymod(1, [code >> 5 for code in codes] + [0] + [code & 31 for code in codes])


def _checksum(prefix: str, values: list[int]) -> list[int]:
    remainder = _polymod(_prefix_state(prefix), [*values, 0, 0, 0, 0, 0, 0]) ^ 1
    return [remainder >> 5 * (5 - i) & 31 for i in range(6)]


def encode(prefix: str, data: bytes) -> str:
    """Encode ``data`` under ``prefix``, lower case."""
    bits = len(data) * 8
    groups = -(-bits // 5)
    number = int.from_bytes(data, "big") << groups * 5 - bits
    values = [number >> 5 * (groups - 1 - i) & 31 for i in range(groups)]
    return prefix + "1" + "".join([CHARSET[v] for v in values + _checksum(prefix, values)])


def decode(text: str) -> tuple[str, bytes]:
    """Decode to (prefix, data). Raises: Bech32Error with the SDK's text."""
    raw = text.encode("utf-8", "surrogatepass")
    if not _MIN_LENGTH <= len(raw) <= _MAX_LENGTH:
        raise Bech32Error(f"invalid bech32 string length {len(raw)}")
    for code in raw:
        if not 33 <= code <= 126:
            raise Bech32Error(f"invalid character in string: '{chr(code)}'")
    lower = text.lower()
    if text not in (lower, text.upper()):
        raise Bech32Error("string not all lowercase or all uppercase")
    split = lower.rfind("1")
    if split < 1 or split + 7 > len(lower):
        raise Bech32Error(f"invalid separator index {split}")
    values = []
    for char in lower[split + 1 :]:
        value = _VALUE.get(char)
        if value is None:
            raise Bech32Error(f"invalid character not part of charset: {ord(char)}")
        values.append(value)
    prefix = lower[:split]
    if _polymod(_prefix_state(prefix), values) != 1:
        expected = "".join([CHARSET[v] for v in _checksum(prefix, values[:-6])])
        raise Bech32Error(f"invalid checksum (expected {expected} got {lower[-6:]})")
    return prefix, _to_bytes(values[:-6])


def _to_bytes(values: list[int]) -> bytes:
    number = 0
    for value in values:
        number = number << 5 | value
    padding = len(values) * 5 % 8
    if padding > 4 or number & (1 << padding) - 1:
        raise Bech32Error("invalid incomplete group")
    return (number >> padding).to_bytes(len(values) * 5 // 8, "big")
