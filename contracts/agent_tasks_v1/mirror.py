"""Task messages also go through ``agent_a2a_v1``, so that inboxes and subscriptions show them.

The envelope is the binding's: ``type task_id skill params lez_price state result error`` as JSON,
what is not there left out. This contract is a relay there and names the sender. A mirror that fails
(no relay, rate limit, constitution, size) changes nothing here: the task and its money go on, and
``mirror_failed`` says so.
"""

from chain.std import Addr, Binary, Response, SubMsg, WasmMsg, decode, encode
from contracts.agent_tasks_v1.price import decimal_text
from contracts.agent_tasks_v1.state import Body, Config, Task

#: Reply id of a mirrored message.
MIRROR_REPLY = 2
#: A message may use this much gas and no more.
MIRROR_GAS_MAX = 5_000_000
PRIORITY = 50
TTL_SECONDS = 86_400

REQUEST = "request"
RESPONSE = "response"
NOTIFICATION = "notification"


def task_id(number: int) -> str:
    """The id outside."""
    return f"task-{number}"


def envelope(kind: str, task: Task, body: Body) -> dict[str, object]:
    """The fields every envelope has."""
    fields: dict[str, object] = {
        "type": kind,
        "task_id": task_id(task.number),
        "skill": body.skill,
        "state": task.state,
    }
    if task.denom == "amsg":
        fields["lez_price"] = decimal_text(task.price)
    if task.error is not None:
        fields["error"] = task.error
    return fields


def mirror(
    response: Response,
    config: Config,
    fields: dict[str, object],
    message_type: str,
    *,
    sender_addr: Addr | None,
    receiver_addr: Addr,
) -> Response:
    """Send an envelope in somebody's name; ``None`` is this contract's own."""
    if config.a2a_addr is None or sender_addr == receiver_addr:
        return response
    message: dict[str, object] = {
        "to": receiver_addr,
        "message_type": message_type,
        "payload": Binary(encode(fields)),
        "priority": PRIORITY,
        "ttl": TTL_SECONDS,
    }
    if sender_addr is not None:
        message["on_behalf_of"] = sender_addr
    call = WasmMsg.Execute(config.a2a_addr, {"send_message": message})
    return response.add_submessage(
        SubMsg.reply_on_error(call, MIRROR_REPLY).with_gas_limit(MIRROR_GAS_MAX)
    )


def to_provider(
    response: Response, config: Config, task: Task, fields: dict[str, object], message_type: str
) -> Response:
    """Send an envelope from the requester to the provider."""
    return mirror(
        response,
        config,
        fields,
        message_type,
        sender_addr=task.requester_addr,
        receiver_addr=task.provider_addr,
    )


def to_requester(
    response: Response, config: Config, task: Task, fields: dict[str, object], message_type: str
) -> Response:
    """Send an envelope from the provider to the requester."""
    return mirror(
        response,
        config,
        fields,
        message_type,
        sender_addr=task.provider_addr,
        receiver_addr=task.requester_addr,
    )


def send_request(response: Response, config: Config, task: Task, body: Body) -> Response:
    """``task_request`` from the requester to the provider."""
    fields = envelope("task_request", task, body)
    fields["params"] = decode(body.params)
    return to_provider(response, config, task, fields, REQUEST)


def send_status(response: Response, config: Config, task: Task, body: Body) -> Response:
    """``task_status`` from the provider to the requester."""
    fields = envelope("task_status", task, body)
    return to_requester(response, config, task, fields, NOTIFICATION)


def send_question(
    response: Response, config: Config, task: Task, body: Body, question: object
) -> Response:
    """``task_status`` from the provider with what it asks as ``params``."""
    fields = envelope("task_status", task, body)
    fields["params"] = question
    return to_requester(response, config, task, fields, REQUEST)


def send_input(
    response: Response, config: Config, task: Task, body: Body, given: object
) -> Response:
    """``task_status`` from the requester with its answer as ``params``."""
    fields = envelope("task_status", task, body)
    fields["params"] = given
    return to_provider(response, config, task, fields, RESPONSE)


def send_result(
    response: Response, config: Config, task: Task, body: Body, result: dict[str, object]
) -> Response:
    """``task_result`` from the provider to the requester."""
    fields = envelope("task_result", task, body)
    fields["result"] = result
    return to_requester(response, config, task, fields, RESPONSE)


def send_cancelled(response: Response, config: Config, task: Task, body: Body) -> Response:
    """``cancelled`` from the requester to the provider."""
    fields = envelope("cancelled", task, body)
    return to_provider(response, config, task, fields, NOTIFICATION)


def send_ended(
    response: Response, config: Config, task: Task, body: Body, provider_knows: bool
) -> Response:
    """``task_status`` in this contract's own name: nobody's message ended the task."""
    fields = envelope("task_status", task, body)
    response = mirror(
        response, config, fields, NOTIFICATION, sender_addr=None, receiver_addr=task.requester_addr
    )
    if provider_knows:
        response = mirror(
            response,
            config,
            fields,
            NOTIFICATION,
            sender_addr=None,
            receiver_addr=task.provider_addr,
        )
    return response


def ask_owner(
    response: Response, config: Config, task: Task, body: Body, agent_addr: Addr, *, why: str
) -> Response:
    """``approval_request`` from the agent to its owner: the binding's owner channel."""
    if task.approver_addr is None:
        return response
    fields = envelope("approval_request", task, body)
    fields["params"] = {
        "about": task.approval,
        "reason": why,
        "provider": task.provider,
        "price": str(task.price),
        "denom": task.denom,
        "approval_deadline": str(task.approval_deadline),
    }
    return mirror(
        response, config, fields, REQUEST, sender_addr=agent_addr, receiver_addr=task.approver_addr
    )
