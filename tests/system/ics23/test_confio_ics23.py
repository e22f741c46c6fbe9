"""Proofs under the npm package ``@confio/ics23``, with its ``smtSpec``, and under our own verifier."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from chain.store import MemoryBackend, StateStore
from chain.store.ics23 import proof_path, proof_value, verify_membership, verify_non_membership

pytestmark = pytest.mark.node

HERE = Path(__file__).parent
PROOF, ROOT, KEY, VALUE = range(4)
#: Keys proven for a tree of this many: 2,000 in all, half of them absent.
PROVEN = {1: 20, 2: 80, 5: 300, 100: 700, 10_000: 900}
#: Proofs of which every bit is changed; the large trees' are long.
WHOLE = {1: 4, 2: 4, 5: 2, 100: 0, 10_000: 0}
#: One-bit changes tried of each other proof.
FLIPS = 24


@pytest.fixture(name="node", scope="module")
def _node():
    """Command, environment: Node.js with the package in reach."""
    named = os.environ.get("MSGCHAIN_NODE_MODULES")
    modules = Path(named) if named else HERE.parent / "node" / "node_modules"
    missing = ""
    if shutil.which("node") is None:
        missing = "Node.js is not installed"
    elif not (modules / "@confio" / "ics23").is_dir():
        missing = f"@confio/ics23 is not in {modules} (npm install in tests/system/node)"
    if missing and os.environ.get("MSGCHAIN_CI") == "1":
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)
    return ["node", str(HERE / "verify.cjs")], {**os.environ, "NODE_PATH": str(modules)}


def store_of(size, source):
    """A store of ``size`` random keys, some with empty values or zero bytes, and its entries."""
    entries = {}
    while len(entries) < size:
        length = source.choice([0, 1, 2, 20, 60])
        value = bytes(length) if source.random() < 0.1 else source.randbytes(length)
        entries[source.randbytes(source.randint(1, 40))] = value
    store = StateStore(MemoryBackend())
    store.stage(1, entries)
    store.commit()
    return store, entries


def cases_of(size, source):
    """Proofs over a tree of ``size`` keys as (root, key, value or None, proof, flips)."""
    store, entries = store_of(size, source)
    present = sorted(entries)
    for number in range(PROVEN[size]):
        key = source.choice(present) if number % 2 else source.randbytes(source.randint(1, 40))
        value = entries.get(key)
        proof = store.prove(key, 1)
        parts = [proof, store.app_hash, proof_path(key)]
        if value is not None:
            parts.append(proof_value(value))
        if number < WHOLE[size]:
            flips = [(part, bit) for part, data in enumerate(parts) for bit in range(8 * len(data))]
        else:
            flips = []
            for _ in range(FLIPS):
                part = source.randrange(len(parts))
                flips.append((part, source.randrange(8 * len(parts[part]))))
        yield store.app_hash, key, value, proof, flips


def checked(node, cases):
    """What the package says of each case."""
    command, environment = node
    request = [
        {
            "root": root.hex(),
            "key": proof_path(key).hex(),
            "value": None if value is None else proof_value(value).hex(),
            "proof": proof.hex(),
            "flips": flips,
        }
        for root, key, value, proof, flips in cases
    ]
    done = subprocess.run(
        command,
        input=json.dumps(request),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return json.loads(done.stdout)


def ours(root, key, value, proof):
    """Our verifier's answer."""
    if value is None:
        return verify_non_membership(root, key, proof)
    return verify_membership(root, key, value, proof)


@pytest.mark.parametrize("size", sorted(PROVEN))
def test_CH_13_proofs_are_accepted_and_changed_ones_refused(node, size):
    cases = list(cases_of(size, random.Random(size)))
    answers = checked(node, cases)
    assert len(answers) == len(cases)
    for (root, key, value, proof, flips), (accepted, wrongly) in zip(cases, answers, strict=True):
        assert accepted
        assert ours(root, key, value, proof)
        if value is None:  # true of another path between the same neighbours, and so accepted
            wrongly = [flip for flip in wrongly if flip[0] != KEY]
        assert not wrongly
        for part, bit in flips:
            assert not ours(*changed((root, key, value, proof), part, bit))


@pytest.mark.long
@pytest.mark.parametrize("size", [100, 10_000])
def test_CH_13_every_bit_of_a_large_trees_proofs_counts(node, size, monkeypatch):
    monkeypatch.setitem(WHOLE, size, 4)
    monkeypatch.setitem(PROVEN, size, 4)
    test_CH_13_proofs_are_accepted_and_changed_ones_refused(node, size)


def changed(case, part, bit):
    """The case with one bit changed; key and value change before they are hashed or padded."""
    root, key, value, proof = case
    parts = [proof, root, key, value]
    data = bytearray(parts[part] or b"\x00")
    bit %= 8 * len(data)
    data[bit >> 3] ^= 1 << (bit & 7)
    parts[part] = bytes(data)
    return parts[ROOT], parts[KEY], parts[VALUE], parts[PROOF]
