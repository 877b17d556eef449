"""The files of an agent's user: which are followed, keeping up with them, searching and reading them (B1).

What a search finds are lines of files, cited; the files stay the truth. One `Files` serves a tenant for as long as its
engine is open. `memory_search` and `memory_get` are what hosts offer their models as tools (B9, B10).
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cortex.domain.chunk import Chunk, cited
from cortex.domain.hits import Hit
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane
from cortex.domain.query import Mode
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_SCOPE, Tenant
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Turn
from cortex.domain.vectors import Vector
from cortex.errors import EngineError, InvalidRequest, NotFound, StoreBusy
from cortex.parts import log
from cortex.ports.probed import trouble_of
from cortex.ports.searching import FoundLines, SourceName
from cortex.ports.store import Filter, SetState
from cortex.progress import Progress, silent
from cortex.recall import recipes
from cortex.remember import flow as remembering
from cortex.workspace import citing, reading, scan, sources, transcripts
from cortex.workspace.flow import Cutting, Following, Summaries, Synced
from cortex.workspace.sources import Shape, Source
from cortex.workspace.triggers import Triggers
from cortex.workspace.watch import Noticed, Watching

if TYPE_CHECKING:
    from cortex.engine import Engine

TRANSCRIPT = "cortex:transcript:"
STATE = "cortex:files"
"""Where it is kept which folders are followed, and when they were last looked at."""

SNIPPET_CHARS = 700
SEARCH_WAITS = 1.0
"""How many seconds a search waits for files that changed; then it answers from what is known, and says so."""

_SESSIONS = 1_000
_SOURCE_OF_LANE: Mapping[Lane, SourceName] = {Lane.NOTES: "memory", Lane.DOCS: "docs", Lane.SESSIONS: "sessions"}


@dataclass(frozen=True, slots=True)
class Indexed:
    """What became of the files, and the receipt."""

    synced: Synced
    transcripts: Heard
    receipt: Receipt


@dataclass(slots=True)
class Heard:
    """What was new in session transcripts."""

    transcripts: int = 0
    grown: int = 0
    turns: int = 0
    unreadable: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts."""
        return {
            "transcripts": self.transcripts,
            "transcripts_grown": self.grown,
            "turns": self.turns,
            "lines_passed_over": self.unreadable,
            "transcript_problems": len(self.problems),
        }


