"""A process that checks signatures for another one: ``python -m chain.crypto.worker``.

Both ways frames: from standard input four bytes of length, eight of a number and the jobs in
MessagePack; to standard output the same number and one byte a job, 1 where its signature holds.
It says ``READY`` first, and ends when its input does, so it never outlives who started it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import BinaryIO, Final

import msgspec

from chain.crypto.verify import SigJob, verify

READY: Final = b"+"
LENGTH_BYTES: Final = 4
NUMBER_BYTES: Final = 8
_JOBS: Final = msgspec.msgpack.Decoder(list[SigJob])


def serve(source: BinaryIO, target: int) -> None:
    """Answer frames until there are no more."""
    os.write(target, READY)
    while True:
        head = source.read(LENGTH_BYTES)
        if len(head) < LENGTH_BYTES:
            return
        size = int.from_bytes(head, "big")
        frame = source.read(size)
        if len(frame) < size:
            return
        answers = bytes([verify(job) for job in _JOBS.decode(frame[NUMBER_BYTES:])])
        os.write(target, frame[:NUMBER_BYTES] + answers)


def main() -> int:
    """Serve standard input; whoever started it ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(BrokenPipeError):  # nobody is there to read
        serve(sys.stdin.buffer, sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
