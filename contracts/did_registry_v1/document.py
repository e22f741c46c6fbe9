"""Documents: created by an account for itself, changed by their controller only."""

from chain.std import Addr, DepsMut, Env, Event, MessageInfo, Response, Storage, replace
from contracts.did_registry_v1.error import (
    AddressAlreadyBound,
    DidAlreadyExists,
    DidDeactivated,
    DidNotFound,
    InvalidDid,
    InvalidKey,
    InvalidLimit,
    InvalidService,
    KeyNotFound,
    NonPayable,
    TooMany,
    Unauthorized,
)
from contracts.did_registry_v1.keys import fragment_of, read_key
from contracts.did_registry_v1.msg import (
    CreateDid,
    DeactivateDid,
    KeyInput,
    RotateKey,
    ServiceInput,
    TransferDid,
    UpdateConfig,
    UpdateDid,
)
from contracts.did_registry_v1.state import (
    ADDRESSES,
    CONFIG,
    DOCUMENTS,
    RELATIONS,
    Config,
    Document,
    KeyRecord,
    ServiceRecord,
)

DID_PREFIX = "did:msg:agent:"
DID_ID_LENGTH_MAX = 64
DID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789._-"
AGENT_ENDPOINT = "AgentEndpoint"
TEXT_LENGTH_MAX = 512
KEYS_LIMIT = 64
SERVICES_LIMIT = 64
CHALLENGE_TTL_LIMIT = 86_400


def refuse_funds(info: MessageInfo) -> None:
    """Nothing here takes funds. Raises: NonPayable."""
    if info.funds:
        raise NonPayable


def check_did(did: str) -> None:
    """Raises: InvalidDid."""
    name = did.removeprefix(DID_PREFIX)
    if name == did or not 1 <= len(name) <= DID_ID_LENGTH_MAX:
        raise InvalidDid(did)
    if name.strip(DID_CHARACTERS) != "":
        raise InvalidDid(did)


def load_own(storage: Storage, info: MessageInfo, did: str) -> Document:
    """The sender's live document. Raises: NonPayable, DidNotFound, Unauthorized, DidDeactivated."""
    refuse_funds(info)
    document = DOCUMENTS.may_load(storage, did)
    if document is None:
        raise DidNotFound(did)
    if info.sender != document.controller:
        raise Unauthorized
    if not document.active:
        raise DidDeactivated(did)
    return document


def execute_create_did(deps: DepsMut, env: Env, info: MessageInfo, msg: CreateDid) -> Response:
    """Create a document that speaks for the sender."""
    refuse_funds(info)
    storage = deps.storage
    check_did(msg.did)
    if DOCUMENTS.has(storage, msg.did):
        raise DidAlreadyExists(msg.did)
    bound = ADDRESSES.may_load(storage, info.sender)
    if bound is not None:
        raise AddressAlreadyBound(bound)
    config = CONFIG.load(storage)
    keys = add_keys(config, msg.did, (), msg.keys)
    now = env.block.time.nanos()
    document = Document(
        controller=info.sender,
        address=info.sender,
        active=True,
        version=1,
        keys=keys,
        services=read_services(config, msg.did, info.sender, msg.services),
        created_at=now,
        updated_at=now,
    )
    DOCUMENTS.save(storage, msg.did, document)
    ADDRESSES.save(storage, info.sender, msg.did)
    return changed(env, info, "create_did", (msg.did, document))


def add_keys(
    config: Config, did: str, held: tuple[KeyRecord, ...], given: tuple[KeyInput, ...]
) -> tuple[KeyRecord, ...]:
    """The keys with new ones behind. Raises: TooMany, InvalidKey."""
    if len(held) + len(given) > config.keys_max:
        raise TooMany("keys", config.keys_max)
    keys = list(held)
    for item in given:
        key = read_key(did, item)
        if find_key(tuple(keys), key.fragment) is not None:
            raise InvalidKey(f"{key.fragment} is there already")
        keys.append(key)
    if not keys:
        raise InvalidKey("a document needs one")
    return tuple(keys)


def find_key(keys: tuple[KeyRecord, ...], fragment: str | None) -> KeyRecord | None:
    """The key with this fragment, or None."""
    for key in keys:
        if key.fragment == fragment:
            return key
    return None


def load_key(document: Document, did: str, key_id: str) -> KeyRecord:
    """The document's key. Raises: KeyNotFound."""
    key = find_key(document.keys, fragment_of(did, key_id))
    if key is None:
        raise KeyNotFound(key_id)
    return key


def read_services(
    config: Config, did: str, address: Addr, given: tuple[ServiceInput, ...]
) -> tuple[ServiceRecord, ...]:
    """Services as stored, with an ``AgentEndpoint`` at the account in front where none is given.

    Raises: TooMany, InvalidService.
    """
    if len(given) > config.services_max:
        raise TooMany("services", config.services_max)
    services: list[ServiceRecord] = []
    endpoint = False
    for item in given:
        fragment = fragment_of(did, item.id)
        if fragment is None:
            raise InvalidService("an id is letters, digits and . _ -")
        if not 1 <= len(item.type) <= TEXT_LENGTH_MAX:
            raise InvalidService(f"a type is 1 to {TEXT_LENGTH_MAX} characters")
        if not 1 <= len(item.serviceEndpoint) <= TEXT_LENGTH_MAX:
            raise InvalidService(f"an endpoint is 1 to {TEXT_LENGTH_MAX} characters")
        if item.type == AGENT_ENDPOINT:
            if item.serviceEndpoint != address or endpoint:
                raise InvalidService("an AgentEndpoint is the document's account, once")
            endpoint = True
        for service in services:
            if service.fragment == fragment:
                raise InvalidService(f"{fragment} is there already")
        services.append(
            ServiceRecord(fragment=fragment, type=item.type, endpoint=item.serviceEndpoint)
        )
    if not endpoint:
        for service in services:
            if service.fragment == "agent":
                raise InvalidService("agent is the AgentEndpoint's id")
        services.insert(0, ServiceRecord(fragment="agent", type=AGENT_ENDPOINT, endpoint=address))
    return tuple(services)


