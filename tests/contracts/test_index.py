"""What the index of files promises: files and their chunks change together, and what is gone left nothing (B3, B15)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import ANNA, AT, BORIS, EAST, NORTH, NORTH_EAST, OTHER_SPACE, SPACE, chunk, followed, id_, ids, vector

import store_list
from cortex.domain.chunk import Chunk
from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.lanes import Lane
from cortex.domain.scope import Tenant
from cortex.domain.terms import query_terms
from cortex.domain.trust import TrustTier
from cortex.domain.vectors import EmbeddingSpace, Vector, unit
from cortex.errors import InvalidRequest, NotFound, StoreBusy, StoreForeign
from cortex.ports.index import FileIndex, Follow, Unfollow
from cortex.ports.store import Change, Embed, Filter, Put, Remove
from cortex.ports.store_url import StoreUrl
from cortex.stores.relational.code_index import MANY
from cortex.stores.sqlite import SqliteStore
from cortex.stores.sqlite.index import SqliteIndex

INTERNED = {"meta", "users", "spaces", "facets", "indexes", "sqlite_sequence"}
"""Names that stay: no path and no text is among them."""


@dataclass(frozen=True)
class Shelf:
    """One tenant's files in an index."""

    index: FileIndex
    tenant: Tenant = ANNA

    def apply(self, *changes: Change | Follow | Unfollow) -> int:
        return self.index.apply(self.tenant, changes, at=AT)

    def put(self, path: str, *chunks: Chunk, **fields: Any) -> int:
        """Store a file and its chunks, as if they had just been cut."""
        puts = [Put(each, EventKind.CHUNKED) for each in chunks]
        return self.apply(*puts, Follow(followed(path, *chunks, **fields)))

    def embed(self, each: Chunk, *vectors: Vector, space: EmbeddingSpace = SPACE) -> int:
        return self.apply(Embed(each.id, space, vectors))

    def paths(self) -> list[str]:
        with self.index.view(self.tenant) as view:
            return sorted(view.files())

    def file(self, path: str) -> IndexedFile | None:
        with self.index.view(self.tenant) as view:
            return view.file(path)

    def found(self, words: str) -> list[TraceId]:
        with self.index.view(self.tenant) as view:
            return ids(view.keywords(query_terms(words), Filter(), 50))

    def near(self, wanted: Vector) -> list[TraceId]:
        with self.index.view(self.tenant) as view:
            return ids(view.nearest(wanted, SPACE, Filter(), 50))

    @property
    def position(self) -> int:
        with self.index.view(self.tenant) as view:
            return view.position


@dataclass(frozen=True)
class Tables:
    """The tables of an index, by hand: behind its back."""

    connect: Callable[[], Any]
    dialect: Mapping[str, str]
    """What other words this database has for some."""
    names: str
    """Selects the names of all tables."""
    words: str
    """Counts the words that can still be found."""

    def sql(self, *statements: str) -> list[tuple[Any, ...]]:
        """Carry out SQL; gives the rows of the last statement."""
        with closing(self.connect()) as connection, connection:
            rows: list[tuple[Any, ...]] = []
            for statement in statements:
                for word, other in self.dialect.items():
                    statement = statement.replace(word, other)
                cursor = connection.execute(statement)
                rows = cursor.fetchall() if cursor.description else []
            return rows

    def rows(self) -> dict[str, int]:
        """How many rows each table has that has any, and how many words can still be found."""
        counted = {name: self.sql(f"SELECT count(*) FROM {name}")[0][0] for (name,) in self.sql(self.names)}
        counted["words"] = self.sql(*self.words.split(";"))[0][0]
        return {name: count for name, count in counted.items() if count}

    def left_behind(self) -> dict[str, int]:
        """What is there beyond names that stay."""
        return {name: count for name, count in self.rows().items() if name not in INTERNED}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "files.sqlite"


@contextmanager
def in_a_file(folder: Path) -> Iterator[tuple[FileIndex, Tables, FileIndex]]:
    path = folder / "files.sqlite"
    with closing(SqliteIndex(path, made_with="{}")) as index:
        yield (
            index,
            Tables(
                lambda: sqlite3.connect(path),
                {},
                names="SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'postings%'",
                words="CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, postings, instance);"
                "SELECT count(*) FROM temp.words",
            ),
            index,
        )


