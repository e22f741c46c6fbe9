"""The auditor's commands on hostile files: a clear refusal, no traceback, nothing half written."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from benchmarks import soak
from chain.cli.main import cli
from chain.driver.log import files
from chain.driver.log.record import NO_HASH, GenesisRecord, LogError, from_json, sealed, to_json
from chain.driver.log.replay import replay
from chain.wiring import open_chain, replay_app

BLOCKS = 4
COMMANDS = ("verify", "replay", "show", "convert", "diff", "to-sqlite", "import")
JUNK: list[Any] = [None, -1, 0, 1 << 70, 1.5, "", "x", [], {}, [None], True, {"a": 1}, "\ud800"]


@pytest.fixture(scope="module", name="made")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log in both forms, and the stopped node that it is of."""
    folder = tmp_path_factory.mktemp("log")
    chain = open_chain(folder / "home" / "data", soak.genesis(), signers=soak.SIGNERS)
    for height in range(BLOCKS):
        if height == 2:
            chain.store.close()
            shutil.copytree(folder / "home", folder / "early")
            chain = open_chain(folder / "home" / "data", soak.genesis(), signers=soak.SIGNERS)
        soak.grow(chain)
    for name in ("a.jsonl", "a.msgpack"):
        files.write(folder / name, chain.records())
    chain.store.close()
    return folder


def run(command: str, file: Path, folder: Path, made: Path) -> tuple[int, str]:
    """Exit code and what was said; an exception that is no exit fails the test."""
    more = {
        "convert": [str(folder / "T.msgpack")],
        "diff": [str(made / "a.jsonl")],
        "to-sqlite": [str(folder / "T.db")],
        "import": ["--home", str(folder / "home")],
    }
    arguments = ["log", command, str(file), *more.get(command, [])]
    result = CliRunner().invoke(cli, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def junk_files(made: Path) -> Iterator[bytes]:
    source = random.Random(5)
    lines, packed = (made / "a.jsonl").read_bytes(), (made / "a.msgpack").read_bytes()
    each = lines.splitlines(keepends=True)
    yield from (b"", b"\n", source.randbytes(3_000), b"{" + source.randbytes(200), bytes(1_000))
    yield b'{"record":"genesis","x":"' + b"a" * 1_000_000
    yield b'{"record":' + b"[" * 100_000 + b"\n"
    yield from (b"\x01\x02", b"\xc6\xff\xff\xff\xffaaaa", b"\xdd\xff\xff\xff\xff", b"\x81\x01\x02")
    yield from (lines.decode().encode("utf-16"), b"\xef\xbb\xbf" + lines)
    yield from (lines.replace(b"\n", b"\r\n"), lines + lines, b"".join(each[1:]))
    yield from (each[0] + each[-1], each[0] + each[2] + each[1], lines[:-1], packed[:-1])
    for raw in (lines, packed):
        for _ in range(6):
            yield raw[: source.randrange(len(raw))]
            flipped = bytearray(raw)
            flipped[source.randrange(len(raw))] ^= 1 << source.randrange(8)
            yield bytes(flipped)


@pytest.mark.parametrize("command", COMMANDS)
def test_junk_is_refused_with_a_line_that_names_the_file(
    made: Path, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "x.jsonl"
    for data in junk_files(made):
        file.write_bytes(data)
        code, said = run(command, file, tmp_path, made)
        assert code, (data[:40], said)
        assert str(file) in said or command == "diff", said
        assert len(said) < 1_000 or command == "show"
        left = sorted(path.name for path in tmp_path.iterdir())
        if command != "import":
            assert left == ["x.jsonl"]
        shutil.rmtree(tmp_path / "home", ignore_errors=True)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))


