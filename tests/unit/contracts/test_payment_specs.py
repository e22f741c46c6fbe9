"""The specifications of the paying contracts name every message, question and error."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

import pytest

import contracts
from chain.errors import ContractError

NAMES = ("token_v1", "escrow_v1", "agent_tasks_v1")


@pytest.mark.parametrize("name", NAMES)
def test_a_readme_names_every_message_question_and_error(name: str) -> None:
    text = (Path(contracts.__path__[0]) / name / "README.md").read_text(encoding="utf-8")
    messages = import_module(f"contracts.{name}.msg")
    errors = import_module(f"contracts.{name}.error")
    wanted = [variant.variant for variant in (*messages.EXECUTE, *messages.QUERY)]
    wanted += [
        error.__name__
        for _, error in inspect.getmembers(errors, inspect.isclass)
        if issubclass(error, ContractError) and error is not ContractError
    ]
    assert [word for word in wanted if f"`{word}" not in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_question_has_an_answer_type(name: str) -> None:
    messages = import_module(f"contracts.{name}.msg")
    assert set(messages.ANSWERS) == {variant.variant for variant in messages.QUERY}


@pytest.mark.parametrize("name", NAMES)
def test_every_message_has_a_handler(name: str) -> None:
    messages = import_module(f"contracts.{name}.msg")
    entry = import_module(f"contracts.{name}.contract")
    assert set(entry.EXECUTE_HANDLERS) == {variant.variant for variant in messages.EXECUTE}
    assert set(entry.QUERY_HANDLERS) == {variant.variant for variant in messages.QUERY}
