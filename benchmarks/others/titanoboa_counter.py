"""The counter in Vyper on titanoboa's chain in memory."""

import sys

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
_clock.report(lambda: contract.add(1), contract.count)
