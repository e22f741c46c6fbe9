"""The provider side: runs an agent's program, takes its tasks, delivers, gets paid.

::

    def chart(job: Job) -> Any:
        job.progress("drawing")
        colour = job.ask("Which colour?")
        return {"chart": draw(job.params, colour)}

    provider = Provider(agent, {"chart": chart})
    provider.run()

A skill is a function of a job. What it returns is delivered and paid; ``Refuse`` declines; any
other exception fails the task and refunds. Each job has a thread of its own, and what several jobs
send goes into blocks together.

A program that starts again goes on with its open tasks: the function runs anew, and its questions
are answered from the ledger as far as they were answered before.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from chain.client import agent_calls as calls
from chain.client.agent import Agent
from chain.client.agent_calls import Call
from chain.client.agent_views import Step, Task
from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.outbox import Outbox
from chain.client.task_content import (
    ARTIFACT,
    PROGRESS,
    PROGRESS_TYPE,
    plain_of,
    to_ledger,
    with_artifacts,
    with_message,
)
from chain.client.transport import ChainError, Outcome, TimedOut

LOG: Final = logging.getLogger("msgchain.provider")
#: jobs at once, without those that wait for an answer
JOBS_MAX: Final = 16
#: jobs that wait for an answer with a thread; others leave, and begin anew when it came
WAITING_MAX: Final = 16
GRACE: Final = 0.3
_ERROR_MAX: Final = 1_000
_PROGRESS_TTL: Final = 3_600
_PROGRESS_PRIORITY: Final = 50
_CANDIDATES: Final = 100
#: between two looks of a waiting job whether its task still goes on; answers wake it
_LOOK_SECONDS: Final = 15.0


class Refuse(Exception):
    """Raised by a skill: this task is not taken (or not finished); the requester is refunded."""


class Gone(Exception):
    """The task ended while the program worked on it."""


Skill = Callable[["Job"], Any]


class Job:
    """One task, as a program works on it. ``params`` is what was asked, as plain JSON."""

    def __init__(self, provider: Provider, task: Task, steps: Sequence[Step]) -> None:
        self._provider = provider
        self.task = task
        self.params = plain_of(task.params)
        self.skill = task.skill
        self._answers = [step.detail for step in steps if step.action == "provide_input"]
        self._approvals = _granted(steps)
        self._accepted = any(step.action == "accept_task" for step in steps)
        self._over = False
        self._lock = threading.RLock()
        self.waits = False
        self.answered = threading.Event()

    @property
    def id(self) -> str:
        """The task's id."""
        return self.task.task_id

    def accept(self) -> None:
        """Take the task; the first ``ask``, ``progress`` or ``approval`` does it as well, and so
        does a moment's work."""
        with self._lock:
            if not self._accepted and not self._over:
                self._provider.send(self._step("accept_task"))
                self._accepted = True

    def accept_late(self) -> None:
        """Take the task if it is still worked on."""
        try:
            self.accept()
        except Exception as error:
            LOG.info("a task was not taken", extra={"task": self.id, "reason": str(error)})

    def ask(self, question: Any) -> Any:
        """Ask the requester and wait for the answer, as plain JSON. Raises: Gone."""
        if self._answers:
            return plain_of(self._answers.pop(0))
        self.accept()
        after = self._last_step()
        current = self._provider.agent.task(self.id)
        if current is not None and current.state != "input_required":
            self._provider.send(self._step("request_input", question=to_ledger(question)))
        return plain_of(self._wait("provide_input", after).detail)

    def approval(self, reason: str) -> None:
        """Ask this agent's own owner and wait for the word. Raises: Gone."""
        if self._approvals:
            self._approvals -= 1
            return
        self.accept()
        after = self._last_step()
        current = self._provider.agent.task(self.id)
        if current is not None and current.state != "auth_required":
            self._provider.send(self._step("request_approval", reason=reason))
        self._wait("approve_task", after)

    def progress(
        self, said: Any = None, *, artifact: Mapping[str, Any] | None = None, append: bool = False
    ) -> None:
        """Tell the requester how it goes, or deliver a piece; nothing depends on its arrival."""
        self.accept()
        body: dict[str, Any] = {
            "type": PROGRESS_TYPE,
            "task_id": self.id,
            "skill": self.skill,
            "state": "working",
        }
        if said is not None:
            body[PROGRESS] = to_ledger(said)
        if artifact is not None:
            body[ARTIFACT] = to_ledger(artifact)
            body["append"] = append
        payload = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        try:
            self._provider.send(
                calls.send_message(
                    self._provider.agent.contracts,
                    self.task.requester,
                    payload,
                    message_type="notification",
                    priority=_PROGRESS_PRIORITY,
                    ttl=_PROGRESS_TTL,
                )
            )
        except ChainError as error:
            LOG.info("progress was not sent", extra={"task": self.id, "reason": error.log})

    def finish(self, result: Any) -> Outcome:
        """Deliver: accept if that is still to be done, and complete, in one transaction."""
        content = result if isinstance(result, Result) else Result(result)
        fields = {"content": content.content, "hash": content.hash, "reference": content.reference}
        wanted = [self._step("complete_task", **fields)]
        with self._lock:
            self._over = True
            if not self._accepted:
                wanted.insert(0, self._step("accept_task"))
            return self._provider.send(*wanted)

    def give_up(self, reason: str) -> Outcome:
        """Decline a task that was not accepted, fail one that was."""
        text = (reason or "no reason given")[:_ERROR_MAX]
        with self._lock:
            self._over = True
            if self._accepted:
                return self._provider.send(self._step("fail_task", error=text))
            return self._provider.send(self._step("reject_task", reason=text))

    def _step(self, variant: str, **fields: Any) -> Call:
        return calls.step_task(self._provider.agent.contracts, variant, self.id, **fields)

    def _last_step(self) -> int:
        steps = self._provider.agent.history(self.id)
        return steps[-1].number if steps else 0

    def _wait(self, action: str, after: int) -> Step:
        agent = self._provider.agent
        self._provider.make_room(self)
        try:
            while not self._provider.stopped.is_set():
                steps = agent.history(self.id, after)
                for step in steps:
                    if step.action == action:
                        return step
                self._stay()
                self.answered.wait(_LOOK_SECONDS)
                self.answered.clear()
        finally:
            self.waits = False
        raise Gone(self.id)

    def _stay(self) -> None:
        task = self._provider.agent.task(self.id)
        if task is None or task.final:
            raise Gone(self.id)

    def rest(self, seconds: float) -> None:
        """Sleep, as long as the task goes on. Raises: Gone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self._provider.stopped.wait(min(left, 1.0)):
                raise Gone(self.id)
            self._stay()


class Result:
    """What is delivered: any JSON, or artifacts, or a message, or where it is kept and its SHA-256.

    ``message``: a text, or parts. A client that waits for the answer gets it in place of a task.
    """

    def __init__(
        self,
        content: Any = None,
        *,
        artifacts: Sequence[Mapping[str, Any]] = (),
        message: str | Sequence[Mapping[str, Any]] | None = None,
        hash: str | None = None,
        reference: str | None = None,
    ) -> None:
        self.content = with_artifacts(*artifacts) if artifacts else to_ledger(content)
        if message is not None:
            parts = [{"text": message}] if isinstance(message, str) else list(message)
            self.content = with_message({"role": "ROLE_AGENT", "parts": parts})
        self.hash = hash
        self.reference = reference
        if self.content is None and hash is None and reference is None:
            self.content = {}


class Provider:
    """An agent's program: a function for each skill. ``default`` does what has none.

    ``grace``: a job that takes longer (seconds) has its task accepted meanwhile; a quicker one may
    still decline, or takes one transaction in all.
    ``resume_after``: seconds that an accepted task of another process rests before it is taken up.
    """

    def __init__(
        self,
        agent: Agent,
        skills: Mapping[str, Skill],
        *,
        default: Skill | None = None,
        ignore: Sequence[str] = (),
        grace: float = GRACE,
        resume_after: float = 0.0,
    ) -> None:
        self.agent = agent
        self.stopped = threading.Event()
        self._skills = dict(skills)
        self._default = default
        self._ignore = frozenset(ignore)
        self._grace = grace
        self._resume_after = resume_after
        self._outbox = Outbox(agent.wallet)
        self._jobs: dict[str, threading.Thread] = {}
        self._waiting: dict[str, Job] = {}
        self._left: set[str] = set()
        self._lock = threading.Lock()
        self._done: dict[str, None] = {}

    def send(self, *wanted: Call) -> Outcome:
        """Calls of the agent's, in one transaction. Raises: TxRefused, TxFailed, TimedOut."""
        return self._outbox.submit(*wanted)

    def make_room(self, job: Job) -> None:
        """Let a job wait for an answer, if not too many do. Raises: Gone; it begins anew then."""
        with self._lock:
            self._waiting = {name: one for name, one in self._waiting.items() if one.waits}
            if len(self._waiting) >= WAITING_MAX:
                self._left.add(job.id)
                raise Gone(job.id)
            job.waits = True
            self._waiting[job.id] = job

    def pause(self) -> None:
        """Let the chain go on."""
        self.agent.transport.wait(1.0)

    def run(self) -> None:
        """Work until ``stop``."""
        while not self.stopped.is_set():
            try:
                self.look()
                self.pause()
            except (ChainError, TimedOut, OSError, RuntimeError, ValueError) as error:
                LOG.warning("the provider looks again", extra={"reason": str(error)})
                self.stopped.wait(1.0)
            except Exception as error:
                LOG.warning("the provider looks again", extra={"reason": str(error)})
                self.stopped.wait(1.0)
        for job in list(self._jobs.values()):
            job.join(5.0)

    def start(self) -> threading.Thread:
        """Work in a thread until ``stop``."""
        thread = threading.Thread(target=self.run, name="provider", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        """Take no more tasks and end soon."""
        self.stopped.set()
        with self._lock:
            for job in self._waiting.values():
                job.answered.set()

    def look(self) -> int:
        """Start jobs for what waits; how many."""
        self._jobs = {name: job for name, job in self._jobs.items() if job.is_alive()}
        started = 0
        for state in ("submitted", "working"):  # what waits for others is working when they answer
            for task in self._open(state):
                waiting = self._waiting.get(task.task_id)
                if waiting is not None:
                    waiting.answered.set()
                if self._busy() >= JOBS_MAX:
                    return started
                if task.task_id not in self._jobs and self._mine(task):
                    self._begin(task)
                    started += 1
        return started

    def _busy(self) -> int:
        with self._lock:
            waiting = sum(one.waits for one in self._waiting.values())
        return len(self._jobs) - waiting

    def _open(self, state: str) -> list[Task]:
        return self.agent.tasks(provider=self.agent.agent_id, state=state)[::-1]

    def _mine(self, task: Task) -> bool:
        if task.skill in self._ignore or f"{task.task_id}/{task.state}" in self._done:
            return False
        if task.state == "submitted":
            return True
        if task.approval == "payment":
            return False
        if task.task_id in self._left:
            self._left.discard(task.task_id)
            return True
        steps = self.agent.history(task.task_id)
        rested = self.agent.transport.block_time() - steps[-1].at
        return rested >= self._resume_after * 1e9

    def _begin(self, task: Task) -> None:
        thread = threading.Thread(
            target=self._work, args=(task,), name=f"job {task.task_id}", daemon=True
        )
        self._jobs[task.task_id] = thread
        thread.start()

    def _work(self, task: Task) -> None:
        skill = self._skills.get(task.skill, self._default)
        try:
            job = Job(self, task, self.agent.history(task.task_id))
            if skill is None:
                job.give_up(f"no skill {task.skill}")
                return
            late = threading.Timer(self._grace, job.accept_late)
            late.daemon = True
            late.start()
            try:
                job.finish(skill(job))
            except Refuse as error:
                job.give_up(str(error))
            except (Gone, ChainError, TimedOut, Unreachable, RpcFailed):
                raise
            except Exception as error:
                LOG.warning("a skill failed", exc_info=error, extra={"task": task.task_id})
                job.give_up(f"{type(error).__name__}: {error}")
            finally:
                late.cancel()
        except Gone:
            return
        except (Unreachable, RpcFailed) as error:  # of the node, not of the work: begin anew
            LOG.info("a task rests", extra={"task": task.task_id, "reason": str(error)})
            self._left.add(task.task_id)
        except Exception as error:
            LOG.info("a task was left", extra={"task": task.task_id, "reason": str(error)})
            self._done[f"{task.task_id}/{task.state}"] = None
            while len(self._done) > _CANDIDATES:
                del self._done[next(iter(self._done))]


def _granted(steps: Sequence[Step]) -> int:
    """How often the agent's owner has agreed to the work."""
    asked = False
    granted = 0
    for step in steps:
        if step.action == "request_approval":
            asked = True
        elif step.action == "approve_task" and asked:
            granted += 1
            asked = False
    return granted
