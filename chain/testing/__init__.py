"""The published test kit: an in-memory chain, mocks, strategies and state machines."""

from chain.testing.chain import Chain
from chain.testing.mocks import message_info, mock_deps, mock_env
from chain.testing.results import ExecTxResult, QueryFailed, TxFailed
from chain.vm.contract import Contract

__all__ = [
    "Chain",
    "Contract",
    "ExecTxResult",
    "QueryFailed",
    "TxFailed",
    "message_info",
    "mock_deps",
    "mock_env",
]
