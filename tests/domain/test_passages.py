"""What is indexed and embedded of a trace: its passages, with the little context they need."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.lanes import Lane
from cortex.domain.memory import Kind, Memory
from cortex.domain.passages import heading, passages_of, terms_by_passage, terms_of, terms_said
from cortex.domain.terms import index_terms
from cortex.domain.text import passages
from cortex.domain.trace import canonical, to_fields
from cortex.domain.turn import Role, Turn

NOW = datetime(2026, 1, 5, tzinfo=UTC)
LONG = " ".join(f"Boat number {number} was seen at the pier and left again before noon." for number in range(60))

scripts = st.sampled_from(
    ["the harbour opens", "部署密钥轮换", "港の鍵", "Ключ в сейфе", "snake_case v1.2", "é\u0301 ﬁ"]
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60) | scripts | st.just(LONG)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
ids = st.integers(0, 1 << 30).map(lambda number: TraceId(format_uuid7(number, number)))
common = {"id": ids, "text": texts, "created_at": st.just(NOW), "scope": names}
memories = st.builds(Memory, **common, kind=st.sampled_from(Kind), topic=texts, subject=texts, source_ref=texts)
turns = st.builds(Turn, **common, session=names, seq=st.integers(0, 99), role=st.sampled_from(Role), speaker=texts)
chunks = st.builds(
    Chunk, **common, path=names, start_line=st.integers(1, 99), end_line=st.integers(1, 99),
    lane=st.sampled_from([Lane.NOTES, Lane.DOCS]), kind=st.sampled_from(Kind),
    section=st.lists(texts, max_size=4).map(tuple), summary=texts,
)  # fmt: skip


def chunk(text: str, **fields: Any) -> Chunk:
    place = {"path": "notes/ferry.md", "start_line": 1, "end_line": 9, "created_at": NOW}
    return Chunk(id=TraceId(format_uuid7(1, 1)), text=text, **{**place, **fields})


def turn(text: str, seq: int = 1, **fields: Any) -> Turn:
    return Turn(
        id=TraceId(format_uuid7(2, seq)), text=text, **{"session": "s", "seq": seq, "created_at": NOW, **fields}
    )


# --- terms ------------------------------------------------------------------------------------------------------------


@given(st.one_of(memories, turns, chunks))
def test_what_is_stored_of_a_trace_has_the_same_terms(trace):
    """B3: an index can be proven, and mended, from the stored fields alone"""
    assert terms_of(trace) == terms_said(json.loads(canonical(trace)))
    assert terms_of(trace) == terms_said(to_fields(trace))


@given(chunks)
def test_every_passage_of_lines_is_found_by_where_they_stand(trace):
    """X15"""
    around = index_terms(trace.context)
    plain = terms_by_passage(trace.text)
    assert terms_of(trace) == [around + terms for terms in plain]
    assert len(plain) == max(1, len(list(passages(trace.text, 128))))


@given(st.one_of(memories, turns))
def test_what_was_said_or_remembered_is_found_by_its_own_words_alone(trace):
    assert terms_of(trace) == terms_by_passage(trace.text)


def test_a_summary_and_every_heading_are_terms_of_the_lines_below():
    """X15"""
    (found,) = terms_of(chunk("It leaves at noon.", section=("Boats", "Ferries"), summary="When they depart."))
    for word in ("boats", "ferries", "depart", "noon"):
        assert set(index_terms(word)) <= set(found)


def test_lines_of_nothing_but_marks_are_still_found_by_their_heading():
    assert terms_of(chunk("---", section=("Walrus",))) == [index_terms("Walrus")]
    assert terms_by_passage("---") == [[]]


# --- passages ---------------------------------------------------------------------------------------------------------


@given(chunks, st.sampled_from([16, 128]))
def test_every_passage_of_lines_is_headed_by_where_they_stand(trace, most):
    """X15"""
    cut = [trace.text[start:end].strip() for start, end in passages(trace.text, most)]
    assert passages_of(trace, most) == [f"{trace.context}\n{passage}" for passage in cut[:64]]


def test_long_lines_are_embedded_in_parts_that_each_know_their_heading():
    """X15"""
    found = passages_of(chunk(LONG, section=("Walrus", "Census"), summary="How many there are."), 64)
    assert len(found) > 5
    assert all(passage.startswith("Walrus > Census\nHow many there are.\nBoat number") for passage in found)


def test_no_more_than_so_many_passages_are_embedded_of_one_trace():
    assert len(passages_of(chunk(LONG * 10), 16)) == 64


@given(st.one_of(memories, turns))
def test_other_traces_are_embedded_as_they_are(trace):
    cut = [trace.text[start:end].strip() for start, end in passages(trace.text, 128)]
    assert passages_of(trace, 128) == cut[:64]


def test_an_answer_begins_with_the_question_it_follows():
    asked = turn("Nice weather. Where did you find a flat?", 1)
    answer = turn("By the harbour.", 2)
    assert passages_of(answer, 128, asked) == ["Where did you find a flat? By the harbour."]
    assert heading(answer, asked) == "Where did you find a flat?"


@pytest.mark.parametrize(
    "before",
    [None, turn("Where?", 0), turn("Where?", 1, session="other"), turn("By the sea.", 1), chunk("Where?")],
    ids=["nothing", "not just before", "another session", "no question", "lines of a file"],
)
def test_nothing_else_is_put_before_an_answer(before):
    assert passages_of(turn("By the harbour.", 2), 128, before) == ["By the harbour."]


def test_lines_are_headed_by_where_they_stand_whatever_was_said_before():
    assert heading(chunk("It leaves at noon.", section=("Ferry",)), turn("When?", 1)) == "Ferry"
