"""Writing vectors and their one-bit codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from cortex.domain.events import EventKind, commit
from cortex.domain.identity import TraceId
from cortex.domain.vectors import EmbeddingSpace, sign_codes, unit
from cortex.errors import NotFound
from cortex.ports.store import Embed
from cortex.stores.relational.changes import Stored
from cortex.stores.relational.checksums import checksum
from cortex.stores.relational.code_index import MANY
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.ledger import Ledger
from cortex.stores.relational.vectors import matrix_of


class VectorWriter:
    """The vectors of one transaction. `reserve` gives out keys, `intern` the number of a space."""

    def __init__(
        self,
        connection: SqlConnection,
        ledger: Ledger,
        *,
        recorded: bool,
        reserve: Callable[[int], int],
        intern: Callable[[EmbeddingSpace], int],
    ) -> None:
        self._db = connection
        self._ledger = ledger
        self._recorded = recorded
        self._reserve = reserve
        self._intern = intern
        self._embedded: dict[str, int] = {}
        """The position of the event of each space that was written to."""

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
            self._drop(space, row, since)
            fresh += [
                (space, row, passage, since, packed, checksum(packed, space, row, passage))
                for passage, vector in enumerate(embed.vectors)
                if (packed := unit(vector).astype("<f4").tobytes())
            ]
        first = self._reserve(len(fresh))
        self._db.executemany(
            "INSERT INTO vectors (key, space, row, passage, since, vector, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(first + number, *each) for number, each in enumerate(fresh)],
        )
        facets = {stored.row: stored.facet for stored in known.values()}
        for space, centre in spaces.values():
            if centre is None:
                self._centre(space)
            else:
                coded = [(first + n, row, vector) for n, (of, row, _, _, vector, _) in enumerate(fresh) if of == space]
                for facet in {facets[row] for _, row, _ in coded if self._is_indexed(row)}:
                    mine = [each for each in coded if facets[each[1]] == facet]
                    self._add_codes(space, facet, centre, mine)

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
            self._add_codes(space, facet, centre, [(key, row, vector)])

    def uncode(self, row: int) -> None:
        """Take the codes of a trace out of all searches."""
        self._bury("row = ?", (row,))

    def _drop(self, space: int, row: int, at: int) -> None:
        where, values = "row = ? AND space = ?", (row, space)
        if self._end(where, values, at):
            self._bury(where, values)

    def _bury(self, where: str, values: tuple[int, ...]) -> None:
        self._db.execute(f"INSERT INTO tombs (code) SELECT seq FROM codes WHERE {where}", values)
        self._db.execute(f"DELETE FROM codes WHERE {where}", values)

    def _end(self, where: str, values: tuple[int, ...], at: int) -> int:
        """From position `at` on these vectors are no longer seen; gives how many there were."""
        live = f"{where} AND until IS NULL"
        if not self._recorded:
            return self._db.execute(f"DELETE FROM vectors WHERE {live}", values).rowcount
        return self._db.execute(f"UPDATE vectors SET until = ? WHERE {live}", (at, *values)).rowcount

    def _add_codes(self, space: int, facet: int, centre: bytes, vectors: Sequence[tuple[int, int, bytes]]) -> None:
        vectors = [each for each in vectors if len(each[2]) == len(centre)]  # a damaged one is not looked for
        if not vectors:
            return
        matrix = matrix_of(b"".join(vector for _, _, vector in vectors), len(centre) // 4)
        codes = sign_codes(matrix, np.frombuffer(centre, dtype="<f4"))
        self._db.executemany(
            "INSERT INTO codes (space, key, row, facet, code) VALUES (?, ?, ?, ?, ?)",
            [(space, key, row, facet, code.tobytes()) for (key, row, _), code in zip(vectors, codes, strict=True)],
        )

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
        for key, row, vector, facet in rows:
            if self._is_indexed(row):
                self._add_codes(space, facet, centre, [(key, row, vector)])

    def _is_indexed(self, row: int) -> bool:
        return self._db.execute("SELECT 1 FROM lexicon WHERE row = ? AND passage = 0", (row,)).fetchone() is not None

    def _space(self, space: EmbeddingSpace) -> tuple[int, bytes | None]:
        id = self._intern(space)
        centre: bytes | None = self._db.execute("SELECT centre FROM spaces WHERE id = ?", (id,)).fetchone()[0]
        return id, centre


def mean_of(vectors: Sequence[bytes]) -> bytes:
    """The mean of stored vectors of one length, as it is stored."""
    matrix = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    mean: bytes = matrix.mean(axis=0, dtype=np.float64).astype("<f4").tobytes()
    return mean


def set_centre(connection: SqlConnection, space: int, centre: bytes, position: int) -> None:
    """Fix the centre of a space at a position."""
    key, dimension = connection.execute("SELECT key, dimension FROM spaces WHERE id = ?", (space,)).fetchone()
    connection.execute(
        "UPDATE spaces SET centre = ?, centred = ?, checksum = ? WHERE id = ?",
        (centre, position, checksum(centre, key, dimension), space),
    )
