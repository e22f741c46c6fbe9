"""cosmos.crypto, cosmos.tx.signing and our own key type."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, tuple[tuple[int, str, str], ...]]] = {
    "cosmos.crypto.secp256k1.PubKey": ((1, "key", "bytes"),),
    "cosmos.crypto.ed25519.PubKey": ((1, "key", "bytes"),),
    "msgchain.crypto.v1.MlDsa87PubKey": ((1, "key", "bytes"),),
    "cosmos.crypto.multisig.LegacyAminoPubKey": (
        (1, "threshold", "uint32"),
        (2, "public_keys", "*google.protobuf.Any"),
    ),
    "cosmos.crypto.multisig.v1beta1.CompactBitArray": (
        (1, "extra_bits_stored", "uint32"),
        (2, "elems", "bytes"),
    ),
    "cosmos.crypto.multisig.v1beta1.MultiSignature": ((1, "signatures", "*bytes"),),
}
