"""Contracts that misbehave leave the chain alive, the state as before, and the result the same every time."""

import sys

import pytest
from scripted import call, plain, script

from chain.std import ContractError, Event, Response, SubMsg, WasmMsg


def run_twice(world, execute, msg=None, **more):
    """Run in two fresh states; both results must be equal, and a failure must leave no trace."""
    address = world.deploy(execute=execute, **more)
    results = []
    for _ in range(2):
        mark = world.chain.snapshot()
        before = everything(world, address)
        result = world.chain.try_execute(
            address,
            msg if msg is not None else {},
            sender=world.alice,
            funds="5denom",
            gas_limit=3_000_000,
        )
        if result.code:
            assert everything(world, address) == before
        results.append((result.code, result.codespace, result.log, result.gas_used, result.data))
        world.chain.revert(mark)
    assert results[0] == results[1]
    alive(world)
    return results[0]


def everything(world, address):
    chain = world.chain
    held = [chain.balances(a) for a in (world.alice, world.bob, world.a, address)]
    return held, chain.storage(address), chain.storage(world.a), chain.supply("denom")


def alive(world):
    assert world.run(script(["set", "alive", "yes"])).code == 0


def test_swallowing_every_exception_does_not_stop_the_meter(world):
    def execute(deps, env, info, msg):
        for _ in range(100_000):
            try:
                deps.storage.get(b"k")
            except BaseException:
                continue
        return Response().set_data(b"survived")

    code, codespace, *_ = run_twice(world, execute)
    assert (codespace, code) == ("sdk", 11)


def test_swallowing_in_finally_and_with_is_out_of_gas_too(world):
    def execute(deps, env, info, msg):
        for _ in range(10_000):
            try:
                deps.storage.set(b"k", b"v")
            finally:
                continue  # noqa: B012
        return Response()

    code, codespace, *_ = run_twice(world, execute)
    assert (codespace, code) == ("sdk", 11)


def test_deleting_while_iterating_sees_the_state_of_the_opening(world):
    def execute(deps, env, info, msg):
        for i in range(10):
            deps.storage.set(b"k%d" % i, b"v")
        seen = []
        for key, _ in deps.storage.range(b"k", b"l"):
            deps.storage.remove(key)
            seen.append(key)
        return Response().set_data(b",".join(seen))

    code, *_, data = run_twice(world, execute)
    assert (code, data) == (0, b"k0,k1,k2,k3,k4,k5,k6,k7,k8,k9")


def test_nested_iterators_with_writes(world):
    def execute(deps, env, info, msg):
        for i in range(4):
            deps.storage.set(b"k%d" % i, b"v")
        count = 0
        for key, _ in deps.storage.range(b"k", b"l"):
            for other, _ in deps.storage.range(b"k", b"l", order="descending"):
                deps.storage.set(key + other, b"w")
                count += 1
        return Response().set_data(str(count).encode())

    assert run_twice(world, execute)[0] == 0


def test_storage_kept_after_the_call_is_dead(world):
    kept = []

    def execute(deps, env, info, msg):
        deps.storage.set(b"k", b"v")
        kept.append(deps.storage)
        return Response()

    run_twice(world, execute)
    storage = kept[0]
    for use in (
        lambda: storage.set(b"late", b"x"),
        lambda: storage.get(b"k"),
        storage.range,
    ):
        with pytest.raises(Exception):  # noqa: B017
            use()


def test_ten_thousand_deep_self_calls(world):
    start = call(world.a, {"do": [["countdown", "n", world.a, "never"]]})
    message = script(["set", "n", "10000"], messages=[plain(start)])
    result = world.run(message, gas_limit=10**9)
    assert (result.codespace, result.code) == ("wasm", 30)
    alive(world)


@pytest.mark.parametrize(
    "text", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000]
)
def test_json_of_a_hundred_thousand_levels(world, text):
    result = world.chain.try_execute(world.a, text, sender=world.alice)
    assert result.code != 0
    assert world.chain.try_execute(world.a, text, sender=world.alice).log == result.log
    alive(world)


@pytest.mark.parametrize(
    ("key", "value", "passes"),
    [
        (b"k" * 65_536, b"v", True),
        (b"k" * 65_537, b"v", False),
        (b"k", b"v" * 524_288, True),
        (b"k", b"v" * 524_289, False),
        (b"", b"v", False),
        (b"k", b"", True),
    ],
    ids=[
        "longest key",
        "key too long",
        "longest value",
        "value too long",
        "empty key",
        "empty value",
    ],
)
def test_keys_and_values_at_and_above_the_limits(world, key, value, passes):
    def execute(deps, env, info, msg):
        deps.storage.set(key, value)
        return Response()

    address = world.deploy(execute=execute)
    result = world.chain.try_execute(address, {}, sender=world.alice, gas_limit=100_000_000)
    assert (result.code == 0) is passes
    assert passes or (result.codespace, result.code) == ("wasm", 29)
    assert world.chain.storage(address) == ({key: value} if passes else {})


@pytest.mark.parametrize("key", ["k", 5, None, ["k"], bytearray(b"k")])
def test_keys_that_are_no_bytes(world, key):
    def execute(deps, env, info, msg):
        deps.storage.set(key, b"v")
        return Response()

    code, codespace, *_ = run_twice(world, execute)
    assert code == 0 or (codespace, code) == ("wasm", 29)


