"""The typed client: wallet, signing, HTTP and WebSocket; no App inside."""
