"""The Agent API over real sockets: what the guide's clients do, retries, two gateways."""

from __future__ import annotations

import base64
import json
import signal
import socket
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gateway_process import Agent, Gateway, Listener, Net, body_to
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from chain.client.agent_calls import Contracts, send_message
from chain.client.rpc import RpcClient
from chain.client.wallet import Wallet, execute
from chain.wiring import contract_addresses, dev_key

SEND = "/agent/v1/a2a/send"
INBOX = "/agent/v1/a2a/inbox"
REPLY = "/agent/v1/a2a/reply"
CHANNEL = "/agent/v1/a2a/channel"
CAPABILITY = "/agent/v1/a2a/capability"


def sent(net: Net, sender: Agent, to: Agent, text: str = "hello", **more: Any) -> str:
    status, answer, _ = net.gateway.post(SEND, sender.key, body_to(to, text, **more))
    assert status == 200, answer
    msg_id: str = answer["msg_id"]
    return msg_id


def test_a_message_is_sent_read_and_answered(net: Net, alice: Agent, bob: Agent) -> None:
    msg_id = sent(
        net, alice, bob, "质量", message_type="request", priority=75, ttl=600, reply_to=None
    )
    status, inbox, _ = net.gateway.get(f"{INBOX}?address={bob.address}&status=pending", bob.key)
    assert status == 200
    found = inbox["messages"][0]
    assert (found["msg_id"], found["sender"], found["priority"]) == (msg_id, alice.address, 75)
    assert base64.b64decode(found["payload"]).decode() == "质量"
    status, reply, _ = net.gateway.post(
        REPLY, bob.key, {"original_msg_id": msg_id, "payload": "b2s="}
    )
    assert status == 200
    _, mine, _ = net.gateway.get(f"{INBOX}?limit=1", alice.key)
    assert mine["messages"][0]["msg_id"] == reply["reply_msg_id"]
    assert mine["messages"][0]["reply_to"] == msg_id


def test_another_gateway_shows_the_same_at_once(net: Net, alice: Agent, bob: Agent) -> None:
    net.other.get(f"{INBOX}?limit=1", bob.key)
    msg_id = sent(net, alice, bob)
    net.settle()
    assert net.other.get(f"{INBOX}?limit=1", bob.key)[1]["messages"][0]["msg_id"] == msg_id


def test_a_channel_opens_once_and_closes(net: Net, alice: Agent, bob: Agent) -> None:
    body = {"participant": bob.address, "channel_type": "direct"}
    _, first, _ = net.gateway.post(CHANNEL, alice.key, body)
    status, again, _ = net.other.post(CHANNEL, alice.key, body)
    assert status == 200
    assert (first["created"], again["created"]) == (True, False)
    assert again["channel_id"] == first["channel_id"]
    path = f"{CHANNEL}?channel_id={first['channel_id']}"
    assert net.gateway.get(path, bob.key)[1]["channel"]["status"] == "open"
    assert net.gateway.ask("DELETE", path, bob.key)[1]["status"] == "closed"
    assert net.gateway.get(path, alice.key)[1]["channel"]["status"] == "closed"


def test_capabilities_are_declared_found_and_withdrawn(net: Net, bob: Agent, alice: Agent) -> None:
    body = {"agent_id": bob.agent_id, "capability": "painting"}
    assert net.gateway.post(CAPABILITY, bob.key, body)[1]["changed"] is True
    assert net.gateway.post(CAPABILITY, bob.key, body)[1]["changed"] is False
    path = "/agent/v1/a2a/discover?capability=painting"
    found = net.gateway.get(path, alice.key)[1]
    assert (found["agents"], found["count"]) == (["bob-agent"], 1)
    assert found["entries"][0]["address"] == bob.address
    gone = f"{CAPABILITY}?agent_id={bob.agent_id}&capability=painting"
    assert net.gateway.ask("DELETE", gone, bob.key)[1]["changed"] is True
    assert net.gateway.get(path, alice.key)[1]["count"] == 0


def test_marks_move_a_message_and_tell_the_sender(net: Net, alice: Agent, bob: Agent) -> None:
    msg_id = sent(net, alice, bob)
    mark = "/agent/v1/a2a/mark"
    for status in ("delivered", "read", "read"):
        body = {"msg_id": msg_id, "status": status}
        assert net.gateway.post(mark, bob.key, body)[0] == 200
    path = f"/agent/v1/a2a/message?msg_id={msg_id}"
    assert net.gateway.get(path, alice.key)[1]["message"]["status"] == "read"
    second = sent(net, alice, bob)
    body = {"msg_id": second, "status": "cancelled"}
    assert net.gateway.post(mark, alice.key, body)[0] == 200
    assert net.gateway.post(mark, bob.key, {**body, "status": "read"})[0] == 409


