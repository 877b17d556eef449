"""Whether memories stay true: what capture replaces and what it flags over whole conversations of a set.

Every session goes through ingest and the background jobs on a clock that stands at the session's time. A question about
a changed value counts where a memory from the original turn was superseded by one from the updated turn, or is flagged
beside it. A question about a contradiction counts where two memories of its turns are flagged, or one replaced the
other. Whether a decision is right is for a reader to say: `texts` has both sides of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.capture import figures
from bench.capture.figures import Figure
from cortex import settings as configuration
from cortex import wiring
from cortex.capture import intake, queue
from cortex.context import Context
from cortex.domain.identity import TraceId
from cortex.domain.lanes import ANY_STATE, Lane
from cortex.domain.memory import Memory
from cortex.domain.scope import Tenant
from cortex.evaluation import runner, sets
from cortex.evaluation.blocks import SetClock
from cortex.evaluation.sets import EvalSet, Probe, Record
from cortex.memory import Cortex
from cortex.ports.embedder import Embedder
from cortex.ports.store import Filter
from cortex.progress import Progress, silent
from cortex.services.jobs import JobService

UPDATES = "knowledge_update"
CONTRADICTIONS = "contradiction_resolution"
SIDES: Mapping[str, tuple[str, str]] = {
    UPDATES: ("original_info", "updated_info"),
    CONTRADICTIONS: ("first_statement", "second_statement"),
}
"""The parts of a question that name the earlier and the later turns."""

_PAGE = 1_000


class Found(StrEnum):
    """What became of the two sides of a question."""

    SUPERSEDED = "superseded"
    FLAGGED = "flagged"
    MISSED = "missed"
    """Both sides are memories, and nothing was decided."""
    NOT_EXTRACTED = "not_extracted"
    """One side left no memory."""


_FOUND = (Found.SUPERSEDED, Found.FLAGGED)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories that were decided beside each other, the earlier first, with the records they came from."""

    old: TraceId
    new: TraceId
    old_records: tuple[str, ...]
    new_records: tuple[str, ...]
    scope: str


@dataclass(frozen=True, slots=True)
class Probed:
    """One question of the set, and what became of its two sides."""

    qid: str
    scope: str
    found: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdatesReport:
    """What capture decided over a set."""

    set_name: str
    memories: int
    superseded: tuple[Pair, ...]
    flagged: tuple[Pair, ...]
    updates: tuple[Probed, ...]
    contradictions: tuple[Probed, ...]
    texts: Mapping[TraceId, str] = field(repr=False)
    """The words of every memory in a pair, for a reader; never part of `as_dict`."""

    @property
    def share_updated(self) -> float | None:
        return _share(self.updates)

    @property
    def share_flagged(self) -> float | None:
        return _share(self.contradictions)

    def as_dict(self) -> dict[str, Any]:
        """Ids and counts, without any text."""
        return {
            "set": self.set_name,
            "memories": self.memories,
            "superseded": [asdict(pair) for pair in self.superseded],
            "flagged": [asdict(pair) for pair in self.flagged],
            "updates": [asdict(each) for each in self.updates],
            "contradictions": [asdict(each) for each in self.contradictions],
            "share_updated": self.share_updated,
            "share_flagged": self.share_flagged,
        }

    def figures(self) -> Iterator[Figure]:
        """What was decided, and how many of the changed values and contradictions asked about were found."""
        yield Figure(self.set_name, "memories", self.memories)
        yield Figure(self.set_name, "supersessions decided", len(self.superseded))
        yield Figure(self.set_name, "contradictions flagged", len(self.flagged))
        for name, probed in (("changed values", self.updates), ("contradictions", self.contradictions)):
            yield Figure.counted(self.set_name, f"{name} found", _count(probed, *_FOUND), len(probed))
            yield Figure.counted(self.set_name, f"{name}: superseded", _count(probed, Found.SUPERSEDED), len(probed))
            lost = _count(probed, Found.NOT_EXTRACTED)
            yield Figure.counted(self.set_name, f"{name}: a side not extracted", lost, len(probed))

    def table(self) -> str:
        """The figures as plain text."""
        return figures.lines(self.figures())

    def pairs(self) -> Iterator[str]:
        """Every decision with its texts, for a reader who judges whether it is right."""
        yield from ("SUPERSEDED", *self.shown(self.superseded), "FLAGGED", *self.shown(self.flagged))

    def shown(self, pairs: Iterable[Pair]) -> Iterator[str]:
        """Each pair with its texts, for the terminal of a reader."""
        for pair in pairs:
            yield f"{pair.scope} {pair.old} -> {pair.new}\n  - {self.texts[pair.old]}\n  + {self.texts[pair.new]}"


