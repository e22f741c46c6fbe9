"""CometBFT speaks to the same App: ABCI 2.0 over a socket, and homes for several validators."""
