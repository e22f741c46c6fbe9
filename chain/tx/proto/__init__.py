"""Protobuf classes for clients and queries, built from tables at import; transactions are not
decoded with them.

``message("cosmos.bank.v1beta1.QueryBalanceRequest")`` gives the class. The tables are in this
folder, one file a package; the descriptor pool is private, so that other libraries' copies of the
same packages do not collide with ours.
"""

from chain.tx.proto.pool import message, message_names

__all__ = ["message", "message_names"]
