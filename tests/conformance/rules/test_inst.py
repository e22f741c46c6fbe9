"""Codes, instances, migration, admins, sudo: rules INST-1 to INST-16."""

import pytest
from scripted import create, plain, script, shape
from twins.cosmos import b64
from twins.hackatom import HACKATOM

from chain.crypto.addresses import contract_address, predictable_address
from chain.std import Response
from chain.testing import Chain, Contract, TxFailed
from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.loader import load_folder

CHECKSUM = bytes.fromhex("13a1fc994cc6d1c81b746ee0c0ff6f90043875e0bf1d9be6b7d779fc978dc2a5")
CREATOR = bytes.fromhex("9999999999aaaaaaaaaabbbbbbbbbbcccccccccc")


def ok(*_):
    return Response()


def test_INST_1_code_ids_count_from_one():
    chain = Chain()
    made = [Contract(name=name, instantiate=ok) for name in ("one", "two")]
    assert [chain.store_code(contract) for contract in made] == [1, 2]


def test_INST_1_an_unknown_code_is_named(world):
    result = world.chain.try_instantiate(9999, {}, sender=world.alice, label="l")
    assert (result.codespace, result.code) == ("wasm", 28)
    assert "code id 9999: no such code" in result.log


def test_INST_1_code_zero_is_invalid(world):
    result = world.chain.try_instantiate(0, {}, sender=world.alice, label="l")
    assert (result.codespace, result.code) == ("sdk", 18)


@pytest.mark.parametrize(
    ("label", "code"),
    [("", 12), ("x" * 129, 13), (" x", 14), ("x ", 14), ("a\tb", 14), ("a\nb", 14)],
)
def test_INST_2_labels_that_are_refused(world, label, code):
    result = world.chain.try_instantiate(world.code, {}, sender=world.alice, label=label)
    assert (result.codespace, result.code) == ("wasm", code)


@pytest.mark.parametrize(
    "point",
    # no-break space, soft hyphen, unassigned, unassigned since 14.0 or 15.0, joiner, private use
    *[(0xA0, 0xAD, 0x378, 0x1AFFF, 0x1FADC, 0x200D, 0x202E, 0xFEFF, 0xFFFE, 0xE000, 0xE01F0)],
)
def test_INST_2_what_go_does_not_print_is_refused_in_a_label(world, point):
    label = f"a{chr(point)}b"
    result = world.chain.try_instantiate(world.code, {}, sender=world.alice, label=label)
    assert result.log == "label: label must have printable characters only: invalid"


@pytest.mark.parametrize(
    "label", ["x", "x" * 128, "a b", "é", "a\u0301b", "\U0001fae8", "日本", "٣"]
)
def test_INST_2_labels_that_pass(world, label):
    assert world.chain.instantiate(world.code, {}, sender=world.alice, label=label)


def test_INST_2_the_message_must_be_json(world):
    result = world.chain.try_instantiate(world.code, b"{", sender=world.alice, label="l")
    assert (result.codespace, result.code, result.log) == ("wasm", 14, "payload msg: invalid")


def test_INST_3_a_child_sees_its_parent_and_nobody_sees_itself(world):
    seen = []

    def look(deps, env, info, msg):
        from chain.std import ContractError

        for address in (info.sender, env.contract.address):
            try:
                seen.append(deps.querier.query_contract_info(address).code_id)
            except ContractError as error:
                seen.append(str(error))
        return Response()

    child = world.chain.store_code(Contract(name="child", instantiate=look))

    def parent(deps, env, info, msg):
        from chain.std import WasmMsg

        return Response().add_message(WasmMsg.Instantiate(child, {}, "child"))

    code = world.chain.store_code(Contract(name="parent", instantiate=parent))
    world.chain.instantiate(code, {}, sender=world.alice, label="p")
    assert seen[0] == code
    assert "No such contract" in seen[1]


