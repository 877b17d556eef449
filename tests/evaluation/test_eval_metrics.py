from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.evaluation import metrics
from cortex.evaluation.metrics import ProbeResult
from cortex.evaluation.sets import Probe

IDS = st.sampled_from("abcdefghij")
RANKINGS = st.lists(IDS, unique=True).map(lambda ids: [frozenset({id}) for id in ids])
RELEVANT = st.sets(IDS, min_size=1).map(frozenset)


def ranking(*ids: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(each.split("+")) for each in ids)


def outcome(found: tuple[str, ...] = (), relevant: tuple[str, ...] = ("a",), **fields: object) -> ProbeResult:
    category = str(fields.get("category", "c"))
    parts = {name: frozenset(ids) for name, ids in dict(fields.get("parts", {})).items()}  # type: ignore[call-overload]
    probe = Probe(qid="q", scope="s", query="?", relevant=frozenset(relevant), category=category, parts=parts)
    return ProbeResult(probe, ranking(*found), int(str(fields.get("tokens", 0))), float(str(fields.get("ms", 1.0))))


def test_any_is_met_by_one_and_all_only_by_every_relevant_record():
    found = ranking("x", "a", "y")
    assert metrics.any_found(found, {"a", "b"}, 10) == 1.0
    assert metrics.all_found(found, {"a", "b"}, 10) == 0.0
    assert metrics.recall(found, {"a", "b"}, 10) == 0.5


def test_places_beyond_k_do_not_count():
    found = ranking("x", "y", "a")
    assert metrics.any_found(found, {"a"}, 2) == 0.0
    assert metrics.reciprocal_rank(found, {"a"}, 2) == 0.0
    assert metrics.reciprocal_rank(found, {"a"}) == pytest.approx(1 / 3)


def test_a_memory_counts_as_every_turn_it_came_from():
    assert metrics.recall(ranking("a+b", "c"), {"a", "b"}, 1) == 1.0


def test_ndcg_of_a_second_place_is_its_discount():
    assert metrics.ndcg(ranking("x", "a"), {"a"}) == pytest.approx(1 / math.log2(3))


@given(RANKINGS, RELEVANT, st.integers(1, 12))
def test_every_measure_lies_between_none_and_all(found, relevant, k):
    for measure in (metrics.any_found, metrics.all_found, metrics.recall, metrics.reciprocal_rank, metrics.ndcg):
        assert 0.0 <= measure(found, relevant, k) <= 1.0 + 1e-12


@given(RANKINGS, RELEVANT, st.integers(1, 12))
def test_all_never_exceeds_recall_and_recall_never_exceeds_any(found, relevant, k):
    every, share, some = (measure(found, relevant, k) for measure in
                          (metrics.all_found, metrics.recall, metrics.any_found))  # fmt: skip
    assert every <= share <= some


@given(RANKINGS, RELEVANT, st.integers(1, 11))
def test_looking_further_never_finds_less(found, relevant, k):
    assert metrics.recall(found, relevant, k) <= metrics.recall(found, relevant, k + 1)
    assert metrics.reciprocal_rank(found, relevant, k) <= metrics.reciprocal_rank(found, relevant, k + 1)


@given(RELEVANT)
def test_the_best_order_has_an_ndcg_of_one(relevant):
    best = [frozenset({id}) for id in sorted(relevant)] + [frozenset({"z"})]
    assert metrics.ndcg(best, relevant) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (("new", "old"), 1.0),
        (("old", "new"), 0.0),
        (("new",), 1.0),
        (("old",), 0.0),
        (("x",), 0.0),
        (("older", "new", "old"), 0.0),
        (("new+old",), 0.0),
    ],
)
def test_the_updated_statement_has_to_stand_above_every_original_one(found, expected):
    parts = {"updated_info": {"new"}, "original_info": {"old", "older"}}
    assert metrics.updated_above_original(ranking(*found), parts) == expected


def test_a_probe_about_something_else_says_nothing_of_updates():
    assert metrics.updated_above_original(ranking("a"), {"first_statement": {"a"}}) is None
    assert metrics.updated_above_original(ranking("a"), {"updated_info": {"a"}, "original_info": set()}) is None


