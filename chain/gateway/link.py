"""A node's RPC for one event loop: many requests at once over a few WebSockets."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from chain.client.jsonrpc import RpcFailed, Unreachable
from chain.client.rpc_queries import gas_price_of, simulated_of
from chain.client.rpc_socket import socket_url
from chain.client.transport import AccountInfo, ChainError, QueryRefused, Simulated
from chain.protowire import bytes_field, text_field
from chain.tx.proto import message

_MESSAGE_MAX: Final = 128 * 1024 * 1024
#: bytes of a request; a node ends the connection, with all that waits on it, at a larger one
REQUEST_MAX: Final = 1_000_000
_TOO_LARGE: Final = ("sdk", 21)
_CALL_SECONDS: Final = 30.0
_CONNECT_SECONDS: Final = 5.0
_SOCKETS: Final = 4
_NOT_FOUND: Final = 22
_SMART: Final = "/cosmwasm.wasm.v1.Query/SmartContractState"
_ACCOUNT: Final = "/cosmos.auth.v1beta1.Query/AccountInfo"
_CONFIG: Final = "/cosmos.base.node.v1beta1.Service/Config"
_RAW: Final = "/cosmwasm.wasm.v1.Query/RawContractState"
_SIMULATE: Final = "/cosmos.tx.v1beta1.Service/Simulate"
_BROKEN: Final = (OSError, InvalidHandshake, WebSocketException, TimeoutError)


class Subscribed(msgspec.Struct, frozen=True):
    """Something that the node pushed."""

    kind: str
    value: dict[str, Any]


class _Pipe:
    """One connection; answers find their requests by number."""

    def __init__(self, socket: ClientConnection, url: str) -> None:
        self._socket = socket
        self._url = url
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0
        self._reader = asyncio.create_task(self._read())
        self.alive = True

    @property
    def load(self) -> int:
        """How many requests wait."""
        return len(self._waiting)

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The result of a method. Raises: RpcFailed, Unreachable, ChainError for a request that
        is too large for a node."""
        self._number = number = self._number + 1
        body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if len(body) > REQUEST_MAX:
            text = f"too large: a request to the node has at most {REQUEST_MAX} bytes"
            raise ChainError(*_TOO_LARGE, f"{text}, and this one {len(body)}")
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            async with asyncio.timeout(_CALL_SECONDS):
                await self._socket.send(body)
                answer = await future
        except _BROKEN as error:
            raise Unreachable(f"{self._url}: {error or 'no answer in time'}") from None
        finally:
            self._waiting.pop(number, None)
            if future.done() and not future.cancelled():
                future.exception()  # seen, also where the sending failed before
        return _result(answer)

    async def _read(self) -> None:
        reason = "the node ended the connection"
        try:
            async for raw in self._socket:
                answer = msgspec.json.decode(raw)
                future = self._waiting.get(answer.get("id"))
                if future is not None and not future.done():
                    future.set_result(answer)
        except (*_BROKEN, msgspec.MsgspecError) as error:
            reason = str(error)
        finally:
            self.alive = False
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(Unreachable(f"{self._url}: {reason}"))

    async def close(self) -> None:
        """End the connection."""
        self.alive = False
        self._reader.cancel()
        with contextlib.suppress(*_BROKEN):
            await self._socket.close()
        await asyncio.gather(self._reader, return_exceptions=True)


def _result(answer: dict[str, Any]) -> Any:
    failed = answer.get("error")
    if failed is not None:
        raise RpcFailed(
            int(failed.get("code", 0)), str(failed.get("message", "")), str(failed.get("data", ""))
        )
    return answer["result"]


