"""Running a set: its records go in, and its probes are run, exactly as in production."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cortex import registry, wiring
from cortex import settings as configuration
from cortex.clock import SystemClock
from cortex.context import Context
from cortex.domain.chunk import Chunk
from cortex.domain.hits import Hit
from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane
from cortex.domain.memory import Draft
from cortex.domain.query import Query
from cortex.domain.scope import Tenant
from cortex.domain.trace import Trace, with_sources
from cortex.domain.turn import TurnDraft
from cortex.evaluation import lines, metrics, sets
from cortex.evaluation.baselines import FUSED, Baseline, PlainFts, PlainHybrid, PlainVectors
from cortex.evaluation.blocks import DEADLINE_MS, ORDERS, Blocks, Conversations, SetClock, written
from cortex.evaluation.metrics import ProbeResult
from cortex.evaluation.report import Report, SearchMeasures
from cortex.evaluation.sets import EvalSet, Probe, Record
from cortex.memory import Cortex
from cortex.ports.clock import Clock
from cortex.ports.embedder import Embedder
from cortex.progress import Progress, silent
from cortex.services.edit import StoreResult
from cortex.services.turn_hooks import TurnHooks
from cortex.settings import Settings

CACHE = "eval-embeddings.sqlite"
"""Vectors of evaluation texts, kept under home between runs; it may be deleted at any time."""

BLOCKS_WRITTEN = 20
CACHE_ENTRIES = 400_000
_NOISE_BATCH = 5_000
_JOBS_AT_ONCE = 16
_MOST_IDS = 100
_MOST_NOTED = 10


def run(
    directory: Path,
    *,
    recipe: str | None = None,
    embedder: str | Embedder | None = None,
    k: int = 10,
    budget: int | None = None,
    baselines: bool = True,
    limit: int | None = None,
    home: Path | None = None,
    cache: Path | None = None,
    noise: Path | None = None,
    noise_vectors: bool = False,
    per_query: Path | None = None,
    blocks_into: Path | None = None,
    store: str = "sqlite:",
    prepare: Callable[[Cortex], object] | None = None,
    progress: Progress = silent,
) -> Report:
    """Measure recall on the set under `directory`; the first `limit` of its probes, or all.

    The records go into a store of their own that is thrown away; never into that of the settings, though another empty
    one can be given by its URL. Settings and models are those of `home`, vectors
    are kept in the directory `cache` (by default `home`). `embedder` is a provider's name, or an embedder. The
    records of the file `noise` are remembered first, in their own scopes, without vectors by default. Some blocks
    are written to `blocks_into`, as a model would read them. `prepare` is called once all records are stored.
    """
    given = sets.read(directory)
    foreign = tuple(sets.read_records(noise)) if noise is not None else ()
    probes = given.probes[:limit]
    root = home or configuration.default_home()
    settings = settings_for(root, [*given.records, *foreign], embedder=embedder, recipe=recipe, store=store)
    clock = SetClock()
    with ExitStack() as stack:
        parts = wiring.build(
            Path(stack.enter_context(TemporaryDirectory(prefix="cortex-eval-"))),
            settings,
            embedder=cached_embedder(settings, root, (cache or root) / CACHE, stack, embedder),
            clock=clock,
            models=configuration.models_home(root),
        )
        engine = stack.enter_context(Cortex.over(Context(parts, Tenant())))
        started = parts.clock.monotonic()
        _add_noise(engine, foreign, noise_vectors, progress)
        origins = {} if given.sources else _feed(engine, given.records, progress)
        followed = _follow(engine, given, progress)
        if settings.nearest.url:
            engine.optimize()
        if prepare is not None:
            prepare(engine)
        fed = parts.clock.monotonic() - started
        records = _Origins(origins)
        blocks = Blocks(
            engine, TurnHooks(engine), clock, Conversations.of(given.records), records.of, settings.recall.recipe
        )
        runner = _ProbeRunner(
            engine, parts.embedder, parts.clock, records, settings.recall.recipe, k, budget, given.texts,
            blocks if any(record.session for record in given.records) else None,
        )  # fmt: skip
        answered = [runner.ask(probe) for probe in _watched(probes, progress)]
        outcomes = {"cortex": [each.outcome for each in answered]}
        if baselines:
            searched = [*foreign, *given.records]
            compared = searched if noise_vectors else list(given.records)
            outcomes |= _baselines(searched, compared, runner, probes, progress)
    if blocks_into is not None:
        shown = [(each.outcome.probe, each.outcome.shown) for each in answered if each.outcome.shown is not None]
        blocks_into.write_text(written(shown, BLOCKS_WRITTEN), encoding="utf-8")
    if per_query is not None:
        _write(per_query, answered, outcomes, lines.spans_of if given.sources else sorted)
    return _report(
        given, outcomes, answered, settings=settings, space=parts.embedder.space.key, k=k, budget=budget,
        noise=len(foreign), feed_seconds=fed,
        notes=(*followed, *_notes(given, len(probes), len(foreign), noise_vectors)),
    )  # fmt: skip


# --- the engine under test -------------------------------------------------------------------------------------------


def settings_for(
    root: Path,
    records: Iterable[Record],
    *,
    embedder: str | Embedder | None = None,
    recipe: str | None = None,
    store: str = "sqlite:",
) -> Settings:
    """The operator's settings, with room for the longest record, and neither the operator's cache nor files."""
    longest = max((len(record.text.encode()) for record in records), default=1)
    loaded = configuration.load(root)
    changes: dict[str, Any] = {
        "embedding": {"cache_entries": 0} | ({"provider": embedder} if isinstance(embedder, str) else {}),
        "limits": {"max_text_bytes": max(longest, loaded.limits.max_text_bytes)},
        "files": {
            "workspace": "", "extra_paths": [], "docs": [], "transcripts": [], "backend": "builtin",
            "max_file_bytes": sets.ANY_SIZE,
        },
        "hooks": {"deadline_ms": DEADLINE_MS},
        "store": {"url": store},
    }  # fmt: skip
    if recipe is not None:
        changes["recall"] = {"recipe": recipe}
    return configuration.load(root, changes)


def cached_embedder(
    settings: Settings, root: Path, cache: Path, stack: ExitStack, given: str | Embedder | None = None
) -> Embedder:
    """The embedder under test, with its vectors kept in the file `cache`; an error where it cannot work."""
    options = settings.embedding
    inner: Embedder
    if given is None or isinstance(given, str):
        inner = registry.find("cortex.embedders", options.provider)(options.options, configuration.models_home(root))
    else:
        inner = given
    if not inner.space.dimension:
        return inner
    # Recall would go on without an embedder that cannot work; what it then measured would be something else.
    inner.embed_query("ready?")
    caching = wiring.cached(inner, cache, CACHE_ENTRIES, SystemClock())
    stack.callback(caching.close)
    return caching


# --- records in ------------------------------------------------------------------------------------------------------


def _add_noise(engine: Cortex, foreign: Sequence[Record], vectors: bool, progress: Progress) -> None:
    rest = iter(foreign)
    done = 0
    while some := list(islice(rest, _NOISE_BATCH)):
        engine.remember_all([_draft(record) for record in some if record.text.strip()], embed=vectors)
        done += len(some)
        progress(done, len(foreign), "foreign records stored")


def _feed(engine: Cortex, records: Sequence[Record], progress: Progress) -> Mapping[TraceId, str]:
    """Every record as in production: conversations are captured, the rest is remembered. Gives each trace's record."""
    origins: dict[TraceId, str] = {}
    items = [record for record in records if record.text.strip()]
    sessions: dict[tuple[str, str], list[Record]] = {}
    alone = [record for record in items if not record.session]
    for record in items:
        if record.session:
            sessions.setdefault((record.scope, record.session), []).append(record)
    for (scope, session), together in sessions.items():
        taken = engine.ingest(
            [said(record) for record in together], session=f"{scope}/{session}", scope=scope, debounce=False
        )
        origins.update((id, record.id) for id, record in zip(taken.ids, together, strict=True) if id is not None)
        progress(len(origins), len(items), "records stored")
    _finish(engine, progress)
    for _, run in groupby(alone, key=lambda record: record.scope):
        some = list(run)
        origins.update(zip(_documents(engine, some, progress).ids, (record.id for record in some), strict=True))
    return origins


