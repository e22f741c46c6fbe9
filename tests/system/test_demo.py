"""``msgchain demo`` as its users meet it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from subprocess import PIPE
from typing import Any

import pytest
from demo_run import COMMAND, demo, msgchain

from chain.cli.demo_report import LISTED, Totals, burned_of, fees_of
from chain.driver.genesis import parse
from chain.driver.log import files
from chain.driver.log.record import BlockRecord, GenesisRecord
from chain.wiring import dev_validator_keys, open_chain

GAS_PRICE = 10**9
SECONDS = 10


@pytest.fixture(scope="module")
def story() -> str:
    """What a run tells."""
    done = msgchain("demo", env={})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def log_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "log.jsonl"


@pytest.fixture(scope="module")
def run(log_file: Path) -> dict[str, Any]:
    """What a run says to machines; its log is in ``log_file``."""
    return demo("--log", str(log_file))


@pytest.fixture(scope="module")
def blocks(run: dict[str, Any], log_file: Path) -> list[BlockRecord]:
    return [record for record in files.read(log_file) if isinstance(record, BlockRecord)]


# --- the story ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "[Alice] asks who has chart-generation, cheapest first: bob-agent 8 MSG, carol-agent 12 MSG",
        "[Alice] compares 8000000 with 10000000 as numbers: the quote fits",
        "paid 8 MSG into task-1",
        "8 MSG left escrow for him",
        "[Alice] closed the channel",
        "50 MSG is above her limit of 20 MSG, so it is held and waits for Olivia",
        "approved 50 MSG with her wallet",
        "[Bob] delivered task-2 and was paid 50 MSG",
        "Event 1: a2a_channel_created",
    ],
)
def test_the_story_is_told(story: str, line: str) -> None:
    assert line in story


def test_every_transaction_is_shown_with_gas_and_fee(story: str, run: dict[str, Any]) -> None:
    lines = [line for line in story.splitlines() if line.startswith("         block ")]
    assert len(lines) == run["transactions"]
    assert all(", gas " in line and " MSG" in line for line in lines)


def test_the_event_list_is_guide_10_4s(story: str) -> None:
    listed = [line.split(": ")[1] for line in story.splitlines() if line.startswith("Event ")]
    assert [kind for kind in listed if kind in LISTED][:6] == [
        "a2a_channel_created",
        "a2a_message_sent",  # the request
        "a2a_message_replied",  # the quote
        "a2a_message_replied",  # the acceptance, which the guide's list forgot (D16-10)
        "a2a_message_sent",  # the deliverable
        "a2a_channel_closed",
    ]


def test_it_is_quick() -> None:
    """In seconds of processor time, since other tests run beside this one."""
    before = getrusage(RUSAGE_CHILDREN)
    demo(env={})
    after = getrusage(RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < SECONDS


# --- for machines ---------------------------------------------------------------------------------


def test_the_object_has_the_fields_that_were_promised(run: dict[str, Any]) -> None:
    assert set(run) == {
        "chain_id",
        "height",
        "transactions",
        "gas_used",
        "fees",
        "app_hash",
        "events",
    }
    assert run["chain_id"] == "msg-chain-1"
    assert len(bytes.fromhex(run["app_hash"])) == 32
    assert all({"type", "attributes"} <= set(event) for event in run["events"])


def test_messages_of_the_negotiation_refer_to_each_other(run: dict[str, Any]) -> None:
    own = [
        event["attributes"]
        for event in run["events"]
        if event["type"].startswith("wasm-a2a_message_") and "via" not in event["attributes"]
    ]
    request = next(one for one in own if one.get("message_type") == "request")
    quote = next(one for one in own if one.get("original_msg_id") == request["msg_id"])
    acceptance = next(one for one in own if one.get("original_msg_id") == quote["reply_msg_id"])
    deliverable = [one for one in own if one["sender"] == request["receiver"]][-1]
    assert (quote["sender"], quote["receiver"]) == (request["receiver"], request["sender"])
    assert acceptance["sender"] == request["sender"]
    assert deliverable["receiver"] == request["sender"]
    assert {one["channel_id"] for one in (request, quote, acceptance)} == {request["channel_id"]}


def test_tasks_hold_their_price_and_pay_it_once(run: dict[str, Any]) -> None:
    steps = [e["attributes"] for e in run["events"] if e["type"] == "wasm-agent_task"]
    states = {
        task: [s["state"] for s in steps if s["task_id"] == task] for task in ("task-1", "task-2")
    }
    assert states["task-1"] == ["submitted", "working", "completed"]
    assert states["task-2"] == [
        "auth_required",
        "submitted",
        "working",
        "input_required",
        "working",
        "completed",
    ]
    final = [s for s in steps if s["state"] == "completed"]
    assert [(s["price"], s["paid"], s["refunded"]) for s in final] == [
        ("8000000000000000000", "8000000000000000000", "0"),
        ("50000000000000000000", "50000000000000000000", "0"),
    ]


# --- money ----------------------------------------------------------------------------------------


def test_gas_and_fees_of_the_log_add_up(run: dict[str, Any], blocks: list[BlockRecord]) -> None:
    for block in blocks:
        gas = sum(result.gas_used for result in block.result.tx_results)
        assert fees_of(block) == gas * GAS_PRICE
    totals = Totals.of(blocks)
    assert totals == (run["transactions"], run["gas_used"], run["fees"])
    assert run["fees"] == run["gas_used"] * GAS_PRICE


def test_supply_falls_by_exactly_the_burn(log_file: Path, blocks: list[BlockRecord]) -> None:
    genesis = next(iter(files.read(log_file)))
    assert isinstance(genesis, GenesisRecord)
    chain = open_chain(None, parse(genesis.genesis), signers=dev_validator_keys(1))
    queries = chain.app.queries
    before = 0
    for block in blocks:
        chain.produce(block.block.txs, block.block.time)
        supply = int(queries.supply("amsg").amount)
        if before:
            assert before - supply == burned_of(block)
            assert burned_of(block) * 5 - fees_of(block) in range(50)  # a fifth, and remainders
        before = supply
    assert chain.state.app_hash == blocks[-1].result.app_hash
    assert sum(burned_of(block) for block in blocks) > 0


# --- errors ---------------------------------------------------------------------------------------


def refused(*arguments: str) -> str:
    done = msgchain("demo", *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_log_in_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "make it first" in refused("--log", str(tmp_path / "none" / "log.jsonl"))


def test_a_log_that_is_a_folder(tmp_path: Path) -> None:
    assert "is a folder; name a file" in refused("--log", str(tmp_path))


def test_a_log_that_cannot_be_written() -> None:
    text = refused("--json", "--log", "/proc/log.jsonl")
    assert "/proc/log.jsonl: cannot be written" in text


def test_a_home_that_is_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    assert "is not empty" in refused("--home", str(tmp_path))


def test_a_home_is_kept(tmp_path: Path, run: dict[str, Any]) -> None:
    home = tmp_path / "chain"
    assert demo("--home", str(home))["app_hash"] == run["app_hash"]
    assert any(home.iterdir())


def test_nothing_stays_behind(tmp_path: Path) -> None:
    demo(env={"TMPDIR": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen((*COMMAND, "demo"), stdout=PIPE, stderr=PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert "Demo" in run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == ""


def test_help_names_the_options() -> None:
    text = msgchain("demo", "--help").stdout
    for option in ("--json", "--log", "--seed", "--home"):
        assert option in text


def test_a_node_that_is_not_there_is_named() -> None:
    done = msgchain("demo", "--rpc", "http://127.0.0.1:9")
    assert (done.returncode, "no node to play on" in done.stderr) == (1, True)
    done = msgchain("demo", "--rpc", "http://127.0.0.1:9", "--home", "x")
    assert (done.returncode, "--home" in done.stderr) == (1, True)
