"""Every hit explains itself, every formula is that of its document, and use is counted after the answer."""

from __future__ import annotations

import math
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laboratory import RECIPE_NAMES, assistant, ids, opened, texts, user

from cortex.domain.memory import Draft
from cortex.testing import FakeEmbedder

KEY = "The deploy key rotates on Mondays"
ASKED = "when does the deploy key rotate?"
HOUR = timedelta(hours=1)


def cosine(embedder: FakeEmbedder, one: str, other: str) -> float:
    return max(0.0, float(np.dot(embedder._vector(one), embedder._vector(other))))


# --- E9 -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
def test_the_parts_of_a_score_sum_up_to_it(engine, recipe):
    """E9: within 0 and 1"""
    engine.remember_all(Draft(text=f"The deploy key number {number}", importance=number / 10) for number in range(8))
    engine.store_turns("s1", [user("Which deploy key?"), assistant("The blue deploy key"), user("thanks")])
    hits = engine.search("deploy key number 3", recipe=recipe, min_score=0.0).hits
    assert hits
    for hit in hits:
        total = sum(hit.parts.parts.values())
        assert hit.score == pytest.approx(min(1.0, max(0.0, total)), abs=1e-5)


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
def test_every_hit_says_why_it_was_admitted(engine, recipe):
    """E9: why it passed the filters"""
    engine.remember(KEY, importance=0.9)
    for hit in engine.recall(ASKED, recipe=recipe, min_score=0.0).hits:
        assert hit.parts.reasons


def test_a_hit_names_the_legs_that_found_it(engine, embedder):
    """E9, C3: fts5, vector or fts5+vector"""
    engine.remember(KEY)
    (hit,) = engine.recall(ASKED).hits
    assert (hit.legs, hit.source) == (("keyword", "vector"), "fts5+vector")
    embedder.fail()
    (hit,) = engine.recall(ASKED).hits
    assert (hit.legs, hit.source) == (("keyword",), "fts5")


def test_a_hit_carries_its_id_and_its_governance(engine):
    """E9: ready for a packer"""
    kept = engine.remember(KEY, scope="infra", importance=0.9, source_ref="note 7").memory
    (hit,) = engine.recall(ASKED).hits
    found = hit.trace
    assert (found.id, found.scope, found.label, found.trust, found.source_ref) == (
        kept.id, "infra", kept.label, kept.trust, "note 7",
    )  # fmt: skip
    assert hit.excerpt == KEY


@pytest.mark.parametrize("recipe", RECIPE_NAMES)
def test_hits_come_best_first(engine, recipe):
    """C4, E4: but for the order that diversity gives"""
    engine.remember_all(Draft(text=f"The deploy key {'key ' * (number % 3)}{number}") for number in range(12))
    scores = [hit.score for hit in engine.search("deploy key", recipe=recipe, min_score=0.0).hits]
    assert scores == sorted(scores, reverse=True) or recipe == "files-dated.v1"


@pytest.mark.parametrize("recipe", ["governed.v1", "lancedb.v1", "typed.v1"])
def test_equal_hits_are_ordered_by_id(engine, recipe):
    """E12: the same state gives the same answer"""
    kept = engine.remember_all(Draft(text=f"The deploy key{'!' * number}") for number in range(5)).ids
    assert ids(engine.search("deploy key", recipe=recipe, min_score=0.0)) == sorted(kept)


def test_an_explanation_names_every_candidate_and_why_it_was_not_shown(engine):
    """E9, E12"""
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(6))
    told = engine.explain("deploy key", limit=2)
    shown = {hit.trace.id for hit in told.result.hits}
    dropped = {each.id: each.reason for each in told.answer.dropped}
    assert len(shown) == 2
    assert {each.trace.id for each in told.answer.ranked} == shown | set(dropped)
    assert set(dropped.values()) == {"over_limit"}


# --- the formulas, end to end ---------------------------------------------------------------------


