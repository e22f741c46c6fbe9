"""Queries: rules QRY-1 to QRY-9."""

import base64
import json

import pytest
from scripted import call, plain, script
from twins.cosmos import b64, compact
from twins.reflect import REFLECT

from chain.std import ContractError, Response
from chain.testing import QueryFailed


def log_of(world):
    return (world.text(world.a, "log") or "").splitlines()


def ask(world, request):
    assert world.run({"do": [["query", request]]}).code == 0
    return log_of(world)[-1]


def smart(address, message):
    encoded = message if isinstance(message, bytes) else compact(message).encode()
    return {"wasm": {"smart": {"contract_addr": address, "msg": b64(encoded)}}}


def raw(address, key):
    return {"wasm": {"raw": {"contract_addr": address, "key": b64(key)}}}


def test_QRY_1_a_query_cannot_write(world):
    with pytest.raises(QueryFailed):
        world.chain.query(world.a, {"do": [["set", "k", "v"]]})
    assert world.text(world.a, "k") is None
    answer = ask(world, smart(world.b, {"do": [["set", "k", "v"]]}))
    assert answer == '{"ok":{"error":"codespace: wasm, code: 29"}}'
    assert world.text(world.b, "k") is None


def test_QRY_2_a_query_sees_the_transaction_so_far(world):
    look = script(["query", smart(world.a, {"do": [["retkey", "k"]]})])
    world.run(script(["set", "k", "own"], *look["do"]))
    own = json.loads(log_of(world)[-1])["ok"]["ok"]
    assert base64.b64decode(own) == b"own"
    peek = ["query", raw(world.b, b"k")]
    message = call(world.b, script(["set", "k", "below"]))
    world.run(script(messages=[plain(message), plain(call(world.a, {"do": [peek]}))]))
    assert json.loads(log_of(world)[-1])["ok"]["ok"] == b64(b"below")


def unsupported(kind):
    return compact({"error": {"unsupported_request": {"kind": kind}}})


GHOST = "msg1attw7q7krmnqc5ead4zsc59pu4v63gmldduk5sy5e5x6c6m5gs5q4nz4s2"


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (smart(GHOST, {}), f'{{"error":{{"no_such_contract":{{"addr":"{GHOST}"}}}}}}'),
        ({"wasm": {"code_info": {"code_id": 99}}}, '{"error":{"no_such_code":{"code_id":99}}}'),
        ({"custom": {"x": 1}}, '{"error":{"unsupported_request":{"kind":"custom"}}}'),
        ({"zzz": {}}, '{"error":{"unknown":{}}}'),
        (smart("zz", {}), '{"ok":{"error":"codespace: sdk, code: 7"}}'),
        (raw("zz", b"k"), '{"ok":{"error":"codespace: sdk, code: 7"}}'),
        (None, '{"error":{"unknown":{}}}'),
        ({"bank": None}, '{"error":{"unknown":{}}}'),
        ({"bank": {}}, unsupported("unknown BankQuery variant")),
        ({"bank": {"zzz": {}}}, unsupported("unknown BankQuery variant")),
        ({"bank": {"balance": None}}, unsupported("unknown BankQuery variant")),
        ({"wasm": {}}, unsupported("unknown WasmQuery variant")),
        ({"wasm": {"zzz": 5}}, unsupported("unknown WasmQuery variant")),
        ({"grpc": {}, "wasm": {}}, unsupported("unknown WasmQuery variant")),
        ({"bank": {"balance": {}}}, '{"ok":{"error":"codespace: sdk, code: 7"}}'),
        ({"bank": {"all_balances": {}}}, '{"ok":{"error":"codespace: sdk, code: 7"}}'),
        ({"bank": {"denom_metadata": {}}}, '{"ok":{"error":"codespace: sdk, code: 38"}}'),
        ({"wasm": {"smart": {}}}, '{"ok":{"error":"codespace: sdk, code: 7"}}'),
        ({"wasm": {"contract_info": {}}}, '{"ok":{"error":"codespace: sdk, code: 7"}}'),
        ({"wasm": {"code_info": {}}}, '{"ok":{"error":"codespace: wasm, code: 12"}}'),
        (
            {"wasm": {"code_info": {"code_id": None}}},
            '{"ok":{"error":"codespace: wasm, code: 12"}}',
        ),
    ],
)
def test_QRY_3_how_failures_are_reported(world, request_, answer):
    assert ask(world, request_) == answer


def test_QRY_3_a_member_that_is_missing_is_empty(world):
    no_message = {"wasm": {"smart": {"contract_addr": world.b}}}
    assert ask(world, no_message) == '{"ok":{"error":"codespace: wasm, code: 14"}}'
    no_key = {"wasm": {"raw": {"contract_addr": world.b}}}
    assert ask(world, no_key) == '{"ok":{"ok":""}}'


