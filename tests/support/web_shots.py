"""Screenshots of every view, wide and narrow, light and dark, two of the four also in Chinese:
``python tests/support/web_shots.py FOLDER [VIEW …]``.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from browser import NARROW, WIDE, Site, chromium
from web_world import World

KINDS = (
    ("wide", WIDE, "light", "en-US"),
    ("wide", WIDE, "dark", "en-US"),
    ("narrow", NARROW, "light", "en-US"),
    ("narrow", NARROW, "dark", "en-US"),
    ("narrow", NARROW, "light", "zh-CN"),
    ("wide", WIDE, "dark", "zh-CN"),
)


def main(folder: Path, wanted: list[str]) -> None:
    """Make them."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, chromium() as browser:
        site = Site(Path(home) / "chain", "--block-time", "instant")
        try:
            world = World(site.devnet.url)
            world.fill()
            views = {k: v for k, v in world.views().items() if not wanted or k in wanted}
            for width, size, scheme, locale in KINDS:
                page = site.window(browser, viewport=size, color_scheme=scheme, locale=locale)
                for name, path in views.items():
                    site.go(page, path)
                    page.wait_for_timeout(300)
                    language = "" if locale == "en-US" else "-zh"
                    shot = folder / f"{name}-{width}-{scheme}{language}.png"
                    page.screenshot(path=str(shot), full_page=True)
                    inner = page.evaluate("document.documentElement.scrollWidth")
                    if inner > size["width"]:
                        sys.stderr.write(f"{shot.name}: {inner} pixels wide\n")
        finally:
            site.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
