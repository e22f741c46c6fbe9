"""The test chain as its description has it."""

import pytest
from twins.script import SCRIPT

from chain.std import BankMsg, Coin, ContractError, Response, WasmMsg
from chain.storage_plus import Item, Map
from chain.testing import Chain, Contract, QueryFailed, TxFailed

COUNT = Item("count", int)
SEEN = Map("seen", (str,), int)


def instantiate(deps, env, info, msg):
    COUNT.save(deps.storage, int(msg["start"]))
    return Response().add_attribute("action", "start")


def execute(deps, env, info, msg):
    if "add" not in msg:
        raise ContractError("unknown message")
    total = COUNT.update(deps.storage, lambda n: n + msg["add"]["by"])
    SEEN.save(deps.storage, info.sender, total)
    return Response().add_attribute("total", str(total)).set_data(str(total).encode())


def query(deps, env, msg):
    return {"count": COUNT.load(deps.storage)}


counter = Contract(
    name="counter", version="1.0.0", instantiate=instantiate, execute=execute, query=query
)


class World:
    def __init__(self, **options):
        self.chain = Chain(**options)
        self.alice = self.chain.account("alice", "1000000msg")
        self.code = self.chain.store_code(counter)
        self.counter = self.chain.instantiate(
            self.code, {"start": 5}, sender=self.alice, label="c", funds="3msg", admin=self.alice
        )

    def add(self, by=1):
        return self.chain.execute(self.counter, {"add": {"by": by}}, sender=self.alice)

    def count(self):
        return self.chain.query(self.counter, {})["count"]


@pytest.fixture
def world():
    return World()


def test_the_example_of_the_description(world):
    result = world.add(2)
    assert result.data == b"7"
    assert world.count() == 7
    bad = world.chain.try_execute(world.counter, {"nope": {}}, sender=world.alice)
    assert (bad.codespace, bad.code) == ("wasm", 5)
    with pytest.raises(TxFailed) as failed:
        world.chain.execute(world.counter, {"nope": {}}, sender=world.alice)
    assert failed.value.result.code == 5


def test_a_chain_starts_empty():
    chain = Chain()
    assert (chain.height, chain.supply("earth")) == (1, 0)
    alice = chain.account("alice")
    assert chain.store_code(counter) == 1
    address = chain.instantiate(1, {"start": 0}, sender=alice, label="c")
    assert address == "msg14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9sp9vuk4"


def test_units_of_msg(world):
    chain = world.chain
    assert chain.balance(world.counter) == 3 * 10**18
    assert chain.balance(world.alice) == 999_997 * 10**18
    bob = chain.account("bob", "1umsg,5earth")
    assert chain.balances(bob) == [Coin("amsg", 10**12), Coin("earth", 5)]
    assert chain.balance(bob, "umsg") == 1


def test_an_account_is_the_same_for_its_name_and_funded_once(world):
    before = world.chain.balance(world.alice)
    assert world.chain.account("alice") == world.alice
    assert world.chain.balance(world.alice) == before
    assert Chain().account("alice") == world.alice


@pytest.mark.parametrize(
    "funds",
    ["5earth", [Coin("earth", 5)], [{"denom": "earth", "amount": "5"}], (Coin("earth", 5),)],
)
def test_forms_of_funds(world, funds):
    world.chain.fund(world.alice, "10earth")
    world.chain.send(world.alice, world.counter, funds)
    assert world.chain.balance(world.counter, "earth") == 5


def test_a_list_goes_in_as_it_stands(world):
    world.chain.fund(world.alice, "10earth,10denom")
    result = world.chain.try_execute(
        world.counter,
        {"add": {"by": 1}},
        sender=world.alice,
        funds=[Coin("earth", 1), Coin("denom", 1)],
    )
    assert result.log == "funds: denomination denom is not sorted"
    assert result.events == []


def test_text_is_sorted(world):
    world.chain.fund(world.alice, "10earth,10denom")
    assert world.chain.send(world.alice, world.counter, "1earth,1denom").code == 0


