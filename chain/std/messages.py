"""Messages that a contract dispatches: to the bank and to other contracts.

Each has CosmWasm's JSON form (``to_json``) and can be read from it (``message_from_json``). ``msg``
may be given as bytes, as a ``Message`` or as plain values; it is bytes from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import Struct

from chain.std.decode import convert
from chain.std.encode import encode, encode_message
from chain.std.numbers import U64, Binary, base64_encode
from chain.std.records import Coin


def _coins(amount: Iterable[Coin]) -> tuple[Coin, ...]:
    return tuple(amount)


def _coin_json(amount: tuple[Coin, ...]) -> list[dict[str, str]]:
    return [{"denom": c.denom, "amount": int.__repr__(c.amount)} for c in amount]


def _plain_msg(value: Any) -> bytes:
    """The message of an instantiate or migrate: a plain object, never a variant."""
    return bytes(value) if isinstance(value, bytes) else encode(value)


class _Dispatched:
    """Equality and text of a dispatched message: by its fields."""

    __slots__ = ()
    kind: tuple[str, str] = ("", "")

    def fields(self) -> dict[str, Any]:
        """Its fields as the JSON form has them."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """CosmWasm's JSON form as plain values."""
        return {self.kind[0]: {self.kind[1]: self.fields()}}

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, _Dispatched)
            and self.fields() == other.fields()
        )

    def __hash__(self) -> int:
        raise TypeError(f"{type(self).__name__} has no hash")

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.fields().items())
        return f"{type(self).__qualname__}({inner})"


class _Send(_Dispatched):
    """Move coins from the contract to an address."""

    __slots__ = ("amount", "to_address")
    kind = ("bank", "send")

    def __init__(self, to_address: str, amount: Iterable[Coin]) -> None:
        self.to_address = to_address
        self.amount = _coins(amount)

    def fields(self) -> dict[str, Any]:
        return {"to_address": self.to_address, "amount": _coin_json(self.amount)}


class _Burn(_Dispatched):
    """Destroy coins of the contract."""

    __slots__ = ("amount",)
    kind = ("bank", "burn")

    def __init__(self, amount: Iterable[Coin]) -> None:
        self.amount = _coins(amount)

    def fields(self) -> dict[str, Any]:
        return {"amount": _coin_json(self.amount)}


class _Execute(_Dispatched):
    """Call a contract's ``execute``."""

    __slots__ = ("contract_addr", "funds", "msg")
    kind = ("wasm", "execute")

    def __init__(self, contract_addr: str, msg: Any, funds: Iterable[Coin] = ()) -> None:
        self.contract_addr = contract_addr
        self.msg = encode_message(msg)
        self.funds = _coins(funds)

    def fields(self) -> dict[str, Any]:
        return {
            "contract_addr": self.contract_addr,
            "msg": base64_encode(self.msg),
            "funds": _coin_json(self.funds),
        }


class _Instantiate(_Dispatched):
    """Make a contract from a code."""

    __slots__ = ("admin", "code_id", "funds", "label", "msg")
    kind = ("wasm", "instantiate")

    def __init__(
        self,
        code_id: int,
        msg: Any,
        label: str,
        funds: Iterable[Coin] = (),
        admin: str | None = None,
    ) -> None:
        self.code_id = code_id
        self.msg = _plain_msg(msg)
        self.label = label
        self.funds = _coins(funds)
        self.admin = admin

    def fields(self) -> dict[str, Any]:
        return {
            "admin": self.admin,
            "code_id": self.code_id,
            "msg": base64_encode(self.msg),
            "funds": _coin_json(self.funds),
            "label": self.label,
        }


class _Instantiate2(_Dispatched):
    """Make a contract at a predictable address (INST-7)."""

    __slots__ = ("admin", "code_id", "funds", "label", "msg", "salt")
    kind = ("wasm", "instantiate2")

    def __init__(  # noqa: PLR0917  (wasmd's fields, in its order)
        self,
        code_id: int,
        msg: Any,
        label: str,
        salt: bytes,
        funds: Iterable[Coin] = (),
        admin: str | None = None,
    ) -> None:
        self.code_id = code_id
        self.msg = _plain_msg(msg)
        self.label = label
        self.salt = bytes(salt)
        self.funds = _coins(funds)
        self.admin = admin

    def fields(self) -> dict[str, Any]:
        return {
            "admin": self.admin,
            "code_id": self.code_id,
            "label": self.label,
            "msg": base64_encode(self.msg),
            "funds": _coin_json(self.funds),
            "salt": base64_encode(self.salt),
        }


