"""Every transaction reads back to what was written, and no other bytes pass for it."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chain.crypto.keys import MlDsa87Key, Secp256k1Key
from chain.crypto.verify import verify
from chain.errors import AppError
from chain.tx import messages as m
from chain.tx.amino import AminoError, sign_document
from chain.tx.builder import (
    build_cosmos_direct,
    build_dev,
    build_native,
    cosmos_auth_info,
    cosmos_body,
    cosmos_raw,
)
from chain.tx.codec import decode_tx
from chain.tx.results import MsgResponse, ResultError, decode_tx_data, encode_tx_data
from chain.tx.signing import signature_jobs
from chain.tx.value import Tx

AGENT = MlDsa87Key(b"\x05" * 32)
WALLET = Secp256k1Key(b"\x06" * 32)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.integers(0, 2**63 - 1)
payloads = st.binary(max_size=60)
coins = st.lists(st.builds(m.Coin, texts, st.integers(0, 2**256 - 1)), max_size=3).map(tuple)
sides = st.lists(st.builds(m.Transfer, texts, coins), max_size=3).map(tuple)
access = st.none() | st.builds(
    m.AccessConfig, st.sampled_from([0, 1, 3, 4]), st.lists(texts, max_size=2).map(tuple)
)
params = st.dictionaries(
    texts,
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | texts
    | st.lists(texts, max_size=2).map(tuple),
    max_size=3,
)
messages = st.one_of(
    st.builds(m.MsgSend, texts, texts, coins),
    st.builds(m.MsgMultiSend, sides, sides),
    st.builds(m.MsgStoreCode, texts, payloads, access),
    st.builds(m.MsgInstantiateContract, texts, texts, numbers, texts, payloads, coins),
    st.builds(
        m.MsgInstantiateContract2,
        texts,
        texts,
        numbers,
        texts,
        payloads,
        coins,
        payloads,
        st.booleans(),
    ),
    st.builds(m.MsgExecuteContract, texts, texts, payloads, coins),
    st.builds(m.MsgMigrateContract, texts, texts, numbers, payloads),
    st.builds(m.MsgUpdateAdmin, texts, texts, texts),
    st.builds(m.MsgClearAdmin, texts, texts),
    st.builds(m.MsgUpdateContractLabel, texts, texts, texts),
    st.builds(m.MsgMint, texts, texts, coins),
    st.builds(m.MsgUpdateParams, texts, params),
)
lists = st.lists(messages, max_size=3).map(tuple)
envelopes = {
    "fee": coins,
    "memo": texts,
    "timeout_height": numbers,
    "gas_limit": numbers,
    "fee_payer": texts,
}
SIGNED = build_native(
    (m.MsgSend(AGENT.address, WALLET.address, (m.Coin("umsg", 5),)),),
    (AGENT,),
    chain_id="c",
    account_numbers=[1],
    sequences=[2],
    gas_limit=3,
)


def same_envelope(tx, options):
    found = {name: getattr(tx, name) for name in options}
    assert found == options


@given(lists, st.fixed_dictionaries(envelopes), st.booleans())
def test_native_transactions_read_back(sent, options, send_keys):
    raw = build_native(
        sent,
        (WALLET,),
        chain_id="c",
        account_numbers=[1],
        sequences=[2],
        send_keys=send_keys,
        **options,
    )
    tx = decode_tx(raw)
    assert tx.messages == sent
    same_envelope(tx, options)
    (job,) = signature_jobs(tx, 0, WALLET.pubkey, 1, "c")
    assert verify(job)


@given(lists, st.fixed_dictionaries(envelopes))
def test_cosmos_transactions_read_back(sent, options):
    raw = build_cosmos_direct(
        sent, (WALLET,), chain_id="c", account_numbers=[1], sequences=[2], **options
    )
    tx = decode_tx(raw)
    assert tx.messages == sent
    same_envelope(tx, options)
    (job,) = signature_jobs(tx, 0, WALLET.pubkey, 1, "c")
    assert verify(job)


@given(lists, numbers, texts)
def test_developer_transactions_read_back(sent, nonce, memo):
    assume(not any(isinstance(x, m.MsgAuthorityOnly) for x in sent))
    outer = (m.DevExecute(sent), m.DevFund("a", (m.Coin("u", 2**200),)))
    tx = decode_tx(build_dev(outer, chain_id="c", nonce=nonce, memo=memo))
    assert (tx.messages, tx.nonce, tx.memo) == (outer, nonce, memo)


@given(lists)
def test_amino_documents_exist_or_are_refused(sent):
    auth = cosmos_auth_info([WALLET.pubkey], [0], gas_limit=1)
    tx = decode_tx(cosmos_raw(cosmos_body(sent), auth, [b"s"]))
    try:
        document = sign_document(tx, chain_id="c", account_number=1, sequence=0)
    except AminoError:
        return
    assert not {ord(c) for c in "<>&"} & set(document)


def passes(raw):
    """Whether bytes are accepted as the agent's transaction."""
    try:
        tx = decode_tx(raw)
        if len(tx.signers) != 1 or len(tx.signatures) != 1:
            return False
        (job,) = signature_jobs(tx, 0, AGENT.pubkey, 1, tx.chain_id or "c")
    except AppError:
        return False
    key = tx.signers[0].pubkey
    return (key is None or key == AGENT.pubkey) and verify(job)


def test_the_signed_transaction_passes():
    assert passes(SIGNED)


@settings(max_examples=200)
@given(st.integers(0, len(SIGNED) * 8 - 1))
def test_every_changed_bit_is_refused(bit):
    changed = bytearray(SIGNED)
    changed[bit >> 3] ^= 1 << (bit & 7)
    assert not passes(bytes(changed))


@pytest.mark.parametrize(
    "region", [range(300), range(2700, 3100), range(len(SIGNED) - 100, len(SIGNED))]
)
def test_every_changed_bit_around_the_seams_is_refused(region):
    for place in region:
        changed = bytearray(SIGNED)
        changed[place] ^= 1 << place % 8
        assert not passes(bytes(changed))


@given(st.integers(0, len(SIGNED)), st.binary(min_size=1, max_size=4))
def test_inserted_bytes_are_refused(at, extra):
    assert not passes(SIGNED[:at] + extra + SIGNED[at:])


@given(st.integers(0, len(SIGNED) - 1))
def test_cut_bytes_are_refused(at):
    assert not passes(SIGNED[:at])


def decodes_or_is_refused(raw):
    refusal = None
    try:
        assert isinstance(decode_tx(raw), Tx)
    except AppError as error:
        refusal = (error.codespace, error.code)
    assert refusal in (None, ("sdk", 2))


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_are_refused_in_words(raw):
    decodes_or_is_refused(raw)


@given(
    st.sampled_from([b"\x92", b"\x9a", b"\xc1\x96", b"\xc1\x91", b"\x0a", b"\x92\xc4"]),
    st.binary(max_size=100),
)
def test_likely_starts_decode_or_are_refused_in_words(start, rest):
    decodes_or_is_refused(start + rest)


@given(st.lists(st.builds(MsgResponse, texts, payloads), max_size=4))
def test_result_data_reads_back(responses):
    assert decode_tx_data(encode_tx_data(responses)) == tuple(responses)


@given(st.binary(max_size=80))
def test_any_result_data_reads_or_is_refused(data):
    try:
        decode_tx_data(data)
    except ResultError:
        return
