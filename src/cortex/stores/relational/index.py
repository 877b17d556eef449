"""The files of an index beside their chunks: what every SQL store reads and writes alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from cortex.domain.identity import TraceId
from cortex.domain.indexed_file import IndexedFile
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.ports.index import Follow, Unfollow
from cortex.ports.store import Change, Finding
from cortex.stores.relational.changes import check
from cortex.stores.relational.codec import batched, marks, pack_id, unpack_id
from cortex.stores.relational.view import RelationalView
from cortex.stores.relational.writer import RelationalWriter

COLUMNS = "path, source, size, modified, inode, hash, unsettled, trouble"
_ID_BYTES = 16

IndexChange = Change | Follow | Unfollow


class RelationalIndexView(RelationalView):
    """One snapshot of a user's files and their chunks."""

    _in_order = "JOIN"
    """Joins tables in the order they are named, where the database needs the hint."""

    def files(self) -> Mapping[str, IndexedFile]:
        rows = self._db.execute(f"SELECT {COLUMNS} FROM files WHERE user = ?", (self._user,))
        return {row[0]: IndexedFile(*row) for row in rows}

    def file(self, path: str) -> IndexedFile | None:
        row = self._db.execute(
            f"SELECT {COLUMNS}, chunks FROM files WHERE user = ? AND path = ?", (self._user, path)
        ).fetchone()
        return IndexedFile(*row[:-1])._replace(chunks=unpack_ids(row[-1])) if row else None

    def vectors(self, ids: Sequence[TraceId], space: EmbeddingSpace) -> Mapping[TraceId, Sequence[Vector]]:
        found: dict[TraceId, list[Vector]] = {}
        for some in batched([pack_id(id) for id in ids]):
            rows = self._db.execute(
                f"SELECT t.id, v.vector FROM traces t {self._in_order} facets f ON f.id = t.facet"
                f" {self._in_order} vectors v ON v.row = t.row JOIN spaces s ON s.id = v.space"
                f" WHERE f.user = ? AND s.key = ? AND v.until IS NULL AND t.id IN ({marks(some)})"
                " ORDER BY t.row, v.passage",
                (self._user, space.key, *some),
            )
            for id, vector in rows:
                found.setdefault(unpack_id(id), []).append(np.frombuffer(vector, dtype="<f4"))
        return found


class RelationalIndexWriter(RelationalWriter):
    """One transaction's work on files and their chunks."""

    def apply_all(self, changes: Sequence[IndexChange]) -> None:
        """Chunks first, then the files they are of. What no file names any more is removed; a move keeps its chunks."""
        self.apply(_of_chunks(changes))
        follows = [change.file for change in changes if isinstance(change, Follow)]
        named = {id for file in follows for id in file.chunks}
        for file in follows:
            self._follow(file, named)
        for change in changes:
            if isinstance(change, Unfollow):
                self._unfollow(change.path, named)
        self.ledger.write()

    def _follow(self, file: IndexedFile, named: Collection[TraceId]) -> None:
        self._drop_chunks(file.path, keeping=named)
        self._db.execute("DELETE FROM files WHERE user = ? AND path = ?", (self._user, file.path))
        self._db.execute(
            f"INSERT INTO files (user, {COLUMNS}, chunks) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self._user, *file[:-1], pack_ids(file.chunks)),
        )  # fmt: skip
        self.ledger.position += 1

    def _unfollow(self, path: str, named: Collection[TraceId]) -> None:
        self._drop_chunks(path, keeping=named)
        self.ledger.position += self._db.execute(
            "DELETE FROM files WHERE user = ? AND path = ?", (self._user, path)
        ).rowcount

    def _drop_chunks(self, path: str, keeping: Collection[TraceId]) -> None:
        """Remove the chunks of a file but those to keep. What is missing already, in a damaged index, is no matter."""
        found = self._db.execute("SELECT chunks FROM files WHERE user = ? AND path = ?", (self._user, path)).fetchone()
        for id in self._stored(id for id in unpack_ids(found[0] if found else b"") if id not in keeping):
            self._remove(id)


def check_all(changes: Sequence[IndexChange]) -> None:
    """Refuse what cannot be carried out, before anything is."""
    check(_of_chunks(changes))


def _of_chunks(changes: Sequence[IndexChange]) -> list[Change]:
    return [change for change in changes if not isinstance(change, Follow | Unfollow)]


def pack_ids(ids: Iterable[TraceId]) -> bytes:
    return b"".join(map(pack_id, ids))


def unpack_ids(packed: bytes) -> tuple[TraceId, ...]:
    return tuple(unpack_id(packed[at : at + _ID_BYTES]) for at in range(0, len(packed), _ID_BYTES))


def belonging(
    files: Iterable[tuple[int, str, bytes]], chunks: Iterable[tuple[int, str | None, bytes]]
) -> Iterator[Finding]:
    """Every chunk belongs to one file that is followed, the one it says; and every file has its chunks (B15).

    Of each file the user, the path and the packed ids of its chunks; of each chunk the user, its path and its id.
    """
    named = Counter((user, path, id) for user, path, packed in files for id in unpack_ids(packed))
    stored = {(user, path, unpack_id(id)) for user, path, id in chunks}
    if strays := len(stored - named.keys()):
        yield Finding("files", f"{strays} chunks belong to no file that is followed")
    if missing := len(named.keys() - stored):
        yield Finding("files", f"{missing} chunks that files name are not there, or are of another file")
    if repeated := len(named) - len({(user, id) for user, _, id in named}) + sum(count - 1 for count in named.values()):
        yield Finding("files", f"{repeated} chunks belong to several files, or twice to one")
