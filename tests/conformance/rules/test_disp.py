"""Dispatch order: rules DISP-1 to DISP-6."""

import pytest
from scripted import call, plain, script, send, sub, types


def mark(text, **more):
    return script(["append", "order", text + ";"], **more)


def test_DISP_1_list_order_is_execution_order_whatever_the_policy(world):
    def step(text):
        return call(world.c, mark(text))

    messages = [
        sub(step("1"), "always"),
        plain(step("2")),
        sub(step("3"), "success"),
        plain(step("4")),
    ]
    world.run(script(messages=messages))
    assert world.text(world.c, "order") == "1;2;3;4;"


def test_DISP_1_a_plain_message_is_never_replied_to(world):
    world.run(script(messages=[plain(call(world.b, script()))]))
    assert world.replies(world.a) == []


def test_DISP_2_depth_first(world):
    def to_c(text):
        return plain(call(world.c, mark(text)))

    m1 = plain(call(world.b, mark("", messages=[to_c("N1"), to_c("N2")])))
    world.run(script(messages=[to_c("M1"), m1, to_c("M2")]))
    assert world.text(world.c, "order") == "M1;N1;N2;M2;"


def test_DISP_3_replies_and_their_messages_run_before_the_next_sibling(world):
    def note(text):
        return plain(call(world.c, mark(text)))

    def reply(text):
        return script(messages=[note(text)])

    s1 = sub(call(world.b, script(messages=[note("S1"), note("N1")])), "always", 1, reply("R1"))
    s2 = sub(call(world.b, script(messages=[note("S2")])), "always", 2, reply("R2"))
    world.run(script(messages=[s1, s2, note("M1")]))
    assert world.text(world.c, "order") == "S1;N1;R1;S2;R2;M1;"


def test_DISP_4_sender_and_payer_is_the_dispatching_contract(world):
    result = world.run(script(messages=[plain(call(world.b, {"store_env": 1}, "4denom"))]))
    assert result.code == 0
    assert world.text(world.b, "info") == (
        f'{{"sender":"{world.a}","funds":[{{"denom":"denom","amount":"4"}}]}}'
    )
    assert world.chain.balance(world.a, "denom") == 996


def chained(world, depth, reply_on="never"):
    start = call(world.a, {"do": [["countdown", "n", world.a, reply_on]]})
    return script(["set", "n", str(depth)], messages=[plain(start)])


def test_DISP_5_500_nested_dispatches_work(world):
    result = world.run(chained(world, 499), gas_limit=150_000_000)
    assert (result.code, len(types(result))) == (0, 501)


def test_DISP_5_the_501st_dispatch_fails(world):
    result = world.run(chained(world, 500), gas_limit=150_000_000)
    assert (result.codespace, result.code) == ("wasm", 30)
    assert result.log.endswith("dispatch: max call depth exceeded")


def test_DISP_5_the_depth_error_can_be_caught(world):
    result = world.run(chained(world, 600, "error"), gas_limit=150_000_000)
    assert result.code == 0
    assert world.text(world.a, "n") == "100"


def test_DISP_5_messages_chained_through_replies_do_not_count(world):
    then = {"nolog": 1, "do": [["countdown_reply", "n", world.a]]}
    start = script(["set", "n", "700"], messages=[sub(send(world.a, ""), "always", 1, then)])
    result = world.run(start, gas_limit=150_000_000)
    assert (result.code, world.text(world.a, "n")) == (0, "0")


@pytest.mark.parametrize(("depth", "fails"), [(10, False), (11, True)])
def test_DISP_5_queries_nest_ten_deep_from_an_execute(world, depth, fails):
    seen = []

    def query(deps, env, msg):
        if msg["left"]:
            request = {"left": msg["left"] - 1}
            seen.append(ask(deps, env.contract.address, request))
        return {}

    def execute(deps, env, info, msg):
        seen.append(ask(deps, env.contract.address, {"left": msg["depth"] - 1}))
        return script_response()

    def script_response():
        from chain.std import Response

        return Response()

    def ask(deps, address, request):
        from twins.cosmos import b64, compact

        smart = {"contract_addr": address, "msg": b64(compact(request).encode())}
        return deps.querier.raw_query(compact({"wasm": {"smart": smart}}).encode())

    address = world.deploy(execute=execute, query=query)
    assert world.chain.execute(address, {"depth": depth}, sender=world.alice).code == 0
    assert (b'{"ok":{"error":"codespace: wasm, code: 27"}}' in seen) is fails


def test_DISP_6_a_missing_reply_policy_is_invalid(world):
    entry = sub(call(world.b, mark("1")))
    del entry["reply_on"]
    result = world.run(script(messages=[plain(call(world.b, mark("0"))), entry]))
    assert (result.codespace, result.code) == ("wasm", 14)
    assert result.log.endswith(": replyOn value: invalid")


def test_DISP_6_an_unknown_reply_policy_is_a_vm_error(world):
    result = world.run(script(messages=[sub(call(world.b, mark("1")), "sometimes")]))
    assert (result.codespace, result.code) == ("wasm", 29)
    assert result.log.endswith("invalid reply_on value 'sometimes': wasmvm error")
