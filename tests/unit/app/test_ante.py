"""What stands before execution: codes, texts, order, and that a refusal changes nothing (CH-9)."""

from __future__ import annotations

import pytest
from app_world import CHAIN_ID, PRICE, World, coins, kinds, native, wallet

from chain.protowire import int_field, message_field, text_field
from chain.tx.builder import cosmos_auth_info, cosmos_body, cosmos_raw
from chain.tx.messages import MsgExecuteContract, MsgInstantiateContract, MsgSend
from chain.tx.native import decode_native, encode_envelope
from chain.tx.signing import CONTEXT, direct_bytes


@pytest.fixture
def world():
    made = World()
    made.block()
    return made


def send(world, amount="5umsg", to=None):
    return MsgSend(world.alice.address, to or world.bob.address, coins(amount))


def refused(world, raw):
    """Both doors answer alike and nothing changes."""
    before = dict(world.app.store.view.range(None, None))
    checked = world.app.check_tx(raw)
    result = world.finalize(raw).tx_results[0]
    assert (checked.codespace, checked.code, checked.log) == (
        result.codespace,
        result.code,
        result.log,
    )
    assert result.code != 0
    assert result.events == []
    world.app.commit()
    digest = {key: value for key, value in world.app.store.view.range(None, None) if key != b"me"}
    before.pop(b"me", None)
    assert digest == before
    return result


def test_a_signed_send_moves_coins_and_charges_what_it_used(world):
    before = world.app.queries.balance(world.alice.address, "amsg").amount
    result = world.block(world.native_tx([send(world)], world.alice)).tx_results[0]
    assert result.code == 0
    spent = before - world.app.queries.balance(world.alice.address, "amsg").amount
    assert spent == 5 * 10**12 + result.gas_used * PRICE
    assert kinds(result)[:7] == [
        "coin_spent",
        "coin_received",
        "transfer",
        "message",
        "tx",
        "tx",
        "tx",
    ]


def test_a_cosmos_transaction_does_the_same(world):
    message = MsgSend(world.wallet.address, world.bob.address, coins("5umsg"))
    result = world.block(world.cosmos_tx([message], world.wallet)).tx_results[0]
    assert result.code == 0
    assert world.account(world.wallet)[1] == 1


def test_a_key_travels_once(world):
    first = world.native_tx([send(world)], world.alice)
    world.block(first)
    second = world.native_tx([send(world)], world.alice, send_keys=False)
    assert len(second) < len(first) - 2500
    assert world.block(second).tx_results[0].code == 0


def test_the_same_bytes_never_take_effect_twice(world):
    raw = world.native_tx([send(world)], world.alice)
    first, second = world.block(raw, raw).tx_results
    assert first.code == 0
    assert (second.codespace, second.code) == ("sdk", 32)
    assert second.log == "account sequence mismatch, expected 1, got 0: incorrect account sequence"
    assert world.block(raw).tx_results[0].code == 32


def test_wrong_chain_id(world):
    result = refused(world, world.native_tx([send(world)], world.alice, chain_id="other-1"))
    assert (result.code, result.log) == (
        28,
        "got: other-1, expected: msg-chain-1: invalid chain-id",
    )


def test_wrong_chain_id_of_a_cosmos_transaction_is_a_bad_signature(world):
    message = MsgSend(world.wallet.address, world.bob.address, coins("5umsg"))
    result = refused(world, world.cosmos_tx([message], world.wallet, chain_id="other-1"))
    assert result.code == 4
    assert result.log == (
        "signature verification failed; please verify account number (3) and chain-id (msg-chain-1): "
        "(unable to verify single signer signature): unauthorized"
    )


def test_timeout_height_is_the_last_height_that_takes_it(world):
    height = world.app.height
    late = world.native_tx([send(world)], world.alice, timeout_height=height)
    result = world.finalize(late).tx_results[0]
    assert result.log == f"block height: {height + 1}, timeout height: {height}: tx timeout height"
    assert result.code == 30
    fits = world.native_tx([send(world)], world.alice, timeout_height=height + 1)
    assert world.block(fits).tx_results[0].code == 0