@contextmanager
def in_a_database(folder: Path) -> Iterator[tuple[FileIndex, Tables, FileIndex]]:
    url = store_list.STORE_URLS["postgresql"](folder)
    import psycopg

    from cortex.stores.postgres import PostgresOptions
    from cortex.stores.postgres.index import Opening, PgIndex, PgIndexes

    with closing(Opening(StoreUrl(url), "main", folder, PostgresOptions())) as opening:

        def index_of(tenant: Tenant) -> PgIndex:
            own = PgIndexes(opening, "here", tenant.user, folder / tenant.user)
            with own.write_lock(0), own.build("{}") as building:
                building.publish()
            index = own.current()
            assert index is not None
            return index

        tables = Tables(
            lambda: psycopg.connect(url, options="-c search_path=cortex_main~files -c cortex.everyone=on"),
            {
                "AS BLOB": "AS bytea", "x''": "''::bytea", "x'00'": r"'\x00'::bytea",
                "INSERT INTO postings (postings) VALUES ('delete-all')": "DELETE FROM postings",
                "vectors (space,": 'vectors ("user", space,', "SELECT space, 999": 'SELECT "user", space, 999',
                "codes (space,": 'codes ("user", space,', "SELECT (SELECT min(id) FROM spaces)":
                'SELECT "user", (SELECT min(id) FROM spaces)',
            },
            names="SELECT relname FROM pg_class WHERE relnamespace = 'cortex_main~files'::regnamespace"
            " AND relkind = 'r' AND relname NOT IN ('postings', 'frequencies')",
            words="SELECT (SELECT count(*) FROM postings) + (SELECT count(*) FROM frequencies WHERE traces > 0)",
        )  # fmt: skip
        yield index_of(ANNA), tables, index_of(BORIS)


PLACES = {"sqlite": in_a_file, "postgresql": in_a_database}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[FileIndex, Tables, FileIndex]]:
    with PLACES[request.param](tmp_path) as found:
        yield found


@pytest.fixture
def damaged(place: tuple[FileIndex, Tables, FileIndex]) -> FileIndex:
    """An index a test may do anything to."""
    return place[0]


@pytest.fixture
def tables(place: tuple[FileIndex, Tables, FileIndex]) -> Tables:
    return place[1]


@pytest.fixture
def index(damaged: FileIndex) -> Iterator[FileIndex]:
    """An index that verifies clean whatever a test did to it."""
    yield damaged
    assert list(damaged.verify()) == []


@pytest.fixture
def anna(index: FileIndex) -> Shelf:
    return Shelf(index)


@pytest.fixture
def boris(index: FileIndex, place: tuple[FileIndex, Tables, FileIndex]) -> Shelf:
    return Shelf(place[2], BORIS)


# --- files and chunks ----------------------------------------------------------------------------


def test_a_file_is_known_as_it_was_when_it_was_read(anna: Shelf) -> None:
    """B3: path, source, hash, time and size"""
    payload = {
        "source": "notes\x1fdocs",
        "size": 7,
        "modified_ns": 1_700_000_000_123_456_789,
        "inode": 42,
        "hash": "ab",
    }
    first, second = chunk(2, "berth"), chunk(1, "quay")
    anna.put("memory/harbour.md", first, second, **payload)
    file = anna.file("memory/harbour.md")
    assert file == followed("memory/harbour.md", first, second, **payload)
    assert file.chunks == (first.id, second.id)  # in the order of the file, not of the ids
    with anna.index.view(ANNA) as view:
        assert view.files() == {file.path: file._replace(chunks=())}
        assert view.file("memory/other.md") is None


def test_flags_and_troubles_of_a_file_come_back(anna: Shelf) -> None:
    anna.put("memory/broken.md", trouble="is not text", hash="")
    anna.put("memory/fresh.md", unsettled=True)
    assert anna.file("memory/broken.md") == followed("memory/broken.md", trouble="is not text", hash="")
    with anna.index.view(ANNA) as view:
        assert {path: bool(file.unsettled) for path, file in view.files().items()} == {
            "memory/broken.md": False, "memory/fresh.md": True,
        }  # fmt: skip


