"""Every promise of the project names the tests that prove it, or says why it does not hold yet."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
IDS = [
    f"{letter}{number}"
    for letter, last in {"C": 16, "X": 19, "B": 22, "L": 6, "Q": 2, "E": 21, "S": 7}.items()
    for number in range(1, last + 1)
]
PROMISES: dict[str, dict[str, Any]] = tomllib.loads((ROOT / "tests" / "requirements.toml").read_text(encoding="utf-8"))


def test_every_promise_is_listed_and_no_other() -> None:
    assert list(PROMISES) == IDS
    assert len(IDS) == 93


@pytest.mark.parametrize("id_", PROMISES)
def test_a_promise_is_proven_by_tests_that_exist_or_is_open(id_: str) -> None:
    promise = PROMISES[id_]
    assert set(promise) <= {"promise", "tests", "open", "note"}
    assert promise["promise"].strip()
    named = promise.get("tests", [])
    assert named or promise.get("open", "").strip(), "name its tests, or say under `open` why there are none"
    assert len(named) == len(set(named))
    assert [node for node in named if node not in known(node.partition("::")[0])] == []


@pytest.mark.parametrize("id_", [id_ for id_, promise in PROMISES.items() if "tests" in promise])
def test_a_promise_is_proven_by_the_default_suite(id_: str) -> None:
    assert any(not known(node.partition("::")[0]).get(node) for node in PROMISES[id_]["tests"]), "all of them are slow"


@cache
def known(file: str) -> dict[str, bool]:
    """The tests of a file by their node ids, and whether each is slow as a whole."""
    path = ROOT / file
    if not path.is_file():
        return {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    whole = any(isinstance(each, ast.Assign) and "mark.slow" in ast.unparse(each.value) for each in tree.body)
    return dict(_tests(tree, file, is_slow=whole))


def _tests(node: ast.Module | ast.ClassDef, prefix: str, *, is_slow: bool) -> Iterator[tuple[str, bool]]:
    for each in node.body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}::{each.name}"
            slow = is_slow or any(ast.unparse(mark) == "pytest.mark.slow" for mark in each.decorator_list)
            if isinstance(each, ast.ClassDef):
                yield from _tests(each, name, is_slow=slow)
            elif each.name.startswith("test_"):
                yield name, slow
