"""ICS-23 proofs: writing them, and checking them with nothing but this file.

The verifier needs a root (the app hash in the header of the next height), the key, the value and
the proof. It checks what ``@confio/ics23`` 0.6.8 checks under ``smtSpec``, and a little more
(unknown fields and trailing bytes are refused).

- The proof key is the path, ``sha256(key)``.
- The proof value is the value, except that a value of zero bytes only, the empty one included,
has one zero byte
  more (ICS-23 knows no empty values); see ``proof_value``.
- ``leaf = sha256(00 | path | sha256(proof value))``, ``node = sha256(01 | left | right)``.
- Derived entries are not in the tree; the key ``00 "derived"`` holds a rolling hash of how they
changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

#: LeafOp: SHA-256 (1), key as it is (0), value hashed (1), no length (0), prefix 00.
_LEAF_OP: Final = bytes.fromhex("080110001801 2000 2a0100")
_DEPTH_MAX: Final = 256
_HASH_BYTES: Final = 32


class ProofError(Exception):
    """A proof that does not hold, or is not one; the text says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One inner node on the way up: the hash of the other child, and the side it is on."""

    sibling: bytes
    sibling_is_left: bool


@dataclass(frozen=True, slots=True)
class Existence:
    """A leaf and its way to the root, leaf side first."""

    path: bytes
    value: bytes
    steps: tuple[Step, ...]

    def root(self) -> bytes:
        """The root that this leaf leads to."""
        digest = sha256(b"\x00" + self.path + sha256(self.value).digest()).digest()
        for step in self.steps:
            if step.sibling_is_left:
                digest = sha256(b"\x01" + step.sibling + digest).digest()
            else:
                digest = sha256(b"\x01" + digest + step.sibling).digest()
        return digest


def proof_path(key: bytes) -> bytes:
    """The path of ``key``: what an ICS-23 verifier takes for the key."""
    return sha256(key).digest()


def proof_value(value: bytes) -> bytes:
    """What an ICS-23 verifier takes for the value: never empty, and no two values give the same."""
    return value if value.strip(b"\x00") else value + b"\x00"


# --- writing ------------------------------------------------------------------------------------


def encode_existence(proof: Existence) -> bytes:
    """``CommitmentProof`` with ``exist``."""
    return _field(1, _existence(proof))


def encode_absence(path: bytes, left: Existence | None, right: Existence | None) -> bytes:
    """``CommitmentProof`` with ``nonexist``: the leaves before and after ``path``."""
    body = _field(1, path)
    if left is not None:
        body += _field(2, _existence(left))
    if right is not None:
        body += _field(3, _existence(right))
    return _field(2, body)


def _existence(proof: Existence) -> bytes:
    parts = [_field(1, proof.path), _field(2, proof.value), _field(3, _LEAF_OP)]
    for step in proof.steps:
        if step.sibling_is_left:
            operation = b"\x08\x01" + _field(2, b"\x01" + step.sibling) + _field(3, b"")
        else:
            operation = b"\x08\x01" + _field(2, b"\x01") + _field(3, step.sibling)
        parts.append(_field(4, operation))
    return b"".join(parts)


def _field(number: int, body: bytes) -> bytes:
    return bytes((number << 3 | 2,)) + _varint(len(body)) + body


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


# --- checking -----------------------------------------------------------------------------------


def verify_membership(root: bytes, key: bytes, value: bytes, proof: bytes) -> bool:
    """Whether ``proof`` shows that the state behind ``root`` has ``value`` at ``key``."""
    try:
        kind, body = _commitment(proof)
        if kind != 1:
            return False
        found = _read_existence(body)
    except ProofError:
        return False
    return (
        found.path == proof_path(key) and found.value == proof_value(value) and found.root() == root
    )


def verify_non_membership(root: bytes, key: bytes, proof: bytes) -> bool:
    """Whether ``proof`` shows that the state behind ``root`` has nothing at ``key``."""
    try:
        kind, body = _commitment(proof)
        if kind != 2:
            return False
        path, left, right = _read_absence(body)
    except ProofError:
        return False
    if path != proof_path(key) or (left is None and right is None):
        return False
    if left is not None and (left.root() != root or left.path >= path):
        return False
    if right is not None and (right.root() != root or path >= right.path):
        return False
    return _adjacent(left, right)


def _adjacent(left: Existence | None, right: Existence | None) -> bool:
    """Whether no leaf can stand between the two, or beyond the one that is given."""
    if left is None:
        return right is not None and _is_edge(right.steps, left_edge=True)
    if right is None:
        return _is_edge(left.steps, left_edge=False)
    above_left, above_right = list(left.steps), list(right.steps)
    while above_left and above_right and above_left[-1] == above_right[-1]:
        above_left.pop()
        above_right.pop()
    if not above_left or not above_right:
        return False
    fork_left, fork_right = above_left.pop(), above_right.pop()
    return (
        not fork_left.sibling_is_left
        and fork_right.sibling_is_left
        and _is_edge(above_left, left_edge=False)
        and _is_edge(above_right, left_edge=True)
    )


def _is_edge(steps: Sequence[Step], *, left_edge: bool) -> bool:
    """Whether a leaf is the first (or the last) below the node that its steps lead to."""
    return all(step.sibling_is_left != left_edge for step in steps)


def _commitment(proof: bytes) -> tuple[int, bytes]:
    fields = list(_fields(proof))
    if len(fields) != 1 or fields[0][0] not in (1, 2):
        raise ProofError("not one existence or non-existence proof")
    return fields[0]


def _read_absence(body: bytes) -> tuple[bytes, Existence | None, Existence | None]:
    parts = _once(body, (1, 2, 3))
    left, right = parts.get(2), parts.get(3)
    return (
        parts.get(1, b""),
        None if left is None else _read_existence(left),
        None if right is None else _read_existence(right),
    )


def _read_existence(body: bytes) -> Existence:
    path = value = leaf = None
    steps: list[Step] = []
    for number, part in _fields(body):
        if number == 1 and path is None:
            path = part
        elif number == 2 and value is None:
            value = part
        elif number == 3 and leaf is None:
            leaf = part
        elif number == 4:
            steps.append(_read_step(part))
        else:
            raise ProofError(f"field {number} of an existence proof")
    if path is None or len(path) != _HASH_BYTES or not value or leaf != _LEAF_OP:
        raise ProofError("path, value or leaf operation")
    if len(steps) > _DEPTH_MAX:
        raise ProofError("too deep")
    return Existence(path, value, tuple(steps))


def _read_step(body: bytes) -> Step:
    if body[:2] != b"\x08\x01":
        raise ProofError("hash of an inner operation")
    parts = _once(body[2:], (2, 3))
    prefix, suffix = parts.get(2, b""), parts.get(3, b"")
    if prefix[:1] != b"\x01" or len(prefix) + len(suffix) != 1 + _HASH_BYTES:
        raise ProofError("inner operation")
    if suffix and len(prefix) != 1:
        raise ProofError("inner operation with two siblings")
    return Step(suffix or prefix[1:], not suffix)


def _once(body: bytes, allowed: tuple[int, ...]) -> dict[int, bytes]:
    parts: dict[int, bytes] = {}
    for number, part in _fields(body):
        if number not in allowed or number in parts:
            raise ProofError(f"field {number}")
        parts[number] = part
    return parts


def _fields(body: bytes) -> Iterator[tuple[int, bytes]]:
    """Length-delimited protobuf fields."""
    at = 0
    while at < len(body):
        tag = body[at]
        if tag & 0x87 != 2:
            raise ProofError("not a length-delimited field")
        length, at = _read_varint(body, at + 1)
        if at + length > len(body):
            raise ProofError("cut off")
        yield tag >> 3, body[at : at + length]
        at += length


def _read_varint(body: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(body) and shift < 28:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if byte == 0 and shift:
                raise ProofError("length is not minimal")
            return value, at
        shift += 7
    raise ProofError("length")