def test_sequence_too_high(world):
    result = refused(world, world.native_tx([send(world)], world.alice, skip=1))
    assert (result.codespace, result.code) == ("sdk", 32)


def test_account_that_does_not_exist(world):
    ghost = native("ghost")
    message = MsgSend(ghost.address, world.bob.address, coins("1umsg"))
    world.account = lambda key: (0, 0)
    result = refused(world, world.native_tx([message], ghost))
    assert (result.code, result.log) == (
        9,
        f"fee payer address: {ghost.address} does not exist: unknown address",
    )


def granted(world, granter):
    """A send whose fee another is to pay."""
    number, sequence = world.account(world.alice)
    fee = message_field(1, text_field(1, "umsg") + text_field(2, "1000"))
    fee += int_field(2, 1_000_000) + text_field(4, granter)
    signer = cosmos_auth_info([world.alice.pubkey], [sequence], gas_limit=0)
    auth = signer.removesuffix(message_field(2, b"")) + message_field(2, fee)
    body = cosmos_body([send(world)], "")
    signature = world.alice.sign(direct_bytes(body, auth, CHAIN_ID, number), CONTEXT)
    return cosmos_raw(body, auth, [signature])


def test_nobody_grants_anybody_a_fee(world):
    result = refused(world, granted(world, world.bob.address))
    assert (result.codespace, result.code) == ("sdk", 38)
    bob, alice = [
        "".join(
            char if char.isascii() else "\ufffd"
            for char in key.pubkey.canonical().decode("utf-8", "surrogateescape")
        )
        for key in (world.bob, world.alice)
    ]
    start = f"{bob} does not allow to pay fees for {alice}"
    assert result.log == f"{start}: fee-grant not found: not found"


def test_a_granter_that_is_no_address(world):
    result = refused(world, granted(world, "nobody"))
    assert (result.codespace, result.code) == ("sdk", 7)


def test_one_grants_oneself_a_fee(world):
    assert world.block(granted(world, world.alice.address)).tx_results[0].code == 0


def test_the_fee_comes_before_sequence_and_signature(world):
    """As in wasmd's ante: what a refused transaction is told first."""
    broken = {"chain_id": "other-chain", "fee": coins("1umsg")}
    assert refused(world, world.cosmos_tx([send(world)], world.alice, **broken)).code == 13
    everything = world.app.queries.balance(world.alice.address, "amsg").amount
    broken["fee"] = coins(f"{everything + 1}amsg")
    assert refused(world, world.cosmos_tx([send(world)], world.alice, **broken)).code == 5
    broken["fee"] = coins("1000umsg")
    assert refused(world, world.cosmos_tx([send(world)], world.alice, **broken)).code == 4


def test_the_envelope_comes_before_the_signers_address(world):
    message = MsgSend("x", world.bob.address, coins("1umsg"))
    raw = world.cosmos_tx([message], world.alice, gas_limit=1 << 63, fee=coins("1umsg"))
    assert refused(world, raw).log.startswith("invalid gas supplied")
    assert refused(world, world.cosmos_tx([message], world.alice)).code == 1


def test_a_flipped_bit_in_the_signature(world):
    tx = decode_native(world.native_tx([send(world)], world.alice))
    for place in (0, 2000, 4626):
        broken = bytearray(tx.signers[0].signature)
        broken[place] ^= 1
        result = refused(world, encode_envelope(tx.body, [bytes(broken)]))
        assert (result.codespace, result.code) == ("sdk", 4)


def test_a_key_of_another_account(world):
    stranger = wallet("stranger")
    message = MsgSend(world.wallet.address, world.bob.address, coins("1umsg"))
    world.account = lambda key: (3, 0)
    result = refused(world, world.cosmos_tx([message], stranger))
    assert result.code == 8
    assert result.log == (
        f"pubKey does not match signer address {world.wallet.address} with signer index: 0: invalid pubkey"
    )


