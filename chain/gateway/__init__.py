"""Doors for agents: they turn requests into transactions and queries, and blocks into pushes.

Nothing that matters lives here: two gateways on one chain give the same answers.
"""