def test_a_retried_send_is_one_message_through_any_gateway(
    net: Net, alice: Agent, bob: Agent
) -> None:
    body, once = body_to(bob, "once"), uuid.uuid4().hex
    before = net.gateway.get("/agent/v1/a2a/sent?limit=1", alice.key)[1]["total"]
    gateways = [net.gateway, net.other] * 3
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda one: one.post(SEND, alice.key, body, once), gateways))
    assert [status for status, _, _ in done] == [200] * 6, done
    assert len({answer["msg_id"] for _, answer, _ in done}) == 1
    first = {answer["tx_hash"] for _, answer, _ in done if not answer["repeated"]}
    assert len(first) == 1  # two gateways may have made the very same transaction
    net.settle()
    after = net.gateway.get("/agent/v1/a2a/sent?limit=1", alice.key)[1]["total"]
    assert after == before + 1
    status, answer, _ = net.other.post(SEND, alice.key, body_to(bob, "other"), once)
    assert (status, answer["error"]["code"]) == (422, "key_reused")


def test_a_retried_reply_is_one_reply(net: Net, alice: Agent, bob: Agent) -> None:
    msg_id = sent(net, alice, bob)
    body, once = {"original_msg_id": msg_id, "payload": "b2s="}, uuid.uuid4().hex
    first = net.gateway.post(REPLY, bob.key, body, once)[1]
    again = net.other.post(REPLY, bob.key, body, once)[1]
    assert again["reply_msg_id"] == first["reply_msg_id"]
    assert (first["repeated"], again["repeated"]) == (False, True)