def forged(lines: list[str], source: random.Random) -> bytes:
    """A log with one value replaced or left out, its hashes made anew where that is possible."""
    values = [json.loads(line) for line in lines]
    target = source.choice([values[0], *values])
    target.pop("sources", None) if source.random() < 0.01 else None
    path = source.choice([path for path in places(target) if path[0] != "sources"])
    inner = target
    for key in path[:-1]:
        inner = inner[key]
    if isinstance(inner, dict) and source.random() < 0.2:
        del inner[path[-1]]
    else:
        inner[path[-1]] = source.choice(JUNK)
    made = [json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values]
    try:
        out, prev = [], NO_HASH
        for line in made:
            record = from_json(line, "")
            if not isinstance(record, GenesisRecord):
                record = msgspec.structs.replace(record, prev=prev)
            record = sealed(record)
            prev = record.hash
            out.append(to_json(record))
        made = out
    except LogError:
        pass
    return "".join(line + "\n" for line in made).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_forged_log_whose_hashes_agree_ends_in_a_refusal_or_a_result(
    made: Path, tmp_path: Path, command: str
) -> None:
    source = random.Random(f"forged {command}")
    lines = (made / "a.jsonl").read_text(encoding="utf-8").splitlines()
    file = tmp_path / "x.jsonl"
    for _ in range(25):
        file.write_bytes(forged(lines, source))
        _, said = run(command, file, tmp_path, made)
        assert "Traceback" not in said
        shutil.rmtree(tmp_path / "home", ignore_errors=True)
        assert not list(tmp_path.glob("*.part"))


def invoke(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_a_replay_begins_at_the_state_of_a_stopped_node(made: Path) -> None:
    said = invoke("log", "replay", made / "a.jsonl", "--snapshot", made / "early")
    assert f"height {BLOCKS}, {BLOCKS - 2} blocks" in said
    said = invoke("log", "replay", made / "a.msgpack", "--snapshot", made / "home")
    assert "0 blocks" in said


def test_a_replay_refuses_a_state_that_is_not_of_the_log(made: Path, tmp_path: Path) -> None:
    log = tmp_path / "short.jsonl"
    records = list(files.read(made / "a.jsonl"))
    files.write(log, records[:3])
    said = invoke("log", "replay", log, "--snapshot", made / "home", code=1)
    assert f"ends at height 2, the replay begins after {BLOCKS}" in said
    other = open_chain(tmp_path / "other" / "data", soak.genesis(), signers=soak.SIGNERS)
    for _ in range(2):
        other.produce([], soak.START + 100 * soak.SECOND)
    other.store.close()
    said = invoke("log", "replay", made / "a.jsonl", "--snapshot", tmp_path / "other", code=1)
    assert "another block at height 2" in said
    said = invoke("log", "replay", made / "a.jsonl", "--snapshot", tmp_path / "none", code=1)
    assert "holds no chain" in said


def test_a_range_of_heights_is_shown(made: Path) -> None:
    said = invoke("log", "show", made / "a.jsonl", "--from-height", 2, "--to-height", 3)
    assert {line.split()[0] for line in said.splitlines()} == {"2", "3"}
    said = invoke("log", "show", made / "a.jsonl", "--height", 3, "--type", "transfer")
    assert {line.split()[0] for line in said.splitlines()} == {"3"}


def test_both_forms_convert_to_each_other_byte_for_byte(made: Path, tmp_path: Path) -> None:
    invoke("log", "convert", made / "a.jsonl", tmp_path / "b.msgpack")
    invoke("log", "convert", tmp_path / "b.msgpack", tmp_path / "b.jsonl")
    assert (tmp_path / "b.msgpack").read_bytes() == (made / "a.msgpack").read_bytes()
    assert (tmp_path / "b.jsonl").read_bytes() == (made / "a.jsonl").read_bytes()


def test_a_replay_from_memory_stands_where_the_log_ends(made: Path) -> None:
    done = replay(files.read(made / "a.jsonl"), replay_app(check_signatures=False), until=3)
    assert (done.height, done.blocks) == (3, 3)
