"""Samples of a user's traces with their vectors, for measuring the scale of an embedding space."""

from __future__ import annotations

import sqlite3

from cortex.domain.lanes import SEARCHABLE
from cortex.domain.vectors import EmbeddingSpace
from cortex.ports.store import Sampled
from cortex.stores.relational.samples import OVERSAMPLED, SAMPLE_COLUMNS, read_samples
from cortex.stores.sqlite.parameters import listed


def sample(connection: sqlite3.Connection, user: str, space: EmbeddingSpace, limit: int) -> list[Sampled]:
    """Some searchable traces of a user with the vectors of their first passages, damaged ones left out."""
    rows = connection.execute(
        f"SELECT {SAMPLE_COLUMNS}"
        " FROM (SELECT t.row FROM facets f CROSS JOIN traces t ON t.facet = f.id"
        "  WHERE f.user = (SELECT id FROM users WHERE name = :user)"
        "   AND f.state IN (SELECT value FROM json_each(:states))"
        "  ORDER BY substr(t.id, -4), t.id LIMIT :traces) chosen"
        " CROSS JOIN traces t ON t.row = chosen.row CROSS JOIN vectors v ON v.row = t.row"
        " WHERE v.space = (SELECT s.id FROM spaces s JOIN users u ON u.id = s.user"
        "   WHERE u.name = :user AND s.key = :space) AND v.until IS NULL AND v.passage = 0"
        " ORDER BY substr(t.id, -4), t.id LIMIT :limit",
        {"user": user, "states": listed(sorted(SEARCHABLE)), "traces": OVERSAMPLED * limit, "space": space.key,
         "limit": limit},
    ).fetchall()  # fmt: skip
    return read_samples(rows, space)
