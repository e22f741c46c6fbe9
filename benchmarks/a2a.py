"""agent_a2a_v1 at 1,000, 100,000 and 1,000,000 messages: time and gas of each operation.

The state is made by the contract's own ledger, without the chain around it. What is measured is the
contract in the room on metered storage over a memory store, so the tree's growth is not in it
(``tree`` and ``store`` have that). Half of the messages are between the two parties that are
measured; what they have besides, and what a page shows, is the same at every size. The sizes are
measured in turn, call by call, so that what else the machine does falls on all of them alike.
"""

from __future__ import annotations

import gc
import hashlib
import random
import time
from collections.abc import Callable
from typing import Any, cast

from chain.gas import GasMeter
from chain.std import BlockInfo, ContractInfo, Deps, DepsMut, Env, MessageInfo, Timestamp
from chain.std import json as cosmwasm_json
from chain.std.numbers import Addr
from chain.store.memory import MemoryBackend
from chain.store.overlay import Overlay
from chain.testing import engine
from chain.testing.mocks import mock_deps
from chain.vm.sandbox import loader
from chain.vm.sandbox.runtime import run as run_in_room
from chain.vm.storage import ContractStorage
from contracts.agent_a2a_v1.guard import NO_SENDER, save_sender
from contracts.agent_a2a_v1.holders import hold
from contracts.agent_a2a_v1.ledger import NO_PAIR, append_message, pair_of
from contracts.agent_a2a_v1.state import (
    AGENTS,
    CONFIG,
    PAIRS,
    SENDERS,
    WIDE,
    AgentRecord,
    MessageRecord,
)

SEED = 20_260_710
SIZES = {"smoke": (200, 1_000), "real": (1_000, 100_000, 1_000_000)}
ROUNDS = {"smoke": 3, "real": 200}
CROWD = {"smoke": 50, "real": 10_000}
NOW = 1_700_000_000_000_000_000
HEIGHT = 5_000_000
PREFIX = b"\x00\x03" + b"c" * 32
GAS = 10**12
FLUSH = 10_000
#: more than a search looks at, at every size
AGENTS_MIN = 500
SECOND = 10**9
YEAR = 31_536_000


def account_address(name: str) -> str:
    """The test chain's address of a name."""
    return engine.account_address(name, "msg")


class Filling:
    """Storage that only fills: writes gather, and go to the store some thousand at a time."""

    def __init__(self, backend: MemoryBackend) -> None:
        self.backend = backend
        self.puts: dict[bytes, bytes | None] = {}

    def get(self, key: bytes) -> bytes | None:
        """The value, or None."""
        full = PREFIX + key
        found = self.puts.get(full)
        return self.backend.get(full) if found is None else found

    def set(self, key: bytes, value: bytes) -> None:
        """Write."""
        self.puts[PREFIX + key] = value

    def flush(self) -> None:
        """Hand the writes over."""
        self.backend.write(self.puts, False)
        self.puts = {}

    def remove(self, key: bytes) -> None:
        """Filling never deletes."""
        raise NotImplementedError

    def range(self, start: Any = None, end: Any = None, order: str = "ascending") -> Any:
        """Filling never walks."""
        raise NotImplementedError


