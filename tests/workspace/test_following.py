"""Following files: the index says what the files say, and no more is done for it than what changed asks for."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.domain.trust import TrustTier
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.remember.flow import vectors_of
from cortex.stores.sqlite.generations import SqliteIndexes
from cortex.stores.sqlite.index import SqliteIndex
from cortex.testing import CountingIds, FakeClock, FakeEmbedder
from cortex.workspace import file_reader, flow
from cortex.workspace.flow import Cutting, Following, Summaries, Synced
from cortex.workspace.sources import Shape, Source

TENANT = Tenant()
SECOND = 1_000_000_000
NOTHING = EmbeddingSpace("none", "none", 0)

HARBOUR = """\
# Harbour

The harbour opens at dawn.

## Pilots

Pilots board at the north buoy.

## Fees

The fee is nine crowns.
"""


class Notes:
    """Folders of files, and the index that follows them."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "notes"
        self.home = folder / "home"
        self.root.mkdir()
        self.clock = FakeClock()
        self.embedder = FakeEmbedder(32)
        self.indexes = SqliteIndexes(self.home, "main")
        self.sources = [source(self.root)]
        self.cutting = Cutting()
        self.space: EmbeddingSpace | None = None
        self.summaries: Summaries | None = None
        self.progress: Progress = silent
        self.ids = CountingIds()
        self.batch = flow.BATCH
        self._writes = 0

    def write(self, name: str, text: str | bytes, *, ago: float = 3_600.0) -> Path:
        """Write a file as if so many seconds ago, each a little later than the one before."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self._writes += 1
        self.date(path, ago, self._writes)
        return path

    def date(self, path: Path, ago: float, nanoseconds: int = 0) -> None:
        at = int((self.clock.now().timestamp() - ago) * SECOND) + nanoseconds
        os.utime(path, ns=(at, at))

    def sync(self, *, force: bool = False) -> Synced:
        follow = Following(
            sources=self.sources,
            tenant=TENANT,
            indexes=self.indexes,
            space=self.embedder.space if self.space is None else self.space,
            vectors=self._vectors,
            cutting=self.cutting,
            clock=self.clock,
            ids=self.ids,
            progress=self.progress,
            summaries=self.summaries,
            batch=self.batch,
        )
        self.embedder.documents.clear()
        return follow.sync(force=force)

    def _vectors(self, chunks: Sequence[Chunk]) -> Mapping[TraceId, Sequence[Vector]]:
        return vectors_of(chunks, self.embedder, 320)

    @property
    def index(self) -> SqliteIndex:
        index = self.indexes.current()
        assert index is not None
        return index

    @property
    def position(self) -> int:
        with self.index.view(TENANT) as view:
            return view.position

    def paths(self) -> list[str]:
        with self.index.view(TENANT) as view:
            return sorted(view.files())

    def chunks(self, path: str) -> list[Chunk]:
        with self.index.view(TENANT) as view:
            file = view.file(path)
            return [trace for trace in view.load(file.chunks if file else ()) if isinstance(trace, Chunk)]

    def vectors(self, path: str) -> dict[TraceId, list[list[float]]]:
        with self.index.view(TENANT) as view:
            found = view.vectors([chunk.id for chunk in self.chunks(path)], self.embedder.space)
            return {id: [each.tolist() for each in vectors] for id, vectors in found.items()}

    def found(self, words: str) -> list[str]:
        """Where a search by words finds them."""
        with self.index.view(TENANT) as view:
            matches = view.keywords(query_terms(words), Filter(), 50)
            return sorted(trace.path for trace in view.load([m.id for m in matches]) if isinstance(trace, Chunk))

    def near(self, text: str) -> str:
        """The text of the chunk nearest to another."""
        with self.index.view(TENANT) as view:
            best = view.nearest(self.embedder.embed_query(text), self.embedder.space, Filter(), 1)
            return "".join(trace.text for trace in view.load([match.id for match in best]))

    def dump(self) -> str:
        """Everything that is readable in the tables of the index."""
        with closing(sqlite3.connect(self.index.path)) as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%fts5%'")
            tables = [name for (name,) in names if not name.startswith("postings")]
            return "".join(str(connection.execute(f"SELECT * FROM {name}").fetchall()) for name in tables)


def source(root: Path, name: str = "notes", **fields: Any) -> Source:
    return Source(name=name, root=root.resolve(), **{"shape": Shape.TREE, "lane": Lane.NOTES, **fields})


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Notes]:
    """Followed files. Whatever a test did, their index verifies clean."""
    made = Notes(tmp_path)
    yield made
    index = made.indexes.current()
    assert index is None or list(index.verify()) == []
    made.indexes.close()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were opened, as they are."""
    names: list[str] = []
    read = file_reader.read

    def counted(path: Path | str, *, max_bytes: int) -> file_reader.Content:
        names.append(Path(path).name)
        return read(path, max_bytes=max_bytes)

    monkeypatch.setattr(file_reader, "read", counted)
    return names


def counts(synced: Synced) -> dict[str, int]:
    """What was counted and is not zero."""
    payload = synced.facts()["files"]
    return {name: count for name, count in payload.items() if count}


