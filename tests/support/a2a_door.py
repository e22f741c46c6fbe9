"""An A2A door alone, as a process: ``python a2a_door.py RPC PORT FOLDER SECRET [private]``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from chain import wiring
from chain.client.agent_calls import Contracts
from chain.gateway.a2a_http import A2aSettings, a2a_app
from chain.gateway.accounts import KeyRing
from chain.gateway.core import Core
from chain.gateway.keys import ApiKeys
from chain.gateway.serve import Door, listen, run


def main() -> None:
    rpc, port, folder, secret = sys.argv[1:5]
    contracts = Contracts.from_names(wiring.contract_addresses())
    core = Core(rpc, contracts, ApiKeys(Path(folder) / "keys"), KeyRing(None, None))
    socket = listen("127.0.0.1", int(port))
    address = f"http://127.0.0.1:{socket.getsockname()[1]}"
    settings = A2aSettings(
        address=address,
        secret=wiring.dev_secret(secret),
        devnet=True,
        private_callbacks="private" in sys.argv[5:],
        folder=Path(folder) / "push",
    )
    app = a2a_app(core, settings)

    async def serve() -> None:
        print(f"A2A {address}", flush=True)  # noqa: T201
        await run(core, [Door("a2a", app, socket)])

    asyncio.run(serve())


if __name__ == "__main__":
    main()
