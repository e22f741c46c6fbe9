"""Cards, and their announcements on discovery topics."""

from chain.std import DepsMut, Env, Event, MessageInfo, Response, Storage, replace, sha256
from chain.storage_plus import Bound
from contracts.agent_registry_v1.checks import check_topic, refuse_funds
from contracts.agent_registry_v1.error import (
    AgentNotActive,
    CardNotFound,
    InvalidCard,
    InvalidTtl,
    NotAnnounced,
    TooLarge,
    Unauthorized,
)
from contracts.agent_registry_v1.msg import AnnounceCard, BeginBlock, SetCard, WithdrawCard
from contracts.agent_registry_v1.state import (
    ACTIVE,
    AGENTS,
    ANNOUNCEMENTS,
    CARDS,
    CONFIG,
    LAPSES,
    TOPICS_OF,
    AgentRecord,
    AnnouncementRecord,
    CardRecord,
)
from contracts.agent_registry_v1.store import load_agent

NANOS_PER_SECOND = 1_000_000_000
TOPICS_MAX = 16  # topics that one agent is announced on
PRUNE_MAX = 100  # lapsed announcements removed in one block


def load_spoken_for(storage: Storage, info: MessageInfo, agent_id: str) -> AgentRecord:
    """The agent for which the sender speaks. Raises: NonPayable, AgentNotFound, Unauthorized."""
    refuse_funds(info)
    agent = load_agent(storage, agent_id)
    if info.sender not in (agent.owner, agent.address):
        raise Unauthorized("the agent's owner or its account")
    return agent


def execute_set_card(deps: DepsMut, env: Env, info: MessageInfo, msg: SetCard) -> Response:
    """Store the card by hash and content."""
    storage = deps.storage
    agent = load_spoken_for(storage, info, msg.agent_id)
    if agent.status != ACTIVE:
        raise AgentNotActive(msg.agent_id)
    size_max = CONFIG.load(storage).card_max_bytes
    if len(msg.card) == 0:
        raise InvalidCard("empty")
    if len(msg.card) > size_max:
        raise TooLarge("card", size_max)
    card_hash = sha256(msg.card).hex()
    if msg.card_hash is not None and msg.card_hash != card_hash:
        raise InvalidCard("the hash is not the card's")
    now = env.block.time.nanos()
    CARDS.save(storage, msg.agent_id, CardRecord(card=msg.card, hash=card_hash, updated_at=now))
    AGENTS.save(storage, msg.agent_id, replace(agent, card_hash=card_hash, updated_at=now))
    event = Event(
        "agent_card_set",
        (
            ("actor", info.sender),
            ("agent_id", msg.agent_id),
            ("card_hash", card_hash),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", "set_card")
        .add_attribute("agent_id", msg.agent_id)
        .add_attribute("card_hash", card_hash)
    )


def execute_announce_card(
    deps: DepsMut, env: Env, info: MessageInfo, msg: AnnounceCard
) -> Response:
    """Announce the card on a topic, or refresh it there."""
    storage = deps.storage
    agent = load_spoken_for(storage, info, msg.agent_id)
    if agent.status != ACTIVE:
        raise AgentNotActive(msg.agent_id)
    if agent.card_hash is None:
        raise CardNotFound(msg.agent_id)
    config = CONFIG.load(storage)
    topic = config.discovery_topic if msg.topic is None else msg.topic
    check_topic(topic)
    ttl = config.announce_ttl_seconds if msg.ttl_seconds is None else msg.ttl_seconds
    if ttl < 1 or ttl > config.announce_ttl_seconds:
        raise InvalidTtl(config.announce_ttl_seconds)
    now = env.block.time.nanos()
    expires_at = now + ttl * NANOS_PER_SECOND
    known = ANNOUNCEMENTS.may_load(storage, (topic, msg.agent_id))
    if known is not None:
        LAPSES.remove(storage, (known.expires_at, topic, msg.agent_id))
    else:
        if len(list(TOPICS_OF.prefix(msg.agent_id).keys(storage))) >= TOPICS_MAX:
            raise TooLarge("topics", TOPICS_MAX)
        TOPICS_OF.save(storage, (msg.agent_id, topic), True)
    ANNOUNCEMENTS.save(
        storage,
        (topic, msg.agent_id),
        AnnouncementRecord(announced_at=now, expires_at=expires_at),
    )
    LAPSES.save(storage, (expires_at, topic, msg.agent_id), True)
    response = announced(env, info, "announce_card", (msg.agent_id, topic))
    response.events[0].add_attribute("card_hash", agent.card_hash).add_attribute(
        "expires_at", str(expires_at)
    )
    return response


def execute_withdraw_card(
    deps: DepsMut, env: Env, info: MessageInfo, msg: WithdrawCard
) -> Response:
    """Take an announcement back."""
    storage = deps.storage
    load_spoken_for(storage, info, msg.agent_id)
    topic = CONFIG.load(storage).discovery_topic if msg.topic is None else msg.topic
    if not withdraw(storage, topic, msg.agent_id):
        raise NotAnnounced
    return announced(env, info, "withdraw_card", (msg.agent_id, topic))


def withdraw(storage: Storage, topic: str, agent_id: str) -> bool:
    """Remove one announcement; whether there was one."""
    known = ANNOUNCEMENTS.may_load(storage, (topic, agent_id))
    if known is None:
        return False
    ANNOUNCEMENTS.remove(storage, (topic, agent_id))
    LAPSES.remove(storage, (known.expires_at, topic, agent_id))
    TOPICS_OF.remove(storage, (agent_id, topic))
    return True


def withdraw_all(storage: Storage, agent_id: str) -> None:
    """Remove an agent's announcements; there are at most ``TOPICS_MAX``."""
    for topic in list(TOPICS_OF.prefix(agent_id).keys(storage)):
        withdraw(storage, topic, agent_id)


def sudo_begin_block(deps: DepsMut, env: Env, msg: BeginBlock) -> Response:
    """Remove the first announcements whose end is before now."""
    storage = deps.storage
    now = env.block.time.nanos()
    lapsed = []
    for key, _ in LAPSES.prefix_range(storage, None, Bound.exclusive(now)):
        lapsed.append(key)
        if len(lapsed) >= PRUNE_MAX:
            break
    response = Response()
    for expires_at, topic, agent_id in lapsed:
        withdraw(storage, topic, agent_id)
        response.add_event(
            Event(
                "agent_card_lapsed",
                (
                    ("actor", env.contract.address),
                    ("agent_id", agent_id),
                    ("topic", topic),
                    ("expires_at", str(expires_at)),
                    ("height", str(env.block.height)),
                ),
            )
        )
    return response


def announced(env: Env, info: MessageInfo, action: str, target: tuple[str, str]) -> Response:
    """The answer to a changed announcement."""
    agent_id, topic = target
    word = "agent_card_announced" if action == "announce_card" else "agent_card_withdrawn"
    event = Event(
        word,
        (
            ("actor", info.sender),
            ("agent_id", agent_id),
            ("topic", topic),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("agent_id", agent_id)
        .add_attribute("topic", topic)
    )
