"""The log of a chain behind CometBFT, fetched over its RPC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chain import wiring
from chain.client.rpc import RpcClient
from chain.driver.codes import LINE, KnownCodes
from chain.driver.log.cometbft import block_record, genesis_record
from chain.driver.log.record import BlockRecord, GenesisRecord, LogError


def records_of(
    client: RpcClient, first: int = 0, last: int | None = None
) -> Iterator[GenesisRecord | BlockRecord]:
    """The records up to ``last`` (default: the last block that the App has executed).

    A log that starts later than the chain's first block cannot be hash-chained, so it always starts
    at the genesis; heights below ``first`` are left out of what is given. Raises: LogError.
    """
    document = client.genesis()
    genesis = genesis_record(document, _sources(document))
    if first == 0:
        yield genesis
    end = int(client.http.call("abci_info")["response"].get("last_block_height", 0))
    if last is not None:
        end = min(end, last)
    prev = genesis.hash
    members: list[dict[str, Any]] = []
    for height in range(int(document.get("initial_height", 1)), end + 1):
        block = client.http.call("block", height=str(height))
        record = block_record(block, client.block_results(height), members, prev)
        if height >= first:
            yield record
        prev, members = record.hash, client.validators(height)


def _sources(document: dict[str, Any]) -> dict[str, dict[str, str]]:
    codes: KnownCodes = wiring.known_codes()
    found = {}
    for message in document.get("app_state", {}).get("messages", ()):
        line = (message.get("store") or {}).get("source", "")
        match = LINE.fullmatch(line)
        if match is None:
            continue
        if codes.resolve(line) is None:
            raise LogError(f"{line}: the chain runs a contract that is not known here")
        files = codes.source(bytes.fromhex(match[2]))
        if files is not None:
            found[match[2]] = files
    return found
