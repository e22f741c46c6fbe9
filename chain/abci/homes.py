"""Homes for validators on one machine: keys, genesis and environment, without CometBFT's help.

A home holds ``config`` and ``data`` as CometBFT reads them and ``app`` for the App.
Source: CometBFT 0.38 ``config/config.go``, ``privval/file.go``, ``p2p/key.go``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import socket
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pqcrypto.sign import ml_dsa_65

from chain.app.validators import APP_VERSION
from chain.block.hashing import validator_address
from chain.block.types import ED25519, ML_DSA_65
from chain.crypto.keys import Ed25519Key

BLOCK_BYTES_MAX: Final = 4 * 1024 * 1024
#: below the range that the system hands out to outgoing connections
PORT_FIRST: Final = 20_000
PORT_LAST: Final = 32_700
LOOPBACK: Final = "127.0.0.1"
#: CometBFT's own ports, where each node has a machine
P2P_PORT: Final = 26_656
RPC_PORT: Final = 26_657
#: the system's bound on the path of a unix socket
UNIX_PATH_MAX: Final = 107
_TYPES: Final = {
    ED25519: ("tendermint/PubKeyEd25519", "tendermint/PrivKeyEd25519"),
    ML_DSA_65: ("cometbft/PubKeyMlDsa65", "cometbft/PrivKeyMlDsa65"),
}
_POWER: Final = 10


@dataclass(frozen=True, slots=True)
class ConsensusKey:
    """A validator's key pair in CometBFT's packed form."""

    kind: str
    public: bytes
    private: bytes

    @property
    def address(self) -> bytes:
        """The 20 bytes that name the validator."""
        return validator_address(self.public)

    def json_public(self) -> dict[str, str]:
        """The public key as CometBFT's JSON has it."""
        return {"type": _TYPES[self.kind][0], "value": _base64(self.public)}

    def json_private(self) -> dict[str, str]:
        """The private key as CometBFT's JSON has it."""
        return {"type": _TYPES[self.kind][1], "value": _base64(self.private)}


@dataclass(frozen=True, slots=True)
class Home:
    """One node: its folder, its ports and the id its peers know it by."""

    folder: Path
    name: str
    node_id: str
    p2p_port: int
    rpc_port: int
    validator: bool
    #: its machine; others than loopback listen for their peers on every interface
    host: str = LOOPBACK

    @property
    def socket(self) -> Path:
        """Where the App listens."""
        return socket_of(self.folder)

    @property
    def rpc(self) -> str:
        """The node's RPC address."""
        return f"http://127.0.0.1:{self.rpc_port}"


def socket_of(folder: Path) -> Path:
    """Where the App of a home listens: there, or under a short name where its path is too long."""
    place = folder.resolve() / "abci.sock"
    if len(os.fsencode(place)) <= UNIX_PATH_MAX:
        return place
    digest = hashlib.sha256(os.fsencode(place)).hexdigest()[:24]
    return Path(tempfile.gettempdir()) / f"msgchain-{digest}.sock"


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def new_key(kind: str) -> ConsensusKey:
    """A fresh consensus key from the system's randomness. Raises: ValueError for an unknown
    kind."""
    if kind == ED25519:
        seed = os.urandom(32)
        public = Ed25519Key(seed).pubkey.key
        return ConsensusKey(kind, public, seed + public)
    if kind == ML_DSA_65:
        public, private = ml_dsa_65.keygen()
        return ConsensusKey(kind, public, private)
    raise ValueError(f"{kind!r} is no kind of consensus key; take {ED25519} or {ML_DSA_65}")


def free_ports(count: int, first: int = PORT_FIRST) -> list[int]:
    """Ports that nobody listens on now. Raises: OSError when there are not enough."""
    found: list[int] = []
    for port in range(first, PORT_LAST):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"fewer than {count} free ports from {first} to {PORT_LAST}")


def genesis_file(
    document: Mapping[str, Any],
    keys: Sequence[ConsensusKey],
    *,
    kind: str = ED25519,
    payouts: Sequence[str] = (),
) -> dict[str, Any]:
    """A genesis document with these validators and the consensus parameters that the App wants.

    ``payouts``: the account that gets each validator's share of the fees. The state is no devnet's:
    behind CometBFT anybody may send anything, so developer transactions are refused.
    """
    state = {**(document.get("app_state") or {}), "devnet": False}
    if payouts:
        state["validators"] = [
            {
                "name": f"node{index}",
                "pub_key": {"type": key.kind, "value": key.public.hex()},
                "payout": payout,
            }
            for index, (key, payout) in enumerate(zip(keys, payouts, strict=True))
        ]
    return {
        **document,
        "app_state": state,
        "initial_height": "1",
        "consensus_params": {
            "block": {"max_bytes": str(BLOCK_BYTES_MAX), "max_gas": "-1"},
            "evidence": {
                "max_age_num_blocks": "100000",
                "max_age_duration": "172800000000000",
                "max_bytes": "1048576",
            },
            "validator": {"pub_key_types": [kind]},
            "version": {"app": str(APP_VERSION)},
            "abci": {"vote_extensions_enable_height": "0"},
        },
        "validators": [
            {
                "address": key.address.hex().upper(),
                "pub_key": key.json_public(),
                "power": str(_POWER),
                "name": f"node{index}",
            }
            for index, key in enumerate(keys)
        ],
        "app_hash": "",
    }


