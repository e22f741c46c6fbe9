"""A devnet with something on it to look at, made without a browser; and the list of views."""

from __future__ import annotations

from chain.client.agent_calls import send_message, set_spending_policy
from chain.client.card import Skill
from chain.client.envelope import PAYLOAD_MAX_BYTES
from chain.web.source import Account, Source

MSG = 10**18
HOSTILE = "<img src=x onerror='window.hacked=1'><script>window.hacked=2</script>\u202egnp.exe"
HOSTILE_ID = "<b>bold</b>"


class World:
    """Agents, a conversation, tasks in several states, a failed transaction."""

    def __init__(self, url: str) -> None:
        self.source = Source(url)
        self.alice, self.bob, self.carol, self.dave = (
            self._account(name) for name in ("alice", "bob", "carol", "dave")
        )

    def _account(self, name: str) -> Account:
        found = self.source.account(name)
        assert found is not None
        return found

    def fill(self) -> None:
        """Put everything on the chain."""
        source = self.source
        bob = source.agent(self.bob, "bob-agent")
        skills = [
            Skill("create_dashboard", "create dashboard", "Draws", ("charts",), 8 * MSG),
            Skill("annual_report", "annual report", "Writes", ("charts",), 50 * MSG),
        ]
        card = bob.make_card(
            *skills, name="Bob bot", description="Draws charts", url="https://bob.example/"
        )
        bob.join(name="Bob bot", capabilities=["chart-generation"], price=8 * MSG, card=card)
        alice = source.agent(self.alice, "alice-agent")
        alice.join(name="Alice bot", owner=self.dave.address)
        policy = {"per_tx_limit": str(20 * MSG), "per_period_limit": str(100 * MSG),
                  "period_seconds": 86_400, "denom": "amsg"}  # fmt: skip
        dave = source.actor(self.dave)
        dave.submit(set_spending_policy(dave.contracts, "alice-agent", policy))
        self.channel = alice.open_channel(self.bob.address, {"purpose": "charts"})
        asked = alice.send(
            self.bob.address, {"action": "create_dashboard", "budget": "10000000"}, priority=120,
            signed=True,
        )  # fmt: skip
        bob.mark_read(asked)
        self.quote = bob.reply(asked, {"quote_id": "q-1", "price": "8000000", "status": "accepted"})
        self.words = alice.send(self.bob.address, {"text": "See you tomorrow at nine"})
        self.binary = alice.send(self.bob.address, bytes(range(256)), message_type="notification")
        self.sealed = bob.send(self.alice.address, {"secret": 1}, sealed=True)
        self.task = alice.create_task("bob-agent", "create_dashboard", {"title": "Q3 Sales"})
        bob.accept_task(self.task)
        bob.complete_task(self.task, {"charts": 4})
        self.waiting = alice.create_task("bob-agent", "annual_report", {"year": 2026})

    def fail(self) -> str:
        """A transaction that fails in its block; its hash."""
        actor = self.source.actor(self.carol)
        message = {"mark_read": {"msg_id": "msg:nobody:1"}}
        wallet = actor.wallet
        from chain.client.wallet import execute

        raw = wallet.sign([execute(actor.address, actor.contracts.a2a, message)], 400_000)
        outcome = self.source.client.broadcast(raw)
        assert outcome.code
        return outcome.hash

    def spoil(self) -> None:
        """Names, payloads, skills and parameters that try to be more than text."""
        carol = self.source.agent(self.carol, "carol-agent")
        skill = Skill(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,), 1 * MSG)
        card = carol.make_card(skill, name=HOSTILE, description=HOSTILE, url="https://c.example/")
        carol.join(name=HOSTILE, capabilities=["spoiling"], price=1 * MSG, card=card)
        self.spoiled = carol.send(self.alice.address, {"text": HOSTILE}, message_type="response")
        carol.send(self.alice.address, {HOSTILE: [HOSTILE]})
        big = HOSTILE.encode() + b"z" * (PAYLOAD_MAX_BYTES - len(HOSTILE.encode()))
        self.big = carol.submit(
            send_message(
                carol.contracts,
                self.alice.address,
                big,
                message_type="request",
                priority=50,
                ttl=3600,
            )
        ).attribute("a2a_message_sent", "msg_id")
        self.spoiled_task = self.source.requester(self.alice).create_task(
            "carol-agent", HOSTILE, {HOSTILE: HOSTILE}, price=MSG
        )

    def views(self) -> dict[str, str]:
        """An address of every view."""
        source = self.source
        a2a = source.addresses().a2a
        failed = self.fail()
        height = source.client.tx(failed).outcome.height
        hash_ = source.client.tx_search("message.sender EXISTS", newest_first=True).txs[-1]
        entry = source.client.contract_state(a2a, 1)[0][0].hex()
        return {
            "agents": "/",
            "agent": "/agent/bob-agent",
            "messages": "/messages?as=bob",
            "chat": f"/chat?with={self.alice.address}&as=bob",
            "channel": f"/channel?id={self.channel}",
            "message": f"/message/{self.quote}",
            "binary": f"/message/{self.binary}?as=bob",
            "tasks": "/tasks?as=dave",
            "task": f"/task/{self.task}",
            "blocks": "/blocks",
            "block": f"/block/{height}",
            "tx": f"/tx/{hash_.outcome.hash}",
            "failed": f"/tx/{failed}",
            "address": f"/address/{self.bob.address}",
            "contracts": "/contracts",
            "contract": f"/contract/{a2a}?execute=send_message&query=get_message&key={entry}",
            "log": "/log",
            "time": "/time",
            "charts": "/charts?as=bob",
            "nothing": "/search?q=nothing",
        }