@pytest.mark.parametrize("text", ["earth", "5", "x5", "5,"])
def test_text_that_is_no_coins(world, text):
    with pytest.raises(ValueError, match="no coin"):
        world.chain.fund(world.alice, text)


def test_any_address_may_send(world):
    stranger = "msg1tl9al637tazxnn7shv3t3wxu4x4xnvrpq2essq"
    assert world.chain.execute(world.counter, {"add": {"by": 1}}, sender=stranger).code == 0
    assert world.chain.execute(world.counter, {"add": {"by": 1}}, sender=world.counter).code == 0


def test_messages_may_be_bytes(world):
    world.chain.execute(world.counter, b'{"add":{"by":4}}', sender=world.alice)
    assert world.chain.query(world.counter, b"{}") == {"count": 9}


def test_results(world):
    result = world.add(1)
    assert (result.code, result.codespace, result.log) == (0, "", "")
    assert 0 < result.gas_used <= result.gas_wanted
    assert result.tx_data.startswith(b"\x12")
    wasm = [event for event in result.events if event.type == "wasm"]
    assert [tuple(a) for a in wasm[0].attributes] == [
        ("_contract_address", world.counter),
        ("total", "6"),
        ("msg_index", "0"),
    ]
    assert wasm[0].attributes[1].key == "total"


def test_gas_limit(world):
    result = world.chain.try_execute(
        world.counter, {"add": {"by": 1}}, sender=world.alice, gas_limit=70_000
    )
    assert (result.codespace, result.code, result.gas_wanted) == ("sdk", 11, 70_000)


def test_execute_many(world):
    chain, alice, bob = world.chain, world.alice, world.chain.account("bob", "")
    result = chain.execute_many(
        [
            (world.counter, {"add": {"by": 1}}, alice, "1msg"),
            WasmMsg.Execute(world.counter, {"add": {"by": 2}}),
            BankMsg.Send(bob, [Coin("amsg", 7)]),
        ],
        sender=alice,
    )
    assert result.code == 0
    assert (world.count(), chain.balance(bob)) == (8, 7)
    bad = chain.try_execute_many(
        [(world.counter, {"add": {"by": 1}}, alice, ()), (world.counter, {}, alice, ())]
    )
    assert bad.code == 5
    assert world.count() == 8


def test_instantiate_through_many(world):
    message = WasmMsg.Instantiate(world.code, {"start": 1}, "new")
    result = world.chain.execute_many([message], sender=world.alice)
    assert world.chain.query(result.address, {}) == {"count": 1}


def test_checksum_and_permission():
    chain = Chain()
    bob, carol = chain.account("bob"), chain.account("carol")
    code = chain.store_code(counter, sender=bob, checksum=b"c" * 32, instantiate_by=[bob])
    assert chain.try_instantiate(code, {"start": 1}, sender=carol, label="x").code == 4
    assert chain.instantiate(code, {"start": 1}, sender=bob, label="x")
    with pytest.raises(ValueError, match="32 bytes"):
        chain.store_code(counter, checksum=b"short")


def test_two_values_of_one_name_stay_apart():
    chain = Chain()
    alice = chain.account("alice")

    def answering(word):
        return Contract(
            name="same", instantiate=lambda *_: Response(), query=lambda *_: {"word": word}
        )

    made = [
        chain.instantiate(chain.store_code(answering(w)), {}, alice, "l") for w in ("one", "two")
    ]
    assert [chain.query(address, {})["word"] for address in made] == ["one", "two"]


def test_migrate_and_admins(world):
    chain = world.chain
    code = chain.store_code(SCRIPT)
    chain.migrate(world.counter, code, {}, sender=world.alice)
    assert chain.contract_info(world.counter).code_id == code
    bob = chain.account("bob")
    chain.update_admin(world.counter, bob, sender=world.alice)
    assert chain.contract_info(world.counter).admin == bob
    chain.clear_admin(world.counter, sender=bob)
    assert chain.contract_info(world.counter).admin is None


