"""An agent's conversations: channels, sending, replying, waiting for an answer.

Ids come from the transaction's events, because the contract gives them (the guide's programs
invented their own and waited for ever).
"""

from __future__ import annotations

import hashlib
from typing import Any

from chain.client import agent_calls as calls
from chain.client.agent_actor import PAGE
from chain.client.agent_calls import Call
from chain.client.agent_identity import Identity
from chain.client.agent_views import Received, message_of
from chain.client.envelope import (
    NORMAL,
    SEALED_SCHEMA,
    SEALED_TYPE,
    Envelope,
    binary_payload,
    default_ttl,
    json_payload,
    read_payload,
)
from chain.client.transport import Outcome


def payload_of(content: Any) -> bytes:
    """The payload of a content: bytes travel as base64, any other JSON value as itself."""
    return binary_payload(content) if isinstance(content, bytes) else json_payload(content)


class Messages(Identity):
    """The messaging half of an agent."""

    # --- channels --------------------------------------------------------------------------------

    def open_channel(self, participant: str, metadata: Any = None) -> str:
        """Open a direct channel, or take the live one that there is; its id."""
        live = self.live_channel(participant)
        if live is not None:
            return live
        described = None if metadata is None else json_payload(metadata)
        made = self.submit(calls.create_channel(self.contracts, participant, described))
        return made.attribute("a2a_channel_created", "channel_id")

    def live_channel(self, participant: str) -> str | None:
        """The pair's direct channel that is not closed; a pair has one at most."""
        page = self.ask(
            self.contracts.a2a, "list_channels", participants=[self.address, participant], limit=1
        )
        for view in page["channels"]:
            if view["status"] != "closed":
                return str(view["channel_id"])
        return None

    def channel(self, channel_id: str) -> dict[str, Any] | None:
        """A channel as the contract shows it."""
        found = self.ask(self.contracts.a2a, "get_channel", channel_id=channel_id)["channel"]
        return None if found is None else dict(found)

    def close_channel(self, channel_id: str) -> Outcome:
        """Close a channel for good."""
        return self.submit(calls.close_channel(self.contracts, channel_id))

    # --- sending ---------------------------------------------------------------------------------

    def compose(
        self,
        to: str,
        content: Any,
        *,
        message_type: str = "request",
        priority: int = NORMAL,
        ttl: int | None = None,
        reply_to: str | None = None,
        channel_id: str | None = None,
        signed: bool = False,
        sealed: bool = False,
    ) -> Call:
        """The call that sends a message.

        ``ttl`` of None is what the guide advises. ``signed``: with the agent's key, verified on
        chain. ``sealed``: only the receiver can read it.
        """
        payload = self.seal_for(to, payload_of(content)) if sealed else payload_of(content)
        lifetime = default_ttl(message_type, priority) if ttl is None else ttl
        signature = None
        if reply_to is not None:  # an answer has priority, lifetime and channel of the question
            answered = self._known(reply_to)
            priority, lifetime = answered.priority, answered.ttl
            channel_id = answered.channel_id or channel_id
        if signed:
            signature = self._signature(
                payload,
                receiver=to,
                message_type=message_type,
                priority=priority,
                ttl=lifetime,
                reply_to=reply_to,
                channel_id=channel_id,
            )
        return calls.send_message(
            self.contracts,
            to,
            payload,
            message_type=message_type,
            priority=priority,
            ttl=lifetime,
            reply_to=reply_to,
            channel_id=channel_id,
            signature=signature,
        )

    def send(self, to: str, content: Any, **options: Any) -> str:
        """Send a message (options as in ``compose``); its id. Raises: TxRefused, TxFailed."""
        return self.submit(self.compose(to, content, **options)).attribute(
            "a2a_message_sent", "msg_id"
        )

    def reply(self, original: str, content: Any, *, signed: bool = False) -> str:
        """Answer a received message; the answer's id."""
        payload = payload_of(content)
        signature = None
        if signed:
            answered = self._known(original)
            signature = self._signature(
                payload,
                receiver=answered.sender,
                message_type="response",
                priority=answered.priority,
                ttl=answered.ttl,
                reply_to=original,
                channel_id=answered.channel_id,
            )
        done = self.submit(
            calls.reply_message(self.contracts, original, payload, signature=signature)
        )
        return done.attribute("a2a_message_replied", "reply_msg_id")

    def cancel_message(self, msg_id: str) -> Outcome:
        """Take back a message that nobody has seen yet."""
        return self._move("cancel_message", (msg_id,))

    def _known(self, msg_id: str) -> Received:
        found = self.message(msg_id)
        if found is None:
            raise LookupError(f"there is no message {msg_id}")
        return found

    def _signature(self, payload: bytes, *, receiver: str, **fields: Any) -> dict[str, str]:
        """The agent's signature; its nonce is the account's sequence, which comes once."""
        nonce = f"{self.wallet.account().sequence}-{hashlib.sha256(payload).hexdigest()[:16]}"
        content = calls.signed_content(
            chain_id=self.transport.chain_id,
            contract=self.contracts.a2a,
            sender=self.address,
            receiver=receiver,
            payload_sha256=hashlib.sha256(payload).hexdigest(),
            nonce=nonce,
            **fields,
        )
        return {
            "verification_method": f"{self.did}#{calls.SIGNING_KEY}",
            "value": calls.binary(self.wallet.key.sign(content)),
            "nonce": nonce,
        }

    # --- receiving -------------------------------------------------------------------------------

    def requests(self) -> list[Received]:
        """Requests that nobody has looked at yet, oldest first: what a program should work on.

        Answers, notifications and what the tasks contract mirrors (``assigned`` lists tasks) are
        left out, so that two programs cannot answer each other's answers for ever.
        """
        found = self.pages(
            self.contracts.a2a,
            "list_messages",
            "messages",
            address=self.address,
            status="pending",
        )
        messages = [message_of(view) for view in found]
        return [one for one in messages if one.message_type == "request" and one.via is None][::-1]

    def conversation(self, other: str, *, limit: int = PAGE) -> list[Received]:
        """The newest messages with another address in both directions, newest first."""
        page = self.ask(
            self.contracts.a2a,
            "list_conversation",
            participants=[self.address, other],
            limit=limit,
        )
        return [message_of(view) for view in page["messages"]]

    def reply_of(self, msg_id: str) -> Received | None:
        """The answer to a message, None while there is none."""
        found = self.pages(self.contracts.a2a, "list_thread", "messages", msg_id=msg_id)
        for view in found:
            if view["reply_to"] == msg_id:
                return message_of(view)
        return None

    def wait_for_reply(self, msg_id: str, seconds: float = 60.0) -> Received:
        """The answer to a message, as soon as it is there. Raises: TimedOut."""
        return self.wait_for(lambda: self.reply_of(msg_id), seconds, f"an answer to {msg_id}")

    # --- sealed payloads -------------------------------------------------------------------------

    def seal_for(self, receiver: str, payload: bytes) -> bytes:
        """Encrypt a payload for the receiver's published key. Raises: LookupError without one."""
        key = self.encryption_key_of(receiver)
        sealed = self.sealer(key, payload, seal_context(self.address, receiver))
        return binary_payload(sealed, SEALED_TYPE, SEALED_SCHEMA)

    def open_sealed(self, message: Received) -> Envelope:
        """The content of a sealed message to this agent. Raises: SealError."""
        context = seal_context(message.sender, message.receiver)
        return read_payload(self.opener(message.data, context))


def seal_context(sender: str, receiver: str) -> bytes:
    """What a sealed payload is bound to besides the key: who wrote it, and to whom."""
    return f"msgchain/a2a/{sender}/{receiver}".encode()
