"""The published test kit: an in-memory chain, mocks, strategies and state machines."""
