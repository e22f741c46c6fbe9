"""An escrow contract, two tokens, a hostile token, and the people of the conformance cases."""

from __future__ import annotations

import base64
import json
from typing import Any

from twins.agents import HOSTILE_TOKEN

from chain.testing import Chain

PEOPLE = ("source", "arbiter", "recd", "other")


class EscrowWorld:
    """Height 1 at the start; everybody has coins, ``source`` has 5000 of each token."""

    def __init__(self) -> None:
        self.chain = chain = Chain()
        self.addr = {name: chain.account(name) for name in PEOPLE}
        for address in self.addr.values():
            chain.fund(address, "10000earth,10000mars")
        self.escrow = self._make("escrow_v1", {})
        self.token = self._token("foo")
        self.other_token = self._token("bar")
        self.hostile = self._make(HOSTILE_TOKEN, {})

    def _make(self, contract: Any, msg: Any) -> str:
        code = self.chain.store_code(contract)
        return self.chain.instantiate(code, msg, sender=self.addr["other"], label="made")

    def _token(self, symbol: str) -> str:
        holder = {"address": self.addr["source"], "amount": "5000"}
        msg = {"name": symbol, "symbol": symbol, "decimals": 0, "initial_balances": [holder]}
        return self._make("token_v1", msg)

    # --- calls ------------------------------------------------------------------------------

    def run(self, who: str, name: str, funds: str = "", /, **fields: Any) -> Any:
        """One message to the escrow by a person."""
        for key in ("recipient", "arbiter", "to"):
            if fields.get(key) in self.addr:
                fields[key] = self.addr[fields[key]]
        return self.chain.try_execute(
            self.escrow, {name: fields}, sender=self.addr[who], funds=funds
        )

    def create(self, funds: str = "100earth", escrow_id: str = "foobar", **more: Any) -> Any:
        """Open an escrow of native coins."""
        fields = {
            "arbiter": "arbiter",
            "recipient": "recd",
            "title": "t",
            "description": "d",
            **more,
        }
        return self.run("source", "create", funds, id=escrow_id, **fields)

    def send(self, token: str, amount: int, hook: dict[str, Any]) -> Any:
        """Send tokens of the source's with a hook message."""
        raw = json.dumps(hook).encode()
        body = {
            "contract": self.escrow,
            "amount": str(amount),
            "msg": base64.b64encode(raw).decode(),
        }
        return self.chain.try_execute(token, {"send": body}, sender=self.addr["source"])

    def create_hook(self, escrow_id: str = "foobar", **more: Any) -> dict[str, Any]:
        """A ``create`` for a token's hook."""
        return {
            "create": {
                "id": escrow_id,
                "arbiter": self.addr["arbiter"],
                "recipient": self.addr["recd"],
                "title": "t",
                "description": "d",
                **more,
            }
        }

    def pay_hostile(self, amount: int, hook: dict[str, Any]) -> Any:
        """The token of nothing says that tokens arrived."""
        raw = base64.b64encode(json.dumps(hook).encode()).decode()
        body = {"contract": self.escrow, "amount": str(amount), "msg": raw}
        return self.chain.try_execute(self.hostile, {"pay": body}, sender=self.addr["source"])

    # --- reading ----------------------------------------------------------------------------

    def ask(self, name: str, **fields: Any) -> Any:
        """One question."""
        return self.chain.query(self.escrow, {name: fields})

    def details(self, escrow_id: str = "foobar") -> Any:
        """One escrow."""
        return self.ask("details", id=escrow_id)

    def ids(self) -> list[str]:
        """Open escrows."""
        found: list[str] = self.ask("list")["escrows"]
        return found

    def coins(self, name: str, denom: str = "earth") -> int:
        """A person's coins, or the escrow's."""
        address = self.escrow if name == "escrow" else self.addr[name]
        return int(self.chain.balance(address, denom))

    def tokens(self, name: str, token: str) -> int:
        """A person's tokens, or the escrow's."""
        address = self.escrow if name == "escrow" else self.addr[name]
        return int(self.chain.query(token, {"balance": {"address": address}})["balance"])

    def held(self, denom: str = "earth") -> int:
        """What the escrow says it owes."""
        return int(self.ask("held", denom=denom)["amount"])


def native(*pairs: tuple[int, str]) -> list[dict[str, str]]:
    """Coins as JSON has them."""
    return [{"denom": denom, "amount": str(amount)} for amount, denom in pairs]
