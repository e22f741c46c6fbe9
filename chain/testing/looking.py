"""What laws ask of a machine: the contract's answers, and what it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chain.testing.chain import Chain
from chain.testing.results import QueryFailed


class Looking:
    """A machine's set, and questions to it; nothing here changes anything."""

    chain: Chain
    address: str
    actors: dict[str, str]
    contracts: dict[str, str]

    def ask(self, query: str, **fields: Any) -> Any:
        """The answer of the contract under attack to one of its queries. Raises: QueryFailed.

        >>> contract_machine(counter, instantiate={"start": 7})().ask("any")
        {'count': 7}
        """
        return self.chain.query(self.address, {query: fields})

    def holdings(self) -> dict[str, int]:
        """What the contract under attack has of every coin that an actor holds, by denomination,
        and of every token on the chain, by its address; 0 where it has none.

        >>> contract_machine(counter, instantiate={"start": 0}, actors=1)().holdings()
        {'amsg': 0, 'stray': 0}
        """
        found = {c.denom: 0 for who in self.actors.values() for c in self.chain.balances(who)}
        found |= {c.denom: int(c.amount) for c in self.chain.balances(self.address)}
        for token in self.contracts.values():
            try:
                answer = self.chain.query(token, {"balance": {"address": self.address}})
                found[token] = int(answer["balance"])
            except (QueryFailed, TypeError, KeyError, ValueError):
                continue  # no token
        return found

    def totals(self, lines: Iterable[Mapping[str, Any]]) -> dict[str, int]:
        """Amounts of what a contract says that it owes, for each kind in ``holdings``. A line has
        ``amount``, and ``denom`` (a coin's, or ``cw20:`` and a token's address) or ``address``.

        >>> machine = contract_machine(counter, instantiate={"start": 0}, actors=1)()
        >>> machine.totals([{"denom": "amsg", "amount": "2"}, {"denom": "amsg", "amount": "3"}])
        {'amsg': 5, 'stray': 0}
        """
        sums = dict.fromkeys(self.holdings(), 0)
        for line in lines:
            kind = str(line.get("denom") or line["address"]).removeprefix("cw20:")
            if kind in sums:
                sums[kind] += int(line["amount"])
        return sums
