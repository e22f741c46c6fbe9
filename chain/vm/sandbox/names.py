"""The names a contract may use, and what to say about those it may not.

One place for the three lists that rules, instrumenter and run time share: built-in names, methods
of built-in values, and what may be imported.
"""

from __future__ import annotations

import re
from typing import Final

#: Built-in functions of the room. Those whose work grows are our charging versions (guards.py).
FUNCTIONS: Final = frozenset(
    {
        *("abs", "all", "any", "chr", "divmod", "enumerate", "filter", "hex", "isinstance"),
        *("len", "map", "max", "min", "ord", "pow", "reversed", "sorted", "sum", "zip"),
    }
)
#: Built-in types: the type itself in annotations, storage declarations and ``isinstance``; a
#: charging function wherever a function body calls it or passes it on.
TYPES: Final = frozenset({"bool", "bytes", "dict", "int", "list", "range", "str", "tuple"})
#: Types whose construction cannot be large, so they need no other version.
PLAIN_TYPES: Final = frozenset({"bool", "range"})
#: Only where a type is meant, never as a value.
ANNOTATION_ONLY: Final = frozenset({"object"})
BUILTINS: Final = FUNCTIONS | TYPES
#: These may be given a generator expression: they use it up at once.
TAKE_GENERATORS: Final = frozenset(
    {"all", "any", "dict", "list", "max", "min", "sorted", "sum", "tuple", "join"}
)

#: Methods of text, bytes, integers, lists, dictionaries and tuples that may be called.
METHODS: Final = frozenset(
    {
        *("append", "bit_count", "bit_length", "center", "clear", "copy", "count", "decode"),
        *("encode", "endswith", "extend", "find", "from_bytes", "fromhex", "get", "hex", "index"),
        *("insert", "isascii", "items", "join", "keys", "ljust", "lstrip", "partition", "pop"),
        *("popitem", "remove", "removeprefix", "removesuffix", "replace", "reverse", "rfind"),
        *("rindex", "rjust", "rpartition", "rsplit", "rstrip", "setdefault", "sort", "split"),
        *("splitlines", "startswith", "strip", "to_bytes", "update", "values", "zfill"),
    }
)
#: Methods of host objects that copy lists: an item is paid for.
LISTING_METHODS: Final = frozenset(
    {
        *("Burn", "Send", "add_attributes", "add_events", "add_messages", "add_submessages"),
    }
)
#: Methods of host objects that read texts, which are as long as somebody likes.
TEXT_METHODS: Final = frozenset(
    {
        *("parse", "prefix", "query_all_balances", "query_balance", "query_contract_info"),
        *("query_supply", "query_wasm_raw", "sub_prefix"),
    }
)
#: Methods of host objects that decode an address; what is none is not remembered.
ADDRESS_METHODS: Final = frozenset({"addr_canonicalize", "addr_validate"})
#: Methods of host objects that do work in proportion to what they are given.
HOST_METHODS: Final = frozenset(
    {
        *("Execute", "Instantiate", "Instantiate2", "Migrate", "query_wasm_smart", "save"),
        *LISTING_METHODS,
        *TEXT_METHODS,
        *ADDRESS_METHODS,
        *("addr_humanize", "raw_query", "to_base64", "from_base64"),
    }
)
#: Host classes that copy what they are made of: in function bodies a charging version stands in
#: their place, except where ``isinstance`` or an attribute means the class.
HOST_MAKERS: Final = frozenset({"Binary", "Event"})
_UNICODE: Final = "its answer changes with Python's Unicode tables; use ascii_lower of chain.std"
_FORMAT: Final = "a template can reach attributes; use an f-string"
#: Methods of built-in values that may not be called; a field may have such a name.
REFUSED_METHODS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("capitalize", "casefold", "lower", "swapcase", "title", "upper", "isalnum", "isalpha"),
        _UNICODE,
    ),
    **dict.fromkeys(
        ("isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable"), _UNICODE
    ),
    **dict.fromkeys(("isspace", "istitle", "isupper"), _UNICODE),
    **dict.fromkeys(("format", "format_map"), _FORMAT),
    **dict.fromkeys(("expandtabs", "maketrans", "translate"), "it is not available"),
    **dict.fromkeys(
        ("as_integer_ratio", "conjugate", "denominator", "imag", "is_integer", "numerator", "real"),
        "it is not available",
    ),
    "fromkeys": "it is not available; use a comprehension",
}
#: Names that every look at an attribute goes through a helper for.
GUARDED: Final = METHODS | HOST_METHODS | frozenset(REFUSED_METHODS)
#: Attributes that nobody reads, with the reason.
REFUSED_ATTRIBUTES: Final[dict[str, str]] = {
    **dict.fromkeys(("value_type", "key_types"), "types are not values here"),
    **dict.fromkeys(
        ("mro", "fget", "fset", "fdel", "with_traceback", "add_note"),
        "it reaches the interpreter",
    ),
}
#: Beginnings of attributes of generators, coroutines, tracebacks, frames and code objects.
REFUSED_PREFIXES: Final = ("gi_", "cr_", "ag_", "tb_", "f_", "co_")

_NO_REFLECTION: Final = "it reaches names that the source does not show"
_NO_ORDER: Final = "its order or value differs between machines"
#: What to say about well-known names that are not there.
HINTS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("getattr", "setattr", "hasattr", "delattr", "vars", "dir", "globals", "locals"),
        _NO_REFLECTION,
    ),
    **dict.fromkeys(("type", "super", "object", "property", "classmethod"), _NO_REFLECTION),
    **dict.fromkeys(("eval", "exec", "compile", "breakpoint"), "source is only what was hashed"),
    **dict.fromkeys(("set", "frozenset", "hash", "id"), _NO_ORDER),
    **dict.fromkeys(("float", "complex", "round"), "there is no floating point; use integers"),
    **dict.fromkeys(("open", "print", "input"), "a contract sees only what it is handed"),
    **dict.fromkeys(("iter", "next"), "there are no stored iterators; use a for loop"),
    **dict.fromkeys(("repr", "ascii", "format"), "use an f-string or str"),
    **dict.fromkeys(("bytearray", "memoryview"), "use bytes"),
    **dict.fromkeys(
        ("Exception", "BaseException", "ValueError", "KeyError", "TypeError", "RuntimeError"),
        "only ContractError and its kinds are raised and caught",
    ),
}

#: Host modules that contracts import names from.
HOST_MODULES: Final = ("chain.std", "chain.storage_plus")
#: Classes of chain.std that exist to be derived from.
BASES_ONLY: Final = frozenset({"Words"})
#: A contract's own name in an import: ``contracts.<folder>[.<module>]`` or ``<folder>[.<module>]``.
MODULE_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")

_OPEN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*|_")


def is_open_name(name: str) -> bool:
    """Whether source may bind or read the name: ASCII, no leading underscore; ``_`` is a name."""
    return _OPEN_NAME.fullmatch(name) is not None


def why_not_attribute(name: str) -> str | None:
    """Why an attribute is refused, or None."""
    if not is_open_name(name) or name == "_":
        return f"the attribute {name} is private"
    if name.startswith(REFUSED_PREFIXES):
        return f"the attribute {name} looks like one of the interpreter's"
    reason = REFUSED_ATTRIBUTES.get(name)
    return None if reason is None else f"no .{name}: {reason}"