def test_the_typed_score_is_the_formula_of_the_document(engine, embedder, clock):
    """X5, X9: 0.5 similarity + 0.2 recency + 0.1 frequency + 0.1 kind + 0.1 scope"""
    engine.remember(KEY, kind="rule", scope="infra", retention="project")
    for _ in range(3):
        engine.recall(ASKED, recipe="typed.v1")
        engine.flush()
    clock.advance(timedelta(days=14))
    (hit,) = engine.recall(ASKED, scope="infra", recipe="typed.v1").hits
    expected = {
        "vector": 0.5 * cosine(embedder, ASKED, KEY),
        "recency": 0.2 * 0.25,
        "frequency": 0.1 * math.log2(1 + 3) / 10,
        "kind": 0.1 * 1.5,
        "scope": 0.1 * 1.0,
    }
    assert dict(hit.parts.parts) == pytest.approx(expected, abs=1e-5)
    assert hit.score == pytest.approx(sum(expected.values()), abs=1e-5)


def test_the_hybrid_score_is_the_formula_of_the_document(engine, embedder):
    """C4: 0.4 × fts normalised + 0.6 × cosine"""
    engine.remember(KEY)
    (hit,) = engine.search("deploy key rotates", recipe="cortex-hybrid.v1").hits
    assert dict(hit.parts.parts) == pytest.approx(
        {"keyword": 0.4, "vector": 0.6 * cosine(embedder, "deploy key rotates", KEY)}, abs=1e-5
    )


def test_the_files_score_is_the_formula_of_the_document(engine, embedder):
    """B5, B7: 0.7 × cosine + 0.3 / (1 + rank)"""
    engine.remember("deploy key rotates deploy key rotates")
    engine.remember("deploy key rotates sometimes perhaps")
    hits = engine.search("deploy key rotates", recipe="files.v1", min_score=0.0).hits
    for rank, hit in enumerate(hits):
        similar = 0.7 * cosine(embedder, "deploy key rotates", hit.trace.text)
        assert dict(hit.parts.parts) == pytest.approx({"keyword": 0.3 / (1 + rank), "vector": similar}, abs=1e-5)


def test_what_scores_below_the_least_of_the_files_is_not_shown(engine):
    """B7: 0.35"""
    engine.remember(KEY)
    engine.remember("Plum cake in September")
    assert texts(engine.search("deploy key rotates on Mondays", recipe="files.v1")) == [KEY]


def test_the_lancedb_score_is_the_formula_of_the_document(engine, embedder):
    """L1: 1/(1+d)"""
    engine.remember(KEY)
    (hit,) = engine.search("deploy key rotates", recipe="lancedb.v1").hits
    similar = cosine(embedder, "deploy key rotates", KEY)
    assert hit.score == pytest.approx(1 / (1 + math.sqrt(2 - 2 * similar)), abs=1e-5)


def test_the_lancedb_block_is_tagged_and_warns(engine):
    """L3: three memories at most"""
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(6))
    found = engine.recall("deploy key number", recipe="lancedb.v1")
    assert len(found.hits) == 3
    assert found.block.startswith("<relevant-memories>\n")
    assert "untrusted" in found.block


def test_the_governed_score_is_reciprocal_rank_fusion(engine):
    """E4, E8: the plain sum over both legs, and a bias to the recent of a fiftieth of it"""
    engine.remember(KEY, importance=0.9)
    found = engine.recall(ASKED, recipe="governed.v1")
    (hit,) = found.hits
    assert dict(hit.parts.parts) == pytest.approx({"fusion": 2 / 61, "recency": 0.02 * 2 / 61}, abs=1e-6)
    assert hit.score == pytest.approx(2 / 61 + 0.02 * 2 / 61, abs=1e-6)
    assert found.receipt.facts["returned"] == [{"id": hit.trace.id, "score": hit.score}]


def test_the_cortex_block_is_headed_and_holds_at_most_fifteen_facts_in_500_tokens(engine):
    """C9"""
    engine.remember_all(Draft(text=f"The deploy key number {number} " + "is long " * 30) for number in range(40))
    found = engine.recall("deploy key number", recipe="cortex-hybrid.v1")
    assert found.block.startswith("## Long-Term Memories\n")
    assert 0 < len(found.hits) <= 15
    assert found.tokens <= 500


def test_decay_and_diversity_can_be_switched_on(engine):
    """B8: undated memories do not decay"""
    engine.remember("deploy key rotates on Mondays")
    engine.remember("deploy key rotates on Mondays!")
    engine.remember("deploy key rotates in the kitchen")
    found = engine.search("deploy key rotates", recipe="files-dated.v1", min_score=0.0)
    assert texts(found)[1] == "deploy key rotates in the kitchen"
    assert all(hit.parts["decay"] == 0.0 for hit in found.hits)


