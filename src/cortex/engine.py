"""The engine: one object, one method per verb, bound to one tenant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from cortex.domain.choices import aware
from cortex.domain.chunk import Chunk
from cortex.domain.events import Event, EventKind
from cortex.domain.growth import Day, days_of
from cortex.domain.hits import Hit, Recollection
from cortex.domain.identity import ReceiptId, TraceId, checked_id
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Contradiction, Draft, Memory
from cortex.domain.passing import passing_reason
from cortex.domain.query import MAX_LIMIT, Mode, Query
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_SCOPE, Tenant, checked_label
from cortex.domain.suspicion import tier_for
from cortex.domain.terms import QueryTerm, index_terms, query_terms
from cortex.domain.text import checked_text
from cortex.domain.trace import Trace
from cortex.domain.turn import SOURCE_OF_ROLE, Said, Turn
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import EmbedderUnavailable, InvalidRequest, NotFound, RowDamaged, StoreError
from cortex.file_freshness import SHARE, STALE, FileFreshness
from cortex.joined import FILE_LANES, JoinedView
from cortex.parts import Parts, log
from cortex.ports.clock import Deadline
from cortex.ports.index import FileIndex
from cortex.ports.searching import FileSearch
from cortex.ports.store import (
    Change,
    Counts,
    File,
    Filter,
    Finding,
    Put,
    Store,
    Touch,
    Version,
    View,
    guarded,
    retry_on_conflict,
)
from cortex.progress import Progress, silent
from cortex.query_vectors import QueryVectors
from cortex.recall import flow as recalling
from cortex.recall import recipes, replaying, telling
from cortex.recall.flow import Answer
from cortex.recall.ranking import Scored
from cortex.recall.replaying import Replay
from cortex.recall.reranking import Asking, Reader
from cortex.remember import flow as remembering
from cortex.settings import Settings

if TYPE_CHECKING:
    # Imported where they are used: a recall needs neither.
    from cortex import exchange
    from cortex.calibrator import Calibrator
    from cortex.checking import Check
    from cortex.erasing import Certificate, Erased
    from cortex.files import Files, Indexed
    from cortex.hooks import TurnHooks
    from cortex.keeping import BroughtBack, TakenBack, Tended
    from cortex.lifecycle.backups import Backup, Made
    from cortex.lifecycle.schedule import Keeper
    from cortex.recall.synthesis import Synthesis
    from cortex.reconciliation import Statement
    from cortex.timeline import Timeline
    from cortex.workspace import flush

Method = TypeVar("Method", bound=Callable[..., Any])

ANY_STATE = frozenset(State)

LONG_CHARS = 4_096
"""Where another process does the background work, it also reads texts longer than this."""

MAX_DAYS = 3_660
"""How far `growth` looks back."""

MEANT = 0.5
"""A memory is meant by a query to forget it when it is at least this similar, or holds this share of its words."""

BEHIND = 0.75
"""A memory is clearly meant when no other has this share of its score, or of the words of the query that it holds."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The memory that holds the statement now, and the receipt."""

    memory: Memory
    receipt: Receipt

    @property
    def verdict(self) -> str:
        """What became of it beside what was known: new, reinforces, duplicate, supersedes, contradicts."""
        return str(self.receipt.facts.get("verdict", "new"))

    @property
    def others(self) -> tuple[TraceId, ...]:
        """The memories it was decided beside."""
        return tuple(self.receipt.facts.get("others", ()))


@dataclass(frozen=True, slots=True)
class Edited:
    """The memory as it is after an edit, and the receipt."""

    memory: Memory
    receipt: Receipt

    @property
    def revision(self) -> str:
        """What a later edit names as the version it read."""
        return _revision(self.memory)


