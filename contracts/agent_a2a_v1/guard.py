"""What every send passes: constitution, rate limit, signature."""

from chain.std import Addr, Binary, DepsMut, Env, Querier, Storage, sha256
from contracts.agent_a2a_v1.checks import check_nonce, risk_tier
from contracts.agent_a2a_v1.error import (
    ConstitutionCheckFailed,
    ConstitutionHashMismatch,
    DidVerificationFailed,
    NonceUsed,
    RateLimitExceeded,
)
from contracts.agent_a2a_v1.msg import (
    Signature,
)
from contracts.agent_a2a_v1.state import (
    ACTIONS,
    DISCOVERY,
    MESSAGE_TYPES,
    NONCES,
    SENDERS,
    WIDE,
    Config,
    MessageRecord,
    Sender,
    SignatureRecord,
    WindowEntry,
)
from contracts.ai_agent_constitution_v1.msg import CheckAction, CheckActionResponse
from contracts.did_registry_v1.msg import VerifySignature, VerifySignatureResponse

NO_SENDER = Sender(sent=WIDE, at=0, messages=0, discovery=0, earlier=())
NANOS_PER_SECOND = 1_000_000_000


def check_constitution(
    querier: Querier,
    config: Config,
    sender_addr: Addr,
    message_type: int,
    *,
    priority: int,
    expected: str | None,
) -> str | None:
    """Ask whether the sender may; the hash of the rules that said so.

    Without a constitution everything is allowed, and what the sender names is recorded as it
    stands.
    """
    if config.constitution is None:
        return expected
    verdict = querier.query_wasm_smart(
        config.constitution,
        CheckAction(
            agent_id=sender_addr, action=ACTIONS[message_type], risk_tier=risk_tier(priority)
        ),
        CheckActionResponse,
    )
    if not verdict.allowed:
        raise ConstitutionCheckFailed
    if expected is not None and expected != verdict.constitution_hash:
        raise ConstitutionHashMismatch
    return str(verdict.constitution_hash)


def live_window(config: Config, sender: Sender, now: int) -> list[WindowEntry]:
    """The entries that still count: those later than now minus the window's length."""
    since = now - config.rate_window_seconds * NANOS_PER_SECOND
    last = WindowEntry(at=sender.at, messages=sender.messages, discovery=sender.discovery)
    return [entry for entry in (*sender.earlier, last) if entry.at > since]


def check_rate(config: Config, sender: Sender, message_type: int, now: int) -> Sender:
    """Count one send; the sender with it in its window. Raises: RateLimitExceeded."""
    discovery = 1 if message_type == DISCOVERY else 0
    if sender.at == now:
        counted = Sender(
            sender.sent, now, sender.messages + 1, sender.discovery + discovery, sender.earlier
        )
    elif sender.at <= now - config.rate_window_seconds * NANOS_PER_SECOND:
        counted = Sender(sender.sent, now, 1, discovery, ())  # all that is earlier is older still
    else:
        earlier = live_window(config, sender, now)
        counted = Sender(sender.sent, now, 1, discovery, tuple(earlier))
    messages = counted.messages
    discovery = counted.discovery
    if counted.earlier:
        since = now - config.rate_window_seconds * NANOS_PER_SECOND
        for entry in counted.earlier:
            if entry.at > since:
                messages += entry.messages
                discovery += entry.discovery
    if messages > config.rate_messages_max:
        raise RateLimitExceeded
    if message_type == DISCOVERY and discovery > config.rate_discovery_max:
        raise RateLimitExceeded
    return counted


def pass_guard(
    deps: DepsMut,
    env: Env,
    config: Config,
    draft: MessageRecord,
    expected: str | None,
) -> tuple[str | None, Sender]:
    """Constitution, then rate limit: the hash to record, and the sender with the send counted.

    What a relay sends does not use up the sender's window: the relay's own rules bound it, and
    nobody can spend another's allowance through it.
    """
    constitution_hash = check_constitution(
        deps.querier,
        config,
        draft.sender,
        draft.message_type,
        priority=draft.priority,
        expected=expected,
    )
    sender = SENDERS.may_load(deps.storage, draft.sender) or NO_SENDER
    if draft.via is None:
        sender = check_rate(config, sender, draft.message_type, env.block.time.nanos())
    return (constitution_hash, sender)


def signed_content(
    chain_id: str, contract_addr: Addr, record: MessageRecord, channel_id: str | None, nonce: str
) -> bytes:
    """The bytes a sender signs: JSON with sorted keys and no blanks (README, "Signed content").

    Nothing in it needs escaping: addresses, ids, words and nonces are made of plain characters.
    """
    channel = "null" if channel_id is None else f'"{channel_id}"'
    reply_to = "null" if record.reply_to is None else f'"{record.reply_to}"'
    return (
        f'{{"chain_id":"{chain_id}","channel_id":{channel},"contract":"{contract_addr}",'
        f'"message_type":"{MESSAGE_TYPES[record.message_type]}","nonce":"{nonce}",'
        f'"payload_sha256":"{sha256(record.payload).hex()}","priority":{record.priority},'
        f'"receiver":"{record.receiver}","reply_to":{reply_to},"sender":"{record.sender}",'
        f'"ttl":{record.ttl}}}'
    ).encode()


def check_signature(
    deps: DepsMut, env: Env, config: Config, draft: MessageRecord, signature: Signature
) -> SignatureRecord:
    """Verify a signature through the DID registry. ``draft.channel_id`` is what the sender named.

    Raises: InvalidNonce, NonceUsed, DidVerificationFailed.
    """
    check_nonce(signature.nonce)
    if NONCES.has(deps.storage, (draft.sender, signature.nonce)):
        raise NonceUsed
    content = signed_content(
        env.block.chain_id, env.contract.address, draft, draft.channel_id, signature.nonce
    )
    answer = ask_did_registry(
        deps.querier,
        config,
        VerifySignature(
            verification_method=signature.verification_method,
            relation="assertionMethod",
            message=Binary(content),
            signature=signature.value,
            address=draft.sender,
        ),
    )
    if not answer.valid:
        raise DidVerificationFailed
    return SignatureRecord(
        verification_method=signature.verification_method,
        value=signature.value,
        nonce=signature.nonce,
        channel_signed=draft.channel_id is not None,
    )


def ask_did_registry(
    querier: Querier, config: Config, question: VerifySignature
) -> VerifySignatureResponse:
    """Whether a signature stands under a document."""
    answer = querier.query_wasm_smart(config.did_registry, question, VerifySignatureResponse)
    return VerifySignatureResponse(valid=answer.valid, reason=answer.reason)


def save_sender(storage: Storage, sender_addr: Addr, sender: Sender, count: int) -> None:
    """Keep the sender's window, and count what was sent."""
    changed = Sender(
        sender.sent + count, sender.at, sender.messages, sender.discovery, sender.earlier
    )
    SENDERS.save(storage, sender_addr, changed)
