"""Runs a fixed set of transactions on a fresh test chain and prints their gas: for comparison between processes."""

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "support"), str(Path(__file__).parents[2])]

from scripted import Scripted, call, create, plain, script, send, sub  # noqa: E402


def transactions(world):
    """Messages that touch every price: storage, iterators, events, replies, limits, queries, failures."""
    fill = [["sethex", f"{i:02x}", "00" * i] for i in range(1, 9)]
    smart = {"wasm": {"raw": {"contract_addr": world.b, "key": "aw=="}}}
    yield script(*fill, ["scan", "", "", 1, 50], ["scan", "", "", 2, 3])
    yield script(["query", smart], ["query", {"bank": {"all_balances": {"address": world.a}}}])
    yield script(attributes=[("k", "v" * 200)], events=[("event", [("a", "b")])], data=b"d" * 99)
    yield script(messages=[sub(call(world.b, script(*fill, attributes=[("z", "y")]), "5denom"))])
    yield script(messages=[sub(call(world.b, {"do": [["loop"]]}), gas_limit=90_000)])
    yield script(messages=[plain(send(world.bob, "1denom")), sub(create(world.code, {}))])
    yield script(messages=[plain(call(world.c, script(error="no")))])
    yield {"do": [["trap"]]}
    yield b"not json"


def gas(world):
    """Code and gas of each of them."""
    found = []
    for message in transactions(world):
        result = world.run(message, funds="1denom", gas_limit=2_000_000)
        found.append([result.code, result.gas_used])
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(gas(Scripted())))
