"""At the start of a block: end what is overdue, so that nobody has to come and ask."""

from chain.std import DepsMut, Env, Response
from chain.storage_plus import Bound
from contracts.agent_tasks_v1.ending import expire
from contracts.agent_tasks_v1.journal import now_of
from contracts.agent_tasks_v1.state import BY_DUE, CONFIG, Task


def sweep_overdue(deps: DepsMut, env: Env) -> Response:
    """At most ``sweep_max`` tasks, longest overdue first.

    The others can be ended by anybody meanwhile.
    """
    sweep_max = CONFIG.load(deps.storage).sweep_max
    overdue: list[Task] = []
    for entry in BY_DUE.prefix_range(deps.storage, None, Bound.exclusive(now_of(env))):
        if len(overdue) >= sweep_max:
            break
        overdue.append(entry[1])
    response = Response()
    for task in overdue:
        ended = expire(deps, env, task, env.contract.address)
        response.add_events(ended.events)
        response.add_submessages(ended.messages)
    return response
