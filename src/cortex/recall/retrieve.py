"""The legs: each asks the store one question, and is absent, with a reason, when it cannot be answered in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field, replace

from cortex.domain.hits import SearchMode
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane
from cortex.domain.memory import STANDING_KINDS, Kind, Memory
from cortex.domain.terms import QueryTerm
from cortex.domain.vectors import EmbeddingSpace, Vector
from cortex.errors import DeadlineExceeded, EmbedderUnavailable, StoreCorrupt
from cortex.ports.clock import Clock
from cortex.ports.store import Filter, Match, View
from cortex.runtime.deadline import SHARES, Deadline


@dataclass(frozen=True, slots=True)
class Leg:
    """What one leg found, best first; or why it is absent."""

    name: str
    scores: Mapping[TraceId, float] = field(default_factory=dict)
    absent: str | None = None
    milliseconds: float = 0.0
    passages: Mapping[TraceId, int] = field(default_factory=dict)
    """By which of its passages each trace was found, counted from 0."""
    shown: frozenset[TraceId] = frozenset()
    """Which are as near as they are by what they show, and not by their text."""

    @property
    def ids(self) -> list[TraceId]:
        return list(self.scores)

    def without(self, ids: Set[TraceId]) -> Leg:
        """The leg as if it had not found these."""
        return replace(self, scores={id: score for id, score in self.scores.items() if id not in ids})


MEDIA_BUSY = "media_embedder_busy"
"""Why there is no media leg: earlier queries still wait for the media embedder."""

_WHERE_RULES_STAND = frozenset({Lane.MEMORIES, Lane.SESSIONS})

_MOST_RULES = 200
"""How many rules are looked at where they cannot be compared by meaning."""


class Question:
    """A query's vector, on its way; the keyword leg runs meanwhile."""

    def __init__(
        self,
        space: EmbeddingSpace,
        pending: Future[Vector],
        seconds: float,
        *,
        readable: bool = True,
        earlier: Question | None = None,
    ) -> None:
        self.space = space
        self.readable = readable
        """Whether the model knows the script the query is written in."""
        self.earlier = earlier
        """The same query in the space of another model, where some vectors are of that one; it may have another."""
        self.failed: str | None = None
        """Why there was no vector, once it was requested."""
        self._pending = pending
        self._seconds = seconds
        self._late = False

    def others(self) -> list[Question]:
        """The same query in the spaces of all other models."""
        return [self.earlier, *self.earlier.others()] if self.earlier is not None else []

    def vector(self, deadline: Deadline) -> Vector:
        """The vector, or DeadlineExceeded, or EmbedderUnavailable. What was late once is not waited for again."""
        wait = 0.0 if self._late else min(self._seconds, deadline.left(SHARES.query_vector))
        try:
            return self._pending.result(timeout=wait)
        except FutureTimeout as error:
            self._late, self.failed = True, DeadlineExceeded.code
            raise DeadlineExceeded("the embedder took too long") from error
        except EmbedderUnavailable as error:
            self.failed = error.code
            raise


def keyword_leg(
    view: View, terms: Sequence[QueryTerm], filter: Filter, pool: int, deadline: Deadline, clock: Clock
) -> Leg:
    if not terms:
        return Leg("keyword", absent="no_terms")
    return _timed("keyword", clock, lambda: view.keywords(terms, filter, pool, deadline))


def vector_leg(
    view: View, question: Question | None, filter: Filter, pool: int, deadline: Deadline, clock: Clock,
    name: str = "vector",
) -> Leg:  # fmt: skip
    """The nearest by meaning, with cosines on the common scale."""
    if question is None:
        return Leg(name, absent="embedding_off")
    found = _in_one_space(view, question, filter, pool, deadline, clock, name)
    for other in question.others():
        found = _in_both_spaces(found, _in_one_space(view, other, filter, pool, deadline, clock, name), pool)
    return found


def media_leg(
    view: View, questions: Sequence[Question | None], filter: Filter, pool: int, deadline: Deadline, clock: Clock
) -> Leg:
    """What shows something near the query: pictures and recordings, each in the space of its embedder."""
    found = [
        _in_one_space(view, each, filter, pool, deadline, clock, "media")
        if each is not None
        else Leg("media", absent=MEDIA_BUSY)
        for each in questions
    ]
    present = [leg for leg in found if leg.absent is None]
    scores: dict[TraceId, float] = {}
    for leg in present:
        scores |= {id: max(score, scores.get(id, 0.0)) for id, score in leg.scores.items()}
    best = sorted(scores, key=lambda id: (-scores[id], id))[:pool]
    return Leg(
        "media",
        {id: scores[id] for id in best},
        absent=None if present else found[0].absent,
        milliseconds=sum(leg.milliseconds for leg in found),
    )


