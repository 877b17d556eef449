"""How the code is cut: what `python -m bench.house` counts does not grow."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import sources

from bench.house import House, show

REACHES = 0
"""Places that touch a private attribute of something else."""
KNOTTED = 0
"""Rooms that import each other in a circle."""


@pytest.fixture
def house() -> House:
    return sources.house()


def test_no_more_places_reach_into_what_is_private(house: House) -> None:
    """HOUSE 1"""
    assert len(house.reaches) <= REACHES, [str(reach) for reach in house.reaches]


def test_no_more_rooms_import_each_other_in_a_circle(house: House) -> None:
    """HOUSE: imports point down"""
    assert house.knotted <= KNOTTED, house.knot


# --- the script ------------------------------------------------------------------------------------------------------


def package(folder: Path, **modules: str) -> House:
    root = folder / "cortex"
    for name, text in modules.items():
        path = root / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        ast.parse(text)
    return House(root)


def test_a_private_attribute_of_another_object_is_a_reach(tmp_path: Path) -> None:
    given = """
class Own:
    def __init__(self, other: Store, twin: "Own", plain: Own):
        self._mine = other._store
        self._more = self._mine._inner
        twin._mine, plain._mine, self._mine, other.public, other.__class__
"""
    reaches = package(tmp_path, one=given, two="from cortex.one import _hidden\nimport os\nos._exit(0)\n").reaches
    assert [str(reach) for reach in reaches] == [
        "cortex.one:4 other._store", "cortex.one:5 self._mine._inner", "cortex.two:1 cortex.one._hidden",
    ]  # fmt: skip


def test_rooms_that_import_each_other_are_a_knot_though_the_import_is_in_a_function(tmp_path: Path) -> None:
    house = package(
        tmp_path,
        a__one="from cortex.b.two import x",
        b__two="def f():\n    from cortex.c import y",
        c="import cortex.a.one",
        d="import cortex.c",
    )
    assert house.knot == (("a", "b", "c"),)
    assert house.knotted == 3


def test_repeated_classes_and_participles_are_listed(tmp_path: Path) -> None:
    house = package(tmp_path, keeping="class Outcome: ...", ranking="class Outcome: ...", file_watching="class _A: ...")
    assert house.repeated_classes == {"Outcome": ("cortex.keeping", "cortex.ranking")}
    assert house.participles == ("keeping.py",)


def test_the_command_prints_every_part(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    show(house)
    printed = capsys.readouterr().out
    for part in ("lines of Python", "private reaches", "several modules", "participle", "biggest files", "knot"):
        assert part in printed
