"""Carrying out changes in SQLite, and loading what another store kept."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from cortex.domain.erasure import Erasure
from cortex.domain.scope import Tenant
from cortex.errors import Conflict
from cortex.ports.store import Change, ExpectAbsent, Put
from cortex.stores.relational.loader import RelationalLoader
from cortex.stores.relational.writer import RelationalWriter, Words
from cortex.stores.sqlite import damage
from cortex.stores.sqlite.postings import posting


class SqliteWriter(RelationalWriter):
    """One transaction's work."""

    _db: sqlite3.Connection

    def apply(self, changes: Sequence[Change]) -> None:
        puts = _new(changes)
        if not puts:
            super().apply(changes)
            return
        try:
            self._insert(puts)
        except sqlite3.IntegrityError as error:
            if "traces.id" not in str(error):
                raise
            self._fresh.clear()
            found = self._stored([put.trace.id for put in puts], taken=True)
            known = min(found, key=lambda id: found[id].row)  # the others were inserted here
            raise Conflict(f"{known} was stored meanwhile", hint="look again") from None
        self.ledger.write()

    def _reserve(self, table: str, number: int) -> range:
        # Nobody else writes meanwhile.
        found = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        first = (found[0] if found else 0) + 1
        return range(first, first + number)

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


def _new(changes: Sequence[Change]) -> list[Put]:
    """The puts, where the changes are nothing but puts of traces that are to be absent.

    The index of ids refuses what is there already: to look for each of them first would only repeat it.
    """
    if not changes or not isinstance(changes[0], ExpectAbsent):
        return []
    puts = [each for each in changes[1:] if isinstance(each, Put)]
    ids = tuple([put.trace.id for put in puts])
    return puts if ids == changes[0].ids and len(set(ids)) == len(changes) - 1 else []


class SqliteLoader(RelationalLoader, SqliteWriter):
    """One transaction of a load; `note` keeps a finished erasure beside the file."""

    def __init__(self, connection: sqlite3.Connection, tenant: Tenant, note: Callable[[Erasure], None]) -> None:
        super().__init__(connection, tenant, datetime.fromtimestamp(0, UTC))
        self._note = note

    def _keep_erasure(self, erasure: Erasure) -> None:
        self._note(erasure)
