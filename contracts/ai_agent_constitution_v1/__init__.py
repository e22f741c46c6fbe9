"""Ordered allow and deny rules over what agents do, and the suspension of an agent."""

NAME = "ai_agent_constitution_v1"
VERSION = "1.0.0"
