"""What the A2A conformance suite (TCK) asks of a server under test, for the gateway's own agent.

The suite says in a message's id what it wants to see: ``tck-input-required-…`` asks back,
``tck-artifact-file-…`` delivers a file, and so on. An id that begins with none of these prefixes
means nothing here.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Final

from chain.client.provider import Job, Refuse, Result
from chain.client.task_content import artifact, message_in

_DELAY_SECONDS: Final = 2.0
_LONG_SECONDS: Final = 4.0
_FILE: Final[Mapping[str, str]] = {"filename": "output.txt", "mediaType": "text/plain"}
_RAW: Final = {"raw": base64.b64encode(b"tck").decode(), **_FILE}
_URL: Final = {"url": "https://example.com/output.txt", **_FILE}
_DATA: Final = {"data": {"key": "value", "count": 42}}

Scenario = Callable[[Job], Result]


def _delivered(*parts: Mapping[str, Any]) -> Result:
    return Result(artifacts=[artifact("output", *parts, name="output")])


def _with(part: Mapping[str, Any]) -> Scenario:
    """Deliver one part."""
    return lambda job: _delivered(part)


def _streamed(*parts: Mapping[str, Any]) -> Scenario:
    """Take the task, deliver piece by piece, complete it."""

    def work(job: Job) -> Result:
        job.accept()
        for place, part in enumerate(parts):
            job.progress(artifact=artifact("output", part, name="output"), append=place > 0)
        return _delivered(*parts)

    return work


def _after(seconds: float) -> Scenario:
    """Take the task and complete it so much later."""

    def work(job: Job) -> Result:
        job.accept()
        job.rest(seconds)
        return _delivered({"text": "Done after delay"})

    return work


def _asks(job: Job) -> Result:
    job.ask("What else?")
    return _delivered({"text": "Hello from TCK"})


def _waits_for_owner(job: Job) -> Result:
    job.approval("the conformance suite asked for it")
    return _delivered({"text": "Hello from TCK"})


def _refuses(job: Job) -> Result:
    raise Refuse("rejected")


def _speaks(job: Job) -> Result:
    return Result(message="Direct message response")


_SCENARIOS: Final[Mapping[str, Scenario]] = {
    "tck-complete-task": _with({"text": "Hello from TCK"}),
    "tck-artifact-text": _with({"text": "Generated text content"}),
    "tck-artifact-file": _with(_RAW),
    "tck-artifact-file-url": _with(_URL),
    "tck-artifact-data": _with(_DATA),
    "tck-message-response": _speaks,
    "tck-input-required": _asks,
    "tck-auth-required": _waits_for_owner,
    "tck-reject-task": _refuses,
    "tck-delayed-complete": _after(_DELAY_SECONDS),
    "tck-stream-001": _streamed({"text": "Stream hello from TCK"}),
    "tck-stream-002": _with({"text": "Stream message-only response"}),
    "tck-stream-003": _streamed({"text": "Stream task lifecycle"}),
    "tck-stream-ordering-001": _streamed({"text": "Ordered output"}),
    "tck-stream-artifact-text": _streamed({"text": "Streamed text content"}),
    "tck-stream-artifact-file": _streamed(_RAW),
    "tck-stream-artifact-chunked": _streamed({"text": "chunk-1 "}, {"text": "chunk-2"}),
    "test-resubscribe-message-id": _after(_LONG_SECONDS),
}


def scenario_of(job: Job) -> Scenario | None:
    """The scenario that the id of a task's message begins with, the longest that fits."""
    message = message_in(job.task.params)
    name = message.get("messageId") if message is not None else None
    if not isinstance(name, str):
        return None
    fitting = [prefix for prefix in _SCENARIOS if name.startswith(prefix)]
    return _SCENARIOS[max(fitting, key=len)] if fitting else None
