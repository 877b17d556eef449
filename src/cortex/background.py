"""What the engine does while nobody waits: vectors, memories by rules and by a model, syntheses for the next turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from cortex.capture import classify, extraction, intake, policies, queue, statements, whole
from cortex.capture.candidate import Candidate
from cortex.capture.flow import Capture
from cortex.capture.worth import SentenceVectors
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind, Memory
from cortex.domain.query import Query
from cortex.domain.turn import Turn
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import EmbedderUnavailable, LlmUnavailable
from cortex.parts import Parts, log
from cortex.ports.llm import background_of
from cortex.ports.probed import trouble_of
from cortex.ports.store import Filter, Job, JobState, SetState
from cortex.progress import silent
from cortex.query_vectors import QueryVectors
from cortex.recall import recipes, synthesis
from cortex.remember import flow as remembering

if TYPE_CHECKING:
    from cortex.engine import Engine

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


class Background:
    """The background work of one tenant: each kind of job, and what carries it out."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._parts = engine._parts
        self._store = engine._store
        self._tenant = engine.tenant

    def run_due(self, most: int | None = None) -> queue.Worked:
        """Carry out what is due, oldest first; `most` jobs, or all. Where another process does it, there."""
        worker = self._parts.worker
        done: queue.Worked | None = worker.run(self._tenant, "work", most=most) if worker else None
        return done or self._run_due(most)

    def _run_due(self, most: int | None) -> queue.Worked:
        return queue.run_due(
            self._tenant,
            self._store,
            self._handlers(),
            self._parts.clock,
            alone=_DECIDE_BESIDE_OTHERS,
            most=most,
            may_begin=self._may_begin,
        )

    def _may_begin(self) -> bool:
        """Turns go first: while any stand in line, this waits, but not for ever. None is begun once all is to end."""
        for _ in range(_MOST_WAITS):
            if self._parts.ending or not self._parts.is_crowded():
                break
            threading.Event().wait(_WAIT_FOR_TURNS)
        return not self._parts.ending

    def finish(self, session: str) -> None:
        """Wait for what others have begun for a session, and do what they left, for as long as that is bearable."""
        for _ in range(_MOST_PAUSES):
            if not self._is_under_way(session):
                return
            threading.Event().wait(_PAUSE)
            self.run_due()

    def _is_under_way(self, session: str) -> bool:
        now = self._parts.clock.now()
        with self._store.view(self._tenant) as view:
            jobs = [*view.jobs(JobState.RUNNING, limit=_MANY), *view.jobs(JobState.WAITING, limit=_MANY)]
        kinds = _OF_SESSIONS & self._handlers().keys()  # what only another process can do is not waited for
        # What runs is under way for as long as its claim holds, and was due before.
        ready = [job for job in jobs if job.due <= now or job.ready_at(now) <= now]
        return any(job.key == session and job.kind in kinds for job in ready)

    def next_due(self) -> datetime | None:
        """When there will be something to do."""
        return queue.next_due(self._tenant, self._store, frozenset(self._handlers()), self._parts.clock.now())

    def _handlers(self) -> dict[str, Callable[[Job], Mapping[str, int]]]:
        """What carries out each kind of job. What needs a provider that is not here waits for a process that has it."""
        by_worth = self.by_worth()
        by_model = replace(by_worth, mark="enriched", extract=self._by_model)
        handlers: dict[str, Callable[[Job], Mapping[str, int]]] = {
            intake.EXTRACT: by_worth.run,
            synthesis.JOB: self._synthesise,
        }
        if has_embedder(self._parts):
            handlers[intake.EMBED] = self._embed_session
        if self._parts.llm is not None:
            handlers[intake.ENRICH] = lambda job: self._when_the_model_can(by_model.run, job)
        return handlers

    def by_worth(self) -> Capture:
        """What extracts memories without a model, under the policy that is set."""
        policy = policies.named(self._parts.settings.capture.policy)
        return Capture(
            mark="extracted",
            extract=_whole if policy.whole_messages else self._by_worth,
            policy=policy,
            vectors=self._vectors_of,
            space=self._space(),
            tenant=self._tenant,
            store=self._store,
            clock=self._parts.clock,
            ids=self._parts.ids,
        )

    def _space(self) -> EmbeddingSpace:
        with self._store.view(self._tenant) as view:
            return self._engine._space(view)

    # --- memories -------------------------------------------------------------------------------------------------

    def _by_worth(self, turns: Sequence[Turn]) -> list[Candidate]:
        """The statements of some turns that are worth remembering, without a language model."""
        by_id = {turn.id: turn for turn in turns}
        found = statements.candidates(turns, sentence_vectors(self._parts), provisional=True)
        return [each for each in found if _is_for_us(each, by_id[each.source_turns[0]])]

    def _by_model(self, turns: Sequence[Turn]) -> Sequence[Candidate]:
        """What a language model finds in some turns; what it got wrong is logged, and left out."""
        assert self._parts.llm is not None  # else its jobs are left to others
        if not turns:
            return ()
        with self._store.view(self._tenant) as view:
            known = view.derived([turn.id for turn in turns])
        found = extraction.extract(turns, background_of(self._parts.llm), classify=classify.classify, known=known)
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
            raise queue.Postponed(self._parts.clock.now() + wait, f"{error.code}: {error.reason}") from error

    # --- vectors --------------------------------------------------------------------------------------------------

    def _vectors_of(self, memories: Sequence[Memory]) -> Mapping[TraceId, Sequence[Vector]]:
        if not self._engine._can_embed:
            return {}
        tokens = self._parts.settings.embedding.passage_tokens
        return remembering.vectors_of(memories, self._parts.embedder, tokens)

    def _embed_session(self, job: Job) -> Mapping[str, int]:
        """Vectors for the turns of the session a job names."""
        outcome = remembering.backfill(
            tenant=self._tenant,
            store=self._store,
            embedder=self._parts.embedder,
            passage_tokens=self._parts.settings.embedding.passage_tokens,
            clock=self._parts.clock,
            progress=silent,
            among=Filter(sessions=frozenset({job.key})),
        )
        if outcome.skipped:
            raise EmbedderUnavailable("the embedder failed", hint="see `cortex doctor`")
        self._store.apply(self._tenant, queue.finished(job), at=self._parts.clock.now())
        self._engine._calibrator.refresh(again=True)
        return {"embedded": outcome.embedded}

    # --- the synthesis for the next turn --------------------------------------------------------------------------

    def _synthesise(self, job: Job) -> Mapping[str, int]:
        """Prepare for the next turn of a session what the last one was about (C10)."""
        settings, now = self._parts.settings.hooks, self._parts.clock.now()
        cached = None
        if now - job.due < timedelta(seconds=settings.synthesis_ttl_seconds):
            asked = {name: job.payload.get(name) for name in ("scope", "project")}
            query = Query.of(job.payload["query"], **asked, limit=settings.max_facts)
            name = self._parts.settings.recall.recipe
            with self._store.view(self._tenant) as view:
                vectors = QueryVectors(self._parts, None, self._engine._space(view))
                answer = self._engine._answer(replace(query, recipe=name), recipes.named(name), view, vectors)
            llm = self._parts.llm and background_of(self._parts.llm)
            cached = synthesis.for_the_next_turn(query.text, answer.hits, llm, now)
        if cached and self._engine._can_embed:
            with suppress(EmbedderUnavailable):  # so that the next turn finds this vector in the cache
                self._parts.embedder.embed_documents([cached.synthesis.substance])
        state = SetState(job.key, {"synthesis": cached.to_state() if cached else None})
        self._store.apply(self._tenant, [*queue.finished(job), state], at=self._parts.clock.now())
        return {"syntheses": int(cached is not None)}


