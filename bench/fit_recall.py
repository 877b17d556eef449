"""Fits the weights of recall's two judgments: `python -m bench.fit_recall SET SET … [--beside SET …] [--stores DIR]`.

A SET is a directory with `records.jsonl` and `queries.jsonl` of conversations, whose questions tell the turns of an
original and of an updated statement (`parts`), and some of which have no answer (`relevant` is empty). Those given as
`--beside` only show what must not be moved and not be silenced. What is printed is the content of
`src/cortex/recall/weights.py`, fitted on all sets, and how weights fitted on each one do on the others and on each of
its conversations when that is left out. Only numbers leave this script: no word of a set is printed or kept.

`--stores DIR` keeps the filled stores, so that a second run takes seconds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.domain.hits import Hit
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.query import Query
from cortex.domain.trace import Trace
from cortex.domain.turn import Role, TurnDraft
from cortex.memory import Cortex
from cortex.recall import answerability, freshness, recipes
from cortex.recall.freshness import DatedStatement
from cortex.recall.plan import Plan
from cortex.recall.questions import may_ask_how_it_is
from cortex.recall.ranking import Scored
from cortex.recall.recipes import Abstention, Answerability, Convex, Freshness, PinnedRules
from cortex.recall.weights import BRIEF, MISSING, NEWER

PLACES = 10
PRIOR = 2.0
"""What every sign of a newer statement weighs as long as nothing is known: so few examples decide little."""
PENALTY = 30.0
BRIEF_PENALTY = 1.0
BRIEF_YES = 0.3
"""What a brief statement that leads rightly counts beside one that leads wrongly."""
WRONGLY_EMPTY = 0.03
"""How often a question that has an answer may be left without one."""

_FIT = "fit.v1"

Weights = Mapping[str, float]
Records = frozenset[str]
Pairs = Callable[["Question"], Sequence[tuple[list[float], bool]]]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One question of a set, and what recall found for it before either judgment."""

    chat: str
    relevant: Records
    updated: Records
    original: Records
    counts: bool
    """Whether it is one of those a set is measured by; adversarial ones are counted apart."""
    plan: Plan
    ranked: tuple[tuple[Scored, Records], ...]
    best: tuple[Scored, ...]

    @property
    def is_update(self) -> bool:
        return bool(self.updated and self.original)


# --- what recall finds ------------------------------------------------------------------------------------------------


def read_questions(directory: Path, stores: Path) -> list[Question]:
    """Every question of a set, over a store that holds its conversations."""
    plain = replace(
        recipes.named(recipes.DEFAULT), name=_FIT, freshness=None, answerability=None, abstention=Abstention(),
        pinned_rules=PinnedRules(), budget=1_000_000,
    )  # fmt: skip
    recipes.RECIPES = {**recipes.RECIPES, _FIT: plain}
    home = stores / directory.name
    known = home / "origins.json"
    with Cortex(home, settings={"limits": {"max_text_bytes": 1 << 24}, "hooks": {"deadline_ms": 60_000}}) as engine:
        if not known.exists():
            known.write_text(json.dumps(_fed(engine, _lines(directory / "records.jsonl"))))
        origins = json.loads(known.read_text())
        return [
            question for line in _lines(directory / "queries.jsonl") for question in _answered(engine, line, origins)
        ]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open() as file:
        yield from map(json.loads, file)


def _fed(engine: Cortex, records: Iterable[Mapping[str, Any]]) -> dict[TraceId, str]:
    origins: dict[TraceId, str] = {}
    spoken = sorted((record for record in records if record["text"].strip()), key=lambda record: record["scope"])
    for scope, of_scope in groupby(spoken, key=lambda record: record["scope"]):
        sessions: dict[str, list[Mapping[str, Any]]] = {}
        for record in of_scope:
            sessions.setdefault(record["session"], []).append(record)
        for session, together in sessions.items():
            taken = engine.ingest(
                [_said(record) for record in together], session=f"{scope}/{session}", scope=scope, debounce=False
            )
            origins |= {id: record["id"] for id, record in zip(taken.ids, together, strict=True) if id is not None}
    while sum(engine.run_jobs(limit=16).facts["done"].values()):
        pass
    return origins


