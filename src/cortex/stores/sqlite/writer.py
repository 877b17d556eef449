"""Carrying out changes in SQLite."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from cortex.stores.relational.writer import RelationalWriter, Words
from cortex.stores.sqlite import damage
from cortex.stores.sqlite.postings import posting


class SqliteWriter(RelationalWriter):
    """One transaction's work."""

    _db: sqlite3.Connection

    def _reserve(self, table: str, number: int) -> int:  # noqa: ARG002 - nobody else writes meanwhile
        found = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return (found[0] if found else 0) + 1

    def _inserted(self, statement: str, values: Sequence[object]) -> int:
        id = self._db.execute(statement, values).lastrowid
        assert id is not None  # an INSERT always has one
        return id

    def _post(self, postings: Iterable[tuple[int, int, Words]]) -> None:
        self._db.executemany(
            "INSERT INTO postings (rowid, terms) VALUES (?, ?)",
            [(row, posting(facet, self._user, words)) for row, facet, words in postings],
        )

    def _unpost(self, row: int, facet: int, words: Words) -> None:
        # A contentless index forgets a row only when given the very terms it was built from.
        self._db.execute(
            "INSERT INTO postings (postings, rowid, terms) VALUES ('delete', ?, ?)",
            (row, posting(facet, self._user, words)),
        )

    def _quarantine_trace(self, row: int, why: str) -> None:
        damage.set_trace_aside(self._db, row, why, recorded=self._recorded)

    def _quarantine_session(self, session: str) -> None:
        where, values = "user = ? AND session = ?", (self._user, session)
        damage.set_aside(self._db, "sessions", where, values, session, "it is damaged", user=self._user)

    def _rebuild(self) -> None:
        from cortex.stores.sqlite import audit

        audit.rebuild(self._db)
