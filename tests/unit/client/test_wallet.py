"""Keys, sequences, gas estimates and fees of the client."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest

from chain.cli.demo_chain import LocalChain
from chain.client.agent import MSG, Agent, Owner
from chain.client.transport import ChainError, Outcome, TxFailed, TxRefused
from chain.client.wallet import GAS_MARGIN_PERCENT, Wallet, execute, funds
from chain.crypto.keys import Secp256k1Key
from chain.tx.codec import decode_tx
from chain.tx.messages import MsgInstantiateContract, MsgSend


@pytest.fixture
def wallet(chain: LocalChain, faucet: Wallet, request: pytest.FixtureRequest) -> Wallet:
    seed = hashlib.sha256(f"wallet/{request.node.name}".encode()).digest()
    made = Wallet.from_seed(seed, chain)
    faucet.pay(made.address, "10msg")
    return made


def to_faucet(wallet: Wallet, faucet: Wallet, amount: str = "1amsg") -> list[MsgSend]:
    return [MsgSend(wallet.address, faucet.address, funds(amount))]


def test_the_fee_is_limit_times_price(wallet: Wallet, faucet: Wallet) -> None:
    tx = decode_tx(wallet.sign(to_faucet(wallet, faucet), 150_000))
    assert [(coin.denom, int(coin.amount)) for coin in tx.fee] == [("amsg", 150_000 * 10**9)]
    assert tx.gas_limit == 150_000


@pytest.mark.parametrize("kind", ["native", "cosmos"])
def test_an_estimate_covers_the_transaction(
    chain: LocalChain, faucet: Wallet, wallet: Wallet, kind: str
) -> None:
    sender = wallet
    if kind == "cosmos":
        sender = Wallet(Secp256k1Key(hashlib.sha256(b"estimate").digest()), chain)
        faucet.pay(sender.address, "5msg")
    for _ in range(2):  # with the key, and without
        messages = to_faucet(sender, faucet)
        limit = sender.estimate(messages)
        outcome = sender.send(messages)
        assert outcome.gas_used <= outcome.gas_wanted
        assert outcome.gas_used * 100 <= limit * 100 <= outcome.gas_used * (GAS_MARGIN_PERCENT + 1)


def test_only_what_was_used_is_paid(wallet: Wallet, faucet: Wallet) -> None:
    before = wallet.balance()
    outcome = wallet.send(to_faucet(wallet, faucet), gas_limit=1_000_000)
    assert before - wallet.balance() == outcome.gas_used * 10**9 + 1


def test_the_key_travels_once(wallet: Wallet, faucet: Wallet) -> None:
    first = wallet.sign(to_faucet(wallet, faucet), 150_000)
    wallet.send(to_faucet(wallet, faucet))
    second = wallet.sign(to_faucet(wallet, faucet), 150_000)
    assert len(first) - len(second) >= 2_592
    assert decode_tx(second).signers[0].pubkey is None


def test_many_transactions_without_asking_again(wallet: Wallet, faucet: Wallet) -> None:
    sequences = [wallet.account().sequence]
    for _ in range(3):
        wallet.send(to_faucet(wallet, faucet))
        sequences.append(wallet.account().sequence)
    assert sequences == [0, 1, 2, 3]


def test_a_sequence_that_others_used_up_is_asked_for(
    chain: LocalChain, wallet: Wallet, faucet: Wallet
) -> None:
    other = Wallet(wallet.key, chain)
    wallet.send(to_faucet(wallet, faucet))
    other.send(to_faucet(wallet, faucet))
    assert wallet.send(to_faucet(wallet, faucet)).code == 0


def test_a_failure_costs_fee_and_sequence_and_the_next_one_goes(
    chain: LocalChain, wallet: Wallet, faucet: Wallet
) -> None:
    before = wallet.balance()
    bad = [execute(wallet.address, chain.contracts.a2a, {"mark_read": {"msg_id": "none"}})]
    with pytest.raises(TxFailed, match="not found") as caught:
        wallet.send(bad, gas_limit=300_000)
    assert isinstance(caught.value.outcome, Outcome)
    assert before - wallet.balance() == caught.value.outcome.gas_used * 10**9
    assert wallet.send(to_faucet(wallet, faucet)).code == 0


def test_what_the_simulation_runs_into_is_not_sent(chain: LocalChain, wallet: Wallet) -> None:
    height = chain.height()
    with pytest.raises(TxRefused, match="not found"):
        wallet.execute(chain.contracts.a2a, {"mark_read": {"msg_id": "none"}})
    assert chain.height() == height


def test_more_than_there_is_is_refused_before_a_block(wallet: Wallet, faucet: Wallet) -> None:
    with pytest.raises(TxRefused) as caught:
        wallet.send(to_faucet(wallet, faucet), gas_limit=20_000_000_000)
    assert (caught.value.codespace, caught.value.code) in (("sdk", 5), ("msgchain", 4))


def test_an_account_that_nobody_paid_is_said_so(chain: LocalChain) -> None:
    stranger = Wallet.from_seed(hashlib.sha256(b"stranger").digest(), chain)
    with pytest.raises(ChainError, match="does not exist; send it some coins first"):
        stranger.pay(stranger.address, "1amsg")


def test_form_follows_the_key(chain: LocalChain, wallet: Wallet, owner: Owner) -> None:
    assert (wallet.form, owner.wallet.form) == ("native", "cosmos")
    assert wallet.address.startswith("msg1")
    assert len(wallet.address) == 52
    assert owner.address.startswith("msg1")
    assert len(owner.address) == 42


def test_an_agent_alone_may_not_instantiate_and_with_its_owner_it_may(
    chain: LocalChain, agent: Callable[..., Agent], owner: Owner
) -> None:
    alone = agent("builder", owner=owner.address)
    msg = {
        "name": "Token",
        "symbol": "TOK",
        "decimals": 6,
        "initial_balances": [{"address": alone.address, "amount": "5"}],
    }
    wanted = [MsgInstantiateContract(alone.address, "", 7, "token", json.dumps(msg).encode(), ())]
    with pytest.raises(TxRefused) as caught:
        alone.wallet.send(wanted)
    assert (caught.value.codespace, caught.value.code) == ("msgchain", 1)
    outcome = alone.wallet.send(wanted, cosigners=[owner.wallet])
    token = outcome.attribute("instantiate", "_contract_address")
    balance = alone.ask(token, "balance", address=alone.address)
    assert balance == {"balance": "5"}
    assert owner.wallet.send(to_faucet(owner.wallet, alone.wallet)).code == 0


def test_funds_reads_coins() -> None:
    assert [(coin.denom, int(coin.amount)) for coin in funds("5msg,2utok")] == [
        ("msg", 5),
        ("utok", 2),
    ]
    with pytest.raises(ValueError, match="not a coin"):
        funds("msg")
    assert MSG == 10**18
