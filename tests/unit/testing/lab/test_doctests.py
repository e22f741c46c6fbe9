"""Every public thing of the kit has an example in its docstring that runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import chain.testing

MODULES = sorted(found.name for found in pkgutil.iter_modules(chain.testing.__path__))


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(str(tmp_path))
    result = doctest.testmod(importlib.import_module(f"chain.testing.{name}"))
    assert result.failed == 0


def test_example_of_the_package_runs() -> None:
    assert doctest.testmod(chain.testing).failed == 0


def test_public_names_are_all_there_and_have_examples() -> None:
    assert sorted(chain.testing.__all__, key=str.lower) == sorted(
        chain.testing._LATER, key=str.lower
    )
    for name in chain.testing.__all__:
        assert getattr(chain.testing, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        chain.testing.nothing  # noqa: B018
