"""The codes of the recorded chain, stored on a node of ours: Python twins under their checksums."""

from __future__ import annotations

from typing import Any

from twins.burner import BURNER
from twins.cyberpunk import CYBERPUNK
from twins.hackatom import HACKATOM_1_4 as HACKATOM
from twins.reflect import REFLECT
from twins.replier import REPLIER

from chain.driver.codes import KnownCodes
from chain.tx.messages import AccessConfig, MsgStoreCode
from chain.vm.contract import Contract

CHECKSUMS = {
    "3f4cd47c39c57fe1733fb41ed176eebd9d5c67baf5df8a1eeda1455e758f8514": HACKATOM,
    "99aef385de6f1cd85c2253fa35a3c2596c7106ca14e81ba3b6ba5fbd362fe92d": REFLECT,
    "554b28b8fd7f82cf95564bdddc5aad8934a889af3901c060b2355326c5de3a1b": REPLIER,
    "1f16c1acd6c2534812250ecbfc761686bb356e278b8683248a6c38c6f06c614a": CYBERPUNK,
    "c45d966d820e3389188d86b39251a9b9188438abc298dd08f233f41281fbf430": BURNER,
}
#: transactions that stored Wasm -> what they stored
STORED = {
    "store_hackatom_ok": HACKATOM,
    "store_reflect_ok": REFLECT,
    "store_replier_ok": REPLIER,
    "store_cyberpunk_ok": CYBERPUNK,
    "store_burner_ok": BURNER,
    "store_same_again_ok": HACKATOM,
    "store_permission_any_of": HACKATOM,
    "store_permission_nobody": HACKATOM,
    "store_uncompressed_ok": BURNER,
    "store_permission_bad": HACKATOM,
    "store_permission_any_of_empty": HACKATOM,
    "store_out_of_gas": BURNER,
}
_ACCESS = {"Unspecified": 0, "Nobody": 1, "Everybody": 3, "AnyOfAddresses": 4}


def line(contract: Contract) -> str:
    """The line under which a twin has the recorded checksum."""
    found = next(name for name, value in CHECKSUMS.items() if value is contract)
    return f"msgchain:{contract.name}={found}"


class TwinCodes(KnownCodes):
    """The twins by their lines."""

    def __init__(self) -> None:
        super().__init__({})
        for contract in CHECKSUMS.values():
            self._added[line(contract)] = contract


def store_message(case: dict[str, Any], sender: str) -> MsgStoreCode:
    """What stores the twin of the code that a recorded transaction stored."""
    messages = case["tx_json"]["body"]["messages"] if case["tx_json"] else [{}]
    shown = messages[0].get("instantiate_permission")
    access = None
    if shown is not None:
        access = AccessConfig(_ACCESS[shown["permission"]], tuple(shown["addresses"]))
    return MsgStoreCode(sender, line(STORED[case["id"]]).encode(), access)
