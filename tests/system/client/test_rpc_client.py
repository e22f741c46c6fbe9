"""The typed client against a devnet that runs: every call, and agents and wallets over it."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from devnet_process import Devnet

from chain import wiring
from chain.app.devnet import dev_key, dev_wallet
from chain.client.agent import Agent
from chain.client.agent_calls import Contracts
from chain.client.control import Control
from chain.client.jsonrpc import JsonRpc, RpcFailed, Unreachable, parse_url
from chain.client.rpc import RpcClient
from chain.client.rpc_socket import Pushed
from chain.client.transport import QueryRefused, TxFailed, TxRefused
from chain.client.wallet import Wallet
from chain.crypto.root import RootSecret
from chain.store.ics23 import verify_membership
from chain.tx.builder import coins
from chain.tx.messages import MsgSend

ALICE = dev_key("alice").address
BOB = dev_key("bob").address
TOKEN = wiring.dev_contract("token_v1")
MSG = 10**18


@pytest.fixture(scope="module")
def devnet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devnet]:
    made = Devnet(tmp_path_factory.mktemp("client") / "home", "--block-time", "instant")
    yield made
    made.stop()


@pytest.fixture
def client(devnet: Devnet) -> Iterator[RpcClient]:
    with RpcClient(devnet.url, timeout=10) as made:
        yield made


def test_the_chain_is_told(client: RpcClient) -> None:
    status = client.status()
    assert (status.chain_id, client.chain_id) == ("msg-chain-1", "msg-chain-1")
    assert client.gas_price == 10**9
    assert client.genesis()["chain_id"] == "msg-chain-1"
    block = client.block(1)
    assert (block.height, block.time) == (1, wiring.GENESIS_TIME)
    assert client.validators()[0]["voting_power"] == "10"
    assert client.block_results(1)["height"] == "1"


@pytest.mark.parametrize("name", ["alice", "wallet"])
def test_wallets_of_both_kinds_pay(client: RpcClient, name: str) -> None:
    wallet = Wallet(dev_key("alice") if name == "alice" else dev_wallet(0), client)
    before = client.balance(BOB)
    outcome = wallet.pay(BOB, "2msg", memo="x")
    assert client.balance(BOB) == before + 2 * MSG
    found = client.tx(outcome.hash)
    assert found is not None
    assert found.outcome == outcome
    page = client.tx_search(f"tx.hash = '{outcome.hash}'")
    assert (page.total, page.txs[0].raw) == (1, found.raw)
    account = client.account(wallet.address)
    assert account is not None
    assert account.has_key


def test_many_in_a_row_without_waiting(client: RpcClient) -> None:
    wallet = Wallet(dev_wallet(1), client)
    hashes = []
    for _ in range(20):
        raw = wallet.sign([MsgSend(wallet.address, BOB, coins("1umsg"))], 150_000)
        hashes.append(client.broadcast_sync(raw).hash)
        wallet._used()
    assert [client.wait_for(one).code for one in hashes] == [0] * 20


def test_the_same_bytes_wait_for_the_same_transaction(client: RpcClient) -> None:
    wallet = Wallet(dev_wallet(2), client)
    raw = wallet.sign([MsgSend(wallet.address, BOB, coins("1umsg"))], 150_000)
    assert client.broadcast(raw) == client.broadcast(raw)
    other = wallet.sign([MsgSend(wallet.address, BOB, coins("1umsg"))], 150_001)
    with pytest.raises(TxRefused) as caught:
        client.broadcast(other)
    assert (caught.value.codespace, caught.value.code) == ("sdk", 32)
    wallet.forget()
    fresh = wallet.sign([MsgSend(wallet.address, BOB, coins("1umsg"))], 150_000)
    assert client.broadcast_commit(fresh).code == 0


def test_failures_keep_their_code(client: RpcClient) -> None:
    wallet = Wallet(dev_wallet(3), client)
    with pytest.raises(TxFailed) as failed:
        wallet.send([MsgSend(wallet.address, BOB, coins("9999999999msg"))], gas_limit=200_000)
    assert failed.value.code == 5
    with pytest.raises(TxRefused, match="insufficient funds"):
        wallet.send([MsgSend(wallet.address, BOB, coins("9999999999msg"))])
    with pytest.raises(TxRefused):
        client.broadcast_sync(b"\x0a\x01")
    assert client.tx("00" * 32) is None


def test_contracts_are_asked(client: RpcClient) -> None:
    assert client.smart(TOKEN, {"token_info": {}})["symbol"] == "DEVT"
    assert client.smart_at(TOKEN, {"token_info": {}}, 1)["symbol"] == "DEVT"
    assert client.raw(TOKEN, b"token_info") is not None
    assert client.raw(TOKEN, b"nothing") is None
    assert len(client.contract_state(TOKEN, 3)) == 3
    assert client.contract_info(TOKEN).label == "token"
    assert client.contract_history(TOKEN)[0].operation in ("init", "genesis")
    assert [one.code_id for one in client.codes()][:7] == [1, 2, 3, 4, 5, 6, 7]
    assert client.code(7).source.startswith("msgchain:token_v1@")
    assert client.contracts_by_code(7) == [TOKEN]
    assert TOKEN in client.contracts_by_creator(dev_key("authority").address)
    assert set(client.balances(BOB)) == {"amsg"}
    assert client.supply()["amsg"] > 0
    assert client.account(dev_key("x").address) is None
    for wrong in (
        lambda: client.smart(ALICE, {"x": {}}),
        lambda: client.smart(TOKEN, {"nope": {}}),
        lambda: client.contract_info(ALICE),
        lambda: client.code(999),
        lambda: client.balance("nonsense"),
        lambda: client.store("nope", b"x"),
    ):
        with pytest.raises(QueryRefused):
            wrong()


def test_a_proof_leads_to_the_header(client: RpcClient) -> None:
    Control(client.http).mine(2)
    found = client.store("msg", b"p", prove=True)
    assert found.value is not None
    root = client.block(found.height + 1).app_hash
    assert verify_membership(root, b"mp", found.value, found.proof)


def test_subscriptions_tell_of_blocks_and_transactions(devnet: Devnet, client: RpcClient) -> None:
    seen: list[Pushed] = []

    def listen() -> None:
        for push in client.subscribe("tm.event = 'Tx'"):
            seen.append(push)
            return

    listener = threading.Thread(target=listen)
    listener.start()
    with RpcClient(devnet.url) as other:
        wallet = Wallet(dev_wallet(0), other)
        while listener.is_alive():
            wallet.pay(BOB, "1umsg")
            listener.join(0.05)
    assert seen[0].kind == "Tx"
    assert "tx.hash" in seen[0].tags
    with pytest.raises(RpcFailed):
        next(client.subscribe("nonsense nonsense"))


def test_events_since_a_height(client: RpcClient) -> None:
    before = client.height()
    outcome = Wallet(dev_wallet(0), client).pay(BOB, "1umsg")
    found = [one for one in client.events(before) if one.height == outcome.height]
    assert [one.event for one in found if one.tx == 0] == list(outcome.events)


def test_waiting_ends_with_a_block(devnet: Devnet, client: RpcClient) -> None:
    started = time.monotonic()
    with RpcClient(devnet.url) as other:
        threading.Timer(0.2, Control(other.http).mine).start()
        client.wait(20)
        assert time.monotonic() - started < 15
        time.sleep(0.3)


def test_agents_live_over_the_rpc(client: RpcClient) -> None:
    control = Control(client.http)
    contracts = Contracts.from_names(wiring.contract_addresses())
    agents = {}
    for name in ("ann", "ben"):
        root = RootSecret(name.encode() * 11)
        agent = Agent(root, client, contracts, f"{name}-agent")
        control.faucet(agent.address, "100msg")
        agent.join(name=name, capabilities=[f"{name}-skill"])
        agents[name] = agent
    found = agents["ann"].find("ben-skill")
    assert found[0].agent_id == "ben-agent"
    agents["ann"].open_channel(found[0].address)
    asked = agents["ann"].send(found[0].address, {"hello": "ben"})
    inbox = agents["ben"].inbox()
    assert inbox[0].field("hello") == "ben"
    agents["ben"].reply(asked, {"hello": "ann"})
    assert agents["ann"].wait_for_reply(asked).field("hello") == "ann"


# --- HTTP alone -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "ftp://x", "http://", "http://x:99999", "http://x:y"])
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(ValueError):
        JsonRpc(text)


def test_addresses_in_all_forms() -> None:
    assert parse_url("localhost") == (False, "localhost", 26_657, "/")
    assert parse_url("tcp://[::1]:5") == (False, "::1", 5, "/")
    assert parse_url("https://node.example/rpc/") == (True, "node.example", 443, "/rpc")


@pytest.mark.parametrize("body", [b"", b"hello", b"[]", b"5", b'{"jsonrpc":"2.0"}'])
def test_what_is_no_node_is_unreachable(body: bytes) -> None:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        rpc = JsonRpc(f"http://127.0.0.1:{server.server_port}")
        with pytest.raises(Unreachable, match="is no node"):
            rpc.call("status")
        rpc.close()
        server.shutdown()
        thread.join()


def test_a_restarted_node_is_spoken_to_again(tmp_path: Path) -> None:
    first = Devnet(tmp_path / "home", "--block-time", "manual")
    port = first.url.rpartition(":")[2]
    with RpcClient(first.url) as client:
        height = client.height()
        first.stop()
        with pytest.raises(Unreachable):
            client.height()
        second = Devnet(tmp_path / "home", "--block-time", "manual", "--rpc-port", port)
        assert client.height() == height
        second.stop()
