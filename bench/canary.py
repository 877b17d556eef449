"""How often a canary passes an equal recipe, and refuses one whose hit@5 is 0.10 lower (E20).

`python -m bench.canary`. A memory on disk answers its questions with three recipes, each time as a canary asks them.
Each canary is the verdict on 200 of these questions, drawn at random, with the times that were measured. The recipes
weigh words and vectors differently, so that they fail on different questions. How many they fail on is set by a least
score: of all questions the settings in force and the equal recipe lose one in ten, the worse one two in ten.

Then one canary of each kind runs from end to end: turns, `golden build`, and both sides on one snapshot.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

from bench.command import AsJson, run
from bench.history import AskedFact, HistoryWriter, remember, talk
from bench.ladder import show
from bench.results import Result
from cortex.domain.canary import CanaryState
from cortex.domain.identity import ReceiptId
from cortex.domain.query import Query
from cortex.memory import Cortex
from cortex.options import changed
from cortex.recall import recipes
from cortex.recall.comparison import ArmAnswer, compare, is_hit
from cortex.recall.recipes import Bounds, Convex, Recipe
from cortex.services.canary import CanaryService
from cortex.services.golden import GoldenService, ReadQuestion
from cortex.testing import FakeEmbedder

QUESTIONS = 200
SILENT_SHARE = 0.2
LOST, LOST_MORE = 0.1, 0.2
RIGHT = 19 / 20
SETTINGS: dict[str, Any] = {"hooks": {"deadline_ms": 60_000, "synthesis": False}}
_BASE = recipes.named(recipes.DEFAULT)
_MEANING, _WORDS = Convex({"vector": 0.6, "keyword": 0.3}), Convex({"vector": 0.3, "keyword": 0.6})
CONTROL, EQUAL, WORSE = "bench-control", "bench-equal", "bench-worse"


@contextmanager
def memory(home: Path, recipe: str = recipes.DEFAULT) -> Iterator[Cortex]:
    settings = SETTINGS | {"recall": {"recipe": recipe}}
    with Cortex(home, settings=settings, embedder=FakeEmbedder(256)) as engine:
        yield engine


def add(name: str, fusion: Convex, floor: float) -> None:
    """Make a recipe known."""
    recipe = replace(_BASE, name=name, fusion=fusion, auto=Bounds(_BASE.auto.limit, floor))
    cast(dict[str, Recipe], recipes.RECIPES)[name] = recipe


Score = Callable[[str], list[float]]
"""The scores that the right answers of some questions have with a recipe."""


def choose_floors(scores_with: Score) -> None:
    """The recipes, by the scores that right answers have."""
    add(CONTROL, _MEANING, 0.0)
    add(EQUAL, _WORDS, 0.0)
    scores = {name: scores_with(name) for name in (CONTROL, EQUAL)}
    lost, lost_more = (100 * each / (1 - SILENT_SHARE) for each in (LOST, LOST_MORE))
    add(CONTROL, _MEANING, float(np.percentile(scores[CONTROL], lost)))
    add(EQUAL, _WORDS, float(np.percentile(scores[EQUAL], lost)))
    add(WORSE, _WORDS, float(np.percentile(scores[EQUAL], lost_more)))


def score_of(engine: Cortex, asked: AskedFact, recipe: str) -> float:
    """The score of the right answer; 0 where it is not found."""
    found = engine.recall(asked.question, recipe=recipe).hits
    return max((hit.score for hit in found if hit.trace.text == asked.fact), default=0.0)


def golden_score(engine: Cortex, question: ReadQuestion, recipe: str) -> float:
    """The same for a question of the golden set, which searches what there was when it was asked."""
    found = engine.recall(question.query.text, recipe=recipe, until=question.query.until).hits
    return max((hit.score for hit in found if is_hit([hit], question.expected)), default=0.0)


def answered(engine: Cortex, asked: Sequence[AskedFact]) -> dict[str, list[ArmAnswer]]:
    """What each recipe answers to every question, one after the other on one snapshot."""
    ids = {trace.text: trace.id for trace in engine.list(limit=100_000)}
    sides = {name: changed(engine.settings, {"recall.recipe": name}) for name in (CONTROL, EQUAL, WORSE)}
    found: dict[str, list[ArmAnswer]] = {name: [] for name in sides}
    service = CanaryService(engine.context)
    with engine.context.view() as view:
        for number, each in enumerate(asked):
            expected = {ids[each.fact]: frozenset[Any]()} if each.fact else {}
            question = ReadQuestion(ReceiptId(str(number)), Query(text=each.question), expected)
            engine.context.dependencies.embedder.embed_query(each.question)  # so that it is at hand for all
            for name in random.Random(number).sample(list(sides), len(sides)):
                found[name].append(service.ask(view, question, sides[name])[0])
    return found


def refusals(found: dict[str, list[ArmAnswer]], recipe: str, asked: Sequence[AskedFact], canaries: int) -> float:
    """The share of canaries that are refused, each on 200 questions, one in five rightly silent."""
    silent = [at for at, each in enumerate(asked) if not each.fact]
    others = [at for at, each in enumerate(asked) if each.fact]
    few, dice, refused = round(QUESTIONS * SILENT_SHARE), random.Random(1), 0
    for _ in range(canaries):
        chosen = dice.sample(silent, few) + dice.sample(others, QUESTIONS - few)
        refused += compare([found[CONTROL][at] for at in chosen], [found[recipe][at] for at in chosen]).refused
    return refused / canaries


def from_end_to_end(home: Path) -> dict[str, bool]:
    """Whether each recipe is refused on a golden set from turns."""
    asked = HistoryWriter(3).asked(170, 50)
    with memory(home) as engine:
        remember(engine, asked)
        talk(engine, asked)
        engine.build_golden()
        # Scores depend on what else a memory holds: the turns of these talks, too.
        with engine.context.view() as view:
            golden = [each for each in GoldenService(engine.context).questions(view) if each.expected]
        choose_floors(lambda name: [golden_score(engine, each, name) for each in golden])
    with memory(home, CONTROL) as engine:
        tried = {name: engine.start_canary({"recall.recipe": name}, dry_run=True).canary for name in (EQUAL, WORSE)}
    return {name: found is not None and found.state is CanaryState.REFUSED for name, found in tried.items()}


def canary(
    canaries: Annotated[int, typer.Option(min=1, help="How many canaries of either kind.")] = 20,
    questions: Annotated[int, typer.Option(min=400, help="How many questions they are drawn from.")] = 500,
    end_to_end: Annotated[bool, typer.Option(help="Also run one of either kind from end to end.")] = True,
    as_json: AsJson = False,
) -> int:
    """Measure how often canaries judge rightly."""
    silent = round(questions * SILENT_SHARE)
    asked = HistoryWriter(2).asked(questions - silent, silent)
    with tempfile.TemporaryDirectory(prefix="cortex-canary-") as folder:
        with memory(Path(folder) / "judged") as engine:
            remember(engine, asked)
            choose_floors(lambda name: [score_of(engine, each, name) for each in asked if each.fact])
            found = answered(engine, asked)
        whole = from_end_to_end(Path(folder) / "whole") if end_to_end else {}
    rows = [
        _row("an equal recipe: passed", 1 - refusals(found, EQUAL, asked, canaries), canaries, _figures(found, EQUAL)),
        _row("one 0.10 worse: refused", refusals(found, WORSE, asked, canaries), canaries, _figures(found, WORSE)),
        *(
            _row(f"{name}, from end to end: {'refused' if name == WORSE else 'passed'}", float(right), 1, {})
            for name, right in ((name, refused is (name == WORSE)) for name, refused in whole.items())
        ),
    ]
    show(rows, as_json)
    return 0 if all(row.reached for row in rows) else 1


def _row(what: str, share: float, canaries: int, detail: dict[str, float]) -> Result:
    return Result(f"{canaries} × {what}", share, unit="", limit=RIGHT, at_least=True, detail=detail)


def _figures(found: dict[str, list[ArmAnswer]], recipe: str) -> dict[str, float]:
    """Both sides on all questions."""
    both = list(zip(found[CONTROL], found[recipe], strict=True))
    figures = compare(found[CONTROL], found[recipe])
    return {
        "hit@5 in force": figures.control_hit,
        "hit@5 tried": figures.candidate_hit,
        "they differ on": float(np.mean([one.hit is not other.hit for one, other in both])),
        "p95 in force ms": figures.control_p95,
        "p95 tried ms": figures.candidate_p95,
    }


if __name__ == "__main__":
    sys.exit(run(canary, sys.argv[1:], "python -m bench.canary"))