def test_queries(world):
    chain = world.chain
    assert chain.query_raw(world.counter, b"count") == chain.storage(world.counter)[b"count"]
    assert chain.query_raw(world.counter, b"nothing") is None
    for ask in (
        lambda: chain.query(world.alice, {}),
        lambda: chain.query_raw(world.alice, b"k"),
        lambda: chain.contract_info(world.alice),
        lambda: chain.query(world.counter, b"{"),
    ):
        with pytest.raises(QueryFailed):
            ask()


def test_query_errors_carry_the_contracts_text():
    chain = Chain()
    alice = chain.account("alice")

    def refuse(deps, env, msg):
        raise ContractError("not today")

    code = chain.store_code(Contract(name="no", instantiate=lambda *_: Response(), query=refuse))
    address = chain.instantiate(code, {}, alice, "l")
    with pytest.raises(QueryFailed, match="not today"):
        chain.query(address, {})


def test_blocks_and_time(world):
    chain = world.chain
    height, time = chain.height, chain.time
    chain.next_block()
    assert (chain.height, chain.time) == (height + 1, time + 5 * 10**9)
    chain.next_block(3, seconds=2)
    assert (chain.height, chain.time) == (height + 4, time + 11 * 10**9)
    world.add()
    assert (chain.height, chain.time) == (height + 4, time + 11 * 10**9)


def test_set_height_and_time(world):
    chain = world.chain
    chain.set_height(12345)
    chain.set_time(1_800_000_000 * 10**9)
    assert (chain.height, chain.time) == (12345, 1_800_000_000 * 10**9)
    world.add()
    chain.set_height(12345)
    chain.set_time(chain.time)
    assert chain.height == 12345
    chain.set_height(20000)
    assert chain.height == 20000
    for move in (lambda: chain.set_height(19999), lambda: chain.set_time(1)):
        with pytest.raises(ValueError, match="open block"):
            move()


def test_set_time_closes_a_block_with_transactions(world):
    chain = world.chain
    height, time = chain.height, chain.time
    world.add()
    chain.set_time(time + 1)
    assert (chain.height, chain.time) == (height + 1, time + 1)


def test_auto_block():
    world = World(auto_block=True)
    height = world.chain.height
    world.add()
    world.add()
    assert world.chain.height == height + 2


def test_snapshot_and_revert_in_the_open_block(world):
    chain = world.chain
    mark = chain.snapshot()
    world.add(10)
    chain.store_code(counter)
    chain.revert(mark)
    assert world.count() == 5
    assert chain.store_code(counter) == 2
    chain.revert(mark)
    assert chain.store_code(counter) == 2


def test_snapshots_across_closed_blocks(world):
    chain = world.chain
    world.add(1)
    first = chain.snapshot()
    world.add(1)
    second = chain.snapshot()
    world.add(1)
    height, time = chain.height, chain.time
    chain.next_block(5)
    world.add(100)
    chain.next_block()
    chain.revert(second)
    assert (world.count(), chain.height, chain.time) == (7, height, time)
    world.add(1)
    chain.next_block()
    world.add(1)
    assert world.count() == 9
    chain.revert(first)
    assert (world.count(), chain.height) == (6, height)
    with pytest.raises(ValueError, match="no snapshot"):
        chain.revert(second)
    world.add(1)
    chain.next_block(2)
    assert world.count() == 7


def test_a_revert_brings_counters_and_accounts_back(world):
    chain = world.chain
    mark = chain.snapshot()
    bob = chain.account("bob", "5earth")
    chain.next_block()
    new = chain.instantiate(world.code, {"start": 0}, world.alice, "n")
    chain.revert(mark)
    assert chain.balance(bob, "earth") == 0
    assert chain.account("bob", "6earth") == bob
    assert chain.balance(bob, "earth") == 6
    assert chain.instantiate(world.code, {"start": 0}, world.alice, "n") == new


