"""Text to syntax tree, the same on every supported Python: the grammar is that of 3.11."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from typing import Final

from chain.vm.sandbox.errors import ContractSourceError

GRAMMAR: Final = (3, 11)


def parse(path: str, text: str) -> ast.Module:
    """Parse a module. Every way in which that can fail is a refusal (F1, F5, F6).

    Raises: ContractSourceError.
    """
    if not text.isascii():
        _check_identifiers(path, text)
    try:
        tree = ast.parse(text, path, feature_version=GRAMMAR)
    except SyntaxError as error:
        reason = "the source is not Python" if error.msg is None else f"syntax: {error.msg}"
        raise ContractSourceError(path, error.lineno or 0, reason) from error
    except (RecursionError, MemoryError) as error:
        raise ContractSourceError(path, 0, "the source is nested too deep") from error
    except (ValueError, OverflowError) as error:
        raise ContractSourceError(path, 0, "the source is not Python") from error
    if sys.version_info >= (3, 12):
        _check_f_strings(path, text, tree)
    return tree


def _tokens(path: str, text: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise ContractSourceError(path, 0, "the source is not Python") from error


def _check_identifiers(path: str, text: str) -> None:
    """Names are ASCII as they are written: the parser folds full-width letters (A2)."""
    for token in _tokens(path, text):
        if token.type in (tokenize.NAME, tokenize.ERRORTOKEN) and not token.string.isascii():
            raise ContractSourceError(path, token.start[0], "a name is written in ASCII")


def _check_f_strings(path: str, text: str, tree: ast.Module) -> None:
    """What only 3.12 takes inside an f-string: its own quotes, backslashes, comments, new lines."""
    if not any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree)):
        return
    quotes: list[str] = []
    for token in _tokens(path, text):
        name = tokenize.tok_name[token.type]
        if quotes and name not in ("FSTRING_MIDDLE", "FSTRING_END"):
            inside = token.string
            bad = name == "COMMENT" or "\\" in inside or (name == "NL" and len(quotes[-1]) == 1)
            if bad or (name in ("STRING", "FSTRING_START") and quotes[-1] in inside):
                line = token.start[0]
                raise ContractSourceError(path, line, "an f-string that Python 3.11 refuses")
        if name == "FSTRING_START":
            quotes.append(token.string.lstrip("fFrR"))
        elif name == "FSTRING_END":
            quotes.pop()