# --- what a sync does ----------------------------------------------------------------------------


def test_the_first_run_indexes_every_file(notes: Notes) -> None:
    """B3, B13"""
    notes.write("harbour.md", HARBOUR)
    notes.write("crew/cook.md", "The cook is called Olaf.\n")
    synced = notes.sync()
    assert (synced.full, counts(synced)) == ("first_run", {"seen": 2, "added": 2})
    assert (synced.chunks, synced.kept, synced.embedded, synced.lacking) == (4, 0, 4, 0)
    assert notes.paths() == ["notes/crew/cook.md", "notes/harbour.md"]
    assert notes.found("olaf") == ["notes/crew/cook.md"]
    assert "nine crowns" in notes.near("the fee is nine crowns")
    lines = [(chunk.section, chunk.start_line, chunk.end_line) for chunk in notes.chunks("notes/harbour.md")]
    assert lines == [(("Harbour",), 1, 3), (("Harbour", "Pilots"), 5, 7), (("Harbour", "Fees"), 9, 11)]


def test_where_nothing_changed_no_file_is_opened_and_nothing_is_written(notes: Notes, opened: list[str]) -> None:
    """B12: looking is cheap, so that it can be done before every search"""
    for number in range(10):
        notes.write(f"{number}.md", HARBOUR)
    notes.write("broken.md", b"\x00\x01")
    notes.sync()
    opened.clear()
    position = notes.position
    with closing(sqlite3.connect(notes.index.path)) as watching:
        version = watching.execute("PRAGMA data_version").fetchone()
        synced = notes.sync()
        assert watching.execute("PRAGMA data_version").fetchone() == version
    assert (opened, notes.embedder.documents, notes.position) == ([], [], position)
    assert (synced.full, counts(synced), synced.position) == ("", {"seen": 11, "unchanged": 11}, position)
    assert not synced.is_changed


def test_an_edit_embeds_only_what_changed_and_keeps_the_ids_of_the_rest(notes: Notes) -> None:
    """B14, X15"""
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    before, vectors = notes.chunks("notes/harbour.md"), notes.vectors("notes/harbour.md")
    notes.write("harbour.md", HARBOUR.replace("nine", "twelve"))
    synced = notes.sync()
    after = notes.chunks("notes/harbour.md")
    assert (synced.full, counts(synced)) == ("", {"seen": 1, "changed": 1})
    assert (synced.chunks, synced.kept, synced.embedded) == (1, 2, 1)
    assert len(notes.embedder.documents) == 1
    assert "twelve crowns" in notes.embedder.documents[0]
    assert [chunk.id for chunk in after[:2]] == [chunk.id for chunk in before[:2]]
    assert after[2].id != before[2].id
    assert (notes.found("nine"), notes.found("twelve")) == ([], ["notes/harbour.md"])
    assert {id: notes.vectors("notes/harbour.md")[id] for id in vectors if id != before[2].id} == {
        chunk.id: vectors[chunk.id] for chunk in before[:2]
    }


def test_chunks_that_were_shifted_know_their_new_lines_and_keep_their_vectors(notes: Notes) -> None:
    """B11: a citation names the lines as they are now"""
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    before, vectors = notes.chunks("notes/harbour.md"), notes.vectors("notes/harbour.md")
    notes.write("harbour.md", HARBOUR.replace("at dawn.\n", "at dawn.\n\nIt closes at dusk.\n"))
    synced = notes.sync()
    after = notes.chunks("notes/harbour.md")
    assert [chunk.citation for chunk in after] == [
        "notes/harbour.md#L1-L5", "notes/harbour.md#L7-L9", "notes/harbour.md#L11-L13",
    ]  # fmt: skip
    assert [chunk.id for chunk in after[1:]] == [chunk.id for chunk in before[1:]]
    assert [chunk.text for chunk in after[1:]] == [chunk.text for chunk in before[1:]]
    assert all(notes.vectors("notes/harbour.md")[chunk.id] == vectors[chunk.id] for chunk in after[1:])
    assert (synced.embedded, len(notes.embedder.documents)) == (1, 1)


def test_sections_that_say_the_same_keep_their_order(notes: Notes) -> None:
    notes.write("log.md", "# Log\n\n## Day\n\nCalm sea.\n\n## Day\n\nCalm sea.\n\n## Day\n\nCalm sea.\n")
    notes.sync()
    before = [chunk.id for chunk in notes.chunks("notes/log.md") if "Calm" in chunk.text]
    notes.write("log.md", "# Log\n\n## Day\n\nCalm sea.\n\n## Day\n\nStorm.\n\n## Day\n\nCalm sea.\n")
    synced = notes.sync()
    after = [chunk.id for chunk in notes.chunks("notes/log.md") if "Calm" in chunk.text]
    assert (synced.chunks, after) == (1, before[:2])


def test_a_deleted_file_leaves_nothing(notes: Notes) -> None:
    """B15"""
    notes.write("harbour.md", HARBOUR)
    notes.write("cook.md", "The cook is called Olaf.\n")
    notes.sync()
    (notes.root / "harbour.md").unlink()
    assert counts(notes.sync()) == {"seen": 1, "removed": 1, "unchanged": 1}
    assert (notes.paths(), notes.found("harbour pilots")) == (["notes/cook.md"], [])
    assert "harbour" not in notes.dump().lower()


