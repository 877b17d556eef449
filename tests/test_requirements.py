"""Every promise of the project names the tests that prove it, or says why it does not hold yet."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

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


def test_a_promise_says_what_it_is_and_nothing_unknown() -> None:
    assert [id_ for id_, promise in PROMISES.items() if not promise["promise"].strip()] == []
    assert {key for promise in PROMISES.values() for key in promise} == {"promise", "tests", "open", "note"}


def test_a_promise_names_its_tests_or_says_why_there_are_none() -> None:
    assert [id_ for id_, each in PROMISES.items() if not each.get("tests") and not each.get("open", "").strip()] == []
    assert [id_ for id_ in PROMISES if len(named(id_)) != len(set(named(id_)))] == []


def test_every_test_that_a_promise_names_exists() -> None:
    assert [(id_, test) for id_ in PROMISES for test in named(id_) if test not in known(test.partition("::")[0])] == []


def test_no_promise_is_proven_by_slow_tests_alone() -> None:
    assert [id_ for id_ in PROMISES if named(id_) and all(is_slow(test) for test in named(id_))] == []


def test_a_test_that_does_not_exist_is_noticed() -> None:
    own = "tests/test_requirements.py::test_a_test_that_does_not_exist_is_noticed"
    assert own in known("tests/test_requirements.py")
    assert f"{own}_else" not in known("tests/test_requirements.py")
    assert known("tests/nowhere.py") == {}


def named(id_: str) -> list[str]:
    return list(PROMISES[id_].get("tests", []))


def is_slow(test: str) -> bool:
    return known(test.partition("::")[0]).get(test, False)


@cache
def known(file: str) -> dict[str, bool]:
    """The tests of a file by their node ids, and whether each is slow as a whole."""
    path = ROOT / file
    if not path.is_file():
        return {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    marked = [ast.unparse(each) for each in tree.body if isinstance(each, ast.Assign)]
    is_slow = any(each.startswith("pytestmark") and "mark.slow" in each for each in marked)
    return dict(_tests(tree, file, is_slow=is_slow))


def _tests(node: ast.Module | ast.ClassDef, prefix: str, *, is_slow: bool) -> Iterator[tuple[str, bool]]:
    for each in node.body:
        if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            name = f"{prefix}::{each.name}"
            slow = is_slow or any(ast.unparse(mark) == "pytest.mark.slow" for mark in each.decorator_list)
            if isinstance(each, ast.ClassDef):
                yield from _tests(each, name, is_slow=slow)
            elif each.name.startswith("test_"):
                yield name, slow
