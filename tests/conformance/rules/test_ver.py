"""What changed between versions of CosmWasm, and which one ours follows: rules VER-1 to VER-6."""

import pytest
from scripted import call, plain, script, send, sub

from chain.std import ContractError, Message, Response, SubMsg, decode_variant
from chain.storage_plus import Item


class Refund(Message):
    """A variant without fields."""


def test_VER_1_payload_and_msg_responses_exist(world):
    world.run(script(messages=[sub(send(world.bob, "1denom"), then={})]))
    (reply,) = world.replies(world.a)
    assert reply["payload"] == "e30="
    assert [r["type_url"] for r in reply["result"]["ok"]["msg_responses"]] == [
        "/cosmos.bank.v1beta1.MsgSendResponse"
    ]


def test_VER_3_unknown_fields_are_refused_by_default():
    with pytest.raises(ContractError):
        decode_variant(b'{"refund":{"extra":1}}', (Refund,), "ExecuteMsg")


def test_VER_4_a_missing_item_is_named_as_by_storage_plus_1_2(world):
    seen = []

    def execute(deps, env, info, msg):
        try:
            Item("count", int).load(deps.storage)
        except ContractError as error:
            seen.append(str(error))
        return Response()

    world.chain.execute(world.deploy(execute=execute), {}, sender=world.alice)
    assert "not found" in seen[0]


def test_VER_6_messages_and_submessages_are_one_list(world):
    response = Response().add_message({"x": 1}).add_submessage(SubMsg.reply_always({"y": 1}, 3))
    assert [
        (entry.id, str(entry.reply_on)) for entry in response.add_message({"z": 1}).messages
    ] == [
        (0, "never"),
        (3, "always"),
        (0, "never"),
    ]
    mark = script(["append", "o", "1"])
    world.run(script(messages=[plain(call(world.c, mark)), sub(call(world.c, mark))]))
    assert world.text(world.c, "o") == "11"
