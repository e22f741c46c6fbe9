"""A token on a chain, made and asked the way the conformance cases put it."""

from __future__ import annotations

import base64
import json
from typing import Any

from twins.hook import HOOK_CONTRACT

from chain.testing import Chain


class TokenWorld:
    """One token, some accounts, one receiving contract."""

    def __init__(self, initial: dict[str, int] | None = None, **more: Any) -> None:
        self.chain = chain = Chain()
        self.creator = chain.account("creator")
        balances = {"addr1": 12_340_000} if initial is None else initial
        fields = {"name": "Cash Token", "symbol": "CASH", "decimals": 9, **more}
        self.code = chain.store_code("token_v1")
        self.made = chain.try_instantiate(
            self.code,
            {
                **fields,
                "initial_balances": [
                    {"address": chain.account(name), "amount": str(amount)}
                    for name, amount in balances.items()
                ],
            },
            sender=self.creator,
            label="token",
            admin=self.creator,
        )
        self.token = self.made.address
        hook = chain.store_code(HOOK_CONTRACT)
        self.hook = chain.instantiate(hook, {}, sender=self.creator, label="hook")

    def account(self, name: str) -> str:
        """An address."""
        return str(self.chain.account(name))

    def run(self, sender: str, name: str, **fields: Any) -> Any:
        """One message by a named account; addresses are named too."""
        for key in ("recipient", "owner", "spender", "new_minter", "marketing"):
            if isinstance(fields.get(key), str) and fields[key].isalnum() and len(fields[key]) < 20:
                fields[key] = self.account(fields[key])
        if "amount" in fields:
            fields["amount"] = str(fields["amount"])
        if "msg" in fields:
            raw = json.dumps(fields["msg"], separators=(",", ":")).encode()
            fields["msg"] = base64.b64encode(raw).decode()
        return self.chain.try_execute(self.token, {name: fields}, sender=self.account(sender))

    def ask(self, name: str, **fields: Any) -> Any:
        """One question."""
        return self.chain.query(self.token, {name: fields})

    def balance(self, name: str) -> int:
        """A balance by account name, or by address."""
        address = name if name.startswith("msg1") else self.account(name)
        return int(self.ask("balance", address=address)["balance"])

    def supply(self) -> int:
        """The total supply."""
        return int(self.ask("token_info")["total_supply"])

    def allowance(self, owner: str, spender: str) -> Any:
        """An allowance by account names."""
        return self.ask("allowance", owner=self.account(owner), spender=self.account(spender))


def attributes(result: Any, skip: int = 1) -> list[tuple[str, str]]:
    """Attributes of the first ``wasm`` event without the address and the message index."""
    event = next(event for event in result.events if event.type == "wasm")
    return [(a.key, a.value) for a in event.attributes[skip:] if a.key != "msg_index"]
