"""The files of a new contract project; PACKAGE and PROJECT stand for its names."""

from __future__ import annotations

from typing import Final

_PYPROJECT: Final = """[project]
name = "PROJECT"
version = "0.1.0"
description = "A contract for msgchain"
requires-python = ">=3.11"
dependencies = ["msgchain"]

[dependency-groups]
dev = ["pytest>=8"]

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "--import-mode=importlib"
"""

_README: Final = """# PROJECT

A savings box: everybody deposits coins and takes their own out again.

    pytest                        # unit tests and the invariant test
    pytest --gas-report           # gas per message
    pytest --invariant-runs 1000  # a longer attack
    msgchain devnet --contracts . # a local chain that knows the contract

| message | fields | what it does |
|---|---|---|
| `deposit` | | adds the attached coins to the sender's savings |
| `withdraw` | `amount` | pays that much of the sender's savings back |

`PACKAGE/msg.py` has the messages, `state.py` what is stored, `error.py` the refusals, `contract.py`
the rules.
"""

_INIT: Final = '''"""A savings box."""

NAME = "PACKAGE"
VERSION = "0.1.0"
'''

_MSG: Final = '''"""Messages of the savings box."""

from chain.std import Addr, Answer, Message, Uint128


class InstantiateMsg(Message):
    """Which coins the box takes."""

    denom: str


class Deposit(Message):
    """Add the attached coins to the sender's savings."""


class Withdraw(Message):
    """Pay a part of the sender's savings back."""

    amount: Uint128


EXECUTE = (Deposit, Withdraw)


class Savings(Message):
    """What an address has in the box."""

    address: Addr


class Total(Message):
    """What the box owes altogether."""


QUERY = (Savings, Total)


class AmountResponse(Answer):
    """Answer to both questions."""

    amount: Uint128


ANSWERS = {"savings": AmountResponse, "total": AmountResponse}
'''

_STATE: Final = '''"""What the savings box stores."""

from chain.std import Addr, Uint128
from chain.storage_plus import Item, Map

DENOM = Item("denom", str)
TOTAL = Item("total", Uint128)
SAVINGS = Map("savings", (Addr,), Uint128)
'''

_ERROR: Final = '''"""Refusals of the savings box."""

from chain.std import ContractError


class WrongCoins(ContractError):
    """The box takes one denomination."""

    def __init__(self, denom: str) -> None:
        super().__init__(f"Send {denom} and nothing else")


class NoCoins(ContractError):
    """This message takes no coins."""

    def __init__(self) -> None:
        super().__init__("This message takes no coins")


class NotEnough(ContractError):
    """More was asked for than there is."""

    def __init__(self, there: int, asked: int) -> None:
        super().__init__(f"There are {there}, asked for {asked}")
'''

