"""Planted bugs: patches of our contracts, and the machines that must find them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from lab_machines import a2a_machine, tasks_machine, token_machine
from readme_law import allowance_machine, escrow_machine

from chain.testing.scripts import RUN
from chain.vm.sandbox.source import CONTRACTS

#: the shyest needs some hundred runs. What Hypothesis draws depends on the constants of the modules
#: that happen to be loaded, so there is room for ill luck; what needs more counts as not found
SETTINGS = settings(
    max_examples=10_000,
    stateful_step_count=12,
    deadline=None,
    database=None,
    derandomize=True,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate,),
)


class Mutant(NamedTuple):
    """A bug: in which file of which contract, which text becomes which, and who finds it."""

    contract: str
    file: str
    old: str
    new: str
    finder: Callable[..., Any]
    more: tuple[tuple[str, str], ...] = ()
    everywhere: bool = False  # the text may stand in several places
    depth: int = 12  # steps of a run


def escrow(file: str, old: str, new: str, *more: tuple[str, str], depth: int = 12) -> Mutant:
    """A bug in the escrow."""
    return Mutant("escrow_v1", file, old, new, escrow_machine, more, depth=depth)


MUTANTS: dict[str, Mutant] = {
    "double release": escrow(
        "release.py",
        '    ESCROWS.remove(deps.storage, msg.id)\n    keep_stray(deps.storage, info)\n    response = (\n        Response()\n        .add_attribute("action", "approve")',
        '    keep_stray(deps.storage, info)\n    response = (\n        Response()\n        .add_attribute("action", "approve")',
    ),
    "release after refund": escrow(
        "release.py",
        '    ESCROWS.remove(deps.storage, msg.id)\n    keep_stray(deps.storage, info)\n    response = (\n        Response()\n        .add_attribute("action", "refund")',
        '    keep_stray(deps.storage, info)\n    response = (\n        Response()\n        .add_attribute("action", "refund")',
    ),
    "expiry off by one": escrow(
        "release.py",
        "env.block.height > escrow.end_height",
        "env.block.height >= escrow.end_height",
    ),
    "missing owner check": escrow(
        "release.py",
        "    if info.sender != escrow.arbiter_addr:\n        raise Unauthorized\n    if is_expired",
        "    if is_expired",
    ),
    "overflow in top-up": escrow(
        "fund.py",
        "Uint128(before + holding.amount)",
        "Uint128((before + holding.amount) % (1 << 64))",
    ),
    "id reuse": escrow(
        "fund.py", "    if ESCROWS.has(deps.storage, msg.id):\n        raise AlreadyInUse\n", ""
    ),
    "wrong refund address": escrow(
        "release.py",
        "        response,\n        escrow.source_addr,\n",
        "        response,\n        info.sender,\n",
    ),
    "reentrancy through a hook token": escrow(
        "release.py",
        '    ESCROWS.remove(deps.storage, msg.id)\n    keep_stray(deps.storage, info)\n    response = (\n        Response()\n        .add_attribute("action", "refund")',
        '    keep_stray(deps.storage, info)\n    response = (\n        Response()\n        .add_attribute("action", "refund")',
        # the record goes after the money does: the contract tells itself to close
        (
            "    return pay_all(\n        deps.storage,\n        response,\n        escrow.source_addr,\n        escrow.native,\n        escrow.cw20,\n        keep_native=True,\n    )\n",
            "    paid = pay_all(\n        deps.storage,\n        response,\n        escrow.source_addr,\n        escrow.native,\n        escrow.cw20,\n        keep_native=True,\n    )\n"
            '    return paid.add_message(WasmMsg.Execute(env.contract.address, {"claim": {"denom": msg.id}}))\n',
        ),
        (
            "    keep_stray(deps.storage, info)\n    to_addr = info.sender if",
            "    if info.sender == env.contract.address:\n        ESCROWS.remove(deps.storage, msg.denom)\n        return Response()\n"
            "    keep_stray(deps.storage, info)\n    to_addr = info.sender if",
        ),
        ("from chain.std import DepsMut, Env,", "from chain.std import DepsMut, Env, WasmMsg,"),
        depth=18,
    ),
    "forgotten rollback": escrow(
        "money.py",
        "        hold(deps.storage, (Holding(denom, amount),))\n        add_claim(deps.storage, to_addr, denom, amount)\n",
        "",
    ),
    "partial release of more than is held": escrow(
        "release.py",
        "        if holding.amount > held:\n            raise NotEnough(holding.denom, held, holding.amount)\n        totals[holding.denom] = held - holding.amount",
        "        totals[holding.denom] = max(held - holding.amount, 0)",
    ),
    "claim that can be fetched again": escrow(
        "money.py", "    CLAIMABLE.remove(deps.storage, (owner_addr, denom))\n", ""
    ),
    "release after the end": escrow(
        "release.py", "    if is_expired(escrow, env):\n        raise Expired\n", ""
    ),
    "top-up counted twice": escrow(
        "fund.py", "Uint128(before + holding.amount)", "Uint128(before + 2 * holding.amount)"
    ),
    "partial release that forgets the rest": escrow(
        "release.py",
        "    if left.native or left.cw20:\n        ESCROWS.save(deps.storage, msg.id, left)\n    else:\n        ESCROWS.remove(deps.storage, msg.id)\n",
        "    ESCROWS.remove(deps.storage, msg.id)\n",
    ),
    "stale index": Mutant(
        "token_v1",
        "allowance.py",
        "        ALLOWANCES_SPENDER.remove(deps.storage, (spender_addr, info.sender))\n",
        "",
        allowance_machine,
    ),
    "transfer to oneself makes money": Mutant(
        "token_v1",
        "transfer.py",
        '    take(deps.storage, info.sender, msg.amount)\n    give(deps.storage, recipient_addr, msg.amount)\n    return (\n        Response()\n        .add_attribute("action", "transfer")',
        '    if recipient_addr != info.sender:\n        take(deps.storage, info.sender, msg.amount)\n    give(deps.storage, recipient_addr, msg.amount)\n    return (\n        Response()\n        .add_attribute("action", "transfer")',
        token_machine,
    ),
    "allowance never used up": Mutant(
        "token_v1",
        "allowance.py",
        "    left = Allowance(Uint128(current.amount - amount), current.expires)\n    save_allowance(storage,",
        "    left = Allowance(current.amount, current.expires)\n    save_allowance(storage,",
        token_machine,
    ),
    "cap forgotten": Mutant(
        "token_v1",
        "mint.py",
        "    if token.cap is not None and total_supply > token.cap:\n        raise CannotExceedCap\n",
        "",
        token_machine,
    ),
    "rounding that creates money": Mutant(
        "agent_tasks_v1",
        "ending.py",
        "    refund = task.price - share\n",
        "    refund = task.price - share\n    if share > 0:\n"
        "        kept = SHARE_WHOLE_BPS - task.cancellation_share_bps\n"
        "        refund = (task.price * kept + SHARE_WHOLE_BPS - 1) // SHARE_WHOLE_BPS\n"
        "        whole = task.price * task.cancellation_share_bps\n"
        "        share = (whole + SHARE_WHOLE_BPS - 1) // SHARE_WHOLE_BPS\n",
        tasks_machine,
    ),
    "rate limit that never resets": Mutant(
        "agent_a2a_v1",
        "guard.py",
        "now - config.rate_window_seconds * NANOS_PER_SECOND",
        "0",
        a2a_machine,
        everywhere=True,
    ),
}


def machine(name: str, folder: Path) -> Any:
    """The machine over a mutated copy of the contract, which is written to ``folder``."""
    mutant = MUTANTS[name]
    copy = folder / mutant.contract
    shutil.copytree(CONTRACTS / mutant.contract, copy, ignore=shutil.ignore_patterns("__pycache__"))
    place = copy / mutant.file
    text = place.read_text(encoding="utf-8")
    for old, new in ((mutant.old, mutant.new), *mutant.more):
        if text.count(old) != 1 and not (mutant.everywhere and old in text):
            raise AssertionError(f"{name}: a patch fits {text.count(old)} times")
        text = text.replace(old, new)
    place.write_text(text, encoding="utf-8")
    return mutant.finder(copy, failures=folder / "failures")


def attack(name: str, attacked: Any) -> None:
    """Run a machine with the depth that its bug needs."""
    chosen = settings(SETTINGS, stateful_step_count=MUTANTS[name].depth)
    run_state_machine_as_test(attacked, settings=chosen)


def steps(text: str) -> int:
    """How many steps the shrunk sequence has: calls and blocks of the script behind its set."""
    run = text.rsplit(RUN, maxsplit=1)[1].split("\n\n", maxsplit=1)[0]
    return len(run.strip().splitlines())