def run(
    directory: Path,
    *,
    scopes: Iterable[str] | None = None,
    embedder: str | Embedder | None = None,
    home: Path | None = None,
    cache: Path | None = None,
    progress: Progress = silent,
) -> UpdatesReport:
    """Capture the conversations of the set under `directory`, or those in `scopes`, and tell what was decided."""
    given = _within(sets.read(directory), scopes)
    memories, origins = captured(given.records, embedder=embedder, home=home, cache=cache, progress=progress)
    return _report(given, memories, origins)


def _within(given: EvalSet, scopes: Iterable[str] | None) -> EvalSet:
    if scopes is None:
        return given
    kept = frozenset(scopes)
    return replace(
        given,
        records=tuple(record for record in given.records if record.scope in kept),
        probes=tuple(probe for probe in given.probes if probe.scope in kept),
    )


# --- conversations in ------------------------------------------------------------------------------------------------


def captured(
    records: Sequence[Record],
    *,
    embedder: str | Embedder | None = None,
    home: Path | None = None,
    cache: Path | None = None,
    progress: Progress = silent,
) -> tuple[dict[TraceId, Memory], Mapping[TraceId, str]]:
    """Every memory that capture extracts from conversations, and the record of each turn.

    Settings and models are those of `home`; vectors are kept in the directory `cache` (by default `home`).
    """
    with capturing(records, embedder=embedder, home=home, cache=cache) as capture:
        origins = capture.feed(records, progress)
        return capture.memories(), origins


@dataclass(frozen=True, slots=True)
class Capturing:
    """A memory that conversations are captured into, on a clock that stands where it is put."""

    engine: Cortex
    clock: SetClock

    def feed(self, records: Sequence[Record], progress: Progress = silent) -> Mapping[TraceId, str]:
        """Every session through ingest and extraction at its own time; gives the record of each turn."""
        return _feed(self.engine, records, self.clock, progress)

    def memories(self) -> dict[TraceId, Memory]:
        """Every memory that was extracted, whatever its state."""
        return {memory.id: memory for memory in _memories(self.engine)}


@contextmanager
def capturing(
    records: Sequence[Record],
    *,
    embedder: str | Embedder | None = None,
    home: Path | None = None,
    cache: Path | None = None,
) -> Iterator[Capturing]:
    """A memory that is thrown away, with the settings that fit these records."""
    root = home or configuration.default_home()
    settings = runner.settings_for(root, records, embedder=embedder)
    clock = SetClock()
    with ExitStack() as stack:
        parts = wiring.build(
            Path(stack.enter_context(TemporaryDirectory(prefix="cortex-capture-"))),
            settings,
            embedder=runner.cached_embedder(settings, root, (cache or root) / runner.CACHE, stack, embedder),
            clock=clock,
            models=configuration.models_home(root),
        )
        yield Capturing(stack.enter_context(Cortex.over(Context(parts, Tenant()))), clock)


def _feed(engine: Cortex, records: Sequence[Record], clock: SetClock, progress: Progress) -> Mapping[TraceId, str]:
    """Every session through ingest and extraction at its own time; gives the record of each turn."""
    origins: dict[TraceId, str] = {}
    sessions = _sessions(records)
    for number, ((scope, session), together) in enumerate(sessions.items(), start=1):
        clock.at = max((record.at for record in together if record.at), default=None)
        taken = engine.ingest(
            [runner.said(record) for record in together], session=f"{scope}/{session}", scope=scope, debounce=False
        )
        origins.update((id, record.id) for id, record in zip(taken.ids, together, strict=True) if id is not None)
        _extract(engine)
        progress(number, len(sessions), "sessions captured")
    return origins


