"""Submessages, reply policies and the scope of rollback: rules SUB-1 to SUB-15."""

import pytest
from scripted import burn, call, create, migrate, plain, script, send, shape, sub, types
from twins.burner import BURNER
from twins.cosmos import b64, compact

from chain.std import Response
from chain.tx.encode import encode_message
from chain.tx.messages import Coin, MsgExecuteContract, MsgMultiSend, Transfer, type_url

FAIL = script(["set", "k", "v"], error="bad")


def test_SUB_1_success_keeps_writes_and_events(world):
    child = script(["set", "k", "v"], attributes=[("x", "1")])
    result = world.run(script(messages=[sub(call(world.b, child))]))
    assert world.text(world.b, "k") == "v"
    assert ("wasm", [("_contract_address", world.b), ("x", "1")]) in shape(result)


def test_SUB_1_failure_drops_writes_and_events(world):
    result = world.run(script(messages=[sub(call(world.b, FAIL))]))
    assert result.code == 0
    assert world.text(world.b, "k") is None
    assert types(result) == ["execute", "reply"]


def test_SUB_2_a_caught_failure_leaves_the_caller_and_earlier_siblings(world):
    ok = sub(call(world.c, script(["set", "k", "sibling"])), "never")
    bad = sub(call(world.b, script(messages=[plain(call(world.c, FAIL))])), "error")
    result = world.run(script(["set", "own", "1"], messages=[ok, bad]))
    assert result.code == 0
    assert (world.text(world.a, "own"), world.text(world.c, "k")) == ("1", "sibling")


def test_SUB_3_funds_of_a_failed_submessage_return(world):
    world.run(script(messages=[sub(call(world.b, FAIL, "10denom"), "error")]))
    assert world.chain.balance(world.a, "denom") == world.chain.balance(world.b, "denom") == 1000


def test_SUB_4_the_reply_sees_the_merged_submessage_and_runs_before_the_next(world):
    child = call(world.a, script(["set", "k", "child"]))
    then = script(["copy", "k", "in_reply"])
    after = plain(call(world.a, script(["copy", "in_reply", "after"])))
    world.run(script(messages=[sub(child, then=then), after]))
    assert (world.text(world.a, "in_reply"), world.text(world.a, "after")) == ("child", "child")


def test_SUB_4_the_reply_does_not_see_a_discarded_submessage(world):
    child = call(world.a, script(["set", "k", "child"], error="no"))
    world.run(script(messages=[sub(child, then=script(["copy", "k", "in_reply"]))]))
    assert world.text(world.a, "in_reply") == "(none)"


def test_SUB_5_an_error_of_a_reply_undoes_caller_and_submessage(world):
    child = sub(call(world.c, script(["set", "k", "v"])), then=script(error="R"))
    sibling = plain(call(world.c, script(["set", "sibling", "v"])))
    middle = call(world.b, script(["set", "own", "v"], messages=[child, sibling]))
    result = world.run(script(messages=[sub(middle, "error")]))
    assert result.code == 0
    stored = [(world.c, "k"), (world.c, "sibling"), (world.b, "own")]
    assert [world.text(*place) for place in stored] == [None, None, None]
    assert world.replies(world.a)[0]["result"] == {"error": "codespace: wasm, code: 5"}


def test_SUB_5_an_error_of_a_reply_fails_the_transaction(world):
    result = world.run(script(messages=[sub(send(world.bob, "1denom"), then=script(error="R"))]))
    assert result.code == 5
    assert result.log.endswith("reply: R: execute wasm contract failed")
    assert world.chain.balance(world.bob, "denom") == 10


def test_SUB_6_a_caller_without_reply_entry_fails(world):
    from chain.std import BankMsg, Coin, SubMsg

    def execute(deps, env, info, msg):
        message = BankMsg.Send(world.bob, [Coin("denom", 1)])
        return Response().add_submessage(SubMsg.reply_always(message, 1))

    result = world.chain.try_execute(
        world.deploy(execute=execute), {}, sender=world.alice, funds="1denom"
    )
    assert (result.codespace, result.code) == ("wasm", 29)
    assert "Missing export reply" in result.log