def _follow(engine: Cortex, given: EvalSet, progress: Progress) -> tuple[str, ...]:
    """Every folder as in production; gives what is worth knowing of that."""
    if not given.sources:
        return ()
    for source in given.sources:
        indexed = engine.index(source.root, name=source.name, progress=progress)
    files, chunks = indexed.synced.seen, engine.stats().by_lane.get(Lane.NOTES, 0)
    return (
        f"{files:,} files indexed as {chunks:,} chunks; the baselines search {len(given.records):,} plain pieces",
        *(f"{path} was not indexed: it {why}" for path, why in indexed.problems[:_MOST_NOTED]),
    )


def _finish(engine: Cortex, progress: Progress) -> None:
    """All background work, as if every session had been quiet for long enough."""
    done = 0
    while some := sum(engine.run_jobs(limit=_JOBS_AT_ONCE).facts["done"].values()):
        done += some
        progress(done, done + 1, "sessions captured")


def _documents(engine: Cortex, records: Sequence[Record], progress: Progress) -> StoreResult:
    return engine.remember_all([_draft(record) for record in records], progress=progress)


def said(record: Record) -> TurnDraft:
    """A record as the message it was."""
    return TurnDraft(text=record.text, role=record.role, speaker=record.speaker, at=record.at)


def _draft(record: Record) -> Draft:
    return Draft(text=record.text, scope=record.scope, created_at=record.at)


