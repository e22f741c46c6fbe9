"""The mocks for tests of one handler."""

import base64
import json

import pytest

from chain.errors import ContractError
from chain.std import Answer, Coin, Deps, Message, Response, Timestamp, encode
from chain.testing import Chain, Contract
from chain.testing.mocks import MemoryStorage, message_info, mock_deps, mock_env


def test_FUND_8_the_default_block():
    env = mock_env()
    assert env.block.height == 12345
    assert env.block.time == Timestamp(1571797419879305533)
    assert env.block.chain_id == "cosmos-testnet-14002"


def test_FUND_7_a_transaction_index_or_none():
    assert mock_env(transaction=5).transaction.index == 5
    assert mock_env(transaction=None).transaction is None
    env = mock_env(20, 1_000, chain_id="x")
    assert (env.block.height, env.block.time, env.block.chain_id) == (20, 1_000, "x")


def test_ADDR_5_the_contracts_own_address_is_valid():
    deps = mock_deps()
    address = mock_env().contract.address
    assert deps.api.addr_validate(address) == address


def test_C178_canonicalise_and_humanise_are_inverse():
    api = mock_deps().api
    address = mock_env().contract.address
    canonical = api.addr_canonicalize(address)
    assert len(canonical) == 32
    assert api.addr_humanize(canonical) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bob",
        "cosmos1h34lmpywh4upnjdg90cjf4j70aee6z8qqfspugamjp42e4q28kqs8s7vcp",
        "MSG1W0W8SASNUT0JX0VVSNVLC8NAYQ0Q2EJ8XGRPWGEL05TN6WY4R57QNUEV0S",
        "msg1w0w8sasnut0jx0vvsnvlc8nayq0q2ej8xgrpwgel05tn6wy4r57qnuev0t",
    ],
)
def test_C178_ADDR_1_other_texts_are_refused(text):
    with pytest.raises(ContractError):
        mock_deps().api.addr_validate(text)


def test_ADDR_4_addresses_in_messages_are_not_checked_by_their_type():
    assert message_info("anything").sender == "anything"


def test_funds_go_in_as_they_stand():
    funds = [Coin("b", 0), Coin("a", 1), Coin("a", 2)]
    assert message_info("x", funds).funds == tuple(funds)
    assert message_info("x").funds == ()


def test_storage_is_sorted_bytes():
    storage = MemoryStorage({b"b": b"2", b"a": b"1", b"c": b"3"})
    assert list(storage.range()) == [(b"a", b"1"), (b"b", b"2"), (b"c", b"3")]
    assert [k for k, _ in storage.range(b"a", b"c", "descending")] == [b"b", b"a"]
    assert list(storage.range(b"c", b"a")) == []
    with pytest.raises(ValueError):
        next(storage.range(order="sideways"))


def test_STOR_21_overwriting_a_key_while_iterating_is_seen_too():
    storage = MemoryStorage({b"a": b"1", b"b": b"2"})
    iterator = storage.range()
    next(iterator)
    storage.remove(b"b")
    with pytest.raises(RuntimeError):
        next(iterator)


class Ask(Message):
    name: str


class Said(Answer):
    name: str


def test_the_querier_answers_what_the_test_sets():
    deps = mock_deps({"alice": [Coin("b", 2), Coin("a", 1), Coin("c", 0)]})
    querier = deps.querier
    assert querier.query_balance("alice", "a") == Coin("a", 1)
    assert querier.query_balance("bob", "a") == Coin("a", 0)
    assert querier.query_all_balances("alice") == [Coin("a", 1), Coin("b", 2)]
    assert querier.query_supply("b") == Coin("b", 2)
    with pytest.raises(ContractError, match="No such contract: c"):
        querier.query_wasm_smart("c", Ask("x"))
    querier.on_smart = lambda address, msg: {"name": f"{address} {msg['ask']['name']}"}
    assert querier.query_wasm_smart("c", Ask("x"), Said) == Said("c x")
    assert querier.query_wasm_smart("c", {"ask": {"name": "y"}}) == {"name": "c y"}
    querier.raw["c", b"k"] = b"v"
    assert querier.query_wasm_raw("c", b"k") == b"v"
    assert querier.query_wasm_raw("c", b"l") is None


