"""What A2A clients are told of money: the extension's facts in metadata, and how to pay.

The facts stand in ``metadata`` under the extension's URI: ``status`` is ``payment-required``,
``payment-escrowed``, ``payment-released``, ``payment-refunded`` or ``payment-split`` (canceled with
a share), beside ``price denom paid refunded task_id contract``. Amounts are decimal texts. A
message that asks for payment also carries the keys of x402, for programs that look for those.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chain.client.card import PAYMENT_EXTENSION
from chain.client.task_content import MESSAGE

REQUIRED: Final = "payment-required"
ESCROWED: Final = "payment-escrowed"
RELEASED: Final = "payment-released"
REFUNDED: Final = "payment-refunded"
SPLIT: Final = "payment-split"
_ENDED: Final = ("completed", "failed", "canceled", "rejected")
_X402_STATUS: Final = "x402.payment.status"
_X402_REQUIRED: Final = "x402.payment.required"


def payment_facts(view: Mapping[str, Any], step: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a step means for the money of a task; None where there is none."""
    offer = offer_in(view)
    if offer is not None:
        if step["state"] in _ENDED:
            return None
        facts = {"status": REQUIRED, "price": offer["price"], "denom": offer["denom"]}
        return {PAYMENT_EXTENSION: facts}
    if int(view["price"]) == 0:
        return None
    facts = {
        "status": ESCROWED,
        "price": str(view["price"]),
        "denom": view["denom"],
        "task_id": view["task_id"],
    }
    if step["state"] in _ENDED:
        paid, refunded = int(view["paid"]), int(view["refunded"])
        facts["paid"], facts["refunded"] = str(paid), str(refunded)
        facts["status"] = SPLIT if paid and refunded else RELEASED if paid else REFUNDED
    return {PAYMENT_EXTENSION: facts}


def offer_in(view: Mapping[str, Any]) -> dict[str, Any] | None:
    """The offer that a task keeps: ``agent skill price denom tasks chain_id params``."""
    params = view["params"]
    offer = params.get("offer") if isinstance(params, dict) else None
    return offer if isinstance(offer, dict) and "price" in offer else None


def offer_params(message: Mapping[str, Any], offer: Mapping[str, Any]) -> dict[str, Any]:
    """The ``params`` of an offer: the request (as ``with_message`` makes it) and its price."""
    return {**message, "offer": dict(offer)}


def paid_call(view: Mapping[str, Any]) -> dict[str, Any]:
    """The contract call that pays an offer: contract, message and funds. Who sends it is the
    requester, to whom refunds go."""
    offer = offer_in(view) or {}
    body = {
        "provider": offer["agent"],
        "skill": offer["skill"],
        "params": {MESSAGE: view["params"][MESSAGE]},
        "price": offer["price"],
        "client_ref": view["task_id"],
        "context_id": view["context_id"],
    }
    denom = str(offer["denom"])
    call = {"contract": offer["tasks"], "msg": {"create_task": body}}
    if denom.startswith("cw20:"):
        return {**call, "token": denom.removeprefix("cw20:"), "amount": offer["price"]}
    return {**call, "funds": f"{offer['price']}{denom}"}


def payment_message(view: Mapping[str, Any]) -> dict[str, Any]:
    """The status message of an offer: how much, to whom, and the call that pays."""
    offer = offer_in(view) or {}
    price, denom, task_id = offer["price"], offer["denom"], view["task_id"]
    text = (
        f"Payment required: {price}{denom}. Send it to {offer['tasks']} with create_task and "
        f"client_ref {task_id} from an account of yours (the call is in the data part); the task "
        "goes on when the funds are in escrow."
    )
    accepts = {
        "scheme": "escrow",
        "network": f"msgchain:{offer['chain_id']}",
        "asset": denom,
        "payTo": offer["tasks"],
        "maxAmountRequired": price,
    }
    call = paid_call(view)
    return {
        "parts": [{"text": text}, {"data": call}],
        "extensions": [PAYMENT_EXTENSION],
        "metadata": {
            PAYMENT_EXTENSION: {
                "status": REQUIRED,
                "price": price,
                "denom": denom,
                "contract": offer["tasks"],
                "client_ref": task_id,
            },
            _X402_STATUS: REQUIRED,
            _X402_REQUIRED: {"x402Version": 1, "accepts": [accepts]},
        },
    }


def pays(offer_view: Mapping[str, Any], task_view: Mapping[str, Any]) -> bool:
    """Whether a task is what an offer asked to be paid for."""
    offer = offer_in(offer_view)
    return (
        offer is not None
        and task_view["client_ref"] == offer_view["task_id"]
        and task_view["provider"] == offer["agent"]
        and task_view["skill"] == offer["skill"]
        and task_view["denom"] == offer["denom"]
        and int(task_view["price"]) >= int(offer["price"])
        and task_view["params"] == {MESSAGE: offer_view["params"][MESSAGE]}
    )