def test_a_chunk_comes_back_as_it_was_and_is_found_by_words_headings_and_vectors(anna: Shelf) -> None:
    """B3"""
    kept = chunk(
        1, "The pilot boards at dawn", section=("Harbour", "Pilots"), lane=Lane.DOCS, trust=TrustTier.UNTRUSTED
    )
    anna.put(kept.path, kept)
    anna.embed(kept, EAST)
    with anna.index.view(ANNA) as view:
        assert view.load([kept.id]) == [kept]
        assert view.counts(Filter()).by_lane == {"docs": 1}
    assert anna.found("boards") == anna.found("pilots harbour") == anna.near(EAST) == [kept.id]


def test_chunks_that_a_file_no_longer_names_are_removed_with_it(anna: Shelf, tables: Tables) -> None:
    """B15"""
    stays, goes, comes = chunk(1, "anchor"), chunk(2, "buoy"), chunk(3, "crane")
    anna.put(stays.path, stays, goes)
    anna.embed(goes, EAST)
    anna.apply(Put(comes, EventKind.CHUNKED), Follow(followed(stays.path, comes, stays)))
    assert (anna.found("anchor"), anna.found("buoy"), anna.found("crane")) == ([stays.id], [], [comes.id])
    assert anna.near(EAST) == []
    assert tables.left_behind().get("vectors") is None
    assert tables.rows()["traces"] == 2


def test_a_file_that_is_forgotten_leaves_no_row_in_any_table(anna: Shelf, tables: Tables) -> None:
    """B15"""
    chunks = [chunk(number, f"berth {number} " + "a long story. " * 300) for number in range(3)]
    anna.put(chunks[0].path, *chunks)
    for each in chunks:
        anna.embed(each, EAST, NORTH)
        anna.apply(Embed(each.id, OTHER_SPACE, [vector(1, 0, 0)]))
    assert {"files", "traces", "lexicon", "vectors", "words"} <= set(tables.rows())
    anna.apply(Unfollow(chunks[0].path))
    assert tables.left_behind() == {}
    assert tables.sql("SELECT sum(traces), sum(passages), sum(terms) FROM facets") == [(0, 0, 0)]


def test_a_file_without_chunks_leaves_only_its_own_row(anna: Shelf, tables: Tables) -> None:
    """B15: a file that was emptied, or can no longer be read"""
    kept = chunk(1)
    anna.put(kept.path, kept)
    anna.embed(kept, EAST)
    anna.apply(Follow(followed(kept.path, trouble="is not text")))
    assert tables.left_behind() == {"files": 1}
    assert tables.sql("SELECT sum(traces), sum(passages), sum(terms) FROM facets") == [(0, 0, 0)]


def test_codes_of_chunks_that_are_gone_are_buried(anna: Shelf, tables: Tables) -> None:
    """B15: a tomb for each code, so that views that are open still see theirs; and for nothing else"""
    chunks = [chunk(number, f"berth {number}") for number in range(MANY + 10)]
    random = np.random.default_rng(3)
    anna.put(chunks[0].path, *chunks)
    anna.apply(*(Embed(each.id, SPACE, [random.normal(size=4).astype(np.float32)]) for each in chunks))
    assert tables.rows()["codes"] == len(chunks)
    assert "tombs" not in tables.rows()
    anna.apply(Follow(followed(chunks[0].path, *chunks[1:])))
    assert tables.rows()["tombs"] == 1
    assert len(anna.near(EAST)) == 50
    anna.apply(Unfollow(chunks[0].path))
    assert tables.left_behind() == {"tombs": len(chunks)}
    assert anna.near(EAST) == []


def test_a_forgotten_file_is_no_matter_to_those_that_stay(anna: Shelf) -> None:
    here, there = chunk(1, "anchor"), chunk(2, "anchor", path="memory/other.md")
    anna.put(here.path, here)
    anna.put(there.path, there)
    anna.apply(Unfollow(here.path))
    assert (anna.paths(), anna.found("anchor")) == ([there.path], [there.id])


def test_forgetting_a_file_nobody_follows_does_nothing(anna: Shelf) -> None:
    position = anna.put("memory/a.md")
    assert anna.apply(Unfollow("memory/b.md")) == position
    assert anna.paths() == ["memory/a.md"]


