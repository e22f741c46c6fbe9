"""How fast signatures are made and checked, by library and by number of threads."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Callable
from typing import Any

from Crypto.PublicKey import MLDSA
from Crypto.Signature import mldsa as pycryptodome
from cryptography.hazmat.primitives.asymmetric import mldsa as openssl

from chain.crypto import mldsa, secp256k1
from chain.crypto.keys import Ed25519Key, MlDsa87Key, Secp256k1Key
from chain.crypto.verify import InlineVerifier, SigJob, ThreadedVerifier, verify

_COUNTS = {"smoke": 20, "real": 1500}
_MESSAGE = b"benchmark" * 40
_CONTEXT = b"msgchain/tx/v1"
_SEED = bytes(range(32))


def _rate(work: Callable[[], Any], count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        work()
    return count / (time.perf_counter() - start)


def _threaded_rate(work: Callable[[], Any], count: int, threads: int) -> float:
    def loop() -> None:
        for _ in range(count):
            work()

    workers = [threading.Thread(target=loop) for _ in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return threads * count / (time.perf_counter() - start)


def _libraries(count: int) -> dict[str, float]:
    """ML-DSA-87 verification by each library, one thread and two, keys constructed each time."""
    key = MlDsa87Key(_SEED)
    public, signature = key.pubkey.key, key.sign(_MESSAGE, _CONTEXT)

    def by_openssl() -> None:
        loaded = openssl.MLDSA87PublicKey.from_public_bytes(public)
        loaded.verify(signature, _MESSAGE, _CONTEXT)

    def by_pycryptodome() -> None:
        loaded = MLDSA.construct(param_set=MLDSA.ML_DSA_87, pk=public)
        pycryptodome.new(loaded, _CONTEXT).verify(_MESSAGE, signature)

    return {
        "ml_dsa_87 verify/s, openssl": _rate(by_openssl, count),
        "ml_dsa_87 verify/s, openssl, 2 threads": _threaded_rate(by_openssl, count, 2),
        "ml_dsa_87 verify/s, pycryptodome": _rate(by_pycryptodome, count),
        "ml_dsa_87 verify/s, pycryptodome, 2 threads": _threaded_rate(by_pycryptodome, count, 2),
    }


def _pool(count: int) -> dict[str, float]:
    """A block's worth of native signatures through both verifiers, and again from memory."""
    key = MlDsa87Key(_SEED)
    jobs = []
    for number in range(count):
        message = number.to_bytes(8, "big")
        jobs.append(SigJob(key.pubkey, message, key.sign(message, _CONTEXT), _CONTEXT))
    found = {}
    pool = ThreadedVerifier(2)
    for name, verifier in (("inline", InlineVerifier()), ("pool of 2", pool), ("remembered", pool)):
        start = time.perf_counter()
        if not all(verifier.verify_many(jobs)):
            raise RuntimeError("a good signature was refused")
        found[f"ml_dsa_87 verify/s, {name}"] = count / (time.perf_counter() - start)
    pool.close()
    return found


def run(size: str) -> dict[str, Any]:
    """Operations a second; ratios of the two that the design depends on; a hash of what
    was signed.
    """
    count = _COUNTS[size]
    native, wallet, validator = MlDsa87Key(_SEED), Secp256k1Key(_SEED), Ed25519Key(_SEED)
    figures: dict[str, Any] = {}
    digest = hashlib.sha256()
    for name, key in (("ml_dsa_87", native), ("secp256k1", wallet), ("ed25519", validator)):
        signature = key.sign(_MESSAGE, _CONTEXT)
        digest.update(signature)
        job = SigJob(key.pubkey, _MESSAGE, signature, _CONTEXT)
        figures[f"{name} sign/s"] = _rate(
            lambda key=key: key.sign(_MESSAGE, _CONTEXT),  # type: ignore[misc]
            max(5, count // 3),
        )
        figures[f"{name} verify/s"] = _rate(lambda job=job: verify(job), count)  # type: ignore[misc]
    figures |= _libraries(count)
    figures |= _pool(count)
    fast, slow = figures["ml_dsa_87 verify/s, pycryptodome"], figures["ml_dsa_87 verify/s, openssl"]
    rounded = {name: round(rate, 1) for name, rate in figures.items()}
    rounded["pycryptodome to openssl"] = round(fast / slow, 2)
    two = figures["ml_dsa_87 verify/s, pool of 2"]
    rounded["pool of 2 to inline"] = round(two / figures["ml_dsa_87 verify/s, inline"], 2)
    rounded["signature bytes"] = mldsa.SIGNATURE_BYTES + secp256k1.SIGNATURE_BYTES
    rounded["hash"] = digest.hexdigest()[:16]
    return rounded
