"""What the three scripts share: they run in environments that know nothing of each other."""

import json
import resource
import sys
import time

STARTED = time.perf_counter()


def rate(work, seconds):
    """Calls a second of processor time; the best of ten parts."""
    work()
    best = 0.0
    for _ in range(10):
        began, count = time.process_time(), 0
        while time.process_time() - began < seconds / 10:
            work()
            count += 1
        best = max(best, count / (time.process_time() - began))
    return round(best)


def report(call, read, send):
    """Print the figures of one project."""
    ready = round(time.perf_counter() - STARTED, 2)
    seconds = float(sys.argv[1])
    made = {
        "start_seconds": ready,
        "calls_per_second": rate(call, seconds),
        "reads_per_second": rate(read, seconds),
        "messages_per_second": rate(send, seconds),
        "memory_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(json.dumps(made))
