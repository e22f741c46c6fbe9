"""An App in memory with signed accounts and a scripted contract, for tests of the application itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from chain.app.application import App
from chain.app.invariants import check_all
from chain.block.types import BlockInput, BlockResult, TxResult
from chain.crypto.addresses import contract_address, validate
from chain.crypto.keys import Ed25519Key, MlDsa87Key, Secp256k1Key
from chain.errors import ContractError
from chain.std import BankMsg, Coin, Response, SubMsg, WasmMsg
from chain.store import MemoryBackend, StateStore
from chain.tx.builder import build_cosmos_direct, build_native
from chain.tx.messages import Amount, DevExecute, Msg, MsgExecuteContract
from chain.tx.messages import Coin as TxCoin
from chain.tx.value import DEV, Tx
from chain.vm.contract import Contract

CHAIN_ID = "msg-chain-1"
TIME = 1_700_000_000 * 10**9
PRICE = 10**9


@cache
def native(name: str) -> MlDsa87Key:
    """A native key by name."""
    return MlDsa87Key(name.encode().ljust(32, b"."))


@cache
def wallet(name: str) -> Secp256k1Key:
    """A wallet key by name."""
    return Secp256k1Key(name.encode().ljust(32, b"."))


VALIDATORS = [Ed25519Key(bytes([n]) * 32) for n in (1, 2)]


def coins(text: str) -> tuple[TxCoin, ...]:
    """``5umsg,2earth`` as coins of a transaction."""
    made = []
    for part in filter(None, text.split(",")):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        made.append(TxCoin(part[len(digits) :], Amount(int(digits))))
    return tuple(made)


def _instantiate(deps, env, info, msg):
    deps.storage.set(b"made", b"1")
    return Response()


def _execute(deps, env, info, msg):
    """``set`` writes, ``fail`` refuses, ``crash`` is a bug, ``loop`` spins, ``call`` dispatches."""
    response = Response()
    for key, value in msg.get("set", {}).items():
        deps.storage.set(key.encode(), value.encode())
    if "fail" in msg:
        raise ContractError(msg["fail"])
    if "crash" in msg:
        raise KeyError(msg["crash"])
    while "loop" in msg:
        deps.storage.get(b"spin")
    for key, value in msg.get("attr", {}).items():
        response.add_attribute(key, value)
    for entry in msg.get("call", []):
        inner = WasmMsg.Execute(entry["to"], entry["msg"])
        response.add_submessage(SubMsg(inner, 1, entry.get("on", "never"), entry.get("gas")))
    if "new" in msg:
        response.add_message(WasmMsg.Instantiate(msg["new"], {}, "child"))
    if "burn" in msg:
        response.add_message(BankMsg.Burn([Coin("amsg", msg["burn"])]))
    return response.set_data(b"done")


def _query(deps, env, msg):
    return {"value": (deps.storage.get(msg.get("key", "made").encode()) or b"").decode()}


def _sudo(deps, env, msg):
    mode = (deps.storage.get(b"sudo") or b"").decode()
    if mode == "fail":
        raise ContractError("not now")
    if mode == "write":
        deps.storage.set(b"height", str(env.block.height).encode())
    return Response()


def _reply(deps, env, reply):
    deps.storage.set(b"replied", (reply.result.error or "ok").encode())
    return Response()


SCRIPT = Contract(
    name="script",
    version="1",
    instantiate=_instantiate,
    execute=_execute,
    query=_query,
    sudo=_sudo,
    reply=_reply,
    migrate=lambda deps, env, msg: Response(),
)
LINE = f"msgchain:script@{SCRIPT.checksum.hex()}"


class Codes:
    """Knows the script contract."""

    def resolve(self, source: str) -> Contract | None:
        """The script for its line."""
        return SCRIPT if source.startswith("msgchain:script@") else None


class World:
    """A chain with named accounts, one code (1) and one contract (``self.contract``)."""

    def __init__(
        self, *, state: dict[str, object] | None = None, store: StateStore | None = None, **params
    ):
        self.app = App(store or StateStore(MemoryBackend()), Codes())
        self.alice, self.bob, self.gov = native("alice"), native("bob"), native("gov")
        self.wallet = wallet("w")
        self.contract = contract_address(1, 1)
        self.time = TIME
        accounts = [
            {"address": key.pubkey.address(), "coins": [{"denom": "msg", "amount": "1000"}]}
            for key in (self.alice, self.bob, self.gov, self.wallet)
        ]
        sender = self.gov.address
        self.state = {
            "devnet": True,
            "treasury": native("treasury").address,
            "accounts": accounts,
            "validators": [
                {
                    "pub_key": {"type": "ed25519", "value": VALIDATORS[0].pubkey.key.hex()},
                    "payout": native("payout").address,
                    "power": 2,
                },
                {"pub_key": {"type": "ed25519", "value": VALIDATORS[1].pubkey.key.hex()}},
            ],
            "params": {"authority": sender, **params},
            "messages": [
                {"store": {"source": LINE, "sender": sender}},
                {
                    "instantiate": {
                        "code_id": 1,
                        "sender": sender,
                        "label": "s",
                        "msg": {},
                        "admin": sender,
                    }
                },
            ],
            **(state or {}),
        }
        self.genesis = self.app.init_chain(TIME, CHAIN_ID, None, (), self.state)

    def block(self, *txs: bytes, proposer: int = 0, misbehavior=()) -> BlockResult:
        """Finalize and commit a block; invariants are checked."""
        result = self.finalize(*txs, proposer=proposer, misbehavior=misbehavior)
        self.app.commit()
        check_all(self.app.store.view, validate(self.app.execution.bank.collector))
        return result

    def finalize(self, *txs: bytes, proposer: int = 0, misbehavior=()) -> BlockResult:
        """Finalize the next block without commit."""
        height = self.app.height + 1
        return self.app.finalize_block(
            BlockInput(
                height,
                self.time + height * 10**9,
                VALIDATORS[proposer].validator_address,
                txs,
                (),
                tuple(misbehavior),
            )
        )

    def account(self, key) -> tuple[int, int]:
        """Number and sequence."""
        found = self.app.queries.account(key.pubkey.address())
        assert found is not None
        return found[0].number, found[0].sequence

    def native_tx(self, messages: Sequence[Msg], *keys, skip: int = 0, **options) -> bytes:
        """A native transaction with the right numbers; ``skip`` moves the sequences."""
        found = [self.account(key) for key in keys]
        gas = options.pop("gas_limit", 1_000_000)
        fee = options.pop("fee", coins(f"{gas * PRICE}amsg"))
        return build_native(
            messages,
            keys,
            chain_id=options.pop("chain_id", CHAIN_ID),
            account_numbers=options.pop("numbers", [number for number, _ in found]),
            sequences=[sequence + skip for _, sequence in found],
            gas_limit=gas,
            fee=fee,
            **options,
        )

    def cosmos_tx(self, messages: Sequence[Msg], key, **options) -> bytes:
        """A Cosmos transaction in direct mode."""
        number, sequence = self.account(key)
        gas = options.pop("gas_limit", 1_000_000)
        return build_cosmos_direct(
            messages,
            [key],
            chain_id=options.pop("chain_id", CHAIN_ID),
            account_numbers=[number],
            sequences=[sequence],
            gas_limit=gas,
            fee=options.pop("fee", coins(f"{gas // 1000}umsg")),
            **options,
        )

    def open(self) -> None:
        """Open the next block."""
        height = self.app.height + 1
        self.app.open_block(
            BlockInput(height, self.time + height * 10**9, VALIDATORS[0].validator_address)
        )

    def dev(self, *messages: Msg, gas_limit: int = 0) -> TxResult:
        """Deliver developer messages in the open block; user messages are impersonated."""
        wrapped = [
            m if m.TYPE_URL.startswith("/msgchain.dev") else DevExecute((m,)) for m in messages
        ]
        return self.app.deliver_tx(
            Tx(DEV, tuple(wrapped), (), gas_limit, (), "", "", 0, CHAIN_ID, b"", b"")
        )

    def call(
        self, msg: bytes, sender: str | None = None, gas_limit: int = 0, funds: str = ""
    ) -> TxResult:
        """Call the script contract in the open block."""
        message = MsgExecuteContract(sender or self.alice.address, self.contract, msg, coins(funds))
        return self.dev(message, gas_limit=gas_limit)


def kinds(result: TxResult) -> list[str]:
    """Event types in order."""
    return [event.type for event in result.events]