@pytest.mark.parametrize(
    "request_",
    [
        [],
        "bank",
        5,
        {"bank": 5},
        {"bank": {"balance": "x"}},
        {"bank": {"balance": {"address": 5, "denom": "denom"}}},
        {"wasm": {"smart": {"contract_addr": GHOST, "msg": {"plain": "JSON"}}}},
        {"wasm": {"raw": {"contract_addr": GHOST, "key": "%"}}},
        {"wasm": {"code_info": {"code_id": "1"}}},
        {"wasm": {"code_info": {"code_id": -1}}},
        {"wasm": {"code_info": {"code_id": 1 << 64}}},
    ],
)
def test_QRY_3_a_request_of_another_form_is_invalid(world, request_):
    shown = json.loads(ask(world, request_))["error"]["invalid_request"]
    assert shown["request"] == b64(compact(request_).encode())
    assert shown["error"]


def test_QRY_3_a_request_that_is_no_json_is_invalid(world):
    seen = []

    def execute(deps, env, info, msg):
        seen.extend(deps.querier.raw_query(raw) for raw in (b"", b"{", b"\xff", b"{} x"))
        return Response()

    world.chain.execute(world.deploy(execute=execute), {}, sender=world.alice)
    assert [list(json.loads(answer)["error"]) for answer in seen] == [["invalid_request"]] * 4
    assert json.loads(seen[2])["error"]["invalid_request"]["request"] == b64(b"\xff")


def test_QRY_3_contract_errors_and_broken_messages(world):
    error = smart(world.b, {"ret": {"error": "bad q"}})
    assert ask(world, error) == '{"ok":{"error":"bad q: query wasm contract failed"}}'
    assert ask(world, smart(world.b, b"zz")) == '{"ok":{"error":"codespace: wasm, code: 14"}}'


@pytest.mark.parametrize("form", ["balance", "supply"])
@pytest.mark.parametrize("denom", ["!", "", None])
def test_QRY_3_an_invalid_denomination_aborts(world, form, denom):
    request = {"bank": {form: {"address": world.a, "denom": denom}}}
    result = world.run({"do": [["query", request]]})
    assert (result.codespace, result.code) == ("wasm", 29)


def test_QRY_4_the_client_words_the_errors(world):
    seen = []

    def execute(deps, env, info, msg):
        for address, message in ((GHOST, {}), (world.b, {"ret": {"error": "no"}})):
            try:
                deps.querier.query_wasm_smart(address, message)
            except ContractError as error:
                seen.append(str(error))
        return Response()

    world.chain.execute(world.deploy(execute=execute), {}, sender=world.alice)
    assert "Querier system error: No such contract: " + GHOST in seen[0]
    assert "Querier contract error: no: query wasm contract failed" in seen[1]


def test_QRY_5_raw_queries(world):
    world.run(script(["set", "foo", "bar"]))
    assert world.chain.query_raw(world.a, b"foo") == b"bar"
    assert world.chain.query_raw(world.a, b"missing") is None
    assert world.chain.query_raw(world.a, b"") is None
    with pytest.raises(QueryFailed, match="no such contract"):
        world.chain.query_raw(world.bob, b"foo")


def test_QRY_5_raw_queries_by_a_contract(world):
    world.run(script(["set", "foo", "bar"]))
    assert ask(world, raw(world.a, b"foo")) == compact({"ok": {"ok": b64(b"bar")}})
    for address, key in ((world.a, b"zzz"), (world.a, b""), (world.bob, b"k")):
        assert ask(world, raw(address, key)) == '{"ok":{"ok":""}}'


def test_QRY_6_the_caller_pays_for_queries(world):
    free = world.run(script()).gas_used
    looked = world.run({"do": [["query", smart(world.b, {})]]}).gas_used
    failed = world.run({"do": [["query", smart(world.b, {"ret": {"error": "x"}})]]}).gas_used
    assert looked > free + 2_000
    assert failed > free + 2_000


def test_QRY_6_an_endless_query_ends(world):
    with pytest.raises(QueryFailed, match="out of gas"):
        world.chain.query(world.a, {"do": [["loop"]]})
    result = world.run({"do": [["query", smart(world.b, {"do": [["loop"]]})]]}, gas_limit=500_000)
    assert (result.codespace, result.code) == ("sdk", 11)


def answer(world, request):
    return json.loads(base64.b64decode(json.loads(ask(world, request))["ok"]["ok"]))


def test_QRY_7_contract_and_code_info(world):
    info = answer(world, {"wasm": {"contract_info": {"contract_addr": world.a}}})
    assert (info["code_id"], info["creator"], info["admin"], info["pinned"]) == (
        world.code,
        world.alice,
        world.alice,
        False,
    )
    code = answer(world, {"wasm": {"code_info": {"code_id": world.code}}})
    assert (code["code_id"], code["creator"], len(code["checksum"])) == (1, world.alice, 64)


def test_QRY_8_a_message_that_does_not_parse_is_a_contract_error(world):
    code = world.chain.store_code(REFLECT)
    address = world.chain.instantiate(code, {}, sender=world.alice, label="r")
    shown = ask(world, smart(address, {"zzz": {}}))
    assert "Error parsing into type reflect::msg::QueryMsg" in shown
    assert shown.startswith('{"ok":{"error":')


def test_QRY_9_a_query_has_no_sender(world):
    seen = []

    def query(deps, env, msg):
        seen.append(env)
        return {}

    world.chain.query(world.deploy(query=query), {})
    assert not hasattr(seen[0], "sender")
