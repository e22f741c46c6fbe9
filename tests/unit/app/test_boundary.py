"""An agent alone creates no code and no contract, changes no parameters, mints and burns nothing (CH-11)."""

from __future__ import annotations

import pytest
from app_world import LINE, World, native

from chain.app import keys
from chain.crypto.addresses import contract_address, validate
from chain.tx.messages import (
    MsgExecuteContract,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgMint,
    MsgSend,
    MsgStoreCode,
    MsgUpdateParams,
)

OWNER = native("bob")
MARK = b"\x00\x0eagent_accounts"


@pytest.fixture
def world():
    """Alice is an agent of Bob; the registry is the script contract, whose storage says so."""
    made = World(agent_registry=contract_address(1, 1))
    made.open()
    key = keys.CONTRACT_STORAGE + validate(made.contract) + MARK + made.alice.address.encode()
    text = OWNER.address.encode()
    made.app.open_scope.overlay.set(key, b"\xd9" + bytes([len(text)]) + text)
    made.app.close_block()
    made.app.commit()
    return made


def restricted(world):
    alice = world.alice.address
    return [
        MsgStoreCode(alice, LINE.encode()),
        MsgInstantiateContract(alice, "", 1, "x", b"{}"),
        MsgInstantiateContract2(alice, "", 1, "x", b"{}", (), b"salt"),
        MsgUpdateParams(alice, {"gas_price": 1}),
        MsgMint(alice, alice, ()),
    ]


def test_top_level_messages_are_refused_before_the_fee(world):
    for message in restricted(world):
        result = world.finalize(world.native_tx([message], world.alice)).tx_results[0]
        assert (result.codespace, result.code) == ("msgchain", 1)
        assert result.log.startswith(f"agent {world.alice.address} may not ")
        assert result.events == []


@pytest.mark.parametrize("body", [b'{"new":1}', b'{"burn":5}'])
def test_what_a_contract_dispatches_is_refused_too(world, body):
    world.block(world.native_tx([MsgSend(OWNER.address, world.contract, ())], OWNER))
    message = MsgExecuteContract(world.alice.address, world.contract, body)
    result = world.block(world.native_tx([message], world.alice)).tx_results[0]
    assert (result.codespace, result.code) == ("msgchain", 1)
    assert world.account(world.alice)[1] == 1


def test_the_owners_signature_lifts_it(world):
    message = MsgExecuteContract(world.alice.address, world.contract, b'{"new":1}')
    result = world.block(world.native_tx([message], world.alice, OWNER)).tx_results[0]
    assert result.code == 0
    new = MsgInstantiateContract(world.alice.address, "", 1, "x", b"{}")
    assert world.block(world.native_tx([new], world.alice, OWNER)).tx_results[0].code == 0


def test_others_and_ordinary_messages_are_free(world):
    new = MsgInstantiateContract(OWNER.address, "", 1, "x", b"{}")
    assert world.block(world.native_tx([new], OWNER)).tx_results[0].code == 0
    call = MsgExecuteContract(world.alice.address, world.contract, b"{}")
    assert world.block(world.native_tx([call], world.alice)).tx_results[0].code == 0


def test_an_agent_that_registers_is_bound_in_the_same_transaction(world):
    owner = OWNER.address
    carol = world.gov
    mark = (MARK + carol.address.encode()).decode("latin-1")
    value = ("\xd9" + chr(len(owner)) + owner).encode("latin-1")
    assert value[0] == 0xD9
    world.open()
    key = keys.CONTRACT_STORAGE + validate(world.contract) + mark.encode("latin-1")
    world.app.open_scope.overlay.set(key, value)
    result = world.dev(MsgInstantiateContract(carol.address, "", 1, "x", b"{}"))
    assert (result.codespace, result.code) == ("msgchain", 1)


def test_impersonated_messages_are_bound_as_signed_ones(world):
    world.open()
    result = world.dev(MsgInstantiateContract(world.alice.address, "", 1, "x", b"{}"))
    assert (result.codespace, result.code) == ("msgchain", 1)
