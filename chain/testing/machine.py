"""``contract_machine``: a Hypothesis state machine that attacks a contract, made from its types."""

from __future__ import annotations

import copy
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Final

from hypothesis import HealthCheck, find, settings
from hypothesis.control import current_build_context, note
from hypothesis.errors import StopTest, UnsatisfiedAssumption
from hypothesis.stateful import RuleBasedStateMachine, invariant
from msgspec.json import encode

from chain.driver.log.record import LogError
from chain.testing.attached import funds
from chain.testing.choices import Choices
from chain.testing.clock import advance
from chain.testing.codes import ContractLike
from chain.testing.coins import CoinsLike
from chain.testing.failures import kept_as, run_again, saved_failures
from chain.testing.harvest import ID_WORDS
from chain.testing.laws import Call, hold
from chain.testing.looking import Looking
from chain.testing.options import OPTIONS
from chain.testing.plans import Blueprint, Plan, Trap
from chain.testing.reduce import Step, kept, origin_of, shortest
from chain.testing.refusals import NOTHING_SAID, Refusal
from chain.testing.report import Report
from chain.testing.results import ExecTxResult
from chain.testing.rules import class_name, machine_settings, rules
from chain.testing.scripts import RUN, script
from chain.testing.world import Setup, World

#: of 256: above, the sender is somebody who has to do with the id in the message
_CONCERNED_ABOVE: Final = 160
#: of 256: within, sender and addresses are two who stood in one call before
_TOGETHER: Final = (72, 160)
#: a refused message is tried again as it is, by somebody whom it concerns, with what the refusal
#: named, by somebody else, then with its choices turned by these; zero, the simplest, stays
_TURNS: Final = (
    b"", b"", b"", b"", *(bytes(byte * odd & 255 for byte in range(256)) for odd in (167, 91))
)  # fmt: skip
#: the one of these attempts that is made by somebody whom the message does not concern yet
_BY_OTHERS: Final = 3
#: how much longer choices are made for a message that stands in for another
_LONGER: Final = 4
#: of 256: from here on a message also waits in a trap
_TRAPPED: Final = 144
_CONTROL: Final = (StopTest, UnsatisfiedAssumption, KeyboardInterrupt)


class SavedFailure(AssertionError):
    """A falsifying sequence of an earlier run still fails."""


class _BeforeRuns:
    """Builds the set of a machine when Hypothesis prepares its test, so that it counts as no run's
    time. Hypothesis asks for this attribute then; where it does not, the first run builds the set.
    """

    def __get__(self, instance: object, owner: type[ContractMachine]) -> None:
        if owner._world is None and hasattr(owner, "blueprint"):
            owner._open()


