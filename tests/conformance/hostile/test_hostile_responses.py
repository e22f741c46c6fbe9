"""Responses and host calls of contract folders that would cost far more than their gas."""

import resource
import textwrap
import time

import pytest
from scripted import script

from chain.vm.sandbox.loader import load_source

HEAD = """
from chain.std import BankMsg, Coin, ContractError, Event, Response, SubMsg, WasmMsg

def instantiate(deps, env, info, msg):
    return Response()

def execute(deps, env, info, msg):
"""
SECONDS = 15  # of CPU; unbounded work takes minutes
MEGABYTES = 900

OUT_OF_GAS = {
    "shared attribute": """
        r = Response()
        for i in range(3000):
            r.add_attribute("k", "x" * 1000 + big)
        return r
        """,
    "one attribute many times": """
        r = Response()
        for i in range(5000):
            r.add_attribute("k", big)
        return r
        """,
    "one event many times": """
        e = Event("abc", [("k", big)])
        r = Response()
        for i in range(50000):
            r.add_event(e)
        return r
        """,
    "an event of many attributes": """
        e = Event("abc")
        for i in range(5000):
            e.add_attribute("k", big)
        return Response().add_event(e)
        """,
    "a payload many times": """
        r = Response()
        m = SubMsg.reply_always(BankMsg.Send("x", []), 1).with_payload(b"x" * 131072)
        for i in range(20000):
            r.add_submessage(m)
        return r
        """,
    "messages without end": """
        r = Response()
        m = BankMsg.Send(env.contract.address, [])
        for i in range(10**9):
            r.add_message(m)
        return r
        """,
    "one message of JSON many times": """
        coins = [{"denom": "earth", "amount": "1"}] * 100000
        m = {"bank": {"send": {"to_address": "x", "amount": coins}}}
        r = Response()
        for i in range(2000):
            r.add_message(m)
        return r
        """,
    "one message with many coins": """
        m = BankMsg.Send("x", [Coin("earth", 1)] * 100000)
        r = Response()
        for i in range(2000):
            r.add_message(m)
        return r
        """,
    "requests of junk": """
        q = ('{"zzz":"' + "x" * 60000 + '"}').encode()
        while True:
            deps.querier.raw_query(q)
        """,
    "balances of junk": """
        while True:
            try:
                deps.querier.query_balance(big, "denom")
            except ContractError as e:
                pass
        """,
    "raw values of junk": """
        while True:
            try:
                deps.querier.query_wasm_raw(big, b"k")
            except ContractError as e:
                pass
        """,
    "addresses of junk": """
        while True:
            try:
                deps.api.addr_canonicalize("msg1" + "q" * 200)
            except ContractError as e:
                pass
        """,
    "addresses of bytes": """
        i = 0
        while True:
            i += 1
            deps.api.addr_humanize(i.to_bytes(20, "big"))
        """,
}


def run(world, body):
    source = HEAD + textwrap.indent('big = "x" * 1000000' + textwrap.dedent(body), "    ")
    code = world.chain.store_code(load_source("sample", {"sample/contract.py": source}))
    address = world.chain.instantiate(code, {}, sender=world.alice, label="hostile")
    started = time.process_time()
    result = world.chain.try_execute(address, {}, sender=world.alice, gas_limit=1_000_000)
    assert time.process_time() - started < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MEGABYTES * 1024
    assert world.run(script(["set", "alive", "yes"])).code == 0
    return result


@pytest.mark.parametrize("body", OUT_OF_GAS.values(), ids=OUT_OF_GAS.keys())
def test_work_without_measure_is_out_of_gas(world, body):
    result = run(world, body)
    assert (result.codespace, result.code) in {("sdk", 11), ("wasm", 29)}, result.log
    if result.code == 29:
        assert "too many values" in result.log


def test_a_key_where_a_range_starts_is_no_longer_than_a_key(world):
    result = run(world, "\ndeps.storage.range(b'x' * 65537)\nreturn Response()\n")
    assert result.code == 29
    assert "Region length too big. Got 65537, limit 65536" in result.log
    assert run(world, "\ndeps.storage.range(b'x' * 65536)\nreturn Response()\n").code == 0


def test_a_long_refusal_is_paid_by_the_byte(world):
    short, long = (
        run(world, f"\nraise ContractError('x' * {size})\n") for size in (1_024, 300_000)
    )
    assert short.log.endswith("x: execute wasm contract failed")
    assert 300_000 < long.gas_used - short.gas_used < 330_000
    assert run(world, "\nraise ContractError(big)\n").code == 11


def test_what_is_paid_for_goes_through(world):
    many = 'r = Response()\nfor i in range(100):\n    r.add_attribute("k", str(i))\nreturn r\n'
    result = run(world, "\n" + many)
    assert result.code == 0
    sends = (
        'r = Response()\nfor i in range(100):\n    r.add_message(BankMsg.Send("x", []))\nreturn r'
    )
    assert run(world, "\n" + sends + "\n").code == 0
