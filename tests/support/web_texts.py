"""The English texts that the page's code asks translations of."""

from __future__ import annotations

import ast
from pathlib import Path

WEB = Path(__file__).parents[2] / "chain" / "web"
#: texts that reach ``t`` through a name: states, types, roles, and navigation
NAMED = (
    "pending", "delivered", "read", "replied", "expired", "cancelled", "request", "response",
    "notification", "discovery", "broadcast", "submitted", "working", "input_required",
    "auth_required", "completed", "failed", "canceled", "rejected", "active", "inactive", "open",
    "closed", "suspended", "deregistered", "direct", "pubsub", "low", "normal", "high",
    "critical", "burn", "treasury", "developer", "validator", "Older", "Newer", "More",
    "load", "save", "delete", "iterate",
)  # fmt: skip


def texts() -> set[str]:
    """All of them."""
    found = set(NAMED)
    for path in sorted(WEB.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _is_t(node.func) and node.args:
                for part in ast.walk(node.args[0]):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        found.add(part.value)
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "View":
                found.add(node.args[0].value)  # type: ignore[attr-defined]
    navigation = ast.parse((WEB / "kit.py").read_text(encoding="utf-8"))
    for node in navigation.body:
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "NAVIGATION":
            found |= {pair.elts[1].value for pair in node.value.elts}  # type: ignore[union-attr]
    return found - {"", "action", "state", "status", "message_type", "priority_label",
                    "channel_type", "operation"}  # fmt: skip


def _is_t(func: ast.expr) -> bool:
    return (isinstance(func, ast.Name) and func.id == "t") or (
        isinstance(func, ast.Attribute) and func.attr == "t"
    )
