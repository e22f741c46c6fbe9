"""What a contract's response costs and becomes: events, submessages, protobuf answer, and the
chain's errors.
"""

from __future__ import annotations

from typing import Final

from chain.app.context import (
    EXECUTE,
    INSTANTIATE,
    INSTANTIATE2,
    MIGRATE,
    REPLY,
    SUDO,
    Call,
    Frame,
    Outcome,
)
from chain.app.events import (
    Event,
    Looked,
    look,
    shape_attributes,
    shape_event,
)
from chain.app.submessages import Prepared, prepare, size
from chain.errors import REGISTERED, AppError, ContractError, VmError
from chain.gas import (
    EVENT_ATTRIBUTE,
    EVENT_BYTE,
    EVENT_FREE_BYTES,
    INSTANCE,
    INSTANCE_DISCOUNT,
    RESULT_BYTE,
)
from chain.std import Reply, Response
from chain.tx import results
from chain.vm.querier import ContractRefused

_FAILED: Final = {EXECUTE: 5, INSTANTIATE: 4, MIGRATE: 11, SUDO: 5, REPLY: 5, INSTANTIATE2: 4}
#: messages whose reading is paid with the rest of the response, and what each further one costs
_MESSAGES_FREE: Final = 64
_MESSAGE: Final = 100
_NO_MESSAGES: Final[list[Prepared]] = []
_NOT_LOOKED: Final = Looked(0, 0, [])


def setup_cost(discount: bool, msg_size: int = 0) -> int:
    """Gas of loading a contract for one call; the message's bytes are free in wasmd's table
    (GAS-5).
    """
    if msg_size < 0:
        raise ValueError("negative length")
    return INSTANCE_DISCOUNT if discount else INSTANCE


def reply_cost(reply: Reply, discount: bool = True) -> int:
    """Gas of calling ``reply``: the instance and the events it is handed (GAS-6)."""
    gas = INSTANCE_DISCOUNT if discount else INSTANCE
    answered = reply.result.ok
    if answered is None:
        return gas
    count = length = 0
    for event in answered.events:
        gas += EVENT_BYTE * len(event.type.encode())
        count += len(event.attributes)
        for key, value in event.attributes:
            length += len(key.encode()) + len(value.encode())
    return gas + EVENT_ATTRIBUTE * count + EVENT_BYTE * max(0, length - EVENT_FREE_BYTES)


def refused(kind: str, error: ContractError) -> ContractRefused:
    """A contract's refusal as the chain's error: ``<text>: execute wasm contract failed``."""
    code = _FAILED[kind]
    return ContractRefused("wasm", code, f"{error.text}: {REGISTERED['wasm', code]}")


def dispatched(error: AppError) -> AppError:
    """The same error from the messages of an instantiate, migrate, sudo or reply."""
    return AppError(error.codespace, error.code, f"dispatch: {error.log}")


def respond(call: Call, response: Response) -> Frame | Outcome:
    """Charge and shape what a response says (EV-9); its messages become a frame.

    Raises: AppError wasm/21 for a bad event, wasm/14 for a missing reply policy, VmError.
    """
    kind, address = call.kind, call.address
    attributes, custom, data = response.pairs, response.events, response.data
    messages, unclear = _NO_MESSAGES, False
    if response.messages:
        many = len(response.messages) - _MESSAGES_FREE
        if many > 0:
            call.meter.consume(_MESSAGE * many, "Parse result")
        messages, unclear = prepare(address, response.messages, call.meter)
    if data is not None and not isinstance(data, bytes):
        raise VmError("Error calling the VM: the data of a response is not bytes")
    gas = RESULT_BYTE * len(data) if data else 0
    looked = _NOT_LOOKED
    if attributes or custom:
        looked = _look(response, call.meter.limit - call.meter.used)
        gas += looked.gas + RESULT_BYTE * looked.size
    for sub in messages:
        gas += RESULT_BYTE * size(sub)
    if gas:
        call.meter.consume(gas, "Custom contract event attributes")
    events = call.tx.events
    try:
        if attributes:
            events.append(Event("wasm", shape_attributes(address, attributes, looked.tidy[0])))
        for place, event in enumerate(custom, 1):
            events.append(shape_event(address, event, looked.tidy[place]))
        if unclear:
            raise AppError.wrap("wasm", 14, "replyOn value")
    except AppError as error:
        raise error if kind is EXECUTE else dispatched(error) from None
    if messages or kind is REPLY:
        return Frame(kind, address, messages, data, call.meter, call.depth)
    return finish(kind, address, data)


def finish(kind: str, address: str, data: bytes | None) -> Outcome:
    """The protobuf answer of a finished call (DATA-5, DATA-6)."""
    if kind is EXECUTE:
        return Outcome(results.EXECUTE, results.data_value(data), True)
    if kind is MIGRATE:
        return Outcome(results.MIGRATE, results.data_value(data), True)
    if kind is SUDO:
        return Outcome(results.SUDO, results.data_value(data), True)
    url = results.INSTANTIATE2 if kind is INSTANTIATE2 else results.INSTANTIATE
    return Outcome(url, results.instantiate_value(address, data), True)


def _look(response: Response, limit: int) -> Looked:
    """What attributes and events cost and whether they are tidy; VmError for what is no text."""
    try:
        return look(response.pairs, response.events, limit)
    except (AttributeError, TypeError, ValueError):
        raise VmError("Error calling the VM: an attribute or event is malformed") from None
