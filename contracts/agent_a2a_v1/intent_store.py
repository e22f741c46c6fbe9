"""Intents in storage, and matching.

A pending intent waits under each of its capabilities; a pending or matched one stands in its
sender's list of open intents, which is bounded, so whatever walks that list costs the same at any
size.
"""

from chain.std import Addr, Env, Event, Storage, replace
from chain.storage_plus import Bound
from contracts.agent_a2a_v1.holders import holder_count, price_key
from contracts.agent_a2a_v1.ledger import number_in, padded
from contracts.agent_a2a_v1.state import (
    AGENTS,
    HOLDERS,
    INTENT_COUNTS,
    INTENT_EXPIRED,
    INTENT_EXPIRY,
    INTENT_STATES,
    INTENT_STATUSES,
    INTENTS,
    INTENTS_BY_STATUS,
    INTENTS_OF,
    MATCHED,
    NO_PRICE,
    OFFERS,
    OPEN_INTENTS,
    PENDING,
    WAITING,
    AgentRecord,
    IntentCounts,
    IntentRecord,
    IntentState,
    OpenIntent,
)

NO_INTENTS = IntentCounts(submitted=0, by_status=(0, 0, 0, 0, 0))


def intent_id_of(record: IntentRecord, number: int) -> str:
    """The id of an intent."""
    return f"intent:{record.source[:8]}-{record.height}-{padded(number)}"


def may_load_intent(storage: Storage, intent_id: str) -> tuple[int, IntentRecord] | None:
    """Number and record of the intent with exactly this id."""
    number = number_in(intent_id)
    if number is None:
        return None
    record = INTENTS.may_load(storage, number)
    if record is None or intent_id_of(record, number) != intent_id:
        return None
    return (number, record)


def intent_status_at(state: IntentState, record: IntentRecord, now: int) -> int:
    """The status that holds at a time."""
    if state.status <= MATCHED and now > record.expires_at:
        return INTENT_EXPIRED
    return state.status


def find_agents(
    storage: Storage,
    targets: tuple[str, ...],
    max_price: int | None,
    *,
    source_addr: Addr,
    count_max: int,
) -> tuple[str, ...]:
    """Active agents that hold all targets at the price, cheapest first, then by id.

    Looks at ``count_max`` offers of the rarest target.
    """
    rarest = targets[0]
    fewest = holder_count(storage, rarest)
    for target in targets[1:]:
        count = holder_count(storage, target)
        if count < fewest:
            rarest = target
            fewest = count
    found: list[str] = []
    beyond = None if max_price is None else Bound.exclusive((min(max_price, NO_PRICE - 1) + 1, ""))
    for looked, offer in enumerate(OFFERS.sub_prefix(rarest).keys(storage, None, beyond)):
        if looked >= count_max:
            break
        price, agent_id = offer
        if fits(storage, (agent_id, price), targets, max_price, source_addr):
            found.append(agent_id)
    return tuple(found)


def fits(
    storage: Storage,
    offer: tuple[str, int],
    targets: tuple[str, ...],
    max_price: int | None,
    source_addr: Addr,
) -> bool:
    """Whether an agent's offer answers an intent of ``source_addr``."""
    agent_id, price = offer
    if max_price is not None and (price > max_price or price == NO_PRICE):
        return False
    for target in targets:
        if not HOLDERS.has(storage, (target, agent_id)):
            return False
    agent = AGENTS.may_load(storage, agent_id)
    return agent is not None and agent.address != source_addr


def add_intent(
    storage: Storage, number: int, record: IntentRecord, matched: tuple[str, ...]
) -> str:
    """Store a new intent with its entries. Returns its id."""
    intent_id = intent_id_of(record, number)
    status = MATCHED if matched else PENDING
    source_addr = record.source
    INTENTS.save(storage, number, record)
    INTENT_STATES.save(
        storage, number, IntentState(status=status, matched=matched, routed_to=None, msg_id=None)
    )
    INTENTS_OF.save(storage, (source_addr, number), True)
    INTENTS_BY_STATUS.save(storage, (source_addr, INTENT_STATUSES[status], number), True)
    counts = INTENT_COUNTS.may_load(storage, source_addr) or NO_INTENTS
    by_status = list(counts.by_status)
    by_status[status] += 1
    INTENT_COUNTS.save(
        storage,
        source_addr,
        IntentCounts(submitted=counts.submitted + 1, by_status=tuple(by_status)),
    )
    OPEN_INTENTS.save(
        storage,
        (source_addr, number),
        OpenIntent(
            intent_id=intent_id,
            source=source_addr,
            status=status,
            expires_at=record.expires_at,
            targets=record.targets,
            max_price=record.max_price,
        ),
    )
    INTENT_EXPIRY.save(storage, (record.expires_at, number), source_addr)
    if status == PENDING:
        for target in record.targets:
            WAITING.save(storage, (target, number), source_addr)
    return intent_id


