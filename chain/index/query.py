"""The query language of subscriptions and searches: CometBFT's, with its error texts.

Conditions are joined by ``AND``. A condition is ``tag operator value``: a tag is
``type.attribute``; operators are ``= < <= > >= CONTAINS EXISTS``; values are ``'text'``, numbers,
``DATE yyyy-mm-dd`` and ``TIME <RFC 3339>``. A subscription also compares a number with the digits
that a value such as ``8umsg`` starts with; a search compares it with whole numbers only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from fractions import Fraction
from typing import Final

import msgspec

QUERY_MAX: Final = 512
_OPERATORS: Final = ("<=", ">=", "<", ">", "=", "CONTAINS", "EXISTS")
_NAMES: Final = {
    "tag": "tag",
    "string": "string",
    "number": "number",
    "time": "timestamp",
    "date": "datestamp",
    "AND": "AND operator",
    **{word: f"{word} operator" for word in _OPERATORS},
}
_ARGUMENTS: Final = {
    "=": ("number", "time", "date", "string"),
    "CONTAINS": ("string",),
}
_ORDERED: Final = ("number", "time", "date")
_LEADING: Final = re.compile(r"\d+(?:\.\d+)?")
_WHOLE: Final = re.compile(r"[+-]?\d+")
_WRITTEN: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
_AND_NUMBER: Final = 6  # CometBFT shows the number of this token where it means its name
_FIRST_YEAR, _LAST_YEAR = 1900, 2999


class QueryError(Exception):
    """A query that cannot be read; the text is CometBFT's."""


class Condition(msgspec.Struct, frozen=True):
    """``tag operator value``; ``kind`` says what the value is, empty for ``EXISTS``."""

    tag: str
    operator: str
    kind: str = ""
    value: str = ""

    @property
    def text(self) -> str:
        """The condition in its one spelling."""
        shown = {"string": f" '{self.value}'", "time": f" TIME {self.value}"}
        shown["date"], shown["number"], shown[""] = f" DATE {self.value}", f" {self.value}", ""
        return f"{self.tag} {self.operator}{shown[self.kind]}"


class _Scanner:
    """Cuts a query into tokens. Offsets are counted in bytes of UTF-8, as texts show them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.kind = ""
        self.value = ""
        self._start = 0

    @property
    def start(self) -> int:
        """The offset of the current token."""
        return len(self._text[: self._start].encode())

    def next(self) -> bool:
        """Go to the next token; False at the end. Raises: QueryError."""
        text, at = self._text, self._at
        self.kind = self.value = ""
        self._start = at
        while at < len(text) and text[at].isspace():
            at += 1
        self._at = at
        if at == len(text):
            self._start = at
            return False
        self._start = at
        letter = text[at]
        if "0" <= letter <= "9":
            self._number()
        elif letter == "_" or letter.isalpha() or letter.isdigit():
            self._word()
        elif letter == "'":
            self._string()
        elif letter in "<>=":
            wide = letter != "=" and text[at + 1 : at + 2] == "="
            self._take(at + 1 + wide)
            self.kind = self.value
        else:
            self._at = at + 1
            end = len(text[: at + 1].encode())
            raise QueryError(f"invalid input {letter} at offset {end}")
        return True

    def _take(self, end: int) -> None:
        self.value = self._text[self._start : end]
        self._at = end

    def _while(self, start: int, fits: Callable[[str], bool]) -> int:
        end = start
        while end < len(self._text) and fits(self._text[end]):
            end += 1
        return end

    def _number(self) -> None:
        end = self._while(self._at, _is_digit)
        if self._text[end : end + 1] == ".":
            end = self._while(end + 1, _is_digit)
        self.kind = "number"
        self._take(end)

    def _string(self) -> None:
        end = self._text.find("'", self._at + 1)
        if end < 0:
            self._at = len(self._text)
            raise QueryError("EOF")
        self.kind = "string"
        self.value = self._text[self._at + 1 : end]
        self._at = end + 1

    def _word(self) -> None:
        end = self._while(self._at, _is_tag)
        self._take(end)
        spaced = self._text[end : end + 1] == " "
        if self.value in ("TIME", "DATE") and spaced:
            self._moment(self.value.lower(), end + 1)
        else:
            self.kind = self.value if self.value in ("AND", "EXISTS", "CONTAINS") else "tag"

    def _moment(self, kind: str, start: int) -> None:
        end = self._while(start, _is_time if kind == "time" else _is_date)
        self.value = self._text[start:end]
        self._at = end
        found = parse_moment(kind, self.value)
        if found is None:
            layout = "2006-01-02T15:04:05Z07:00" if kind == "time" else "2006-01-02"
            first = layout[:4]
            raise QueryError(
                f'invalid {kind.upper()} value: parsing time "{self.value}" as "{layout}": '
                f'cannot parse "{self.value}" as "{first}"'
            )
        if not _FIRST_YEAR <= found.year <= _LAST_YEAR:
            raise QueryError(f"{kind}stamp year {found.year} out of range")
        self.kind = kind


def _is_digit(letter: str) -> bool:
    return "0" <= letter <= "9"


def _is_tag(letter: str) -> bool:
    return letter in "._-" or letter.isalpha() or letter.isdigit()


def _is_time(letter: str) -> bool:
    return letter in "-T:+Z" or _is_digit(letter)


def _is_date(letter: str) -> bool:
    return letter == "-" or _is_digit(letter)


def parse_moment(kind: str, text: str) -> datetime | None:
    """The moment of a date or time, None if it is none."""
    try:
        if kind == "date":
            if not re.fullmatch(r"\d{4}-\d\d-\d\d", text):
                return None
            return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)  # noqa: UP017
        if not _TIME.fullmatch(text):
            return None
        return datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))
    except ValueError:
        return None


def _number(text: str) -> Fraction | None:
    """A value as a number: all of it, or the digits that it starts with."""
    if _WHOLE.fullmatch(text):
        return None if text[0] in "+-" else Fraction(text)
    match = _LEADING.match(text)
    return None if match is None else Fraction(match[0])


def written_number(text: str) -> Fraction | None:
    """A value that is a number and nothing else."""
    return Fraction(text) if _WRITTEN.fullmatch(text) else None


def parse(text: str) -> Query:
    """Read a query. Raises: QueryError with CometBFT's text."""
    scanner = _Scanner(text)
    conditions = [_condition(scanner)]
    while True:
        try:
            if not scanner.next():
                break
        except QueryError as error:
            if str(error) == "EOF":  # an open quote ends a query that could have ended before it
                break
            scanner.kind = ""
        if scanner.kind != "AND":
            got = _NAMES.get(scanner.kind, "invalid token")
            raise QueryError(f"offset {scanner.start}: got {got}, want {_AND_NUMBER}")
        conditions.append(_condition(scanner))
    return Query(conditions)


