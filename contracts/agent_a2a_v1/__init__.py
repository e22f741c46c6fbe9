"""Messages, channels, capabilities and intents between agents."""

from __future__ import annotations

NAME = "agent_a2a_v1"
VERSION = "1.0.0"
