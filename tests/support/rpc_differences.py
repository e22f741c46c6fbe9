"""Where our answers differ from the recorded ones on purpose, and why."""

from __future__ import annotations

from collections.abc import Container

_CRASH = "the real chain crashed here and said so; the README of the recordings asks for this code"

#: recorded entries, by id
NAMED: dict[str, str] = {
    "store_wasm_magic_only": "no code comes in over the network, and the text says what to send",
    "wasm_execute_duplicate_key": "JSON is read before a contract sees it, and not twice",
    "reflect_msg_staking": "this chain has no staking",
    "bank_send_to_uppercase": "one account has exactly one text: upper case is refused (CH-7)",
    "bank_send_amount_empty_string": _CRASH,
    "ante_pubkey_32_bytes": _CRASH,
    "ante_mode_info_absent": _CRASH,
    "ante_fee_two_denoms_ok": "fees are paid in MSG alone (CH-4)",
}

#: transactions of the second recording, by id
NAMED_AGAIN: dict[str, str] = {
    "ante_pubkey_absent_known_account": _CRASH,
    "ante_no_fee_message": _CRASH,
    "store_garbage": "no code comes in over the network, and the text says what to send",
}

_NO_MODULES = "this chain has no mint, staking and distribution, whose events and state these are"
_GENESIS = "the genesis is another one"
_LISTING = "the list of methods lacks nothing and names no unsafe ones"

#: recorded requests over HTTP, by id. Besides these: where CometBFT answers a client's mistake
#: with status 500 we say 400 (all of them), and ``version.app`` is 1, which CometBFT's rollback
#: needs, where the recordings had 0 or left it out.
NAMED_RPC: dict[str, str] = {
    "method_block_results_1": _NO_MODULES,
    "method_block_results_failed_tx": _NO_MODULES,
    "tx_block_search_event": _NO_MODULES,
    "method_genesis": _GENESIS,
    "tx_search_height_range": "one transaction less went through: bank_send_to_uppercase",
    "tx_search_desc": "one transaction less went through: bank_send_to_uppercase",
    "tx_search_number_gt": "the transaction that is found holds Wasm",
    "get_metrics": "the node has metrics under /metrics",
}

#: queries of modules that this chain does not have: an unknown path
UNKNOWN_MODULES = ("staking_", "mint_", "gov_", "distribution_")
#: queries whose answer holds what other transactions did: same members, other values
SHAPED_QUERIES = (
    "auth_account_ok",
    "auth_account_info",
    "auth_accounts_limit_2",
    "auth_accounts_offset_count",
    "auth_accounts_reverse",
    "auth_module_accounts",
    "bank_balance_ok",
    "bank_all_balances",
    "bank_all_balances_limit_1",
    "bank_all_balances_next",
    "bank_all_balances_reverse",
    "bank_spendable_balances",
    "bank_spendable_balance_by_denom",
    "bank_total_supply",
    "bank_total_supply_limit_1",
    "bank_denom_owners",
    "tx_simulate_two_messages_ok",
    "tx_get_tx_ok",
    "tx_get_tx_lower_case",
    "tx_get_tx_failed",
    "wasm_smart_reply_208_of_reflect_sub_wasm_data_ok",
)
#: recorded application queries, by id
NAMED_QUERIES: dict[str, str] = {
    **dict.fromkeys(
        (
            "path_store_bank",
            "path_store_bank_prove",
            "path_store_acc",
            "path_store_wasm_info",
            "path_store_subspace",
            "path_store_subspace_prove",
            "path_store_no_slash",
            "path_store_height_prove",
        ),
        "keys are the recorded ones, values our own encoding",
    ),
    "wasm_code": "the value is left out of the recording",
}
#: requests to the node with small limits, by id
NAMED_SMALL: dict[str, str] = {
    "small_pruned_blockchain_part": "our first block is the first of all, its parent is nobody",
}


def judge(case: str, found: list[str], named: Container[str]) -> None:
    """A case differs exactly where a table names it."""
    if case in named:
        assert found, f"{case} does not differ any more"
    else:
        assert not found, "\n".join(found)
