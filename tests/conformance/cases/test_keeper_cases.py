"""Cases of wasmd's own keeper tests with their concrete values (C087 to C126), on the twins."""

import json

import pytest
from scripted import Scripted, script, shape, sub, types
from twins.burner import BURNER
from twins.hackatom import HACKATOM
from twins.reflect import REFLECT
from twins.replier import REPLIER
from twins.script import SCRIPT

from chain.crypto.addresses import contract_address, module_address
from chain.std import Coin
from chain.testing import Chain, QueryFailed


class Keeper:
    """Hackatom as code 1, its first instance, and the people of wasmd's tests."""

    def __init__(self, funds="100000denom"):
        self.chain = Chain()
        self.creator = self.chain.account("creator", "100000denom,5000earth,5000sun")
        self.verifier = self.chain.account("verifier", "1000denom")
        self.bob = self.chain.account("bob", "")
        self.code = self.chain.store_code(HACKATOM)
        self.message = {"verifier": self.verifier, "beneficiary": self.bob}
        self.address = self.chain.instantiate(
            self.code, self.message, self.creator, "demo", funds=funds, admin=self.creator
        )

    def release(self, sender=None, funds=()):
        return self.chain.try_execute(self.address, {"release": {}}, sender or self.verifier, funds)


@pytest.fixture
def keeper():
    return Keeper()


def test_C087_instantiate_the_first_contract():
    keeper = Keeper(funds=())
    result = keeper.chain.try_instantiate(keeper.code, keeper.message, keeper.creator, "second")
    address = result.address
    assert keeper.address == contract_address(1, 1)
    assert contract_address(1, 1, "cosmos") == (
        "cosmos14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9s4hmalr"
    )
    assert shape(result) == [
        ("instantiate", [("_contract_address", address), ("code_id", "1")]),
        ("wasm", [("_contract_address", address), ("Let the", "hacking begin")]),
    ]


def test_C089_a_code_that_does_not_exist(keeper):
    result = keeper.chain.try_instantiate(9999, {}, keeper.creator, "x")
    assert (result.code, result.address) == (28, "")
    assert "code id 9999" in result.log


@pytest.mark.parametrize(("allowed", "code"), [([], 4), (["creator"], 0), (["bob"], 4), (None, 0)])
def test_C090_permissions(keeper, allowed, code):
    names = None if allowed is None else [getattr(keeper, name) for name in allowed]
    stored = keeper.chain.store_code(HACKATOM, instantiate_by=names)
    assert keeper.chain.try_instantiate(stored, keeper.message, keeper.creator, "x").code == code


def test_C091_the_wrong_sender_releases_nothing(keeper):
    result = keeper.release(sender=keeper.creator)
    assert result.log.endswith("Unauthorized: execute wasm contract failed")
    assert keeper.chain.balance(keeper.address, "denom") == 100_000


def test_C093_a_deposit_stays_with_its_sender(keeper):
    chain = keeper.chain
    poor = chain.account("poor", "")
    assert keeper.release(sender=poor, funds="100denom").code == 5
    blocked = {"verifier": keeper.verifier, "beneficiary": module_address("distribution")}
    address = chain.instantiate(keeper.code, blocked, keeper.creator, "b")
    result = chain.try_execute(address, {"release": {}}, keeper.verifier, "100denom")
    assert (result.codespace, result.code) == ("sdk", 4)
    assert chain.balance(keeper.verifier, "denom") == 1000


def test_C094_an_address_that_is_no_contract(keeper):
    result = keeper.chain.try_execute(keeper.bob, {}, keeper.creator)
    assert (result.codespace, result.code) == ("wasm", 22)


def test_C095_a_panic_changes_nothing(keeper):
    before = keeper.chain.storage(keeper.address)
    result = keeper.chain.try_execute(keeper.address, {"panic": {}}, keeper.creator, "5earth")
    assert (result.codespace, result.code) == ("wasm", 29)
    assert keeper.chain.storage(keeper.address) == before
    assert keeper.chain.balance(keeper.creator, "earth") == 5000


