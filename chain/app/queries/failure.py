"""How a gRPC query fails, and what an ABCI query makes of it."""

from __future__ import annotations

from typing import Final

from chain.errors import REGISTERED, AppError

_CODES: Final = {"NotFound": 22, "InvalidArgument": 18}
_UNKNOWN: Final = 6
_INVALID: Final = 18


class Failure(Exception):
    """A query was refused. ``code`` is of codespace sdk, ``text`` what stands before its name."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text

    @property
    def log(self) -> str:
        """The whole text."""
        return f"{self.text}: {REGISTERED['sdk', self.code]}"

    @classmethod
    def status(cls, name: str, text: str) -> Failure:
        """A gRPC status."""
        return cls(_CODES.get(name, _UNKNOWN), f"rpc error: code = {name} desc = {text}")

    @classmethod
    def argument(cls, text: str) -> Failure:
        """A bad argument that the service names itself."""
        return cls.status("InvalidArgument", text)

    @classmethod
    def missing(cls, text: str) -> Failure:
        """Something that is not there."""
        return cls.status("NotFound", text)

    @classmethod
    def plain(cls, text: str) -> Failure:
        """An error that is no status: an address that cannot be read."""
        return cls(_INVALID, text)

    @classmethod
    def of(cls, error: AppError) -> Failure:
        """A registered error, whatever its number."""
        return cls(_UNKNOWN, error.log)
