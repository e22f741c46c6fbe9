"""API keys: shown once, kept as a hash, bound, revocable at once everywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from chain.gateway.keys import ApiKeyError, ApiKeys


def test_a_key_is_found_by_its_text_and_kept_as_a_hash(tmp_path: Path) -> None:
    token, made = ApiKeys(tmp_path).create("alice-agent", "msg1a", "dev:alice")
    assert ApiKeys(tmp_path).find(token) == made
    secret = token.rpartition("_")[2]
    files = list(tmp_path.iterdir())
    assert all(secret not in one.read_text() for one in files)
    assert [one.stat().st_mode & 0o777 for one in files] == [0o600]


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1] + "!", lambda t: t + "a", lambda t: "", str.upper]
)
def test_another_text_finds_nothing(tmp_path: Path, change: object) -> None:
    store = ApiKeys(tmp_path)
    token, _ = store.create("a", "msg1a")
    assert store.find(change(token)) is None  # type: ignore[operator]


def test_the_secret_of_one_key_does_not_open_another(tmp_path: Path) -> None:
    store = ApiKeys(tmp_path)
    first, made = store.create("a", "msg1a")
    second, _ = store.create("b", "msg1b")
    mixed = f"msgk_{made.id}_{second.split('_', 2)[2]}"
    assert store.find(mixed) is None
    assert store.find(first) == made


def test_a_revoked_key_ends_for_every_reader_of_the_folder(tmp_path: Path) -> None:
    store, other = ApiKeys(tmp_path), ApiKeys(tmp_path)
    token, made = store.create("a", "msg1a")
    assert other.find(token) is not None
    gone = store.revoke(made.id)
    assert gone.revoked_at
    assert other.find(token) is None
    assert store.revoke(made.id) == gone
    assert [one.id for one in other.all()] == [made.id]


def test_unknown_ids_and_damaged_files_are_no_keys(tmp_path: Path) -> None:
    store = ApiKeys(tmp_path)
    for number in ("0" * 16, "../etc/passwd", ""):
        with pytest.raises(ApiKeyError, match="there is no API key"):
            store.revoke(number)
    token, made = store.create("a", "msg1a")
    (tmp_path / f"{made.id}.json").write_text("{")
    assert store.find(token) is None
    assert ApiKeys(tmp_path / "none").all() == []


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ApiKeyError, match="cannot be written"):
        ApiKeys(tmp_path / "file").create("a", "msg1a")
