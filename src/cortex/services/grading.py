"""Grading: how much memories matter, as an annotation that changes no answer by itself (S2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any

from cortex import registry
from cortex.context import Context
from cortex.domain.events import EventKind
from cortex.domain.grading import HEURISTIC_V1, basis
from cortex.domain.identity import TraceId
from cortex.domain.importance import Grade
from cortex.domain.lanes import Lane
from cortex.domain.memory import Memory
from cortex.domain.receipt import MAX_ITEMS_CAP, Receipt
from cortex.domain.tags import REGRADE
from cortex.errors import InvalidRequest, ProviderError, ProviderMissing
from cortex.ports.grader import Grader
from cortex.ports.store import Filter, Put, retry_on_conflict, scan_all, with_expectations
from cortex.progress import Progress, silent
from cortex.runtime import pool
from cortex.runtime.deadline import Deadline
from cortex.services.tags import TagService

DEFAULT_GRADER = HEURISTIC_V1.name
BATCH = 200
BATCH_SECONDS = 60.0
"""How long a grader may take for a batch; one that takes longer hangs."""
MEMORIES = Filter(lanes=frozenset({Lane.MEMORIES}))
_OUT_OF_TIME = "deadline"
_MOST_REASONS = 32
_MOST_CHARS = 64


def grader_named(name: str) -> Grader:
    """The grader registered under `name`, or an error that names those there are."""
    try:
        grader: Grader = registry.find("cortex.graders", name)()
    except ProviderMissing as error:
        raise InvalidRequest("is not the name of a grader", field="grader", hint=error.hint) from error
    return grader


@dataclass(slots=True)
class GradingRun:
    """What a run of a grader found, and what it stored."""

    grader: Grader
    all: bool
    compare: bool
    dry_run: bool
    position: int = 0
    memories: int = 0
    current: int = 0
    """Memories whose grade is up to date."""
    graded: int = 0
    """Grades that are new or say something else; in a dry run, that would be stored."""
    labels: Counter[str] = field(default_factory=Counter)
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)
    """From which label to which, where memories had a grade."""
    ids: list[TraceId] = field(default_factory=list)
    stopped: str | None = None

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts and ids, never text."""
        return {
            "grader": self.grader.name,
            "fingerprint": self.grader.fingerprint,
            "all": self.all,
            "compare": self.compare,
            "dry_run": self.dry_run,
            "memories": self.memories,
            "current": self.current,
            "graded": self.graded,
            "labels": dict(sorted(self.labels.items())),
            "moves": {f"{old} -> {new}": count for (old, new), count in sorted(self.moves.items())},
            "ids": list(self.ids),
            "stopped": self.stopped,
        }


class GradingService:
    """Grades the memories of one tenant."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def grade(
        self,
        *,
        grader: str = DEFAULT_GRADER,
        all: bool = False,
        compare: bool = False,
        dry_run: bool = False,
        deadline: Deadline | None = None,
        progress: Progress = silent,
    ) -> Receipt:
        found = grader_named(grader)
        run = GradingRun(found, all or compare, compare, dry_run or compare)
        with self._context.recording("grade") as record:
            self._run(run, deadline or Deadline.after(self._context.clock, float("inf")), progress)
            record.close(run.position or self._context.position(), **run.facts())
        return record.receipt

    def _run(self, run: GradingRun, deadline: Deadline, progress: Progress) -> None:
        now = self._context.clock.now()
        with self._context.store_view() as view:
            run.position = view.position
            found = [each for each in scan_all(view, MEMORIES) if isinstance(each, Memory)]
        run.memories = len(found)
        due = found if run.all else [each for each in found if is_due(each, run.grader.name, now)]
        run.current = run.memories - len(due)
        if run.all and due and not run.dry_run:
            TagService(self._context).automatic(REGRADE)
        done = 0
        for batch in _batches(due, BATCH):
            grades = self._grades(run, batch, now, deadline)
            if grades is None:
                return
            self._keep(run, batch, grades)
            done += len(batch)
            progress(done, len(due), "graded")

    def _grades(
        self, run: GradingRun, batch: Sequence[Memory], now: datetime, deadline: Deadline
    ) -> Sequence[Grade] | None:
        """The grades of a batch; None where the grader failed or took too long, and why is in the run."""
        seconds = min(BATCH_SECONDS, deadline.left())
        if seconds <= 0:
            run.stopped = _OUT_OF_TIME
            return None
        pending = pool.start(lambda: [_checked(run.grader, each, now) for each in batch], "cortex-grader")
        try:
            return pending.result(timeout=seconds)
        except FutureTimeout:
            run.stopped = "grader_timeout"
        except Exception as error:  # a grader may be anybody's code; its failure ends the run and nothing else
            run.stopped = f"grader_failed: {type(error).__name__}"
        return None

    def _keep(self, run: GradingRun, batch: Sequence[Memory], grades: Sequence[Grade]) -> None:
        for memory, grade in zip(batch, grades, strict=True):
            run.labels[grade.label.value] += 1
            if memory.grade is not None and (run.compare or memory.grade.label is not grade.label):
                run.moves[memory.grade.label.value, grade.label.value] += 1
        changed = {old.id: grade for old, grade in zip(batch, grades, strict=True) if old.grade != grade}
        run.graded += len(changed)
        run.ids += list(changed)[: MAX_ITEMS_CAP - len(run.ids)]
        if changed and not run.dry_run:
            before = {memory.id: memory for memory in batch}
            run.position = retry_on_conflict(lambda: self._annotate(before, changed)) or run.position

    def _annotate(self, before: dict[TraceId, Memory], grades: dict[TraceId, Grade]) -> int:
        """Store the grades of what still says what was graded; the rest is graded next time."""
        with self._context.store_view() as view:
            current = [each for each in view.load(list(grades)) if isinstance(each, Memory)]
            puts = [
                Put(each.revised(grade=grades[each.id]), EventKind.GRADED)
                for each in current
                if _says_the_same(each, before[each.id]) and each.grade != grades[each.id]
            ]
            changes = with_expectations(puts, view)
        return self._context.apply(changes) if changes else 0


def is_due(memory: Memory, grader: str, now: datetime) -> bool:
    """Whether a memory has no grade of this grader, or changed since it had."""
    return memory.grade is None or memory.grade.version != grader or memory.grade.basis != basis(memory, now)


def grade_due(context: Context, deadline: Deadline) -> Receipt:
    """Grade what is due, for the schedule: there a grader that failed is an error, and so becomes an alert (S7)."""
    receipt = GradingService(context).grade(deadline=deadline)
    why = receipt.facts["stopped"]
    if why not in (None, _OUT_OF_TIME):
        raise ProviderError(f"the grader stopped: {why}", hint="see `cortex grade --dry-run`")
    return receipt


def _checked(grader: Grader, memory: Memory, now: datetime) -> Grade:
    """The grade of a memory, with what it was given for; ValueError where it is none."""
    grade = grader.grade(memory, now)
    named = all(isinstance(each, str) and len(each) <= _MOST_CHARS for each in grade.reasons)
    if not 0.0 <= grade.score <= 1.0 or grade.version != grader.name or not named or len(grade.reasons) > _MOST_REASONS:
        raise ValueError("not a grade")
    return replace(grade, basis=basis(memory, now))


def _says_the_same(one: Memory, other: Memory) -> bool:
    return (one.text, one.kind, one.scope, one.trust) == (other.text, other.kind, other.scope, other.trust)


def _batches(memories: Iterable[Memory], size: int) -> Iterator[list[Memory]]:
    rest = iter(memories)
    while batch := list(islice(rest, size)):
        yield batch
