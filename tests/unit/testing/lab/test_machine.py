"""The derived machine: rules, names, deadlines, overrides, several contracts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from chain.std import Expiration, Timestamp, Uint128
from chain.std.numbers import base64_encode
from chain.testing import (
    Chain,
    Differs,
    contract_machine,
    differential,
    hook_token,
    hostile_receiver,
)
from chain.testing.attached import funds
from chain.testing.choices import Choices
from chain.testing.derive import Deriver
from chain.testing.examples import Add, counter
from chain.testing.harvest import Harvest
from chain.testing.leaves import Surroundings, amount
from chain.testing.refusals import Refusal
from chain.testing.vocabulary import keys_read

SETTINGS = settings(
    max_examples=6, stateful_step_count=10, deadline=None, database=None, derandomize=True
)


def test_overrides_reach_fields_and_types() -> None:
    seen: list[int] = []

    def watch(machine: Any, call: Any) -> None:
        if call.variant == "add":
            seen.append(int(call.body["by"]))

    machine = contract_machine(
        counter, instantiate={}, watchers=[watch], overrides={"add.by": st.just(Uint128(77))}
    )
    run_state_machine_as_test(machine, settings=SETTINGS)
    assert {*seen} == {77}


def test_names_that_nobody_has_are_refused() -> None:
    with pytest.raises(ValueError, match="no message"):
        contract_machine(counter, instantiate={}, weights={"ad": 2})
    with pytest.raises(ValueError, match="no actor"):
        contract_machine(counter, instantiate={}, roles={"zoe": ["add"]})


def test_with_contracts_and_hooks() -> None:
    machine = contract_machine("escrow_v1", instantiate={}, with_contracts=["token_v1", hook_token])
    run_state_machine_as_test(machine, settings=SETTINGS)
    variants = {hook for _, hook in machine.blueprint.hooks}
    assert variants == {"create", "top_up"}
    assert {contract for contract, _ in machine.report.tallies} == {
        "escrow_v1",
        "token_v1",
        "hook_token",
    }


def test_deadlines_of_messages_and_durations_are_known() -> None:
    seen = Harvest()
    seen.take({"end_height": 12, "ttl": 5, "at": 10**18 + 7}, height=10, time=10**18)
    assert seen.deadlines(10, 10**18) == [
        ("height", 12),
        ("time", 10**18 + 7),
        ("time", 10**18 + 5 * 10**9),
    ]


@pytest.mark.parametrize("kind", [Timestamp, Expiration, Uint128, bool, list[Add], tuple[int, str]])
def test_every_type_makes_something_from_any_bytes(kind: Any) -> None:
    maker = Deriver().value(kind, "value")
    for number in range(256):
        maker(Choices(bytes([number] * 12)), Surroundings())


def test_keys_are_read_off_the_source() -> None:
    def execute(deps: Any, env: Any, info: Any, msg: Any) -> Any:
        body = msg["open"]
        return body["title"], body.get("end"), "close" in msg

    assert keys_read(execute) == {"open": {"title": {}, "end": {}}, "close": {}}


def test_traces_survive_closed_blocks_and_refuse_strangers() -> None:
    chain = Chain()
    alice = chain.account("alice")
    address = chain.instantiate(chain.store_code(counter), {}, alice, "c")
    result = chain.execute(address, {"add": {"by": "5"}}, alice)
    before = chain.trace(result).to_json()
    chain.next_block(2)
    assert chain.trace(result).to_json() == before
    assert "write count = 0x05" in str(chain.trace(result))
    with pytest.raises(ValueError, match="there is no transaction 99"):
        chain.trace(99)
    with pytest.raises(ValueError, match="no transaction of the chain"):
        Chain().trace(result)


def test_versions_that_differ_are_told_apart() -> None:
    with pytest.raises(Differs, match="step 1"):
        differential(counter, "token_v1", [("alice", {"add": {"by": "1"}})], instantiate=_either)


def _either(world: Any) -> Any:
    if len(world.chain._engine.codes.known) and "token_v1" in next(
        iter(world.chain._engine.codes.known)
    ):
        return {"name": "Tok", "symbol": "TOK", "decimals": 6, "initial_balances": []}
    return {}


def test_a_message_inside_a_message_carries_no_third() -> None:
    machine = contract_machine("agent_a2a_v1", instantiate=_mailbox, actors=2)
    run_state_machine_as_test(machine, settings=SETTINGS)
    assert machine.report.calls > 0


def _mailbox(world: Any) -> Any:
    names = ("admin", "registry_address", "did_registry_address")
    return dict.fromkeys(names, world.first)


def test_ids_that_are_numbers_are_named_again() -> None:
    seen = Harvest()
    seen.take({"proposal_id": 7, "token_id": "3", "amount": "5"}, height=1, time=0)
    assert (seen.texts("proposal_id"), seen.texts("token"), seen.amounts) == (["7"], ["3"], [5])
    here = Surroundings()
    here.harvest = seen
    assert Deriver().value(int, "proposal_id")(Choices(b""), here) == 7
    assert Deriver().value(int, "proposal_id")(Choices(b""), Surroundings()) == 1


def test_a_refusal_tells_what_to_try() -> None:
    here = Surroundings()
    here.denoms = ("amsg", "stray")
    here.unpaid = Refusal("this costs 30stray, got 5", here.denoms)
    assert funds(Choices(b""), here) == [{"denom": "stray", "amount": "30"}]
    here.refusal = Refusal("There are 7, asked for 9", here.denoms)
    assert [amount(Choices(bytes([kind])), here) for kind in (0, 1)] == [7, 9]
    assert Refusal("Unauthorized").about_sender


def test_a_hostile_receiver_takes_any_hook() -> None:
    chain = Chain()
    alice = chain.account("alice")
    receiver = chain.instantiate(chain.store_code(hostile_receiver), {}, alice, "r")
    address = chain.instantiate(chain.store_code(counter), {}, alice, "c")
    armed = {"contract": address, "call": base64_encode(b'{"add":{"by":"3"}}')}
    chain.execute(receiver, {"arm": armed}, alice)
    chain.execute(receiver, {"receive_nft": {"token_id": "x"}}, alice)
    assert chain.query(address, {}) == {"count": 3}
    chain.execute(receiver, {"break": {"broken": True}}, alice)
    assert "broken" in chain.try_execute(receiver, {"on_loan": {}}, alice).log


def test_names_and_steps_that_do_not_fit_are_told() -> None:
    with pytest.raises(ValueError, match="weights name ad, which is no message"):
        contract_machine(counter, instantiate={}, weights={"ad": 0})
    contract_machine(counter, instantiate={}, weights={"add": 0})
    with pytest.raises(ValueError, match="zoe is no actor"):
        differential(counter, counter, [("zoe", {"add": {"by": "1"}})], instantiate={})
    with pytest.raises(ValueError, match="a step is"):
        differential(counter, counter, ["alice"], instantiate={})
    with pytest.raises(Differs, match="instantiate of token_v1: "):
        differential(counter, "token_v1", [], instantiate={})
    with pytest.raises(TypeError, match="not str"):
        Chain().trace("x")  # type: ignore[arg-type]


def test_a_trace_says_what_a_transaction_without_calls_was() -> None:
    chain = Chain()
    alice, bob = chain.account("alice", "5msg"), chain.account("bob")
    result = chain.send(alice, bob, "1amsg")
    assert "chain.send(alice, bob, '1amsg')" in str(chain.trace(result))
