"""Which web pages may call the controls of a devnet.

A browser carries the requests of any page to any address, also to this machine's own: it only
keeps the answers from the page. So what changes a chain without a signature takes no plain link,
and nothing from a page that the node was not told of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

_CONTROLS: Final = "devnet_"
ANY: Final = "*"
NOT_A_LINK: Final = "is called with POST and a JSON body, not as a link"
FOREIGN: Final = "is not for this web page; start the node with --cors and its origin to allow it"


def is_control(method: str) -> bool:
    """Whether a method is one of the controls."""
    return method.startswith(_CONTROLS)


def is_foreign(headers: Mapping[str, str], origins: Sequence[str]) -> bool:
    """Whether a request comes from a web page that is none of ``origins``."""
    origin = headers.get("origin")
    return origin is not None and ANY not in origins and origin not in origins
