"""The program of the gateway's own agent: something to try clients with, free of charge.

What a message begins with decides: ``ask`` asks back, ``fail`` and ``reject`` end badly, ``wait 5``
takes that many seconds, ``stream 3`` sends as many pieces. Everything else is answered with itself.
A message whose id begins as the conformance suite's do is answered as that suite expects.
"""

from __future__ import annotations

import logging
import threading
from typing import Any, Final

from chain.client.agent import Agent
from chain.client.agent_calls import Contracts
from chain.client.card import Skill
from chain.client.jsonrpc import Unreachable
from chain.client.provider import Job, Provider, Refuse, Result
from chain.client.provider_card import signed_card
from chain.client.rpc import RpcClient
from chain.client.task_content import artifact, parts_of
from chain.client.transport import ChainError, TimedOut
from chain.crypto.root import RootSecret
from chain.gateway.a2a_journal import OFFER_SKILL
from chain.gateway.a2a_scenarios import scenario_of

LOG: Final = logging.getLogger("msgchain.a2a")
SKILL: Final = Skill(
    id="playground",
    name="Playground",
    description=(
        "Answers with what it is sent. Begin with ask, fail, reject, wait 5 or stream 3 to see "
        "those."
    ),
    tags=("test", "echo"),
    examples=("hello", "ask", "wait 5", "stream 3", "fail", "reject"),
    input_modes=(
        "text/plain",
        "application/json",
        "application/octet-stream",
        "application/pdf",
        "image/png",
        "image/jpeg",
        "text/html",
        "text/markdown",
    ),
)
_WAIT_MAX: Final = 60
_PIECES_MAX: Final = 20
#: seconds after which another gateway's unfinished task is taken up
_RESUME_AFTER: Final = 20.0


def playground(job: Job) -> Any:
    """Do what the first word says, or what the conformance suite's message asks for."""
    scenario = scenario_of(job)
    if scenario is not None:
        return scenario(job)
    words = job.params.split() if isinstance(job.params, str) else []
    first = words[0].lower() if words else ""
    number = int(words[1]) if len(words) > 1 and words[1].isdecimal() else 3
    if first == "ask":
        answer = job.ask("What else?")
        return Result(artifacts=[artifact("answer", *_parts(answer), name="answer")])
    if first == "reject":
        raise Refuse("as you wish")
    if first == "fail":
        job.accept()
        raise Refuse("failed as asked")
    if first == "wait":
        job.progress(f"waiting {min(number, _WAIT_MAX)} s")
        job.rest(min(number, _WAIT_MAX))
    if first == "stream":
        pieces = [{"text": f"piece {place + 1}\n"} for place in range(min(number, _PIECES_MAX))]
        for place, piece in enumerate(pieces):
            job.progress(artifact=artifact("answer", piece, name="answer"), append=place > 0)
        return Result(artifacts=[artifact("answer", *pieces, name="answer")])
    parts = parts_of(job.task.params)
    return Result(artifacts=[artifact("answer", *parts, name="answer")])


def _parts(value: Any) -> list[dict[str, Any]]:
    return [{"text": value}] if isinstance(value, str) else [{"data": value}]


class Playground:
    """Runs the program beside a gateway, over a connection of its own."""

    def __init__(
        self, rpc: str, contracts: Contracts, root: RootSecret, agent_id: str, address: str
    ) -> None:
        self._client = RpcClient(rpc)
        self._agent = Agent(root, self._client, contracts, agent_id)
        self._address = address
        self._provider: Provider | None = None
        self._stopped = threading.Event()

    def start(self) -> None:
        """Announce the card and work, in a thread."""
        threading.Thread(target=self._run, name="playground", daemon=True).start()

    def stop(self) -> None:
        """End soon."""
        self._stopped.set()
        if self._provider is not None:
            self._provider.stop()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._set_card()
                break
            except (ChainError, TimedOut, Unreachable) as error:
                LOG.warning("the card was not stored", extra={"reason": str(error)})
                self._stopped.wait(2.0)
        self._provider = Provider(
            self._agent,
            {SKILL.id: playground},
            default=playground,
            ignore=(OFFER_SKILL,),
            resume_after=_RESUME_AFTER,
        )
        if not self._stopped.is_set():
            self._provider.run()
        self._client.close()

    def _set_card(self) -> None:
        """Store a card where there is none yet; gateways that share the agent leave it alone."""
        if self._agent.card_of(self._agent.agent_id) is not None:
            return
        card = signed_card(
            self._agent.root,
            self._agent.agent_id,
            name="msgchain gateway",
            description="Something to try A2A clients with on this chain.",
            skills=[SKILL],
            gateways=[self._address],
        )
        self._agent.set_card(card)