class Files:
    """What one tenant has in files."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._parts = engine._parts
        self._settings = self._parts.settings.files
        self._lock = threading.Lock()
        self._syncing: Future[Indexed] | None = None
        self._sessions: OrderedDict[str, None] = OrderedDict()
        self.dirty = True
        """Whether the files may have changed since they were last looked at; true until they were, here."""

    # --- which files -------------------------------------------------------------------------------------------------

    def sources(self) -> list[Source]:
        """What is followed: what the settings name, then what was registered."""
        known = self._configured()
        taken = {(source.root, source.shape) for source in known}
        return [*known, *(source for source in self._registered() if (source.root, source.shape) not in taken)]

    def roots(self) -> Mapping[str, Path]:
        """Where the followed folders lie, by their names."""
        return {source.name: source.root for source in self.sources() if source.shape is not Shape.TRANSCRIPTS}

    def add(
        self,
        path: Path | str,
        *,
        shape: Shape = Shape.TREE,
        lane: Lane | None = None,
        scope: str = DEFAULT_SCOPE,
        trust: TrustTier = TrustTier.TRUSTED,
        name: str | None = None,
        chunker: str | None = None,
        summarize: bool = False,
    ) -> Source:
        """Follow a folder or a file from now on; the same again changes how."""
        own = self._configured()
        known = [*own, *(source for source in self._registered() if source not in own)]
        wanted = sources.registered(
            known,
            path,
            shape=shape,
            lane=lane or (Lane.SESSIONS if shape is Shape.TRANSCRIPTS else Lane.NOTES),
            scope=scope,
            trust=trust,
            name="" if shape is Shape.WORKSPACE and name is None else name,
            chunker=chunker or self._settings.chunker,
            summarize=summarize,
        )
        self._register([source for source in wanted if source not in own])
        return next(source for source in sources.named(wanted, str(path)) if source.shape is shape)

    def leave(self, name_or_path: str) -> None:
        """Follow a folder no longer: with the next sync nothing of it is left in the index."""
        registered = self._registered()
        kept = sources.without(registered, name_or_path)
        self._register(kept)

    def _configured(self) -> list[Source]:
        """What the settings name belongs to the agent and user the settings name."""
        settings = self._parts.settings
        if self._engine.tenant != Tenant(settings.agent, settings.user):
            return []
        given = [
            *((path, Shape.WORKSPACE, Lane.NOTES) for path in (self._settings.workspace,) if path),
            *((path, Shape.TREE, Lane.NOTES) for path in self._settings.extra_paths),
            *((path, Shape.TREE, Lane.DOCS) for path in self._settings.docs),
            *((path, Shape.TRANSCRIPTS, Lane.SESSIONS) for path in self._settings.transcripts),
        ]
        known: list[Source] = []
        for path, shape, lane in given:
            try:
                name = "" if shape is Shape.WORKSPACE else None
                known = sources.registered(
                    known, path, shape=shape, lane=lane, name=name, chunker=self._settings.chunker
                )
            except NotFound:
                log.warning("a folder the settings name is not there")
        return known

    def _registered(self) -> list[Source]:
        return [Source.from_json(plain) for plain in self._kept().get("sources", ())]

    def _register(self, known: Sequence[Source]) -> None:
        self._keep(sources=[source.to_json() for source in known])
        self.dirty = True

    def _kept(self) -> Mapping[str, Any]:
        with self._engine._store.view(self._engine.tenant) as view:
            return view.state(STATE) or {}

    def _keep(self, **parts: Any) -> None:
        self._engine._store.apply(self._engine.tenant, [SetState(STATE, parts)], at=self._parts.clock.now())

    # --- keeping up --------------------------------------------------------------------------------------------------

    def sync(self, *, force: bool = False, reason: str = "", progress: Progress | None = None) -> Indexed:
        """Look at the files now and follow what changed; with `force`, all of it anew (B12, B13)."""
        known = self.sources()
        followed = [source for source in known if source.shape is not Shape.TRANSCRIPTS]
        with self._engine._noting("index") as note:
            self.dirty = False  # what changes from here on may be missed, and has to be looked at again
            try:
                synced = self._following(followed, progress or silent).sync(force=force)
                heard = self._hear(known)
            except BaseException:
                self.dirty = True
                raise
            self._keep(last_sync=self._parts.clock.now().isoformat())
            note.close(self._engine._position(), reason=reason or "asked", **synced.facts(), **heard.facts())
        return Indexed(synced, heard, note.receipt)

    def hear(self) -> Indexed:
        """Store what is new in session transcripts, where enough is; the other files are left alone (B12, B19)."""
        with self._engine._noting("index") as note:
            heard = self._hear(self.sources())
            note.close(self._engine._position(), reason="transcript", **heard.facts())
        return Indexed(Synced(), heard, note.receipt)

    def sync_soon(self, reason: str) -> Future[Indexed] | None:
        """The same in the background, where nothing is under way; None where the files need no look."""
        with self._lock:
            if self._syncing is None or self._syncing.done():
                if not self.dirty:
                    return None
                self._syncing = Future()
                threading.Thread(
                    target=self._run, args=(self._syncing, reason), name="cortex-files", daemon=True
                ).start()
            return self._syncing

    def session_started(self, session: str) -> None:
        """Look at the files when a session begins (B12); later turns of it cost nothing."""
        with self._lock:
            if not self._settings.sync.on_session_start or session in self._sessions:
                return
            self._sessions[session] = None
            if len(self._sessions) > _SESSIONS:
                self._sessions.popitem(last=False)
            self.dirty = True
        self.sync_soon("session_start")

    @contextmanager
    def watching(self, told: Callable[[Indexed], None] | None = None) -> Iterator[Watch]:
        """Follow edits as they happen, and look at the files by the clock where that is set; `told` of each look."""
        watch = Watch(self, told)
        try:
            yield watch.start()
        finally:
            watch.stop()

    def transcripts_due(self, now: datetime) -> bool:
        """Whether a transcript has grown enough to be read, and was left alone for long enough (B12)."""
        sync = self._settings.sync
        rule = transcripts.Growth(
            enough_bytes=sync.transcript_bytes,
            enough_messages=sync.transcript_messages,
            quiet=timedelta(milliseconds=sync.transcript_debounce_ms),
        )
        listed = [source for source in self.sources() if source.shape is Shape.TRANSCRIPTS]
        return any(
            transcripts.growth_of(file.absolute, self._bookmark(file), rule=rule).due(now)
            for file in scan.found(listed).files
        )

    def _run(self, done: Future[Indexed], reason: str) -> None:
        try:
            done.set_result(self.sync(reason=reason))
        except EngineError as error:
            log.warning("the files could not be followed: %s", error.code)
            done.set_exception(error)
        except BaseException as error:
            log.exception("the files could not be followed")
            done.set_exception(error)

    def _following(self, followed: Sequence[Source], progress: Progress) -> Following:
        indexes = self._parts.indexes(self._engine.tenant)
        assert indexes is not None  # wiring always gives one
        return Following(
            sources=followed,
            tenant=self._engine.tenant,
            indexes=indexes,
            space=self._parts.embedder.space,
            vectors=self._vectors_of,
            cutting=Cutting(
                tokens=self._settings.chunk_tokens,
                overlap=self._settings.chunk_overlap,
                max_bytes=self._settings.max_file_bytes,
            ),
            clock=self._parts.clock,
            ids=self._parts.ids,
            progress=progress,
            summaries=self._summaries(followed),
        )

    def _vectors_of(self, chunks: Sequence[Chunk]) -> Mapping[TraceId, Sequence[Vector]]:
        return remembering.vectors_of(chunks, self._parts.embedder, self._parts.settings.embedding.passage_tokens)

    def _summaries(self, followed: Sequence[Source]) -> Summaries | None:
        return None

    def _hear(self, known: Sequence[Source]) -> Heard:
        """Store what is new in session transcripts, as turns (B19)."""
        heard = Heard()
        listed = [source for source in known if source.shape is Shape.TRANSCRIPTS]
        if not listed:
            return heard
        scanned = scan.found(listed)
        heard.transcripts = len(scanned.files)
        heard.problems += [(problem.path, problem.why) for problem in scanned.problems]
        for file in scanned.files:
            try:
                self._hear_one(file, heard)
            except (InvalidRequest, NotFound) as error:
                heard.problems.append((file.path, error.message))
        return heard

    def _hear_one(self, file: scan.Found, heard: Heard) -> None:
        """Read on where the last reading ended. The turns are stored before the place is: nothing is passed over."""
        mark = self._bookmark(file)
        while True:
            grown = transcripts.read_on(file.absolute, mark)
            if grown.how is transcripts.How.NOTHING:
                return
            heard.unreadable += grown.unreadable + grown.too_long
            if grown.messages:
                taken = self._engine.ingest(
                    grown.messages, session=grown.session, scope=file.source.scope, trigger="transcript",
                    follows=grown.follows,
                )  # fmt: skip
                heard.turns += sum(id is not None for id in taken.ids)
            mark = grown.bookmark
            change = SetState(_place_of(file), {"bookmark": mark.to_json()})
            self._engine._store.apply(self._engine.tenant, [change], at=self._parts.clock.now())
            heard.grown += 1
            if not grown.more:
                return

    def _bookmark(self, file: scan.Found) -> transcripts.Bookmark | None:
        with self._engine._store.view(self._engine.tenant) as view:
            return transcripts.Bookmark.from_json((view.state(_place_of(file)) or {}).get("bookmark"))

    # --- finding and reading (B5-B11) --------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,
        lanes: frozenset[Lane] | None = None,
    ) -> Sequence[FoundLines]:
        """The lines that answer `query`, best first, of the agent's notes and where wanted other lanes (B7)."""
        found = self._engine.recall(
            query,
            recipe=recipes.for_files(decay=self._settings.temporal_decay, diverse=self._settings.mmr),
            mode=Mode.SEARCH,
            lanes=lanes or self._searched(),
            limit=max_results or self._settings.max_results,
            min_score=self._settings.min_score if min_score is None else min_score,
            budget=_ROOM,
        )
        cite = citing.is_shown(self._settings.citations, session)
        return [_lines_of(hit, cite) for hit in found.hits]

    def read_file(self, path: str, *, start: int | None = None, lines: int | None = None) -> tuple[str, str]:
        """The text of the file cited as `path`, from line `start` on and at most `lines` of it, and its path (B10)."""
        if (session := transcripts.session_of(path)) is not None:
            return reading.excerpt(self._session_text(session), start, lines).text, path
        _, real = reading.within(self.sources(), path)
        content = reading.read(real, max_bytes=self._settings.max_file_bytes)
        return reading.excerpt(content.text, start, lines).text, path

    def status(self) -> dict[str, Any]:
        """How the files stand (B21)."""
        indexes, space = self._parts.indexes(self._engine.tenant), self._parts.embedder.space
        index = indexes.current() if indexes else None
        files = chunks = lacking = 0
        troubles: list[dict[str, str]] = []
        if index is not None:
            with index.view(self._engine.tenant) as view:
                known = view.files()
                files, chunks = len(known), view.counts(Filter()).total
                lacking = view.counts(Filter(lacking=space)).total if space.dimension else 0
            troubles = [{"path": file.path, "why": file.trouble} for file in known.values() if file.trouble]
        trouble = trouble_of(self._parts.embedder)
        return {
            "backend": "builtin",
            "provider": space.provider,
            "model": space.model,
            "files": files,
            "chunks": chunks,
            "dirty": self.dirty,
            "last_sync": self._kept().get("last_sync"),
            "reindexing": bool(indexes and indexes.is_being_made),
            "sources": [source.to_json() for source in self.sources()],
            "cache": getattr(self._parts.embedder, "cache_status", dict)(),
            "fts": {"enabled": True, "available": True},
            "vector": {
                "enabled": space.dimension > 0,
                "available": space.dimension > 0 and trouble is None,
                "dims": space.dimension,
                "lacking": lacking,
            },
            "batch": getattr(self._parts.embedder, "batch_status", lambda: {"enabled": False})(),
            "unreadable": troubles,
        }

    def caught_up(self, reason: str = "search") -> str:
        """Look at the files first, where they may have changed; says so where that takes too long (B12)."""
        if not self._settings.sync.on_search:
            return "not_synced" if self.dirty else ""
        pending = self.sync_soon(reason)
        if pending is None:
            return ""
        try:
            pending.result(timeout=SEARCH_WAITS)
        except FutureTimeout:
            return "syncing"
        except StoreBusy:
            return "syncing_elsewhere"
        except EngineError as error:
            return error.code
        except Exception as error:  # the search answers from what is known
            return type(error).__name__
        return ""

    def probe_embedding(self) -> EngineError | None:
        """Why texts could not be embedded now; None where they can be."""
        return trouble_of(self._parts.embedder, thorough=True)

    def probe_vectors(self) -> bool:
        """Whether searches also compare vectors: always in this process, no extension is needed (B6)."""
        return self._engine._can_embed

    def close(self) -> None:
        """Wait for what is under way."""
        with self._lock:
            under_way = self._syncing
        if under_way is not None and not under_way.done():
            under_way.exception()

    def _searched(self) -> frozenset[Lane]:
        has_transcripts = any(source.shape is Shape.TRANSCRIPTS for source in self.sources())
        return frozenset({Lane.NOTES, Lane.SESSIONS} if has_transcripts else {Lane.NOTES})

    def _session_text(self, session: str) -> str:
        with self._engine._store.view(self._engine.tenant) as view:
            turns = view.turns(session, limit=_MOST_TURNS)
        if not turns:
            raise NotFound(f"no session {session!r} is remembered", hint="give a path that a search cited")
        return transcripts.as_lines(turns)


