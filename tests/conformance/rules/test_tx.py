"""Transactions: rules TX-1 to TX-7."""

import pytest
from scripted import call, plain, script, shape, sub, types

from chain.std import Response
from chain.testing import Chain

SET = script(["set", "k", "v"])


def test_TX_1_messages_run_in_order_in_one_state(world):
    first, second = script(["append", "t", "1;"]), script(["append", "t", "2;"], ["copy", "t", "u"])
    messages = [(world.a, first, world.alice, ()), (world.a, second, world.alice, ())]
    world.chain.execute_many(messages)
    assert world.text(world.a, "u") == "1;2;"


def test_TX_1_an_error_discards_all_messages(world):
    messages = [
        (world.a, SET, world.alice, "5denom"),
        (world.a, script(error="no"), world.alice, ()),
    ]
    result = world.chain.try_execute_many(messages)
    assert (
        result.log
        == "failed to execute message; message index: 1: no: execute wasm contract failed"
    )
    assert world.text(world.a, "k") is None
    assert world.chain.balance(world.a, "denom") == 1000
    assert shape(result) == []


def test_TX_1_later_messages_do_not_run(world):
    messages = [
        (world.a, script(error="no"), world.alice, ()),
        (world.a, {"do": [["trap"]]}, world.alice, ()),
    ]
    assert world.chain.try_execute_many(messages).code == 5


def test_TX_2_a_failed_transaction_keeps_its_fee():
    chain = Chain(fees=True)
    alice = chain.account("alice", "1000msg")
    missing = chain.account("nobody", "")
    before = chain.balance(alice)
    result = chain.try_send(alice, missing, "5earth")
    chain.next_block()
    assert result.code == 5
    assert before - chain.balance(alice) == result.gas_used * 10**9


def test_TX_2_gas_up_to_the_failure_is_reported(world):
    short = world.run(script(error="no"))
    longer = world.run(script(["set", "k", "v"], error="no"))
    assert longer.gas_used > short.gas_used > 60_000


def test_TX_2_failed_static_checks_pay_nothing_and_have_no_events():
    chain = Chain(fees=True)
    alice = chain.account("alice", "1000msg")
    before = chain.balance(alice)
    result = chain.try_instantiate(1, {}, sender=alice, label="")
    chain.next_block()
    assert result.log == "label: is required: empty"
    assert result.events == []
    assert chain.balance(alice) == before


def test_TX_3_an_error_discards_writes_and_returns_funds(world):
    result = world.run(script(["set", "k", "v"], error="no"), funds="7denom")
    assert result.code == 5
    assert world.text(world.a, "k") is None
    assert world.chain.balance(world.a, "denom") == 1000
    assert world.chain.balance(world.alice, "denom") == 7000


@pytest.mark.parametrize(
    "execute",
    [
        lambda deps, env, info, msg: 1 // 0,
        lambda deps, env, info, msg: {}["missing"],
        lambda deps, env, info, msg: None,
        lambda deps, env, info, msg: {"ok": {}},
        lambda deps, env, info, msg: "text",
    ],
    ids=["division", "key error", "none", "dict", "text"],
)
def test_TX_4_a_panic_or_a_malformed_result_is_a_vm_error(world, execute):
    def with_write(deps, env, info, msg):
        deps.storage.set(b"k", b"v")
        return execute(deps, env, info, msg)

    address = world.deploy(execute=with_write)
    result = world.chain.try_execute(address, {}, sender=world.alice, funds="3denom")
    assert (result.codespace, result.code) == ("wasm", 29)
    assert world.chain.storage(address) == {}
    assert world.chain.balance(address, "denom") == 0


def test_TX_4_a_reply_sees_the_code_of_a_panic_only(world):
    world.run(script(messages=[sub(call(world.b, {"do": [["abort", "secret"]]}))]))
    assert world.replies(world.a)[0]["result"] == {"error": "codespace: wasm, code: 29"}


def test_TX_5_out_of_gas_ends_the_transaction_unseen(world):
    loop = call(world.b, {"do": [["loop"]]})
    result = world.run(script(["set", "k", "v"], messages=[sub(loop)]), gas_limit=500_000)
    assert (result.codespace, result.code) == ("sdk", 11)
    assert result.log.startswith("out of gas in location: ")
    assert world.text(world.a, "k") is None
    assert world.replies(world.a) == []


def test_TX_6_messages_leave_after_the_entry_point_returned(world):
    inner = call(world.a, script(["copy", "k", "seen"]))
    world.run(script(["set", "k", "first"], messages=[plain(inner)]))
    assert world.text(world.a, "seen") == "first"


def test_TX_7_one_block_and_index_for_all_entry_points(world):
    seen = []

    def note(deps, env, *rest):
        seen.append(
            (env.block.height, int(env.block.time), env.transaction and env.transaction.index)
        )
        return Response()

    address = world.deploy(
        execute=note, reply=note, sudo=note, query=lambda d, e, m: note(d, e) and {}
    )
    nested = script(messages=[sub(call(address, {}))])
    world.chain.next_block()
    for _ in range(2):
        world.chain.execute_many(
            [(address, {}, world.alice, ()), (world.a, nested, world.alice, ())]
        )
    assert [index for _, _, index in seen] == [0, 0, 1, 1]
    assert len({(height, time) for height, time, _ in seen}) == 1
    seen.clear()
    world.chain.query(address, {})
    assert seen[-1][2] is None


def test_TX_7_a_query_by_a_contract_carries_the_transaction(world):
    seen = []

    def ask(deps, env, msg):
        seen.append(env.transaction)
        return {}

    target = world.deploy(query=ask)

    def execute(deps, env, info, msg):
        deps.querier.query_wasm_smart(target, {})
        return Response()

    world.chain.next_block()
    world.chain.execute(world.deploy(execute=execute), {}, sender=world.alice)
    assert seen[0].index >= 0


def test_TX_1_events_of_all_messages_carry_their_index(world):
    messages = [(world.a, script(), world.alice, ()), (world.b, script(), world.alice, ())]
    result = world.chain.execute_many(messages)
    indexes = [dict(e.attributes)["msg_index"] for e in result.events if e.type == "execute"]
    assert indexes == ["0", "1"]
    assert types(result) == ["execute", "execute"]
