"""Messages, channels, capabilities and intents between agents."""

NAME = "agent_a2a_v1"
VERSION = "1.0.0"
