"""Grading memories: an annotation that changes no answer, and that nothing loses (S2)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex import Cortex, registry
from cortex.domain.events import EventKind
from cortex.domain.importance import Grade, ImportanceLabel, Origin
from cortex.domain.memory import Memory
from cortex.errors import InvalidRequest, ProviderError
from cortex.runtime.deadline import Deadline
from cortex.services import grading
from cortex.services.grading import grade_due
from cortex.testing import FakeClock, FakeEmbedder

STATEMENTS = (
    ("Always run the linter before you commit", {"kind": "rule"}),
    ("The user prefers green tea", {"kind": "preference"}),
    ("The staging database is at db-stage-3.internal:5432", {}),
    ("My sister Ana lives in Porto", {}),
    ("ok, thanks", {"kind": "other"}),
    ("It was on the left side", {}),
)
QUESTIONS = ("Where is the staging database?", "What tea does the user like?", "Where does Ana live?", "thanks?")


def fed(engine: Cortex) -> list[str]:
    return [engine.remember(text, as_new=True, **fields).memory.id for text, fields in STATEMENTS]


def memory_of(engine: Cortex, id: str) -> Memory:
    found = engine.get(id)
    assert isinstance(found, Memory)
    return found


def test_every_memory_gets_a_score_a_label_reasons_and_a_version(engine: Cortex) -> None:
    """S2"""
    ids = fed(engine)
    facts = engine.grade().facts
    assert (facts["memories"], facts["graded"], facts["stopped"]) == (6, 6, None)
    assert facts["labels"] == {"ignore": 1, "must_remember": 2, "nice_to_have": 2, "unknown": 1}
    grade = memory_of(engine, ids[0]).grade
    assert grade is not None
    assert (grade.score, grade.label, grade.reasons, grade.version) == (
        0.8, ImportanceLabel.MUST_REMEMBER, ("rule",), "heuristic-v1",
    )  # fmt: skip


def test_a_second_run_grades_only_what_is_new_or_changed(engine: Cortex) -> None:
    ids = fed(engine)
    engine.grade()
    assert engine.grade().facts["graded"] == 0
    engine.edit(ids[3], text="My sister Ana lives in Faro")
    engine.remember("Never deploy on Fridays", kind="rule", as_new=True)
    facts = engine.grade().facts
    assert (facts["current"], facts["graded"]) == (5, 2)


def test_a_dry_run_and_a_comparison_store_nothing(engine: Cortex) -> None:
    ids = fed(engine)
    position = engine.context.position()
    assert engine.grade(dry_run=True).facts["graded"] == 6
    assert memory_of(engine, ids[0]).grade is None
    assert engine.context.position() == position
    engine.grade()
    graded_at = engine.context.position()
    facts = engine.grade(compare=True).facts
    assert facts["moves"]["must_remember -> must_remember"] == 2
    assert engine.context.position() == graded_at


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_grade_changes_no_answer(engine: Cortex, question: str) -> None:
    """S2"""
    fed(engine)
    before = answer(engine, question)
    engine.grade()
    assert answer(engine, question) == before


@given(st.lists(st.sampled_from(range(len(STATEMENTS))), min_size=1, max_size=9), st.sampled_from(QUESTIONS))
def test_no_mix_of_memories_is_recalled_otherwise_once_graded(
    tmp_path: Path, statements: list[int], question: str
) -> None:
    """S2"""
    settings = {"store": {"url": "ephemeral:"}}
    with Cortex(tmp_path, settings=settings, embedder=FakeEmbedder(64), clock=FakeClock()) as engine:
        for text, fields in (STATEMENTS[number] for number in statements):
            engine.remember(text, as_new=True, **fields)
        before = answer(engine, question)
        engine.grade(all=True)
        assert answer(engine, question) == before


def answer(engine: Cortex, question: str) -> list[tuple[str, float]]:
    return [(hit.trace.id, hit.score) for hit in engine.search(question).hits]


def test_a_grade_is_kept_by_an_export_an_import_and_an_edit(engine: Cortex) -> None:
    """S2"""
    ids = fed(engine)
    engine.grade()
    engine.edit(ids[0], tags=["ci"])
    lines = [json.dumps(line) for line in engine.export(redact=False)]
    other = engine.bind(agent="other")
    other.import_(lines, trusted=True)
    for id in ids:
        here, there = memory_of(engine, id), memory_of(other, id)
        assert (here.grade, here.origins) == (there.grade, there.origins)
        assert here.grade is not None


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("grade", {"score": 2, "label": "ignore", "reasons": [], "version": "x"}, "2 is outside 0 to 1"),
        ("grade", {"score": 0.5, "label": "ignore"}, "is not a grade"),
        ("grade", "high", "is not an object"),
        ("origins", {"text": "operator"}, "names a field without an origin"),
        ("origins", {"kind": "somebody"}, "is not one of default"),
    ],
)
def test_a_bad_grade_in_an_import_is_named(engine: Cortex, field: str, value: Any, reason: str) -> None:
    engine.remember("The deploy key rotates on Mondays")
    (line,) = engine.export(redact=False)
    with pytest.raises(InvalidRequest, match=f"line 1: {field}: {reason}"):
        engine.bind(user="bob").import_([json.dumps(line | {field: value})])


def test_a_grade_keeps_no_consolidation_from_being_undone_and_survives_it(engine: Cortex) -> None:
    """S2, X16"""
    one = engine.remember("The deploy key rotates on Mondays", as_new=True).memory.id
    two = engine.remember("The deploy key rotates on Mondays", as_new=True).memory.id
    run = engine.consolidate().outcome.run
    engine.grade()
    engine.undo_consolidation(str(run))
    kept = next(each for each in (one, two) if memory_of(engine, each).grade is not None)
    assert {memory_of(engine, id).state.value for id in (one, two)} == {"active"}
    assert memory_of(engine, kept).superseded_by is None


def test_what_is_erased_leaves_no_grade(engine: Cortex) -> None:
    ids = fed(engine)
    engine.grade()
    engine.erase(ids[0])
    assert engine.grade(all=True).facts["memories"] == 5


def test_grades_are_events_that_the_timeline_shows_only_by_name(engine: Cortex) -> None:
    fed(engine)
    engine.grade()
    assert {each.event.kind for each in engine.timeline().happened} == {EventKind.REMEMBERED}
    assert len(engine.timeline(kinds=[EventKind.GRADED]).happened) == 6


def test_an_edit_makes_a_field_the_operators(engine: Cortex) -> None:
    """S5"""
    id = engine.remember("The deploy key rotates on Mondays").memory.id
    edited = engine.edit(id, importance=0.5).memory
    assert edited.origin_of("importance") is Origin.OPERATOR
    assert edited.origin_of("scope") is Origin.DEFAULT
    assert engine.edit(id, text="The deploy key rotates on Fridays").memory.origin_of("kind") is Origin.DEFAULT


def test_an_unknown_grader_is_named(engine: Cortex) -> None:
    with pytest.raises(InvalidRequest, match=r"grader: is not the name of a grader \(did you mean 'heuristic-v1'"):
        engine.grade(grader="heuristic-v2")


class OwnGrader:
    """A grader of somebody else."""

    name = "own-v1"
    fingerprint = "0"

    def __init__(self, grade: Callable[[Memory], Any]) -> None:
        self._grade = grade

    def grade(self, memory: Memory, now: datetime) -> Grade:
        found: Grade = self._grade(memory)
        return found


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Registers a grader under a name, as an entry point would."""
    find = registry.find

    def register(grade: Callable[[Memory], Any], as_name: str = "own-v1") -> None:
        def found(group: str, name: str, **offered: Any) -> Any:
            return (lambda: OwnGrader(grade)) if name == as_name else find(group, name, **offered)

        monkeypatch.setattr(registry, "find", found)

    return register