def test_a_moved_file_takes_its_chunks_and_their_vectors_along(anna: Shelf, tables: Tables) -> None:
    """B15: under the old path nothing is left"""
    moves, goes = chunk(1, "anchor"), chunk(2, "buoy")
    anna.put(moves.path, moves, goes)
    anna.embed(moves, NORTH_EAST)
    moved = moves.revised(path="memory/quay.md")
    anna.apply(Put(moved, EventKind.CHUNKED), Follow(followed("memory/quay.md", moved)), Unfollow("memory/harbour.md"))
    assert anna.paths() == ["memory/quay.md"]
    assert (anna.found("anchor"), anna.found("buoy"), anna.near(NORTH_EAST)) == ([moves.id], [], [moves.id])
    assert "harbour" not in str(tables.sql("SELECT body FROM traces"))


# --- all or nothing ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "last",
    [Embed(id_(99), SPACE, [EAST]), Embed(id_(1), SPACE, [vector(1, 0)]), Remove(id_(99))],
    ids=["an unknown chunk", "a vector that does not fit", "nothing to remove"],
)
def test_what_cannot_be_carried_out_in_part_is_not_carried_out(anna: Shelf, tables: Tables, last: Change) -> None:
    kept, other = chunk(1, "anchor"), chunk(2, "buoy", path="memory/other.md")
    anna.put(kept.path, kept)
    before, position = tables.rows(), anna.position
    with pytest.raises((NotFound, InvalidRequest)):
        anna.apply(
            Put(other, EventKind.CHUNKED), Follow(followed(other.path, other)), Unfollow(kept.path), last
        )  # fmt: skip
    assert (tables.rows(), anna.position, anna.paths()) == (before, position, [kept.path])


def test_a_view_sees_files_and_chunks_of_the_same_moment(anna: Shelf) -> None:
    kept = chunk(1, "anchor")
    anna.put(kept.path, kept)
    with anna.index.view(ANNA) as view:
        assert view.file(kept.path) is not None
        anna.apply(Unfollow(kept.path))
        assert list(view.files()) == [kept.path]
        assert view.load([kept.id]) == [kept]
    assert anna.paths() == []


def test_positions_rise_with_every_change_of_a_file_and_nothing_is_recorded(anna: Shelf, tables: Tables) -> None:
    kept = chunk(1, "anchor")
    positions = [
        anna.put(kept.path, kept),
        anna.put(kept.path, kept.revised(text="buoy")),
        anna.apply(Follow(followed(kept.path, kept, inode=4))),
        anna.embed(kept, EAST),
        anna.embed(kept, NORTH),
        anna.apply(Unfollow(kept.path)),
    ]
    assert positions == sorted(set(positions))
    assert positions[0] > 0
    assert anna.position == positions[-1]
    assert not {"events", "versions", "receipts", "accesses"} & set(tables.rows())
    with anna.index.view(ANNA) as view:
        assert (view.at, view.events()) == (None, [])


def test_a_chunk_that_says_something_else_has_no_old_vector_left(anna: Shelf, tables: Tables) -> None:
    kept = chunk(1, "anchor")
    anna.put(kept.path, kept)
    anna.embed(kept, EAST)
    anna.put(kept.path, kept.revised(text="buoy"))
    assert "vectors" not in tables.rows()
    anna.embed(kept, EAST)
    anna.embed(kept, NORTH)
    assert tables.rows()["vectors"] == 1


def test_a_chunk_at_other_lines_keeps_its_vectors(anna: Shelf) -> None:
    kept = chunk(1, "anchor")
    anna.put(kept.path, kept)
    anna.embed(kept, EAST)
    anna.put(kept.path, kept.revised(start_line=11, end_line=12))
    assert anna.near(EAST) == [kept.id]
    with anna.index.view(ANNA) as view:
        (found,) = view.load([kept.id])
    assert isinstance(found, Chunk)
    assert (found.start_line, found.end_line) == (11, 12)


# --- vectors -------------------------------------------------------------------------------------


