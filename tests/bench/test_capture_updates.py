"""Measuring whether memories stay true: what is replaced and flagged over whole conversations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.capture import updates
from bench.capture.updates import Found, UpdatesReport

SAID = [
    ("a1", "one", "2026-01-05T09:00:00", "user", "Test coverage of the parser module is at 61%."),
    ("a2", "one", "2026-01-05T09:01:00", "assistant", "Noted."),
    ("a3", "one", "2026-01-05T09:02:00", "user", "I have never used Rust at work."),
    ("b1", "two", "2026-02-05T09:00:00", "user", "Test coverage of the parser module has reached 74%."),
    ("b2", "two", "2026-02-05T09:01:00", "user", "I have been using Rust at work since 2021."),
]
ASKED = [
    ("q1", "knowledge_update", {"original_info": ["a1"], "updated_info": ["b1"]}),
    ("q2", "contradiction_resolution", {"first_statement": ["a3"], "second_statement": ["b2"]}),
    ("q3", "knowledge_update", {"original_info": ["a2"], "updated_info": ["b1"]}),
]


@pytest.fixture
def given(tmp_path: Path) -> Path:
    records = [
        {"id": id, "scope": "chat", "session": session, "ts": at, "role": role, "text": text}
        for id, session, at, role, text in SAID
    ]
    queries = [
        {"qid": qid, "scope": "chat", "query": "?", "category": category, "parts": parts, "relevant": ["a1"]}
        for qid, category, parts in ASKED
    ]
    folder = tmp_path / "set"
    folder.mkdir()
    for name, lines in (("records.jsonl", records), ("queries.jsonl", queries)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


@pytest.fixture
def report(given: Path, tmp_path: Path) -> UpdatesReport:
    return updates.run(given, embedder="none", home=tmp_path / "home")


def test_a_changed_value_and_a_contradiction_are_found_by_their_turns(report: UpdatesReport):
    """X14"""
    assert [each.found for each in report.updates] == [Found.SUPERSEDED, Found.NOT_EXTRACTED]
    assert [each.found for each in report.contradictions] == [Found.FLAGGED]
    assert (report.share_updated, report.share_flagged) == (0.5, 1.0)


def test_each_decision_names_two_memories_and_their_records(report: UpdatesReport):
    assert [(pair.old_records, pair.new_records) for pair in report.superseded] == [(("a1",), ("b1",))]
    assert [(pair.old_records, pair.new_records) for pair in report.flagged] == [(("a3",), ("b2",))]


def test_texts_are_for_a_reader_alone(report: UpdatesReport):
    assert "parser" not in json.dumps(report.as_dict())
    assert any("parser" in line for line in report.shown(report.superseded))
    assert "supersessions" in report.table()
