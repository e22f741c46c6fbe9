"""A2A tasks with payment.

The price is held here and leaves exactly once, with the state that decides where it goes.
"""

NAME = "agent_tasks_v1"
VERSION = "1.0.0"