def test_vectors_are_given_back_exactly_by_chunk_passage_and_space(anna: Shelf) -> None:
    """B14: what seeds the next index is what this one was given, bit by bit"""
    random = np.random.default_rng(7)
    chunks = [chunk(number) for number in range(5)]
    anna.put(chunks[0].path, *chunks)
    given = {each.id: [random.normal(size=4).astype(np.float32) for _ in range(3)] for each in chunks[:4]}
    for each in chunks[:4]:
        anna.embed(each, *given[each.id])
    anna.embed(chunks[0], vector(1, 2, 2), space=OTHER_SPACE)
    wanted = [chunks[3].id, id_(77), chunks[0].id, chunks[4].id]
    with anna.index.view(ANNA) as view:
        found = view.vectors(wanted, SPACE)
        other = view.vectors([each.id for each in chunks], OTHER_SPACE)
        assert view.vectors(wanted, EmbeddingSpace("fake", "unknown", 4)) == {}
        assert view.vectors([], SPACE) == {}
    assert set(found) == {chunks[3].id, chunks[0].id}
    for id, vectors in found.items():
        assert [each.tobytes() for each in vectors] == [unit(each).tobytes() for each in given[id]]
        assert all(each.dtype == np.float32 for each in vectors)
    assert [each.tolist() for each in other[chunks[0].id]] == [unit(vector(1, 2, 2)).tolist()]


# --- whose files they are ------------------------------------------------------------------------


def test_users_do_not_see_each_others_files(anna: Shelf, boris: Shelf) -> None:
    hers, his = chunk(1, "anchor"), chunk(2, "anchor")
    anna.put(hers.path, hers, hash="hers")
    boris.put(his.path, his, hash="his")
    boris.put("memory/own.md")
    anna.embed(hers, EAST)
    assert (anna.paths(), boris.paths()) == ([hers.path], [his.path, "memory/own.md"])
    for shelf, own, other in ((anna, hers, his), (boris, his, hers)):
        file = shelf.file(hers.path)
        assert file is not None
        assert file.chunks == (own.id,)
        assert shelf.found("anchor") == [own.id]
        with shelf.index.view(shelf.tenant) as view:
            assert view.load([other.id]) == []
            assert set(view.vectors([hers.id, his.id], SPACE)) == ({hers.id} if shelf is anna else set())


def test_what_one_user_forgets_or_takes_stays_the_others(anna: Shelf, boris: Shelf) -> None:
    hers = chunk(1, "anchor")
    anna.put(hers.path, hers)
    boris.apply(Unfollow(hers.path))
    with suppress(InvalidRequest):  # in a file, an id is one user's alone
        boris.put("memory/stolen.md", hers)
    boris.apply(Follow(followed("memory/stolen.md", hers)))
    boris.apply(Unfollow("memory/stolen.md"))
    assert anna.found("anchor") == [hers.id]


def test_somebody_without_files_sees_none(anna: Shelf, boris: Shelf) -> None:
    anna.put("memory/a.md")
    assert boris.paths() == []
    assert boris.file("memory/a.md") is None


# --- the file of the index -----------------------------------------------------------------------


def test_an_index_tells_what_it_was_made_with_and_keeps_its_files(path: Path) -> None:
    kept = chunk(1, "anchor")
    with closing(SqliteIndex(path, made_with="{}")) as index:
        Shelf(index).put(kept.path, kept)
    with closing(SqliteIndex(path)) as again:
        assert again.made_with == "{}"
        assert Shelf(again).found("anchor") == [kept.id]


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    """An emptied file looks like a new store: it must not pass for an index without files"""
    SqliteStore(tmp_path / "store.sqlite").close()
    (tmp_path / "empty.sqlite").touch()
    (tmp_path / "text.sqlite").write_text("no database at all, but long enough to look like one" * 100)
    for name in ("store", "empty", "text"):
        with pytest.raises(StoreForeign):
            SqliteIndex(tmp_path / f"{name}.sqlite")


def test_a_sealed_index_is_one_file_with_everything_in_it(path: Path, tmp_path: Path) -> None:
    """B14: only then can it be moved"""
    index = SqliteIndex(path, made_with="{}")
    kept = chunk(1, "anchor")
    Shelf(index).put(kept.path, kept)
    index.seal()
    assert not path.with_name(f"{path.name}-wal").exists()
    path.rename(tmp_path / "moved.sqlite")
    with closing(SqliteIndex(tmp_path / "moved.sqlite")) as moved:
        assert Shelf(moved).found("anchor") == [kept.id]
        assert list(moved.verify()) == []


