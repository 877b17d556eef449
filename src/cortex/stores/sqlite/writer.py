"""Carrying out changes inside one write transaction: truth first, then everything derived from it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np

from cortex.domain import erasure
from cortex.domain.erasure import Sought
from cortex.domain.events import GENESIS, EventKind, Lag, commit, lag, seal
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.memory import Memory
from cortex.domain.passages import terms_of, terms_said
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace, canonical, label_of, name_of
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector, sign_codes, unit
from cortex.errors import Conflict, InvalidRequest, NotFound, StoreCorrupt
from cortex.ports.store import (
    Calibrate,
    Change,
    ClaimLost,
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
    Remove,
)
from cortex.stores.sqlite import calibrations, damage, lexicon
from cortex.stores.sqlite.codec import (
    batched,
    marks,
    pack_id,
    pack_receipt,
    pack_time,
    unpack_id,
    unpack_time,
    unpack_trace,
)
from cortex.stores.sqlite.codes import MANY

SALT_BYTES = 16

_LAST_POSITION = 2**63 - 1

_TOGETHER = 32
"""How many rows one statement inserts."""


def check(changes: Sequence[Change]) -> None:
    """Refuse what can be seen to be wrong before the lock is taken."""
    for change in changes:
        if isinstance(change, Embed):
            for vector in change.vectors:
                check_vector(vector, change.space)


def check_vector(vector: Vector, space: EmbeddingSpace) -> None:
    """Refuse a vector that does not belong into `space`."""
    if vector.shape != (space.dimension,) or not np.isfinite(vector).all():
        raise InvalidRequest(
            f"is not {space.dimension} finite numbers (shape {vector.shape})",
            field="vector",
            hint=f"embed with {space.provider}/{space.model}",
        )


class Stored(NamedTuple):
    """What is known of a trace that is already there."""

    row: int
    name: str
    facet: int
    since: int
    salt: bytes
    body: str
    checksum: int | None

    @property
    def said(self) -> dict[str, Any] | None:
        """Its fields; None where the row is damaged."""
        return damage.fields(self.body, self.checksum, self.facet)


class Writer:
    """One transaction's work.

    Where changes are not `recorded`, there are no events and no earlier versions: for what can be made anew from
    elsewhere at any time.
    """

    def __init__(self, connection: sqlite3.Connection, tenant: Tenant, at: datetime, *, recorded: bool = True) -> None:
        self._db = connection
        self._recorded = recorded
        self._clock = pack_time(at)
        self._user = self._intern("users", name=tenant.user, also={"checksum": damage.checksum(tenant.user)})
        self._facets: dict[tuple[str, ...], int] = {}
        self._threads: dict[str, int] = {}
        self.position, self._seal, last = (
            self._last_event() if recorded else (counted_position(connection), GENESIS, None)
        )
        # The order of the ledger is the order of its times: a clock that was set back does not turn it around.
        self._at = self._clock if last is None else max(self._clock, last)
        self._told_at = str(self._at)
        self._lag, self._set_back = self._behind(last)
        self._events: list[tuple[object, ...]] = []
        self._embedded: dict[str, int] = {}
        self._is_index_stale = False

    def apply(self, changes: Sequence[Change]) -> None:
        """Carry out `changes` in order; runs of new traces go in together."""
        for run in _runs(changes):
            first = run[0]
            if isinstance(first, Put):
                self._put([change for change in run if isinstance(change, Put)])
            elif isinstance(first, Embed):
                self._embed([change for change in run if isinstance(change, Embed)])
            elif isinstance(first, Calibrate):
                calibrations.keep(self._db, self._space(first.space)[0], self.position, first.calibration)
            elif isinstance(first, Remove):
                self._remove(first.id)
            elif isinstance(first, Erase):
                self._erase(first)
            elif isinstance(first, RecordAccess):
                self._touch(first)
            elif isinstance(first, PutReceipt):
                self._file(first)
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
        self._write_events()
        if self._is_index_stale:
            from cortex.stores.sqlite import audit

            audit.rebuild(self._db)

    # --- traces ----------------------------------------------------------------------------------

    def _put(self, puts: Sequence[Put]) -> None:
        known = self._stored([put.trace.id for put in puts], taken=True)
        for id in [id for id, old in known.items() if old.said is None]:
            self._set_aside(known.pop(id))
        for is_known, some in groupby(puts, key=lambda put: put.trace.id in known):
            if is_known:
                for put in some:
                    self._revise(put, known[put.trace.id])
            else:
                self._insert(list(some))

    def _insert(self, puts: Sequence[Put]) -> None:
        traces, postings, terms, counts = [], [], list[tuple[Any, ...]](), []
        speakers: Counter[tuple[int, str]] = Counter()
        sources: list[tuple[bytes, int]] = []
        row = self._next_row()
        salts = os.urandom(SALT_BYTES * len(puts))
        for number, put in enumerate(puts):
            trace, at = put.trace, row + number
            salt = salts[SALT_BYTES * number : SALT_BYTES * (number + 1)]
            body, facet = canonical(trace), self._facet(trace)
            thread, seq = self._place(trace)
            self._event(put.because, trace.id, commit(salt, body))
            traces.append(
                (at, pack_id(trace.id), name_of(trace), facet, self.position, pack_time(trace.created_at),
                 thread, seq, slot(trace), salt, body, damage.checksum(body, facet))
            )  # fmt: skip
            if trace.state in SEARCHABLE:
                words = terms_of(trace)
                postings.append((at, posting(facet, self._user, words)))
                terms += units(at, facet, thread, seq, words)
                counts.append((1, len(words), sum(map(len, words)), facet))
            else:
                counts.append((1, 0, 0, facet))
            if isinstance(trace, Turn) and trace.speaker:
                speakers[facet, trace.speaker] += 1
            elif isinstance(trace, Memory) and trace.source_turns:
                sources += source_rows(at, trace)
        self._add("traces (row, id, name, facet, since, created, thread, seq, slot, salt, body, checksum)", traces)
        self._add("lexicon", terms)
        self._db.executemany("INSERT INTO postings (rowid, terms) VALUES (?, ?)", postings)
        self._count(counts)
        self._count_speakers(speakers)
        self._db.executemany(ADD_SOURCE, sources)

    def _revise(self, put: Put, old: Stored) -> None:
        trace, body = put.trace, canonical(put.trace)
        before = json.loads(old.body)  # one that is damaged was set aside
        facet = self._facet(trace)
        salt = os.urandom(SALT_BYTES)
        thread, seq = self._place(trace)
        self._event(put.because, trace.id, commit(salt, body))
        if self._recorded:
            self._db.execute(
                "INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?)",
                (old.row, old.since, self.position, old.facet, old.salt, old.body, old.checksum),
            )
        self._db.execute(
            "UPDATE traces SET facet = ?, since = ?, created = ?, thread = ?, seq = ?, slot = ?, salt = ?, body = ?,"
            " checksum = ? WHERE row = ?",
            (facet, self.position, pack_time(trace.created_at), thread, seq, slot(trace), salt, body,
             damage.checksum(body, facet), old.row),
        )
        if before["text"] != trace.text:
            # The vectors are of the old text: past views keep them, present ones no longer see them.
            self._end_vectors("row = ?", (old.row,), self.position)
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
        self._db.execute("INSERT INTO postings (rowid, terms) VALUES (?, ?)", (row, posting(facet, self._user, words)))
        self._db.executemany(ADD_UNIT, units(row, facet, *self._place(trace), words))
        self._count([(1, len(words), sum(map(len, words)), facet)])
        live = self._db.execute(
            "SELECT v.key, v.space, v.vector, s.centre FROM vectors v JOIN spaces s ON s.id = v.space"
            " WHERE v.row = ? AND v.until IS NULL AND s.centre IS NOT NULL",
            (row,),
        ).fetchall()
        for key, space, vector, centre in live:
            self._add_codes(space, facet, centre, [(key, row, vector)])

    def _set_aside(self, old: Stored) -> None:
        """Make room for a trace whose row is damaged."""
        self._move(
            lambda: damage.set_trace_aside(self._db, old.row, "its checksum is wrong", recorded=self._recorded)
        )
        # What it was found by cannot be told without its words: `verify --repair` makes the index anew.
        self._count([(-1, 0, 0, old.facet)])

    def _move(self, move: Callable[[], None]) -> None:
        """Have a damaged row moved to the quarantine table, which leaves events of its own."""
        self._write_events()
        move()
        if self._recorded:
            self.position, self._seal, _ = self._last_event()

    def _unindex(self, old: Stored, said: Mapping[str, Any] | None) -> None:
        """Take a trace, whose fields were `said`, out of everything a search looks at; None where it is damaged."""
        if said is None:
            # The posting lists would keep its words: they are made anew.
            self._is_index_stale = True
            return
        if speaker := said.get("speaker"):
            self._count_speakers({(old.facet, speaker): -1})
        passages, length = self._db.execute(
            "SELECT count(*), coalesce(sum(length), 0) FROM lexicon WHERE row = ?", (old.row,)
        ).fetchone()
        if passages:
            # A contentless index forgets a row only when told the very terms it was given.
            self._db.execute(
                "INSERT INTO postings (postings, rowid, terms) VALUES ('delete', ?, ?)",
                (old.row, posting(old.facet, self._user, terms_said(said))),
            )
            self._db.execute("DELETE FROM lexicon WHERE row = ?", (old.row,))
        self._count([(-1, -passages, -length, old.facet)])
        self._db.execute("INSERT INTO tombs (code) SELECT seq FROM codes WHERE row = ?", (old.row,))
        self._db.execute("DELETE FROM codes WHERE row = ?", (old.row,))

    def _remove(self, id: TraceId, because: EventKind = EventKind.REMOVED) -> None:
        old = self._stored([id]).get(id)
        moved = self._db.execute(
            "DELETE FROM quarantine WHERE user = ? AND (key = ? OR key LIKE ? || '@%')", (self._user, id, id)
        ).rowcount
        if old is None and not moved:
            raise NotFound(f"no memory, turn or chunk {id}", hint="see `cortex list`")
        self._event(because, id, commit(b"", id))
        if old is None:
            return
        self._unindex(old, old.said)
        for statement in (
            "DELETE FROM traces WHERE row = ?",
            "DELETE FROM versions WHERE row = ?",
            "DELETE FROM vectors WHERE row = ?",
            "DELETE FROM accesses WHERE row = ?",
            "DELETE FROM sources WHERE row = ?",
            "DELETE FROM lexicon WHERE row = ?",
        ):
            self._db.execute(statement, (old.row,))

    def _erase(self, change: Erase) -> None:
        erasing = change.erasure
        if self._db.execute("SELECT 1 FROM erasures WHERE id = ?", (erasing.id,)).fetchone():
            return
        going = self._stored([*erasing.ids, *self._drawn_from(erasing.ids)])
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

    def _drawn_from(self, ids: Iterable[TraceId]) -> list[TraceId]:
        """The memories that were drawn from any of these turns."""
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
            (told := erasure.without_ids(_text(body), gone), damage.checksum(told, self._user, None), id)
            for id, body, query in receipts
            if erasure.names(_text(body), gone) or (query is not None and sought.is_said([_text(query)]))
        ]
        self._db.executemany("UPDATE receipts SET body = ?, query = NULL, checksum = ? WHERE id = ?", cut)
        for (session,) in self._db.execute("SELECT session FROM sessions WHERE user = ?", (self._user,)).fetchall():
            state = self._state(session) or {}
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
        packed = {pack_id(id): id for id in ids}
        found: dict[TraceId, Stored] = {}
        for some in batched(packed):
            # All at once: a half-read answer, kept alive by an error, would hold its snapshot beyond the rollback.
            rows = self._db.execute(
                "SELECT t.id, f.user, t.row, t.name, t.facet, t.since, t.salt, t.body, t.checksum"
                f" FROM traces t JOIN facets f ON f.id = t.facet WHERE t.id IN ({marks(some)})",
                some,
            ).fetchall()
            for id, user, *rest in rows:
                if user == self._user:
                    found[packed[id]] = Stored(*rest)
                elif taken:
                    raise InvalidRequest("is taken", field="id", hint="let the engine choose ids")
        return found

    # --- vectors ---------------------------------------------------------------------------------

    def _embed(self, embeds: Sequence[Embed]) -> None:
        known = self._stored(embed.id for embed in embeds)
        embeds = [embed for embed in embeds if embed.text is None or _says(known.get(embed.id), embed.text)]
        spaces: dict[str, tuple[int, bytes | None]] = {}
        for embed in embeds:
            if embed.id not in known:
                raise NotFound(f"no memory, turn or chunk {embed.id} to embed", hint="store it first")
            key = embed.space.key
            if key not in spaces:
                spaces[key] = self._space(embed.space)
            if key not in self._embedded:
                self._event(EventKind.EMBEDDED, key, commit(b"", key))
                self._embedded[key] = self.position
        fresh = []
        for embed in embeds:
            space, _ = spaces[embed.space.key]
            row = known[embed.id].row
            since = self._embedded[embed.space.key]
            self._drop_vectors(space, row, since)
            fresh += [
                (space, row, passage, since, packed, damage.checksum(packed, space, row, passage))
                for passage, vector in enumerate(embed.vectors)
                if (packed := unit(vector).astype("<f4").tobytes())
            ]
        first = self._next_key()
        self._db.executemany(
            "INSERT INTO vectors (space, row, passage, since, vector, checksum) VALUES (?, ?, ?, ?, ?, ?)", fresh
        )
        facets = {stored.row: stored.facet for stored in known.values()}
        for space, centre in spaces.values():
            if centre is None:
                self._centre(space)
            else:
                coded = [(first + n, row, vector) for n, (of, row, _, _, vector, _) in enumerate(fresh) if of == space]
                for facet in {facets[row] for _, row, _ in coded if self._is_indexed(row)}:
                    mine = [each for each in coded if facets[each[1]] == facet]
                    self._add_codes(space, facet, centre, mine)

    def _drop_vectors(self, space: int, row: int, at: int) -> None:
        where = "row = ? AND space = ?"
        if self._end_vectors(where, (row, space), at):
            self._db.execute(f"INSERT INTO tombs (code) SELECT seq FROM codes WHERE {where}", (row, space))
            self._db.execute(f"DELETE FROM codes WHERE {where}", (row, space))

    def _end_vectors(self, where: str, values: tuple[int, ...], at: int) -> int:
        """From position `at` on these vectors are no longer seen; gives how many there were."""
        live = f"{where} AND until IS NULL"
        if not self._recorded:
            return self._db.execute(f"DELETE FROM vectors WHERE {live}", values).rowcount
        return self._db.execute(f"UPDATE vectors SET until = ? WHERE {live}", (at, *values)).rowcount

    def _add_codes(self, space: int, facet: int, centre: bytes, vectors: Sequence[tuple[int, int, bytes]]) -> None:
        vectors = [each for each in vectors if len(each[2]) == len(centre)]  # a damaged one is not looked for
        if not vectors:
            return
        matrix = np.frombuffer(b"".join(vector for _, _, vector in vectors), dtype="<f4").reshape(len(vectors), -1)
        codes = sign_codes(matrix, np.frombuffer(centre, dtype="<f4"))
        self._db.executemany(
            "INSERT INTO codes (space, key, row, facet, code) VALUES (?, ?, ?, ?, ?)",
            [(space, key, row, facet, code.tobytes()) for (key, row, _), code in zip(vectors, codes, strict=True)],
        )

    def _centre(self, space: int) -> None:
        """Fix the centre of a space once there are enough vectors to know it, and code them all.

        It stays as it is from then on: codes must not depend on what came later, or past answers
        could not be given again.
        """
        live = "FROM vectors v JOIN traces t ON t.row = v.row WHERE v.space = ? AND v.until IS NULL"
        if self._db.execute(f"SELECT count(*) {live}", (space,)).fetchone()[0] <= MANY:
            return
        rows = self._db.execute(f"SELECT v.key, v.row, v.vector, t.facet {live}", (space,)).fetchall()
        (width,) = self._db.execute("SELECT 4 * dimension FROM spaces WHERE id = ?", (space,)).fetchone()
        rows = [row for row in rows if isinstance(row[2], bytes) and len(row[2]) == width]
        matrix = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4").reshape(len(rows), -1)
        centre = matrix.mean(axis=0, dtype=np.float64).astype("<f4").tobytes()
        set_centre(self._db, space, centre, self.position)
        for key, row, vector, facet in rows:
            if self._is_indexed(row):
                self._add_codes(space, facet, centre, [(key, row, vector)])

    def _is_indexed(self, row: int) -> bool:
        return self._db.execute("SELECT 1 FROM lexicon WHERE row = ? AND passage = 0", (row,)).fetchone() is not None

    def _space(self, space: EmbeddingSpace) -> tuple[int, bytes | None]:
        checksum = damage.checksum(None, space.key, space.dimension)
        id = self._intern("spaces", key=space.key, dimension=space.dimension, also={"checksum": checksum})
        centre: bytes | None = self._db.execute("SELECT centre FROM spaces WHERE id = ?", (id,)).fetchone()[0]
        return id, centre

    # --- use, receipts, sessions, jobs -----------------------------------------------------------

    def _touch(self, touch: RecordAccess) -> None:
        known = self._stored(touch.ids)
        if missing := [id for id in touch.ids if id not in known]:
            raise NotFound(f"no memory {missing[0]}", hint="see `cortex list`")
        self._event(EventKind.RECALLED, "", commit(b"", ",".join(touch.ids)))
        at = pack_time(touch.at)
        rows = [known[id].row for id in dict.fromkeys(touch.ids)]
        self._db.executemany("INSERT INTO accesses VALUES (?, ?, ?)", [(row, self.position, at) for row in rows])
        self._db.executemany(
            "UPDATE traces SET uses = uses + 1, used = max(coalesce(used, 0), ?) WHERE row = ?",
            [(at, row) for row in rows],
        )

    def _file(self, file: PutReceipt) -> None:
        receipt, body = file.receipt, pack_receipt(file.receipt)
        self._db.execute(
            "INSERT OR REPLACE INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?)",
            (receipt.id, self._user, pack_time(receipt.at), receipt.op, body, file.query,
             damage.checksum(body, self._user, file.query)),
        )  # fmt: skip

    def _set_state(self, change: PatchSession) -> None:
        if change.state is None:
            self._db.execute("DELETE FROM sessions WHERE user = ? AND session = ?", (self._user, change.session))
        else:
            merged = {**(self._state(change.session) or {}), **change.state}
            self._keep_state(change.session, {key: value for key, value in merged.items() if value is not None})

    def _keep_state(self, session: str, parts: Mapping[str, Any]) -> None:
        state = json.dumps(parts)
        self._db.execute(
            "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)",
            (self._user, session, state, damage.checksum(state, self._user, session)),
        )

    def _state(self, session: str) -> dict[str, Any] | None:
        """What is known of a session; None where its row is damaged, or there is none."""
        known = self._db.execute(
            "SELECT state, checksum FROM sessions WHERE user = ? AND session = ?", (self._user, session)
        ).fetchone()
        try:
            if known is None:
                return None
            damage.check(known[1], known[0], self._user, session)
            return dict(json.loads(known[0]))
        except damage.UNREADABLE:
            where = "user = ? AND session = ?"
            self._move(lambda: damage.set_aside(
                self._db, "sessions", where, (self._user, session), session, "it is damaged", user=self._user
            ))  # fmt: skip
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
            raise ClaimLost(f"job {job.id} is no longer ours", hint="leave it to whoever has it now")

    def _expect_same(self, expected: ExpectSame) -> None:
        trace = expected.trace
        found = self._stored([trace.id]).get(trace.id)
        # Read before it is compared: another release may have written the same fields in another order.
        is_same = (
            found is not None
            and found.said is not None
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
        checksum = damage.checksum(payload, self._user, job.kind, job.key)
        if job.state is JobState.WAITING:
            moved = self._db.execute(
                "UPDATE jobs SET due = ?, payload = ?, checksum = ?, written = ?"
                " WHERE user = ? AND kind = ? AND key = ? AND state = 'waiting' AND id <> ?",
                (pack_time(job.due), payload, checksum, self._clock, self._user, job.kind, job.key, job.id),
            ).rowcount
            if moved:
                self._db.execute("DELETE FROM jobs WHERE id = ?", (job.id,))
                return
        if job.state is JobState.DONE:
            self._db.execute(
                "DELETE FROM jobs WHERE user = ? AND kind = ? AND key = ? AND state = 'done'",
                (self._user, job.kind, job.key),
            )
        claimed = pack_time(job.claimed_until) if job.claimed_until else None
        self._db.execute(
            "INSERT OR REPLACE INTO jobs"
            " (id, user, kind, key, due, state, attempts, claimed, error, payload, checksum, written)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (job.id, self._user, job.kind, job.key, pack_time(job.due), job.state.value, job.attempts, claimed,
             job.error, payload, checksum, self._clock),
        )  # fmt: skip

    # --- ledger and interned names ---------------------------------------------------------------

    @property
    def own_position(self) -> int:
        """The position of the user's own last event, once everything was carried out."""
        return own_position(self._db, self._user) if self._recorded else self.position

    def _last_event(self) -> tuple[int, str, int | None]:
        last = self._db.execute("SELECT position, seal, at FROM events ORDER BY position DESC LIMIT 1").fetchone()
        if last and not isinstance(last[1], bytes):
            raise StoreCorrupt(f"event {last[0]} has no seal to follow", hint=damage.SEE_VERIFY)
        return (last[0], last[1].hex(), last[2]) if last else (0, GENESIS, None)

    def _behind(self, last: int | None) -> tuple[Lag | None, bool]:
        """How far the clock is behind the ledger, and whether that is new."""
        if last is None or self._clock >= last:
            return None, False
        found = self._db.execute("SELECT value FROM meta WHERE key = 'lag'").fetchone()
        seen = Lag(*(unpack_time(int(each)) for each in found[0].split())) if found else None
        return lag(unpack_time(self._clock), unpack_time(last), seen)

    def _event(self, kind: EventKind, subject: str, commitment: str) -> None:
        if self._set_back:
            self._set_back = False
            shown = unpack_time(self._clock).isoformat()
            self._event(EventKind.CLOCK_SET_BACK, shown, commit(b"", shown))
        self.position += 1
        if not self._recorded:
            return
        name = str(kind)
        self._seal = seal(self._seal, self.position, self._told_at, name, subject, commitment)
        self._events.append(
            (self.position, self._user, self._at, name, subject, bytes.fromhex(commitment), bytes.fromhex(self._seal))
        )

    def _write_events(self) -> None:
        if not self._recorded:
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('position', ?)", (str(self.position),))
        if self._events and self._lag is not None:
            behind = f"{pack_time(self._lag.ledger)} {pack_time(self._lag.clock)}"
            self._db.execute("INSERT OR REPLACE INTO meta VALUES ('lag', ?)", (behind,))
        self._add("events", self._events)
        self._events.clear()

    def _add(self, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Insert `rows`, many with each statement: to run one costs about as much as a row."""
        if not rows:
            return
        row = f"({marks(rows[0])})"
        whole = len(rows) - len(rows) % _TOGETHER
        for start in range(0, whole, _TOGETHER):
            values = list(chain.from_iterable(rows[start : start + _TOGETHER]))
            self._db.execute(f"INSERT INTO {into} VALUES {', '.join([row] * _TOGETHER)}", values)
        self._db.executemany(f"INSERT INTO {into} VALUES {row}", rows[whole:])

    def _facet(self, trace: Trace) -> int:
        key = (trace.scope, trace.lane, trace.kind, trace.trust, label_of(trace), trace.state)
        if key not in self._facets:
            columns = ("scope", "lane", "kind", "trust", "label", "state")
            values: dict[str, Any] = dict(zip(columns, map(str, key), strict=True))
            self._facets[key] = self._intern("facets", user=self._user, **values)
        return self._facets[key]

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
            "INSERT INTO speakers VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET turns = turns + excluded.turns",
            [(facet, name, count) for (facet, name), count in counts.items()],
        )
        if any(count < 0 for count in counts.values()):
            self._db.execute("DELETE FROM speakers WHERE turns <= 0")

    def _intern(self, table: str, *, also: Mapping[str, object] | None = None, **values: object) -> int:
        """The id of the row with these values, made if need be, with what goes `also` in then.

        Table and columns are our own names.
        """
        where = " AND ".join(f"{column} = ?" for column in values)
        found = self._db.execute(f"SELECT id FROM {table} WHERE {where}", (*values.values(),)).fetchone()
        if found:
            id: int = found[0]
            return id
        values |= also or {}
        cursor = self._db.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks(values)})",
            (*values.values(),),
        )
        assert cursor.lastrowid is not None  # an INSERT always has one
        return cursor.lastrowid

    def _next_row(self) -> int:
        return self._next("traces")

    def _next_key(self) -> int:
        return self._next("vectors")

    def _next(self, table: str) -> int:
        found = self._db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        return (found[0] if found else 0) + 1


def own_position(connection: sqlite3.Connection, user: int, upto: int | None = None) -> int:
    """The position of a user's last event, of those up to `upto`; 0 where there is none."""
    found: int | None = connection.execute(
        "SELECT max(position) FROM events WHERE user = ? AND position <= ?",
        (user, _LAST_POSITION if upto is None else min(upto, _LAST_POSITION)),
    ).fetchone()[0]
    return found or 0


def counted_position(connection: sqlite3.Connection) -> int:
    """The position of a file that records no events."""
    found = connection.execute("SELECT value FROM meta WHERE key = 'position'").fetchone()
    return int(found[0]) if found and str(found[0]).isdecimal() else 0


def set_centre(connection: sqlite3.Connection, space: int, centre: bytes, position: int) -> None:
    """Fix the centre of a space at a position."""
    key, dimension = connection.execute("SELECT key, dimension FROM spaces WHERE id = ?", (space,)).fetchone()
    connection.execute(
        "UPDATE spaces SET centre = ?, centred = ?, checksum = ? WHERE id = ?",
        (centre, position, damage.checksum(centre, key, dimension), space),
    )


def _text(value: object) -> str:
    """What a column says, whatever a damaged row made of it."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


ADD_SOURCE = "INSERT OR IGNORE INTO sources VALUES (?, ?)"
ADD_UNIT = "INSERT INTO lexicon VALUES (?, ?, ?, ?, ?, ?, ?)"


def slot(trace: Trace) -> str | None:
    return trace.slot if isinstance(trace, Memory) and trace.attribute else None


def source_rows(row: int, trace: Trace) -> list[tuple[bytes, int]]:
    """The rows that tell which turns a memory was drawn from."""
    return [(pack_id(turn), row) for turn in trace.source_turns] if isinstance(trace, Memory) else []


def units(
    row: int, facet: int, thread: int | None, seq: int | None, words: Sequence[Sequence[str]]
) -> list[tuple[Any, ...]]:
    """The rows of the lexicon for one trace."""
    return [(row, passage, facet, thread, seq, len(some), lexicon.pack(some)) for passage, some in enumerate(words)]


def posting(facet: int, user: int, words: Sequence[Sequence[str]]) -> str:
    """What the posting lists are told of one trace."""
    return " ".join((facet_token(facet), user_token(user), *chain.from_iterable(words)))


def facet_token(facet: int) -> str:
    """The posting-list token of a facet; `=` never occurs in a term."""
    return f"=f{facet}"


def user_token(user: int) -> str:
    return f"=u{user}"


def _says(stored: Stored | None, text: str) -> bool:
    return stored is not None and json.loads(stored.body)["text"] == text


def _runs(changes: Sequence[Change]) -> Iterable[list[Change]]:
    """Consecutive puts of distinct traces, or embeds of distinct traces, together; everything else alone."""
    run: list[Change] = []
    seen: set[tuple[TraceId, str]] = set()
    for change in changes:
        joins = isinstance(change, Put | Embed) and run and type(run[0]) is type(change)
        key = _key(change)
        if run and not (joins and key not in seen):
            yield run
            run, seen = [], set()
        run.append(change)
        seen.add(key)
    if run:
        yield run


def _key(change: Change) -> tuple[TraceId, str]:
    if isinstance(change, Put):
        return change.trace.id, ""
    if isinstance(change, Embed):
        return change.id, change.space.key
    return TraceId(""), ""