@dataclass(frozen=True, slots=True)
class Kept:
    """The ids of what was stored, in the order it was given, and the receipt."""

    ids: tuple[TraceId, ...]
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Ingested:
    """For each message the turn stored for it now (None: seen before, or skipped), and the receipt."""

    ids: tuple[TraceId | None, ...]
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Captured:
    """What a conversation left behind: its new turns, the memories drawn from them, and the receipt of the intake."""

    turns: tuple[TraceId, ...]
    memories: tuple[Memory, ...]
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Synthesised:
    """What is remembered on a topic, told in one piece, and the receipt."""

    synthesis: Synthesis
    recollection: Recollection
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten; where a query meant several, nothing was, and these are the candidates (L5)."""

    ids: tuple[TraceId, ...]
    candidates: tuple[Trace, ...]
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Shown:
    """A trace with everything known about it."""

    trace: Trace
    versions: tuple[Version, ...]
    sources: tuple[Trace, ...]
    derived: tuple[Memory, ...] = ()
    """The memories drawn from it, where it is a turn."""

    @property
    def revision(self) -> str | None:
        """What an edit names as the version it read; None where it is no memory."""
        return _revision(self.trace) if isinstance(self.trace, Memory) else None


@dataclass(frozen=True, slots=True)
class Alive:
    """What tells at a glance whether anything happened: `jobs` by their state, files included in `total`."""

    position: int
    total: int
    jobs: Mapping[str, int]
    reindexing: bool


@dataclass(frozen=True, slots=True)
class Explained:
    """A recollection with everything that was considered on the way."""

    recollection: Recollection
    answer: Answer


def _reads_texts(method: Method) -> Method:
    """A method whose time goes by the length of what it is given. Long texts are read in the worker process, if any."""

    @wraps(method)
    def either(self: Engine, *args: Any, **kwargs: Any) -> Any:
        worker = self._parts.worker
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


class Engine:
    """The memory of one agent and one of its users. `for_` gives the handle of another."""

    def __init__(self, parts: Parts, tenant: Tenant) -> None:
        self._parts = parts
        self.tenant = tenant
        if parts.on_open is None:
            parts.on_open = self._on_open

    def for_(self, *, agent: str | None = None, user: str | None = None) -> Engine:
        """The same engine for another agent or user."""
        return Engine(self._parts, Tenant(agent or self.tenant.agent, user or self.tenant.user))

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish what is under way and close the files."""
        self._parts.close()

    def settle(self) -> None:
        """Wait until the receipts and counters of earlier calls are written."""
        self._parts.aftermath.settle()

    # --- remember and forget ---------------------------------------------------------------------

    @_reads_texts
    def remember(self, text: str, *, embed: bool = True, as_new: bool = False, **fields: Any) -> Remembered:
        """Store one statement beside what is known (X13, X14). `fields` are those of `Draft`: kind, scope, tags, …

        What is known already is counted once more, a changed value replaces the old one, and a contradiction is
        flagged on both sides. Where no subject, attribute and value are given, the patterns of capture read them from
        the text. With `as_new` it is stored as it is; what names what it supersedes is compared with nothing else.
        """
        try:
            draft = Draft(text=text, **fields)
        except TypeError as error:
            raise InvalidRequest(str(error).partition(") ")[2], field="fields", hint="see `Draft`") from error
        from cortex import reconciliation

        if as_new:
            return self._remember_as_given(draft, embed)
        statement = reconciliation.read(draft.checked(self._max_text_bytes))
        if draft.supersedes is not None:
            return self._remember_as_given(statement.draft, embed)
        return self._reconcile(statement, embed)

    def _remember_as_given(self, draft: Draft, embed: bool) -> Remembered:
        (memory,), receipt = self._remember([draft], EventKind.REMEMBERED, embed, silent)
        return Remembered(memory, receipt)

    def _reconcile(self, statement: Statement, embed: bool) -> Remembered:
        from cortex import reconciliation

        now = self._parts.clock.now()
        memory = statement.draft.memory(TraceId(self._parts.ids(now)), now)
        with self._noting("remember") as note:
            done = reconciliation.remember(self, memory, statement, embed=embed)
            note.close(done.position, **done.facts())
        if done.outcome.embedded:
            self._calibrator.refresh()
        return Remembered(done.memory, note.receipt)

    def remember_all(
        self,
        drafts: Iterable[Draft],
        *,
        because: EventKind = EventKind.REMEMBERED,
        embed: bool = True,
        progress: Progress = silent,
    ) -> Kept:
        """Store many memories as they are given, none compared with another: all are checked before the first."""
        memories, receipt = self._remember(drafts, because, embed, progress)
        return Kept(tuple(memory.id for memory in memories), receipt)

    def keep_turns(
        self,
        session: str,
        turns: Iterable[Said],
        *,
        scope: str = DEFAULT_SCOPE,
        channel: str = "",
        embed: bool = True,
        progress: Progress = silent,
    ) -> Kept:
        """Store turns verbatim at the end of a session."""
        from cortex.capture.audience import kind_of, to_assistant

        checked_label(session, "session")
        checked_label(scope, "scope")
        now = self._parts.clock.now()
        turns = list(turns)
        heard = to_assistant(turns)
        stored = [
            Turn(
                id=TraceId(self._parts.ids(now)),
                text=checked_text(said.text, field=f"turns[{number}].text", max_bytes=self._max_text_bytes),
                session=session,
                seq=number,
                created_at=now if said.at is None else aware(said.at, f"turns[{number}].at"),
                role=said.effective_role,
                speaker=said.speaker,
                channel=channel,
                kind=kind_of(said.text, heard[number]),
                scope=scope,
                trust=tier_for(SOURCE_OF_ROLE[said.effective_role], said.text),
            )
            for number, said in enumerate(turns)
        ]
        with self._noting("keep_turns") as note:
            outcome = self._keep(stored, EventKind.SAID, remembering.fit_turns, embed, progress)
            with self._store.view(self.tenant) as view:
                position, turns_there = outcome.position or view.position, view.last_seq(session) + 1
            note.close(position, session_turns=turns_there, **outcome.facts())
        return Kept(tuple(turn.id for turn in stored), note.receipt)

    def _remember(
        self, drafts: Iterable[Draft], because: EventKind, embed: bool, progress: Progress
    ) -> tuple[Sequence[Memory], Receipt]:
        checked = [draft.checked(self._max_text_bytes) for draft in drafts]
        now = self._parts.clock.now()
        memories = [draft.memory(TraceId(self._parts.ids(now)), now) for draft in checked]
        fit = None
        if any(memory.supersedes or memory.source_turns for memory in memories):
            fit = partial(remembering.fit_memories, now=now)
            with self._store.view(self.tenant) as view:
                fit(memories, view)  # all are checked before the first is stored
        with self._noting("remember") as note:
            outcome = self._keep(memories, because, fit, embed, progress)
            kept = [memory for memory in outcome.traces if isinstance(memory, Memory)]
            superseded = sum(memory.supersedes is not None for memory in kept)
            note.close(outcome.position or self._position(), superseded=superseded, **outcome.facts())
        return kept, note.receipt

    def _keep(
        self, traces: Sequence[Trace], because: EventKind, fit: remembering.Fit | None, embed: bool, progress: Progress
    ) -> remembering.Outcome:
        outcome = remembering.keep(
            traces,
            because,
            tenant=self.tenant,
            store=self._store,
            embedder=self._parts.embedder if embed and self._can_embed else None,
            passage_tokens=self._parts.settings.embedding.passage_tokens,
            clock=self._parts.clock,
            progress=progress,
            fit=fit,
        )
        if outcome.embedded:
            self._calibrator.refresh()
        return outcome

    @_reads_texts
    def edit(self, id: str, *, if_revision: str | None = None, **changes: Any) -> Edited:
        """Change a memory: its text, scope, kind, importance, tags, retention or expires_at. Its history is kept.

        With `if_revision`, which `show` and `edit` give, an edit of any other version is a `Conflict`. A memory is
        never more trusted after an edit.
        """
        from cortex import exchange

        if not isinstance(self.get(id), Memory):
            raise InvalidRequest("is a turn or a chunk", field="id", hint="only memories can be edited")
        with self._noting("edit") as note:
            done = exchange.edit(
                checked_id(id),
                changes,
                tenant=self.tenant,
                store=self._store,
                clock=self._parts.clock,
                max_text_bytes=self._max_text_bytes,
                if_revision=if_revision,
            )
            stored = self._embed_stored(done.position, [done.memory.id] if done.changed else [], True, silent)
            about = {"ids": [done.memory.id], "fields": sorted(changes), "edited": int(done.changed)}
            note.close(stored.position, **about, **stored.facts())
        return Edited(done.memory, note.receipt)

    def forget(self, id: str) -> Forgotten:
        """Hide a memory or turn from recall, and memories that make the same statement; `restore` brings it back."""
        return self._change_state(id, self._forgetting, "forget")

    def restore(self, id: str) -> Forgotten:
        """Undo `forget`; or that a memory was superseded: it holds again, beside what had replaced it.

        A turn that expired is kept for good from then on.
        """
        return self._change_state(id, self._restoring, "restore", also=self._forgotten_twins)

    def contradictions(self, *, limit: int = 50) -> Sequence[Contradiction]:
        """Memories that cannot both be true, and of which nobody has said which is (X14), oldest first."""
        from cortex import reconciliation

        if not isinstance(limit, int) or limit < 1:
            raise InvalidRequest("is not a number from 1 on", field="limit", hint="give how many at most")
        with self._view() as view:
            return list(islice(reconciliation.contradictions(view), limit))

    def resolve(self, id: str, *, over: str | None = None, both: bool = False) -> Forgotten:
        """Settle the contradictions of a memory, or the one with `over`: it is true and replaces the other side.

        With `both` all of them hold, and are no longer flagged. `restore` of what was replaced takes that back.
        """
        other = None if over is None else checked_id(over, field="over")
        return self._change_state(id, partial(self._resolving, over=other, both=both), "resolve")

    def forget_matching(self, text: str, *, scope: str | None = None) -> Forgotten:
        """Forget the one memory a query means; where it may mean several, forget nothing and show them (L5).

        A memory, those that say the same, and the turns they came from are one match; turns that say little else are
        forgotten with it.
        """
        # What stands in a file is not forgotten here.
        lanes = frozenset({Lane.MEMORIES, Lane.SESSIONS})
        answer = self.explain(text, scope=scope, lanes=lanes, limit=5, mode=Mode.SEARCH).answer
        meant = {each.trace.id: each for each in answer.ranked if _is_meant(each, query_terms(text))}
        found = _apart([hit for hit in answer.hits if hit.trace.id in meant])
        if found and not any(_rivals(meant[found[0].trace.id], meant[hit.trace.id]) for hit in found[1:]):
            winner = self._memory_of(found[0].trace, meant)
            return self._change_state(winner.id, partial(self._forgetting, with_turns=True), "forget")
        with self._noting("forget") as note:
            note.close(self._position(), forgotten=0, candidates=len(found))
        return Forgotten((), tuple(hit.trace for hit in found), note.receipt)

    def erase(self, *ids: str, sources: bool = False, backups: bool = False) -> Erased:
        """Take memories and turns out for good, with what was drawn from them; gives a certificate of what is left.

        With `sources` the turns a memory was drawn from go too, and with `backups` the backups that hold any of it.
        What was erased before is answered with its certificate. One that is interrupted is finished later.
        """
        from cortex.erasing import Erasing

        return Erasing(self).erase(ids, sources=sources, backups=backups)

    def erasures(self) -> Sequence[Certificate]:
        """The certificates of all that was erased, oldest first; of those not finished yet, as far as they are."""
        from cortex.erasing import Erasing

        return Erasing(self).all()

    def certificate(self, id: str) -> Certificate:
        """The certificate of an erasure, by its id or by that of a memory or turn it took out."""
        from cortex.erasing import Erasing

        return Erasing(self).certificate(id)

    def finish_erasures(self) -> Sequence[Certificate]:
        """Finish what was interrupted or had to wait, of the whole agent; gives what is still pending."""
        if not self._store.erasures(pending=True):
            return []
        from cortex.erasing import Erasing

        return Erasing(self).finish()

    def _forgotten_twins(self, id: TraceId) -> dict[str, Any]:
        """The memories that were forgotten with one, as they make the same statement, and still are."""
        from cortex import reconciliation

        with self._store.view(self.tenant) as view:
            found = view.load([id])
            twins = reconciliation.forgotten_twins(found[0], view) if isinstance(found[0], Memory) else []
        return {"twins": [each.id for each in twins]} if twins else {}

    def _change_state(
        self,
        id: str,
        choose: Callable[[Trace, View], Sequence[Change]],
        op: str,
        also: Callable[[TraceId], dict[str, Any]] = lambda _: {},
    ) -> Forgotten:
        """Carry out the changes that `choose` finds for a memory or turn; the ids are of what changed its state.

        `also` has more to say of it afterwards, for the receipt.
        """
        wanted = checked_id(id)
        with self._noting(op) as note:
            position, ids, turns = retry_on_conflict(lambda: self._try_change(wanted, choose))
            facts: dict[str, Any] = {"ids": list(ids)} if ids else {}
            if turns and op == "forget":
                facts["turns"] = list(turns)
            note.close(position, changed=len(ids), **facts, **also(wanted))
        return Forgotten(ids, (), note.receipt)

    def _try_change(
        self, id: TraceId, choose: Callable[[Trace, View], Sequence[Change]]
    ) -> tuple[int, tuple[TraceId, ...], tuple[TraceId, ...]]:
        """The position afterwards, what changed its state, and the turns that still say it."""
        with self._view() as view:
            trace = _found(view, id)
            if isinstance(trace, Chunk):
                raise InvalidRequest(
                    f"names lines of a file ({trace.citation})", field="id", hint="edit the file: its lines follow it"
                )
            changes = choose(trace, view)
            position = view.position
            before = {each.id: each.state for each in view.load([put.trace.id for put in _puts(changes)])}
            guards = guarded(changes, view)
            sources = trace.source_turns if isinstance(trace, Memory) else ()
            gone = {put.trace.id for put in _puts(changes)}
            turns = tuple(each.id for each in view.load(sources) if each.state is State.ACTIVE and each.id not in gone)
        if not changes:
            return position, (), turns
        ids = tuple(put.trace.id for put in _puts(changes) if put.trace.state is not before.get(put.trace.id))
        return self._store.apply(self.tenant, guards, at=self._parts.clock.now()), ids, turns

    def _memory_of(self, trace: Trace, meant: Collection[TraceId]) -> Trace:
        """The memory that a query means where it found the turn it was extracted from: recall shows one of the two."""
        if not isinstance(trace, Turn):
            return trace
        with self._store.view(self.tenant) as view:
            derived = [each for each in view.derived([trace.id]) if each.state is State.ACTIVE and each.id in meant]
        return derived[0] if derived else trace

    def _forgetting(self, trace: Trace, view: View, *, with_turns: bool = False) -> Sequence[Change]:
        from cortex import reconciliation

        if trace.state is State.FORGOTTEN:
            return ()
        gone: list[Trace] = [trace]
        if isinstance(trace, Memory):
            gone += reconciliation.twins(trace, view)
            gone += reconciliation.turns_that_say_little_else(trace, view) if with_turns else []
        return [Put(each.revised(state=State.FORGOTTEN), EventKind.FORGOTTEN) for each in gone]

    def _resolving(self, trace: Trace, view: View, *, over: TraceId | None, both: bool) -> Sequence[Change]:
        from cortex import reconciliation

        if not isinstance(trace, Memory):
            raise InvalidRequest("is a turn", field="id", hint="only memories contradict each other")
        return reconciliation.resolved(trace, view, self._parts.clock.now(), over=over, both=both)

    def _restoring(self, trace: Trace, view: View) -> Sequence[Change]:
        from cortex import reconciliation

        if isinstance(trace, Memory) and trace.state is State.SUPERSEDED and trace.superseded_by is not None:
            return reconciliation.unreplaced(trace, view)
        if isinstance(trace, Turn) and trace.state is State.EXPIRED:
            # It has no retention that could be changed: who brings it back wants it to stay.
            return [Put(trace.revised(state=State.ACTIVE, expires_at=None), EventKind.RESTORED)]
        state = _state_to_restore(view.history(trace.id))
        return () if trace.state is state else [Put(trace.revised(state=state), EventKind.RESTORED)]

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
    ) -> Ingested:
        """Store what is new of a session's history, verbatim; what is made of it follows in the background (C1, C2).

        Send the whole history every time, or what there is of it: what was seen before is neither stored nor
        paid for again. With `debounce`, memories are drawn once the session has been quiet for a while. Who reads a
        transcript piece by piece says with `follows` how many of its messages were handed over before these.
        """
        from cortex.capture import intake

        settings = self._parts.settings
        arrival = intake.Arrival(
            messages=messages, session=checked_label(session, "session"), scope=checked_label(scope, "scope"),
            channel=channel, trigger=trigger, follows=follows,
        )  # fmt: skip
        limits = intake.Limits(
            max_messages=settings.limits.max_messages,
            max_message_bytes=settings.limits.max_message_bytes,
            max_text_bytes=self._max_text_bytes,
            keep_tool_output=settings.capture.keep_tool_output,
        )
        afterwards = intake.Afterwards(
            kinds=(
                *((intake.EMBED,) if self._can_embed else ()),
                intake.EXTRACT,
                *((intake.ENRICH,) if self._parts.llm is not None else ()),
            ),
            quiet=timedelta(seconds=settings.capture.debounce_seconds if debounce else 0),
            longest=timedelta(seconds=settings.capture.max_wait_seconds if debounce else 0),
        )
        with self._noting("ingest") as note:
            taken = intake.take_in(
                arrival, tenant=self.tenant, store=self._store, clock=self._parts.clock, ids=self._parts.ids,
                limits=limits, afterwards=afterwards,
            )  # fmt: skip
            note.close(taken.position, session=session, **taken.facts())
        self._parts.nudge()
        return Ingested(tuple(taken.ids), note.receipt)

    def capture(self, messages: Sequence[object], *, session: str, **options: Any) -> Captured:
        """Store what is new of a history and draw memories from it at once. `options` are those of `ingest`."""
        from cortex.background import Background

        taken = self.ingest(messages, session=session, debounce=False, **options)
        self.work()
        # A keeper may have been quicker: then it is at it now.
        Background(self).finish(session)
        turns = tuple(id for id in taken.ids if id is not None)
        with self._store.view(self.tenant) as view:
            memories = [memory for memory in view.derived(turns) if memory.state is State.ACTIVE]
        return Captured(turns, tuple(memories), taken.receipt)

    def work(self, *, most: int | None = None) -> Receipt:
        """Carry out the background work that is due: vectors, memories, syntheses."""
        from cortex.background import Background, sentence_vectors

        with self._noting("work") as note:
            worked = Background(self).run_due(most)
            judged_by = "signs" if sentence_vectors(self._parts) is None else "signs and meaning"
            note.close(self._position(), **worked.facts(), judged_by=judged_by)
        return note.receipt

    def next_due(self) -> datetime | None:
        """When there will be background work to do."""
        from cortex.background import Background

        return Background(self).next_due()

    # --- recall ----------------------------------------------------------------------------------

    def recall(self, text: str | Query, **options: Any) -> Recollection:
        """The right few lines for a message, packed to a budget; nothing when nothing is relevant."""
        return self.explain(text, **options).recollection

    def search(self, text: str, **options: Any) -> Recollection:
        """What there is on a topic: no gate, no evidence needed, untrusted and superseded shown and marked."""
        return self.recall(text, mode=Mode.SEARCH, **options)

    def explain(self, text: str | Query, **options: Any) -> Explained:
        """`recall`, with every candidate, every part of its score, and why each was shown or not."""
        query = text if isinstance(text, Query) else Query.of(text, **options)
        started = self._parts.clock.monotonic()
        stale = self._files_are_stale(query)
        waited = (self._parts.clock.monotonic() - started) * 1000
        return self._explained(replace(query, deadline_ms=max(1.0, self._deadline_ms(query) - waited)), stale=stale)

    def _deadline_ms(self, query: Query) -> float:
        return query.deadline_ms or self._parts.settings.recall.deadline_ms

    def _files_are_stale(self, query: Query) -> bool:
        """Whether files changed that are not followed yet, though they were looked at for a share of the time (B12)."""
        concerns_files = query.as_of is None and (query.lanes is None or bool(query.lanes & FILE_LANES))
        if not concerns_files or not (self._settings_name_files or self._index is not None):
            return False
        fresh = self._parts.one("freshness", self.tenant, lambda: FileFreshness(self))
        return fresh.is_stale(SHARE * self._deadline_ms(query) / 1000)

    @property
    def _settings_name_files(self) -> bool:
        named = self._parts.settings.files
        is_own = self.tenant == Tenant(self._parts.settings.agent, self._parts.settings.user)
        return is_own and bool(named.workspace or named.extra_paths or named.docs)

    def _explained(self, query: Query, *, stale: bool = False) -> Explained:
        name = query.recipe or self._parts.settings.recall.recipe
        recipe = recipes.named(name)
        with self._noting("recall", query.text) as note:
            index = self._index
            with self._joined(index, query.as_of) as view:
                # The past is judged by its own time: what had not expired then is there.
                then = view.at if isinstance(query.as_of, int) else query.as_of
                space = self._space(view)
                vectors = QueryVectors(self._parts, index, space)
                asked = replace(query, recipe=name, asked_at=query.asked_at or then)
                answer = self._answer(asked, recipe, view, vectors)
                answer.degraded += vectors.degraded()
                if isinstance(index, StoreError):
                    answer.degraded.append(f"files:{index.code}")
                elif stale:
                    answer.degraded.append(STALE)
                if view.skipped:
                    answer.degraded.append(f"store:{RowDamaged.code}")
                settings = self._parts.settings.receipts
                told = telling.facts(
                    answer, query, recipe, space, max_items=settings.max_items, verbose=settings.verbosity == "high"
                )
                position = view.position
                used = recalling.used(answer, view) if query.as_of is None else []
            note.close(position, **told)
        if answer.degraded:
            log.warning("recall degraded: %s", ", ".join(answer.degraded))
        self._touch(used)
        packed = answer.packed
        return Explained(Recollection(answer.hits, packed.block, packed.tokens, note.receipt), answer)

    def replay(self, id: str, *, query: str | None = None) -> Replay:
        """Ask a recorded recall again of the state it saw, and compare the answers."""
        self.settle()
        with self._store.view(self.tenant) as view:
            found = view.receipt(ReceiptId(id.strip().lower()))
        if found is None or found[0].op != "recall":
            raise NotFound(f"no recall receipt {id}", hint="see `cortex receipts`")
        receipt, kept = found
        text = kept if query is None else query
        if text is None:
            raise InvalidRequest("was not kept with the receipt", field="query", hint="give it with --query")
        asked = replaying.query_of(receipt, text)
        recipe = recipes.named(receipt.facts["recipe"])
        with self._view(receipt.position) as view:
            space = replaying.space_of(receipt, self._space(view))
            vectors = QueryVectors(self._parts, self._index, space)
            answer = self._answer(
                asked, recipe, view, vectors,
                reader=replaying.reader_of(receipt), without=replaying.left_out(receipt),
            )  # fmt: skip
        return replaying.compared(receipt, answer, recipe.fingerprint, space)

    def _answer(
        self,
        query: Query,
        recipe: recipes.Recipe,
        view: View,
        vectors: QueryVectors,
        *,
        reader: Reader | None = None,
        without: frozenset[str] = frozenset(),
    ) -> Answer:
        clock = self._parts.clock
        deadline = Deadline.after(clock, self._deadline_ms(query) / 1000)
        return recalling.recall(
            query,
            view=view,
            ask=vectors.ask,
            recipe=recipe,
            reader=reader or Asking(self._parts.reranker, self._parts.readers.start, deadline),
            clock=clock,
            deadline=deadline,
            without=without,
            passage_tokens=self._parts.settings.embedding.passage_tokens,
        )

    def _space(self, view: View) -> EmbeddingSpace:
        """The embedding space, on the scale that holds in `view`."""
        space = self._parts.embedder.space
        return space.on(view.calibration(space)) if space.is_measured else space

    @property
    def _calibrator(self) -> Calibrator:
        from cortex.calibrator import Calibrator

        return self._parts.one("calibrator", self.tenant, lambda: Calibrator(self))

    def synthesise(self, text: str, **options: Any) -> Synthesised:
        """What is remembered on a topic in one piece, with the ids used: by a language model, or a digest (C5)."""
        from cortex.recall import synthesis as synthesising

        found = self.recall(text, **options)
        with self._noting("synthesise", text) as note:
            made = synthesising.synthesise(text, found.hits, self._parts.llm, self._parts.clock.now())
            note.close(
                found.receipt.position,
                method=made.method.value,
                ids=list(made.ids),
                sources=made.sources,
                trust=made.trust.value,
                because=made.because,
                recall=found.receipt.id,
            )
        return Synthesised(made, found, note.receipt)

    def _touch(self, used: Sequence[TraceId]) -> None:
        """Count the use of memories, after the answer was given (X8)."""
        if used:
            self._parts.aftermath.add(self._store, self.tenant, [Touch(tuple(used), self._parts.clock.now())])

    # --- look ------------------------------------------------------------------------------------

    def get(self, id: str) -> Trace:
        """The memory, turn or chunk with this id, whatever its state."""
        wanted = checked_id(id)
        with self._view() as view:
            return _found(view, wanted)

    def show(self, id: str) -> Shown:
        """A trace with its versions, the turns it came from and the memories drawn from it."""
        trace = self.get(id)
        with self._view() as view:
            sources = view.load(trace.source_turns) if isinstance(trace, Memory) else []
            derived = view.derived([trace.id]) if isinstance(trace, Turn) else []
            return Shown(trace, tuple(view.history(trace.id)), tuple(sources), tuple(derived))

    def list(
        self, filter: Filter | None = None, *, after: str | None = None, limit: int = 50, newest: bool = False
    ) -> Sequence[Trace]:
        """Traces in order of id, oldest first, or with `newest` the other way round; from `after` on."""
        place = checked_id(after, field="after") if after else None
        if not isinstance(limit, int) or limit < 1:
            raise InvalidRequest("is not a number from 1 on", field="limit", hint="give how many at most")
        with self._view() as view:
            walk = view.latest if newest else view.scan
            return walk(filter or Filter(), place, limit)

    def stats(self, filter: Filter | None = None) -> Counts:
        """How many traces there are, and of what sort."""
        with self._view() as view:
            return view.counts(filter or Filter(states=ANY_STATE))

    def events(self, *, after: int = 0, limit: int = 1_000) -> Sequence[Event]:
        """The ledger of this user's changes."""
        with self._store.view(self.tenant) as view:
            return view.events(after, limit)

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
        from cortex import timeline

        if not 1 <= limit <= MAX_LIMIT:
            raise InvalidRequest(f"{limit} is outside 1 to {MAX_LIMIT}", field="limit", hint="give another")
        subject = None if id is None else checked_id(id)
        with self._store.view(self.tenant) as view:
            return timeline.look_back(view, limit=limit, before=before, kinds=kinds, subject=subject, lane=lane)

    def growth(self, *, days: int = 30, lane: Lane = Lane.MEMORIES) -> Sequence[Day]:
        """What was made on each of the last days (UTC) and how much there was, the oldest day first."""
        if not 1 <= days <= MAX_DAYS:
            raise InvalidRequest(f"{days} is outside 1 to {MAX_DAYS}", field="days", hint="give another")
        last = self._parts.clock.now().astimezone(UTC).date()
        first = last - timedelta(days=days - 1)
        with self._view() as view:
            return days_of(view.days(Filter(lanes=frozenset({lane}), states=ANY_STATE), first), first, last)

    def pulse(self) -> Alive:
        """Whether anything happened since the last look, at next to no cost."""
        indexes = self._parts.indexes(self.tenant)
        with self._view() as view:
            now = view.pulse()
        return Alive(now.position, now.total, now.jobs, bool(indexes and indexes.is_being_made))

    def receipts(self, *, limit: int = 20, op: str | None = None, before: str | None = None) -> Sequence[Receipt]:
        """The latest receipts, newest first; those older than the receipt `before`."""
        self.settle()
        with self._store.view(self.tenant) as view:
            place = None if before is None else ReceiptId(checked_id(before, field="before"))
            if place is not None and view.receipt(place) is None:
                raise NotFound(f"no receipt {before}", hint="see `cortex receipts`")
            return view.receipts(limit, op, place)

    def receipt(self, id: str) -> Receipt:
        self.settle()
        with self._store.view(self.tenant) as view:
            found = view.receipt(ReceiptId(id.strip().lower()))
        if found is None:
            raise NotFound(f"no receipt {id}", hint="see `cortex receipts`")
        return found[0]

    def status(self) -> dict[str, Any]:
        """What is there, what is degraded, and how to mend it."""
        from cortex import health

        with self._view() as view:
            return health.status(self._parts, self.tenant, view, self.searching.status())

    def doctor(self) -> Sequence[Check]:
        """Everything an installation needs, checked."""
        from cortex import health

        return health.checks(self._parts, self.tenant, lambda: self.searching.status())

    # --- keep ------------------------------------------------------------------------------------

    def backfill(self, *, progress: Progress = silent) -> Receipt:
        """Embed everything that has no vector of the current model (C7)."""
        with self._noting("backfill") as note:
            if not self._can_embed:
                raise EmbedderUnavailable("embedding is turned off", hint="set embedding.provider to use one")
            outcome = remembering.backfill(
                tenant=self.tenant,
                store=self._store,
                embedder=self._parts.embedder,
                passage_tokens=self._parts.settings.embedding.passage_tokens,
                clock=self._parts.clock,
                progress=progress,
            )
            note.close(outcome.position, **outcome.facts())
        if self._index is not None:
            self.files.look(reason="backfill", progress=progress)
        self._calibrator.refresh(again=True)
        return note.receipt

    def verify(self, *, repair: bool = False) -> Sequence[Finding]:
        """Recompute everything derived, and the chain of events, and compare; in the index of the files too."""
        self.settle()
        index = self._index
        found = list(self._store.verify(repair=repair))
        # Where SQLite itself cannot read the file, or repairing did not help, only a backup does.
        if any(not each.repaired and (repair or each.code == "file") for each in found):
            found.append(Finding("restore", self._parts.way_out(self.tenant.agent) or "restore a backup"))
        found += self._unfinished(repair=repair)
        if isinstance(index, StoreError):
            found.append(Finding("files", f"{index.message}; {index.hint}"))
        elif index is not None:
            found += index.verify(repair=repair)
        cache = getattr(self._parts.embedder, "verify_cache", None)
        return found if cache is None else [*found, *cache(repair=repair)]

    def _unfinished(self, *, repair: bool) -> Sequence[Finding]:
        """The erasures of the agent that are not finished, and with `repair` what became of them."""
        pending = [each for each in self._store.erasures() if not each.finished]
        if repair:
            self.finish_erasures()
        left = {each.id for each in self._store.erasures() if not each.finished} if pending else set()
        return [
            Finding(
                "erasure",
                f"an erasure of {each.at:%Y-%m-%d %H:%M} UTC is not finished: {each.reason or 'it was interrupted'}",
                repaired=each.id not in left,
            )
            for each in pending
        ]

    def optimize(self) -> dict[str, Any]:
        """Compact the indexes; gives their status."""
        index = self._index
        if index is not None and not isinstance(index, StoreError):
            index.maintain()
        return dict(self._store.maintain())

    def export(self, filter: Filter | None = None, *, redact: bool = True) -> Iterator[dict[str, Any]]:
        """Traces in order of id, as plain values; without their text unless asked for (E14)."""
        from cortex import exchange

        return exchange.exported(self._store, self.tenant, filter or Filter(states=ANY_STATE), redact=redact)

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
        from cortex import exchange

        with self._noting("import") as note:
            plan = exchange.import_lines(
                lines,
                tenant=self.tenant,
                store=self._store,
                clock=self._parts.clock,
                ids=self._parts.ids,
                max_text_bytes=self._max_text_bytes,
                dedupe=dedupe,
                dry_run=dry_run,
                skip_bad=skip_bad,
                trusted=trusted,
            )
            outcome = self._embed_stored(plan.position, plan.stored, embed, progress)
            note.close(outcome.position, **plan.facts(), **outcome.facts())
        return exchange.Imported(plan, note.receipt)

    def export_markdown(self, filter: Filter | None = None, *, by_scope: bool = False) -> Sequence[exchange.Page]:
        """Active memories as Markdown for a person to edit, text included: one page, or one for each scope."""
        from cortex import exchange

        with self._store.view(self.tenant) as view:
            at = self._parts.clock.now()
            return exchange.markdown_pages(view, self.tenant, filter or Filter(), at=at, by_scope=by_scope)

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
        from cortex import exchange

        with self._noting("import_markdown") as note:
            plan = exchange.import_edits(
                {"": pages} if isinstance(pages, str) else pages,
                tenant=self.tenant,
                store=self._store,
                clock=self._parts.clock,
                ids=self._parts.ids,
                max_text_bytes=self._max_text_bytes,
                dry_run=dry_run,
                trusted=trusted,
                skip_conflicts=skip_conflicts,
                forget_missing=forget_missing,
            )
            outcome = self._embed_stored(plan.position, plan.stored, embed, progress)
            note.close(outcome.position, **plan.facts(), **outcome.facts())
        return exchange.MarkdownImported(plan, note.receipt)

    def _embed_stored(
        self, position: int, ids: Sequence[TraceId], embed: bool, progress: Progress
    ) -> remembering.Outcome:
        """Give vectors to what was stored all at once."""
        outcome = remembering.Outcome(position=position, stored=len(ids))
        if embed and self._can_embed:
            vectors = remembering.backfill_these(
                ids,
                tenant=self.tenant,
                store=self._store,
                embedder=self._parts.embedder,
                passage_tokens=self._parts.settings.embedding.passage_tokens,
                clock=self._parts.clock,
                progress=progress,
            )
            outcome.add(vectors)
            self._calibrator.refresh()
        elif ids:
            progress(len(ids), len(ids), "stored")
        return outcome

    # --- files -----------------------------------------------------------------------------------

    @property
    def files(self) -> Files:
        """The files of this tenant: which are followed, and what they say (B1)."""
        from cortex.files import Files

        return self._parts.one("files", self.tenant, lambda: Files(self))

    @property
    def searching(self) -> FileSearch:
        """Who answers searches of the files: the index, or a program in its place, with the index behind it (Q2)."""
        open_search = self._parts.open_search
        if open_search is None:
            return self.files
        from cortex.workspace.fallback import Fallback

        followed = self.files.followed()
        if not followed:
            return self.files
        # Other folders are another search: what is known of the old ones is of no use to it.
        return self._parts.one(
            f"searching {hash(tuple(followed))}",
            self.tenant,
            lambda: Fallback(open_search(self.tenant, followed), self.files, self._parts.clock),
        )

    def index(self, path: Path | str | None = None, *, force: bool = False, progress: Progress = silent,
              **options: Any) -> Indexed:  # fmt: skip
        """Follow the Markdown files under `path` from now on, and look at all that are followed (X15).

        `options` are those of `Files.add`: shape, lane, scope, trust, name, chunker, summarize.
        """
        if path is not None:
            self.files.add(path, **options)
        return self.files.look(force=force, progress=progress)

    def memory_search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        session: str | None = None,
    ) -> dict[str, Any]:
        """The tool a host offers its model: lines of the agent's files that answer `query`, with citations (B9)."""
        from cortex import tools

        return tools.memory_search(self, query, max_results=max_results, min_score=min_score, session=session)

    def memory_get(self, path: str, *, start: int | None = None, lines: int | None = None) -> dict[str, Any]:
        """The tool a host offers its model: exactly those lines of a file of memory (B10)."""
        from cortex import tools

        return tools.memory_get(self, path, start=start, lines=lines)

    def flush_plan(
        self,
        state: flush.SessionState,
        *,
        timezone: str | None = None,
        workspace_has: Collection[str] | None = None,
    ) -> flush.FlushPlan:
        """Whether the agent should write down what matters before its host compacts a session, and how (B20)."""
        from cortex.workspace import flush

        configured = flush.configured(asdict(self._parts.settings.flush))
        today = flush.day_in(timezone or self._parts.settings.flush.timezone or None, self._parts.clock.now())
        return flush.plan(state, configured, today=today, workspace_has=workspace_has)

    # --- lifecycle -------------------------------------------------------------------------------

    def tend(self, *, dry_run: bool = False, progress: Progress = silent) -> Tended:
        """Run the lifecycle: expire what is over, merge what was said twice. Undone by `undo_tend` (X16)."""
        from cortex.keeping import Keeping

        return Keeping(self).tend(dry_run=dry_run, progress=progress)

    def undo_tend(self, run: str) -> TakenBack:
        """Take back a lifecycle run, by the name it has in its outcome and its receipt; or by the receipt's id."""
        from cortex.keeping import Keeping

        return Keeping(self).undo(run)

    def backup(self, to: Path | None = None) -> Made:
        """Back up the agent's memory while it is in use; `to` names a folder where nothing is ever removed (E21)."""
        from cortex.keeping import Keeping

        return Keeping(self).backup(to)

    def backups(self) -> Sequence[Backup]:
        """The backups of this agent, newest first."""
        from cortex.keeping import Keeping

        return Keeping(self).backups()

    def restore_backup(self, given: str) -> BroughtBack:
        """Bring back a backup: a file, the name of one, or `latest`. What is there now becomes a backup itself."""
        from cortex.keeping import Keeping

        return Keeping(self).restore_backup(given)

    def attend(self) -> datetime:
        """Do what is due: background work, the lifecycle, a backup; gives when to look again (S7)."""
        from cortex.keeping import Keeping

        return Keeping(self).attend()

    def keeping(self) -> AbstractContextManager[Keeper]:
        """Have `attend` called in the background, at its times and when there is something new to do."""
        from cortex.keeping import Keeping

        return Keeping(self).kept()

    # --- turns -----------------------------------------------------------------------------------

    def hooks(self) -> TurnHooks:
        """Recall before a turn and ingest after it, for an agent's loop: they never raise and never keep it waiting.

        Make them once and keep them: each has its own background, and `flush` waits for that alone.
        """
        from cortex.hooks import TurnHooks

        return TurnHooks(self)

    # --- inside ----------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """What is set."""
        return self._parts.settings

    @property
    def _store(self) -> Store:
        return self._parts.store(self.tenant.agent)

    def _on_open(self, agent: str) -> None:
        """What the last process that had the store open was about to do."""
        try:
            self.for_(agent=agent).finish_erasures()
        except Exception:  # it is pending still, which `status` tells: nobody is to be kept from their memory by it
            log.exception("erasures could not be finished")

    @property
    def _max_text_bytes(self) -> int:
        return self._parts.settings.limits.max_text_bytes

    @property
    def _can_embed(self) -> bool:
        return self._parts.embedder.space.dimension > 0

    def _position(self) -> int:
        with self._store.view(self.tenant) as view:
            return view.position

    @contextmanager
    def _view(self, as_of: datetime | int | None = None) -> Iterator[View]:
        """Everything there is, or was: the files are there as they are now, as they have no past here."""
        with self._joined(self._index, as_of) as view:
            yield view

    @contextmanager
    def _joined(self, index: FileIndex | StoreError | None, as_of: datetime | int | None) -> Iterator[View]:
        """The same with an index that was asked for already: that is a look at the disk."""
        position = self._store.position_at(as_of) if isinstance(as_of, datetime) else as_of
        with self._store.view(self.tenant, position) as view:
            if index is None or isinstance(index, StoreError):
                yield view
            else:
                with index.view(self.tenant) as files:
                    yield JoinedView(view, files)

    @property
    def _index(self) -> FileIndex | StoreError | None:
        """The index of this tenant's files, where there is one; or why it cannot be used, which stops nothing else."""
        indexes = self._parts.indexes(self.tenant)
        try:
            return indexes.current() if indexes is not None else None
        except StoreError as error:
            return error

    @contextmanager
    def _noting(self, op: str, query: str | None = None) -> Iterator[_Note]:
        """A receipt for one operation; it is filed when the operation succeeds."""
        clock = self._parts.clock
        started, now = clock.monotonic(), clock.now()
        note = _Note()
        yield note
        note.receipt = Receipt(
            id=ReceiptId(self._parts.ids(now)),
            op=op,
            at=now,
            agent=self.tenant.agent,
            user=self.tenant.user,
            position=note.position,
            latency_ms=(clock.monotonic() - started) * 1000,
            facts=note.facts,
        )
        settings = self._parts.settings.receipts
        if settings.enabled:
            kept = query if settings.keep_queries else None
            self._parts.aftermath.add(self._store, self.tenant, [File(note.receipt, kept)])


