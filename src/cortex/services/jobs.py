"""What the engine does while nobody waits: vectors, memories by rules and by a model, syntheses for the next turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from cortex.capture import classify, extraction, intake, policies, queue, statements, verbatim
from cortex.capture.candidate import Candidate
from cortex.capture.flow import Capture
from cortex.capture.reconcile import Reconciliation
from cortex.capture.worth import SentenceVectors
from cortex.context import Context
from cortex.dependencies import Dependencies, log
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind, Memory
from cortex.domain.query import Query
from cortex.domain.receipt import Receipt
from cortex.domain.review import Review
from cortex.domain.tags import CAPTURE
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable, LlmUnavailable
from cortex.ports.provider import trouble_of
from cortex.ports.store import Filter, Job, JobState, PatchSession
from cortex.recall import recipes, synthesis
from cortex.remember import flow as remembering
from cortex.services.calibrator import calibrator_of
from cortex.services.query_vectors import QueryVectors
from cortex.services.recall import RecallService
from cortex.services.tags import TagService
from cortex.services.trace_writer import writer_of

EXTRACTOR = "extractor"
"""Who makes memories out of turns, as the ledger names it."""

MODEL_AWAY = timedelta(minutes=5)
"""How long work waits for a language model that cannot say when it will be back."""


_WAIT_FOR_TURNS = 0.05
_MOST_WAITS = 100
"""Five seconds before each job: what is put off for longer would never be done on a busy machine."""

_PAUSE = 0.02
_MOST_PAUSES = 1_500
"""Half a minute: what takes longer goes on by itself."""

_MANY = 1_000
_OF_SESSIONS = frozenset({intake.EMBED, intake.EXTRACT, intake.ENRICH})

_DECIDE_BESIDE_OTHERS = frozenset({intake.EXTRACT, intake.ENRICH})
"""Work that decides what becomes of statements beside all others: two at once would not see each other's."""


_STORED = (Reconciliation.NEW, Reconciliation.SUPERSEDES, Reconciliation.CONTRADICTS)
"""The verdicts that leave a memory of their own."""


