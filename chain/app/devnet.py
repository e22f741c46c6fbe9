"""The state of a devnet: the repository's contracts, wired to each other, and accounts whose keys
everybody knows.

Addresses of contracts follow from code and instance numbers, so each can be named before it
exists. The keys are worthless on purpose: the same on every machine, derived from texts that
everybody has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from chain.crypto.addresses import DEFAULT_PREFIX, contract_address
from chain.crypto.hd import wallet_key
from chain.crypto.keys import MlDsa87Key, Secp256k1Key

_SEED: Final = b"msgchain devnet, worthless key"
#: code and instance numbers of a devnet are places in this list, from 1; only added to
CONTRACTS: Final = (
    "did_registry_v1",
    "agent_registry_v1",
    "ai_agent_constitution_v1",
    "agent_a2a_v1",
    "escrow_v1",
    "agent_tasks_v1",
    "token_v1",
)
#: native accounts: governance, treasury, people and agents to play with, and where fees of
#: validators go
ACCOUNTS: Final = (
    "authority",
    "treasury",
    "alice",
    "bob",
    "carol",
    "dave",
    "faucet",
    "validator",
)
#: the words of the wallet accounts, at m/44'/118'/0'/0/0 and on; every local tester knows them
WORDS: Final = "test test test test test test test test test test test junk"
#: wallet accounts with bech32 addresses
WALLETS: Final = 4
BALANCE: Final = "1000000"  # MSG of each account
TOKENS: Final = "1000000000"  # units of the devnet's token for each account
#: contracts with work at the start of a block, in this order
BEGIN_BLOCK: Final = ("agent_registry_v1", "agent_a2a_v1", "agent_tasks_v1")
_LABELS: Final = (
    "DID registry",
    "agent registry",
    "constitution",
    "agent messages",
    "escrow",
    "tasks",
    "token",
)


def dev_secret(label: str) -> bytes:
    """32 bytes of a development secret: no secret at all."""
    return hashlib.sha256(_SEED + b"/" + label.encode()).digest()


def dev_key(name: str) -> MlDsa87Key:
    """The native key of a development account."""
    return MlDsa87Key(dev_secret(f"account/{name}"))


def dev_wallet(index: int) -> Secp256k1Key:
    """The key of a wallet account: what wallets derive from ``WORDS``."""
    return wallet_key(WORDS, index)


def dev_contract(name: str, prefix: str = DEFAULT_PREFIX) -> str:
    """The address of a devnet's contract."""
    number = CONTRACTS.index(name) + 1
    return contract_address(number, number, prefix)


def devnet_genesis(
    sources: Mapping[str, str],
    *,
    accounts: Sequence[tuple[str, str, str]] = (),
    payouts: Sequence[tuple[str, bytes]] = (),
    wallets: int = WALLETS,
    params: Mapping[str, object] | None = None,
    prefix: str = DEFAULT_PREFIX,
) -> dict[str, Any]:
    """The ``app_state`` of a devnet, as JSON values.

    ``sources``: contract name to its line ``msgchain:<name>@<sha256>``; contracts that it lacks
    are left out.
    ``accounts``: more accounts, each name, address and MSG. ``payouts``: account name and
    consensus key of each validator. ``wallets``: how many accounts of the words.
    """
    keys = {name: dev_key(name) for name in ACCOUNTS}
    addresses = {name: key.pubkey.address(prefix) for name, key in keys.items()}
    listed = [
        *addresses.items(),
        *((f"wallet{index}", dev_wallet(index).pubkey.address(prefix)) for index in range(wallets)),
    ]
    entries = [_account(name, address, BALANCE) for name, address in listed]
    entries.extend(_account(name, address, amount) for name, address, amount in accounts)
    known = [name for name in CONTRACTS if name in sources]
    authority = addresses["authority"]
    begin = [dev_contract(name, prefix) for name in BEGIN_BLOCK if name in known]
    chosen: dict[str, object] = {
        "authority": authority,
        "agent_registry": dev_contract("agent_registry_v1", prefix)
        if "agent_registry_v1" in known
        else "",
        "begin_block_contracts": begin,
        **(params or {}),
    }
    return {
        "devnet": True,
        "treasury": addresses["treasury"],
        "params": chosen,
        "accounts": entries,
        "validators": [
            {
                "name": name,
                "pub_key": {"type": "ed25519", "value": key.hex()},
                "payout": addresses.get(name, ""),
            }
            for name, key in payouts
        ],
        "messages": _messages(sources, authority, [address for _, address in listed], prefix),
    }


def _account(name: str, address: str, amount: str) -> dict[str, Any]:
    return {"name": name, "address": address, "coins": [{"denom": "msg", "amount": amount}]}


def _messages(
    sources: Mapping[str, str], authority: str, holders: Sequence[str], prefix: str
) -> list[dict[str, Any]]:
    """Store everything, then make the instances; all or none of the contracts, whose numbers are
    their places.
    """
    if any(name not in sources for name in CONTRACTS):
        return []
    stored = [{"store": {"source": sources[name], "sender": authority}} for name in CONTRACTS]
    at = {name: dev_contract(name, prefix) for name in CONTRACTS}
    first: dict[str, dict[str, object]] = {
        "did_registry_v1": {"admin": authority},
        "agent_registry_v1": {"admin": authority, "a2a_address": at["agent_a2a_v1"]},
        "ai_agent_constitution_v1": {
            "authority": authority,
            "registry_address": at["agent_registry_v1"],
        },
        "agent_a2a_v1": {
            "admin": authority,
            "registry_address": at["agent_registry_v1"],
            "did_registry_address": at["did_registry_v1"],
            "constitution_address": at["ai_agent_constitution_v1"],
            "relays": [at["agent_tasks_v1"]],
        },
        "escrow_v1": {},
        "agent_tasks_v1": {
            "admin": authority,
            "registry_address": at["agent_registry_v1"],
            "a2a_address": at["agent_a2a_v1"],
        },
        "token_v1": {
            "name": "Devnet token",
            "symbol": "DEVT",
            "decimals": 6,
            "initial_balances": [{"address": one, "amount": TOKENS} for one in holders],
            "mint": {"minter": authority, "cap": None},
        },
    }
    made = [
        {
            "instantiate": {
                "code_id": index + 1,
                "sender": authority,
                "label": _LABELS[index],
                "msg": first[name],
                "admin": authority,
            }
        }
        for index, name in enumerate(CONTRACTS)
    ]
    return [*stored, *made]
