"""`python -m bench.same_answers`: an evaluation set on other stores, beside SQLite."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from golden import write_golden

import postgres_server
from bench.same_answers import Answers, answers, compare

pytestmark = pytest.mark.skipif(bool(postgres_server.missing()), reason=postgres_server.missing())


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_golden(tmp_path_factory.mktemp("golden"))


def test_postgresql_answers_a_set_as_sqlite_does(golden: Path, tmp_path: Path) -> None:
    rows, is_same = compare(golden, postgres_server.shared().url(), ["lancedb://{folder}"], tmp_path)
    assert is_same, rows
    assert [row.split(" | ")[1] for row in rows] == ["SQLite", "PostgreSQL", "SQLite and lancedb"]


def test_another_order_and_another_score_are_differences(golden: Path, tmp_path: Path) -> None:
    found = answers(golden, tmp_path)
    first = found.lines[0]
    reversed_ = Answers([{**first, "found": first["found"][::-1]}, *found.lines[1:]], found.recall)
    assert found.differing(reversed_) == [first["qid"]]
    raised = replace(found, lines=[{**first, "scores": [each + 0.5 for each in first["scores"]]}, *found.lines[1:]])
    assert found.distance(raised) == pytest.approx(0.5)
    assert found.distance(found) == 0.0
