"""Escrow with an arbiter for coins and CW20 tokens: cw20-escrow with a way out of every state."""

NAME = "escrow_v1"
VERSION = "1.0.0"
