"""Where our answers differ from the recorded ones on purpose, and why."""

from __future__ import annotations

_CRASH = "the real chain crashed here and said so; the README of the recordings asks for this code"

#: recorded entries, by id
NAMED: dict[str, str] = {
    "bank_send_to_uppercase": "one account has exactly one text: upper case is refused (CH-7)",
    "bank_send_amount_empty_string": _CRASH,
    "ante_pubkey_32_bytes": _CRASH,
    "ante_mode_info_absent": _CRASH,
    "ante_fee_two_denoms_ok": "fees are paid in MSG alone (CH-4)",
}

_NO_MODULES = "this chain has no mint, staking and distribution, whose events and state these are"
_WASM = "looks for transactions of Wasm contracts, which are not replayed here"
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
    "tx_search_contract_and_action": _WASM,
    "tx_search_execute_contract": _WASM,
    "tx_search_number_value": _WASM,
    "tx_search_number_gt": _WASM,
    "tx_search_contains": _WASM,
    "tx_search_amount_with_denom": _WASM,
    "tx_search_action_and_sender": _WASM,
    "get_metrics": "the node has metrics under /metrics",
}
