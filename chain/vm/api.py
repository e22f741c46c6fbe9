"""``deps.api``: addresses and signature checks, each with its price (wasmd ``keeper/api.go``)."""

from __future__ import annotations

from typing import Final

from chain.crypto import addresses, secp256k1
from chain.crypto.addresses import AddressError
from chain.crypto.keys import ED25519, ML_DSA_87, PubKey
from chain.crypto.verify import SigJob, verify
from chain.errors import ContractError, VmError
from chain.gas import (
    CANONICALIZE,
    HUMANIZE,
    VALIDATE,
    VALIDATE_FAILED,
    VM_ED25519,
    VM_ML_DSA_87,
    VM_SECP256K1,
    GasMeter,
)
from chain.std import Addr

#: longest texts and canonical bytes that the host looks at (ADDR-3)
TEXT_MAX: Final = 256
CANONICAL_MAX: Final = 64
#: bytes of signed content that a check includes in its flat price; every started block of 64
#: beyond costs one gas
FREE_BYTES: Final = 1024
_BLOCK: Final = 64


class Api:
    """The host functions of one call."""

    __slots__ = ("_meter", "_prefix")

    def __init__(self, meter: GasMeter, prefix: str) -> None:
        self._meter = meter
        self._prefix = prefix

    def addr_validate(self, text: str) -> Addr:
        """The address of a text in its only form. Raises: ContractError with the chain's text
        (ADDR-1).
        """
        try:
            self._check(text)
        except ContractError as error:
            decoded = error.text.endswith(addresses.NOT_NORMALIZED)
            self._meter.consume(VALIDATE if decoded else VALIDATE_FAILED, "validate")
            raise
        self._meter.consume(VALIDATE, "validate")
        return Addr(text)

    def addr_canonicalize(self, text: str) -> bytes:
        """Canonical bytes of an address text. Raises: ContractError."""
        self._meter.consume(CANONICALIZE, "canonicalize")
        return self._check(text, "addr_canonicalize")

    def addr_humanize(self, canonical: bytes) -> Addr:
        """The text of canonical bytes. Raises: ContractError."""
        self._meter.consume(HUMANIZE, "humanize")
        if len(canonical) > CANONICAL_MAX:
            raise _too_long(len(canonical), CANONICAL_MAX)
        try:
            return Addr(addresses.humanize(bytes(canonical), self._prefix))
        except AddressError as error:
            raise ContractError(f"Generic error: addr_humanize errored: {error}") from None

    def secp256k1_verify(self, message_hash: bytes, signature: bytes, public_key: bytes) -> bool:
        """Whether a 64-byte secp256k1 signature over a 32-byte hash holds; false for malformed
        input.
        """
        self._meter.consume(VM_SECP256K1, "secp256k1_verify")
        if len(message_hash) != 32:
            raise ContractError("Verification error: Hash must be 32 bytes long")
        return secp256k1.verify_digest(public_key, message_hash, signature)

    def ed25519_verify(self, message: bytes, signature: bytes, public_key: bytes) -> bool:
        """Whether an Ed25519 signature over a message holds; false for malformed input."""
        self._charge(VM_ED25519, message)
        return verify(SigJob(PubKey(ED25519, public_key), message, signature))

    def ml_dsa_verify(
        self, message: bytes, signature: bytes, public_key: bytes, context: bytes = b""
    ) -> bool:
        """Whether an ML-DSA-87 signature over a message under a context holds; false for
        malformed input.
        """
        self._charge(VM_ML_DSA_87, message)
        return verify(SigJob(PubKey(ML_DSA_87, public_key), message, signature, context))

    def _charge(self, price: int, message: bytes) -> None:
        extra = max(0, len(message) - FREE_BYTES)
        self._meter.consume(price + (extra + _BLOCK - 1) // _BLOCK, "verify")

    def _check(self, text: str, where: str = "addr_validate") -> bytes:
        if not isinstance(text, str):
            raise ContractError(f"Generic error: {where} errored: not a text")
        if not text:
            raise ContractError(f"Generic error: {where} errored: Input is empty")
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if size > TEXT_MAX:
            raise _too_long(size, TEXT_MAX)
        try:
            return addresses.validate(text, self._prefix)
        except AddressError as error:
            raise ContractError(f"Generic error: {where} errored: {error}") from None


def _too_long(size: int, limit: int) -> VmError:
    """Input that the host does not even look at: it aborts the call (ADDR-3)."""
    return VmError(
        "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "
        f"Error in guest/host communication: Region length too big. Got {size}, limit {limit}"
    )
