"""``cosmos.bank.v1beta1.Query``: balances and supply. Answers in ``umsg`` or ``msg`` are rounded
down."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from chain.app import gov, keys
from chain.app.keys import decode_amount
from chain.app.queries.desk import Desk
from chain.app.queries.failure import Failure
from chain.app.queries.paging import LIMIT, counted, internal, one_start
from chain.app.units import BASE, UNITS, query_denom, valid_denom
from chain.tx.proto import message

_BANK: Final = "cosmos.bank.v1beta1."
_COIN: Final = message("cosmos.base.v1beta1.Coin")
#: balances that one page of owners looks at
_OWNERS_SCAN: Final = 100_000


def _response(name: str) -> Any:
    return message(f"{_BANK}Query{name}Response")()


def _denom(denom: str) -> tuple[str, int]:
    if not valid_denom(denom):
        raise Failure.argument(f"invalid denom: {denom}")
    return query_denom(denom)


def _coin(denom: str, amount: int) -> Any:
    return _COIN(denom=denom, amount=str(amount))


def _one(desk: Desk, request: Any) -> Any:
    stored, factor = _denom(request.denom)
    canonical = desk.argument(request.address)
    amount = decode_amount(desk.view.get(keys.balance(canonical, stored)))
    return _coin(request.denom, amount // factor)


def balance(desk: Desk, request: Any) -> Any:
    """One balance."""
    answer = _response("Balance")
    answer.balance.CopyFrom(_one(desk, request))
    return answer


def spendable_by_denom(desk: Desk, request: Any) -> Any:
    """The same: nothing is ever locked."""
    canonical = desk.argument(request.address)
    stored, factor = _denom(request.denom)
    amount = decode_amount(desk.view.get(keys.balance(canonical, stored)))
    answer = _response("SpendableBalanceByDenom")
    answer.balance.CopyFrom(_coin(request.denom, amount // factor))
    return answer


def _all(desk: Desk, request: Any, name: str) -> Any:
    page = counted(desk.view, keys.balances(desk.argument(request.address)), request)
    answer = _response(name)
    answer.balances.extend([_coin(key.decode(), decode_amount(raw)) for key, raw in page.rows])
    answer.pagination.CopyFrom(page.pagination)
    return answer


def all_balances(desk: Desk, request: Any) -> Any:
    """All balances of an address."""
    return _all(desk, request, "AllBalances")


def spendable_balances(desk: Desk, request: Any) -> Any:
    """The same."""
    return _all(desk, request, "SpendableBalances")


def total_supply(desk: Desk, request: Any) -> Any:
    """How much of everything there is."""
    page = counted(desk.view, keys.SUPPLY, request, internal)
    answer = _response("TotalSupply")
    answer.supply.extend([_coin(key.decode(), decode_amount(raw)) for key, raw in page.rows])
    answer.pagination.CopyFrom(page.pagination)
    return answer


def supply_of(desk: Desk, request: Any) -> Any:
    """How much of one thing there is."""
    stored, factor = _denom(request.denom)
    amount = decode_amount(desk.view.get(keys.supply(stored)))
    answer = _response("SupplyOf")
    answer.amount.CopyFrom(_coin(request.denom, amount // factor))
    return answer


def params(desk: Desk, request: Any) -> Any:
    """Whether sending is on."""
    answer = _response("Params")
    answer.params.default_send_enabled = True
    return answer


def send_enabled(desk: Desk, request: Any) -> Any:
    """What may not be sent."""
    disabled = gov.load_params(desk.view).send_disabled
    asked = list(request.denoms)
    if not asked:
        one_start(request.pagination, internal)
    answer = _response("SendEnabled")
    for denom in asked or disabled:
        if not asked or denom in disabled:
            answer.send_enabled.add(denom=denom, enabled=False)
    if not asked:
        answer.pagination.total = len(disabled)
    return answer


def _fill_metadata(made: Any) -> None:
    made.description = "The native token of the chain"
    for unit, factor in UNITS.items():
        made.denom_units.add(denom=unit, exponent=len(str(factor)) - 1)
    made.base, made.display, made.name, made.symbol = BASE, "msg", "MSG", "MSG"


def metadata(desk: Desk, request: Any) -> Any:
    """What a denomination is: known of the native token only."""
    if not valid_denom(request.denom):
        raise Failure.argument(f"invalid denom: {request.denom}")
    if request.denom not in UNITS:
        raise Failure.missing(f"client metadata for denom {request.denom}")
    answer = _response("DenomMetadata")
    _fill_metadata(answer.metadata)
    return answer


def metadata_by_text(desk: Desk, request: Any) -> Any:
    """The same."""
    found = metadata(desk, request)
    answer = _response("DenomMetadataByQueryString")
    answer.metadata.CopyFrom(found.metadata)
    return answer


def all_metadata(desk: Desk, request: Any) -> Any:
    """What all denominations are."""
    asked = request.pagination
    one_start(asked, internal)
    start, only = asked.key, BASE.encode()
    answer = _response("DenomsMetadata")
    after = start and (start < only if asked.reverse else start > only)
    if not after and not asked.offset:
        _fill_metadata(answer.metadatas.add())
    if not start and (asked.count_total or not asked.limit):
        answer.pagination.total = 1
    answer.pagination.SetInParent()
    return answer


def denom_owners(desk: Desk, request: Any) -> Any:
    """Who holds a denomination; a page also ends after many balances of others."""
    stored, factor = _denom(request.denom)
    asked = request.pagination
    one_start(asked, Failure.plain)
    limit = min(asked.limit or LIMIT, _OWNERS_SCAN)
    wanted = stored.encode()
    answer = _response("DenomOwners")
    seen = 0
    start, end = keys.BALANCE, keys.prefix_end(keys.BALANCE)
    if asked.key and asked.reverse:
        end = keys.prefix_end(start + asked.key)
    elif asked.key:
        start += asked.key
    rows = desk.view.range(start, end, asked.reverse)
    for number, (key, raw) in enumerate(islice(rows, _OWNERS_SCAN + 1)):
        body = key[len(keys.BALANCE) :]
        width = body[0] + 1
        if number == _OWNERS_SCAN:
            answer.pagination.next_key = body[:width]
            break
        if body[width:] != wanted:
            continue
        seen += 1
        if seen <= asked.offset:
            continue
        if len(answer.denom_owners) == limit:
            if not answer.pagination.next_key:
                answer.pagination.next_key = body[:width]
            if asked.key or not (asked.count_total or not asked.limit):
                break
            continue
        owner = answer.denom_owners.add(address=desk.text(body[1:width]))
        owner.balance.CopyFrom(_coin(request.denom, decode_amount(raw) // factor))
    if not asked.key and (asked.count_total or not asked.limit):
        answer.pagination.total = seen if answer.denom_owners or not asked.offset else 0
    answer.pagination.SetInParent()
    return answer


HANDLERS: Final[dict[str, Callable[[Desk, Any], Any]]] = {
    "Balance": balance,
    "AllBalances": all_balances,
    "SpendableBalances": spendable_balances,
    "SpendableBalanceByDenom": spendable_by_denom,
    "TotalSupply": total_supply,
    "SupplyOf": supply_of,
    "Params": params,
    "SendEnabled": send_enabled,
    "DenomMetadata": metadata,
    "DenomMetadataByQueryString": metadata_by_text,
    "DenomsMetadata": all_metadata,
    "DenomOwners": denom_owners,
}
