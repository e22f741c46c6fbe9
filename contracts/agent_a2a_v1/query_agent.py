"""Questions about capabilities, intents and the configuration."""

from chain.std import (
    Addr,
    Binary,
    Deps,
    Env,
    Iterable,
    Storage,
    Timestamp,
    Uint128,
    ascii_lower,
)
from chain.storage_plus import Bound, Order, page_size
from contracts.agent_a2a_v1.answers import (
    CapabilitiesResponse,
    ConfigResponse,
    HasCapabilityResponse,
    IntentResponse,
    IntentsResponse,
    IntentView,
    LimitsView,
)
from contracts.agent_a2a_v1.checks import parse_amount, parse_status
from contracts.agent_a2a_v1.error import InvalidCursor, InvalidStatus
from contracts.agent_a2a_v1.holders import capabilities_of, holder_count, price_key
from contracts.agent_a2a_v1.intent_store import (
    NO_INTENTS,
    intent_id_of,
    intent_status_at,
    may_load_intent,
)
from contracts.agent_a2a_v1.ledger import DECIMAL
from contracts.agent_a2a_v1.msg import (
    AgentEntry,
    FindAgentsByCapability,
    FindAgentsResponse,
    GetConfig,
    GetIntent,
    HasCapability,
    ListCapabilities,
    ListIntents,
)
from contracts.agent_a2a_v1.state import (
    AGENTS,
    CONFIG,
    HOLDERS,
    INTENT_COUNTS,
    INTENT_EXPIRED,
    INTENT_STATES,
    INTENT_STATUSES,
    INTENTS,
    INTENTS_BY_STATUS,
    INTENTS_OF,
    MATCHED,
    NO_PRICE,
    OFFERS,
    OPEN_INTENTS,
    IntentRecord,
    IntentState,
)
from contracts.agent_a2a_v1.views import PAGE_BYTES_MAX, before_cursor, encoded_size

ORDERS = ("agent_id", "price")
PRICE_DIGITS_MAX = 39


def query_list_capabilities(deps: Deps, env: Env, msg: ListCapabilities) -> CapabilitiesResponse:
    """What an agent declared; an agent has at most ``capabilities_max``."""
    return CapabilitiesResponse(capabilities=tuple(capabilities_of(deps.storage, msg.agent_id)))


def query_has_capability(deps: Deps, env: Env, msg: HasCapability) -> HasCapabilityResponse:
    """Whether an active agent holds a capability."""
    has = HOLDERS.has(deps.storage, (msg.capability, msg.agent_id))
    return HasCapabilityResponse(
        agents=(msg.agent_id,) if has else (), count=1 if has else 0, has=has
    )


def query_find_agents_by_capability(
    deps: Deps, env: Env, msg: FindAgentsByCapability
) -> FindAgentsResponse:
    """Holders by id, or by price and id."""
    order = ascii_lower(msg.order)
    if order not in ORDERS:
        raise InvalidStatus(msg.order)
    max_price = parse_amount(msg.max_price)
    size_max = page_size(msg.limit)
    wanted = size_max + 1 if size_max > 0 else 0
    if order == "price" or max_price is not None:
        found = offers(deps.storage, msg.capability, msg.start_after, max_price, wanted)
    else:
        start = None if msg.start_after is None else Bound.exclusive(msg.start_after)
        found = []
        if wanted > 0:
            for agent_id in HOLDERS.prefix(msg.capability).keys(deps.storage, start, None):
                found.append((agent_id, agent_id))
                if len(found) >= wanted:
                    break
    page = found[:size_max]
    entries = [agent_entry(deps.storage, item[0]) for item in page]
    return FindAgentsResponse(
        agents=tuple([item[0] for item in page]),
        count=holder_count(deps.storage, msg.capability),
        entries=tuple(entries),
        next=page[-1][1] if len(found) > len(page) and page else None,
    )


def offers(
    storage: Storage, capability: str, start_after: str | None, max_price: int | None, wanted: int
) -> list[tuple[str, str]]:
    """Agents by price and id with their cursors ``price/agent``.

    A bare agent id is taken at its price now.
    """
    start = None
    if start_after is not None:
        price_text, slash, agent_id = start_after.partition("/")
        if slash == "":
            agent = AGENTS.may_load(storage, start_after)
            if agent is None:
                raise InvalidCursor
            start = Bound.exclusive((price_key(agent), start_after))
        else:
            if not (1 <= len(price_text) <= PRICE_DIGITS_MAX and price_text.strip(DECIMAL) == ""):
                raise InvalidCursor
            start = Bound.exclusive((min(int(price_text), NO_PRICE), agent_id))
    beyond = None if max_price is None else Bound.exclusive((min(max_price, NO_PRICE - 1) + 1, ""))
    found: list[tuple[str, str]] = []
    if wanted > 0:
        for price, agent_id in OFFERS.sub_prefix(capability).keys(storage, start, beyond):
            found.append((agent_id, f"{price}/{agent_id}"))
            if len(found) >= wanted:
                break
    return found


