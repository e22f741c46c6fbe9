"""The filter of a subscription: conditions joined by AND.

``message_type = request AND priority >= 100 AND sender != msg1…``. A word may stand in single
quotes. Only ``priority`` has an order.
"""

from chain.std import ascii_lower
from contracts.agent_a2a_v1.error import InvalidFilter
from contracts.agent_a2a_v1.state import MESSAGE_TYPES, TopicEntry

FILTER_LENGTH_MAX = 512
CONDITIONS_MAX = 8
OPERATORS = ("!=", ">=", "<=", "=", ">", "<")
FIELDS = ("message_type", "priority", "sender")
PRIORITY_DIGITS_MAX = 3


def parse_filter(text: str) -> tuple[tuple[str, str, str], ...]:
    """Conditions as field, operator, value. Raises: InvalidFilter."""
    if len(text) > FILTER_LENGTH_MAX or not text.isascii():
        raise InvalidFilter("too long, or not plain text")
    conditions = []
    words: list[str] = []
    for word in [*text.split(" "), "AND"]:
        if ascii_lower(word) == "and":
            conditions.append(parse_condition("".join(words)))
            words = []
        else:
            words.append(word)
    if len(conditions) > CONDITIONS_MAX:
        raise InvalidFilter(f"more than {CONDITIONS_MAX} conditions")
    return tuple(conditions)


def parse_condition(text: str) -> tuple[str, str, str]:
    """One condition without blanks."""
    for operator in OPERATORS:
        field, found, value = text.partition(operator)
        if found == "":
            continue
        if len(value) >= 2 and value[0] == "'" and value[-1] == "'":
            value = value[1:-1]
        return checked_condition(ascii_lower(field), operator, value)
    raise InvalidFilter("a condition is a field, an operator and a value")


def checked_condition(field: str, operator: str, value: str) -> tuple[str, str, str]:
    """The condition, if it means something."""
    if field not in FIELDS:
        raise InvalidFilter(f"unknown field {field}")
    if field == "priority":
        if not (1 <= len(value) <= PRIORITY_DIGITS_MAX and value.strip("0123456789") == ""):
            raise InvalidFilter("priority is compared with a number")
        return (field, operator, value)
    if operator not in ("=", "!="):
        raise InvalidFilter(f"{field} has no order")
    if field == "message_type":
        value = ascii_lower(value)
        if value not in MESSAGE_TYPES:
            raise InvalidFilter(f"unknown message type {value}")
    elif value == "" or value.strip("abcdefghijklmnopqrstuvwxyz0123456789") != "":
        raise InvalidFilter("sender is compared with an address")
    return (field, operator, value)


def passes(conditions: tuple[tuple[str, str, str], ...], entry: TopicEntry) -> bool:
    """Whether a message meets every condition."""
    for field, operator, value in conditions:
        if field == "priority":
            if not compare(entry.priority, operator, int(value)):
                return False
        else:
            held = MESSAGE_TYPES[entry.message_type] if field == "message_type" else entry.sender
            if (held == value) != (operator == "="):
                return False
    return True


def compare(left: int, operator: str, right: int) -> bool:
    """Apply an operator."""
    if operator == "=":
        return left == right
    if operator == "!=":
        return left != right
    if operator == ">":
        return left > right
    if operator == ">=":
        return left >= right
    if operator == "<":
        return left < right
    return left <= right
