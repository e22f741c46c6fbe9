"""Responses, events, submessages and the JSON forms of dispatched messages."""

import pytest

from chain.std import (
    Attribute,
    BankMsg,
    Coin,
    Event,
    Message,
    ParseError,
    Reply,
    ReplyOn,
    Response,
    SubMsg,
    SubMsgResponse,
    SubMsgResult,
    Uint128,
    WasmMsg,
    message_from_json,
)


class Transfer(Message):
    recipient: str
    amount: Uint128


SEND = BankMsg.Send("bob", [Coin("amsg", 5)])


def test_a_response_is_built_in_a_chain():
    made = (
        Response()
        .add_attribute("a", "1")
        .add_attributes([("b", "2"), ("a", "3")])
        .add_event(Event("foo").add_attribute("k", "v"))
        .add_events([Event("bar")])
        .add_message(SEND)
        .add_messages([SEND])
        .add_submessage(SubMsg.reply_always(SEND, 7))
        .add_submessages([SubMsg.new(SEND)])
        .set_data(b"x")
    )
    assert made.attributes == [("a", "1"), ("b", "2"), ("a", "3")]
    assert made.attributes[0].key == "a"
    assert [e.type for e in made.events] == ["foo", "bar"]
    assert made.events[0].attributes == [Attribute("k", "v")]
    assert [m.id for m in made.messages] == [0, 0, 7, 0]
    assert made.data == b"x"
    assert Response().data is None


def test_DISP_1_plain_messages_are_submessages_without_reply():
    (sub,) = Response().add_message(SEND).messages
    assert (sub.id, sub.reply_on, sub.gas_limit, sub.payload) == (0, ReplyOn.NEVER, None, b"")
    assert sub == SubMsg.reply_never(SEND)


@pytest.mark.parametrize(
    ("make", "policy"),
    [
        (SubMsg.reply_always, "always"),
        (SubMsg.reply_on_success, "success"),
        (SubMsg.reply_on_error, "error"),
    ],
)
def test_reply_policies_with_limit_and_payload(make, policy):
    sub = make(SEND, 3).with_gas_limit(500).with_payload(b"p")
    assert (str(sub.reply_on), sub.id, sub.gas_limit, sub.payload) == (policy, 3, 500, b"p")
    assert sub.msg is SEND


def test_SUB_12_a_reply_has_payload_and_gas_by_default():
    reply = Reply(1, SubMsgResult(ok=SubMsgResponse()))
    assert (reply.payload, reply.gas_used) == (b"", 0)
    assert reply.result.error is None
    assert reply.result.ok.msg_responses == ()
    assert SubMsgResult(error="broken").ok is None


def test_events_and_messages_compare_by_content():
    assert Event("a", [("k", "v")]) == Event("a").add_attributes([("k", "v")])
    assert Event("a") != Event("b")
    assert BankMsg.Send("bob", (Coin("amsg", 5),)) == SEND
    assert BankMsg.Send("bob", []) != SEND
    assert SubMsg.new(SEND) != SubMsg.reply_always(SEND, 1)
    assert repr(SEND).startswith("BankMsg.Send(to_address='bob'")
    assert "Event('a'" in repr(Event("a"))
    assert "SubMsg(BankMsg.Send" in repr(Response().add_message(SEND))


@pytest.mark.parametrize("value", [Event("a"), SEND, SubMsg.new(SEND)])
def test_mutable_values_have_no_hash(value):
    with pytest.raises(TypeError):
        hash(value)


def test_C030_a_call_carries_a_variant_and_an_instantiate_a_plain_object():
    execute = WasmMsg.Execute("token", Transfer("bob", 5))
    assert execute.msg == b'{"transfer":{"recipient":"bob","amount":"5"}}'
    assert WasmMsg.Instantiate(1, Transfer("bob", 5), "l").msg == (
        b'{"recipient":"bob","amount":"5"}'
    )
    assert WasmMsg.Execute("token", b"{}").msg == b"{}"
    assert WasmMsg.Execute("token", {"a": {}}).msg == b'{"a":{}}'
    assert WasmMsg.Migrate("token", 2, {}).msg == b"{}"


ALL = [
    (SEND, {"bank": {"send": {"to_address": "bob", "amount": [{"denom": "amsg", "amount": "5"}]}}}),
    (BankMsg.Burn([]), {"bank": {"burn": {"amount": []}}}),
    (
        WasmMsg.Execute("c", {}, [Coin("a", 1)]),
        {
            "wasm": {
                "execute": {
                    "contract_addr": "c",
                    "msg": "e30=",
                    "funds": [{"denom": "a", "amount": "1"}],
                }
            }
        },
    ),
    (
        WasmMsg.Instantiate(3, b"{}", "label", admin="boss"),
        {
            "wasm": {
                "instantiate": {
                    "admin": "boss",
                    "code_id": 3,
                    "msg": "e30=",
                    "funds": [],
                    "label": "label",
                }
            }
        },
    ),
    (
        WasmMsg.Instantiate2(3, b"{}", "label", b"salt"),
        {
            "wasm": {
                "instantiate2": {
                    "admin": None,
                    "code_id": 3,
                    "label": "label",
                    "msg": "e30=",
                    "funds": [],
                    "salt": "c2FsdA==",
                }
            }
        },
    ),
    (
        WasmMsg.Migrate("c", 4, b"{}"),
        {"wasm": {"migrate": {"contract_addr": "c", "new_code_id": 4, "msg": "e30="}}},
    ),
    (
        WasmMsg.UpdateAdmin("c", "boss"),
        {"wasm": {"update_admin": {"contract_addr": "c", "admin": "boss"}}},
    ),
    (WasmMsg.ClearAdmin("c"), {"wasm": {"clear_admin": {"contract_addr": "c"}}}),
]


@pytest.mark.parametrize(("message", "form"), ALL)
def test_json_forms_both_ways(message, form):
    assert message.to_json() == form
    assert message_from_json(form) == message


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"bank": {}},
        {"bank": {"steal": {}}},
        {"staking": {"delegate": {}}},
        {"custom": {}},
        {"wasm": []},
        {"bank": {"send": {}}, "wasm": {}},
        "bank",
        None,
    ],
)
def test_unknown_kinds_are_none(form):
    assert message_from_json(form) is None


@pytest.mark.parametrize(
    "form",
    [
        {"bank": {"send": {"to_address": "b"}}},
        {"bank": {"send": {"to_address": "b", "amount": [{"denom": "a", "amount": 5}]}}},
        {"wasm": {"execute": {"contract_addr": "c", "msg": {}, "funds": []}}},
    ],
)
def test_known_kinds_with_wrong_fields_are_refused(form):
    with pytest.raises(ParseError, match="CosmosMsg"):
        message_from_json(form)
