"""A deterministic state machine with CosmWasm-shaped contracts, and the doors around it."""

__version__ = "0.1.0"
