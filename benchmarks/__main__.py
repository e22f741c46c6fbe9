"""``python -m benchmarks NAME [--size smoke|quick|real] [--json]``, and commands of their own:
``targets``, ``profile``, ``compare``, ``comparisons``, ``plots``.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from importlib import import_module
from pathlib import Path

SIZES = ("smoke", "quick", "real")
#: modules with a command line of their own
COMMANDS = ("compare", "comparisons", "plots", "profile", "targets")


def names() -> list[str]:
    """The benchmarks: every module of this package that has ``run``."""
    here = Path(__file__).parent
    found = sorted(path.stem for path in here.glob("*.py") if not path.stem.startswith("_"))
    return [name for name in found if name not in COMMANDS]


def machine() -> str:
    """What the figures were measured on, as far as a stranger needs it."""
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def main(argv: list[str]) -> int:
    """Run one benchmark and print its figures, or a command."""
    if argv and argv[0] in COMMANDS:
        return int(import_module(f"benchmarks.{argv[0]}").main(argv[1:]))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("name", nargs="?", choices=names())
    parser.add_argument("--size", choices=SIZES, default="real")
    parser.add_argument("--json", action="store_true", help="one object instead of lines")
    parser.add_argument("--list", action="store_true", help="name the benchmarks")
    args = parser.parse_args(argv)
    if args.list or args.name is None:
        for name in sorted((*names(), *COMMANDS)):
            text = (import_module(f"benchmarks.{name}").__doc__ or "").splitlines()
            print(f"{name:14} {text[0] if text else ''}")
        return 0
    module = import_module(f"benchmarks.{args.name}")
    sizes = getattr(module, "SIZES", None) or getattr(module, "COUNTS", None)
    size = args.size
    if size == "quick" and sizes is not None and "quick" not in sizes:
        size = "smoke"
    figures = module.run(size)
    if args.json:
        print(json.dumps({"benchmark": args.name, "size": size, **figures}))
        return 0
    print(f"{args.name} ({size}), {machine()}")
    for key, value in figures.items():
        print(f"  {key:40} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
