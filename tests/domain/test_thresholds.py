"""Learned thresholds: where decisions move them, how far, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.thresholds import (
    HIGHEST,
    LEAST_DECISIONS,
    LOWEST,
    QUARANTINE,
    STEP,
    JudgedExtraction,
    ThresholdVersion,
    extractor_of,
    in_force,
    moved,
    versions_in,
)

NOW = datetime(2026, 3, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def judged(*pairs: tuple[float, bool], extractor: str = "en", at: datetime = NOW) -> list[JudgedExtraction]:
    return [JudgedExtraction(extractor=extractor, confidence=score, right=right, at=at) for score, right in pairs]


def move(decisions: Sequence[JudgedExtraction], versions: Sequence[ThresholdVersion] = (), **given: object):
    return moved(decisions[0].extractor, versions, decisions, default=0.5, **{"now": NOW, **given})  # type: ignore[arg-type]


SURE = [(0.9, True)] * 16


def test_a_threshold_rises_to_where_most_more_wrong_than_right_extractions_fall_away() -> None:
    new = move(judged((0.503, True), (0.505, False), (0.511, False), (0.528, True), (0.7, False), *SURE))
    assert new is not None
    assert (new.version, new.before, new.threshold, new.right, new.wrong) == (1, 0.5, 0.512, 18, 3)


def test_nothing_moves_before_twenty_decisions_nor_twice_in_a_week() -> None:
    wrong = [(0.51, False)] * 4
    assert move(judged(*wrong, *SURE[:-1])) is None
    first = move(judged(*wrong, *SURE))
    assert first is not None
    later = judged(*[(0.52, False)] * LEAST_DECISIONS, at=NOW + DAY)
    assert move(later, [first], now=NOW + 6 * DAY) is None
    second = move(later, [first], now=NOW + 7 * DAY)
    assert second is not None
    assert (second.version, second.before, second.threshold) == (2, 0.511, 0.521)
    assert move(judged(*wrong, *SURE), [first], now=NOW + 30 * DAY) is None, "decisions before a move count once"


def test_a_threshold_falls_where_everything_near_it_is_right() -> None:
    right = [(0.5 + number / 1000, True) for number in range(20)]
    new = move(judged(*right))
    assert new is not None
    assert new.threshold == 0.45
    assert move(judged(*right, (0.52, False))) is None


def test_quarantine_only_tightens() -> None:
    attacks = judged(*[(0.45, False)] * 15, *[(0.47, True)] * 5, extractor=QUARANTINE)
    new = move(attacks)
    assert new is not None
    assert new.threshold == 0.45
    assert move(judged(*[(0.55, True)] * 30, extractor=QUARANTINE)) is None
    assert move(judged(*[(0.47, True)] * 30, extractor=QUARANTINE)) is None


SCORES = st.floats(0, 1, allow_nan=False).map(lambda score: round(score, 3))


@given(
    st.lists(st.tuples(SCORES, st.booleans()), min_size=20, max_size=60),
    st.sampled_from(["en", "a-model", QUARANTINE]),
    st.floats(LOWEST, HIGHEST).map(lambda value: round(value, 3)),
)
def test_no_decisions_move_a_threshold_too_far(pairs: list[tuple[float, bool]], extractor: str, before: float) -> None:
    new = moved(extractor, (), judged(*pairs, extractor=extractor), default=before, now=NOW)
    if new is not None:
        assert abs(new.threshold - before) <= STEP + 1e-9
        assert LOWEST <= new.threshold <= HIGHEST
        assert extractor != QUARANTINE or new.threshold < before


def test_a_revoked_version_no_longer_holds_and_a_damaged_one_is_left_out() -> None:
    first = move(judged(*[(0.51, False)] * 4, *SURE))
    assert first is not None
    state = {"en": [first.to_state(), {"version": "x"}]}
    assert versions_in(state, "en") == [first]
    assert in_force([first]) == 0.511
    assert in_force([first.revoked(NOW)]) is None
    assert versions_in({"en": [first.revoked(NOW).to_state()]}, "en") == [first.revoked(NOW)]


def test_an_extractor_is_the_rules_of_a_language_or_a_model() -> None:
    assert [extractor_of(each) for each in ("en/statement", "de/fact.name", "qwen/qwen3", "gpt-5")] == [
        "en", "de", "qwen/qwen3", "gpt-5",
    ]  # fmt: skip