def save_changed(
    deps: DepsMut, env: Env, info: MessageInfo, action: str, target: tuple[str, Document]
) -> Response:
    """Store the document's next version."""
    did, document = target
    document = replace(document, version=document.version + 1, updated_at=env.block.time.nanos())
    DOCUMENTS.save(deps.storage, did, document)
    return changed(env, info, action, (did, document))


def execute_update_did(deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateDid) -> Response:
    """Remove keys, then add keys, then replace services."""
    document = load_own(deps.storage, info, msg.did)
    config = CONFIG.load(deps.storage)
    keys = list(document.keys)
    for key_id in msg.remove_keys:
        key = find_key(tuple(keys), fragment_of(msg.did, key_id))
        if key is None:
            raise KeyNotFound(key_id)
        keys.remove(key)
    services = document.services
    if msg.services is not None:
        services = read_services(config, msg.did, document.address, msg.services)
    document = replace(
        document, keys=add_keys(config, msg.did, tuple(keys), msg.add_keys), services=services
    )
    return save_changed(deps, env, info, "update_did", (msg.did, document))


def execute_rotate_key(deps: DepsMut, env: Env, info: MessageInfo, msg: RotateKey) -> Response:
    """Replace a key by another under the same relations.

    The old one verifies nothing from here on.
    """
    document = load_own(deps.storage, info, msg.did)
    old = load_key(document, msg.did, msg.old_key)
    given = replace(msg.new_key, relations=tuple([RELATIONS[code] for code in old.relations]))
    new = read_key(msg.did, given)
    if new.public_key == old.public_key:
        raise InvalidKey("the new key is the old one")
    if new.fragment != old.fragment and find_key(document.keys, new.fragment) is not None:
        raise InvalidKey(f"{new.fragment} is there already")
    keys = [new if key.fragment == old.fragment else key for key in document.keys]
    document = replace(document, keys=tuple(keys))
    response = save_changed(deps, env, info, "rotate_key", (msg.did, document))
    response.events[0].add_attribute("old_key", old.fragment).add_attribute("new_key", new.fragment)
    return response


def execute_transfer_did(deps: DepsMut, env: Env, info: MessageInfo, msg: TransferDid) -> Response:
    """Hand control over; the account the document speaks for stays."""
    document = load_own(deps.storage, info, msg.did)
    document = replace(document, controller=deps.api.addr_validate(msg.new_controller))
    return save_changed(deps, env, info, "transfer_did", (msg.did, document))


def execute_deactivate_did(
    deps: DepsMut, env: Env, info: MessageInfo, msg: DeactivateDid
) -> Response:
    """End a document for good; its account may have another."""
    document = load_own(deps.storage, info, msg.did)
    ADDRESSES.remove(deps.storage, document.address)
    document = replace(document, active=False)
    return save_changed(deps, env, info, "deactivate_did", (msg.did, document))


def checked_config(config: Config) -> Config:
    """Raises: InvalidLimit."""
    if not 1 <= config.keys_max <= KEYS_LIMIT:
        raise InvalidLimit("keys_max")
    if not 0 <= config.services_max <= SERVICES_LIMIT:
        raise InvalidLimit("services_max")
    if not 1 <= config.challenge_ttl_max_seconds <= CHALLENGE_TTL_LIMIT:
        raise InvalidLimit("challenge_ttl_max_seconds")
    return config


def execute_update_config(
    deps: DepsMut, env: Env, info: MessageInfo, msg: UpdateConfig
) -> Response:
    """Change what is given; the admin only."""
    refuse_funds(info)
    config = CONFIG.load(deps.storage)
    if config.admin is None or info.sender != config.admin:
        raise Unauthorized
    if msg.admin is not None:
        config = replace(config, admin=deps.api.addr_validate(msg.admin))
    if msg.keys_max is not None:
        config = replace(config, keys_max=msg.keys_max)
    if msg.services_max is not None:
        config = replace(config, services_max=msg.services_max)
    if msg.challenge_ttl_max_seconds is not None:
        config = replace(config, challenge_ttl_max_seconds=msg.challenge_ttl_max_seconds)
    CONFIG.save(deps.storage, checked_config(config))
    event = Event(
        "did_config_updated",
        (("actor", info.sender), ("height", str(env.block.height))),
    )
    return Response().add_event(event).add_attribute("action", "update_config")


def changed(env: Env, info: MessageInfo, action: str, target: tuple[str, Document]) -> Response:
    """The answer to a changed document; the event's name is the message's turned round."""
    did, document = target
    words = {
        "create_did": "did_created",
        "update_did": "did_updated",
        "rotate_key": "did_key_rotated",
        "transfer_did": "did_transferred",
        "deactivate_did": "did_deactivated",
    }
    event = Event(
        words[action],
        (
            ("actor", info.sender),
            ("did", did),
            ("controller", document.controller),
            ("address", document.address),
            ("version", str(document.version)),
            ("height", str(env.block.height)),
        ),
    )
    return Response().add_event(event).add_attribute("action", action).add_attribute("did", did)
