"""governed.v1 through the public API: tiers that answer only with what is relevant, and scores shown as they are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from laboratory import Near, opened, texts

from cortex.domain.memory import Draft
from cortex.memory import Cortex
from cortex.providers.embedders.none import create as no_embedder
from cortex.testing import FakeClock, FakeEmbedder

KEY = "The deploy key rotates on Mondays"
ASKED = "when does the deploy key rotate?"
BESIDE = "Grandmother's kettle whistles in the kitchen"
"""Nothing that is asked here is about this."""


@pytest.fixture(params=["both legs", "keywords alone"])
def either(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock, backend: str) -> Iterator[Cortex]:
    """An engine with an embedder, and one without."""
    embedder = FakeEmbedder(256) if request.param == "both legs" else no_embedder({}, None)
    with opened(tmp_path, backend, clock=clock, embedder=embedder) as engine:
        yield engine


@pytest.mark.parametrize("importance", [None, 0.1])
@pytest.mark.parametrize("verb", ["recall", "search"])
def test_an_irrelevant_important_memory_does_not_hide_the_answer_of_a_lower_tier(either, verb, importance):
    """E6"""
    either.remember(BESIDE, importance=0.9)
    either.remember(KEY, importance=importance)
    found = getattr(either, verb)(ASKED, recipe="governed.v1")
    assert texts(found)[0] == KEY
    assert found.receipt.facts["policyTier"] == (
        "must+nice+unknown" if importance is None else "must+nice+unknown+ignore"
    )
    *passed, answered = [each["selected"] for each in found.receipt.facts["tiers"]]
    assert answered
    assert not any(passed)


def test_many_important_memories_that_share_a_word_do_not_hide_the_answer_either(either):
    """E6: a word in common is not an answer"""
    for what in ("piano", "locker", "garden gate", "chicken coop", "music room"):
        either.remember(f"The key of the {what} hangs beside the stairs, left of the mirror", importance=0.9)
    either.remember(KEY)
    found = either.recall(ASKED, recipe="governed.v1")
    assert texts(found)[0] == KEY
    assert found.receipt.facts["policyTier"] == "must+nice+unknown"


def test_a_related_important_memory_does_not_hide_a_far_better_answer_and_the_receipt_says_so(engine):
    """E6: what is about the same and answers something else"""
    engine.remember("The deploy key of the billing service is green and heavy", importance=0.9)
    engine.remember(KEY)
    found = engine.recall("when does the deploy key rotate on Mondays?", recipe="governed.v1")
    assert texts(found)[0] == KEY
    assert [(each["tier"], each["outdone"]) for each in found.receipt.facts["tiers"]] == [
        ("must+nice", True),
        ("must+nice+unknown", False),
    ]


def test_an_important_answer_that_is_about_as_relevant_still_answers_alone(either):
    """E6"""
    either.remember("The deploy key rotates on Tuesdays", importance=0.9)
    either.remember(KEY)
    found = either.recall(ASKED, recipe="governed.v1")
    assert texts(found) == ["The deploy key rotates on Tuesdays"]
    assert found.receipt.facts["policyTier"] == "must+nice"


def test_an_irrelevant_untrusted_memory_does_not_hide_the_answer_of_a_lower_tier(either):
    """E6, E7"""
    either.remember(BESIDE, importance=0.9, source_kind="web")
    either.remember(KEY, source_kind="web")
    found = either.recall(ASKED, recipe="governed.v1")
    assert texts(found) == [KEY]
    last = found.receipt.facts["tiers"][-1]
    assert (last["tier"], last["trusts"], last["selected"]) == ("must+nice+unknown", ["trusted", "untrusted"], 1)


def test_an_irrelevant_trusted_memory_does_not_hide_an_untrusted_answer(either):
    """E7: where recall would be empty but for what is beside the point, it would be empty"""
    either.remember(BESIDE, importance=0.9)
    either.remember(KEY, source_kind="web")
    assert texts(either.recall(ASKED, recipe="governed.v1")) == [KEY]


def test_a_trusted_memory_that_is_barely_similar_does_not_hide_an_untrusted_answer(open_engine):
    """E6, E7: of no word that is asked for, and as near as unrelated texts may be"""
    engine = open_engine(embedder=Near(0.4))
    engine.remember("Grandmother's kettle", importance=0.9)
    engine.remember("The router admin page is at 192.168.7.1", source_kind="web")
    found = engine.recall("what is the router admin page address?", recipe="governed.v1")
    assert texts(found)[0] == "The router admin page is at 192.168.7.1"
    assert "Grandmother's kettle" in texts(found)


def test_a_trusted_memory_that_is_barely_similar_answers_where_nobody_else_does(open_engine):
    """E6, E7: what is no surer does not join it"""
    engine = open_engine(embedder=Near(0.4))
    engine.remember("Grandmother's kettle", importance=0.9)
    engine.remember("Miso, our cat", source_kind="web")
    found = engine.recall("what is the router admin page address?", recipe="governed.v1")
    assert texts(found) == ["Grandmother's kettle"]
    assert found.receipt.facts["policyTier"] == "must+nice"


def test_a_trusted_answer_still_comes_before_a_better_untrusted_one(either):
    """E7: relevance opens no way around trust"""
    either.remember("The deploy key rotates every week", importance=0.9)
    either.remember(ASKED, source_kind="web", importance=0.9)
    assert texts(either.recall(ASKED, recipe="governed.v1")) == ["The deploy key rotates every week"]


def test_an_irrelevant_quarantined_memory_asked_for_by_name_does_not_hide_the_answer(either):
    """E7"""
    either.remember(BESIDE, importance=0.9, trust="quarantined")
    either.remember(KEY)
    assert texts(either.recall(ASKED, recipe="governed.v1", quarantined=True)) == [KEY]


def test_recall_says_nothing_where_no_tier_has_anything_relevant_and_a_search_shows_what_there_is(engine):
    """E6, E7"""
    engine.remember(BESIDE, importance=0.9)
    told = engine.recall(ASKED, recipe="governed.v1")
    assert told.hits == ()
    assert told.receipt.facts["policyTier"] is None
    assert told.receipt.facts["counts"]["dropped"] == {"not_relevant": 1}
    assert texts(engine.search(ASKED, recipe="governed.v1")) == [BESIDE]


def test_the_bias_to_the_recent_lifts_a_lesser_match_by_one_place_at_most(either, clock):
    """E8: a soft bias"""
    for text in ("The deploy key rotates", "The deploy key rotates on Mondays at noon, before the standup"):
        either.remember(text, importance=0.9)
    clock.advance(timedelta(days=700))
    either.remember("The deploy key is heavy and it hangs in the office beside the fire door", importance=0.9)
    found = either.search("the deploy key rotates", recipe="governed.v1")
    assert texts(found)[0] == "The deploy key rotates"


def test_the_score_of_keywords_alone_is_the_reciprocal_rank_too(open_engine):
    """E4, E8: the bias is weighed beside one leg then"""
    engine = open_engine(embedder=no_embedder({}, None))
    engine.remember(KEY, importance=0.9)
    (hit,) = engine.recall(ASKED, recipe="governed.v1").hits
    assert dict(hit.parts.parts) == pytest.approx({"fusion": 1 / 61, "recency": 0.02 / 61}, abs=1e-6)


# --- the window -----------------------------------------------------------------------------------

WINDOW = timedelta(days=90)


def test_what_is_older_than_the_window_is_left_out_and_the_receipt_says_so(either, clock):
    """E8"""
    either.remember("The deploy key is red", importance=0.9)
    clock.advance(WINDOW + timedelta(days=1))
    either.remember("The deploy key is blue", importance=0.9)
    found = either.recall("deploy key", recipe="governed-recent.v1")
    assert texts(found) == ["The deploy key is blue"]
    assert found.receipt.facts["counts"]["dropped"] == {"outside_window": 1}
    assert len(either.recall("deploy key", recipe="governed.v1").hits) == 2


def test_what_was_used_within_the_window_is_within_it(engine, clock):
    """E8: by the date that recency goes by"""
    engine.remember(KEY, importance=0.9)
    clock.advance(WINDOW - timedelta(days=1))
    assert engine.recall(ASKED, recipe="governed-recent.v1").hits
    engine.flush()
    clock.advance(WINDOW - timedelta(days=1))
    assert texts(engine.recall(ASKED, recipe="governed-recent.v1")) == [KEY]


def test_a_hundred_old_matches_do_not_take_the_places_of_a_recent_one(either, clock):
    """E8: the window is asked of the store where the pools are full"""
    either.remember_all(Draft(text=f"The deploy key rotates, take {number}", importance=0.9) for number in range(100))
    clock.advance(WINDOW + timedelta(days=1))
    recent = "Somebody said that the deploy key of the old harbour office is rotated once in a while by the night shift"
    either.remember(recent, importance=0.9)
    found = either.recall("the deploy key rotates", recipe="governed-recent.v1")
    assert texts(found) == [recent]
    assert found.receipt.facts["counts"]["dropped"]["outside_window"] > 0


def test_an_old_answer_does_not_outdo_a_recent_one(either, clock):
    """E6, E8"""
    either.remember(KEY)
    clock.advance(WINDOW + timedelta(days=1))
    either.remember("The deploy key is green", importance=0.9)
    found = either.recall("deploy key rotates on Mondays", recipe="governed-recent.v1")
    assert texts(found) == ["The deploy key is green"]


def test_a_recall_within_a_window_is_replayed_alike(engine, clock):
    """E8, E12: the window ends when it was asked"""
    engine.remember(KEY, importance=0.9)
    clock.advance(WINDOW - timedelta(days=1))
    receipt = engine.recall(ASKED, recipe="governed-recent.v1").receipt
    clock.advance(WINDOW)
    assert engine.replay(receipt.id).same
