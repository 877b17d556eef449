"""The two ends of an agent's turn: storing what was said, and recalling before the model is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.corpus import Corpus, Question, SyntheticEmbedder
from bench.plain import PlainInserts
from bench.results import NotMeasured, Result, Row
from bench.timing import Timing, side_by_side
from cortex.domain.vectors import Vector
from cortex.errors import EngineError
from cortex.memory import Cortex
from cortex.ports.embedder import Embedder
from cortex.providers.embedders.local import create
from cortex.remember.flow import PLAIN_BATCH
from cortex.services.turn_hooks import Injection, TurnHooks

TURNS = 1_000
_ACKNOWLEDGED = 2_000.0
_BEFORE_MS = 50.0
_WARM_UP = 5


def ingesting(folder: Path, corpus: Corpus, rounds: int) -> Iterator[Row]:
    """A history of a thousand turns, taken in whole and then again with nothing new, beside raw inserts."""
    texts = list(corpus.texts(TURNS * (rounds + 2)))
    plain = PlainInserts(folder / "turns.sqlite", trigger=True)
    with Cortex(folder / "turns", embedder=SyntheticEmbedder()) as engine:

        def history(number: int) -> list[dict[str, str]]:
            some = texts[number * TURNS : (number + 1) * TURNS]
            return [{"role": ("user", "assistant")[at % 2], "content": each.text} for at, each in enumerate(some)]

        histories = [history(number) for number in range(rounds + 2)]
        ours, theirs = side_by_side(
            lambda number: engine.ingest(histories[number], session=f"session {number}"),
            lambda number: plain.add(texts[number * TURNS : (number + 1) * TURNS], PLAIN_BATCH),
            rounds,
            after=lambda _: engine.flush(),
        )
        again = Timing()
        for number in range(rounds):
            again.run(lambda at: engine.ingest(histories[at], session=f"session {at}"), number)
            engine.flush()
    plain.database.close()
    yield Result(
        "ingest of 1,000 turns, acknowledged",
        theirs.median / ours.median,
        detail={"ours ms": round(ours.median * 1e3, 1), "raw inserts ms": round(theirs.median * 1e3, 1)},
    )
    yield Result(
        "ingest of 1,000 turns, turns acknowledged a second",
        TURNS / ours.median,
        unit="/s",
        limit=_ACKNOWLEDGED,
        at_least=True,
        detail={"p95 ms": round(ours.percentile(95) * 1e3, 1)},
    )
    yield Result(
        "the same history again, nothing new",
        again.median / ours.median,
        limit=1.0,
        detail={"ms": round(again.median * 1e3, 1)},
    )


class AsLongAsTheModel(SyntheticEmbedder):
    """The vectors of the corpus, each query after as much work as the local model has with it."""

    def __init__(self, model: Embedder) -> None:
        super().__init__()
        self._model = model

    def embed_query(self, text: str) -> Vector:
        self._model.embed_query(text)
        return super().embed_query(text)


def before(home: Path, models: Path, questions: Sequence[Question], size: int, rounds: int) -> Iterator[Row]:
    """What a turn waits for, warm, with a query that was never embedded before."""
    name = f"before a turn, {size:,}, p95"
    try:
        embedder = AsLongAsTheModel(create({}, models))
        embedder.embed_query("warm")
    except EngineError as error:
        yield NotMeasured(name, str(error))
        return
    waited = Timing()
    with Cortex(home, settings={"embedding": {"cache_entries": 0}}, embedder=embedder) as engine:
        hooks = TurnHooks(engine)
        answers: list[Injection] = []

        def turn(number: int) -> None:
            question = questions[number % len(questions)]
            answers.append(hooks.before(question.text, session="bench", scope=question.scope))

        for number in range(_WARM_UP + rounds):
            (waited if number >= _WARM_UP else Timing()).run(turn, number)
            engine.flush()
    late = sum("deadline" in answer.degraded for answer in answers[_WARM_UP:])
    yield Result(
        name,
        waited.percentile(95) * 1e3,
        unit="ms",
        limit=_BEFORE_MS,
        detail={**waited.milliseconds(), "past the deadline": late},
    )
