"""Gas: rules GAS-1 to GAS-10. Prices are differences between calls that are otherwise alike."""

import pytest
from scripted import plain, script, send

from chain import gas
from chain.gas import GasMeter, OutOfGas
from chain.std import Event, Response, SubMsg, WasmMsg


@pytest.fixture
def price(world):
    """Gas of a body in a contract of functions, above that of an empty body."""
    body = []

    def execute(deps, env, info, msg):
        return body[0](deps) or Response()

    address = world.deploy(execute=execute)

    def used(function):
        body[:] = [function]
        mark = world.chain.snapshot()
        result = world.chain.execute(address, {}, sender=world.alice)
        world.chain.revert(mark)
        return result.gas_used

    empty = used(lambda deps: None)
    return lambda function: used(function) - empty


def test_GAS_1_a_write_counts_key_and_value(price):
    def write(size):
        return price(lambda deps: deps.storage.set(b"k" * 3, b"v" * size))

    one = write(1)
    assert one > 2_000
    assert write(11) - one == 10 * gas.KV_WRITE_BYTE
    longer = price(lambda deps: deps.storage.set(b"k" * 8, b"v"))
    assert longer - one == 5 * gas.KV_WRITE_BYTE


def test_GAS_2_a_missing_key_pays_for_the_key(price):
    short, long = (price(lambda deps, n=n: deps.storage.get(b"k" * n)) for n in (1, 101))
    assert short > gas.KV_READ
    assert long - short == 100 * gas.KV_READ_BYTE


def test_GAS_3_an_iterator_charges_the_first_entry_twice(price):
    def walk(count):
        def body(deps):
            for i in range(4):
                deps.storage.set(b"key%d" % i, b"value")
            if count is not None:
                entries = iter(deps.storage.range(b"key", b"kez"))
                for _ in range(count):
                    next(entries)

        return price(body)

    opened, one, two = walk(0), walk(1), walk(2)
    assert two - one == walk(3) - two > 0
    assert opened >= walk(None)


def test_GAS_4_every_call_reads_contract_and_code(world):
    chain = world.chain
    address = world.deploy(execute=lambda *_: Response())
    used = chain.execute(address, {}, sender=world.alice).gas_used
    assert used >= gas.INSTANCE + 2 * gas.KV_READ


def test_GAS_5_a_code_loaded_in_this_transaction_is_cheaper(world):
    once = world.run(script()).gas_used
    messages = [(world.a, script(), world.alice, ()), (world.b, script(), world.alice, ())]
    twice = world.chain.execute_many(messages).gas_used
    first, second = gas.INSTANCE, gas.INSTANCE_DISCOUNT
    assert twice - once < once - (first - second) + 1_000
    again = world.run(script()).gas_used
    assert again == once


def test_GAS_5_codes_of_one_checksum_count_as_one(world):
    from twins.script import SCRIPT

    chain = world.chain
    checksum = b"c" * 32
    one = chain.store_code(SCRIPT, checksum=checksum)
    two = chain.store_code(SCRIPT, checksum=checksum)
    a, b = (chain.instantiate(code, {}, sender=world.alice, label="l") for code in (one, two))
    apart = sum(chain.execute(x, script(), sender=world.alice).gas_used for x in (a, b))
    together = chain.execute_many([(x, script(), world.alice, ()) for x in (a, b)]).gas_used
    assert apart - together >= gas.INSTANCE - gas.INSTANCE_DISCOUNT


def test_GAS_6_a_reply_pays_for_the_events_it_gets(world):
    child = world.deploy(execute=lambda deps, env, info, msg: events_of(msg))

    def execute(deps, env, info, msg):
        inner = SubMsg(WasmMsg.Execute(child, msg["events"]), 1, msg["mode"])
        return Response().add_submessage(inner)

    parent = world.deploy(execute=execute, reply=lambda *_: Response())

    def used(events):
        gas_of = {}
        for mode in ("always", "never"):
            message = {"events": events, "mode": mode}
            gas_of[mode] = world.chain.execute(parent, message, sender=world.alice).gas_used
        return gas_of["always"] - gas_of["never"]

    pairs = [("_contract_address", child)] * 2 + [("myKey", "myData")]
    paid = sum(len(key) + len(value) for key, value in pairs) - gas.EVENT_FREE_BYTES
    extra = len("wasm-foo") + 2 * gas.EVENT_ATTRIBUTE + paid
    assert used([["foo", [["myKey", "myData"]]]]) - used([]) == extra


