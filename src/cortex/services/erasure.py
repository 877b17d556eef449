"""ErasureService for good: what was said, all that was derived from it, and the proof that it is gone.

`forget` hides and keeps history; what is erased is in no row, no index, no cache and no log any more. The ledger keeps
that something was there and is not, and its chain still verifies.

An erasure is written down before anything is removed, and is finished when the store is opened next if this process
does not get to it. Its steps can be done again at any time: the rows, the file, the cache, the look for what is left.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from cortex.capture.history import Line
from cortex.context import Context
from cortex.dependencies import log
from cortex.domain import erasure
from cortex.domain.chunk import Chunk
from cortex.domain.erasure import Erasure
from cortex.domain.identity import TraceId, checked_id
from cortex.domain.memory import Memory
from cortex.domain.passages import passages_of
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace, parse_time
from cortex.domain.turn import Turn
from cortex.errors import (
    Conflict,
    EngineError,
    Held,
    InvalidRequest,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreForeign,
)
from cortex.lifecycle import backups as backing
from cortex.ports.index import FileIndex, Indexes
from cortex.ports.store import Erase, ExpectSame, Residue, Version, View, retry_on_conflict
from cortex.progress import Progress, silent
from cortex.services.holds import HoldService

SCHEMA = "cortex.erase.certificate.v1"

MOST_IDS = 1_000
SALT_BYTES = 16
WAIT_SECONDS = 60.0
"""How long an erasure waits for another that is under way."""

INTERRUPTED = "it was interrupted"
READERS = "another process has been reading since before, so old pages are still in the log"


@dataclass(frozen=True, slots=True)
class Remain:
    """Somewhere the text still stands after it was erased, and what to do about it."""

    where: str
    what: str
    fix: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was erased and where it was looked for afterwards. It holds ids and numbers, never text."""

    id: str
    """Of the erasure: it finds the certificate again."""
    at: datetime
    agent: str
    user: str
    erased: tuple[TraceId, ...]
    derived: tuple[TraceId, ...]
    """Of those, the memories that went because a turn they were extracted from did."""
    sources_left: tuple[TraceId, ...]
    """Turns that a memory was extracted from, which stay."""
    texts: int
    position: int = 0
    too_short: int = 0
    """How many of the texts were too short to be looked for: they would be found in anything."""
    compacted: bool = False
    chain: bool = False
    """Whether the ledger and everything derived still verify."""
    remains: tuple[Remain, ...] = ()
    near: tuple[Remain, ...] = ()
    """Where nearly the same stands, in other letters or spaces or in most of its words: for a person to decide on."""
    pending: str = INTERRUPTED
    """Why the erasure is not finished yet; empty once it is."""

    @property
    def clean(self) -> bool:
        """Whether nothing is left of it in this memory."""
        return self.compacted and self.chain and not (self.remains or self.near or self.pending)

    def to_json(self) -> dict[str, Any]:
        payload = asdict(self) | {"at": self.at.isoformat()}
        return {"schema": SCHEMA, "clean": self.clean} | payload

    @classmethod
    def from_json(cls, payload: Mapping[str, Any]) -> Certificate:
        """The certificate of `to_json`."""
        known = {name: payload[name] for name in cls.__dataclass_fields__}
        ids = {name: tuple(map(TraceId, known[name])) for name in ("erased", "derived", "sources_left")}
        places = {name: tuple(Remain(**each) for each in payload[name]) for name in ("remains", "near")}
        return cls(**known | ids | places | {"at": parse_time(payload["at"])})


@dataclass(frozen=True, slots=True)
class Erased:
    """The certificate, and the receipt."""

    certificate: Certificate
    receipt: Receipt
    earlier: tuple[str, ...] = ()
    """Other erasures, in which some of these ids were erased before: they have certificates of their own."""


