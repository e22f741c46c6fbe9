"""Structured logs: one JSON object a line, or short lines for people."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Final

_KNOWN: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
LEVELS: Final = ("debug", "info", "warning", "error")


def _extras(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in record.__dict__.items() if name not in _KNOWN}


def _stamp(record: logging.LogRecord) -> str:
    moment = time.gmtime(record.created)
    return time.strftime("%Y-%m-%dT%H:%M:%S", moment) + f".{int(record.msecs):03d}Z"


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        shown: dict[str, object] = {
            "time": _stamp(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            **_extras(record),
        }
        if record.exc_info:
            shown["traceback"] = self.formatException(record.exc_info)
        return json.dumps(shown, default=str, ensure_ascii=False)


class ShortLines(logging.Formatter):
    """Time, level, event and ``name=value``."""

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record."""
        pairs = " ".join(f"{name}={value}" for name, value in _extras(record).items())
        line = (
            f"{_stamp(record)[11:23]} {record.levelname.lower():<7} {record.getMessage()} {pairs}"
        )
        if record.exc_info:
            line = f"{line.rstrip()}\n{self.formatException(record.exc_info)}"
        return line.rstrip()


def set_up(level: str, form: str) -> None:
    """Send logs to standard error; ``form`` is ``text`` or ``json``."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else ShortLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("msgchain").setLevel(level.upper())
