"""Entry points of the DID registry, and which handler takes which message."""

from chain.std import (
    Deps,
    DepsMut,
    Env,
    ExecuteHandler,
    Message,
    MessageInfo,
    QueryHandler,
    Response,
)
from chain.storage_plus import set_contract_version
from contracts.did_registry_v1 import NAME, VERSION
from contracts.did_registry_v1.challenge import (
    execute_create_challenge,
    execute_respond_challenge,
)
from contracts.did_registry_v1.document import (
    checked_config,
    execute_create_did,
    execute_deactivate_did,
    execute_rotate_key,
    execute_transfer_did,
    execute_update_config,
    execute_update_did,
    refuse_funds,
)
from contracts.did_registry_v1.msg import InstantiateMsg
from contracts.did_registry_v1.query import (
    query_did_by_address,
    query_get_challenge,
    query_get_config,
    query_list_challenges,
    query_pq_verify,
    query_resolve_did,
    query_verify_signature,
)
from contracts.did_registry_v1.state import CONFIG, Config

HANDLERS: dict[str, ExecuteHandler] = {
    "create_did": execute_create_did,
    "update_did": execute_update_did,
    "rotate_key": execute_rotate_key,
    "transfer_did": execute_transfer_did,
    "deactivate_did": execute_deactivate_did,
    "create_challenge": execute_create_challenge,
    "respond_challenge": execute_respond_challenge,
    "update_config": execute_update_config,
}

QUERIES: dict[str, QueryHandler] = {
    "resolve_did": query_resolve_did,
    "did_by_address": query_did_by_address,
    "pq_verify": query_pq_verify,
    "msg_pq_verify_v1": query_pq_verify,
    "verify_signature": query_verify_signature,
    "get_challenge": query_get_challenge,
    "list_challenges": query_list_challenges,
    "get_config": query_get_config,
}


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """Store the limits."""
    refuse_funds(info)
    config = Config(
        admin=None if msg.admin is None else deps.api.addr_validate(msg.admin),
        keys_max=msg.keys_max,
        services_max=msg.services_max,
        challenge_ttl_max_seconds=msg.challenge_ttl_max_seconds,
    )
    CONFIG.save(deps.storage, checked_config(config))
    set_contract_version(deps.storage, NAME, VERSION)
    return Response().add_attribute("action", "instantiate")


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERIES[msg.variant](deps, env, msg)