def test_an_emptied_file_leaves_no_chunk(notes: Notes) -> None:
    """B15"""
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    notes.write("harbour.md", "")
    assert counts(notes.sync()) == {"seen": 1, "changed": 1}
    assert (notes.paths(), notes.chunks("notes/harbour.md"), notes.found("pilots")) == (["notes/harbour.md"], [], [])
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    assert notes.found("pilots") == ["notes/harbour.md"]


def test_a_file_that_an_editor_replaced_is_the_same_file(notes: Notes, opened: list[str]) -> None:
    """Editors write beside a file and rename it"""
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    before = [chunk.id for chunk in notes.chunks("notes/harbour.md")]
    beside = notes.write(".harbour.md.swp", HARBOUR.replace("nine", "twelve"))
    os.replace(beside, notes.root / "harbour.md")
    synced = notes.sync()
    assert (counts(synced), synced.embedded) == ({"seen": 1, "changed": 1}, 1)
    assert [chunk.id for chunk in notes.chunks("notes/harbour.md")][:2] == before[:2]
    beside = notes.write(".harbour.md.swp", HARBOUR.replace("nine", "twelve"))
    os.replace(beside, notes.root / "harbour.md")
    synced = notes.sync()
    assert (counts(synced), synced.chunks, notes.embedder.documents) == ({"seen": 1, "unchanged": 1}, 0, [])
    opened.clear()
    notes.sync()
    assert opened == []


def test_a_file_that_was_touched_is_read_once_and_stays_as_it_was(notes: Notes, opened: list[str]) -> None:
    path = notes.write("harbour.md", HARBOUR)
    notes.sync()
    before = notes.chunks("notes/harbour.md")
    notes.date(path, 60)
    opened.clear()
    assert counts(notes.sync()) == {"seen": 1, "unchanged": 1}
    notes.sync()
    assert opened == ["harbour.md"]
    assert (notes.chunks("notes/harbour.md"), notes.embedder.documents) == (before, [])


def test_a_file_that_changes_after_it_was_listed_is_known_as_it_was_read(notes: Notes, opened: list[str]) -> None:
    notes.write("a.md", "Anchor.\n")
    notes.write("b.md", "Buoy.\n")
    notes.progress = lambda done, total, label: done == 1 and notes.write("b.md", "Buoys and beacons.\n")
    notes.sync()
    assert notes.found("beacons") == ["notes/b.md"]
    opened.clear()
    notes.progress = silent
    assert counts(notes.sync()) == {"seen": 2, "unchanged": 2}
    assert opened == []


# --- moves ---------------------------------------------------------------------------------------


def test_a_moved_file_is_not_embedded_again_and_leaves_nothing_behind(notes: Notes) -> None:
    """B15"""
    path = notes.write("inbox/harbour.md", HARBOUR)
    notes.sync()
    before, vectors = notes.chunks("notes/inbox/harbour.md"), notes.vectors("notes/inbox/harbour.md")
    (notes.root / "archive").mkdir()
    path.rename(notes.root / "archive" / "port.md")
    synced = notes.sync()
    after = notes.chunks("notes/archive/port.md")
    assert (counts(synced), synced.chunks, synced.kept) == ({"seen": 1, "moved": 1}, 0, 3)
    assert notes.embedder.documents == []
    assert [chunk.id for chunk in after] == [chunk.id for chunk in before]
    assert {chunk.path for chunk in after} == {"notes/archive/port.md"}
    assert notes.vectors("notes/archive/port.md") == vectors
    assert (notes.paths(), notes.found("pilots")) == (["notes/archive/port.md"], ["notes/archive/port.md"])
    assert "inbox" not in notes.dump()


def test_a_file_without_headings_is_embedded_with_its_name_and_so_again_when_it_is_renamed(notes: Notes) -> None:
    """Its name is what it is also found by; in another folder it has the same"""
    path = notes.write("cook.md", "Olaf makes soup.\n")
    notes.sync()
    (notes.root / "crew").mkdir()
    path = path.rename(notes.root / "crew" / "cook.md")
    notes.sync()
    assert notes.embedder.documents == []
    path.rename(notes.root / "crew" / "galley.md")
    synced = notes.sync()
    assert (counts(synced), len(notes.embedder.documents)) == ({"seen": 1, "moved": 1}, 1)
    assert (notes.found("galley"), notes.found("cook")) == (["notes/crew/galley.md"], [])
    assert "cook" not in notes.dump()


def test_several_files_that_say_the_same_can_be_moved_together(notes: Notes) -> None:
    for number in range(3):
        notes.write(f"old/{number}.md", HARBOUR)
    notes.sync()
    (notes.root / "old").rename(notes.root / "new")
    synced = notes.sync()
    assert (counts(synced), notes.embedder.documents) == ({"seen": 3, "moved": 3}, [])
    assert notes.paths() == ["notes/new/0.md", "notes/new/1.md", "notes/new/2.md"]


