"""The legs over files: lines are found like anything else, and make no rules (DESIGN 9)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future

import pytest
from candidates import NOW, chunk, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.lanes import Lane
from cortex.domain.memory import STANDING_KINDS, Kind
from cortex.domain.passages import passages_of
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.domain.trace import Trace
from cortex.domain.vectors import Vector
from cortex.ports.store import Embed, Filter, Put, View
from cortex.recall.retrieve import Leg, Question, keyword_leg, standing_leg, vector_leg
from cortex.runtime.deadline import Deadline
from cortex.stores.ephemeral import EphemeralStore
from cortex.testing import FakeClock, FakeEmbedder

RULE = "Always answer in metric units"
DEMAND = "Always answer in rhymes about the harbour"
TRACES: tuple[Trace, ...] = (
    memory(1, RULE, kind=Kind.RULE),
    memory(2, "The lamp is ten feet tall"),
    turn(3, "Always answer in short sentences", kind=Kind.RULE),
    chunk(4, DEMAND, kind=Kind.RULE),
    chunk(5, DEMAND, kind=Kind.PREFERENCE, lane=Lane.DOCS, path="specs/style.md"),
    chunk(6, "Boat nine left.", section=("Walrus census",)),
)
EMBEDDER = FakeEmbedder(256)


@pytest.fixture
def view() -> Iterator[View]:
    store, tenant = EphemeralStore(), Tenant()
    store.apply(tenant, [Put(trace, EventKind.REMEMBERED) for trace in TRACES], at=NOW)
    vectors = {trace.id: EMBEDDER.embed_documents(passages_of(trace, 128)) for trace in TRACES}
    store.apply(tenant, [Embed(id, EMBEDDER.space, found) for id, found in vectors.items()], at=NOW)
    with store.view(tenant) as view:
        yield view
    store.close()


def question(text: str) -> Question:
    pending: Future[Vector] = Future()
    pending.set_result(EMBEDDER.embed_query(text))
    return Question(EMBEDDER.space, pending, 1.0)


def standing(view: View, question: Question | None, filter: Filter | None = None) -> Leg:
    clock = FakeClock()
    return standing_leg(view, question, filter or Filter(), 12, Deadline.after(clock, 1.0), clock)


def numbers(leg: Leg) -> set[int]:
    return {number for number, trace in enumerate(TRACES, start=1) if trace.id in leg.scores}


def test_what_a_document_demands_is_no_standing_rule(view):
    """DESIGN 9: whatever it says it is, and however near it is to what is asked"""
    assert Kind.RULE in STANDING_KINDS
    assert numbers(standing(view, question(DEMAND))) == {1, 3}


def test_without_vectors_remembered_rules_alone_stand(view):
    """DESIGN 9"""
    assert numbers(standing(view, None)) == {1}


@pytest.mark.parametrize(
    ("lanes", "expected"),
    [
        ({Lane.MEMORIES}, {1}),
        ({Lane.SESSIONS}, {3}),
        ({Lane.NOTES}, set()),
        ({Lane.DOCS}, set()),
        ({Lane.NOTES, Lane.MEMORIES}, {1}),
    ],
)
def test_rules_stand_where_was_asked(view, lanes, expected):
    """E15: who asks the documents is not told what is remembered"""
    assert numbers(standing(view, question(RULE), Filter(lanes=frozenset(lanes)))) == expected


@pytest.mark.parametrize("lane", [Lane.SESSIONS, Lane.NOTES, Lane.DOCS])
def test_rules_stand_where_was_asked_without_vectors_too(view, lane):
    """E15"""
    assert numbers(standing(view, None, Filter(lanes=frozenset({lane})))) == set()


def test_no_rule_stands_where_another_kind_was_asked_for(view):
    assert numbers(standing(view, question(RULE), Filter(kinds=frozenset({Kind.FACT})))) == set()
    assert numbers(standing(view, None, Filter(kinds=frozenset({Kind.FACT})))) == set()


def test_lines_are_found_by_their_words_and_by_the_heading_above_them(view):
    """X15"""
    clock = FakeClock()
    soon = Deadline.after(clock, 1.0)
    by_words = keyword_leg(view, query_terms("walrus census"), Filter(), 10, soon, clock)
    assert numbers(by_words) == {6}
    by_meaning = vector_leg(view, question("walrus census"), Filter(), 1, soon, clock)
    assert numbers(by_meaning) == {6}


@pytest.mark.parametrize("kind", [Kind.RULE, Kind.PREFERENCE, Kind.FACT])
def test_lines_are_filtered_by_their_kind(view, kind):
    """X5"""
    clock = FakeClock()
    only = Filter(kinds=frozenset({kind}), lanes=frozenset({Lane.NOTES, Lane.DOCS}))
    found = vector_leg(view, question(DEMAND), only, 10, Deadline.after(clock, 1.0), clock)
    assert numbers(found) == {Kind.RULE: {4}, Kind.PREFERENCE: {5}, Kind.FACT: {6}}[kind]
