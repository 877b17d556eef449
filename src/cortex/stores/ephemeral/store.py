"""A store in memory: nothing outlives the process. It is the plainest reading of the port, and so the oracle.

Each tenant has a shelf. A shelf is never changed: `apply` works on a copy and puts it in the place of
the old one when everything has succeeded. That gives atomicity, and to every view its snapshot.
"""

from __future__ import annotations

import copy
import json
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np

from cortex.domain import erasure
from cortex.domain.backup_manifest import Figures
from cortex.domain.calibration import chosen
from cortex.domain.chunk import Chunk
from cortex.domain.conversations import Before, Conversation, gathered
from cortex.domain.dump import DumpRecord
from cortex.domain.erasure import Erasure, ErasureMatch, Sought
from cortex.domain.events import Event, EventCount, EventKind, commit, lag, seal, time_in_seal
from cortex.domain.growth import DayCount, counted_by_day
from cortex.domain.health import Check
from cortex.domain.holds import HOLDS
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.lanes import SEARCHABLE
from cortex.domain.lexical import BEFORE, rarity, saturation
from cortex.domain.memory import Memory
from cortex.domain.passages import terms_of
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.sorting import Place, Placed, Sort, SortKey, in_order, value_of
from cortex.domain.terms import QueryTerm
from cortex.domain.text import folded
from cortex.domain.trace import Trace, canonical, is_contradicted, label_of, name_of, used_at
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector, unit
from cortex.errors import Conflict, DeadlineExceeded, InvalidRequest, NotFound, NotSupported, StoreUnavailable
from cortex.options import SettingsSection
from cortex.ports.clock import Clock
from cortex.ports.store import (
    RESERVED,
    Abilities,
    Calibrate,
    Change,
    ClaimLost,
    Counts,
    DropReceipts,
    Embed,
    Erase,
    ExpectAbsent,
    ExpectClaim,
    ExpectLast,
    ExpectSame,
    ExpectState,
    Filter,
    Finding,
    Job,
    JobState,
    Match,
    PatchSession,
    Pulse,
    Put,
    PutJob,
    PutReceipt,
    RecordAccess,
    RecordDecision,
    RecordRestore,
    Remove,
    Residue,
    Sampled,
    Skipped,
    Version,
    require_position,
)
from cortex.ports.store_url import StoreUrl
from cortex.runtime.deadline import Deadline
from cortex.stores.ephemeral import dump as dumping
from cortex.stores.ephemeral.shelf import Embedding, SaidVersion, Shelf, Use

SALT_BYTES = 16

ABILITIES = Abilities(as_of=True, tags=True, compaction=True)
OPTIONS = SettingsSection


def check_url(url: StoreUrl, *, home: Path) -> None:  # noqa: ARG001 - nothing is kept
    """Refuse whatever follows the scheme."""
    if url.reveal().partition(":")[2]:
        raise url.refusal("has more than its scheme", hint="give ephemeral: alone; nothing is kept anywhere")


def create(
    url: StoreUrl,  # noqa: ARG001
    *,
    agent: str,  # noqa: ARG001 - nothing is kept
    home: Path,  # noqa: ARG001
    options: SettingsSection,  # noqa: ARG001
) -> EphemeralStore:
    """What the registry calls: a store that lives as long as the process."""
    return EphemeralStore()


def agents(url: StoreUrl, *, home: Path, options: SettingsSection) -> list[str]:  # noqa: ARG001 - nothing is kept
    return []


def checks(url: StoreUrl, *, home: Path, clock: Clock) -> Sequence[Check]:  # noqa: ARG001 - it needs nothing
    return ()