def test_files_that_swapped_their_names_say_what_they_say(notes: Notes) -> None:
    one, other = notes.write("one.md", "# One\n\nAnchor.\n"), notes.write("other.md", "# Other\n\nBuoy.\n")
    notes.sync()
    one.rename(notes.root / "third")
    other.rename(notes.root / "one.md")
    (notes.root / "third").rename(notes.root / "other.md")
    assert counts(notes.sync()) == {"seen": 2, "changed": 2}
    assert (notes.found("anchor"), notes.found("buoy")) == (["notes/other.md"], ["notes/one.md"])


def test_a_moved_file_and_one_in_its_place_are_two(notes: Notes) -> None:
    path = notes.write("harbour.md", HARBOUR)
    notes.sync()
    path.rename(notes.root / "port.md")
    notes.write("harbour.md", "# Harbour\n\nIt moved.\n")
    assert counts(notes.sync()) == {"seen": 2, "added": 1, "changed": 1}
    assert (notes.found("moved"), notes.found("pilots")) == (["notes/harbour.md"], ["notes/port.md"])


def test_moves_hold_over_many_batches(notes: Notes) -> None:
    """B15: the old path goes with the transaction the new one comes with"""
    notes.batch = 3
    for number in range(10):
        notes.write(f"old/{number}.md", f"# Berth {number}\n\nIt is free.\n")
    notes.sync()
    (notes.root / "old").rename(notes.root / "new")
    (notes.root / "new" / "0.md").unlink()
    assert counts(notes.sync()) == {"seen": 9, "moved": 9, "removed": 1}
    assert notes.embedder.documents == []
    assert "old/" not in notes.dump()


# --- two writes in one tick ----------------------------------------------------------------------


def test_a_file_written_twice_in_one_tick_is_noticed(notes: Notes, opened: list[str]) -> None:
    """Size and time are the same: only that it was written just before it was read tells"""
    path = notes.write("berth.md", "Berth is free\n", ago=0.5)
    at = path.stat().st_mtime_ns
    notes.sync()
    path.write_text("Berth is wet.\n")
    os.utime(path, ns=(at, at))
    notes.clock.advance(10)
    opened.clear()
    assert counts(notes.sync()) == {"seen": 1, "changed": 1}
    assert (notes.found("wet"), notes.found("free")) == (["notes/berth.md"], [])
    notes.sync()
    assert opened == ["berth.md"]  # settled now


def test_a_file_that_was_just_written_is_looked_at_until_it_has_settled(notes: Notes, opened: list[str]) -> None:
    notes.write("berth.md", "Berth is free\n", ago=0.5)
    notes.sync()
    position = notes.position
    for _ in range(3):
        assert counts(notes.sync()) == {"seen": 1, "unchanged": 1}
    assert (len(opened), notes.position) == (4, position)  # and nothing is written for it
    notes.clock.advance(10)
    notes.sync()
    notes.sync()
    assert len(opened) == 5


@pytest.mark.parametrize("year", [1960, 2240, 2400, 2440])
def test_a_file_of_any_time_can_be_followed(notes: Notes, opened: list[str], year: int) -> None:
    """Whoever sets the time of a file may set it to anything: not all of it fits where times are kept"""
    path = notes.write("berth.md", "Berth is free\n")
    at = (year - 1970) * 31_556_952 * SECOND
    os.utime(path, ns=(at, at))
    notes.clock.advance(timedelta(days=500 * 366))
    notes.sync()
    opened.clear()
    assert counts(notes.sync()) == {"seen": 1, "unchanged": 1}
    assert opened == []
    assert notes.found("berth") == ["notes/berth.md"]


# --- what cannot be read -------------------------------------------------------------------------


def test_a_file_that_is_no_text_any_more_is_trouble_and_comes_back(notes: Notes, opened: list[str]) -> None:
    """B15, B21"""
    notes.write("harbour.md", HARBOUR)
    notes.write("cook.md", "Olaf.\n")
    notes.sync()
    notes.write("harbour.md", b"\x89PNG\x00\x01")
    synced = notes.sync()
    assert synced.problems == [("notes/harbour.md", "is not text")]
    assert counts(synced) == {"seen": 2, "changed": 1, "unchanged": 1}
    assert (notes.found("pilots"), notes.chunks("notes/harbour.md")) == ([], [])
    with notes.index.view(TENANT) as view:
        assert view.files()["notes/harbour.md"].trouble == "is not text"
    opened.clear()
    assert notes.sync().problems == []
    assert opened == []
    notes.write("harbour.md", HARBOUR)
    assert notes.sync().problems == []
    with notes.index.view(TENANT) as view:
        assert view.files()["notes/harbour.md"].trouble == ""
    assert notes.found("pilots") == ["notes/harbour.md"]


