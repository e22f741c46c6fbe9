"""Contracts of functions at module level, which a replay can import."""

from chain.std import ContractError, Response
from chain.storage_plus import Item
from chain.testing import Contract

COUNT = Item("count", int)


def instantiate(deps, env, info, msg):
    """Start counting."""
    COUNT.save(deps.storage, msg["start"])
    return Response()


def execute(deps, env, info, msg):
    """Add."""
    if "add" not in msg:
        raise ContractError("unknown message")
    total = COUNT.update(deps.storage, lambda n: n + msg["add"]["by"])
    return Response().add_attribute("total", str(total)).set_data(str(total).encode())


def sudo(deps, env, msg):
    """Set."""
    COUNT.save(deps.storage, msg["set"])
    return Response()


counter = Contract(name="counter", instantiate=instantiate, execute=execute, sudo=sudo)