def test_a_native_transaction_without_a_needed_signer(world):
    messages = [send(world), MsgSend(world.bob.address, world.alice.address, coins("1umsg"))]
    result = refused(world, world.native_tx(messages, world.alice))
    assert (result.codespace, result.code) == ("sdk", 4)
    assert world.bob.address in result.log


def test_ceiling_below_limit_times_price(world):
    raw = world.native_tx([send(world)], world.alice, gas_limit=200_000, fee=coins("199umsg"))
    result = refused(world, raw)
    assert result.code == 13
    assert result.log == (
        f"insufficient fees; got: 199umsg required: {200_000 * PRICE}amsg: insufficient fee"
    )


def test_a_cosmos_client_reads_the_required_fee_in_umsg(world):
    message = MsgSend(world.wallet.address, world.bob.address, coins("1umsg"))
    raw = world.cosmos_tx([message], world.wallet, gas_limit=200_000, fee=coins("199umsg"))
    assert refused(world, raw).log == (
        "insufficient fees; got: 199umsg required: 200umsg: insufficient fee"
    )


def test_fees_in_other_coins_are_refused_by_name(world):
    raw = world.native_tx([send(world)], world.alice, gas_limit=300_000, fee=coins("300umsg,1utok"))
    result = refused(world, raw)
    assert (result.codespace, result.code) == ("msgchain", 3)
    assert "utok" in result.log


def test_ceiling_above_the_balance(world):
    raw = world.native_tx([send(world)], world.alice, fee=coins("2000msg"))
    result = refused(world, raw)
    assert result.code == 5
    assert result.log.endswith("insufficient funds: insufficient funds")


def test_memo_above_256_bytes(world):
    result = refused(world, world.native_tx([send(world)], world.alice, memo="m" * 257))
    assert (result.code, result.log) == (
        12,
        "maximum number of characters is 256 but received 257 characters: memo too large",
    )


def test_static_checks_come_first_and_without_prefix(world):
    message = MsgInstantiateContract(world.alice.address, "", 1, "", b"{}", ())
    result = refused(world, world.native_tx([message], world.alice))
    assert (result.codespace, result.code, result.log) == ("wasm", 12, "label: is required: empty")


def test_gas_that_ends_in_the_ante_changes_nothing(world):
    result = refused(world, world.native_tx([send(world)], world.alice, gas_limit=1_000))
    assert result.code == 11
    assert result.log.startswith("out of gas in location: txSize; gasWanted: 1000, gasUsed: ")


def test_undecodable_bytes_get_a_result(world):
    result = refused(world, b"\x92\x01")
    assert (result.codespace, result.code) == ("sdk", 2)


def test_a_failed_message_keeps_fee_and_sequence_only(world):
    message = MsgExecuteContract(
        world.alice.address, world.contract, b'{"set":{"a":"1"},"fail":"no"}'
    )
    before = world.app.queries.balance(world.alice.address, "amsg").amount
    result = world.block(world.native_tx([message], world.alice)).tx_results[0]
    assert (result.codespace, result.code) == ("wasm", 5)
    assert kinds(result) == ["coin_spent", "coin_received", "transfer", "message", "tx", "tx", "tx"]
    assert world.account(world.alice)[1] == 1
    assert world.app.queries.raw(world.contract, b"a") is None
    paid = before - world.app.queries.balance(world.alice.address, "amsg").amount
    assert paid == result.gas_used * PRICE  # unused gas is not charged


def test_out_of_gas_charges_the_limit(world):
    message = MsgExecuteContract(world.alice.address, world.contract, b'{"loop":1}')
    before = world.app.queries.balance(world.alice.address, "amsg").amount
    result = world.block(world.native_tx([message], world.alice, gas_limit=400_000)).tx_results[0]
    assert (result.codespace, result.code) == ("sdk", 11)
    assert result.gas_used == result.gas_wanted == 400_000
    assert before - world.app.queries.balance(world.alice.address, "amsg").amount == 400_000 * PRICE