def test_a_file_over_the_limit_is_read_once_the_limit_is_raised(notes: Notes) -> None:
    """What the problem advises has to help, though the file stays as it is"""
    notes.write("harbour.md", HARBOUR)
    notes.cutting = Cutting(max_bytes=50)
    assert notes.sync().problems == [("notes/harbour.md", "is over the limit of 50 bytes")]
    notes.cutting = Cutting(max_bytes=5_000)
    synced = notes.sync()
    assert (synced.full, synced.problems) == ("", [])
    assert notes.found("pilots") == ["notes/harbour.md"]
    notes.cutting = Cutting(max_bytes=50)
    assert notes.sync().problems == [("notes/harbour.md", "is over the limit of 50 bytes")]
    assert notes.found("pilots") == []


def vanishing(notes: Notes, name: str) -> Progress:
    """Takes a file away once another was read: it was there when the folder was listed."""

    def progress(done: int, total: int, label: str) -> None:
        (notes.root / name).unlink(missing_ok=True)

    return progress


def test_a_passing_problem_leaves_a_file_as_it_was(notes: Notes) -> None:
    notes.write("a.md", "Anchor.\n")
    notes.write("b.md", "Buoy.\n")
    notes.sync()
    notes.write("a.md", "Anchors.\n")
    notes.write("b.md", "Buoys.\n")
    notes.progress = vanishing(notes, "b.md")
    synced = notes.sync()
    assert synced.problems == [("notes/b.md", "is not there any more")]
    assert counts(synced) == {"seen": 2, "changed": 1}
    assert [chunk.text for chunk in notes.chunks("notes/b.md")] == ["Buoy."]
    assert counts(notes.sync()) == {"seen": 1, "unchanged": 1, "removed": 1}
    assert notes.found("buoy") == []


def test_a_passing_problem_leaves_a_file_as_it_was_in_an_index_made_anew(notes: Notes) -> None:
    """B14: out of sight is not gone"""
    notes.write("a.md", "Anchor.\n")
    notes.write("b.md", "Buoy.\n")
    notes.sync()
    notes.progress = vanishing(notes, "b.md")
    notes.sync(force=True)
    assert (notes.found("buoy"), notes.embedder.documents) == (["notes/b.md"], [])


# --- sources -------------------------------------------------------------------------------------


def test_a_root_that_is_not_there_takes_nothing_with_it(notes: Notes) -> None:
    """A disk that is not mounted has not lost its files"""
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    position = notes.position
    notes.root.rename(notes.root.with_name("unmounted"))
    synced = notes.sync()
    assert synced.problems == [("notes", "is not there")]
    assert (counts(synced), notes.position) == ({}, position)
    assert notes.found("pilots") == ["notes/harbour.md"]


def test_a_root_that_is_not_there_takes_nothing_with_it_from_an_index_made_anew(
    notes: Notes, opened: list[str]
) -> None:
    """B14: its chunks are carried over, with their vectors, and looked at again once they can be"""
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    before, vectors = notes.chunks("notes/harbour.md"), notes.vectors("notes/harbour.md")
    notes.root.rename(notes.root.with_name("unmounted"))
    synced = notes.sync(force=True)
    assert (synced.full, synced.problems) == ("forced", [("notes", "is not there")])
    assert notes.chunks("notes/harbour.md") == before
    assert notes.embedder.documents == []
    assert np.allclose(list(notes.vectors("notes/harbour.md").values()), list(vectors.values()), atol=1e-6)
    notes.root.with_name("unmounted").rename(notes.root)
    opened.clear()
    notes.sync()
    assert (opened, notes.chunks("notes/harbour.md"), notes.embedder.documents) == (["harbour.md"], before, [])
    notes.sync()
    assert opened == ["harbour.md"]


def test_nothing_stays_of_a_source_that_is_no_longer_followed(notes: Notes, tmp_path: Path) -> None:
    """B15: even where its folder is not there any more"""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "manual.md").write_text("# Manual\n\nTurn the crank.\n")
    notes.write("harbour.md", HARBOUR)
    both = [*notes.sources, source(tmp_path / "docs", "docs", lane=Lane.DOCS)]
    notes.sources = both
    assert counts(notes.sync()) == {"seen": 2, "added": 2}
    assert notes.found("crank") == ["docs/manual.md"]
    (tmp_path / "docs").rename(tmp_path / "elsewhere")
    notes.sources = both[:1]
    assert counts(notes.sync()) == {"seen": 1, "removed": 1, "unchanged": 1}
    assert (notes.paths(), notes.found("crank")) == (["notes/harbour.md"], [])
    assert "manual" not in notes.dump().lower()
    notes.sources = []
    assert counts(notes.sync()) == {"removed": 1}
    assert notes.paths() == []


def test_another_way_of_cutting_for_one_source_reads_only_its_files(
    notes: Notes, tmp_path: Path, opened: list[str]
) -> None:
    """B13: the rest of the index is as good as it was"""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "manual.md").write_text(HARBOUR)
    os.utime(tmp_path / "docs" / "manual.md", (1_700_000_000, 1_700_000_000))
    notes.write("harbour.md", HARBOUR)
    notes.sources = [*notes.sources, source(tmp_path / "docs", "docs")]
    notes.sync()
    before = notes.chunks("notes/harbour.md")
    opened.clear()
    notes.sources = [notes.sources[0], replace(notes.sources[1], chunker="lines")]
    synced = notes.sync()
    assert (synced.full, counts(synced)) == ("", {"seen": 2, "changed": 1, "unchanged": 1})
    assert opened == ["manual.md"]
    assert len(notes.chunks("docs/manual.md")) == 1
    assert notes.chunks("notes/harbour.md") == before


