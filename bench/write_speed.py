"""Remembering beside raw inserts, a bare commit, and the bare model."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.corpus import Corpus
from bench.plain import BareModel, OneRow, PlainInserts
from bench.recall_speed import document_texts
from bench.results import NotMeasured, Result, Row
from bench.timing import Timing, side_by_side
from cortex.domain.memory import Draft
from cortex.errors import ModelUnavailable, ProviderMissing
from cortex.memory import Cortex
from cortex.providers.embedders.local import PASSAGE_PREFIX, QUERY_PREFIX, create
from cortex.providers.models import EMBEDDER, ModelStore
from cortex.remember.flow import PLAIN_BATCH

_OFF = {"embedding": {"provider": "none"}}
_NO_CACHE = {"embedding": {"cache_entries": 0}}


def without_vectors(folder: Path, corpus: Corpus, rounds: int, batch: int = 1_024) -> Iterator[Row]:
    """Bulk and single remembering, without embedding."""
    name = "bulk remember without vectors"
    yield _bulk(folder / "triggered", corpus, rounds, batch, name, trigger=True, limit=0.4)
    yield _bulk(folder / "by-hand", corpus, rounds, batch, f"{name}, index written by hand", trigger=False)
    yield from _single(folder, corpus, rounds * 8)


def _bulk(
    folder: Path, corpus: Corpus, rounds: int, batch: int, name: str, *, trigger: bool, limit: float | None = None
) -> Row:
    folder.mkdir()
    texts = list(corpus.texts(batch * rounds))
    plain = PlainInserts(folder / "inserts.sqlite", trigger=trigger)
    with Cortex(folder / "home", settings=_OFF) as engine:

        def ours(number: int) -> object:
            some = texts[number * batch : (number + 1) * batch]
            return engine.remember_all([Draft(text=text.text, scope=text.scope) for text in some])

        def theirs(number: int) -> None:
            plain.add(texts[number * batch : (number + 1) * batch], PLAIN_BATCH)

        timings = side_by_side(ours, theirs, rounds, after=lambda _: engine.flush())
    plain.database.close()
    return _throughput(name, *timings, batch, limit=limit)


def _single(folder: Path, corpus: Corpus, rounds: int) -> Iterator[Row]:
    texts = [text.text for text in corpus.texts(rounds + 2)]
    row = OneRow(folder / "one.sqlite")
    with Cortex(folder / "single", settings=_OFF) as engine:
        ours, plain = side_by_side(
            lambda number: engine.remember(texts[number]), lambda number: row.add(texts[number]), rounds,
            after=lambda _: engine.flush(),
        )  # fmt: skip
    row.close()
    yield Result(
        "one durable remember",
        ours.median / plain.median,
        limit=3.0,
        detail={
            "ours ms": round(ours.median * 1e3, 3),
            "plain ms": round(plain.median * 1e3, 3),
            "ours cpu ms": round(ours.cpu_median * 1e3, 3),
            "ours": ours.milliseconds(),
            "plain": plain.milliseconds(),
        },
    )


def with_model(folder: Path, models: Path, corpus: Corpus, rounds: int, batch: int = 64) -> Iterator[Row]:
    """The real model: a query's vector, and bulk remembering with vectors."""
    names = ("query embedding", "bulk remember with vectors")
    try:
        model = ModelStore(models).path(EMBEDDER.name)
        threads = len(os.sched_getaffinity(0))
        bare_one, bare_many = BareModel(model), BareModel(model, threads)
    except (ModelUnavailable, ProviderMissing, ImportError) as error:
        yield from (NotMeasured(name, str(error)) for name in names)
        return
    embedder = create({}, models)
    questions = [question.text for question in corpus.questions]
    ours, plain = side_by_side(
        lambda number: embedder.embed_query(questions[number % len(questions)]),
        lambda number: bare_one.embed(QUERY_PREFIX + questions[number % len(questions)]),
        rounds * 12,
    )
    yield Result(
        names[0], ours.median / plain.median, limit=1.1,
        detail={
            "ours ms": round(ours.median * 1e3, 2), "plain ms": round(plain.median * 1e3, 2),
            "cpu": round(ours.cpu_median / plain.cpu_median, 3),
        },
    )  # fmt: skip
    texts = [text.text for text in corpus.texts(batch * (rounds + 2))]
    with Cortex(folder / "embedded", settings=_NO_CACHE, embedder=embedder) as engine:

        def bulk(number: int) -> object:
            return engine.remember_all([Draft(text=text) for text in _slice(texts, number, batch)])

        def raw(number: int) -> object:
            passages = document_texts(_slice(texts, number, batch))
            return bare_many.embed_all([PASSAGE_PREFIX + passage for passage in passages])

        timings = side_by_side(bulk, raw, rounds, warm_up=1, after=lambda _: engine.flush())
    yield _throughput(names[1], *timings, batch, limit=0.8)


def _slice(texts: Sequence[str], number: int, batch: int) -> Sequence[str]:
    return texts[number * batch : (number + 1) * batch]


def _throughput(name: str, ours: Timing, plain: Timing, batch: int, *, limit: float | None) -> Result:
    return Result(
        name,
        plain.median / ours.median,
        limit=limit,
        at_least=True,
        detail={
            "cpu": round(plain.cpu_median / ours.cpu_median, 3),
            "ours /s": round(batch / ours.median),
            "plain /s": round(batch / plain.median),
            "ours cpu µs": round(ours.cpu_median / batch * 1e6),
            "plain cpu µs": round(plain.cpu_median / batch * 1e6),
        },
    )
