"""Every defect of the guide has a test, or a row in the differences table that says why not."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = [
    tuple(line.split("\t"))
    for line in (ROOT / "fixtures" / "defects.tsv").read_text().splitlines()[1:]
]


def test_every_defect_stands_once() -> None:
    names = [row[0] for row in ROWS]
    assert len(names) == 203
    assert len(dict.fromkeys(names)) == 203
    assert all(re.fullmatch(r"D\d{1,2}-\d{2}", name) for name in names)


@pytest.mark.parametrize("kind", ["test", "readme"])
def test_what_is_named_is_there(kind: str) -> None:
    readme = (ROOT / "contracts" / "agent_a2a_v1" / "README.md").read_text()
    differences = readme.split("## Differences from the guide", 1)[1]
    first_cells = re.findall(r"^\| ([^|]+?) \|", differences, re.MULTILINE)
    functions: dict[str, set[str]] = {}
    for name, row_kind, where in ROWS:
        if row_kind != kind:
            continue
        if kind == "test":
            path, test = where.split("::")
            if path not in functions:
                tree = ast.parse((ROOT / path).read_text())
                functions[path] = {
                    node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
                }
            assert test in functions[path], (name, where)
        else:
            assert where in first_cells, (name, where)


def test_no_other_kind() -> None:
    assert {row[1] for row in ROWS} == {"test", "readme"}
