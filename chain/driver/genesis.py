"""The genesis file: CometBFT's shape with our ``app_state`` and ``block_interval``, and the first
state made from it."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import msgspec

from chain.app.application import App, InitChainResult
from chain.block.types import ConsensusParams, Validator
from chain.crypto.addresses import DEFAULT_PREFIX
from chain.errors import AppError

SECOND: Final = 1_000_000_000
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z")
_INTERVAL: Final = re.compile(r"(\d+)(ms|s|m|h)")
_UNITS: Final = {"ms": 1_000_000, "s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_CHAIN_ID_MAX: Final = 50


class GenesisFileError(Exception):
    """The genesis file cannot be used; the text names the field."""


class Genesis(msgspec.Struct, frozen=True):
    """A parsed genesis file. Times and intervals in nanoseconds; ``document`` is the file as it was
    read."""

    chain_id: str
    time: int
    initial_height: int
    interval: int
    params: ConsensusParams | None
    validators: tuple[Validator, ...]
    app_state: dict[str, Any]
    document: dict[str, Any]
    #: how bech32 addresses begin
    prefix: str = DEFAULT_PREFIX


def parse_time(text: str) -> int:
    """Nanoseconds since 1970 of an RFC 3339 time in UTC. Raises: ValueError."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no time like 2026-01-01T00:00:00Z")
    moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    seconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)
    return seconds * SECOND + int((match[2] or "0").ljust(9, "0"))


def format_time(nanos: int) -> str:
    """RFC 3339 with as many decimals as needed, as Go writes it."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=nanos // SECOND)
    fraction = f"{nanos % SECOND:09d}".rstrip("0")
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{fraction}" if fraction else "") + "Z"


def parse_interval(text: str) -> int:
    """Nanoseconds of ``5s``, ``200ms``, ``1m``. Raises: ValueError."""
    match = _INTERVAL.fullmatch(text)
    if match is None or int(match[1]) == 0:
        raise ValueError(f"{text!r} is no interval like 5s or 200ms")
    return int(match[1]) * _UNITS[match[2]]


def _text(document: Mapping[str, Any], name: str, default: str | None = None) -> str:
    value = document.get(name, default)
    if not isinstance(value, str):
        raise GenesisFileError(f"genesis: {name} must be a text")
    return value


def read_file(path: Path) -> Genesis:
    """Read and check a genesis file. Raises: GenesisFileError."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GenesisFileError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise GenesisFileError(f"{path}: not JSON: {error}") from None
    try:
        return parse(document)
    except GenesisFileError as error:
        raise GenesisFileError(f"{path}: {error}") from None


def parse(document: object) -> Genesis:
    """Check a genesis document. Raises: GenesisFileError naming the field."""
    if not isinstance(document, dict):
        raise GenesisFileError("genesis: not an object")
    chain_id = _text(document, "chain_id")
    if not 0 < len(chain_id.encode()) <= _CHAIN_ID_MAX:
        raise GenesisFileError(f"genesis: chain_id has 1 to {_CHAIN_ID_MAX} bytes")
    try:
        time = parse_time(_text(document, "genesis_time"))
        interval = parse_interval(_text(document, "block_interval", "5s"))
        initial_height = int(str(document.get("initial_height", "1")))
    except ValueError as error:
        raise GenesisFileError(f"genesis: {error}") from None
    if initial_height < 1:
        raise GenesisFileError("genesis: initial_height is at least 1")
    state = document.get("app_state", {})
    if not isinstance(state, dict):
        raise GenesisFileError("genesis: app_state is not an object")
    try:
        params = _params(document.get("consensus_params"))
        validators = tuple(_validator(entry) for entry in document.get("validators") or ())
    except (KeyError, TypeError, ValueError) as error:
        raise GenesisFileError(f"genesis: consensus_params or validators: {error!r}") from None
    prefix = _text(document, "bech32_prefix", DEFAULT_PREFIX)
    if not prefix:
        raise GenesisFileError("genesis: bech32_prefix is empty")
    return Genesis(
        chain_id, time, initial_height, interval, params, validators, state, document, prefix
    )


def _params(entry: Mapping[str, Any] | None) -> ConsensusParams | None:
    if entry is None:
        return None
    block, evidence, plain = entry["block"], entry.get("evidence") or {}, ConsensusParams()
    return ConsensusParams(
        max_bytes=int(block["max_bytes"]),
        max_gas=int(block["max_gas"]),
        evidence_max_age_blocks=int(
            evidence.get("max_age_num_blocks", plain.evidence_max_age_blocks)
        ),
        evidence_max_age=int(evidence.get("max_age_duration", plain.evidence_max_age)),
        evidence_max_bytes=int(evidence.get("max_bytes", plain.evidence_max_bytes)),
        pub_key_types=tuple((entry.get("validator") or {}).get("pub_key_types", ("ed25519",))),
    )


#: Key types as CometBFT's JSON has them.
KEY_KINDS: Final = {
    "tendermint/PubKeyEd25519": "ed25519",
    "cometbft/PubKeyMlDsa65": "ml_dsa_65",
}


def _validator(entry: Mapping[str, Any]) -> Validator:
    kind = KEY_KINDS[entry["pub_key"]["type"]]
    key = msgspec.convert(entry["pub_key"]["value"], bytes)
    return Validator(kind, key, int(entry["power"]))


def validator_entry(
    key_type: str, key: bytes, address: bytes, *, power: int = 10, name: str = ""
) -> dict[str, Any]:
    """A validator as a genesis document lists it."""
    kind = next(told for told, short in KEY_KINDS.items() if short == key_type)
    return {
        "address": address.hex().upper(),
        "pub_key": {"type": kind, "value": base64.b64encode(key).decode()},
        "power": str(power),
        "name": name,
    }


def begin(app: App, genesis: Genesis) -> InitChainResult:
    """Make the first state of an App that has none. Raises: GenesisFileError naming what its
    messages ran into."""
    try:
        return app.init_chain(
            genesis.time,
            genesis.chain_id,
            genesis.params,
            genesis.validators,
            genesis.app_state,
            genesis.initial_height,
        )
    except AppError as error:
        raise GenesisFileError(f"genesis: {error.log}") from None
