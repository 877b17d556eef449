"""Vectors of a user's traces: which spaces have how many, and samples for measuring the scale of a space."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cortex.domain.vectors import EmbeddingSpace
from cortex.ports.store import Sampled
from cortex.stores.relational import checksums
from cortex.stores.relational.codec import unpack_trace
from cortex.stores.relational.connection import SqlConnection

OVERSAMPLED = 4
"""So many times the traces that are wanted are looked at, since some may have no vector yet."""

SAMPLE_COLUMNS = "t.name, t.body, t.used, t.uses, t.facet, t.checksum, v.vector, v.checksum, v.space, v.row"
"""What `read_samples` takes, in a query of `traces t` and `vectors v`."""


def read_samples(rows: Iterable[Sequence[Any]], space: EmbeddingSpace) -> list[Sampled]:
    """The samples of rows of `SAMPLE_COLUMNS`, damaged ones left out."""
    found = []
    for name, body, used, uses, facet, checksum, vector, vector_checksum, *place in rows:
        try:
            checksums.check(checksum, body, facet)
            checksums.check(vector_checksum, vector, *place, 0)
            trace = unpack_trace(name, body, used, uses)
        except checksums.UNREADABLE:
            continue
        if len(vector) == 4 * space.dimension:
            found.append(Sampled(trace, np.frombuffer(vector, dtype="<f4")))
    return found


def vector_sets(connection: SqlConnection, user: str) -> dict[str, int]:
    """How many traces of a user have vectors, by the key of their space."""
    rows = connection.execute(
        "SELECT s.key, count(DISTINCT v.row) FROM spaces s JOIN vectors v ON v.space = s.id"
        " JOIN traces t ON t.row = v.row JOIN facets f ON f.id = t.facet JOIN users u ON u.id = f.user"
        " WHERE v.until IS NULL AND u.name = ? GROUP BY s.key",
        (user,),
    )
    return dict(rows.fetchall())
