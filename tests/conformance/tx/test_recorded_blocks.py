"""Every block, commit, validator set and result that a real node answered, recomputed."""

import base64
import calendar
import json
from pathlib import Path

import pytest

from chain.block import merkle
from chain.block.commit import CommitError, verify_commit
from chain.block.encoding import encode_block
from chain.block.hashing import (
    block_id,
    commit_hash,
    consensus_hash,
    data_hash,
    evidence_hash,
    header_hash,
    prove_tx,
    results_hash,
    tx_hash,
    validators_hash,
)
from chain.block.types import (
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

RECORDED = Path(__file__).parents[3] / "fixtures/recorded/rpc/rpc.json"


def nanoseconds(text):
    base, _, fraction = text.removesuffix("Z").partition(".")
    date, _, clock = base.partition("T")
    parts = [int(x) for x in (*date.split("-"), *clock.split(":"))]
    seconds = calendar.timegm((*parts, 0, 0, 0))
    return seconds * 10**9 + int(fraction.ljust(9, "0") or "0")


def to_block_id(j):
    parts = PartSetHeader(j["parts"]["total"], bytes.fromhex(j["parts"]["hash"]))
    return BlockId(bytes.fromhex(j["hash"]), parts)


def to_header(j):
    return Header(
        chain_id=j["chain_id"],
        height=int(j["height"]),
        time=nanoseconds(j["time"]),
        last_block_id=to_block_id(j["last_block_id"]),
        version_block=int(j["version"]["block"]),
        version_app=int(j["version"].get("app", "0")),
        **{
            name: bytes.fromhex(j[name])
            for name in [
                "last_commit_hash",
                "data_hash",
                "validators_hash",
                "next_validators_hash",
                "consensus_hash",
                "app_hash",
                "last_results_hash",
                "evidence_hash",
                "proposer_address",
            ]
        },
    )


def to_commit(j):
    entries = [
        CommitSig(
            s["block_id_flag"],
            bytes.fromhex(s["validator_address"]),
            nanoseconds(s["timestamp"]),
            base64.b64decode(s["signature"] or ""),
        )
        for s in j["signatures"]
    ]
    return Commit(int(j["height"]), j["round"], to_block_id(j["block_id"]), tuple(entries))


def to_block(j):
    txs = tuple(base64.b64decode(t) for t in j["data"]["txs"])
    return Block(to_header(j["header"]), txs, to_commit(j["last_commit"]))


def answers():
    recorded = json.loads(RECORDED.read_text())
    for group in ("http", "small_node"):
        for entry in recorded[group]:
            try:
                body = json.loads(entry["response"]["body"])
            except (ValueError, KeyError, TypeError):
                continue
            for answer in body if isinstance(body, list) else [body]:
                if isinstance(answer, dict) and isinstance(answer.get("result"), dict):
                    yield group, entry["id"], answer["result"]


ANSWERS = list(answers())
BLOCKS = [(i, r["block_id"], r["block"]) for _, i, r in ANSWERS if r.get("block")]
BLOCKS += [
    (f"{i}-{b['block']['header']['height']}", b["block_id"], b["block"])
    for _, i, r in ANSWERS
    for b in r.get("blocks") or []
]
METAS = [
    (f"{i}-{b['header']['height']}", b) for _, i, r in ANSWERS for b in r.get("block_metas") or []
]
COMMITS = [(g, i, r["signed_header"]) for g, i, r in ANSWERS if "signed_header" in r]
VALIDATORS = [
    (g, r["validators"]) for g, _, r in ANSWERS if r.get("validators") and "block_height" in r
]
RESULTS = {
    int(r["height"]): r["txs_results"] for g, _, r in ANSWERS if "txs_results" in r and g == "http"
}


def validators(group):
    return [
        Validator("ed25519", base64.b64decode(v["pub_key"]["value"]), int(v["voting_power"]))
        for g, found in VALIDATORS
        if g == group
        for v in found
    ][:1]


@pytest.mark.parametrize(("name", "expected", "block"), BLOCKS, ids=[b[0] for b in BLOCKS])
def test_recorded_block_hashes_follow(name, expected, block):
    ours = to_block(block)
    assert block_id(ours) == to_block_id(expected)
    assert data_hash(ours.txs) == ours.header.data_hash
    assert commit_hash(ours.last_commit) == ours.header.last_commit_hash
    assert evidence_hash(()) == ours.header.evidence_hash


@pytest.mark.parametrize(("name", "meta"), METAS, ids=[m[0] for m in METAS])
def test_recorded_header_hash_follows(name, meta):
    assert header_hash(to_header(meta["header"])).hex().upper() == meta["block_id"]["hash"]


def test_recorded_block_size_is_the_encoded_size():
    sizes = {meta["block_id"]["hash"]: int(meta["block_size"]) for _, meta in METAS}
    found = 0
    for _, expected, block in BLOCKS:
        if expected["hash"] in sizes:
            assert len(encode_block(to_block(block))) == sizes[expected["hash"]]
            found += 1
    assert found


@pytest.mark.parametrize(("group", "name", "signed"), COMMITS, ids=[c[1] for c in COMMITS])
def test_recorded_commit_is_signed_by_its_validators(group, name, signed):
    header = to_header(signed["header"])
    commit = to_commit(signed["commit"])
    assert header_hash(header) == commit.block_id.hash
    group_validators = validators(group) or validators("http")
    if validators_hash(group_validators) != header.validators_hash:
        pytest.skip("the recording has no validator set for this header")
    verify_commit(header.chain_id, commit, group_validators)
    with pytest.raises(CommitError):
        verify_commit("other-chain", commit, group_validators)


def test_recorded_validators_hash_follows():
    hashes = {to_header(b["header"]).validators_hash for _, _, b in BLOCKS}
    assert validators_hash(validators("http")) in hashes


def test_recorded_consensus_hash_follows():
    params = next(
        r["consensus_params"]["block"]
        for g, _, r in ANSWERS
        if "consensus_params" in r and g == "http" and "block" in r["consensus_params"]
    )
    ours = ConsensusParams(int(params["max_bytes"]), int(params["max_gas"]))
    assert consensus_hash(ours) in {to_header(b["header"]).consensus_hash for _, _, b in BLOCKS}


def test_recorded_results_hash_stands_in_the_next_header():
    headers = {}
    for _, meta in METAS:
        headers[int(meta["header"]["height"])] = meta["header"]
    for _, _, block in BLOCKS:
        headers[int(block["header"]["height"])] = block["header"]
    found = 0
    for height, results in RESULTS.items():
        following = headers.get(height + 1)
        if following is None or following["chain_id"] != "msg-chain-1":
            continue
        ours = [
            TxResult(
                code=r["code"],
                data=base64.b64decode(r["data"] or ""),
                gas_wanted=int(r["gas_wanted"]),
                gas_used=int(r["gas_used"]),
            )
            for r in results or []
        ]
        assert results_hash(ours).hex().upper() == following["last_results_hash"]
        found += 1
    assert found >= 1


def test_recorded_transaction_proofs_follow():
    found = 0
    for _, _, result in ANSWERS:
        for entry in [result, *(result.get("txs") or [])] if isinstance(result, dict) else []:
            if not isinstance(entry, dict) or not entry.get("proof"):
                continue
            proof = entry["proof"]
            raw = base64.b64decode(entry["tx"])
            ours = merkle.Proof(
                int(proof["proof"]["total"]),
                int(proof["proof"]["index"]),
                base64.b64decode(proof["proof"]["leaf_hash"]),
                tuple(base64.b64decode(a) for a in proof["proof"]["aunts"] or []),
            )
            assert merkle.verify(ours, bytes.fromhex(proof["root_hash"]), tx_hash(raw))
            if ours.total == 1:
                assert prove_tx([raw], 0) == ours
            found += 1
    assert found
