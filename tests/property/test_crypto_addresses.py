"""Addresses and bech32 for arbitrary bytes and texts."""

from hypothesis import given, settings
from hypothesis import strategies as st

from chain.block import merkle
from chain.crypto import addresses, bech32, hd
from chain.crypto.addresses import AddressError, humanize, validate
from chain.crypto.bech32 import Bech32Error

PREFIXES = st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12)


@given(PREFIXES, st.binary(min_size=1, max_size=255))
def test_bech32_reads_back(prefix, data):
    assert bech32.decode(bech32.encode(prefix, data)) == (prefix, data)


@given(st.binary(min_size=20, max_size=20) | st.binary(min_size=32, max_size=32))
def test_bech32_addresses_read_back(data):
    assert validate(humanize(data)) == data


@given(st.binary(max_size=60))
def test_native_addresses_read_back(key):
    text = addresses.native_address(key)
    assert humanize(validate(text)) == text


@given(st.binary(min_size=20, max_size=20), st.integers(0, 41), st.characters(max_codepoint=127))
def test_a_changed_character_is_refused(data, place, char):
    text = humanize(data)
    changed = text[:place] + char + text[place + 1 :]
    if changed != text:
        assert not addresses.is_address(changed)


@given(st.text(max_size=80))
def test_any_text_is_an_address_in_its_only_form_or_is_refused(text):
    try:
        data = validate(text)
    except AddressError:
        return
    assert humanize(data) == text


@given(st.text(max_size=80))
def test_any_text_is_bech32_or_is_refused(text):
    try:
        prefix, data = bech32.decode(text)
    except Bech32Error:
        return
    assert bech32.encode(prefix, data) == text.lower()


@given(st.binary(max_size=80))
def test_any_bytes_have_a_text_or_are_refused(data):
    try:
        text = humanize(data)
    except AddressError:
        return
    assert validate(text) == data


@settings(max_examples=10)
@given(st.sampled_from([16, 20, 24, 28, 32]).flatmap(lambda n: st.binary(min_size=n, max_size=n)))
def test_words_of_any_entropy_are_accepted(entropy):
    assert len(hd.to_seed(hd.to_words(entropy))) == 64


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_any_item_of_any_tree_proves(items, data):
    index = data.draw(st.integers(0, len(items) - 1))
    proof = merkle.prove(items, index)
    assert merkle.verify(proof, merkle.root(items), items[index])
