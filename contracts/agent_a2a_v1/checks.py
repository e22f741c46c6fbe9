"""Checks that several messages share: funds, who speaks, sizes, words."""

from chain.std import Addr, Api, MessageInfo, ascii_lower
from contracts.agent_a2a_v1.error import (
    EmptyPayload,
    InvalidAmount,
    InvalidCapability,
    InvalidMessageType,
    InvalidNonce,
    InvalidPriority,
    InvalidStatus,
    InvalidTopic,
    InvalidTTL,
    MessageTooLarge,
    MetadataTooLarge,
    NonPayable,
    TTLTooLong,
    Unauthorized,
)
from contracts.agent_a2a_v1.state import MESSAGE_TYPES, Config

AMOUNT_MAX = (1 << 128) - 1
AMOUNT_DIGITS_MAX = 39
NAME_LENGTH_MAX = 64
CAPABILITY_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789-:"
TOPIC_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789._-/"
NONCE_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
PRIORITY_MAX = 255
TYPE_CODES = {"request": 0, "response": 1, "broadcast": 2, "notification": 3, "discovery": 4}
LOW_BELOW = 50
NORMAL_BELOW = 100
HIGH_BELOW = 200
MEDIUM_RISK_FROM = 75
HIGH_RISK_FROM = 150


def refuse_funds(info: MessageInfo) -> None:
    """Nothing here takes funds. Raises: NonPayable."""
    if info.funds:
        raise NonPayable


def resolve_sender(
    api: Api, config: Config, caller_addr: Addr, on_behalf_of: str | None
) -> tuple[Addr, Addr | None]:
    """Who speaks, and through which relay. Raises: Unauthorized when the caller is no relay."""
    if on_behalf_of is None:
        return (caller_addr, None)
    if caller_addr not in config.relays:
        raise Unauthorized
    return (api.addr_validate(on_behalf_of), caller_addr)


def check_content(config: Config, payload: bytes, priority: int, ttl: int) -> None:
    """Size, priority, lifetime, in this order."""
    size = len(payload)
    if size == 0:
        raise EmptyPayload
    if size > config.payload_max_bytes:
        raise MessageTooLarge(config.payload_max_bytes)
    if priority < 0 or priority > PRIORITY_MAX:
        raise InvalidPriority
    if ttl <= 0:
        raise InvalidTTL
    if ttl > config.ttl_max_seconds:
        raise TTLTooLong(config.ttl_max_seconds)


def check_metadata(config: Config, metadata: bytes | None) -> None:
    """Raises: MetadataTooLarge."""
    if metadata is not None and len(metadata) > config.metadata_max_bytes:
        raise MetadataTooLarge(config.metadata_max_bytes)


def parse_message_type(text: str) -> int:
    """The code of a message type, any case. Raises: InvalidMessageType."""
    code = TYPE_CODES.get(text)
    if code is None:
        code = index_of(MESSAGE_TYPES, text)
    if code is None:
        raise InvalidMessageType(text)
    return code


def parse_status(words: tuple[str, ...], text: str) -> int:
    """The code of a status word, any case. Raises: InvalidStatus."""
    code = index_of(words, text)
    if code is None:
        raise InvalidStatus(text)
    return code


def index_of(words: tuple[str, ...], text: str) -> int | None:
    """Where a word stands, whatever its case; None where it does not."""
    if text in words:
        return words.index(text)
    word = ascii_lower(text)
    if word in words:
        return words.index(word)
    return None


def priority_label(priority: int) -> str:
    """The band of a priority."""
    if priority < LOW_BELOW:
        return "low"
    if priority < NORMAL_BELOW:
        return "normal"
    if priority < HIGH_BELOW:
        return "high"
    return "critical"


def risk_tier(priority: int) -> str:
    """What the constitution is told of a priority."""
    if priority >= HIGH_RISK_FROM:
        return "high"
    if priority >= MEDIUM_RISK_FROM:
        return "medium"
    return "low"


def made_of(text: str, characters: str) -> bool:
    """1 to 64 characters, all of them among these."""
    return 1 <= len(text) <= NAME_LENGTH_MAX and text.strip(characters) == ""


def check_capability(name: str) -> None:
    """Lower-case kebab words joined by single ``-``, namespaces by ``:``.

    Raises: InvalidCapability.
    """
    if not made_of(name, CAPABILITY_CHARACTERS):
        raise InvalidCapability(name)
    for part in name.split(":"):
        for word in part.split("-"):
            if word == "":
                raise InvalidCapability(name)


def check_topic(topic: str) -> None:
    """Raises: InvalidTopic."""
    if not made_of(topic, TOPIC_CHARACTERS):
        raise InvalidTopic(topic)


def check_nonce(nonce: str) -> None:
    """Raises: InvalidNonce."""
    if not made_of(nonce, NONCE_CHARACTERS):
        raise InvalidNonce


def parse_amount(value: int | str | None) -> int | None:
    """An amount given as a JSON integer or decimal text. Raises: InvalidAmount."""
    if value is None:
        return None
    if isinstance(value, str):
        if not (1 <= len(value) <= AMOUNT_DIGITS_MAX and value.strip("0123456789") == ""):
            raise InvalidAmount
        value = int(value)
    if value < 0 or value > AMOUNT_MAX:
        raise InvalidAmount
    return value
