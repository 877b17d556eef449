"""`Cortex`, the public object: one method per verb, bound to one agent and user. Each method calls one service.

Services are imported where they are called: a process that recalls once has its answer sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cortex import settings as configuration
from cortex.context import Context
from cortex.dependencies import Dependencies, log
from cortex.domain.events import Event, EventKind
from cortex.domain.hits import RecallResult
from cortex.domain.lanes import Lane
from cortex.domain.memory import Contradiction, Draft
from cortex.domain.query import Query
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_SCOPE, Tenant
from cortex.domain.trace import Trace
from cortex.domain.turn import TurnDraft
from cortex.errors import ProviderMissing, install_command
from cortex.ports.store import Counts, Filter, Finding
from cortex.progress import Progress, silent
from cortex.settings import Settings

if TYPE_CHECKING:
    from cortex import exchange
    from cortex.domain.growth import Day
    from cortex.domain.identity import IdSource
    from cortex.lifecycle.backups import Backup, BackupResult
    from cortex.ports.clock import Clock
    from cortex.ports.embedder import Embedder
    from cortex.ports.file_search import FileSearch
    from cortex.ports.llm import LLM
    from cortex.ports.reranker import Reranker
    from cortex.recall.replay import Replay
    from cortex.runtime.scheduler import Scheduler
    from cortex.services.browse import Alive, BrowseService, TraceHistory
    from cortex.services.capture import CaptureResult, CaptureService, Ingested
    from cortex.services.edit import Edited, EditService, Forgotten, Remembered, StoreResult
    from cortex.services.erasure import Certificate, Erased, ErasureService
    from cortex.services.exchange import ExchangeService
    from cortex.services.files.files import Files, Indexed
    from cortex.services.health.health_checks import Check
    from cortex.services.import_runs import ImportRun, ImportUndo
    from cortex.services.imports import ImportPreview, ImportResult, ImportService
    from cortex.services.jobs import JobService
    from cortex.services.lifecycle import ConsolidationResult, LifecycleService, RestoreResult, UndoResult
    from cortex.services.maintenance import MaintenanceService
    from cortex.services.recall import RecallService, RecallTrace, SynthesisResult
    from cortex.services.timeline import Timeline
    from cortex.services.turn_hooks import TurnHooks
    from cortex.workspace import flush as flushing

Method = TypeVar("Method", bound=Callable[..., Any])

LONG_CHARS = 4_096
"""If a worker process does the background work, it also reads texts longer than this."""


def _service(module: str, name: str) -> Any:
    """The service `name` of a memory, imported where it is called."""
    return property(lambda self: getattr(import_module(f"cortex.services.{module}"), name)(self.context))


def _reads_texts(method: Method) -> Method:
    """Marks a method that takes time in proportion to its input: the worker process, if any, reads long texts."""

    @wraps(method)
    def either(self: Cortex, *args: Any, **kwargs: Any) -> Any:
        worker = self.context.dependencies.worker
        if worker is not None and _is_long((args, kwargs)):
            pending = worker.ask(self.tenant, "call", method=method.__name__, args=args, kwargs=kwargs)
            if pending is not None:
                return pending.result()
        return method(self, *args, **kwargs)

    return cast(Method, either)


def _is_long(given: object) -> bool:
    """Whether there is more text in `given` than is read in a moment."""
    left, waiting = LONG_CHARS, [given]
    while waiting and left > 0:
        each = waiting.pop()
        if isinstance(each, str):
            left -= len(each)
        elif isinstance(each, Mapping):
            waiting.extend(each.values())
        elif isinstance(each, list | tuple):
            waiting.extend(each)
    return left <= 0


class Cortex:
    """The memory of one agent and one of its users. `Cortex(home)` opens it, and creates it on first use."""

    _browse: BrowseService = _service("browse", "BrowseService")
    _capture: CaptureService = _service("capture", "CaptureService")
    _edit: EditService = _service("edit", "EditService")
    _erasure: ErasureService = _service("erasure", "ErasureService")
    _exchange: ExchangeService = _service("exchange", "ExchangeService")
    _imports: ImportService = _service("imports", "ImportService")
    _jobs: JobService = _service("jobs", "JobService")
    _lifecycle: LifecycleService = _service("lifecycle", "LifecycleService")
    _maintenance: MaintenanceService = _service("maintenance", "MaintenanceService")
    _recall: RecallService = _service("recall", "RecallService")

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        agent: str | None = None,
        user: str | None = None,
        settings: Mapping[str, Any] | None = None,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
        llm: LLM | None = None,
        clock: Clock | None = None,
        ids: IdSource | None = None,
    ) -> None:
        from cortex import wiring

        root = configuration.default_home() if home is None else Path(home).expanduser()
        loaded = configuration.load(root, settings)
        built = wiring.build(root, loaded, embedder=embedder, reranker=reranker, llm=llm, clock=clock, ids=ids)
        self.context = _opened(Context(built, Tenant(agent or loaded.agent, user or loaded.user)))

    @classmethod
    def over(cls, context: Context) -> Cortex:
        """The memory of a context that was built already."""
        memory = cls.__new__(cls)
        memory.context = _opened(context)
        return memory

    @staticmethod
    def connect(
        url: str, *, token: str | None = None, agent: str | None = None, user: str | None = None, timeout: float = 30.0
    ) -> Cortex:
        """A memory on a server (`cortex serve`), with the same methods. `timeout` is in seconds per request.

        Without `agent` and `user` it is the memory the token was created for.
        """
        from cortex import registry

        try:
            client = registry.find("cortex.clients", "http")
        except ModuleNotFoundError as error:
            if error.name != "httpx":
                raise
            raise ProviderMissing(
                "connecting to a server needs httpx, which is not installed", hint=install_command("client")
            ) from error
        remote: Cortex = client(url, token=token, agent=agent, user=user, timeout=timeout)
        return remote

    def bind(self, *, agent: str | None = None, user: str | None = None) -> Cortex:
        """The same engine for another agent or user."""
        return Cortex.over(self.context.bind(agent=agent, user=user))

    def __enter__(self) -> Cortex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish what is under way and close the files."""
        self.context.dependencies.close()

    def flush(self) -> None:
        """Wait until the receipts and counters of earlier calls are written."""
        self.context.flush()

    @property
    def tenant(self) -> Tenant:
        """Whose memory this is."""
        return self.context.tenant

    @property
    def settings(self) -> Settings:
        """The settings in effect."""
        return self.context.settings

    # --- remember and forget ---------------------------------------------------------------------

    @_reads_texts
    def remember(self, text: str, *, embed: bool = True, as_new: bool = False, **fields: Any) -> Remembered:
        """Store one statement beside what is known (X13, X14). `fields` are those of `Draft`: kind, scope, tags, …

        What is known already is counted once more, a changed value replaces the old one, and a contradiction is
        flagged on both sides. Where no subject, attribute and value are given, the patterns of capture read them from
        the text. With `as_new` it is stored as it is; what names what it supersedes is compared with nothing else.
        """
        return self._edit.remember(text, embed=embed, as_new=as_new, **fields)

    def remember_all(
        self,
        drafts: Iterable[Draft],
        *,
        because: EventKind = EventKind.REMEMBERED,
        embed: bool = True,
        progress: Progress = silent,
    ) -> StoreResult:
        """Store many memories as they are given, none compared with another: all are checked before the first."""
        return self._edit.remember_all(drafts, because=because, embed=embed, progress=progress)

    def store_turns(
        self,
        session: str,
        turns: Iterable[TurnDraft],
        *,
        scope: str = DEFAULT_SCOPE,
        channel: str = "",
        embed: bool = True,
        progress: Progress = silent,
    ) -> StoreResult:
        """Store turns verbatim at the end of a session."""
        return self._edit.store_turns(session, turns, scope=scope, channel=channel, embed=embed, progress=progress)

    @_reads_texts
    def edit(self, id: str, *, if_revision: str | None = None, **changes: Any) -> Edited:
        """Change a memory: its text, scope, kind, importance, tags, retention or expires_at. Its history is kept.

        With `if_revision`, which `show` and `edit` give, an edit of any other version is a `Conflict`. A memory is
        never more trusted after an edit.
        """
        return self._edit.edit(id, if_revision=if_revision, **changes)

    def forget(self, id: str) -> Forgotten:
        """Hide a memory or turn from recall, and memories that make the same statement; `restore` undoes it."""
        return self._edit.forget(id)

    def restore(self, id: str) -> Forgotten:
        """Undo `forget`; or that a memory was superseded: it holds again, beside what had replaced it.

        A turn that expired is kept for good from then on.
        """
        return self._edit.restore(id)

    def contradictions(self, *, limit: int = 50) -> Sequence[Contradiction]:
        """Memories that cannot both be true and were not resolved yet (X14), oldest first."""
        return self._edit.contradictions(limit=limit)

    def resolve(self, id: str, *, over: str | None = None, both: bool = False) -> Forgotten:
        """Settle the contradictions of a memory, or the one with `over`: it is true and replaces the other side.

        With `both` all of them hold, and are no longer flagged. `restore` of what was replaced undoes that.
        """
        return self._edit.resolve(id, over=over, both=both)

    def forget_matching(self, text: str, *, scope: str | None = None) -> Forgotten:
        """Forget the one memory that matches a query; if several may, forget nothing and show them (L5).

        A memory, those that say the same, and the turns they came from are one match; turns that say little else are
        forgotten with it.
        """
        return self._edit.forget_matching(text, scope=scope)

    def erase(self, *ids: str, sources: bool = False, backups: bool = False) -> Erased:
        """Remove memories and turns for good, with what was extracted from them; returns a certificate.

        With `sources` the turns a memory was extracted from go too, and with `backups` the backups that hold any of
        it. What was erased before is answered with its certificate. An interrupted erasure is finished later.
        """
        return self._erasure.erase(ids, sources=sources, backups=backups)

    def erasures(self) -> Sequence[Certificate]:
        """The certificates of all erasures, oldest first; of those not finished yet, as far as they are."""
        return self._erasure.all()

    def certificate(self, id: str) -> Certificate:
        """The certificate of an erasure, by its id or by that of a memory or turn it removed."""
        return self._erasure.certificate(id)

    def finish_erasures(self) -> Sequence[Certificate]:
        """Finish what was interrupted or had to wait, of the whole agent; returns what is still pending."""
        return self._erasure.finish_pending()

    # --- capture ---------------------------------------------------------------------------------

    @_reads_texts
    def ingest(
        self,
        messages: Sequence[object],
        *,
        session: str,
        scope: str = DEFAULT_SCOPE,
        channel: str = "",
        trigger: str = "",
        debounce: bool = True,
        follows: int | None = None,
        share_personal: bool = False,
    ) -> Ingested:
        """Store what is new of a session's history, verbatim; extraction follows in the background (C1, C2).

        Send the whole history every time, or what there is of it: what was seen before is neither stored nor
        paid for again. With `debounce`, memories are extracted once the session has been quiet for a while; without,
        as soon as possible, also from earlier turns of the session that still wait. A caller that reads a transcript
        piece by piece says with `follows` how many of its messages came before these. With `share_personal`, what is
        said about the person is remembered in the scope `personal`, and everything else in `scope`.
        """
        return self._capture.ingest(
            messages, session=session, scope=scope, channel=channel, trigger=trigger, debounce=debounce,
            follows=follows, share_personal=share_personal,
        )  # fmt: skip

    @_reads_texts
    def capture(self, messages: Sequence[object], *, session: str, **options: Any) -> CaptureResult:
        """Store what is new of a history and extract memories at once. `options` are those of `ingest`."""
        return self._capture.capture(messages, session=session, **options)

    def run_jobs(self, *, limit: int | None = None) -> Receipt:
        """Carry out the background work that is due: vectors, memories, syntheses."""
        return self._jobs.run(most=limit)

    def next_due(self) -> datetime | None:
        """When there will be background work to do."""
        return self._jobs.next_due()

    # --- recall ----------------------------------------------------------------------------------

    def recall(self, text: str | Query, **options: Any) -> RecallResult:
        """The right few lines for a message, packed to a budget; nothing when nothing is relevant."""
        return self._recall.recall(text, **options)

    def search(self, text: str, **options: Any) -> RecallResult:
        """What there is on a topic: no gate, no evidence needed, untrusted and superseded shown and marked."""
        return self._recall.search(text, **options)

    def explain(self, text: str | Query, **options: Any) -> RecallTrace:
        """`recall`, with every candidate, every part of its score, and why each was shown or not."""
        return self._recall.explain(text, **options)

    def replay(self, id: str, *, query: str | None = None) -> Replay:
        """Repeat a recorded recall on the state it saw, and compare the answers."""
        return self._recall.replay(id, query=query)

    def synthesize(self, text: str, **options: Any) -> SynthesisResult:
        """What is remembered on a topic in one piece, with the ids used: by a language model, or a digest (C5)."""
        return self._recall.synthesize(text, **options)

    # --- browse ----------------------------------------------------------------------------------

    def get(self, id: str) -> Trace:
        """The memory, turn or chunk with this id, whatever its state."""
        return self._browse.get(id)

    def show(self, id: str) -> TraceHistory:
        """A trace with its versions, the turns it came from and the memories extracted from it."""
        return self._browse.show(id)

    def list(
        self, filter: Filter | None = None, *, after: str | None = None, limit: int = 50, newest: bool = False
    ) -> Sequence[Trace]:
        """Traces in order of id, oldest first, or with `newest` the other way round; from `after` on."""
        return self._browse.list(filter, after=after, limit=limit, newest=newest)

    def stats(self, filter: Filter | None = None) -> Counts:
        """How many traces there are, and of what kind."""
        return self._browse.stats(filter)

    def events(self, *, after: int = 0, limit: int = 1_000) -> Sequence[Event]:
        """The ledger of this user's changes."""
        return self._browse.events(after=after, limit=limit)

    def timeline(
        self,
        *,
        limit: int = 50,
        before: int | None = None,
        kinds: Collection[EventKind] | None = None,
        id: str | None = None,
        lane: Lane | None = None,
    ) -> Timeline:
        """What happened, newest first: vectors and uses only where `kinds` names them. Files leave no events."""
        return self._browse.timeline(limit=limit, before=before, kinds=kinds, id=id, lane=lane)

    def growth(self, *, days: int = 30, lane: Lane = Lane.MEMORIES) -> Sequence[Day]:
        """What was created on each of the last days (UTC) and how much there was, the oldest day first."""
        return self._browse.growth(days=days, lane=lane)

    def pulse(self) -> Alive:
        """Whether anything happened since the last look, at next to no cost."""
        return self._browse.pulse()

    def receipts(self, *, limit: int = 20, op: str | None = None, before: str | None = None) -> Sequence[Receipt]:
        """The latest receipts, newest first; those older than the receipt `before`."""
        return self._browse.receipts(limit=limit, op=op, before=before)

    def receipt(self, id: str) -> Receipt:
        """One receipt."""
        return self._browse.receipt(id)

    def status(self) -> dict[str, Any]:
        """What is there, what is degraded, and how to fix it."""
        from cortex.services.health import report

        with self.context.view() as view:
            return report.status(self.context, view, self.searching.status())

    def doctor(self) -> Sequence[Check]:
        """Everything an installation needs, checked."""
        from cortex.services.health import report

        return report.checks(self.context, lambda: self.searching.status())

    # --- maintenance, export and import -----------------------------------------------------------

    def backfill(self, *, progress: Progress = silent) -> Receipt:
        """Embed everything that has no vector of the current model (C7)."""
        return self._maintenance.backfill(progress=progress)

    def verify(self, *, repair: bool = False) -> Sequence[Finding]:
        """Recompute everything derived, and the chain of events, and compare; in the index of the files too."""
        return self._maintenance.verify(repair=repair)

    def optimize(self) -> dict[str, Any]:
        """Compact the indexes; returns their status."""
        return self._maintenance.optimize()

    def export(self, filter: Filter | None = None, *, redact: bool = True) -> Iterator[dict[str, Any]]:
        """Traces in order of id, as plain values; their text only on request (E14)."""
        return self._exchange.export(filter, redact=redact)

    @_reads_texts
    def import_(
        self,
        lines: Iterable[str],
        *,
        dedupe: str = "id_text",
        dry_run: bool = False,
        skip_bad: bool = False,
        trusted: bool = False,
        embed: bool = True,
        progress: Progress = silent,
    ) -> exchange.Imported:
        """Memories and turns from lines that `export` wrote: all are checked, then all are stored, or none (E14)."""
        return self._exchange.import_(
            lines, dedupe=dedupe, dry_run=dry_run, skip_bad=skip_bad, trusted=trusted, embed=embed, progress=progress
        )

    def preview_import(self, path: str | Path, *, format: str = "auto", account: str | None = None) -> ImportPreview:
        """What an export, a transcript folder or the store of another program holds: counted and checked."""
        return self._imports.preview(path, format=format, account=account)

    def import_from(
        self,
        path: str | Path,
        *,
        format: str = "auto",
        account: str | None = None,
        scope: str = DEFAULT_SCOPE,
        scope_of: Callable[[str], str | None] | None = None,
        dry_run: bool = False,
        trusted: bool = False,
        extract: bool = True,
        preview: ImportPreview | None = None,
        progress: Progress = silent,
    ) -> ImportResult:
        """Import what another program knows: conversations with their times, and memories. Nothing is stored twice.

        An import that was stopped goes on when it is begun again. Where the source has several accounts, `account`
        names one. `scope_of` gives the scope of a folder that a coding agent worked in. Memories are untrusted unless
        `trusted`; without `extract` those in conversations are left to background work. A `preview` of the same source
        saves counting it again.
        """
        return self._imports.run(
            path, format=format, account=account, scope=scope, scope_of=scope_of, dry_run=dry_run, trusted=trusted,
            extract=extract, preview=preview, progress=progress,
        )  # fmt: skip

    def imports(self) -> Sequence[ImportRun]:
        """The imports from other programs, oldest first."""
        return self._imports.runs()

    def undo_import(self, run: str) -> ImportUndo:
        """Take back an import by its name, or the `latest`: what it stored, and what was extracted from that."""
        return self._imports.undo(run)

    def export_markdown(self, filter: Filter | None = None, *, by_scope: bool = False) -> Sequence[exchange.Page]:
        """Active memories as Markdown for a person to edit, text included: one page, or one for each scope."""
        return self._exchange.export_markdown(filter, by_scope=by_scope)

    @_reads_texts
    def import_markdown(
        self,
        pages: str | Mapping[str, str],
        *,
        dry_run: bool = False,
        trusted: bool = True,
        skip_conflicts: bool = False,
        forget_missing: bool = False,
        embed: bool = True,
        progress: Progress = silent,
    ) -> exchange.MarkdownImported:
        """What a person changed in pages that `export_markdown` wrote, given as one text or as texts by name.

        All of it is stored, or nothing. What was changed here as well is an `EditConflict`; with `skip_conflicts` the
        rest is stored. What is missing from the pages is forgotten with `forget_missing` alone.
        """
        return self._exchange.import_markdown(
            pages, dry_run=dry_run, trusted=trusted, skip_conflicts=skip_conflicts, forget_missing=forget_missing,
            embed=embed, progress=progress,
        )  # fmt: skip

    # --- files -----------------------------------------------------------------------------------

    @property
    def files(self) -> Files:
        """The files of this tenant: which are indexed, and what they say (B1)."""
        from cortex.services.files.files import files_of

        return files_of(self.context)

    @property
    def searching(self) -> FileSearch:
        """What answers searches of the files: the index, or a program in its place, with the index behind it (Q2)."""
        from cortex.services.files.files import searching

        return searching(self.context)

    def index(
        self, path: Path | str | None = None, *, force: bool = False, progress: Progress = silent, **options: Any
    ) -> Indexed:
        """Index the Markdown files under `path` from now on, and sync all that are indexed (X15).

        `options` are those of `Files.add`: shape, lane, scope, trust, name, chunker, summarize.
        """
        if path is not None:
            self.files.add(path, **options)
        return self.files.sync_all(force=force, progress=progress)

    def memory_search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,
        sources: Collection[str] | None = None,
        lexical_only: bool = False,
        deadline_ms: float | None = None,
    ) -> dict[str, Any]:
        """The tool a host offers its model: lines of the agent's files that answer `query`, with citations (B9).

        `sources` are some of memory, sessions and docs. With `lexical_only` nothing is embedded. What is not found by
        the deadline is left out.
        """
        from cortex.services.files import tools

        return tools.memory_search(
            self.context, query, max_results=max_results, min_score=min_score, session=session, sources=sources,
            lexical_only=lexical_only, deadline_ms=deadline_ms,
        )  # fmt: skip

    def memory_get(self, path: str, *, start: int | None = None, lines: int | None = None) -> dict[str, Any]:
        """The tool a host offers its model: exactly those lines of a file of memory (B10)."""
        from cortex.services.files import tools

        return tools.memory_get(self.context, path, start=start, lines=lines)

    def host_status(self) -> dict[str, Any]:
        """How the files stand, in the shape of hosts such as OpenClaw; cheap enough to ask often (B21)."""
        from cortex.services.files import tools

        return tools.host_status(self.context)

    def flush_plan(
        self, state: flushing.FlushSession, *, timezone: str | None = None, workspace_has: Collection[str] | None = None
    ) -> flushing.FlushPlan:
        """Whether the agent should write down what matters before its host compacts a session, and how (B20)."""
        from cortex.services.files import tools

        return tools.flush_plan(self.context, state, timezone=timezone, workspace_has=workspace_has)

    # --- lifecycle -------------------------------------------------------------------------------

    def consolidate(self, *, dry_run: bool = False, progress: Progress = silent) -> ConsolidationResult:
        """Run the lifecycle: expire what is over, merge what was said twice. Undone by `undo_consolidation` (X16)."""
        return self._lifecycle.consolidate(dry_run=dry_run, progress=progress)

    def undo_consolidation(self, run: str) -> UndoResult:
        """Undo a lifecycle run, by the name it has in its outcome and its receipt; or by the receipt's id."""
        return self._lifecycle.undo(run)

    def backup(self, to: Path | None = None) -> BackupResult:
        """Back up the agent's memory while it is in use; `to` names a folder where nothing is ever removed (E21)."""
        return self._lifecycle.backup(to)

    def backups(self) -> Sequence[Backup]:
        """The backups of this agent, newest first."""
        return self._lifecycle.backups()

    def restore_backup(self, given: str) -> RestoreResult:
        """Restore a backup: a file, the name of one, or `latest`. What is there now becomes a backup itself."""
        return self._lifecycle.restore_backup(given)

    def run_due(self) -> datetime:
        """Do what is due: background work, the lifecycle, a backup; returns when to call again (S7)."""
        return self._lifecycle.run_due()

    def scheduler(self) -> AbstractContextManager[Scheduler]:
        """Have `run_due` called in the background, at its times and when there is something new to do."""
        return self._lifecycle.kept()

    # --- turns -----------------------------------------------------------------------------------

    def hooks(self) -> TurnHooks:
        """Recall before a turn and ingest after it, for an agent's loop: they never raise and never block it.

        Create them once and keep them: each has its own background, and `flush` waits for that alone.
        """
        from cortex.services.turn_hooks import TurnHooks

        return TurnHooks(self)


def _opened(context: Context) -> Context:
    if context.dependencies.on_open is None:
        context.dependencies.on_open = partial(_on_open, context.dependencies)
    return context


def _on_open(dependencies: Dependencies, agent: str) -> None:
    """Finish the erasures that the last process to open the store had begun."""
    try:
        if dependencies.store(agent).erasures(pending=True):
            from cortex.services.erasure import ErasureService

            ErasureService(Context(dependencies, Tenant(agent, dependencies.settings.user))).finish()
    except Exception:  # they stay pending, and `status` says so: nobody is kept from their memory by it
        log.exception("erasures could not be finished")
