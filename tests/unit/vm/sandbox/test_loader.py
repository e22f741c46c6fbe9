"""Folders become contracts: found, read strictly, hashed, compiled at first use."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest
from folders import contract

import contracts.token_v1
from chain.gas import GasMeter
from chain.std import ContractError
from chain.vm.contract import source_checksum
from chain.vm.sandbox import compiled
from chain.vm.sandbox.errors import ContractSourceError
from chain.vm.sandbox.loader import load_folder, load_source
from chain.vm.sandbox.runtime import run
from chain.vm.sandbox.source import FILES_MAX, find_folder, from_files, read_folder
from contracts.registry import NAMES, REGISTRY

ENTRY = "def execute(deps, env, info, msg):\n    return {}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "counter"
    made.mkdir()
    (made / "__init__.py").write_text("NAME = 'counter'\nVERSION = '1.2.3'\n")
    (made / "state.py").write_text("STEP = 2\n")
    (made / "contract.py").write_text(
        "from contracts.counter.state import STEP\nfrom .state import STEP as AGAIN\n"
        "from counter.state import STEP as THIRD\n" + ENTRY.format("STEP + AGAIN + THIRD")
    )
    (made / "README.md").write_text("not source")
    return made


def answer(made: Any, msg: Any = None) -> Any:
    return run(GasMeter(10**6), made.execute, None, None, None, msg)


def test_a_folder_outside_the_repository_names_itself_in_three_ways(folder: Path) -> None:
    made = load_folder(folder)
    assert answer(made) == 6
    assert (made.name, made.version, made.metered) == ("counter", "1.2.3", True)
    assert made.query is None
    assert answer(load_folder(str(folder))) == 6


def test_a_name_a_path_and_a_module_are_one_contract() -> None:
    by_name = load_folder("token_v1")
    assert by_name.checksum == load_folder(contracts.token_v1).checksum
    assert by_name.checksum == load_folder(find_folder("token_v1")).checksum
    assert by_name.checksum == REGISTRY["token_v1"].checksum


def test_nothing_is_compiled_before_it_is_used(tmp_path: Path) -> None:
    made = tmp_path / "broken"
    made.mkdir()
    (made / "contract.py").write_text("import os\n")
    broken = load_folder(made)
    assert broken.checksum
    assert repr(broken).startswith("<Contract broken folder ")
    with pytest.raises(ContractSourceError, match=r"broken/contract\.py:1"):
        _ = broken.execute
    with pytest.raises(ContractSourceError):
        broken.compile()


def test_the_checksum_frames_paths_and_contents() -> None:
    files = {"a/contract.py": "X = 1\n", "a/b.py": ""}
    framed = b"msgchain contract v1"
    for path in ("a/b.py", "a/contract.py"):
        text = files[path].encode()
        framed += len(path).to_bytes(4, "big") + path.encode()
        framed += len(text).to_bytes(8, "big") + text
    assert load_source("a", files).checksum == hashlib.sha256(framed).digest()
    assert source_checksum({"a": b"b"}) != source_checksum({"ab": b""})


def test_the_checksum_covers_messages_of_other_contracts(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "contract.py").write_text(
        "from contracts.two.msg import A\n" + ENTRY.format("A")
    )
    (tmp_path / "two" / "contract.py").write_text(ENTRY.format("0"))
    (tmp_path / "two" / "msg.py").write_text("from contracts.two.base import A\n")
    (tmp_path / "two" / "base.py").write_text("A = 5\n")
    first = load_folder(tmp_path / "one")
    assert sorted(first.source) == ["one/contract.py", "two/base.py", "two/msg.py"]
    assert answer(first) == 5
    (tmp_path / "two" / "base.py").write_text("A = 6\n")
    second = load_folder(tmp_path / "one")
    assert second.checksum != first.checksum
    assert (answer(first), answer(second)) == (5, 6)


def test_a_log_s_source_is_the_same_contract(folder: Path) -> None:
    made = load_folder(folder)
    again = load_source(made.name, made.source)
    assert again.checksum == made.checksum
    assert answer(again) == answer(made)
    assert again.source_ref == made.source_ref == ("folder", "", "counter")


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"msg.py": "A = 1\n"}, "contract.py is missing"),
        ({"contract.py": "from contracts.sample.no import A\n"}, "no module"),
        ({"contract.py": "from .msg import B\n", "msg.py": "A = 1\n"}, "no B in sample/msg.py"),
        ({"contract.py": "from . import msg\n", "__init__.py": "", "msg.py": ""}, "no msg in"),
        ({"contract.py": "from .a import A\n", "a.py": "from .contract import B\n"}, "a circle"),
        ({"contract.py": "from .a.b import A\n"}, "no module"),
        ({"contract.py": "from contracts import A\n"}, "no module"),
        (
            {
                "contract.py": "from contracts.sample.msg import EXECUTE\n",
                "msg.py": "EXECUTE = (1,)\n",
            },
            "message class",
        ),
        ({"contract.py": "X = Y\n"}, "Y is not available"),
        (
            {"contract.py": "from chain.std import Uint128\nX = Uint128(-1)\n"},
            "RangeError while loading",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(files: dict[str, str], reason: str) -> None:
    with pytest.raises(ContractSourceError, match=reason):
        load_source("sample", {f"sample/{name}": text for name, text in files.items()}).compile()


def test_bounds_of_a_folder() -> None:
    many = {f"a/m{i}.py": "" for i in range(FILES_MAX)} | {"a/contract.py": ""}
    with pytest.raises(ContractSourceError, match="more than 64 files"):
        from_files("a", many)
    with pytest.raises(ContractSourceError, match="bytes"):
        from_files("a", {"a/contract.py": "#" * 262_145})
    with pytest.raises(ContractSourceError, match="is named with"):
        from_files("a-b", {"a-b/contract.py": ""})
    with pytest.raises(ContractSourceError, match=r"contract\.py is missing"):
        load_folder("no_such_contract")


def test_source_that_is_not_utf_8_names_its_line(folder: Path) -> None:
    (folder / "state.py").write_bytes(b"A = 1\nB = '\xff'\n")
    with pytest.raises(ContractSourceError, match=r"counter/state\.py:2: the source is not UTF-8"):
        read_folder(folder)


def test_compiled_modules_are_kept_and_verified(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    place = str(folder / "state.py")
    made = compiled.compiled("counter/state.py", "STEP = 2\n", place)
    (kept,) = (folder / "__pycache__").glob("state.room-*.bin")
    assert compiled.compiled("counter/state.py", "STEP = 2\n", place) == made
    kept.write_bytes(b"x" * 100)
    assert compiled.compiled("counter/state.py", "STEP = 2\n", place) == made
    compiled.compiled("counter/state.py", "STEP = 3\n", place)
    (new,) = (folder / "__pycache__").glob("state.room-*.bin")
    assert new != kept


def test_a_folder_that_cannot_be_written_is_no_obstacle(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (folder / "__pycache__").write_text("a file")
    assert answer(load_folder(folder)) == 6


def test_errors_of_a_contract_carry_text_and_fields() -> None:
    made = contract(
        "from chain.std import ContractError\n"
        "class Short(ContractError):\n"
        "    '''Too little.'''\n"
        "    def __init__(self, missing: int) -> None:\n"
        "        super().__init__(f'missing {missing}')\n"
        "        self.missing = missing\n"
        "def execute(deps, env, info, msg):\n"
        "    try:\n"
        "        raise Short(msg)\n"
        "    except Short as error:\n"
        "        if error.missing == 1:\n"
        "            return str(error), error.text\n"
        "        raise\n"
    )
    assert answer(made, 1) == ("missing 1", "missing 1")
    with pytest.raises(ContractError, match="missing 2"):
        answer(made, 2)


def test_the_registry_is_a_mapping_of_the_shipped_contracts() -> None:
    assert tuple(REGISTRY) == NAMES
    assert len(REGISTRY) == len(NAMES)
    with pytest.raises(KeyError):
        REGISTRY["nothing"]


def test_the_grammar_is_that_of_3_11() -> None:
    for line in ('return f"{msg["a"]}"', "return f'{'a'}'", "return f'{msg + \"\\n\"}'"):
        with pytest.raises(ContractSourceError):
            contract(f"def execute(deps, env, info, msg):\n    {line}\n").compile()
    fine = "def execute(deps, env, info, msg):\n    return f\"{msg['a']}\" f'{msg}x'\n"
    contract(fine).compile()
    with pytest.raises(ContractSourceError):
        contract("type X = int\n").compile()
    with pytest.raises(ContractSourceError):
        contract("def f[T](x):\n    return x\n").compile()
