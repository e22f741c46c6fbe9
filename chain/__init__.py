"""A deterministic state machine with CosmWasm-shaped contracts, and the doors around it."""
