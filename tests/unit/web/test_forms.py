"""Forms from schemas: every message of every contract of the repository."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from chain.vm.sandbox.schema import contract_schema
from chain.web.forms import ANY_JSON, FLAG, NUMBER, TEXT, message_of, variants_of
from contracts.registry import NAMES, REGISTRY

VIEWS = Path(__file__).parents[3] / "chain" / "web"


@pytest.mark.parametrize("name", NAMES)
def test_every_message_has_a_form(name: str) -> None:
    schema = contract_schema(REGISTRY[name])
    for entry, kinds in (
        ("execute", REGISTRY[name].execute_msg), ("query", REGISTRY[name].query_msg),
    ):  # fmt: skip
        variants = variants_of(schema[entry])
        assert len(variants) == len(tuple(kinds or ()))
        assert all(one.description for one in variants)


def test_fields_become_what_the_schema_says() -> None:
    schema = contract_schema(REGISTRY["agent_a2a_v1"])["execute"]
    send = next(one for one in variants_of(schema) if one.name == "send_message")
    kinds = {field.name: field.kind for field in send.fields}
    assert kinds["to"] == TEXT
    assert kinds["priority"] == NUMBER
    assert kinds["signature"] == ANY_JSON
    typed = {"to": "msg1x", "message_type": "request", "payload": "aGk=", "priority": "5",
             "ttl": "60", "signature": '{"nonce": "1"}'}  # fmt: skip
    assert message_of(send, typed) == {
        "send_message": {"to": "msg1x", "message_type": "request", "payload": "aGk=",
                         "priority": 5, "ttl": 60, "signature": {"nonce": "1"}}
    }  # fmt: skip


def test_a_wrong_value_names_its_field() -> None:
    schema = contract_schema(REGISTRY["agent_a2a_v1"])["execute"]
    send = next(one for one in variants_of(schema) if one.name == "send_message")
    with pytest.raises(ValueError, match="priority"):
        message_of(send, {"priority": "high"})
    with pytest.raises(ValueError, match="ttl: a value is needed"):
        message_of(send, {"priority": "1"})


def test_what_is_no_schema_has_no_forms() -> None:
    assert variants_of(None) == []
    assert FLAG == "flag"


def test_nothing_asks_for_a_whole_table() -> None:
    """Every question that a contract answers with a list carries a limit."""
    asked = 0
    for path in sorted(VIEWS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "ask"):
                continue
            variant = getattr(node.args[1], "value", "") if len(node.args) > 1 else ""
            if str(variant).startswith(("list_", "find_", "discover", "task_history")):
                asked += 1
                if variant != "list_capabilities":  # at most 64
                    assert any(one.arg == "limit" for one in node.keywords), (path, variant)
    assert asked > 10