class EphemeralStore:
    """Everything in memory, for tests, dry runs and sessions that must leave nothing behind."""

    def __init__(self, *, entropy: Callable[[int], bytes] = os.urandom) -> None:
        self._entropy = entropy
        self._lock = threading.RLock()
        self._shelves: dict[Tenant, Shelf] = {}
        self._erasures: dict[str, Erasure] = {}
        self._erasing = threading.Lock()
        self._closed = False

    @property
    def abilities(self) -> Abilities:
        return ABILITIES

    def apply(
        self, tenant: Tenant, changes: Sequence[Change], *, at: datetime, actor: str = "", cause: str = ""
    ) -> int:
        """Carry out all changes or none; gives the position of the tenant's last event."""
        with self._lock:
            work = _Transaction(self._shelf(tenant).copied(), at, self._entropy, actor, cause)
            others = [shelf for owner, shelf in self._shelves.items() if owner != tenant]
            for change in changes:
                if isinstance(change, Put) and any(change.trace.id in shelf.said for shelf in others):
                    raise InvalidRequest("cannot be used", field="id", hint="let the engine make a fresh id")
                work.carry_out(change)
            self._shelves[tenant] = work.shelf
            return work.shelf.position

    @contextmanager
    def view(self, tenant: Tenant, as_of: int | None = None, at_least: int | None = None) -> Iterator[_View]:
        with self._lock:
            shelf = self._shelf(tenant)
        now = shelf.position
        if as_of is not None and as_of < 0:
            raise InvalidRequest(f"{as_of} is not a position of the ledger", field="as_of", hint=f"give 0 to {now}")
        require_position(now, at_least)
        upto = (event.position for event in reversed(shelf.events) if as_of is None or event.position <= as_of)
        yield _View(shelf, next(upto, 0), as_of)

    def position_at(self, tenant: Tenant, at: datetime) -> int:
        with self._lock:
            shelf = self._shelf(tenant)
        return next((event.position - 1 for event in shelf.events if event.at > at), shelf.position)

    def claim(
        self, tenant: Tenant, kinds: Sequence[str], *, now: datetime, until: datetime, alone: Sequence[str] = ()
    ) -> Job | None:
        with self._lock:
            shelf = self._shelf(tenant).copied()
            # What was enqueued while the same work is under way waits until that has ended.
            running = [job for job in shelf.jobs.values() if _is_running(job, now)]
            under_way = {_work_of(job) for job in running}
            taken = frozenset(alone if any(job.kind in alone for job in running) else ())
            due = [job for job in shelf.jobs.values() if job.kind in kinds and _is_due(job, now)]
            free = (job for job in due if _work_of(job) not in under_way and job.kind not in taken)
            job = min(free, key=_by_due, default=None)
            if job is None:
                return None
            job = replace(job, state=JobState.RUNNING, claimed_until=until, attempts=job.attempts + 1, written_at=now)
            shelf.jobs[job.id] = job
            self._shelves[tenant] = shelf
            return copy.deepcopy(job)

    def vector_sets(self, tenant: Tenant) -> Mapping[str, int]:
        with self._lock:
            shelf = self._shelf(tenant)
        held = (each for embeddings in shelf.embeddings.values() for each in embeddings)
        return Counter(each.space for each in held if each.holds(shelf.position) and each.vectors)

    def sample(self, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        with self.view(tenant) as view:
            found = view.scan(Filter(), limit=len(self._shelf(tenant).said))
            vectors = {trace.id: view._vectors(trace.id, space) for trace in found}
        by_id = {trace.id: trace for trace in found if vectors[trace.id]}
        return [Sampled(by_id[id], vectors[id][0]) for id in chosen(by_id, limit)]

    def users(self) -> list[str]:
        with self._lock:
            return sorted({tenant.user for tenant, shelf in self._shelves.items() if not shelf.is_empty})

    def dump(self, tenant: Tenant) -> Iterator[DumpRecord]:
        with self._lock:
            shelf, erasures = self._shelf(tenant), self.erasures(tenant.user)
        yield from dumping.dump(shelf, erasures)

    def load(self, tenant: Tenant, records: Iterable[DumpRecord], *, source: str) -> None:  # noqa: ARG002 - it goes in one go
        shelf, erasures = dumping.load(records)
        with self._lock:
            if not self._shelf(tenant).is_empty:
                raise InvalidRequest("has memories here already", field="user", hint="load another user, or elsewhere")
            self._shelves[tenant] = shelf
            self._erasures |= {each.id: each for each in erasures}

    def damaged(self, tenant: Tenant) -> Mapping[str, int]:  # noqa: ARG002 - nothing here is read from bytes
        return {}

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:  # noqa: ARG002 - nothing is derived, so nothing can be repaired
        """Recompute the chain of each tenant, and open the commitment of every version that is still here."""
        with self._lock:
            shelves = dict(self._shelves)
        for tenant, shelf in shelves.items():
            first, previous = shelf.start
            own = [event for event in shelf.events if event.position > first]
            expected = first + 1
            for event in own:
                is_after_restore = event.kind is EventKind.BACKUP_RESTORED and event.position > expected
                is_placed = event.position == expected or is_after_restore
                expected = event.position + 1
                if not is_placed or event.seal != _seal(previous, event):
                    message = f"event {event.position} of {tenant.user} does not follow from the one before it"
                    yield Finding("chain_broken", message)
                previous = event.seal
            commitments = {event.position: event.commitment for event in shelf.events}
            for said in (each for versions in shelf.said.values() for each in versions):
                if commitments.get(said.since) != commit(said.salt, canonical(said.trace)):
                    yield Finding("commitment_broken", f"{said.trace.id} is not what event {said.since} recorded")

    def maintain(self) -> Mapping[str, Any]:
        return {"indexes": "none"}

    def compact(self, *, rewrite: bool = True) -> bool:  # noqa: ARG002 - nothing is left of what is removed
        return True

    def find_residue(
        self,
        tenant: Tenant,
        texts: Sequence[str],
        also: Sequence[Path] = (),  # noqa: ARG002 - has no files
        ids: Sequence[TraceId] = (),  # noqa: ARG002
    ) -> Residue:
        with self._lock:
            shelf = self._shelf(tenant)
        sought = Sought(texts)
        traces = {
            id: max(sought.likeness(erasure.strings_in(canonical(each.trace))) for each in versions)
            for id, versions in sorted(shelf.said.items())
        }
        payload = {
            "jobs": [text for job in shelf.jobs.values() for text in erasure.strings(dict(job.payload))],
            "receipts": [query for _, query in shelf.receipts.values() if query],
            "sessions": [text for state in shelf.states.values() for text in erasure.strings(state)],
        }
        tables = {name: sought.likeness(texts) for name, texts in payload.items()}
        return Residue(
            traces=tuple(id for id, found in traces.items() if found is ErasureMatch.SAME),
            tables=tuple(name for name, found in tables.items() if found is ErasureMatch.SAME),
            near=tuple(id for id, found in traces.items() if found is ErasureMatch.NEAR),
            near_tables=tuple(name for name, found in tables.items() if found is ErasureMatch.NEAR),
        )

    def find_mentions(self, tenant: Tenant, ids: Sequence[TraceId], texts: Sequence[str]) -> list[str]:
        with self._lock:
            shelf = self._shelf(tenant)
        gone, sought = frozenset(ids), Sought(texts)
        found = [
            query
            for receipt, query in shelf.receipts.values()
            if query and (erasure.names(json.dumps(receipt.facts), gone) or sought.is_said([query]))
        ]
        payloads = [dict(job.payload) for job in shelf.jobs.values()]
        said = [erasure.strings(each) for each in payloads if erasure.speaks_of(each, gone, sought)]
        return list(dict.fromkeys([*found, *(text for texts in said for text in texts)]))

    def erasures(self, user: str | None = None, *, pending: bool = False) -> list[Erasure]:
        with self._lock:
            known = [each for each in self._erasures.values() if user in (None, each.user)]
        return sorted((each for each in known if not (pending and each.finished)), key=lambda each: (each.at, each.id))

    def record_erasure(self, erasure: Erasure) -> None:
        with self._lock:
            self._erasures[erasure.id] = erasure

    def withdraw_erasure(self, id: str) -> None:
        with self._lock:
            self._erasures.pop(id, None)

    @contextmanager
    def erasure_lock(self, seconds: float) -> Iterator[bool]:
        ours = self._erasing.acquire(timeout=seconds)
        try:
            yield ours
        finally:
            if ours:
                self._erasing.release()

    def backup(self, to: Path) -> Mapping[str, Figures] | None:
        raise NotSupported(f"nothing here is kept, so nothing goes to {to}", hint="set store.url to keep memory")

    def describe(self) -> Mapping[str, Any]:
        return {}

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._shelves, self._erasures = {}, {}

    def _shelf(self, tenant: Tenant) -> Shelf:
        if self._closed:
            raise StoreUnavailable("the store is closed", hint="open a new one; what it held is gone")
        return self._shelves.get(tenant) or Shelf()


class _Transaction:
    """One `apply` under way: changes a copy of the shelf, and collects the events that record it."""

    def __init__(self, shelf: Shelf, at: datetime, entropy: Callable[[int], bytes], actor: str, cause: str) -> None:
        self.shelf = shelf
        self._last = shelf.events[-1] if shelf.events else None
        self._clock = at.astimezone(UTC)
        self._at = max(self._clock, self._last.at) if self._last else self._clock
        self._lag, self._set_back = lag(self._clock, self._last.at if self._last else None, shelf.lag)
        self._entropy = entropy
        self._by = (actor, cause)
        self._embedded: dict[str, int] = {}
        self._skipped = 0
        """Positions to leave out before the next event."""

    def carry_out(self, change: Change) -> None:
        match change:
            case Put(trace, because):
                self._put(trace, because)
            case Remove(id):
                self._remove(id)
            case Erase(erasing, loosely):
                self._erase(erasing, loosely=loosely)
            case Embed(id, space, vectors, text):
                if text is None or self._says(id, text):
                    self._embed(id, space, vectors)
            case Calibrate(space, measured):
                earlier = self.shelf.scales.get(space.key, ())
                self.shelf.scales = {**self.shelf.scales, space.key: (*earlier, (self.shelf.position, measured))}
            case RecordAccess(ids, at):
                self._touch(ids, at)
            case PutReceipt(receipt, query):
                self.shelf.receipts[receipt.id] = copy.deepcopy(receipt), query
            case DropReceipts():
                self._drop_receipts(change)
            case RecordRestore(backup, above):
                self._skipped = max(0, above - self.shelf.position)
                self._record(EventKind.BACKUP_RESTORED, backup, backup, b"")
            case RecordDecision(kind, subject):
                self._record(kind, subject, subject, b"")
            case PatchSession(session, None):
                self.shelf.states.pop(session, None)
            case PatchSession(session, parts):
                merged = {**self.shelf.states.get(session, {}), **(parts or {})}
                self.shelf.states[session] = copy.deepcopy({k: v for k, v in merged.items() if v is not None})
            case PutJob(job):
                self._put_job(replace(copy.deepcopy(job), written_at=self._clock))
            case ExpectLast(session, seq):
                self._expect_last(session, seq)
            case ExpectClaim(job):
                self._expect_claim(job)
            case ExpectSame(trace):
                self._expect_same(trace)
            case ExpectAbsent(ids):
                if known := sorted(id for id in ids if id in self.shelf.said):
                    raise Conflict(f"{known[0]} was stored meanwhile", hint="look again")
            case ExpectState(session, parts):
                self._expect_state(session, parts)

    def _put(self, trace: Trace, because: EventKind) -> None:
        trace, salt = _uncounted(trace), self._entropy(SALT_BYTES)
        position = self._record(because, trace.id, canonical(trace), salt)
        before = self.shelf.said.get(trace.id, ())
        if before:
            if before[-1].trace.text != trace.text:
                self._drop_vectors(trace.id, position)
            before = (*before[:-1], replace(before[-1], until=position))
        self.shelf.said[trace.id] = (
            *before,
            SaidVersion(trace, position, None, salt, tuple(map(Counter, terms_of(trace)))),
        )

    def _remove(self, id: TraceId, because: EventKind = EventKind.REMOVED) -> None:
        self._known(id)
        self._record(because, id, id)
        for kept in (self.shelf.said, self.shelf.embeddings, self.shelf.uses):
            kept.pop(id, None)

    def _erase(self, erasing: Erasure, *, loosely: bool) -> None:
        if erasing.id in self.shelf.erased:
            return
        extracted = [id for id, each in self.shelf.said.items() if _is_extracted(each[-1].trace, erasing.ids)]
        going = dict.fromkeys(id for id in (*erasing.ids, *extracted) if id in self.shelf.said)
        if not loosely and going.keys() != set(erasing.ids):
            raise Conflict("what is to be erased has changed meanwhile", hint="look again")
        said = [each.trace.text for id in going for each in self.shelf.said[id]]
        sought, gone = Sought([*erasing.texts, *said]), frozenset({*erasing.ids, *going})
        for id in going:
            self._remove(id, EventKind.ERASED)
        for name, (receipt, query) in self.shelf.receipts.items():
            text = json.dumps(receipt.facts)
            if erasure.names(text, gone) or (query is not None and sought.is_said([query])):
                facts = json.loads(erasure.without_ids(text, gone))
                self.shelf.receipts[name] = replace(receipt, facts=facts), None
        for key, job in list(self.shelf.jobs.items()):
            if erasure.speaks_of(dict(job.payload), gone, sought):
                del self.shelf.jobs[key]
        for session, state in self.shelf.states.items():
            if session != HOLDS:
                self.shelf.states[session] = erasure.parts_left(state, gone, sought)
        for session, more in erasing.marks.items():
            state = self.shelf.states.get(session, {})
            left = {name: part for name, part in state.items() if name != "history"}
            marked = erasure.with_marks(state.get(erasure.MARKS), more)
            self.shelf.states[session] = {**left, erasure.MARKS: marked}
        self.shelf.erased = self.shelf.erased | {erasing.id}

    def _drop_receipts(self, drop: DropReceipts) -> None:
        for id, (receipt, _) in list(self.shelf.receipts.items()):
            if drop.before is not None and receipt.at < drop.before:
                del self.shelf.receipts[id]
            elif drop.queries_before is not None and receipt.at < drop.queries_before:
                self.shelf.receipts[id] = receipt, None

    def _embed(self, id: TraceId, space: EmbeddingSpace, vectors: Sequence[Vector]) -> None:
        self._known(id)
        units = tuple(_checked(vector, space) for vector in vectors)
        if space.key not in self._embedded:
            self._embedded[space.key] = self._record(EventKind.EMBEDDED, space.key, space.key)
        position = self._embedded[space.key]
        self._drop_vectors(id, position, space.key)
        known = self.shelf.embeddings
        number = 1 + max((each.number for some in known.values() for each in some), default=0)
        known[id] = (*known.get(id, ()), Embedding(space.key, units, position, None, number))
        if space.key not in self.shelf.spaces:
            made = {"key": space.key, "dimension": space.dimension, "centre": None, "centred": None}
            self.shelf.spaces = {**self.shelf.spaces, space.key: made}

    def _drop_vectors(self, id: TraceId, position: int, space: str | None = None) -> None:
        self.shelf.embeddings[id] = tuple(
            replace(each, until=position) if each.until is None and space in (None, each.space) else each
            for each in self.shelf.embeddings.get(id, ())
        )

    def _touch(self, ids: Sequence[TraceId], at: datetime) -> None:
        for id in ids:
            self._known(id)
        position = self._record(EventKind.RECALLED, "", " ".join(ids))
        for id in dict.fromkeys(ids):
            self.shelf.uses[id] = (*self.shelf.uses.get(id, ()), Use(position, at.astimezone(UTC)))

    def _put_job(self, job: Job) -> None:
        jobs = self.shelf.jobs
        if job.state is JobState.WAITING:
            jobs.pop(job.id, None)
            same = (each for each in jobs.values() if _work_of(each) == _work_of(job))
            if known := next((each for each in same if each.state is JobState.WAITING), None):
                job = replace(known, due=job.due, payload=job.payload, written_at=job.written_at)
        if job.state in (JobState.DONE, JobState.CANCELED):
            done = [each for each in jobs.values() if _work_of(each) == _work_of(job) and each.state is job.state]
            for each in done:
                del jobs[each.id]
        jobs[job.id] = job

    def _expect_last(self, session: str, seq: int) -> None:
        traces = (versions[-1].trace for versions in self.shelf.said.values())
        last = max((each.seq for each in traces if isinstance(each, Turn) and each.session == session), default=-1)
        if last != seq:
            raise Conflict(f"the session has gone on to turn {last}", hint="look again")

    def _expect_claim(self, job: Job) -> None:
        known = self.shelf.jobs.get(job.id)
        if known is None or (known.state, known.attempts) != (job.state, job.attempts):
            raise ClaimLost(f"job {job.id} is no longer ours", hint="leave it to the process that has it now")

    def _expect_same(self, trace: Trace) -> None:
        versions = self.shelf.said.get(trace.id)
        if not versions or canonical(versions[-1].trace) != canonical(trace):
            raise Conflict(f"{name_of(trace)} {trace.id} was changed or removed meanwhile", hint="look again")

    def _expect_state(self, session: str, parts: Mapping[str, Any]) -> None:
        found = self.shelf.states.get(session, {})
        if any(found.get(name) != part for name, part in parts.items()):
            raise Conflict(f"the state of session {session} was changed meanwhile", hint="look again")

    def _says(self, id: TraceId, text: str) -> bool:
        return id in self.shelf.said and self.shelf.said[id][-1].trace.text == text

    def _known(self, id: TraceId) -> None:
        if id not in self.shelf.said:
            raise NotFound(f"there is no trace {id}", hint="see `cortex list` for what there is")

    def _record(self, kind: EventKind, subject: str, content: str, salt: bytes | None = None) -> int:
        """Append an event that commits to `content`; gives its position."""
        if self._set_back and kind is not EventKind.BACKUP_RESTORED:
            self._set_back = False
            shown = self._clock.isoformat()
            self._record(EventKind.CLOCK_SET_BACK, shown, shown)
        before, previous = self.shelf.head
        position, self._skipped = before + self._skipped + 1, 0
        commitment = commit(salt or self._entropy(SALT_BYTES), content)
        event = Event(position, self._at, kind, subject, commitment, "", *self._by)
        event = replace(event, seal=_seal(previous, event))
        self.shelf.events.append(event)
        self.shelf.lag = self._lag
        self._last = event
        return position


class _View:
    """What one shelf held at one position."""

    def __init__(self, shelf: Shelf, position: int, as_of: int | None) -> None:
        self._shelf = shelf
        self._position = position
        self._as_of = as_of

    @property
    def position(self) -> int:
        return self._position

    @property
    def at(self) -> datetime | None:
        events = self.events(limit=len(self._shelf.events))
        return events[-1].at if events else None

    @property
    def skipped(self) -> Sequence[Skipped]:
        return ()

    @property
    def degraded(self) -> Sequence[str]:
        return ()

    def damage(self, id: TraceId) -> str | None:  # noqa: ARG002 - nothing here is read from bytes
        return None

    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        return [self._counted(trace) for id in ids if (trace := self._trace(id))]

    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        _hurry(deadline, "keyword")
        filter = _searchable(filter)
        searched = [said for said in self._current() if _has_facets(said.trace, filter)]
        documents = {said.trace.id: said.passages for said in searched}
        lengths = [passage.total() for passages in documents.values() for passage in passages]
        mean_length = sum(lengths) / len(lengths) if any(lengths) else 1.0
        frequency = {
            term: sum(any(term.text in each for each in some) for some in documents.values()) for term in terms
        }
        worth = {term: term.weight * rarity(len(documents), frequency[term]) for term in terms}
        whole = sum(worth[term] for term in terms)
        before = {
            (said.trace.session, said.trace.seq + 1): said.passages[-1]
            for said in searched
            if isinstance(said.trace, Turn)
        }
        matches = []
        for trace in self._matching(filter):
            lent = before.get((trace.session, trace.seq), Counter()) if isinstance(trace, Turn) else Counter()
            found = max(
                sum(
                    worth[term] * saturation(count, float(passage.total()), mean_length)
                    for term in terms
                    if (count := passage[term.text] + (BEFORE * lent[term.text] if number == 0 else 0.0))
                )
                for number, passage in enumerate(documents[trace.id])
            )
            if found:
                matches.append(Match(trace.id, float(found / whole)))
        return _best(matches, limit)

    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        _hurry(deadline, "vector")
        wanted = _checked(vector, space)
        matches = []
        for trace in self._matching(_searchable(filter)):
            cosines = [float(np.dot(each, wanted)) for each in self._vectors(trace.id, space)]
            if cosines:
                best = max(cosines)
                matches.append(Match(trace.id, best, cosines.index(best)))
        return _best(matches, limit)

    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        known = self._shelf.scales.get(space.key, ())
        found = (each for at, each in reversed(known) if self._as_of is None or at <= self._as_of)
        return next(found, None)

    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        rest = [trace for trace in self._matching(filter) if after is None or trace.id > after]
        return [self._counted(trace) for trace in rest[: max(0, limit)]]

    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        rest = [trace for trace in self._matching(filter) if before is None or trace.id < before]
        return [self._counted(trace) for trace in rest[::-1][: max(0, limit)]]

    def sorted(self, filter: Filter, sort: Sort, after: Place | None = None, limit: int = 1_000) -> list[Placed]:
        def placed(trace: Trace) -> Placed:
            if sort.key is SortKey.CHANGED:
                return Placed(trace, Place(self.history(trace.id)[-1].since, trace.id))
            if sort.key is SortKey.STORED:
                first = 0 if isinstance(trace, Chunk) else self.history(trace.id)[0].since
                return Placed(trace, Place(first, trace.id))
            return Placed(trace, Place(value_of(trace, sort.key), trace.id))

        return in_order((placed(self._counted(trace)) for trace in self._matching(filter)), sort, after, limit)

    def days(self, filter: Filter, first: date) -> list[DayCount]:
        return counted_by_day((said.trace for said in self._current() if _has_facets(said.trace, filter)), first)

    def pulse(self) -> Pulse:
        jobs = Counter(job.state.value for job in self._shelf.jobs.values())
        return Pulse(self._position, len(self._current()), dict(jobs))

    def counts(self, filter: Filter) -> Counts:
        traces = self._matching(filter)
        times = [trace.created_at for trace in traces]
        return Counts(
            total=len(traces),
            by_lane=dict(Counter(trace.lane.value for trace in traces)),
            by_scope=dict(Counter(trace.scope for trace in traces)),
            by_kind=dict(Counter(trace.kind.value for trace in traces)),
            by_label=dict(Counter(label_of(trace).value for trace in traces)),
            by_trust=dict(Counter(trace.trust.value for trace in traces)),
            by_state=dict(Counter(trace.state.value for trace in traces)),
            oldest=min(times, default=None),
            newest=max(times, default=None),
            text_bytes=sum(len(trace.text.encode()) for trace in traces),
        )

    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        wanted = frozenset(turns)
        traces = (said.trace for said in self._current())
        extracted = [each for each in traces if _is_extracted(each, wanted)]
        return [memory for trace in extracted if isinstance(memory := self._counted(trace), Memory)]

    def history(self, id: TraceId) -> list[Version]:
        return [
            Version(said.trace, said.since, None if said.holds(self._position) else said.until)
            for said in self._shelf.said.get(id, ())
            if said.since <= self._position
        ]

    def speakers(self, filter: Filter) -> frozenset[str]:
        traces = (said.trace for said in self._current() if _has_facets(said.trace, filter))
        return frozenset(trace.speaker for trace in traces if isinstance(trace, Turn) and trace.speaker)

    def scopes(self, filter: Filter) -> frozenset[str]:
        return frozenset(said.trace.scope for said in self._current() if _has_facets(said.trace, filter))

    def turn_at(self, session: str, seq: int) -> Turn | None:
        return next((turn for turn in self._session(session) if turn.seq == seq), None)

    def last_seq(self, session: str) -> int:
        return max((turn.seq for turn in self._session(session)), default=-1)

    def turns(self, session: str, after: int = -1, limit: int = 1_000) -> list[Turn]:
        return [turn for turn in self._session(session) if turn.seq > after][: max(0, limit)]

    def conversations(self, before: Before | None = None, limit: int = 50, named: str = "") -> list[Conversation]:
        return gathered((said.trace for said in self._current()), before, limit, named)

    def events(self, after: int = 0, limit: int = 1_000) -> list[Event]:
        return [event for event in self._shelf.events if after < event.position <= self._position][: max(0, limit)]

    def latest_events(
        self,
        limit: int = 50,
        *,
        before: int | None = None,
        kinds: Collection[EventKind] | None = None,
        subject: str | None = None,
    ) -> list[Event]:
        found = [
            event
            for event in self._shelf.events
            if event.position <= self._position
            and (before is None or event.position < before)
            and (kinds is None or event.kind in kinds)
            and (subject is None or event.subject == subject)
        ]
        return found[::-1][: max(0, limit)]

    def event_days(self, first: date) -> list[EventCount]:
        days = ((event.at.astimezone(UTC).date(), event.kind) for event in self.events(limit=len(self._shelf.events)))
        counted = Counter((day, kind) for day, kind in days if day >= first)
        return [EventCount(day, kind, number) for (day, kind), number in sorted(counted.items())]

    def receipt(self, id: ReceiptId) -> tuple[Receipt, str | None] | None:
        return copy.deepcopy(self._shelf.receipts.get(id))

    def receipts(self, limit: int = 20, op: str | None = None, before: ReceiptId | None = None) -> list[Receipt]:
        kept = [receipt for receipt, _ in self._shelf.receipts.values() if op in (None, receipt.op)]
        if before is not None:
            found = self._shelf.receipts.get(before)
            kept = [each for each in kept if found and (each.at, each.id) < (found[0].at, found[0].id)]
        newest = sorted(kept, key=lambda receipt: (receipt.at, receipt.id), reverse=True)
        return copy.deepcopy(newest[: max(0, limit)])

    def receipt_counts(self, before: datetime) -> tuple[int, int]:
        kept = [query for receipt, query in self._shelf.receipts.values() if receipt.at < before]
        return len(kept), sum(query is not None for query in kept)

    def queries(self, after: ReceiptId | None = None, limit: int = 1_000) -> list[tuple[ReceiptId, str]]:
        kept = sorted((id, query) for id, (_, query) in self._shelf.receipts.items() if query is not None)
        return [each for each in kept if after is None or each[0] > after][: max(0, limit)]

    def state(self, session: str) -> Mapping[str, Any] | None:
        return copy.deepcopy(self._shelf.states.get(session))

    def sessions(self, after: str = "", limit: int = 100) -> list[str]:
        names = sorted(self._shelf.states)
        return [name for name in names if name > after and not name.startswith(RESERVED)][: max(0, limit)]

    def changed_by(self, ids: Sequence[TraceId]) -> dict[TraceId, Event]:
        events = {event.position: event for event in self._shelf.events if event.position <= self._position}
        since = {id: max((each.since for each in self.history(id)), default=0) for id in ids}
        return {id: events[position] for id, position in since.items() if position in events}

    def jobs(self, state: JobState | None = None, limit: int = 100) -> list[Job]:
        found = [job for job in self._shelf.jobs.values() if state in (None, job.state)]
        return copy.deepcopy(sorted(found, key=_by_due)[: max(0, limit)])

    def _current(self) -> list[SaidVersion]:
        """The versions that held at this position, in order of id."""
        versions = (said for _, versions in sorted(self._shelf.said.items()) for said in versions)
        return [said for said in versions if said.holds(self._position)]

    def _trace(self, id: TraceId) -> Trace | None:
        versions = self._shelf.said.get(id, ())
        return next((said.trace for said in versions if said.holds(self._position)), None)

    def _matching(self, filter: Filter) -> list[Trace]:
        return [
            said.trace
            for said in self._current()
            if _has_facets(said.trace, filter)
            and _is_within(said.trace, filter)
            and (filter.used_since is None or used_at(self._counted(said.trace)) >= filter.used_since)
            and (filter.lacking is None or not self._vectors(said.trace.id, filter.lacking))
        ]

    def _session(self, session: str) -> list[Turn]:
        """The turns of a session in the order they were said."""
        traces = (said.trace for said in self._current())
        turns = (trace for trace in traces if isinstance(trace, Turn) and trace.session == session)
        return sorted(turns, key=lambda turn: (turn.seq, turn.id))

    def _vectors(self, id: TraceId, space: EmbeddingSpace) -> tuple[Vector, ...]:
        held = (each for each in self._shelf.embeddings.get(id, ()) if each.space == space.key)
        return next((each.vectors for each in held if each.holds(self._position)), ())

    def _counted(self, trace: Trace) -> Trace:
        uses = [use.at for use in self._shelf.uses.get(trace.id, ()) if use.position <= self._position]
        if not uses or not isinstance(trace, Memory):
            return trace
        return trace.revised(last_accessed_at=max(uses), access_count=len(uses))


def _searchable(filter: Filter) -> Filter:
    """What of `filter` a search looks at: forgotten and expired traces are for history."""
    return replace(filter, states=filter.states & SEARCHABLE)


def _has_facets(trace: Trace, filter: Filter) -> bool:
    """Whether the filter's facets mean this trace; keyword statistics are counted over those that do."""
    return (
        trace.state in filter.states
        and (filter.lanes is None or trace.lane in filter.lanes)
        and (filter.scopes is None or trace.scope in filter.scopes)
        and (filter.kinds is None or trace.kind in filter.kinds)
        and (filter.trusts is None or trace.trust in filter.trusts)
        and (filter.labels is None or label_of(trace) in filter.labels)
    )


def _is_within(trace: Trace, filter: Filter) -> bool:
    """Whether the rest of the filter, uses aside, means this trace: it restricts the answer, not the statistics."""
    return (
        (filter.ids is None or trace.id in filter.ids)
        and (filter.slots is None or (isinstance(trace, Memory) and trace.slot in filter.slots))
        and (filter.sessions is None or (isinstance(trace, Turn) and trace.session in filter.sessions))
        and (filter.contradicted is None or is_contradicted(trace) is filter.contradicted)
        and (filter.since is None or trace.created_at >= filter.since)
        and (filter.until is None or trace.created_at < filter.until)
        and (filter.contains is None or folded(filter.contains) in folded(trace.text))
        and (filter.topics is None or (isinstance(trace, Memory) and trace.topic in filter.topics))
        and (filter.tags is None or (isinstance(trace, Memory) and not filter.tags.isdisjoint(trace.tags)))
    )


def _best(matches: list[Match], limit: int) -> list[Match]:
    return sorted(matches, key=lambda match: (-match.score, match.id))[: max(0, limit)]


def _by_due(job: Job) -> tuple[datetime, str]:
    return job.due, job.id


def _work_of(job: Job) -> tuple[str, str]:
    return job.kind, job.key


def _is_extracted(trace: Trace, turns: Collection[TraceId]) -> bool:
    return isinstance(trace, Memory) and not set(trace.source_turns).isdisjoint(turns)


def _is_running(job: Job, now: datetime) -> bool:
    return job.state is JobState.RUNNING and now < job.ready_at(now)


def _is_due(job: Job, now: datetime) -> bool:
    return job.state in (JobState.WAITING, JobState.RUNNING) and job.ready_at(now) <= now


def _uncounted(trace: Trace) -> Trace:
    return trace.revised(last_accessed_at=None, access_count=0) if isinstance(trace, Memory) else trace


def _checked(vector: Vector, space: EmbeddingSpace) -> Vector:
    """`vector` at unit length, or an error if it cannot belong to `space`."""
    if np.shape(vector) != (space.dimension,):
        raise InvalidRequest(
            f"has the shape {np.shape(vector)}, not that of {space.key}",
            field="vector",
            hint=f"give {space.dimension} numbers",
        )
    if not np.isfinite(vector).all():
        raise InvalidRequest("has a number that is not finite", field="vector", hint="embed the text again")
    return unit(np.array(vector, dtype=np.float32))


def _seal(previous: str, event: Event) -> str:
    at = time_in_seal(event.at)
    by = (event.actor, event.cause)
    return seal(previous, event.position, at, event.kind.value, event.subject, event.commitment, *by)


def _hurry(deadline: Deadline | None, leg: str) -> None:
    if deadline is not None and deadline.passed:
        raise DeadlineExceeded(f"the {leg} leg came too late", hint="allow more time with deadline_ms")
