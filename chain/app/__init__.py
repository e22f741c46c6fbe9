"""The application: the ABCI-shaped state machine. No clock, socket, thread or float lives here or
below.
"""
