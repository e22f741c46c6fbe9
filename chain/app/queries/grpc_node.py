"""``cosmos.tx.v1beta1.Service/Simulate`` and ``cosmos.base.node.v1beta1.Service``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chain.app import gov
from chain.app.queries.desk import Desk
from chain.app.queries.failure import Failure
from chain.app.units import UNITS
from chain.block.types import TxResult
from chain.errors import AppError
from chain.tx.codec import decode_tx
from chain.tx.proto import message

_ENDLESS: Final = (1 << 64) - 1  # what a simulation says it wants
#: what a simulation without a fee lacks: moving the fee, and the bytes of fee and signature. A
#: real chain leaves it out, and clients then ask for too little.
_FEE_GAS: Final = 21_000
_TX_DATA: Final = message("cosmos.base.abci.v1beta1.TxMsgData")
_SECOND: Final = 1_000_000_000


def simulate(desk: Desk, request: Any) -> Any:
    """What a transaction would do and cost, without signatures."""
    raw = request.tx_bytes
    if not raw and request.HasField("tx"):
        raw = _raw_of(request.tx)
    if not raw:
        raise Failure.argument("empty txBytes is not allowed")
    unpaid = 0
    try:
        result = desk.simulate(raw)
        unpaid = 0 if decode_tx(raw).fee else _FEE_GAS
    except AppError as error:
        result = TxResult(error.code, error.codespace, error.log)
    if result.code:
        raise Failure.status("Unknown", f"{result.log} with gas used: '{result.gas_used}'")
    answer = message("cosmos.tx.v1beta1.SimulateResponse")()
    answer.gas_info.gas_wanted = _ENDLESS
    answer.gas_info.gas_used = result.gas_used + unpaid
    answer.result.data = result.data
    for event in result.events:
        made = answer.result.events.add(type=event.type)
        for key, value in event.attributes:
            made.attributes.add(key=key, value=value)
    answer.result.msg_responses.extend(_TX_DATA.FromString(result.data).msg_responses)
    return answer


def _raw_of(tx: Any) -> bytes:
    """The bytes of the deprecated field that holds a whole transaction."""
    made = message("cosmos.tx.v1beta1.TxRaw")(
        body_bytes=tx.body.SerializeToString(deterministic=True),
        auth_info_bytes=tx.auth_info.SerializeToString(deterministic=True),
        signatures=tx.signatures,
    )
    raw: bytes = made.SerializeToString(deterministic=True)
    return raw


def config(desk: Desk, request: Any) -> Any:
    """The gas price below which nothing is taken, and that nothing is pruned."""
    whole, rest = divmod(gov.load_params(desk.view).gas_price, UNITS["umsg"])
    answer = message("cosmos.base.node.v1beta1.ConfigResponse")()
    answer.minimum_gas_price = f"{whole}.{rest:012d}000000umsg"
    answer.pruning_keep_recent = answer.pruning_interval = "0"
    return answer


def status(desk: Desk, request: Any) -> Any:
    """The height that is asked and its time."""
    answer = message("cosmos.base.node.v1beta1.StatusResponse")()
    answer.height = desk.height
    answer.timestamp.seconds, answer.timestamp.nanos = divmod(desk.time, _SECOND)
    return answer


TX_HANDLERS: Final[dict[str, Callable[[Desk, Any], Any]]] = {"Simulate": simulate}
NODE_HANDLERS: Final[dict[str, Callable[[Desk, Any], Any]]] = {"Config": config, "Status": status}
