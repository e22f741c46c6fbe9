"""Events: rules EV-1 to EV-15."""

import pytest
from scripted import call, plain, script, send, shape, sub, types

from chain.std import Event, Response
from chain.testing import Chain, Contract


def test_EV_1_the_order_of_one_call(world):
    child = sub(
        call(world.b, script(attributes=[("x", "1")])), then=script(attributes=[("y", "2")])
    )
    message = script(
        attributes=[("k", "v")], events=[("first", []), ("second", [])], messages=[child]
    )
    assert types(world.run(message, funds="1denom")) == [
        "coin_spent",
        "coin_received",
        "transfer",
        "execute",
        "wasm",
        "wasm-first",
        "wasm-second",
        "execute",
        "wasm",
        "reply",
        "wasm",
    ]


def test_EV_2_the_entry_point_events(world):
    chain, result = world.chain, world.run(script())
    assert shape(result) == [("execute", [("_contract_address", world.a)])]
    new = chain.try_instantiate(world.code, {}, sender=world.alice, label="n")
    kind, attributes = shape(new)[0]
    assert (kind, [key for key, _ in attributes]) == (
        "instantiate",
        ["_contract_address", "code_id"],
    )
    moved = chain.try_migrate(world.a, world.code, {}, sender=world.alice)
    assert shape(moved)[0] == ("migrate", [("code_id", "1"), ("_contract_address", world.a)])
    sudo = chain.sudo(world.a, script())
    assert ("sudo", [("_contract_address", world.a)]) in shape(sudo)
    replied = world.run(script(messages=[sub(send(world.bob, ""))]))
    assert shape(replied)[-1] == ("reply", [("_contract_address", world.a)])


def test_EV_3_the_wasm_event_begins_with_the_address(world):
    result = world.run(script(attributes=[("b", "1"), ("a", "2")]))
    assert shape(result)[1] == ("wasm", [("_contract_address", world.a), ("b", "1"), ("a", "2")])
    assert types(world.run(script())) == ["execute"]


def test_EV_4_custom_events_get_prefix_and_address(world):
    result = world.run(script(events=[("foo", [("k", "v")]), ("wasm", []), ("bar", [])]))
    address = ("_contract_address", world.a)
    assert shape(result)[1:] == [
        ("wasm-foo", [address, ("k", "v")]),
        ("wasm-wasm", [address]),
        ("wasm-bar", [address]),
    ]


def test_EV_5_types_keys_and_values_are_trimmed(world):
    result = world.run(script(events=[("  food\n", [("my Key ", "\tmyVal"), ("k", "\n\n\n")])]))
    address = ("_contract_address", world.a)
    assert shape(result)[1] == ("wasm-food", [address, ("my Key", "myVal"), ("k", "")])


@pytest.mark.parametrize("kind", ["", "f", "ab", "    f   ", " ab "])
def test_EV_6_a_short_type_is_refused(world, kind):
    result = world.run(script(events=[(kind, [("k", "v")])]))
    assert (result.codespace, result.code) == ("wasm", 21)
    assert f"Event type too short: '{kind.strip()}': invalid event" in result.log


def test_EV_6_three_bytes_are_enough(world):
    assert types(world.run(script(events=[("abc", [])]))) == ["execute", "wasm-abc"]


@pytest.mark.parametrize("key", ["", " ", "\n\n\n\n"])
def test_EV_7_an_empty_key_is_refused(world, key):
    result = world.run(script(attributes=[(key, " some")]))
    assert result.code == 21
    assert "Empty attribute key. Value:  some: invalid event" in result.log


def test_EV_7_an_empty_value_is_kept(world):
    assert shape(world.run(script(attributes=[("k", "")])))[1][1][1] == ("k", "")


@pytest.mark.parametrize("key", ["_", "_x", "_contract_address", "  _x"])
def test_EV_8_a_reserved_key_fails_the_whole_call(world, key):
    result = world.run(script(["set", "k", "v"], attributes=[("fine", "1"), (key, "2")]))
    assert (result.codespace, result.code) == ("wasm", 21)
    assert f"Attribute key starts with reserved prefix _: '{key.strip()}'" in result.log
    assert world.text(world.a, "k") is None
    in_event = world.run(script(events=[("foo", [(key, "1")])]))
    assert in_event.code == 21