def test_C097_each_release_empties_the_balance():
    keeper = Keeper(funds="1000earth")
    result = keeper.release()
    assert result.data == bytes.fromhex("f00baa")
    address = ("_contract_address", keeper.address)
    destination = ("destination", keeper.bob)
    assert ("wasm", [address, ("action", "release"), destination]) in shape(result)
    assert ("wasm-hackatom", [address, ("action", "release")]) in shape(result)
    assert keeper.chain.balances(keeper.bob) == [Coin("earth", 1000)]
    keeper.chain.send(keeper.creator, keeper.address, "70sun")
    keeper.chain.send(keeper.creator, keeper.address, "1000earth")
    keeper.release()
    assert keeper.chain.balances(keeper.address) == []
    assert keeper.chain.balances(keeper.bob) == [Coin("earth", 2000), Coin("sun", 70)]


def test_C098_sudo_steals_and_execute_cannot():
    keeper = Keeper(funds=())
    keeper.chain.fund(keeper.address, "700gold")
    steal = {"recipient": keeper.bob, "amount": [{"denom": "gold", "amount": "700"}]}
    assert (
        keeper.chain.try_execute(keeper.address, {"steal_funds": steal}, keeper.verifier).code == 5
    )
    keeper.chain.sudo(keeper.address, {"steal_funds": steal})
    assert keeper.chain.balance(keeper.bob, "gold") == 700


def test_C099_reflect_releases_an_escrow():
    chain = Chain()
    creator, bob = chain.account("creator", "100000denom"), chain.account("bob", "")
    reflect_code, hackatom_code = chain.store_code(REFLECT), chain.store_code(HACKATOM)
    reflect = chain.instantiate(reflect_code, {}, creator, "r", funds="40000denom")
    parties = {"verifier": reflect, "beneficiary": bob}
    escrow = chain.instantiate(hackatom_code, parties, creator, "e", funds="25000denom")
    release = {
        "wasm": {
            "execute": {
                "contract_addr": escrow,
                "msg": "eyJyZWxlYXNlIjp7fX0=",
                "funds": [{"denom": "denom", "amount": "14000"}],
            }
        }
    }
    chain.execute(reflect, {"reflect_msg": {"msgs": [release]}}, creator)
    held = [chain.balance(a, "denom") for a in (reflect, bob, escrow, creator)]
    assert held == [26_000, 39_000, 0, 35_000]


class Reflect:
    """One reflect contract with 1000denom, owned by alice."""

    def __init__(self):
        self.chain = Chain()
        self.alice, self.bob = (
            self.chain.account("alice", "5000denom"),
            self.chain.account("bob", ""),
        )
        code = self.chain.store_code(REFLECT)
        self.address = self.chain.instantiate(code, {}, self.alice, "r", funds="1000denom")

    def send(self, amount, reply_on, denom="denom", number=7):
        message = {"to_address": self.bob, "amount": [{"denom": denom, "amount": str(amount)}]}
        entry = {"id": number, "msg": {"bank": {"send": message}}, "reply_on": reply_on}
        return self.chain.try_execute(
            self.address, {"reflect_sub_msg": {"msgs": [entry]}}, self.alice
        )

    def reply(self, number=7):
        try:
            return self.chain.query(self.address, {"sub_msg_result": {"id": number}})["result"]
        except QueryFailed:
            return None


def test_C101_a_bank_error_is_caught():
    reflect = Reflect()
    assert reflect.send(2000, "always").code == 0
    assert "codespace: sdk, code: 5" in reflect.reply()["error"]
    assert reflect.chain.balance(reflect.address, "denom") == 1000


def test_C102_an_endless_submessage_ends_the_transaction():
    world = Scripted()
    loop = [sub(hackatom_loop(world))]
    assert world.run(script(messages=loop), gas_limit=400_000).code == 11


def hackatom_loop(world):
    from scripted import call

    code = world.chain.store_code(HACKATOM)
    parties = {"verifier": world.alice, "beneficiary": world.bob}
    address = world.chain.instantiate(code, parties, world.alice, "h")
    return call(address, {"cpu_loop": {}})


def test_C103_a_limit_of_300000_is_charged_and_caught():
    world = Scripted()
    own = world.run(script()).gas_used
    messages = [sub(hackatom_loop(world), gas_limit=300_000)]
    result = world.run(script(messages=messages), gas_limit=1_000_000)
    assert result.code == 0
    assert "codespace: sdk, code: 11" in world.replies(world.a)[0]["result"]["error"]
    assert own + 300_000 < result.gas_used < own + 320_000


