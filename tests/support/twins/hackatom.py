"""``hackatom``: an escrow that its verifier releases; four builds, two of them with migrate versions."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

from chain.errors import VmError
from chain.std import BankMsg, ContractError, Event, Response, WasmMsg
from chain.testing import Contract
from twins import serde
from twins.cosmos import compact

CONFIG = b"config"
PANIC = "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: Aborted: "
PAGES_IN_USE, PAGES_MAX = 18, 512
VERSIONS = {7: 42, 8: 420}

EMPTY = serde.struct({})
INSTANTIATE = serde.struct({"verifier": serde.text, "beneficiary": serde.text})
MIGRATE = serde.struct({"verifier": serde.text})
STATE = serde.struct(
    {"verifier": serde.text, "beneficiary": serde.text, "funder": serde.text}, strict=False
)
EXECUTE = serde.enum(
    {
        "release": EMPTY,
        "cpu_loop": EMPTY,
        "storage_loop": EMPTY,
        "memory_loop": EMPTY,
        "message_loop": EMPTY,
        "allocate_large_memory": serde.struct({"pages": serde.unsigned(32)}),
        "panic": EMPTY,
        "user_errors_in_api_calls": EMPTY,
    }
)
OTHER_BALANCE = serde.struct({"address": serde.text})
RECURSE = serde.struct({"depth": serde.unsigned(32), "work": serde.unsigned(32)})
QUERY = serde.enum({"verifier": EMPTY, "other_balance": OTHER_BALANCE, "get_int": EMPTY})
QUERY_1_4 = serde.enum(
    {"verifier": EMPTY, "other_balance": OTHER_BALANCE, "recurse": RECURSE, "get_int": EMPTY}
)


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Write the three parties down."""
    fields = serde.parse(msg, INSTANTIATE, "hackatom::msg::InstantiateMsg")
    state = {
        "verifier": deps.api.addr_validate(fields["verifier"]),
        "beneficiary": deps.api.addr_validate(fields["beneficiary"]),
        "funder": info.sender,
    }
    deps.storage.set(CONFIG, compact(state).encode())
    return Response().add_attribute("Let the", "hacking begin")


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Release the balance, or misbehave in one of several ways."""
    name, fields = serde.parse(msg, EXECUTE, "hackatom::msg::ExecuteMsg")
    if name == "release":
        return release(deps, env, info)
    if name == "message_loop":
        return Response().add_message(WasmMsg.Execute(env.contract.address, msg))
    if name == "allocate_large_memory":
        return Response().set_data((17 + fields["pages"]).to_bytes(4, "big"))
    if name == "panic":
        raise VmError(
            f"{PANIC}panicked at 'This page intentionally faulted', src/contract.rs:169:5"
        )
    if name == "user_errors_in_api_calls":
        raise VmError(f"{PANIC}panicked at 'called `Result::unwrap_err()` on an `Ok` value'")
    while True:
        deps.storage.get(b"spin")


def release(deps: Any, env: Any, info: Any) -> Response:
    """Send the whole balance to the beneficiary; the verifier only."""
    state = load(deps)
    if info.sender != state["verifier"]:
        raise ContractError("Unauthorized")
    beneficiary = state["beneficiary"]
    balance = deps.querier.query_all_balances(env.contract.address)
    return (
        Response()
        .add_attribute("action", "release")
        .add_attribute("destination", beneficiary)
        .add_event(Event("hackatom").add_attribute("action", "release"))
        .add_message(BankMsg.Send(beneficiary, balance))
        .set_data(bytes([0xF0, 0x0B, 0xAA]))
    )


def load(deps: Any) -> dict[str, str]:
    """The stored parties."""
    raw = deps.storage.get(CONFIG)
    if raw is None:
        raise ContractError("State not found")
    state: dict[str, str] = serde.parse(json.loads(raw), STATE, "hackatom::state::State")
    return state


def migrate(deps: Any, env: Any, msg: Any) -> Response:
    """Replace the verifier."""
    fields = serde.parse(msg, MIGRATE, "hackatom::msg::MigrateMsg")
    state = load(deps)
    state["verifier"] = deps.api.addr_validate(fields["verifier"])
    deps.storage.set(CONFIG, compact(state).encode())
    return Response()


def versioned(version: int) -> Any:
    """A migrate of a build that declares a version."""

    def migrate_versioned(deps: Any, env: Any, msg: Any) -> Response:
        old = VERSIONS.get(deps.querier.query_contract_info(env.contract.address).code_id)
        if old == version:
            return Response()
        if old is not None and old > version:
            raise ContractError("Downgrade is not supported")
        return migrate(deps, env, msg)

    return migrate_versioned


def query_older(deps: Any, env: Any, msg: Any) -> Any:
    """As the build of CosmWasm 1.4 does: it also asks itself."""
    name, fields = serde.parse(msg, QUERY_1_4, "hackatom::msg::QueryMsg")
    if name != "recurse":
        return answer(deps, name, fields)
    hashed = deps.api.addr_canonicalize(env.contract.address)
    for _ in range(fields["work"]):
        hashed = hashlib.sha256(hashed).digest()
    if fields["depth"] == 0:
        return {"hashed": base64.b64encode(hashed).decode()}
    deeper = {"recurse": {"depth": fields["depth"] - 1, "work": fields["work"]}}
    return deps.querier.query_wasm_smart(env.contract.address, deeper)


def query(deps: Any, env: Any, msg: Any) -> Any:
    """Verifier, a balance, and a number."""
    name, fields = serde.parse(msg, QUERY, "hackatom::msg::QueryMsg")
    return answer(deps, name, fields)


def answer(deps: Any, name: str, fields: Any) -> Any:
    """The answer to a query that was read."""
    if name == "verifier":
        return {"verifier": load(deps)["verifier"]}
    if name == "get_int":
        return {"int": 15731626}
    coins = deps.querier.query_all_balances(fields["address"])
    return {"amount": [{"denom": coin.denom, "amount": str(coin.amount)} for coin in coins]}


def sudo(deps: Any, env: Any, msg: Any) -> Response:
    """Steal funds: privileged code may."""
    steal = msg["steal_funds"]
    send = {"to_address": steal["recipient"], "amount": steal["amount"]}
    return Response().add_message({"bank": {"send": send}})


def execute_older(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """As the build of CosmWasm 1.4 does: it finds 18 pages in use and no fault in bad calls."""
    name, fields = serde.parse(msg, EXECUTE, "hackatom::msg::ExecuteMsg")
    if name == "allocate_large_memory":
        if PAGES_IN_USE + fields["pages"] > PAGES_MAX:
            raise ContractError("Generic error: memory.grow failed")
        return Response().set_data(PAGES_IN_USE.to_bytes(4, "big"))
    if name == "user_errors_in_api_calls":
        return Response()
    return execute(deps, env, info, msg)


def build(name: str, entry: Any, run: Any = execute, ask: Any = query) -> Contract:
    """One build of the contract."""
    return Contract(
        name=name,
        version="1.0.0",
        instantiate=instantiate,
        execute=run,
        query=ask,
        migrate=entry,
        sudo=sudo,
    )


HACKATOM = build("hackatom", migrate)
HACKATOM_1_4 = build("hackatom", migrate, execute_older, query_older)
HACKATOM_42 = build("hackatom_42", versioned(42))
HACKATOM_420 = build("hackatom_420", versioned(420))
