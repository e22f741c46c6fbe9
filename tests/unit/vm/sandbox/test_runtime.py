"""Charging: sticky, the same everywhere, nested, per thread, and with a depth of its own."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from folders import call, contract, handler

from chain.gas import GasMeter, OutOfGas
from chain.vm.sandbox.runtime import (
    BATCH_STEPS,
    CALL_STEPS_MAX,
    DEPTH_MAX,
    Trap,
    current,
    enter,
    leave,
    run,
)

DOWN = "def down(n):\n    return 0 if n == 0 else down(n - 1)\n"


def steps(body: str, msg: Any = None, head: str = "") -> int:
    """All steps that a call is charged."""
    _, meter = call(body, msg, head, gas=10**9)
    return meter.used * 10 + meter.steps


# Fixed figures: they are consensus, and the same on every supported Python version.
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", 11),
        ("return 1", 12),
        ("return 2 + len('a')", 19),
        ("x = 1\nx += 1\nreturn x", 18),
        ("for i in range(10):\n    pass", 77),
        ("n = 10\nwhile n > 0:\n    n -= 1", 114),
        ("return [i for i in range(100)]", 626),
        ("return [i for i in range(100) if i > 50]", 926),
        ("return {i: i for i in range(3)}", 55),
        ("return sum(i for i in range(100))", 731),
        ("return f'{1}-{2:03d}-x'", 18),
        ("f = lambda x: x + 1\nreturn f(1)", 31),
        ("def g():\n    return 2\nreturn g() + g()", 47),
        ("return {'a': [1, 2], 'b': (3,)}", 44),
        ("if msg:\n    return 1\nelif 2:\n    return 3\nelse:\n    return 4", 20),
        ("match 2:\n    case 1:\n        return 1\n    case _:\n        return 2", 17),
        ("return 'a' * 1000", 76),
        ("return list(range(1000))", 1022),
        ("return sorted([3, 1, 2])", 32),
        ("return [1, [2]] == [1, [2]]", 356),
    ],
)
def test_steps_are_counted_on_the_tree(body: str, expected: int) -> None:
    assert steps(body) == expected


def test_a_loop_left_early_has_paid_for_at_most_64_turns_more() -> None:
    whole = steps("for i in range(64):\n    break")
    assert steps("for i in range(65):\n    break") == whole
    assert steps("for i in range(1000000000):\n    break") == whole


def test_out_of_gas_is_sticky() -> None:
    entry = handler("while True:\n    pass")
    meter = GasMeter(100)
    for _ in range(2):
        with pytest.raises(OutOfGas):
            run(meter, entry, None, None, None, None)
    assert meter.exhausted


def test_out_of_gas_is_noticed_at_the_latest_when_the_call_ends() -> None:
    meter = GasMeter(0)
    with pytest.raises(OutOfGas):
        run(meter, handler("return 1"), None, None, None, None)


def test_a_call_cannot_spend_more_than_its_share_on_compute() -> None:
    meter = GasMeter(10**18)
    with pytest.raises(OutOfGas):
        run(meter, handler("while True:\n    pass"), None, None, None, None)
    assert meter.exhausted
    assert CALL_STEPS_MAX == 50_000_000


def test_gas_is_the_sum_whatever_the_batches() -> None:
    _, meter = call("n = 0\nwhile n < 1000:\n    n += 1\nreturn n", gas=10**6)
    assert meter.used * 10 + meter.steps > 10 * BATCH_STEPS


# 5: mutual recursion of depth limit - 1, limit, limit + 1
PING = (
    "def ping(n):\n    return 0 if n == 0 else pong(n - 1)\n"
    "def pong(n):\n    return 0 if n == 0 else ping(n - 1)\n"
)


def depth_outcome(more: int) -> str:
    try:
        call(f"return ping({DEPTH_MAX - 2 + more})", head=PING)
    except Trap as error:
        return str(error)
    return "answered"


def test_E5_depth_ends_at_the_limit() -> None:
    assert depth_outcome(-1) == depth_outcome(0) == "answered"
    assert depth_outcome(1) == f"more than {DEPTH_MAX} calls inside each other"


def deep(frames: int, action: Any) -> Any:
    """Run an action with this many Python frames below it."""
    return action() if frames == 0 else deep(frames - 1, action)


@pytest.mark.parametrize("frames", [0, 100, 250, 600])
def test_E5_depth_does_not_depend_on_the_caller_s_stack(frames: int) -> None:
    assert deep(frames, lambda: depth_outcome(0)) == "answered"
    assert "calls inside" in deep(frames, lambda: depth_outcome(1))


@pytest.mark.parametrize(
    "body",
    [
        "f = [0]\nf[0] = lambda n: 0 if n == 0 else max([n], key=lambda _: f[0](n - 1))\nreturn f[0](98)",
        "f = [0]\ndef g(n):\n    return [] if n == 0 else sorted([n], key=lambda v: len(f[0](n - 1)))\nf[0] = g\nreturn g(98)",
        "f = [0]\ndef g(n):\n    return [] if n == 0 else map(lambda v: len(f[0](n - 1)), [n])\nf[0] = g\nreturn g(98)",
    ],
)
@pytest.mark.parametrize("frames", [0, 190, 400])
def test_E4_all_of_the_depth_fits_through_helpers(body: str, frames: int) -> None:
    deep(frames, lambda: call(body))


def test_a_depth_that_an_error_leaves_is_put_back() -> None:
    head = (
        "from chain.std import ContractError\n"
        "def fail(n):\n    if n == 0:\n        raise ContractError('x')\n    return fail(n - 1)\n"
    )
    body = (
        "f = lambda: fail(100)\nfor i in range(1000):\n    try:\n        f()\n"
        "    except ContractError:\n        pass\nreturn 1"
    )
    assert call(body, head=head)[0] == 1


def test_nested_calls_share_depth_and_return_to_the_outer_meter() -> None:
    inner, outer = GasMeter(10**6), GasMeter(10**6)
    down = contract(DOWN + "def execute(deps, env, info, msg):\n    return down(msg)\n").execute
    assert down is not None

    class Host:
        """Stands for a querier that runs another contract."""

        def ask(self, depth: int) -> Any:
            return run(inner, down, None, None, None, depth)

    head = "def down(n, host, m):\n    return host.ask(m) if n == 0 else down(n - 1, host, m)\n"
    entry = handler("return down(100, deps, msg)", head)
    assert run(outer, entry, Host(), None, None, 90) == 0
    assert inner.used > 0
    assert outer.used > 0
    with pytest.raises(Trap, match="calls inside"):
        run(outer, entry, Host(), None, None, 110)
    with pytest.raises(LookupError):
        deep_state()


def deep_state() -> None:
    """After the outermost call there is no meter to charge."""
    if current().meter is None:
        raise LookupError


def test_threads_do_not_share_a_meter() -> None:
    entry = handler("n = 0\nwhile n < msg:\n    n += 1\nreturn n")
    meters = [GasMeter(10**7) for _ in range(4)]
    alone = GasMeter(10**7)
    run(alone, entry, None, None, None, 5_000)
    threads = [
        threading.Thread(target=run, args=(meter, entry, None, None, None, 5_000))
        for meter in meters
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {meter.used for meter in meters} == {alone.used}


def test_an_iterator_kept_after_its_call_is_dead() -> None:
    kept: list[Any] = []
    entry = handler("deps.keep(msg)\nreturn [x for x in msg]")

    class Host:
        """Keeps what it is given."""

        def keep(self, value: Any) -> None:
            kept.append(value)

    assert run(GasMeter(10**6), entry, Host(), None, None, [1]) == [1]
    enter(GasMeter(10))
    leave()
    assert current().meter is None


def test_memory_of_a_call_is_bounded_and_given_back() -> None:
    body = "x = []\nfor i in range(100):\n    x.append([0] * 10000)\nreturn len(x)"
    for _ in range(5):
        assert call(body, gas=10**9)[0] == 100


def test_the_same_module_answers_alike_call_after_call() -> None:
    entry = contract(
        "D = {'a': (1, 2)}\n"
        "def execute(deps, env, info, msg, seen=()):\n    return D[msg], len(seen), [k for k in D]\n"
    ).execute
    assert entry is not None
    first = run(GasMeter(10**6), entry, None, None, None, "a")
    with pytest.raises(KeyError):
        run(GasMeter(10**6), entry, None, None, None, "b")
    assert run(GasMeter(10**6), entry, None, None, None, "a") == first