def test_INST_3_funds_move_before_the_entry_point(world):
    seen = []

    def look(deps, env, info, msg):
        seen.append(deps.querier.query_balance(env.contract.address, "denom").amount)
        return Response()

    code = world.chain.store_code(Contract(name="look", instantiate=look))
    world.chain.instantiate(code, {}, sender=world.alice, label="l", funds="5denom")
    assert seen == [5]


def test_INST_4_what_a_record_holds(world):
    info = world.chain.contract_info(world.a)
    assert (info.code_id, info.creator, info.admin, info.label) == (
        1,
        world.alice,
        world.alice,
        "a",
    )


def test_INST_4_the_admin_must_be_an_address(world):
    result = world.chain.try_instantiate(world.code, {}, sender=world.alice, label="l", admin="bad")
    assert result.log == "admin: decoding bech32 failed: invalid bech32 string length 3"


def test_INST_5_the_first_instance_has_number_one(world):
    assert world.a == contract_address(world.code, 1)
    assert world.c == contract_address(world.code, 3)


@pytest.mark.parametrize(
    ("prefix", "code", "instance", "address"),
    [
        ("purple", 0, 0, "purple1w0w8sasnut0jx0vvsnvlc8nayq0q2ej8xgrpwgel05tn6wy4r57qfplul7"),
        ("purple", 0, 1, "purple156r47kpk4va938pmtpuee4fh77847gqcw2dmpl2nnpwztwfgz04s5cr8hj"),
        ("purple", 1, 0, "purple1mzdhwvvh22wrt07w59wxyd58822qavwkx5lcej7aqfkpqqlhaqfs5efvjk"),
        ("purple", 1, 1, "purple14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9smc2vxm"),
        ("cosmos", 1, 1, "cosmos14hj2tavq8fpesdwxxcu44rty3hh90vhujrvcmstl4zr3txmfvw9s4hmalr"),
        ("cosmwasm", 1, 0, "cosmwasm1mzdhwvvh22wrt07w59wxyd58822qavwkx5lcej7aqfkpqqlhaqfsgn6fq2"),
    ],
)
def test_INST_6_published_addresses(prefix, code, instance, address):
    assert contract_address(code, instance, prefix) == address


def test_INST_7_the_message_is_only_mixed_in_when_fixed(world):
    chain = world.chain
    free = chain.instantiate2(world.code, {}, sender=world.alice, label="l", salt=b"s")
    fixed = chain.instantiate2(
        world.code, {}, sender=world.alice, label="l", salt=b"s", fix_msg=True
    )
    again = chain.instantiate2(
        world.code, {"x": 1}, sender=world.alice, label="l", salt=b"s", fix_msg=True
    )
    assert len({free, fixed, again}) == 3


def test_INST_8_a_published_predictable_address():
    address = predictable_address(CHECKSUM, CREATOR, b"a", b"", "purple")
    assert address == "purple1t6r960j945lfv8mhl4mage2rg97w63xeynwrupum2s2l7em4lprs9ce5hk"


@pytest.mark.parametrize(("size", "code"), [(0, 12), (1, 0), (64, 0), (65, 13)])
def test_INST_9_salts_have_1_to_64_bytes(world, size, code):
    message = create(world.code, {}, salt=b64(b"s" * size))
    result = world.run(script(messages=[plain(message)]))
    assert result.code == code


def test_INST_9_the_same_combination_twice_is_a_duplicate(world):
    arguments = {"sender": world.alice, "label": "l", "salt": b"s"}
    world.chain.instantiate2(world.code, {}, **arguments)
    with pytest.raises(TxFailed) as failed:
        world.chain.instantiate2(world.code, {}, **arguments)
    result = failed.value.result
    assert (result.codespace, result.code) == ("wasm", 15)
    assert "contract address already exists, try a different combination" in result.log


