"""Signatures verified before their transactions' turns, as far as a state shows their keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from chain.app.ante import Ante
from chain.app.known import Known, Proof
from chain.crypto.verify import SigJob, Verifier
from chain.errors import AppError
from chain.vm.storage import ReadStore

#: transactions of a block that are verified together, while those before them run
TOGETHER: Final = 32
_Claim = tuple[Known, tuple[Proof, ...], int]


def begin(
    ante: Ante,
    verifier: Verifier,
    parts: Sequence[Sequence[Known | AppError]],
    state: ReadStore,
    chain_id: str,
) -> Iterator[None]:
    """Begin to check; each value of the iterator is one part done. What cannot be decoded or
    proven is refused when its turn comes.
    """
    jobs: list[list[SigJob]] = []
    claims: list[list[_Claim]] = []
    for part in parts:
        jobs.append([])
        claims.append([])
        for known in part:
            if isinstance(known, AppError) or known.proofs:
                continue
            wanted, proofs = ante.claims(known.tx, state, chain_id)
            if wanted:
                claims[-1].append((known, proofs, len(wanted)))
                jobs[-1].extend(wanted)
    return map(_settle, claims, verifier.verify_parts(jobs))


def _settle(claims: list[_Claim], answers: list[bool]) -> None:
    """Note the proofs of transactions all of whose signatures hold."""
    start = 0
    for known, proofs, count in claims:
        if all(answers[start : start + count]):
            known.proofs = proofs
        start += count
