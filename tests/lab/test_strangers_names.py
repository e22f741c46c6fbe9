"""A stranger's name service: names are registered for a time at an exact price, and expire."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from lab_mutants import steps

from chain.std import Addr, ContractError, Message, Record, Response, Uint64
from chain.storage_plus import Map
from chain.testing import Contract, contract_machine, of_machine

SETTINGS = settings(
    max_examples=1_500,
    stateful_step_count=15,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    report_multiple_bugs=False,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
RENT = 3  # amsg for ten seconds


class Register(Message):
    name: str
    duration: Uint64


class Renew(Message):
    name: str
    duration: Uint64


class Transfer(Message):
    name: str
    to: Addr


class Entry(Record):
    owner: str
    expires: int


ENTRIES = Map("entries", (str,), Entry)
OWNED = Map("owned", (str, str), bool)


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    return Response()


def query(deps: Any, env: Any, msg: Any) -> Any:
    entries = {n: {"owner": e.owner, "expires": e.expires} for n, e in ENTRIES.range(deps.storage)}
    return {"names": entries, "owned": [[*key] for key, _ in OWNED.range(deps.storage)]}


def names(bug: str) -> Contract:
    """With ``bug``: an owner a second too long, everybody an owner."""

    def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
        now, paid = env.block.time.seconds(), sum(coin.amount for coin in info.funds)
        if any(coin.denom != "amsg" for coin in info.funds):
            raise ContractError("rent is paid in amsg")
        entry = ENTRIES.may_load(deps.storage, msg.name)
        if isinstance(msg, Register | Renew):
            if not 10 <= msg.duration <= 10**8:
                raise ContractError("for 10 seconds to 3 years")
            price = -(-int(msg.duration) * RENT // 10)
            if paid != price:
                raise ContractError(f"this costs {price}, got {paid}")
        if isinstance(msg, Register):
            if not msg.name or (entry is not None and now < entry.expires):
                raise ContractError("name is taken")
            if entry is not None:
                OWNED.remove(deps.storage, (entry.owner, msg.name))
            made = Entry(info.sender, now + int(msg.duration))
            ENTRIES.save(deps.storage, msg.name, made)
            OWNED.save(deps.storage, (info.sender, msg.name), True)
            return Response()
        if entry is None or now >= entry.expires + (1 if bug == "expiry off by one" else 0):
            raise ContractError("no such name")
        if info.sender != entry.owner and bug != "missing check":
            raise ContractError("Unauthorized")
        if isinstance(msg, Renew):
            longer = Entry(entry.owner, entry.expires + int(msg.duration))
            ENTRIES.save(deps.storage, msg.name, longer)
            return Response()
        to = deps.api.addr_validate(msg.to)
        ENTRIES.save(deps.storage, msg.name, Entry(to, entry.expires))
        OWNED.remove(deps.storage, (entry.owner, msg.name))
        OWNED.save(deps.storage, (to, msg.name), True)
        return Response()

    return Contract(
        name="names",
        instantiate=instantiate,
        execute=execute,
        query=query,
        execute_msg=(Register, Renew, Transfer),
    )


@of_machine
def indexed(m: Any) -> None:
    answer = m.ask("all")
    m.ghost.names = answer["names"]
    assert sorted(answer["owned"]) == sorted([e["owner"], n] for n, e in m.ghost.names.items())


def by_its_owner(m: Any, call: Any) -> None:
    entry = m.ghost.names.get(call.body["name"])
    if call.ok and call.variant != "register":
        assert entry["owner"] == call.sender
        assert call.time < entry["expires"] * 10**9


@pytest.mark.parametrize("bug", ["", "expiry off by one", "missing check"])
def test_names_are_registered_at_their_price_and_expire(bug: str, tmp_path: Path) -> None:
    attacked = contract_machine(
        names(bug),
        instantiate={},
        invariants=[indexed],
        watchers=[by_its_owner],
        ghosts={"names": {}},
        failures=tmp_path,
    )
    if bug:
        with pytest.raises(AssertionError) as found:
            run_state_machine_as_test(attacked, settings=SETTINGS)
        assert 1 <= steps("\n".join(found.value.__notes__)) <= 8
    else:
        run_state_machine_as_test(attacked, settings=settings(SETTINGS, max_examples=40))
        assert attacked.report.never_accepted() == []