@pytest.mark.parametrize("value", ["v", 5, None, [1], object()])
def test_values_that_are_no_bytes(world, value):
    def execute(deps, env, info, msg):
        deps.storage.set(b"k", value)
        return Response()

    code, codespace, *_ = run_twice(world, execute)
    assert (codespace, code) == ("wasm", 29)


@pytest.mark.parametrize("pair", [("_k", "v"), ("", "v"), (" ", "v"), ("\t_", "v")])
def test_reserved_and_empty_attribute_keys(world, pair):
    code, codespace, *_ = run_twice(world, lambda *_: Response().add_attribute(*pair))
    assert (codespace, code) == ("wasm", 21)


@pytest.mark.parametrize("pair", [(b"k", "v"), ("k", 5), (None, "v"), ("k", None), ("k", "\ud800")])
def test_attributes_that_are_no_text(world, pair):
    code, codespace, *_ = run_twice(world, lambda *_: Response().add_attribute(*pair))
    assert codespace == "wasm"
    assert code in (21, 29)


@pytest.mark.parametrize("kind", [None, 5, b"type", "\ud800ab"])
def test_event_types_that_are_no_text(world, kind):
    code, codespace, *_ = run_twice(world, lambda *_: Response().add_event(Event(kind)))
    assert codespace == "wasm"
    assert code in (21, 29)


@pytest.mark.parametrize(
    "answer", [object(), {1: 2}, {"x": object()}, 1.5, float("nan"), {"a": {3}}, "\ud800"]
)
def test_unserialisable_answers(world, answer):
    from chain.testing import QueryFailed

    address = world.deploy(query=lambda *_: answer)
    texts = set()
    for _ in range(2):
        try:
            texts.add(repr(world.chain.query(address, {})))
        except QueryFailed as error:
            texts.add(str(error))
    assert len(texts) == 1
    assert " at 0x" not in texts.pop()
    alive(world)


def test_exception_texts_with_object_addresses_do_not_reach_results(world):
    def execute(deps, env, info, msg):
        raise RuntimeError(f"broken {object()!r}")

    code, codespace, log, *_ = run_twice(world, execute)
    assert (codespace, code) == ("wasm", 29)
    assert "0x" not in log
    assert "Traceback" not in log


class Odd(Exception):
    def __str__(self):
        raise ValueError("no text")


@pytest.mark.parametrize(
    "error",
    [
        Odd(),
        KeyError("x"),
        RecursionError(),
        StopIteration(),
        AssertionError("a"),
        UnicodeError("u"),
    ],
)
def test_any_exception_is_a_vm_error(world, error):
    def execute(deps, env, info, msg):
        raise error

    code, codespace, *_ = run_twice(world, execute)
    assert (codespace, code) == ("wasm", 29)


@pytest.mark.parametrize("text", ["", "\ud800", 5, None, "x" * 100_000])
def test_odd_texts_of_refusals(world, text):
    def execute(deps, env, info, msg):
        raise ContractError(text)

    code, codespace, *_ = run_twice(world, execute)
    assert codespace == "wasm"
    assert code in (5, 29)


@pytest.mark.parametrize("found", [None, 5, "x", {}, [], True, Response, object()])
def test_answers_that_are_no_response(world, found):
    code, codespace, *_ = run_twice(world, lambda *_: found)
    assert (codespace, code) == ("wasm", 29)


@pytest.mark.parametrize("data", ["x", 5, [1], object(), bytearray(b"x")])
def test_data_that_is_no_bytes(world, data):
    code, codespace, *_ = run_twice(world, lambda *_: Response().set_data(data))
    assert (codespace, code) == ("wasm", 29)


@pytest.mark.parametrize(
    "message", [5, "x", None, [], object(), {}, {"x": {}}, {"bank": 5}, {"wasm": {"execute": 5}}]
)
def test_messages_that_are_none(world, message):
    code, codespace, *_ = run_twice(world, lambda *_: Response().add_message(message))
    assert codespace == "wasm"
    assert code in (20, 29)


def test_things_in_the_list_of_messages_that_are_no_submessages(world):
    def execute(deps, env, info, msg):
        response = Response()
        response.messages.append({"x": 1})
        return response

    code, codespace, *_ = run_twice(world, execute)
    assert (codespace, code) == ("wasm", 29)


@pytest.mark.parametrize("number", [-1, 1 << 64, "1", None, 1.5, True])
def test_odd_ids_and_gas_limits(world, number):
    def with_id(deps, env, info, msg):
        return Response().add_submessage(SubMsg(WasmMsg.Execute(world.b, {}), number))

    def with_limit(deps, env, info, msg):
        sub = SubMsg(WasmMsg.Execute(world.b, {}), 1)
        sub.gas_limit = number
        return Response().add_submessage(sub)

    for execute in (with_id, with_limit):
        code, codespace, *_ = run_twice(world, execute)
        assert code == 0 or codespace == "wasm"


def test_endless_recursion_in_a_trusted_contract_is_a_failed_transaction(world):
    def deeper(n):
        return deeper(n + 1) + 1

    code, codespace, *_ = run_twice(world, lambda *_: deeper(0))
    assert (codespace, code) == ("wasm", 29)
    assert sys.getrecursionlimit() < 100_000


def test_a_query_that_writes_through_a_kept_storage(world):
    kept = []

    def execute(deps, env, info, msg):
        kept.append(deps.storage)
        deps.querier.query_wasm_smart(env.contract.address, {})
        return Response()

    def query(deps, env, msg):
        kept[-1].set(b"sneaky", b"v")
        return {}

    code, *_ = run_twice(world, execute, query=query)
    assert code in (0, 5, 29)