def has_embedder(parts: Parts) -> bool:
    """Whether texts can be embedded here, as far as can be seen without trying."""
    return parts.embedder.space.dimension > 0 and trouble_of(parts.embedder) is None


def sentence_vectors(parts: Parts) -> SentenceVectors | None:
    """How statements are compared by meaning; None where the built-in model is not here, and their signs decide."""
    embedder = parts.sentence_embedder
    if embedder is None or trouble_of(embedder) is not None:
        return None

    def vectors(texts: Sequence[str]) -> Sequence[Vector] | None:
        try:
            return embedder.embed_documents(texts)
        except EmbedderUnavailable as error:
            log.warning("statements are judged by their signs alone: %s", error.code)
            return None

    return vectors


def unable(parts: Parts) -> Iterator[tuple[str, str]]:
    """The kinds of jobs that this process leaves to others, each with what it would take."""
    if not has_embedder(parts):
        yield intake.EMBED, "an embedder"
    if parts.llm is None:
        yield intake.ENRICH, "a language model"


def _whole(turns: Sequence[Turn]) -> list[Candidate]:
    return [found for turn in turns for found in whole.candidates(turn)]


def _is_for_us(found: Candidate, turn: Turn) -> bool:
    """Where people talk among themselves, "never give up" is not an instruction to an assistant."""
    return found.kind is not Kind.RULE or not turn.speaker or turn.kind is Kind.RULE
