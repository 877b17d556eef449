"""Checksums in files of older versions, and in the index of files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from samples import ANNA, AT, EAST, Desk, as_first_version, chunk, id_, ids, memory, turn

from cortex.domain.events import EventKind
from cortex.domain.indexed_file import IndexedFile
from cortex.ports.index import Follow
from cortex.ports.store import Put
from cortex.stores.sqlite import SqliteStore
from cortex.stores.sqlite.index import SqliteIndex


def test_a_file_of_an_older_version_gets_its_checksums(tmp_path: Path):
    """Every row of it, and it is read as before."""
    file = tmp_path / "old.db"
    store = SqliteStore(file)
    desk = Desk(store, ANNA)
    desk.put(memory(1), turn(2))
    desk.embed(memory(1), EAST)
    store.close()
    as_first_version(file)
    store = SqliteStore(file)
    assert list(store.verify()) == []
    assert ids(Desk(store, ANNA).near(EAST)) == [id_(1)]
    store.close()
    with closing(sqlite3.connect(file)) as new:
        for table in ("users", "traces", "spaces", "vectors"):
            assert new.execute(f"SELECT count(*) FROM {table} WHERE checksum IS NULL").fetchone() == (0,)


def test_a_damaged_chunk_is_taken_out_and_its_file_is_read_again(tmp_path: Path):
    """An index is made anew from the files: nothing of it has to be kept."""
    file = tmp_path / "index.db"
    with closing(SqliteIndex(file, made_with="x")) as index:
        harbour = IndexedFile("memory/harbour.md", "", 12, 1, 1, "hash", False, "", (id_(1), id_(2)))
        chunks = [Put(chunk(1), EventKind.CHUNKED), Put(chunk(2, "The tide comes in"), EventKind.CHUNKED)]
        index.apply(ANNA, [*chunks, Follow(harbour)], at=AT)
        assert list(index.verify()) == []
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("UPDATE traces SET body = replace(body, 'dawn', 'dusk')")
    with closing(SqliteIndex(file)) as index:
        with index.view(ANNA) as view:
            assert [each.id for each in view.load([id_(1), id_(2)])] == [id_(2)]
            assert [skipped.key for skipped in view.skipped] == [id_(1)]
        assert all(each.repaired for each in index.verify(repair=True))
        assert list(index.verify()) == []
        with index.view(ANNA) as view:
            known = view.file("memory/harbour.md")
            assert known is not None
            assert (known.chunks, known.size, known.hash) == ((id_(2),), -1, "")
