"""``python -m chain.cli``, the same as ``msgchain``."""

from chain.cli import run

run()