def _require(scanner: _Scanner, kinds: Sequence[str]) -> None:
    try:
        if not scanner.next():
            raise QueryError("EOF")
    except QueryError as error:
        raise QueryError(f"offset {scanner.start}: {error}") from None
    if scanner.kind not in kinds:
        names = [_NAMES[kind] for kind in kinds]
        wanted = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
        got = _NAMES.get(scanner.kind, "invalid token")
        raise QueryError(f"offset {scanner.start}: got {got}, wanted {wanted}")


def _condition(scanner: _Scanner) -> Condition:
    _require(scanner, ("tag",))
    tag = scanner.value
    _require(scanner, _OPERATORS)
    operator = scanner.kind
    if operator == "EXISTS":
        return Condition(tag, operator)
    _require(scanner, _ARGUMENTS.get(operator, _ORDERED))
    return Condition(tag, operator, scanner.kind, scanner.value)


class Query:
    """Conditions that all hold."""

    __slots__ = ("_tests", "conditions", "text")

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self.conditions = tuple(conditions)
        #: the query in its one spelling, so that equal ones are equal texts
        self.text = " AND ".join(condition.text for condition in conditions)
        self._tests = [(condition.tag, matcher(condition)) for condition in conditions]

    def matches(self, events: Mapping[str, Iterable[str]]) -> bool:
        """Whether each condition holds for some value of its tag; events may be different ones."""
        for tag, test in self._tests:
            values = events.get(tag)
            if values is None:
                if not (test("") and _is_type(tag, events)):
                    return False
            elif not any(test(value) for value in values):
                return False
        return True


def _is_type(tag: str, events: Mapping[str, Iterable[str]]) -> bool:
    """Whether a tag names a type of event, which then counts as an empty value."""
    return any(name.rpartition(".")[0] == tag for name in events)


def matcher(
    condition: Condition, read: Callable[[str], Fraction | None] = _number
) -> Callable[[str], bool]:
    """The test of a value; ``read`` finds the number in one."""
    operator, value = condition.operator, condition.value
    if operator == "EXISTS":
        return lambda _: True
    if operator == "CONTAINS":
        return lambda text: value in text
    if condition.kind == "string":
        return lambda text: text == value
    if condition.kind == "number":
        wanted = Fraction(value.rstrip(".") or "0")
        compare = _COMPARE[operator]

        def number(text: str) -> bool:
            found = read(text)
            return found is not None and compare(found, wanted)

        return number
    moment = parse_moment(condition.kind, value)
    compare_time = _COMPARE[operator]

    def time(text: str) -> bool:
        found = parse_moment(condition.kind, text)
        return found is not None and compare_time(found, moment)

    return time


_COMPARE: Final[Mapping[str, Callable[..., bool]]] = {
    "=": lambda left, right: left == right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}
