"""The same sequence against two contracts: answers, events and gas side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from chain.crypto.addresses import AddressError, validate
from chain.testing.chain import Chain
from chain.testing.codes import ContractLike
from chain.testing.coins import CoinsLike
from chain.testing.report import error_text
from chain.testing.results import ExecTxResult, QueryFailed
from chain.testing.world import World, cast_of, load_contract


class Differs(AssertionError):
    """Two implementations gave different answers to the same step.

    >>> raise Differs("step 3: other events")
    Traceback (most recent call last):
    ...
    chain.testing.compare.Differs: step 3: other events
    """


class Compared(NamedTuple):
    """One step on both sides."""

    step: int
    left: ExecTxResult
    right: ExecTxResult

    @property
    def gas(self) -> int:
        """How much more gas the right one used."""
        return self.right.gas_used - self.left.gas_used


class Pair:
    """Two chains with one contract each, driven together.

    >>> from chain.testing.examples import counter
    >>> pair = Pair(counter, counter, instantiate={"start": 1})
    >>> pair.execute({"add": {"by": "2"}}, sender="alice").gas
    0
    >>> pair.query({})
    {'count': 3}
    """

    def __init__(
        self,
        left: ContractLike,
        right: ContractLike,
        *,
        instantiate: Any,
        actors: int | Sequence[str] = 4,
        funds: CoinsLike = "1000msg",
    ) -> None:
        self.worlds = [World(cast_of(actors, funds)) for _ in range(2)]
        for world, contract in zip(self.worlds, (left, right), strict=True):
            made = load_contract(contract)
            code = world.chain.store_code(made)
            message = instantiate(world) if callable(instantiate) else instantiate
            result = world.chain.try_instantiate(code, message, world.first, "compared")
            if result.code:
                raise Differs(f"instantiate of {made.name}: {error_text(result.log)}")
            world.address = result.address
        self.steps = 0

    @property
    def chains(self) -> tuple[Chain, Chain]:
        """The two chains."""
        return self.worlds[0].chain, self.worlds[1].chain

    def execute(self, message: Any, sender: str, funds: CoinsLike = ()) -> Compared:
        """Call both; ``sender`` is an actor's name or an address. Raises: Differs."""
        self.steps += 1
        if sender not in self.worlds[0].actors:
            try:
                validate(sender, self.worlds[0].chain._engine.prefix)
            except AddressError as error:
                cast = sorted(self.worlds[0].actors)
                text = f"{sender} is no actor of {cast}, and no address: {error}"
                raise ValueError(text) from None
        results = [
            world.chain.try_execute(world.address, message, world.actors.get(sender, sender), funds)
            for world in self.worlds
        ]
        made = Compared(self.steps, results[0], results[1])
        self._compare(f"step {self.steps}, {message}", *map(_shown, results))
        return made

    def query(self, message: Any) -> Any:
        """Ask both. Raises: Differs."""
        answers = [_answer(world, message) for world in self.worlds]
        self._compare(f"query {message}", *answers)
        return answers[0]

    def next_block(self, blocks: int = 1, seconds: int | None = None) -> None:
        """Time passes on both."""
        for world in self.worlds:
            world.chain.next_block(blocks, seconds)

    def _compare(self, what: str, left: Any, right: Any) -> None:
        if left != right:
            raise Differs(f"{what}:\n  left:  {left}\n  right: {right}")


def _answer(world: World, message: Any) -> Any:
    try:
        return world.chain.query(world.address, message)
    except QueryFailed as error:
        return f"refused: {error}"


def _shown(result: ExecTxResult) -> Any:
    """What must agree: code, text, data and events; gas need not."""
    events = [(event.type, [(a.key, a.value) for a in event.attributes]) for event in result.events]
    return result.codespace, result.code, error_text(result.log), result.data, events


def differential(
    left: ContractLike,
    right: ContractLike,
    steps: Iterable[Any],
    *,
    instantiate: Any,
    queries: Sequence[Any] = (),
    actors: int | Sequence[str] = 4,
) -> list[Compared]:
    """Run a sequence on two contracts and compare answers, events and, after each step, queries.

    A step is ``(sender, message)`` or ``(sender, message, funds)``; an integer lets so many seconds
    pass. Raises: Differs at the first difference. Returns the steps with both results, whose gas
    may differ.

    >>> from chain.testing.examples import counter
    >>> steps = [("alice", {"add": {"by": "2"}}), 60, ("bob", {"reset": {}})]
    >>> [step.gas for step in differential(counter, counter, steps, instantiate={}, queries=[{}])]
    [0, 0]
    """
    pair = Pair(left, right, instantiate=instantiate, actors=actors)
    done = []
    for step in steps:
        if isinstance(step, int):
            pair.next_block(seconds=step)
            continue
        if not isinstance(step, tuple) or len(step) not in (2, 3):
            raise ValueError(f"a step is (sender, message[, funds]) or seconds, not {step!r}")
        sender, message, *rest = step
        done.append(pair.execute(message, sender, *rest))
        for question in queries:
            pair.query(question)
    return done
