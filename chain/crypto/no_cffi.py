"""Lets PyCryptodome call its C code through ctypes. With cffi it would do so through a parser of C
declarations that takes longer to import than everything else here; calls take the same time.

Imported before PyCryptodome, and once: afterwards cffi is there for others.
"""

from __future__ import annotations

import importlib
import sys

if "cffi" not in sys.modules:
    sys.modules["cffi"] = None  # type: ignore[assignment]  # an import of it fails now
    try:
        importlib.import_module("Crypto.Util._raw_api")
    finally:
        del sys.modules["cffi"]