class Link:
    """One node. Raises of all methods: Unreachable, and RpcFailed where nothing else is said."""

    def __init__(self, url: str, sockets: int = _SOCKETS) -> None:
        self.url = url
        self._pipes: list[_Pipe | None] = [None] * sockets
        self._making = [asyncio.Lock() for _ in range(sockets)]
        self._chain_id = ""
        self._gas_price = -1

    async def close(self) -> None:
        """End all connections."""
        for pipe in self._pipes:
            if pipe is not None:
                await pipe.close()

    async def call(self, method: str, /, **params: Any) -> Any:
        """The result of a method."""
        return await (await self._pipe()).ask(method, params)

    async def _pipe(self) -> _Pipe:
        """The connection with the least to do, made where there is none."""
        best, least = 0, -1
        for index, pipe in enumerate(self._pipes):
            load = pipe.load if pipe is not None and pipe.alive else 0
            if least < 0 or load < least:
                best, least = index, load
        async with self._making[best]:
            found = self._pipes[best]
            if found is None or not found.alive:
                found = self._pipes[best] = _Pipe(await self._connected(), self.url)
        return found

    async def _connected(self) -> ClientConnection:
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                return await connect(socket_url(self.url), max_size=_MESSAGE_MAX, compression=None)
        except _BROKEN as error:
            raise Unreachable(f"{self.url}: {error or 'no answer in time'}") from None

    async def subscribe(self, query: str) -> AsyncIterator[Subscribed | None]:
        """None when the subscription stands, then what it finds, until the connection ends."""
        socket = await self._connected()
        request = {"jsonrpc": "2.0", "id": 1, "method": "subscribe", "params": {"query": query}}
        try:
            await socket.send(json.dumps(request))
            async for raw in socket:
                data = _result(msgspec.json.decode(raw)).get("data")
                if data is None:
                    yield None
                else:
                    yield Subscribed(str(data["type"]).rpartition("/")[2], data["value"])
        except _BROKEN as error:
            raise Unreachable(f"{self.url}: {error}") from None
        finally:
            with contextlib.suppress(*_BROKEN):
                await socket.close()

    async def chain_id(self) -> str:
        """The chain's id, asked once."""
        if not self._chain_id:
            self._chain_id = str((await self.call("status"))["node_info"]["network"])
        return self._chain_id

    async def gas_price(self, *, again: bool = False) -> int:
        """What one gas costs in amsg, asked once, or ``again``."""
        if again or self._gas_price < 0:
            self._gas_price = gas_price_of(await self.abci(_CONFIG, b""))
        return self._gas_price

    # --- questions ------------------------------------------------------------------------------

    async def abci(self, path: str, data: bytes, height: int = 0) -> bytes:
        """The value that an ABCI query answers. Raises: QueryRefused."""
        answer = await self.call(
            "abci_query", path=path, data=data.hex(), height=str(height), prove=False
        )
        found = answer["response"]
        if found["code"]:
            raise QueryRefused(str(found["codespace"]), int(found["code"]), str(found["log"]))
        return base64.b64decode(found["value"] or "")

    async def smart(self, contract: str, query: bytes, height: int = 0) -> bytes:
        """A contract's answer, as its JSON. Raises: QueryRefused."""
        asked = text_field(1, contract) + bytes_field(2, query)
        value = await self.abci(_SMART, asked, height)
        response = message("cosmwasm.wasm.v1.QuerySmartContractStateResponse").FromString(value)
        return bytes(response.data)

    async def raw(self, contract: str, key: bytes) -> bytes:
        """A raw value of a contract's storage, empty for none. Raises: QueryRefused."""
        value = await self.abci(_RAW, text_field(1, contract) + bytes_field(2, key))
        found = message("cosmwasm.wasm.v1.QueryRawContractStateResponse").FromString(value)
        return bytes(found.data)

    async def account(self, address: str) -> AccountInfo | None:
        """Number and sequence of an account, None when there is none. Raises: QueryRefused."""
        try:
            value = await self.abci(_ACCOUNT, text_field(1, address))
        except QueryRefused as error:
            if error.code == _NOT_FOUND:
                return None
            raise
        found = message("cosmos.auth.v1beta1.QueryAccountInfoResponse").FromString(value).info
        has_key = bool(found.pub_key.type_url)
        return AccountInfo(found.address, int(found.account_number), int(found.sequence), has_key)

    async def simulate(self, raw: bytes) -> Simulated:
        """What a transaction would do now; its signatures are not looked at."""
        try:
            value = await self.abci(_SIMULATE, bytes_field(2, raw))
        except QueryRefused as error:
            return simulated_of(error)
        found = message("cosmos.tx.v1beta1.SimulateResponse").FromString(value)
        return Simulated(0, "", "", int(found.gas_info.gas_used))
