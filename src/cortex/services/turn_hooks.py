"""The two hooks of a turn, for any agent loop: recall before the model is called, ingest after it has answered.

Neither ever raises, and neither keeps a turn waiting: `before` gives up at its deadline, `after` returns at once.
What went wrong is logged without any text, and counted in `failures`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from cortex.capture.gate import session_skip_reason
from cortex.context import Context
from cortex.dependencies import log
from cortex.domain import ownership
from cortex.domain.canary import Arm
from cortex.domain.chat import Chat
from cortex.domain.fingerprints import fingerprints, merged
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.query import MAX_QUERY_CHARS, Query
from cortex.domain.receipt import Receipt
from cortex.domain.scope import DEFAULT_SCOPE, Tenant, checked_label
from cortex.domain.secrets import redacted
from cortex.domain.trust import TrustTier
from cortex.domain.vectors import EmbeddingSpace
from cortex.errors import EmbedderUnavailable, InvalidRequest, StoreUnavailable
from cortex.ports.store import Change, Filter, Job, PatchSession, PutJob, View
from cortex.recall import comparison, policy, recipes, synthesis, topic
from cortex.recall.flow import Answer
from cortex.recall.packing import Packed
from cortex.recall.recipes import Recipe
from cortex.recall.synthesis import Cached
from cortex.runtime.deadline import SHARES, Deadline
from cortex.runtime.failure_counters import FailureCounters
from cortex.runtime.ladder import LadderReport, Rung, RungChoice
from cortex.runtime.pool import Threads
from cortex.runtime.worker import BackgroundQueue, Task
from cortex.services import rung_alerts
from cortex.services.capture import CaptureService
from cortex.services.recall import LADDER, SILENT, RecallService, RecallTrace, TurnFacts
from cortex.settings import Settings

if TYPE_CHECKING:
    from cortex.services.files.files import Files

MOST_AT_ONCE = 64
"""How many recalls may be under way, those included that nobody waits for any more; beyond, turns go on without."""

MOST_LATE = 8
"""How many turns may still be being stored though their time was up."""

MOST_WAITING = 1_000
"""How many finished turns may wait to be stored. What is dropped beyond that comes again with the next turn."""

_SESSIONS = 1_000


@dataclass(frozen=True, slots=True)
class Injection:
    """What to put before the model for one turn; falsy where there is nothing to put."""

    block: str = ""
    tokens: int = 0
    facts: int = 0
    ids: tuple[TraceId, ...] = ()
    """The facts of the block, in its order."""
    synthesis: bool = False
    """Whether the synthesis of the turn before is in the block."""
    skipped: str | None = None
    """Why nothing was looked for."""
    degraded: tuple[str, ...] = ()
    """What was left out: a leg, the recall at its deadline, or the code of an error."""
    receipt_id: str | None = None
    milliseconds: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.block)

    def but(self, codes: Iterable[str]) -> Injection:
        """The same, degraded by these as well."""
        return replace(self, degraded=(*self.degraded, *codes))


@dataclass(frozen=True, slots=True)
class HookState:
    """What is known of a session (C13)."""

    ingested_at: datetime | None = None
    recalled_at: datetime | None = None
    synthesis: Cached | None = None
    facts_injected: int = 0


@dataclass(frozen=True, slots=True)
class _TurnRequest:
    """The request of one turn for its memories."""

    message: str
    session: str
    scope: str | None
    project: str | None
    share_personal: bool
    recipe: Recipe
    cite: bool
    """Whether lines of files say where they stand."""
    settings: Settings
    turn: TurnFacts


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a turn is to be given, and what the session is to know once it was given. Plain values throughout."""

    injection: Injection = Injection()
    session: str = ""
    parts: Mapping[str, Any] = field(default_factory=dict)
    injected: tuple[str, ...] = ()
    """The fingerprints of what the session was given before."""
    ahead: tuple[Change, ...] = ()
    """Work for the next turn, to be done while the model answers."""
    begins: bool = False
    """Whether it is the first turn of its session."""
    is_late: bool = False
    failed: tuple[str, ...] = ()
    """By what it failed, as it was counted."""
    arm: Arm | None = None
    """The arm of the session, where there is a canary."""
    strays: int = 0
    """How many of its memories are of another scope than it may see."""
    lacking: bool = False
    """Whether its receipt lacks required fields."""


