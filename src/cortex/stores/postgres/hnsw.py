"""HNSW indexes of pgvector, where they are turned on: they choose the vectors that are compared exactly.

They are approximate, so a recall may miss what the one-bit codes find. `python -m bench.same_answers --hnsw` prints how
much. Each embedding space has an index of its own, which `cortex admin optimize` builds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from cortex.errors import StoreUnavailable
from cortex.stores.postgres import schema
from cortex.stores.postgres.connection import Connection, PackedVector, PgConnection, listed
from cortex.stores.postgres.connections import Connections
from cortex.stores.postgres.row_security import EVERYONE
from cortex.stores.relational.keyword_search import Facets

OLDEST_PGVECTOR = (0, 8)
"""From here on an index goes on searching where a filter left out too much."""

MOST_DIMENSIONS = 2_000
SEARCHED = 400
"""How many candidates a search keeps (`hnsw.ef_search`)."""
_SEARCH = f"SET LOCAL hnsw.ef_search = {SEARCHED}; SET LOCAL hnsw.iterative_scan = relaxed_order".encode()
_LOOK_SECONDS = 60.0

_INDEXES = (
    "SELECT substr(c.relname, 6)::integer, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
    r" JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {} AND c.relname ~ '^hnsw_\d+$'"
)


class HnswIndexes:
    """The indexes of one agent's schema."""

    def __init__(self, connections: Connections, agent: str) -> None:
        self._connections = connections
        self._schema = schema.schema_name(agent)
        self._lock = threading.Lock()
        self._spaces: frozenset[int] = frozenset()
        self._look_at = float("-inf")

    def require(self) -> None:
        """Refuse a server whose pgvector is too old for them."""
        with self._connections.alone() as connection:
            found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
        version = str(found[0]) if found else "none"
        if tuple(int(part) for part in version.split(".")[:2] if part.isdecimal()) < OLDEST_PGVECTOR:
            needed = ".".join(map(str, OLDEST_PGVECTOR))
            raise StoreUnavailable(
                f"{self._connections.target} has pgvector {version}, and an HNSW index needs {needed}",
                hint="run `ALTER EXTENSION vector UPDATE`, or turn off store.postgresql.hnsw",
            )

    def build(self) -> None:
        """Build the index of each space that has codes and none yet. Others can write meanwhile."""
        coded = self._coded()  # in a transaction of its own, whose end a build would wait for
        with self._connections.alone() as connection:
            for space, is_valid in self._existing(connection):
                if not is_valid or space not in dict(coded):  # of a build that was interrupted, or of what is gone
                    connection.execute(self._statement("DROP INDEX IF EXISTS {schema}.{index}", space))
            there = {space for space, _ in self._existing(connection)}
            for space, dimension in coded:
                if space not in there and dimension <= MOST_DIMENSIONS:
                    connection.execute(
                        self._statement(
                            "CREATE INDEX CONCURRENTLY IF NOT EXISTS {index} ON {schema}.vectors"
                            f" USING hnsw ((vector::{{type}}({dimension})) {{operators}})"
                            f" WHERE space = {space} AND until IS NULL",
                            space,
                            self._extension(connection),
                        )
                    )
        self._look_at = float("-inf")

    def drop(self) -> None:
        """Remove every index, after they were turned off."""
        with self._connections.alone() as connection:
            for space, _ in self._existing(connection):
                connection.execute(self._statement("DROP INDEX IF EXISTS {schema}.{index}", space))

    def choose(
        self, connection: PgConnection, space: int, vector: PackedVector, facets: Facets, limit: int
    ) -> NDArray[np.int64] | None:
        """The keys of the nearest vectors in these facets; None where the codes are to choose them."""
        if space not in self._known(connection.raw):
            return None
        dimension = len(vector) // 4
        wanted = max(SEARCHED // 2, 4 * limit)
        connection.raw.execute(_SEARCH)
        # Numbers stand in the statement itself: an index for one space is not used for a parameter.
        found: Sequence[tuple[int]] = connection.execute(
            f"SELECT v.key FROM vectors v JOIN traces t ON t.row = v.row WHERE v.space = {int(space)}"
            " AND v.until IS NULL AND t.facet = ANY (?::integer[])"
            f" ORDER BY v.vector::vector({dimension}) <#> ?::vector({dimension}) LIMIT ?",
            (listed(facets.ids), vector, wanted),
        ).fetchall()
        # A search that ended early found too little of a filter's results; passages are no fewer than traces.
        if len(found) < min(wanted, facets.traces):
            return None
        return np.array([key for (key,) in found], dtype=np.int64)

    def _known(self, connection: Connection) -> frozenset[int]:
        """The spaces that have an index; others may build one, so it is looked at again now and then."""
        with self._lock:
            if time.monotonic() >= self._look_at:
                self._spaces = frozenset(space for space, is_valid in self._existing(connection) if is_valid)
                self._look_at = time.monotonic() + _LOOK_SECONDS
            return self._spaces

    def _existing(self, connection: Connection) -> list[tuple[int, bool]]:
        query = sql.SQL(_INDEXES).format(sql.Literal(self._schema))
        return [(int(space), bool(is_valid)) for space, is_valid in connection.execute(query).fetchall()]

    def _coded(self) -> list[tuple[int, int]]:
        """The spaces that have codes, each with its dimension."""
        with self._connections.reading(EVERYONE) as connection:
            rows = connection.execute("SELECT id, octet_length(centre) / 4 FROM spaces WHERE centre IS NOT NULL")
            return list(rows.fetchall())

    def _extension(self, connection: Connection) -> str:
        (found,) = connection.execute(
            "SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace"
            " WHERE e.extname = 'vector'"
        ).fetchone() or ("public",)
        return str(found)

    def _statement(self, text: str, space: int, extension: str = "public") -> sql.Composed:
        return sql.SQL(text).format(
            schema=sql.Identifier(self._schema),
            index=sql.Identifier(f"hnsw_{space}"),
            type=sql.Identifier(extension, "vector"),
            operators=sql.Identifier(extension, "vector_ip_ops"),
        )
