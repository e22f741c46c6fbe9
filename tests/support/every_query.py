"""Every query that a chain answers, with arguments taken from what happened on it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from chain.app import keys
from chain.app.genesis import MODULE_ACCOUNTS
from chain.app.queries.grpc import SERVICES
from chain.crypto.addresses import validate
from chain.driver.producer import Producer
from chain.std import Message
from chain.testing.choices import Choices
from chain.testing.derive import Deriver
from chain.testing.leaves import Surroundings
from chain.tx.proto import message

TRIES: Final = 24  # messages of each kind of query, and bytes that each is made of
SIZE: Final = 24
TEXT: Final = 128  # longer texts are no place to go on from
_DENOMS: Final = ("amsg", "umsg", "msg", "stray")


class Ask(NamedTuple):
    """A query by its path; ``what`` groups those that are of one kind."""

    what: str
    path: str
    data: bytes = b""


class Answer(NamedTuple):
    """What came, without the height it was answered at."""

    code: int
    log: str
    value: bytes | None


def ask(chain: Producer, query: Ask, height: int = 0) -> Answer:
    """The answer of one chain."""
    found = chain.app.query(query.path, query.data, height)
    return Answer(found.code, found.log, found.value)


def smart(what: str, contract: str, msg: Any) -> Ask:
    """A query of a contract, through the path that clients use."""
    request = message("cosmwasm.wasm.v1.QuerySmartContractStateRequest")(
        address=contract, query_data=json.dumps(msg).encode()
    )
    path = "/cosmwasm.wasm.v1.Query/SmartContractState"
    return Ask(what, path, request.SerializeToString(deterministic=True))


def surroundings(chain: Producer, contracts: Sequence[str], people: Sequence[str]) -> Surroundings:
    """What queries may name: who acts on the chain, and every value that its events had."""
    here = Surroundings()
    here.addresses, here.contracts, here.denoms = tuple(people), tuple(contracts), _DENOMS
    here.height, here.time = chain.height, chain.state.time
    for record in chain.records(1):
        told = [event for result in record.result.tx_results for event in result.events]
        for event in told + record.result.events:
            here.harvest.attributes(event.attributes, chain.height, chain.state.time)
    return here


def contract_queries(
    contract: tuple[str, str, Sequence[type[Message]]],
    here: Surroundings,
    chain: Producer,
    known: Mapping[str, Sequence[Any]],
) -> Iterator[Ask]:
    """Messages of every kind of a contract (name, address, kinds); pages are followed: what an
    answer shows is where another begins.

    ``known``: values by name of field, for every other message.
    """
    name, address, kinds = contract
    for kind in kinds:
        make = Deriver().message(kind)
        label, paged = f"{name}.{kind.variant}", "start_after" in kind.__struct_fields__
        for seed in range(1 if not kind.__struct_fields__ else TRIES):
            raw = random.Random(f"{label} {seed}").randbytes(SIZE if seed else 0)
            msg = make(Choices(raw), here)
            if seed & 1:
                for field in msg[kind.variant]:
                    options = known.get(field) or here.harvest.texts(field)
                    if options and (field in known or field.endswith("id")):
                        msg[kind.variant][field] = options[(seed >> 1) % len(options)]
            yield (query := smart(label, address, msg))
            found = ask(chain, query)
            if found.code:
                continue
            answer = json.loads(
                message("cosmwasm.wasm.v1.QuerySmartContractStateResponse")
                .FromString(found.value)
                .data
            )
            here.harvest.take(answer, height=here.height, time=here.time)
            if paged:
                yield from _pages(label, address, msg, answer, kind)


def _pages(label: str, address: str, msg: Any, answer: Any, kind: type[Message]) -> Iterator[Ask]:
    """The same query behind each thing of an answer, one and many at a time."""
    told = sorted({(not name.endswith("id"), text) for name, text in _leaves(answer)})
    seen = [text for _, text in told if len(text) < TEXT][:6]
    for start in _starts(kind, seen, answer):
        for limit in (1, None):
            body = {**msg[kind.variant], "start_after": start, "limit": limit}
            yield smart(label + ", further", address, {kind.variant: body})


def _starts(kind: type[Message], seen: list[str], answer: Any) -> list[Any]:
    """Values that ``start_after`` takes."""
    for field in msgspec.structs.fields(kind):
        if field.name == "start_after" and "tuple" in str(field.type):
            return [[one, other] for one in seen for other in seen if one != other][:12]
        if field.name == "start_after" and "str" not in str(field.type):
            return [0, 1, 2, 3]
    return [*seen]


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Texts of an answer behind the names that they have."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, name)
    elif isinstance(value, str) and value:
        yield name, value


# --- paths ----------------------------------------------------------------------------------------


def service_queries(here: Surroundings, simulation: bytes) -> Iterator[Ask]:
    """Requests of every gRPC path: each field gets everything that fits its name."""
    for path in SERVICES:
        prefix = "Query" if "/Query" in path.replace(".Query/", "/Query/") else ""
        package, method = path[1:].rsplit("/", 1)
        package = package.rsplit(".", 1)[0]
        made = None
        for name in (f"{prefix}{method}Request", f"{method}Request"):
            try:
                made = message(f"{package}.{name}")
                break
            except KeyError:
                continue
        assert made is not None, path
        yield Ask(path, path)
        fields = [field.name for field in made.DESCRIPTOR.fields]
        for number in range(40):
            request = made()
            for name in fields:
                _fill(request, name, number, here, simulation)
            yield Ask(path, path, request.SerializeToString(deterministic=True))


def _fill(request: Any, name: str, number: int, here: Surroundings, simulation: bytes) -> None:
    people = [*here.contracts, *here.addresses]
    if name == "pagination":
        request.pagination.limit = 1 + number % 3
        request.pagination.count_total = bool(number & 1)
        request.pagination.reverse = number % 5 == 4
        if number % 4 == 3:
            request.pagination.offset = number >> 2
        return
    values: dict[str, Sequence[Any]] = {
        "address": people,
        "creator_address": people,
        "address_string": people,
        "address_bytes": [validate(one) for one in people],
        "denom": _DENOMS,
        "denoms": [[one] for one in _DENOMS],
        "code_id": range(12),
        "account_id": range(30),
        "id": range(30),
        "name": MODULE_ACCOUNTS,
        "query_data": [b'{"get_config":{}}', b'{"token_info":{}}', b"{}", b"no"],
        "code_hash": ["00" * 32],
        "salt": ["01"],
        "init_args": [b""],
        "tx_bytes": [simulation],
        "resolve_denom": [False, True],
    }
    options = values.get(name)
    if options is None:
        return
    value = options[number % len(options)]
    if isinstance(value, list):
        getattr(request, name).extend(value)
    else:
        setattr(request, name, value)


def own_queries(chain: Producer, simulation: bytes) -> Iterator[Ask]:
    """Our own paths: every key of the state, every family of keys, and what is not there."""
    stores = {tag: name for name, tag in keys.STORES.items()}
    families = set()
    for key, _, _ in chain.store.export(chain.height):
        name = stores.get(key[: keys.STORE_BYTE])
        if name is not None:
            yield Ask(f"/store/{name}/key", f"/store/{name}/key", key[keys.STORE_BYTE :])
            families.add((name, key[keys.STORE_BYTE : keys.STORE_BYTE + 1]))
    for name, family in sorted(families):
        yield Ask(f"/store/{name}/subspace", f"/store/{name}/subspace", family)
    for path in ("/store/msg/key", "/store/none/key", "/app/version", "/app/nothing", "", "/no"):
        yield Ask(path, path, b"no such key")
    yield Ask("/app/simulate", "/app/simulate", simulation)
    yield Ask("/p2p/filter/addr/x", "/p2p/filter/addr/x")
