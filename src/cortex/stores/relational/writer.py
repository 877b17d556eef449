"""Carrying out changes inside one write transaction: truth first, then everything derived from it.

A SQL store adds what its database does in its own way: numbers of new rows, posting lists, the quarantine of damaged
rows, and the rebuilding of indexes.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import Any

from cortex.domain import erasure
from cortex.domain.erasure import Sought
from cortex.domain.events import EventKind, commit
from cortex.domain.holds import HOLDS
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.passages import terms_of, terms_said
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace, canonical, label_of, name_of
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import Conflict, InvalidRequest, NotFound
from cortex.ports.store import (
    Calibrate,
    Change,
    ClaimLost,
    DropReceipts,
    Embed,
    Erase,
    ExpectAbsent,
    ExpectClaim,
    ExpectLast,
    ExpectSame,
    ExpectState,
    JobState,
    PatchSession,
    Put,
    PutJob,
    PutReceipt,
    RecordAccess,
    RecordDecision,
    RecordRestore,
    Remove,
)
from cortex.stores.relational import calibrations, checksums
from cortex.stores.relational.changes import (
    ADD_SOURCE,
    ADD_UNIT,
    LEXICON,
    Stored,
    runs,
    slot,
    source_rows,
    unit_of,
    units,
)
from cortex.stores.relational.codec import batched, marks, pack_id, pack_receipt, pack_time, unpack_id, unpack_trace
from cortex.stores.relational.connection import SqlConnection, insert_rows, insert_values
from cortex.stores.relational.ledger import COUNTER, Head, Ledger, head_of
from cortex.stores.relational.vector_writer import VectorWriter

SALT_BYTES = 16
STORED_COLUMNS = "t.id, f.user, t.row, t.name, t.facet, t.since, t.salt, t.body, t.checksum"

_sorted = attrgetter("scope", "lane", "kind", "trust", "state")

Words = Sequence[Sequence[str]]
"""The terms of each passage of a trace."""


NewTrace = tuple[Trace, int, bytes, str]
"""A trace that is not there yet, with its event and what that event commits to: the salt and the body."""


TRACES = "traces (row, id, name, facet, since, created, thread, seq, slot, salt, body, checksum)"


@dataclass(slots=True)
class Derived:
    """The rows of new traces, and what is counted of them."""

    traces: list[Any] = field(default_factory=list)
    """Their columns, one trace after the other."""
    units: list[Any] = field(default_factory=list)
    """The same of their passages."""
    counts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """Of each facet, the number of traces, passages and terms."""
    speakers: Counter[tuple[int, str]] = field(default_factory=Counter)
    sources: list[tuple[bytes, int]] = field(default_factory=list)

    def count(self, facet: int, words: Words) -> None:
        traces, passages, terms = self.counts.get(facet, (0, 0, 0))
        self.counts[facet] = traces + 1, passages + len(words), terms + sum(map(len, words))


class RelationalWriter(ABC):
    """One transaction's work.

    Where changes are not `recorded`, there are no events and no earlier versions: for what can be rebuilt from
    elsewhere at any time.
    """

    _vector_writer = VectorWriter
    _counter = COUNTER
    """Where the position is kept if changes are not recorded."""

    def __init__(
        self,
        connection: SqlConnection,
        tenant: Tenant,
        at: datetime,
        *,
        recorded: bool = True,
        actor: str = "",
        cause: str = "",
    ) -> None:
        self._db = connection
        self._recorded = recorded
        self._clock = pack_time(at)
        name = self._name(tenant.user)
        self._user = self._intern("users", name=name, also={"checksum": checksums.checksum(name)})
        self._fresh: dict[TraceId, Stored] = {}
        """What was inserted here and not changed since: it need not be read to be embedded."""
        self._absent: set[TraceId] = set()
        """What nobody has, as far as was asked here: it need not be asked for again, until something is inserted."""
        self._facets: dict[tuple[object, ...], int] = {}
        self._threads: dict[str, int] = {}
        self.ledger = Ledger(
            connection, self._user, self._clock, head=self._head, recorded=recorded, counter=self._counter,
            actor=actor, cause=cause,
        )  # fmt: skip
        self._vectors = self._vector_writer(
            connection,
            self.ledger,
            recorded=recorded,
            reserve=lambda number: self._reserve("vectors", number),
            space=lambda space: ((id := self._space(space)), self._centre_of(id)),
        )
        self._is_index_stale = False

    def _name(self, user: str) -> str:
        """The name under which the rows of the tenant's user are kept."""
        return user

    # --- what a store adds -----------------------------------------------------------------------

    def _head(self) -> Head:
        """Where the user's chain ends.

        A store with several writers at a time locks it here until the transaction ends. So a reader that has seen an
        event of a user has seen every earlier one.
        """
        return head_of(self._db, self._user)

    @abstractmethod
    def _reserve(self, table: str, number: int) -> Sequence[int]:
        """So many rising numbers for new rows of a table, none of which was ever used."""

    @abstractmethod
    def _inserted(self, statement: str, values: Sequence[object]) -> int:
        """The id of the row that a statement inserted."""

    @abstractmethod
    def _post(self, postings: Iterable[tuple[int, int, Words]]) -> None:
        """Add traces to the posting lists: row, facet and terms of each."""

    @abstractmethod
    def _unpost(self, row: int, facet: int, words: Words) -> None:
        """Take a trace with these terms out of the posting lists."""

    @abstractmethod
    def _quarantine_trace(self, row: int, why: str) -> None:
        """Move a damaged trace to the quarantine table, which records events of its own."""

    @abstractmethod
    def _quarantine_session(self, session: str) -> None:
        """Move the damaged state of a session to the quarantine table, which records events of its own."""

    @abstractmethod
    def _rebuild(self) -> None:
        """Rebuild everything derived."""

    # --- changes ---------------------------------------------------------------------------------

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out `changes` in order; runs of new traces go in together."""
        for run in runs(changes):
            first = run[0]
            if isinstance(first, Put):
                self._put([change for change in run if isinstance(change, Put)])
            elif isinstance(first, Embed):
                embeds = [change for change in run if isinstance(change, Embed)]
                self._vectors.embed(embeds, self._stored(embed.id for embed in embeds))
            elif isinstance(first, Calibrate):
                calibrations.keep(self._db, self._space(first.space), self.ledger.own_position, first.calibration)
            elif isinstance(first, Remove):
                self._remove(first.id)
            elif isinstance(first, Erase):
                self._erase(first)
            elif isinstance(first, RecordAccess):
                self._touch(first)
            elif isinstance(first, PutReceipt):
                self._file(first)
            elif isinstance(first, DropReceipts):
                self._drop_receipts(first)
            elif isinstance(first, RecordRestore):
                self.ledger.skip_to(first.above)
                self.ledger.record(EventKind.BACKUP_RESTORED, first.backup, commit(b"", first.backup))
            elif isinstance(first, RecordDecision):
                self.ledger.record(first.kind, first.subject, commit(b"", first.subject))
            elif isinstance(first, PatchSession):
                self._set_state(first)
            elif isinstance(first, PutJob):
                self._put_job(first)
            elif isinstance(first, ExpectLast):
                self._expect_last(first)
            elif isinstance(first, ExpectClaim):
                self._expect_claim(first)
            elif isinstance(first, ExpectAbsent):
                self._expect_absent(first)
            elif isinstance(first, ExpectState):
                self._expect_state(first)
            else:
                self._expect_same(first)
        self.ledger.write()
        if self._is_index_stale:
            self._rebuild()

    # --- traces ----------------------------------------------------------------------------------

    def _put(self, puts: Sequence[Put]) -> None:
        known = self._stored([put.trace.id for put in puts], taken=True)
        if not known:
            self._insert(puts)
            return
        for id in [id for id, old in known.items() if old.fields is None]:
            self._set_aside(known.pop(id))
        for is_known, some in groupby(puts, key=lambda put: put.trace.id in known):
            if is_known:
                for put in some:
                    self._revise(put, known[put.trace.id])
            else:
                self._insert(list(some))

    def _insert(self, puts: Sequence[Put]) -> None:
        self._store(self._begun(puts), len(puts))

    def _begun(self, puts: Sequence[Put]) -> Iterator[NewTrace]:
        """The traces with their events, which are recorded as each is taken."""
        salts, ledger = os.urandom(SALT_BYTES * len(puts)), self.ledger
        for at, put in enumerate(puts):
            trace, salt = put.trace, salts[SALT_BYTES * at : SALT_BYTES * (at + 1)]
            body = canonical(trace)
            ledger.record(put.because, trace.id, commit(salt, body))
            yield trace, ledger.position, salt, body

    def _store(self, new: Iterable[NewTrace], number: int) -> None:
        """Write so many traces that are not there yet, and everything derived from them."""
        self._absent.clear()
        derived = Derived()
        # What is made of each trace is laid out in few lists: many small objects keep Python's collector busy.
        self._post(self._rows_of_new(new, self._reserve("traces", number), derived))
        insert_values(self._db, TRACES, 12, derived.traces)
        insert_values(self._db, LEXICON, 7, derived.units)
        self._count((*sums, facet) for facet, sums in derived.counts.items())
        self._count_speakers(derived.speakers)
        self._db.executemany(ADD_SOURCE, derived.sources)

    def _rows_of_new(
        self, new: Iterable[NewTrace], rows: Iterable[int], derived: Derived
    ) -> Iterator[tuple[int, int, Words]]:
        """What the posting lists hold of each; all other rows are added to `derived`."""
        for at, (trace, since, salt, body) in zip(rows, new, strict=True):
            facet, name = self._facet(trace), name_of(trace)
            is_searched = trace.state in SEARCHABLE
            checksum = checksums.checksum(body, facet)
            thread = seq = about = None
            if not isinstance(trace, Outcome):  # which has no place and no slot, and is not embedded
                (thread, seq), about = self._place(trace), slot(trace)
                self._fresh[trace.id] = Stored(at, name, facet, since, salt, body, checksum, is_searched)
                if isinstance(trace, Turn) and trace.speaker:
                    derived.speakers[facet, trace.speaker] += 1
                elif isinstance(trace, Memory) and trace.source_turns:
                    derived.sources += source_rows(at, trace)
            derived.traces += (
                at, pack_id(trace.id), name, facet, since, pack_time(trace.created_at),
                thread, seq, about, salt, body, checksum,
            )  # fmt: skip
            words = terms_of(trace) if is_searched else []
            for passage, some in enumerate(words):
                derived.units += unit_of(at, passage, facet, thread, seq, some)
            derived.count(facet, words)
            if words:
                yield at, facet, words

    def _revise(self, put: Put, old: Stored) -> None:
        trace, body = put.trace, canonical(put.trace)
        self._fresh.pop(trace.id, None)
        before = json.loads(old.body)  # one that is damaged was set aside
        facet = self._facet(trace)
        salt = os.urandom(SALT_BYTES)
        thread, seq = self._place(trace)
        self.ledger.record(put.because, trace.id, commit(salt, body))
        if self._recorded:
            self._db.execute(
                "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)",
                (old.row, old.since, self.ledger.position, old.facet, old.salt, old.body, old.checksum),
            )
        self._db.execute(
            "UPDATE traces SET facet = ?, since = ?, created = ?, thread = ?, seq = ?, slot = ?, salt = ?, body = ?,"
            " checksum = ? WHERE row = ?",
            (
                facet,
                self.ledger.position,
                pack_time(trace.created_at),
                thread,
                seq,
                slot(trace),
                salt,
                body,
                checksums.checksum(body, facet),
                old.row,
            ),
        )
        if before["text"] != trace.text:
            self._vectors.end(old.row, self.ledger.position)
        self._unindex(old, before)
        self._index(old.row, facet, trace)
        if "source_turns" in before or source_rows(old.row, trace):
            self._db.execute("DELETE FROM sources WHERE row = ?", (old.row,))
            self._db.executemany(ADD_SOURCE, source_rows(old.row, trace))

    def _index(self, row: int, facet: int, trace: Trace) -> None:
        if isinstance(trace, Turn) and trace.speaker:
            self._count_speakers({(facet, trace.speaker): 1})
        if trace.state not in SEARCHABLE:
            self._count([(1, 0, 0, facet)])
            return
        words = terms_of(trace)
        self._post([(row, facet, words)])
        self._db.executemany(ADD_UNIT, units(row, facet, *self._place(trace), words))
        self._count([(1, len(words), sum(map(len, words)), facet)])
        self._vectors.code(row, facet)

    def _set_aside(self, old: Stored) -> None:
        """Make room for a trace whose row is damaged."""
        self.ledger.write()
        self._quarantine_trace(old.row, "its checksum is wrong")
        self.ledger.reread()
        # Without its words it cannot be taken out of the index: `verify --repair` rebuilds that.
        self._count([(-1, 0, 0, old.facet)])

    def _unindex(self, old: Stored, before: Mapping[str, Any] | None) -> None:
        """Take a trace out of everything a search looks at. `before` are its fields; None where it is damaged."""
        if before is None:
            # The posting lists would keep its words: they are rebuilt.
            self._is_index_stale = True
            return
        if speaker := before.get("speaker"):
            self._count_speakers({(old.facet, speaker): -1})
        passages, length = self._db.execute(
            "SELECT count(*), coalesce(sum(length), 0) FROM lexicon WHERE row = ?", (old.row,)
        ).fetchone()
        if passages:
            self._unpost(old.row, old.facet, terms_said(before))
            self._db.execute("DELETE FROM lexicon WHERE row = ?", (old.row,))
        self._count([(-1, -passages, -length, old.facet)])
        self._vectors.uncode(old.row)

    def _remove(self, id: TraceId, because: EventKind = EventKind.REMOVED) -> None:
        old = self._stored([id]).get(id)
        self._fresh.pop(id, None)
        moved = self._db.execute(
            "DELETE FROM quarantine WHERE user = ? AND (key = ? OR key LIKE ? || '@%')", (self._user, id, id)
        ).rowcount
        if old is None and not moved:
            raise NotFound(f"no memory, turn or chunk {id}", hint="see `cortex list`")
        self.ledger.record(because, id, commit(b"", id))
        if old is None:
            return
        self._unindex(old, old.fields)
        self._delete_rows(old.row)

    def _delete_rows(self, row: int) -> None:
        """Delete a trace that is no longer indexed."""
        for table in ("traces", "versions", "vectors", "accesses", "sources", "lexicon"):
            self._db.execute(f"DELETE FROM {table} WHERE row = ?", (row,))

    def _erase(self, change: Erase) -> None:
        erasing = change.erasure
        if self._db.execute("SELECT 1 FROM erasures WHERE id = ?", (erasing.id,)).fetchone():
            return
        going = self._stored([*erasing.ids, *self._extracted_from(erasing.ids)])
        aside = self._set_aside_of(erasing.ids)
        if not change.loosely and going.keys() | aside != set(erasing.ids):
            raise Conflict("what is to be erased has changed meanwhile", hint="look again")
        sought = Sought([*erasing.texts, *self._texts_of(going.values())])
        gone = frozenset({*erasing.ids, *going})
        for id in going.keys() | aside:
            self._remove(id, EventKind.ERASED)
        self._cut_out(gone, sought)
        for session, more in erasing.marks.items():
            marked = erasure.with_marks((self._state(session) or {}).get(erasure.MARKS), more)
            self._set_state(PatchSession(session, {erasure.MARKS: marked, "history": None}))
        self._db.execute("INSERT INTO erasures VALUES (?)", (erasing.id,))

    def _set_aside_of(self, ids: Iterable[TraceId]) -> set[TraceId]:
        """Those of `ids` whose damaged rows are in the quarantine table."""
        rows = self._db.execute("SELECT key FROM quarantine WHERE user = ?", (self._user,)).fetchall()
        return {str(key).partition("@")[0] for (key,) in rows} & set(ids)  # type: ignore[return-value]

    def _extracted_from(self, ids: Iterable[TraceId]) -> list[TraceId]:
        """The memories that were extracted from any of these turns."""
        found: list[TraceId] = []
        for some in batched([pack_id(id) for id in ids]):
            rows = self._db.execute(
                f"SELECT t.id FROM sources s JOIN traces t ON t.row = s.row WHERE s.turn IN ({marks(some)})", some
            )
            found += [unpack_id(id) for (id,) in rows]
        return found

    def _texts_of(self, traces: Collection[Stored]) -> list[str]:
        """All that some traces ever said."""
        bodies = [trace.body for trace in traces]
        for trace in traces:
            bodies += [body for (body,) in self._db.execute("SELECT body FROM versions WHERE row = ?", (trace.row,))]
        return [text for body in bodies for text in erasure.texts_in(body)]

    def _cut_out(self, gone: frozenset[str], sought: Sought) -> None:
        """Take out of receipts, jobs and sessions what they say of traces that are gone."""
        receipts = self._db.execute("SELECT id, body, query FROM receipts WHERE user = ?", (self._user,)).fetchall()
        cut = [
            (cleared := erasure.without_ids(_text(body), gone), checksums.checksum(cleared, self._user, None), id)
            for id, body, query in receipts
            if erasure.names(_text(body), gone) or (query is not None and sought.is_said([_text(query)]))
        ]
        self._db.executemany("UPDATE receipts SET body = ?, query = NULL, checksum = ? WHERE id = ?", cut)
        for (session,) in self._db.execute("SELECT session FROM sessions WHERE user = ?", (self._user,)).fetchall():
            state = self._state(session) or {}
            if session == HOLDS:
                continue
            left = erasure.parts_left(state, gone, sought)
            if left.keys() != state.keys():
                self._keep_state(session, left)
        # Last, as a damaged state was moved to the quarantine table just now.
        for table, column in (("jobs", "payload"), ("quarantine", "body")):
            rows = self._db.execute(f"SELECT id, {column} FROM {table} WHERE user = ?", (self._user,)).fetchall()
            spoken = ((id, _text(said)) for id, said in rows)
            dropped = [
                (id,) for id, said in spoken if erasure.names(said, gone) or sought.is_said(erasure.strings_in(said))
            ]
            self._db.executemany(f"DELETE FROM {table} WHERE id = ?", dropped)

    def _stored(self, ids: Iterable[TraceId], *, taken: bool = False) -> dict[TraceId, Stored]:
        """Those of `ids` that are this user's own; with `taken`, somebody else's is an error."""
        wanted = list(ids)
        found = {id: self._fresh[id] for id in wanted if id in self._fresh}
        packed = {pack_id(id): id for id in wanted if id not in found and id not in self._absent}
        missing = set(packed.values())
        for some in batched(packed):
            for id, user, *rest in self._asked_for(some):
                missing.discard(packed[id])
                if user == self._user:
                    found[packed[id]] = Stored(*rest)
                elif taken:
                    raise InvalidRequest("is taken", field="id", hint="let the engine choose ids")
        self._absent |= missing
        return found

    def _asked_for(self, ids: Sequence[bytes]) -> list[Any]:
        # All at once: a half-read answer, kept alive by an error, would hold its snapshot beyond the rollback.
        return self._db.execute(
            f"SELECT {STORED_COLUMNS} FROM traces t JOIN facets f ON f.id = t.facet WHERE t.id IN ({marks(ids)})", ids
        ).fetchall()

    # --- use, receipts, sessions, jobs -----------------------------------------------------------

    def _touch(self, touch: RecordAccess) -> None:
        known = self._stored(touch.ids)
        if missing := [id for id in touch.ids if id not in known]:
            raise NotFound(f"no memory {missing[0]}", hint="see `cortex list`")
        self.ledger.record(EventKind.RECALLED, "", commit(b"", ",".join(touch.ids)))
        at = pack_time(touch.at)
        rows = [known[id].row for id in dict.fromkeys(touch.ids)]
        insert_rows(self._db, "accesses", [(row, self.ledger.position, at) for row in rows])
        for some in batched(rows):
            used = "uses = uses + 1, used = CASE WHEN used > ? THEN used ELSE ? END"
            self._db.executemany(f"UPDATE traces SET {used} WHERE row IN ({marks(some)})", [(at, at, *some)])

    def _file(self, file: PutReceipt) -> None:
        receipt, body = file.receipt, pack_receipt(file.receipt)
        self._db.execute(
            "INSERT INTO receipts (id, user, at, op, body, query, checksum) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET user = excluded.user, at = excluded.at, op = excluded.op,"
            " body = excluded.body, query = excluded.query, checksum = excluded.checksum",
            (receipt.id, self._user, pack_time(receipt.at), receipt.op, body, file.query,
             checksums.checksum(body, self._user, file.query)),
        )  # fmt: skip

    def _drop_receipts(self, drop: DropReceipts) -> None:
        if drop.before is not None:
            self._db.execute("DELETE FROM receipts WHERE user = ? AND at < ?", (self._user, pack_time(drop.before)))
        if drop.queries_before is not None:
            found = self._db.execute(
                "SELECT id, body FROM receipts WHERE user = ? AND query IS NOT NULL AND at < ?",
                (self._user, pack_time(drop.queries_before)),
            ).fetchall()
            self._db.executemany(
                "UPDATE receipts SET query = NULL, checksum = ? WHERE id = ?",
                [(checksums.checksum(body, self._user, None), id) for id, body in found],
            )

    def _set_state(self, change: PatchSession) -> None:
        if change.state is None:
            self._db.execute("DELETE FROM sessions WHERE user = ? AND session = ?", (self._user, change.session))
        else:
            merged = {**(self._state(change.session) or {}), **change.state}
            self._keep_state(change.session, {key: value for key, value in merged.items() if value is not None})

    def _keep_state(self, session: str, parts: Mapping[str, Any]) -> None:
        state = json.dumps(parts)
        self._db.execute(
            "INSERT INTO sessions (user, session, state, checksum) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (user, session) DO UPDATE SET state = excluded.state, checksum = excluded.checksum",
            (self._user, session, state, checksums.checksum(state, self._user, session)),
        )

    def _state(self, session: str) -> dict[str, Any] | None:
        """What is known of a session; None where its row is damaged, or there is none."""
        known = self._db.execute(
            "SELECT state, checksum FROM sessions WHERE user = ? AND session = ?", (self._user, session)
        ).fetchone()
        try:
            if known is None:
                return None
            checksums.check(known[1], known[0], self._user, session)
            return dict(json.loads(known[0]))
        except checksums.UNREADABLE:
            self.ledger.write()
            self._quarantine_session(session)
            self.ledger.reread()
            return None

    def _expect_last(self, expected: ExpectLast) -> None:
        found = self._db.execute(
            "SELECT coalesce(max(t.seq), -1) FROM threads h JOIN traces t ON t.thread = h.id"
            " WHERE h.user = ? AND h.session = ?",
            (self._user, expected.session),
        ).fetchone()[0]
        if found != expected.seq:
            raise Conflict(f"the session has gone on to turn {found}", hint="look again")

    def _expect_claim(self, expected: ExpectClaim) -> None:
        job = expected.job
        found = self._db.execute(
            "SELECT state, attempts FROM jobs WHERE id = ? AND user = ?", (job.id, self._user)
        ).fetchone()
        if found != (job.state.value, job.attempts):
            raise ClaimLost(f"job {job.id} is no longer ours", hint="leave it to the process that has it now")

    def _expect_same(self, expected: ExpectSame) -> None:
        trace = expected.trace
        found = self._stored([trace.id]).get(trace.id)
        # Read before it is compared: another release may have written the same fields in another order.
        is_same = (
            found is not None
            and found.fields is not None
            and canonical(unpack_trace(found.name, found.body, None, 0)) == canonical(trace)
        )
        if not is_same:
            raise Conflict(f"{name_of(trace)} {trace.id} was changed or removed meanwhile", hint="look again")

    def _expect_absent(self, expected: ExpectAbsent) -> None:
        if known := sorted(self._stored(expected.ids)):
            raise Conflict(f"{known[0]} was stored meanwhile", hint="look again")

    def _expect_state(self, expected: ExpectState) -> None:
        found = self._state(expected.session) or {}
        if any(found.get(name) != part for name, part in expected.parts.items()):
            raise Conflict(f"the state of session {expected.session} was changed meanwhile", hint="look again")

    def _put_job(self, change: PutJob) -> None:
        job, payload = change.job, json.dumps(dict(change.job.payload))
        checksum = checksums.checksum(payload, self._user, job.kind, job.key)
        if job.state is JobState.WAITING:
            moved = self._db.execute(
                "UPDATE jobs SET due = ?, payload = ?, checksum = ?, written = ?"
                " WHERE user = ? AND kind = ? AND key = ? AND state = 'waiting' AND id <> ?",
                (pack_time(job.due), payload, checksum, self._clock, self._user, job.kind, job.key, job.id),
            ).rowcount
            if moved:
                self._db.execute("DELETE FROM jobs WHERE id = ?", (job.id,))
                return
        if job.state in (JobState.DONE, JobState.CANCELED):
            self._db.execute(
                "DELETE FROM jobs WHERE user = ? AND kind = ? AND key = ? AND state = ?",
                (self._user, job.kind, job.key, job.state.value),
            )
        claimed = pack_time(job.claimed_until) if job.claimed_until else None
        self._db.execute(
            f"INSERT INTO jobs ({', '.join(_JOB)}) VALUES ({marks(_JOB)})"
            f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _JOB[1:])}",
            (job.id, self._user, job.kind, job.key, pack_time(job.due), job.state.value, job.attempts, claimed,
             job.error, payload, checksum, self._clock),
        )  # fmt: skip

    # --- interned names and counts ---------------------------------------------------------------

    def _facet(self, trace: Trace) -> int:
        key = (*_sorted(trace), label_of(trace))
        found = self._facets.get(key)
        if found is None:
            columns = ("scope", "lane", "kind", "trust", "state", "label")
            values: dict[str, Any] = dict(zip(columns, map(str, key), strict=True))
            found = self._facets[key] = self._intern("facets", user=self._user, **values)
        return found

    def _place(self, trace: Trace) -> tuple[int | None, int | None]:
        if not isinstance(trace, Turn):
            return None, None
        if trace.session not in self._threads:
            self._threads[trace.session] = self._intern("threads", user=self._user, session=trace.session)
        return self._threads[trace.session], trace.seq

    def _count(self, counts: Iterable[tuple[int, int, int, int]]) -> None:
        totals: dict[int, tuple[int, int, int]] = {}
        for traces, passages, terms, facet in counts:
            before = totals.get(facet, (0, 0, 0))
            totals[facet] = (before[0] + traces, before[1] + passages, before[2] + terms)
        self._db.executemany(
            "UPDATE facets SET traces = traces + ?, passages = passages + ?, terms = terms + ? WHERE id = ?",
            [(*sums, facet) for facet, sums in totals.items()],
        )

    def _count_speakers(self, counts: Mapping[tuple[int, str], int]) -> None:
        self._db.executemany(
            "INSERT INTO speakers VALUES (?, ?, ?)"
            " ON CONFLICT (facet, name) DO UPDATE SET turns = speakers.turns + excluded.turns",
            [(facet, name, count) for (facet, name), count in counts.items()],
        )
        if any(count < 0 for count in counts.values()):
            self._db.execute("DELETE FROM speakers WHERE turns <= 0")

    def _intern(self, table: str, *, also: Mapping[str, object] | None = None, **values: object) -> int:
        """The id of the row with these values, inserted if need be, together with `also`.

        Table and columns are our own names.
        """
        where = " AND ".join(f"{column} = ?" for column in values)
        found = self._db.execute(f"SELECT id FROM {table} WHERE {where}", (*values.values(),)).fetchone()
        if found:
            id: int = found[0]
            return id
        values |= also or {}
        return self._inserted(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks(values)})", (*values.values(),)
        )

    def _space(self, space: EmbeddingSpace) -> int:
        checksum = checksums.checksum(None, self._user, space.key, space.dimension)
        return self._intern(
            "spaces", user=self._user, key=space.key, dimension=space.dimension, also={"checksum": checksum}
        )

    def _centre_of(self, space: int) -> bytes | None:
        centre: bytes | None = self._db.execute("SELECT centre FROM spaces WHERE id = ?", (space,)).fetchone()[0]
        return centre


_JOB = ("id", "user", "kind", "key", "due", "state", "attempts", "claimed", "error", "payload", "checksum", "written")


def _text(value: object) -> str:
    """What a column says, whatever a damaged row made of it."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")
