"""The blueprint of a state machine: which contracts stand, and a plan for each message."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from chain.std import Message, encode
from chain.std.numbers import base64_encode
from chain.testing.attached import ANY_FUNDS, NO_FUNDS, SOME_FUNDS
from chain.testing.choices import Choices
from chain.testing.codes import ContractLike
from chain.testing.coins import CoinsLike
from chain.testing.derive import CALLS, CREATES, Deriver, names_something, width
from chain.testing.engine import account_address
from chain.testing.leaves import CONTRACT_WORDS, Maker, Surroundings
from chain.testing.refusals import about_funds
from chain.testing.report import error_kind, error_patterns, error_text
from chain.testing.results import contract_data
from chain.testing.vocabulary import untyped
from chain.testing.world import (
    NO_ADDRESS,
    STRANGER,
    Other,
    Setup,
    World,
    as_other,
    cast_of,
    denominations,
    load_contract,
    messages_of,
)
from chain.vm.contract import Contract, MessageTypes

TIME: Final = "time_passes"
#: choices for sender and funds, and at most for a whole message
_HEAD: Final = 7
_SIZE_MAX: Final = 72
_UNTYPED_SIZE: Final = 24
#: of 256: below, one more thing begins, after none, one, several
_BEGIN_BELOW: Final = (256, 128, 64)
_EXPECTED: Final = re.compile(r"`([a-z0-9_]+)`")


class Plan(NamedTuple):
    """How one message of one contract is made."""

    rule: str
    contract: str
    variant: str
    make: Maker
    size: int
    weight: int
    draws: bool
    senders: list[str]
    #: whether it names something that an earlier message must have begun
    wants: bool = False
    #: whether it begins something that later messages may name
    opens: bool = False


class Trap(NamedTuple):
    """A message that makes a contract call another one at its next chance."""

    contract: str
    variant: str
    target_field: str
    call_field: str

    def message(self, target: str, call: Any) -> Any:
        """The message, for a call of ``target``."""
        inner = base64_encode(encode(call))
        return {self.variant: {self.target_field: target, self.call_field: inner}}


class Blueprint:
    """All that ``contract_machine`` was given, with the plans made from it."""

    def __init__(
        self,
        contract: ContractLike,
        *,
        instantiate: Any,
        actors: int | Sequence[str] | Mapping[str, CoinsLike],
        funds: CoinsLike,
        code_types: Any,
        others: Sequence[Any],
        overrides: Mapping[Any, Any],
        roles: Mapping[str, Sequence[str]],
        weights: Mapping[str, int],
        setup: Setup | None,
        name: str | None,
    ) -> None:
        self.cast = cast_of(actors, funds)
        self.roles = roles
        self.weights = weights
        self.setup = setup
        self.others = [as_other(entry) for entry in others]
        kinds = _types(code_types)
        self.main = Other(contract, instantiate, execute_msg=kinds.get("execute"))
        value = load_contract(contract)
        self.name = name or value.name
        self.denoms = denominations(self.cast)
        self._overrides = overrides
        #: names of messages whose weight is zero
        self._left_out: set[str] = set()
        self._contracts: dict[str, Contract] = {}
        for other in self.others:
            label = other.name or load_contract(other.contract).name
            while label in self._contracts:
                label += "_"
            self._contracts[label] = load_contract(other.contract)
        self.main_name = value.name
        while self.main_name in self._contracts:
            self.main_name += "_"
        self._contracts[self.main_name] = value
        #: what each rule's message thinks of coins, as probed
        self.likings: dict[str, int] = {}
        self.given_hooks = "hook" in kinds
        self.hooks = self._hooks(value, kinds)
        self.plans = self._plans(value)
        if any(plan.draws for plan in self.plans if plan.opens or plan.wants):
            # one may stand in for the other
            self.plans = [
                plan._replace(draws=plan.draws or plan.opens or plan.wants) for plan in self.plans
            ]
        self._own = [plan for plan in self.plans if plan.contract == self.main_name]
        #: what may be sent where nothing has begun that other messages could name
        self.openings = [plan for plan in self._own if plan.opens]
        self._wanting = [plan for plan in self._own if plan.wants for _ in range(plan.weight)]
        self.traps = self._traps()
        self.time_weight = weights.get(TIME, max(2, len(self.plans) // 6))
        self._check_names()

    def _hooks(self, value: Contract, kinds: Mapping[str, Any]) -> list[tuple[Maker, str]]:
        """Makers of what a ``msg`` field carries for the contract under attack."""
        types = kinds.get("hook") or self.main.execute_msg or value.execute_msg
        made = []
        for cls in classes(types):
            deriver = Deriver(self._overrides)
            if "msg" not in cls.__struct_fields__:
                maker = deriver.message(cls)
                if not deriver.draws:
                    made.append((maker, cls.variant))
        return made

    def _plans(self, value: Contract) -> list[Plan]:
        plans = self._of(self.main_name, value, self.main.execute_msg, "")
        for label, other in zip(self._contracts, self.others, strict=False):
            if other.attack:
                contract = self._contracts[label]
                plans += self._of(label, contract, other.execute_msg, f"{label}_")
        return plans

    def _of(self, label: str, contract: Contract, given: MessageTypes, prefix: str) -> list[Plan]:
        types = messages_of(contract, given)
        if types is None:
            return self._untyped(label, contract, prefix)
        plans = []
        for cls in types if isinstance(types, tuple) else (types,):
            deriver = Deriver(self._overrides)
            alone = not isinstance(types, tuple)
            maker = deriver.plain(cls) if alone else deriver.message(cls)
            variant = cls.variant if issubclass(cls, Message) else "execute"
            size = min(_HEAD + width(cls), _SIZE_MAX)
            made = self._plan(prefix, label, variant, maker, size, draws=deriver.draws)
            opens = CREATES.match(variant) is not None
            wants = not opens and names_something(cls)
            plans += [plan._replace(wants=wants, opens=opens) for plan in made]
        return plans

    def _untyped(self, label: str, contract: Contract, prefix: str) -> list[Plan]:
        if contract.execute is None:
            return []
        maker = untyped(contract.execute)
        return self._plan(prefix, label, "execute", maker, _HEAD + _UNTYPED_SIZE, draws=False)

    def _traps(self) -> list[Trap]:
        """Messages of the others that lay a call in wait: an address of a contract, and bytes."""
        found = []
        for label, contract in self._contracts.items():
            for cls in classes(messages_of(contract)) if label != self.main_name else ():
                names = cls.__struct_fields__
                call = [name for name in names if name in CALLS]
                contracts = [name for name in names if CONTRACT_WORDS.fullmatch(name)]
                if cls.variant == "arm" and len(names) == len(call) + len(contracts) == 2:
                    found.append(Trap(label, cls.variant, contracts[0], call[0]))
        return found

    def _plan(
        self, prefix: str, label: str, variant: str, make: Maker, size: int, *, draws: bool
    ) -> list[Plan]:
        usual = 2 if CREATES.match(variant) else 1
        weight = self.weights.get(f"{label}.{variant}", self.weights.get(variant, usual))
        if weight < 1:
            self._left_out |= {variant, f"{label}.{variant}"}
            return []
        senders = [
            account_address(actor, "msg")
            for actor, messages in self.roles.items()
            if variant in messages or f"{label}.{variant}" in messages
        ]
        return [Plan(f"{prefix}{variant}", label, variant, make, size, weight, draws, senders)]

    def _check_names(self) -> None:
        known = {plan.variant for plan in self.plans} | {TIME}
        known |= {f"{plan.contract}.{plan.variant}" for plan in self.plans}
        known |= self._left_out
        for name in self.weights:
            if name not in known:
                raise ValueError(
                    f"weights name {name}, which is no message; there are {sorted(known)}"
                )
        for actor, messages in self.roles.items():
            if actor not in self.cast:
                raise ValueError(
                    f"roles name {actor}, who is no actor; there are {sorted(self.cast)}"
                )
            for name in messages:
                if name not in known:
                    raise ValueError(f"roles of {actor} name {name}, which is no message")

    # --- for the machine ------------------------------------------------------------------------

    def instead(self, plan: Plan, raw: bytes, begun: int) -> Plan:
        """The plan that takes the place of one: something begins where nothing has, and once it
        has, what was begun is mostly gone on with.
        """
        if not (self.openings and self._wanting):
            return plan
        if plan.contract != self.main_name:
            return plan
        if plan.wants and not begun:
            return self.openings[raw[0] % len(self.openings)]
        if plan.opens and raw[-1] >= _BEGIN_BELOW[min(begun, 2)]:
            return self._wanting[raw[-1] % len(self._wanting)]
        return plan

    def messages(self) -> dict[str, list[str]]:
        """The variants of each contract that is attacked."""
        found: dict[str, list[str]] = {}
        for plan in self.plans:
            found.setdefault(plan.contract, []).append(plan.variant)
        return found

    def error_patterns(self) -> dict[str, list[str]]:
        """What the refusals of the contract under attack look like."""
        return {self.main_name: error_patterns(self._contracts[self.main_name])}

    def build(self) -> World:
        """Set everything up: actors, the other contracts, the contract under attack, the setup."""
        world = World(self.cast)
        for other in self.others:
            world.install(other)
        world.address = world.install(self.main).address
        if self.setup is not None:
            self.setup(world)
        return world

    def probe_hooks(self, world: World) -> None:
        """Keep those hook messages that the contract says it knows, if it says so."""
        value = self._contracts[self.main_name]
        types = self.main.execute_msg or value.execute_msg
        if self.given_hooks or not isinstance(types, tuple):
            return
        for cls in classes(types):
            if "msg" not in cls.__struct_fields__:
                continue
            here = self.surroundings(world)
            here.hook = _no_such_message
            body = Deriver().message(cls)(Choices(bytes(_SIZE_MAX)), here)
            mark = world.chain.snapshot()
            log = world.chain.try_execute(world.address, body, sender=world.first).log
            world.chain.revert(mark)
            known = _EXPECTED.findall(log.partition("expected")[2])
            chosen = [hook for hook in self.hooks if hook[1] in known]
            if chosen:
                self.hooks = chosen
                return

    def probe_funds(self, world: World, draw: Callable[[Any], Any]) -> None:
        """Find out from refusals which messages take no coins, and which want some."""
        here = self.surroundings(world)
        here.draw = draw
        here.sender = world.first
        for plan in self.plans:
            body = plan.make(Choices(bytes(_SIZE_MAX)), here)
            logs = []
            for coins in ("", f"5{self.denoms[0]}"):
                mark = world.chain.snapshot()
                address = world.contracts[plan.contract]
                result = world.chain.try_execute(address, encode(body), world.first, coins)
                logs.append(error_text(result.log))
                world.chain.revert(mark)
            self.likings[plan.rule] = _liking(*logs)

    def surroundings(self, world: World) -> Surroundings:
        """What makers look at, fresh for a run."""
        here = Surroundings()
        actors = list(world.actors.values())
        contracts = list(world.contracts.values())
        stranger = account_address(STRANGER, "msg")
        here.addresses = [*actors, *contracts, *actors * 3, stranger, *actors, NO_ADDRESS]
        here.contracts = sorted(contracts, key=lambda one: one != world.address)
        tokens = [
            f"cw20:{world.contracts[label]}"
            for label in self._contracts
            if label != self.main_name and _is_token(self._contracts[label])
        ]
        here.denoms = (*self.denoms[:-1], *tokens, self.denoms[-1])
        here.balance = world.chain.balance
        here.hook = self._hook if self.hooks else None
        here.call = self._call if self._own else None
        return here

    def _hook(self, choices: Choices, here: Surroundings) -> Any:
        maker, _ = self.hooks[choices.below(len(self.hooks))]
        return maker(choices, here)

    def _call(self, choices: Choices, here: Surroundings) -> bytes:
        own = self._own
        return encode(own[choices.below(len(own))].make(choices, here))

    @staticmethod
    def answer(tx_data: bytes) -> Any:
        """The JSON that a contract set as its data, if it is some."""
        data = contract_data(tx_data)
        if data[:1] not in {b"{", b"[", b'"'}:
            return None
        try:
            return msgspec.json.decode(data)
        except msgspec.DecodeError:
            return None


def _liking(without: str, with_coins: str) -> int:
    """What two refusals (empty when accepted) say about coins."""
    if without == with_coins:
        return ANY_FUNDS
    if without and with_coins and error_kind(without) == error_kind(with_coins):
        return SOME_FUNDS  # one refusal that counts what was attached
    if with_coins and (not without or about_funds(with_coins)):
        return NO_FUNDS
    if without and (not with_coins or about_funds(without)):
        return SOME_FUNDS
    return ANY_FUNDS


def _no_such_message(choices: Choices, here: Surroundings) -> Any:
    return {"no_such_message": {}}


def _types(code_types: Any) -> Mapping[str, Any]:
    """``code_types`` as a dict of kinds."""
    if code_types is None:
        return {}
    if isinstance(code_types, Mapping):
        unknown = {*code_types} - {"execute", "hook"}
        if unknown:
            raise ValueError(f"code_types has execute and hook, not {sorted(unknown)}")
        return code_types
    return {"execute": tuple(code_types)}


def classes(types: MessageTypes) -> tuple[type[Message], ...]:
    """The variants of message types; none where there is one plain class, or nothing.

    >>> from chain.testing.examples import counter
    >>> [cls.variant for cls in classes(counter.execute_msg)]
    ['add', 'reset']
    """
    return types if isinstance(types, tuple) else ()


def _is_token(contract: Contract) -> bool:
    types = contract.execute_msg
    return "transfer" in {cls.variant for cls in classes(types)}


Watcher = Callable[..., Any]
