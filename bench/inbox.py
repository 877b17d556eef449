"""What the decisions of one half teach the other: `python -m bench.inbox DIR`.

DIR is a set of labeled turns as `bench.capture --gold` reads it. One half of its conversations is captured, and every
inbox item that the labels can decide is decided from them: a memory that matches a labeled fact of its turn is
approved, any other of a labeled turn is rejected. Then the other half is captured into the same memory, under the
thresholds that were learned, and compared with what is captured of it without any decision. Both halves take both
parts.

With --attacks, the attacks of `bench.poisoning` run on memories with the learned thresholds as well. With --speed, the
inbox of a large memory is timed instead.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated, Any

import typer

from bench import command
from bench.capture import gold, updates
from bench.capture.gold import HALVES, GoldTurn, Judged
from bench.command import AsJson, Home
from bench.corpus import synthetic
from bench.poisoning import runner as poisoning
from bench.poisoning.runner import PoisoningReport
from cortex import settings as configuration
from cortex.capture import policies
from cortex.domain.identity import TraceId
from cortex.domain.memory import Draft, Kind, Memory
from cortex.domain.thresholds import THRESHOLDS, ThresholdVersion
from cortex.domain.trust import SourceKind
from cortex.errors import InvalidRequest
from cortex.evaluation.metrics import Summary
from cortex.evaluation.sets import Record
from cortex.lifecycle.inbox import InboxItem
from cortex.memory import Cortex
from cortex.ports.store import PatchSession
from cortex.progress import Progress
from cortex.surfaces.cli import output

MOST_LOST = 0.02
"""How much recall of important facts may fall."""

MISSED = 1
"""Exit code where a goal was not met."""

_PLAIN: Mapping[str, Any] = {"embedding": {"provider": "none"}}
_TIMES = 6

_MEASURES = ("precision", "recall_important", "recall_all", "silent_on_empty_turns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One half was decided, the other measured."""

    decided: str
    measured: str
    verdicts: Mapping[str, int]
    left: int
    """Items that the labels say nothing of."""
    thresholds: tuple[ThresholdVersion, ...]
    before: Summary
    after: Summary

    @property
    def gained(self) -> float:
        return float(self.after["precision"] or 0) - float(self.before["precision"] or 0)

    @property
    def lost(self) -> float:
        return float(self.before["recall_important"] or 0) - float(self.after["recall_important"] or 0)

    @property
    def is_met(self) -> bool:
        """Whether precision rose and recall hardly fell; nothing is promised where nothing was learned."""
        return not self.thresholds or (self.gained > 0 and self.lost < MOST_LOST)

    def to_json(self) -> dict[str, Any]:
        return {
            "decided": self.decided, "measured": self.measured, "verdicts": dict(self.verdicts), "left": self.left,
            "thresholds": [each.to_state() | {"extractor": each.extractor} for each in self.thresholds],
            "before": {name: self.before[name] for name in _MEASURES},
            "after": {name: self.after[name] for name in _MEASURES},
        }  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Learned:
    """A run: what capture found in one half by itself, and in the other after the first was decided."""

    half: str
    own: tuple[Judged, ...]
    other: tuple[Judged, ...]
    verdicts: Mapping[str, int]
    left: int
    thresholds: tuple[ThresholdVersion, ...]


def lessons(turns: Sequence[GoldTurn], records: Sequence[Record], *, home: Path, progress: Progress) -> list[Lesson]:
    """Each half decided, and the other measured under what was learned."""
    one, two = (_learn(turns, records, half, home, progress) for half in HALVES)
    return [
        Lesson(
            decided=each.half, measured=other.half, verdicts=each.verdicts, left=each.left, thresholds=each.thresholds,
            before=gold.summarize(other.own), after=gold.summarize(each.other),
        )
        for each, other in ((one, two), (two, one))
    ]  # fmt: skip