class ErasureService:
    """Erases traces of one tenant permanently."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def erase(self, ids: Sequence[str], *, sources: bool = False, backups: bool = False) -> Erased:
        wanted = _checked(ids)
        self._context.flush()  # a receipt that is still to be written would name them again
        with self._context.recording("erase") as record:
            with self.alone():
                planned = self._planned(wanted, sources=sources, backups=backups)
                done = self._finished(planned) if planned else None
                before = self._before(wanted, done)
                if done is None:
                    done = self._again(before.pop(), backups=backups)
            record.close(
                done.position, erasure=done.id, erased=len(done.erased) if planned else 0, derived=len(done.derived),
                remains=len(done.remains), near=len(done.near), clean=done.clean,
            )  # fmt: skip
        if done.pending:
            self._context.dependencies.nudge(self._context.tenant.agent)
        return Erased(done, record.receipt, tuple(each.id for each in before))

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The right to erase; another erasure of the agent is waited for."""
        with self._context.store.erasure_lock(WAIT_SECONDS) as ours:
            if not ours:
                raise StoreBusy("another erasure is under way", hint="wait for it, then erase again")
            yield

    # --- of many users at once: whoever calls these is `alone` -------------------------------------

    def plan(self, ids: Sequence[TraceId], *, backups: bool) -> Erasure | None:
        """Write down an erasure and remove its rows; None where all of it had gone before."""
        return self._planned(ids, sources=False, backups=backups)

    def plan_lost(self, ids: Sequence[TraceId]) -> Erasure:
        """Write down an erasure of what only backups hold any more: they are rewritten without it."""
        now = self._context.clock.now()
        planned = Erasure(
            id=self._context.ids(now), user=self._context.tenant.user, at=now, ids=tuple(sorted(ids)), backups=True
        )
        self._context.store.record_erasure(planned)
        return planned

    def plan_said(self, texts: Sequence[str]) -> Erasure:
        """Write down an erasure of what stands beside the traces: in kept queries, states of sessions and jobs."""
        now = self._context.clock.now()
        # One without an id could not be told from one that cannot be read; this one is nobody's.
        nobody = TraceId(self._context.ids(now))
        planned = Erasure(
            id=self._context.ids(now), user=self._context.tenant.user, at=now, ids=(nobody,), texts=tuple(texts),
            backups=True,
        )  # fmt: skip
        self._context.store.record_erasure(planned)
        return planned

    def finish_together(
        self, planned: Sequence[Erasure], backups: Iterable[Path] = (), progress: Progress = silent
    ) -> list[Certificate]:
        """Finish erasures of several users: the store and these backups are rewritten and verified once for all."""
        store = self._context.store
        for each in planned:
            service = ErasureService(self._context.bind(user=each.user))
            store.apply(service._context.tenant, [Erase(each, loosely=True)], at=self._context.clock.now())
        if planned and store.abilities.compaction:
            store.compact()
        for path in backups:
            self._rewrite(path, _Places())  # what is in the way is found again, and named, below
        verified = self._is_sound()
        done = []
        for number, each in enumerate(planned):
            progress(number, len(planned), "finished")
            service = ErasureService(self._context.bind(user=each.user))
            done.append(service._finished(replace(each, rewritten=True), verified=verified))
        return done

    def finish_pending(self) -> Sequence[Certificate]:
        return self.finish() if self._context.store.erasures(pending=True) else []

    def finish(self) -> list[Certificate]:
        """Finish what is pending of the agent, for any user; returns what of this tenant is still pending."""
        with self._context.store.erasure_lock(0) as ours:
            if ours:
                self._context.flush()
                for each in self._context.store.erasures(pending=True):
                    if each.ids:  # what cannot be read is for a person to look at
                        ErasureService(self._context.bind(user=each.user))._finished(each)
        pending = self._context.store.erasures(self._context.tenant.user, pending=True)
        return [self._certificate_of(each) for each in pending]

    def all(self) -> list[Certificate]:
        """The certificates of this tenant, oldest first."""
        return [self._certificate_of(each) for each in self._context.store.erasures(self._context.tenant.user)]

    def certificate(self, id: str) -> Certificate:
        wanted = checked_id(id)
        for each in reversed(self._context.store.erasures(self._context.tenant.user)):
            if each.id == wanted or wanted in each.ids:
                return self._certificate_of(each)
        raise NotFound(f"nothing was erased by or as {id}", hint="see `cortex erase --list`")

    # --- planning --------------------------------------------------------------------------------

    def _planned(self, ids: Sequence[TraceId], *, sources: bool, backups: bool) -> Erasure | None:
        """What is to go, written down and its rows removed; None where all of it had gone before.

        It is looked at again where something else was written meanwhile.
        """
        known = {each.id: each for each in self._context.store.erasures()}
        gone = {id for each in known.values() if each.user == self._context.tenant.user for id in each.ids}
        try:
            return retry_on_conflict(lambda: self._try_plan(ids, known, gone, sources=sources, backups=backups))
        except Held:
            raise
        except Conflict as error:
            raise StoreBusy("what is to be erased is being written all the time", hint="erase again") from error

    def _try_plan(
        self, ids: Sequence[TraceId], known: Mapping[str, Erasure], gone: set[TraceId], *, sources: bool, backups: bool
    ) -> Erasure | None:
        with self._context.view() as view:
            plan = _plan(view, ids, gone, sources=sources)
            if plan is None:
                return None
            HoldService(self._context).refuse(view, plan.versions, plan.ids)
            planned = self._erasure(plan, known, view, backups=backups)
        self._context.store.record_erasure(planned)
        try:
            same = [ExpectSame(trace) for trace in plan.traces]
            self._context.store.apply(self._context.tenant, [*same, Erase(planned)], at=planned.at)
        except EngineError:
            # It is refused as a whole, so it must not be carried out later.
            self._context.store.withdraw_erasure(planned.id)
            raise
        return planned

    def _erasure(self, plan: _Plan, known: Mapping[str, Erasure], view: View, *, backups: bool) -> Erasure:
        now = self._context.clock.now()
        id = self._context.ids(now)
        while id in known:
            id = self._context.ids(now)
        return Erasure(
            id=id,
            user=self._context.tenant.user,
            at=now,
            ids=plan.ids,
            derived=plan.derived,
            sources_left=plan.sources_left,
            marks={session: _marks(session, lines, view) for session, lines in plan.said.items()},
            backups=backups,
            texts=plan.texts,
            cached=tuple(self._cached(plan)),
        )

    def _cached(self, plan: _Plan) -> Iterator[str]:
        """The cache of vectors knows texts by their hash alone, so it gets the embedded texts."""
        if (cache := self._context.dependencies.vector_cache) is not None:
            tokens = self._context.passage_tokens
            embedded = [text for trace, before in plan.embedded for text in passages_of(trace, tokens, before)]
            spoken = self._context.store.find_mentions(self._context.tenant, plan.ids, plan.texts)
            yield from dict.fromkeys(map(cache.key, (*plan.texts, *embedded, *spoken)))

    # --- finishing -------------------------------------------------------------------------------

    def _finished(self, planned: Erasure, *, verified: bool | None = None) -> Certificate:
        """Do what is left to do of an erasure; where something is in the way it stays pending, with the reason."""
        tenant, now = self._context.tenant, self._context.clock.now()
        compacted, reason, remains = False, INTERRUPTED, _Places()
        try:
            self._context.store.apply(tenant, [Erase(planned, loosely=True)], at=now)
            compacts = self._context.store.abilities.compaction
            compacted = compacts and self._context.store.compact(rewrite=not planned.rewritten)
            planned = replace(planned, rewritten=True)
            reason = READERS if compacts and not compacted else ""
            reason = self._forgotten(planned) or reason
            remains = self._left(planned)
            if remains.is_own and compacted and not reason:  # a power cut may have taken back what was rewritten
                compacted = self._context.store.compact()
                reason = "" if compacted else READERS
                remains = self._left(planned)
        except EngineError as error:
            reason = error.message
        except OSError as error:
            reason = str(error)
        certificate = replace(
            self._begun(planned),
            position=self._context.position(),
            too_short=sum(not erasure.sought(text) for text in planned.texts),
            compacted=compacted,
            chain=self._is_sound() if verified is None else verified,
            remains=remains.listed(),
            near=remains.listed_near(),
            pending=reason,
        )
        payload = certificate.to_json()
        ended = replace(planned, reason=reason, certificate=payload) if reason else planned.ended(payload)
        try:
            self._context.store.record_erasure(ended)
        except EngineError as error:  # what was planned is still there, and is finished once this can be written
            certificate = replace(certificate, pending=error.message)
        if certificate.pending:
            log.warning("erasure %s is not finished: %s", planned.id, certificate.pending)
        return certificate

    def _is_sound(self) -> bool:
        return all(finding.repaired for finding in self._context.store.verify())

    def _forgotten(self, planned: Erasure) -> str:
        """Remove the cached vectors; gives what is in the way."""
        cache = self._context.dependencies.vector_cache
        trouble = cache.forget(planned.cached) if cache else ""
        return f"{trouble}: it may be deleted" if trouble else ""

    def _left(self, planned: Erasure) -> _Places:
        """Where something of it still stands."""
        tenant, places = self._context.tenant, _Places()
        kept = backing.files(self._context.dependencies.home / backing.FOLDER, tenant.agent)
        found = self._context.store.find_residue(tenant, planned.texts, kept, planned.ids)
        for id in found.traces:
            places.remain(id, "says the same", f"run `cortex erase {id}`")
        for id in found.near:
            places.nearly(id, "says nearly the same", f"see `cortex get {id}`; run `cortex erase {id}` if it is to go")
        for table in (*found.tables, *found.near_tables):
            places.remain(table, "says the same", "erase again")
        for path in found.files:
            if path in kept and planned.backups:
                self._rewrite_fully(path, planned, places)
            elif path in kept:
                places.remain(path.name, _A_BACKUP, f"run `cortex erase {planned.ids[0]} --backups`, which rewrites it")
            else:
                places.own(path, is_used=path not in found.leftovers)
        abilities = self._context.store.abilities
        if abilities.durable and not abilities.proof_by_bytes:
            places.remain(str(self._context.dependencies.store_url(tenant.agent)), *_UNSEEN)
        self._look_at_files(planned, places)
        return places

    def _rewrite_fully(self, path: Path, planned: Erasure, places: _Places) -> None:
        """Take it out of a backup, and look whether it says the same elsewhere."""
        self._rewrite(path, places)
        if self._context.store.find_residue(self._context.tenant, planned.texts, [path], planned.ids).files_of([path]):
            places.remain(path.name, "a backup says the same elsewhere", "erase what says the same as well")

    def _rewrite(self, path: Path, places: _Places) -> None:
        """Take out of a backup what was erased. One that cannot be restored is removed, and what was left beside it."""
        agent, backup = self._context.tenant.agent, backing.read_name(path)
        if backup is None:
            path.unlink(missing_ok=True)
            return
        try:
            left = self._context.dependencies.rewrite_backup(agent, path, self._context.store.erasures())
        except (StoreCorrupt, StoreForeign):
            log.warning("%s is damaged and was removed: it held what was erased", path.name)
            backing.remove(path)
            return
        except EngineError as error:
            places.remain(path.name, f"{_A_BACKUP}: {error.message}", error.hint or "erase again")
            return
        backing.write_manifest(path, agent, backup.at, left)

    def _look_at_files(self, planned: Erasure, places: _Places) -> None:
        """Where a followed file says it: the files are the truth there, and not ours to change."""
        known, indexes = self._context.indexes, self._context.dependencies.indexes(self._context.tenant)
        if indexes is None or isinstance(known, StoreError):
            return
        for index in known:
            self._look_at_index(index, indexes, planned, places)

    def _look_at_index(self, index: FileIndex, indexes: Indexes, planned: Erasure, places: _Places) -> None:
        found: Residue = index.find_residue(self._context.tenant, planned.texts, indexes.unused_files())
        if found.files:
            index.compact()
            found = index.find_residue(self._context.tenant, planned.texts, indexes.unused_files())
        for path in found.files:
            places.remain(path.name, "an index of files holds it", "run `cortex index`: what was replaced is removed")
        with self._context.view() as view:
            for chunk in view.load(found.traces):
                if isinstance(chunk, Chunk):
                    places.remain(chunk.citation, "a file says the same", _EDIT)
            for chunk in view.load(found.near):
                if isinstance(chunk, Chunk):
                    places.nearly(chunk.citation, "a file says nearly the same", _EDIT)

    # --- what was erased before ------------------------------------------------------------------

    def _before(self, ids: Sequence[TraceId], done: Certificate | None) -> list[Erasure]:
        """The erasures that took out those of `ids` that are not in what was done now, oldest first."""
        wanted = set(ids) - set(done.erased if done else ())
        found = []
        for each in reversed(self._context.store.erasures(self._context.tenant.user)):
            if not wanted.isdisjoint(each.ids) and (done is None or each.id != done.id):
                wanted -= set(each.ids)
                found.append(each)
        return found[::-1]

    def _again(self, known: Erasure, *, backups: bool) -> Certificate:
        """The certificate of an erasure; a pending one is finished, and backups are rewritten if requested now."""
        if not known.finished:
            return self._finished(replace(known, backups=known.backups or backups))
        certificate = self._certificate_of(known)
        if backups:
            folder = self._context.dependencies.home / backing.FOLDER
            kept = backing.files(folder, self._context.tenant.agent)
            named = {each.where for each in certificate.remains if each.what == _A_BACKUP}
            held = self._context.store.find_residue(self._context.tenant, (), kept, known.ids).files
            places = _Places()
            for path in kept:
                if path.name in named or path in held:
                    self._rewrite_fully(path, known, places)
            left = tuple(each for each in certificate.remains if not each.what.startswith(_A_BACKUP))
            certificate = replace(certificate, remains=(*left, *places.listed()))
            self._context.store.record_erasure(known.ended(certificate.to_json()))
        return certificate

    def _certificate_of(self, known: Erasure) -> Certificate:
        """The certificate of an erasure, as far as it has got."""
        if known.certificate is not None:
            found = Certificate.from_json(known.certificate)
            return found if known.finished else replace(found, pending=known.reason or INTERRUPTED)
        return replace(self._begun(known), pending=known.reason or INTERRUPTED)

    def _begun(self, planned: Erasure) -> Certificate:
        return Certificate(
            id=planned.id,
            at=planned.at,
            agent=self._context.tenant.agent,
            user=planned.user,
            erased=planned.ids,
            derived=planned.derived,
            sources_left=planned.sources_left,
            texts=len(planned.texts),
        )