def test_nobody_counts_on_a_refund_within_a_block(world):
    held = world.app.queries.balance(world.alice.address, "amsg").amount
    first = world.native_tx([send(world)], world.alice, fee=coins(f"{held - 10**16}amsg"))
    second = world.native_tx([send(world)], world.alice, skip=1, fee=coins("1000umsg"))
    third = world.native_tx([send(world)], world.alice, skip=2, fee=coins(f"{held // 2}amsg"))
    results = world.block(first, second, third).tx_results
    assert [result.code for result in results] == [0, 0, 5]
    assert world.block(world.native_tx([send(world)], world.alice)).tx_results[0].code == 0


def test_the_pool_takes_many_of_one_account_and_no_gap(world):
    one, two, four = (world.native_tx([send(world)], world.alice, skip=n) for n in (0, 1, 3))
    assert [world.app.check_tx(raw).code for raw in (one, two, four)] == [0, 0, 32]
    world.block(one)
    assert world.app.check_tx(two, recheck=True).code == 0
    assert world.app.check_tx(one, recheck=True).code == 32


def test_a_developer_transaction_needs_a_devnet():
    world = World(state={"devnet": False})
    world.open()
    result = world.call(b"{}")
    assert (result.codespace, result.code) == ("msgchain", 2)


def test_simulation_asks_for_no_signature_and_no_fee(world):
    raw = world.native_tx([send(world)], world.alice, fee=())
    tx = decode_native(raw)
    result = world.app.simulate(encode_envelope(tx.body, [b""]))
    assert result.code == 0
    assert result.gas_used > 80_000
    assert world.account(world.alice)[1] == 0


def messages_of(world, key):
    to = world.bob.address
    yield [MsgSend(key.address, to, coins("5umsg"))]
    yield [MsgSend(key.address, to, coins("1umsg")) for _ in range(3)]
    yield [MsgSend(key.address, wallet("nobody knows me yet").address, coins("7amsg"))]


@pytest.mark.parametrize("gas", [100_000, 1_000_000, 90_000_000])
@pytest.mark.parametrize("form", ["native", "cosmos"])
def test_a_simulation_without_fee_and_signature_covers_the_real_gas(world, form, gas):
    key = world.alice if form == "native" else world.wallet
    world.block(
        world.native_tx(
            [MsgSend(world.alice.address, world.wallet.address, coins("1msg"))], world.alice
        )
    )
    for messages in messages_of(world, key):
        asked = simulated(world, form, messages, key)
        make = world.native_tx if form == "native" else world.cosmos_tx
        limit = max(gas, asked.gas_used * 13 // 10 // 1000 * 1000)
        raw = make(messages, key, gas_limit=limit)
        real = world.block(raw).tx_results[0]
        assert (asked.code, real.code) == (0, 0)
        assert real.gas_used <= asked.gas_used <= real.gas_used * 11 // 10


def simulated(world, form, messages, key):
    """As CosmJS asks: no fee, no gas limit, an empty signature."""
    if form == "native":
        tx = decode_native(world.native_tx(messages, key, fee=(), gas_limit=1))
        return world.app.simulate(encode_envelope(tx.body, [b""]))
    auth = cosmos_auth_info([key.pubkey], [world.account(key)[1]], gas_limit=0, fee=())
    return world.app.simulate(cosmos_raw(cosmos_body(messages, ""), auth, [b""]))


def test_a_simulation_of_who_has_nothing_left_says_what_the_messages_say(world):
    everything = world.app.queries.balance(world.alice.address, "amsg").amount
    whole = [MsgSend(world.alice.address, world.bob.address, coins(f"{everything}amsg"))]
    assert simulated(world, "native", whole, world.alice).code == 0
