"""A transaction's result as people and machines read it."""

from __future__ import annotations

from typing import Any

from chain.client.transport import Outcome
from chain.tx.results import ResultError, decode_contract_response, decode_store_response


def outcome_fields(outcome: Outcome, gas_price: int | None = None) -> dict[str, Any]:
    """What a transaction came to; what its messages answered is decoded."""
    fields: dict[str, Any] = {
        "hash": outcome.hash,
        "height": outcome.height,
        "code": outcome.code,
    }
    if outcome.code:
        fields |= {"codespace": outcome.codespace, "log": outcome.log}
    fields |= {"gas_used": outcome.gas_used, "gas_wanted": outcome.gas_wanted}
    if gas_price is not None:
        fields["fee"] = f"{outcome.gas_used * gas_price}amsg"
    fields |= _answers(outcome)
    fields["events"] = [
        {"type": event.type, "attributes": dict(event.attributes)} for event in outcome.events
    ]
    return fields


def _answers(outcome: Outcome) -> dict[str, Any]:
    """Code ids, contract addresses and data of the messages' answers."""
    found: dict[str, Any] = {}
    for response in outcome.responses():
        try:
            code_id, checksum = decode_store_response(response)
            found |= {"code_id": code_id, "checksum": checksum.hex()}
        except ResultError:
            pass
        try:
            answer = decode_contract_response(response)
        except ResultError:
            continue
        if answer.address:
            found["contract_address"] = answer.address
        if answer.data:
            found["data"] = answer.data.decode("utf-8", "replace")
    return found
