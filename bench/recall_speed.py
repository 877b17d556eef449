"""Recall beside plain search while one store grows: within a scope of fixed size, and over everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from bench.corpus import Corpus, Question, SyntheticEmbedder, Text
from bench.plain import PlainSearch
from bench.results import Result
from bench.timing import Timing, side_by_side
from cortex import Cortex
from cortex.domain import turn as turn_module
from cortex.domain.memory import Draft
from cortex.domain.passages import passages_of
from cortex.ports.embedder import Embedder
from cortex.progress import Progress

BATCH = 4_096
LIMIT = 10
SETTINGS = {"embedding": {"cache_entries": 0}}
_GROWTH_LIMIT = 6.0
_FLAT_LIMIT = 1.5
_AGAINST_PLAIN = 0.5
_TARGET_SIZE = 100_000


@dataclass(frozen=True, slots=True)
class Measured:
    """Ours and plain at one size."""

    size: int
    where: str
    ours: Timing
    plain: Timing


class GrowingStore:
    """The same texts, with the same vectors, in Cortex and in the plain search."""

    def __init__(self, folder: Path, corpus: Corpus, embedder: Embedder | None = None) -> None:
        self.home = folder / "home"
        self.embedder = embedder or SyntheticEmbedder()
        self.engine = Cortex(self.home, settings=SETTINGS, embedder=self.embedder)
        self.plain = PlainSearch(folder / "plain.sqlite")
        self._corpus = corpus
        self._size = 0

    def grow(self, size: int, progress: Progress) -> None:
        """Remember more texts until there are `size`."""
        rest = list(self._corpus.texts(size))[self._size :]
        for start in range(0, len(rest), BATCH):
            some = rest[start : start + BATCH]
            self._remember(some)
            self.plain.add(some, BATCH)
            self.plain.add_vectors(some, self.embedder.embed_documents([text.text for text in some]))
            progress(self._size + start + len(some), size, "remembered")
        self._size = size

    def _remember(self, texts: Sequence[Text]) -> None:
        for (session, scope), run in groupby(texts, key=lambda text: (text.session, text.scope)):
            if session:
                older_draft = "Said"  # its name in older revisions
                draft = getattr(turn_module, "TurnDraft", None) or getattr(turn_module, older_draft)
                turns = [draft(text=text.text, speaker=text.speaker) for text in run]
                engine = self.engine
                older = "keep_turns"  # its name in older revisions
                store = getattr(engine, "store_turns", None) or getattr(engine, older)
                store(session, turns, scope=scope)
            else:
                self.engine.remember_all([Draft(text=text.text, scope=scope) for text in run])

    def measure(self, questions: Sequence[Question], rounds: int, *, in_scope: bool) -> Measured:
        chosen = [questions[number * len(questions) // rounds] for number in range(min(rounds, len(questions)))]
        vectors = [self.embedder.embed_query(question.text) for question in chosen]

        def ours(number: int) -> object:
            question = chosen[number % len(chosen)]
            return self.engine.recall(question.text, scope=question.scope if in_scope else None, limit=LIMIT)

        def plain(number: int) -> object:
            at = number % len(chosen)
            return self.plain.search(chosen[at].text, vectors[at], chosen[at].scope if in_scope else None)

        timings = side_by_side(ours, plain, rounds, after=lambda _: self.engine.flush())
        return Measured(self._size, "within a scope" if in_scope else "over everything", *timings)

    def close(self) -> None:
        self.engine.close()
        self.plain.database.close()


def results(measured: Sequence[Measured]) -> Iterator[Result]:
    """Each size against plain search, then each decade against the one before."""
    for each in measured:
        limit = _AGAINST_PLAIN if each.size >= _TARGET_SIZE else None
        ours, plain = each.ours.milliseconds(), each.plain.milliseconds()
        for share in ("p50", "p95"):
            yield Result(
                f"recall {each.where}, {each.size:,}, {share}",
                ours[share] / plain[share],
                limit=limit,
                detail={
                    "ours ms": ours[share],
                    "plain ms": plain[share],
                    "cpu": round(ours["cpu_p50"] / max(plain["cpu_p50"], 1e-6), 3),
                    "ours": ours,
                    "plain": plain,
                },
            )
    yield from _growth(measured)


def _growth(measured: Sequence[Measured]) -> Iterator[Result]:
    for where, limit in (("over everything", _GROWTH_LIMIT), ("within a scope", _FLAT_LIMIT)):
        sizes = [each for each in measured if each.where == where]
        for small, large in pairwise(sizes):
            if small.size >= 10_000:
                yield Result(
                    f"growth {where}, {small.size:,} → {large.size:,}",
                    large.ours.median / small.ours.median,
                    limit=limit,
                    detail={"plain": round(large.plain.median / small.plain.median, 2)},
                )


def document_texts(texts: Sequence[str]) -> list[str]:
    """What the engine would embed for these texts as memories."""
    from cortex.clock import SystemClock
    from cortex.domain.identity import TraceId

    now = SystemClock().now()
    return [
        passage
        for number, text in enumerate(texts)
        for passage in passages_of(Draft(text=text).memory(TraceId(str(number)), now), 128)
    ]
