"""Intents: say what is wanted, let the contract find who offers it."""

from chain.std import DepsMut, Env, Event, MessageInfo, Response
from contracts.agent_a2a_v1.checks import (
    check_capability,
    check_content,
    parse_amount,
    refuse_funds,
)
from contracts.agent_a2a_v1.error import (
    IntentExpired,
    IntentNotFound,
    InvalidIntent,
    InvalidIntentStatus,
    NoAgentMatched,
    Unauthorized,
)
from contracts.agent_a2a_v1.holders import price_key
from contracts.agent_a2a_v1.intent_store import (
    add_intent,
    expire_own,
    find_agents,
    fits,
    intent_status_at,
    may_load_intent,
    move_intent,
)
from contracts.agent_a2a_v1.msg import (
    CancelIntent,
    RouteIntent,
    SubmitIntent,
)
from contracts.agent_a2a_v1.send import NANOS_PER_SECOND, deliver, sent_event
from contracts.agent_a2a_v1.state import (
    AGENTS,
    CONFIG,
    INTENT_CANCELLED,
    INTENT_EXPIRED,
    INTENT_NUMBER,
    INTENT_STATES,
    INTENT_STATUSES,
    MATCHED,
    OPEN_INTENTS,
    PENDING,
    REQUEST,
    ROUTED,
    SENT_KIND,
    WIDE,
    Config,
    IntentRecord,
    IntentState,
    MessageRecord,
)

TARGETS_MAX = 8


def execute_submit_intent(
    deps: DepsMut, env: Env, info: MessageInfo, msg: SubmitIntent
) -> Response:
    """Store an intent; matched at once where agents fit, pending otherwise."""
    refuse_funds(info)
    storage = deps.storage
    config = CONFIG.load(storage)
    check_content(config, msg.payload, msg.priority, msg.ttl)
    check_targets(msg.target_capabilities)
    max_price = parse_amount(msg.max_price)
    tidied = expire_own(storage, env, info.sender)
    if len(list(OPEN_INTENTS.prefix(info.sender).keys(storage))) >= config.intents_open_max:
        raise InvalidIntent(f"at most {config.intents_open_max} open intents")
    number = (INTENT_NUMBER.may_load(storage) or 0) + 1
    INTENT_NUMBER.save(storage, number)
    now = env.block.time.nanos()
    record = IntentRecord(
        source=info.sender,
        targets=msg.target_capabilities,
        payload=msg.payload,
        priority=msg.priority,
        ttl=msg.ttl,
        max_price=max_price,
        created_at=now,
        expires_at=now + msg.ttl * NANOS_PER_SECOND,
        height=env.block.height,
    )
    matched = find_agents(
        storage,
        record.targets,
        max_price,
        source_addr=info.sender,
        count_max=config.candidates_max,
    )
    intent_id = add_intent(storage, number, record, matched)
    status = INTENT_STATUSES[MATCHED if matched else PENDING]
    response = intent_response(env, info, "submit_intent", intent_id, status)
    response.events[0].add_attribute("matched", str(len(matched)))
    response.add_events(tidied)
    return response.set_data(f'{{"intent_id":"{intent_id}","status":"{status}"}}'.encode())


def check_targets(targets: tuple[str, ...]) -> None:
    """1 to 8 different capabilities. Raises: InvalidIntent, InvalidCapability."""
    if not 1 <= len(targets) <= TARGETS_MAX:
        raise InvalidIntent(f"1 to {TARGETS_MAX} capabilities")
    for position in range(len(targets)):
        check_capability(targets[position])
        if targets[position] in targets[:position]:
            raise InvalidIntent(f"{targets[position]} is named twice")


def load_own(
    deps: DepsMut, env: Env, info: MessageInfo, intent_id: str, after: int
) -> tuple[int, IntentRecord, IntentState]:
    """The sender's open intent.

    Raises: IntentNotFound, Unauthorized, IntentExpired, InvalidIntentStatus.
    """
    found = may_load_intent(deps.storage, intent_id)
    if found is None:
        raise IntentNotFound(intent_id)
    number, record = found
    if info.sender != record.source:
        raise Unauthorized
    state = INTENT_STATES.load(deps.storage, number)
    status = intent_status_at(state, record, env.block.time.nanos())
    if status == INTENT_EXPIRED:
        raise IntentExpired
    if status > MATCHED:
        raise InvalidIntentStatus(INTENT_STATUSES[status], INTENT_STATUSES[after])
    return (number, record, state)


