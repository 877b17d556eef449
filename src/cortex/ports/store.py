"""What the engine needs of a store.

A store keeps the traces of one agent. Writes go through `apply`, atomically and durably. Reads go
through a `View`: one consistent snapshot, bound to one tenant, at the present or at an earlier
position of the ledger. There is no read without a tenant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, fields
from datetime import date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from cortex.domain.backup_manifest import Figures
from cortex.domain.conversations import Before, Conversation
from cortex.domain.dump import DumpRecord
from cortex.domain.erasure import Erasure
from cortex.domain.events import Event, EventCount, EventKind
from cortex.domain.growth import DayCount
from cortex.domain.identity import ReceiptId, TraceId
from cortex.domain.lanes import SEARCHABLE, Lane, State
from cortex.domain.memory import ImportanceLabel, Kind, Memory
from cortex.domain.receipt import Receipt
from cortex.domain.scope import Tenant
from cortex.domain.sorting import Place, Placed, Sort
from cortex.domain.terms import QueryTerm
from cortex.domain.trace import Trace
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Turn
from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector
from cortex.errors import Conflict, StoreBehind
from cortex.runtime.deadline import Deadline

T = TypeVar("T")

RESERVED = "#"
"""What the name of a session begins with in whose state something else is kept."""

# --- what can be changed -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Put:
    """Store a trace, new or as the next version of the one with its id; the old version is kept."""

    trace: Trace
    because: EventKind


@dataclass(frozen=True, slots=True)
class Remove:
    """Take a trace and everything derived from it out for good; only its events stay."""

    id: TraceId


@dataclass(frozen=True, slots=True)
class Erase:
    """`Remove` the traces of an erasure and what was extracted from them, and cut out other mentions of them, once.

    A receipt keeps its shape, with `erasure.NOBODY` where an id stood; a query that found one is no longer kept. Jobs
    that speak of them are dropped. The marks of sessions are put. Where there is more or less than the erasure names it
    is a `Conflict`; with `loosely` it goes all the same, as in a file that is older than the erasure.
    """

    erasure: Erasure
    loosely: bool = False


@dataclass(frozen=True, slots=True)
class Embed:
    """Attach to a trace the vectors of its passages, in order, replacing those of the same space.

    Vectors take a while to compute. Given the `text` they were computed from, they are dropped where the trace is gone
    or says something else by now; without it, a trace that is gone is an error.
    """

    id: TraceId
    space: EmbeddingSpace
    vectors: Sequence[Vector]
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Calibrate:
    """Keep the measured scale of a space, for the tenant; earlier ones stay for the past."""

    space: EmbeddingSpace
    calibration: Calibration


@dataclass(frozen=True, slots=True)
class RecordAccess:
    """Count one use of each memory."""

    ids: tuple[TraceId, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class PutReceipt:
    """Keep a receipt; `query` is kept apart from it so that it can be replayed, and erased."""

    receipt: Receipt
    query: str | None = None


@dataclass(frozen=True, slots=True)
class DropReceipts:
    """Drop the receipts from before a time for good, and from before another time the queries that are kept."""

    before: datetime | None = None
    queries_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class RecordRestore:
    """Note that a backup took the place of the store. The ledger goes on after the position `above`, if that is later.

    What was written after the backup is gone, but its positions stay taken: none is ever used twice.
    """

    backup: str
    above: int = 0


@dataclass(frozen=True, slots=True)
class RecordDecision:
    """Note in the ledger what somebody decided, about a subject that is no trace."""

    kind: EventKind
    subject: str


@dataclass(frozen=True, slots=True)
class PatchSession:
    """Keep these parts of a session's state beside those it has; a part that is None is dropped, and None drops all."""

    session: str
    state: Mapping[str, Any] | None


CLOCK_STEP = timedelta(seconds=30)
"""A job that was written so far in the future was written before the clock was set back; a live claim is younger."""


