"""``python -m chain.cli``: the same as the command ``msgchain``."""

from chain.cli.main import main

main()