def test_INST_9_codes_with_one_checksum_share_addresses():
    chain = Chain()
    alice = chain.account("alice")
    one = chain.store_code(Contract(name="one", instantiate=ok), checksum=CHECKSUM)
    two = chain.store_code(Contract(name="two", instantiate=ok), checksum=CHECKSUM)
    mark = chain.snapshot()
    first = chain.instantiate2(one, {}, sender=alice, label="l", salt=b"s")
    chain.revert(mark)
    assert chain.instantiate2(two, {}, sender=alice, label="l", salt=b"s") == first


def test_INST_10_a_funded_unused_account_is_taken_over(world):
    chain = world.chain
    mark = chain.snapshot()
    address = chain.instantiate2(world.code, {}, sender=world.alice, label="l", salt=b"my salt")
    chain.revert(mark)
    chain.fund(address, "100denom")
    again = chain.instantiate2(
        world.code, {}, sender=world.alice, label="l", salt=b"my salt", funds="5denom"
    )
    assert again == address
    assert chain.balance(address, "denom") == 105


def test_INST_11_only_the_admin_migrates(world):
    chain = world.chain
    code = chain.store_code(HACKATOM)
    result = chain.try_migrate(world.a, code, {}, sender=world.bob)
    assert (result.codespace, result.code) == ("sdk", 4)
    assert result.log.endswith("can not migrate: unauthorized")
    orphan = chain.instantiate(world.code, {}, sender=world.alice, label="l")
    assert chain.try_migrate(orphan, code, {}, sender=world.alice).code == 4


def test_INST_11_unknown_contract_or_code(world):
    chain = world.chain
    ghost = contract_address(9, 9)
    assert chain.try_migrate(ghost, world.code, {}, sender=world.alice).log.endswith(
        "unknown contract: invalid request"
    )
    assert chain.try_migrate(world.a, 99, {}, sender=world.alice).log.endswith(
        "unknown code: invalid request"
    )


def test_INST_11_the_new_code_runs_on_the_old_state(world):
    world.run(script(["set", "k", "old"]))
    world.chain.migrate(world.a, world.code, script(["copy", "k", "seen"]), sender=world.alice)
    assert world.text(world.a, "seen") == "old"
    assert world.chain.balance(world.a, "denom") == 1000


def test_INST_11_a_code_without_migrate_entry_is_a_vm_error(world):
    code = world.chain.store_code(Contract(name="bare", instantiate=ok))
    result = world.chain.try_migrate(world.a, code, {}, sender=world.alice)
    assert (result.codespace, result.code) == ("wasm", 29)
    assert "Missing export migrate" in result.log


def test_INST_11_a_contract_error_has_code_11(world):
    result = world.chain.try_migrate(world.a, world.code, script(error="no"), sender=world.alice)
    assert (result.codespace, result.code) == ("wasm", 11)
    assert result.log.endswith("no: migrate wasm contract failed")


def _build(number, migrate_version):
    def migrate(deps, env, msg):
        deps.storage.set(b"migrated", str(number).encode())
        return Response().set_data(b"ran")

    return Contract(
        name=f"build{number}", instantiate=ok, migrate=migrate, migrate_version=migrate_version
    )


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [(1, 1, False), (1, 2, True), (None, 1, True), (1, None, True), (None, None, True)],
)
def test_INST_11_equal_migrate_versions_skip_the_entry_point(world, old, new, runs):
    chain = world.chain
    first, second = chain.store_code(_build(1, old)), chain.store_code(_build(2, new))
    address = chain.instantiate(first, {}, sender=world.alice, label="l", admin=world.alice)
    result = chain.migrate(address, second, {}, sender=world.alice)
    assert result.data == (b"ran" if runs else b"")
    assert chain.query_raw(address, b"migrated") == (b"2" if runs else None)
    assert chain.contract_info(address).code_id == second
    assert [event.type for event in result.events] == ["message", "migrate"]


