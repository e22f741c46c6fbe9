"""The keystore: what is kept is what comes out, and nothing of it is in the clear."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from chain.client.keystore import Keystore, KeystoreError, Secret
from chain.crypto.hd import wallet_key
from chain.crypto.keys import ML_DSA_87, SECP256K1

PASSWORD = "correct horse"
WORDS = "test test test test test test test test test test test junk"
CHEAP = 1 << 4


@pytest.fixture
def store(tmp_path: Path) -> Keystore:
    return Keystore(tmp_path / "keys", cost=CHEAP)


def test_a_native_key_comes_out_as_it_went_in(store: Keystore) -> None:
    secret = Secret.native()
    info = store.add("a", secret, PASSWORD)
    key = store.key("a", PASSWORD)
    assert key.pubkey == secret.key().pubkey
    assert (info.type, info.address) == (ML_DSA_87, key.pubkey.address())
    assert store.info("a") == info


def test_a_wallet_follows_from_its_words(store: Keystore) -> None:
    store.add("w", Secret.wallet(f"  {WORDS} ", 3), PASSWORD)
    assert store.key("w", PASSWORD).pubkey == wallet_key(WORDS, 3).pubkey
    assert store.info("w").type == SECP256K1


def test_a_new_wallet_has_24_words() -> None:
    one, other = Secret.wallet(), Secret.wallet()
    assert len(one.words.split()) == 24
    assert one.words != other.words


def test_nothing_secret_is_in_the_clear(store: Keystore) -> None:
    secret = Secret.native()
    store.add("a", secret, PASSWORD)
    store.add("w", Secret.wallet(WORDS), PASSWORD)
    for path in store.folder.iterdir():
        text = path.read_text()
        assert secret.seed.hex() not in text
        assert "junk" not in text
        assert PASSWORD not in text
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_two_keys_of_one_password_have_nothing_in_common(store: Keystore) -> None:
    secret = Secret.native()
    store.add("a", secret, PASSWORD)
    store.add("b", secret, PASSWORD)
    one, other = (json.loads((store.folder / f"{name}.json").read_text()) for name in "ab")
    assert all(one[name] != other[name] for name in ("salt", "nonce", "secret"))


def test_a_wrong_password_opens_nothing(store: Keystore) -> None:
    store.add("a", Secret.native(), PASSWORD)
    with pytest.raises(KeystoreError, match="wrong password"):
        store.key("a", "incorrect horse")


@pytest.mark.parametrize("field", ["address", "pubkey", "type", "cost", "salt", "nonce", "secret"])
def test_a_changed_file_does_not_open(store: Keystore, field: str) -> None:
    store.add("a", Secret.native(), PASSWORD)
    path = store.folder / "a.json"
    document = json.loads(path.read_text())
    value = document[field]
    document[field] = (
        value * 2 if field == "cost" else ("0" if value[0] != "0" else "1") + value[1:]
    )
    path.write_text(json.dumps(document))
    with pytest.raises(KeystoreError):
        store.key("a", PASSWORD)


@pytest.mark.parametrize("cost", [0, 1, 3, -2, 1 << 40, "x", None, 1.5])
def test_a_cost_out_of_bounds_is_refused(store: Keystore, cost: object) -> None:
    store.add("a", Secret.native(), PASSWORD)
    path = store.folder / "a.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "cost": cost}))
    with pytest.raises(KeystoreError):
        store.key("a", PASSWORD)


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"format": "other"}'])
def test_a_file_that_is_none_is_named(store: Keystore, text: str) -> None:
    store.add("a", Secret.native(), PASSWORD)
    (store.folder / "a.json").write_text(text)
    with pytest.raises(KeystoreError, match=r"a\.json"):
        store.info("a")


@pytest.mark.parametrize("name", ["", "..", "a/b", ".a", "-a", "a" * 65, "ä", "a b"])
def test_names_are_plain(store: Keystore, name: str) -> None:
    with pytest.raises(KeystoreError, match="no name for a key"):
        store.add(name, Secret.native(), PASSWORD)
    assert name not in store


def test_a_name_is_taken_once(store: Keystore) -> None:
    first = store.add("a", Secret.native(), PASSWORD)
    with pytest.raises(KeystoreError, match="already"):
        store.add("a", Secret.native(), PASSWORD)
    assert store.info("a") == first


def test_short_passwords_are_refused(store: Keystore) -> None:
    with pytest.raises(KeystoreError, match="8 characters"):
        store.add("a", Secret.native(), "short")
    assert store.names() == []


def test_an_unknown_key_names_the_known_ones(store: Keystore) -> None:
    store.add("a", Secret.native(), PASSWORD)
    store.add("b", Secret.native(), PASSWORD)
    with pytest.raises(KeystoreError, match="there are: a, b"):
        store.info("c")


@pytest.mark.parametrize("secret", [Secret(ML_DSA_87, seed=b"x"), Secret.wallet("not words")])
def test_secrets_that_are_none_are_refused(store: Keystore, secret: Secret) -> None:
    with pytest.raises(KeystoreError):
        store.add("a", secret, PASSWORD)
    assert "a" not in store


def test_an_export_is_imported_elsewhere(store: Keystore, tmp_path: Path) -> None:
    info = store.add("a", Secret.native(), PASSWORD)
    other = Keystore(tmp_path / "other", cost=CHEAP)
    with pytest.raises(KeystoreError, match="wrong password"):
        other.import_file("b", store.export("a"), "incorrect horse")
    assert other.names() == []
    assert other.import_file("b", store.export("a"), PASSWORD).address == info.address
    assert other.key("b", PASSWORD).pubkey == store.key("a", PASSWORD).pubkey


def test_a_removed_key_is_gone(store: Keystore) -> None:
    store.add("a", Secret.native(), PASSWORD)
    store.remove("a")
    assert store.names() == []
    with pytest.raises(KeystoreError):
        store.remove("a")