def _said(record: Mapping[str, Any]) -> TurnDraft:
    at = datetime.fromisoformat(record["ts"]) if record.get("ts") else None
    role = Role(record["role"]) if record.get("role") else None
    return TurnDraft(
        text=record["text"],
        role=role,
        speaker=record.get("speaker") or "",
        at=at.replace(tzinfo=at.tzinfo or UTC) if at else None,
    )


def _answered(engine: Cortex, line: Mapping[str, Any], origins: Mapping[str, str]) -> Iterator[Question]:
    answer = engine.explain(Query.of(line["query"], scope=line["scope"], recipe=_FIT, limit=PLACES)).answer
    if answer.plan is None or not answer.ranked:
        return

    def records(trace: Trace) -> Records:
        turns = trace.source_turns if isinstance(trace, Memory) else ()
        return frozenset(origins[id] for id in (trace.id, *turns) if id in origins)

    parts = line.get("parts") or {}
    yield Question(
        chat=line["scope"],
        relevant=frozenset(line["relevant"]),
        updated=frozenset(parts.get("updated_info", ())),
        original=frozenset(parts.get("original_info", ())),
        counts=str(line.get("category")) != "5",
        plan=answer.plan,
        ranked=tuple((each, records(each.trace)) for each in answer.ranked[: Freshness().depth]),
        best=tuple(_scored(hit) for hit in answer.hits),
    )


def _scored(hit: Hit) -> Scored:
    fusion = recipes.named(_FIT).fusion
    assert isinstance(fusion, Convex)
    parts = dict(hit.parts.parts)
    similarity, evidence = (parts.get(leg, 0.0) / fusion.weights[leg] for leg in ("vector", "keyword"))
    return Scored(hit.trace, hit.legs, parts, similarity=similarity, evidence=evidence)


# --- which statement is newer -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Examples:
    """Signs, the right answer, and how much each example counts."""

    signs: NDArray[np.float64]
    labels: NDArray[np.float64]
    counts: NDArray[np.float64]


_SIGNS_OF_NEWER = tuple(name for name in NEWER if name != "bias")
_SIGNS_OF_BRIEF = tuple(name for name in BRIEF if name != "bias")
_SIGNS_OF_MISSING = tuple(name for name in MISSING if name != "bias")


@cache
def pairs(question: Question) -> tuple[tuple[list[float], bool], ...]:
    """Signs of an earlier and a later statement, and whether the later replaces the earlier."""
    found = []
    for _, older, newer, replaces in _labeled(question):
        signs = newer.signs | freshness.pair_signs(older, newer)
        found.append(([signs[name] for name in _SIGNS_OF_NEWER], replaces))
    return tuple(found)


@cache
def brief_pairs(question: Question) -> tuple[tuple[list[float], bool], ...]:
    """The same of brief statements, and of what ranks high."""
    asked, found = freshness.Asked.by(question.plan.text), []
    if may_ask_how_it_is(question.plan.text):
        for place, older, newer, replaces in _labeled(question):
            if place < freshness.LEADING and newer.is_brief:
                signs = freshness.brief_signs(older, newer, asked)
                found.append(([signs[name] for name in _SIGNS_OF_BRIEF], replaces))
    return tuple(found)


def _labeled(question: Question) -> Iterator[tuple[int, DatedStatement, DatedStatement, bool]]:
    """The place of an earlier statement, both, and whether the later replaces it; of others, nothing."""
    if question.plan.asks_both:
        return
    origin = {each.trace.id: records for each, records in question.ranked}
    spoken = freshness.said([each for each, _ in question.ranked], question.plan)
    for place, older in enumerate(spoken):
        for newer in spoken:
            replaces = _replaces(question, origin[older.scored.trace.id], origin[newer.scored.trace.id])
            if replaces is not None and freshness.is_later(newer, older):
                yield place, older, newer, replaces


