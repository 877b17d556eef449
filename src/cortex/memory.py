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
from cortex.context import AsOf, Context
from cortex.dependencies import Dependencies, log
from cortex.domain.events import Event, EventKind
from cortex.domain.hits import RecallResult
from cortex.domain.lanes import Lane
from cortex.domain.memory import Contradiction, Draft
from cortex.domain.query import Query
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_SCOPE, Tenant
from cortex.domain.sorting import Sort
from cortex.domain.trace import Trace
from cortex.domain.turn import TurnDraft
from cortex.errors import ProviderMissing, install_command
from cortex.ports.store import Counts, Filter, Finding
from cortex.progress import Progress, silent
from cortex.settings import Settings

if TYPE_CHECKING:
    from cortex import exchange
    from cortex.domain.alerts import Alert
    from cortex.domain.digest import Digest
    from cortex.domain.events import EventCount
    from cortex.domain.growth import Day
    from cortex.domain.health import Check
    from cortex.domain.holds import Hold
    from cortex.domain.identity import IdSource
    from cortex.domain.receipt_comparison import ReceiptComparison
    from cortex.domain.tags import Tag
    from cortex.domain.thresholds import ThresholdVersion
    from cortex.domain.usage import Usage
    from cortex.lifecycle.backups import Backup, BackupResult
    from cortex.ports.clock import Clock
    from cortex.ports.embedder import Embedder
    from cortex.ports.file_search import FileSearch
    from cortex.ports.llm import LLM
    from cortex.ports.reranker import Reranker
    from cortex.ports.store import Job, JobState
    from cortex.recall.replay import Replay
    from cortex.runtime.scheduler import Scheduler
    from cortex.services.alerts import AlertService
    from cortex.services.browse import Alive, BrowseService, SessionState, TraceHistory, UserSummary
    from cortex.services.bulk import BulkAction, BulkResult, BulkService
    from cortex.services.canary import CanaryResult, CanaryService
    from cortex.services.capture import CaptureResult, CaptureService, Ingested
    from cortex.services.conversations import ConversationPage, ConversationService, ConversationTurns
    from cortex.services.digest import DigestService
    from cortex.services.drift import DriftReport, DriftService
    from cortex.services.drill import Drill, DrillResult, DrillService
    from cortex.services.edit import Edited, EditService, Forgotten, Remembered, StoreResult
    from cortex.services.erasure import Certificate, Erased, ErasureService
    from cortex.services.events import EventService, EventsIngested
    from cortex.services.exchange import ExchangeService
    from cortex.services.files.files import Files, Indexed
    from cortex.services.files.indexed_files import FileChunks, FilePage, IndexedFiles
    from cortex.services.gaps import GapService, GapsReport
    from cortex.services.golden import GoldenMark, GoldenService, GoldenStatus
    from cortex.services.grading import GradingService
    from cortex.services.holds import HoldResult, HoldService
    from cortex.services.import_runs import ImportRun, ImportUndo
    from cortex.services.imports import ImportPreview, ImportResult, ImportService
    from cortex.services.inbox import Inbox, InboxDecided, InboxService, PastDecision
    from cortex.services.job_list import JobListService
    from cortex.services.jobs import JobService
    from cortex.services.lifecycle import ConsolidationResult, LifecycleService, RestoreResult, UndoResult
    from cortex.services.listing import TracePage
    from cortex.services.maintenance import MaintenanceService
    from cortex.services.recall import RecallService, RecallTrace, SynthesisResult
    from cortex.services.receipt_log import ReceiptLog, ReceiptLogService
    from cortex.services.rehearsal import Rehearsal, RehearsalService
    from cortex.services.retention import RetentionResult, RetentionService
    from cortex.services.rollback import DiffResult, RollbackResult, RollbackService
    from cortex.services.saved_views import SavedView, SavedViewService
    from cortex.services.subjects import SubjectCertificate, SubjectErased, SubjectReport, SubjectService
    from cortex.services.tags import TagResult, TagService
    from cortex.services.thresholds import ThresholdService
    from cortex.services.timeline import Timeline
    from cortex.services.turn_hooks import TurnHooks
    from cortex.services.upkeep import UpkeepService
    from cortex.services.usage import UsageService
    from cortex.services.writeback import WritebackService
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
            call = {"method": method.__name__, "args": args, "kwargs": kwargs, "actor": self.context.actor}
            pending = worker.ask(self.tenant, "call", **call)
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

    _alerts: AlertService = _service("alerts", "AlertService")
    _browse: BrowseService = _service("browse", "BrowseService")
    _bulk: BulkService = _service("bulk", "BulkService")
    _canary: CanaryService = _service("canary", "CanaryService")
    _capture: CaptureService = _service("capture", "CaptureService")
    _digest: DigestService = _service("digest", "DigestService")
    _conversations: ConversationService = _service("conversations", "ConversationService")
    _drift: DriftService = _service("drift", "DriftService")
    _drill: DrillService = _service("drill", "DrillService")
    _edit: EditService = _service("edit", "EditService")
    _erasure: ErasureService = _service("erasure", "ErasureService")
    _events: EventService = _service("events", "EventService")
    _exchange: ExchangeService = _service("exchange", "ExchangeService")
    _gaps: GapService = _service("gaps", "GapService")
    _golden: GoldenService = _service("golden", "GoldenService")
    _grading: GradingService = _service("grading", "GradingService")
    _holds: HoldService = _service("holds", "HoldService")
    _imports: ImportService = _service("imports", "ImportService")
    _inbox: InboxService = _service("inbox", "InboxService")
    _indexed_files: IndexedFiles = _service("files.indexed_files", "IndexedFiles")
    _jobs: JobService = _service("jobs", "JobService")
    _job_list: JobListService = _service("job_list", "JobListService")
    _receipt_log: ReceiptLogService = _service("receipt_log", "ReceiptLogService")
    _usage: UsageService = _service("usage", "UsageService")
    _lifecycle: LifecycleService = _service("lifecycle", "LifecycleService")
    _maintenance: MaintenanceService = _service("maintenance", "MaintenanceService")
    _recall: RecallService = _service("recall", "RecallService")
    _rehearsal: RehearsalService = _service("rehearsal", "RehearsalService")
    _retention: RetentionService = _service("retention", "RetentionService")
    _rollback: RollbackService = _service("rollback", "RollbackService")
    _subjects: SubjectService = _service("subjects", "SubjectService")
    _tags: TagService = _service("tags", "TagService")
    _thresholds: ThresholdService = _service("thresholds", "ThresholdService")
    _views: SavedViewService = _service("saved_views", "SavedViewService")
    _writeback: WritebackService = _service("writeback", "WritebackService")
    _upkeep: UpkeepService = _service("upkeep", "UpkeepService")

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
        self.context = _opened(Context(built, Tenant(loaded.agent, loaded.user).named(agent, user)))

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

    def bulk(
        self, action: BulkAction | str, ids: Sequence[str], *, seen_at: int | None = None, **changes: Any
    ) -> BulkResult:
        """Forget, restore or edit exactly these memories, up to 1,000, in one transaction; each id is answered.

        An edit takes scope, kind, label, importance, retention, tags, add_tags and remove_tags. With `seen_at`, the
        position of the list that was looked at, what was changed after it is a conflict and stays as it is.
        """
        return self._bulk.change(action, ids, seen_at=seen_at, **changes)

    def undo_bulk(self, run: str) -> BulkResult:
        """Undo one bulk change by its `run`; what was changed since stays as it is, and is answered as refused."""
        return self._bulk.undo(run)

    def contradictions(self, *, limit: int = 50) -> Sequence[Contradiction]:
        """Memories that cannot both be true and were not resolved yet (X14), oldest first."""
        return self._edit.contradictions(limit=limit)

    def resolve(self, id: str, *, over: str | None = None, both: bool = False) -> Forgotten:
        """Settle the contradictions of a memory, or the one with `over`: it is true and replaces the other side.

        With `both` all of them hold, and are no longer flagged. `restore` of what was replaced undoes that.
        """
        return self._edit.resolve(id, over=over, both=both)

    def inbox(self, *, limit: int = 20, all: bool = False, ids: Sequence[str] | None = None) -> Inbox:
        """What needs a person, the most harmful first: at most 20 a day, or with `all` whatever is open.

        With `ids` those items alone, as far as they still need somebody.
        """
        return self._inbox.inbox(limit=limit, all=all, ids=ids)

    def decide(self, decisions: Sequence[Mapping[str, Any]]) -> InboxDecided:
        """Decide up to 100 inbox items at once, all or none.

        Each decision has the `id` and `revision` of an item and a `verdict`: approve (the operator becomes the source),
        edit (with `text`), reject, rule, merge or snooze (with `days`). Of two memories, `keep` names the one that is
        meant. What has changed since is a `Conflict`.
        """
        return self._inbox.decide(decisions)

    def undo_decisions(self, decisions: Sequence[str]) -> InboxDecided:
        """Take decisions on inbox items back by their ids, all or none."""
        return self._inbox.undo(decisions)

    def decisions(self, *, limit: int = 50) -> Sequence[PastDecision]:
        """The latest decisions on inbox items, newest first."""
        return self._inbox.decisions(limit=limit)

    def thresholds(self) -> Sequence[ThresholdVersion]:
        """Every move of a learned threshold, by extractor, oldest first."""
        return self._thresholds.versions()

    def revoke_threshold(self, extractor: str) -> ThresholdVersion:
        """Revoke the learned threshold of an extractor that holds; the one before it holds again."""
        return self._thresholds.revoke(extractor)

    def forget_matching(self, text: str, *, scope: str | None = None) -> Forgotten:
        """Forget the one memory that matches a query; if several may, forget nothing and show them (L5).

        A memory, those that say the same, and the turns they came from are one match; turns that say little else are
        forgotten with it.
        """
        return self._edit.forget_matching(text, scope=scope)

    def erase(self, *ids: str, sources: bool = False, backups: bool = False) -> Erased:
        """Remove memories and turns for good, with what was extracted from them; returns a certificate.

        With `sources` the turns a memory was extracted from go too, and with `backups` it is taken out of the backups
        that hold any of it. What was erased before is answered with its certificate. An interrupted erasure is
        finished later.
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

    @_reads_texts
    def ingest_events(self, events: Sequence[object]) -> EventsIngested:
        """Store what is new among events: messages as turns, everything else as outcomes (S1).

        An event is a JSON object `cortex.event.v1`, a row of the capture sidecar, or a line with one of these. It is
        known by its id, or else by what it says, when and where: a repeated one is only counted. One that cannot be
        used is named in the result and spoils no other.
        """
        return self._events.ingest(events)

    def run_jobs(self, *, limit: int | None = None) -> Receipt:
        """Carry out the background work that is due: vectors, memories, syntheses."""
        return self._jobs.run(most=limit)

    def jobs(self, *, states: Collection[JobState] | None = None, limit: int = 100) -> Sequence[Job]:
        """Background jobs: running, waiting, failed, then canceled; `states` names others."""
        return self._job_list.jobs(states=states, limit=limit)

    def retry_job(self, id: str) -> Job:
        """Run a waiting, failed or canceled job at once, with all its attempts."""
        return self._job_list.retry_job(id)

    def cancel_job(self, id: str) -> Job:
        """Cancel a job. What it did so far stays."""
        return self._job_list.cancel_job(id)

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

    def show(self, id: str, *, as_of: AsOf | None = None) -> TraceHistory:
        """A trace with its versions, the turns it came from and the memories extracted from it; or as it was then."""
        return self._browse.show(id, as_of=as_of)

    def list(
        self,
        filter: Filter | None = None,
        *,
        after: str | None = None,
        limit: int = 50,
        newest: bool = False,
        sort: str | Sort | None = None,
        as_of: AsOf | None = None,
    ) -> TracePage:
        """One page of traces, in order of id, oldest first, or with `newest` the other way round; from `after` on.

        `sort` gives another order: stored, created, changed, used, uses, importance, confidence, kind, scope, label,
        trust or state; with a minus, such as `-created`, the other way round. `after` is the `next` of the page
        before. With `as_of`, those there were at a time, a ledger position or a tag. Where the filter names sessions,
        the memories extracted from their turns count as well.
        """
        return self._browse.list(filter, after=after, limit=limit, newest=newest, sort=sort, as_of=as_of)

    def views(self) -> Sequence[SavedView]:
        """The saved views of the dashboard, by name."""
        return self._views.all()

    def save_view(self, name: str, query: str, *, page: str = "memories") -> SavedView:
        """Keep filters and order of a page of the dashboard under a name; one of the same name is replaced."""
        return self._views.save(name, query, page=page)

    def remove_view(self, name: str) -> SavedView:
        """Remove a saved view."""
        return self._views.remove(name)

    def stats(self, filter: Filter | None = None) -> Counts:
        """How many traces there are, and of what kind."""
        return self._browse.stats(filter)

    def indexed_files(
        self, *, after: str | None = None, limit: int = 100, contains: str = "", state: str | None = None
    ) -> FilePage:
        """The files that are memory, by path: whether the index of each is fresh, and its number of chunks."""
        return self._indexed_files.page(after=after, limit=limit, contains=contains, state=state)

    def indexed_file(self, path: str) -> FileChunks:
        """One indexed file, and its chunks in the order of its lines."""
        return self._indexed_files.one(path)

    def conversations(self, *, after: str | None = None, limit: int = 50, contains: str = "") -> ConversationPage:
        """The sessions that have turns, the one that was spoken in last first; `after` is the `next` of a page."""
        return self._conversations.all(after=after, limit=limit, contains=contains)

    def conversation(self, id: str, *, after: int = -1, limit: int = 100) -> ConversationTurns:
        """The turns of a session in order, from after a place, and the memories extracted from them."""
        return self._conversations.one(id, after=after, limit=limit)

    def session(self, id: str) -> SessionState:
        """What is known of a session (C13): when it was ingested and recalled, its synthesis, what was injected."""
        return self._browse.session(id)

    def sessions(self, *, after: str | None = None, limit: int = 100) -> Sequence[SessionState]:
        """The sessions that have a state, by name, from after the name `after`."""
        return self._browse.sessions(after=after, limit=limit)

    def users(self) -> Sequence[UserSummary]:
        """Every user of this agent, by name, with how much there is."""
        return self._browse.users()

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

    def growth(self, *, days: int = 30, lane: Lane = Lane.MEMORIES, fit: bool = False) -> Sequence[Day]:
        """What was created on each of the last days (UTC) and how much there was, the oldest day first."""
        return self._browse.growth(days=days, lane=lane, fit=fit)

    def activity(self, *, days: int = 30) -> Sequence[EventCount]:
        """The events of the ledger by day and kind: what was stored, changed and removed, and when."""
        return self._usage.activity(days=days)

    def usage(self, *, days: int = 30) -> Usage:
        """How recall went on each of the last days, from receipts."""
        return self._usage.usage(days=days)

    def pulse(self) -> Alive:
        """Whether anything happened since the last look, at next to no cost."""
        return self._browse.pulse()

    def receipts(self, *, limit: int = 20, op: str | None = None, before: str | None = None) -> Sequence[Receipt]:
        """The latest receipts, newest first; those older than the receipt `before`."""
        return self._browse.receipts(limit=limit, op=op, before=before)

    def receipt_log(
        self,
        *,
        op: str | None = None,
        outcome: str | None = None,
        session: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> ReceiptLog:
        """Receipts in a line each, newest first, with the question where it is kept, else the first hit."""
        return self._receipt_log.receipt_log(op=op, outcome=outcome, session=session, before=before, limit=limit)

    def compare_receipts(self, id: str, other: str) -> ReceiptComparison:
        """What differs from one recorded recall to another."""
        return self._receipt_log.compare_receipts(id, other)

    def receipt(self, id: str) -> Receipt:
        """One receipt."""
        return self._browse.receipt(id)

    def status(self) -> dict[str, Any]:
        """What is there, what is degraded, and how to fix it."""
        from cortex.services.health import report

        with self.context.view() as view:
            return report.status(self.context, view, self.searching.status())

    def alerts(self, *, closed: bool = False) -> Sequence[Alert]:
        """What needs attention, the most urgent first; `closed` adds what is over."""
        return self._alerts.list(closed=closed)

    def doctor(self) -> Sequence[Check]:
        """Everything an installation needs, checked."""
        from cortex.services.health import report

        return report.checks(self.context, lambda: self.searching.status())

    # --- maintenance, export and import -----------------------------------------------------------

    def backfill(self, *, everyone: bool = False, progress: Progress = silent) -> Receipt:
        """Embed everything that has no vector of the current model (C7), of this user or of all users of the agent."""
        return self._maintenance.backfill(everyone=everyone, progress=progress)

    def verify(self, *, repair: bool = False) -> Sequence[Finding]:
        """Recompute everything derived, and the chain of events, and compare; in the index of the files too."""
        return self._maintenance.verify(repair=repair)

    def optimize(self) -> dict[str, Any]:
        """Compact the indexes; returns their status."""
        return self._maintenance.optimize()

    def export(
        self, filter: Filter | None = None, *, redact: bool = True, as_of: AsOf | None = None
    ) -> Iterator[dict[str, Any]]:
        """Traces in order of id, as plain values; their text only on request (E14); `as_of` for an earlier state."""
        return self._exchange.export(filter, redact=redact, as_of=as_of)

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

    def export_markdown(
        self, filter: Filter | None = None, *, by_scope: bool = False, as_of: AsOf | None = None
    ) -> Sequence[exchange.Page]:
        """Active memories as Markdown for a person to edit, text included: one page, or one for each scope."""
        return self._exchange.export_markdown(filter, by_scope=by_scope, as_of=as_of)

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

    # --- grades ----------------------------------------------------------------------------------

    def grade(
        self,
        *,
        grader: str = "heuristic-v1",
        all: bool = False,
        compare: bool = False,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> Receipt:
        """Annotate memories with how much they matter, and why (S2). A grade by itself changes no answer.

        Graded is what has no grade of this grader or changed since; with `all`, everything. `compare` grades everything
        and stores nothing: the receipt counts the labels that would change.
        """
        return self._grading.grade(grader=grader, all=all, compare=compare, dry_run=dry_run, progress=progress)

    def writeback(
        self,
        *,
        limit: int | None = None,
        batch: int = 200,
        dry_run: bool = False,
        force: bool = False,
        force_fields: Collection[str] | None = None,
        lancedb: str | Path | None = None,
        table: str | None = None,
        progress: Progress = silent,
    ) -> Receipt:
        """Carry grades into memories (S5). Without `force` only what nobody set is filled.

        With it, `force_fields` are overwritten: importance, importance_label, scope and category by default; trust_tier
        only if named, and only downwards. With `lancedb`, the folder of the table of the memory-lancedb plugin, the
        rows of that table are updated instead, by id.
        """
        return self._writeback.write_back(
            limit=limit, batch=batch, dry_run=dry_run, force=force, force_fields=force_fields, lancedb=lancedb,
            table=table, progress=progress,
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

    # --- drift -----------------------------------------------------------------------------------

    def drift(self) -> DriftReport:
        """Whether the memories of the last week are of another sort than those of the four before it (S3)."""
        return self._drift.report()

    def take_census(self) -> DriftReport:
        """Count the days that have ended, and open and close the alerts of drift (S3)."""
        return self._drift.run()

    # --- tags and rollback -----------------------------------------------------------------------

    def tag(self, name: str, *, reason: str = "", everyone: bool = False) -> TagResult:
        """Name the present position of the ledger, to recall as of it or go back to it (E18).

        With `everyone`, every user of the agent gets the tag, each at the position of their own ledger.
        """
        return self._tags.create(name, reason=reason, everyone=everyone)

    def untag(self, name: str, *, everyone: bool = False) -> TagResult:
        """Remove a tag. The ledger stays as it is."""
        return self._tags.remove(name, everyone=everyone)

    def tags(self) -> Sequence[Tag]:
        """The tags of this user, in order of position: those created by name, and the latest automatic ones."""
        return self._tags.all()

    def diff(self, a: AsOf, b: AsOf | None = None, *, scope: str | None = None, turns: bool = False) -> DiffResult:
        """What changed between two states, each a tag, a time or a position; without `b`, until now."""
        return self._rollback.diff(a, b, scope=scope, turns=turns)

    def rollback(
        self, tag: str, *, scope: str | None = None, turns: bool = False, dry_run: bool = False, everyone: bool = False
    ) -> RollbackResult:
        """Go back to a tag by appending the inverse of what changed since: later memories are withdrawn, edited and
        forgotten ones are as they were. Turns stay unless `turns` says otherwise; what was erased stays erased.

        Each rollback has an automatic tag before it, and a rollback to that one undoes it.
        """
        return self._rollback.roll_back(tag, scope=scope, turns=turns, dry_run=dry_run, everyone=everyone)

    # --- lifecycle -------------------------------------------------------------------------------

    def consolidate(self, *, dry_run: bool = False, progress: Progress = silent) -> ConsolidationResult:
        """Run the lifecycle: expire what is over, merge what was said twice. Undone by `undo_consolidation` (X16)."""
        return self._lifecycle.consolidate(dry_run=dry_run, progress=progress)

    def retention(self, *, apply: bool = False, everyone: bool = False, progress: Progress = silent) -> RetentionResult:
        """What is due by the retention rules of the settings; with `apply` it is expired and erased.

        What expires is brought back by `undo_consolidation`; what is erased is not. With `everyone` it is done for all
        users of the agent.
        """
        return self._retention.retention(apply=apply, everyone=everyone, progress=progress)

    def hold(
        self,
        *,
        ids: Sequence[str] = (),
        scope: str | None = None,
        session: str | None = None,
        person: str | None = None,
        also: Sequence[str] = (),
        reason: str = "",
        everyone: bool = False,
    ) -> HoldResult:
        """Place a hold on memories and turns, on a scope, on a session or on a person, who may have other names `also`.

        What is on hold neither expires, merges nor is rolled back, and `erase` refuses it. With `everyone` it is on the
        memory of all users of the agent, those to come among them.
        """
        return self._holds.add(
            ids=ids, scope=scope, session=session, person=person, also=also, reason=reason, everyone=everyone
        )

    def release_hold(self, name: str, *, everyone: bool = False) -> HoldResult:
        """Release a hold by its name; with `everyone`, whoever's memory it is on."""
        return self._holds.release(name, everyone=everyone)

    def holds(self, *, everyone: bool = False) -> Sequence[Hold]:
        """The holds on this user's memory, oldest first; with `everyone`, those on anybody's."""
        return self._holds.all(everyone=everyone)

    # --- a person ----------------------------------------------------------------------------------

    def find_subject(
        self,
        person: str,
        *,
        also: Sequence[str] = (),
        backups: bool = True,
        with_text: bool = False,
        progress: Progress = silent,
    ) -> SubjectReport:
        """Where a person is in the memory of all users of the agent and in its backups, the sure and the likely apart.

        `also` are other names: nicknames, addresses, numbers, handles. Texts are included only `with_text`.
        """
        return self._subjects.find(person, also=also, backups=backups, with_text=with_text, progress=progress)

    def export_subject(
        self,
        person: str,
        *,
        also: Sequence[str] = (),
        with_text: bool = False,
        likely: bool = False,
        progress: Progress = silent,
    ) -> Iterator[dict[str, Any]]:
        """One object for each memory, turn and outcome that the person surely is in; texts only `with_text`."""
        return self._subjects.export(person, also=also, with_text=with_text, likely=likely, progress=progress)

    def erase_subject(
        self,
        person: str,
        *,
        also: Sequence[str] = (),
        likely: bool = False,
        ids: Sequence[str] = (),
        progress: Progress = silent,
    ) -> SubjectErased:
        """Erase a person from the memory of all users of the agent and from its backups, with one certificate.

        The sure matches go; the likely ones with `likely`, or those named by `ids`.
        """
        return self._subjects.erase(person, also=also, likely=likely, ids=ids, progress=progress)

    def subject_certificate(self, id: str) -> SubjectCertificate:
        """The certificate of an erasure of a person."""
        return self._subjects.certificate(id)

    # --- lifecycle -------------------------------------------------------------------------------

    def undo_consolidation(self, run: str) -> UndoResult:
        """Undo a lifecycle run, by the name it has in its outcome and its receipt; or by the receipt's id."""
        return self._lifecycle.undo(run)

    def backup(self, to: Path | None = None) -> BackupResult:
        """Back up the agent's memory while it is in use; `to` names a folder where nothing is ever removed (E21)."""
        return self._lifecycle.backup(to)

    def backups(self) -> Sequence[Backup]:
        """The backups of this agent, newest first."""
        return self._lifecycle.backups()

    def drill(self) -> DrillResult:
        """Restore the newest backup beside the memory, verify it and remove it again; what is wrong is an alert."""
        return self._drill.drill()

    def last_drill(self) -> Drill | None:
        """What the last drill found; None before the first."""
        return self._drill.last()

    def restore_backup(self, given: str) -> RestoreResult:
        """Restore a backup: a file, the name of one, or `latest`. What is there now becomes a backup itself."""
        return self._lifecycle.restore_backup(given)

    def run_due(self) -> datetime:
        """Do what is due: background work, and the schedule of upkeep; returns when to call again (S7)."""
        return self._upkeep.run_due()

    def scheduler(self) -> AbstractContextManager[Scheduler]:
        """Have `run_due` called in the background, at its times and when there is something new to do."""
        return self._upkeep.running()

    # --- canaries --------------------------------------------------------------------------------

    def golden(self) -> GoldenStatus:
        """How many questions the golden set of this user has."""
        return self._golden.status()

    def build_golden(self) -> GoldenStatus:
        """Build the golden set: recorded recalls whose right answers are known, one in five rightly silent (E20)."""
        return self._golden.build()

    def mark_golden(
        self, receipt_id: str, *, expected: Sequence[str] | None = None, silent: bool = False, reject: bool = False
    ) -> GoldenMark:
        """Approve what a recorded recall found, or say what it should have found; it counts from the next build on.

        With `silent` it should have found nothing; with `reject` it is no question for the set.
        """
        return self._golden.mark(receipt_id, expected=expected, silent=silent, reject=reject)

    def canary(self) -> CanaryResult:
        """The canary that is running, or the last one."""
        return self._canary.status()

    def start_canary(
        self,
        settings: Mapping[str, Any],
        *,
        share: float = 0.1,
        seconds: float = 86_400,
        dry_run: bool = False,
        progress: Progress = silent,
    ) -> CanaryResult:
        """Compare other settings with those in force on the golden set; then a share of the sessions tries them (E20).

        Its state is `refused` if the comparison speaks against them. They are taken back after `seconds`, or before if
        turns go worse with them. With `dry_run` they are only compared.
        """
        return self._canary.start(settings, share=share, seconds=seconds, dry_run=dry_run, progress=progress)

    def promote_canary(self) -> CanaryResult:
        """Keep what a canary tried: it is written into the settings file, and holds for every session from now on."""
        return self._canary.promote()

    def stop_canary(self) -> CanaryResult:
        """Take a canary back before its time."""
        return self._canary.stop()

    def rehearse(
        self,
        settings: Mapping[str, Any],
        *,
        days: float = 7,
        limit: int = 1_000,
        seconds: float | None = None,
        progress: Progress = silent,
    ) -> Rehearsal:
        """Answer the recorded recalls of the last days under other settings, each on the state that it saw.

        At most the `limit` latest are answered. An interrupt, or the end of `seconds`, ends it with what was compared
        so far.
        """
        return self._rehearsal.rehearse(settings, days=days, limit=limit, seconds=seconds, progress=progress)

    # --- what people should know -----------------------------------------------------------------

    def gaps(
        self, *, days: float = 30, scope: str | None = None, limit: int = 20, progress: Progress = silent
    ) -> GapsReport:
        """What was asked in the last days, or there in one scope, and found nothing; grouped, with what would answer it
        today."""
        return self._gaps.report(days=days, scope=scope, limit=limit, progress=progress)

    def digest(self, *, days: float = 7, progress: Progress = silent) -> Digest:
        """What was learned, changed, unanswered, used most and spent in the last days, and what waits for a person.

        `domain.digest.as_text` and `as_markdown` write it for people.
        """
        return self._digest.digest(days=days, progress=progress)

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