def _revision(memory: Memory) -> str:
    from cortex import exchange

    return exchange.revision_of(memory)


def _found(view: View, id: TraceId) -> Trace:
    if found := view.load([id]):
        return found[0]
    if why := view.damage(id):
        raise RowDamaged(f"{id} cannot be read: {why}", hint="run `cortex verify --repair`, or restore a backup")
    raise NotFound(f"no memory, turn or chunk {id}", hint="see `cortex list`")


def _puts(changes: Sequence[Change]) -> list[Put]:
    return [change for change in changes if isinstance(change, Put)]


def _is_meant(found: Scored, terms: Sequence[QueryTerm]) -> bool:
    """Whether a query to forget may mean this: an "ok" beside a turn that holds its words is found, but not meant."""
    if found.similarity < MEANT and found.evidence < MEANT:
        return False
    if not isinstance(found.trace, Turn):
        return True
    said = frozenset(index_terms(found.trace.text))
    speaks_of_it = found.similarity >= MEANT or any(term.text in said for term in terms)
    return speaks_of_it and passing_reason(found.trace.text) is None


def _rivals(best: Scored, other: Scored) -> bool:
    """Whether a query may mean the other as well: one that says the opposite holds the same words."""
    return other.score >= BEHIND * best.score or other.evidence >= BEHIND * best.evidence > 0