_A_BACKUP = "a backup holds it"
_UNSEEN = (
    "its rows are gone; the files of this store cannot be searched from here",
    "see to its log archives, standbys and base backups",
)
_EDIT = "edit the file: what is known of it follows"


class _Places:
    """Where something was found, each place once."""

    def __init__(self) -> None:
        self._same: dict[str, Remain] = {}
        self._near: dict[str, Remain] = {}
        self.is_own = False
        """Whether it stands in a file of the store."""

    def remain(self, where: str, what: str, fix: str) -> None:
        self._same[where] = Remain(where, what, fix)

    def nearly(self, where: str, what: str, fix: str) -> None:
        self._near[where] = Remain(where, what, fix)

    def own(self, path: Path, *, is_used: bool) -> None:
        self.is_own = True
        fix = "erase again once no other process reads" if is_used else "remove the file, if it is of no use"
        self.remain(path.name, "its bytes are still there", fix)

    def listed(self) -> tuple[Remain, ...]:
        return tuple(self._same[where] for where in sorted(self._same))

    def listed_near(self) -> tuple[Remain, ...]:
        return tuple(self._near[where] for where in sorted(self._near.keys() - self._same.keys()))


@dataclass(frozen=True, slots=True)
class _Plan:
    traces: tuple[Trace, ...]
    versions: tuple[Trace, ...]
    """All of them as they ever were."""
    ids: tuple[TraceId, ...]
    derived: tuple[TraceId, ...]
    sources_left: tuple[TraceId, ...]
    texts: tuple[str, ...]
    """All they ever said, in any version."""
    embedded: tuple[tuple[Trace, Trace | None], ...]
    """Each version, and what was said before it."""
    said: dict[str, list[Line]]
    """The lines that go, in any version, by their sessions."""


