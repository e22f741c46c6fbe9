"""A fungible token, twin of cw20-base 2.0."""

NAME = "token_v1"
VERSION = "1.0.0"