def test_probes_without_an_answer_count_only_for_the_nothing_rate():
    summary = metrics.summarize([outcome(("a",)), outcome(()), outcome((), ()), outcome(("x",), ())], k=10)
    assert summary["n"] == 4
    assert summary["any@10"] == 0.5
    assert summary["empty_on_answerable"] == 0.5
    assert summary["empty_on_unanswerable"] == 0.5


def test_what_applies_to_no_probe_is_none():
    summary = metrics.summarize([outcome((), ())], k=10)
    assert summary["recall@10"] is None
    assert summary["updated_above_original"] is None
    assert summary.intervals["recall@10"] is None
    assert metrics.summarize([], k=10)["latency_ms_p50"] is None


def test_the_keys_are_those_of_the_format():
    assert metrics.keys(10) == (
        "n", "any@1", "any@10", "all@10", "recall@10", "mrr@10", "ndcg@10", "empty_on_unanswerable",
        "empty_on_answerable", "updated_above_original", "answer_in_block", "answer_words_in_block", "answer_in_hits",
        "answer_words_in_hits", "evidence_in_block", "bearing", "bearing@5", "block_lines", "block_tokens",
        "rule_lines", "tokens_mean", "latency_ms_p50", "latency_ms_p95",
    )  # fmt: skip
    assert tuple(metrics.summarize([outcome()], k=10).values) == metrics.keys(10)
    assert tuple(metrics.absent(10, 3).values) == metrics.keys(10)


def test_another_k_gives_other_keys_but_mrr_keeps_its_ten_places():
    assert metrics.keys(5)[1:7] == ("any@1", "any@5", "all@5", "recall@5", "mrr@10", "ndcg@10")


def test_the_first_place_alone_is_not_told_twice():
    assert metrics.keys(1)[1:6] == ("any@1", "all@1", "recall@1", "mrr@10", "ndcg@10")
    summary = metrics.summarize([outcome(("x", "a"))], k=1)
    assert (summary["any@1"], summary["recall@1"], summary["mrr@10"]) == (0.0, 0.0, 0.5)


def test_any_at_one_looks_at_the_first_place_whatever_k_is():
    summary = metrics.summarize([outcome(("a", "x")), outcome(("x", "a"))], k=10)
    assert (summary["any@1"], summary["any@10"]) == (0.5, 1.0)


def test_of_characters_one_hit_may_hold_all():
    """As of records, ten places would have to hold them, and the best answer would be a bad one."""
    letters = "abcdefghij"
    probe = Probe(qid="q", scope="s", query="?", relevant=frozenset(letters), category="c", in_characters=True)
    first = metrics.summarize([ProbeResult(probe, (frozenset(letters),), 0, 1.0)], k=10)
    assert first["ndcg@10"] == 1.0
    halves = (frozenset(letters[:5]), frozenset(letters[:5]), frozenset(letters[5:]))
    assert metrics.discounted_coverage(halves, set(letters)) == pytest.approx(0.5 + 0.5 / math.log2(4))


@given(RANKINGS, RELEVANT, st.integers(1, 12))
def test_coverage_never_exceeds_recall(found, relevant, k):
    assert 0.0 <= metrics.discounted_coverage(found, relevant, k) <= metrics.recall(found, relevant, k) + 1e-12


def test_latencies_are_percentiles_and_tokens_a_mean():
    outcomes = [outcome(ms=float(ms), tokens=ms) for ms in range(1, 101)]
    summary = metrics.summarize(outcomes, k=10)
    assert summary["latency_ms_p50"] == pytest.approx(50.5)
    assert summary["latency_ms_p95"] == pytest.approx(95.05)
    assert summary["tokens_mean"] == pytest.approx(50.5)


def test_groups_are_by_category_in_order_of_name():
    groups = metrics.by_category([outcome(category="b"), outcome(category="a"), outcome(category="b")])
    assert {name: len(group) for name, group in groups.items()} == {"a": 1, "b": 2}
    assert list(groups) == ["a", "b"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_the_interval_is_the_same_on_every_run_and_within_the_sample(sample):
    low, high = metrics.bootstrap(sample, np.mean, resamples=50)
    assert (low, high) == metrics.bootstrap(sample, np.mean, resamples=50)
    assert min(sample) - 1e-9 <= low <= high <= max(sample) + 1e-9


def test_a_larger_sample_has_a_narrower_interval():
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 1_000
    narrow, wide = metrics.bootstrap(many, np.mean), metrics.bootstrap(few, np.mean)
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
    assert narrow[0] < 0.5 < narrow[1]
