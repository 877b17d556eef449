"""Writing the records of a dump (see `domain.dump`), and everything that is derived from them.

They go to a user whom no tenant can be, and who gets the name of the tenant once all records are there: until then
nobody sees any of them. Each batch is a transaction that notes how far it came, so that a load that was interrupted
goes on from there.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import Any

from cortex.domain.dump import DumpRecord, RecordKind
from cortex.domain.erasure import Erasure
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace
from cortex.domain.vectors import Basis, Calibration
from cortex.errors import Conflict, InvalidRequest, StoreCorrupt
from cortex.ports.store import PutReceipt
from cortex.stores.relational import calibrations
from cortex.stores.relational.checksums import checksum
from cortex.stores.relational.codec import batched, marks, pack_id, pack_time, unpack_id, unpack_trace
from cortex.stores.relational.connection import insert_rows
from cortex.stores.relational.writer import RelationalWriter

_BATCH = 1_000
_LOADING, _EMPTY = "\nloading", "\nempty"
"""Follows the name of a user who is being loaded, or whose place was taken. No tenant's name has a line break."""

_DAMAGED = "take another archive, or dump the source anew"

Fields = Mapping[str, Any]


def loading_name(user: str) -> str:
    """The name under which a user's records wait until all of them are there."""
    return user + _LOADING


Transact = Callable[[Callable[["RelationalLoader"], int]], int]
"""Calls what it is given in a transaction of its own, once or, where that failed for others, again."""


def load(transact: Transact, user: str, records: Iterable[DumpRecord], *, source: str) -> None:
    """Load the records of a user, a batch in each transaction, and then give them to the user all at once."""
    done = transact(lambda loader: loader.begin(user, source))
    for batch in batched(islice(records, done, None), _BATCH):
        done = transact(lambda loader, batch=batch, done=done: loader.write(batch, done))  # type: ignore[misc]
    transact(lambda loader: loader.finish(user, done))


