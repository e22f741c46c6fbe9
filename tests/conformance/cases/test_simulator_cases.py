"""Cases of cw-multi-test's own tests (C127 to C154), with the chain's behaviour where the two differ."""

import pytest
from scripted import Scripted, burn, call, create, plain, script, send, shape, sub, types

from chain.crypto.addresses import contract_address
from chain.std import BankMsg, Coin, Response, SubMsg, WasmMsg
from chain.store.memory import MemoryBackend
from chain.store.overlay import Overlay
from chain.testing import Chain, Contract, mock_env


def made_of(chain, sender, funds=(), **entries):
    entries.setdefault("instantiate", lambda *_: Response())
    code = chain.store_code(Contract(name="case", **entries))
    return chain.instantiate(code, {}, sender, "case", funds=funds, admin=sender)


def test_C127_sends_of_several_coins():
    chain = Chain()
    owner, other = chain.account("owner", "20btc,100eth"), chain.account("other", "5btc")
    chain.send(owner, other, "5btc,30eth")
    assert chain.balances(owner) == [Coin("btc", 15), Coin("eth", 70)]
    assert chain.balances(other) == [Coin("btc", 10), Coin("eth", 30)]
    assert chain.send(other, other, "5btc,30eth").code == 0
    assert chain.try_send(owner, other, "20btc").code == 5
    assert chain.balances(owner) == [Coin("btc", 15), Coin("eth", 70)]


def test_C129_zero_and_empty_amounts():
    world = Scripted()
    assert world.run(script(messages=[plain(send(world.bob, ""))])).code == 0  # as wasmd
    for message in (send(world.bob, "0denom"), burn("0denom"), burn("")):
        assert world.run(script(messages=[plain(message)])).code != 0
    world.chain.fund(world.bob, "4321atom")
    assert world.chain.balance(world.bob, "atom") == 4321
    with pytest.raises(Exception, match="atom"):
        world.chain.fund(world.bob, [Coin("atom", 0)])


def test_C130_nested_caches():
    base = Overlay(MemoryBackend())
    base.set(b"owner", b"100")
    outer = base.checkpoint()
    base.set(b"rcpt", b"25")
    inner = base.checkpoint()
    base.set(b"rcpt", b"37")
    assert base.get(b"rcpt") == b"37"
    base.rollback(inner)
    assert base.get(b"rcpt") == b"25"
    base.rollback(outer)
    assert base.get(b"rcpt") is None


@pytest.fixture
def payout():
    """A chain with a contract that pays 5eth a call and counts."""
    chain = Chain()
    owner, random = chain.account("owner", "20btc,100eth"), chain.account("random", "")

    def count(storage, value=None):
        if value is not None:
            storage.set(b"count", str(value).encode())
        return int(storage.get(b"count") or b"0")

    def execute(deps, env, info, msg):
        count(deps.storage, count(deps.storage) + 1)
        paid = BankMsg.Send(info.sender, [Coin("eth", 5)])
        return Response().add_message(paid).add_attribute("action", "payout")

    def sudo(deps, env, msg):
        count(deps.storage, msg["set_count"])
        return Response()

    address = made_of(
        chain,
        owner,
        "23eth",
        execute=execute,
        sudo=sudo,
        query=lambda deps, env, msg: {"count": count(deps.storage)},
    )
    return chain, owner, random, address


def test_C131_a_payout_contract(payout):
    chain, owner, random, address = payout
    assert (chain.balance(owner, "eth"), chain.balance(address, "eth")) == (77, 23)
    info = chain.contract_info(address)
    assert (info.code_id, info.creator, info.created[0]) == (1, owner, chain.height)
    result = chain.execute(address, {}, random)
    assert types(result) == ["execute", "wasm", "coin_spent", "coin_received", "transfer"]
    assert (chain.balance(random, "eth"), chain.balance(address, "eth")) == (5, 18)


def test_C133_an_error_undoes_earlier_submessages():
    world = Scripted()
    world.run(script(["append", "count", "x"], messages=[plain(send(world.bob, "7denom"))]))
    short = [plain(send(world.bob, "8denom")), plain(send(world.bob, "3earth"))]
    assert world.run(script(["append", "count", "x"], messages=short)).code == 5
    assert world.chain.balance(world.bob, "denom") == 17
    assert world.text(world.a, "count") == "x"


