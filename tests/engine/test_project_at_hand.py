"""The project at hand: its own memories are preferred, and nothing is left out for it."""

from __future__ import annotations

import pytest
from laboratory import ids, texts

from cortex.domain.memory import Draft
from cortex.errors import InvalidRequest
from cortex.services.turn_hooks import TurnHooks

ASKED = "which port does the gateway use?"
EVERYWHERE = "The gateway uses port 8000"
HERE = "The gateway uses port 8300"
RECIPES = ["balanced.v1", "deep.v1", "typed.v1"]


def both(engine) -> tuple[str, str]:
    """The same said for everywhere, and for one project; given first, the one for everywhere wins a tie."""
    return engine.remember_all(
        [Draft(text=EVERYWHERE, scope="personal"), Draft(text=HERE, scope="billing", retention="project")]
    ).ids


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_memory_of_the_project_at_hand_comes_before_an_equal_one_for_everywhere(engine, recipe):
    """X6, X9: without a filter"""
    everywhere, here = both(engine)
    assert ids(engine.recall(ASKED, recipe=recipe, project="billing")) == [here, everywhere]
    assert ids(engine.recall(ASKED, recipe=recipe)) == [everywhere, here]


@pytest.mark.parametrize("recipe", RECIPES)
def test_another_project_at_hand_prefers_nothing(engine, recipe):
    """X6"""
    everywhere, here = both(engine)
    assert ids(engine.recall(ASKED, recipe=recipe, project="kitchen")) == [everywhere, here]


def test_what_merely_lies_in_the_scope_of_the_project_is_not_preferred(engine):
    """X6: it is the retention that says a memory is of the project"""
    everywhere = engine.remember(EVERYWHERE).memory
    engine.remember(HERE, scope="billing")
    assert ids(engine.recall(ASKED, project="billing"))[0] == everywhere.id


def test_the_preference_is_small_beside_a_better_answer(engine):
    """X6: a boost, never a filter"""
    best = engine.remember(EVERYWHERE).memory
    engine.remember("The gateway team meets for lunch", scope="billing", retention="project")
    assert ids(engine.recall(ASKED, project="billing"))[0] == best.id


def test_the_parts_of_the_score_name_the_preference(engine):
    """E9, X9: 1.0 where the project matches, 0.67 for permanent"""
    _, here = both(engine)
    shown = {hit.trace.id: hit.parts.parts for hit in engine.recall(ASKED, recipe="typed.v1", project="billing").hits}
    assert sorted(round(parts["scope"], 6) for parts in shown.values()) == [0.067, 0.1]
    shown = {hit.trace.id: hit.parts.parts for hit in engine.recall(ASKED, project="billing").hits}
    assert [id for id, parts in shown.items() if parts.get("project")] == [here]


def test_a_scope_asked_counts_as_the_project_and_still_leaves_out_the_others(engine):
    """E5, X9"""
    _, here = both(engine)
    (hit,) = engine.recall(ASKED, recipe="typed.v1", scope="billing").hits
    assert (hit.trace.id, hit.parts["scope"]) == (here, pytest.approx(0.1))


def test_a_recall_with_a_project_is_replayed_with_it(engine):
    """E12"""
    both(engine)
    receipt = engine.recall(ASKED, project="billing").receipt
    assert receipt.facts["request"]["project"] == "billing"
    assert engine.replay(receipt.id).same


def test_a_turn_prefers_what_is_kept_for_its_project(engine):
    """X2, X6"""
    _, here = both(engine)
    assert TurnHooks(engine).before(ASKED, session="s1", project="billing").ids[0] == here
    assert set(texts(engine.recall(ASKED))) == {EVERYWHERE, HERE}


@pytest.mark.parametrize("project", ["", "a\nb", "x" * 257])
def test_a_project_is_a_name(engine, project):
    with pytest.raises(InvalidRequest) as refused:
        engine.recall(ASKED, project=project)
    assert refused.value.field == "project"
