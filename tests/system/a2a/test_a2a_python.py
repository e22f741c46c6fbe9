"""Unmodified ``a2a-sdk`` clients against a devnet and its gateways, over each binding."""

from __future__ import annotations

import asyncio
import signal
import uuid
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from a2a.client import A2ACardResolver, Client, ClientConfig, create_client
from a2a.client.errors import A2AClientError
from a2a.types import (
    AuthenticationInfo,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    Task,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import A2AError
from a2a.utils.signing import create_signature_verifier
from a2a_grpc import card_with_grpc, grpc_channel
from a2a_world import Callback, World
from google.protobuf.json_format import MessageToDict
from jwt import PyJWK

from chain.client.agent import MSG
from chain.client.agent_calls import register_agent
from chain.client.card import PAYMENT_EXTENSION
from chain.client.wallet import Wallet
from chain.wiring import dev_key

BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"]
#: a streaming client beside each
LIVE: dict[Client, Client] = {}
Steps = Callable[[Client], Awaitable[None]]
#: for everything that one client does; a busy machine takes long
SECONDS = 300


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = World(tmp_path_factory.mktemp("a2a"))
    yield made
    made.close()


def request(text: str, *, skill: str = "", data: Any = None, **fields: Any) -> SendMessageRequest:
    parts = [Part(text=text)] if data is None else [Part()]
    made = SendMessageRequest(
        message=Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=parts, **fields)
    )
    if data is not None:
        made.message.parts[0].data.struct_value.update(data)
    if skill:
        made.message.metadata.update({PAYMENT_EXTENSION: {"skill": skill}})
    return made


def client_run(
    url: str, steps: Steps, binding: str = "JSONRPC", *, streaming: bool = False, key: str = ""
) -> None:
    """Run steps with a client; ``key`` is an API key."""

    async def run() -> None:
        headers = {"X-API-Key": key} if key else {}
        async with httpx.AsyncClient(headers=headers, timeout=SECONDS) as http:
            card = await card_with_grpc(http, url)

            async def made(*, live: bool) -> Client:
                config = ClientConfig(
                    streaming=live,
                    supported_protocol_bindings=[binding],
                    httpx_client=http,
                    grpc_channel_factory=partial(grpc_channel, headers),
                )
                return await create_client(card, client_config=config)

            client = await made(live=streaming)
            LIVE[client] = await made(live=True)
            await steps(client)
            await LIVE.pop(client).close()
            await client.close()

    asyncio.run(asyncio.wait_for(run(), SECONDS))


async def sent(client: Client, wanted: SendMessageRequest) -> Task:
    """The task that a blocking send answers."""
    found = [event async for event in client.send_message(wanted)]
    assert len(found) == 1
    return found[0].task


def state(task: Task) -> str:
    return TaskState.Name(task.status.state).removeprefix("TASK_STATE_").lower()


def payment(task: Task) -> dict[str, Any]:
    return MessageToDict(task.metadata)[PAYMENT_EXTENSION]


@pytest.fixture(scope="module")
def bobs(world: World) -> str:
    return f"{world.url}/agents/bob"


@pytest.fixture(scope="module")
def carols_gateway(world: World) -> tuple[str, str]:
    """Another gateway where the agent ``carol`` has an API key; its address of bob, and the key."""
    keys = world.folder / "keys"
    carol = dev_key("carol")
    wallet = Wallet(carol, world.client())
    joining = register_agent(world.contracts, "carol", owner=world.owner.address)
    wallet.execute(joining.contract, joining.msg)
    token = world.api_key(keys, "carol", "carol")
    _, url = world.gateway("--api-keys", str(keys))
    return f"{url}/agents/bob", token


def test_cards_are_signed_by_the_agent_whose_key_its_document_has(world: World, bobs: str) -> None:
    async def run() -> None:
        async with httpx.AsyncClient(timeout=SECONDS) as http:
            published = (await http.get(f"{bobs}/.well-known/jwks.json")).json()["keys"]
            keys = {one["kid"]: PyJWK(one) for one in published}
            verifier = create_signature_verifier(lambda kid, jku: keys[str(kid)], ["EdDSA"])
            card = await A2ACardResolver(http, bobs).get_agent_card(signature_verifier=verifier)
            assert card.name == "Bob"
            params = MessageToDict(card.capabilities.extensions[0].params)
            assert params["pricing"]["chart"] == str(2 * MSG)
            answer = await http.get(f"{bobs}/.well-known/agent-card.json")
            tag = answer.headers["etag"]
            again = await http.get(
                f"{bobs}/.well-known/agent-card.json", headers={"if-none-match": tag}
            )
            assert again.status_code == 304
            assert answer.json()["x-lez-identity"]["account_id"] == world.bob.address
            unknown = await http.get(f"{world.url}/agents/nobody/.well-known/agent-card.json")
            assert unknown.status_code == 404

    asyncio.run(run())


