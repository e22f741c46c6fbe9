"""The published test kit: an in-memory chain, mocks, strategies and state machines.

What needs Hypothesis is imported when it is asked for, so that a test that only wants a ``Chain``
starts fast.

>>> chain = Chain()
>>> alice = chain.account("alice", "5msg")
>>> chain.balance(alice, "msg")
5
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from chain.testing.chain import Chain
from chain.testing.mocks import message_info, mock_deps, mock_env
from chain.testing.results import ExecTxResult, QueryFailed, TxFailed
from chain.vm.contract import Contract

if TYPE_CHECKING:
    from chain.testing import strategies
    from chain.testing.differential import Differs, differential
    from chain.testing.failures import save_failure
    from chain.testing.hostile import hook_token, hostile_receiver
    from chain.testing.machine import Call, ContractMachine, contract_machine, of_machine
    from chain.testing.report import Report
    from chain.testing.script import script
    from chain.testing.strategies import messages
    from chain.testing.world import Other, World

_LATER = {
    "Call": "machine",
    "ContractMachine": "machine",
    "Differs": "differential",
    "Other": "world",
    "Report": "report",
    "World": "world",
    "contract_machine": "machine",
    "differential": "differential",
    "hook_token": "hostile",
    "hostile_receiver": "hostile",
    "messages": "strategies",
    "of_machine": "machine",
    "save_failure": "failures",
    "script": "script",
    "strategies": "strategies",
}

__all__ = [
    "Call",
    "Chain",
    "Contract",
    "ContractMachine",
    "Differs",
    "ExecTxResult",
    "Other",
    "QueryFailed",
    "Report",
    "TxFailed",
    "World",
    "contract_machine",
    "differential",
    "hook_token",
    "hostile_receiver",
    "message_info",
    "messages",
    "mock_deps",
    "mock_env",
    "of_machine",
    "save_failure",
    "script",
    "strategies",
]


def __getattr__(name: str) -> Any:
    """Import what was asked for the first time."""
    module = _LATER.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = import_module(f"{__name__}.{module}")
    value = found if module == name and name == "strategies" else getattr(found, name)
    globals()[name] = value
    return value
