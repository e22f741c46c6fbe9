"""The published test kit: an in-memory chain, mocks, strategies and state machines.

Everything is imported when it is asked for: the pytest plugin costs nothing where no chain is
used, and a test that only wants a ``Chain`` does not load Hypothesis.

>>> from chain.testing import Chain
>>> chain = Chain()
>>> alice = chain.account("alice", "5msg")
>>> chain.balance(alice, "msg")
5
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chain.testing import strategies
    from chain.testing.chain import Chain
    from chain.testing.compare import Differs, differential
    from chain.testing.failures import save_failure
    from chain.testing.hostile import hook_token, hostile_receiver
    from chain.testing.laws import Call, of_machine
    from chain.testing.machine import ContractMachine, contract_machine
    from chain.testing.mocks import message_info, mock_deps, mock_env
    from chain.testing.report import Report
    from chain.testing.results import ExecTxResult, QueryFailed, TxFailed
    from chain.testing.scripts import script
    from chain.testing.strategies import messages
    from chain.testing.world import Other, World
    from chain.vm.contract import Contract

#: public name -> where it is
_LATER = {
    "Call": "chain.testing.laws",
    "Chain": "chain.testing.chain",
    "Contract": "chain.vm.contract",
    "ContractMachine": "chain.testing.machine",
    "Differs": "chain.testing.compare",
    "ExecTxResult": "chain.testing.results",
    "Other": "chain.testing.world",
    "QueryFailed": "chain.testing.results",
    "Report": "chain.testing.report",
    "TxFailed": "chain.testing.results",
    "World": "chain.testing.world",
    "contract_machine": "chain.testing.machine",
    "differential": "chain.testing.compare",
    "hook_token": "chain.testing.hostile",
    "hostile_receiver": "chain.testing.hostile",
    "message_info": "chain.testing.mocks",
    "messages": "chain.testing.strategies",
    "mock_deps": "chain.testing.mocks",
    "mock_env": "chain.testing.mocks",
    "of_machine": "chain.testing.laws",
    "save_failure": "chain.testing.failures",
    "script": "chain.testing.scripts",
    "strategies": "chain.testing.strategies",
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
    found = import_module(module)
    value = found if name == "strategies" else getattr(found, name)
    globals()[name] = value
    return value
