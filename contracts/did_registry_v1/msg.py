"""Messages of the DID registry. Field names of documents are W3C DID Core's."""

from chain.std import U32, Answer, Binary, Message, Timestamp

# --- shared ---------------------------------------------------------------------------------------


class KeyInput(Message):
    """A verification method to store.

    The key comes as ``public_key`` (base64) or as multibase text (``u`` base64url). ``type`` or the
    guide's ``type_``.
    """

    field_aliases = (("type_", "type"), ("public_key_multibase", "publicKeyMultibase"))

    id: str  # key-1, #key-1, or did:msg:agent:<id>#key-1
    type: str = "ML-DSA-87"  # or Ed25519, Secp256k1, ML-KEM-1024, or a spelling of theirs
    public_key: Binary | None = None
    publicKeyMultibase: str | None = None  # noqa: N815
    relations: tuple[str, ...] = (
        "authentication",
        "assertionMethod",
    )  # or keyAgreement for ML-KEM-1024


class ServiceInput(Message):
    """A service to store. An ``AgentEndpoint`` names the agent's address on this chain."""

    field_aliases = (("type_", "type"),)

    id: str
    serviceEndpoint: str  # noqa: N815
    type: str


# --- instantiate ----------------------------------------------------------------------------------


class InstantiateMsg(Message):
    """Limits; every one has a default."""

    admin: str | None = None  # may change the limits; null: nobody
    keys_max: int = 16
    services_max: int = 16
    challenge_ttl_max_seconds: int = 3_600


# --- execute --------------------------------------------------------------------------------------


class CreateDid(Message):
    """Create ``did:msg:agent:<id>``; the sender is its controller and the account it speaks for."""

    did: str
    keys: tuple[KeyInput, ...]
    services: tuple[ServiceInput, ...] = ()


class UpdateDid(Message):
    """Replace services, add keys, or change the relations of keys; the controller only."""

    did: str
    add_keys: tuple[KeyInput, ...] = ()
    remove_keys: tuple[str, ...] = ()
    services: tuple[ServiceInput, ...] | None = None


class RotateKey(Message):
    """Replace a key: the old one verifies nothing from here on; the new one takes its relations."""

    did: str
    old_key: str
    new_key: KeyInput


class TransferDid(Message):
    """Hand the document to another controller; the account it speaks for stays."""

    did: str
    new_controller: str


class DeactivateDid(Message):
    """End the document for good; the controller only."""

    did: str


class CreateChallenge(Message):
    """Ask another agent to prove who it is.

    The challenger's document is the one that speaks for the sender.
    """

    target_did: str
    nonce: str  # 1 to 64 characters of A-Z a-z 0-9 . _ - ; once per challenger
    required_verification: str = "authentication"  # authentication or assertion
    ttl_seconds: int = 300


class RespondChallenge(Message):
    """Answer a challenge with a signature over its content; anybody may carry the answer."""

    challenge_id: str
    signature: Binary
    verification_method_id: str
    target_did: str | None = None
    public_key: str | None = None  # never used to verify; refused unless it is the document's key


class UpdateConfig(Message):
    """Change limits; the admin only."""

    admin: str | None = None
    keys_max: int | None = None
    services_max: int | None = None
    challenge_ttl_max_seconds: int | None = None


EXECUTE = (
    CreateDid,
    UpdateDid,
    RotateKey,
    TransferDid,
    DeactivateDid,
    CreateChallenge,
    RespondChallenge,
    UpdateConfig,
)

# --- query ----------------------------------------------------------------------------------------


class ResolveDid(Message):
    """The document, whether it is active, and its metadata."""

    did: str


class DidByAddress(Message):
    """The DID whose document speaks for this account, or null."""

    address: str


class PqVerify(Message):
    """Check a signature with a key that the question brings."""

    algorithm: str  # ML-DSA-87, Dilithium5, Ed25519, Secp256k1
    public_key: str  # base64, or multibase (u base64url)
    signature: Binary
    message: Binary


class MsgPqVerifyV1(Message):
    """The guide's name of ``pq_verify``."""

    algorithm: str
    public_key: str
    signature: Binary
    message: Binary


class VerifySignature(Message):
    """Check a signature with a key of a document that is active and speaks for the account."""

    verification_method: str
    relation: str  # authentication or assertionMethod
    message: Binary
    signature: Binary
    address: str | None = None  # the account that the document must speak for


class GetChallenge(Message):
    """A challenge and how it stands, or null."""

    challenge_id: str


class ListChallenges(Message):
    """Challenges to a DID, newest first."""

    target_did: str
    start_after: str | None = None
    limit: U32 | None = None


class GetConfig(Message):
    """The configuration."""


QUERY = (
    ResolveDid,
    DidByAddress,
    PqVerify,
    MsgPqVerifyV1,
    VerifySignature,
    GetChallenge,
    ListChallenges,
    GetConfig,
)

# --- answers --------------------------------------------------------------------------------------


class VerificationMethod(Answer):
    """A key of a document. ``type_`` is the guide's field and spelling."""

    id: str
    controller: str
    type: str
    type_: str
    publicKeyMultibase: str  # noqa: N815


class Service(Answer):
    """A service of a document."""

    id: str
    type: str
    type_: str
    serviceEndpoint: str  # noqa: N815


class DidDocument(Answer):
    """A DID document (W3C DID Core)."""

    id: str
    controller: str
    verificationMethod: tuple[VerificationMethod, ...]  # noqa: N815
    authentication: tuple[str, ...]
    assertionMethod: tuple[str, ...]  # noqa: N815
    keyAgreement: tuple[str, ...]  # noqa: N815
    service: tuple[Service, ...]


class ResolveDidResponse(Answer):
    """The document, or null; ``active`` is false for unknown and deactivated ones."""

    active: bool
    document: DidDocument | None
    address: str | None  # the account the document speaks for
    controller: str | None
    version: int
    created_at: Timestamp | None
    updated_at: Timestamp | None


class DidByAddressResponse(Answer):
    """The DID, or null."""

    did: str | None


class PqVerifyResponse(Answer):
    """Whether the signature is good."""

    valid: bool


class VerifySignatureResponse(Answer):
    """Whether the signature is good, and if not, why not."""

    valid: bool
    reason: (
        str | None
    )  # unknown_did, deactivated, unknown_key, wrong_relation, wrong_account, bad_signature


class ChallengeView(Answer):
    """A challenge."""

    challenge_id: str
    challenger_did: str
    target_did: str
    nonce: str
    timestamp: Timestamp
    expires_at: Timestamp
    required_verification: str
    status: str  # open, verified, expired
    verification_method_id: str | None
    signed_content: Binary


class ChallengeResponse(Answer):
    """The challenge, or null."""

    challenge: ChallengeView | None


class ChallengesResponse(Answer):
    """A page of challenges; ``total`` counts all matches."""

    challenges: tuple[ChallengeView, ...]
    total: int
    next: str | None


class ConfigResponse(Answer):
    """The configuration."""

    admin: str | None
    keys_max: int
    services_max: int
    challenge_ttl_max_seconds: int


ANSWERS = {
    "resolve_did": ResolveDidResponse,
    "did_by_address": DidByAddressResponse,
    "pq_verify": PqVerifyResponse,
    "msg_pq_verify_v1": PqVerifyResponse,
    "verify_signature": VerifySignatureResponse,
    "get_challenge": ChallengeResponse,
    "list_challenges": ChallengesResponse,
    "get_config": ConfigResponse,
}
