"""Verifiers: same answers wherever the work is done, and a memory of what was proven."""

import pytest

from chain.crypto import verify as module
from chain.crypto.keys import Ed25519Key, MlDsa87Key, PubKey, Secp256k1Key
from chain.crypto.verify import InlineVerifier, SigJob, ThreadedVerifier, TrustingVerifier

KEYS = (MlDsa87Key(bytes(32)), Secp256k1Key(b"\x01" * 32), Ed25519Key(bytes(32)))
GOOD = [SigJob(k.pubkey, b"m", k.sign(b"m", b"c"), b"c") for k in KEYS]
BAD = [SigJob(j.pubkey, b"n", j.signature, j.context) for j in GOOD]
UNKNOWN = SigJob(PubKey("rsa", b"x"), b"m", b"s")


@pytest.fixture
def threaded():
    verifier = ThreadedVerifier(2, remember=4)
    yield verifier
    verifier.close()


@pytest.fixture
def checks(monkeypatch):
    """Counts the checks that really happen."""
    seen = []
    real = module.verify

    def counting(job):
        seen.append(job)
        return real(job)

    monkeypatch.setattr(module, "verify", counting)
    return seen


def test_verifiers_agree(threaded):
    jobs = [*GOOD, *BAD, UNKNOWN]
    expected = [True] * 3 + [False] * 4
    assert InlineVerifier().verify_many(jobs) == expected
    assert threaded.verify_many(jobs) == expected
    assert threaded.verify_many([]) == []
    assert TrustingVerifier().verify_many(jobs) == [True] * 7


def test_proven_jobs_are_not_checked_again(threaded, checks):
    assert threaded.verify_many(GOOD) == [True] * 3
    assert threaded.verify_many(GOOD) == [True] * 3
    assert len(checks) == 3


def test_refused_jobs_are_checked_again(threaded, checks):
    for _ in range(2):
        assert threaded.verify_many(BAD[:1]) == [False]
    assert len(checks) == 2


def test_memory_is_of_exact_bytes(threaded, checks):
    job = GOOD[2]
    threaded.verify_many([job])
    moved = SigJob(PubKey(job.pubkey.type, job.pubkey.key), job.message, job.signature, b"other")
    threaded.verify_many([moved])
    assert len(checks) == 2
    assert threaded.verify_many([SigJob(job.pubkey, b"mm", job.signature, b"c")]) == [False]


def test_memory_is_bounded_and_forgets_the_oldest(threaded, checks):
    key = KEYS[2]
    jobs = [SigJob(key.pubkey, bytes([i]), key.sign(bytes([i]))) for i in range(6)]
    for job in jobs:
        threaded.verify_many([job])
    assert threaded.remembered() == 4
    threaded.verify_many([jobs[0]])
    assert len(checks) == 7
