"""Facts about a project stay in its scope; facts about the person are kept for all scopes, and found from each."""

from __future__ import annotations

import pytest
from laboratory import texts

from cortex.capture.candidate import Candidate
from cortex.capture.placement import is_personal
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Kind
from cortex.ports.store import Filter
from cortex.services.turn_hooks import TurnHooks

ATLAS, BLUEFIN = "~/src/atlas", "~/src/bluefin"
SHARED = {"share_personal": True}


def say(engine, text: str, scope: str, session: str = "s", **options) -> None:
    said = [{"role": "user", "content": text}, {"role": "assistant", "content": "Understood."}]
    engine.capture(said, session=session, scope=scope, **{**SHARED, **options})


def remembered(engine) -> dict[str, str]:
    return {memory.text: memory.scope for memory in engine.list(limit=100) if memory.lane == "memories"}


def test_a_fact_of_a_project_stays_in_it_and_one_about_the_person_goes_everywhere(engine):
    """E5"""
    say(engine, "The staging server runs on port 8443.", ATLAS, "a")
    say(engine, "My favorite editor is Helix.", ATLAS, "b")
    assert sorted(remembered(engine).values()) == ["personal", ATLAS]
    for project, port in ((ATLAS, True), (BLUEFIN, False)):
        found = " ".join(texts(engine.recall("which port does the staging server use?", scope=project, **SHARED)))
        assert ("8443" in found) is port
        found = " ".join(texts(engine.recall("what is my favorite editor?", scope=project, **SHARED)))
        assert "Helix" in found


def test_without_it_a_scope_keeps_everything_that_was_said_in_it(engine):
    """E5: a scope is a hard filter"""
    say(engine, "My favorite editor is Helix.", ATLAS, share_personal=False)
    assert set(remembered(engine).values()) == {ATLAS}
    engine.remember("My favorite color is green")
    assert "My favorite color is green" not in texts(engine.recall("what is my favorite color?", scope=ATLAS))


def test_a_turn_gets_what_is_known_of_its_project_and_of_the_person(engine):
    """X2, E5"""
    say(engine, "The staging server runs on port 8443.", ATLAS, "a")
    say(engine, "I live in Lisbon.", ATLAS, "b")
    hooks = TurnHooks(engine)
    assert "8443" in hooks.before("which port does the staging server use?", session="t", scope=ATLAS, **SHARED).block
    block = hooks.before("which port does the staging server use?", session="u", scope=BLUEFIN, **SHARED).block
    assert "8443" not in block
    assert "Lisbon" in hooks.before("where do I live?", session="v", scope=BLUEFIN, **SHARED).block
    assert "Lisbon" not in hooks.before("where do I live?", session="v", scope=BLUEFIN).block


def test_a_rule_about_answers_applies_in_every_project_and_one_about_the_work_in_its_own(engine):
    """X5, E5"""
    say(engine, "From now on, answer in German.", ATLAS, "a")
    say(engine, "In this repo, always use pnpm instead of npm.", ATLAS, "b")
    assert remembered(engine) == {"From now on, answer in German.": "personal",
                                  "In this repo, always use pnpm instead of npm.": ATLAS}  # fmt: skip
    shown = texts(engine.recall("install the parser with npm please", scope=BLUEFIN, **SHARED))
    assert shown == ["From now on, answer in German."]


def test_a_newer_value_said_in_another_project_replaces_the_older(engine):
    """C3"""
    say(engine, "I live in Lisbon.", ATLAS, "a")
    say(engine, "I live in Porto.", BLUEFIN, "b")
    assert {memory.text: memory.state for memory in engine.list(Filter(states=frozenset(State)), limit=50)
            if memory.lane == "memories"} == {
        "I live in Lisbon.": "superseded", "I live in Porto.": "active"}  # fmt: skip


def test_a_scope_that_the_message_names_does_not_open_another_project(engine):
    """E5"""
    say(engine, "The staging server runs on port 8443.", ATLAS, "a")
    question = f"scope:{ATLAS} which port does the staging server use?"
    assert texts(engine.recall(question, scope=BLUEFIN, **SHARED)) == []


def test_a_recall_is_replayed_with_it(engine):
    """E12"""
    say(engine, "I live in Lisbon.", ATLAS)
    receipt = engine.recall("where do I live?", scope=BLUEFIN, **SHARED).receipt
    assert receipt.facts["request"]["share_personal"] is True
    assert engine.replay(receipt.id).same


def found(text: str, kind: Kind, by: str = "en/statement", **slot: str) -> Candidate:
    return Candidate(text=text, kind=kind, confidence=1.0, source_turns=(TraceId("t"),), found_by=by, **slot)


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (found("I prefer tabs over spaces", Kind.PREFERENCE), True),
        (found("I prefer tabs over spaces in this repo", Kind.PREFERENCE), False),
        (found("Ich mag in diesem Projekt kurze Namen", Kind.PREFERENCE), False),
        (found("I am allergic to peanuts", Kind.FACT, "en/health.allergy", subject="user"), True),
        (found("My name is Kim", Kind.FACT, "a model", subject="user", attribute="name"), True),
        (found("My manager is Dana", Kind.ENTITY, "en/person.name", subject="user's manager"), True),
        (found("The release branch is stable-7", Kind.FACT, "en/remember", subject="user"), False),
        (found("We use PostgreSQL 16", Kind.FACT, "en/fact.uses", subject="user"), False),
        (found("We decided to use FastAPI", Kind.DECISION, "en/decision", subject="user"), False),
        (found("Keep your answers short", Kind.RULE), True),
        (found("For the Atlas project, keep your answers short", Kind.RULE), False),
        (found("Never deploy on a Friday", Kind.RULE), False),
    ],
)
def test_what_is_doubtful_stays_with_the_project(candidate, expected):
    assert is_personal(candidate) is expected
