"""The counter and the messages in Vyper on titanoboa's chain in memory."""

import sys
from pathlib import Path

sys.path.insert(0, "benchmarks/others")
import _clock
import boa

SOURCE = """
# pragma version ^0.4.0
count: public(uint256)

@external
def add(by: uint256):
    self.count += by
"""

contract = boa.loads(SOURCE)
contract.add(1)
messages = boa.loads(Path("benchmarks/others/messages.vy").read_text())
senders = [boa.env.generate_address() for _ in range(10)]
receiver = boa.env.generate_address()
sent = [0]


def send():
    """One message of the next sender; time moves on after each 300."""
    sent[0] += 1
    if sent[0] % 300 == 0:
        boa.env.time_travel(seconds=1)
    messages.send_message(receiver, 0, b"hello", 50, 3600, sender=senders[sent[0] % 10])


_clock.report(lambda: contract.add(1), contract.count, send)
