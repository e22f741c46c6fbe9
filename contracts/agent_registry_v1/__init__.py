"""Agents: owner, account, price, card, discovery topics and spending policy."""

from __future__ import annotations

NAME = "agent_registry_v1"
VERSION = "1.0.0"