LATE = Prepared(is_late=True)
"""It did not come in time."""


class Bound(Protocol):
    """An opened memory, such as `Cortex`."""

    context: Context

    def bind(self, *, agent: str | None = None, user: str | None = None) -> Bound: ...

    def hooks(self) -> TurnHooks: ...


class TurnHooks:
    """Recall before a turn and ingest after it, over one memory. `bind` gives the hooks of another user.

    For a memory on a server (`Cortex.connect`) these are its own hooks, with the same methods.
    """

    def __new__(cls, memory: Bound, *, _shared: _Shared | None = None) -> TurnHooks:
        return super().__new__(cls) if hasattr(memory, "context") else memory.hooks()

    def __init__(self, memory: Bound, *, _shared: _Shared | None = None) -> None:
        self._memory = memory
        self._context = memory.context
        self._shared = _shared or _Shared(self._context.dependencies.failures)

    def bind(self, *, agent: str | None = None, user: str | None = None) -> TurnHooks:
        """The hooks of another agent or user; what runs in the background, and its failures, are shared."""
        return TurnHooks(self._memory.bind(agent=agent, user=user), _shared=self._shared)

    @property
    def failures(self) -> dict[str, int]:
        """How often what went wrong, by hook and code: `before:deadline`, `after:store_busy`, …"""
        return self._context.dependencies.failures.counted()

    @property
    def files(self) -> Files:
        """The files of this user."""
        from cortex.services.files.files import files_of

        return files_of(self._context)

    # --- before the turn --------------------------------------------------------------------------------------------

    def before(
        self,
        message: str,
        *,
        session: str,
        scope: str | None = None,
        project: str | None = None,
        share_personal: bool = False,
        channel: str = "",
        trigger: str = "",
        recipe: str | None = None,
    ) -> Injection:
        """What is remembered that bears on `message`, ready to inject; empty at the deadline, and on any error.

        `scope` leaves out everything else, with `share_personal` except for what is kept for the person; `project`
        only prefers what is kept for it.
        """
        # It is the machine's own time that a turn waits by.
        started = self._context.clock.monotonic()
        seconds = self._context.settings.hooks.deadline_ms / 1000
        step = self.begin_turn()
        work = partial(
            self.prepare, message, session=session, scope=scope, project=project, share_personal=share_personal,
            channel=channel, trigger=trigger, recipe=recipe, rung=step.rung,
            deadline=Deadline.after(self._context.clock, seconds),
        )  # fmt: skip
        injection, prepared = Injection(), Prepared()
        with self._context.dependencies.failures.caught("before") as codes:
            injection, prepared = self._in_time(work, seconds)
        took = (self._context.clock.monotonic() - started) * 1000
        injection = replace(injection.but(codes), milliseconds=took)
        self.end_turn(step, injection, prepared)
        return injection

    def _in_time(self, work: Callable[[], Prepared], seconds: float) -> tuple[Injection, Prepared]:
        pending = self._shared.threads.start(work, "cortex-before")
        if pending is None:
            return self.missed("busy"), Prepared()
        try:
            prepared = pending.result(timeout=seconds)
        except FutureTimeout:
            return self.missed("deadline"), LATE
        return self.given(prepared), prepared

    # --- the ladder and the canary ----------------------------------------------------------------------------------

    def begin_turn(self) -> RungChoice:
        """How much of recall the turn that begins now gets; `end_turn` must follow."""
        return self._context.dependencies.ladder.begin()

    def end_turn(self, step: RungChoice, injection: Injection, prepared: Prepared | None = None) -> None:
        """Count how a turn went: by that, recall goes down or up a rung, and a canary is taken back (E20).

        It never raises, and does no I/O: what must be written down is left to the background.
        """
        with self._context.dependencies.failures.caught("before"):
            codes = [code for code in injection.degraded if is_failure(code)]
            is_late = injection.milliseconds > self._context.settings.hooks.deadline_ms or "deadline" in codes
            report = self._context.dependencies.ladder.end(step, failed=bool(codes), late=is_late)
            if report is not None:
                self._report(report)
            if prepared is not None and prepared.arm is not None:
                self._judge(prepared, injection.milliseconds, bool(codes))

    def _report(self, report: LadderReport) -> None:
        """Tell of another rung, and again for as long as it is not the highest."""
        if report.is_change:
            log.warning("recall goes from %s to %s: %s", report.before, report.rung, report.why or "it works again")
        is_over = report.rung is Rung.FULL and (report.is_change or not self._shared.reported_rung)
        if report.rung is Rung.FULL and not is_over:
            return
        self._shared.reported_rung = True
        self._in_background("ladder", partial(rung_alerts.report, self._context, report))

    def _judge(self, prepared: Prepared, milliseconds: float, failed: bool) -> None:
        why = self._context.dependencies.arms.observe(
            prepared.arm, milliseconds=milliseconds, failed=failed, strays=prepared.strays, lacking=prepared.lacking
        )
        if why is not None:
            from cortex.services.canary import CanaryService

            self._in_background("canary", partial(CanaryService(self._context).take_back, why))

    def _in_background(self, name: str, work: Callable[[], object]) -> None:
        seconds = self._context.settings.hooks.ingest_timeout_ms / 1000
        self._shared.background.add(Task(name, work, seconds))

    def prepare(
        self,
        message: str,
        *,
        session: str,
        scope: str | None = None,
        project: str | None = None,
        share_personal: bool = False,
        channel: str = "",
        trigger: str = "",
        recipe: str | None = None,
        chat: Chat | None = None,
        rung: Rung = Rung.FULL,
        deadline: Deadline,
    ) -> Prepared:
        """`before` without a thread of its own, for a caller who stops waiting at `deadline` by itself.

        It never raises. Its result counts as injected once `given` was called with it.
        """
        prepared = Prepared()
        with self._context.dependencies.failures.caught("before") as codes:
            if reason := self._skip_reason("recall", session, channel, trigger):
                prepared = Prepared(Injection(skipped=reason))
            else:
                label = checked_label(session, "session")
                arm, settings = self._context.dependencies.arms.of(self._context.tenant, label, self._context.settings)
                cite = replace(self._context, chat=chat or self._context.chat).cites(session)
                request = _TurnRequest(
                    message, label, scope, project, share_personal, recipes.named(recipe or settings.recall.recipe),
                    cite, settings, TurnFacts(label, arm, rung),
                )  # fmt: skip
                prepared = self._silent(request) if rung is Rung.SILENT else self._prepared(request, deadline)
        if codes:
            return replace(prepared, injection=prepared.injection.but(codes), failed=tuple(codes))
        return prepared

    def given(self, prepared: Prepared, *, ahead: bool = True) -> Injection:
        """What was prepared is put before the model: from now on the session knows of it.

        `ahead` says whether there is time to work for the next turn; while others wait for this one, there is none.
        """
        if prepared.begins:
            work = partial(self._look_at_files, prepared.session)
            self._shared.background.add(Task("files", work, self._context.settings.hooks.ingest_timeout_ms / 1000))
        if prepared.is_late:
            return self.missed("deadline")
        if prepared.parts:
            later = prepared.ahead if ahead else ()
            self._context.write_behind(lambda: (self._known(prepared), *later))
        return prepared.injection

    def count_failures(self, prepared: Prepared) -> None:
        """Count what another process failed by, which counted it there."""
        for code in prepared.failed:
            self._context.dependencies.failures.count(f"before:{code}")

    def missed(self, reason: str) -> Injection:
        """The turn goes on without its memories, since they did not come in time."""
        self._context.dependencies.failures.count(f"before:{reason}")
        if reason == "deadline":
            log.warning("a recall took longer than %d ms: the turn goes on", self._context.settings.hooks.deadline_ms)
        return Injection(degraded=(reason,))

    def _silent(self, request: _TurnRequest) -> Prepared:
        receipt = self._recall_of(request).left_silent(_query_of(request), request.turn)
        silent = Injection(skipped=SILENT, degraded=tuple(request.turn.degraded()), receipt_id=receipt.id)
        return Prepared(silent, request.session)

    def _recall_of(self, request: _TurnRequest) -> RecallService:
        return RecallService(replace(self._context, own_settings=request.settings))

    def _prepared(self, request: _TurnRequest, deadline: Deadline) -> Prepared:
        if deadline.passed:  # nobody waits for it any more
            return LATE
        now = self._context.clock.now()
        state = self._context.from_any(partial(self._session_state, request.session), None)
        begins = "recalled_at" not in state
        explained = self._explained(request, deadline)
        if deadline.passed:
            return replace(LATE, session=request.session, begins=begins, arm=request.turn.arm)
        answer, receipt = explained.answer, explained.result.receipt
        if answer.skipped:
            skipped = Injection(skipped=answer.skipped, receipt_id=receipt.id)
            return Prepared(skipped, request.session, begins=begins, arm=request.turn.arm)
        kept = Cached.from_state(state.get("synthesis"))
        cached = kept if kept and self._is_of_use(kept, request, answer, now, deadline) else None
        packed, has_synthesis = self._packed(answer, cached, request)
        injection = Injection(
            block=packed.block,
            tokens=packed.tokens,
            facts=len(packed.lines),
            ids=tuple(line.trace.id for line in packed.lines),
            synthesis=has_synthesis,
            degraded=tuple(answer.degraded),
            receipt_id=receipt.id,
        )
        parts: dict[str, Any] = {"recalled_at": now.isoformat(), "facts_injected": injection.facts}
        if cached is None and "synthesis" in state:
            parts["synthesis"] = None
        return Prepared(
            injection,
            request.session,
            parts,
            injected=tuple(state.get("injected") or ()),
            ahead=tuple(self._ahead(request, injection, now)),
            begins=begins,
            arm=request.turn.arm,
            **_judged(request, answer, receipt),
        )

    def _look_at_files(self, session: str) -> None:
        """A session begins: what the agent wrote down since the last one is to be found in it."""
        self.files.session_started(session)

    def _explained(self, request: _TurnRequest, deadline: Deadline) -> RecallTrace:
        return self._recall_of(request).explain(
            _query_of(request), deadline=deadline.part(SHARES.recall), cite=request.cite, turn=request.turn
        )

    def _packed(self, answer: Answer, cached: Cached | None, request: _TurnRequest) -> tuple[Packed, bool]:
        if cached is None or answer.plan is None:
            return answer.packed, False
        terms = {term.text for term in answer.plan.terms}
        budget = request.settings.hooks.max_tokens
        frame = request.recipe.frame
        return synthesis.beside(answer.hits, cached, terms=terms, budget=budget, frame=frame, cite=request.cite)

    # --- the synthesis of the turn before ---------------------------------------------------------------------------

    def _session_state(self, session: str, at_least: int | None) -> Mapping[str, Any]:
        with self._context.store.view(self._context.tenant, at_least=at_least) as view:
            return view.state(session) or {}

    def _is_of_use(
        self, kept: Cached, request: _TurnRequest, answer: Answer, now: datetime, deadline: Deadline
    ) -> bool:
        """Whether the synthesis is fresh, on this message's topic, still true, and no less trusted than the facts."""
        ttl = timedelta(milliseconds=request.settings.hooks.synthesis_ttl_ms)
        if not kept.is_fresh(now, ttl):
            return False
        # Untrusted text is shown only where there is nothing else (E7).
        trusted = any(hit.trace.trust is TrustTier.TRUSTED for hit in answer.hits)
        if kept.synthesis.trust is not TrustTier.TRUSTED and trusted:
            return False

        def look(at_least: int | None) -> EmbeddingSpace | None:
            with self._context.store.view(self._context.tenant, at_least=at_least) as view:
                return self._context.space(view) if _still_stands(kept, view, request, now) else None

        try:
            space = self._context.from_any(look, None)
        except StoreUnavailable:  # the facts are there already, and do without it
            return False
        if space is None:
            return False
        about = kept.synthesis.substance
        similarity = self._similarity(request.message, about, space, answer, deadline)
        return topic.same_topic(request.message, about, similarity) >= topic.SAME_TOPIC

    def _similarity(
        self, message: str, about: str, space: EmbeddingSpace, answer: Answer, deadline: Deadline
    ) -> float | None:
        """How near the two are by meaning; None where the embedder cannot tell, or does not in time."""
        embedder = self._context.dependencies.embedder
        leg = answer.legs.get("vector")
        if leg is None or leg.absent is not None or not (space.reads(message) and space.reads(about)):
            return None
        # As query and document: that is what a model's scale is measured on.
        submit = self._context.dependencies.workers.submit
        pending = [submit(embedder.embed_query, message), submit(lambda: embedder.embed_documents([about])[0])]
        try:
            one, other = (each.result(timeout=deadline.left(SHARES.topic)) for each in pending)
        except (FutureTimeout, EmbedderUnavailable):
            return None
        finally:
            for each in pending:
                each.cancel()
        return topic.similarity(float(one @ other), space.calibration)

    def _known(self, prepared: Prepared) -> Change:
        """What the session is to know of this turn."""
        parts = dict(prepared.parts)
        if prepared.injection:
            whose = (self._context.tenant, prepared.session)
            new = fingerprints(prepared.injection.block)
            parts["injected"] = self._shared.injected.joined(whose, prepared.injected, new)
        return PatchSession(prepared.session, parts)

    def _ahead(self, request: _TurnRequest, injection: Injection, now: datetime) -> Iterator[Change]:
        """The synthesis for the next turn."""
        if injection.facts and request.settings.hooks.synthesis:
            query = redacted(request.message[:MAX_QUERY_CHARS]).text
            payload = {
                "query": query, "scope": request.scope, "project": request.project,
                "share_personal": request.share_personal,
            }  # fmt: skip
            id = self._context.ids(now)
            yield PutJob(Job(id=id, kind=synthesis.JOB, key=request.session, due=now, payload=payload))

    # --- after the turn ---------------------------------------------------------------------------------------------

    def after(
        self,
        messages: Iterable[object],
        *,
        session: str,
        scope: str | None = None,
        channel: str = "",
        trigger: str = "",
        share_personal: bool = False,
        end: bool = False,
        partial_history: bool = False,
    ) -> None:
        """Store what is new of a session's history, in the background. Hand over the whole history every time.

        With `share_personal`, what is said about the person is remembered in the scope `personal`. `end` says that the
        session is over: memories are extracted now, and `messages` may be empty. A caller that has only some of the
        messages says so with `partial_history`: what is missing then was not taken back.
        """
        with self._context.dependencies.failures.caught("after"):
            said = _listed(messages)
            if self._skip_reason("ingest", session, channel, trigger) is None:
                options: dict[str, Any] = {} if scope is None else {"scope": scope}
                ingest = partial(CaptureService(self._context).ingest, debounce=not end, share_personal=share_personal)
                follows = 0 if partial_history else None
                work = partial(
                    ingest, said, session=session, channel=channel, trigger=trigger, follows=follows, **options
                )
                seconds = self._context.settings.hooks.ingest_timeout_ms / 1000
                self._shared.background.add(Task("after", work, seconds))

    def _skip_reason(self, hook: str, session: str, channel: str, trigger: str) -> str | None:
        """Why a hook does nothing for a session: it is turned off, or nobody speaks there."""
        settings = self._context.settings.hooks
        if not (settings.auto_recall if hook == "recall" else settings.auto_ingest):
            return f"auto_{hook}_off"
        return session_skip_reason(session, channel, trigger, (), skip_heartbeat=settings.skip_heartbeat)

    # --- the rest ---------------------------------------------------------------------------------------------------

    def state(self, session: str) -> HookState:
        """What is known of a session."""
        self._context.flush()
        with self._context.store_view() as view:
            kept = view.state(session) or {}
        return HookState(
            ingested_at=_time(kept.get("ingested_at")),
            recalled_at=_time(kept.get("recalled_at")),
            synthesis=Cached.from_state(kept.get("synthesis")),
            facts_injected=int(kept.get("facts_injected") or 0),
        )

    def warm(self, message: str = "warm") -> None:
        """Open the store and load the model in the background, so that the first turn need not wait for them.

        A message that was embedded before is known without the model: give the one that will come.
        """
        work = partial(self._warmed, message)
        self._shared.background.add(Task("warm", work, self._context.settings.hooks.ingest_timeout_ms / 1000))

    def _warmed(self, message: str) -> None:
        ownership.warm()
        embedder = self._context.dependencies.embedder
        with self._context.view() as view:
            if embedder.space.dimension:
                # What a large store keeps in memory of its vectors takes longer to read than a turn may wait.
                view.nearest(embedder.embed_query(message), embedder.space, Filter(), 1)

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait until what earlier turns left behind is stored, or given up; False where `timeout` seconds are over."""
        return self._shared.background.flush(timeout)


def turn_query(message: str, settings: Settings, recipe: Recipe, **options: Any) -> Query:
    """The query of a turn, as the settings of its session say it."""
    hooks = settings.hooks
    # The default recipe leaves the number to the setting; one that was chosen brings its own bound (L3, E10).
    bound = hooks.max_facts if recipe.name == recipes.DEFAULT else recipe.auto.limit
    limit = min(hooks.max_facts, bound)
    return Query.of(message, recipe=recipe.name, limit=limit, budget=hooks.max_tokens, **options)


def _query_of(request: _TurnRequest) -> Query:
    return turn_query(
        request.message, request.settings, request.recipe,
        scope=request.scope, project=request.project, share_personal=request.share_personal,
    )  # fmt: skip


def _judged(request: _TurnRequest, answer: Answer, receipt: Receipt) -> dict[str, Any]:
    """What the arms of a canary are compared by."""
    if request.turn.arm is None:
        return {}
    lacking = not request.settings.receipts.enabled or bool(comparison.lacking(receipt.facts))
    return {"strays": comparison.strays(_query_of(request), answer.hits), "lacking": lacking}


_HARMLESS = ("files", "media", "nearest", "store", LADDER)
"""What may be degraded without anything being missing from what was remembered."""


def is_failure(code: str) -> bool:
    """Whether what degraded a turn counts against the rung that it had."""
    part, has_reason, _ = code.partition(":")
    return not has_reason or part not in _HARMLESS


def _still_stands(kept: Cached, view: View, request: _TurnRequest, now: datetime) -> bool:
    """Whether every memory it was made from may still be shown here: what was forgotten must not live on in it."""
    sources = view.load(kept.synthesis.ids)
    shown = {request.scope, DEFAULT_SCOPE} if request.share_personal else {request.scope}
    return len(sources) == len(kept.synthesis.ids) and all(
        policy.refusal(trace, now) is None
        and trace.state is State.ACTIVE
        and trace.trust is not TrustTier.QUARANTINED
        and (request.scope is None or trace.scope in shown)
        for trace in sources
    )


def _listed(messages: Iterable[object]) -> tuple[object, ...]:
    """The messages as they are now: the host may go on with its list."""
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise InvalidRequest("is not a list of messages", field="messages", hint="give the history, oldest first")
    return tuple(messages)


def _time(kept: object) -> datetime | None:
    try:
        return datetime.fromisoformat(kept) if isinstance(kept, str) else None
    except ValueError:
        return None


# --- what all hooks of an engine share --------------------------------------------------------------------------------


class _Injected:
    """The fingerprints of what sessions were given: the store has them later, so they are kept here too."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[Tenant, str], Sequence[str]] = OrderedDict()

    def joined(self, session: tuple[Tenant, str], stored: Sequence[str], new: Iterable[str]) -> list[str]:
        """Everything the session was given, as far back as is kept."""
        with self._lock:
            known = merged(merged(stored, self._kept.pop(session, ())), new)
            self._kept[session] = tuple(known)
            while len(self._kept) > _SESSIONS:
                self._kept.popitem(last=False)
            return list(known)


@dataclass(slots=True)
class _Shared:
    """What the hooks of all users of an engine have in common."""

    failures: FailureCounters
    threads: Threads = field(default_factory=lambda: Threads(MOST_AT_ONCE))
    injected: _Injected = field(default_factory=_Injected)
    reported_rung: bool = False
    """Whether the list of alerts knows the rung of this process."""
    background: BackgroundQueue = field(init=False)

    def __post_init__(self) -> None:
        self.background = BackgroundQueue(self.failures, most=MOST_WAITING, most_late=MOST_LATE)
