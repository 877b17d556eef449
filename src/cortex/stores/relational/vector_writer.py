"""Writing vectors and their one-bit codes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from cortex.domain.events import EventKind, commit
from cortex.domain.identity import TraceId
from cortex.domain.vectors import EmbeddingSpace, sign_codes, unit
from cortex.errors import NotFound
from cortex.ports.store import Embed
from cortex.stores.relational.changes import Stored
from cortex.stores.relational.checksums import checksum
from cortex.stores.relational.code_index import MANY
from cortex.stores.relational.codec import batched, marks
from cortex.stores.relational.connection import SqlConnection, insert_rows
from cortex.stores.relational.ledger import Ledger
from cortex.stores.relational.vectors import matrix_of

VectorRow = tuple[int, int, int, int, int, bytes, int]
"""Key, space, row, passage, since, vector and checksum."""


class VectorWriter:
    """The vectors of one transaction. `reserve` gives out keys, `space` the number and the centre of a space."""

    def __init__(
        self,
        connection: SqlConnection,
        ledger: Ledger,
        *,
        recorded: bool,
        reserve: Callable[[int], Sequence[int]],
        space: Callable[[EmbeddingSpace], tuple[int, bytes | None]],
    ) -> None:
        self._db = connection
        self._ledger = ledger
        self._recorded = recorded
        self._reserve = reserve
        self._space = space
        self._embedded: dict[str, int] = {}
        """The position of the event of each space that was written to."""
        self._written: set[tuple[int, int]] = set()
        """Space and row of what was embedded here."""

    def embed(self, embeds: Sequence[Embed], known: Mapping[TraceId, Stored]) -> None:
        """Store the vectors of these traces; of texts that have changed meanwhile they are dropped."""
        embeds = [each for each in embeds if each.text is None or (each.id in known and known[each.id].says(each.text))]
        spaces: dict[str, tuple[int, bytes | None]] = {}
        for embed in embeds:
            if embed.id not in known:
                raise NotFound(f"no memory, turn or chunk {embed.id} to embed", hint="store it first")
            key = embed.space.key
            if key not in spaces:
                spaces[key] = self._space(embed.space)
            if key not in self._embedded:
                self._ledger.record(EventKind.EMBEDDED, key, commit(b"", key))
                self._embedded[key] = self._ledger.position
        fresh: list[tuple[int, int, int, int, bytes, int]] = []
        for embed in embeds:
            space, _ = spaces[embed.space.key]
            row = known[embed.id].row
            since = self._embedded[embed.space.key]
            if known[embed.id].is_searched is None or (space, row) in self._written:
                self._drop(space, row, since)
            self._written.add((space, row))
            fresh += [
                (space, row, passage, since, packed, checksum(packed, space, row, passage))
                for passage, vector in enumerate(embed.vectors)
                if (packed := unit(vector).astype("<f4").tobytes())
            ]
        keys = self._reserve(len(fresh))
        self._add([(key, *each) for key, each in zip(keys, fresh, strict=True)])
        facets = {stored.row: stored.facet for stored in known.values()}
        searched = {stored.row for stored in known.values() if stored.is_searched}
        asked = {stored.row for stored in known.values() if stored.is_searched is None}
        for space, centre in spaces.values():
            if centre is None:
                self._centre(space)
            else:
                mine = zip(keys, fresh, strict=True)
                coded = [(key, row, vector) for key, (of, row, _, _, vector, _) in mine if of == space]
                indexed = searched | self._indexed(asked & {row for _, row, _ in coded})
                for facet in {facets[row] for _, row, _ in coded if row in indexed}:
                    there = [each for each in coded if facets[each[1]] == facet and each[1] in indexed]
                    self.add_codes(space, facet, centre, there)

    def end(self, row: int, at: int) -> None:
        """From position `at` on the vectors of a trace are no longer seen: past views keep them."""
        self._end("row = ?", (row,), at)

    def code(self, row: int, facet: int) -> None:
        """Write the codes of the vectors a trace has, in the spaces that have a centre."""
        live = self._db.execute(
            "SELECT v.key, v.space, v.vector, s.centre FROM vectors v JOIN spaces s ON s.id = v.space"
            " WHERE v.row = ? AND v.until IS NULL AND s.centre IS NOT NULL",
            (row,),
        ).fetchall()
        for key, space, vector, centre in live:
            self.add_codes(space, facet, centre, [(key, row, vector)])

    def uncode(self, row: int) -> None:
        """Take the codes of a trace out of all searches."""
        self._bury("row = ?", (row,))

    def _drop(self, space: int, row: int, at: int) -> None:
        where, values = "row = ? AND space = ?", (row, space)
        if self._end(where, values, at):
            self._bury(where, values)

    def _add(self, rows: Sequence[VectorRow]) -> None:
        insert_rows(self._db, "vectors (key, space, row, passage, since, vector, checksum)", rows)

    def _bury(self, where: str, values: tuple[int, ...]) -> None:
        self._db.execute(f"INSERT INTO tombs (code) SELECT seq FROM codes WHERE {where}", values)
        self._db.execute(f"DELETE FROM codes WHERE {where}", values)

    def _end(self, where: str, values: tuple[int, ...], at: int) -> int:
        """From position `at` on these vectors are no longer seen; gives how many there were."""
        live = f"{where} AND until IS NULL"
        if not self._recorded:
            return self._db.execute(f"DELETE FROM vectors WHERE {live}", values).rowcount
        return self._db.execute(f"UPDATE vectors SET until = ? WHERE {live}", (at, *values)).rowcount

    def add_codes(self, space: int, facet: int, centre: bytes, vectors: Sequence[tuple[int, int, bytes]]) -> None:
        """Write the codes of vectors of one facet: key, row and vector of each."""
        vectors = [each for each in vectors if len(each[2]) == len(centre)]  # a damaged one is not looked for
        if not vectors:
            return
        matrix = matrix_of(b"".join(vector for _, _, vector in vectors), len(centre) // 4)
        codes = sign_codes(matrix, np.frombuffer(centre, dtype="<f4"))
        rows = [(space, key, row, facet, code.tobytes()) for (key, row, _), code in zip(vectors, codes, strict=True)]
        insert_rows(self._db, "codes (space, key, row, facet, code)", rows)

    def _centre(self, space: int) -> None:
        """Fix the centre of a space once there are enough vectors to know it, and code them all.

        It stays as it is from then on: codes must not depend on what came later, or past answers
        could not be given again.
        """
        live = "FROM vectors v JOIN traces t ON t.row = v.row WHERE v.space = ? AND v.until IS NULL"
        if self._db.execute(f"SELECT count(*) {live}", (space,)).fetchone()[0] <= MANY:
            return
        rows = self._db.execute(f"SELECT v.key, v.row, v.vector, t.facet {live}", (space,)).fetchall()
        (width,) = self._db.execute("SELECT 4 * dimension FROM spaces WHERE id = ?", (space,)).fetchone()
        rows = [row for row in rows if isinstance(row[2], bytes) and len(row[2]) == width]
        centre = mean_of([row[2] for row in rows])
        set_centre(self._db, space, centre, self._ledger.position)
        indexed = self._indexed({row[1] for row in rows})
        for key, row, vector, facet in rows:
            if row in indexed:
                self.add_codes(space, facet, centre, [(key, row, vector)])

    def _indexed(self, rows: Collection[int]) -> set[int]:
        """Those of `rows` that searches look at."""
        found: set[int] = set()
        for some in batched(sorted(rows)):
            query = f"SELECT row FROM lexicon WHERE passage = 0 AND row IN ({marks(some)})"
            found |= {row for (row,) in self._db.execute(query, some)}
        return found


def mean_of(vectors: Sequence[bytes]) -> bytes:
    """The mean of stored vectors of one length, as it is stored."""
    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    mean: bytes = matrix.mean(axis=0, dtype=np.float64).astype("<f4").tobytes()
    return mean


def set_centre(connection: SqlConnection, space: int, centre: bytes, position: int) -> None:
    """Fix the centre of a space at a position."""
    about = connection.execute("SELECT user, key, dimension FROM spaces WHERE id = ?", (space,)).fetchone()
    connection.execute(
        "UPDATE spaces SET centre = ?, centred = ?, checksum = ? WHERE id = ?",
        (centre, position, checksum(centre, *about), space),
    )
