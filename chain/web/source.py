"""The node behind the page: reading and acting in threads, and the news of each block."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, ParamSpec, TypeVar

import msgspec
from nicegui import Event

from chain.app import devnet
from chain.client import rpc_queries as queries
from chain.client.agent import Agent
from chain.client.agent_actor import Actor
from chain.client.agent_calls import Contracts
from chain.client.card import CardError
from chain.client.control import Control, NotADevnet
from chain.client.envelope import EnvelopeError
from chain.client.rpc import RpcClient, RpcFailed, Unreachable
from chain.client.transport import ChainError, QueryRefused, TimedOut
from chain.client.wallet import Wallet
from chain.crypto.keys import MlDsa87Key, PrivateKey
from chain.crypto.mlkem import DecapsulationKey
from chain.crypto.root import RootSecret

LOG: Final = logging.getLogger("msgchain.web")
P = ParamSpec("P")
T = TypeVar("T")
_THREADS: Final = 32
_AGAIN_SECONDS: Final = 0.5
_WASM: Final = "cosmwasm.wasm.v1."
#: codes among which the page looks for the contracts it knows
_CODES: Final = 100
_WALLET: Final = "wallet"
#: what reading or acting may come to without being our fault
FAILURES: Final = (
    ChainError, RpcFailed, Unreachable, NotADevnet, TimedOut, LookupError, ValueError, CardError,
    EnvelopeError,
)  # fmt: skip


class Account(msgspec.Struct, frozen=True):
    """A development account whose key the page has."""

    name: str
    address: str

    @property
    def native(self) -> bool:
        """Whether it can be an agent: those sign with ML-DSA-87."""
        return not self.name.startswith(_WALLET)


class DevRoot(RootSecret):
    """The root of a development account, whose signing key the genesis names."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        super().__init__(devnet.dev_secret(f"account/{name}"))
        self._name = name

    def signing_key(self) -> MlDsa87Key:
        """The account's key."""
        return devnet.dev_key(self._name)


