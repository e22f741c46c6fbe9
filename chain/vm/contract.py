"""A contract as the engine holds it: entry points, message types, checksum, where its source is.

Two kinds. A *value* is made of plain Python functions; it is trusted test code, runs as written
and is not metered for compute. A *folder* is text: ``chain.vm.sandbox`` checks, instruments and
compiles it the first time one of the entry points or message types is asked for, so that a process
which never calls a contract never parses it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, NoReturn

#: A plain message class, or one class a variant.
MessageTypes = type | tuple[type, ...] | None
Entry = Callable[..., Any]

ENTRY_POINTS: Final = ("instantiate", "execute", "query", "migrate", "reply", "sudo")
MESSAGES: Final = ("instantiate_msg", "execute_msg", "query_msg", "migrate_msg", "sudo_msg")
_LAZY: Final = (*ENTRY_POINTS, *MESSAGES, "answers", "migrate_version", "version")
_NAME: Final = re.compile(r"[^@\x00-\x1f\x7f]{1,128}")
_CHECKSUM_DOMAIN: Final = b"msgchain contract v1"


class Program(NamedTuple):
    """What compiling a folder gives."""

    version: str
    entries: Mapping[str, Entry]
    messages: Mapping[str, MessageTypes]
    answers: Mapping[str, type]  # by query variant
    migrate_version: int | None = None


class SourceRef(NamedTuple):
    """Where a log reader finds the contract again.

    A ``folder`` by its hash, a ``function`` value by the module of its functions and its name.
    """

    kind: str
    module: str
    name: str


def source_checksum(files: Mapping[str, bytes]) -> bytes:
    """SHA-256 over the files in order of their paths.

    Framing: a domain text, then for each file the length of the path (4 bytes, big-endian), the
    path in UTF-8, the length of the content (8 bytes), the content; no two sets read alike.
    """
    digest = hashlib.sha256(_CHECKSUM_DOMAIN)
    for path in sorted(files):
        name = path.encode()
        content = files[path]
        digest.update(len(name).to_bytes(4, "big") + name)
        digest.update(len(content).to_bytes(8, "big") + content)
    return digest.digest()


class Contract:
    """A contract made of functions, or (``Contract.lazy``) of a folder's source. Never changes.

    ``execute_msg`` and its sisters are message types: a tuple has one class a variant
    (``{"transfer": {...}}``), a plain class has no variant name; None hands the decoded JSON to the
    entry point. ``answers`` maps query variants to the types of their answers, for the schema. A
    migration between codes that declare one ``migrate_version`` skips the entry point (INST-11); a
    folder declares it as ``MIGRATE_VERSION`` in ``__init__.py``.

    >>> from chain.std import Response
    >>> quiet = Contract(name="quiet", version="1", instantiate=lambda *args: Response())
    >>> quiet.name
    'quiet'
    """

    __slots__ = (*_LAZY, "_load", "checksum", "metered", "name", "source", "source_ref")

    name: str
    version: str
    migrate_version: int | None
    checksum: bytes
    metered: bool  # whether compute is charged
    source: Mapping[str, str]  # path to text; empty for a contract made of functions
    source_ref: SourceRef
    instantiate: Entry | None
    execute: Entry | None
    query: Entry | None
    migrate: Entry | None
    reply: Entry | None
    sudo: Entry | None
    instantiate_msg: MessageTypes
    execute_msg: MessageTypes
    query_msg: MessageTypes
    migrate_msg: MessageTypes
    sudo_msg: MessageTypes
    answers: Mapping[str, type]
    _load: Callable[[], Program]

    def __init__(
        self,
        *,
        name: str,
        version: str = "0.0.0",
        instantiate: Entry | None = None,
        execute: Entry | None = None,
        query: Entry | None = None,
        migrate: Entry | None = None,
        reply: Entry | None = None,
        sudo: Entry | None = None,
        instantiate_msg: MessageTypes = None,
        execute_msg: MessageTypes = None,
        query_msg: MessageTypes = None,
        migrate_msg: MessageTypes = None,
        sudo_msg: MessageTypes = None,
        answers: Mapping[str, type] | None = None,
        migrate_version: int | None = None,
    ) -> None:
        _check_name(name)
        given = (instantiate, execute, query, migrate, reply, sudo)
        entries = dict(zip(ENTRY_POINTS, given, strict=True))
        for entry, function in entries.items():
            if function is not None and not callable(function):
                raise TypeError(f"contract {name}: {entry} is not callable")
        messages = (instantiate_msg, execute_msg, query_msg, migrate_msg, sudo_msg)
        places = {key: _place(value) for key, value in entries.items() if value is not None}
        module = next(iter(places.values()))[0] if places else ""
        lines = [name, version, *(f"{key} {mod}:{qual}" for key, (mod, qual) in places.items())]
        if migrate_version is not None:
            _check_migrate_version(migrate_version)
            lines.append(f"migrate_version {migrate_version}")
        self._fill(
            **entries,
            **dict(zip(MESSAGES, messages, strict=True)),
            name=name,
            version=version,
            answers=dict(answers or {}),
            migrate_version=migrate_version,
            checksum=source_checksum({"function": "\n".join(lines).encode()}),
            metered=False,
            source={},
            source_ref=SourceRef("function", module, name),
            _load=_nothing,
        )

    @classmethod
    def lazy(
        cls, name: str, checksum: bytes, source: Mapping[str, str], load: Callable[[], Program]
    ) -> Contract:
        """A contract of source text; ``load`` compiles it when an entry point is asked for."""
        _check_name(name)
        contract = cls.__new__(cls)
        contract._fill(
            name=name,
            checksum=checksum,
            metered=True,
            source=dict(source),
            source_ref=SourceRef("folder", "", name),
            _load=load,
        )
        return contract

    @property
    def source_bytes(self) -> int:
        """Size of the source in bytes of UTF-8: what storing the code is charged for."""
        return sum(len(text.encode()) for text in self.source.values())

    def compile(self) -> Contract:
        """Compile now, if that has not happened yet. Raises: ContractSourceError."""
        _ = self.version  # an empty slot compiles
        return self

    def __getattr__(self, name: str) -> Any:
        """Only reached while a slot is empty: compile, fill all of them, answer."""
        if name not in _LAZY:
            raise AttributeError(name)
        program = self._load()
        self._fill(
            **{entry: program.entries.get(entry) for entry in ENTRY_POINTS},
            **{kind: program.messages.get(kind) for kind in MESSAGES},
            version=program.version,
            migrate_version=program.migrate_version,
            answers=dict(program.answers),
        )
        return object.__getattribute__(self, name)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"contract {self.name} cannot be changed")

    def _fill(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<Contract {self.name} {self.source_ref.kind} {self.checksum.hex()[:16]}>"


def _check_name(name: str) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError("a contract's name is 1 to 128 characters without @ and line ends")


def is_migrate_version(value: object) -> bool:
    """Whether a value can be declared as a migrate version: a 64-bit number."""
    return type(value) is int and 0 <= value < 1 << 64


def _check_migrate_version(value: object) -> None:
    if not is_migrate_version(value):
        raise ValueError("a migrate version is a 64-bit number")


def _place(function: Entry) -> tuple[str, str]:
    kind = type(function)
    module = getattr(function, "__module__", None) or kind.__module__
    qualname = getattr(function, "__qualname__", None) or kind.__qualname__
    return module, qualname


def _nothing() -> Program:
    return Program("0.0.0", {}, {}, {})
