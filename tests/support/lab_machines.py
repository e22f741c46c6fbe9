"""Machines over the token, the tasks and the mailbox."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from twins.agents import REGISTRY

from chain.testing import Other, contract_machine, of_machine
from chain.testing.world import load_contract

# --- token_v1 -------------------------------------------------------------------------------------


def _token(world: Any) -> Any:
    shares = [{"address": actor, "amount": "1000"} for actor in world.actors.values()]
    return {
        "name": "Token",
        "symbol": "TOK",
        "decimals": 6,
        "initial_balances": shares,
        "mint": {"minter": world.first, "cap": "5000"},
    }


@of_machine
def supply(machine: Any) -> None:
    """Balances are the supply, and the supply is within the cap."""
    chain, address = machine.chain, machine.address
    info = chain.query(address, {"token_info": {}})
    accounts = chain.query(address, {"all_accounts": {"limit": 30}})["accounts"]
    held = [chain.query(address, {"balance": {"address": who}})["balance"] for who in accounts]
    assert sum(map(int, held)) == int(info["total_supply"]) <= 5000


@of_machine
def both_directions(machine: Any) -> None:
    """An allowance that the owner gave is one that the spender has, and the other way round."""
    chain, address = machine.chain, machine.address
    given, taken = [], []
    for who in machine.actors.values():
        rows = chain.query(address, {"all_allowances": {"owner": who}})["allowances"]
        given += [(who, row["spender"], row["allowance"]) for row in rows]
        rows = chain.query(address, {"all_spender_allowances": {"spender": who}})["allowances"]
        taken += [(row["owner"], who, row["allowance"]) for row in rows]
    cast = {*machine.actors.values()}
    assert sorted(row for row in given if row[1] in cast) == sorted(taken)


def spending(machine: Any, call: Any) -> None:
    """What is taken from an owner was allowed once, and only once."""
    body = call.body
    if not call.ok:
        return
    if call.variant == "increase_allowance":
        key = (call.sender, body["spender"])
        machine.ghost.allowed[key] = machine.ghost.allowed.get(key, 0) + int(body["amount"])
    elif call.variant.endswith("_from"):
        key = (body["owner"], call.sender)
        machine.ghost.allowed[key] = machine.ghost.allowed.get(key, 0) - int(body["amount"])
        assert machine.ghost.allowed[key] >= 0


def token_machine(contract: Any, **more: Any) -> Any:
    """A machine over the token, or a mutated copy."""
    return contract_machine(
        contract,
        instantiate=_token,
        invariants=[supply, both_directions],
        watchers=[spending],
        ghosts={"allowed": {}},
        actors=2,
        roles={"alice": ["mint"]},
        weights=dict.fromkeys(
            ["upload_logo", "update_marketing", "update_minter", "send", "send_from", "burn"], 0
        ),
        **more,
    )


# --- agent_tasks_v1 -------------------------------------------------------------------------------


def _tasks(world: Any) -> Any:
    return {"admin": world.first, "registry_address": world.contracts["registry"]}


def _agent(world: Any) -> None:
    """Bob is an agent that keeps three quarters of what is canceled."""
    registry, bob = world.contracts["registry"], world.actors["bob"]
    entry = {
        "agent_id": "bob-agent",
        "owner": world.first,
        "address": bob,
        "name": None,
        "status": "active",
        "price_model": {"price": "5", "denom": "amsg", "model": "per_task"},
        "metadata": None,
        "card_hash": None,
        "registered_at": "0",
        "updated_at": "0",
    }
    world.chain.execute(registry, {"agent": {"bob-agent": entry}}, sender=world.first)
    terms = {"price": "2", "denom": "amsg", "cancellation_share_bps": 7_500}
    payment = {"uri": "urn:msgchain:a2a:payment:v1", "params": terms}
    card = {"name": "Bob", "capabilities": {"extensions": [payment]}}
    world.chain.execute(registry, {"card": {"bob-agent": card}}, sender=world.first)


def held(chain: Any, address: str) -> None:
    """It has what open tasks cost and what waits, neither less nor more."""
    owed = sum(int(c["amount"]) for c in chain.query(address, {"list_claimable": {}})["claims"])
    for task in chain.query(address, {"list_tasks": {"limit": 100}})["tasks"]:
        if task["state"] not in ("completed", "failed", "canceled", "rejected"):
            owed += int(task["price"]) if task["denom"] == "amsg" else 0
    assert chain.balance(address) == owed


def tasks_machine(contract: Any, **more: Any) -> Any:
    """A machine over the tasks, or a mutated copy."""
    return contract_machine(
        contract,
        instantiate=_tasks,
        invariants=[held],
        with_contracts=[Other(REGISTRY, {}, name="registry", attack=False)],
        setup=_agent,
        actors=2,
        overrides={
            "provider": st.just("bob-agent"),
            "price": st.none(),
            "deadline": st.none(),
            "params": st.just({}),
        },
        roles={
            "alice": ["create_task", "cancel_task"],
            "bob": ["accept_task", "complete_task", "reject_task", "fail_task"],
        },
        weights={
            **dict.fromkeys(["update_config", "receive", "request_approval", "deny_task"], 0),
            **dict.fromkeys(["approve_task", "withdraw", "provide_input", "request_input"], 0),
            **dict.fromkeys(["accept_task", "cancel_task"], 3),
        },
        **more,
    )


# --- agent_a2a_v1 ---------------------------------------------------------------------------------

WINDOW = 10


def _mailbox(world: Any) -> Any:
    return {
        "admin": world.first,
        "registry_address": world.first,
        "did_registry_address": world.first,
        "limits": {"rate_window_seconds": WINDOW, "rate_messages_max": 2},
    }


def resets(machine: Any, call: Any) -> None:
    """Whoever has been quiet for a window may send again."""
    last = machine.ghost.last
    if "Rate limit" in call.result.log or "rate limit" in call.result.log:
        assert call.time < last.get(call.sender, 0) + WINDOW * 10**9
    if call.ok:
        last[call.sender] = call.time


def a2a_machine(contract: Any, **more: Any) -> Any:
    """A machine over the mailbox, or a mutated copy."""
    return contract_machine(
        contract,
        instantiate=_mailbox,
        actors=2,
        watchers=[resets],
        ghosts={"last": {}},
        overrides={
            "message_type": st.just("notification"),
            "send_message.payload": st.just(b"hello"),
            "send_message.priority": st.just(50),
            "send_message.ttl": st.just(60),
            "send_message.constitution_hash": st.none(),
            "send_message.channel_id": st.none(),
            "send_message.reply_to": st.none(),
            "send_message.on_behalf_of": st.none(),
            "send_message.signature": st.none(),
        },
        weights={
            **{cls.variant: 0 for cls in load_contract(contract).execute_msg},
            "send_message": 3,
            "mark_read": 1,
            "cancel_message": 1,
            "time_passes": 2,
        },
        **more,
    )