class World:
    """The contract with so many messages in it."""

    def __init__(self, size: int, crowd: int) -> None:
        self.contract = cast("Any", loader.load_folder("agent_a2a_v1"))
        self.meter = GasMeter(GAS)
        self.backend = MemoryBackend()
        self.overlay = Overlay(self.backend)
        self.api = mock_deps().api
        self.querier = mock_deps().querier
        self.address = Addr(account_address("a2a"))
        self.env = Env(
            BlockInfo(HEIGHT, Timestamp(NOW), "msg-chain-1"), None, ContractInfo(self.address)
        )
        self.admin = account_address("admin")
        self.execute_as(
            self.contract.instantiate,
            self.admin,
            self.contract.instantiate_msg(
                admin=self.admin,
                registry_address=self.admin,
                did_registry_address=self.admin,
            ),
        )
        self.flush()
        self.fill(size)
        self.hub = ""
        self.line = ""
        self.prepare(crowd)

    def flush(self) -> None:
        """Commit what is written so far."""
        self.backend.write(self.overlay.writes, False)
        self.overlay = Overlay(self.backend)

    def execute_as(self, entry: Any, sender: str, msg: Any) -> Any:
        """One call in the room."""
        storage = ContractStorage(self.overlay, PREFIX, self.meter)
        deps = DepsMut(storage, self.api, self.querier)
        return run_in_room(self.meter, entry, deps, self.env, MessageInfo(Addr(sender)), msg)

    def call(self, sender: str, body: bytes) -> Any:
        """Decode and execute."""
        msg = cosmwasm_json.decode_variant(body, self.contract.execute_msg, "ExecuteMsg")
        return self.execute_as(self.contract.execute, sender, msg)

    def ask(self, body: bytes) -> bytes:
        """Decode, query, encode."""
        msg = cosmwasm_json.decode_variant(body, self.contract.query_msg, "QueryMsg")
        storage = ContractStorage(self.overlay, PREFIX, self.meter)
        deps = Deps(storage, self.api, self.querier)
        answer = run_in_room(self.meter, self.contract.query, deps, self.env, msg)
        return cosmwasm_json.encode(answer)

    def fill(self, size: int) -> None:
        """Messages among a thousand parties, half of them between the two that are measured, and
        one agent a hundred messages.
        """
        rng = random.Random(SEED)
        measured = [Addr(account_address(f"measured {name}")) for name in "ab"]
        people = [Addr(account_address(f"party {n}")) for n in range(1_000)]
        filling = Filling(self.backend)
        for number in range(size):
            if number % FLUSH == 0:
                filling.flush()
            sender, receiver = rng.sample(people if number % 2 else measured, 2)
            created = NOW - (size - number) * SECOND
            pair_key = pair_of(sender, receiver)
            pair = PAIRS.may_load(filling, pair_key) or NO_PAIR
            append_message(
                filling,
                MessageRecord(
                    kind=0,
                    sender=sender,
                    receiver=receiver,
                    message_type=0,
                    payload=b"x" * 64,
                    priority=50,
                    ttl=YEAR,
                    created_at=created,
                    expires_at=created + YEAR * SECOND,
                    height=WIDE + HEIGHT,
                ),
                pair_key,
                pair,
            )
            save_sender(filling, sender, SENDERS.may_load(filling, sender) or NO_SENDER, 1)
        config = CONFIG.load(filling)
        for number in range(max(AGENTS_MIN, size // 100)):
            agent = AgentRecord(
                owner=people[0], address=people[0], price=number, active=True, capabilities=0
            )
            agent_id = f"agent-{number:07}"
            AGENTS.save(filling, agent_id, agent)
            hold(filling, config.capabilities_max, (agent_id, agent), "charts", NOW)
        filling.flush()
        self.overlay = Overlay(self.backend)

    def prepare(self, crowd: int) -> None:
        """What the measured parties have at every size."""
        raw = self.call(self.admin, b'{"update_config":{"limits":{"rate_messages_max":1000}}}')
        for _ in range(40):
            self.call(account_address("measured a"), send_body("measured b"))
        members = ",".join(f'"{account_address(f"member {n}")}"' for n in range(100))
        raw = self.call(
            account_address("measured a"),
            f'{{"create_channel":{{"channel_type":"broadcast","members":[{members}]}}}}'.encode(),
        )
        self.line = raw.data.decode().split('"')[3]
        raw = self.call(
            account_address("measured a"), b'{"create_channel":{"channel_type":"pubsub"}}'
        )
        self.hub = raw.data.decode().split('"')[3]
        for number in range(crowd):
            body = f'{{"subscribe":{{"channel_id":"{self.hub}","topic":"crowd"}}}}'
            self.call(account_address(f"reader {number}"), body.encode())
        self.flush()


def send_body(to: str) -> bytes:
    """A message of a few bytes."""
    return (
        f'{{"send_message":{{"to":"{account_address(to)}","message_type":"request",'
        f'"payload":"aGVsbG8=","priority":50,"ttl":3600}}}}'
    ).encode()


def operations(world: World) -> dict[str, Callable[[], Any]]:
    """What is measured."""
    one, two = account_address("measured a"), account_address("measured b")
    inbox = f'{{"list_messages":{{"address":"{two}","status":"pending","limit":30}}}}'.encode()
    newest = cosmwasm_json.decode(world.ask(inbox), dict)["messages"][0]["msg_id"]
    reply = f'{{"reply_message":{{"original_msg_id":"{newest}","payload":"aGk="}}}}'.encode()
    pending = f'{{"count_pending_messages":{{"address":"{two}"}}}}'.encode()
    find = b'{"find_agents_by_capability":{"capability":"charts","order":"price","limit":30}}'
    rate = f'{{"rate_limit_status":{{"address":"{one}"}}}}'.encode()
    content = '"payload":"aGk=","priority":50,"ttl":3600'
    broadcast = f'{{"broadcast":{{"channel_id":"{world.line}",{content}}}}}'.encode()
    to_topic = f'{{"publish":{{"channel_id":"{world.hub}",{content},"topic":'
    crowd, nobody = (f'{to_topic}"{topic}"}}}}'.encode() for topic in ("crowd", "quiet"))
    body = send_body("measured b")
    return {
        "send": lambda: world.call(one, body),
        "reply": lambda: world.call(two, reply),
        "inbox page": lambda: world.ask(inbox),
        "pending count": lambda: world.ask(pending),
        "find": lambda: world.ask(find),
        "rate limit": lambda: world.ask(rate),
        "broadcast to 100": lambda: world.call(one, broadcast),
        "publish": lambda: world.call(one, crowd),
        "publish to nobody": lambda: world.call(one, nobody),
    }


def once(world: World, act: Callable[[], Any]) -> tuple[float, int, bytes]:
    """Processor seconds, gas, and what came out; the state is as before afterwards."""
    mark = world.overlay.checkpoint()
    world.meter.used = 0
    world.meter.steps = 0
    start = time.thread_time()
    result = act()
    seconds = time.thread_time() - start
    out = result if isinstance(result, bytes) else repr(result.attributes).encode()
    world.overlay.rollback(mark)
    return seconds, world.meter.used, out


def in_turn(
    calls: dict[Any, tuple[World, Callable[[], Any]]], rounds: int
) -> dict[Any, tuple[float, int, bytes]]:
    """Median processor seconds, gas, and what came out, of several calls, each in turn; each starts
    from the same state.
    """
    times: dict[Any, list[float]] = {key: [] for key in calls}
    last: dict[Any, tuple[float, int, bytes]] = {}
    for _ in range(rounds):
        for key, (world, act) in calls.items():
            last[key] = once(world, act)
            times[key].append(last[key][0])
    return {key: (sorted(times[key])[rounds // 2], last[key][1], last[key][2]) for key in calls}


def run(size: str) -> dict[str, Any]:
    """Figures of one size."""
    gc.disable()  # the rows are millions of objects that stay
    try:
        worlds = {messages: World(messages, CROWD[size]) for messages in SIZES[size]}
        gc.freeze()
    finally:
        gc.enable()
    acts = {messages: operations(world) for messages, world in worlds.items()}
    figures: dict[str, Any] = {}
    digest = hashlib.sha256()
    smallest = SIZES[size][0]
    for name in acts[smallest]:
        rounds = max(3, ROUNDS[size] // 5) if name.startswith("broadcast") else ROUNDS[size]
        found = in_turn({one: (worlds[one], acts[one][name]) for one in worlds}, rounds)
        for messages, (seconds, gas, out) in found.items():
            digest.update(f"{name} {messages} {gas}".encode() + out)
            figures[f"{name}, {messages:,} messages, us"] = round(seconds * 1e6, 1)
            figures[f"{name}, {messages:,} messages, gas"] = gas
        base, most = found[smallest], found[SIZES[size][-1]]
        figures[f"{name}, time over the smallest"] = round(most[0] / base[0], 2)
        figures[f"{name}, gas over the smallest"] = most[1] - base[1]
    last = SIZES[size][-1]
    kinds = ("publish", "publish to nobody")
    pair = in_turn({kind: (worlds[last], acts[last][kind]) for kind in kinds}, ROUNDS[size])
    ratio = pair[kinds[0]][0] / pair[kinds[1]][0]
    figures[f"publish, {CROWD[size]:,} subscribers over none"] = round(ratio, 2)
    gc.unfreeze()
    figures["digest"] = digest.hexdigest()[:16]
    return figures
