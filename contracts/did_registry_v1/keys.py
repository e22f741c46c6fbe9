"""Keys: reading them from messages, writing them as multibase, checking signatures with them."""

from chain.std import Api, Binary, ascii_lower, sha256
from contracts.did_registry_v1.error import InvalidKey, UnknownAlgorithm
from contracts.did_registry_v1.msg import KeyInput
from contracts.did_registry_v1.state import (
    ED25519,
    KEY_AGREEMENT,
    KEY_SIZES,
    ML_DSA_87,
    ML_KEM_1024,
    RELATIONS,
    SECP256K1,
    KeyRecord,
)

#: Accepted spellings of kinds of key, in lower case.
SPELLINGS = {
    "ml-dsa-87": ML_DSA_87,
    "mldsa87": ML_DSA_87,
    "dilithium5": ML_DSA_87,
    "dilithium-5": ML_DSA_87,
    "dilithium5verificationkey2026": ML_DSA_87,
    "mldsa87verificationkey2026": ML_DSA_87,
    "ed25519": ED25519,
    "ed25519verificationkey2020": ED25519,
    "secp256k1": SECP256K1,
    "ecdsasecp256k1verificationkey2019": SECP256K1,
    "ml-kem-1024": ML_KEM_1024,
    "mlkem1024": ML_KEM_1024,
    "mlkem1024keyagreementkey2026": ML_KEM_1024,
}
RELATION_SPELLINGS = {
    "authentication": 0,
    "assertionmethod": 1,
    "assertion_method": 1,
    "assertion": 1,
    "keyagreement": 2,
    "key_agreement": 2,
}
FRAGMENT_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
BASE64_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
FRAGMENT_LENGTH_MAX = 64
ALGORITHM_LENGTH_MAX = 64
SIGNATURE_SIZES = (4_627, 64, 64)


def parse_kind(text: str) -> int | None:
    """The kind behind a spelling, or None."""
    if len(text) > ALGORITHM_LENGTH_MAX:
        return None
    return SPELLINGS.get(ascii_lower(text))


def parse_relation(text: str) -> int | None:
    """The relation behind a spelling, or None."""
    if len(text) > ALGORITHM_LENGTH_MAX:
        return None
    return RELATION_SPELLINGS.get(ascii_lower(text))


def fragment_of(did: str, text: str) -> str | None:
    """The fragment of ``key-1``, ``#key-1`` or ``<did>#key-1``; None for anything else."""
    fragment = text.removeprefix(did).removeprefix("#")
    if not 1 <= len(fragment) <= FRAGMENT_LENGTH_MAX:
        return None
    if fragment.strip(FRAGMENT_CHARACTERS) != "":
        return None
    return fragment


def read_key(did: str, given: KeyInput) -> KeyRecord:
    """A key as it is stored, every part checked. Raises: InvalidKey."""
    fragment = fragment_of(did, given.id)
    if fragment is None:
        raise InvalidKey("an id is letters, digits and . _ -")
    kind = parse_kind(given.type)
    if kind is None:
        raise InvalidKey(f"unknown type {given.type}")
    if given.public_key is not None and given.publicKeyMultibase is None:
        public_key: bytes | None = given.public_key
    elif given.publicKeyMultibase is not None and given.public_key is None:
        public_key = from_text(given.publicKeyMultibase, KEY_SIZES[kind])
    else:
        raise InvalidKey("one of public_key and publicKeyMultibase")
    if public_key is None or len(public_key) != KEY_SIZES[kind]:
        raise InvalidKey(f"{KEY_SIZES[kind]} bytes are expected")
    return KeyRecord(
        fragment=fragment,
        kind=kind,
        public_key=public_key,
        relations=read_relations(kind, given.relations),
    )


def read_relations(kind: int, given: tuple[str, ...]) -> tuple[int, ...]:
    """The codes of relations, in order. A key either signs or agrees keys. Raises: InvalidKey."""
    codes = [parse_relation(text) for text in given]
    relations = []
    for code in range(len(RELATIONS)):
        if code in codes:
            if (code == KEY_AGREEMENT) != (kind == ML_KEM_1024):
                raise InvalidKey(f"this type cannot serve {RELATIONS[code]}")
            relations.append(code)
    if not relations or len(relations) != len(given):
        raise InvalidKey("relations are authentication, assertionMethod or keyAgreement, each once")
    return tuple(relations)


def multibase(raw: bytes) -> str:
    """``u`` and base64url without padding."""
    text = Binary(raw).to_base64().rstrip("=").replace("+", "-").replace("/", "_")
    return f"u{text}"


def from_text(text: str, size: int) -> bytes | None:
    """Bytes of a known size from multibase ``u…`` or from base64; None where it is neither."""
    length = (size * 4 + 2) // 3
    body = text
    if len(text) == length + 1 and text[0] == "u":
        body = text[1:].replace("-", "+").replace("_", "/")
    body = body.rstrip("=")
    if len(body) != length or body.strip(BASE64_CHARACTERS) != "":
        return None
    raw = Binary.from_base64(f"{body}{'=' * (-length % 4)}")
    return raw if len(raw) == size else None


def check_signature(
    api: Api, kind: int, public_key: bytes, message: bytes, signature: bytes
) -> bool:
    """Whether a signature is good. Secp256k1 signs the SHA-256 of the message."""
    if kind > SECP256K1 or len(signature) != SIGNATURE_SIZES[kind]:
        return False
    if len(public_key) != KEY_SIZES[kind]:
        return False
    if kind == ML_DSA_87:
        return api.ml_dsa_verify(message, signature, public_key)
    if kind == ED25519:
        return api.ed25519_verify(message, signature, public_key)
    return api.secp256k1_verify(sha256(message), signature, public_key)


def parse_algorithm(text: str) -> int:
    """The kind of signature. Raises: UnknownAlgorithm."""
    kind = parse_kind(text)
    if kind is None or kind > SECP256K1:
        raise UnknownAlgorithm(text)
    return kind
