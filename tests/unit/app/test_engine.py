"""What genesis gave the consensus engine comes back with every change of its parameters."""

from __future__ import annotations

import pytest
from app_world import World, native

from chain.app.validators import APP_VERSION
from chain.block.types import ED25519, ML_DSA_65, ConsensusParams, Validator
from chain.driver.genesis import parse
from chain.tx.messages import MsgUpdateParams, MsgUpdateValidators, ValidatorChange

GIVEN = ConsensusParams(
    max_bytes=4_000_000,
    evidence_max_age_blocks=7,
    evidence_max_age=8,
    evidence_max_bytes=9,
    pub_key_types=(ML_DSA_65,),
)
KEYS = {ED25519: bytes([5]) * 32, ML_DSA_65: bytes([6]) * 1952}


def world(given: ConsensusParams | None) -> World:
    made = World()
    made.genesis = made.app.init_chain(1, "msg-chain-1", given, (), made.state)
    made.block()
    return made


def expected(given: ConsensusParams, max_bytes: int) -> ConsensusParams:
    fields = {name: getattr(given, name) for name in given.__struct_fields__}
    return ConsensusParams(**{**fields, "max_bytes": max_bytes, "app_version": APP_VERSION})


@pytest.mark.parametrize("given", [None, ConsensusParams(), GIVEN], ids=["none", "plain", "own"])
def test_the_engine_gets_back_whole_groups(given: ConsensusParams | None) -> None:
    net = world(given)
    base = given or ConsensusParams()
    assert net.genesis.consensus_params == expected(base, base.max_bytes)
    change = MsgUpdateParams(net.gov.address, {"block_max_bytes": 999_999})
    result = net.block(net.native_tx([change], net.gov))
    assert result.consensus_param_updates == expected(base, 999_999)


def test_plain_parameters_leave_no_trace_in_the_state() -> None:
    assert world(None).genesis.app_hash == world(ConsensusParams()).genesis.app_hash
    assert world(None).genesis.app_hash != world(GIVEN).genesis.app_hash


@pytest.mark.parametrize(
    ("allowed", "kind", "code"),
    [
        ((ED25519,), ED25519, 0),
        ((ED25519,), ML_DSA_65, 18),
        ((ML_DSA_65,), ML_DSA_65, 0),
        ((ML_DSA_65,), ED25519, 18),
        ((ED25519, ML_DSA_65), ML_DSA_65, 0),
        ((), ED25519, 0),
    ],
)
def test_validators_have_the_kinds_of_keys_that_genesis_allows(
    allowed: tuple[str, ...], kind: str, code: int
) -> None:
    net = world(ConsensusParams(pub_key_types=allowed))
    change = ValidatorChange(kind, KEYS[kind], 3, native("n").address)
    result = net.block(net.native_tx([MsgUpdateValidators(net.gov.address, (change,))], net.gov))
    assert result.tx_results[0].code == code, result.tx_results[0].log
    wanted = [] if code else [Validator(kind, KEYS[kind], 3)]
    assert result.validator_updates == wanted


def test_a_genesis_file_gives_all_of_them() -> None:
    document = {
        "chain_id": "c",
        "genesis_time": "2026-01-01T00:00:00Z",
        "consensus_params": {
            "block": {"max_bytes": "4000000", "max_gas": "-1"},
            "evidence": {"max_age_num_blocks": "7", "max_age_duration": "8", "max_bytes": "9"},
            "validator": {"pub_key_types": ["ml_dsa_65"]},
        },
    }
    assert parse(document).params == GIVEN