def test_EV_9_events_are_checked_before_messages_leave(world):
    message = sub(call(world.b, {"do": [["trap"]]}), "never")
    result = world.run(script(events=[("x", [])], messages=[message]))
    assert result.code == 21


def test_EV_10_equal_keys_stay_in_order(world):
    result = world.run(script(attributes=[("k", "2"), ("k", "1"), ("k", "2")]))
    assert shape(result)[1][1][1:] == [("k", "2"), ("k", "1"), ("k", "2")]


def test_EV_11_a_message_event_starts_each_message(world):
    messages = [(world.a, script(), world.alice, ()), (world.b, script(), world.alice, ())]
    result = world.chain.execute_many(messages)
    starts = [dict(e.attributes) for e in result.events if e.type == "message"]
    assert [(s["action"], s["sender"], s["module"], s["msg_index"]) for s in starts] == [
        ("/cosmwasm.wasm.v1.MsgExecuteContract", world.alice, "wasm", "0"),
        ("/cosmwasm.wasm.v1.MsgExecuteContract", world.alice, "wasm", "1"),
    ]


def test_EV_11_a_bank_send_ends_with_another_message_event(world):
    result = world.chain.send(world.alice, world.bob, "1denom")
    tail = [e for e in result.events if e.type == "message"][-1]
    assert [tuple(a) for a in tail.attributes] == [("sender", world.alice), ("msg_index", "0")]


def test_EV_11_message_events_of_submessages_vanish(world):
    result = world.run(
        script(messages=[plain(send(world.bob, "1denom")), plain(call(world.b, script()))])
    )
    assert [e.type for e in result.events].count("message") == 1


def test_EV_12_events_of_failed_submessages_vanish(world):
    bad = call(
        world.b, script(events=[("seen", [])], messages=[plain(call(world.c, script(error="x")))])
    )
    good = call(world.b, script(events=[("good", [])]))
    result = world.run(script(messages=[sub(bad, "error"), sub(good, "never")]))
    assert "wasm-seen" not in types(result)
    assert "wasm-good" in types(result)


def test_EV_13_attached_funds_show_in_three_events(world):
    result = world.run(script(), funds="3denom,4earth")
    amount = ("amount", "3denom,4earth")
    assert shape(result)[:3] == [
        ("coin_spent", [("spender", world.alice), amount]),
        ("coin_received", [("receiver", world.a), amount]),
        ("transfer", [("recipient", world.a), ("sender", world.alice), amount]),
    ]
    assert types(result)[3] == "execute"


def test_EV_14_admin_label_and_code_events(world):
    chain = world.chain
    moved = chain.update_admin(world.a, world.bob, sender=world.alice)
    address = ("_contract_address", world.a)
    assert shape(moved) == [("update_contract_admin", [address, ("new_admin_address", world.bob)])]
    cleared = chain.clear_admin(world.a, sender=world.bob)
    assert shape(cleared) == [("update_contract_admin", [address, ("new_admin_address", "")])]


def test_EV_14_dispatched_admin_changes(world):
    world.chain.update_admin(world.b, world.a, sender=world.alice)
    clear = {"wasm": {"clear_admin": {"contract_addr": world.b}}}
    assert types(world.run(script(messages=[plain(clear)]))) == ["execute", "update_contract_admin"]


def test_EV_15_an_empty_response_leaves_the_entry_event_alone(world):
    assert types(world.run(script())) == ["execute"]


def test_EV_5_an_event_made_by_functions_is_trimmed_alike():
    chain = Chain()
    alice = chain.account("alice")

    def execute(deps, env, info, msg):
        return Response().add_event(Event(" spaced ").add_attribute(" k ", " v "))

    spaced = Contract(name="spaced", instantiate=lambda *_: Response(), execute=execute)
    address = chain.instantiate(chain.store_code(spaced), {}, sender=alice, label="s")
    event = shape(chain.execute(address, {}, sender=alice))[-1]
    assert event == ("wasm-spaced", [("_contract_address", address), ("k", "v")])