_ROOM = 200_000
_READY_SECONDS = 5.0
_MOST_TURNS = 100_000


def _place_of(file: scan.Found) -> str:
    """Where it is kept how far a transcript was read."""
    return f"{TRANSCRIPT}{hashlib.sha256(file.absolute.encode()).hexdigest()[:32]}"


class Watch:
    """Looks at the files when the system tells that they changed, or the clock that it is time (B12)."""

    def __init__(self, files: Files, told: Callable[[Indexed], None] | None = None) -> None:
        self._files = files
        self._told = told
        self._clock = files._parts.clock
        sync = files._settings.sync
        minutes = sync.interval_minutes
        self._triggers = {
            Noticed.FILES: Triggers(sync.watch_debounce_ms / 1000, minutes * 60.0 if minutes else None),
            Noticed.TRANSCRIPTS: Triggers(sync.transcript_debounce_ms / 1000),
        }
        self._changed = threading.Condition()
        self._ending = False
        self._watching = Watching(files.sources, self.noticed) if sync.watch else None
        self._thread = threading.Thread(target=self._run, name="cortex-files", daemon=True)

    @property
    def trouble(self) -> str:
        """Why the system does not tell of changes, where it does not."""
        return self._watching.trouble if self._watching else ""

    def start(self) -> Watch:
        self._triggers[Noticed.FILES].looked(self._clock.monotonic())
        if self._watching is not None:
            self._watching.start().wait_until_ready(_READY_SECONDS)
        self._thread.start()
        return self

    def stop(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.notify()
        if self._watching is not None:
            self._watching.stop()
        self._thread.join(_READY_SECONDS)

    def noticed(self, what: Noticed) -> None:
        """Something in a followed folder has changed."""
        with self._changed:
            self._files.dirty = True
            self._triggers[what].noticed(self._clock.monotonic())
            self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._ending and not (due := self._due()):
                    self._changed.wait(self._pause())
                if self._ending:
                    return
                for what in due:
                    self._triggers[what].looked(self._clock.monotonic())
            for what, reason in due.items():
                self._look(what, reason)

    def _due(self) -> dict[Noticed, str]:
        now = self._clock.monotonic()
        return {what: reason for what, triggers in self._triggers.items() if (reason := triggers.reason(now))}

    def _pause(self) -> float:
        times = [at for triggers in self._triggers.values() if (at := triggers.next_at()) is not None]
        left = min(times, default=self._clock.monotonic() + _READY_SECONDS) - self._clock.monotonic()
        return min(max(left, 0.01), _READY_SECONDS)

    def _look(self, what: Noticed, reason: str) -> None:
        try:
            if what is Noticed.FILES:
                indexed = self._files.sync(reason=reason)
            elif self._files.transcripts_due(self._clock.now()):
                indexed = self._files.hear()
            else:
                return
        except StoreBusy:
            self.noticed(what)  # another process is at it: look again when it has ended
        except EngineError as error:
            log.warning("the files could not be followed: %s", error.code)
        except Exception:  # the thread must outlive whatever goes wrong in it
            log.exception("the files could not be followed")
        else:
            if self._told is not None:
                self._told(indexed)


def _lines_of(hit: Hit, cite: bool) -> FoundLines:
    trace = hit.trace
    if isinstance(trace, Chunk):
        path, first, last = trace.path, trace.start_line, trace.end_line
    elif isinstance(trace, Turn):
        path, first, last = transcripts.session_path(trace.session), trace.seq + 1, trace.seq + 1
    else:
        path, first, last = f"memories/{trace.id}", 1, 1
    return FoundLines(
        path=path,
        start_line=first,
        end_line=last,
        score=round(hit.score, 6),
        snippet=trace.text[:SNIPPET_CHARS],
        source=_SOURCE_OF_LANE.get(trace.lane, "memory"),
        citation=cited(path, first, last) if cite else None,
    )