def with_media(vector: Leg, media: Leg) -> Leg:
    """Each as near as its text or as what it shows, whichever is nearer."""
    nearer = {id: score for id, score in media.scores.items() if score > max(0.0, vector.scores.get(id, 0.0))}
    if vector.absent is not None or not nearer:
        return vector
    scores = {**vector.scores, **nearer}
    best = sorted(scores, key=lambda id: (-scores[id], id))
    passages = {id: passage for id, passage in vector.passages.items() if id not in nearer}
    return replace(vector, scores={id: scores[id] for id in best}, passages=passages, shown=frozenset(nearer))


def _in_both_spaces(now: Leg, before: Leg, pool: int) -> Leg:
    """Each by its vector of the current model, and by that of the earlier one where it has no other yet."""
    if before.absent is not None:
        return now
    scores = {**before.scores, **now.scores}
    best = sorted(scores, key=lambda id: (-scores[id], id))[:pool]
    return Leg(
        now.name,
        {id: scores[id] for id in best},
        milliseconds=now.milliseconds + before.milliseconds,
        passages={**before.passages, **now.passages},
    )


def _in_one_space(
    view: View, question: Question, filter: Filter, pool: int, deadline: Deadline, clock: Clock, name: str
) -> Leg:
    if not question.readable:
        return Leg(name, absent="script_unknown_to_model")

    def find() -> list[Match]:
        return view.nearest(question.vector(deadline), question.space, filter, pool, deadline)

    leg = _timed(name, clock, find)
    calibrate = question.space.calibration.apply
    return replace(leg, scores={id: calibrate(cosine) for id, cosine in leg.scores.items()})


def standing_leg(
    view: View, question: Question | None, filter: Filter, pool: int, deadline: Deadline, clock: Clock
) -> Leg:
    """Rules and preferences: the nearest of those there are, or the weightiest where nothing can be compared."""
    kinds = STANDING_KINDS if filter.kinds is None else STANDING_KINDS & filter.kinds
    # What a document demands is of its own subject; it is found by that, and does not apply by itself.
    lanes = _WHERE_RULES_STAND if filter.lanes is None else _WHERE_RULES_STAND & filter.lanes
    rules = replace(filter, kinds=kinds, lanes=lanes)
    nearest = vector_leg(view, question, rules, pool, deadline, clock, name="standing")
    if nearest.absent is None:
        return nearest
    remembered = replace(rules, lanes=lanes & {Lane.MEMORIES})
    return _timed("standing", clock, lambda: _weightiest(view, remembered, pool))


def preference_leg(
    view: View, question: Question | None, filter: Filter, pool: int, deadline: Deadline, clock: Clock
) -> Leg:
    """The nearest of what the user is remembered to prefer."""
    preferences = frozenset({Kind.PREFERENCE})
    kinds = preferences if filter.kinds is None else preferences & filter.kinds
    lanes = frozenset({Lane.MEMORIES}) if filter.lanes is None else filter.lanes & {Lane.MEMORIES}
    where = replace(filter, kinds=kinds, lanes=lanes)
    return vector_leg(view, question, where, pool, deadline, clock, name="preferences")


def _weightiest(view: View, filter: Filter, pool: int) -> list[Match]:
    """Remembered rules by importance, the newest of equals first."""
    found = [trace for trace in view.scan(filter, limit=_MOST_RULES) if isinstance(trace, Memory)]
    found.sort(key=lambda memory: (memory.importance, memory.created_at, memory.id), reverse=True)
    return [Match(memory.id, memory.importance) for memory in found[:pool]]


def mode_of(legs: Mapping[str, Leg]) -> SearchMode | None:
    """What an answer was found by. Vectors nobody could compare with what words found were of no use to it."""
    keyword, vector = legs.get("keyword"), legs.get("vector")
    if keyword is None or vector is None:
        return None
    compared = vector.absent is None and bool(vector.scores or not keyword.scores)
    return SearchMode.of(words=keyword.absent is None, meaning=compared)


def _timed(name: str, clock: Clock, find: Callable[[], Sequence[Match]]) -> Leg:
    started = clock.monotonic()
    try:
        matches = find()
    except (DeadlineExceeded, EmbedderUnavailable, StoreCorrupt) as error:
        return Leg(name, absent=error.code, milliseconds=(clock.monotonic() - started) * 1000)
    return Leg(
        name,
        {id: score for id, score, _ in matches},
        milliseconds=(clock.monotonic() - started) * 1000,
        passages={id: passage for id, _, passage in matches},
    )
