"""A memory: what it says of itself, how long it lives, and what is checked before it becomes one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.memory import MAX_TAGS, Draft, ImportanceLabel, Kind, Memory, Retention
from cortex.domain.trust import SourceKind, TrustTier
from cortex.errors import InvalidRequest
from sweeps import for_each

NOW = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
ID = TraceId(format_uuid7(1, 1))


def memory(**fields) -> Memory:
    return Memory(id=ID, text="The harbour opens at dawn", **{"created_at": NOW, **fields})


def made(**fields) -> Memory:
    return Draft(**{"text": "The harbour opens at dawn", **fields}).checked().memory(ID, NOW)


# --- retention ------------------------------------------------------------------------------------


def test_a_session_memory_lives_24_hours_after_it_was_made():
    """X6"""
    passing = memory(retention=Retention.SESSION)
    assert passing.is_due(NOW + 24 * HOUR - timedelta(microseconds=1))
    assert not passing.is_due(NOW + 24 * HOUR)


def test_each_access_gives_a_session_memory_another_24_hours():
    """X6: expires after 24 h without access"""
    passing = memory(retention=Retention.SESSION, last_accessed_at=NOW + 20 * HOUR, access_count=1)
    assert passing.is_due(NOW + 43 * HOUR)
    assert not passing.is_due(NOW + 44 * HOUR)


def test_a_ttl_memory_lives_720_hours_unless_told_otherwise():
    """X6"""
    dated = made(retention="ttl")
    assert dated.expires_at == NOW + 720 * HOUR
    assert dated.is_due(NOW + 719 * HOUR)
    assert not dated.is_due(NOW + 720 * HOUR)


def test_a_ttl_counts_from_when_it_was_made_however_often_it_is_used():
    """X6"""
    dated = memory(retention=Retention.TTL, ttl=2 * HOUR, last_accessed_at=NOW + HOUR, access_count=9)
    assert dated.expires_at == NOW + 2 * HOUR


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=36_500)))
def test_permanent_and_project_memories_never_expire(age):
    """X6"""
    assert memory(retention=Retention.PERMANENT).is_due(NOW + age)
    assert memory(retention=Retention.PROJECT).is_due(NOW + age)


def test_a_memory_is_not_recalled_after_the_time_it_is_valid_for():
    """DESIGN 3: [valid from, valid to)"""
    closed = memory(valid_to=NOW + HOUR)
    assert closed.is_due(NOW)
    assert not closed.is_due(NOW + HOUR)


def test_a_memory_is_not_recalled_before_the_time_it_is_valid_for():
    """DESIGN 3: [valid from, valid to)"""
    coming = memory(valid_from=NOW + HOUR)
    assert not coming.is_due(NOW)
    assert coming.is_due(NOW + HOUR)


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("importance", "label"),
    [(1.0, "must_remember"), (0.8, "must_remember"), (0.79, "nice_to_have"), (0.5, "nice_to_have"), (0.49, "ignore"),
     (0.0, "ignore")],
)  # fmt: skip
def test_a_graded_importance_has_its_label(importance, label):
    """E3, S2"""
    assert made(importance=importance).label is ImportanceLabel(label)


def test_what_nobody_graded_is_unknown():
    """E3"""
    assert made().label is ImportanceLabel.UNKNOWN
    assert made().importance == 0.5


def test_a_label_given_by_name_is_kept():
    """E3"""
    assert made(importance=0.9, label="ignore").label is ImportanceLabel.IGNORE


# --- trust ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["tool", "web", "import"])
def test_nobody_can_claim_more_trust_than_the_source_allows(source):
    """S4, E7"""
    assert made(source_kind=source).trust is TrustTier.UNTRUSTED
    assert made(source_kind=source, trust="trusted").trust is TrustTier.UNTRUSTED


@pytest.mark.parametrize("source", list(SourceKind))
def test_everyone_may_claim_less(source):
    """S4"""
    assert made(source_kind=source, trust="quarantined").trust is TrustTier.QUARANTINED


# --- drafts ---------------------------------------------------------------------------------------


def test_a_draft_becomes_a_memory_with_every_field_it_gave():
    """X7, E3"""
    fields = {
        "topic": "sea", "tags": ("a", "b"), "scope": "infra", "confidence": 0.4, "source_ref": "note 7", "lang": "en",
        "subject": "harbour", "attribute": "opens", "value": "at six", "source_turns": (TraceId(format_uuid7(2, 2)),),
        "supersedes": TraceId(format_uuid7(3, 3)), "media_refs": ("a.png",), "media_kind": "image",
        "valid_from": NOW, "valid_to": NOW + HOUR,
    }  # fmt: skip
    kept = made(**fields)
    tested_below = {"text", "kind", "retention", "ttl", "importance", "label", "trust", "source_kind", "created_at"}
    assert set(fields) | tested_below == set(Draft.__slots__)
    assert {name: getattr(kept, name) for name in fields} == fields
    assert (kept.id, kept.created_at, kept.access_count, kept.last_accessed_at) == (ID, NOW, 0, None)


def test_plain_values_become_typed_ones():
    """X7"""
    kept = made(kind="rule", retention="session", source_kind="user", tags=["x"])
    assert (kept.kind, kept.retention, kept.source_kind, kept.tags) == (
        Kind.RULE, Retention.SESSION, SourceKind.USER, ("x",),
    )  # fmt: skip


def test_times_are_kept_in_utc():
    """DESIGN 3"""
    plus_two = timezone(timedelta(hours=2))
    assert made(created_at=datetime(2026, 1, 5, 11, 0, tzinfo=plus_two)).created_at == NOW
    assert made(created_at=datetime(2026, 1, 5, 9, 0)).created_at == NOW  # noqa: DTZ001 - without a zone: UTC


@for_each(
    ("fields", "field"),
    [
        ({"text": " "}, "text"),
        ({"text": "x" * 70_000}, "text"),
        ({"kind": "rul"}, "kind"),
        ({"retention": "forever"}, "retention"),
        ({"label": "must"}, "label"),
        ({"trust": "full"}, "trust"),
        ({"source_kind": "oracle"}, "source_kind"),
        ({"confidence": 1.1}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"importance": -0.1}, "importance"),
        ({"ttl": timedelta(0)}, "ttl"),
        ({"tags": tuple("x" * (MAX_TAGS + 1))}, "tags"),
        ({"tags": ("y" * 1_025,)}, "tags"),
        ({"topic": "a\x00b"}, "topic"),
        ({"scope": ""}, "scope"),
        ({"scope": "a\nb"}, "scope"),
        ({"scope": "x" * 257}, "scope"),
        ({"valid_from": NOW, "valid_to": NOW}, "valid_to"),
        ({"created_at": "yesterday"}, "created_at"),
    ],
)
def test_a_draft_that_cannot_be_kept_is_refused_by_the_name_of_its_field(fields, field):
    with pytest.raises(InvalidRequest) as refused:
        made(**fields)
    assert refused.value.field == field
    assert refused.value.hint


def test_a_misspelled_kind_is_answered_with_the_nearest():
    with pytest.raises(InvalidRequest, match="did you mean 'preference'"):
        made(kind="preferense")
