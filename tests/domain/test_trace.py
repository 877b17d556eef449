"""The one text form of a trace."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import ImportanceLabel, Kind, Memory, Retention
from cortex.domain.outcome import Outcome, OutcomeType
from cortex.domain.trace import COUNTERS, canonical, from_fields, label_of, name_of, parse_time, to_fields
from cortex.domain.trust import SourceKind, TrustTier
from cortex.domain.turn import Role, Turn

ids = st.builds(format_uuid7, st.integers(0, 1 << 40), st.integers(0, 1 << 40)).map(TraceId)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
times = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds only
maybe_times = st.none() | times
shares = st.floats(0.0, 1.0)
common = {
    "id": ids,
    "text": texts,
    "created_at": times,
    "scope": texts,
    "trust": st.sampled_from(TrustTier),
    "state": st.sampled_from(State),
}

memories = st.builds(
    Memory,
    **common,
    kind=st.sampled_from(Kind),
    topic=texts,
    tags=st.lists(texts, max_size=3).map(tuple),
    retention=st.sampled_from(Retention),
    ttl=st.none() | st.integers(1, 10**9).map(lambda s: timedelta(seconds=s)),
    confidence=shares,
    importance=shares,
    label=st.sampled_from(ImportanceLabel),
    source_kind=st.sampled_from(SourceKind),
    source_ref=texts,
    source_turns=st.lists(ids, max_size=3).map(tuple),
    lang=texts,
    subject=texts,
    attribute=texts,
    valid_from=maybe_times,
    valid_to=maybe_times,
    supersedes=st.none() | ids,
    superseded_by=st.none() | ids,
    media_refs=st.lists(texts, max_size=2).map(tuple),
    media_kind=texts,
    last_accessed_at=maybe_times,
    access_count=st.integers(0, 9),
)
turns = st.builds(
    Turn,
    **common,
    session=texts,
    seq=st.integers(0, 10**6),
    role=st.sampled_from(Role),
    speaker=texts,
    channel=texts,
    kind=st.sampled_from(Kind),
)
chunks = st.builds(
    Chunk,
    **common,
    path=texts,
    start_line=st.integers(1, 999),
    end_line=st.integers(1, 999),
    lane=st.sampled_from([Lane.NOTES, Lane.DOCS]),
    section=st.lists(texts, max_size=4).map(tuple),
    dated=maybe_times,
)
outcomes = st.builds(
    Outcome,
    **common,
    outcome=st.sampled_from(OutcomeType),
    session=texts,
    tool=texts,
    call_id=texts,
    ok=st.none() | st.booleans(),
    ms=st.none() | st.integers(0, 10**12) | st.floats(0.0, 1e12),
    error=texts,
    payload=texts,
    payload_bytes=st.integers(0, 10**6),
    refs=st.lists(texts, max_size=3).map(tuple),
    kind=st.sampled_from(Kind),
)
traces = st.one_of(memories, turns, chunks, outcomes)


@given(traces)
def test_a_trace_comes_back_from_its_text_form_as_it_was(trace):
    """DESIGN 3: counters are the store's to keep"""
    counters = {name: getattr(trace, name) for name in COUNTERS if hasattr(trace, name)}
    assert from_fields(name_of(trace), json.loads(canonical(trace)), **counters) == trace


@given(memories)
def test_counters_of_use_are_no_part_of_what_a_memory_says(memory):
    """X8: a recall makes no new version"""
    assert canonical(memory) == canonical(memory.revised(access_count=99, last_accessed_at=None))
    assert not COUNTERS & set(to_fields(memory))


@given(traces)
def test_the_text_form_is_the_same_every_time(trace):
    """E12, E14"""
    assert canonical(trace) == canonical(from_fields(name_of(trace), to_fields(trace)))


@given(traces)
def test_the_text_form_is_what_the_encoder_writes(trace):
    """E12: it is joined by hand, and every commitment is of it"""
    assert canonical(trace) == json.dumps(to_fields(trace), ensure_ascii=False, separators=(",", ":"))


@given(traces, traces)
def test_different_traces_have_different_text_forms(one, other):
    """DESIGN 3: a commitment stands for exactly one content"""
    same = type(one) is type(other) and to_fields(one) == to_fields(other)
    assert (canonical(one) == canonical(other)) == (same or to_fields(one) == to_fields(other))


def test_a_chunk_counts_as_a_fact_that_nobody_graded():
    """X15"""
    chunk = Chunk(
        id=TraceId(format_uuid7(1, 1)),
        text="x",
        path="a.md",
        start_line=1,
        end_line=1,
        created_at=datetime(2026, 1, 5, tzinfo=UTC),
    )
    assert chunk.kind is Kind.FACT
    assert label_of(chunk) is ImportanceLabel.UNKNOWN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-01-05", datetime(2026, 1, 5, tzinfo=UTC)),
        ("2026-01-05T09:00", datetime(2026, 1, 5, 9, tzinfo=UTC)),
        ("2026-01-05T09:00+02:00", datetime(2026, 1, 5, 7, tzinfo=UTC)),
        ("2026-01-05T09:00:00Z", datetime(2026, 1, 5, 9, tzinfo=UTC)),
    ],
)
def test_a_time_without_a_zone_is_utc(text, expected):
    """DESIGN 3"""
    assert parse_time(text) == expected
    assert parse_time(text).tzinfo is UTC


@given(times, st.integers(-12, 14))
def test_a_time_means_the_same_in_every_zone(at, hours):
    """DESIGN 3"""
    assert parse_time(at.astimezone(timezone(timedelta(hours=hours))).isoformat()) == at