def test_the_best_are_read_once_more_where_the_recipe_asks_for_it(engine, reranker):
    """X10, E4"""
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(5))
    found = engine.recall("deploy key number 3", recipe="deep.v1")
    assert len(reranker.calls) == 1
    assert all("rerank" in hit.parts.parts for hit in found.hits)


def test_where_the_reranker_fails_the_first_order_stays_and_the_receipt_says_so(engine, reranker):
    """X10, C16"""
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(5))
    before = ids(engine.recall("deploy key number 3"))
    reranker.fail()
    found = engine.recall("deploy key number 3", recipe="deep.v1")
    assert ids(found) == before
    assert found.receipt.degraded == ("rerank:reranker_unavailable",)


# --- X8 -------------------------------------------------------------------------------------------


def test_what_was_returned_is_counted_after_the_answer(engine, clock):
    """X8"""
    kept = engine.remember(KEY).memory
    clock.advance(HOUR)
    (hit,) = engine.recall(ASKED).hits
    assert (hit.trace.access_count, hit.trace.last_accessed_at) == (0, None)
    engine.flush()
    used = engine.get(kept.id)
    assert (used.access_count, used.last_accessed_at) == (1, clock.now())


def test_only_what_was_returned_is_counted(engine):
    """X8"""
    engine.remember_all(Draft(text=f"The deploy key number {number}") for number in range(6))
    shown = set(ids(engine.recall("deploy key number 3", limit=2)))
    engine.flush()
    assert {trace.id for trace in engine.list() if trace.access_count} == shown


def test_the_memories_behind_a_turn_that_is_shown_are_counted_too(engine, clock):
    """X8: what was extracted from it was of use, though the turn was shown in its place"""
    (turn,) = engine.store_turns("s1", [user(KEY)]).ids
    (other,) = engine.store_turns("s2", [user("Plum cake needs an hour")]).ids
    kept = engine.remember("The deploy key is rotated weekly, on a Monday", source_turns=[turn]).memory
    gone = engine.remember("The deploy key rotates somewhen", source_turns=[turn]).memory
    past = engine.remember("The deploy key rotates tonight", source_turns=[turn], retention="session").memory
    cake = engine.remember("Plum cake takes an hour", source_turns=[other]).memory
    engine.forget(gone.id)
    clock.advance(timedelta(days=2))
    for count in (1, 2):
        assert ids(engine.recall(ASKED, lanes=["sessions"])) == [turn]
        engine.flush()
        used = engine.get(kept.id)
        assert (used.access_count, used.last_accessed_at) == (count, clock.now())
    assert [engine.get(memory.id).access_count for memory in (gone, past, cake)] == [0, 0, 0]


def test_a_memory_shown_beside_its_turn_is_counted_once(engine):
    """X8"""
    (one, other) = engine.store_turns("s1", [user(KEY), user("The deploy key rotates in the morning")]).ids
    kept = engine.remember("The deploy key rotates on Monday mornings", source_turns=[one, other]).memory
    engine.search("deploy key rotates")
    engine.flush()
    assert engine.get(kept.id).access_count == 1


def test_use_makes_no_new_version(engine):
    """X8"""
    kept = engine.remember(KEY).memory
    engine.recall(ASKED)
    engine.flush()
    assert len(engine.show(kept.id).versions) == 1


def test_looking_at_the_past_counts_no_use(engine, clock):
    """X8, DESIGN 3"""
    kept = engine.remember(KEY).memory
    engine.recall(ASKED, as_of=clock.now())
    engine.flush()
    assert engine.get(kept.id).access_count == 0


@settings(max_examples=20)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=12), st.integers(60, 700), st.sampled_from(RECIPE_NAMES))
def test_an_answer_never_exceeds_its_budget(tmp_path_factory, lengths, budget, recipe):
    """X8, C9"""
    with opened(tmp_path_factory.mktemp("home"), "ephemeral") as engine:
        engine.remember_all(
            Draft(text=f"deploy key {number}. " + "It is blue. " * size) for number, size in enumerate(lengths)
        )
        found = engine.recall("deploy key", recipe=recipe, budget=budget, min_score=0.0)
        assert found.tokens <= budget
        assert found.hits or not found.block
