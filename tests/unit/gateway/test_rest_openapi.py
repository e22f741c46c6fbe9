"""The description says what the code does."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from starlette.routing import Route

from chain.client.agent_calls import Contracts
from chain.gateway import rest_bodies
from chain.gateway.accounts import KeyRing
from chain.gateway.core import Core
from chain.gateway.keys import ApiKeys
from chain.gateway.rest import AgentApi
from chain.gateway.rest_openapi import document
from chain.gateway.rest_page import PAGE

BODIES = ("SendBody", "ReplyBody", "MarkBody", "ChannelBody", "CapabilityBody", "TxBody")


def test_every_route_and_method_is_described(tmp_path: Path) -> None:
    contracts = Contracts("msg1r", "msg1d", "msg1a", "msg1t")
    core = Core("http://127.0.0.1:1", contracts, ApiKeys(tmp_path), KeyRing(None, None))
    served = {
        (route.path, method.lower())
        for route in AgentApi(core).routes()
        if isinstance(route, Route)
        for method in route.endpoint._handlers
    }
    paths = document()["paths"]
    assert served == {(path, method) for path, found in paths.items() for method in found}


@pytest.mark.parametrize("name", BODIES)
def test_bodies_have_the_fields_that_are_read(name: str) -> None:
    described = document()["components"]["schemas"][name]
    fields = msgspec.structs.fields(getattr(rest_bodies, name))
    assert list(described["properties"]) == [one.encode_name for one in fields]
    assert described["required"] == [one.encode_name for one in fields if one.required]


def test_schemas_are_json_schemas_and_references_lead_somewhere() -> None:
    found = document()
    text = json.dumps(found)
    for name, schema in found["components"]["schemas"].items():
        jsonschema.Draft202012Validator.check_schema(schema)
        assert f'"#/components/schemas/{name}"' in text or name == "Error"
    for part in text.split('"$ref": "#/components/schemas/')[1:]:
        assert part.split('"')[0] in found["components"]["schemas"]


def test_the_page_loads_nothing_from_elsewhere() -> None:
    assert "/openapi.json" in PAGE
    assert "http://" not in PAGE
    assert "https://" not in PAGE