@pytest.mark.parametrize("change", [{"lane": Lane.DOCS}, {"scope": "port"}, {"trust": TrustTier.UNTRUSTED}])
def test_files_that_are_labelled_otherwise_keep_their_ids_and_vectors(notes: Notes, change: dict[str, Any]) -> None:
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    before, vectors = notes.chunks("notes/harbour.md"), notes.vectors("notes/harbour.md")
    notes.sources = [replace(notes.sources[0], **change)]
    notes.sync()
    assert notes.chunks("notes/harbour.md") == [replace(chunk, **change) for chunk in before]
    assert (notes.vectors("notes/harbour.md"), notes.embedder.documents) == (vectors, [])


# --- all of it anew ------------------------------------------------------------------------------


def test_a_forced_reindex_embeds_nothing_that_was_embedded(notes: Notes) -> None:
    """B14: the new index is seeded with the vectors of the old one, cache or no cache"""
    notes.write("harbour.md", HARBOUR)
    notes.write("cook.md", "Olaf makes soup.\n")
    notes.sync()
    before, vectors = notes.chunks("notes/harbour.md"), notes.vectors("notes/harbour.md")
    notes.write("cook.md", "Olaf makes stew.\n")
    synced = notes.sync(force=True)
    assert (synced.full, counts(synced)) == ("forced", {"seen": 2, "changed": 1, "unchanged": 1})
    assert (synced.chunks, synced.kept, synced.embedded) == (1, 3, 1)
    assert notes.embedder.documents == ["cook\nOlaf makes stew."]
    assert notes.chunks("notes/harbour.md") == before
    assert np.allclose(list(notes.vectors("notes/harbour.md").values()), list(vectors.values()), atol=1e-6)
    assert notes.found("soup") == []


def test_a_forced_reindex_embeds_no_moved_file_either(notes: Notes) -> None:
    path = notes.write("inbox/harbour.md", HARBOUR)
    notes.sync()
    path.rename(notes.root / "harbour.md")
    synced = notes.sync(force=True)
    assert (counts(synced), notes.embedder.documents) == ({"seen": 1, "moved": 1}, [])
    assert "inbox" not in notes.dump()


