"""DID documents of agents, signature checks against them, challenge and response."""

NAME = "did_registry_v1"
VERSION = "1.0.0"
