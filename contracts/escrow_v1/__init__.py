"""Escrow with an arbiter for native coins and CW20 tokens, twin of cw20-escrow with a way out of every state."""

NAME = "escrow_v1"
VERSION = "1.0.0"