DAMAGE = {
    "chunks without a file": "DELETE FROM files WHERE path = 'notes/a.md'",
    "a file without its chunks": "UPDATE files SET chunks = x'0123456789abcdef0123456789abcdef'",
    "two files that name one chunk": "UPDATE files SET chunks = (SELECT chunks FROM files WHERE path = 'notes/a.md')",
    "a file that names a chunk twice": "UPDATE files SET chunks = CAST(chunks || chunks AS BLOB)",
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_forced_reindex_mends_chunks_and_files_that_do_not_belong_together(notes: Notes, name: str) -> None:
    """B14, B15: what `verify` can only report"""
    for path in ("a.md", "b.md"):
        notes.write(path, "# Day\n\nCalm sea.\n\n# Day\n\nCalm sea.\n")
    notes.sync()
    with closing(sqlite3.connect(notes.index.path)) as connection, connection:
        connection.execute(DAMAGE[name])
    assert [finding.code for finding in notes.index.verify()] != []
    notes.sync(force=True)
    assert list(notes.index.verify()) == []
    assert [len(notes.chunks(f"notes/{path}")) for path in ("a.md", "b.md")] == [2, 2]


def other_model(notes: Notes) -> None:
    notes.embedder = FakeEmbedder(32, model="other words")


def other_dimension(notes: Notes) -> None:
    notes.embedder = FakeEmbedder(48)


def other_provider(notes: Notes) -> None:
    notes.space = replace(notes.embedder.space, provider="another")


def other_endpoint(notes: Notes) -> None:
    notes.space = replace(notes.embedder.space, endpoint="https://elsewhere.example")


def no_vectors(notes: Notes) -> None:
    notes.space = NOTHING


def other_tokens(notes: Notes) -> None:
    notes.cutting = Cutting(tokens=100)


def other_overlap(notes: Notes) -> None:
    notes.cutting = Cutting(overlap=10)


CHANGES: dict[str, tuple[Callable[[Notes], None], str]] = {
    "model": (other_model, "model"),
    "dimension": (other_dimension, "dimension"),
    "provider": (other_provider, "provider"),
    "endpoint": (other_endpoint, "endpoint"),
    "vectors off": (no_vectors, "vectors"),
    "tokens": (other_tokens, "chunking"),
    "overlap": (other_overlap, "chunking"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_the_index_is_made_with_decides_whether_it_is_made_anew(notes: Notes, name: str) -> None:
    """B13"""
    change, reason = CHANGES[name]
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    old = notes.index.path
    change(notes)
    synced = notes.sync()
    assert (synced.full, counts(synced)) == (reason, {"seen": 1, "unchanged": 1})
    assert notes.index.path != old
    assert notes.found("pilots") == ["notes/harbour.md"]
    space = notes.embedder.space if notes.space is None else notes.space
    if space.dimension:
        with notes.index.view(TENANT) as view:
            assert view.counts(Filter(lacking=space)).total == 0
    assert notes.sync().full == ""


def test_an_index_is_made_anew_when_vectors_become_available(notes: Notes) -> None:
    """B13"""
    notes.space = NOTHING
    notes.write("harbour.md", HARBOUR)
    synced = notes.sync()
    assert (synced.chunks, synced.embedded, synced.lacking, synced.facts()["embeddingSkipped"]) == (3, 0, 0, 0)
    assert notes.embedder.documents == []
    notes.space = None
    synced = notes.sync()
    assert (synced.full, synced.embedded) == ("vectors", 3)
    assert "nine crowns" in notes.near("the fee is nine crowns")


def test_an_index_of_another_format_is_made_anew(notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    monkeypatch.setattr(flow, "FORMAT", flow.FORMAT + 1)
    assert notes.sync().full == "format"
    assert notes.sync().full == ""


def test_without_any_source_there_is_an_empty_index(notes: Notes) -> None:
    notes.sources = []
    assert (notes.sync().full, notes.paths()) == ("first_run", [])
    assert notes.sync().full == ""


# --- the embedder is away ------------------------------------------------------------------------


def test_without_its_embedder_files_are_found_by_words_and_embedded_later(notes: Notes) -> None:
    """B6, B14"""
    notes.write("harbour.md", HARBOUR)
    notes.embedder.fail()
    synced = notes.sync()
    assert (synced.chunks, synced.embedded, synced.lacking) == (3, 0, 3)
    assert synced.facts()["embeddingSkipped"] == 3
    assert len(notes.embedder.documents) == 3  # it was asked once, and not again for the same
    assert (notes.found("pilots"), notes.vectors("notes/harbour.md")) == (["notes/harbour.md"], {})
    synced = notes.sync()
    assert (counts(synced), synced.lacking) == ({"seen": 1, "unchanged": 1}, 3)
    notes.embedder.failure = None
    synced = notes.sync()
    assert (synced.chunks, synced.embedded, synced.lacking) == (0, 3, 0)
    assert len(notes.vectors("notes/harbour.md")) == 3
    position = notes.position
    assert notes.sync().embedded == 0
    assert (notes.embedder.documents, notes.position) == ([], position)


def test_many_chunks_that_lack_vectors_are_embedded_batch_by_batch(notes: Notes) -> None:
    notes.batch = 4
    for number in range(5):
        notes.write(f"{number}.md", HARBOUR)
    notes.embedder.fail()
    assert notes.sync().lacking == 15
    notes.embedder.failure = None
    synced = notes.sync()
    assert (synced.embedded, synced.lacking) == (15, 0)


def test_an_edit_while_the_embedder_is_away_counts_all_that_lacks_a_vector(notes: Notes) -> None:
    notes.write("harbour.md", HARBOUR)
    notes.embedder.fail()
    notes.sync()
    notes.write("harbour.md", HARBOUR.replace("nine", "twelve"))
    synced = notes.sync()
    assert (synced.chunks, synced.kept, synced.lacking) == (1, 2, 3)
    assert len(notes.embedder.documents) == 1


@pytest.mark.parametrize("force", [True, False])
def test_an_index_is_not_made_anew_without_the_embedder(notes: Notes, force: bool) -> None:
    """B14: on failure the old one stays, with its vectors, and follows edits by words"""
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    old, vectors = notes.index.path, notes.vectors("notes/harbour.md")
    if force:
        notes.write("harbour.md", HARBOUR.replace("nine", "twelve"))
    else:
        notes.embedder = FakeEmbedder(32, model="other words")
    notes.write("quay.md", "The crane stands on the quay.\n")
    notes.embedder.fail()
    with pytest.raises(EmbedderUnavailable, match="the one in use stays"):
        notes.sync(force=force)
    assert (notes.index.path, len(list(old.parent.glob("*.new")))) == (old, 0)
    assert (notes.found("pilots"), notes.found("crane")) == (["notes/harbour.md"], ["notes/quay.md"])
    notes.embedder.failure = None
    synced = notes.sync()
    assert (synced.full, synced.lacking) == ("" if force else "model", 0)
    assert len(notes.vectors("notes/harbour.md")) == len(vectors) == 3
    assert len(notes.vectors("notes/quay.md")) == 1


def test_an_index_that_never_had_vectors_is_made_anew_without_the_embedder(notes: Notes) -> None:
    """B13, B14: nothing is lost by it"""
    notes.space = NOTHING
    notes.write("harbour.md", HARBOUR)
    notes.sync()
    notes.space = None
    notes.embedder.fail()
    synced = notes.sync()
    assert (synced.full, synced.lacking) == ("vectors", 3)


# --- summaries -----------------------------------------------------------------------------------


class Summarizer:
    """Says of every section but the fees what it is about."""

    def __init__(self) -> None:
        self.requested: list[str] = []
        self.is_away = False

    def __call__(self, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
        self.requested += [chunk.section[-1] for chunk in chunks]
        return [
            chunk
            if self.is_away or chunk.section[-1] == "Fees"
            else chunk.revised(summary=f"About {chunk.section[-1]}")
            for chunk in chunks
        ]


@pytest.fixture
def summarizer(notes: Notes) -> Summarizer:
    made = Summarizer()
    notes.summaries = made
    notes.sources = [replace(notes.sources[0], summarize=True)]
    notes.write("harbour.md", HARBOUR)
    return made


def test_sections_are_found_by_their_summaries_and_embedded_with_them(notes: Notes, summarizer: Summarizer) -> None:
    """X15"""
    notes.sync()
    assert summarizer.requested == ["Harbour", "Pilots", "Fees"]
    assert [chunk.summary for chunk in notes.chunks("notes/harbour.md")] == ["About Harbour", "About Pilots", ""]
    assert "About Pilots" in notes.embedder.documents[1]


def test_a_summary_is_kept_for_as_long_as_its_section_says_the_same(notes: Notes, summarizer: Summarizer) -> None:
    """X15: what lacks one is asked for again when its file changes"""
    notes.sync()
    before = notes.chunks("notes/harbour.md")
    summarizer.requested.clear()
    notes.write("harbour.md", HARBOUR.replace("at dawn", "at noon"))
    notes.sync()
    after = notes.chunks("notes/harbour.md")
    assert summarizer.requested == ["Harbour", "Fees"]
    assert after[1:] == before[1:]
    assert len(notes.embedder.documents) == 1


def test_making_the_index_anew_keeps_the_summaries_and_asks_for_those_that_lack(
    notes: Notes, summarizer: Summarizer
) -> None:
    """X15: asking a model for everything again would cost the most of all"""
    notes.sync()
    before = notes.chunks("notes/harbour.md")
    summarizer.requested.clear()
    notes.sync(force=True)
    assert (summarizer.requested, notes.embedder.documents) == (["Fees"], [])
    assert notes.chunks("notes/harbour.md") == before


def test_what_gets_its_summary_later_is_embedded_again_under_its_id(notes: Notes, summarizer: Summarizer) -> None:
    summarizer.is_away = True
    notes.sync()
    before = notes.chunks("notes/harbour.md")
    summarizer.is_away = False
    notes.sync(force=True)
    after = notes.chunks("notes/harbour.md")
    assert [chunk.summary for chunk in after] == ["About Harbour", "About Pilots", ""]
    assert [chunk.id for chunk in after] == [chunk.id for chunk in before]
    assert [text.split("\n")[1] for text in notes.embedder.documents] == ["About Harbour", "About Pilots"]
    assert len(notes.vectors("notes/harbour.md")) == 3


def test_summaries_that_are_no_longer_wanted_go(notes: Notes, summarizer: Summarizer) -> None:
    notes.sync()
    notes.sources = [replace(notes.sources[0], summarize=False)]
    summarizer.requested.clear()
    notes.sync()
    assert [chunk.summary for chunk in notes.chunks("notes/harbour.md")] == ["", "", ""]
    assert (summarizer.requested, notes.found("about")) == ([], [])
    assert len(notes.embedder.documents) == 2
    notes.sources = [replace(notes.sources[0], summarize=True)]
    notes.sync()
    assert [chunk.summary for chunk in notes.chunks("notes/harbour.md")] == ["About Harbour", "About Pilots", ""]


# --- what is told --------------------------------------------------------------------------------


def test_the_facts_of_a_receipt_are_counts_and_paths_and_never_text(notes: Notes) -> None:
    """Receipts carry no text"""
    notes.write("harbour.md", HARBOUR)
    notes.write("picture.md", b"secret\x00words")
    notes.write("other.md", b"\x00")
    (notes.root / "nowhere.md").symlink_to(notes.root / "missing.md")
    synced = notes.sync()
    assert synced.facts() == {
        "full": "first_run",
        "files": {"seen": 3, "added": 1, "changed": 0, "moved": 0, "removed": 0, "unchanged": 0},
        "chunks": 3,
        "kept": 0,
        "embedded": 3,
        "embeddingSkipped": 0,
        "problems": {"is a link that leads nowhere": 1, "is not text": 2},
        "unreadable": ["notes/nowhere.md", "notes/other.md", "notes/picture.md"],
    }
    payload = json.dumps(synced.facts())
    assert not any(word in payload for word in ("dawn", "crowns", "Pilots", "secret"))


def test_of_many_problems_the_facts_name_a_few_and_count_all(notes: Notes) -> None:
    for number in range(30):
        notes.write(f"{number:02}.md", b"\x00")
    facts = notes.sync().facts()
    assert (facts["problems"], len(facts["unreadable"])) == ({"is not text": 30}, 20)


def test_progress_is_told_file_by_file(notes: Notes) -> None:
    items: list[tuple[int, int, str]] = []
    notes.progress = lambda done, total, label: items.append((done, total, label))
    for number in range(3):
        notes.write(f"{number}.md", HARBOUR)
    notes.sync()
    assert items == [(1, 3, "files read"), (2, 3, "files read"), (3, 3, "files read")]
    items.clear()
    notes.sync()
    assert items == []
