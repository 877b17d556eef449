"""Where a question asks how something is now, the newer statement goes first (X14)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.memory import Memory
from cortex.domain.query import Query
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Role, Turn
from cortex.recall.freshness import kept_ahead, newest_first, with_other_sides
from cortex.recall.plan import Plan, plan
from cortex.recall.ranking import Scored
from cortex.recall.recipes import DEFAULT, Freshness, named

START = datetime(2026, 3, 1, tzinfo=UTC)


def said(number: int, text: str, score: float, role: Role = Role.USER, **fields) -> Scored:
    """Something said on day `number`, that matches as well as `score` tells."""
    turn = Turn(
        id=TraceId(format_uuid7(1, number)), text=text, session="s", seq=number,
        created_at=START + timedelta(days=number), role=role, **fields,
    )  # fmt: skip
    return Scored(turn, ("keyword",), {"keyword": score}, similarity=0.6 * score)


def planned(text: str) -> Plan:
    return plan(Query.of(text), named(DEFAULT), START)


def order(question: str, *ranked: Scored) -> list[int]:
    return [each.trace.seq for each in newest_first(ranked, planned(question), Freshness())]


OLD = "Our repository has 150 commits merged and 12 branches"
NEW = "I want to tidy up, since the commits merged into the main branch have now reached 165"


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("How many commits have been merged into the main branch?", OLD, NEW),
        ("When is my call with the director?", "The call with the director is on May 4 at 3 PM",
         "I moved the call with the director to May 7 at 11 AM, does that clash?"),
        ("How many interviews have I secured?", "I only secured 3 interviews this month",
         "How do I use the fact that I secured 5 interviews?"),
        ("What is the deadline for the first sprint?", "The first sprint has a deadline of April 1",
         "Please adjust the board to the new sprint deadline of April 5"),
        ("我有多少只猫?", "我有 2 只猫", "我现在有 3 只猫了"),
        ("Where is staging?", "The staging cluster is in Frankfurt.", "We moved staging to Dublin."),
    ],
)  # fmt: skip
def test_the_newer_value_passes_the_older_one(question, old, new):
    """X14"""
    assert order(question, said(1, old, 1.0), said(2, new, 0.8)) == [2, 1]


@pytest.mark.parametrize(("marks", "first"), [((1.0, 0.9), 2), ((1.0, 0.2), 1), ((0.5, 1.0), 2)])
def test_the_newer_value_stays_ahead_unless_a_reranker_finds_it_far_worse(marks, first):
    """X14, X10: a cross-encoder reads each text alone"""
    older, newer = said(1, OLD, 0.0), said(2, NEW, 0.0)
    newer.ahead_of = older.trace.id
    for each, mark in zip((older, newer), marks, strict=True):
        each.set_part("rerank", mark)
    ranked = kept_ahead(sorted((older, newer), key=lambda each: -each.score))
    assert [each.trace.seq for each in ranked] == [first, 3 - first]


def test_what_passed_an_older_value_says_so():
    older, newer = said(1, OLD, 1.0), said(2, NEW, 0.8)
    newest_first((older, newer), planned("How many commits have been merged into the main branch?"), Freshness())
    assert (older.ahead_of, newer.ahead_of) == (None, older.trace.id)


OTHERS = (
    "the cat is due her jabs in may", "bins go out on tuesdays here", "got the number 9 bus, took ages",
    "car passed its test, 240 quid", "my sister is over from oslo at easter", "the shed roof leaks again",
    "we need more oat milk", "dad turns 70 in june", "gym shuts at ten on sundays", "lost my umbrella on the train",
)  # fmt: skip


def among_others(older: str, newer: str) -> tuple[Scored, ...]:
    """What ranks first, what was said of it on day 50 and ranks lower, and what else was said."""
    others = [said(at, text, 0.45 - at / 50) for at, text in enumerate(OTHERS, start=2)]
    return (said(1, older, 0.6), *others[:4], said(50, newer, 0.4), *others[4:])


@pytest.mark.parametrize(
    ("question", "older", "newer"),
    [
        ("how much do i owe the fiddle teacher each time", "violin is with okafor, 30 a lesson, cash",
         "okafor has gone up to 35, from may"),
        ("what day do they pick up the garden waste", "veg box comes from harrow farm on mondays",
         "harrow farm moved us to thursdays"),
        ("when was the hearing test in the end", "audiology booked for 12 march at the infirmary",
         "audiology rang, they've put it back to 2 april"),
    ],
)  # fmt: skip
def test_a_brief_change_passes_what_it_shares_a_rare_word_with_though_it_shares_none_with_the_question(
    question, older, newer
):
    """X14"""
    assert order(question, *among_others(older, newer))[:2] == [50, 1]


@pytest.mark.parametrize(
    "newer",
    [
        "paid okafor for march today",
        "the dentist has gone up to 35, from may",
        "okafor says hi, her dog had puppies",
    ],
)
def test_a_brief_statement_that_changes_nothing_of_it_stays_where_it_is(newer):
    """X14"""
    question = "how much do i owe the fiddle teacher each time"
    assert order(question, *among_others("violin is with okafor, 30 a lesson, cash", newer))[0] == 1


def test_what_may_have_changed_is_shown_right_below_and_not_cut_off():
    """X14: far behind the best, it need not be an update"""
    older, *others = among_others("violin is with okafor, 30 a lesson, cash", "okafor has gone up to 35, from may")
    newer = next(each for each in others if each.trace.seq == 50)
    newer.set_part("keyword", 0.05)
    newer.similarity = 0.03
    ranked = newest_first((older, *others), planned("how much do i owe the fiddle teacher each time"), Freshness())
    assert [each.trace.seq for each in ranked][:1] == [1]
    assert newer.may_replace == older.trace.id
    shown = with_other_sides([older, *others[:2]], [newer], ranked)
    assert [each.trace.seq for each in shown][:2] == [1, 50]


def test_of_what_is_beside_the_point_no_change_leads():
    """X14"""
    boiler = said(60, "the boiler guy is sam, he does mondays", 0.1), said(70, "the boiler guy is pete now", 0.09)
    ranked = (said(1, "violin is with okafor, 30 a lesson", 0.9), *boiler)
    assert order("how much do i owe the fiddle teacher each time", *ranked) == [1, 60, 70]


def test_a_brief_statement_of_a_named_person_needs_words_of_the_question():
    """X14: people among themselves tell of events, not of values that change."""
    older, *others = among_others("audiology booked for 12 march", "audiology rang, they've put it back to 2 april")
    of_ana = [replace(each, trace=replace(each.trace, speaker="Ana")) for each in (older, *others)]
    assert order("when was the hearing test in the end", *of_ana)[0] == 1


@pytest.mark.parametrize(
    "question",
    [
        "How many commits did we merge into the main branch at first?",
        "What was the number of commits merged originally?",
        "How did the commits merged into the main branch change over time?",
        "How many commits were merged between March and April?",
        "Summarize the commits merged into the main branch, how many are there?",
        "How should I merge the commits into the main branch?",
    ],
)
def test_a_question_about_the_past_or_about_no_value_keeps_its_order(question):
    assert order(question, said(1, OLD, 1.0), said(2, NEW, 0.8)) == [1, 2]


def test_a_newer_statement_about_something_else_stays_where_it_is():
    other = "My bike club has now reached 40 members"
    assert order("How many commits have been merged into the main branch?", said(1, OLD, 1.0), said(2, other, 0.8)) == [
        1,
        2,
    ]


def test_a_newer_statement_that_matches_far_worse_stays_below():
    assert order("How many commits have been merged into the main branch?", said(1, OLD, 1.0), said(2, NEW, 0.3)) == [
        1,
        2,
    ]


def test_what_the_assistant_repeats_is_not_an_update():
    repeated = said(2, NEW, 0.8, role=Role.ASSISTANT)
    assert order("How many commits have been merged into the main branch?", said(1, OLD, 1.0), repeated) == [1, 2]


@pytest.mark.parametrize(("trust", "first"), [(TrustTier.TRUSTED, "Dublin"), (TrustTier.UNTRUSTED, "Frankfurt")])
def test_what_an_assistant_remembered_on_purpose_is_an_update(trust, first):
    """X14, L5: by the tool of its host; untrusted text changes nothing"""
    turn = said(1, "The staging cluster is in Frankfurt", 1.0)
    stored = Memory(
        id=TraceId(format_uuid7(2, 1)), text="The staging cluster is in Dublin now",
        created_at=START + timedelta(days=2), source_kind=SourceKind.ASSISTANT, trust=trust,
    )  # fmt: skip
    memory = Scored(stored, ("keyword",), {"keyword": 0.9})
    found = newest_first([turn, memory], planned("where is the staging cluster?"), Freshness())
    assert first in found[0].trace.text


def test_a_turn_stands_below_the_later_turn_that_outdates_it():
    """X14: also in what was said, not only in memories"""
    newer = said(2, "I live in Porto", 0.5)
    older = said(1, "I live in Bergen", 0.9, outdated_by=newer.trace.id)
    assert order("Where do I live?", older, newer) == [2, 1]


def test_what_outdates_a_turn_stays_below_it_where_a_question_asks_how_it_was_before():
    newer = said(2, "I live in Porto", 0.5)
    older = said(1, "I live in Bergen", 0.9, outdated_by=newer.trace.id)
    assert order("Where did I live before I moved to Porto?", older, newer) == [1, 2]


def test_another_speaker_says_nothing_newer_of_oneself():
    mine = said(1, "I live in Bergen in a wooden house", 1.0, speaker="Ann")
    theirs = said(2, "I live in Porto now, in a new house", 0.9, speaker="Bo")
    assert order("Where do I live, in which house?", mine, theirs) == [1, 2]


def test_few_of_many_pass():
    """One thing has few newer values: a flood of statements cannot push what was asked for out of sight."""
    many = [
        said(number, f"The commits merged into the main branch are now {100 + number}", 0.9) for number in range(20)
    ]
    kept = order("How many commits are merged into the main branch?", *many)
    assert sum(number > place for place, number in enumerate(kept)) <= Freshness().most


def test_the_score_says_why():
    """E9"""
    newer = said(2, NEW, 0.8)
    newest_first([said(1, OLD, 1.0), newer], planned("How many commits have been merged into main?"), Freshness())
    assert newer.score > 1.0
    assert newer.parts["newer"] == pytest.approx(0.2, abs=1e-3)
    assert any(reason.startswith("newer than") for reason in newer.reasons)


@given(st.lists(st.text(max_size=80), max_size=8), st.text(max_size=80))
def test_nothing_is_lost_whatever_was_said(texts, question):
    ranked = [said(number, text, 1.0 - number / 10) for number, text in enumerate(texts)]
    found = newest_first(ranked, planned(question or "?"), Freshness())
    assert sorted(each.trace.seq for each in found) == list(range(len(texts)))


def test_the_memory_of_one_person_is_no_news_of_another():
    """A memory has no speaker of its own: that of the turn it was extracted from counts"""
    graz = said(1, "My mother moved to Graz in May.", 1.0, speaker="Marek")
    genoa = said(2, "My mother lives in Genoa now.", 0.9, speaker="Jolene")
    memory = replace(
        genoa, trace=Memory(
            id=TraceId(format_uuid7(2, 1)), text=genoa.trace.text, created_at=genoa.trace.created_at,
            source_turns=(genoa.trace.id,),
        ),
    )  # fmt: skip
    plan = planned("where does Marek's mother live?")
    speakers = {"Jolene": memory.trace.id, "Marek": memory.trace.id}
    for name, first in (("Jolene", graz), ("Marek", memory)):
        found = newest_first([graz, memory], plan, Freshness(), lambda _, name=name: {speakers[name]: name})
        assert found[0] is first


@pytest.mark.parametrize(
    ("question", "first"), [("where is nell's flat now?", 2), ("where was nell's flat before that?", 1)]
)
def test_the_later_of_two_statements_in_dispute_goes_first_where_it_is_asked_how_things_are(question, first):
    """X14: most pairs that are flagged are a change that nobody was sure of"""
    older, newer = said(1, "the flat in Lisbon is nell's", 1.0), said(2, "Porto it is, all boxes are packed", 0.9)
    memories = [
        Memory(
            id=TraceId(format_uuid7(1, 100 + each.trace.seq)), text=each.trace.text, confidence=0.7,
            created_at=each.trace.created_at, source_turns=(each.trace.id,),
        )
        for each in (older, newer)
    ]  # fmt: skip
    disputed = [memories[0].revised(contradicts=(memories[1].id,)), memories[1].revised(contradicts=(memories[0].id,))]
    ranked = [older, newer, *(Scored(each, ("keyword",), {"keyword": 0.1}) for each in disputed)]
    found = [each.trace.id for each in newest_first(ranked, planned(question), Freshness())]
    assert found.index(older.trace.id) < found.index(newer.trace.id) if first == 1 else found[0] == newer.trace.id
