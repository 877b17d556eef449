"""What was said last leads, however it names the thing; one person's words never replace another's (X14)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from laboratory import user

from cortex.domain.turn import Role, TurnDraft
from cortex.services.turn_hooks import TurnHooks

START = datetime(2026, 10, 10, 9, tzinfo=UTC)


@pytest.fixture
def engine(open_engine, backend):
    """With time: a busy machine must not cost a turn its memories here."""
    return open_engine(backend, hooks={"deadline_ms": 60_000})


def lines(engine, question: str) -> list[str]:
    block = TurnHooks(engine).before(question, session="asking").block
    return [line.partition("] ")[2] for line in block.splitlines() if line.startswith("- [")]


CHANGED = [
    ("The staging cluster is in Frankfurt", "We moved staging to Dublin", "where is the staging cluster?"),
    ("The staging cluster is in Frankfurt", "We moved staging to Dublin", "where is the staging cluster now?"),
    ("The staging cluster is in Frankfurt", "We moved staging to Dublin", "where does the staging cluster run?"),
    ("My car is a blue Skoda Fabia.", "I sold the Skoda and bought a red Volvo.", "what car do I have?"),
    ("My car is a blue Skoda Fabia.", "I sold the Skoda and bought a red Volvo.", "what car do I drive?"),
    ("Our web server is a Hetzner box.", "We swapped Hetzner for a Linode.", "what web server do we run?"),
]


@pytest.mark.parametrize(("older", "newer", "question"), CHANGED)
def test_a_change_leads_though_it_names_less_of_the_question(engine, older, newer, question):
    for month, text in enumerate((older, newer)):
        engine.capture([user(text, at=START + timedelta(days=30 * month))], session=f"s{month}")
    assert lines(engine, question) == [newer, older]


OF_SOMETHING_ELSE = [
    ("The staging cluster is in Frankfurt", "We moved the summer party to Dublin", "where is the staging cluster?"),
    ("My car is a blue Skoda Fabia.", "Nina sold her bicycle and bought a red Gazelle.", "what car do I drive?"),
]


@pytest.mark.parametrize(("older", "newer", "question"), OF_SOMETHING_ELSE)
def test_a_change_of_something_else_leads_nothing(engine, older, newer, question):
    for month, text in enumerate((older, newer)):
        engine.capture([user(text, at=START + timedelta(days=30 * month))], session=f"s{month}")
    assert lines(engine, question)[0] == older


def test_a_question_about_before_keeps_the_earlier_statement_first(engine):
    for month, text in enumerate(("The staging cluster is in Frankfurt", "We moved staging to Dublin")):
        engine.capture([user(text, at=START + timedelta(days=30 * month))], session=f"s{month}")
    assert lines(engine, "where was the staging cluster before?")[0] == "The staging cluster is in Frankfurt"


def test_both_sides_of_a_contradiction_are_shown(engine):
    """However little of the question one of them mentions"""
    engine.remember("The staging cluster is in Frankfurt")
    second = engine.remember("We moved staging to Dublin")
    assert second.others
    for question in ("where is the staging cluster?", "tell me about the staging cluster in Frankfurt"):
        shown = lines(engine, question)
        assert {"The staging cluster is in Frankfurt", "We moved staging to Dublin"} <= set(shown)


def test_nobody_says_anything_newer_of_the_mother_of_another(engine):
    def by(name: str, text: str, day: int) -> None:
        said = TurnDraft(text=text, role=Role.USER, speaker=name, at=START + timedelta(days=day))
        engine.capture([said], session=f"s{day}")

    by("Jolene", "My mother lives in Turin.", 0)
    by("Marek", "My mother moved to Graz in May.", 1)
    by("Jolene", "My mother lives in Genoa now.", 60)
    assert "Graz" in engine.recall("where does Marek's mother live?").hits[0].trace.text
    assert "Genoa" in engine.recall("where does Jolene's mother live?").hits[0].trace.text
