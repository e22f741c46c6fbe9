"""Every public thing of the kit has an example in its docstring that runs."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

import chain.testing
from chain.testing import examples, strategies

MODULES = sorted(found.name for found in pkgutil.iter_modules(chain.testing.__path__))
#: what Hypothesis and the rules call, not an author
OF_THE_ENGINE = {"attack", "laws", "pass_time", "teardown"}


def run(module: Any) -> None:
    """Run each example by itself, on what ``Chain``'s examples go on from."""
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for found in doctest.DocTestFinder().find(module):
        if found.examples:
            found.globs.update(examples.scene(), contract_machine=chain.testing.contract_machine)
            runner.run(found)
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    run(importlib.import_module(f"chain.testing.{name}"))


@pytest.mark.parametrize("name", ["chain.testing", "chain.vm.contract"])
def test_examples_of_what_is_exported_run(name: str) -> None:
    run(importlib.import_module(name))


def public() -> Iterator[tuple[str, Any]]:
    """The public names, and those of their classes."""
    for name in (one for one in chain.testing.__all__ if one != "strategies"):
        thing = getattr(chain.testing, name)
        yield name, thing
        for kind in thing.__mro__ if inspect.isclass(thing) else ():
            if not kind.__module__.startswith("chain.testing"):
                continue
            for member, value in vars(kind).items():
                plain = getattr(value, "__func__", value)
                is_code = inspect.isfunction(plain) or isinstance(plain, property)
                if is_code and not member.startswith("_") and member not in OF_THE_ENGINE:
                    yield f"{name}.{member}", plain
    for name, thing in vars(strategies).items():
        own = getattr(thing, "__module__", None) == strategies.__name__
        if own and inspect.isfunction(thing) and not name.startswith("_"):
            yield f"strategies.{name}", thing


def test_everything_public_has_an_example() -> None:
    without = [name for name, thing in public() if ">>>" not in (thing.__doc__ or "")]
    assert not without


def test_public_names_are_all_there() -> None:
    assert sorted(chain.testing.__all__, key=str.lower) == sorted(
        chain.testing._LATER, key=str.lower
    )
    for name, module in chain.testing._LATER.items():  # not hidden by a module of the same name
        found = importlib.import_module(module)
        assert getattr(chain.testing, name) is getattr(found, name, found)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        chain.testing.nothing  # noqa: B018