def b64(value):
    return base64.b64encode(value).decode()


REQUESTS = {
    "balance": {"bank": {"balance": {"address": "HOLDER", "denom": "aaa"}}},
    "all_balances": {"bank": {"all_balances": {"address": "HOLDER"}}},
    "supply": {"bank": {"supply": {"denom": "aaa"}}},
    "smart": {"wasm": {"smart": {"contract_addr": "CONTRACT", "msg": b64(b'{"say":1}')}}},
    "raw": {"wasm": {"raw": {"contract_addr": "CONTRACT", "key": b64(b"k")}}},
    "raw_missing": {"wasm": {"raw": {"contract_addr": "CONTRACT", "key": b64(b"l")}}},
    "nobody": {"wasm": {"smart": {"contract_addr": "HOLDER", "msg": b64(b"{}")}}},
    "nobody_info": {"wasm": {"contract_info": {"contract_addr": "HOLDER"}}},
    "unknown": {"weather": {"today": {}}},
}


def answering(deps, env, msg):
    if "say" in msg:
        return {"said": msg["say"]}
    if "refuse" in msg:
        raise ContractError("I refuse")
    request = encode(msg["ask"])
    return deps.querier.raw_query(request)


@pytest.fixture(scope="module")
def world():
    """A chain with a contract that asks, and a mock that was told the same."""

    def start(deps, env, info, msg):
        deps.storage.set(b"k", b"v")
        return Response()

    chain = Chain()
    holder = chain.account("holder", [Coin("aaa", 1), Coin("bbb", 2)])
    code = chain.store_code(Contract(name="asks", instantiate=start, query=answering))
    contract = chain.instantiate(code, {}, holder, "asks")
    querier = mock_deps({holder: "1aaa,2bbb"}).querier
    querier.raw[contract, b"k"] = b"v"

    def smart(address, msg):
        if address != contract:
            raise AssertionError(address)
        return answering(None, None, msg)

    querier.on_smart = smart
    return chain, querier, holder, contract


@pytest.mark.parametrize("name", REQUESTS)
def test_the_mock_answers_raw_queries_as_a_chain_does(world, name):
    chain, querier, holder, contract = world
    text = json.dumps(REQUESTS[name]).replace("HOLDER", holder).replace("CONTRACT", contract)
    if name.startswith("nobody"):
        querier = mock_deps().querier
    assert json.loads(querier.raw_query(text.encode())) == chain.query(
        contract, {"ask": json.loads(text)}
    )


def test_a_refusal_of_the_queried_contract_is_told_as_a_chain_tells_it(world):
    _, querier, _, contract = world
    with pytest.raises(ContractError) as caught:
        querier.query_wasm_smart(contract, {"refuse": {}})
    assert str(caught.value) == "Generic error: Querier contract error: I refuse"
    smart = {"smart": {"contract_addr": contract, "msg": b64(b'{"refuse":{}}')}}
    assert json.loads(querier.raw_query(encode({"wasm": smart}))) == {"ok": {"error": "I refuse"}}


@pytest.mark.parametrize(
    ("funds", "seen"),
    [
        ("", ()),
        ((), ()),
        ("5earth", (Coin("earth", 5),)),
        ("1msg,2umsg,3earth", (Coin("amsg", 10**18 + 2 * 10**12), Coin("earth", 3))),
        ([Coin("b", 0), {"denom": "a", "amount": "7"}], (Coin("b", 0), Coin("a", 7))),
        (Coin("a", 1), (Coin("a", 1),)),
        ({"denom": "a", "amount": 1}, (Coin("a", 1),)),
    ],
)
def test_funds_of_a_mock_are_written_as_those_of_a_chain(funds, seen):
    assert message_info("creator", funds).funds == seen
    assert mock_deps({"x": funds}).querier.query_all_balances("x") == sorted(
        coin for coin in seen if coin.amount
    )


def test_deps_for_helpers_that_read():
    deps = mock_deps()
    reading = deps.as_ref()
    assert type(reading) is Deps
    assert reading.storage is deps.storage