def _learn(
    turns: Sequence[GoldTurn], records: Sequence[Record], decided: str, home: Path, progress: Progress
) -> _Learned:
    halves = gold.half_of(turns)
    first = [record for record in records if halves[record.scope] == decided]
    second = [record for record in records if halves[record.scope] != decided]
    own_turns = [turn for turn in turns if halves[turn.conversation] == decided]
    with updates.capturing(records, home=home) as capture:
        origins = dict(capture.feed(first, progress))
        own = _judged(own_turns, capture.memories(), origins)
        capture.clock.at = max(record.at for record in records if record.at) + timedelta(days=1)
        verdicts, left = _decide(capture.engine, _rights(own))
        origins |= capture.feed(second, progress)
        other = _judged([turn for turn in turns if turn not in own_turns], capture.memories(), origins)
        thresholds = tuple(capture.engine.thresholds())
    return _Learned(half=decided, own=own, other=other, verdicts=verdicts, left=left, thresholds=thresholds)


def _judged(
    turns: Sequence[GoldTurn], memories: Mapping[TraceId, Memory], origins: Mapping[TraceId, str]
) -> tuple[Judged, ...]:
    extracted: dict[str, list[Memory]] = {}
    for memory in memories.values():
        for source in memory.source_turns:
            extracted.setdefault(origins[source], []).append(memory)
    return tuple(gold.judge(turn, extracted.get(turn.id, ())) for turn in turns)


def _rights(judged: Sequence[Judged]) -> dict[str, bool]:
    """Whether each memory of a labeled turn matches one of its facts."""
    return {memory.id: right for each in judged for memory, right in zip(each.memories, each.right, strict=True)}


def _decide(engine: Cortex, rights: Mapping[str, bool]) -> tuple[Mapping[str, int], int]:
    """Decide all items that the labels speak of, one by one, as a person would; how many were left."""
    verdicts: Counter[str] = Counter()
    passed: set[str] = set()
    while True:
        waiting = [item for item in engine.inbox(limit=1_000, all=True).items if item.id not in passed]
        if not waiting:
            return verdicts, len(passed)
        decision = decision_by(waiting[0], rights)
        if decision is None:
            passed.add(waiting[0].id)
        else:
            engine.decide([decision])
            verdicts[decision["verdict"]] += 1


def decision_by(item: InboxItem, rights: Mapping[str, bool]) -> dict[str, Any] | None:
    """What the labels say of an item; None where they say nothing.

    Of a contradiction one labeled side is enough: it is the true one if it matches a fact, and rejected if not.
    """
    decision: dict[str, Any] = {"id": item.id, "revision": item.revision}
    sides = [rights.get(trace.id) for trace in item.traces]
    known = [side for side in sides if side is not None]
    if not known or (len(known) < len(sides) and not item.is_contradiction):
        return None
    if len(set(sides)) == 1:
        return decision | {"verdict": "approve" if known[0] else "reject"}
    right = True if True in sides else None
    verdict = "approve" if right and item.is_contradiction else "reject"
    return decision | {"verdict": verdict, "keep": item.traces[sides.index(right)].id}


def attacked(
    learned: Sequence[Lesson], *, home: Path, per_family: int, progress: Progress
) -> tuple[PoisoningReport, PoisoningReport]:
    """The attacks on memories without decisions, and with all thresholds that were learned."""

    def prepare(engine: Cortex) -> None:
        versions = {each.extractor: [each.to_state()] for lesson in learned for each in lesson.thresholds}
        engine.context.apply([PatchSession(THRESHOLDS, versions)])

    plain = poisoning.run(home, per_family=per_family, progress=progress)
    return plain, poisoning.run(home, per_family=per_family, progress=progress, prepare=prepare)


def is_no_worse(before: PoisoningReport, after: PoisoningReport) -> bool:
    """Whether no share of attacks that got anywhere rose."""
    return all(after.overall[name] <= before.overall[name] for name in poisoning.MEASURES)