def _replaces(question: Question, older: Records, newer: Records) -> bool | None:
    was = older & question.original and not older & question.updated
    if question.is_update and was and newer & question.updated and not newer & question.original:
        return True
    return False if older & question.relevant and not newer & question.relevant else None


def examples_of(questions: Sequence[Question], pairs: Pairs, yes: float = 1.0) -> Examples:
    signs, labels, counts = [], [], []
    for question in questions:
        found = pairs(question)
        of_yes = sum(each for _, each in found)
        for each, replaces in found:
            signs.append(each)
            labels.append(float(replaces))
            # Questions count alike, however many candidates they have.
            counts.append(1 / of_yes if replaces else 1 / max(3, len(found) - of_yes))
    return _balanced(np.array(signs), np.array(labels), np.array(counts), yes)


def fitted_newer(questions: Sequence[Question]) -> Weights:
    """Weights fitted on the labels. The border is the regression's own: so few updates cannot choose another."""
    prior = np.r_[0.0, np.full(len(_SIGNS_OF_NEWER), PRIOR)]
    return fitted(examples_of(questions, pairs), prior, PENALTY, _SIGNS_OF_NEWER)


def fitted_brief(questions: Sequence[Question]) -> Weights:
    """The same for brief statements, of which there are more examples; what wrongly leads counts more."""
    examples = examples_of(questions, brief_pairs, BRIEF_YES)
    return fitted(examples, np.zeros(len(_SIGNS_OF_BRIEF) + 1), BRIEF_PENALTY, _SIGNS_OF_BRIEF)


def fitted_freshness(questions: Sequence[Question]) -> Freshness:
    return Freshness(weights=fitted_newer(questions), brief=fitted_brief(questions))


def led(questions: Sequence[Question], recipe: Freshness | None) -> tuple[float, float]:
    """How often the updated statement leads, and the mean reciprocal rank of all other questions."""
    updates, ranks = [], []
    for question in questions:
        found = _reordered(question, recipe)[:PLACES]
        if question.is_update:
            newer, older = _place(found, question.updated), _place(found, question.original)
            updates.append(newer is not None and (older is None or newer < older))
        elif question.relevant and question.counts:
            ranks.append(1 / place if (place := _place(found, question.relevant)) else 0.0)
    return float(np.mean(updates or [False])), float(np.mean(ranks or [0.0]))


def _reordered(question: Question, recipe: Freshness | None) -> list[Records]:
    fresh = [replace(each, parts=dict(each.parts), reasons=[]) for each, _ in question.ranked]
    origin = {each.trace.id: records for each, records in question.ranked}
    found = freshness.newest_first(fresh, question.plan, recipe) if recipe is not None else fresh
    return [origin[each.trace.id] for each in found]


def _place(found: Sequence[Records], wanted: Records) -> int | None:
    return next((place for place, records in enumerate(found, start=1) if records & wanted), None)


# --- what was never said ----------------------------------------------------------------------------------------------


@cache
def signs_of_missing(question: Question) -> list[float] | None:
    """The signs of one question; None where it is not judged."""
    best = question.best[: Answerability().best]
    if len(best) < Answerability().best or not answerability.is_judged(best, question.plan):
        return None
    signs = answerability.signs_of_question(best, question.plan)
    signs |= answerability.signs_of_texts(best, question.plan)
    return [signs[name] for name in _SIGNS_OF_MISSING]