@pytest.mark.parametrize("binding", BINDINGS)
def test_free_task_blocking_streaming_getting_and_listing(bobs: str, binding: str) -> None:
    async def steps(client: Client) -> None:
        wanted = request("", skill="echo", data={"n": 1, "half": 0.5, "deep": [{"x": None}]})
        task = await sent(client, wanted)
        assert state(task) == "completed"
        (artifact,) = task.artifacts
        said = MessageToDict(artifact.parts[0].data)
        assert said == {"n": 1, "half": 0.5, "deep": [{"x": None}]}
        assert task.history[0].message_id == wanted.message.message_id
        bare = await client.get_task(GetTaskRequest(id=task.id, history_length=0))
        assert not bare.history
        assert bare.artifacts == task.artifacts
        listed = await client.list_tasks(ListTasksRequest(context_id=task.context_id))
        assert [one.id for one in listed.tasks] == [task.id]
        assert not listed.tasks[0].artifacts

    async def streaming(client: Client) -> None:
        events = [one async for one in client.send_message(request("hi", skill="echo"))]
        kinds = [one.WhichOneof("payload") for one in events]
        assert kinds[0] == "task"
        assert kinds[-2:] == ["artifact_update", "status_update"]
        assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED

    client_run(bobs, steps, binding)
    client_run(bobs, streaming, binding, streaming=True)


@pytest.mark.parametrize("binding", BINDINGS)
def test_two_questions_are_asked_and_answered(bobs: str, binding: str) -> None:
    async def steps(client: Client) -> None:
        task = await sent(client, request("hungry", skill="lunch"))
        assert state(task) == "input_required"
        assert task.status.message.parts[0].text == "What?"
        with pytest.raises((A2AError, A2AClientError)):
            await sent(client, request("soup", task_id=task.id, context_id="another"))
        task = await sent(client, request("soup", task_id=task.id))
        assert task.status.message.parts[0].text == "And to drink?"
        task = await sent(client, request("tea", task_id=task.id, context_id=task.context_id))
        assert state(task) == "completed"
        assert task.artifacts[0].parts[0].text == "soup with tea"
        texts = [one.parts[0].text for one in task.history]
        assert texts == ["hungry", "What?", "soup", "And to drink?", "tea"]
        with pytest.raises((A2AError, A2AClientError)):
            await sent(client, request("more", task_id=task.id))

    client_run(bobs, steps, binding)


@pytest.mark.parametrize("binding", ["JSONRPC", "GRPC"])
def test_owner_approval_is_auth_required_and_the_stream_stays(
    world: World, bobs: str, binding: str
) -> None:
    async def steps(client: Client) -> None:
        seen = []
        async for event in client.send_message(request("go", skill="careful")):
            if event.WhichOneof("payload") == "status_update":
                seen.append(event.status_update.status.state)
                if seen[-1] == TaskState.TASK_STATE_AUTH_REQUIRED:
                    task_id = event.status_update.task_id
                    await asyncio.to_thread(world.owner.approve, task_id)
        assert seen[-3:] == [
            TaskState.TASK_STATE_AUTH_REQUIRED,
            TaskState.TASK_STATE_WORKING,
            TaskState.TASK_STATE_COMPLETED,
        ]

    client_run(bobs, steps, binding, streaming=True)


@pytest.mark.parametrize("binding", BINDINGS)
def test_unpaid_task_says_how_to_pay_and_goes_on_when_the_money_is_in_escrow(
    world: World, bobs: str, binding: str
) -> None:
    payer = Wallet(dev_key("dave"), world.client())

    async def steps(client: Client) -> None:
        task = await sent(client, request("", skill="chart", data={"bars": 3}))
        assert state(task) == "input_required"
        assert payment(task) == {
            "status": "payment-required",
            "price": str(2 * MSG),
            "denom": "amsg",
        }
        keys = MessageToDict(task.status.message.metadata)
        assert keys["x402.payment.status"] == "payment-required"
        call = MessageToDict(task.status.message.parts[1].data)
        call["msg"]["create_task"]["params"] = {
            "a2a_message": _whole(call["msg"]["create_task"]["params"]["a2a_message"])
        }
        again = await sent(client, request("and?", task_id=task.id))
        assert (again.id, state(again)) == (task.id, "input_required")
        watching = await _watching(client, task.id)
        before = world.bob.balance()
        await asyncio.to_thread(payer.execute, call["contract"], call["msg"], call["funds"])
        seen = await watching
        assert seen[-1] == "completed"
        assert "submitted" in seen
        task = await client.get_task(GetTaskRequest(id=task.id))
        assert payment(task)["status"] == "payment-released"
        assert MessageToDict(task.artifacts[0].parts[0].data) == {"chart": {"bars": 3}}
        assert world.bob.balance() > before + MSG

    client_run(bobs, steps, binding)


