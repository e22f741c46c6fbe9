"""A stranger's multisig: proposals with numbers for ids, which its answers never tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from lab_mutants import steps

from chain.std import Addr, ContractError, Message, Record, Response, Uint64
from chain.storage_plus import Item, Map
from chain.testing import Contract, contract_machine

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
PERIOD, THRESHOLD = 1_000, 2


class Propose(Message):
    target: Addr


class Vote(Message):
    proposal_id: Uint64


class Execute(Message):
    proposal_id: Uint64


class Setup(Message):
    members: list[Addr]


class Proposal(Record):
    expires: int
    votes: list[str]
    done: bool


MEMBERS = Item("members", list[str])
PROPOSALS = Map("proposals", (int,), Proposal)


def instantiate(deps: Any, env: Any, info: Any, msg: Any) -> Response:
    MEMBERS.save(deps.storage, [*msg.members])
    return Response()


def query(deps: Any, env: Any, msg: Any) -> Any:
    found = PROPOSALS.range(deps.storage)
    return {str(n): {"votes": p.votes, "expires": p.expires, "done": p.done} for n, p in found}


def multisig(bug: str) -> Contract:
    """With ``bug``: votes that count twice, a vote when all is over, an action that is repeated."""

    def execute(deps: Any, env: Any, info: Any, msg: Any) -> Response:
        now = env.block.time.seconds()
        if info.sender not in MEMBERS.load(deps.storage):
            raise ContractError("not a member")
        if isinstance(msg, Propose):
            number = 1 + sum(1 for _ in PROPOSALS.range(deps.storage))
            PROPOSALS.save(deps.storage, number, Proposal(now + PERIOD, [info.sender], False))
            return Response()
        number = int(msg.proposal_id)
        proposal = PROPOSALS.may_load(deps.storage, number)
        if proposal is None:
            raise ContractError("no such proposal")
        if now >= proposal.expires + (1 if bug == "expiry off by one" else 0):
            raise ContractError("expired")
        if proposal.done and bug != "done twice":
            raise ContractError("done")
        if isinstance(msg, Vote):
            if info.sender in proposal.votes and bug != "double vote":
                raise ContractError("already voted")
            votes = [*proposal.votes, info.sender]
            PROPOSALS.save(deps.storage, number, Proposal(proposal.expires, votes, proposal.done))
            return Response()
        if len(proposal.votes) < THRESHOLD:
            raise ContractError("not enough votes")
        PROPOSALS.save(deps.storage, number, Proposal(proposal.expires, proposal.votes, True))
        return Response()

    return Contract(
        name="multisig",
        instantiate=instantiate,
        execute=execute,
        query=query,
        instantiate_msg=Setup,
        execute_msg=(Propose, Vote, Execute),
    )


def agreed(m: Any, call: Any) -> None:
    if call.ok and call.variant != "propose":
        proposal = m.ghost.proposals[str(int(call.body["proposal_id"]))]
        assert call.time < proposal["expires"] * 10**9
        if call.variant == "execute":
            assert len({*proposal["votes"]}) >= THRESHOLD
            assert not proposal["done"]
    m.ghost.proposals = m.ask("all")


@pytest.mark.parametrize("bug", ["", "double vote", "expiry off by one", "done twice"])
def test_proposals_are_voted_on_and_done_once(bug: str, tmp_path: Path) -> None:
    attacked = contract_machine(
        multisig(bug),
        instantiate=lambda world: {"members": [*world.actors.values()][:3]},
        watchers=[agreed],
        ghosts={"proposals": {}},
        failures=tmp_path,
    )
    if bug:
        with pytest.raises(AssertionError) as found:
            run_state_machine_as_test(attacked, settings=SETTINGS)
        assert 1 <= steps("\n".join(found.value.__notes__)) <= 8
    else:
        run_state_machine_as_test(attacked, settings=settings(SETTINGS, max_examples=40))
        assert attacked.report.never_accepted() == []
