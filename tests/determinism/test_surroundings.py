"""One log, every hash seed, time zone, locale and temperature of caches: the same hashes (CH-15)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from demo_run import demo, msgchain

from chain.driver.log import files
from chain.driver.log.replay import replay
from chain.wiring import replay_app

pytestmark = pytest.mark.long

SEEDS = ("0", "1", "2", "random")
PLACES = (
    ("UTC", "C"),
    ("America/St_Johns", "de_DE.UTF-8"),
    ("Pacific/Apia", "tr_TR.UTF-8"),
    ("Asia/Kathmandu", "ar_EG.UTF-8"),
)


@pytest.fixture(scope="module", name="logged")
def _logged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    path = tmp_path_factory.mktemp("log") / "demo.msgpack"
    return path, demo("--log", str(path))


@pytest.mark.parametrize(("seed", "place"), list(zip(SEEDS, PLACES, strict=True)), ids=SEEDS)
def test_CH_15_a_log_replays_alike_anywhere(
    logged: tuple[Path, dict[str, Any]], tmp_path: Path, seed: str, place: tuple[str, str]
) -> None:
    path, run = logged
    zone, locale = place
    surroundings = {
        "PYTHONHASHSEED": seed,
        "TZ": zone,
        "LC_ALL": locale,
        "LANG": locale,
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(tmp_path),  # cold: nothing is compiled yet, then it is
    }
    for _ in ("cold", "warm"):
        done = msgchain("log", "replay", str(path), "--json", env=surroundings)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["app_hash"] == run["app_hash"]
    assert any(tmp_path.rglob("*.pyc"))


def test_CH_15_a_second_replay_in_one_process_is_alike(
    logged: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    path, run = logged
    for home in (None, tmp_path / "one", tmp_path / "two"):
        done = replay(files.read(path), replay_app(home=home))
        assert done.app_hash.hex() == run["app_hash"]