def fitted_missing(sets: Sequence[Sequence[Question]]) -> Weights:
    """Weights fitted on the labels; the bias is moved to where no set loses more than it may."""
    rows = [
        (signs, float(not question.relevant), number)
        for number, questions in enumerate(sets)
        for question in questions
        if question.counts and (signs := signs_of_missing(question)) is not None
    ]
    labels, of_set = np.array([label for _, label, _ in rows]), np.array([number for _, _, number in rows])
    sizes = np.bincount(of_set[labels == 0])
    counts = np.where(labels == 1, 1.0, sizes.max() / sizes[of_set])
    examples = _balanced(np.array([signs for signs, _, _ in rows]), labels, counts, yes=0.5)
    fit = fitted(examples, np.zeros(len(_SIGNS_OF_MISSING) + 1), PENALTY, _SIGNS_OF_MISSING, alike=True)
    surely = fit["bias"] + examples.signs @ [fit[name] for name in _SIGNS_OF_MISSING]
    limits = [_limit(surely[(of_set == number) & (labels == 0)], sets[number]) for number in range(len(sets))]
    return {**fit, "bias": fit["bias"] - max(limits)}


def _limit(surely: NDArray[np.float64], questions: Sequence[Question]) -> float:
    """Where so few questions that have an answer lie above it, of all that have one."""
    allowed = int(WRONGLY_EMPTY * sum(bool(question.relevant) and question.counts for question in questions))
    return float(np.sort(surely)[::-1][allowed]) + 1e-6 if len(surely) > allowed else 0.0


def emptied(questions: Sequence[Question], weights: Weights) -> tuple[float, float]:
    """How often nothing is said where there is no answer, and where there is one."""
    recipe = Answerability(weights=weights)
    is_missing = answerability.is_missing
    rightly = [is_missing(each.best, each.plan, recipe) for each in questions if not each.relevant]
    wrongly = [is_missing(each.best, each.plan, recipe) for each in questions if each.relevant and each.counts]
    return float(np.mean(rightly or [False])), float(np.mean(wrongly or [False]))


# --- logistic regression ----------------------------------------------------------------------------------------------


def _balanced(
    signs: NDArray[np.float64], labels: NDArray[np.float64], counts: NDArray[np.float64], yes: float = 1.0
) -> Examples:
    """Both answers count alike, however rare one is; or `yes` times as much as no."""
    share = yes * counts[labels == 0].sum() / counts[labels == 1].sum()
    return Examples(signs, labels, np.where(labels == 1, counts * share, counts))


def fitted(
    examples: Examples, prior: NDArray[np.float64], pull: float, names: Sequence[str], *, alike: bool = False
) -> Weights:
    """A logistic regression whose weights are pulled towards `prior`; with `alike`, each sign by its own spread."""
    spread = examples.signs.std(axis=0) + 1e-9 if alike else np.ones(len(names))
    rows = np.c_[np.ones(len(examples.labels)), examples.signs / spread]
    penalty = np.r_[1e-6, np.full(len(names), pull)]

    def loss(weights: NDArray[np.float64]) -> float:
        sums = rows @ weights
        missed = examples.counts * (np.logaddexp(0, sums) - examples.labels * sums)
        return float(missed.sum() + 0.5 * (penalty * (weights - prior) ** 2).sum())

    weights = prior.copy()
    weights[0] = -float(np.mean(rows[:, 1:] @ prior[1:]))
    for _ in range(60):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (examples.counts * (likely - examples.labels)) + penalty * (weights - prior)
        curve = (rows * (examples.counts * likely * (1 - likely))[:, None]).T @ rows + np.diag(penalty)
        step, size = np.linalg.solve(curve, slope), 1.0
        while loss(weights - size * step) > loss(weights) and size > 1e-4:
            size /= 2
        weights = weights - size * step
    return dict(zip(("bias", *names), map(float, weights / np.r_[1.0, spread]), strict=True))


# --- the report -------------------------------------------------------------------------------------------------------


