"""A chunk: lines of a file, where they are cited, and what they are found by."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.chunk import Chunk, cited, context_of
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane
from cortex.domain.memory import Kind
from cortex.domain.trust import SourceKind, TrustTier

CHUNK = Chunk(
    id=TraceId("019b8d62-7a80-7000-8000-000000000001"),
    text="It leaves at noon.",
    path="notes/boats/ferry.md",
    start_line=10,
    end_line=15,
    created_at=datetime(2026, 1, 5, tzinfo=UTC),
)


def test_lines_are_cited_by_their_path_and_both_their_ends():
    """B11"""
    assert CHUNK.citation == cited("notes/boats/ferry.md", 10, 15) == "notes/boats/ferry.md#L10-L15"


@pytest.mark.parametrize(
    ("section", "summary", "context"),
    [
        (("Boats", "Ferry"), "", "Boats > Ferry"),
        (("Boats",), "When boats leave.", "Boats\nWhen boats leave."),
        ((), "", "ferry"),
        ((), "When boats leave.", "ferry\nWhen boats leave."),
    ],
)
def test_where_lines_stand_is_told_by_headings_or_else_by_the_name_of_the_file(section, summary, context):
    """X15"""
    assert CHUNK.revised(section=section, summary=summary).context == context
    assert context_of(CHUNK.path, section, summary) == context


@pytest.mark.parametrize(
    ("path", "place"),
    [("MEMORY.md", "MEMORY"), ("memory/2026-01-05.md", "2026-01-05"), ("a/b.c.md", "b.c"), ("notes/plan", "plan")],
)
def test_a_file_is_called_by_the_last_part_of_its_path(path, place):
    assert CHUNK.revised(path=path).context == place


def test_what_others_may_write_counts_as_an_import():
    """S4: the operator lets a file be memory"""
    assert CHUNK.source_kind is SourceKind.OPERATOR
    for trust in (TrustTier.UNTRUSTED, TrustTier.QUARANTINED):
        assert CHUNK.revised(trust=trust).source_kind is SourceKind.IMPORT


def test_lines_are_notes_and_facts_unless_told_otherwise():
    assert (CHUNK.lane, CHUNK.kind, CHUNK.trust) == (Lane.NOTES, Kind.FACT, TrustTier.TRUSTED)
    assert (CHUNK.dated, CHUNK.media_refs) == (None, ())


@given(st.text(max_size=30), st.lists(st.text(max_size=10), max_size=3).map(tuple), st.text(max_size=20))
def test_a_context_never_holds_the_text(text, section, summary):
    """X15: it is what lines are found by beside their own words"""
    chunk = CHUNK.revised(text=f"{text}\x00", section=section, summary=summary)
    assert chunk.context == CHUNK.revised(section=section, summary=summary).context
