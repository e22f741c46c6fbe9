"""When an allowance ends, at rest: a height, a time, or never (cw-utils' ``Expiration``)."""

from chain.std import BlockInfo, Empty, Expiration, Record, Timestamp
from contracts.token_v1.msg import OpenExpiration

NEVER = 0
AT_HEIGHT = 1
AT_TIME = 2


class Expiry(Record):
    """An expiration as it is stored: ``kind`` is one of the three numbers above."""

    kind: int
    value: int


def expiry_of(expires: OpenExpiration) -> Expiry:
    """From the message's form."""
    if expires.at_height is not None:
        return Expiry(AT_HEIGHT, expires.at_height)
    if expires.at_time is not None:
        return Expiry(AT_TIME, expires.at_time.nanos())
    return Expiry(NEVER, 0)


def is_expired(expiry: Expiry, block: BlockInfo) -> bool:
    """Over from the named height or time on, that is at equality already."""
    if expiry.kind == AT_HEIGHT:
        return block.height >= expiry.value
    if expiry.kind == AT_TIME:
        return block.time.nanos() >= expiry.value
    return False


def expiration_of(expiry: Expiry) -> Expiration:
    """Back to the answer's form."""
    if expiry.kind == AT_HEIGHT:
        return Expiration(at_height=expiry.value)
    if expiry.kind == AT_TIME:
        return Expiration(at_time=Timestamp(expiry.value))
    return Expiration(never=Empty())