def events_of(events):
    """A response with these events."""
    response = Response()
    for kind, attributes in events:
        response.add_event(Event(kind, attributes))
    return response


def test_GAS_7_hundred_bytes_of_attributes_are_free(price):
    def attribute(size):
        return price(lambda deps: Response().add_attribute("k" * 50, "v" * size))

    assert attribute(50) - attribute(10) == 40 * gas.RESULT_BYTE or attribute(50) == attribute(10)
    assert attribute(56) - attribute(50) - (attribute(50) - attribute(44)) == 6 * gas.EVENT_BYTE


def test_GAS_7_an_event_costs_type_bytes_and_attributes(price):
    bare = price(lambda deps: Response().add_event(Event("foo")))
    longer = price(lambda deps: Response().add_event(Event("foobar")))
    assert longer - bare >= 3 * gas.EVENT_BYTE
    assert bare >= gas.EVENT + 3 * gas.EVENT_BYTE


def test_GAS_8_the_meter_raises_beyond_the_limit_only():
    meter = GasMeter(10)
    meter.consume(10, "exactly")
    with pytest.raises(OutOfGas):
        meter.consume(1, "more")
    assert meter.used == 11


def test_GAS_8_the_meter_stays_exhausted():
    meter = GasMeter(1)
    for _ in range(2):
        with pytest.raises(OutOfGas):
            meter.consume(2, "x")


@pytest.mark.parametrize("less", [0, 1])
def test_GAS_8_using_up_the_limit_in_a_call_is_out_of_gas(world, less):
    used = world.run(script(["set", "k", "v"])).gas_used
    result = world.run(script(["set", "k", "v"]), gas_limit=used - less - 200)
    assert (result.codespace, result.code) == ("sdk", 11)
    assert world.run(script(["set", "k", "v"]), gas_limit=used + 1).code == 0


def test_GAS_10_prices_are_the_recorded_ones():
    import json
    from pathlib import Path

    path = Path(__file__).parents[3] / "fixtures/recorded/wasmd/gas.json"
    recorded = json.loads(path.read_text(encoding="utf-8"))
    config, kv, api = recorded["config"], recorded["kv_gas_config"], recorded["api_costs"]
    assert (
        config["InstanceCost"],
        config["InstanceCostDiscount"],
    ) == (gas.INSTANCE, gas.INSTANCE_DISCOUNT)
    assert (
        config["EventPerAttributeCost"],
        config["CustomEventCost"],
        config["EventAttributeDataCost"],
        config["EventAttributeDataFreeTier"],
    ) == (gas.EVENT_ATTRIBUTE, gas.EVENT, gas.EVENT_BYTE, gas.EVENT_FREE_BYTES)
    assert (
        kv["HasCost"],
        kv["DeleteCost"],
        kv["ReadCostFlat"],
        kv["ReadCostPerByte"],
    ) == (gas.KV_HAS, gas.KV_DELETE, gas.KV_READ, gas.KV_READ_BYTE)
    assert (
        kv["WriteCostFlat"],
        kv["WriteCostPerByte"],
        kv["IterNextCostFlat"],
    ) == (gas.KV_WRITE, gas.KV_WRITE_BYTE, gas.KV_ITER_NEXT)
    assert (
        api["humanize"],
        api["canonicalize"],
        api["validate"],
    ) == (gas.HUMANIZE, gas.CANONICALIZE, gas.VALIDATE)
    assert (
        config["CompileCost"],
        config["ContractMessageDataCost"],
    ) == (gas.COMPILE_BYTE, gas.CONTRACT_MSG_BYTE)


def test_GAS_10_dispatching_is_free_and_equal_calls_cost_the_same(world):
    message = script(messages=[plain(send(world.bob, ""))])
    free, more = world.run(script()).gas_used, world.run(message).gas_used
    assert 0 <= more - free < 300
    assert world.run(message).gas_used == more