@pytest.mark.parametrize(
    ("a_ok", "b_ok", "replied", "data"),
    [(True, True, [1], b"A"), (False, True, None, None), (True, False, [1, 2], b"B")],
)
def test_SUB_7_success_and_error_side_by_side(world, a_ok, b_ok, replied, data):
    a = call(world.b, script() if a_ok else FAIL)
    b = call(world.c, script() if b_ok else FAIL)
    messages = [
        sub(a, "success", 1, script(data=b"A")),
        sub(b, "error", 2, script(data=b"B")),
    ]
    result = world.run(script(messages=messages))
    if replied is None:
        assert result.code == 5
        assert world.replies(world.a) == []
    else:
        assert result.data == data
        assert [reply["id"] for reply in world.replies(world.a)] == replied


def test_SUB_8_a_lower_limit_is_enforced_and_caught(world):
    loop = call(world.b, {"do": [["loop"]]})
    free = world.run(script()).gas_used
    result = world.run(script(messages=[sub(loop, gas_limit=90_000)]), gas_limit=1_000_000)
    assert result.code == 0
    assert world.replies(world.a)[0]["result"] == {"error": "codespace: sdk, code: 11"}
    assert result.gas_used > free + 90_000


def test_SUB_8_a_limit_above_what_is_left_is_ignored(world):
    loop = call(world.b, {"do": [["loop"]]})
    result = world.run(script(messages=[sub(loop, gas_limit=10**9)]), gas_limit=1_000_000)
    assert (result.codespace, result.code) == ("sdk", 11)
    assert world.replies(world.a) == []


def test_SUB_9_using_up_the_limit_exactly_succeeds(world):
    empty = send(world.bob, "")
    free = [sub(empty, gas_limit=0)]
    assert world.run(script(messages=free)).code == 0
    assert "ok" in world.replies(world.a)[0]["result"]
    price = gas_of(world, send(world.bob, "1denom"))
    assert "ok" in outcome(world, send(world.bob, "1denom"), price)
    assert "error" in outcome(world, send(world.bob, "1denom"), price - 1)


def outcome(world, message, limit):
    mark = world.chain.snapshot()
    world.run(script(messages=[sub(message, gas_limit=limit)]))
    result = world.replies(world.a)[-1]["result"]
    world.chain.revert(mark)
    return result


def gas_of(world, message):
    """The least limit with which a message succeeds."""
    low, high = 0, 1_000_000
    while low < high:
        middle = (low + high) // 2
        if "ok" in outcome(world, message, middle):
            high = middle
        else:
            low = middle + 1
    return low


def test_SUB_10_a_limited_submessage_charges_what_it_used(world):
    message = call(world.b, script(["set", "k", "v"]))
    unlimited = world.run(script(messages=[sub(message, "never")]))
    limited = world.run(script(messages=[sub(message, "never", gas_limit=1_000_000)]))
    assert abs(limited.gas_used - unlimited.gas_used) < 100


def payload_of(size, seen):
    from chain.std import BankMsg, SubMsg

    def execute(deps, env, info, msg):
        message = SubMsg.reply_always(BankMsg.Send(info.sender, []), 7)
        return Response().add_submessage(message.with_payload(b"p" * size))

    def reply(deps, env, reply):
        seen.append((reply.id, reply.payload))
        return Response()

    return {"execute": execute, "reply": reply}


@pytest.mark.parametrize("size", [0, 1, 131_072])
def test_SUB_11_the_payload_travels_unchanged(world, size):
    seen = []
    world.chain.execute(world.deploy(**payload_of(size, seen)), {}, sender=world.alice)
    assert seen == [(7, b"p" * size)]


def test_SUB_11_a_longer_payload_is_a_vm_error(world):
    address = world.deploy(**payload_of(131_073, []))
    result = world.chain.try_execute(address, {}, sender=world.alice)
    assert (result.codespace, result.code) == ("wasm", 29)
    assert "payload larger than 131072 bytes: 131073 bytes" in result.log


def test_SUB_11_ids_need_not_be_unique(world):
    world.run(
        script(messages=[sub(send(world.bob, ""), number=5), sub(send(world.bob, ""), number=5)])
    )
    assert [reply["id"] for reply in world.replies(world.a)] == [5, 5]


