"""Raises the ledger's own limit on messages, which a fast machine's tests would run into."""

from __future__ import annotations

from chain.client.rpc import RpcClient
from chain.client.wallet import Wallet
from chain.wiring import contract_addresses, dev_key

#: as many as the contract lets its admin allow
MOST = {"rate_messages_max": 1_000, "rate_discovery_max": 1_000}


def allow_many_messages(rpc: str) -> None:
    """Let every account of a devnet send a thousand messages a second instead of twenty."""
    client = RpcClient(rpc)
    try:
        wallet = Wallet(dev_key("authority"), client)
        a2a = contract_addresses()["agent_a2a_v1"]
        wallet.execute(a2a, {"update_config": {"limits": MOST}})
    finally:
        client.close()
