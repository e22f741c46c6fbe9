"""The escrow's invariant test, as a contract author writes it."""

from __future__ import annotations

from typing import Any

from chain.testing import contract_machine, hook_token, of_machine


def owed(machine: Any) -> dict[str, int]:
    """Open escrows, as ghost ``seen``, and claims together, by denomination."""
    chain, address = machine.chain, machine.address
    machine.ghost.seen = chain.query(address, {"list_open": {}})["escrows"]
    lines = chain.query(address, {"list_claimable": {}})["claims"]
    for escrow in machine.ghost.seen:
        lines += escrow["native_balance"]
        lines += [{"denom": f"cw20:{t['address']}", **t} for t in escrow["cw20_balance"]]
    sums = dict.fromkeys(["amsg", "stray", f"cw20:{machine.contracts['hook_token']}"], 0)
    for line in lines:
        sums[line["denom"]] = sums.get(line["denom"], 0) + int(line["amount"])
    return sums


def surplus(machine: Any, sums: dict[str, int]) -> dict[str, int]:
    """What it has above what it owes."""
    chain, address = machine.chain, machine.address
    token = machine.contracts["hook_token"]
    has = {denom: chain.balance(address, denom) for denom in ("amsg", "stray")}
    has[f"cw20:{token}"] = int(chain.query(token, {"balance": {"address": address}})["balance"])
    return {denom: amount - sums[denom] for denom, amount in has.items()}


@of_machine
def exact(machine: Any) -> None:
    """It has what it owes, and knows what it owes."""
    sums = owed(machine)
    machine.ghost.surplus = surplus(machine, sums)
    assert min(machine.ghost.surplus.values()) >= 0
    for denom in machine.ghost.surplus:
        held = machine.chain.query(machine.address, {"held": {"denom": denom}})["amount"]
        assert int(held) == sums[denom]


@of_machine
def open_ones(machine: Any) -> None:
    """An escrow is expired above its end, and not before; the next call is compared with this."""
    chain, address = machine.chain, machine.address
    machine.ghost.open = {}
    for escrow in machine.ghost.seen:
        more = chain.query(address, {"details": {"id": escrow["id"]}})
        height, seconds = more["end_height"], more["end_time"]
        over = (height is not None and chain.height > height) or (
            seconds is not None and chain.time > seconds * 10**9
        )
        assert escrow["expired"] == over
        machine.ghost.open[escrow["id"]] = escrow


def parties(machine: Any, call: Any) -> None:
    """Who may pay out, and who is paid."""
    if call.contract != machine.blueprint.name or not call.ok or "id" not in call.body:
        return
    escrow = machine.ghost.open.get(call.body["id"])
    payee = machine.address
    if call.variant in ("approve", "partial_release"):
        assert call.sender == escrow["arbiter"]
        payee = escrow["recipient"]
    if call.variant == "refund":
        assert call.sender == escrow["arbiter"] or escrow["expired"]
        payee = escrow["source"]
    if payee != machine.address:  # all of it goes to the payee, or waits
        assert {*call.paid(machine.address)} <= {payee}
        now = surplus(machine, owed(machine))
        assert all(now[denom] <= before for denom, before in machine.ghost.surplus.items())


def escrow_machine(contract: Any, **more: Any) -> Any:
    """A machine over the escrow, or a mutated copy."""
    return contract_machine(
        contract,
        instantiate={},
        actors=3,
        invariants=[exact, open_ones],
        watchers=[parties],
        with_contracts=[hook_token],
        weights={"refund": 2, "hook_token.send": 3, "hook_token.transfer": 0},
        ghosts={"open": {}, "seen": [], "surplus": {}},
        **more,
    )
