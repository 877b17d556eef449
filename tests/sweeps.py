"""Sweeps: the default suite tries a few cases of many, `make soak` all of them; and many small cases in one test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import update_wrapper
from inspect import signature
from typing import Any, TypeVar, cast

import pytest

_Test = TypeVar("_Test", bound=Callable[..., None])


def sweep(cases: Iterable[Any], default: Iterable[Any]) -> list[Any]:
    """Each case as a parameter, or as several where it is a tuple; those that are not among `default` are slow."""
    cases, default = list(cases), list(default)
    assert all(case in cases for case in default), "the default suite tries cases of the sweep"
    return [case if case in default else _slow(*(case if isinstance(case, tuple) else (case,))) for case in cases]


def _slow(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)


def for_each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[_Test], _Test]:
    """One test over many small cases, all of them tried: as `parametrize`, for tests that need nothing prepared."""
    keys = (names,) if isinstance(names, str) and "," not in names else tuple(_several(names))
    tried = [(case,) if isinstance(names, str) and len(keys) == 1 else tuple(case) for case in cases]
    assert tried, "there is a case"

    def over_all(test: _Test) -> _Test:
        def run(*itself: Any, **given: Any) -> None:
            failures: list[BaseException] = []
            for case in tried:
                try:
                    test(*itself, **given, **dict(zip(keys, case, strict=True)))
                except (Exception, pytest.fail.Exception, BaseExceptionGroup) as error:
                    error.add_note(
                        f"with {', '.join(f'{key}={value!r}' for key, value in zip(keys, case, strict=True))}"
                    )
                    failures.append(error)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(tried)} cases", failures)

        wanted = signature(test)
        update_wrapper(run, test)
        others = [each for name, each in wanted.parameters.items() if name not in keys]
        run.__signature__ = wanted.replace(parameters=others)  # type: ignore[attr-defined]
        return cast("_Test", run)

    return over_all


def _several(names: str | Sequence[str]) -> Iterable[str]:
    return (name.strip() for name in names.split(",")) if isinstance(names, str) else names