class JobService:
    """The background work of one tenant: each kind of job, and what carries it out."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def run(self, *, most: int | None = None) -> Receipt:
        with self._context.recording("run_jobs") as record:
            worked = self.run_due(most)
            judged_by = "signs" if sentence_vectors(self._context.dependencies) is None else "signs and meaning"
            record.close(self._context.position(), **worked.facts(), judged_by=judged_by)
        return record.receipt

    def run_due(self, most: int | None = None) -> queue.Worked:
        """Carry out what is due, oldest first; `most` jobs, or all. Where another process does it, there."""
        worker = self._context.dependencies.worker
        done: queue.Worked | None = worker.run(self._context.tenant, "run_jobs", most=most) if worker else None
        return done or self._run_due(most)

    def _run_due(self, most: int | None) -> queue.Worked:
        before = self._context.position()
        worked = queue.run_due(
            self._context.tenant,
            self._context.store,
            self._handlers(),
            self._context.clock,
            alone=_DECIDE_BESIDE_OTHERS,
            most=most,
            may_begin=self._may_begin,
        )
        # A tag may name an earlier position: nobody knows beforehand how much a conversation will leave.
        TagService(self._context).automatic_before(CAPTURE, stored_memories(worked.counted), before)
        return worked

    def _may_begin(self) -> bool:
        """Turns go first: while any stand in line, this waits, but not for ever. None is begun once all is to end."""
        for _ in range(_MOST_WAITS):
            if self._context.dependencies.ending or not self._context.dependencies.is_crowded():
                break
            threading.Event().wait(_WAIT_FOR_TURNS)
        return not self._context.dependencies.ending

    def finish(self, session: str) -> None:
        """Wait for what others have begun for a session, and do what they left, for as long as that is bearable."""
        for _ in range(_MOST_PAUSES):
            if not self._is_under_way(session):
                return
            threading.Event().wait(_PAUSE)
            self.run_due()

    def _is_under_way(self, session: str) -> bool:
        now = self._context.clock.now()
        with self._context.store_view() as view:
            jobs = [*view.jobs(JobState.RUNNING, limit=_MANY), *view.jobs(JobState.WAITING, limit=_MANY)]
        kinds = _OF_SESSIONS & self._handlers().keys()  # what only another process can do is not waited for
        # What runs is under way for as long as its claim holds, and was due before.
        ready = [job for job in jobs if job.due <= now or job.ready_at(now) <= now]
        return any(job.key == session and job.kind in kinds for job in ready)

    def next_due(self) -> datetime | None:
        context = self._context
        return queue.next_due(context.tenant, context.store, frozenset(self._handlers()), context.clock.now())

    def _handlers(self) -> dict[str, Callable[[Job], Mapping[str, int]]]:
        """What carries out each kind of job. What needs a provider that is not here waits for a process that has it."""
        by_worth = self.by_worth()
        by_model = replace(by_worth, mark="enriched", extract=self._by_model)
        handlers: dict[str, Callable[[Job], Mapping[str, int]]] = {
            intake.EXTRACT: by_worth.run,
            synthesis.JOB: self._synthesize,
        }
        if has_embedder(self._context.dependencies):
            handlers[intake.EMBED] = self._embed_session
        if self._context.dependencies.llm is not None:
            handlers[intake.ENRICH] = lambda job: self._when_the_model_can(by_model.run, job)
        return handlers

    def by_worth(self) -> Capture:
        """What extracts memories without a model, under the policy that is set."""
        settings = self._context.settings.capture
        policy = policies.named(settings.policy)
        if settings.max_chars:
            policy = replace(policy, max_chars=settings.max_chars)
        return Capture(
            mark="extracted",
            extract=_whole if policy.whole_messages else self._by_worth,
            stated=_nothing if policy.whole_messages else statements.stated,
            policy=policy,
            vectors=self._vectors_of,
            space=self._space(),
            tenant=self._context.tenant,
            store=self._context.by(EXTRACTOR).store,
            clock=self._context.clock,
            ids=self._context.ids,
        )

    def _space(self) -> EmbeddingSpace:
        with self._context.store_view() as view:
            return self._context.space(view)

    # --- memories -------------------------------------------------------------------------------------------------

    def _by_worth(self, turns: Sequence[Turn]) -> list[Candidate]:
        """The statements of some turns that are worth remembering, without a language model."""
        by_id = {turn.id: turn for turn in turns}
        found = statements.candidates(turns, sentence_vectors(self._context.dependencies), provisional=True)
        return [each for each in found if _is_for_us(each, by_id[each.source_turns[0]])]

    def _by_model(self, turns: Sequence[Turn]) -> Sequence[Candidate]:
        """What a language model finds in some turns; what it got wrong is logged, and left out."""
        assert self._context.dependencies.llm is not None  # else its jobs are left to others
        if not turns:
            return ()
        with self._context.store_view() as view:
            known = view.derived([turn.id for turn in turns])
            review = Review.read(view)
        llm = self._context.dependencies.llm.background
        least = review.least(llm.name, extraction.MIN_CONFIDENCE)
        found = extraction.extract(turns, llm, classify=classify.classify, known=known, least=least)
        for problem in found.problems:
            log.info("extraction: %s", problem)
        if found.useless:
            raise queue.Useless("bad_answer")
        return found.candidates

    def _when_the_model_can(self, run: Callable[[Job], Mapping[str, int]], job: Job) -> Mapping[str, int]:
        """`run`, put off where the model is out of reach, out of budget, or not to be disturbed: nothing is lost."""
        try:
            return run(job)
        except LlmUnavailable as error:
            wait = timedelta(seconds=error.retry_after or MODEL_AWAY.total_seconds())
            log.warning("background work of the language model waits: %s", error.reason)
            raise queue.Postponed(self._context.clock.now() + wait, f"{error.code}: {error.reason}") from error

    # --- vectors --------------------------------------------------------------------------------------------------

    def _vectors_of(self, memories: Sequence[Memory]) -> Mapping[TraceId, Sequence[Vector]]:
        if not self._context.can_embed:
            return {}
        tokens = self._context.passage_tokens
        return remembering.vectors_of(memories, self._context.dependencies.embedder, tokens)

    def _embed_session(self, job: Job) -> Mapping[str, int]:
        """Vectors for the turns of the session a job names."""
        outcome = writer_of(self._context).backfill(Filter(sessions=frozenset({job.key})))
        if outcome.skipped:
            raise EmbedderUnavailable("the embedder failed", hint="see `cortex doctor`")
        self._context.apply(queue.finished(job))
        calibrator_of(self._context).refresh(again=True)
        return {"embedded": outcome.embedded}

    # --- the synthesis for the next turn --------------------------------------------------------------------------

    def _synthesize(self, job: Job) -> Mapping[str, int]:
        """Prepare for the next turn of a session what the last one was about (C10)."""
        settings, now = self._context.settings.hooks, self._context.clock.now()
        cached = None
        if now - job.due < timedelta(milliseconds=settings.synthesis_ttl_ms):
            where = {name: job.payload.get(name) for name in ("scope", "project")}
            is_shared = job.payload.get("share_personal", False)
            query = Query.of(job.payload["query"], **where, share_personal=is_shared, limit=settings.max_facts)
            name = self._context.settings.recall.recipe
            with self._context.store_view() as view:
                vectors = QueryVectors(self._context.dependencies, (), self._context.space(view))
                recall = RecallService(self._context)
                answer = recall.answer(replace(query, recipe=name), recipes.named(name), view, vectors)
            llm = self._context.dependencies.llm and self._context.dependencies.llm.background
            cached = synthesis.for_the_next_turn(query.text, answer.hits, llm, now)
        if cached and self._context.can_embed:
            with suppress(EmbedderUnavailable):  # so that the next turn finds this vector in the cache
                self._context.dependencies.embedder.embed_documents([cached.synthesis.substance])
        state = PatchSession(job.key, {"synthesis": cached.to_state() if cached else None})
        self._context.apply([*queue.finished(job), state])
        return {"syntheses": int(cached is not None)}


def stored_memories(counted: Mapping[str, int]) -> int:
    """How many memories capture stored, by its verdicts."""
    return sum(counted.get(verdict.value, 0) for verdict in _STORED)


def has_embedder(dependencies: Dependencies) -> bool:
    """Whether texts can be embedded here, as far as can be seen without trying."""
    return dependencies.embedder.space.dimension > 0 and trouble_of(dependencies.embedder) is None


def sentence_vectors(dependencies: Dependencies) -> SentenceVectors | None:
    """How statements are compared by meaning; None where the built-in model is not here, and their signs decide."""
    embedder = dependencies.sentence_embedder
    if embedder is None or trouble_of(embedder) is not None:
        return None

    def vectors(texts: Sequence[str]) -> Sequence[Vector] | None:
        try:
            return embedder.embed_documents(texts)
        except EmbedderUnavailable as error:
            log.warning("statements are judged by their signs alone: %s", error.code)
            return None

    return vectors


def unable(dependencies: Dependencies) -> Iterator[tuple[str, str]]:
    """The kinds of jobs that this process leaves to others, each with what it would take."""
    if not has_embedder(dependencies):
        yield intake.EMBED, "an embedder"
    if dependencies.llm is None:
        yield intake.ENRICH, "a language model"


def _whole(turns: Sequence[Turn]) -> list[Candidate]:
    return [found for turn in turns for found in verbatim.candidates(turn)]


def _nothing(turn: Turn) -> list[Candidate]:  # noqa: ARG001 - what is remembered whole has no other statements
    return []


def _is_for_us(found: Candidate, turn: Turn) -> bool:
    """Where people talk among themselves, "never give up" is not an instruction to an assistant."""
    return found.kind is not Kind.RULE or not turn.speaker or turn.kind is Kind.RULE
