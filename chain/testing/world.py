"""The set of a state machine: a chain, a cast of actors, the contract under attack and the others.

It is built once for a machine; every run goes back to the snapshot that was taken then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from chain.std import Message
from chain.testing.chain import Chain
from chain.testing.choices import Choices
from chain.testing.codes import ContractLike
from chain.testing.coins import CoinsLike, parse_coins
from chain.testing.derive import Deriver
from chain.testing.hostile import RECEIVER_MESSAGES, hostile_receiver
from chain.testing.leaves import Surroundings
from chain.vm.contract import Contract, MessageTypes
from chain.vm.sandbox.loader import load_folder

NAMES: Final = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi")
#: A denomination that every actor holds and no contract is made for.
STRAY: Final = "stray"
STRAY_AMOUNT: Final = 1_000_000
TOKENS_EACH: Final = 1_000_000
#: Names and symbols of contracts that were given no message.
_TEXT: Final = "Example"
#: A valid address that nobody of the cast has, and text that is none.
STRANGER: Final = "stranger"
NO_ADDRESS: Final = "not an address"


@dataclass(frozen=True, slots=True)
class Other:
    """Another contract on the chain of a machine, where its name or folder is not enough.

    ``instantiate``: its message, or a function of the ``World``; None makes one up.
    ``attack``: whether its messages become rules too.

    >>> from chain.testing.examples import counter
    >>> Other(counter, {"start": 1}, name="beside", attack=False).name
    'beside'
    """

    contract: ContractLike
    instantiate: Any = None
    name: str = ""
    funds: CoinsLike = ""
    attack: bool = True
    execute_msg: tuple[type[Message], ...] | None = None


@dataclass(frozen=True, slots=True)
class Installed:
    """A contract that stands on the chain."""

    name: str
    address: str
    contract: Contract
    execute_msg: MessageTypes


class World:
    """The chain with everybody on it.

    ``actors``: addresses by name. ``contracts``: addresses by name. ``address``: the contract under
    attack, empty until it stands.

    >>> world = World({"alice": "5msg"})
    >>> world.chain.balance(world.actors["alice"], "msg")
    5
    """

    def __init__(self, cast: Mapping[str, CoinsLike], chain: Chain | None = None) -> None:
        self.chain = chain or Chain()
        self.actors: dict[str, str] = {}
        self.contracts: dict[str, str] = {}
        self.installed: list[Installed] = []
        self.address = ""
        for name, coins in cast.items():
            address = self.chain.account(name, coins)
            self.chain.fund(address, [{"denom": STRAY, "amount": STRAY_AMOUNT}])
            self.actors[name] = address

    @property
    def first(self) -> str:
        """The first actor, who instantiates the contracts.

        >>> world = World({"alice": "5msg", "bob": ""})
        >>> world.first == world.actors["alice"]
        True
        """
        return next(iter(self.actors.values()))

    def install(self, other: Other) -> Installed:
        """Store and instantiate a contract. Raises: TxFailed.

        >>> from chain.testing.examples import counter
        >>> world = World({"alice": "5msg"})
        >>> world.install(Other(counter, {"start": 1})).name
        'counter'
        """
        contract = load_contract(other.contract)
        name = other.name or contract.name
        while name in self.contracts:
            name += "_"
        code = self.chain.store_code(contract)
        self.chain._engine.codes.place(contract, other.contract)
        message = self.message(contract, other.instantiate)
        address = self.chain.instantiate(
            code, message, sender=self.first, label=name, funds=other.funds, admin=self.first
        )
        self.contracts[name] = address
        made = Installed(name, address, contract, messages_of(contract, other.execute_msg))
        self.installed.append(made)
        return made

    def message(self, contract: Contract, given: Any) -> Any:
        """The instantiate message: as given, of a function, or made up from its type.

        >>> from chain.testing.examples import counter
        >>> World({"alice": "5msg"}).message(counter, lambda world: {"start": len(world.actors)})
        {'start': 1}
        """
        if callable(given):
            return given(self)
        if given is not None:
            return given
        kind = contract.instantiate_msg
        if not isinstance(kind, type):
            return {}
        return self._made_up(kind)

    def _made_up(self, kind: type) -> dict[str, Any]:
        """Required fields only; lists of (address, amount) give everybody something."""
        here = Surroundings()
        here.addresses = [self.first]
        here.height, here.time = self.chain.height, self.chain.time
        made: dict[str, Any] = {}
        for field in msgspec.structs.fields(kind):
            if not field.required:
                continue
            shares = _shares(field.type, list(self.actors.values()))
            plain = Deriver().value(field.type, field.name)(Choices(b""), here)
            made[field.encode_name] = shares or (_TEXT if plain in ("x", "a") else plain)
        return made


def _shares(kind: Any, actors: Sequence[str]) -> list[dict[str, str]]:
    """First balances, where a list of structs asks for an address and an amount."""
    args = getattr(kind, "__args__", ())
    inner = args[0] if args else None
    if not (isinstance(inner, type) and issubclass(inner, msgspec.Struct)):
        return []
    if set(inner.__struct_fields__) != {"address", "amount"}:
        return []
    return [{"address": actor, "amount": str(TOKENS_EACH)} for actor in actors]


def load_contract(contract: ContractLike) -> Contract:
    """A contract value of whatever ``store_code`` takes.

    >>> load_contract("token_v1").name
    'token_v1'
    """
    return contract if isinstance(contract, Contract) else load_folder(contract)


def messages_of(contract: Contract, given: MessageTypes = None) -> MessageTypes:
    """The types that a contract's execute messages are made from.

    >>> [cls.variant for cls in messages_of(hostile_receiver)]
    ['arm', 'break', 'poke']
    """
    if given is not None:
        return given
    return RECEIVER_MESSAGES if contract is hostile_receiver else contract.execute_msg


def as_other(entry: Any) -> Other:
    """An entry of ``with_contracts``: a contract, (contract, instantiate), or an ``Other``.

    >>> as_other(("token_v1", {"name": "T"})).instantiate
    {'name': 'T'}
    """
    if isinstance(entry, Other):
        return entry
    if isinstance(entry, tuple):
        return Other(*entry)
    if isinstance(entry, Contract | str | Path | ModuleType):
        return Other(entry)
    raise TypeError(f"with_contracts takes contracts, not {type(entry).__name__}")


def cast_of(
    actors: int | Sequence[str] | Mapping[str, CoinsLike], funds: CoinsLike
) -> dict[str, CoinsLike]:
    """Names and coins of the actors: a number, names, or names with coins.

    >>> cast_of(2, "5msg"), cast_of(["admin"], "1msg")
    ({'alice': '5msg', 'bob': '5msg'}, {'admin': '1msg'})
    """
    if isinstance(actors, int):
        if actors < 1:
            raise ValueError("a machine needs an actor")
        names: Sequence[str] = [
            NAMES[index] if index < len(NAMES) else f"actor{index}" for index in range(actors)
        ]
        return dict.fromkeys(names, funds)
    if isinstance(actors, Mapping):
        return dict(actors)
    return dict.fromkeys(actors, funds)


def denominations(cast: Mapping[str, CoinsLike]) -> tuple[str, ...]:
    """What the cast holds, the chain's own coin first, the stray one last."""
    found = ["amsg"]
    for coins in cast.values():
        for coin in parse_coins(coins):
            if coin.denom not in {*found, "msg", "umsg"}:
                found.append(coin.denom)
    return (*found, STRAY)


Setup = Callable[[World], None]
