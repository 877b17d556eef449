"""Optimizing the file while it is in use, in steps that let others write in between (E16)."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from cortex.domain.index_status import MOST_FREE_PAGES, IndexStatus
from cortex.stores.sqlite.connections import Connections

_MERGE_PAGES = 500
"""How many pages of the keyword index one step writes."""

_MOST_STEPS = 10_000
_LOG_WAIT_MS = 200
"""How long emptying the log waits for readers: meanwhile nobody writes."""

_EPOCH = "codes_epoch"
_DEAD = "SELECT (SELECT count(*) FROM tombs), (SELECT count(*) FROM codes)"
_UNFED = "UPDATE meta SET value = json_set(value, '$.feeds', json('[]')) WHERE key LIKE 'nearest:%'"


def status(connection: sqlite3.Connection, path: Path) -> IndexStatus:
    dead, alive = connection.execute(_DEAD).fetchone()
    (segments,) = connection.execute("SELECT count(DISTINCT segid) FROM postings_idx").fetchone()
    log_bytes = 0
    with suppress(FileNotFoundError):
        log_bytes = os.path.getsize(f"{path}-wal")
    return IndexStatus(
        dead_codes=dead / (dead + alive) if dead else 0.0,
        segments=segments,
        log_bytes=log_bytes,
        free_pages=_free_pages(connection),
    )


def epoch(connection: sqlite3.Connection) -> int:
    """Another number after removed codes were forgotten: what was read of them before must be read again."""
    found = connection.execute("SELECT value FROM meta WHERE key = ?", (_EPOCH,)).fetchone()
    return int(found[0]) if found else 0


def optimize(connections: Connections, *, forget_dead: bool) -> None:
    """Merge the keyword index, forget removed codes, rewrite a file that is mostly free, and empty the log.

    Without `forget_dead` the removed codes stay known: an engine for vectors is fed from them.
    """
    _merge(connections)
    with connections.writing() as connection:
        if forget_dead and connection.execute("SELECT EXISTS (SELECT 1 FROM tombs)").fetchone()[0]:
            connection.execute("DELETE FROM tombs")
            # An engine that was fed before, and is not used now, could not learn what was removed: it begins anew.
            connection.execute(_UNFED)
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_EPOCH, str(epoch(connection) + 1)))
        connection.execute("PRAGMA optimize")
    with connections.exclusive() as connection:
        if _free_pages(connection) > MOST_FREE_PAGES:
            _rewrite(connection)
        _empty_log(connection)


def _merge(connections: Connections) -> None:
    """Merge all segments of the keyword index into one, a few pages at a time."""
    pages = -_MERGE_PAGES  # below 0: segments of all levels are to be merged, not only where a level has many
    for _ in range(_MOST_STEPS):
        with connections.writing() as connection:
            before = connection.total_changes
            connection.execute("INSERT INTO postings (postings, rank) VALUES ('merge', ?)", (pages,))
            if connection.total_changes - before < 2:  # the insert itself counts as one
                return
        pages = _MERGE_PAGES


def _rewrite(connection: sqlite3.Connection) -> None:
    # A copy of everything is made on the way, which need not fit into memory.
    connection.execute("PRAGMA temp_store = FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store = MEMORY")


def _empty_log(connection: sqlite3.Connection) -> None:
    """Bring the log into the file, and cut it where no reader needs it."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_LOG_WAIT_MS}")
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")


def _free_pages(connection: sqlite3.Connection) -> float:
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    return float(free / pages) if pages else 0.0