def move_intent(storage: Storage, number: int, opened: OpenIntent, state: IntentState) -> None:
    """Give an open intent another state, and its entries and counts with it."""
    source_addr = opened.source
    INTENT_STATES.save(storage, number, state)
    INTENTS_BY_STATUS.remove(storage, (source_addr, INTENT_STATUSES[opened.status], number))
    INTENTS_BY_STATUS.save(storage, (source_addr, INTENT_STATUSES[state.status], number), True)
    counts = INTENT_COUNTS.load(storage, source_addr)
    by_status = list(counts.by_status)
    by_status[opened.status] -= 1
    by_status[state.status] += 1
    INTENT_COUNTS.save(
        storage,
        source_addr,
        replace(counts, by_status=tuple(by_status)),
    )
    if opened.status == PENDING:
        for target in opened.targets:
            WAITING.remove(storage, (target, number))
    if state.status == MATCHED:
        OPEN_INTENTS.save(storage, (source_addr, number), replace(opened, status=MATCHED))
    else:
        OPEN_INTENTS.remove(storage, (source_addr, number))
        INTENT_EXPIRY.remove(storage, (opened.expires_at, number))


def match_waiting(
    storage: Storage, env: Env, count_max: int, agent_id: str, gained: tuple[str, ...]
) -> list[Event]:
    """Match intents that waited for what an agent now offers.

    Looks at ``count_max`` of them, oldest first.
    """
    events: list[Event] = []
    agent = AGENTS.may_load(storage, agent_id)
    if agent is None or not agent.active:
        return events
    now = env.block.time.nanos()
    waiting: list[tuple[int, Addr]] = []
    seen: dict[int, bool] = {}
    looked = 0
    for capability in gained:
        for number, source_addr in WAITING.prefix(capability).range(storage):
            looked += 1
            if looked > count_max:
                break
            if number not in seen:
                seen[number] = True
                waiting.append((number, source_addr))
    for number, source_addr in waiting:
        opened = OPEN_INTENTS.load(storage, (source_addr, number))
        offer = (agent_id, price_key(agent))
        if now <= opened.expires_at and fits(
            storage, offer, opened.targets, opened.max_price, source_addr
        ):
            state = IntentState(status=MATCHED, matched=(agent_id,), routed_to=None, msg_id=None)
            move_intent(storage, number, opened, state)
            events.append(matched_event(env, opened, agent_id, agent))
    return events


def expire_intents(storage: Storage, env: Env, count_max: int) -> list[Event]:
    """Rewrite the first intents whose instant is before now."""
    due: list[tuple[int, Addr]] = []
    now = env.block.time.nanos()
    for key, source_addr in INTENT_EXPIRY.prefix_range(storage, None, Bound.exclusive(now)):
        due.append((key[1], source_addr))
        if len(due) >= count_max:
            break
    events = []
    for number, source_addr in due:
        events.append(expire_one(storage, env, number, source_addr))
    return events


def expire_own(storage: Storage, env: Env, source_addr: Addr) -> list[Event]:
    """Rewrite an address's own expired intents, so that they do not fill its list."""
    now = env.block.time.nanos()
    due = [
        number
        for number, opened in OPEN_INTENTS.prefix(source_addr).range(storage)
        if now > opened.expires_at
    ]
    return [expire_one(storage, env, number, source_addr) for number in due]


def expire_one(storage: Storage, env: Env, number: int, source_addr: Addr) -> Event:
    """Expire one open intent."""
    opened = OPEN_INTENTS.load(storage, (source_addr, number))
    state = INTENT_STATES.load(storage, number)
    move_intent(
        storage,
        number,
        opened,
        IntentState(status=INTENT_EXPIRED, matched=state.matched, routed_to=None, msg_id=None),
    )
    return Event(
        "a2a_intent_expired",
        (
            ("actor", env.contract.address),
            ("intent_id", opened.intent_id),
            ("source_agent", source_addr),
            ("status", INTENT_STATUSES[INTENT_EXPIRED]),
            ("height", str(env.block.height)),
        ),
    )


def matched_event(env: Env, opened: OpenIntent, agent_id: str, agent: AgentRecord) -> Event:
    """``a2a_intent_matched``: a waiting intent found an agent."""
    return Event(
        "a2a_intent_matched",
        (
            ("actor", agent.owner),
            ("intent_id", opened.intent_id),
            ("source_agent", opened.source),
            ("agent_id", agent_id),
            ("status", INTENT_STATUSES[MATCHED]),
            ("height", str(env.block.height)),
        ),
    )
