"""Agents: owner, account, price, card, discovery topics and spending policy."""

NAME = "agent_registry_v1"
VERSION = "1.0.0"