# --- running probes --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Answered:
    """An outcome, with what only the details need."""

    outcome: ProbeResult
    scores: tuple[float, ...]
    strays: int
    skipped: str | None
    cited: tuple[str, ...]
    """Where hits that are lines of files stand."""


@dataclass(frozen=True, slots=True)
class _Origins:
    """The record every stored trace came from."""

    records: Mapping[TraceId, str]

    def of(self, trace: Trace) -> frozenset[str]:
        """The records a trace stands for: its own, and those of the turns it came from."""
        return frozenset(self.records[id] for id in with_sources(trace) if id in self.records)


@dataclass(frozen=True, slots=True)
class _ProbeRunner:
    engine: Cortex
    embedder: Embedder
    clock: Clock
    origins: _Origins
    recipe: str
    k: int
    budget: int | None
    texts: Mapping[str, str]
    """What the files of the set say, by the paths they are cited by."""
    blocks: Blocks | None
    """For sets of conversations: how a question's block is built."""

    def ask(self, probe: Probe) -> Answered:
        """Recall within the probe's scope. Its vector is made beforehand: how long a model takes is not measured."""
        query = Query(
            text=probe.query, scope=probe.scope, recipe=self.recipe, limit=self.k, budget=self.budget,
            asked_at=probe.asked_at,
        )  # fmt: skip
        if self.embedder.space.dimension:
            self.embedder.embed_query(probe.query)
        started = self.clock.monotonic()
        answer = self.engine.recall(query)
        taken = (self.clock.monotonic() - started) * 1000
        # What is counted after an answer must be counted before the next, or the order of threads could show.
        self.engine.flush()
        return Answered(
            ProbeResult(
                probe,
                tuple(self._records(hit, probe) for hit in answer.hits),
                answer.tokens,
                taken,
                self.blocks.ask(probe) if self.blocks else None,
            ),
            tuple(hit.score for hit in answer.hits),
            sum(hit.trace.scope != probe.scope for hit in answer.hits),
            answer.receipt.facts.get("skipped"),
            tuple(hit.trace.citation for hit in answer.hits if isinstance(hit.trace, Chunk)),
        )

    def plainly(self, baseline: Baseline, probe: Probe) -> ProbeResult:
        started = self.clock.monotonic()
        ids = baseline.search(probe.query, probe.scope, self.k)
        taken = (self.clock.monotonic() - started) * 1000
        ranked = baseline.search(probe.query, probe.scope, FUSED) if self.blocks else []
        found = (lines.answered_by_piece(probe.relevant, id) if self.texts else frozenset({id}) for id in ids)
        shown = self.blocks.plainly(ranked, probe) if self.blocks else None
        return ProbeResult(probe, tuple(found), baseline.tokens(ids), taken, shown)

    def _records(self, hit: Hit, probe: Probe) -> frozenset[str]:
        """The records a hit stands for; of a file, what answers."""
        if isinstance(hit.trace, Chunk):
            return lines.answered_by(probe.relevant, hit.trace.path, *self._span(hit.trace))
        return self.origins.of(hit.trace)

    def _span(self, chunk: Chunk) -> tuple[int, int]:
        """Where a chunk stands in its file: at the first place its text is found from its first line on."""
        text = self.texts[chunk.path]
        line = 0
        for _ in range(chunk.start_line - 1):
            line = text.index("\n", line) + 1
        start = text.index(chunk.text, line)
        return start, start + len(chunk.text)


