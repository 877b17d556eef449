"""From a query to a plan."""

from __future__ import annotations

from datetime import timedelta

import pytest
from candidates import NOW
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.lanes import Lane
from cortex.domain.query import MAX_QUERY_CHARS, Mode, Query
from cortex.recall.plan import Plan, essence, first_person, plan
from cortex.recall.recipes import RECIPES, named


def planned(text: str = "when does the deploy key rotate?", recipe: str = "files.v1", **options) -> Plan:
    return plan(Query.of(text, **options), named(recipe), NOW)


@pytest.mark.parametrize(("limit", "pool"), [(None, 24), (1, 4), (6, 24), (50, 200), (51, 200), (200, 200)])
def test_the_pool_of_files_is_four_times_the_results_and_at_most_200(limit, pool):
    """B7"""
    found = planned(limit=limit)
    assert (found.keyword_pool, found.vector_pool) == (pool, pool)


def test_the_pool_of_typed_memories_is_the_top_50():
    """X8"""
    assert planned(recipe="typed.v1").vector_pool == 50


OF_FIXED_POOLS = sorted(name for name, recipe in RECIPES.items() if not recipe.pool_per_result)


@given(st.integers(1, 1_000), st.sampled_from(OF_FIXED_POOLS))
def test_a_pool_is_never_smaller_than_the_results_asked_for(limit, recipe):
    found = planned(recipe=recipe, limit=limit)
    assert found.vector_pool >= limit
    assert found.keyword_pool >= limit


@pytest.mark.parametrize(
    ("recipe", "mode", "limit", "floor"),
    [
        ("files.v1", Mode.AUTO, 6, 0.35),
        ("files.v1", Mode.SEARCH, 6, 0.35),
        ("lancedb.v1", Mode.AUTO, 3, 0.3),
        ("lancedb.v1", Mode.SEARCH, 5, 0.5),
        ("cortex-hybrid.v1", Mode.AUTO, 15, 0.0),
        ("governed.v1", Mode.AUTO, 5, 0.0),
    ],
)
def test_results_and_least_scores_are_those_of_the_documents(recipe, mode, limit, floor):
    """B7: 6 at 0.35. L1: 5 at 0.5. L3: 3 at 0.3. C9: 15. E10: 5"""
    found = planned(recipe=recipe, mode=mode)
    assert (found.limit, found.floor) == (limit, floor)


@pytest.mark.parametrize(("recipe", "budget"), [("typed.v1", 2_000), ("cortex-hybrid.v1", 500)])
def test_budgets_are_those_of_the_documents(recipe, budget):
    """X8: 2000. C9: about 500"""
    assert planned(recipe=recipe).budget == budget


def test_what_the_caller_says_goes_before_what_the_recipe_says():
    found = planned(limit=2, budget=99, min_score=0.0)
    assert (found.limit, found.budget, found.floor) == (2, 99, 0.0)


def test_an_explicit_scope_is_a_hard_filter():
    """E5"""
    found = planned(scope="infra")
    assert (found.scope, found.scope_inferred, found.filter.scopes) == ("infra", False, {"infra"})


@pytest.mark.parametrize(
    "text", ["scope:infra which port?", "which port? scope:infra", "which port project:infra ?", "SCOPE:infra x"]
)
def test_a_scope_is_inferred_from_a_tag_in_the_query(text):
    """E5"""
    found = planned(text)
    assert (found.scope, found.scope_inferred, found.filter.scopes) == ("infra", True, {"infra"})


def test_an_explicit_scope_goes_before_a_tag():
    """E5"""
    found = planned("scope:kitchen which port?", scope="infra")
    assert (found.scope, found.scope_inferred) == ("infra", False)


@pytest.mark.parametrize("text", ["which port?", "microscope:infra", "scope: infra", "the scope of infra"])
def test_a_query_without_a_tag_names_no_scope(text):
    """E5"""
    assert planned(text).filter.scopes is None


def test_the_docs_lane_is_cold():
    """E15: asked only when the others have no answer, unless it is named"""
    assert Lane.DOCS not in planned().filter.lanes
    assert planned().cold
    named = planned(lanes=["docs"])
    assert named.filter.lanes == {Lane.DOCS}
    assert not named.cold


def test_a_recency_window_is_part_of_the_filter():
    """E8"""
    found = planned(since=NOW - timedelta(days=3), until=NOW)
    assert (found.filter.since, found.filter.until) == (NOW - timedelta(days=3), NOW)


def test_a_query_is_answered_for_the_time_it_was_asked_at():
    then = NOW - timedelta(days=400)
    assert planned(asked_at=then).now == then
    assert planned().now == NOW


@given(st.text(max_size=50), st.integers(0, 3 * MAX_QUERY_CHARS))
def test_any_paste_can_be_asked(start, length):
    """C8: cut to what counts"""
    found = planned(start + "x " * length, recipe="balanced.v1")
    assert len(found.text) <= MAX_QUERY_CHARS


def test_words_that_only_ask_to_be_told_are_left_out():
    """DESIGN 9"""
    assert essence("Can you tell me what I said about the harbour?").split()[-2:] == ["the", "harbour?"]
    assert "tell" not in essence("tell me about the harbour")


@given(st.text(max_size=200))
def test_something_is_left_of_every_query(text):
    """DESIGN 9: an essence that says nothing is not used"""
    assert bool(essence(text).strip()) == bool(text.strip())


@pytest.mark.parametrize(
    "text", ["what did you recommend?", "which book have you suggested", "you said something about tea"]
)
def test_a_query_may_ask_for_what_the_assistant_said(text):
    assert planned(text).asks_both


@pytest.mark.parametrize(
    "text", ["what did I say?", "could you tell me what I said", "would you recommend tea?", "who are you"]
)
def test_most_queries_ask_for_what_the_user_said(text):
    assert not planned(text).asks_both


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("What did Ann paint?", "What did I paint?"),
        ("What is Ann's cat called?", "What is my cat called?"),
        ("What did Annabel paint?", "What did Annabel paint?"),
        ("What did Ann Lee paint?", "What did I paint?"),
        ("What did they paint?", "What did they paint?"),
    ],
)
def test_a_query_about_a_speaker_is_compared_as_the_speaker_would_say_it(text, spoken):
    """DESIGN 9: people speak of themselves as I"""
    assert first_person(text, ["Ann", "Ann Lee", "C++ (bot)"]) == spoken
