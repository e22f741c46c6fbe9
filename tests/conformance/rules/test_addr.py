"""Addresses: rules ADDR-1 to ADDR-8 (ADDR-2 describes software that is not rebuilt)."""

import hashlib

import pytest
from scripted import script, send, sub

from chain.crypto import addresses, bech32
from chain.std import ContractError, Response


def validated(world, text):
    seen = []

    def execute(deps, env, info, msg):
        try:
            seen.append(deps.api.addr_validate(text))
        except ContractError as error:
            seen.append(error)
        return Response()

    world.chain.execute(world.deploy(execute=execute), {}, sender=world.alice)
    return seen[0]


def test_ADDR_1_only_the_normal_form_passes(world):
    assert validated(world, world.alice) == world.alice
    other = bech32.encode("cosmos", addresses.validate(world.alice))
    mixed = world.alice[:10].upper() + world.alice[10:]
    for text in (world.alice.upper(), mixed, "", " ", world.alice + " ", world.alice[:-1], other):
        assert isinstance(validated(world, text), ContractError)
    assert "address not normalized" in str(validated(world, world.alice.upper()))


def test_ADDR_3_overlong_input_aborts_or_fails(world):
    def execute(deps, env, info, msg):
        deps.api.addr_validate("m" * 257)
        return Response()

    result = world.chain.try_execute(world.deploy(execute=execute), {}, sender=world.alice)
    assert result.codespace == "wasm"
    assert result.code in (5, 29)

    def canonical(deps, env, info, msg):
        deps.api.addr_humanize(b"c" * 65)
        return Response()

    result = world.chain.try_execute(world.deploy(execute=canonical), {}, sender=world.alice)
    assert result.code in (5, 29)


def test_ADDR_4_an_address_in_a_message_is_not_checked_by_itself(world):
    result = world.run(script(["set", "to", "no address"]))
    assert result.code == 0
    assert world.run(script(messages=[sub(send("no address", "1denom"))])).code == 0
    assert world.replies(world.a)[0]["result"] == {"error": "codespace: sdk, code: 7"}


def test_ADDR_5_sender_and_own_address_are_valid(world):
    seen = []

    def execute(deps, env, info, msg):
        for text in (info.sender, env.contract.address):
            seen.append(deps.api.addr_validate(text) == text)
        return Response()

    world.chain.execute(world.deploy(execute=execute), {}, sender=world.alice)
    assert seen == [True, True]


@pytest.mark.parametrize(
    ("name", "prefix", "address"),
    [
        (
            "creator",
            "cosmwasm",
            "cosmwasm1h34lmpywh4upnjdg90cjf4j70aee6z8qqfspugamjp42e4q28kqs8s7vcp",
        ),
        ("creator", "juno", "juno1h34lmpywh4upnjdg90cjf4j70aee6z8qqfspugamjp42e4q28kqsksmtyp"),
        (
            "alice",
            "cosmwasm",
            "cosmwasm190vqdjtlpcq27xslcveglfmr4ynfwg7gmw86cnun4acakxrdd6gqvdcx9h",
        ),
        ("bob", "cosmwasm", "cosmwasm1sxmr0k8u6trd5c6eu6trzyapzux7090ykujmsng7pdx0m8k93n5sjrh9we"),
    ],
)
def test_ADDR_6_test_addresses_are_hashes_of_names(name, prefix, address):
    assert bech32.encode(prefix, hashlib.sha256(name.encode()).digest()) == address


def test_ADDR_6_accounts_of_the_test_chain_are_the_same_everywhere(world):
    from chain.testing import Chain

    assert Chain().account("alice") == world.alice
    assert len(addresses.validate(world.alice)) == 20


def test_ADDR_7_addresses_compare_as_text(world):
    assert sorted([world.bob, world.alice]) == sorted([world.bob, world.alice], key=str.encode)
    assert world.alice != world.alice.upper()


def test_ADDR_8_both_lengths_are_accepted(world):
    assert [len(addresses.validate(text)) for text in (world.alice, world.a)] == [20, 32]
    assert world.chain.send(world.alice, world.a, "1denom").code == 0
    native = addresses.humanize(hashlib.sha256(b"x").digest()[:20])
    assert world.chain.send(world.alice, native, "1denom").code == 0