def test_a_grader_that_hangs_is_given_up(engine: Cortex, use: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2, S7"""
    ids, ending = fed(engine), threading.Event()
    monkeypatch.setattr(grading, "BATCH_SECONDS", 0.05)
    use(lambda _: ending.wait(30))
    facts = engine.grade(grader="own-v1").facts
    ending.set()
    assert (facts["stopped"], facts["graded"]) == ("grader_timeout", 0)
    assert memory_of(engine, ids[0]).grade is None


NO_SCORE = Grade(score=7, label=ImportanceLabel.IGNORE, reasons=(), version="own-v1")


@pytest.mark.parametrize("bad", [lambda _: 1 / 0, lambda _: NO_SCORE])
def test_a_grader_that_fails_ends_the_run_and_nothing_else(engine: Cortex, use: Any, bad: Any) -> None:
    fed(engine)
    use(bad)
    assert engine.grade(grader="own-v1").facts["stopped"].startswith("grader_failed")
    assert engine.grade().facts["graded"] == 6


def test_scheduled_grading_ends_at_its_deadline_and_goes_on_the_next_time(engine: Cortex) -> None:
    """S7"""
    fed(engine)
    clock = engine.context.clock
    late = grade_due(engine.context, Deadline.after(clock, 0))
    assert (late.facts["stopped"], late.facts["graded"]) == ("deadline", 0)
    assert grade_due(engine.context, Deadline.after(clock, 60)).facts["graded"] == 6


def test_a_grader_that_fails_on_schedule_is_an_error_for_the_alerts(engine: Cortex, use: Any) -> None:
    """S7"""
    fed(engine)
    use(lambda _: 1 / 0, "heuristic-v1")
    with pytest.raises(ProviderError, match="the grader stopped: grader_failed: ZeroDivisionError"):
        grade_due(engine.context, Deadline.after(engine.context.clock, 60))
