"""Sweeps: the default suite tries a few cases of many, `make soak` all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def sweep(cases: Iterable[Any], default: Iterable[Any]) -> list[Any]:
    """Each case as a parameter, or as several where it is a tuple; those that are not among `default` are slow."""
    cases, default = list(cases), list(default)
    assert all(case in cases for case in default), "the default suite tries cases of the sweep"
    return [case if case in default else _slow(*(case if isinstance(case, tuple) else (case,))) for case in cases]


def _slow(*values: Any) -> Any:
    return pytest.param(*values, marks=pytest.mark.slow)