class ContractMachine(Looking, RuleBasedStateMachine):
    """Base of the machines that ``contract_machine`` makes; subclasses may add rules of their own.

    ``chain``, ``address``, ``actors`` and ``contracts`` (addresses by name) are the set; ``ghost``
    holds the ghost variables of this run; ``call`` is what rules go through.

    >>> machine = contract_machine(counter, instantiate={"start": 0}, actors=["ann", "ben"])()
    >>> machine.chain.query(machine.address, {}), sorted(machine.actors)
    ({'count': 0}, ['ann', 'ben'])
    """

    blueprint: ClassVar[Blueprint]
    invariant_functions: ClassVar[tuple[Callable[..., Any], ...]] = ()
    watchers: ClassVar[tuple[Callable[..., Any], ...]] = ()
    ghosts: ClassVar[Mapping[str, Any]] = {}
    failures: ClassVar[Path | None] = None
    report: ClassVar[Report]
    _world: ClassVar[World | None] = None
    _start: ClassVar[tuple[int, int, int]]
    _still_failing: ClassVar[SavedFailure | None] = None
    _hypothesis_internal_use_seed = _BeforeRuns()

    def __init__(self) -> None:
        super().__init__()
        kind = type(self)
        if kind._world is None:
            kind._open()
        world = kind._world
        if world is None:
            raise RuntimeError("the set of the machine did not come to stand")
        self.chain = world.chain
        self.chain.revert(kind._start[0])
        self.address = world.address
        self.actors = world.actors
        self.contracts = world.contracts
        self._ghost = SimpleNamespace(**copy.deepcopy(dict(kind.ghosts)))
        self._asked = False  # whether a watcher looked at the ghosts
        self._calm = False  # whether the last step changed nothing
        self._accepted: dict[str, str] = {}  # whose message was taken last, by rule
        self._begun = 0  # how many things were accepted that others may name
        self._steps: list[Step] = []
        self._senders = list(world.actors.values())
        self._cast = frozenset(self._senders)
        self.chain._engine.bugs.clear()
        self._here = kind.blueprint.surroundings(world)
        if kind._still_failing is not None:
            raise kind._still_failing

    @classmethod
    def _open(cls) -> None:
        """Build the set once; run saved failures first where that was asked for."""
        _warm_up()
        world = cls.blueprint.build()
        world.chain._engine.attacked = True
        cls.blueprint.probe_hooks(world)
        cls.blueprint.probe_funds(world, _simplest)
        world.chain.next_block()
        cls._start = (world.chain.snapshot(), world.chain.height, world.chain.time)
        cls._world = world
        cls.report.errors_known = cls.blueprint.error_patterns()
        if OPTIONS.replay_first:
            cls.replay_saved()

    @property
    def ghost(self) -> SimpleNamespace:
        """The ghost variables of this run.

        >>> contract_machine(counter, instantiate={}, ghosts={"paid": 5})().ghost.paid
        5
        """
        self._asked = True
        return self._ghost

    # --- what rules go through ------------------------------------------------------------------

    def call(
        self,
        address: str,
        message: Any,
        sender: str,
        coins: Any = (),
        *,
        contract: str = "",
        variant: str = "",
    ) -> ExecTxResult:
        """Call a contract, and let harvest, report and watchers see it. Never raises for a refusal.

        ``message``: plain JSON, as ``{"variant": {…}}``.

        >>> machine = contract_machine(counter, instantiate={})()
        >>> machine.call(machine.address, {"add": {"by": "3"}}, machine.actors["bob"]).code
        0
        """
        chain = self.chain
        result = chain.try_execute(address, encode(message), sender, coins)
        raw = result._raw
        if not variant:
            variant = next(iter(message)) if isinstance(message, dict) and message else str(message)
        self.report.add(contract or address, variant, raw.code, raw.log, raw.gas_used)
        if not raw.code:
            self._see(message, sender, coins, raw)
        if self.watchers:
            block = chain._engine.block
            made = Call(
                contract, address, variant, message, sender, coins, result, block.height, block.time
            )
            for watcher in self.watchers:
                hold(watcher, self, made)
        return result

    def _see(self, message: Any, sender: str, coins: Any, raw: Any) -> None:
        """Harvest ids, amounts and deadlines of an accepted call."""
        block = self.chain._engine.block
        harvest, height, time = self._here.harvest, block.height, block.time
        for event in raw.events:
            if event.type.startswith("wasm"):
                harvest.attributes(event.attributes, height, time)
        harvest.take(message, height=height, time=time)
        if self._here.inside is not None:
            harvest.take(self._here.inside, height=height, time=time)
        for coin in coins if isinstance(coins, list) else ():
            harvest.integer("", int(coin["amount"]), height, time)
        harvest.link(sender, self._cast)
        answer = self.blueprint.answer(raw.data) if raw.data else None
        if answer is not None:
            harvest.take(answer, height=height, time=time)

    def attack(self, plan: Plan, raw: bytes, draw: Callable[[Any], Any] | None = None) -> None:
        """One derived message by one of the actors; once refused, others of its kind at once.

        Where it names what nothing has begun yet, something begins; where others can lay a trap,
        the same message waits in one now and then.
        """
        here, blueprint = self._here, self.blueprint
        drawn: list[Any] = []
        self._steps.append(Step(plan, raw, drawn))
        self.report.steps += 1
        here.draw = None if draw is None else kept(draw, drawn)
        other = blueprint.instead(plan, raw, self._begun)
        if other is not plan:
            plan, raw = other, raw * _LONGER
        engine = self.chain._engine
        before, self._asked = len(engine.txs), False
        tried: list[Any] = []
        here.refusal = here.unpaid = NOTHING_SAID
        for attempt, turn in enumerate(_TURNS):
            chosen = raw.translate(turn) if turn else raw
            given = self._choose(plan, chosen, attempt)
            if given in tried:
                continue
            tried.append(given)
            sender, message, coins, trap = given
            if trap is not None and self._passes(plan, message, sender, coins):
                self._lay(trap, message, sender)
            result = self.call(
                self.contracts[plan.contract], message, sender, coins,
                contract=plan.contract, variant=plan.variant,
            )  # fmt: skip
            if not result._raw.code:
                self._begun += plan.opens
                self._accepted[plan.rule] = sender
                return
            refusal = Refusal(result._raw.log, here.denoms)
            if refusal.about_funds:
                here.unpaid = refusal
            else:
                here.refusal = refusal
        # laws need not be asked where nothing changed and no watcher did a thing
        self._calm = not self._asked and len(engine.txs) == before + len(tried)

    def _passes(self, plan: Plan, message: Any, sender: str, coins: Any) -> bool:
        """Whether a call would be accepted."""
        chain = self.chain
        mark = chain.snapshot()
        code = chain.try_execute(self.contracts[plan.contract], encode(message), sender, coins).code
        chain.revert(mark)
        return code == 0

    def _lay(self, trap: Trap, message: Any, sender: str) -> None:
        """Let a hostile contract call the one under attack with the same message in its midst."""
        armed = trap.message(self.address, message)
        self.call(
            self.contracts[trap.contract], armed, sender,
            contract=trap.contract, variant=trap.variant,
        )  # fmt: skip

    def _choose(
        self, plan: Plan, raw: bytes, attempt: int
    ) -> tuple[str, Any, list[dict[str, str]], Trap | None]:
        """Sender, message, coins and trap that choices stand for, after so many refusals."""
        choices = Choices(raw)
        here = self._here
        trap = None
        if self.blueprint.traps and plan.contract == self.blueprint.main_name:
            trapped = choices.byte()
            if trapped >= _TRAPPED:
                trap = self.blueprint.traps[trapped % len(self.blueprint.traps)]
        block = self.chain._engine.block
        here.height, here.time = block.height, block.time
        senders = plan.senders if plan.senders and not choices.chance(64) else self._senders
        number = choices.byte()
        here.sender = sender = senders[number % len(senders)]
        here.partner, here.inside = "", None
        if _TOGETHER[0] <= number < _TOGETHER[1] and here.harvest.pairs:
            pair = here.harvest.pairs[-1 - number // 2 % len(here.harvest.pairs)]
            sender, here.partner = pair if number & 1 else (pair[1], pair[0])
            here.sender = sender
        liking = self.blueprint.likings.get(plan.rule, 0)
        coins = funds(choices, here, liking)
        message = plan.make(choices, here)
        if attempt or number > _CONCERNED_ABOVE:
            turn, others = number + min(attempt, 1), attempt == _BY_OTHERS
            sender = self._concerned(plan.rule, message, turn, others=others) or sender
        return sender, message, coins, trap

    def _concerned(self, rule: str, message: Any, number: int, *, others: bool) -> str | None:
        """Somebody who stood in an earlier call with an id of this message, or whom the rule's last
        message was taken of, or who did something; ``others``: who did not stand in one.
        """
        people = self._here.harvest.people
        body = next(iter(message.values())) if isinstance(message, dict) and message else None
        for name, value in body.items() if isinstance(body, dict) else ():
            known = str(value) if isinstance(value, str | int) else ""
            found = people.get(known) if not known.isdigit() or ID_WORDS.fullmatch(name) else None
            if found and others:
                found = [who for who in self._senders if who not in found]
            if found:
                return found[number % len(found)]
        if self._here.refusal.about_sender:
            return self._accepted.get(rule, self._senders[0])
        active = self._here.harvest.active
        return active[-1 - number % len(active)] if active else None

    def pass_time(self, raw: bytes) -> None:
        """A new block: the next one, or one just before, at or after a deadline that was seen."""
        self._steps.append(Step(None, raw))
        self.report.steps += 1
        advance(self.chain, self.address, self._here.harvest, Choices(raw))

    # --- laws -----------------------------------------------------------------------------------

    @invariant()
    def laws(self) -> None:
        """All invariant functions; Hypothesis asks after every step. A step that changed neither
        chain nor ghosts (a refused call) leaves the answer as it was.
        """
        if self._calm:
            self._calm = False
            return
        for law in self.invariant_functions:
            hold(law, self, None)

    # --- failures -------------------------------------------------------------------------------

    def teardown(self) -> None:
        """Show and save what led to a failure, once it is shrunk."""
        error = sys.exc_info()[1]
        if error is None or isinstance(error, (*_CONTROL, SavedFailure)):
            return
        if not current_build_context().is_final:
            return
        self._reduce(error)
        note(f"\n{self.script()}\n")
        bugs = self.chain.bugs
        if bugs:
            note(f"the contract's own error:\n{bugs[-1]}")
        folder = self.failures or OPTIONS.failures
        note(kept_as(self.chain, self.blueprint.name, folder))

    def _reduce(self, error: BaseException) -> None:
        """Bring the chain to the end of the shortest run that fails in the same way."""
        kind, origin = type(self), origin_of(error)

        def fails(steps: list[Step]) -> bool:
            machine = kind()
            try:
                machine.laws()
                for step in steps:
                    machine._again(step)
                    machine.laws()
            except Exception as again:
                return origin_of(again) == origin
            return False

        steps = self._steps
        if fails(steps):
            fails(shortest(steps, fails))

    def _again(self, step: Step) -> None:
        """One step of an earlier run."""
        if step.plan is None:
            self.pass_time(step.raw)
            return
        given = iter(step.drawn)
        self.attack(step.plan, step.raw, lambda strategy: next(given))

    def script(self) -> str:
        """This run as a Python script; what was refused on the way, and changed nothing, is left
        out.

        >>> print(contract_machine(counter, instantiate={})().script().splitlines()[0])
        from chain.testing import Chain
        """
        names = {address: name for name, address in self.contracts.items()}
        return script(self.chain, names, mark=self._start[1], refused=False)

    def _repr_step(self, rule: Any, data: Any, result: Any) -> str:
        """What Hypothesis prints of a step: the last line of the script says it best."""
        last = [line for line in self.script().splitlines() if line != RUN][-1]
        return f"state.{rule.function.__name__}()  # {last}"

    @classmethod
    def replay_saved(cls, folder: Path | None = None) -> list[Path]:
        """Run the saved failures of this machine again; those that pass are returned. A file that
        is damaged is warned of.

        Raises: SavedFailure for the first one that still fails, also in every later run.

        >>> from pathlib import Path
        >>> contract_machine(counter, instantiate={}).replay_saved(Path("nowhere"))
        []
        """
        if cls._world is None:
            cls._open()
        passed = []
        for path in saved_failures(cls.blueprint.name, folder or cls.failures or OPTIONS.failures):
            machine = cls()
            try:
                run_again(machine.chain, path, after=cls._start[1] - 1, check=machine.laws)
            except (LogError, ValueError) as error:
                warnings.warn(f"{path} cannot be run again: {error}", stacklevel=2)
                continue
            except AssertionError as error:
                cls._still_failing = SavedFailure(f"{path} still fails: {error}")
                raise cls._still_failing from error
            passed.append(path)
        return passed


def _simplest(strategy: Any) -> Any:
    """The simplest value of a strategy."""
    quiet = settings(database=None, max_examples=20, suppress_health_check=list(HealthCheck))
    return find(strategy, lambda value: True, settings=quiet)


def _warm_up() -> None:
    """Hypothesis reads the constants of all local modules at its first draw; without this, its
    health check would call the first run slow.
    """
    providers = import_module("hypothesis.internal.conjecture.providers")
    collect = getattr(providers, "_get_local_constants", None)
    if collect is not None:
        collect()


def contract_machine(
    contract: ContractLike,
    *,
    instantiate: Any,
    invariants: Sequence[Callable[..., Any]] = (),
    actors: int | Sequence[str] | Mapping[str, CoinsLike] = 4,
    funds: CoinsLike = "1000msg",
    code_types: Any = None,
    with_contracts: Sequence[Any] = (),
    overrides: Mapping[Any, Any] | None = None,
    roles: Mapping[str, Sequence[str]] | None = None,
    weights: Mapping[str, int] | None = None,
    ghosts: Mapping[str, Any] | None = None,
    watchers: Sequence[Callable[..., Any]] = (),
    setup: Setup | None = None,
    name: str | None = None,
    failures: Path | None = None,
) -> type[ContractMachine]:
    """Make a state machine that attacks a contract; run its ``TestCase``, or the machine itself.

    ``contract``: a folder by name, path or module, or a ``Contract``. ``instantiate``: its message,
    or a function of the ``World``. ``invariants``: functions ``(chain, address)`` called after
    every step; they raise or return False to complain (``of_machine``: they take the machine).
    ``actors``: how many, or names, or names with coins. ``code_types``: message types where the
    contract has none: a tuple, or ``execute`` and ``hook`` of a dict. ``with_contracts``: others on
    the same chain (a contract, a pair with its instantiate message, or ``Other``). ``overrides``:
    strategies by ``message.field``, field name or type. ``roles``: messages that an actor mostly
    sends. ``weights``: how often a message (or ``time_passes``) is tried, default 1, 0 never.
    ``ghosts``: first values of ghost variables; ``watchers``: functions ``(machine, call)`` called
    after each call. ``setup``: a function of the ``World`` called once. ``failures``: where
    falsifying sequences are saved.

    >>> from chain.testing.examples import counter
    >>> Machine = contract_machine(counter, instantiate={"start": 0}, invariants=[
    ...     lambda chain, address: chain.query(address, {})["count"] >= 0], actors=2)
    >>> from hypothesis import settings
    >>> from hypothesis.stateful import run_state_machine_as_test
    >>> run_state_machine_as_test(Machine, settings=settings(max_examples=5, database=None))
    >>> Machine.report.calls > 0
    True
    """
    blueprint = Blueprint(
        contract,
        instantiate=instantiate,
        actors=actors,
        funds=funds,
        code_types=code_types,
        others=with_contracts,
        overrides=overrides or {},
        roles=roles or {},
        weights=weights or {},
        setup=setup,
        name=name,
    )
    report = Report(blueprint.name, blueprint.messages())
    members: dict[str, Any] = {
        "blueprint": blueprint,
        "invariant_functions": tuple(invariants),
        "watchers": tuple(watchers),
        "ghosts": dict(ghosts or {}),
        "failures": failures,
        "report": report,
        "__module__": __name__,
        "__doc__": f"Attacks {blueprint.name}.",
        **rules(blueprint),
    }
    made: type[ContractMachine] = type(class_name(blueprint.name), (ContractMachine,), members)
    made.TestCase.settings = machine_settings()
    OPTIONS.reports.append(report)
    return made
