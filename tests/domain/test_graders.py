"""How much a memory matters: a frozen table, signs of many languages, reasons by name (S2)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.grading import HEURISTIC_V1, Reason, basis
from cortex.domain.identity import TraceId
from cortex.domain.importance import Grade, ImportanceLabel, Origin, Origins
from cortex.domain.memory import Draft, Kind, Memory
from cortex.domain.trace import canonical, from_json, to_json
from cortex.languages import grading

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FINGERPRINT = "9df6ca8751e266d3"
"""Another number, reason or word makes another grader: give it a new name, and measure it."""


def memory(text: str, **fields: Any) -> Memory:
    made = {"source_kind": "user", "created_at": NOW - timedelta(days=1), **fields}
    return Draft(text=text, **made).checked().memory(TraceId("01890000-0000-7000-8000-000000000001"), NOW)


def graded(text: str, **fields: Any) -> Grade:
    return HEURISTIC_V1.grade(memory(text, **fields), NOW)


def test_the_table_is_frozen() -> None:
    """S2"""
    assert (HEURISTIC_V1.name, HEURISTIC_V1.fingerprint) == ("heuristic-v1", FINGERPRINT)


@pytest.mark.parametrize(
    ("text", "fields", "label", "reasons"),
    [
        ("Sign my letters with Jo", {"kind": "rule"}, "must_remember", ["rule"]),
        ("We take the train", {"kind": "decision"}, "must_remember", ["decision"]),
        ("Ana is allergic to nuts", {}, "must_remember", ["constraint"]),
        ("Ticket OPS-2291 tracks the leak", {}, "nice_to_have", ["identifier", "lasting", "incident"]),
        ("My sister lives in Graz", {}, "nice_to_have", ["lasting"]),
        ("It was on the left side", {}, "unknown", []),
        ("thanks a lot!", {"kind": "other"}, "ignore", ["acknowledgement"]),
        ("Still compiling the second crate", {"kind": "episode", "source_kind": "tool"}, "ignore", ["progress"]),
    ],
)
def test_a_grade_names_its_reasons(text: str, fields: dict[str, Any], label: str, reasons: list[str]) -> None:
    """S2"""
    grade = graded(text, **fields)
    assert (grade.label.value, list(grade.reasons), grade.version) == (label, reasons, "heuristic-v1")


def test_without_a_reason_against_it_nothing_is_ignored() -> None:
    """S2: a careless `ignore` would hide a memory"""
    grade = graded("Prices went up again.")
    assert (grade.score, grade.label) == (0.3, ImportanceLabel.UNKNOWN)


def test_an_appointment_is_past_only_once_it_is() -> None:
    said = "Dentist tomorrow at 3pm"
    soon, long_ago = NOW - timedelta(hours=2), NOW - timedelta(days=40)
    assert "past_appointment" not in graded(said, created_at=soon).reasons
    assert "past_appointment" in graded(said, created_at=long_ago).reasons
    assert "past_appointment" not in graded("Dentist on 12 September at 3pm", created_at=long_ago).reasons
    assert "past_appointment" in graded("Dentist on 12 May at 3pm", created_at=long_ago).reasons
    assert "past_appointment" not in graded("Choir on Thursdays at 19:00, every week", created_at=long_ago).reasons
    over = {"created_at": long_ago, "valid_to": NOW - timedelta(days=30)}
    assert "past_appointment" in graded("Lunch with Priya at noon", **over).reasons


def test_a_grade_is_out_of_date_when_what_it_says_changed() -> None:
    one = memory("Dentist tomorrow at 3pm")
    assert basis(one, NOW) == basis(one.revised(access_count=3, tags=("x",)), NOW)
    assert basis(one, NOW) != basis(one.revised(text="Dentist tomorrow at 4pm"), NOW)
    assert basis(one, NOW) != basis(one, NOW + timedelta(days=30))


def test_an_empty_kind_and_a_named_scope_are_suggested_and_trust_only_falls() -> None:
    grade = graded("don't ever share my location, scope:privacy", kind="other")
    assert (grade.kind, grade.scope, grade.trust) == (Kind.RULE, "privacy", None)
    assert graded("don't ever share my location", kind="other", source_kind="web").kind is None


@pytest.mark.parametrize("lang", grading.tables())
def test_a_language_with_signs_has_all_of_them(lang: str) -> None:
    assert grading.tables()[lang].keys() == grading.MEANINGS.keys()


def test_every_reason_counts_in_one_row() -> None:
    counted = [reason for row in HEURISTIC_V1.rows for reason in row.reasons]
    assert sorted(counted) == sorted(Reason)


@given(st.text(max_size=300).filter(str.strip), st.sampled_from(list(Kind)))
def test_any_text_has_a_grade_and_always_the_same(text: str, kind: Kind) -> None:
    one = memory("x", kind=kind).revised(text=text)
    grade = HEURISTIC_V1.grade(one, NOW)
    assert 0.0 <= grade.score <= 1.0
    assert grade == HEURISTIC_V1.grade(one, NOW)


@pytest.mark.parametrize("text", ["ok " * 330 + "x", "(" * 1_000, "a-1" * 333, "at 3 " * 200, "run " * 250, "1 " * 500])
def test_no_text_makes_a_grader_slow(text: str) -> None:
    import time

    started = time.process_time()
    graded(text)
    assert time.process_time() - started < 2.0


def test_a_grade_and_origins_are_part_of_a_trace() -> None:
    grade = graded("don't ever share my location", kind="other")
    one = memory("x").revised(grade=grade, origins=Origins().having(["label", "importance"], Origin.GRADER))
    assert from_json(to_json(one)) == one
    assert '"origins":{"importance":"grader","label":"grader"}' in canonical(one)


def test_fields_at_their_default_were_set_by_nobody() -> None:
    """S5"""
    plain = memory("x")
    assert {plain.origin_of(name) for name in ("importance", "label", "scope", "kind", "trust")} == {Origin.DEFAULT}
    chosen = memory("x", importance=0.9, scope="infra", kind="rule")
    assert {chosen.origin_of(name) for name in ("importance", "label", "scope", "kind")} == {Origin.OPERATOR}
    assert chosen.revised(source_turns=(chosen.id,)).origin_of("importance") is Origin.EXTRACTOR
