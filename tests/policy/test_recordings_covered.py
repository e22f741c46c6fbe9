"""Every recorded file and group is replayed by a test that is named here, or has a reason why not."""

import json
import re
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
RECORDED = TESTS.parent / "fixtures" / "recorded"

VECTORS = "conformance/wasmd/test_vectors.py"
REMAINING = "conformance/wasmd/test_remaining_vectors.py"
SCENARIOS = "conformance/wasmd/test_scenarios.py"

#: file, or file and group, to (test file, test function)
REPLAYED = {
    "again/queries.json": ("conformance/rpc/test_recorded_again.py", "test_query"),
    "again/rpc.json": ("conformance/rpc/test_rpc_again.py", "test_request"),
    "again/transactions.json": ("conformance/rpc/test_recorded_again.py", "test_transaction"),
    "multitest/cw20_traces.json": ("conformance/cw20/test_recorded_histories.py", ""),
    "multitest/escrow_traces.json": ("conformance/escrow/test_recorded_histories.py", ""),
    "multitest/submsg_traces.json": ("conformance/multitest_submsg/test_submsg.py", ""),
    "rpc/queries.json": ("conformance/rpc/test_queries.py", ""),
    "rpc/rpc.json http": ("conformance/rpc/test_rpc.py", ""),
    "rpc/rpc.json small_node": ("conformance/tx/test_recorded_blocks.py", ""),
    "rpc/rpc.json websocket": ("system/rpc/test_socket.py", ""),
    "rpc/tx_cases.json": ("conformance/rpc/test_txs.py", ""),
    "wasmd/world.json": (SCENARIOS, "test_the_world_is_set_up_as_recorded"),
    "wasmd/reflect_scenarios.json": (SCENARIOS, "test_scenario"),
    "wasmd/script_scenarios.json": (SCENARIOS, "test_scenario"),
    "wasmd/limits.json": (SCENARIOS, "test_limit"),
    "wasmd/limits.json query_depth": (VECTORS, "test_nested_queries"),
    "wasmd/addresses.json classic": (VECTORS, "test_classic_addresses"),
    "wasmd/addresses.json predictable": (VECTORS, "test_predictable_addresses"),
    "wasmd/addresses.json module_accounts": (VECTORS, "test_module_accounts"),
    "wasmd/addresses.json contract_api": (VECTORS, "test_the_contract_api"),
    "wasmd/addresses.json address_hash": (REMAINING, "test_address_hash"),
    "wasmd/addresses.json instantiated_in_world": (
        REMAINING,
        "test_instances_of_the_world_have_the_derived_addresses",
    ),
    "wasmd/addresses.json instantiate2_in_scenarios": (
        REMAINING,
        "test_instances_of_scenarios_have_the_predicted_addresses",
    ),
    "wasmd/addresses.json sdk_acc_address_from_bech32": (
        REMAINING,
        "test_the_chains_own_parser_of_addresses",
    ),
    "wasmd/gas.json config": (REMAINING, "test_the_gas_register_is_the_price_table"),
    "wasmd/gas.json api_costs": (REMAINING, "test_the_gas_register_is_the_price_table"),
    "wasmd/gas.json event_costs": (VECTORS, "test_event_costs"),
    "wasmd/gas.json reply_costs": (VECTORS, "test_reply_costs"),
    "wasmd/gas.json setup_contract_cost": (VECTORS, "test_setup_costs"),
    "wasmd/gas.json uncompress_costs": (REMAINING, "test_uncompress_costs"),
    "wasmd/gas.json from_wasmvm_gas": (REMAINING, "test_vm_gas_is_rounded_down"),
    "wasmd/gas.json to_wasmvm_gas": (REMAINING, "test_sdk_gas_in_vm_gas"),
    "wasmd/gas.json gas_meter": (VECTORS, "test_the_gas_meter"),
    "wasmd/gas.json kv_gas_config": (VECTORS, "test_store_prices"),
    "wasmd/gas.json gaskv": (VECTORS, "test_the_gas_of_store_operations"),
    "wasmd/gas.json measured": (
        REMAINING,
        "test_every_measurement_is_compared_or_has_a_reason",
    ),
}

NOT_REPLAYED = {
    "wasmd/gas.json transient_gas_config": (
        "no contract and no module of ours has a transient store; nor are its groups of gaskv replayed"
    ),
    "wasmd/stats.json": "counts over the other files",
    "wasmd/addresses.json prefix": "a setting of the recordings",
    "rpc/cosmjs_trace.json": (
        "the traffic of real CosmJS, which tests/system/node runs itself, call by call, against our node"
    ),
}
#: members that say how a file was made
ABOUT = {"meta", "header"}


@cache
def groups() -> frozenset[str]:
    """Files, and files with the name of a group where a file holds several."""
    found = set()
    for path in sorted(RECORDED.rglob("*.json")):
        name = path.relative_to(RECORDED).as_posix()
        held = json.loads(path.read_text(encoding="utf-8"))
        if name in ("wasmd/addresses.json", "wasmd/gas.json", "rpc/rpc.json"):
            found |= {f"{name} {group}" for group in held if group not in ABOUT}
        else:
            found.add(name)
    return frozenset(found)


def test_every_recorded_group_is_replayed_or_named():
    named = {*REPLAYED, *NOT_REPLAYED}
    missing = groups() - named
    assert not missing, f"no test replays {sorted(missing)}"
    known = groups() | {"wasmd/limits.json query_depth"}
    assert named <= known, f"there is no {sorted(named - known)}"
    assert not REPLAYED.keys() & NOT_REPLAYED.keys()


@pytest.mark.parametrize("group", sorted(REPLAYED))
def test_the_test_that_replays_it_exists(group):
    where, function = REPLAYED[group]
    source = (TESTS / where).read_text(encoding="utf-8")
    assert re.search(rf"^ *(async )?def {function or 'test_'}", source, re.MULTILINE)
    stem = Path(group.split(" ")[0]).stem
    imported = re.findall(r"^from (recorded_\w+) import", source, re.MULTILINE)
    helpers = [(TESTS / "support" / f"{name}.py").read_text(encoding="utf-8") for name in imported]
    assert any(stem in text for text in (source, *helpers)), f"{where} never opens {stem}"