def inbox(
    directory: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A set of labeled turns, such as capture-gold.")
    ] = None,
    speed: Annotated[
        int, typer.Option(min=0, max=10_000_000, metavar="NUMBER", help="Time the inbox of so many memories instead.")
    ] = 0,
    attacks: Annotated[
        int, typer.Option(min=0, max=1_000, metavar="NUMBER", help="Attacks of each family; 0 for none.")
    ] = 0,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Decide the inbox of one half from its labels, and measure what capture then finds in the other half."""
    if speed:
        with output.progress("storing") as progress:
            times = timed(speed, progress)
        output.show_json(times) if as_json else output.plain(_times_line(speed, times))
        return 0
    if directory is None:
        raise InvalidRequest("is missing", field="DIR", hint="give a set of labeled turns, or --speed")
    root = home or configuration.default_home()
    turns, records = gold.read(directory)
    with output.progress("capturing") as progress:
        found = lessons(turns, records, home=root, progress=progress)
    reports = None
    if attacks:
        with output.progress("attacking") as progress:
            reports = attacked(found, home=root, per_family=attacks, progress=progress)
    if as_json:
        poisoned = {"poisoning": {"before": reports[0].to_json(), "after": reports[1].to_json()}} if reports else {}
        output.show_json({"lessons": [each.to_json() for each in found]} | poisoned)
    else:
        for line in _lines(found, reports):
            output.plain(line)
    return 0 if all(each.is_met for each in found) and (not reports or is_no_worse(*reports)) else MISSED


def timed(memories: int, progress: Progress) -> dict[str, float]:
    """Milliseconds of the inbox at so many memories, a hundredth of which need a person, without embeddings."""
    with TemporaryDirectory(prefix="cortex-inbox-") as folder, Cortex(folder, settings=_PLAIN) as engine:
        engine.remember_all(_drafts(memories), embed=False, progress=progress)
        took = []
        for _ in range(_TIMES):
            began = perf_counter()
            found = engine.inbox()
            took.append((perf_counter() - began) * 1000)
        began = perf_counter()
        engine.decide([{"id": each.id, "revision": each.revision, "verdict": "approve"} for each in found.items])
        decided = (perf_counter() - began) * 1000
    return {"first_ms": took[0], "again_ms": median(took[1:]), "decide_20_ms": decided, "waiting": found.waiting}


def _drafts(memories: int) -> Iterator[Draft]:
    for number, each in enumerate(synthetic().texts(memories)):
        is_rule = number % 100 == 0
        source = SourceKind.WEB if is_rule else SourceKind.USER
        yield Draft(text=each.text, scope=each.scope, kind=Kind.RULE if is_rule else Kind.FACT, source_kind=source)


def _times_line(memories: int, times: Mapping[str, float]) -> str:
    return (
        f"inbox of {memories:,} memories: {times['again_ms']:.0f} ms, the first time {times['first_ms']:.0f} ms; "
        f"{times['waiting']:.0f} items wait; deciding 20 takes {times['decide_20_ms']:.0f} ms"
    )


def _lines(learned: Sequence[Lesson], reports: tuple[PoisoningReport, PoisoningReport] | None) -> Iterator[str]:
    default = policies.named(policies.DEFAULT).min_confidence
    for lesson in learned:
        verdicts = ", ".join(f"{count} {name}" for name, count in sorted(lesson.verdicts.items()))
        yield f"{lesson.decided} half decided: {verdicts or 'nothing'}; {lesson.left} items that no label speaks of"
        for each in lesson.thresholds:
            yield f"  threshold of {each.extractor}: {each.before:.3f} -> {each.threshold:.3f}"
        if not lesson.thresholds:
            yield f"  no threshold moved from {default:.3f}"
        yield f"{lesson.measured} half captured:"
        for name in _MEASURES:
            before, after = (float(each[name] or 0) for each in (lesson.before, lesson.after))
            yield f"  {name.replace('_', ' '):22} {before:.4f} -> {after:.4f}  ({after - before:+.4f})"
    if reports:
        without, with_ = reports
        yield "attacks without and with what was learned:"
        for name in poisoning.MEASURES:
            yield f"  {name:22} {without.overall[name]:.4f} -> {with_.overall[name]:.4f}"


if __name__ == "__main__":
    sys.exit(command.run(inbox, sys.argv[1:], "python -m bench.inbox"))
