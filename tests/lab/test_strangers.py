"""Contracts of a stranger, who imports only public names, are attacked without written strategies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from chain.std import Addr, BankMsg, Coin, ContractError, Message, Record, Response, Uint64
from chain.storage_plus import Item, Map
from chain.testing import Contract, contract_machine, of_machine

SETTINGS = settings(
    max_examples=200,
    stateful_step_count=15,
    deadline=None,
    database=None,
    derandomize=True,
    report_multiple_bugs=False,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)

# --- a counter without message types --------------------------------------------------------------

COUNT = Item("count", int)
LIMIT = 40


def counter_instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    COUNT.save(deps.storage, int(msg["start"]))
    return Response()


def counter_execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    if "raise" in msg:
        total = COUNT.load(deps.storage) + int(msg["raise"]["by"])
        if total < 0:
            raise ContractError("below zero")
        COUNT.save(deps.storage, total)
        return Response().add_attribute("total", str(total))
    raise ContractError("unknown message")


def counter_query(deps: Any, env: Any, msg: Any) -> Any:
    return {"count": COUNT.load(deps.storage)}


counter = Contract(
    name="counter",
    instantiate=counter_instantiate,
    execute=counter_execute,
    query=counter_query,
)


def test_untyped_counter_is_raised_by_what_its_source_reads(tmp_path: Path) -> None:
    def small(chain: Any, address: str) -> bool:
        return bool(chain.query(address, {})["count"] < LIMIT)

    attacked = contract_machine(
        counter, instantiate={"start": 0}, invariants=[small], failures=tmp_path
    )
    with pytest.raises(AssertionError, match="small does not hold"):
        run_state_machine_as_test(attacked, settings=SETTINGS)


# --- a vesting contract ---------------------------------------------------------------------------


class Grant(Record):
    owner: str
    amount: int
    cliff: int
    taken: bool


class CreateGrant(Message):
    beneficiary: Addr
    cliff: Uint64  # seconds


class Take(Message):
    grant_id: str


GRANTS = Map("grants", (str,), Grant)
NEXT = Item("next", int)


def vesting_instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    NEXT.save(deps.storage, 1)
    return Response()


def vesting(*, early: bool) -> Contract:
    """With ``early`` the cliff is a second too early."""

    def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
        if isinstance(msg, CreateGrant):
            if len(info.funds) != 1 or info.funds[0].denom != "amsg":
                raise ContractError("attach amsg")
            number = NEXT.load(deps.storage)
            NEXT.save(deps.storage, number + 1)
            owner = deps.api.addr_validate(msg.beneficiary)
            grant = Grant(owner, info.funds[0].amount, int(msg.cliff), False)
            GRANTS.save(deps.storage, f"grant-{number}", grant)
            return Response().add_attribute("grant_id", f"grant-{number}")
        grant = GRANTS.load(deps.storage, msg.grant_id)
        if grant.owner != info.sender or grant.taken:
            raise ContractError("not yours")
        if env.block.time.seconds() + (1 if early else 0) < grant.cliff:
            raise ContractError("too early")
        GRANTS.save(deps.storage, msg.grant_id, Grant(grant.owner, 0, grant.cliff, True))
        coins = [Coin("amsg", grant.amount)]
        response = Response().add_attribute("cliff", str(grant.cliff))
        return response.add_message(BankMsg.Send(info.sender, coins))

    return Contract(
        name="vesting",
        instantiate=vesting_instantiate,
        execute=execute,
        execute_msg=(CreateGrant, Take),
    )


def never_early(machine: Any, call: Any) -> None:
    if call.variant == "take" and call.ok:
        (cliff,) = (a.value for e in call.result.events for a in e.attributes if a.key == "cliff")
        assert call.time >= int(cliff) * 10**9


@pytest.mark.parametrize("early", [False, True])
def test_vesting_is_attacked_around_its_cliffs(early: bool, tmp_path: Path) -> None:
    attacked = contract_machine(
        vesting(early=early), instantiate={}, watchers=[never_early], failures=tmp_path
    )
    if early:
        with pytest.raises(AssertionError):
            run_state_machine_as_test(attacked, settings=SETTINGS)
    else:
        run_state_machine_as_test(attacked, settings=settings(SETTINGS, max_examples=60))
        assert attacked.report.never_accepted() == []


# --- an auction -----------------------------------------------------------------------------------


class Bid(Message):
    """Attach more than the highest bid."""


class Close(Message):
    """Pay the seller, once it is over."""


class State(Record):
    seller: str
    bidder: str
    highest: int
    end_height: int
    closed: bool


class Begin(Message):
    end_height: Uint64


AUCTION = Item("auction", State)


def auction_instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    AUCTION.save(deps.storage, State(info.sender, "", 0, int(msg.end_height), False))
    return Response()


def auction(*, forgetful: bool) -> Contract:
    """With ``forgetful`` a bid that is outbid is kept."""

    def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
        state = AUCTION.load(deps.storage)
        response = Response()
        if isinstance(msg, Bid):
            amount = sum(coin.amount for coin in info.funds if coin.denom == "amsg")
            if state.closed or env.block.height > state.end_height or len(info.funds) != 1:
                raise ContractError("no bid")
            if amount <= state.highest:
                raise ContractError("too low")
            if state.bidder and not forgetful:
                coins = [Coin("amsg", state.highest)]
                response.add_message(BankMsg.Send(state.bidder, coins))
            new = State(state.seller, info.sender, amount, state.end_height, False)
            AUCTION.save(deps.storage, new)
            return response
        if env.block.height <= state.end_height or state.closed or info.funds:
            raise ContractError("not over")
        ended = State(state.seller, state.bidder, state.highest, state.end_height, True)
        AUCTION.save(deps.storage, ended)
        if state.highest:
            response.add_message(BankMsg.Send(state.seller, [Coin("amsg", state.highest)]))
        return response

    def query(deps: Any, env: Any, msg: Any) -> Any:
        state = AUCTION.load(deps.storage)
        return {"owed": "0" if state.closed else str(state.highest), "closed": state.closed}

    return Contract(
        name="auction",
        instantiate=auction_instantiate,
        execute=execute,
        query=query,
        instantiate_msg=Begin,
        execute_msg=(Bid, Close),
    )


@of_machine
def nothing_stays(machine: Any) -> None:
    owed = machine.chain.query(machine.address, {})["owed"]
    assert machine.chain.balance(machine.address) == int(owed)


@pytest.mark.parametrize("forgetful", [False, True])
def test_auction_is_bid_on_and_closed(forgetful: bool, tmp_path: Path) -> None:
    attacked = contract_machine(
        auction(forgetful=forgetful),
        instantiate=lambda world: {"end_height": str(world.chain.height + 4)},
        invariants=[nothing_stays],
        failures=tmp_path,
    )
    if forgetful:
        with pytest.raises(AssertionError):
            run_state_machine_as_test(attacked, settings=SETTINGS)
    else:
        run_state_machine_as_test(attacked, settings=settings(SETTINGS, max_examples=60))
        assert attacked.report.never_accepted() == []
