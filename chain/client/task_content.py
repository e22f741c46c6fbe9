"""What tasks carry: A2A messages and artifacts inside a task's JSON, and what programs make of it.

A task's ``params``, questions, answers and results are any JSON. What comes through an A2A door
keeps its message as it was, under ``a2a_message``; what a program delivers as artifacts stands
under ``a2a_artifacts``. Contract JSON has no fractions, so a number that has one is written as
``{"$number": "0.5"}``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

MESSAGE: Final = "a2a_message"
ARTIFACTS: Final = "a2a_artifacts"
#: the type of a provider's progress message, and the field that tells it from other states
PROGRESS_TYPE: Final = "task_status"
PROGRESS: Final = "progress"
ARTIFACT: Final = "artifact"
_NUMBER: Final = "$number"
_EXACT: Final = 2**53


def to_ledger(value: Any) -> Any:
    """JSON without fractions, from JSON that may have them."""
    if isinstance(value, float):
        if value.is_integer() and abs(value) <= _EXACT:
            return int(value)
        return {_NUMBER: json.dumps(value)}
    if isinstance(value, Mapping):
        return {key: to_ledger(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_ledger(item) for item in value]
    return value


def from_ledger(value: Any) -> Any:
    """The JSON that ``to_ledger`` was given."""
    if isinstance(value, dict):
        if value.keys() == {_NUMBER}:
            return float(value[_NUMBER])
        return {key: from_ledger(item) for key, item in value.items()}
    if isinstance(value, list):
        return [from_ledger(item) for item in value]
    return value


def with_message(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message (ProtoJSON) as ``params`` or answer of a task."""
    return {MESSAGE: to_ledger(message)}


def message_in(value: Any) -> dict[str, Any] | None:
    """The A2A message that a value keeps, None where it keeps none."""
    if isinstance(value, dict) and isinstance(value.get(MESSAGE), dict):
        found = from_ledger(value[MESSAGE])
        if isinstance(found.get("parts"), list) and found["parts"]:
            return dict(found)
    return None


def parts_of(value: Any) -> list[dict[str, Any]]:
    """Any value as message parts: a message's own, text as text, everything else as data."""
    message = message_in(value)
    if message is not None:
        return list(message["parts"])
    if isinstance(value, str):
        return [{"text": value}]
    return [{"data": from_ledger(value)}]


def plain_of(value: Any) -> Any:
    """What a program works with: the one data part of a message, else its texts, else the value."""
    message = message_in(value)
    if message is None:
        return from_ledger(value)
    parts = message["parts"]
    data = [part["data"] for part in parts if "data" in part]
    if len(data) == 1:
        return data[0]
    texts = [part["text"] for part in parts if "text" in part]
    return "\n".join(texts) if texts else parts


def artifact(
    artifact_id: str, *parts: Mapping[str, Any], name: str = "", description: str = ""
) -> dict[str, Any]:
    """An artifact of parts such as ``{"text": "…"}``, ``{"data": …}`` or ``{"url": "…"}``."""
    made: dict[str, Any] = {"artifactId": artifact_id, "parts": [dict(part) for part in parts]}
    if name:
        made["name"] = name
    if description:
        made["description"] = description
    return made


def with_artifacts(*artifacts: Mapping[str, Any]) -> dict[str, Any]:
    """Artifacts as the content of a result."""
    return {ARTIFACTS: to_ledger(artifacts)}


def artifacts_of(result: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The artifacts of a result (``content hash reference``) as the tasks contract shows it."""
    if result is None:
        return []
    content = result.get("content")
    if isinstance(content, dict) and isinstance(content.get(ARTIFACTS), list):
        found = [one for one in from_ledger(content[ARTIFACTS]) if _is_artifact(one)]
        if found:
            return found
    parts = [] if content is None else parts_of(content)
    if result.get("reference"):
        parts.append({"url": result["reference"]})
    if result.get("hash"):
        parts.append({"data": {"sha256": result["hash"]}})
    return [{"artifactId": "result", "name": "result", "parts": parts}] if parts else []


def words_of(result: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """The parts of a message that is a task's whole result; empty where it is anything else."""
    message = message_in(result.get("content")) if result is not None else None
    return list(message["parts"]) if message is not None else []


def _is_artifact(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("artifactId"), str)
        and isinstance(value.get("parts"), Sequence)
        and bool(value["parts"])
    )
