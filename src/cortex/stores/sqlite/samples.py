"""Samples of a user's traces with their vectors, for measuring the scale of an embedding space."""

from __future__ import annotations

import sqlite3

import numpy as np

from cortex.domain.lanes import SEARCHABLE
from cortex.domain.vectors import EmbeddingSpace
from cortex.ports.store import Sampled
from cortex.stores.relational import checksums
from cortex.stores.relational.codec import unpack_trace
from cortex.stores.sqlite.parameters import listed

_OVERSAMPLED = 4
"""So many times the traces that are wanted are looked at, since some may have no vector yet."""


def sample(connection: sqlite3.Connection, user: str, space: EmbeddingSpace, limit: int) -> list[Sampled]:
    """Some searchable traces of a user with the vectors of their first passages, damaged ones left out."""
    rows = connection.execute(
        "SELECT t.name, t.body, t.used, t.uses, t.facet, t.checksum, v.vector, v.checksum, v.space, v.row"
        " FROM (SELECT t.row FROM facets f CROSS JOIN traces t ON t.facet = f.id"
        "  WHERE f.user = (SELECT id FROM users WHERE name = :user)"
        "   AND f.state IN (SELECT value FROM json_each(:states))"
        "  ORDER BY substr(t.id, -4), t.id LIMIT :traces) chosen"
        " CROSS JOIN traces t ON t.row = chosen.row CROSS JOIN vectors v ON v.row = t.row"
        " WHERE v.space = (SELECT id FROM spaces WHERE key = :space) AND v.until IS NULL AND v.passage = 0"
        " ORDER BY substr(t.id, -4), t.id LIMIT :limit",
        {"user": user, "states": listed(sorted(SEARCHABLE)), "traces": _OVERSAMPLED * limit, "space": space.key,
         "limit": limit},
    ).fetchall()  # fmt: skip
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
