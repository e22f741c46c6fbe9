"""What the demo's blocks add up to, read from the records that the event log holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from chain.cli.demo_chain import DemoChain, events_of
from chain.client.transport import CONTRACT_PREFIX
from chain.driver.log.record import BlockRecord

#: guide 10.4: event types, and the attributes that it lists of them
LISTED: Final = {
    "a2a_channel_created": ("channel_id", "channel_type"),
    "a2a_message_sent": ("msg_id", "sender", "receiver", "message_type"),
    "a2a_message_replied": ("original_msg_id", "reply_msg_id", "sender", "receiver"),
    "a2a_channel_closed": ("channel_id", "closed_by"),
}


class Totals(NamedTuple):
    """Sums over blocks; ``fees`` in amsg is what was charged, refunds left out."""

    transactions: int
    gas_used: int
    fees: int

    @classmethod
    def of(cls, records: Iterable[BlockRecord]) -> Totals:
        """The sums of the blocks."""
        transactions = gas_used = fees = 0
        for record in records:
            transactions += len(record.block.txs)
            gas_used += sum(result.gas_used for result in record.result.tx_results)
            fees += fees_of(record)
        return cls(transactions, gas_used, fees)


def fees_of(record: BlockRecord) -> int:
    """The fees of a block in amsg: the sum of its shares, the burn included."""
    return sum(
        int(value.removesuffix("amsg"))
        for event in record.result.events
        if event.type == "fee_share"
        for key, value in event.attributes
        if key == "amount"
    )


def burned_of(record: BlockRecord) -> int:
    """What a block took out of the supply, in amsg."""
    found = 0
    for event in record.result.events:
        attributes = dict(event.attributes)
        if event.type == "fee_share" and attributes["share"] == "burn":
            found += int(attributes["amount"].removesuffix("amsg"))
    return found


def summary(chain: DemoChain) -> dict[str, Any]:
    """The run as one object for machines; ``fees`` in amsg, attributes in their order."""
    totals = Totals.of(chain.records())
    return {
        "chain_id": chain.chain_id,
        "height": chain.height(),
        "transactions": totals.transactions,
        "gas_used": totals.gas_used,
        "fees": totals.fees,
        "app_hash": chain.app_hash().hex(),
        "events": [
            {
                "height": found.height,
                "tx": found.tx,
                "type": found.event.type,
                "attributes": dict(found.event.attributes),
            }
            for record in chain.records()
            for found in events_of(record)
        ],
    }


def listed(records: Iterable[BlockRecord]) -> Iterator[str]:
    """The list of guide 10.4: what the two agents did by their own messages.

    The messages by which the tasks contract tells of its tasks are in the log and not here.
    """
    number = 0
    for record in records:
        for found in events_of(record):
            kind = found.event.type.removeprefix(CONTRACT_PREFIX)
            attributes = dict(found.event.attributes)
            if kind not in LISTED or "via" in attributes:
                continue
            number += 1
            yield f"Event {number}: {kind}"
            for key in LISTED[kind]:
                yield f"  {key}: {attributes[key]}"