def test_INST_11_a_folder_declares_its_migrate_version(tmp_path):
    for name, about in (("built", "MIGRATE_VERSION = 3\n"), ("wrong", 'MIGRATE_VERSION = "3"\n')):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "__init__.py").write_text(about)
        (folder / "contract.py").write_text("")
    assert load_folder(tmp_path / "built").migrate_version == 3
    with pytest.raises(ContractSourceError, match="MIGRATE_VERSION is a 64-bit number"):
        load_folder(tmp_path / "wrong").compile()
    with pytest.raises(ValueError, match="64-bit number"):
        Contract(name="c", migrate_version=-1)


def test_INST_12_only_the_current_admin(world):
    chain = world.chain
    chain.update_admin(world.a, world.bob, sender=world.alice)
    with pytest.raises(TxFailed, match="can not modify contract: unauthorized"):
        chain.update_admin(world.a, world.c, sender=world.alice)
    chain.clear_admin(world.a, sender=world.bob)
    with pytest.raises(TxFailed, match="unauthorized"):
        chain.clear_admin(world.a, sender=world.bob)
    assert chain.contract_info(world.a).admin is None


def test_INST_12_a_new_admin_equal_to_the_sender_is_invalid(world):
    with pytest.raises(TxFailed) as failed:
        world.chain.update_admin(world.a, world.alice, sender=world.alice)
    assert failed.value.result.log == "new admin is the same as the old: invalid"


def test_INST_12_a_failed_instantiate_gives_its_id_back(world):
    chain = world.chain
    assert (
        chain.try_instantiate(world.code, script(error="no"), sender=world.alice, label="l").code
        == 4
    )
    new = chain.instantiate(world.code, {}, sender=world.alice, label="l")
    assert new == contract_address(world.code, 4)


def test_INST_13_sudo_has_no_sender_and_is_not_a_message(world):
    assert world.chain.sudo(world.a, script(["set", "k", "v"])).code == 0
    assert world.text(world.a, "k") == "v"
    message = {"wasm": {"sudo": {"contract_addr": world.b, "msg": "e30="}}}
    assert world.run(script(messages=[plain(message)])).code == 20


def test_INST_13_sudo_steals_as_in_wasmd():
    chain = Chain()
    alice, community = chain.account("alice", "100000gold"), chain.account("community", "")
    code = chain.store_code(HACKATOM)
    message = {"verifier": alice, "beneficiary": community}
    address = chain.instantiate(code, message, sender=alice, label="h", funds="100000gold")
    amount = [{"denom": "gold", "amount": "76543"}]
    result = chain.sudo(address, {"steal_funds": {"recipient": community, "amount": amount}})
    assert chain.balance(community, "gold") == 76543
    assert shape(result)[0] == ("sudo", [("_contract_address", address)])


@pytest.mark.parametrize(
    ("allowed", "passes"), [(None, True), ([], False), (["bob"], False), (["bob", "alice"], True)]
)
def test_INST_15_who_may_instantiate(world, allowed, passes):
    chain = world.chain
    names = None if allowed is None else [getattr(world, name) for name in allowed]
    code = chain.store_code(Contract(name="restricted", instantiate=ok), instantiate_by=names)
    result = chain.try_instantiate(code, {}, sender=world.alice, label="l")
    assert (result.code == 0) is passes
    assert passes or result.log.endswith("can not instantiate: unauthorized")


def test_INST_16_missing_entry_points_fail_when_called(world):
    code = world.chain.store_code(Contract(name="bare", instantiate=ok))
    address = world.chain.instantiate(code, {}, sender=world.alice, label="l")
    result = world.chain.try_execute(address, {}, sender=world.alice)
    assert (result.codespace, result.code) == ("wasm", 29)
    assert "Missing export execute" in result.log
    assert "reply" not in result.log


def test_INST_11_migration_to_a_restricted_code(world):
    code = world.chain.store_code(
        Contract(name="closed", instantiate=ok, migrate=ok), instantiate_by=[]
    )
    result = world.chain.try_migrate(world.a, code, {}, sender=world.alice)
    assert result.log.endswith("to use new code: unauthorized")