def _baselines(
    searched: Sequence[Record],
    compared: Sequence[Record],
    runner: _ProbeRunner,
    probes: Sequence[Probe],
    progress: Progress,
) -> dict[str, list[ProbeResult]]:
    """The same probes over the same records in plain search: by words, by vectors, and by both."""
    plain = PlainFts(searched)
    found = {"fts5": [runner.plainly(plain, probe) for probe in probes], "vectors": [], "hybrid": []}
    if runner.embedder.space.dimension:
        vectors = PlainVectors(compared, runner.embedder, progress)
        found["vectors"] = [runner.plainly(vectors, probe) for probe in probes]
        hybrid = PlainHybrid(plain, vectors)
        found["hybrid"] = [runner.plainly(hybrid, probe) for probe in probes]
    plain.close()
    return found


def _watched(probes: Sequence[Probe], progress: Progress) -> Iterator[Probe]:
    for number, probe in enumerate(probes):
        yield probe
        progress(number + 1, len(probes), "questions")


# --- the report ------------------------------------------------------------------------------------------------------


def _report(
    given: EvalSet,
    outcomes: Mapping[str, Sequence[ProbeResult]],
    answered: Sequence[Answered],
    *,
    settings: Settings,
    space: str,
    k: int,
    budget: int | None,
    noise: int,
    feed_seconds: float,
    notes: tuple[str, ...],
) -> Report:
    hits = sum(len(each.outcome.found) for each in answered)
    measured = {name: _measured(of, given.apart, k, len(answered)) for name, of in outcomes.items()}
    return Report(
        set_name=given.name,
        recipe=settings.recall.recipe,
        embedder=space,
        k=k,
        budget=budget,
        records=len(given.records),
        noise=noise,
        feed_seconds=feed_seconds,
        wrong_scope_rate=sum(each.strays for each in answered) / hits if hits else 0.0,
        cortex=measured.pop("cortex"),
        baselines=measured,
        apart=given.apart,
        notes=notes,
    )


def _measured(outcomes: Sequence[ProbeResult], apart: frozenset[str], k: int, count: int) -> SearchMeasures:
    if len(outcomes) < count:
        return SearchMeasures(metrics.absent(k, count))
    counted = [
        replace(outcome, shown=None) if outcome.probe.category in ORDERS else outcome
        for outcome in outcomes
        if outcome.probe.category not in apart
    ]
    return SearchMeasures(
        metrics.summarize(counted, k),
        {name: metrics.summarize(group, k) for name, group in metrics.by_category(outcomes).items()},
    )


def _notes(given: EvalSet, count: int, noise: int, noise_vectors: bool) -> tuple[str, ...]:
    blank = sum(not record.text.strip() for record in given.records)
    unknown, named = given.unknown_relevant(), "file" if given.sources else "record"
    notes: tuple[tuple[object, Callable[[], str]], ...] = (
        (count < len(given.probes), lambda: f"only the first {count:,} of {len(given.probes):,} questions were run"),
        (blank, lambda: f"{blank:,} records have no text and were not stored"),
        (unknown, lambda: f"{unknown:,} answers name a {named} that is not there, and count as missed"),
        (noise, lambda: f"among {noise:,} foreign records, {'with' if noise_vectors else 'without'} vectors"),
        (True, lambda: "latencies are with the question's vector at hand"),
    )
    return tuple(text() for holds, text in notes if holds)


IdFormat = Callable[[Iterable[str]], list[str]]
"""How ids are written: one by one, or the characters of files as spans."""


def _write(
    path: Path, answered: Sequence[Answered], outcomes: Mapping[str, Sequence[ProbeResult]], format_ids: IdFormat
) -> None:
    """One line for each probe: ids, places and numbers, no text."""
    with path.open("w", encoding="utf-8") as file:
        for at, each in enumerate(answered):
            probe, found = each.outcome.probe, each.outcome.found
            line = {
                "qid": probe.qid,
                "scope": probe.scope,
                "category": probe.category,
                "relevant": format_ids(probe.relevant)[:_MOST_IDS],
                "found": [format_ids(ids)[:_MOST_IDS] for ids in found],
                **({"cited": each.cited} if each.cited else {}),
                "scores": [round(score, 6) for score in each.scores],
                "place": metrics.place_of(found, probe.relevant),
                "skipped": each.skipped,
                "tokens": each.outcome.tokens,
                "latency_ms": round(each.outcome.milliseconds, 3),
            }
            for name, others in outcomes.items():
                if name != "cortex" and at < len(others):
                    line[name] = [next(iter(format_ids(ids)), "") for ids in others[at].found]
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
