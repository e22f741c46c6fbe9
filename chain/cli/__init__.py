"""The ``msgchain`` command: thin commands over the node, the client and the log."""
