"""The counter and ``agent_a2a_v1`` on this project's test chain, in the room."""

import sys

sys.path.insert(0, "benchmarks/others")
import _clock

sys.path.insert(0, ".")
from benchmarks.calls import Counter, Messages

counter, messages = Counter(), Messages()
counter.add()
_clock.report(counter.add, counter.count, messages.send)