def test_sends_of_one_agent_through_two_gateways_all_arrive(
    net: Net, alice: Agent, bob: Agent
) -> None:
    before = net.gateway.get("/agent/v1/a2a/sent?limit=1", alice.key)[1]["total"]
    turns = [(net.gateway if number % 2 else net.other, str(number)) for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        done = list(
            pool.map(lambda turn: turn[0].post(SEND, alice.key, body_to(bob, turn[1])), turns)
        )
    assert [status for status, _, _ in done] == [200] * 12, done
    net.settle()
    after = net.gateway.get("/agent/v1/a2a/sent?limit=1", alice.key)[1]["total"]
    assert after - before == 12 == len({answer["msg_id"] for _, answer, _ in done})


def test_a_transaction_signed_elsewhere_is_taken_once(net: Net, alice: Agent, bob: Agent) -> None:
    client = RpcClient(net.devnet.url)
    wallet = Wallet(dev_key("carol"), client)
    carol = net.create("carol", "--key", "dev:carol", "--join")
    contracts = Contracts.from_names(contract_addresses())
    call = send_message(contracts, bob.address, b"x", message_type="request", priority=1, ttl=60)
    raw = wallet.sign([execute(carol.address, call.contract, call.msg)], 3_000_000)
    client.close()
    body = {"tx": base64.b64encode(raw).decode()}
    assert net.gateway.post("/agent/v1/tx", alice.key, body)[0] == 403
    status, first, _ = net.gateway.post("/agent/v1/tx", carol.key, body)
    assert status == 200, first
    assert len(first["msg_ids"]) == 1
    assert net.other.post("/agent/v1/tx", carol.key, body)[1]["tx_hash"] == first["tx_hash"]
    assert net.gateway.post("/agent/v1/tx", carol.key, {"tx": "AAAA"})[0] == 422


def test_a_key_without_a_signer_reads_and_does_not_sign(net: Net, bob: Agent) -> None:
    watching = net.create("bob", "--no-signing")
    assert net.gateway.get(INBOX, watching.key)[0] == 200
    status, answer, _ = net.gateway.post(SEND, watching.key, body_to(net.agents["alice"]))
    assert (status, answer["error"]["code"]) == (409, "no_signing_key")


def test_buckets_refuse_with_a_time_to_wait(net: Net, alice: Agent, bob: Agent) -> None:
    slow = ("--requests-per-second", "1", "--requests-burst", "40")
    slow += ("--messages-per-second", "1", "--messages-burst", "3")
    tight = Gateway(net.folder / "tight", net.devnet.url, net.api_keys, *slow)
    try:
        once = uuid.uuid4().hex
        begun = time.monotonic()
        sends = [tight.post(SEND, alice.key, body_to(bob), once) for _ in range(12)]
        took = time.monotonic() - begun
        assert 3 <= sum(status == 200 for status, _, _ in sends) <= 3 + took + 1
        begun = time.monotonic()
        answers = [tight.get("/agent/v1/me", alice.key) for _ in range(60)]
        took = time.monotonic() - begun
        assert 40 - 12 <= sum(status == 200 for status, _, _ in answers) <= 40 + took + 1
        refused = [one for one in sends + answers if one[0] == 429]
        assert refused
        assert all(int(headers["retry-after"]) >= 1 for _, _, headers in refused)
        assert {answer["error"]["code"] for _, answer, _ in refused} == {"rate_limited"}
        assert tight.get("/agent/v1/me", "nobody")[0] == 401
    finally:
        tight.stop()


def test_a_push_reaches_both_sides_with_both_names(net: Net, alice: Agent, bob: Agent) -> None:
    listeners = [net.gateway.listen(one.address, one.key) for one in (alice, bob)]
    msg_id = sent(net, alice, bob)
    for listener in listeners:
        push = listener.next()
        assert push["type"] == "a2a_message"
        payload = push["payload"]
        assert (payload["event"], payload["msg_id"]) == ("a2a_message_sent", msg_id)
        assert payload["event_type"] == "wasm-a2a_message_sent"
        listener.close()


def test_who_follows_a_topic_hears_what_is_published(net: Net, alice: Agent, bob: Agent) -> None:
    body = {"channel_type": "pubsub"}
    channel = net.gateway.post(CHANNEL, alice.key, body)[1]["channel_id"]
    a2a = contract_addresses()["agent_a2a_v1"]
    client = RpcClient(net.devnet.url)
    said, heard = (Wallet(dev_key(name), client) for name in ("alice", "bob"))
    news = {"channel_id": channel, "topic": "news"}
    published = {**news, "payload": "aGk=", "priority": 90}
    said.execute(a2a, {"publish": published})
    heard.execute(a2a, {"subscribe": {**news, "filter": "priority > 50"}})
    last = net.settle()
    listener = net.gateway.listen(bob.address, bob.key)
    said.execute(a2a, {"publish": {**published, "priority": 10}})
    said.execute(a2a, {"publish": {**published, "topic": "weather"}})
    done = said.execute(a2a, {"publish": published})
    client.close()
    msg_id = done.attribute("a2a_message_published", "msg_id")
    push = listener.next()
    listener.close()
    assert (push["payload"]["event"], push["payload"]["msg_id"]) == (
        "a2a_message_published",
        msg_id,
    )
    net.settle()
    page = net.other.get(f"/agent/v1/events?after={last}", bob.key)[1]
    assert [one["payload"]["msg_id"] for one in page["events"]] == [msg_id]


def test_who_comes_back_to_another_gateway_hears_all_once(
    net: Net, alice: Agent, bob: Agent
) -> None:
    doomed = Gateway(net.folder / "doomed", net.devnet.url, net.api_keys)
    listener = doomed.listen(bob.address, bob.key)
    ids = [sent(net, alice, bob, str(number)) for number in range(3)]
    heard = listener.until(ids[-1])
    last = listener.last
    doomed.stop(signal.SIGKILL)
    ids += [sent(net, alice, bob, str(number)) for number in range(3)]
    back = net.other.listen(bob.address, bob.key, last)
    ids += [sent(net, alice, bob, str(number)) for number in range(3)]
    heard += back.until(ids[-1])
    assert heard == ids
    with pytest.raises(TimeoutError):
        back.next(0.3)
    back.close()


def test_a_client_that_changes_between_gateways_all_the_time_misses_nothing(
    net: Net, alice: Agent, bob: Agent
) -> None:
    last = net.settle()
    heard: list[str] = []
    turn = 0
    with ThreadPoolExecutor(1) as pool:
        work = pool.submit(lambda: [sent(net, alice, bob, str(number)) for number in range(15)])
        while not work.done() or heard != work.result():
            listener = Listener((net.gateway, net.other)[turn % 2].url, bob.address, bob.key, last)
            turn += 1
            try:
                for _ in range(2):
                    heard.append(listener.next(0.5)["payload"]["msg_id"])
            except TimeoutError:
                assert turn < 200, (heard, work)
            last = listener.last
            listener.close()
        assert heard == work.result()


def test_polling_goes_on_from_the_last_id(net: Net, alice: Agent, bob: Agent) -> None:
    last = net.settle()
    ids = [sent(net, alice, bob, str(number)) for number in range(3)]
    heard: list[str] = []
    for gateway in (net.gateway, net.other, net.gateway, net.other):
        page = gateway.get(f"/agent/v1/events?after={last}&limit=2", bob.key)[1]
        heard += [one["payload"]["msg_id"] for one in page["events"]]
        last = page["last_event_id"]
    assert heard == ids
    with ThreadPoolExecutor(1) as pool:
        path = f"/agent/v1/events?after={last}&wait=20"
        waiting = pool.submit(net.other.get, path, bob.key)
        msg_id = sent(net, alice, bob)
        assert waiting.result()[1]["events"][0]["payload"]["msg_id"] == msg_id


def test_a_revoked_key_ends_requests_and_pushes(net: Net) -> None:
    dave = net.create("dave", "--key", "dev:dave", "--join")
    listener = net.gateway.listen(dave.address, dave.key)
    assert net.gateway.get(INBOX, dave.key)[0] == 200
    path = net.api_keys / f"{dave.key_id}.json"
    assert dave.key.rpartition("_")[2] not in path.read_text()
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "revoked_at": 1}))
    assert net.gateway.get(INBOX, dave.key)[0] == net.other.get(INBOX, dave.key)[0] == 401
    with pytest.raises(ConnectionClosed):
        listener.next(10)