def test_an_index_somebody_looks_at_is_not_sealed(path: Path) -> None:
    """B14: what is not in the file yet would be lost with a move"""
    with closing(SqliteIndex(path, made_with="{}", busy_timeout_ms=1)) as index:
        with index.view(ANNA) as view:
            assert view.files() == {}
            Shelf(index).put("memory/a.md")
            with pytest.raises(StoreBusy):
                index.seal()
        assert Shelf(index).paths() == ["memory/a.md"]


# --- damage --------------------------------------------------------------------------------------


Damage = Callable[[Shelf, Tables], object]


def harbour(index: FileIndex) -> Shelf:
    """Two files, the first with two chunks that have vectors."""
    shelf = Shelf(index)
    shelf.put("memory/harbour.md", chunk(1, "anchor"), chunk(2, "buoy"))
    shelf.put("memory/quay.md", chunk(3, "crane", path="memory/quay.md"))
    for number in (1, 2):
        shelf.embed(chunk(number), EAST)
    assert list(index.verify()) == []
    return shelf


def sql(statement: str) -> Damage:
    return lambda _, tables: tables.sql(statement)


BELONGING: dict[str, tuple[Damage, str]] = {
    "chunks without a file": (
        sql("DELETE FROM files WHERE path = 'memory/harbour.md'"),
        "2 chunks belong to no file",
    ),
    "a file without its chunk": (
        lambda shelf, _: shelf.apply(Remove(id_(3))),
        "1 chunks that files name are not there",
    ),
    "two files that name one chunk": (
        sql("UPDATE files SET chunks = (SELECT chunks FROM files WHERE path = 'memory/quay.md')"),
        "1 chunks belong to several files",
    ),
    "a file that names a chunk twice": (
        sql("UPDATE files SET chunks = CAST(chunks || chunks AS BLOB) WHERE path = 'memory/quay.md'"),
        "1 chunks belong to several files, or twice to one",
    ),
    "a chunk that says it is of another file": (
        lambda shelf, _: shelf.apply(Put(chunk(3, path="memory/harbour.md"), EventKind.CHUNKED)),
        "are of another file",
    ),
}


@pytest.mark.parametrize("name", BELONGING)
def test_verify_notices_chunks_and_files_that_do_not_belong_together(
    damaged: FileIndex, tables: Tables, name: str
) -> None:
    """B15: the files are the truth, so that only looking at them anew mends it"""
    shelf = harbour(damaged)
    damage, message = BELONGING[name]
    damage(shelf, tables)
    findings = list(damaged.verify(repair=True))
    assert {(finding.code, finding.repaired) for finding in findings} == {("files", False)}
    assert any(message in finding.detail for finding in findings)


@pytest.mark.parametrize("name", BELONGING)
def test_a_damaged_index_can_still_be_changed(damaged: FileIndex, tables: Tables, name: str) -> None:
    """B15: what is missing already does not keep the rest from being removed"""
    shelf = harbour(damaged)
    BELONGING[name][0](shelf, tables)
    shelf.apply(Unfollow("memory/harbour.md"), Unfollow("memory/quay.md"))
    assert shelf.paths() == []


DERIVED = {
    "index": "INSERT INTO postings (postings) VALUES ('delete-all')",
    "lexicon": "UPDATE lexicon SET length = length + 1, terms = x''",
    "counters": "UPDATE facets SET traces = traces + 1",
    "orphans": "INSERT INTO vectors (space, row, passage, since, vector) SELECT space, 999, 0, 0, vector FROM vectors",
    "codes": "INSERT INTO codes (space, key, row, facet, code) "
    "SELECT (SELECT min(id) FROM spaces), (SELECT min(key) FROM vectors), row, facet, x'00' FROM traces",
}


@pytest.mark.parametrize("code", DERIVED)
def test_what_is_derived_is_made_anew(damaged: FileIndex, tables: Tables, code: str) -> None:
    shelf = harbour(damaged)
    tables.sql(DERIVED[code])
    findings = list(damaged.verify())
    assert code in {finding.code for finding in findings}
    assert not any(finding.repaired for finding in findings)
    mended = list(damaged.verify(repair=True))
    assert {finding.code for finding in mended} == {finding.code for finding in findings}
    assert all(finding.repaired for finding in mended)
    assert list(damaged.verify()) == []
    assert (shelf.found("anchor"), shelf.near(EAST)) == ([id_(1)], [id_(1), id_(2)])
