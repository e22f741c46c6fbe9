"""Genesis documents that the benchmarks share."""

from __future__ import annotations

from typing import Any

from chain import wiring

#: messages that a sender may send a second, for the contract's usual 20 bound a few senders
MESSAGES_A_SECOND = 1_000


def busy_genesis(**options: Any) -> dict[str, Any]:
    """``wiring.devnet_genesis`` whose mailbox takes more messages of a sender."""
    document = wiring.devnet_genesis(**options)
    for message in document["app_state"]["messages"]:
        made = message.get("instantiate")
        if made is not None and "did_registry_address" in made["msg"]:  # agent_a2a_v1
            made["msg"]["limits"] = {"rate_messages_max": MESSAGES_A_SECOND}
    return document
