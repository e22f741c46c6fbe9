"""Every difference between this chain and the recorded wasmd, with its reason.

``CASES`` maps a recorded case to the aspects that differ and the key of the reason. The replay fails when another
aspect differs, and when an aspect named here does not differ any more.
"""

from __future__ import annotations

REASONS: dict[str, str] = {}

CASES: dict[str, tuple[frozenset[str], str]] = {}
