"""Storage of the DID registry: one record a document, one a challenge, nonces that were used."""

from chain.std import Addr, Record
from chain.storage_plus import Item, Map

#: Kinds of key: word here, type in documents, the guide's spelling, key bytes, whether it signs.
ML_DSA_87 = 0
ED25519 = 1
SECP256K1 = 2
ML_KEM_1024 = 3
KEY_TYPES = (
    "MlDsa87VerificationKey2026",
    "Ed25519VerificationKey2020",
    "EcdsaSecp256k1VerificationKey2019",
    "MlKem1024KeyAgreementKey2026",
)
GUIDE_TYPES = (
    "Dilithium5VerificationKey2026",
    "Ed25519VerificationKey2020",
    "EcdsaSecp256k1VerificationKey2019",
    "MlKem1024KeyAgreementKey2026",
)
KEY_SIZES = (2_592, 32, 33, 1_568)

RELATIONS = ("authentication", "assertionMethod", "keyAgreement")
AUTHENTICATION = 0
ASSERTION = 1
KEY_AGREEMENT = 2

OPEN = 0
VERIFIED = 1


class Config(Record):
    """Limits, and who may change them."""

    admin: Addr | None
    keys_max: int
    services_max: int
    challenge_ttl_max_seconds: int


class KeyRecord(Record):
    """A verification method: fragment, kind, bytes, the codes of its relations."""

    fragment: str
    kind: int
    public_key: bytes
    relations: tuple[int, ...]


class ServiceRecord(Record):
    """A service; its id is the fragment."""

    fragment: str
    type: str
    endpoint: str


class Document(Record):
    """A DID document, who controls it, and the account it speaks for."""

    controller: Addr
    address: Addr
    active: bool
    version: int
    keys: tuple[KeyRecord, ...]
    services: tuple[ServiceRecord, ...]
    created_at: int  # nanoseconds
    updated_at: int


class ChallengeRecord(Record):
    """A challenge, and which key answered it."""

    challenger_did: str
    target_did: str
    nonce: str
    relation: int
    created_at: int  # nanoseconds
    expires_at: int
    height: int
    status: int
    key: str | None


CONFIG = Item("config", Config)
CHALLENGE_NUMBER = Item("challenge_number", int)
DOCUMENTS = Map("documents", (str,), Document)
ADDRESSES = Map("addresses", (Addr,), str)  # account -> DID of its live document
CHALLENGES = Map("challenges", (int,), ChallengeRecord)
NONCES = Map("nonces", (str, str), int)  # challenger's DID, nonce -> challenge
CHALLENGES_TO = Map("challenges_to", (str, int), bool, derived=True)  # target, number
CHALLENGE_COUNTS = Map("challenge_counts", (str,), int, derived=True)
