"""Data of calls: rules DATA-1 to DATA-8."""

import base64
import json

from recorded_wire import fields_of, responses
from scripted import burn, call, create, migrate, plain, script, send, sub

from chain.std import Response


def test_DATA_1_the_data_of_a_response_is_the_result(world):
    assert world.run(script(data=b"abc")).data == b"abc"
    assert world.run(script()).data == b""


def test_DATA_2_data_of_a_message_is_not_forwarded(world):
    message = call(world.b, script(data=b"below"))
    assert world.run(script(messages=[plain(message)])).data == b""
    assert world.run(script(messages=[sub(message)])).data == b""
    assert world.run(script(data=b"own", messages=[sub(message)])).data == b"own"


def replied(world, *replies, own=b"own"):
    messages = [
        sub(send(world.bob, ""), number=i, then=script(data=data)) for i, data in enumerate(replies)
    ]
    return world.run(script(data=own, messages=messages)).data


def test_DATA_3_the_last_present_reply_data_wins(world):
    assert replied(world, None) == b"own"
    assert replied(world, b"1") == b"1"
    assert replied(world, b"1", None) == b"1"
    assert replied(world, b"1", b"2") == b"2"
    assert replied(world, b"1", b"") == b""


def test_DATA_3_also_after_an_error(world):
    failing = call(world.b, script(error="no"))
    messages = [sub(failing, "error", 1, script(data=b"caught"))]
    assert world.run(script(data=b"own", messages=messages)).data == b"caught"


def test_DATA_4_absent_and_empty_differ(world):
    empty, absent = Response().set_data(b""), Response()
    assert empty.data == b""
    assert absent.data is None


def test_DATA_5_execute_data_is_wrapped(world):
    world.run(script(messages=[sub(call(world.b, script(data=b"350")))]))
    ok = world.replies(world.a)[0]["result"]["ok"]
    assert base64.b64decode(ok["data"]) == bytes.fromhex("0a03333530")


def test_DATA_5_instantiate_data_is_wrapped_with_the_address(world):
    world.run(script(messages=[sub(create(world.code, script(data=b"food")))]))
    wrapped = base64.b64decode(world.replies(world.a)[0]["result"]["ok"]["data"])
    (one, address), (two, data) = fields_of(wrapped)
    assert (one, two, data) == (1, 2, b"food")
    assert world.chain.contract_info(address.decode()).code_id == world.code


def test_DATA_5_empty_data_is_left_out(world):
    world.run(script(messages=[sub(call(world.b, script(data=b"")))]))
    assert "data" not in world.replies(world.a)[0]["result"]["ok"]
    assert responses(world.run(script(data=b"")).tx_data)[0]["data"] is None


def test_DATA_6_one_typed_answer_per_message(world):
    messages = [call(world.b, script(data=b"x")), send(world.bob, "1denom"), create(world.code, {})]
    world.run(script(messages=[sub(message) for message in messages]))
    seen = [r["result"]["ok"]["msg_responses"] for r in world.replies(world.a)]
    assert seen[0] == [
        {"type_url": "/cosmwasm.wasm.v1.MsgExecuteContractResponse", "value": "CgF4"}
    ]
    assert seen[1] == [{"type_url": "/cosmos.bank.v1beta1.MsgSendResponse", "value": ""}]
    assert seen[2][0]["type_url"] == "/cosmwasm.wasm.v1.MsgInstantiateContractResponse"


def test_DATA_6_a_burn_answers_nothing(world):
    world.run(script(messages=[sub(burn("1denom"))]))
    assert world.replies(world.a)[0]["result"] == {"ok": {"events": [], "msg_responses": []}}


def test_DATA_7_the_json_of_a_reply(world):
    world.run(
        script(messages=[sub(send(world.bob, "")), sub(call(world.b, script(error="broken")))])
    )
    ok, error = world.text(world.a, "replies").splitlines()
    assert ok == '{"gas_used":0,"id":1,"result":{"ok":{"events":[],"msg_responses":[]}}}'
    assert json.loads(error)["result"] == {"error": "broken: execute wasm contract failed"}


def test_DATA_8_migrate_and_sudo_carry_data(world):
    world.chain.update_admin(world.b, world.a, sender=world.alice)
    world.run(script(messages=[sub(migrate(world.b, world.code, script(data=b"m")))]))
    ok = world.replies(world.a)[0]["result"]["ok"]
    assert base64.b64decode(ok["data"]) == b"\x0a\x01m"
    assert world.chain.sudo(world.a, script(data=b"s")).data == b"s"


def test_DATA_8_query_answers_are_not_wrapped(world):
    assert world.chain.query(world.a, {"ret": {"ok": base64.b64encode(b'{"x":1}').decode()}}) == {
        "x": 1
    }
