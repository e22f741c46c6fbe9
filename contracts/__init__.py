"""The contracts that ship with the chain, one folder each."""