def test_SUB_12_what_a_reply_holds(world):
    seen = []

    def reply(deps, env, reply):
        seen.append(reply)
        return Response()

    from chain.std import SubMsg, WasmMsg

    def execute(deps, env, info, msg):
        response = Response()
        for number, message in enumerate((script(), script(error="no"))):
            inner = SubMsg.reply_always(WasmMsg.Execute(world.b, message), number)
            response.add_submessage(inner)
        return response

    world.chain.execute(world.deploy(execute=execute, reply=reply), {}, sender=world.alice)
    good, bad = seen
    assert (good.id, good.payload, good.gas_used) == (0, b"", 0)
    assert good.result.error is None
    assert [r.type_url for r in good.result.ok.msg_responses] == [
        "/cosmwasm.wasm.v1.MsgExecuteContractResponse"
    ]
    assert bad.result.ok is None
    assert bad.result.error == "no: execute wasm contract failed"


def test_SUB_12_the_reply_goes_to_the_code_after_the_submessage(world):
    burner = world.chain.store_code(BURNER)
    world.chain.update_admin(world.a, world.a, sender=world.alice)
    leave = migrate(world.a, burner, {"payout": world.bob})
    result = world.run(script(messages=[sub(leave)]))
    assert (result.codespace, result.code) == ("wasm", 29)
    assert "reply: " in result.log
    assert "Missing export reply" in result.log
    assert world.run(script(messages=[plain(leave)])).code == 0


def error_seen(world, message):
    world.run(script(messages=[sub(message)]))
    return world.replies(world.a)[-1]["result"]["error"]


def test_SUB_13_contract_texts_pass_through_execute_calls(world):
    deep = call(world.b, script(messages=[plain(call(world.c, script(error="deep")))]))
    assert error_seen(world, deep) == "deep: execute wasm contract failed"


def test_SUB_13_instantiate_and_migrate_have_their_own_texts(world):
    assert error_seen(world, create(world.code, script(error="no"))) == (
        "no: instantiate wasm contract failed"
    )
    world.chain.update_admin(world.b, world.a, sender=world.alice)
    assert error_seen(world, migrate(world.b, world.code, script(error="no"))) == (
        "no: migrate wasm contract failed"
    )


def test_SUB_13_texts_are_lost_below_an_instantiate_and_in_a_reply(world):
    below = script(messages=[plain(call(world.c, script(error="lost")))])
    assert error_seen(world, create(world.code, below)) == "codespace: wasm, code: 5"
    in_reply = script(messages=[sub(send(world.bob, ""), then=script(error="lost"))])
    assert error_seen(world, call(world.b, in_reply)) == "codespace: wasm, code: 5"


def test_SUB_13_other_errors_are_redacted(world):
    ghost = "msg1attw7q7krmnqc5ead4zsc59pu4v63gmldduk5sy5e5x6c6m5gs5q4nz4s2"
    event = script(events=[("x", [])])
    cases = {
        "wasm, code: 22": call(ghost, {}),
        "wasm, code: 28": create(99, {}),
        "wasm, code: 29": call(world.b, {"do": [["trap"]]}),
        "wasm, code: 21": call(world.b, event),
        "wasm, code: 20": {"custom": {}},
        "wasm, code: 14": {
            "wasm": {"execute": {"contract_addr": world.b, "msg": b64(b"{"), "funds": []}}
        },
        "wasm, code: 12": create(world.code, {}, label=""),
        "wasm, code: 13": create(world.code, {}, label="x" * 129),
        "sdk, code: 4": migrate(world.b, world.code, {}),
        "sdk, code: 5": send(world.bob, "5000denom"),
        "sdk, code: 7": send("zz", "5denom"),
        "sdk, code: 10": send(world.bob, "0denom"),
        "sdk, code: 18": migrate(ghost, world.code, {}),
    }
    for wanted, message in cases.items():
        assert error_seen(world, message) == f"codespace: {wanted}"


def test_SUB_13_the_log_shows_every_prefix(world):
    below = script(messages=[plain(call(world.c, script(error="T")))])
    result = world.run(script(messages=[sub(create(world.code, below), "success")]))
    assert result.log.endswith("index: 0: dispatch: T: execute wasm contract failed")


def test_SUB_13_where_an_unknown_message_was_is_forgotten_outside(world):
    below = script(messages=[sub(send(world.bob, "1denom"), then=script(messages=[plain({})]))])
    text = "no handler found: unknown message from the contract"
    assert world.run(below).log.endswith(f"index: 0: reply: dispatch: {text}")
    for on in ("never", "success"):
        result = world.run(script(messages=[sub(call(world.b, below), on)]))
        assert result.log.endswith(f"index: 0: {text}")
    assert error_seen(world, call(world.b, below)) == "codespace: wasm, code: 20"


