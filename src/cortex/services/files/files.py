"""The files of a tenant: which folders are indexed, keeping the index up to date, searching and reading (B1).

A search returns cited lines; the files stay the truth. One `Files` serves a tenant while its engine is open.
`memory_search` and `memory_get` are what hosts offer their models as tools (B9, B10).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from cortex.capture.classify import classify
from cortex.context import Context
from cortex.domain.chat import is_group_memory, shows_citations
from cortex.domain.chunk import Chunk, cited
from cortex.domain.hits import Hit, RecallResult, SearchMode
from cortex.domain.identity import TraceId
from cortex.domain.lanes import SEARCHABLE, Lane
from cortex.domain.memory import Memory
from cortex.domain.outcome import Outcome
from cortex.domain.provenance import provenance_of
from cortex.domain.query import Mode, Query
from cortex.domain.receipt import Receipt
from cortex.domain.terms import query_terms
from cortex.domain.trust import TrustTier
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EngineError, InvalidRequest, NotFound, StoreBusy, StoreError, StoreUnavailable
from cortex.ports.embedder import Embedder
from cortex.ports.file_search import FileSearch, FoundLines, LinesFound, SourceName
from cortex.ports.index import FileIndex, IndexVectors, vectors_in
from cortex.ports.provider import trouble_of
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.recall import recipes
from cortex.remember import flow as remembering
from cortex.runtime import pool
from cortex.runtime.deadline import Deadline
from cortex.services.calibrator import calibrator_of
from cortex.services.files import source_registry as folders
from cortex.services.files.file_watcher import FileWatcher, log_failure
from cortex.services.files.source_registry import SourceRegistry
from cortex.services.files.transcript_sync import SyncedTranscripts, TranscriptSync
from cortex.services.recall import RecallService
from cortex.workspace import file_reader, media_index, snippets, transcripts
from cortex.workspace.fallback import Fallback
from cortex.workspace.file_reader import Excerpt
from cortex.workspace.flow import BATCH, Cutting, Following, Synced, Vectors
from cortex.workspace.media_index import MediaIndexing
from cortex.workspace.sources import Shape, Source
from cortex.workspace.summaries import Summarizing, of_sources

SNIPPET_CHARS = 700
SEARCH_WAITS = 1.0
"""How many seconds a search waits for files that changed; then it uses the index as it is, and says so."""

MOST_RESULTS = 100

_CLASSIFIED_CHARS = 400
"""How much of a chunk is read to classify it."""

_BATCH_SERVICE = 5_000
"""How many chunks go to a batch service together."""

_ROOM = 200_000
_SESSIONS = 1_000
_MOST_TURNS = 100_000
_BUSY_SECONDS = 5.0
_CLOSE_SECONDS = 1.0
_COUNT_SECONDS = 0.05
"""How long a status for a host waits for the counts of an index,"""
_COUNT_AGAIN_SECONDS = 10.0
"""and how old they may be."""
_MOST_COUNTED = 64
"""Of how many indexes the counts are remembered."""
_EMBEDDED_AT_ONCE = 32
"""Few enough that a sync can be stopped soon, and enough for a local model."""
_SOURCE_OF_LANE: Mapping[Lane, SourceName] = {Lane.NOTES: "memory", Lane.DOCS: "docs", Lane.SESSIONS: "sessions"}
LANE_OF_SOURCE: Mapping[str, Lane] = {source: lane for lane, source in _SOURCE_OF_LANE.items()}


@dataclass(frozen=True, slots=True)
class Indexed:
    """The result of a sync, and its receipt."""

    synced: Synced
    transcripts: SyncedTranscripts
    receipt: Receipt

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Files that could not be read, each with the reason."""
        return [*self.synced.problems, *self.transcripts.problems]


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """What an index holds."""

    files: int = 0
    chunks: int = 0
    lacking: int = 0
    troubles: tuple[tuple[str, str], ...] = ()
    earlier: IndexVectors | None = None
    """The vectors it has, where they are not of the current model."""
    media: Mapping[str, int] = field(default_factory=dict)
    """What became of the media that notes refer to, by state."""


