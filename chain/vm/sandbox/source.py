"""A contract folder as text: read strictly, completed with the message modules it imports, hashed.

The checksum covers everything that will run: the ``.py`` files of the folder and those of other
contracts that its modules import messages from. A path in it is ``<folder>/<file>``; the framing is
that of ``chain.vm.contract.source_checksum``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

from chain.vm.contract import source_checksum
from chain.vm.sandbox.errors import ContractSourceError

#: Where a plain name is looked up: the folder ``contracts`` beside ``chain``.
CONTRACTS: Final = Path(__file__).resolve().parents[3].joinpath("contracts")
FILE_MAX_BYTES: Final = 262_144
FOLDER_MAX_BYTES: Final = 1_048_576
FILES_MAX: Final = 64
_FOLDER: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
#: How a module of another contract is imported; any other spelling of it is refused.
FOREIGN_IMPORT: Final = re.compile(
    r"^from contracts\.([A-Za-z][A-Za-z0-9_]*)\.([A-Za-z][A-Za-z0-9_]*) import", re.M
)
_COOKIE: Final = re.compile(rb"^[ \t\f]*#.*?coding[:=]", re.M)
_BAD_CHARACTERS: Final = (
    ("\r", "a line ends with CR; use LF"),
    ("\0", "a NUL byte"),
    ("\f", "a form feed"),
)
_HIDDEN: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


class Source(NamedTuple):
    """The text of a contract: ``files`` by path.

    ``places`` says where each stands on disk, for tracebacks and coverage.
    """

    name: str
    files: Mapping[str, str]
    places: Mapping[str, str]
    checksum: bytes


def find_folder(where: str | Path | ModuleType) -> Path:
    """The folder of a contract: a name in ``contracts/``, a path, an imported package or module.

    Raises: ContractSourceError when there is none.
    """
    if isinstance(where, ModuleType):
        if where.__file__ is None:
            raise ContractSourceError(where.__name__, 0, "the module has no file")
        return Path(where.__file__).resolve().parent
    path = Path(where)
    if isinstance(where, str) and _FOLDER.fullmatch(where) and CONTRACTS.joinpath(where).is_dir():
        path = CONTRACTS.joinpath(where)
    if not path.joinpath("contract.py").is_file():
        raise ContractSourceError(str(where), 0, "no contract folder: contract.py is missing")
    return path.resolve()


def read_folder(folder: Path) -> Source:
    """Read a folder and what it needs of other contracts. Raises: ContractSourceError."""
    name = folder.name
    raw: dict[str, bytes] = {}
    places: dict[str, str] = {}
    wanted = [(name, path.stem) for path in sorted(folder.glob("*.py"))]
    for package, module in wanted:  # grows while imports of other contracts are found
        key = f"{package}/{module}.py"
        if key in raw:
            continue
        place = _place(folder, package, module)
        if place is None:
            continue  # the import that wanted it is refused with its line later
        raw[key] = place.read_bytes()
        places[key] = str(place)
        _check_amount(key, raw)
        text = raw[key].decode("utf-8", "replace")
        wanted += [found for found in FOREIGN_IMPORT.findall(text) if found[0] != name]
    return _source(name, raw, places)


def from_files(name: str, files: Mapping[str, str]) -> Source:
    """The source as a log keeps it: path to text. Raises: ContractSourceError."""
    raw = {path: text.encode("utf-8", "surrogatepass") for path, text in files.items()}
    _check_amount(name, raw)
    return _source(name, raw, {path: f"<contract {path}>" for path in raw})


def _place(folder: Path, package: str, module: str) -> Path | None:
    own = folder if package == folder.name else None
    for root in (own, folder.parent.joinpath(package), CONTRACTS.joinpath(package)):
        if root is not None and root.joinpath(f"{module}.py").is_file():
            return root.joinpath(f"{module}.py")
    return None


def _source(name: str, raw: Mapping[str, bytes], places: Mapping[str, str]) -> Source:
    if not _FOLDER.fullmatch(name):
        raise ContractSourceError(name, 0, "a contract folder is named with letters, digits and _")
    if f"{name}/contract.py" not in raw:
        raise ContractSourceError(name, 0, "contract.py is missing")
    files = {path: _text(path, raw[path]) for path in sorted(raw)}
    return Source(name, files, dict(places), source_checksum(raw))


def _check_amount(where: str, raw: Mapping[str, bytes]) -> None:
    if len(raw) > FILES_MAX:
        raise ContractSourceError(where, 0, f"more than {FILES_MAX} files")
    if sum(len(content) for content in raw.values()) > FOLDER_MAX_BYTES:
        raise ContractSourceError(where, 0, f"more than {FOLDER_MAX_BYTES} bytes of source")


def _text(path: str, raw: bytes) -> str:
    """Strict UTF-8 with LF line ends; the text means what it shows."""
    if len(raw) > FILE_MAX_BYTES:
        raise ContractSourceError(path, 0, f"more than {FILE_MAX_BYTES} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ContractSourceError(path, line, "the source is not UTF-8") from None
    for bad, reason in _BAD_CHARACTERS:
        if bad in text:
            raise ContractSourceError(path, text.count("\n", 0, text.index(bad)) + 1, reason)
    hidden = _HIDDEN.search(text)
    if hidden:
        line = text.count("\n", 0, hidden.start()) + 1
        raise ContractSourceError(path, line, "an invisible character")
    head = raw.split(b"\n", 2)[:2]
    for number, start in enumerate(head, 1):
        if _COOKIE.match(start):
            raise ContractSourceError(path, number, "an encoding line; source is always UTF-8")
    return text