def test_SUB_14_a_reply_sees_no_events_of_native_messages(world):
    result = world.run(script(messages=[sub(send(world.bob, "1denom")), sub(burn("1denom"))]))
    assert [reply["result"]["ok"]["events"] for reply in world.replies(world.a)] == [[], []]
    assert "transfer" in types(result)
    assert "burn" in types(result)


def test_SUB_14_a_reply_sees_events_of_wasm_messages(world):
    world.run(script(messages=[sub(call(world.b, script(attributes=[("x", "1")]), "1denom"))]))
    events = world.replies(world.a)[0]["result"]["ok"]["events"]
    assert [e["type"] for e in events] == [
        "coin_spent",
        "coin_received",
        "transfer",
        "execute",
        "wasm",
    ]


ODD = [("z", "1"), ("a", "2"), ("B", "3"), ("0", "4"), ("a", "0")]


def test_SUB_15_attributes_below_a_wasm_submessage_are_sorted(world):
    message = call(world.b, script(attributes=ODD), "1denom")
    result = world.run(script(attributes=ODD, messages=[plain(message)]))
    top, below = (attributes for kind, attributes in shape(result) if kind == "wasm")
    assert top == [("_contract_address", world.a), *ODD]
    assert below == [
        ("0", "4"),
        ("B", "3"),
        ("_contract_address", world.b),
        ("a", "2"),
        ("a", "0"),
        ("z", "1"),
    ]
    spent = next(attributes for kind, attributes in shape(result) if kind == "coin_spent")
    assert [key for key, _ in spent] == ["amount", "spender"]


def test_SUB_15_direct_bank_messages_keep_their_order(world):
    result = world.run(script(messages=[plain(send(world.bob, "1denom"))]))
    spent = next(attributes for kind, attributes in shape(result) if kind == "coin_spent")
    assert [key for key, _ in spent] == ["spender", "amount"]


def protobuf(message):
    value = b64(encode_message(message))
    return {"any": {"type_url": type_url(message), "value": value}}


def test_SUB_14_a_protobuf_message_runs_as_its_own_and_hands_no_events_to_the_reply(world):
    inner = script(attributes=[("z", "1"), ("a", "2")], data=b"x")
    message = MsgExecuteContract(world.a, world.b, compact(inner).encode(), (Coin("denom", 5),))
    result = world.run(script(messages=[sub(protobuf(message))]))
    assert result.code == 0, result.log
    (reply,) = world.replies(world.a)
    assert reply["result"]["ok"]["events"] == []
    assert reply["result"]["ok"]["data"] == "CgF4"
    (response,) = reply["result"]["ok"]["msg_responses"]
    assert response["type_url"] == "/cosmwasm.wasm.v1.MsgExecuteContractResponse"
    assert world.chain.balance(world.b, "denom") == 1005
    ((_, attributes),) = [row for row in shape(result) if row[0] == "wasm"]
    assert [key for key, _ in attributes] == ["_contract_address", "z", "a"]


def test_SUB_15_below_a_protobuf_message_the_outermost_wasm_submessage_is_sorted(world):
    last = script(attributes=[("z", "1"), ("a", "2")])
    middle = script(messages=[plain(call(world.c, last))], attributes=[("y", "1"), ("b", "2")])
    message = MsgExecuteContract(world.a, world.b, compact(middle).encode(), ())
    result = world.run(script(messages=[plain(protobuf(message))]))
    keys = [[key for key, _ in row[1]] for row in shape(result) if row[0] == "wasm"]
    assert keys == [["_contract_address", "y", "b"], ["_contract_address", "a", "z"]]


def test_EV_11_a_protobuf_multi_send_leaves_no_message_event(world):
    coins = (Coin("denom", 2),)
    message = MsgMultiSend((Transfer(world.a, coins),), (Transfer(world.bob, coins),))
    result = world.run(script(messages=[plain(protobuf(message))]))
    assert result.code == 0, result.log
    assert [event.type for event in result.events].count("message") == 1
    assert world.chain.balance(world.bob, "denom") == 12