def module(newer: Weights, brief: Weights, missing: Weights) -> str:
    """The weights as the module that holds them."""

    def table(name: str, weights: Weights, about: str) -> str:
        rows = "\n".join(f'    "{sign}": {weight:.2f},' for sign, weight in weights.items())
        return f'{name}: Mapping[str, float] = {{\n{rows}\n}}\n"""{about}"""\n'

    return "\n".join(
        (
            '"""Weights of the two judgments after ranking, as `python -m bench.fit_recall` fitted them: numbers, and'
            ' nothing else.\n\nEach is a logistic regression over named signs: positive means yes.\n"""\n',
            "from collections.abc import Mapping\n",
            table("NEWER", newer, "Whether a later statement replaces an earlier one."),
            table("BRIEF", brief, "Whether a brief statement replaces an earlier one that ranks high."),
            table("MISSING", missing, "Whether the topic of a question is known, but the answer was never said."),
        )
    )


def report(sets: Mapping[str, list[Question]], beside: Mapping[str, list[Question]]) -> Iterator[str]:
    """How weights fitted on some do on others."""
    others = list(beside.values())

    def newer(questions: list[Question]) -> Freshness:
        return fitted_freshness([*questions, *(each for some in others for each in some)])

    def missing(questions: list[Question]) -> Weights:
        return fitted_missing([questions, *others])

    for name, questions in sets.items():
        fit, silence = newer(questions), missing(questions)
        yield f"\nfitted on {name}: judged on itself {_figures(questions, fit, silence)}"
        for other, judge in {**sets, **beside}.items():
            if other != name:
                yield f"    judged on {other}: {_figures(judge, fit, silence)}"
        yield f"    each conversation left out: {_left_out(questions, newer, missing)}"
        yield f"    neither judgment: {_figures(questions, None, {})}"


def _figures(questions: Sequence[Question], newer: Freshness | None, missing: Weights) -> str:
    leads, ranks = led(questions, newer)
    rightly, wrongly = emptied(questions, missing) if missing else (0.0, 0.0)
    return f"updated leads {leads:.3f}, others' MRR {ranks:.3f}, empty rightly {rightly:.3f}, wrongly {wrongly:.3f}"


def _left_out(
    questions: list[Question],
    newer: Callable[[list[Question]], Freshness],
    missing: Callable[[list[Question]], Weights],
) -> str:
    judged: list[tuple[float, ...]] = []
    sizes: list[tuple[int, ...]] = []
    for chat in sorted({question.chat for question in questions}):
        rest, left = ([each for each in questions if (each.chat == chat) is out] for out in (False, True))
        judged.append((*led(left, newer(rest)), *emptied(left, missing(rest))))
        answerable = sum(bool(each.relevant) for each in left)
        sizes.append((sum(each.is_update for each in left), answerable, len(left) - answerable, answerable))
    leads, ranks, rightly, wrongly = (np.array(judged) * sizes).sum(axis=0) / np.array(sizes).sum(axis=0)
    return f"updated leads {leads:.3f}, others' MRR {ranks:.3f}, empty rightly {rightly:.3f}, wrongly {wrongly:.3f}"


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m bench.fit_recall", description=__doc__)
    arguments.add_argument("sets", nargs="+", type=Path)
    arguments.add_argument("--beside", nargs="*", type=Path, default=[])
    arguments.add_argument("--stores", type=Path)
    given = arguments.parse_args()
    with TemporaryDirectory(prefix="cortex-fit-") as thrown_away:
        stores = given.stores or Path(thrown_away)
        sets = {path.name: read_questions(path, stores) for path in given.sets}
        beside = {path.name: read_questions(path, stores) for path in given.beside}
    for line in report(sets, beside):
        print(line, flush=True)
    newer = fitted_freshness([question for some in (*sets.values(), *beside.values()) for question in some])
    missing = fitted_missing([*sets.values(), *beside.values()])
    for name, some in (sets | beside).items():
        print(f"\nfitted on all: {name} {_figures(some, newer, missing)}")
    print("\n" + module(newer.weights, newer.brief, missing))


if __name__ == "__main__":
    main()
