"""The start of a block: rewrite what expired, at most ``sweep_max`` records.

Nothing depends on it: every query and operation computes the status that holds (MS-4). It tidies,
in the order of expiry.
"""

from chain.std import Addr, DepsMut, Env, Event, Response, Storage
from chain.storage_plus import Bound
from contracts.agent_a2a_v1.intent_store import expire_intents
from contracts.agent_a2a_v1.ledger import save_due, shift_inbox
from contracts.agent_a2a_v1.msg import (
    BeginBlock,
)
from contracts.agent_a2a_v1.state import (
    CONFIG,
    DUE,
    EXPIRED,
    EXPIRY,
    INBOX_BY_STATUS,
    MESSAGE_STATUSES,
    PENDING,
    STATUSES,
    ExpiryRecord,
    StatusRecord,
)

EXPIRED_WORD = MESSAGE_STATUSES[EXPIRED]


def sudo_begin_block(deps: DepsMut, env: Env, msg: BeginBlock) -> Response:
    """Expire messages, then intents, within one bound; one event each."""
    config = CONFIG.load(deps.storage)
    now = env.block.time.nanos()
    response = Response()
    due = take_due(deps.storage, now, config.sweep_max)
    events = expire_messages(deps.storage, env, due)
    if len(due) < config.sweep_max:
        events.extend(expire_intents(deps.storage, env, config.sweep_max - len(due)))
    if events:
        response.add_attribute("action", "begin_block").add_attribute("expired", str(len(events)))
        response.add_events(events)
    return response


def take_due(
    storage: Storage, now: int, count_max: int
) -> list[tuple[tuple[int, Addr, int], ExpiryRecord]]:
    """The first entries whose instant is before now, by instant, receiver and number."""
    due = []
    if count_max > 0:
        for key, entry in EXPIRY.prefix_range(storage, None, Bound.exclusive(now)):
            due.append((key, entry))
            if len(due) >= count_max:
                break
    return due


def expire_messages(
    storage: Storage, env: Env, due: list[tuple[tuple[int, Addr, int], ExpiryRecord]]
) -> list[Event]:
    """Rewrite the status of each; counts are written once a receiver and instant."""
    events = []
    group: tuple[int, Addr] | None = None
    moved = [0, 0, 0]
    for (expires_at, receiver_addr, number), entry in due:
        if group is not None and group != (expires_at, receiver_addr):
            settle_group(storage, group, moved)
            moved = [0, 0, 0]
        group = (expires_at, receiver_addr)
        stored = STATUSES.may_load(storage, number)
        before = PENDING if stored is None else stored.status
        moved[before] += 1
        STATUSES.save(storage, number, StatusRecord(status=EXPIRED, at=env.block.time.nanos()))
        INBOX_BY_STATUS.remove(storage, (receiver_addr, MESSAGE_STATUSES[before], number))
        INBOX_BY_STATUS.save(storage, (receiver_addr, EXPIRED_WORD, number), expires_at)
        EXPIRY.remove(storage, (expires_at, receiver_addr, number))
        events.append(expired_event(env, receiver_addr, entry, MESSAGE_STATUSES[before]))
    if group is not None:
        settle_group(storage, group, moved)
    return events


def settle_group(storage: Storage, group: tuple[int, Addr], moved: list[int]) -> None:
    """Move the counts of one receiver and instant."""
    expires_at, receiver_addr = group
    for before in range(3):
        if moved[before]:
            shift_inbox(storage, receiver_addr, before, EXPIRED, moved[before])
    due = DUE.load(storage, (receiver_addr, expires_at))
    counts = [due.pending - moved[0], due.delivered - moved[1], due.read - moved[2]]
    save_due(storage, receiver_addr, expires_at, counts)


def expired_event(env: Env, receiver_addr: Addr, entry: ExpiryRecord, before: str) -> Event:
    """``a2a_message_expired``: also how the sender learns of it."""
    return Event(
        "a2a_message_expired",
        (
            ("actor", env.contract.address),
            ("msg_id", entry.msg_id),
            ("sender", entry.sender),
            ("receiver", receiver_addr),
            ("previous_status", before),
            ("status", EXPIRED_WORD),
            ("height", str(env.block.height)),
        ),
    )
