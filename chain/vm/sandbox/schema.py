"""JSON Schema files of a contract: what it takes and what it answers, from its message types."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from chain.std import schema_of
from chain.vm.contract import Contract, MessageTypes

_TITLES: Final = {
    "instantiate": "InstantiateMsg",
    "execute": "ExecuteMsg",
    "query": "QueryMsg",
    "migrate": "MigrateMsg",
    "sudo": "SudoMsg",
}


def contract_schema(contract: Contract) -> dict[str, Any]:
    """Schemas by entry point, and under ``answers`` one for each query variant.

    An entry point without message types takes any JSON and has no schema.
    """
    types: dict[str, MessageTypes] = {
        "instantiate": contract.instantiate_msg,
        "execute": contract.execute_msg,
        "query": contract.query_msg,
        "migrate": contract.migrate_msg,
        "sudo": contract.sudo_msg,
    }
    made: dict[str, Any] = {
        entry: schema_of(given, _TITLES[entry])
        for entry, given in types.items()
        if given is not None
    }
    made["answers"] = {
        variant: schema_of(answer, getattr(answer, "__name__", None))
        for variant, answer in contract.answers.items()
    }
    return made


def write_schema(contract: Contract, out_dir: str | Path) -> list[Path]:
    """Write ``instantiate.json``, ``execute.json``, …, ``response_to_<query>.json``; the files."""
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    schemas = contract_schema(contract)
    answers = schemas.pop("answers")
    schemas |= {f"response_to_{variant}": schema for variant, schema in answers.items()}
    written: list[Path] = []
    for name, schema in schemas.items():
        path = folder.joinpath(f"{name}.json")
        text = json.dumps(schema, indent=2, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")
        written.append(path)
    return written
