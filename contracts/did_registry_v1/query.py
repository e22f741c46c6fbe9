"""Questions to the DID registry."""

from chain.std import Binary, Deps, Env, Timestamp
from chain.storage_plus import Bound, Order, page_size
from contracts.did_registry_v1.challenge import (
    challenge_content,
    challenge_id_of,
    may_load_challenge,
    number_in,
)
from contracts.did_registry_v1.error import InvalidCursor, InvalidRelation
from contracts.did_registry_v1.keys import (
    check_signature,
    from_text,
    multibase,
    parse_algorithm,
    parse_relation,
)
from contracts.did_registry_v1.msg import (
    ChallengeResponse,
    ChallengesResponse,
    ChallengeView,
    ConfigResponse,
    DidByAddress,
    DidByAddressResponse,
    DidDocument,
    GetChallenge,
    GetConfig,
    ListChallenges,
    PqVerify,
    PqVerifyResponse,
    ResolveDid,
    ResolveDidResponse,
    Service,
    VerificationMethod,
    VerifySignature,
    VerifySignatureResponse,
)
from contracts.did_registry_v1.state import (
    ADDRESSES,
    ASSERTION,
    AUTHENTICATION,
    CHALLENGE_COUNTS,
    CHALLENGES,
    CHALLENGES_TO,
    CONFIG,
    DOCUMENTS,
    GUIDE_TYPES,
    KEY_AGREEMENT,
    KEY_SIZES,
    KEY_TYPES,
    OPEN,
    RELATIONS,
    ChallengeRecord,
    Document,
)
from contracts.did_registry_v1.verify import find_method, verify_with


def query_resolve_did(deps: Deps, env: Env, msg: ResolveDid) -> ResolveDidResponse:
    """The document; ``active`` is false for an unknown or deactivated one."""
    document = DOCUMENTS.may_load(deps.storage, msg.did)
    if document is None:
        return ResolveDidResponse(
            active=False,
            document=None,
            address=None,
            controller=None,
            version=0,
            created_at=None,
            updated_at=None,
        )
    return ResolveDidResponse(
        active=document.active,
        document=document_view(msg.did, document),
        address=document.address,
        controller=document.controller,
        version=document.version,
        created_at=Timestamp(document.created_at),
        updated_at=Timestamp(document.updated_at),
    )


def document_view(did: str, document: Document) -> DidDocument:
    """A document with W3C's field names, and the guide's ``type_`` beside ``type``."""
    methods = [
        VerificationMethod(
            id=f"{did}#{key.fragment}",
            controller=did,
            type=KEY_TYPES[key.kind],
            type_=GUIDE_TYPES[key.kind],
            publicKeyMultibase=multibase(key.public_key),
        )
        for key in document.keys
    ]
    services = [
        Service(
            id=f"{did}#{service.fragment}",
            type=service.type,
            type_=service.type,
            serviceEndpoint=service.endpoint,
        )
        for service in document.services
    ]
    return DidDocument(
        id=did,
        controller=document.controller,
        verificationMethod=tuple(methods),
        authentication=method_ids(did, document, AUTHENTICATION),
        assertionMethod=method_ids(did, document, ASSERTION),
        keyAgreement=method_ids(did, document, KEY_AGREEMENT),
        service=tuple(services),
    )


def method_ids(did: str, document: Document, relation: int) -> tuple[str, ...]:
    """Ids of the keys under a relation."""
    return tuple([f"{did}#{key.fragment}" for key in document.keys if relation in key.relations])


def query_did_by_address(deps: Deps, env: Env, msg: DidByAddress) -> DidByAddressResponse:
    """The DID that speaks for an account, or null."""
    addr = deps.api.addr_validate(msg.address)
    return DidByAddressResponse(did=ADDRESSES.may_load(deps.storage, addr))


def query_pq_verify(deps: Deps, env: Env, msg: PqVerify) -> PqVerifyResponse:
    """Check with the given key; a key that does not read is a signature that does not stand."""
    kind = parse_algorithm(msg.algorithm)
    public_key = from_text(msg.public_key, KEY_SIZES[kind])
    if public_key is None:
        return PqVerifyResponse(valid=False)
    return PqVerifyResponse(
        valid=check_signature(deps.api, kind, public_key, msg.message, msg.signature)
    )


def query_verify_signature(deps: Deps, env: Env, msg: VerifySignature) -> VerifySignatureResponse:
    """Check with a document's key: document, account, key, relation, signature, in this order."""
    relation = parse_relation(msg.relation)
    if relation is None or relation > ASSERTION:
        raise InvalidRelation(msg.relation)
    method = find_method(deps.storage, msg.verification_method)
    if method is None:
        return VerifySignatureResponse(valid=False, reason="unknown_did")
    if msg.address is not None and method[1].address != msg.address:
        return VerifySignatureResponse(valid=False, reason="wrong_account")
    reason = verify_with(deps.api, method, relation, msg.message, msg.signature)
    return VerifySignatureResponse(valid=reason is None, reason=reason)


def challenge_view(env: Env, challenge_id: str, record: ChallengeRecord) -> ChallengeView:
    """A challenge as it stands at the block's time, with the bytes to sign."""
    status = "verified"
    if record.status == OPEN:
        status = "expired" if env.block.time.nanos() > record.expires_at else "open"
    content = challenge_content(env.block.chain_id, env.contract.address, challenge_id, record)
    return ChallengeView(
        challenge_id=challenge_id,
        challenger_did=record.challenger_did,
        target_did=record.target_did,
        nonce=record.nonce,
        timestamp=Timestamp(record.created_at),
        expires_at=Timestamp(record.expires_at),
        required_verification=RELATIONS[record.relation],
        status=status,
        verification_method_id=None if record.key is None else f"{record.target_did}#{record.key}",
        signed_content=Binary(content),
    )


def query_get_challenge(deps: Deps, env: Env, msg: GetChallenge) -> ChallengeResponse:
    """One challenge, or null."""
    found = may_load_challenge(deps.storage, msg.challenge_id)
    if found is None:
        return ChallengeResponse(challenge=None)
    return ChallengeResponse(challenge=challenge_view(env, msg.challenge_id, found[1]))


def query_list_challenges(deps: Deps, env: Env, msg: ListChallenges) -> ChallengesResponse:
    """Challenges to a DID, newest first."""
    cursor = None
    if msg.start_after is not None:
        number = number_in(msg.start_after)
        if number is None:
            raise InvalidCursor
        cursor = Bound.exclusive(number)
    size_max = page_size(msg.limit)
    page: list[ChallengeView] = []
    more = False
    numbers = CHALLENGES_TO.prefix(msg.target_did).keys(
        deps.storage, None, cursor, Order.DESCENDING
    )
    for number in numbers:
        if len(page) >= size_max:
            more = size_max > 0
            break
        record = CHALLENGES.load(deps.storage, number)
        page.append(challenge_view(env, challenge_id_of(record, number), record))
    return ChallengesResponse(
        challenges=tuple(page),
        total=CHALLENGE_COUNTS.may_load(deps.storage, msg.target_did) or 0,
        next=page[-1].challenge_id if more else None,
    )


def query_get_config(deps: Deps, env: Env, msg: GetConfig) -> ConfigResponse:
    """The configuration."""
    config = CONFIG.load(deps.storage)
    return ConfigResponse(
        admin=config.admin,
        keys_max=config.keys_max,
        services_max=config.services_max,
        challenge_ttl_max_seconds=config.challenge_ttl_max_seconds,
    )
