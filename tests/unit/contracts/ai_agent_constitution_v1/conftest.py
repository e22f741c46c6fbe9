"""The shared net of the agent contracts."""

from agent_fixtures import agent_net, alice, bob, carol, dave, net

__all__ = ["agent_net", "alice", "bob", "carol", "dave", "net"]
