"""The mocks for tests of one handler."""

import pytest

from chain.errors import ContractError
from chain.std import Answer, Coin, Deps, Message, Timestamp, decode, encode
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


def test_the_querier_speaks_cosmwasm_json():
    querier = mock_deps({"alice": [Coin("a", 1)]}).querier
    querier.on_smart = lambda address, msg: b'{"ok":1}'

    def ask(request):
        return decode(querier.raw_query(encode(request)))

    assert ask({"bank": {"balance": {"address": "alice", "denom": "a"}}}) == {
        "amount": {"denom": "a", "amount": "1"}
    }
    assert ask({"bank": {"all_balances": {"address": "x"}}}) == {"amount": []}
    assert ask({"bank": {"supply": {"denom": "a"}}})["amount"]["amount"] == "1"
    assert ask({"wasm": {"smart": {"contract_addr": "c", "msg": "e30="}}}) == {"ok": 1}
    with pytest.raises(ContractError, match="Unsupported query type"):
        ask({"staking": {}})


def test_deps_for_helpers_that_read():
    deps = mock_deps()
    reading = deps.as_ref()
    assert type(reading) is Deps
    assert reading.storage is deps.storage