def _apart(hits: Sequence[Hit]) -> list[Hit]:
    """Hits that are not one match with a better one: the same statement, or a memory and a turn it came from."""
    kept: list[Hit] = []
    for hit in hits:
        if not any(_is_one_match(hit.trace, other.trace) for other in kept):
            kept.append(hit)
    # Of a turn and the memory that was extracted from it, the memory is meant.
    memories = {source: hit for hit in hits if isinstance(hit.trace, Memory) for source in hit.trace.source_turns}
    return [memories.get(hit.trace.id, hit) for hit in kept]


def _is_one_match(one: Trace, other: Trace) -> bool:
    from cortex.domain.likeness import alike

    for memory, source in ((one, other), (other, one)):
        if isinstance(memory, Memory) and source.id in memory.source_turns:
            return True
    both = isinstance(one, Memory) and isinstance(other, Memory)
    return both and alike(one.text, other.text).is_restatement


def _state_to_restore(versions: Sequence[Version]) -> State:
    """The state a trace had before it was forgotten; what was superseded meanwhile is not active again."""
    if not versions or versions[-1].trace.state is not State.FORGOTTEN:
        return versions[-1].trace.state if versions else State.ACTIVE
    before = [version.trace.state for version in versions if version.trace.state is not State.FORGOTTEN]
    state, last = before[-1] if before else State.ACTIVE, versions[-1].trace
    is_replaced = isinstance(last, Memory) and last.superseded_by is not None
    return State.SUPERSEDED if state is State.ACTIVE and is_replaced else state


class _Note:
    """What an operation has to say for its receipt."""

    receipt: Receipt

    def __init__(self) -> None:
        self.position = 0
        self.facts: dict[str, Any] = {}

    def close(self, position: int, **facts: Any) -> None:
        self.position = position
        self.facts = facts