def agent_entry(storage: Storage, agent_id: str) -> AgentEntry:
    """An agent as searches show it."""
    agent = AGENTS.load(storage, agent_id)
    return AgentEntry(
        agent_id=agent_id,
        owner=agent.owner,
        address=agent.address,
        price=None if agent.price is None else Uint128(agent.price),
    )


def query_get_intent(deps: Deps, env: Env, msg: GetIntent) -> IntentResponse:
    """One intent, or null."""
    found = may_load_intent(deps.storage, msg.intent_id)
    if found is None:
        return IntentResponse(intent=None)
    number, record = found
    state = INTENT_STATES.load(deps.storage, number)
    return IntentResponse(intent=intent_view(msg.intent_id, record, state, env.block.time.nanos()))


def query_list_intents(deps: Deps, env: Env, msg: ListIntents) -> IntentsResponse:
    """Intents of an address.

    The open ones are few by rule, so those that ran out are sorted out by hand.
    """
    storage = deps.storage
    source_addr = deps.api.addr_validate(msg.address)
    cursor = before_cursor(msg.start_after)
    counts = INTENT_COUNTS.may_load(storage, source_addr) or NO_INTENTS
    if msg.status is None:
        every = INTENTS_OF.prefix(source_addr).keys(storage, None, cursor, Order.DESCENDING)
        return intent_page(storage, env, list_some(every, msg.limit), counts.submitted, msg.limit)
    status = parse_status(INTENT_STATUSES, msg.status)
    total = counts.by_status[status]
    owed = owed_intents(storage, env, source_addr)
    entries = INTENTS_BY_STATUS.prefix((source_addr, INTENT_STATUSES[status]))
    ranged = entries.keys(storage, None, cursor, Order.DESCENDING)
    if status <= MATCHED:
        live = [number for number in ranged if number not in owed]
        gone = len([number for number in owed if owed[number] == status])
        return intent_page(storage, env, live, total - gone, msg.limit)
    if status == INTENT_EXPIRED:
        dead = [number for number in owed if cursor is None or number < cursor.key]
        numbers = sorted([*list_some(ranged, msg.limit), *dead], reverse=True)
        return intent_page(storage, env, numbers, total + len(owed), msg.limit)
    return intent_page(storage, env, list_some(ranged, msg.limit), total, msg.limit)


def owed_intents(storage: Storage, env: Env, source_addr: Addr) -> dict[int, int]:
    """Open intents of an address that ran out: number to recorded status."""
    now = env.block.time.nanos()
    return {
        number: opened.status
        for number, opened in OPEN_INTENTS.prefix(source_addr).range(storage)
        if now > opened.expires_at
    }


def list_some(numbers: Iterable[int], limit: int | None) -> list[int]:
    """One more than a page of them."""
    some: list[int] = []
    for number in numbers:
        some.append(number)
        if len(some) > page_size(limit):
            break
    return some


def intent_page(
    storage: Storage, env: Env, numbers: list[int], total: int, limit: int | None
) -> IntentsResponse:
    """The first intents of ``numbers``, as many as a page holds."""
    size_max = page_size(limit)
    now = env.block.time.nanos()
    page: list[IntentView] = []
    filled = 0
    more = False
    for number in numbers:
        record = INTENTS.load(storage, number)
        filled += encoded_size(record.payload, None)
        if len(page) >= size_max or (filled > PAGE_BYTES_MAX and page):
            more = size_max > 0
            break
        state = INTENT_STATES.load(storage, number)
        page.append(intent_view(intent_id_of(record, number), record, state, now))
    return IntentsResponse(
        intents=tuple(page), total=total, next=page[-1].intent_id if more else None
    )


def intent_view(intent_id: str, record: IntentRecord, state: IntentState, now: int) -> IntentView:
    """An intent as queries show it."""
    return IntentView(
        intent_id=intent_id,
        source_agent=record.source,
        target_capabilities=record.targets,
        payload=Binary(record.payload),
        priority=record.priority,
        ttl=record.ttl,
        status=INTENT_STATUSES[intent_status_at(state, record, now)],
        matched_agents=state.matched,
        max_price=None if record.max_price is None else Uint128(record.max_price),
        created_at=Timestamp(record.created_at),
        expires_at=Timestamp(record.expires_at),
        routed_to=state.routed_to,
        msg_id=state.msg_id,
    )


def query_get_config(deps: Deps, env: Env, msg: GetConfig) -> ConfigResponse:
    """The configuration."""
    config = CONFIG.load(deps.storage)
    return ConfigResponse(
        admin=config.admin,
        registry_address=config.registry,
        did_registry_address=config.did_registry,
        constitution_address=config.constitution,
        relays=config.relays,
        limits=LimitsView(
            payload_max_bytes=config.payload_max_bytes,
            ttl_max_seconds=config.ttl_max_seconds,
            reply_depth_max=config.reply_depth_max,
            rate_window_seconds=config.rate_window_seconds,
            rate_messages_max=config.rate_messages_max,
            rate_discovery_max=config.rate_discovery_max,
            members_max=config.members_max,
            metadata_max_bytes=config.metadata_max_bytes,
            capabilities_max=config.capabilities_max,
            candidates_max=config.candidates_max,
            intents_open_max=config.intents_open_max,
            sweep_max=config.sweep_max,
        ),
    )