def _sessions(records: Sequence[Record]) -> dict[tuple[str, str], list[Record]]:
    """The sessions of each conversation, in the order of their times."""
    found: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        if record.session and record.text.strip():
            found.setdefault((record.scope, record.session), []).append(record)
    return dict(sorted(found.items(), key=lambda each: (each[0][0], _begun(each[1]))))


def _begun(records: Sequence[Record]) -> str:
    return min((record.at.isoformat() for record in records if record.at), default="")


def _extract(engine: Cortex) -> None:
    """Extract memories. Vectors of turns are left out: nothing is recalled here."""
    capture = JobService(engine.context).by_worth()
    queue.run_due(capture.tenant, capture.store, {intake.EXTRACT: capture.run}, capture.clock)


# --- what was decided ------------------------------------------------------------------------------------------------


def _memories(engine: Cortex) -> Iterator[Memory]:
    among, after = Filter(lanes=frozenset({Lane.MEMORIES}), states=ANY_STATE), None
    while page := engine.list(among, after=after, limit=_PAGE):
        yield from (trace for trace in page if isinstance(trace, Memory))
        after = page[-1].id


def _report(given: EvalSet, memories: Mapping[TraceId, Memory], origins: Mapping[TraceId, str]) -> UpdatesReport:
    decided = _Decided(memories, origins)
    probed = {name: [decided.probed(probe) for probe in given.probes if probe.category == name] for name in SIDES}
    pairs = (*decided.superseded(), *decided.flagged())
    return UpdatesReport(
        set_name=given.name,
        memories=len(memories),
        superseded=tuple(decided.superseded()),
        flagged=tuple(decided.flagged()),
        updates=tuple(probed[UPDATES]),
        contradictions=tuple(probed[CONTRADICTIONS]),
        texts={id: memories[id].text for pair in pairs for id in (pair.old, pair.new)},
    )


@dataclass(frozen=True, slots=True)
class _Decided:
    """The memories of a set, and what points from one to another."""

    memories: Mapping[TraceId, Memory]
    origins: Mapping[TraceId, str]

    def superseded(self) -> Iterator[Pair]:
        for memory in self.memories.values():
            if memory.superseded_by and (successor := self.memories.get(memory.superseded_by)):
                yield self._pair(memory, successor)

    def flagged(self) -> Iterator[Pair]:
        """Each contradiction once, the earlier side first."""
        for memory in self.memories.values():
            for id in memory.contradicts:
                other = self.memories.get(id)
                if other is not None and _order(other) < _order(memory):
                    yield self._pair(other, memory)

    def probed(self, probe: Probe) -> Probed:
        earlier, later = (self._from(probe.parts.get(side, frozenset())) for side in SIDES[probe.category])
        return Probed(probe.qid, probe.scope, self._found(earlier, later))

    def _found(self, earlier: Sequence[Memory], later: Sequence[Memory]) -> Found:
        if not earlier or not later:
            return Found.NOT_EXTRACTED
        both = [*product(earlier, later), *product(later, earlier)]
        if any(new.id in self._successors(old) for old, new in both):
            return Found.SUPERSEDED
        return Found.FLAGGED if any(new.id in old.contradicts for old, new in both) else Found.MISSED

    def _successors(self, memory: Memory) -> set[TraceId]:
        found: set[TraceId] = set()
        while (id := memory.superseded_by) and id not in found and id in self.memories:
            found.add(id)
            memory = self.memories[id]
        return found

    def _from(self, records: frozenset[str]) -> list[Memory]:
        return [memory for memory in self.memories.values() if records.intersection(self._records(memory))]

    def _records(self, memory: Memory) -> tuple[str, ...]:
        return tuple(self.origins[id] for id in memory.source_turns if id in self.origins)

    def _pair(self, old: Memory, new: Memory) -> Pair:
        return Pair(old.id, new.id, self._records(old), self._records(new), old.scope)


def _order(memory: Memory) -> tuple[datetime, TraceId]:
    return memory.created_at, memory.id


def _share(probed: Sequence[Probed]) -> float | None:
    return _count(probed, *_FOUND) / len(probed) if probed else None


def _count(probed: Sequence[Probed], *found: Found) -> int:
    return sum(each.found in found for each in probed)
