"""Headers, parts and commits of made-up blocks; the recorded ones are in the conformance tests."""

import msgspec
import pytest

from chain.block import merkle
from chain.block.commit import CommitError, precommit_bytes, sign_commit, verify_commit
from chain.block.encoding import ZERO_TIME, encode_block, encode_commit_sig, encode_public_key
from chain.block.hashing import (
    PART_SIZE,
    block_id,
    commit_hash,
    consensus_hash,
    data_hash,
    header_hash,
    part_set_header,
    prove_tx,
    results_hash,
    sort_validators,
    tx_hash,
    validator_address,
    validators_hash,
)
from chain.block.types import (
    FLAG_ABSENT,
    FLAG_NIL,
    Block,
    BlockId,
    Commit,
    CommitSig,
    ConsensusParams,
    Header,
    PartSetHeader,
    TxResult,
    Validator,
)
from chain.crypto.keys import Ed25519Key

KEYS = [Ed25519Key(bytes([i]) * 32) for i in range(4)]
SET = [Validator("ed25519", key.pubkey.key, 10) for key in KEYS]
TIME = 1_700_000_000_123_456_789
ID = BlockId(b"h" * 32, PartSetHeader(1, b"p" * 32))
HEADER = Header("c", 5, TIME, ID, *[bytes([i]) * 32 for i in range(8)], b"a" * 20)


def test_every_header_field_is_hashed():
    kept = header_hash(HEADER)
    changed = {
        "chain_id": "d",
        "height": 6,
        "time": TIME + 1,
        "last_block_id": BlockId(),
        "version_block": 12,
        "version_app": 1,
    }
    for name in HEADER.__struct_fields__:
        value = changed.get(name, b"other")
        assert header_hash(msgspec.structs.replace(HEADER, **{name: value})) != kept


def test_large_blocks_have_several_parts():
    block = Block(HEADER, (b"x" * 200_000,), Commit())
    encoded = encode_block(block)
    parts = part_set_header(encoded)
    assert parts.total == 4
    pieces = [encoded[at : at + PART_SIZE] for at in range(0, len(encoded), PART_SIZE)]
    assert parts.hash == merkle.root(pieces)
    assert block_id(block) == BlockId(header_hash(HEADER), parts)


def test_only_deterministic_result_fields_are_hashed():
    base = TxResult(code=1, data=b"d", gas_wanted=3, gas_used=2)
    for name, value, counts in (
        ("code", 2, True),
        ("data", b"e", True),
        ("gas_wanted", 4, True),
        ("gas_used", 1, True),
        ("log", "text", False),
        ("info", "text", False),
        ("codespace", "sdk", False),
    ):
        other = msgspec.structs.replace(base, **{name: value})
        assert (results_hash([other]) != results_hash([base])) is counts


def test_empty_lists_hash_to_the_hash_of_nothing():
    assert data_hash([]) == results_hash([]) == commit_hash(Commit()) == merkle.EMPTY


def test_transactions_prove_under_the_data_hash():
    txs = [b"a", b"b", b"c"]
    for index, raw in enumerate(txs):
        assert merkle.verify(prove_tx(txs, index), data_hash(txs), tx_hash(raw))


def test_validators_stand_by_power_then_address():
    small = Validator("ed25519", KEYS[0].pubkey.key, 1)
    ordered = sort_validators([small, *SET[1:]])
    assert ordered[-1] == small
    addresses = [validator_address(v.pubkey) for v in ordered[:-1]]
    assert addresses == sorted(addresses)
    assert validators_hash(SET) == validators_hash(SET[::-1])


def test_other_key_types_have_their_numbers():
    assert encode_public_key("secp256k1", b"k").hex() == "12016b"
    assert encode_public_key("ml_dsa_65", b"k").hex() == "22016b"
    with pytest.raises(KeyError):
        encode_public_key("x", b"k")


def test_consensus_hash_covers_size_and_gas():
    base = consensus_hash(ConsensusParams())
    assert base != consensus_hash(ConsensusParams(max_gas=5))
    assert base != consensus_hash(ConsensusParams(max_bytes=5))
    assert base == consensus_hash(ConsensusParams(evidence_max_bytes=5))


def test_absent_votes_carry_gos_zero_time():
    encoded = encode_commit_sig(CommitSig(FLAG_ABSENT))
    assert encoded.hex() == "08011a0b088092b8c398feffffff01"
    assert encoded == encode_commit_sig(CommitSig(FLAG_ABSENT, time=ZERO_TIME))


def test_commit_of_all_validators_holds():
    commit = sign_commit("c", 5, ID, TIME, KEYS, validators=SET)
    verify_commit("c", commit, SET)
    order = [entry.validator_address for entry in commit.signatures]
    assert order == sorted(order)
    assert sign_commit("c", 5, ID, TIME, KEYS[:1]).signatures[0].validator_address == (
        KEYS[0].validator_address
    )


def test_three_of_four_suffice_and_two_do_not():
    verify_commit("c", sign_commit("c", 5, ID, TIME, KEYS[:3], validators=SET), SET)
    with pytest.raises(CommitError, match="only 20 of 40"):
        verify_commit("c", sign_commit("c", 5, ID, TIME, KEYS[:2], validators=SET), SET)


@pytest.mark.parametrize("change", [{"height": 6}, {"round": 1}, {"block_id": BlockId(b"x")}])
def test_commit_binds_what_it_says(change):
    commit = msgspec.structs.replace(sign_commit("c", 5, ID, TIME, KEYS, validators=SET), **change)
    with pytest.raises(CommitError, match="wrong signature"):
        verify_commit("c", commit, SET)


def test_strangers_and_repeated_signers_are_refused():
    commit = sign_commit("c", 5, ID, TIME, KEYS, validators=SET)
    with pytest.raises(CommitError, match="unknown validator"):
        verify_commit("c", commit, SET[:3])
    entry = commit.signatures[0]
    twice = msgspec.structs.replace(commit, signatures=(entry, entry))
    with pytest.raises(CommitError, match="a second one"):
        verify_commit("c", twice, SET)


def test_votes_for_nil_do_not_count():
    commit = sign_commit("c", 5, ID, TIME, KEYS, validators=SET)
    nil = tuple(msgspec.structs.replace(e, flag=FLAG_NIL) for e in commit.signatures)
    with pytest.raises(CommitError, match="only 0"):
        verify_commit("c", msgspec.structs.replace(commit, signatures=nil), SET)
    assert precommit_bytes("c", 5, 0, None, TIME) == precommit_bytes("c", 5, 0, BlockId(), TIME)
