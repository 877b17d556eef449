"""Carrying out changes in PostgreSQL, and loading what another store kept.

The row of the user stays locked until the transaction ends. So writers of one user take turns, and whatever they draw
from a sequence meanwhile rises in the order of their commits; writers of different users do not wait for each other.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from cortex.domain.erasure import Erasure
from cortex.domain.scope import Tenant
from cortex.ports.store import Change, ExpectClaim, Put
from cortex.stores.postgres import damage
from cortex.stores.postgres import erasure as erasures
from cortex.stores.postgres.codes import bury
from cortex.stores.postgres.connection import PackedVector, PgConnection
from cortex.stores.postgres.postings import post, unpost, unpost_unread
from cortex.stores.postgres.row_security import ENTER
from cortex.stores.relational.changes import Stored
from cortex.stores.relational.codec import marks, pack_id
from cortex.stores.relational.connection import Cursor
from cortex.stores.relational.ledger import Head, head_from
from cortex.stores.relational.loader import RelationalLoader
from cortex.stores.relational.vector_writer import VectorRow, VectorWriter
from cortex.stores.relational.writer import STORED_COLUMNS, RelationalWriter, Words

_MOST_NAMES = 100_000
_MOST_AHEAD = 32
"""For so many traces at most it is worth while: with more, one way to the server and back less is nothing."""
_LOCK = f"SELECT u.id, pg_current_xact_id()::text, {ENTER} FROM users u WHERE u.name = ? FOR NO KEY UPDATE"
_HEAD = (
    "SELECT c.position, c.seal, c.lag_ledger, c.lag_clock, e.position, e.seal, e.at,"
    " nextval('traces_row_seq') AS row, nextval('vectors_key_seq') AS key,"
    " (SELECT value FROM meta WHERE key = 'rebuilt') AS rebuilt"
    " FROM users u LEFT JOIN chains c ON c.user = u.id LEFT JOIN LATERAL"
    " (SELECT * FROM events e WHERE e.user = u.id ORDER BY position DESC LIMIT 1) e ON TRUE WHERE u.name = ?"
)
_HEAD_AND_STORED = (
    f"SELECT h.*, {STORED_COLUMNS} FROM ({_HEAD} OFFSET 0) h"
    " LEFT JOIN (traces t JOIN facets f ON f.id = t.facet) ON t.id IN ({})"
)
_HEAD_COLUMNS = 10
_SEQUENCES = {"traces": "traces_row_seq", "vectors": "vectors_key_seq"}


class Names:
    """The numbers of facets, threads and spaces that were met, so that they need not be asked for again.

    None is ever given to another, and the centre of a space stays, unless somebody repairs the memory. What a
    transaction learns counts once it is committed.
    """

    def __init__(self) -> None:
        self._known: dict[Hashable, Any] = {}
        self._repaired: str | None = None
        self._own = threading.local()

    @contextmanager
    def learning(self) -> Iterator[None]:
        """Keep what is learned inside, if it ends well; if not, some name may be gone, and all are asked for again."""
        self._own.learned = {}
        try:
            yield
        except BaseException:
            self._known.clear()
            raise
        if len(self._known) > _MOST_NAMES:
            self._known.clear()
        self._known.update(self._own.learned)

    def clear(self) -> None:
        """Ask for all of them again."""
        self._known.clear()

    def begin(self) -> None:
        """Forget what was learned by a transaction that starts over."""
        self._own.learned = {}

    def follow(self, repaired: str | None) -> None:
        """Forget everything if the memory was repaired since."""
        if repaired != self._repaired:
            self._known.clear()
            self._repaired = repaired

    def find(self, key: Hashable) -> Any:
        return self._known.get(key)

    def learn(self, key: Hashable, value: Any) -> None:
        self._own.learned[key] = value


class PgVectorWriter(VectorWriter):
    """The vectors of one transaction."""

    def _add(self, rows: Sequence[VectorRow]) -> None:
        super()._add(
            [(key, space, row, passage, since, PackedVector(vector), checksum)
             for key, space, row, passage, since, vector, checksum in rows]
        )  # fmt: skip

    def _drop(self, space: int, row: int, at: int) -> None:
        if not self._recorded:
            super()._drop(space, row, at)
            return
        # In one statement, so that nobody waits to learn how many there were.
        self._db.execute(
            "WITH ended AS (UPDATE vectors SET until = ? WHERE row = ? AND space = ? AND until IS NULL RETURNING key),"
            " gone AS (DELETE FROM codes c USING ended e WHERE c.key = e.key AND c.row = ?"
            " RETURNING c.space, c.user, c.seq)"
            " INSERT INTO tombs (space, user, code) SELECT space, user, seq FROM gone ORDER BY seq",
            (at, row, space, row),
        )

    def _bury(self, where: str, values: tuple[int, ...]) -> None:
        bury(self._db, where, values)


class PgWriter(RelationalWriter):
    """One transaction's work."""

    _db: PgConnection
    _vector_writer = PgVectorWriter

    def __init__(
        self,
        connection: PgConnection,
        names: Names,
        tenant: Tenant,
        at: datetime,
        *,
        recorded: bool = True,
        actor: str = "",
        cause: str = "",
        first: Sequence[Change] = (),
    ) -> None:
        """`first` is what is going to be applied first: what has to be read for it is asked for at once."""
        names.begin()
        self._names = names
        self._spare: dict[str, int] = {}
        self._locked: Cursor | None = None
        ahead = list(islice(_ids_put(first), _MOST_AHEAD + 1))
        self._ahead = ahead if len(ahead) <= _MOST_AHEAD else []
        self._found_ahead: list[Any] | None = None
        super().__init__(connection, tenant, at, recorded=recorded, actor=actor, cause=cause)

    def apply(self, changes: Sequence[Change]) -> None:
        before = self.ledger.position
        super().apply(changes)
        if self._recorded and self.ledger.position > before:
            self._db.evidence = self._user, self.ledger.position, self.ledger.seal

    def _head(self) -> Head:
        cursor, self._locked = self._locked or self._db.execute(_HEAD, (self._user_name,)), None
        rows = cursor.fetchall()
        if len(rows[0]) > _HEAD_COLUMNS:
            self._found_ahead = [row[_HEAD_COLUMNS:] for row in rows if row[_HEAD_COLUMNS] is not None]
        *found, row, key, repaired = rows[0][:_HEAD_COLUMNS]
        # Taken after the lock, as all numbers must be; most transactions need one of each.
        self._spare = {"traces": row, "vectors": key}
        self._names.follow(repaired)
        chain, last = found[:4], found[4:]
        return head_from(self._user, None if chain[0] is None else chain, None if last[0] is None else last)

    def _reserve(self, table: str, number: int) -> Sequence[int]:
        if number == 1 and table in self._spare:
            return [self._spare.pop(table)]
        self._spare.pop(table, None)  # it would come before the others
        rows = self._db.execute("SELECT nextval(?::regclass) FROM generate_series(1, ?)", (_SEQUENCES[table], number))
        return [row[0] for row in rows]

    def _intern(self, table: str, *, also: Mapping[str, object] | None = None, **values: object) -> int:
        if table == "users":
            return self._lock_user(str(values["name"]), also or {})
        key = (table, *values.values())
        number: int | None = self._names.find(key)
        if number is None:
            number = super()._intern(table, also=also, **values)
            self._names.learn(key, number)
        return number

    def _lock_user(self, name: str, also: Mapping[str, object]) -> int:
        """The id of a user, whose row is locked until the transaction ends."""
        self._user_name = name
        found = self._locked_row()
        if found is None:
            self._db.execute(
                "INSERT INTO users (name, checksum) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, also["checksum"])
            )
            found = self._locked_row()
        id: int
        id, self._db.xid, _ = found
        return id

    def _locked_row(self) -> Any:
        # The end of the chain is asked for at once, but by a statement of its own: one that waited for the lock would
        # see what was there before.
        found = self._db.execute(_LOCK, (self._user_name,))
        head = _HEAD_AND_STORED.format(marks(self._ahead)) if self._ahead else _HEAD
        self._locked = self._db.execute(head, (self._user_name, *self._ahead))
        return found.fetchone()

    def _asked_for(self, ids: Sequence[bytes]) -> list[Any]:
        found, self._found_ahead = self._found_ahead, None
        return found if found is not None and ids == self._ahead else super()._asked_for(ids)

    def _centre_of(self, space: int) -> bytes | None:
        key = ("centre", space)
        centre: bytes | None = self._names.find(key)
        if centre is None:
            centre = super()._centre_of(space)
            if centre is not None:
                self._names.learn(key, centre)
        return centre

    def _inserted(self, statement: str, values: Sequence[object]) -> int:
        id: int = self._db.execute(f"{statement} RETURNING id", values).fetchone()[0]
        return id

    def _post(self, postings: Iterable[tuple[int, int, Words]]) -> None:
        post(self._db, postings)

    def _unpost(self, row: int, facet: int, words: Words) -> None:
        unpost(self._db, row, facet, words)

    def _expect_claim(self, expected: ExpectClaim) -> None:
        # Locked, so that nobody claims it before this is committed.
        self._db.execute("SELECT 1 FROM jobs WHERE id = ? FOR UPDATE", (expected.job.id,))
        super()._expect_claim(expected)

    def _quarantine_trace(self, row: int, why: str) -> None:
        damage.set_trace_aside(self._db, row, why, recorded=self._recorded)

    def _quarantine_session(self, session: str) -> None:
        where, values = "user = ? AND session = ?", (self._user, session)
        damage.set_aside(self._db, "sessions", where, values, session, "it is damaged", user=self._user)

    def _unindex(self, old: Stored, before: Mapping[str, Any] | None) -> None:
        # The tables know the words of a damaged trace; who spoke is counted again.
        super()._unindex(old, {"text": ""} if before is None else before)
        if before is None:
            unpost_unread(self._db, old.row)
            self._db.execute("DELETE FROM speakers WHERE facet = ?", (old.facet,))
            self._db.execute(
                "INSERT INTO speakers (facet, name, turns)"
                " SELECT facet, speaker, count(*) FROM (SELECT facet, CASE WHEN body IS JSON"
                r" THEN replace(body, '\u0000', '\u0001')::json ->> 'speaker' END AS speaker FROM traces"
                " WHERE facet = ? AND thread IS NOT NULL AND row <> ?) s WHERE speaker <> '' GROUP BY facet, speaker",
                (old.facet, old.row),
            )

    def _rebuild(self) -> None:
        raise NotImplementedError("nothing here needs everybody's index rebuilt")


def _ids_put(changes: Sequence[Change]) -> Iterator[bytes]:
    """The ids of the traces that are put before anything else is done."""
    for change in changes:
        if not isinstance(change, Put):
            return
        yield pack_id(change.trace.id)


class PgLoader(RelationalLoader, PgWriter):
    """One transaction of a load."""

    def __init__(self, connection: PgConnection, names: Names, tenant: Tenant) -> None:
        super().__init__(connection, names, tenant, datetime.fromtimestamp(0, UTC))

    def _keep_erasure(self, erasure: Erasure) -> None:
        erasures.record(self._db, erasure)

    def _packed_vector(self, vector: bytes) -> PackedVector:
        return PackedVector(vector)