@pytest.mark.parametrize(
    ("amount", "denom", "reply_on", "code", "stored"),
    [
        (1, "denom", "success", 0, "ok"),
        (1, "denom", "error", 0, None),
        (777_777, "no-such-token", "success", 5, None),
        (777_777, "no-such-token", "error", 0, "error"),
    ],
)
def test_C105_conditional_replies(amount, denom, reply_on, code, stored):
    reflect = Reflect()
    assert reflect.send(amount, reply_on, denom).code == code
    found = reflect.reply()
    assert (found is None) if stored is None else (stored in found)


def two_failing(world, second):
    from scripted import call

    failing = call(world.b, script(["set", "k", "v"], error="no"))
    replies = [script(data=b"myReplyData:1"), script(data=second)]
    messages = [sub(failing, "error", i, then) for i, then in enumerate(replies)]
    return world.run(script(messages=messages))


def test_C106_the_last_reply_data_wins():
    world = Scripted()
    assert two_failing(world, b"myReplyData:2").data == b"myReplyData:2"
    assert world.text(world.b, "k") is None


def test_C107_a_reply_without_data_keeps_the_one_before():
    assert two_failing(Scripted(), None).data == b"myReplyData:1"


def test_C109_a_failing_reply_fails_the_dispatch():
    from scripted import send

    world = Scripted()
    result = world.run(script(messages=[sub(send(world.bob, "1denom"), then=script(error="no"))]))
    assert result.code == 5
    assert shape(result) == []


def test_C110_events_are_released_or_discarded():
    from scripted import call

    world = Scripted()
    for error, seen in ((None, True), ("no", False)):
        child = script(["set", "k", "v"], events=[("seen", [])], error=error)
        if error is None:
            child = script(events=[("seen", [])])
        result = world.run(script(messages=[sub(call(world.b, child), "always")]))
        assert ("wasm-seen" in types(result)) is seen


def node(number, *children, data=False, reply_error=False, never=False):
    return {
        "msg_id": number,
        "set_data_in_exec_and_reply": data,
        "return_order_in_reply": False,
        "exec_error": False,
        "reply_error": reply_error,
        "reply_on_never": never,
        "messages": list(children),
    }


@pytest.fixture
def replier():
    chain = Chain()
    alice = chain.account("alice")
    address = chain.instantiate(chain.store_code(REPLIER), {}, alice, "p")

    def run(tree):
        result = chain.try_execute(address, tree, alice)
        return result, bytes(json.loads(chain.storage(address)[b"config"])["order"]).hex()

    return run


def test_C111_the_order_of_calls_and_replies(replier):
    _, order = replier(node(1, node(2, node(3)), node(4, node(5))))
    assert order == "ee01ee02ee03bb02bb01ee04ee05bb04bb01"


def test_C113_a_failing_reply_takes_its_records_along(replier):
    _, order = replier(node(1, node(2, node(3), reply_error=True), node(4, node(5))))
    assert order == "ee01bb01ee04ee05bb04bb01"


@pytest.mark.parametrize(
    ("tree", "data"),
    [
        (
            node(
                1,
                node(2, node(3, data=True), data=True),
                node(4, node(5, data=True), data=True),
                data=True,
            ),
            "0a060a02ee05bb04bb01",
        ),
        (
            node(
                1, node(2, node(3, data=True), data=True), node(4, data=True, never=True), data=True
            ),
            "0a060a02ee03bb02bb01",
        ),
        (node(1, node(2, node(3, data=True), data=True), node(4), data=True), "bb01"),
    ],
)
def test_C114_data_travels_wrapped_through_replies(replier, tree, data):
    result, _ = replier(tree)
    assert result.data.hex() == data


def test_C115_migrate_replaces_the_verifier(keeper):
    chain = keeper.chain
    other = chain.store_code(HACKATOM)
    chain.migrate(keeper.address, other, {"verifier": keeper.creator}, keeper.creator)
    assert chain.contract_info(keeper.address).code_id == other
    assert chain.query(keeper.address, {"verifier": {}}) == {"verifier": keeper.creator}
    assert chain.contract_info(keeper.address).history == 2
    chain.migrate(keeper.address, other, {"verifier": keeper.bob}, keeper.creator)