def test_the_transaction_index_restarts_in_each_block(world):
    seen = []

    def note(deps, env, info, msg):
        seen.append(env.transaction.index)
        return Response()

    chain = world.chain
    code = chain.store_code(Contract(name="note", instantiate=note, execute=note))
    address = chain.instantiate(code, {}, world.alice, "n")
    chain.next_block()
    for _ in range(3):
        chain.execute(address, {}, world.alice)
    mark = chain.snapshot()
    chain.execute(address, {}, world.alice)
    chain.revert(mark)
    chain.execute(address, {}, world.alice)
    assert seen[1:] == [0, 1, 2, 3, 3]


def test_fees_are_charged_when_asked_for():
    free, paid = World(), World(fees=True)
    price = 10**9
    paid.chain.next_block()
    bob = paid.chain.account("bob", "1000msg")
    before = paid.chain.balance(bob)
    result = paid.chain.execute(paid.counter, {"add": {"by": 1}}, sender=bob)
    paid.chain.next_block()
    spent = before - paid.chain.balance(bob)
    assert spent == result.gas_used * price
    untouched = free.chain.balance(free.alice)
    assert free.add().gas_used > 0
    free.chain.next_block()
    assert free.chain.balance(free.alice) == untouched


def test_supply_follows_fund(world):
    world.chain.fund(world.alice, "7earth")
    assert world.chain.supply("earth") == 7


def test_sudo_needs_no_sender(world):
    chain = world.chain
    code = chain.store_code(SCRIPT)
    address = chain.instantiate(code, {}, world.alice, "s")
    chain.sudo(address, {"do": [["set", "k", "v"]]})
    assert chain.storage(address) == {b"k": b"v"}
    with pytest.raises(TxFailed):
        chain.sudo(address, {"ret": {"error": "no"}})


def test_another_prefix_and_chain_id():
    chain = Chain(chain_id="other-1", prefix="wasm")
    alice = chain.account("alice")
    assert alice.startswith("wasm1")
    code = chain.store_code(counter)
    assert chain.instantiate(code, {"start": 1}, alice, "l").startswith("wasm1")


@pytest.mark.parametrize("name", ["a b", "prüfung", "a=b", "x" * 128, "a/b:c"])
def test_every_name_that_a_contract_may_have_can_be_stored(name):
    chain = Chain()
    assert [chain.store_code(Contract(name=name, version=v)) for v in ("1", "2")] == [1, 2]
    assert chain.store_code(Contract(name=name, version="1")) == 3
    assert chain.store_code(Contract(name=name), checksum=bytes(32)) == 4


ALIKE = ["5earth", [Coin("earth", 5)], [{"denom": "earth", "amount": "5"}], Coin("earth", 5)]


@pytest.mark.parametrize("funds", [*ALIKE, {"denom": "earth", "amount": 5}], ids=str)
def test_funds_in_every_form(funds):
    chain = Chain()
    alice = chain.account("alice", funds)
    bob = chain.account("bob", "")
    chain.fund(alice, funds)
    chain.send(alice, bob, funds)
    code = chain.store_code(counter)
    contract = chain.instantiate(code, {"start": 1}, bob, "c", funds=funds)
    chain.execute(contract, {"add": {"by": 1}}, alice, funds=funds)
    assert [chain.balance(who, "earth") for who in (alice, bob, contract)] == [0, 0, 10]


@pytest.mark.parametrize("funds", [5, [5], ["5earth"], "earth", "5", [("earth", 5)]], ids=str)
def test_funds_that_are_no_coins_are_refused_by_name(funds):
    chain = Chain()
    with pytest.raises((TypeError, ValueError), match=r"is no coin|not iterable"):
        chain.fund(chain.account("alice"), funds)


def test_a_burn_by_nobody_is_a_refused_transaction():
    chain = Chain()
    alice = chain.account("alice")
    burn = BankMsg.Burn([Coin("amsg", 1)])
    result = chain.try_execute_many([BankMsg.Send(alice, [Coin("amsg", 1)]), burn], sender=alice)
    assert (result.codespace, result.code) == ("sdk", 6)
    with pytest.raises(TxFailed, match="only a contract burns coins"):
        chain.execute_many([burn], sender=alice)
