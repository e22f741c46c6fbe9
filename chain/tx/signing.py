"""Which bytes a signer signed, which checks that asks for, and how a failed one is
worded (sdk/4).
"""

from __future__ import annotations

from typing import Final

from chain.crypto import multisig
from chain.crypto.keys import MULTISIG, PubKey
from chain.crypto.verify import SigJob
from chain.errors import AppError
from chain.protowire import bytes_field, int_field, text_field
from chain.tx import native
from chain.tx.amino import AminoError, sign_document
from chain.tx.value import (
    MODE_ABSENT,
    MODE_AMINO,
    MODE_DIRECT,
    MODE_DIRECT_AUX,
    MODE_EIP_191,
    MODE_MULTI,
    MODE_NATIVE,
    MODE_TEXTUAL,
    MODE_UNSPECIFIED,
    Tx,
)

#: FIPS 204 context of every ML-DSA signature over a transaction.
CONTEXT: Final = native.CONTEXT
_UNVERIFIED: Final = "unable to verify single signer signature"
_MODE_NAMES: Final = {
    MODE_UNSPECIFIED: "SIGN_MODE_UNSPECIFIED",
    MODE_DIRECT: "SIGN_MODE_DIRECT",
    MODE_TEXTUAL: "SIGN_MODE_TEXTUAL",
    MODE_DIRECT_AUX: "SIGN_MODE_DIRECT_AUX",
    MODE_AMINO: "SIGN_MODE_LEGACY_AMINO_JSON",
    MODE_EIP_191: "SIGN_MODE_EIP_191",
}


def direct_bytes(body: bytes, auth_info: bytes, chain_id: str, account_number: int) -> bytes:
    """The SignDoc of SIGN_MODE_DIRECT over the parts as received."""
    return (
        bytes_field(1, body)
        + bytes_field(2, auth_info)
        + text_field(3, chain_id)
        + int_field(4, account_number)
    )


def sign_bytes(tx: Tx, index: int, account_number: int, chain_id: str) -> bytes:
    """The bytes that the signer at ``index`` signed.

    Raises: AppError sdk/4 for a way of signing that is not supported.
    """
    return _mode_bytes(tx, index, tx.signers[index].mode, account_number, chain_id)


def _mode_bytes(tx: Tx, index: int, mode: int, account_number: int, chain_id: str) -> bytes:
    if mode == MODE_NATIVE:
        return native.sign_bytes(tx.body, index, account_number)
    if mode == MODE_DIRECT:
        return direct_bytes(tx.body, tx.auth_info, chain_id, account_number)
    if mode == MODE_AMINO:
        sequence = tx.signers[index].sequence
        try:
            return sign_document(
                tx, chain_id=chain_id, account_number=account_number, sequence=sequence
            )
        except AminoError:
            raise refused(tx, index, account_number, chain_id) from None
    if mode == MODE_DIRECT_AUX:
        reason = f"fee payer {tx.payer} cannot sign with SIGN_MODE_DIRECT_AUX: unauthorized"
    elif mode == MODE_TEXTUAL:
        reason = "unsuppored sign mode SIGN_MODE_TEXTUAL"  # the SDK's spelling
    elif mode in (MODE_ABSENT, MODE_MULTI):
        reason = "unexpected ModeInfo data type <nil>"
    else:
        reason = f"unsupported sign mode {_MODE_NAMES.get(mode, mode)}"
    raise refused(tx, index, account_number, chain_id, reason)


def refused(
    tx: Tx, index: int, account_number: int, chain_id: str, reason: str = _UNVERIFIED
) -> AppError:
    """The refusal of the signature at ``index``, in the SDK's words."""
    signer = tx.signers[index]
    modes = signer.multi.modes if signer.multi is not None else (signer.mode,)
    text = f"signature verification failed; please verify account number ({account_number})"
    if all(mode == MODE_AMINO for mode in modes):
        text += f", sequence ({signer.sequence}) and chain-id ({chain_id})"
    else:
        text += f" and chain-id ({chain_id}): ({reason})"
    return AppError.wrap("sdk", 4, text)


def signature_jobs(
    tx: Tx, index: int, pubkey: PubKey, account_number: int, chain_id: str
) -> tuple[SigJob, ...]:
    """The checks that the signature at ``index`` must pass; ``pubkey`` is the account's.

    One, or one for each member of a threshold key that signed. If any answer is no, raise
    ``refused``. Raises: AppError sdk/4 when there is nothing to check, and the signature is refused
    as it stands.
    """
    signer = tx.signers[index]
    if pubkey.type == MULTISIG:
        return _multisig_jobs(tx, index, pubkey, account_number, chain_id)
    if signer.mode == MODE_MULTI:
        raise refused(tx, index, account_number, chain_id)
    message = sign_bytes(tx, index, account_number, chain_id)
    return (SigJob(pubkey, message, signer.signature, CONTEXT),)


def _multisig_jobs(
    tx: Tx, index: int, pubkey: PubKey, account_number: int, chain_id: str
) -> tuple[SigJob, ...]:
    multi = tx.signers[index].multi
    threshold, keys = multisig.members(pubkey)
    why = ""
    if multi is None:
        why = "expected multi-signature data"
    elif not threshold:
        why = "threshold must be positive"
    elif multi.size != len(keys):
        why = f"bit array size is incorrect, expecting: {len(keys)}"
    elif not threshold <= len(multi.signatures) <= multi.size:
        why = f"signature size is incorrect {len(multi.signatures)}"
    elif len(multi.members) < threshold:
        why = f"not enough signatures set, have {len(multi.members)}, expected {threshold}"
    elif not len(multi.members) == len(multi.signatures) == len(multi.modes):
        why = f"signature size is incorrect {len(multi.signatures)}"
    if multi is None or why:
        raise refused(tx, index, account_number, chain_id, why)
    jobs = []
    for member, mode, signature in zip(multi.members, multi.modes, multi.signatures, strict=True):
        if keys[member].type == MULTISIG:
            raise refused(tx, index, account_number, chain_id, "nested threshold keys")
        message = _mode_bytes(tx, index, mode, account_number, chain_id)
        jobs.append(SigJob(keys[member], message, signature, CONTEXT))
    return tuple(jobs)


def signatures_in_events(tx: Tx, index: int) -> tuple[bytes, ...]:
    """The signatures that events show for a signer: a threshold key's parts first, then
    the whole.
    """
    signer = tx.signers[index]
    parts = signer.multi.signatures if signer.multi is not None else ()
    return (*parts, signer.signature)


def key_count(pubkey: PubKey | None) -> int:
    """How many signatures a key counts for in the limit and the gas: a threshold key,
    its members.
    """
    if pubkey is None or pubkey.type != MULTISIG:
        return 1
    return sum([key_count(member) for member in multisig.members(pubkey)[1]])