class _Migrate(_Dispatched):
    """Give a contract another code."""

    __slots__ = ("contract_addr", "msg", "new_code_id")
    kind = ("wasm", "migrate")

    def __init__(self, contract_addr: str, new_code_id: int, msg: Any) -> None:
        self.contract_addr = contract_addr
        self.new_code_id = new_code_id
        self.msg = _plain_msg(msg)

    def fields(self) -> dict[str, Any]:
        return {
            "contract_addr": self.contract_addr,
            "new_code_id": self.new_code_id,
            "msg": base64_encode(self.msg),
        }


class _UpdateAdmin(_Dispatched):
    """Hand a contract to another admin."""

    __slots__ = ("admin", "contract_addr")
    kind = ("wasm", "update_admin")

    def __init__(self, contract_addr: str, admin: str) -> None:
        self.contract_addr = contract_addr
        self.admin = admin

    def fields(self) -> dict[str, Any]:
        return {"contract_addr": self.contract_addr, "admin": self.admin}


class _ClearAdmin(_Dispatched):
    """Leave a contract without admin."""

    __slots__ = ("contract_addr",)
    kind = ("wasm", "clear_admin")

    def __init__(self, contract_addr: str) -> None:
        self.contract_addr = contract_addr

    def fields(self) -> dict[str, Any]:
        return {"contract_addr": self.contract_addr}


for _owner, _classes in (
    ("BankMsg", (_Send, _Burn)),
    (
        "WasmMsg",
        (_Execute, _Instantiate, _Instantiate2, _Migrate, _UpdateAdmin, _ClearAdmin),
    ),
):
    for _class in _classes:
        _class.__qualname__ = f"{_owner}.{_class.__name__.lstrip('_')}"


class BankMsg:
    """Messages to the bank."""

    Send = _Send
    Burn = _Burn


class WasmMsg:
    """Messages to contracts and about them."""

    Execute = _Execute
    Instantiate = _Instantiate
    Instantiate2 = _Instantiate2
    Migrate = _Migrate
    UpdateAdmin = _UpdateAdmin
    ClearAdmin = _ClearAdmin


CosmosMsg = (
    _Send | _Burn | _Execute | _Instantiate | _Instantiate2 | _Migrate | _UpdateAdmin | _ClearAdmin
)


class _SendJson(Struct):
    to_address: str
    amount: list[Coin]


class _BurnJson(Struct):
    amount: list[Coin]


class _ExecuteJson(Struct):
    contract_addr: str
    msg: Binary
    funds: list[Coin]


class _InstantiateJson(Struct):
    code_id: U64
    msg: Binary
    label: str
    funds: list[Coin]
    admin: str | None = None


class _Instantiate2Json(Struct):
    code_id: U64
    msg: Binary
    label: str
    salt: Binary
    funds: list[Coin]
    admin: str | None = None


class _MigrateJson(Struct):
    contract_addr: str
    new_code_id: U64
    msg: Binary


class _UpdateAdminJson(Struct):
    contract_addr: str
    admin: str


class _ClearAdminJson(Struct):
    contract_addr: str


_FORMS: Final[dict[tuple[str, str], tuple[Any, Any]]] = {
    _Send.kind: (_Send, _SendJson),
    _Burn.kind: (_Burn, _BurnJson),
    _Execute.kind: (_Execute, _ExecuteJson),
    _Instantiate.kind: (_Instantiate, _InstantiateJson),
    _Instantiate2.kind: (_Instantiate2, _Instantiate2Json),
    _Migrate.kind: (_Migrate, _MigrateJson),
    _UpdateAdmin.kind: (_UpdateAdmin, _UpdateAdminJson),
    _ClearAdmin.kind: (_ClearAdmin, _ClearAdminJson),
}


def message_from_json(value: Any) -> CosmosMsg | None:
    """Read CosmWasm's JSON form.

    None for a kind that we do not know (wasm/20). Raises: ParseError.
    """
    if type(value) is dict and len(value) == 1:
        for module, inner in value.items():
            if type(inner) is dict and len(inner) == 1:
                for name, body in inner.items():
                    form = _FORMS.get((module, name)) if isinstance(module, str) else None
                    if form is not None:
                        maker, shape = form
                        read = convert(body, shape, "CosmosMsg")
                        arguments = {
                            field: getattr(read, field) for field in shape.__struct_fields__
                        }
                        return maker(**arguments)  # type: ignore[no-any-return]
    return None
