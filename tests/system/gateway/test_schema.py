"""Thousands of requests made of the OpenAPI document: no 500, no answer that it does not allow."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from gateway_process import Agent, Net
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

#: examples of each of the 15 operations, once good and once anything
EXAMPLES = 100
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
]


@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_every_answer_is_one_that_the_document_allows(net: Net, alice: Agent, bob: Agent) -> None:
    schema = schemathesis.openapi.from_url(f"{net.gateway.url}/openapi.json")
    asked = 0
    headers = {"X-API-Key": alice.key}

    def check(operation: Any, mode: Any) -> None:
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode), own=st.booleans())
        def run(case: Any, own: bool) -> None:
            nonlocal asked
            if "wait" in (case.query or {}):
                case.query["wait"] = 0
            if own and isinstance(case.body, dict) and "to" in case.body:
                case.body["to"] = bob.address
                case.body["payload"] = "aGk="
            asked += 1
            case.call_and_validate(checks=CHECKS, headers=headers)

        run()

    for operation in schema.get_all_operations():
        for mode in schemathesis.GenerationMode:
            check(operation.ok(), mode)
    assert asked >= 2_000
