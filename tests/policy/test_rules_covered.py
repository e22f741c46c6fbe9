"""Each numbered rule has a test that carries its id, or a reason why it is not taken over."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
RULES = TESTS.parent / "fixtures" / "rules.txt"

#: Rules that describe software or versions that this project does not rebuild.
NOT_TAKEN_OVER = {
    "ADDR-2": "the mock api of cosmwasm-std 1.5; ours checks real addresses",
    "BANK-12": "cosmwasm-std's helper type for coin lists is not offered; lists are checked by the chain (FUND-3, FUND-4)",
    "EV-16": "a debug panic of a Rust constructor; the chain's refusal is EV-8",
    "FUND-9": "cw-utils' payment helpers are a library of their own; contracts look at info.funds",
    "GAS-9": "figures of real Wasm instructions, which a Python contract does not execute",
    "VER-2": "the mocks of cosmwasm-std 1.5",
}


def rule_ids() -> list[str]:
    """The ids in the order of the rule book."""
    return [line.split(" ", 1)[0] for line in RULES.read_text(encoding="utf-8").splitlines()]


def ids_in_tests() -> set[str]:
    """Ids in names of test functions: ``test_SUB_4_…``."""
    families = {rule.split("-")[0] for rule in rule_ids()}
    names = re.compile(r"def test_([A-Z]+)_(\d+)_")
    return {
        f"{family}-{number}"
        for path in TESTS.rglob("test_*.py")
        for family, number in names.findall(path.read_text(encoding="utf-8"))
        if family in families
    }


def test_the_list_has_every_rule_once():
    ids = rule_ids()
    assert len(ids) == len(set(ids)) == 177


def test_every_rule_is_tested_or_named_as_not_taken_over():
    tested = ids_in_tests()
    missing = [rule for rule in rule_ids() if rule not in tested and rule not in NOT_TAKEN_OVER]
    assert not missing, f"no test carries {missing}"


def test_no_reason_is_stale():
    assert set(NOT_TAKEN_OVER) <= set(rule_ids())
    assert not set(NOT_TAKEN_OVER) & ids_in_tests()


def test_no_test_names_a_rule_that_does_not_exist():
    assert ids_in_tests() <= set(rule_ids())
