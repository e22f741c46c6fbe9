"""What charging for compute costs: contract calls in the room against the same code outside.

``call``: a small contract called through the test chain, as a folder and as a value made of the
same functions; the target is at most 15 % more. ``handler``: only decoding the message and running
the handler on metered storage.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chain.gas import GasMeter
from chain.std import BlockInfo, ContractInfo, DepsMut, Env, MessageInfo, Timestamp
from chain.std import json as cosmwasm_json
from chain.std.numbers import Addr
from chain.store.memory import MemoryBackend
from chain.store.overlay import Overlay
from chain.testing.chain import Chain
from chain.testing.mocks import mock_deps
from chain.vm.contract import Contract
from chain.vm.sandbox import loader
from chain.vm.sandbox.runtime import run as run_in_room
from chain.vm.storage import ContractStorage
from contracts.token_v1 import contract as token_plain
from contracts.token_v1 import msg as token_messages

_CALLS = {"smoke": 50, "real": 4_000}
_ROUNDS = {"smoke": 1, "real": 15}
_PREFIX = b"\x00\x03" + b"c" * 32
_GAS = 10**9
_SENDER = "msg1qyqszqgpqyqszqgpqyqszqgpqyqszqgpysesej"

COUNTER = '''"""A counter with an owner and a limit."""

from chain.std import Addr, ContractError, Message, Record, Response
from chain.storage_plus import Item


class Config(Record):
    """Who may count, and how far."""

    owner: Addr
    limit: int
    open: bool


class Add(Message):
    """Count."""

    by: int


CONFIG = Item("config", Config)
COUNT = Item("count", int)
EXECUTE = (Add,)


def instantiate(deps, env, info, msg):
    """Start at nothing."""
    CONFIG.save(deps.storage, Config(info.sender, 1000000000, True))
    COUNT.save(deps.storage, 0)
    return Response()


def execute(deps, env, info, msg):
    """Add, within the limit."""
    config = CONFIG.load(deps.storage)
    if not config.open:
        raise ContractError("closed")
    if info.sender != config.owner:
        raise ContractError("unauthorized")
    if msg.by < 1 or msg.by > 100:
        raise ContractError("out of range")
    total = COUNT.load(deps.storage) + msg.by
    if total > config.limit:
        raise ContractError("limit reached")
    COUNT.save(deps.storage, total)
    return Response().add_attribute("action", "add").add_attribute("total", str(total))
'''

Entry = Callable[..., Any]


def run(size: str) -> dict[str, Any]:
    """Figures of one size."""
    calls, rounds = _CALLS[size], _ROUNDS[size]
    figures: dict[str, Any] = _through_the_chain(calls, rounds)
    digest = hashlib.sha256()
    for name, pair in (("counter handler", _counter()), ("transfer handler", _token())):
        plain, room = _compare(pair, calls, rounds)
        figures[f"{name}, plain, us a call"] = round(plain * 1e6, 2)
        figures[f"{name}, in the room, us a call"] = round(room * 1e6, 2)
        figures[f"{name}, room over plain"] = round(room / plain, 3)
        for setup in pair:
            digest.update(repr(setup().call()).encode())
    figures |= _turns(calls)
    figures |= _loading()
    figures["digest"] = digest.hexdigest()[:16]
    return figures


class _Setup:
    """A contract with state, and one message to send again and again."""

    def __init__(self, entries: tuple[Entry, Entry], start: Any, types: Any, raw: bytes) -> None:
        self.metered = "§current" in entries[1].__code__.co_names
        self.execute = entries[1]
        self.types = types
        self.raw = raw
        self.meter = GasMeter(_GAS)
        sender = mock_deps().api.addr_validate(_SENDER)
        storage = ContractStorage(Overlay(MemoryBackend()), _PREFIX, self.meter)
        self.deps = DepsMut(storage, mock_deps().api, mock_deps().querier)
        self.env = Env(
            BlockInfo(1, Timestamp(1_700_000_000_000_000_000), "bench"),
            None,
            ContractInfo(Addr(sender)),
        )
        self.info = MessageInfo(sender)
        if self.metered:
            run_in_room(self.meter, entries[0], self.deps, self.env, self.info, start)
        else:
            entries[0](self.deps, self.env, self.info, start)

    def call(self) -> Any:
        """One call."""
        self.meter.used = 0
        msg = cosmwasm_json.decode_variant(self.raw, self.types, "ExecuteMsg")
        if self.metered:
            return run_in_room(self.meter, self.execute, self.deps, self.env, self.info, msg)
        return self.execute(self.deps, self.env, self.info, msg)


Pair = tuple[Callable[[], _Setup], Callable[[], _Setup]]


def _counter() -> Pair:
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(COUNTER, "<counter>", "exec"), space)
    room = loader.load_source("counter", {"counter/contract.py": COUNTER})
    types = space["EXECUTE"]
    raw = b'{"add":{"by":3}}'
    plain = (space["instantiate"], space["execute"])
    return (
        lambda: _Setup(plain, None, types, raw),
        lambda: _Setup(_entries(room), None, types, raw),
    )


def _token() -> Pair:
    start = (
        '{"name":"Token","symbol":"TOK","decimals":6,'
        f'"initial_balances":[{{"address":"{_SENDER}","amount":"100000000000"}}]}}'
    ).encode()
    recipient = "msg1qgpqyqszqgpqyqszqgpqyqszqgpqyqsz45l4jy"
    raw = f'{{"transfer":{{"recipient":"{recipient}","amount":"1"}}}}'.encode()
    room = loader.load_folder("token_v1")
    plain = (token_plain.instantiate, token_plain.execute)
    return (
        lambda: _Setup(
            plain,
            cosmwasm_json.decode(start, token_messages.InstantiateMsg),
            token_messages.EXECUTE,
            raw,
        ),
        lambda: _Setup(
            _entries(room), cosmwasm_json.decode(start, room.instantiate_msg), room.execute_msg, raw
        ),
    )


def _entries(contract: Any) -> tuple[Entry, Entry]:
    return contract.instantiate, contract.execute


def _compare(pair: Pair, calls: int, rounds: int) -> tuple[float, float]:
    """The best round of each, taken in turns so that both see the same machine."""
    best = [float("inf"), float("inf")]
    setups = [pair[0](), pair[1]()]
    for _ in range(rounds):
        for number, setup in enumerate(setups):
            started = time.process_time()
            for _ in range(calls):
                setup.call()
            best[number] = min(best[number], (time.process_time() - started) / calls)
    return best[0], best[1]


def _through_the_chain(calls: int, rounds: int) -> dict[str, Any]:
    """The counter as a value and as a folder, a transaction at a time."""
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(COUNTER, "<counter>", "exec"), space)
    value = Contract(
        name="counter",
        instantiate=space["instantiate"],
        execute=space["execute"],
        execute_msg=space["EXECUTE"],
    )
    folder = loader.load_source("counter", {"counter/contract.py": COUNTER})
    actions = [_chain_call(value), _chain_call(folder)]
    best = [float("inf"), float("inf")]
    for _ in range(rounds * 20):  # many short rounds in turns: both see the same machine
        for number, action in enumerate(actions):
            started = time.process_time()
            for _ in range(calls // 50):
                action()
            best[number] = min(best[number], (time.process_time() - started) / (calls // 50))
    return {
        "call, as a value, us": round(best[0] * 1e6, 2),
        "call, as a folder, us": round(best[1] * 1e6, 2),
        "call, folder over value": round(best[1] / best[0], 3),
    }


def _chain_call(contract: Contract) -> Callable[[], Any]:
    chain = Chain()
    alice = chain.account("alice")
    address = chain.instantiate(chain.store_code(contract), {}, sender=alice, label="counter")
    return lambda: chain.execute(address, {"add": {"by": 3}}, sender=alice)


def _turns(calls: int) -> dict[str, Any]:
    """What a turn of a loop costs, in time and in gas."""
    source = "def execute(deps, env, info, msg):\n    n = 0\n    while n < msg:\n        n += 1\n"
    entry = loader.load_source("turns", {"turns/contract.py": source}).execute
    meter = GasMeter(_GAS)
    turns = calls * 50
    started = time.process_time()
    run_in_room(meter, entry or run, None, None, None, turns)
    return {
        "turn of a loop, ns": round((time.process_time() - started) / turns * 1e9),
        "turn of a loop, gas": round(meter.used / turns, 2),
    }


def _loading() -> dict[str, Any]:
    """Checking, instrumenting and compiling a contract, in milliseconds."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "counter"
        folder.mkdir()
        (folder / "contract.py").write_text(COUNTER, encoding="utf-8")
        started = time.process_time()
        loader.load_folder(folder).compile()
        return {"counter, first use, ms": round((time.process_time() - started) * 1e3, 1)}
