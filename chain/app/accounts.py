"""Accounts: a number given once, a sequence that only rises, and a public key that travels once."""

from __future__ import annotations

from typing import Final

from chain.app import keys, records
from chain.app.records import Account
from chain.crypto.keys import PubKey
from chain.gas import KV_HAS, KV_READ, KV_READ_BYTE, KV_WRITE, KV_WRITE_BYTE, GasMeter
from chain.store.overlay import Overlay
from chain.vm.storage import ReadStore


def may_load(store: ReadStore, canonical: bytes, meter: GasMeter | None = None) -> Account | None:
    """The account of an address, None when there is none."""
    return opened(store.get(keys.ACCOUNT + canonical), canonical, meter)


def opened(raw: bytes | None, canonical: bytes, meter: GasMeter | None) -> Account | None:
    """The account of what was read; the read is charged."""
    if meter is not None:
        size = len(canonical) + 1 + (0 if raw is None else len(raw))
        meter.consume(KV_READ + KV_READ_BYTE * size, "ReadPerByte")
    return None if raw is None else records.decode_account(raw)


def may_load_key(
    store: ReadStore, canonical: bytes, meter: GasMeter | None = None
) -> PubKey | None:
    """The public key of an account, None when it has not been seen yet."""
    raw = store.get(keys.PUBKEY + canonical)
    if meter is not None:
        size = len(canonical) + 1 + (0 if raw is None else len(raw))
        meter.consume(KV_READ + KV_READ_BYTE * size, "ReadPerByte")
    return None if raw is None else _decode_key(canonical, raw)


#: keys as they were decoded last, by account: hashing 2,592 bytes would take longer than comparing
_KEYS_MAX: Final = 4_096
_decoded_keys: Final[dict[bytes, tuple[bytes, PubKey]]] = {}


def _decode_key(canonical: bytes, raw: bytes) -> PubKey:
    known = _decoded_keys.get(canonical)
    if known is not None and known[0] == raw:
        return known[1]
    key = records.decode_key(raw)
    if len(_decoded_keys) >= _KEYS_MAX:
        _decoded_keys.clear()
    _decoded_keys[canonical] = (raw, key)
    return key


def save(
    overlay: Overlay, canonical: bytes, account: Account, meter: GasMeter | None = None
) -> None:
    """Write number and sequence of an account."""
    raw = records.encode(account)
    if meter is not None:
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (len(canonical) + 1 + len(raw)), "WritePerByte")
    overlay.set(keys.ACCOUNT + canonical, raw)


def save_key(
    overlay: Overlay, canonical: bytes, pubkey: PubKey, meter: GasMeter | None = None
) -> None:
    """Write the public key of an account."""
    raw = records.encode(pubkey)
    if meter is not None:
        meter.consume(KV_WRITE + KV_WRITE_BYTE * (len(canonical) + 1 + len(raw)), "WritePerByte")
    overlay.set(keys.PUBKEY + canonical, raw)


def ensure_exists(overlay: Overlay, meter: GasMeter | None, canonical: bytes) -> None:
    """Give an address an account with the next number if it has none."""
    if meter is not None:
        meter.consume(KV_HAS, "Has")
    if overlay.get(keys.ACCOUNT + canonical) is None:
        create(overlay, meter, canonical)


def create(overlay: Overlay, meter: GasMeter | None, canonical: bytes) -> Account:
    """Make an account with the next number."""
    raw = overlay.get(keys.ACCOUNT_NUMBER)
    number = keys.decode_amount(raw)
    if meter is not None:
        meter.consume(
            KV_READ + KV_READ_BYTE * (1 + len(raw or b"")) + KV_WRITE + KV_WRITE_BYTE * 9,
            "WritePerByte",
        )
    overlay.set(keys.ACCOUNT_NUMBER, keys.encode_amount(number + 1))
    account = Account(number, 0)
    save(overlay, canonical, account, meter)
    return account
