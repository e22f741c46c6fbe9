"""Keys, controls and logs from the command line, against a devnet that runs."""

from __future__ import annotations

import json
from pathlib import Path

from cli_process import ALICE, BOB, WALLET1, Cli
from devnet_process import Devnet

# --- keys -----------------------------------------------------------------------------------------


def test_a_key_of_ones_own_signs(cli: Cli) -> None:
    made = cli.json("keys", "add", "me")
    assert made["address"] in cli.ok("keys", "list")
    assert "does not exist" in cli.bad("tx", "send", "bob", "1msg", "--from", "me")
    cli.ok("control", "faucet", "me", "10msg")
    assert cli.json("tx", "send", "bob", "1msg", "--from", "me")["code"] == 0
    wallet = cli.run("keys", "add", "mine", "--type", "wallet")
    words = wallet.stderr.splitlines()[-1]
    assert len(words.split()) == 24
    again = json.loads(
        cli.ok("keys", "import", "again", "--words", "--output", "json", text=f"{words}\n")
    )
    assert again["address"] == cli.json("keys", "show", "mine")["address"]
    assert cli.ok("keys", "export", "mine", "--unsafe-secret", "--yes").strip() == words


def test_keys_travel_encrypted(cli: Cli, tmp_path: Path) -> None:
    made = cli.json("keys", "add", "traveller")
    file = tmp_path / "traveller.json"
    file.write_text(cli.ok("keys", "export", "traveller"))
    assert cli.json("keys", "import", "arrived", str(file))["address"] == made["address"]
    wrong = tmp_path / "password"
    wrong.write_text("incorrect horse\n")
    said = cli.bad("keys", "import", "other", str(file), "--password-file", str(wrong))
    assert "wrong password" in said
    cli.ok("keys", "delete", "arrived", "--yes")
    assert "arrived" not in cli.ok("keys", "list")


def test_known_keys_are_listed(cli: Cli) -> None:
    rows = {row["name"]: row["address"] for row in cli.json("keys", "list", "--dev")}
    assert (rows["dev:alice"], rows["dev:wallet1"]) == (ALICE, WALLET1)
    assert cli.json("keys", "show", "dev:alice")["address"] == ALICE


# --- controls and logs ----------------------------------------------------------------------------


def test_controls_from_the_command_line(cli: Cli, tmp_path: Path) -> None:
    number = cli.ok("control", "snapshot").strip()
    assert cli.json("control", "mine", "2", "--interval", "5s")["blocks"] == 2
    assert cli.json("control", "advance-time", "1h")["code"] == 0
    message = {"type": "send", "from_address": BOB, "to_address": ALICE, "amount": "1msg"}
    assert cli.json("control", "impersonate", json.dumps(message))["code"] == 0
    assert cli.json("control", "sudo", "agent_registry_v1", '{"begin_block":{}}')["code"] == 0
    assert cli.json("control", "set-params", '{"gas_price": 0}')["code"] == 0
    assert cli.json("control", "pause")["paused"]
    assert cli.json("control", "status")["paused"]
    said = cli.bad("tx", "send", "bob", "1msg", "--from", "alice", "--wait-seconds", "0.5", code=5)
    assert "msgchain control mine" in said
    cli.ok("control", "resume")
    dump = tmp_path / "dump"
    assert cli.json("control", "dump", str(dump))["bytes"] == dump.stat().st_size
    cli.ok("control", "revert", number)
    assert cli.json("query", "params")["gas_price"] == 10**9
    assert cli.json("control", "load", str(dump))["chain_id"] == "msg-chain-1"
    assert cli.json("query", "params")["gas_price"] == 0
    cli.ok("control", "set-params", '{"gas_price": 1000000000}')
    assert cli.json("control", "accounts")[0]["name"] == "authority"
    assert cli.json("control", "block-time", "instant")["pace"] == "instant"


def test_a_trace_is_a_tree(cli: Cli) -> None:
    message = json.dumps({"transfer": {"recipient": BOB, "amount": "1"}})
    sent = cli.json("tx", "execute", "token_v1", message, "--from", "alice")
    shown = cli.ok("control", "trace", sent["hash"])
    assert "execute token_v1" in shown
    assert "write" in shown
    assert cli.json("control", "trace", sent["hash"])["gas_used"] == sent["gas_used"]


def test_a_log_leaves_and_comes_back(cli: Cli, tmp_path: Path) -> None:
    for name in ("log.jsonl", "log.msgpack"):
        cli.ok("log", "export", str(tmp_path / name))
        assert "equal" in cli.ok("log", "replay", str(tmp_path / name))
    home = tmp_path / "imported"
    cli.ok("log", "import", str(tmp_path / "log.jsonl"), "--home", str(home))
    cli.ok("log", "export", str(tmp_path / "again.jsonl"), "--home", str(home))
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "log.jsonl").read_bytes()
    said = cli.bad("log", "import", str(tmp_path / "log.jsonl"), "--home", str(home))
    assert "is not empty" in said
    devnet = Devnet(home)
    try:
        assert devnet.height >= int(cli.json("query", "status")["height"])
    finally:
        devnet.stop()


def test_following_shows_filtered_events(cli: Cli) -> None:
    last = str(cli.json("query", "status")["height"])
    cli.ok("control", "faucet", "bob", "1msg")
    out = cli.ok(
        "log",
        "follow",
        "--from-height",
        last,
        "--blocks",
        "2",
        "--type",
        "coinbase",
        "--output",
        "json",
    )
    rows = [json.loads(line) for line in out.splitlines()]
    assert all(row["type"] == "coinbase" for row in rows)
    assert rows