class RelationalLoader(RelationalWriter):
    """One transaction of a load. Its tenant is the one that is being loaded."""

    def _name(self, user: str) -> str:
        return loading_name(user)

    def begin(self, user: str, source: str) -> int:
        """How many records an interrupted load from this source wrote; what is left of another is dropped."""
        self._refuse_taken(user)
        found = self._db.execute("SELECT source, records FROM loads WHERE user = ?", (self._user,)).fetchone()
        if found and found[0] == source:
            return int(found[1])
        self._drop_all()
        self._db.execute("INSERT INTO loads (user, source, records) VALUES (?, ?, 0)", (self._user, source))
        return 0

    def write(self, records: Sequence[DumpRecord], done: int) -> int:
        """Write the records that follow after `done`; gives how many there are then."""
        self._expect(done)
        for kind, some in groupby(records, key=lambda record: record.kind):
            try:
                self._writers[kind](self, [record.fields for record in some])
            except (KeyError, ValueError, TypeError, AttributeError) as error:
                raise StoreCorrupt(f"a record of kind {kind} cannot be read: {error!r}", hint=_DAMAGED) from error
        self._db.execute("UPDATE loads SET records = ? WHERE user = ?", (done + len(records), self._user))
        return done + len(records)

    def finish(self, user: str, done: int) -> int:
        """Give everything that was loaded to `user`."""
        self._expect(done)
        self._refuse_taken(user)
        self._db.execute("DELETE FROM loads WHERE user = ?", (self._user,))
        # One of whom there is nothing keeps no name. Facets and threads may point to it, and so its row stays.
        self._db.execute("UPDATE users SET name = ?, checksum = ? WHERE name = ?", (*_named(f"{user}{_EMPTY}"), user))
        self._db.execute("UPDATE users SET name = ?, checksum = ? WHERE id = ?", (*_named(user), self._user))
        return done

    def _expect(self, done: int) -> None:
        found = self._db.execute("SELECT records FROM loads WHERE user = ?", (self._user,)).fetchone()
        if found is None or found[0] != done:
            raise Conflict("the same user is being loaded by another process", hint="wait for it, then look again")

    def _refuse_taken(self, user: str) -> None:
        """Refuse to load a user of whom there is something already."""
        rows = (f"SELECT 1 FROM {table} x JOIN users u ON u.id = x.user WHERE u.name = ?" for table in _OWNED)
        if self._db.execute(" UNION ALL ".join(rows), [user] * len(_OWNED)).fetchone():
            raise InvalidRequest(
                f"{user!r} has memories here already", field="user", hint="choose an empty target, or another agent"
            )

    def _drop_all(self) -> None:
        """Remove everything of the user."""
        for id in self._all_ids():
            self._remove_rows(id)
        for table in (*_OWNED, "chains", "loads", "quarantine"):
            self._db.execute(f"DELETE FROM {table} WHERE user = ?", (self._user,))
        self._db.execute(
            "DELETE FROM calibrations WHERE space IN (SELECT id FROM spaces WHERE user = ?)", (self._user,)
        )
        self._db.execute("DELETE FROM spaces WHERE user = ?", (self._user,))

    def _all_ids(self) -> list[TraceId]:
        rows = self._db.execute(
            "SELECT t.id FROM traces t JOIN facets f ON f.id = t.facet WHERE f.user = ?", (self._user,)
        ).fetchall()
        return [unpack_id(id) for (id,) in rows]

    def _remove_rows(self, id: TraceId) -> None:
        old = self._stored([id])[id]
        self._unindex(old, old.fields)
        self._delete_rows(old.row)

    @abstractmethod
    def _keep_erasure(self, erasure: Erasure) -> None:
        """Keep a finished erasure where it outlives whatever is put in the place of the database."""

    def _packed_vector(self, vector: bytes) -> object:
        """A vector as the database takes it."""
        return vector

    # --- each kind -------------------------------------------------------------------------------

    def _write_ledger(self, records: Sequence[Fields]) -> None:
        for each in records:
            self._db.execute(
                "INSERT INTO chains (user, position, seal, lag_ledger, lag_clock, loaded) VALUES (?, ?, ?, ?, ?, 1)",
                (
                    self._user,
                    each["position"],
                    _bytes(each["seal"]),
                    _time(each["lag_ledger"]),
                    _time(each["lag_clock"]),
                ),
            )

    def _write_events(self, records: Sequence[Fields]) -> None:
        rows = [
            (self._user, each["position"], _time(each["at"]), each["kind"], each["subject"],
             _bytes(each["commitment"]), _bytes(each["seal"]), each["actor"], each["cause"])
            for each in records
        ]  # fmt: skip
        insert_rows(self._db, f"events ({_EVENT})", rows)

    def _write_traces(self, records: Sequence[Fields]) -> None:
        new = [(_trace(each["name"], each), each["since"], _bytes(each["salt"]), each["body"]) for each in records]
        self._store(new, len(new))

    def _write_versions(self, records: Sequence[Fields]) -> None:
        rows = []
        known = self._rows_of(each["id"] for each in records)
        for each in records:
            row, name = known[each["id"]]
            facet = self._facet(_trace(name, each))
            body = each["body"]
            rows.append((row, each["since"], each["until"], facet, _bytes(each["salt"]), body, checksum(body, facet)))
        insert_rows(self._db, "versions (row, since, until, facet, salt, body, checksum)", rows)

    def _write_accesses(self, records: Sequence[Fields]) -> None:
        """The uses of traces, from which their counters follow."""
        known = self._rows_of(each["id"] for each in records)
        rows, counts = [], []
        for each in records:
            row, at, times = known[each["id"]][0], _time(each["at"]), each["times"]
            rows += [(row, each["position"], at)] * times
            counts.append((times, at, at, row))
        insert_rows(self._db, "accesses (row, position, at)", rows)
        self._db.executemany(
            "UPDATE traces SET uses = uses + ?, used = CASE WHEN used > ? THEN used ELSE ? END WHERE row = ?", counts
        )

    def _write_spaces(self, records: Sequence[Fields]) -> None:
        for each in records:
            centre = None if each["centre"] is None else _bytes(each["centre"])
            key, dimension = each["key"], each["dimension"]
            self._inserted(
                "INSERT INTO spaces (user, key, dimension, centre, centred, checksum) VALUES (?, ?, ?, ?, ?, ?)",
                (self._user, key, dimension, centre, each["centred"], checksum(centre, self._user, key, dimension)),
            )

    def _write_calibrations(self, records: Sequence[Fields]) -> None:
        spaces = self._spaces()
        for each in records:
            measured = Calibration(each["floor"], Basis.MEASURED, each["texts"])
            calibrations.keep(self._db, spaces[each["space"]][0], each["since"], measured)

    def _write_vectors(self, records: Sequence[Fields]) -> None:
        known, spaces = self._rows_of(each["id"] for each in records), self._spaces()
        keys = self._reserve("vectors", len(records))
        rows, coded = [], []
        for key, each in zip(keys, records, strict=True):
            (space, centre), row = spaces[each["space"]], known[each["id"]][0]
            vector, passage = _bytes(each["vector"]), each["passage"]
            rows.append(
                (
                    key,
                    space,
                    row,
                    passage,
                    each["since"],
                    each["until"],
                    self._packed_vector(vector),
                    checksum(vector, space, row, passage),
                )
            )
            if centre is not None and each["until"] is None:
                coded.append((space, centre, row, key, vector))
        insert_rows(self._db, "vectors (key, space, row, passage, since, until, vector, checksum)", rows)
        facets = self._searched_facets({row for _, _, row, _, _ in coded})
        for space, centre, row, key, vector in coded:
            if row in facets:
                self._vectors.add_codes(space, facets[row], centre, [(key, row, vector)])

    def _write_receipts(self, records: Sequence[Fields]) -> None:
        for each in records:
            self._file(PutReceipt(Receipt.from_json(each["receipt"]), each["query"]))

    def _write_sessions(self, records: Sequence[Fields]) -> None:
        for each in records:
            self._keep_state(each["session"], each["state"])

    def _write_jobs(self, records: Sequence[Fields]) -> None:
        rows = []
        for each in records:
            payload = json.dumps(each["payload"])
            summed = checksum(payload, self._user, each["kind"], each["key"])
            times = (_time(each[name]) for name in ("due", "claimed", "written"))
            same = (each[name] for name in ("id", "kind", "key", "state", "attempts", "error"))
            rows.append((*same, *times, payload, self._user, summed))
        columns = "id, kind, key, state, attempts, error, due, claimed, written, payload, user, checksum"
        insert_rows(self._db, f"jobs ({columns})", rows)

    def _write_erasures(self, records: Sequence[Fields]) -> None:
        for each in records:
            self._keep_erasure(Erasure.from_json(each))
            self._db.execute("INSERT INTO erasures VALUES (?) ON CONFLICT DO NOTHING", (each["id"],))

    def _write_quarantined(self, records: Sequence[Fields]) -> None:
        for each in records:
            body = None if each["body"] is None else _bytes(each["body"])
            self._inserted(
                "INSERT INTO quarantine (source, key, user, position, why, seal, body, rest)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (each["source"], each["key"], self._user, each["position"], each["why"], each["seal"], body,
                 each["rest"]),
            )  # fmt: skip

    _writers: Mapping[RecordKind, Callable[[RelationalLoader, Sequence[Fields]], None]] = {
        RecordKind.LEDGER: _write_ledger,
        RecordKind.EVENT: _write_events,
        RecordKind.TRACE: _write_traces,
        RecordKind.VERSION: _write_versions,
        RecordKind.ACCESS: _write_accesses,
        RecordKind.SPACE: _write_spaces,
        RecordKind.CALIBRATION: _write_calibrations,
        RecordKind.VECTOR: _write_vectors,
        RecordKind.RECEIPT: _write_receipts,
        RecordKind.SESSION: _write_sessions,
        RecordKind.JOB: _write_jobs,
        RecordKind.ERASURE: _write_erasures,
        RecordKind.QUARANTINED: _write_quarantined,
    }

    # --- what they refer to ----------------------------------------------------------------------

    def _rows_of(self, ids: Iterable[str]) -> dict[str, tuple[int, str]]:
        """Row and name of each trace."""
        found: dict[str, tuple[int, str]] = {}
        for some in batched(map(pack_id, dict.fromkeys(ids))):
            rows = self._db.execute(f"SELECT id, row, name FROM traces WHERE id IN ({marks(some)})", some)
            found |= {unpack_id(id): (row, name) for id, row, name in rows.fetchall()}
        return found

    def _spaces(self) -> dict[str, tuple[int, bytes | None]]:
        """Number and center of each space of the user."""
        rows = self._db.execute("SELECT key, id, centre FROM spaces WHERE user = ?", (self._user,)).fetchall()
        return {key: (id, centre) for key, id, centre in rows}

    def _searched_facets(self, rows: Collection[int]) -> dict[int, int]:
        """The facets of those rows that are searched."""
        states = sorted(map(str, SEARCHABLE))
        found: dict[int, int] = {}
        for some in batched(rows):
            query = (
                "SELECT t.row, t.facet FROM traces t JOIN facets f ON f.id = t.facet"
                f" WHERE t.row IN ({marks(some)}) AND f.state IN ({marks(states)})"
            )
            found |= dict(self._db.execute(query, (*some, *states)).fetchall())
        return found


_OWNED = ("events", "receipts", "sessions", "jobs")
"""The tables that have rows of everybody who ever did something."""

_EVENT = "user, position, at, kind, subject, commitment, seal, actor, cause"


def _trace(name: str, fields: Fields) -> Trace:
    return unpack_trace(name, fields["body"], None, 0)


def _named(user: str) -> tuple[str, int]:
    """A user's name, and the checksum of its row."""
    return user, checksum(user)


def _time(at: str | None) -> int | None:
    return None if at is None else pack_time(datetime.fromisoformat(at))


def _bytes(digits: str) -> bytes:
    return bytes.fromhex(digits)