def test_C134_sudo_sets_the_count(payout):
    chain, _, random, address = payout
    chain.execute(address, {}, random)
    assert chain.query(address, {}) == {"count": 1}
    for value in (25, 49):
        chain.sudo(address, {"set_count": value})
        assert chain.query(address, {}) == {"count": value}


def test_C135_replies_to_sends_are_stored():
    world = Scripted()
    assert world.replies(world.a) == []
    then = script(events=[("custom", [("from", "reply")])])
    good = world.run(script(messages=[sub(send(world.bob, "7denom"), number=123, then=then)]))
    assert types(good)[-2:] == ["reply", "wasm-custom"]
    (first,) = world.replies(world.a)
    assert (first["id"], first["result"]["ok"]["events"]) == (123, [])  # as wasmd
    bad = world.run(script(messages=[sub(send(world.bob, "9999denom"), number=456)]))
    assert bad.code == 0
    assert "error" in world.replies(world.a)[1]["result"]


def test_C137_migrations():
    world = Scripted()
    chain = world.chain
    assert chain.try_migrate(world.a, world.code, {}, world.bob).code == 4
    assert chain.try_migrate(world.a, world.code + 7, {}, world.alice).code == 18
    chain.migrate(world.a, world.code, script(["set", "beneficiary", "new"]), world.alice)
    assert world.text(world.a, "beneficiary") == "new"


def test_C138_sent_funds_are_visible_at_once():
    chain = Chain()
    owner, beneficiary = chain.account("owner", "30btc"), chain.account("beneficiary", "")

    def execute(deps, env, info, msg):
        held = deps.querier.query_all_balances(env.contract.address)
        return Response().add_message(BankMsg.Send(beneficiary, held))

    address = made_of(chain, owner, "10btc", execute=execute)
    chain.execute(address, {}, owner, "20btc")
    assert [chain.balance(a, "btc") for a in (owner, address, beneficiary)] == [0, 0, 30]


def data_of(*children, own=b"ORIGINAL"):
    """Data of a call with children (data, policy) whose replies hand their data on."""
    world = Scripted()
    messages = []
    for number, (data, policy) in enumerate(children):
        then = script(data=data) if data is not None else script()
        messages.append(sub(call(world.b, script()), policy, number, then))
    return world.run(script(data=own, messages=messages)).data


@pytest.mark.parametrize(
    ("policies", "data"),
    [
        (("always",) * 4, b"SECOND"),
        (("never",) * 4, b"ORIGINAL"),
        (("always", "never", "always", "always"), b"SECOND"),
    ],
)
def test_C141_which_data_wins(policies, data):
    children = zip((None, b"FIRST", b"SECOND", None), policies, strict=True)
    assert data_of(*children) == data


def test_C141_a_reply_that_never_comes_changes_nothing():
    children = [(None, "always"), (b"FIRST", "never"), (b"SECOND", "always"), (None, "always")]
    assert data_of(*children, (b"THIRD", "never")) == b"SECOND"


def test_C142_data_comes_up_through_nested_replies():
    chain = Chain()
    alice = chain.account("alice")

    def execute(deps, env, info, msg):
        response = Response()
        if msg["data"]:
            response.set_data(msg["data"].encode())
        if msg["below"]:
            inner = {"data": msg["below"][0], "below": msg["below"][1:]}
            message = WasmMsg.Execute(env.contract.address, inner)
            response.add_submessage(SubMsg.reply_always(message, 1))
        return response

    def reply(deps, env, reply):
        data = reply.result.ok.data
        return Response().set_data(data[2:]) if data else Response()

    address = made_of(chain, alice, execute=execute, reply=reply)
    message = {"data": "ORIGINAL", "below": [None, "FIRST", "SECOND", None]}
    assert chain.execute(address, message, alice).data == b"SECOND"


def test_C143_data_of_a_plain_message_stays_below():
    world = Scripted()
    echo = call(world.b, script(data=b"ORIGINAL"))
    result = world.run(script(messages=[plain(echo)]))
    assert (result.data, types(result)) == (b"", ["execute", "execute"])


def test_C145_instantiate_data_and_addresses():
    world = Scripted()
    result = world.chain.try_instantiate(world.code, script(data=b"food"), world.alice, "l")
    assert (result.data, result.address) == (b"food", contract_address(world.code, 4))
    factory = script(
        messages=[sub(send(world.bob, ""), then=script(messages=[plain(create(1, {}))]))]
    )
    shown = shape(world.run(factory))
    child = next(
        dict(attributes)["_contract_address"] for kind, attributes in shown if kind == "instantiate"
    )
    assert child == contract_address(world.code, 5)