def test_bodies_and_frames_out_of_bounds_get_clear_answers(net: Net, alice: Agent) -> None:
    gateway = net.gateway
    status, answer, _ = gateway.ask("POST", SEND, alice.key, raw=b"x" * 600_000)
    assert (status, answer["error"]["code"]) == (413, "too_large")
    big = {"to": alice.address, "payload": base64.b64encode(bytes(262_145)).decode()}
    assert gateway.post(SEND, alice.key, big)[0] == 413
    for raw in (b"", b"{", b"[1]", b"\xff\xfe", b'{"to": 1}', b"[" * 100_000):
        assert gateway.ask("POST", SEND, alice.key, raw=raw)[0] == 422
    listener = gateway.listen(alice.address, alice.key)
    for _ in range(5):
        listener.socket.send("{not json")
    assert [listener.next()["code"] for _ in range(4)] == ["bad_frame"] * 4
    with pytest.raises(ConnectionClosed):
        listener.next()
    large = gateway.listen(alice.address, alice.key)
    large.socket.send("x" * 100_000)
    with pytest.raises(ConnectionClosed):
        large.next()
    assert gateway.get("/agent/v1/me", alice.key)[0] == 200


def test_a_thousand_idle_sockets_cost_little(net: Net, alice: Agent) -> None:
    before = net.gateway.memory
    host, port = net.gateway.host.split(":")
    idle = [socket.create_connection((host, int(port))) for _ in range(1_000)]
    try:
        assert net.gateway.get("/agent/v1/me", alice.key)[0] == 200
        assert net.gateway.memory - before < 100 * 1024 * 1024
    finally:
        for one in idle:
            one.close()


def test_a_client_that_does_not_subscribe_is_sent_away(net: Net, alice: Agent) -> None:
    place = f"{net.gateway.url.replace('http', 'ws')}/agent/v1/events/subscribe"
    with connect(f"{place}?a2a_address={alice.address}") as stranger:
        stranger.send('{"type": "subscribe"}')
        with pytest.raises(ConnectionClosed) as ended:
            stranger.recv(timeout=20)
        assert ended.value.rcvd is not None
        assert ended.value.rcvd.code == 1008
    with connect(f"{place}?a2a_address={alice.address}&api_key={alice.key}") as known:
        known.send('{"type": "subscribe", "topics": ["a2a_channel"]}')
        assert json.loads(known.recv(timeout=20))["topics"] == ["a2a_channel"]


def test_the_page_and_the_description_need_no_key(net: Net) -> None:
    status, document, _ = net.gateway.get("/openapi.json")
    assert (status, document["openapi"]) == (200, "3.1.0")
    with socket.create_connection(tuple(net.gateway.host.split(":"))) as raw:  # type: ignore[arg-type]
        raw.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        page = b""
        while piece := raw.recv(65_536):
            page += piece
    assert b"msgchain Agent API" in page
    assert b"https://" not in page
