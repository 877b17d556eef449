"""What has to be done about the files, decided without touching one (B13, B15)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.lanes import Lane
from cortex.domain.memory import Kind
from cortex.domain.trust import TrustTier
from cortex.domain.vectors import EmbeddingSpace
from cortex.workspace import plan
from cortex.workspace.chunking import TextSpan
from cortex.workspace.flow import Cutting, full_reason
from cortex.workspace.scan import Found, Problem, Scan
from cortex.workspace.sources import Shape, Source

NOTES = Source(name="notes", root=Path("/notes"), shape=Shape.TREE, lane=Lane.NOTES)
DOCS = Source(name="docs", root=Path("/docs"), shape=Shape.TREE, lane=Lane.DOCS)
LIMIT = 1_000
KEYS = {source.name: plan.source_key(source, LIMIT) for source in (NOTES, DOCS)}
AT = 1_700_000_000 * 1_000_000_000


def found(path: str, source: Source = NOTES, **fields: Any) -> Found:
    payload = {"size": 10, "modified_ns": AT, "inode": 7, "device": 1, **fields}
    return Found(source=source, path=path, absolute=f"/{path}", **payload)


def known(*files: IndexedFile) -> dict[str, IndexedFile]:
    return {file.path: file for file in files}


def followed(path: str, of: Source = NOTES, **fields: Any) -> IndexedFile:
    return plan.followed(found(path, of), KEYS[of.name], "aa")._replace(**fields)


def scanned(*files: Found, problems: tuple[Problem, ...] = ()) -> Scan:
    return Scan(list(files), list(problems))


# --- what is to be read --------------------------------------------------------------------------


def test_a_file_that_is_as_it_was_is_not_read() -> None:
    work = plan.work(scanned(found("notes/a.md")), known(followed("notes/a.md")), KEYS)
    assert (work.to_read, work.gone, work.hidden, work.unchanged) == ([], [], [], 1)


@pytest.mark.parametrize("change", [{"size": 11}, {"modified_ns": AT + 1}, {"modified_ns": AT - 1}, {"inode": 8}])
def test_a_file_that_looks_otherwise_is_read(change: dict[str, int]) -> None:
    file = found("notes/a.md", **change)
    assert plan.work(scanned(file), known(followed("notes/a.md")), KEYS).to_read == [file]


@pytest.mark.parametrize("change", [{"unsettled": True}, {"source": "notes"}])
def test_a_file_that_looks_the_same_is_read_where_that_says_nothing(change: dict[str, Any]) -> None:
    work = plan.work(scanned(found("notes/a.md")), known(followed("notes/a.md", **change)), KEYS)
    assert (len(work.to_read), work.unchanged) == (1, 0)


def test_a_file_nobody_knows_is_read_and_one_that_is_not_there_is_gone() -> None:
    """B15"""
    work = plan.work(scanned(found("notes/b.md")), known(followed("notes/c.md"), followed("notes/a.md")), KEYS)
    assert ([file.path for file in work.to_read], work.gone) == (["notes/b.md"], ["notes/a.md", "notes/c.md"])


@given(st.integers(-(2**40), 2**64), st.integers(0, 2**64 - 1))
def test_numbers_of_any_file_system_can_be_kept_and_known_again(modified_ns: int, inode: int) -> None:
    """SQLite counts with 63 bits and a sign; some file systems make up inodes of 64"""
    file = found("notes/a.md", modified_ns=modified_ns, inode=inode)
    followed = plan.followed(file, KEYS["notes"])
    assert 0 <= followed.modified_ns < 2**63
    assert 0 <= followed.inode < 2**63
    assert plan.is_current(followed, file, KEYS["notes"])


# --- out of sight --------------------------------------------------------------------------------


def unseen(path: str, source: str, **fields: Any) -> Problem:
    return Problem(path=path, why="cannot be looked at", source=source, unseen=True, **fields)


def test_files_that_are_merely_out_of_sight_are_not_gone() -> None:
    """A disk that is not mounted has not lost them"""
    files = known(followed("notes/a.md"), followed("notes/deep/b.md"), followed("docs/c.md", DOCS))
    root = plan.work(scanned(problems=(unseen("notes", "notes", root_missing=True),)), files, KEYS)
    assert (root.hidden, root.gone) == (["notes/a.md", "notes/deep/b.md"], ["docs/c.md"])
    folder = plan.work(scanned(problems=(unseen("notes/deep", "notes"),)), files, KEYS)
    assert (folder.hidden, folder.gone) == (["notes/deep/b.md"], ["docs/c.md", "notes/a.md"])


def test_of_a_source_nobody_follows_nothing_is_hidden() -> None:
    """B15"""
    missing = unseen("notes", "notes", root_missing=True)
    work = plan.work(scanned(problems=(missing,)), known(followed("notes/a.md")), {"docs": KEYS["docs"]})
    assert (work.hidden, work.gone) == ([], ["notes/a.md"])


def test_a_problem_that_hides_nothing_keeps_nothing() -> None:
    problem = Problem(path="notes/a.md", why="is a link that leads nowhere", source="notes")
    assert plan.work(scanned(problems=(problem,)), known(followed("notes/a.md")), KEYS).gone == ["notes/a.md"]


# --- how a source wants its files ----------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"}, {"lane": Lane.DOCS}, {"scope": "port"}, {"trust": TrustTier.UNTRUSTED},
        {"chunker": "lines"}, {"summarize": True},
    ],
    ids=str,
)  # fmt: skip
def test_the_key_of_a_source_changes_with_what_its_chunks_are_made_of(change: dict[str, Any]) -> None:
    assert plan.source_key(replace(NOTES, **change), LIMIT) != KEYS["notes"]


def test_the_key_of_a_source_changes_with_the_longest_file_but_not_with_its_place() -> None:
    assert plan.source_key(NOTES, LIMIT + 1) != KEYS["notes"]
    assert plan.source_key(replace(NOTES, root=Path("/elsewhere")), LIMIT) == KEYS["notes"]


def test_the_key_of_a_source_begins_with_its_name() -> None:
    assert [plan.source_name(key) for key in KEYS.values()] == ["notes", "docs"]
    assert plan.source_name(plan.source_key(replace(NOTES, name="", shape=Shape.WORKSPACE), LIMIT)) == ""


# --- cutting anew --------------------------------------------------------------------------------


def pieces(*texts: str, section: tuple[str, ...] = ("Log",), first: int = 1) -> list[TextSpan]:
    return [TextSpan(text, first + 2 * at, first + 2 * at, section) for at, text in enumerate(texts)]


def fresh_ids(start: int) -> Any:
    return (TraceId(format_uuid7(1, number)) for number in count(start))


def cut(texts: list[TextSpan], before: tuple[Chunk, ...] = (), start: int = 1, file: Found | None = None) -> plan.Cut:
    return plan.cut(file or found("notes/log.md"), texts, None, before, fresh_ids(start))


def test_a_chunk_knows_where_it_is_from() -> None:
    source = replace(NOTES, scope="port", trust=TrustTier.UNTRUSTED, lane=Lane.DOCS)
    file = found("notes/log.md", source)
    dated = datetime(2026, 5, 1, tzinfo=UTC)
    piece = TextSpan("![chart](charts/bay.png)", 3, 4, ("Log", "Day"))
    (made,) = plan.cut(file, [piece], dated, (), fresh_ids(1)).chunks
    assert (made.path, made.start_line, made.end_line, made.section) == ("notes/log.md", 3, 4, ("Log", "Day"))
    assert (made.scope, made.trust, made.lane, made.dated) == ("port", TrustTier.UNTRUSTED, Lane.DOCS, dated)
    assert (made.media_refs, made.media_kind) == (("charts/bay.png",), "image")
    assert made.created_at == datetime.fromtimestamp(1_700_000_000, UTC)


def test_a_chunk_is_of_the_kind_its_words_tell() -> None:
    payload = {"calm": Kind.FACT, "storm": Kind.DECISION}
    made = plan.cut(found("notes/log.md"), pieces(*payload), None, (), fresh_ids(1), payload.__getitem__)
    assert [chunk.kind for chunk in made.chunks] == list(payload.values())


def test_what_says_the_same_keeps_its_id_and_what_is_new_gets_one() -> None:
    before = cut(pieces("calm", "storm", "fog")).chunks
    made = cut(pieces("calm", "hail", "fog"), before, start=10)
    assert [chunk.id for chunk in made.chunks] == [before[0].id, made.fresh[0].id, before[2].id]
    assert ([chunk.text for chunk in made.fresh], made.moved) == (["hail"], ())
    assert made.fresh[0].id not in {chunk.id for chunk in before}


def test_what_says_the_same_elsewhere_is_moved() -> None:
    before = cut(pieces("calm", "storm")).chunks
    made = cut(pieces("calm", "storm", first=5), before)
    assert (made.fresh, [chunk.start_line for chunk in made.moved]) == ((), [5, 7])
    assert [chunk.id for chunk in made.moved] == [chunk.id for chunk in before]


def test_under_another_heading_the_same_words_are_another_chunk() -> None:
    """The headings are part of what is embedded"""
    before = cut(pieces("calm")).chunks
    assert len(cut(pieces("calm", section=("Diary",)), before, start=10).fresh) == 1


def test_a_kept_chunk_keeps_its_summary_and_its_time() -> None:
    (old,) = cut(pieces("calm")).chunks
    old = old.revised(summary="About the weather")
    later = found("notes/log.md", modified_ns=AT + 60 * 1_000_000_000)
    made = cut(pieces("calm"), (old,), file=later)
    assert (made.chunks, made.fresh, made.moved) == ((old,), (), ())


@given(st.lists(st.sampled_from("abcd"), max_size=8), st.lists(st.sampled_from("abcd"), max_size=8))
def test_as_many_chunks_are_kept_as_say_the_same_and_no_id_is_used_twice(one: list[str], other: list[str]) -> None:
    before = cut(pieces(*one)).chunks
    made = cut(pieces(*other), before, start=100)
    ids = [chunk.id for chunk in made.chunks]
    assert len(set(ids)) == len(ids)
    assert [chunk.text for chunk in made.chunks] == other
    same = sum(min(one.count(text), other.count(text)) for text in "abcd")
    assert len(other) - len(made.fresh) == same
    kept = [chunk.id for chunk in made.chunks if chunk not in made.fresh]
    for text in "abcd":  # of those that say the same, the first stay the first
        assert [id for id in kept if id in {c.id for c in before if c.text == text}] == [
            chunk.id for chunk in before if chunk.text == text
        ][: min(one.count(text), other.count(text))]


@given(st.integers(-(2**63), 2**64))
def test_a_file_of_any_time_can_be_cut(nanoseconds: int) -> None:
    (made,) = cut(pieces("calm"), file=found("notes/log.md", modified_ns=nanoseconds)).chunks
    assert 1970 <= made.created_at.year <= 9999


# --- making it anew ------------------------------------------------------------------------------

SPACE = EmbeddingSpace("fake", "words", 8, endpoint="https://one.example")
MADE = Cutting().made_with(SPACE)


def test_an_index_that_is_not_there_is_made_first_whatever_is_wanted() -> None:
    """B13"""
    assert full_reason(None, MADE) == full_reason(None, MADE, force=True) == "first_run"


def test_an_index_made_with_the_same_stays_unless_it_is_forced() -> None:
    """B13"""
    assert full_reason(MADE, Cutting().made_with(SPACE)) == ""
    assert full_reason(MADE, MADE, force=True) == "forced"


@pytest.mark.parametrize(
    ("now", "reason"),
    [
        (Cutting(tokens=399).made_with(SPACE), "chunking"),
        (Cutting(overlap=79).made_with(SPACE), "chunking"),
        (Cutting().made_with(replace(SPACE, provider="other")), "provider"),
        (Cutting().made_with(replace(SPACE, model="other")), "model"),
        (Cutting().made_with(replace(SPACE, dimension=9)), "dimension"),
        (Cutting().made_with(replace(SPACE, endpoint="https://two.example")), "endpoint"),
        (Cutting().made_with(replace(SPACE, dimension=0)), "vectors"),
    ],
)
def test_the_reason_names_what_changed_in_both_directions(now: str, reason: str) -> None:
    """B13"""
    assert full_reason(MADE, now) == full_reason(now, MADE) == reason


def test_the_longest_file_is_no_reason_to_make_everything_anew() -> None:
    assert Cutting(max_bytes=1).made_with(SPACE) == MADE


def test_what_model_there_is_does_not_matter_where_there_are_no_vectors() -> None:
    nothing = replace(SPACE, dimension=0)
    assert Cutting().made_with(nothing) == Cutting().made_with(replace(nothing, model="other", provider="x"))


@pytest.mark.parametrize("strange", ["", "{}", "[]", "null", "not json", '{"format": 0}'])
def test_an_index_made_with_nobody_knows_what_is_made_anew(strange: str) -> None:
    assert full_reason(strange, MADE) == "format"