def write_home(
    folder: Path,
    name: str,
    key: ConsensusKey,
    genesis: Mapping[str, Any],
    *,
    ports: tuple[int, int],
    validator: bool = True,
) -> Home:
    """Write one node's new folder. Raises: OSError, also where there are keys already: a key that
    is replaced is a validator that is gone, one that is copied signs twice.
    """
    config, data = folder / "config", folder / "data"
    if (config / "priv_validator_key.json").exists():
        raise FileExistsError(f"{config / 'priv_validator_key.json'} exists; keep it")
    for part in (config, data, folder / "app"):
        part.mkdir(parents=True, exist_ok=True)
    peer = Ed25519Key(os.urandom(32))
    _write(config / "genesis.json", dict(genesis))
    _write(
        config / "node_key.json",
        {
            "priv_key": {
                "type": "tendermint/PrivKeyEd25519",
                "value": _base64(peer.seed + peer.pubkey.key),
            }
        },
        secret=True,
    )
    _write(
        config / "priv_validator_key.json",
        {
            "address": key.address.hex().upper(),
            "pub_key": key.json_public(),
            "priv_key": key.json_private(),
        },
        secret=True,
    )
    state = data / "priv_validator_state.json"
    _write(state, {"height": "0", "round": 0, "step": 0}, secret=True)
    node_id = validator_address(peer.pubkey.key).hex()
    return Home(folder, name, node_id, ports[0], ports[1], validator)


def _write(path: Path, value: Mapping[str, Any], *, secret: bool = False) -> None:
    mode = 0o600 if secret else 0o644
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2, ensure_ascii=False)
        file.write("\n")


def write_config(home: Home, peers: Sequence[Home], *, block_time: str = "1s") -> None:
    """Write CometBFT's settings for a node of a small net; what is not named here keeps its
    default (reasons in the operators' page of the README). RPC is on loopback only.
    """
    others = [f"{p.node_id}@{p.host}:{p.p2p_port}" for p in peers if p.node_id != home.node_id]
    listen = LOOPBACK if home.host == LOOPBACK else "0.0.0.0"
    settings: dict[str, dict[str, str | int | bool]] = {
        "": {"moniker": home.name, "proxy_app": f"unix://{home.socket}", "abci": "socket"},
        "rpc": {"laddr": f"tcp://127.0.0.1:{home.rpc_port}", "pprof_laddr": ""},
        "p2p": {
            "laddr": f"tcp://{listen}:{home.p2p_port}",
            "persistent_peers": ",".join(others),
            "addr_book_strict": False,
            "allow_duplicate_ip": True,
            "pex": False,
            "send_rate": 100_000_000,
            "recv_rate": 100_000_000,
            "flush_throttle_timeout": "10ms",
            "max_packet_msg_payload_size": 16384,
        },
        "consensus": {"timeout_commit": block_time, "timeout_propose": "1s"},
        "mempool": {"size": 20_000, "cache_size": 100_000},
        # named, because the environment only changes what the file names
        "tx_index": {"indexer": "kv"},
    }
    lines = []
    for section, values in settings.items():
        if section:
            lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    text = "\n".join(lines) + "\n"
    (home.folder / "config" / "config.toml").write_text(text, encoding="utf-8")


def save_net(folder: Path, homes: Sequence[Home]) -> None:
    """Remember the nodes of a net beside their homes."""
    entries = [
        {
            "name": home.name,
            "node_id": home.node_id,
            "p2p_port": home.p2p_port,
            "rpc_port": home.rpc_port,
            "validator": home.validator,
            "host": home.host,
        }
        for home in homes
    ]
    _write(folder / "net.json", {"nodes": entries})


def load_net(folder: Path) -> list[Home]:
    """The nodes of a net that was written before. Raises: OSError, ValueError."""
    entries = json.loads((folder / "net.json").read_text(encoding="utf-8"))["nodes"]
    return [Home(folder / entry["name"], **entry) for entry in entries]


def write_net(
    folder: Path,
    document: Mapping[str, Any],
    *,
    validators: int,
    full_nodes: int = 0,
    kind: str = ED25519,
    first_port: int = PORT_FIRST,
    payouts: Sequence[str] = (),
    keys: Sequence[ConsensusKey] = (),
    hosts: Sequence[str] = (),
) -> list[Home]:
    """Write the homes of a new net: ``validators`` nodes that vote, ``full_nodes`` that follow.

    ``keys``: of the validators, default fresh ones; ``hosts``: a machine for each node, which then
    has CometBFT's own ports. Raises: OSError.
    """
    keys = keys or [new_key(kind) for _ in range(validators)]
    genesis = genesis_file(document, keys, kind=kind, payouts=payouts)
    count = validators + full_nodes
    ports = [P2P_PORT, RPC_PORT] * count if hosts else free_ports(2 * count, first_port)
    homes = []
    for index in range(count):
        votes = index < validators
        homes.append(
            write_home(
                folder / f"node{index}",
                f"node{index}",
                keys[index] if votes else new_key(ED25519),
                genesis,
                ports=(ports[2 * index], ports[2 * index + 1]),
                validator=votes,
            )
        )
    if hosts:
        homes = [replace(one, host=host) for one, host in zip(homes, hosts, strict=True)]
    save_net(folder, homes)
    return homes


def home_of(folder: Path) -> Home:
    """The home in a folder, as its ``config.toml`` has it.

    Raises: OSError, ValueError, KeyError.
    """
    config = tomllib.loads((folder / "config" / "config.toml").read_text(encoding="utf-8"))
    p2p, rpc = (int(config[part]["laddr"].rpartition(":")[2]) for part in ("p2p", "rpc"))
    return Home(folder, str(config["moniker"]), "", p2p, rpc, True)