def test_C146_the_payload_tells_replies_apart():
    chain = Chain()
    alice = chain.account("alice", "100denom")
    bob, cecil = chain.account("bob", "200denom"), chain.account("cecil", "300denom")

    def execute(deps, env, info, msg):
        response = Response().set_data(b"0EXECUTE")
        for number, kind, to, amount in msg:
            coins = [Coin("denom", amount)]
            message = BankMsg.Send(to, coins) if to else BankMsg.Burn(coins)
            response.add_submessage(
                SubMsg.reply_always(message, number).with_payload(kind.encode())
            )
        return response

    def reply(deps, env, reply):
        return Response().set_data(str(reply.id).encode() + (reply.payload or b"EMPTY"))

    address = made_of(chain, alice, "90denom", execute=execute, reply=reply)

    def run(*messages):
        return chain.execute(address, list(messages), alice).data

    assert run([1, "SEND", bob, 10]) == b"1SEND"
    assert run([2, "SEND", bob, 1], [3, "SEND", cecil, 2]) == b"3SEND"
    assert run([4, "BURN", "", 10]) == b"4BURN"
    assert run([5, "", "", 10]) == b"5EMPTY"
    assert run() == b"0EXECUTE"
    assert [chain.balance(a, "denom") for a in (alice, bob, cecil, address)] == [10, 211, 302, 57]


def test_C147_responses_of_calls_sends_and_burns():
    world = Scripted()
    messages = [call(world.b, script(data=b"350")), send(world.bob, "100denom"), burn("17denom")]
    world.run(script(messages=[sub(message) for message in messages]))
    seen = [reply["result"]["ok"]["msg_responses"] for reply in world.replies(world.a)]
    assert seen == [
        [{"type_url": "/cosmwasm.wasm.v1.MsgExecuteContractResponse", "value": "CgMzNTA="}],
        [{"type_url": "/cosmos.bank.v1beta1.MsgSendResponse", "value": ""}],
        [],
    ]


def test_C149_addresses_of_first_instances():
    assert contract_address(1, 0, "purple") == (
        "purple1mzdhwvvh22wrt07w59wxyd58822qavwkx5lcej7aqfkpqqlhaqfs5efvjk"
    )
    assert contract_address(1, 1, "purple") == (
        "purple14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9smc2vxm"
    )


def test_C150_salts():
    world = Scripted()
    two = [world.chain.instantiate2(1, {}, world.alice, "l", salt=salt) for salt in (b"a", b"b")]
    assert len(set(two)) == 2
    with pytest.raises(Exception, match="already exists"):
        world.chain.instantiate2(1, {}, world.alice, "l", salt=b"a")


@pytest.mark.parametrize("levels", [0, 1, 2])
def test_C151_the_innermost_error_surfaces(levels):
    world = Scripted()
    message = script(error="root cause")
    for address in (world.c, world.b)[:levels]:
        message = script(messages=[plain(call(address, message))])
    result = world.run(message)
    assert "root cause: execute wasm contract failed" in result.log


def test_C153_ranges_over_a_cache():
    backend = MemoryBackend()
    backend.write({b"ant": b"1", b"ze": b"3"}, sync=False)
    cache = Overlay(backend)
    cache.set(b"foo", b"2")
    keys = [key for key, _ in cache.range(None, None)]
    assert keys == [b"ant", b"foo", b"ze"]
    assert [key for key, _ in cache.range(b"ant", b"ze")] == [b"ant", b"foo"]
    assert [key for key, _ in cache.range(None, None, True)] == keys[::-1]
    assert list(cache.range(b"z", b"a")) == []
    cache.remove(b"ze")
    assert [key for key, _ in cache.range(None, None)] == [b"ant", b"foo"]


def test_C154_default_height_and_next_block():
    assert (mock_env().block.height, int(mock_env().block.time)) == (12345, 1571797419879305533)
    chain = Chain()
    chain.set_height(12345)
    chain.set_time(1571797419879305533)
    chain.next_block()
    assert (chain.height, chain.time) == (12346, 1571797424879305533)


def test_C139_native_messages_of_other_modules_are_unknown_here():
    world = Scripted()
    result = world.run(script(messages=[plain({"custom": {"mint": {"amount": "54321"}}})]))
    assert (result.codespace, result.code) == ("wasm", 20)
