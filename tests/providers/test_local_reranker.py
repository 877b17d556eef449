from __future__ import annotations

from pathlib import Path

import pytest

from cortex.errors import RerankerUnavailable
from cortex.providers.rerankers import local


@pytest.fixture(scope="module")
def reranker(models: Path) -> local.LocalReranker:
    return local.create({}, models)


def test_the_text_that_answers_scores_highest(reranker: local.LocalReranker) -> None:
    """B16: a cross-encoder reads query and text together."""
    scores = reranker.scores(
        "how many people live in Berlin?",
        ["Berlin is known for its museums.", "Berlin has about 3.6 million inhabitants.", "I like peanuts."],
    )
    assert scores.index(max(scores)) == 1
    assert scores.index(min(scores)) == 2
    assert all(isinstance(score, float) for score in scores)


def test_a_score_does_not_depend_on_the_other_texts(reranker: local.LocalReranker) -> None:
    """B18: the same state gives the same answer."""
    texts = ["Keys rotate on Mondays.", "word " * 700, "Nothing to see here."]
    assert reranker.scores("when do keys rotate?", texts) == [
        reranker.scores("when do keys rotate?", [text])[0] for text in texts
    ]


def test_a_query_as_long_as_the_window_leaves_room_for_the_text(reranker: local.LocalReranker) -> None:
    """E13: of what does not fit, the end is not read."""
    long_query = "keys " * 2_000
    one, other = reranker.scores(long_query, ["Keys, keys and keys.", "Peanuts."])
    assert one != other


def test_no_texts_have_no_scores(reranker: local.LocalReranker) -> None:
    assert reranker.scores("anything", []) == []


def test_an_absent_model_makes_the_reranker_unavailable(tmp_path: Path) -> None:
    """C6: recall keeps its first order and says so."""
    with pytest.raises(RerankerUnavailable, match="cortex models fetch"):
        local.create({}, tmp_path).scores("a", ["b", "c"])
