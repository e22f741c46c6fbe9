"""A process with a clock: block production, the pool of transactions, the JSON-RPC of CometBFT
over HTTP and WebSocket, metrics and logs."""