class JobState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Background work that survives a restart. `key` makes it unique: enqueuing it again moves its due time."""

    id: str
    kind: str
    key: str
    due: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    state: JobState = JobState.WAITING
    attempts: int = 0
    claimed_until: datetime | None = None
    error: str = ""
    written_at: datetime | None = field(default=None, compare=False)
    """When it was last written, by the clock of then; the store sets it."""

    def ready_at(self, now: datetime) -> datetime:
        """When it can be taken: once it is due, or its claim has lapsed.

        That is now where the clock was set back since it was written: nobody waits for it to show that time again.
        """
        if self.written_at is not None and self.written_at > now + CLOCK_STEP:
            return now
        return self.claimed_until or self.due


@dataclass(frozen=True, slots=True)
class PutJob:
    """Enqueue a job, or write back what became of it; of those done or canceled under one key only the last is kept."""

    job: Job


@dataclass(frozen=True, slots=True)
class ExpectLast:
    """Only if the last turn of a session stands at `seq` (-1: it has none); else `Conflict`, and nothing is done."""

    session: str
    seq: int


class ClaimLost(Conflict):
    """A job went to another process, which carries it out: there is nothing to decide again."""


@dataclass(frozen=True, slots=True)
class ExpectClaim:
    """Only if a job is still in its state and at its attempt; else `ClaimLost`, and nothing is done."""

    job: Job


@dataclass(frozen=True, slots=True)
class ExpectSame:
    """Only if a trace still says what this one does, its counters aside; else `Conflict`, and nothing is done."""

    trace: Trace


@dataclass(frozen=True, slots=True)
class ExpectAbsent:
    """Only if the tenant has no trace with one of these ids; else `Conflict`, and nothing is done."""

    ids: tuple[TraceId, ...]


@dataclass(frozen=True, slots=True)
class ExpectState:
    """Only if these parts of a session's state are still as given (None: not there); else `Conflict`."""

    session: str
    parts: Mapping[str, Any]


Expectation = ExpectLast | ExpectClaim | ExpectSame | ExpectAbsent | ExpectState
Change = (
    Put
    | Remove
    | Erase
    | Embed
    | Calibrate
    | RecordAccess
    | PutReceipt
    | DropReceipts
    | RecordRestore
    | RecordDecision
    | PatchSession
    | PutJob
    | Expectation
)

# --- what can be read ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which traces to search; None means any. Every store pushes this down into its search."""

    lanes: frozenset[Lane] | None = None
    scopes: frozenset[str] | None = None
    kinds: frozenset[Kind] | None = None
    trusts: frozenset[TrustTier] | None = None
    labels: frozenset[ImportanceLabel] | None = None
    states: frozenset[State] = SEARCHABLE
    sessions: frozenset[str] | None = None
    since: datetime | None = None
    until: datetime | None = None
    used_since: datetime | None = None
    """Only what was last used since then, or created where it never was."""
    ids: frozenset[TraceId] | None = None
    slots: frozenset[str] | None = None
    """Only memories about one of these slots."""
    lacking: EmbeddingSpace | None = None
    """Only traces with no vector in this space."""
    contradicted: bool | None = None
    """Only memories that point to one that says otherwise, or only the others."""
    contains: str | None = None
    """Only traces whose text has this in it, in capitals or not."""
    topics: frozenset[str] | None = None
    """Only memories of one of these topics."""
    tags: frozenset[str] | None = None
    """Only memories with one of these tags."""


class Match(NamedTuple):
    """A trace a leg found. `score` is the leg's own; `passage` counts the vector's passage from 0."""

    id: TraceId
    score: float
    passage: int = 0


@dataclass(frozen=True, slots=True)
class Sampled:
    """A trace of a sample, and the vector of its first passage."""

    trace: Trace
    vector: Vector


