"""Plots: throughput and latency against block size, cost against state size, as SVG.

``python -m benchmarks plots [--size quick|real] [--out FOLDER]`` measures and writes
``block_size.svg`` and ``state_size.svg``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import growth, pipeline

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 80, 48, 56
COLOURS = ("#1f5fa8", "#c2571a", "#3b7d3b", "#7a4aa0", "#8a6d1d")


class Series(NamedTuple):
    """A line: its name, its points, and whether the right-hand scale is its own."""

    name: str
    points: Sequence[tuple[float, float]]
    right: bool = False


def _scale(top: float) -> float:
    """A round number that is not below ``top``."""
    step = 1.0
    while step * 10 < top:
        step *= 10
    return next(step * factor for factor in (1, 2, 5, 10, 20) if step * factor >= top)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.2g}"


def chart(title: str, axes: tuple[str, str, str], series: Sequence[Series]) -> str:
    """An SVG; places on the x axis are equally far apart, in the order of their values."""
    places = sorted({x for one in series for x, _ in one.points})
    across = {
        x: LEFT + 24 + (WIDTH - LEFT - RIGHT - 48) * index / max(1, len(places) - 1)
        for index, x in enumerate(places)
    }
    tops = {
        side: _scale(max([y for one in series if one.right == side for _, y in one.points] or [1]))
        for side in (False, True)
    }

    def down(y: float, right: bool) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / tops[right]

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
    ]
    has_right = any(one.right for one in series)
    for tick in range(5):
        y = down(tops[False] * tick / 4, False)
        parts += [
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>',
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">'
            f"{_shown(tops[False] * tick / 4)}</text>",
        ]
        if has_right:
            parts.append(
                f'<text x="{WIDTH - RIGHT + 6}" y="{y + 4:.1f}">'
                f"{_shown(tops[True] * tick / 4)}</text>"
            )
    parts += [
        f'<text x="{across[x]:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">'
        f"{_shown(x)}</text>"
        for x in places
    ]
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts += [
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle">'
        f"{axes[0]}</text>",
        f'<text transform="translate(16 {middle:.0f}) rotate(-90)" text-anchor="middle">'
        f"{axes[1]}</text>",
        f'<text transform="translate({WIDTH - 12} {middle:.0f}) rotate(90)" '
        f'text-anchor="middle">{axes[2]}</text>',
    ]
    for index, one in enumerate(series):
        colour = COLOURS[index % len(COLOURS)]
        line = " ".join(f"{across[x]:.1f},{down(y, one.right):.1f}" for x, y in one.points)
        dash = ' stroke-dasharray="6 4"' if one.right else ""
        parts.append(
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        )
        parts += [
            f'<circle cx="{across[x]:.1f}" cy="{down(y, one.right):.1f}" r="3" fill="{colour}"/>'
            for x, y in one.points
        ]
        parts.append(f'<text x="{LEFT + 8 + 130 * index}" y="40" fill="{colour}">{one.name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def block_size(size: str) -> str:
    """Throughput and the time of a block against the transactions in it."""
    series: list[Series] = []
    late: list[Series] = []
    for kind in ("mldsa", "secp256k1"):
        rates, times = [], []
        for block in pipeline.BLOCKS[size]:
            count = min(pipeline.COUNTS[size], max(100, 6 * block))
            found = pipeline.measure(kind, count, pipeline.SENDERS[size], block)
            rates.append((float(block), found.rate))
            times.append((float(block), found.latency * 1e3))
        series.append(Series(f"{kind}, 1/s", rates))
        late.append(Series(f"{kind}, ms", times, right=True))
    return chart(
        "Signed send_message, bytes to synced block",
        ("transactions in a block", "transactions a second", "milliseconds a block (dashed)"),
        [*series, *late],
    )


def state_size(size: str) -> str:
    """The processor time of each operation against the messages there are."""
    found = growth.measure(size)
    series = [
        Series(name, [(float(messages), seconds * 1e6) for messages, (seconds, _) in sizes.items()])
        for name, sizes in found.items()
    ]
    return chart(
        "Operations of agent_a2a_v1", ("messages in the state", "microseconds", ""), series
    )


def main(argv: list[str]) -> int:
    """Measure and write both."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks plots", description=__doc__)
    parser.add_argument("--size", choices=("smoke", "quick", "real"), default="real")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/plots"))
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    for name, made in (("block_size", block_size), ("state_size", state_size)):
        path = args.out / f"{name}.svg"
        path.write_text(made(args.size), encoding="utf-8")
        print(path)
    return 0
