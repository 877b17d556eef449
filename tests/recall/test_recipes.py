"""The recipes: each document's numbers, by name. Those of `balanced.v1` are measured, not written here."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from cortex.errors import NotFound
from cortex.recall.packing import Frame
from cortex.recall.policy import STRICT_TIERS
from cortex.recall.recipes import DEFAULT, RECIPES, Bounds, Convex, KeywordScale, Reciprocal, VectorScale, named


def test_cortex_hybrid_is_the_middleware():
    """C4, C9"""
    recipe = named("cortex-hybrid.v1")
    assert recipe.fusion == Convex({"keyword": 0.4, "vector": 0.6})
    assert recipe.keyword_scale is KeywordScale.BEST
    assert recipe.vector_scale is VectorScale.COSINE
    assert (recipe.auto, recipe.budget, recipe.frame) == (Bounds(15), 500, Frame.HEADED)


def test_typed_is_the_multi_factor_score():
    """X8, X9"""
    recipe = named("typed.v1")
    assert recipe.fusion == Convex({"vector": 0.5})
    factors = recipe.factors
    assert (factors.recency, factors.frequency, factors.kind, factors.scope) == (0.2, 0.1, 0.1, 0.1)
    assert factors.half_life == timedelta(days=7)
    assert (recipe.vector_pool, recipe.budget) == (50, 2_000)


def test_files_is_the_built_in_memory():
    """B5, B7, B8: decay and diversity are optional, and off"""
    recipe = named("files.v1")
    assert recipe.fusion == Convex({"keyword": 0.3, "vector": 0.7})
    assert recipe.keyword_scale is KeywordScale.PLACE
    assert (recipe.pool_per_result, recipe.auto, recipe.search) == (4, Bounds(6, 0.35), Bounds(6, 0.35))
    assert (recipe.decay, recipe.diversity) == (None, None)


def test_files_dated_switches_decay_and_diversity_on_and_changes_nothing_else():
    """B8: half-life 30 days, λ 0.7"""
    recipe, files = named("files-dated.v1"), named("files.v1")
    assert (recipe.decay, recipe.diversity) == (timedelta(days=30), 0.7)
    assert replace(recipe, name=files.name, about=files.about, decay=None, diversity=None) == files


def test_lancedb_is_the_plugin():
    """L1, L3"""
    recipe = named("lancedb.v1")
    assert recipe.fusion == Convex({"vector": 1.0})
    assert recipe.vector_scale is VectorScale.DISTANCE
    assert (recipe.auto, recipe.search) == (Bounds(3, 0.3), Bounds(5, 0.5))
    assert recipe.frame is Frame.TAGGED


def test_governed_is_the_mem_engine():
    """E4, E6, E8, E10"""
    recipe = named("governed.v1")
    assert isinstance(recipe.fusion, Reciprocal)
    assert recipe.tiers == STRICT_TIERS
    assert (recipe.auto.limit, recipe.search.limit) == (5, 5)
    assert recipe.frame is Frame.TAGGED


def test_the_bias_to_the_recent_is_soft():
    """E8: it decides between neighbors in rank, and never lifts the third over the first"""
    recipe = named("governed.v1")
    k = recipe.fusion.k
    first, second, third = (1 / (k + place) for place in (1, 2, 3))
    assert first - second < recipe.factors.recency * first < first - third


def test_the_default_is_one_of_them():
    assert DEFAULT in RECIPES
    assert DEFAULT == "balanced.v1"


def test_the_default_uses_words_and_meaning_and_keeps_a_place_for_standing_rules():
    """E4, DESIGN 9"""
    recipe = named(DEFAULT)
    assert recipe.uses_keywords
    assert recipe.uses_vectors
    assert recipe.pinned_rules.memories >= 1
    assert recipe.frame in {Frame.TAGGED, Frame.BOTH}


def test_deep_is_the_default_with_its_best_read_once_more():
    """X10"""
    deep, default = named("deep.v1"), named(DEFAULT)
    assert deep.rerank is not None
    assert deep.rerank.depth > 0
    same = replace(
        deep,
        name=default.name,
        about=default.about,
        rerank=default.rerank,
        answerability=default.answerability,
        abstention=default.abstention,
    )
    assert same == default


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_named_versioned_and_described(name: str):
    """E12: a receipt repeats the name"""
    recipe = named(name)
    family, _, version = name.rpartition(".")
    assert family
    assert version[0] == "v"
    assert version[1:].isdigit()
    assert recipe.name == name
    assert recipe.about.endswith(".")


@pytest.mark.parametrize("name", RECIPES)
def test_the_numbers_of_a_recipe_make_sense(name: str):
    recipe = named(name)
    for bounds in (recipe.auto, recipe.search):
        assert bounds.limit >= 1
        assert 0.0 <= bounds.floor <= 1.0
    assert recipe.budget > 0
    assert 0.0 <= recipe.abstention.similarity <= 1.0
    assert 0.0 <= recipe.abstention.evidence <= 1.0
    if isinstance(recipe.fusion, Convex):
        assert all(weight > 0 for weight in recipe.fusion.weights.values())
    if recipe.diversity is not None:
        assert 0.0 <= recipe.diversity <= 1.0


def test_a_fingerprint_changes_whenever_a_number_does():
    """E12: so that a replay can tell"""
    recipe = named("files.v1")
    assert recipe.fingerprint == replace(recipe).fingerprint
    assert recipe.fingerprint != replace(recipe, budget=recipe.budget + 1).fingerprint
    assert len({each.fingerprint for each in RECIPES.values()}) == len(RECIPES)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_other_words_about_a_recipe_are_not_another_recipe(name: str):
    recipe = named(name)
    assert recipe.fingerprint == replace(recipe, about="Said in other words.").fingerprint


def test_an_unknown_recipe_is_an_error_that_suggests_a_known_one():
    with pytest.raises(NotFound, match=r"did you mean 'balanced\.v1'"):
        named("balanced.v2")
    with pytest.raises(NotFound, match="known: "):
        named("zzz")
