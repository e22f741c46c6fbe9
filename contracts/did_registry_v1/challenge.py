"""Challenge and response: an agent proves that it holds a key of its document (guide 4.4)."""

from chain.std import Addr, DepsMut, Env, Event, MessageInfo, Response, Storage, replace
from contracts.did_registry_v1.document import refuse_funds
from contracts.did_registry_v1.error import (
    ChallengeAnswered,
    ChallengeExpired,
    ChallengeNotFound,
    DidDeactivated,
    DidNotFound,
    DidVerificationFailed,
    InvalidNonce,
    InvalidRelation,
    InvalidTtl,
    NonceUsed,
    Unauthorized,
)
from contracts.did_registry_v1.keys import FRAGMENT_CHARACTERS, from_text, parse_relation
from contracts.did_registry_v1.msg import CreateChallenge, RespondChallenge
from contracts.did_registry_v1.state import (
    ADDRESSES,
    ASSERTION,
    CHALLENGE_COUNTS,
    CHALLENGE_NUMBER,
    CHALLENGES,
    CHALLENGES_TO,
    CONFIG,
    DOCUMENTS,
    KEY_SIZES,
    NONCES,
    OPEN,
    RELATIONS,
    VERIFIED,
    ChallengeRecord,
)
from contracts.did_registry_v1.verify import find_method, verify_with

NANOS_PER_SECOND = 1_000_000_000
NONCE_LENGTH_MAX = 64
NUMBER_DIGITS = 10
NUMBER_DIGITS_MAX = 18


def challenge_id_of(record: ChallengeRecord, number: int) -> str:
    """The id of a challenge."""
    return f"challenge:{record.height}-{str(number).zfill(NUMBER_DIGITS)}"


def may_load_challenge(storage: Storage, challenge_id: str) -> tuple[int, ChallengeRecord] | None:
    """Number and record of the challenge with exactly this id."""
    number = number_in(challenge_id)
    if number is None:
        return None
    record = CHALLENGES.may_load(storage, number)
    if record is None or challenge_id_of(record, number) != challenge_id:
        return None
    return (number, record)


def number_in(text: str) -> int | None:
    """The number at the end of an id; None where there is none."""
    digits = text.rpartition("-")[2]
    if NUMBER_DIGITS <= len(digits) <= NUMBER_DIGITS_MAX and digits.strip("0123456789") == "":
        return int(digits)
    return None


def execute_create_challenge(
    deps: DepsMut, env: Env, info: MessageInfo, msg: CreateChallenge
) -> Response:
    """Store a challenge to another agent; its nonce is spent."""
    refuse_funds(info)
    storage = deps.storage
    challenger_did = ADDRESSES.may_load(storage, info.sender)
    if challenger_did is None:
        raise Unauthorized
    target = DOCUMENTS.may_load(storage, msg.target_did)
    if target is None:
        raise DidNotFound(msg.target_did)
    if not target.active:
        raise DidDeactivated(msg.target_did)
    if not 1 <= len(msg.nonce) <= NONCE_LENGTH_MAX or msg.nonce.strip(FRAGMENT_CHARACTERS) != "":
        raise InvalidNonce
    if NONCES.has(storage, (challenger_did, msg.nonce)):
        raise NonceUsed
    relation = parse_relation(msg.required_verification)
    if relation is None or relation > ASSERTION:
        raise InvalidRelation(msg.required_verification)
    ttl_max = CONFIG.load(storage).challenge_ttl_max_seconds
    if not 1 <= msg.ttl_seconds <= ttl_max:
        raise InvalidTtl(ttl_max)
    number = (CHALLENGE_NUMBER.may_load(storage) or 0) + 1
    CHALLENGE_NUMBER.save(storage, number)
    now = env.block.time.nanos()
    record = ChallengeRecord(
        challenger_did=challenger_did,
        target_did=msg.target_did,
        nonce=msg.nonce,
        relation=relation,
        created_at=now,
        expires_at=now + msg.ttl_seconds * NANOS_PER_SECOND,
        height=env.block.height,
        status=OPEN,
        key=None,
    )
    CHALLENGES.save(storage, number, record)
    NONCES.save(storage, (challenger_did, msg.nonce), number)
    CHALLENGES_TO.save(storage, (msg.target_did, number), True)
    count = CHALLENGE_COUNTS.may_load(storage, msg.target_did) or 0
    CHALLENGE_COUNTS.save(storage, msg.target_did, count + 1)
    challenge_id = challenge_id_of(record, number)
    response = challenge_changed(env, info, "create_challenge", (challenge_id, record))
    return response.set_data(f'{{"challenge_id":"{challenge_id}"}}'.encode())


def challenge_content(
    chain_id: str, contract_addr: Addr, challenge_id: str, record: ChallengeRecord
) -> bytes:
    """The bytes that answer a challenge when signed: JSON with sorted keys and no blanks."""
    return (
        f'{{"chain_id":"{chain_id}","challenge_id":"{challenge_id}",'
        f'"challenger_did":"{record.challenger_did}","contract":"{contract_addr}",'
        f'"nonce":"{record.nonce}","purpose":"{RELATIONS[record.relation]}",'
        f'"target_did":"{record.target_did}","timestamp":"{record.created_at}"}}'
    ).encode()


def execute_respond_challenge(
    deps: DepsMut, env: Env, info: MessageInfo, msg: RespondChallenge
) -> Response:
    """Check the answer with the document's key, never with one that the answer brings."""
    refuse_funds(info)
    found = may_load_challenge(deps.storage, msg.challenge_id)
    if found is None:
        raise ChallengeNotFound(msg.challenge_id)
    number, record = found
    if record.status != OPEN:
        raise ChallengeAnswered
    if env.block.time.nanos() > record.expires_at:
        raise ChallengeExpired
    if msg.target_did is not None and msg.target_did != record.target_did:
        raise DidVerificationFailed
    method = find_method(deps.storage, msg.verification_method_id)
    if method is None or method[0] != record.target_did:
        raise DidVerificationFailed
    key = method[2]
    if msg.public_key is not None and (
        key is None or from_text(msg.public_key, KEY_SIZES[key.kind]) != key.public_key
    ):
        raise DidVerificationFailed
    content = challenge_content(env.block.chain_id, env.contract.address, msg.challenge_id, record)
    reason = verify_with(deps.api, method, record.relation, content, msg.signature)
    if reason is not None or key is None:
        raise DidVerificationFailed
    record = replace(record, status=VERIFIED, key=key.fragment)
    CHALLENGES.save(deps.storage, number, record)
    return challenge_changed(env, info, "respond_challenge", (msg.challenge_id, record))


def challenge_changed(
    env: Env, info: MessageInfo, action: str, target: tuple[str, ChallengeRecord]
) -> Response:
    """The answer to a new or answered challenge."""
    challenge_id, record = target
    word = "did_challenge_created" if action == "create_challenge" else "did_challenge_verified"
    event = Event(
        word,
        (
            ("actor", info.sender),
            ("challenge_id", challenge_id),
            ("challenger_did", record.challenger_did),
            ("target_did", record.target_did),
            ("height", str(env.block.height)),
        ),
    )
    if record.key is not None:
        event.add_attribute("verification_method", f"{record.target_did}#{record.key}")
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("challenge_id", challenge_id)
    )
