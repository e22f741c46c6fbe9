"""A chain that goes on with the exported state of another answers every query as that one does."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain as joined
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import every_query as eq
import pytest
from click.testing import CliRunner

from chain import wiring
from chain.app import keys, records
from chain.app.queries.grpc import SERVICES
from chain.cli.main import cli
from chain.cli.recover import exported
from chain.crypto.addresses import humanize
from chain.driver.genesis import SECOND, parse
from chain.driver.producer import Producer
from chain.tx.builder import build_dev, build_simulation
from chain.tx.codec import decode_tx
from chain.tx.messages import (
    Amount,
    Coin,
    DevExecute,
    Msg,
    MsgExecuteContract,
    MsgSend,
    MsgUpdateValidators,
    ValidatorChange,
)
from contracts.registry import NAMES, REGISTRY

#: kinds that are refused on every chain, or that need what this story does not have
UNMET = {
    "",
    "/app/nothing",
    "/no",
    "/store/none/key",
    "token_v1.download_logo",  # the devnet's token has none
}


class Pair(NamedTuple):
    """The chain that was exported, the one that goes on, and where they part."""

    old: Producer
    new: Producer
    exported: int
    answers: Sequence[object]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """The demo's chain and its continuation, with the demo's messages run once more on both."""
    folder = tmp_path_factory.mktemp("answers")
    home, target = folder / "old" / "data", folder / "genesis.json"
    for command in (
        ["demo", "--json", "--home", str(home)],
        ["state", "export", "--home", str(home.parent), str(target)],
    ):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, done.output
    signers = wiring.dev_validator_keys(1)
    old = wiring.open_chain(home, parse(wiring.devnet_genesis()), signers=signers)
    old.app.queries.services = SERVICES
    new = wiring.open_chain(folder / "new", parse(json.loads(target.read_text())), signers=signers)
    new.app.queries.services = SERVICES
    exported = old.height
    raws = again(old)
    time = old.state.time
    results = []
    for start in range(0, len(raws), 5):
        time += SECOND
        both = [chain.produce(raws[start : start + 5], time).result for chain in (old, new)]
        assert both[0].tx_results == both[1].tx_results
        assert both[0].events == both[1].events
        results += both[0].tx_results
    yield Pair(old, new, exported, results)
    old.store.close()
    new.store.close()


def again(chain: Producer) -> list[bytes]:
    """The messages of a chain's transactions, each by its sender's hand again, and some of ours."""
    messages = [
        message
        for record in chain.records(1)
        for raw in record.block.txs
        for message in decode_tx(raw).messages
    ]
    messages += ours()
    return [
        build_dev([DevExecute((message,))], chain_id=chain.chain_id, nonce=number)
        for number, message in enumerate(messages)
        if not message.TYPE_URL.startswith("/msgchain.dev")
    ]


def ours() -> list[Msg]:
    """What the demo leaves undone: an escrow that stays open, tokens that move, a payment."""
    alice, bob = wiring.dev_key("alice").address, wiring.dev_key("bob").address
    coins = (Coin("amsg", Amount("7")),)
    token, escrow = wiring.dev_contract("token_v1"), wiring.dev_contract("escrow_v1")
    calls: list[tuple[str, dict[str, Any], tuple[Coin, ...]]] = [
        (token, {"transfer": {"recipient": bob, "amount": "5"}}, ()),
        (token, {"increase_allowance": {"spender": bob, "amount": "9"}}, ()),
    ]
    for name in ("one", "two", "three"):
        create = {"id": name, "arbiter": alice, "recipient": bob, "title": "t", "description": "d"}
        calls.append((escrow, {"create": create}, coins))
    return [
        MsgSend(alice, bob, coins),
        *[
            MsgExecuteContract(alice, contract, json.dumps(msg).encode(), funds)
            for contract, msg, funds in calls
        ],
    ]


def known(agents: Sequence[str], account: str) -> dict[str, Sequence[Any]]:
    """What fields hold of which a type says little."""
    key = wiring.dev_key("alice")
    signed = b"anything"
    return {
        "id": ["one", "two"],
        "subscriber": [account, *agents],
        "agent": agents,
        "topic": ["logos-agent-discovery-v1"],
        "relation": ["authentication"],
        "verification_method": ["did:msg:agent:bob-agent#key-1"],
        "algorithm": ["ML-DSA-87"],
        "public_key": [b64encode(key.pubkey.key).decode()],
        "message": [b64encode(signed).decode()],
        "signature": [b64encode(key.sign(signed)).decode(), "AA=="],
    }


def people(chain: Producer) -> list[str]:
    """Who has an account."""
    found = chain.store.view.range(keys.ACCOUNT, keys.prefix_end(keys.ACCOUNT))
    return [
        address
        for key, _ in found
        if (address := humanize(key[len(keys.ACCOUNT) :], "msg")).startswith("msg")
    ]


def queries(pair: Pair) -> Iterator[eq.Ask]:
    """All of them."""
    old = pair.old
    contracts = [wiring.dev_contract(name) for name in NAMES]
    here = eq.surroundings(old, contracts, people(old))
    key = wiring.dev_key("alice")
    payment = MsgSend(key.address, wiring.dev_key("bob").address, (Coin("amsg", Amount("3")),))
    sequence = old.app.queries.account(key.address)[0].sequence
    simulation = build_simulation([payment], [key.pubkey], [sequence])
    fields = known(here.addresses, key.address)
    asked = [
        eq.contract_queries((name, address, REGISTRY[name].query_msg), here, old, fields)
        for name, address in zip(NAMES, contracts, strict=True)
    ]
    return joined(*asked, eq.service_queries(here, simulation), eq.own_queries(old, simulation))


@pytest.mark.long
def test_every_query_has_the_same_answer_on_both(pair: Pair) -> None:
    good: Counter[str] = Counter()
    for query in queries(pair):
        one, other = (eq.ask(chain, query) for chain in (pair.old, pair.new))
        good[query.what] += not one.code
        if query.path.startswith("/store/msg/") and query.data == keys.CHAIN[keys.STORE_BYTE :]:
            assert one != other, "the record of a chain's own start"
            continue
        assert one == other, query
    unmet = {what for what, count in good.items() if not count}
    assert unmet == UNMET


@pytest.mark.long
def test_heights_after_the_export_answer_alike_and_those_before_are_refused(pair: Pair) -> None:
    asked = list(islice(queries(pair), 0, None, 40))
    for height in (pair.exported + 1, pair.exported + 3, pair.old.height):
        for query in asked:
            if query.data != keys.CHAIN[keys.STORE_BYTE :]:
                assert eq.ask(pair.old, query, height) == eq.ask(pair.new, query, height)
    for query in asked:
        if query.path.startswith("/cosm"):
            refused = eq.ask(pair.new, query, pair.exported)
            assert refused.code == 18
            assert f"failed to load state at height {pair.exported}" in refused.log


def test_validators_who_came_and_went_and_their_payouts_are_those_of_the_old_chain(
    tmp_path: Path,
) -> None:
    keys_of = wiring.dev_validator_keys(3)
    old = wiring.open_chain(
        tmp_path / "old", parse(wiring.devnet_genesis(validators=2)), signers=keys_of
    )
    changes = (
        ValidatorChange("ed25519", keys_of[0].pubkey.key, 0),
        ValidatorChange("ed25519", keys_of[1].pubkey.key, 7),
        ValidatorChange("ed25519", keys_of[2].pubkey.key, 9, wiring.dev_key("bob").address),
    )
    change = MsgUpdateValidators(wiring.dev_key("authority").address, changes)
    raw = build_dev([DevExecute((change,))], chain_id=old.chain_id)
    assert old.produce([raw], old.state.time + SECOND).result.tx_results[0].code == 0
    old.produce((), old.state.time + SECOND)
    old.store.close()
    document = exported(tmp_path / "old")
    new = wiring.open_chain(tmp_path / "new", parse(document), signers=keys_of)
    now = new.app.genesis_view().get(keys.VALIDATORS)
    assert {one.key: (one.power, one.payout) for one in records.decode_validators(now or b"")} == {
        one.key: (one.power, one.payout) for one in old.app.queries.validators()
    }
    assert new.state.validators == old.state.next_validators
    new.store.close()