def execute_route_intent(deps: DepsMut, env: Env, info: MessageInfo, msg: RouteIntent) -> Response:
    """Send the payload to the chosen agent or to the best one that fits now.

    A send with all its checks.
    """
    refuse_funds(info)
    storage = deps.storage
    config = CONFIG.load(storage)
    number, record, state = load_own(deps, env, info, msg.intent_id, ROUTED)
    agent_id = choose_agent(deps, config, record, msg.agent_id)
    agent = AGENTS.load(storage, agent_id)
    now = env.block.time.nanos()
    draft = MessageRecord(
        kind=SENT_KIND,
        sender=info.sender,
        receiver=agent.address,
        message_type=REQUEST,
        payload=record.payload,
        priority=record.priority,
        ttl=record.ttl,
        created_at=now,
        expires_at=now + record.ttl * NANOS_PER_SECOND,
        height=WIDE + env.block.height,
    )
    msg_id, sent = deliver(deps, env, config, draft, (None, None))
    opened = OPEN_INTENTS.load(storage, (info.sender, number))
    move_intent(
        storage,
        number,
        opened,
        IntentState(status=ROUTED, matched=state.matched, routed_to=agent_id, msg_id=msg_id),
    )
    response = intent_response(env, info, "route_intent", msg.intent_id, INTENT_STATUSES[ROUTED])
    response.events[0].add_attribute("agent_id", agent_id).add_attribute("msg_id", msg_id)
    return (
        response.add_event(sent_event(msg_id, sent))
        .add_attribute("msg_id", msg_id)
        .set_data(f'{{"agent_id":"{agent_id}","msg_id":"{msg_id}"}}'.encode())
    )


def choose_agent(deps: DepsMut, config: Config, record: IntentRecord, chosen: str | None) -> str:
    """The chosen agent if it fits, else the best that does. Raises: NoAgentMatched."""
    storage = deps.storage
    if chosen is not None:
        agent = AGENTS.may_load(storage, chosen)
        if agent is None or not fits(
            storage, (chosen, price_key(agent)), record.targets, record.max_price, record.source
        ):
            raise NoAgentMatched
        return chosen
    matched = find_agents(
        storage,
        record.targets,
        record.max_price,
        source_addr=record.source,
        count_max=config.candidates_max,
    )
    if not matched:
        raise NoAgentMatched
    return matched[0]


def execute_cancel_intent(
    deps: DepsMut, env: Env, info: MessageInfo, msg: CancelIntent
) -> Response:
    """Pending or matched to cancelled, by the sender."""
    refuse_funds(info)
    number, record, state = load_own(deps, env, info, msg.intent_id, INTENT_CANCELLED)
    opened = OPEN_INTENTS.load(deps.storage, (record.source, number))
    move_intent(
        deps.storage,
        number,
        opened,
        IntentState(status=INTENT_CANCELLED, matched=state.matched, routed_to=None, msg_id=None),
    )
    return intent_response(
        env, info, "cancel_intent", msg.intent_id, INTENT_STATUSES[INTENT_CANCELLED]
    )


def intent_response(
    env: Env, info: MessageInfo, action: str, intent_id: str, status: str
) -> Response:
    """The answer to a changed intent; its event comes first."""
    words = {"submit_intent": "submitted", "route_intent": "routed", "cancel_intent": "cancelled"}
    event = Event(
        f"a2a_intent_{words[action]}",
        (
            ("actor", info.sender),
            ("intent_id", intent_id),
            ("source_agent", info.sender),
            ("status", status),
            ("height", str(env.block.height)),
        ),
    )
    return (
        Response()
        .add_event(event)
        .add_attribute("action", action)
        .add_attribute("intent_id", intent_id)
    )
