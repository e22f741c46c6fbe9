"""Transactions as bytes and values: the native codec, the Cosmos codec, sign documents and
builders.
"""
