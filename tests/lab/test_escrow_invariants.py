"""The invariant test of the README: a contract author's view of escrow_v1."""

from chain.testing import contract_machine


def solvent(chain, address):
    """The escrow has what it owes, and knows what it owes."""
    owed = sum(int(e["amount"]) for e in chain.query(address, {"list_open": {}})["escrows"])
    claims = chain.query(address, {"list_claimable": {}})["claims"]
    owed += sum(int(c["amount"]) for c in claims if c["denom"] == "amsg")
    assert chain.balance(address) >= owed
    assert int(chain.query(address, {"held": {}})["amount"]) == owed


TestEscrow = contract_machine("escrow_v1", instantiate={}, invariants=[solvent]).TestCase