class Source:
    """One node for all windows. Methods that read block; ``run`` them in a thread."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.blocks: Event[int] = Event()
        self.height = 0
        self._local = threading.local()
        self._pool = ThreadPoolExecutor(_THREADS, "web")
        self._lock = threading.Lock()
        self._clients: list[RpcClient] = []
        self._acting: dict[str, threading.Lock] = {}
        self._opening: dict[str, DecapsulationKey] = {}
        self._accounts: tuple[Account, ...] | None = None
        self._contracts: dict[str, str] | None = None
        self.forgotten: list[Callable[[], None]] = [self._forget]

    # --- threads --------------------------------------------------------------------------------

    async def run(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of a call that blocks."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: call(*args, **kwargs))

    @property
    def client(self) -> RpcClient:
        """This thread's connection."""
        found: RpcClient | None = getattr(self._local, "client", None)
        if found is None:
            found = self._local.client = RpcClient(self.url)
            with self._lock:
                self._clients.append(found)
        return found

    def close(self) -> None:
        """End the connections, for programs that go on after it."""
        self._pool.shutdown()
        for client in self._clients:
            client.close()

    @property
    def control(self) -> Control:
        """The controls of the node, where it is a devnet."""
        return Control(self.client.http)

    def follow(self, loop: asyncio.AbstractEventLoop) -> None:
        """Tell the windows of each block, from a thread of its own, for as long as the process
        lives."""
        threading.Thread(target=self._follow, args=(loop,), name="blocks", daemon=True).start()

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        client = RpcClient(self.url)
        while True:
            try:
                for _ in _news(client):
                    self._arrived(client.height(), loop)
            except (Unreachable, RpcFailed) as error:
                LOG.info("no news: %s", error)
            time.sleep(_AGAIN_SECONDS)

    def _arrived(self, height: int, loop: asyncio.AbstractEventLoop) -> None:
        if height < self.height:  # the chain went back, or is another one
            for forget in self.forgotten:
                forget()
        self.height = height
        if not loop.is_closed():
            loop.call_soon_threadsafe(self.blocks.emit, height)

    def _forget(self) -> None:
        with self._lock:
            self._accounts = self._contracts = None

    # --- who and where --------------------------------------------------------------------------

    def accounts(self) -> tuple[Account, ...]:
        """The development accounts; none where the node is no devnet."""
        found = self._accounts
        if found is None:
            try:
                listed = self.control.accounts()
            except (NotADevnet, RpcFailed):
                listed = []
            found = tuple(
                Account(entry["name"], entry["address"])
                for entry in listed
                if _is_ours(entry["name"], entry["address"])
            )
            self._accounts = found
        return found

    def contracts(self) -> dict[str, str]:
        """The first instance of each code by the code's name."""
        found = self._contracts
        if found is None:
            client = self.client
            found = {}
            page = {"limit": _CODES}
            for code in queries.query(client.abci, _WASM, "Codes", pagination=page).code_infos:
                name = code_name(client.code(code.code_id).source)
                first = _first_of(client, code.code_id)
                if name and first:
                    found[name] = first
            self._contracts = found
        return found

    def addresses(self) -> Contracts:
        """Where the agents' contracts are. Raises: LookupError."""
        try:
            return Contracts.from_names(self.contracts())
        except KeyError as error:
            raise LookupError(f"this chain has no contract {error.args[0]}") from None

    def names(self) -> dict[str, str]:
        """Names by address: accounts, then contracts."""
        found = {account.address: account.name for account in self.accounts()}
        found.update({address: name for name, address in self.contracts().items()})
        return found

    def account(self, name: str) -> Account | None:
        """A development account by name."""
        return next((one for one in self.accounts() if one.name == name), None)

    # --- asking and acting ----------------------------------------------------------------------

    def ask(self, contract: str, variant: str, /, **fields: Any) -> Any:
        """A contract's answer; fields of None are left out. Raises: QueryRefused."""
        body = {name: value for name, value in fields.items() if value is not None}
        return self.client.smart(contract, {variant: body})

    def actor(self, account: Account) -> Actor:
        """The account with its key, and no more memory than one step needs."""
        return Actor(Wallet(_key(account.name), self.client), self.addresses())

    def agent(self, account: Account, agent_id: str = "") -> Agent:
        """A native account as an agent: as the one it is registered as, if no id is given."""
        addresses = self.addresses()
        if not agent_id:
            asked = self.ask(addresses.registry, "get_agent_by_address", address=account.address)
            agent_id = asked["agent"]["agent_id"] if asked["agent"] else account.name
        return Agent(DevRoot(account.name), self.client, addresses, agent_id)

    def key_of(self, account: Account) -> DecapsulationKey:
        """The key that opens what was sealed for a native account."""
        with self._lock:
            found = self._opening.get(account.name)
            if found is None:
                found = self._opening[account.name] = DevRoot(account.name).encryption_key()
        return found

    def requester(self, account: Account) -> Agent:
        """The account as one that asks agents for tasks; any account may."""
        agent = Agent(bytes(32), self.client, self.addresses(), account.name)
        agent.wallet = Wallet(_key(account.name), self.client)
        agent.address = account.address
        return agent

    def act(self, account: Account, step: Callable[[], T]) -> T:
        """A step of an account; its steps run one after the other, because its sequence does."""
        with self._lock:
            lock = self._acting.setdefault(account.address, threading.Lock())
        with lock:
            return step()


def _news(client: RpcClient) -> Iterable[Any]:
    """Something now, and then with each block."""
    yield None
    yield from client.subscribe("tm.event = 'NewBlock'")


def code_name(source: str) -> str:
    """The name in a source line ``msgchain:<name>@<sha256>``."""
    return source.removeprefix("msgchain:").partition("@")[0] if ":" in source else ""


def _first_of(client: RpcClient, code_id: int) -> str:
    page = {"limit": 1}
    try:
        found = queries.query(
            client.abci, _WASM, "ContractsByCode", code_id=code_id, pagination=page
        )
    except QueryRefused:
        return ""
    return found.contracts[0] if found.contracts else ""


def _key(name: str) -> PrivateKey:
    if name in devnet.ACCOUNTS:
        return devnet.dev_key(name)
    return devnet.dev_wallet(int(name.removeprefix(_WALLET)))


def _is_ours(name: str, address: str) -> bool:
    number = name.removeprefix(_WALLET)
    numbered = name.startswith(_WALLET) and number.isascii() and number.isdigit()
    if name not in devnet.ACCOUNTS and not (numbered and len(number) < 4):
        return False
    return _key(name).pubkey.address() == address