def _checked(ids: Sequence[str]) -> list[TraceId]:
    if not ids:
        raise InvalidRequest("nothing is named", field="ids", hint="give the ids of memories or turns")
    if len(ids) > MOST_IDS:
        raise InvalidRequest(f"names over {MOST_IDS:,}", field="ids", hint="erase fewer at once")
    return [checked_id(id) for id in ids]


def _plan(view: View, ids: Sequence[TraceId], gone: set[TraceId], *, sources: bool) -> _Plan | None:
    """What is to go; None where all of it is among what has `gone` before."""
    found = {trace.id: trace for trace in view.load(ids)}
    damaged = {id for id in ids if id not in found and view.damage(id)}
    for id in ids:
        if id in damaged:
            continue  # its text is unreadable and cannot be searched for; its row is removed all the same
        if id not in found and id not in gone:
            raise NotFound(f"no memory or turn {id}", hint="see `cortex list`")
        if isinstance(found.get(id), Chunk):
            raise InvalidRequest("names lines of a file", field="ids", hint="edit the file: its lines follow it")
    if not found and not damaged:
        return None
    named = {turn.id: turn for turn in view.load(_sources(found.values()))}
    if sources:
        found |= named
    turn_ids = [id for id, each in found.items() if isinstance(each, Turn)]
    extracted = {memory.id: memory for memory in view.derived(turn_ids)}
    derived = tuple(sorted(extracted.keys() - found.keys()))
    found |= extracted
    versions = [version for id in found for version in view.history(id)]
    turns = [trace for trace in found.values() if isinstance(trace, Turn)]
    said: dict[str, list[Line]] = {}
    for version in versions:
        if isinstance(turn := version.trace, Turn):
            said.setdefault(turn.session, []).append(Line(turn.role, turn.text))
    return _Plan(
        traces=tuple(found.values()),
        versions=tuple(version.trace for version in versions),
        ids=tuple(sorted({*found, *damaged})),
        derived=derived,
        sources_left=tuple(id for id in named if id not in found),
        texts=tuple(dict.fromkeys(version.trace.text for version in versions)),
        embedded=tuple(_embedded(versions, turns, view)),
        said=said,
    )


def _sources(traces: Iterable[Trace]) -> list[TraceId]:
    return sorted({turn for trace in traces if isinstance(trace, Memory) for turn in trace.source_turns})


def _embedded(versions: Sequence[Version], turns: Sequence[Turn], view: View) -> Iterable[tuple[Trace, Trace | None]]:
    for version in versions:
        trace = version.trace
        yield trace, view.turn_at(trace.session, trace.seq - 1) if isinstance(trace, Turn) else None
        yield trace, None
    for turn in turns:
        # The answer that followed was embedded with the question before it.
        if after := view.turn_at(turn.session, turn.seq + 1):
            yield after, turn


def _marks(session: str, lines: Sequence[Line], view: View) -> dict[str, Any]:
    """What keeps these lines of a session from coming back when a host sends its history again."""
    known = (view.state(session) or {}).get(erasure.MARKS)
    return erasure.marked([line.digest for line in lines], known, os.urandom(SALT_BYTES).hex())