@dataclass(frozen=True, slots=True)
class Version:
    """What a trace said from position `since` until position `until` (None: still)."""

    trace: Trace
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class Skipped:
    """A row that is damaged and was left out: its table, and what names it there."""

    table: str
    key: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many traces there are, and of what sort."""

    total: int
    by_lane: Mapping[str, int]
    by_scope: Mapping[str, int]
    by_kind: Mapping[str, int]
    by_label: Mapping[str, int]
    by_trust: Mapping[str, int]
    by_state: Mapping[str, int]
    oldest: datetime | None
    newest: datetime | None
    text_bytes: int


@dataclass(frozen=True, slots=True)
class Pulse:
    """The counters that show whether anything happened."""

    position: int
    total: int
    jobs: Mapping[str, int]
    """How many there are, by state."""


class View(Protocol):
    """A consistent, read-only look at one tenant's traces."""

    @property
    def position(self) -> int:
        """The position of the tenant's last event that this view shows; 0 where there is none."""

    @property
    def at(self) -> datetime | None:
        """When the tenant's last change up to this position was made, as the ledger has it; None before the first."""

    @property
    def skipped(self) -> Sequence[Skipped]:
        """The damaged rows this view has met and left out. A damaged row is never an error of a read."""

    @property
    def degraded(self) -> Sequence[str]:
        """What was searched another way than it should be, such as `nearest:lost`: nothing is missing for it."""

    def damage(self, id: TraceId) -> str | None:
        """What is wrong with the trace of this id, where its row is damaged or was moved to the quarantine table."""

    def load(self, ids: Sequence[TraceId]) -> list[Trace]:
        """The traces with these ids, in this order, unknown and damaged ones left out, whatever their state."""

    def keywords(
        self, terms: Sequence[QueryTerm], filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        """The best by BM25 among searchable states, each trace by its best passage; best first, ties by id.

        In the first passage of a turn the words of the turn before it (its last passage), where that is
        among what is searched, count too: `domain.lexical.BEFORE` of an occurrence each.
        A score is BM25 divided by the sum of the terms' weights times rarities (those nobody uses
        included), so that it says how much of the query's evidence was found and compares between queries.
        The statistics are those of the filter's lanes, scopes, kinds, trusts, labels and states; its
        ids, slots, sessions and times only narrow the answer.
        """

    def nearest(
        self, vector: Vector, space: EmbeddingSpace, filter: Filter, limit: int, deadline: Deadline | None = None
    ) -> list[Match]:
        """The nearest by cosine among searchable states, each trace by its best passage; best first, ties by id."""

    def calibration(self, space: EmbeddingSpace) -> Calibration | None:
        """The scale of a space as it was last measured up to this position; None where it never was."""

    def scan(self, filter: Filter, after: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        """Traces in order of id, from after `after`."""

    def latest(self, filter: Filter, before: TraceId | None = None, limit: int = 1_000) -> list[Trace]:
        """Traces in the opposite order, the newest first, from before `before`."""

    def sorted(self, filter: Filter, sort: Sort, after: Place | None = None, limit: int = 1_000) -> list[Placed]:
        """Traces in an order that is not one of names (`SortKey.is_name`), from after a place in it."""

    def counts(self, filter: Filter) -> Counts: ...

    def days(self, filter: Filter, first: date) -> list[DayCount]:
        """When the traces of the filter's lanes, scopes, kinds, trusts, labels and states were made, by day and sort.

        They come in any order; what is older than `first` comes without its day.
        """

    def pulse(self) -> Pulse:
        """The position, and how many traces and jobs there are now. Cheap however many there are, of whomever."""

    def derived(self, turns: Sequence[TraceId]) -> list[Memory]:
        """The memories extracted from any of these turns, in order of id, whatever their state."""

    def history(self, id: TraceId) -> list[Version]:
        """Every version of a trace, oldest first."""

    def speakers(self, filter: Filter) -> frozenset[str]:
        """Who speaks in the turns of the filter's lanes, scopes, kinds, trusts, labels and states."""

    def scopes(self, filter: Filter) -> frozenset[str]:
        """In which scopes there are traces of the filter's lanes, scopes, kinds, trusts, labels and states."""

    def turn_at(self, session: str, seq: int) -> Turn | None:
        """The turn at one place of a session."""

    def last_seq(self, session: str) -> int:
        """The place of the last turn of a session, or -1."""

    def turns(self, session: str, after: int = -1, limit: int = 1_000) -> list[Turn]:
        """The turns of a session in their order, from after the place `after`, whatever their state."""

    def conversations(self, before: Before | None = None, limit: int = 50, named: str = "") -> list[Conversation]:
        """The sessions that have turns, the one that was spoken in last first; those with `named` in their name."""

    def events(self, after: int = 0, limit: int = 1_000) -> list[Event]: ...

    def event_days(self, first: date) -> list[EventCount]:
        """How many events of each kind there were on each day from `first` on, in order of day and kind."""

    def latest_events(
        self,
        limit: int = 50,
        *,
        before: int | None = None,
        kinds: Collection[EventKind] | None = None,
        subject: str | None = None,
    ) -> list[Event]:
        """Events newest first, from before the position `before`; of these kinds, and about this subject alone."""

    def changed_by(self, ids: Sequence[TraceId]) -> dict[TraceId, Event]:
        """The event of the last change of each of these traces; those without one are left out."""

    def sessions(self, after: str = "", limit: int = 100) -> list[str]:
        """The sessions that have a state, by name, from after the name `after`; without those of reserved names."""

    def receipt(self, id: ReceiptId) -> tuple[Receipt, str | None] | None:
        """A receipt and the query kept with it."""

    def receipts(self, limit: int = 20, op: str | None = None, before: ReceiptId | None = None) -> list[Receipt]:
        """The latest receipts, newest first; from before a receipt that is there."""

    def receipt_counts(self, before: datetime) -> tuple[int, int]:
        """How many receipts are from before a time, and how many of them have a query."""

    def queries(self, after: ReceiptId | None = None, limit: int = 1_000) -> list[tuple[ReceiptId, str]]:
        """The queries that are kept, with the ids of their receipts and in their order, from after the id `after`."""

    def state(self, session: str) -> Mapping[str, Any] | None: ...

    def jobs(self, state: JobState | None = None, limit: int = 100) -> list[Job]: ...


def _ability(meaning: str) -> bool:
    found: bool = field(default=False, metadata={"meaning": meaning})
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What a store can do beyond the contract. Callers check for one before they need it."""

    durable: bool = _ability("What was acknowledged survives a power cut.")
    as_of: bool = _ability("Recall can search an earlier state, by time, ledger position or tag.")
    tags: bool = _ability("A ledger position can have a name, and a rollback goes back to it.")
    backup: bool = _ability("`cortex backup create` and scheduled backups.")
    restore: bool = _ability("`cortex backup restore` puts a backup back.")
    compaction: bool = _ability("`erase` rewrites what held the erased text.")
    proof_by_bytes: bool = _ability("`erase` searches the bytes of every file of the store afterwards.")
    multi_process: bool = _ability("Several processes of one machine can use it at once.")
    multi_host: bool = _ability("Several machines can use it at once.")
    standby_reads: bool = _ability("A standby server can answer reads.")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Every ability there is."""
        return tuple(each.name for each in fields(cls))

    @classmethod
    def meaning(cls, name: str) -> str:
        """What one of them is."""
        found: str = next(each.metadata["meaning"] for each in fields(cls) if each.name == name)
        return found

    def has(self, name: str) -> bool:
        return name in self.present

    @property
    def present(self) -> tuple[str, ...]:
        """The names of those that a store has."""
        return tuple(name for name, is_there in asdict(self).items() if is_there)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing `verify` found wrong, and whether it was repaired."""

    code: str
    detail: str
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Residue:
    """Where texts still stand: in traces of the tenant's, in other rows of theirs, in the bytes of files."""

    traces: tuple[TraceId, ...] = ()
    tables: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    """The store's own where no row of anybody's explains it, and others that were to be looked at."""
    near: tuple[TraceId, ...] = ()
    """Traces that nearly say one of them: in other letters or spaces, or in most of its words."""
    near_tables: tuple[str, ...] = ()
    leftovers: tuple[Path, ...] = ()
    """Of `files`, those of the store that it no longer uses."""

    def files_of(self, paths: Collection[Path]) -> tuple[Path, ...]:
        """Which of these files hold it."""
        return tuple(path for path in self.files if path in paths)


@dataclass(frozen=True, slots=True)
class Replaced:
    """The result of putting a backup in the place of a store."""

    kept: bool
    """Whether there was a store, which was kept."""
    kept_out: int = 0
    """How many traces of the backup had been erased since, and were left out."""


@dataclass(frozen=True, slots=True)
class RestoreMark:
    """Who restores a backup, as the ledger of each user will say."""

    at: datetime
    actor: str
    cause: str
    backup: str

    def change(self, restored: int, lost: int | None) -> RecordRestore:
        """What the ledger of a user notes: it ends at `restored` in the backup, and ended at `lost` before.

        Where nobody knows how far the ledger was, it goes on far above all that it can have been.
        """
        return RecordRestore(self.backup, restored + UNKNOWN_LOSS if lost is None else lost)


UNKNOWN_LOSS = 1_000_000_000
"""How many positions are left out where the ledger that a backup replaces cannot be read."""


def require_position(shown: int, at_least: int | None) -> None:
    """Refuse to show a tenant less than it has written."""
    if at_least is not None and shown < at_least:
        raise StoreBehind(
            f"the last event here is at position {shown:,}, and position {at_least:,} is to be shown",
            hint="try again, or leave out at_least",
        )


MOST_RETRIES = 32
"""How often a decision is retried: each time somebody else has changed something, so all together go forward."""


def scan_all(view: View, filter: Filter, page: int = 1_000) -> Iterator[Trace]:
    """Every trace that a filter matches, in order of id, a page at a time."""
    after: TraceId | None = None
    while found := view.scan(filter, after, page):
        yield from found
        after = found[-1].id


def figures_of(view: View) -> Figures:
    """How much a view shows, and the end of the ledger."""
    last = next(iter(view.latest_events(1)), None)
    total = view.counts(Filter(states=frozenset(State))).total
    return Figures(total, last.position if last else 0, last.seal if last else "")


def with_expectations(changes: Sequence[Change], view: View, also: Iterable[TraceId] = ()) -> list[Change]:
    """`changes` decided on what `view` shows, to be carried out only while that still says the same.

    That is whatever they revise, and `also` these.
    """
    revised = (change.trace.id for change in changes if isinstance(change, Put))
    return [*map(ExpectSame, view.load(list(dict.fromkeys((*revised, *also))))), *changes]


def retry_on_conflict(attempt: Callable[[], T]) -> T:
    """What `attempt` returns, which reads, decides and applies: where somebody else was first, it starts over."""
    for _ in range(MOST_RETRIES - 1):
        try:
            return attempt()
        except Conflict as error:
            if type(error) is not Conflict:
                raise  # a job that another process has now, or edits that only a person can bring together
    return attempt()


class Store(Protocol):
    """The traces of one agent."""

    @property
    def abilities(self) -> Abilities:
        """What it can do as it was opened: its kind's, less what its options give up."""

    def apply(
        self, tenant: Tenant, changes: Sequence[Change], *, at: datetime, actor: str = "", cause: str = ""
    ) -> int:
        """Carry out all changes or none, durably before returning; gives the position of the tenant's last event.

        Each event follows the tenant's own last one: what is written for other tenants has no part in it. The events
        say who made the change (`actor`), and the id of the receipt of the operation (`cause`), where they are known.
        A position is given under a lock that is held to the end: a reader that has seen one has seen all before it.
        An event's time is `at`, but never before that of the event before it: where `at` is behind by more than
        `UNNOTED`, the ledger says so with an event `CLOCK_SET_BACK`, once for each step.
        Receipts and uses alone need not wait for the disk: they survive a crash, not a power cut.
        """

    def view(
        self, tenant: Tenant, as_of: int | None = None, at_least: int | None = None
    ) -> AbstractContextManager[View]:
        """What there is, or was at position `as_of`; beyond the tenant's last event that is the same as now.

        Without `at_least` it is the present. With it, a standby may answer: what is read has all that the tenant wrote
        up to `at_least`, and perhaps no more. A store that is not as far waits for it, and then raises `StoreBehind`.
        """

    def position_at(self, tenant: Tenant, at: datetime) -> int:
        """The position of the tenant's last event of that time, up to which none is later; 0 where there is none."""

    def claim(
        self, tenant: Tenant, kinds: Sequence[str], *, now: datetime, until: datetime, alone: Sequence[str] = ()
    ) -> Job | None:
        """Take the next job that is ready (`Job.ready_at`) for this process until `until`.

        Of the kinds in `alone` only one job of the tenant's runs at a time, whatever its key.
        """

    def vector_sets(self, tenant: Tenant) -> Mapping[str, int]:
        """How many traces have vectors, by the key of their space."""

    def sample(self, tenant: Tenant, space: EmbeddingSpace, limit: int) -> list[Sampled]:
        """Some of the searchable traces that have vectors in this space, in the order of `calibration.sample_key`."""

    def users(self) -> list[str]:
        """Everybody who ever did something here, in order."""

    def dump(self, tenant: Tenant) -> Iterator[DumpRecord]:
        """Everything that is kept of a tenant, as it is at one moment; nothing where there is none.

        A damaged row that was not moved away is `StoreCorrupt`, and an erasure that is not finished a `Conflict`.
        """

    def load(self, tenant: Tenant, records: Iterable[DumpRecord], *, source: str) -> None:
        """Keep what a `dump` gave, of a tenant of whom there is nothing here; nobody sees any of it until all is there.

        A load that was interrupted is gone on with where `source` names the same records: `records` begin with the
        first again, and those that were written are skipped. What is left of another is dropped.
        """

    def damaged(self, tenant: Tenant) -> Mapping[str, int]:
        """How many rows of the tenant's are damaged, and so left out of every answer, by table."""

    def verify(self, *, repair: bool = False) -> Iterator[Finding]:
        """Recompute everything derived, every checksum and the chain of events, and compare.

        With `repair`, what is derived is rebuilt, and damaged rows are moved to the quarantine table. It reports all
        it can of a damaged store, and raises nothing for it.
        """

    def maintain(self) -> Mapping[str, Any]:
        """Compact and optimize; returns the index status."""

    def compact(self, *, rewrite: bool = True) -> bool:
        """Rewrite everything without what was removed, so that no free page holds it; whether all of it was.

        A reader that began before keeps old pages in the log: then it is to be done again once the reader has ended,
        and `rewrite` is no longer needed.
        """

    def find_residue(
        self, tenant: Tenant, texts: Sequence[str], also: Sequence[Path] = (), ids: Sequence[TraceId] = ()
    ) -> Residue:
        """Where `texts` still stand: in rows, in the bytes of the store's files, and of those in `also`.

        A file in `also` is named as well where it has one of the traces `ids`.
        """

    def find_mentions(self, tenant: Tenant, ids: Sequence[TraceId], texts: Sequence[str]) -> list[str]:
        """The queries that an `Erase` of these will cut out of receipts and jobs."""

    def erasures(self, user: str | None = None, *, pending: bool = False) -> list[Erasure]:
        """The erasures of this user or of all, oldest first; those alone that are `pending`. They outlive a restore."""

    def record_erasure(self, erasure: Erasure) -> None:
        """Keep an erasure, durably, in the place of what was known of it; of a finished one no text is left."""

    def withdraw_erasure(self, id: str) -> None:
        """Drop an erasure of which nothing was done."""

    def erasure_lock(self, seconds: float) -> AbstractContextManager[bool]:
        """The right to erase, for one process at a time; False where another has it for longer than `seconds`."""

    def backup(self, to: Path) -> Mapping[str, Figures] | None:
        """A consistent copy of everything at `to`, checked and durable; nothing is there until it is whole.

        Returns what it holds by user, as of the same moment; None where the store cannot tell.
        Readers and writers go on meanwhile. Only a store with the ability `backup` is asked.
        """

    def describe(self) -> Mapping[str, Any]:
        """File, size, schema: what status shows beside the URL."""

    def close(self) -> None: ...