_CONTRACT: Final = '''"""The rules of the savings box."""

from chain.std import (
    Addr,
    BankMsg,
    Coin,
    Deps,
    DepsMut,
    Env,
    ExecuteHandler,
    Message,
    MessageInfo,
    QueryHandler,
    Response,
    Uint128,
)

from .error import NoCoins, NotEnough, WrongCoins
from .msg import AmountResponse, Deposit, InstantiateMsg, Savings, Total, Withdraw
from .state import DENOM, SAVINGS, TOTAL


def instantiate(deps: DepsMut, env: Env, info: MessageInfo, msg: InstantiateMsg) -> Response:
    """An empty box."""
    if info.funds:
        raise NoCoins
    DENOM.save(deps.storage, msg.denom)
    TOTAL.save(deps.storage, Uint128(0))
    return Response()


def execute_deposit(deps: DepsMut, env: Env, info: MessageInfo, msg: Deposit) -> Response:
    """Add what is attached."""
    denom = DENOM.load(deps.storage)
    if len(info.funds) != 1 or info.funds[0].denom != denom:
        raise WrongCoins(denom)
    amount = info.funds[0].amount
    change_savings(deps, info.sender, amount)
    return Response().add_attribute("action", "deposit").add_attribute("amount", str(amount))


def execute_withdraw(deps: DepsMut, env: Env, info: MessageInfo, msg: Withdraw) -> Response:
    """Pay out of the sender's own."""
    if info.funds:
        raise NoCoins
    there = SAVINGS.may_load(deps.storage, info.sender) or 0
    if msg.amount == 0 or msg.amount > there:
        raise NotEnough(there, msg.amount)
    change_savings(deps, info.sender, -msg.amount)
    coin = Coin(DENOM.load(deps.storage), msg.amount)
    return (
        Response()
        .add_attribute("action", "withdraw")
        .add_attribute("amount", str(msg.amount))
        .add_message(BankMsg.Send(info.sender, [coin]))
    )


def change_savings(deps: DepsMut, owner_addr: Addr, change: int) -> None:
    """One account and the total, by the same amount."""
    savings = (SAVINGS.may_load(deps.storage, owner_addr) or 0) + change
    SAVINGS.save(deps.storage, owner_addr, Uint128(savings))
    TOTAL.save(deps.storage, Uint128(TOTAL.load(deps.storage) + change))


def query_savings(deps: Deps, env: Env, msg: Savings) -> AmountResponse:
    """0 for an address that never deposited."""
    addr = deps.api.addr_validate(msg.address)
    return AmountResponse(SAVINGS.may_load(deps.storage, addr) or Uint128(0))


def query_total(deps: Deps, env: Env, msg: Total) -> AmountResponse:
    """All savings together."""
    return AmountResponse(TOTAL.load(deps.storage))


EXECUTE_HANDLERS: dict[str, ExecuteHandler] = {
    "deposit": execute_deposit,
    "withdraw": execute_withdraw,
}

QUERY_HANDLERS: dict[str, QueryHandler] = {"savings": query_savings, "total": query_total}


def execute(deps: DepsMut, env: Env, info: MessageInfo, msg: Message) -> Response:
    """One handler a message."""
    return EXECUTE_HANDLERS[msg.variant](deps, env, info, msg)


def query(deps: Deps, env: Env, msg: Message) -> object:
    """One handler a question."""
    return QUERY_HANDLERS[msg.variant](deps, env, msg)
'''

_TEST: Final = '''"""The savings box, call by call; msgchain brings the fixtures it uses."""

from pathlib import Path

import pytest

CONTRACT = Path(__file__).parents[1] / "PACKAGE"


@pytest.fixture
def box(make_contract):
    return make_contract(CONTRACT, {"denom": "amsg"})


def test_what_goes_in_comes_out(chain, accounts, box):
    alice = accounts["alice"]
    chain.execute(box, {"deposit": {}}, sender=alice, funds="7amsg")
    chain.execute(box, {"withdraw": {"amount": "3"}}, sender=alice)
    assert chain.query(box, {"savings": {"address": alice}}) == {"amount": "4"}
    assert chain.balance(box) == 4


def test_nobody_takes_what_is_anothers(chain, accounts, box):
    chain.execute(box, {"deposit": {}}, sender=accounts["alice"], funds="7amsg")
    refused = chain.try_execute(box, {"withdraw": {"amount": "1"}}, sender=accounts["bob"])
    assert "There are 0, asked for 1" in refused.log
'''

_INVARIANT: Final = '''"""Hypothesis attacks the savings box with messages of its own making."""

from pathlib import Path

from chain.testing import contract_machine

CONTRACT = Path(__file__).parents[1] / "PACKAGE"


def solvent(chain, address):
    """The box has what it owes."""
    assert chain.balance(address) >= int(chain.query(address, {"total": {}})["amount"])


TestSavings = contract_machine(
    CONTRACT, instantiate={"denom": "amsg"}, invariants=[solvent]
).TestCase
'''

_IGNORE: Final = """.hypothesis/
.msgchain/
.pytest_cache/
__pycache__/
"""

#: path in the project -> text
FILES: Final = {
    "pyproject.toml": _PYPROJECT,
    "README.md": _README,
    ".gitignore": _IGNORE,
    "PACKAGE/__init__.py": _INIT,
    "PACKAGE/msg.py": _MSG,
    "PACKAGE/state.py": _STATE,
    "PACKAGE/error.py": _ERROR,
    "PACKAGE/contract.py": _CONTRACT,
    "tests/test_contract.py": _TEST,
    "tests/test_invariants.py": _INVARIANT,
}
