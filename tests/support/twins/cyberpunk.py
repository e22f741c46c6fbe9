"""``cyberpunk``: runs wild, stops at once, or tells what it sees."""

from __future__ import annotations

from typing import Any

from chain.errors import VmError
from chain.std import ContractError, Response
from chain.testing import Contract
from twins import serde
from twins.cosmos import compact

RUNTIME = "Error calling the VM: Error executing Wasm: Wasmer runtime error: RuntimeError: "
EMPTY = serde.struct({})
INSTANTIATE = serde.struct({}, strict=False)
EXECUTE = serde.enum(
    {
        "argon2": serde.struct({"mem_cost": serde.unsigned(32), "time_cost": serde.unsigned(32)}),
        "cpu_loop": EMPTY,
        "storage_loop": EMPTY,
        "memory_loop": EMPTY,
        "allocate_large_memory": serde.struct({"pages": serde.unsigned(32)}),
        "panic": EMPTY,
        "unreachable": EMPTY,
        "mirror_env": EMPTY,
    }
)
QUERY = serde.enum({"mirror_env": EMPTY})


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Nothing to set up."""
    serde.parse(msg, INSTANTIATE, "cosmwasm_std::results::empty::Empty")
    return Response()


def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    """Do one of several wild things."""
    name, fields = serde.parse(msg, EXECUTE, "cyberpunk::msg::ExecuteMsg")
    if name == "mirror_env":
        return Response().set_data(compact(mirrored(env)).encode())
    if name == "unreachable":
        raise VmError(f"{RUNTIME}unreachable")
    if name == "panic":
        raise VmError(
            f"{RUNTIME}Aborted: panicked at 'This page intentionally faulted', src/contract.rs:53:5"
        )
    if name == "allocate_large_memory":
        return Response().set_data((17 + fields["pages"]).to_bytes(4, "big"))
    if name == "argon2":
        raise ContractError("argon2 is not here")
    while True:
        deps.storage.get(b"spin")


def query(deps: Any, env: Any, msg: Any) -> Any:
    """What the contract sees."""
    serde.parse(msg, QUERY, "cyberpunk::msg::QueryMsg")
    return mirrored(env)


def mirrored(env: Any) -> dict[str, Any]:
    """The environment as JSON values."""
    index = None if env.transaction is None else {"index": env.transaction.index}
    return {
        "block": {
            "height": env.block.height,
            "time": str(int(env.block.time)),
            "chain_id": env.block.chain_id,
        },
        "transaction": index,
        "contract": {"address": env.contract.address},
    }


CYBERPUNK = Contract(
    name="cyberpunk", version="1.0.0", instantiate=instantiate, execute=execute, query=query
)
