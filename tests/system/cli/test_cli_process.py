"""The command line against a devnet that runs, as its users call it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_process import ALICE, BOB, START, TOKEN, Cli
from devnet_process import ROOT, Devnet

NEW_TOKEN = {
    "name": "Mine",
    "symbol": "MINE",
    "decimals": 0,
    "initial_balances": [{"address": ALICE, "amount": "100"}],
}


# --- processes ------------------------------------------------------------------------------------


def test_commands_are_processes_with_exit_codes(cli: Cli) -> None:
    sent = cli.process("tx", "send", "bob", "1msg", "--from", "alice", "--output", "json")
    assert (sent.returncode, sent.stderr) == (0, "")
    assert json.loads(sent.stdout)["code"] == 0
    assert cli.process("query", "tx", "abc").returncode == 1
    assert cli.process("query", "nope").returncode == 2
    gone = cli.process("query", "status", "--rpc", "http://127.0.0.1:1")
    assert (gone.returncode, gone.stdout) == (3, "")
    failing = ("tx", "send", "bob", "9999999999msg", "--from", "wallet3", "--gas", "200000")
    assert cli.process(*failing).returncode == 4


def test_following_ends_with_the_node(tmp_path: Path) -> None:
    devnet = Devnet(tmp_path / "home", "--block-time", "100ms")
    words = [
        sys.executable,
        "-c",
        START,
        "log",
        "follow",
        "--rpc",
        devnet.url,
        "--from-height",
        "1",
    ]
    follower = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    devnet.wait_for_height(30)
    devnet.stop()
    _, said = follower.communicate(timeout=30)
    assert follower.returncode == 3
    assert said.startswith(b"error: no node at")


# --- tx -------------------------------------------------------------------------------------------


def test_send_waits_for_its_block_and_tells_the_fee(cli: Cli) -> None:
    before = int(cli.json("query", "balance", "carol")["amount"])
    sent = cli.json("tx", "send", "carol", "5msg", "--from", "alice", "--memo", "thanks")
    assert sent["code"] == 0
    assert sent["fee"] == f"{sent['gas_used'] * 10**9}amsg"
    assert int(cli.json("query", "balance", "carol")["amount"]) == before + 5 * 10**18
    found = cli.json("query", "tx", sent["hash"])
    assert (found["memo"], found["form"], found["signers"]) == ("thanks", "native", [ALICE])
    assert found["messages"][0]["type"] == "send"
    assert sent["hash"] in cli.ok("query", "txs", f"tx.hash = '{sent['hash']}'")


def test_a_wallet_account_sends_cosmos_transactions(cli: Cli) -> None:
    sent = cli.json("tx", "send", BOB, "1umsg", "--from", "wallet1")
    assert cli.json("query", "tx", sent["hash"])["form"] == "cosmos"


def test_multi_send_pays_the_sum(cli: Cli) -> None:
    sent = cli.json("tx", "multi-send", "carol=2msg", "dave=3msg", "--from", "bob")
    messages = cli.json("query", "tx", sent["hash"])["messages"]
    assert messages[0]["inputs"][0]["coins"] == [{"denom": "msg", "amount": "5"}]


def test_a_dry_run_sends_nothing(cli: Cli) -> None:
    before = cli.json("query", "status")["height"]
    planned = cli.json("tx", "send", "bob", "1msg", "--from", "alice", "--dry-run")
    assert planned["gas_limit"] > planned["gas_estimated"] > 0
    assert planned["messages"][0]["from_address"] == ALICE
    assert cli.json("query", "status")["height"] == before


def test_no_wait_gives_the_hash(cli: Cli) -> None:
    assert len(cli.json("tx", "send", "bob", "1msg", "--from", "dave", "--no-wait")["hash"]) == 64


def test_a_contract_from_upload_to_its_end(cli: Cli) -> None:
    stored = cli.json("tx", "store", "token_v1", "--from", "alice")
    code_id = str(stored["code_id"])
    made = cli.json(
        "tx",
        "instantiate",
        code_id,
        json.dumps(NEW_TOKEN),
        "--label",
        "mine",
        "--admin",
        "alice",
        "--from",
        "alice",
    )
    address = made["contract_address"]
    salted = cli.json(
        "tx",
        "instantiate2",
        code_id,
        json.dumps(NEW_TOKEN),
        "--label",
        "two",
        "--salt",
        "0x01ff",
        "--admin",
        "alice",
        "--from",
        "alice",
    )
    rows = cli.json("query", "contracts", "--code", code_id)
    assert [row["address"] for row in rows] == [address, salted["contract_address"]]
    message = json.dumps({"transfer": {"recipient": BOB, "amount": "40"}})
    done = cli.json("tx", "execute", address, message, "--from", "alice")
    assert any(event["type"] == "wasm" for event in done["events"])
    question = json.dumps({"balance": {"address": BOB}})
    assert json.loads(cli.ok("query", "smart", address, question)) == {"balance": "40"}
    cli.json("tx", "migrate", address, code_id, "{}", "--from", "alice")
    assert len(cli.json("query", "contract", address)["history"]) == 2
    cli.json("tx", "update-label", address, "ours", "--from", "alice")
    cli.json("tx", "update-admin", address, "bob", "--from", "alice")
    info = cli.json("query", "contract", address)
    assert (info["label"], info["admin"]) == ("ours", BOB)
    cli.json("tx", "clear-admin", address, "--from", "bob")
    assert cli.json("query", "contract", address)["admin"] == ""
    assert "unauthorized" in cli.bad("tx", "clear-admin", address, "--from", "bob")


def test_several_messages_in_one_transaction(cli: Cli, tmp_path: Path) -> None:
    listed = [
        {"type": "send", "to_address": BOB, "amount": "1msg"},
        {
            "type": "execute",
            "contract": TOKEN,
            "msg": {"transfer": {"recipient": BOB, "amount": "1"}},
        },
    ]
    file = tmp_path / "messages.json"
    file.write_text(json.dumps(listed))
    sent = cli.json("tx", "messages", f"@{file}", "--from", "alice")
    assert len(cli.json("query", "tx", sent["hash"])["messages"]) == 2


def test_what_the_authority_may(cli: Cli) -> None:
    cli.json("tx", "mint", "bob", "1msg", "--from", "authority")
    cli.json("tx", "set-params", '{"memo_max_bytes": 300}', "--from", "authority")
    assert cli.json("query", "params")["memo_max_bytes"] == 300
    said = cli.bad("tx", "mint", "bob", "1msg", "--from", "alice", "--gas", "400000", code=4)
    assert "expected gov account" in said


def test_a_failure_in_a_block_ends_with_4(cli: Cli) -> None:
    said = cli.bad(
        "tx", "send", "bob", "9999999999msg", "--from", "wallet2", "--gas", "200000", code=4
    )
    assert "its fee is paid" in said
    assert "insufficient funds" in said


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("tx", "send", "bob", "5", "--from", "alice"), "write for example 5msg"),
        (("tx", "send", "bob", "five", "--from", "alice"), "write for example 5msg"),
        (("tx", "send", "nobody", "5msg", "--from", "alice"), "neither an address"),
        (("tx", "send", "msg1abc", "5msg", "--from", "alice"), "invalid"),
        (("tx", "send", "bob", "5msg", "--from", "zoe"), "`msgchain keys add zoe` makes one"),
        (("tx", "send", "bob", "99999999msg", "--from", "alice"), "msgchain control faucet"),
        (("tx", "send", "bob", "5nope", "--from", "alice"), "insufficient funds"),
        (("tx", "multi-send", "bob", "--from", "alice"), "write TO=AMOUNT"),
        (("tx", "execute", "token_v1", "{", "--from", "alice"), "MSG: not JSON"),
        (("tx", "execute", "token_v1", "@/nope", "--from", "alice"), "cannot be read"),
        (("tx", "execute", "token_v1", '{"nope":{}}', "--from", "alice"), "unknown variant"),
        (("tx", "execute", ALICE, "{}", "--from", "alice"), "no such contract"),
        (("tx", "migrate", "token_v1", "999", "{}", "--from", "authority"), "unknown code"),
        (("tx", "store", "nope", "--from", "alice"), "neither a contract of the repository"),
        (("tx", "store", f"msgchain:x@{'0' * 64}", "--from", "alice"), "not known to this node"),
        (("tx", "messages", "[5]", "--from", "alice"), "a message is an object"),
        (("tx", "messages", '{"type":"nope"}', "--from", "alice"), "is no message"),
        (("tx", "set-params", "[]", "--from", "authority"), "an object of parameters"),
        (
            ("tx", "instantiate2", "1", "{}", "--label", "x", "--salt", "0xzz", "--from", "alice"),
            "hex digits",
        ),
        (("tx", "send", "bob", "1msg", "--from", "alice", "--gas", "1000"), "--gas auto"),
        (("tx", "send", "bob", "1msg", "--from", "alice", "--timeout-height", "1"), "timeout"),
        (("query", "account", "msg1nope"), "invalid"),
        (("query", "tx", "abc"), "64 hex digits"),
        (("query", "tx", "0" * 64), "is in no block"),
        (("query", "block", "99999999"), "height"),
        (("query", "txs", "foo bar"), "the node refused"),
        (("query", "code", "999"), "code id 999"),
        (("query", "contract", ALICE), "no such contract"),
        (("query", "smart", "token_v1", "5"), "a question is an object"),
        (("query", "smart", "token_v1", '{"nope":{}}'), "unknown variant"),
        (("query", "smart", "token_v1", "{}", "--height", "9999999"), "height"),
        (("query", "raw", "token_v1", "0xz"), "hex digits"),
        (("query", "proof", "msg", "0xz"), "hex digits"),
        (("query", "events", "--attribute", "x"), "KEY=VALUE"),
        (("gas", "tx", "0" * 64), "is in no block"),
        (("schema", "nope"), "neither a contract"),
        (("control", "revert", "99999"), "there is no snapshot"),
        (("control", "set-time", "yesterday"), "no time like"),
        (("control", "set-time", "2020-01-01T00:00:00Z"), "forward only"),
        (("control", "faucet", "bob", "x"), "no amount"),
        (("control", "impersonate", "[]"), "no message"),
        (("control", "set-params", "5"), "expected an object"),
        (("control", "load", "/nope"), "cannot be read"),
        (("control", "trace", "0" * 64), "is in no block"),
        (("keys", "show", "nope"), "there is no key nope"),
        (("keys", "add", "a/b"), "no name for a key"),
        (("keys", "import", "x"), "name one source"),
        (("log", "export", "/nope/x.jsonl"), "cannot be written"),
        (("log", "export", "x.jsonl", "--home", "/nope"), "holds no chain"),
        (
            ("log", "import", "/nope.jsonl", "--home", "/tmp/never-made-by-msgchain"),
            "cannot be read",
        ),
        (("query", "status", "--rpc", "ftp://x"), "no address of a node"),
        (("query", "status", "--rpc", "http://x:99999"), "port"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_said_in_a_line(cli: Cli, words: tuple[str, ...], says: str) -> None:
    said = cli.bad(*words)
    assert said.startswith("error: ")
    assert says in said


def test_wrong_usage_ends_with_2(cli: Cli) -> None:
    for words in (
        ("tx", "send"),
        ("tx", "nope"),
        ("query", "block", "x"),
        ("control", "mine", "0"),
    ):
        assert "Usage" in cli.bad(*words, code=2)


def test_no_node_ends_with_3(cli: Cli) -> None:
    said = cli.bad("query", "status", "--rpc", "http://127.0.0.1:1", code=3)
    assert "start one with `msgchain devnet`" in said


def test_what_answers_there_must_be_a_node(cli: Cli) -> None:
    said = cli.bad("query", "status", "--rpc", f"{cli.url}/metrics", code=3)
    assert "no node" in said


# --- query ----------------------------------------------------------------------------------------


def test_queries_answer_machines_and_people(cli: Cli) -> None:
    cli.ok("tx", "send", "bob", "1msg", "--from", "alice")
    assert cli.json("query", "account", "alice")["address"] == ALICE
    assert cli.json("query", "balances", "bob")[0]["denom"] == "amsg"
    assert cli.ok("query", "balance", "bob", "msg").endswith("msg\n")
    assert cli.json("query", "supply")[0]["denom"] == "amsg"
    assert cli.json("query", "codes")[0]["id"] == 1
    assert cli.json("query", "code", "7")["source"].startswith("msgchain:token_v1@")
    assert cli.json("query", "contract", "token_v1")["address"] == TOKEN
    made = cli.json("query", "contracts", "--creator", "authority")
    assert sorted(row["code"] for row in made) == [1, 2, 3, 4, 5, 6, 7]
    assert cli.json("query", "contract-state", "token_v1", "--limit", "3")[2]["key"]
    assert cli.json("query", "raw", "token_v1", "token_info")["value"]
    assert cli.json("query", "raw", "token_v1", "nothing")["value"] is None
    assert cli.json("query", "block", "1")["height"] == 1
    assert cli.json("query", "validators")[0]["power"] == "10"
    assert cli.json("query", "params")["gas_price"] == 10**9
    assert cli.json("query", "status")["chain_id"] == "msg-chain-1"
    assert "HEIGHT" in cli.ok("query", "events", "--from-height", "1", "--type", "transfer")


def test_proofs_are_verified(cli: Cli) -> None:
    cli.ok("control", "mine", "3")
    for key in ("p", "nothing"):
        found = cli.json("query", "proof", "msg", key)
        assert found["verified"]
        assert (found["value"] is None) == (key == "nothing")


def test_gas_is_told(cli: Cli) -> None:
    rows = {row["name"]: row["gas"] for row in cli.json("gas", "prices")}
    assert rows["KV_READ"] == 1000
    message = json.dumps({"transfer": {"recipient": BOB, "amount": "1"}})
    sent = cli.json("tx", "execute", "token_v1", message, "--from", "alice")
    told = cli.json("gas", "tx", sent["hash"])
    assert told["gas_used"] == sent["gas_used"]
    assert told["calls"][0]["contract"] == TOKEN
    assert TOKEN in cli.ok("gas", "tx", sent["hash"])


def test_schema_is_written(cli: Cli, tmp_path: Path) -> None:
    assert "ExecuteMsg" in cli.ok("schema", "token_v1")
    cli.ok("schema", "token_v1", "--out", str(tmp_path / "out"))
    assert (tmp_path / "out" / "execute.json").is_file()
    assert "cannot be written" in cli.bad("schema", "token_v1", "--out", "/proc/nope")


def test_every_command_has_help(cli: Cli) -> None:
    for group in ("keys", "tx", "query", "gas", "control", "log", "schema"):
        assert "Usage" in cli.ok(group, "--help")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["gas", "--help"], ["schema", "token_v1"]], ids=" ".join
)
def test_output_that_cannot_be_written_is_an_error_and_no_traceback(words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", START, *words],
            cwd=ROOT,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1
    assert (
        done.stderr == "error: cannot write: No space left on device; make room and run it again\n"
    )