def _whole(value: Any) -> Any:
    """JSON numbers of protobuf as integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole(one) for key, one in value.items()}
    return [_whole(one) for one in value] if isinstance(value, list) else value


async def _watching(client: Client, task_id: str) -> asyncio.Task[list[str]]:
    """The states of a task from now on: what happens next is not missed."""
    began = asyncio.Event()
    watching = asyncio.create_task(_states(client, task_id, began))
    waiting = asyncio.create_task(began.wait())
    await asyncio.wait([watching, waiting], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    return watching


async def _states(client: Client, task_id: str, began: asyncio.Event | None = None) -> list[str]:
    seen = []
    live = LIVE.get(client, client)
    async for event in live.subscribe(SubscribeToTaskRequest(id=task_id)):
        if began is not None:
            began.set()
        if event.WhichOneof("payload") == "task":
            seen.append(state(event.task))
        elif event.WhichOneof("payload") == "status_update":
            name = TaskState.Name(event.status_update.status.state)
            seen.append(name.removeprefix("TASK_STATE_").lower())
    return seen


@pytest.mark.parametrize("binding", BINDINGS)
def test_an_api_key_pays_from_its_agent_and_every_end_without_work_refunds(
    world: World, carols_gateway: tuple[str, str], binding: str
) -> None:
    url, key = carols_gateway
    carol = Wallet(dev_key("carol"), world.client())

    async def steps(client: Client) -> None:
        task = await sent(client, request("", skill="chart", data={"bars": 1}))
        assert state(task) == "completed"
        assert payment(task)["paid"] == str(2 * MSG)
        for skill, end in (("never", "rejected"), ("broken", "failed")):
            before = carol.balance()
            task = await sent(client, request("go", skill=skill))
            assert state(task) == end
            assert payment(task)["status"] == "payment-refunded"
            assert before - carol.balance() < MSG  # fees alone
        wanted = request("go", skill="slow")
        wanted.configuration.return_immediately = True
        task = await sent(client, wanted)
        while state(task) != "working":
            await asyncio.sleep(0.1)
            task = await client.get_task(GetTaskRequest(id=task.id))
        task = await client.cancel_task(CancelTaskRequest(id=task.id))
        assert state(task) == "canceled"
        assert payment(task)["status"] == "payment-split"
        assert payment(task)["paid"] == str(MSG // 4)
        with pytest.raises((A2AError, A2AClientError)):
            await client.cancel_task(CancelTaskRequest(id=task.id))
        wanted = request("go", skill="chart")
        wanted.message.metadata.update({PAYMENT_EXTENSION: {"skill": "chart", "max_price": "1"}})
        with pytest.raises((A2AError, A2AClientError)):
            await sent(client, wanted)

    client_run(url, steps, binding, key=key)


def test_payment_above_the_policy_waits_for_the_owner(
    world: World, carols_gateway: tuple[str, str]
) -> None:
    url, key = carols_gateway
    world.owner.set_policy("carol", per_task=MSG)

    async def steps(client: Client) -> None:
        for word, end in (("approve", "completed"), ("deny", "failed")):
            task = await sent(client, request("", skill="chart", data={"bars": 1}))
            assert state(task) == "auth_required"
            waiting = await _watching(client, task.id)
            await asyncio.to_thread(getattr(world.owner, word), task.id)
            assert (await waiting)[-1] == end

    try:
        client_run(url, steps, key=key)
    finally:
        world.owner.clear_policy("carol")


@pytest.mark.parametrize("binding", BINDINGS)
def test_push_notifications_come_in_order_with_token_and_authentication(
    bobs: str, binding: str
) -> None:
    hook = Callback()

    async def steps(client: Client) -> None:
        wanted = request("hi", skill="echo")
        config = TaskPushNotificationConfig(
            url=hook.url,
            token="abc",
            authentication=AuthenticationInfo(scheme="Bearer", credentials="secret"),
        )
        wanted.configuration.CopyFrom(
            SendMessageConfiguration(task_push_notification_config=config)
        )
        task = await sent(client, wanted)
        assert await asyncio.to_thread(hook.heard, "COMPLETED"), hook.calls
        states = [
            body["statusUpdate"]["status"]["state"]
            for _, body in hook.calls
            if "statusUpdate" in body
        ]
        assert states == ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]
        heads = hook.calls[0][0]
        assert heads["x-a2a-notification-token"] == "abc"
        assert heads["authorization"] == "Bearer secret"
        found = await client.list_task_push_notification_configs(_list_request(task.id))
        assert [one.id for one in found.configs] == [task.id]

    try:
        client_run(bobs, steps, binding)
    finally:
        hook.close()


def _list_request(task_id: str) -> Any:
    from a2a.types import ListTaskPushNotificationConfigsRequest

    return ListTaskPushNotificationConfigsRequest(task_id=task_id)


def test_a_stranger_sees_nothing_of_an_agents_tasks(
    bobs: str, carols_gateway: tuple[str, str]
) -> None:
    url, key = carols_gateway
    made: list[str] = []

    async def owner(client: Client) -> None:
        made.append((await sent(client, request("private", skill="echo"))).id)

    async def stranger(client: Client) -> None:
        for ask in (
            client.get_task(GetTaskRequest(id=made[0])),
            client.cancel_task(CancelTaskRequest(id=made[0])),
            _states(client, made[0]),
        ):
            with pytest.raises((A2AError, A2AClientError), match="not found"):
                await ask

    client_run(url, owner, key=key)
    client_run(bobs, stranger)
    client_run(url, stranger)
    with httpx.Client(timeout=SECONDS) as http:
        answer = http.get(f"{url}/tasks", headers={"X-API-Key": key[:-1] + "x"})
        assert answer.status_code == 401


@pytest.mark.parametrize("binding", ["JSONRPC", pytest.param("GRPC", marks=pytest.mark.long)])
def test_a_task_of_one_gateway_is_streamed_by_another_also_when_the_first_is_killed(
    world: World, binding: str
) -> None:
    process, first = world.gateway()

    async def run() -> None:
        async with httpx.AsyncClient(timeout=SECONDS) as http:
            config = ClientConfig(
                streaming=True,
                httpx_client=http,
                supported_protocol_bindings=[binding],
                grpc_channel_factory=partial(grpc_channel, {}),
            )
            cards = [await card_with_grpc(http, f"{at}/agents/bob") for at in (first, world.url)]
            one, two = [await create_client(card, client_config=config) for card in cards]
            wanted = request("go", skill="lunch")
            wanted.configuration.return_immediately = True
            events = one.send_message(wanted)
            task_id = (await anext(events)).task.id
            watching = await _watching(two, task_id)
            async for event in events:
                if event.WhichOneof("payload") == "status_update":
                    assert event.status_update.task_id == task_id
            process.send_signal(signal.SIGKILL)
            await sent_last(two, request("soup", task_id=task_id))
            await sent_last(two, request("tea", task_id=task_id))
            seen = await watching
            assert seen[-1] == "completed"
            after = [one for one in seen if one in ("input_required", "working", "completed")]
            assert after[-4:] == ["working", "input_required", "working", "completed"]

    asyncio.run(asyncio.wait_for(run(), SECONDS))


async def sent_last(client: Client, wanted: SendMessageRequest) -> None:
    async for _ in client.send_message(wanted):
        pass


def test_calls_in_the_0_3_form(bobs: str) -> None:
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "message/send",
        "params": {
            "message": {
                "kind": "message",
                "messageId": "m1",
                "role": "user",
                "parts": [{"kind": "data", "data": {"skill": "echo", "n": 1}}],
            }
        },
    }
    with httpx.Client(timeout=SECONDS) as http:
        task = http.post(bobs, json=body).json()["result"]
        assert (task["kind"], task["status"]["state"]) == ("task", "completed")
        body |= {"method": "tasks/get", "params": {"id": task["id"]}}
        assert http.post(bobs, json=body).json()["result"]["id"] == task["id"]
        rest = http.get(f"{bobs}/v1/tasks/{task['id']}").json()
        assert rest["status"]["state"] == "TASK_STATE_COMPLETED"