class Files:
    """What one tenant has in files."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._folders = SourceRegistry(context)
        self._transcripts = TranscriptSync(context)
        self.settings = self._context.settings.files
        self.clock = self._context.clock
        self._turn = threading.Lock()
        """Held during a sync: one at a time."""
        self._lock = threading.Lock()
        self._synced_at: float | None = None
        self._changed = False
        self._closed = False
        self._soon: Future[Indexed | None] | None = None
        self._reason = ""
        self._sessions: OrderedDict[str, None] = OrderedDict()
        self._watches: list[FileWatcher] = []
        self._counted: dict[FileIndex, tuple[int, IndexCounts]] = {}
        self._recent: IndexCounts | None = None
        self._counted_at: float | None = None
        self._counting: Future[None] | None = None

    # --- which files -------------------------------------------------------------------------------------------------

    def sources(self) -> list[Source]:
        """The indexed folders: those of the settings, then those that were added; none if files are turned off."""
        return self._folders.all() if self.settings.enabled else []

    def followed(self) -> list[Source]:
        """The sources whose lines are searched; transcripts are not: their turns are remembered."""
        return [source for source in self.sources() if source.shape is not Shape.TRANSCRIPTS]

    def add(
        self,
        path: Path | str,
        *,
        shape: Shape | str = Shape.TREE,
        lane: Lane | str | None = None,
        scope: str | None = None,
        trust: TrustTier | str | None = None,
        name: str | None = None,
        chunker: str | None = None,
        summarize: bool | None = None,
    ) -> Source:
        """Index a folder or a file from now on. Added again, only the options that are given change."""
        source = self._folders.add(
            path, shape, lane=lane, scope=scope, trust=trust, name=name, chunker=chunker, summarize=summarize
        )
        self.changed()
        return source

    def remove(self, name_or_path: str, *, force: bool = False) -> None:
        """Stop indexing a folder; the next sync removes it from the index.

        With `force`, the name of another host, one that is gone, drops everything it indexed.
        """
        if name_or_path in {*self._folders.elsewhere(), *(other.host for other in self._others())}:
            self._drop_host(name_or_path, force=force)
            return
        self._folders.remove(name_or_path)
        self.changed()

    def _drop_host(self, host: str, *, force: bool) -> None:
        if not force:
            raise InvalidRequest(
                f"{host} is another host, and keeps its own files up to date",
                field="remove",
                hint="if that host is gone, add --force: everything it indexed is dropped",
            )
        self._folders.forget_host(host)
        if (indexes := self._context.dependencies.indexes(self._context.tenant)) is not None:
            indexes.drop(host)

    def _others(self) -> Sequence[FileIndex]:
        indexes = self._context.dependencies.indexes(self._context.tenant)
        return indexes.others() if indexes is not None else ()

    # --- keeping up --------------------------------------------------------------------------------------------------

    @property
    def dirty(self) -> bool:
        """Whether the files may have changed since the last sync of this process."""
        if self._changed or self._synced_at is None:
            return True
        if any(watch.is_in_place for watch in self._watches):
            return False
        return self.clock.monotonic() - self._synced_at >= self.settings.sync.watch_debounce_ms / 1000

    @property
    def is_syncing(self) -> bool:
        """Whether a sync is running in the background of this process."""
        return self._soon is not None

    def is_behind(self) -> bool:
        """Whether a file changed since the last sync of any process; costs a `stat` of each."""
        self._begin()
        try:
            is_behind = self._is_behind()
        except BaseException:
            self.changed()
            raise
        if is_behind:
            self.changed()
        return is_behind

    @property
    def is_outdated(self) -> bool:
        """Whether the index must be rebuilt, for example for another model (B13)."""
        return self._context.index is not None and bool(self._following(self.followed(), None, silent).reindex_reason)

    def _is_behind(self) -> bool:
        followed = self.followed()
        if not followed and self._context.index is None:
            return False
        return self._following(followed, None, silent).is_behind()

    def changed(self) -> None:
        """Note that files changed, or may have: the next sync reads them."""
        self._changed = True

    def sync(self, *, force: bool = False, reason: str = "", progress: Progress | None = None) -> Indexed:
        """Bring the index up to date with the files; with `force`, rebuild it (B12, B13)."""
        with self._syncing(), self._context.recording("index") as record:
            known = self.sources()
            followed = [source for source in known if source.shape is not Shape.TRANSCRIPTS]
            summaries = self._summaries(followed, force)
            # A sync in the background repeats no request to a model: nobody sees what it costs.
            synced = self._follow(followed, summaries, progress or silent, force, again=not reason)
            transcripts = self._sync_transcripts(known)
            kept = {"summary_tries": summaries.tries} if summaries else {}
            self._folders.synced({"last_sync": self.clock.now().isoformat(), **kept})
            record.close(
                self._context.position(),
                reason=reason or ("forced" if force else "requested"),
                **synced.facts(),
                **({"summaries": summaries.facts()} if summaries else {}),
                **transcripts.facts(),
            )
        calibrator_of(self._context).refresh(again=True)
        return Indexed(synced, transcripts, record.receipt)

    def sync_transcripts(self) -> Indexed | None:
        """Store what is new in session transcripts, once it is enough; other files are not read (B12, B19)."""
        known = self.sources()
        if not self._transcripts.is_due(known):
            return None
        with self._turn, self._context.recording("index") as record:
            self._refuse_when_closed()
            synced = self._sync_transcripts(known)
            record.close(self._context.position(), reason="transcript", **synced.facts())
        return Indexed(Synced(), synced, record.receipt)

    def sync_all(self, *, force: bool = False, reason: str = "", progress: Progress | None = None) -> Indexed:
        """`sync`, also of the program that searches in place of the index, if there is one (Q1)."""
        done = searching(self._context).sync(force=force, reason=reason, progress=progress)
        assert isinstance(done, Indexed)  # a fallback returns the result of the index
        return done

    def sync_soon(self, reason: str) -> Future[Indexed | None] | None:
        """`sync_all` in the background, one at a time; None if nothing changed.

        If files change during a run, another run follows it. A worker process, if there is one, does the sync.
        """
        if (pending := self._sync_in_worker(reason)) is not None:
            return pending
        with self._lock:
            if self._closed or not (self._soon or self.dirty):
                return None
            if self.dirty:
                self._reason = reason
            if self._soon is None:
                self._soon = pool.start(self._run, "cortex-files")
            return self._soon

    def _sync_in_worker(self, reason: str) -> Future[Indexed | None] | None:
        worker, changed = self._context.dependencies.worker, self._changed
        pending = worker.ask(self._context.tenant, "sync", reason=reason, changed=changed) if worker else None
        if pending is not None:
            self._begin()
        return pending

    def session_started(self, session: str) -> None:
        """Sync when a session begins (B12); its later turns cost nothing."""
        with self._lock:
            if not self.settings.sync.on_session_start or session in self._sessions:
                return
            self._sessions[session] = None
            if len(self._sessions) > _SESSIONS:
                self._sessions.popitem(last=False)
        self.changed()
        self.sync_soon("session_start")

    def ensure_fresh(self, reason: str = "search", seconds: float = SEARCH_WAITS) -> str:
        """Sync before a search if files may have changed; returns why the index may be stale, or "" (B12)."""
        if not self.settings.sync.on_search:
            return "not_synced" if self.dirty else ""
        pending = self.sync_soon(reason)
        if pending is None:
            return ""
        try:
            pending.result(timeout=seconds)
            self.refresh()
        except FutureTimeout:
            return "syncing"
        except StoreBusy:
            return "syncing_elsewhere"
        except EngineError as error:
            return error.code
        except Exception as error:  # the search uses the index as it is
            return type(error).__name__
        return ""

    def refresh(self) -> None:
        """See what another process of this host has just synced."""
        if (indexes := self._context.dependencies.indexes(self._context.tenant)) is not None:
            indexes.refresh()

    @contextmanager
    def watching(self, on_sync: Callable[[Indexed], None] | None = None) -> Iterator[FileWatcher]:
        """Sync when files are edited, and at intervals if set; `on_sync` is called after each."""
        watch = FileWatcher(self, on_sync)
        self._watches.append(watch)
        try:
            yield watch.start()
        finally:
            self._watches.remove(watch)
            watch.stop()

    def close(self) -> None:
        """Stop a running sync at its next file; what it did so far stays."""
        self._closed = True
        for watch in list(self._watches):
            watch.stop()
        # A stalled sync must not keep the process from ending; the index is consistent wherever it stops.
        if self._turn.acquire(timeout=_CLOSE_SECONDS):
            self._turn.release()

    def _run(self) -> Indexed | None:
        synced: Indexed | None = None
        try:
            while reason := self._next_reason():
                synced = self._synced(reason)
        except BaseException as error:
            with self._lock:
                self._reason, self._soon = "", None
            self.changed()
            if not self._closed:
                log_failure(error)
            raise
        return synced

    def _next_reason(self) -> str:
        """Why to sync (again); empty if there was no request since, and then the next one starts a new run."""
        with self._lock:
            reason, self._reason = self._reason, ""
            if reason:
                self._begin()
            else:
                self._soon = None
            return reason

    def _synced(self, reason: str) -> Indexed | None:
        """Sync, unless no folder is indexed: then there is neither an index nor a receipt."""
        if self.sources() or self._context.index is not None:
            return self.sync_all(reason=reason)
        return None

    @contextmanager
    def _syncing(self) -> Iterator[None]:
        with self._turn:
            self._refuse_when_closed()
            self._begin()
            try:
                yield
            except BaseException:
                self.changed()
                raise

    def _begin(self) -> None:
        """A sync begins: changes from here on need another one."""
        self._synced_at, self._changed = self.clock.monotonic(), False

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable("the engine is closed", hint="open it again")

    def _follow(
        self,
        followed: Sequence[Source],
        summaries: Summarizing | None,
        progress: Progress,
        force: bool,
        again: bool = False,
    ) -> Synced:
        if not followed and self._context.index is None:
            return Synced(problems=self._folders.unusable())

        def tell(done: int, total: int, label: str) -> None:
            self._refuse_when_closed()
            progress(done, total, label)

        following = self._following(followed, summaries, tell)
        following = replace(following, media=self._media(followed, tell, by_hand=again))
        if summaries and again:
            synced = replace(following, unsummarized=summaries.left).sync(force=force)
            summaries.forget_gone()
        else:
            synced = following.sync(force=force)
        synced.problems += self._folders.unusable()
        return synced

    def _following(self, followed: Sequence[Source], summaries: Summarizing | None, progress: Progress) -> Following:
        indexes = self._context.dependencies.indexes(self._context.tenant)
        assert indexes is not None  # wiring always gives one
        return Following(
            sources=followed,
            tenant=self._context.tenant,
            indexes=indexes,
            space=self._context.dependencies.embedder.space,
            vectors=self._vectors_of,
            earlier=self._earlier,
            cutting=Cutting(
                tokens=self.settings.chunk_tokens,
                overlap=self.settings.chunk_overlap,
                max_bytes=self.settings.max_file_bytes,
                passage_tokens=self._context.passage_tokens,
            ),
            clock=self.clock,
            ids=self._context.ids,
            progress=progress,
            summaries=summaries,
            classify=lambda text: classify(text[:_CLASSIFIED_CHARS]),
            batch=_BATCH_SERVICE if self._is_batched else BATCH,
            wait_seconds=_BUSY_SECONDS,
        )

    def _media(self, followed: Sequence[Source], progress: Progress, *, by_hand: bool) -> MediaIndexing:
        dependencies, settings = self._context.dependencies, self._context.settings.embedding.media
        cache = dependencies.vector_cache
        return MediaIndexing(
            embedders=dependencies.media_embedders,
            sources=followed,
            tenant=self._context.tenant,
            clock=self.clock,
            progress=progress,
            forget=cache.forget if cache is not None else list,
            max_bytes=settings.max_bytes,
            max_files=settings.max_files,
            by_hand=by_hand,
        )

    @property
    def _is_batched(self) -> bool:
        """Whether documents go to a batch service, which takes a run at a time and lets it wait."""
        return self._context.dependencies.embedder.batch_status() is not None

    def _earlier(self, made: IndexVectors) -> tuple[EmbeddingSpace, Vectors] | None:
        """Who embeds in the space of an index that another model made."""
        embedder = self._context.dependencies.embedder
        if made.space != embedder.space.key:
            found = self._context.dependencies.embedder_of(made)
            return (found.space, partial(self._vectors_of, embedder=found)) if found else None
        return embedder.space, self._vectors_of

    def _vectors_of(
        self, chunks: Sequence[Chunk], embedder: Embedder | None = None
    ) -> Mapping[TraceId, Sequence[Vector]]:
        """The vectors of these chunks, up to the first failure of the embedder."""
        at_once = len(chunks) if self._is_batched else _EMBEDDED_AT_ONCE
        passage_tokens = self._context.passage_tokens
        vectors: dict[TraceId, Sequence[Vector]] = {}
        for start in range(0, len(chunks), max(1, at_once)):
            self._refuse_when_closed()
            some = chunks[start : start + at_once]
            given = remembering.vectors_of(some, embedder or self._context.dependencies.embedder, passage_tokens)
            if not given:
                break
            vectors |= given
        return vectors

    def _summaries(self, followed: Sequence[Source], force: bool) -> Summarizing | None:
        """What sections are about, by a language model, where that is wanted and there is one (X15)."""
        llm = self._context.dependencies.llm
        if llm is None or not any(source.summarize for source in followed):
            return None
        tries = {} if force else self._kept("summary_tries") or {}
        return Summarizing(llm.background, of_sources(followed), dict(tries))

    def _kept(self, name: str) -> Any:
        return folders.kept(self._context).get(folders.own_key(self._context, name))

    def _sync_transcripts(self, known: Sequence[Source]) -> SyncedTranscripts:
        indexes = self._context.dependencies.indexes(self._context.tenant)
        if indexes is None or all(source.shape is not Shape.TRANSCRIPTS for source in known):
            return SyncedTranscripts()
        with indexes.write_lock(_BUSY_SECONDS):  # two processes would store the same turns twice
            return self._transcripts.sync(known)

    # --- finding and reading (B5-B11) --------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,
        lanes: frozenset[Lane] | None = None,
        lexical_only: bool = False,
        deadline: Deadline | None = None,
    ) -> LinesFound:
        """The lines that answer `query`, best first (B7): of the notes, and of sessions where transcripts are followed.

        Documents are searched if these have no answer, and only a few are cited (E15); or as `lanes` say. With
        `lexical_only` nothing is embedded.
        """
        if lanes is not None and not lanes <= _SOURCE_OF_LANE.keys():
            raise InvalidRequest("memories are no files", field="lanes", hint=f"of {', '.join(_SOURCE_OF_LANE)}")
        limit = self.settings.max_results if max_results is None else _results(max_results)
        if isinstance(query, str) and not query.strip():  # a host takes out what it does not search for
            return LinesFound()
        followed = {source.lane for source in self.sources()}
        without = frozenset({"vector"} if lexical_only else ())
        look = partial(self._found, query, min_score=min_score, deadline=deadline, without=without)
        found = look(lanes=lanes or {Lane.NOTES} | (followed & {Lane.SESSIONS}), limit=limit)
        if not found.hits and lanes is None and (Lane.DOCS in followed or self._others()):
            found = look(lanes={Lane.DOCS}, limit=min(limit, self._recipe.cold.limit))
        cite = shows_citations(self.settings.citations, session)
        terms = {term.text for term in query_terms(query)}
        is_shared = is_group_memory(self._context.tenant)
        return LinesFound((_lines_of(hit, terms, cite, is_shared) for hit in found.hits), mode=found.mode)

    def excerpt(self, path: str, *, start: int | None = None, lines: int | None = None) -> Excerpt:
        """The lines of the file cited as `path`, from line `start` on and at most `lines` of it (B10)."""
        if (session := transcripts.session_of(path)) is not None:
            return self._session_lines(session, start, lines)
        try:
            _, real = file_reader.within(self.sources(), path)
        except (InvalidRequest, NotFound):
            if (indexed := self._lines_elsewhere(path, _line(start, "from"), _line(lines, "lines"))) is not None:
                return indexed
            raise
        content = file_reader.read(real, max_bytes=self.settings.max_file_bytes)
        return file_reader.excerpt(content.text, _line(start, "from"), _line(lines, "lines"))

    def _lines_elsewhere(self, path: str, start: int | None, lines: int | None) -> Excerpt | None:
        """The lines of a file of another host, as that host indexed them; lines that no chunk has are empty."""
        for index in self._others():
            own = path.removeprefix(f"{index.host}:")
            with index.view(self._context.tenant) as view:
                file = view.file(own)
                if file is None:
                    continue
                if own == path:
                    hint = f"the host {index.host} has it: ask for {index.host}:{path}"
                    raise NotFound(f"{path!r} is not a file of this host", hint=hint)
                chunks = [chunk for chunk in view.load(file.chunks) if isinstance(chunk, Chunk)]
            return file_reader.excerpt(_as_lines(chunks), start, lines)
        return None

    def read_file(self, path: str, *, start: int | None = None, lines: int | None = None) -> tuple[str, str]:
        """The text of `excerpt`, and the path."""
        return self.excerpt(path, start=start, lines=lines).text, path

    def _found(
        self,
        query: str,
        *,
        lanes: Set[Lane],
        limit: int,
        min_score: float | None,
        deadline: Deadline | None,
        without: frozenset[str],
    ) -> RecallResult:
        request = Query.of(
            query,
            recipe=self._recipe.name,
            mode=Mode.SEARCH,
            lanes=lanes,
            limit=limit,
            min_score=min_score,
            hybrid_floor=self.settings.min_score,
            budget=_ROOM,
        )
        # The caller has synced the files already.
        return RecallService(self._context).answer_now(request, deadline=deadline, without=without).result

    @property
    def _recipe(self) -> recipes.Recipe:
        return recipes.named(
            recipes.for_files(
                decay=self.settings.half_life_days if self.settings.temporal_decay else None,
                diversity=self.settings.mmr_lambda if self.settings.mmr else None,
                vector=self.settings.vector_weight if self.settings.hybrid else 1.0,
                text=self.settings.text_weight if self.settings.hybrid else 0.0,
                pool=self.settings.candidate_multiplier,
            )
        )

    def _session_lines(self, session: str, start: int | None, lines: int | None) -> Excerpt:
        """Turns of a session, each on the line of its place. What recall would not show is an empty line."""
        first, count = _line(start, "from") or 1, _line(lines, "lines") or _MOST_TURNS
        with self._context.store_view() as view:
            total = view.last_seq(session) + 1
            turns = view.turns(session, after=first - 2, limit=count)
        if not total:
            raise NotFound(f"no session {session!r} is remembered", hint="give a path that a search cited")
        shown = [turn for turn in turns if turn.state in SEARCHABLE and turn.trust is not TrustTier.QUARANTINED]
        found = transcripts.as_lines(shown).split("\n")[first - 1 :]
        wanted = max(0, min(count, total - first + 1))
        padded = [*found, *("" for _ in range(wanted))][:wanted]
        return Excerpt("\n".join(padded), first, total)

    # --- how it stands (B21) -----------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """The state of the index and its sources, as JSON values."""
        space, embedder = self._context.dependencies.embedder.space, self._context.dependencies.embedder
        troubles = self._folders.troubles()
        indexes = self._context.dependencies.indexes(self._context.tenant)
        try:
            counted = self._count(indexes.current() if indexes else None, space)
        except StoreError as error:
            counted = IndexCounts(troubles=(("the index", error.message),))
        following = self.watch_state()
        earlier = self._earlier_model(counted.earlier)
        # While the index is of an earlier model, it is that one that compares.
        compares = earlier["available"] if earlier else self.has_vectors
        return {
            "backend": "builtin",
            "mode": SearchMode.of(words=True, meaning=compares),
            "provider": space.provider,
            "model": space.model,
            "files": counted.files,
            "chunks": counted.chunks,
            "dirty": following["dirty"],
            "last_sync": self._kept("last_sync"),
            "reindexing": bool(indexes and indexes.is_building),
            "watching": following["watching"],
            "sources": [source.to_json() for source in self.sources()],
            **({"host": self._context.host, "hosts": self._hosts()} if self._context.host else {}),
            "cache": {"enabled": False} | dict(embedder.cache_status() or {}),
            "fts": {"enabled": True, "available": True},
            "vector": {
                "enabled": space.dimension > 0,
                "available": self.has_vectors,
                "dims": space.dimension,
                "lacking": counted.lacking,
                "earlier": earlier,
            },
            **({"media": dict(counted.media)} if counted.media else {}),
            "batch": {"enabled": False} | dict(embedder.batch_status() or {}),
            "unreadable": [{"path": path, "why": why} for path, why in (*troubles, *counted.troubles)],
        }

    def _hosts(self) -> list[dict[str, Any]]:
        """What other hosts have indexed, as far as it can be seen."""
        try:
            indexes = {index.host: index for index in self._others()}
        except StoreError:
            return []  # the trouble of the index says why
        followed, state = self._folders.elsewhere(), folders.kept(self._context)
        return [
            self._host(host, indexes.get(host), followed.get(host, ()), state.get(f"last_sync@{host}"))
            for host in sorted({*indexes, *followed})
        ]

    def _host(
        self, host: str, index: FileIndex | None, followed: Sequence[Source], last_sync: str | None
    ) -> dict[str, Any]:
        counted, made = self._count(index, None), vectors_in(index.made_with) if index else None
        return {
            "host": host,
            "files": counted.files,
            "chunks": counted.chunks,
            "model": f"{made.provider}/{made.model}" if made else None,
            "last_sync": last_sync,
            "sources": [source.to_json() for source in followed],
        }

    def _earlier_model(self, made: IndexVectors | None) -> dict[str, Any] | None:
        """The model whose vectors the index still has, and whether queries can be compared with them."""
        if made is None:
            return None
        available = self._context.can_embed and self._context.dependencies.embedder_of(made) is not None
        return {"provider": made.provider, "model": made.model, "available": available}

    def probe_embedding(self) -> EngineError | None:
        """Why texts could not be embedded now; None where they can be."""
        return trouble_of(self._context.dependencies.embedder, thorough=True)

    def probe_vectors(self) -> bool:
        """Whether searches also compare vectors: always in this process, no extension is needed (B6)."""
        return self._context.can_embed

    def watch_state(self) -> Mapping[str, Any]:
        """Whether edits are noticed, here or in the worker process, and whether some are not synced yet."""
        worker = self._context.dependencies.worker
        return (worker and worker.watching(self._context.tenant)) or self.following()

    def following(self) -> dict[str, Any]:
        """Whether this process notices edits, and whether some are not synced yet."""
        items = [watch for watch in self._watches if watch.is_in_place]
        trouble = next((watch.trouble for watch in items if watch.trouble), None)
        return {"watching": {"active": bool(items), "trouble": trouble}, "dirty": self.dirty}

    def recent_counts(self) -> IndexCounts | None:
        """What the index held a short while ago. It is counted in the background: a host asks often, and waits."""
        now = self.clock.monotonic()
        with self._lock:
            is_old = self._counted_at is None or now - self._counted_at >= _COUNT_AGAIN_SECONDS
            if is_old and self._counting is None:
                self._counting = pool.start(self._count_again, "cortex-count")
            pending = self._counting
        if pending is not None:
            # On an error there are no counts, and `status` says why.
            wait([pending], timeout=_COUNT_SECONDS)
        return self._recent

    def _count_again(self) -> None:
        try:
            indexes = self._context.dependencies.indexes(self._context.tenant)
            space = self._context.dependencies.embedder.space
            self._recent = self._count(indexes.current() if indexes else None, space)
        finally:
            with self._lock:
                self._counted_at, self._counting = self.clock.monotonic(), None

    @property
    def has_vectors(self) -> bool:
        """Whether texts can be embedded now, as far as can be seen without trying."""
        return self._context.can_embed and trouble_of(self._context.dependencies.embedder) is None

    def _count(self, index: FileIndex | None, space: EmbeddingSpace | None) -> IndexCounts:
        """What an index holds; counted once for each position, since every search reports the status.

        Without a `space` it is not counted what lacks a vector.
        """
        if index is None:
            return IndexCounts()
        with index.view(self._context.tenant) as view:
            known, position = self._counted.get(index), view.position
            if known is not None and known[0] == position:
                return known[1]
            files = view.files()
            counted = IndexCounts(
                files=len(files),
                chunks=view.counts(Filter()).total,
                lacking=view.counts(Filter(lacking=space)).total if space and space.dimension else 0,
                troubles=tuple((file.path, file.trouble) for file in files.values() if file.trouble),
                earlier=made if space and (made := vectors_in(index.made_with)) and made.space != space.key else None,
                media=media_index.counts(view),
            )
        if len(self._counted) >= _MOST_COUNTED:
            self._counted.clear()
        self._counted[index] = (position, counted)
        return counted


def _results(given: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not 1 <= given <= MOST_RESULTS:
        raise InvalidRequest(f"{given!r} is not 1 to {MOST_RESULTS}", field="max_results", hint="leave it out for 6")
    return given


def _line(given: int | None, field: str) -> int | None:
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        raise InvalidRequest(f"{given!r} is not a number of lines", field=field, hint="lines count from 1")
    return given


def _as_lines(chunks: Sequence[Chunk]) -> str:
    """What chunks of one file say, each on its own lines."""
    found: dict[int, str] = {}
    for chunk in chunks:
        found |= dict(enumerate(chunk.text.split("\n"), start=chunk.start_line))
    return "\n".join(found.get(line, "") for line in range(1, max(found, default=0) + 1))


def _lines_of(hit: Hit, terms: set[str], cite: bool, is_shared: bool) -> FoundLines:
    trace = hit.trace
    assert not isinstance(trace, Memory | Outcome)  # their lane is none of those that are searched
    if isinstance(trace, Chunk):
        path, first, last = trace.path, trace.start_line, trace.end_line
    else:
        path, first, last = transcripts.session_path(trace.session), trace.seq + 1, trace.seq + 1
    return FoundLines(
        path=path,
        start_line=first,
        end_line=last,
        score=round(hit.score, 6),
        snippet=snippets.snippet(trace.text, terms, SNIPPET_CHARS),
        source=_SOURCE_OF_LANE[trace.lane],
        citation=cited(path, first, last) if cite else None,
        provenance=provenance_of(trace, is_shared=is_shared),
    )


def files_of(context: Context) -> Files:
    """The one `Files` of a tenant, created on first use and closed with the engine."""
    return context.dependencies.one("files", context.tenant, lambda: Files(context))


def searching(context: Context) -> FileSearch:
    """What searches the files: the index, or a program in its place with the index as fallback (Q2)."""
    files, open_search = files_of(context), context.dependencies.open_search
    followed = files.followed() if open_search is not None else []
    if open_search is None or not followed:
        return files
    # Other folders need a search of their own.
    return context.dependencies.one(
        f"searching {hash(tuple(followed))}",
        context.tenant,
        lambda: Fallback(open_search(context.tenant, followed), files, context.clock),
    )