def test_C117_a_burner_pays_everything_out(keeper):
    chain = keeper.chain
    burner = chain.store_code(BURNER)
    payout = {"payout": keeper.bob, "delete": 10}
    chain.migrate(keeper.address, burner, payout, keeper.creator)
    assert chain.balance(keeper.bob, "denom") == 100_000
    assert chain.storage(keeper.address) == {}


def test_C118_only_the_current_admin(keeper):
    chain = keeper.chain
    chain.update_admin(keeper.address, keeper.bob, keeper.creator)
    for refused in (
        lambda: chain.update_admin(keeper.address, keeper.verifier, keeper.creator),
        lambda: chain.clear_admin(keeper.address, keeper.creator),
        lambda: chain.update_admin(contract_address(9, 9), keeper.bob, keeper.creator),
    ):
        with pytest.raises(Exception, match=r"unauthorized|unknown contract: invalid request"):
            refused()
    chain.clear_admin(keeper.address, keeper.bob)


def test_C119_sudo_steals_76543(keeper):
    steal = {"recipient": keeper.bob, "amount": [{"denom": "denom", "amount": "76543"}]}
    result = keeper.chain.sudo(keeper.address, {"steal_funds": steal})
    assert keeper.chain.balance(keeper.bob, "denom") == 76_543
    assert types(result) == ["sudo", "coin_spent", "coin_received", "transfer"]


def test_C121_instantiate2_onto_a_funded_account():
    chain = Chain()
    alice = chain.account("alice", "5000denom")
    code = chain.store_code(SCRIPT)
    mark = chain.snapshot()
    address = chain.instantiate2(code, {}, alice, "x", salt=b"my salt")
    chain.revert(mark)
    chain.fund(address, "100000000denom")
    inner = chain.snapshot()
    assert chain.instantiate2(code, {}, alice, "x", salt=b"my salt") == address
    assert chain.balance(address, "denom") == 100_000_000
    chain.revert(mark)
    chain.instantiate2(code, {}, alice, "x", salt=b"my salt", funds="1000denom")
    assert chain.balance(address, "denom") == 1000
    assert inner > mark


def test_C122_custom_events():
    world = Scripted()
    events = [("foo", [("myKey", "myVal")]), ("  food\n", [("my Key", "\tmyVal")]), ("bare", [])]
    events.append(("empty", [("k", ""), ("l", "\n\n\n")]))
    result = world.run(script(events=events))
    address = ("_contract_address", world.a)
    assert shape(result)[1:] == [
        ("wasm-foo", [address, ("myKey", "myVal")]),
        ("wasm-food", [address, ("my Key", "myVal")]),
        ("wasm-bare", [address]),
        ("wasm-empty", [address, ("k", ""), ("l", "")]),
    ]


@pytest.mark.parametrize(
    "events",
    [
        [("f", [])],
        [("    f   ", [])],
        *([("foo", [(key, "v")])] for key in ("_contract_address", "_reserved", "", "\n\n\n\n")),
        [("", [])] * 10,
    ],
)
def test_C123_events_that_are_refused(events):
    assert Scripted().run(script(events=events)).code == 21


def test_C125_a_write_in_a_query_is_not_visible():
    world = Scripted()
    with pytest.raises(QueryFailed):
        world.chain.query(world.a, {"do": [["set", "k", "v"]]})
    assert world.chain.storage(world.a) == {}


def test_C126_raw_and_smart_queries():
    world = Scripted()
    world.run(script(["set", "foo", '"bar"'], ["sethex", "0001", b'{"count":8}'.hex()]))
    raw = world.chain.query_raw
    assert (raw(world.a, b"foo"), raw(world.a, b"\x00\x01")) == (b'"bar"', b'{"count":8}')
    assert raw(world.a, b"missing") is raw(world.a, b"") is None
    with pytest.raises(QueryFailed, match="no such contract"):
        raw(world.bob, b"foo")
    with pytest.raises(QueryFailed, match="no such contract"):
        world.chain.query(world.bob, {})
    reflect = Reflect()
    with pytest.raises(QueryFailed, match="unknown variant"):
        reflect.chain.query(reflect.address, {"nope": {}})
