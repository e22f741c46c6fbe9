"""``cosmos.auth.v1beta1.Query``: accounts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from chain.app import accounts, gov, keys, records
from chain.app.bank import FEE_COLLECTOR, GOV, WASM
from chain.app.queries.desk import Desk
from chain.app.queries.failure import Failure
from chain.app.queries.paging import counted
from chain.app.records import Account
from chain.crypto.addresses import AddressError, humanize, module_address, validate
from chain.gas import SIG_ED25519, SIG_SECP256K1, TX_SIZE_BYTE
from chain.tx.encode import encode_pubkey
from chain.tx.proto import message

_AUTH: Final = "cosmos.auth.v1beta1."
#: module accounts that exist, with the SDK's permissions
_MODULES: Final[dict[str, tuple[str, ...]]] = {
    "bonded_tokens_pool": ("burner", "staking"),
    "distribution": (),
    FEE_COLLECTOR: (),
    GOV: ("burner",),
    "mint": ("minter",),
    "not_bonded_tokens_pool": ("burner", "staking"),
    WASM: ("burner",),
}
_ANY: Final = message("google.protobuf.Any")
_BASE: Final = message(_AUTH + "BaseAccount")
_MODULE: Final = message(_AUTH + "ModuleAccount")


def _response(name: str) -> Any:
    return message(f"{_AUTH}{name}Response")()


def _base(desk: Desk, canonical: bytes, account: Account) -> Any:
    made = _BASE(
        address=desk.text(canonical), account_number=account.number, sequence=account.sequence
    )
    pubkey = accounts.may_load_key(desk.view, canonical)
    if pubkey is not None:
        url, value = encode_pubkey(pubkey)
        made.pub_key.type_url = url
        made.pub_key.value = value
    return made


def _packed(desk: Desk, canonical: bytes, account: Account) -> Any:
    base = _base(desk, canonical, account)
    for name, permissions in _MODULES.items():
        if base.address == module_address(name, desk.prefix):
            made = _MODULE(base_account=base, name=name, permissions=permissions)
            return _ANY(type_url=f"/{_AUTH}ModuleAccount", value=made.SerializeToString())
    return _ANY(type_url=f"/{_AUTH}BaseAccount", value=base.SerializeToString())


def _load(desk: Desk, address: str) -> tuple[bytes, Account]:
    if not address:
        raise Failure.argument("Address cannot be empty")
    canonical = desk.canonical(address)
    found = accounts.may_load(desk.view, canonical)
    if found is None:
        raise Failure.missing(f"account {address} not found")
    return canonical, found


def account(desk: Desk, request: Any) -> Any:
    """One account."""
    answer = _response("QueryAccount")
    answer.account.CopyFrom(_packed(desk, *_load(desk, request.address)))
    return answer


def account_info(desk: Desk, request: Any) -> Any:
    """One account, whatever kind it is."""
    if not request.address:
        raise Failure.argument("address cannot be empty")
    answer = _response("QueryAccountInfo")
    answer.info.CopyFrom(_base(desk, *_load(desk, request.address)))
    return answer


def account_list(desk: Desk, request: Any) -> Any:
    """All accounts, in the order of their bytes."""
    page = counted(desk.view, keys.ACCOUNT, request, Failure.plain)
    answer = _response("QueryAccounts")
    for canonical, raw in page.rows:
        answer.accounts.append(_packed(desk, canonical, records.decode_account(raw)))
    answer.pagination.CopyFrom(page.pagination)
    return answer


def address_by_id(desk: Desk, request: Any) -> Any:
    """The address of an account number."""
    wanted = request.account_id
    if request.id:
        raise Failure.argument(
            "requesting with id isn't supported, try to request using account-id"
        )
    for key, raw in desk.view.range(keys.ACCOUNT, keys.prefix_end(keys.ACCOUNT)):
        if records.decode_account(raw).number == wanted:
            answer = _response("QueryAccountAddressByID")
            answer.account_address = desk.text(key[len(keys.ACCOUNT) :])
            return answer
    raise Failure.missing(f"account address not found with account number {wanted}")


def params(desk: Desk, request: Any) -> Any:
    """Limits and gas of signatures and sizes."""
    found = gov.load_params(desk.view)
    answer = _response("QueryParams")
    answer.params.max_memo_characters = found.memo_max_bytes
    answer.params.tx_sig_limit = found.signatures_max
    answer.params.tx_size_cost_per_byte = TX_SIZE_BYTE
    answer.params.sig_verify_cost_ed25519 = SIG_ED25519
    answer.params.sig_verify_cost_secp256k1 = SIG_SECP256K1
    return answer


def _module(desk: Desk, name: str) -> Any:
    canonical = validate(module_address(name, desk.prefix), desk.prefix)
    found = accounts.may_load(desk.view, canonical)
    return None if found is None else _packed(desk, canonical, found)


def module_accounts(desk: Desk, request: Any) -> Any:
    """The module accounts by name."""
    answer = _response("QueryModuleAccounts")
    for name in sorted(_MODULES):
        found = _module(desk, name)
        if found is not None:
            answer.accounts.append(found)
    return answer


def module_account_by_name(desk: Desk, request: Any) -> Any:
    """One module account."""
    if not request.name:
        raise Failure.argument("module name is empty")
    found = _module(desk, request.name) if request.name in _MODULES else None
    if found is None:
        raise Failure.missing(f"account {request.name} not found")
    answer = _response("QueryModuleAccountByName")
    answer.account.CopyFrom(found)
    return answer


def bech32_prefix(desk: Desk, request: Any) -> Any:
    """The address prefix."""
    answer = _response("Bech32Prefix")
    answer.bech32_prefix = desk.prefix
    return answer


def address_to_text(desk: Desk, request: Any) -> Any:
    """The text of an address's bytes."""
    if not request.address_bytes:
        raise Failure.argument("empty address bytes is not allowed")
    answer = _response("AddressBytesToString")
    try:
        answer.address_string = humanize(request.address_bytes, desk.prefix)
    except AddressError as error:
        raise Failure.plain(str(error)) from None
    return answer


def address_to_bytes(desk: Desk, request: Any) -> Any:
    """The bytes of an address's text."""
    if not request.address_string.strip():
        raise Failure.argument("empty address string is not allowed")
    answer = _response("AddressStringToBytes")
    answer.address_bytes = desk.canonical(request.address_string)
    return answer


HANDLERS: Final[dict[str, Callable[[Desk, Any], Any]]] = {
    "Account": account,
    "AccountInfo": account_info,
    "Accounts": account_list,
    "AccountAddressByID": address_by_id,
    "Params": params,
    "ModuleAccounts": module_accounts,
    "ModuleAccountByName": module_account_by_name,
    "Bech32Prefix": bech32_prefix,
    "AddressBytesToString": address_to_text,
    "AddressStringToBytes": address_to_bytes,
}
