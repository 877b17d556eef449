"""Fits the weights of `relations` and `likely_changes` in `cortex.capture`: `python -m bench.capture.fit_relations`.

Every pair of `pairs.jsonl` counts, and so does every other pair of statements of the same chat that has few words in
common: those are unrelated. What a statement likely changes is fitted on the chats of `changes/`. With `--check` each
chat or author is judged by weights fitted on the others, and nothing is written; `changes/judge.jsonl` by all others.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.capture import changed_chats
from bench.capture import fit as worth_fit
from bench.capture.changed_chats import ChangedChat
from cortex import registry
from cortex import settings as configuration
from cortex.capture import likely_changes, relation_weights, relations
from cortex.capture.claims import read
from cortex.capture.worth import WorthScale
from cortex.domain.text_similarity import alike
from cortex.ports.embedder import Embedder

PAIRS = Path(__file__).with_name("pairs.jsonl")
CHATS = Path(__file__).with_name("chats.jsonl")
INTO = Path(relation_weights.__file__)
FEW = 0.3
"""Statements of a chat that have fewer words in common than this share are unrelated."""
PENALTY = 0.5
ROUNDS = 60
WITHOUT_VECTORS = 0.5
"""What a pair counts that is judged without its cosine: both ways have to work."""

Signs = Mapping[str, float]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    chat: str
    relation: str
    old: str
    new: str
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    pair: Pair
    signs: Signs | None
    holds: bool
    weight: float = 1.0


def pairs() -> list[Pair]:
    return [Pair(**json.loads(line)) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def chats() -> Iterator[Pair]:
    """Every two statements of the chats, the earlier first; those that are not named as related are unrelated."""
    for line in CHATS.read_text(encoding="utf-8").splitlines():
        chat = json.loads(line)
        named = {(each["old"], each["new"]): each["relation"] for each in chat["relations"]}
        for (old, one), (new, other) in combinations(enumerate(chat["statements"]), 2):
            yield Pair(chat["chat"], named.get((old, new), "unrelated"), one, other)


def unrelated(given: Sequence[Pair]) -> Iterator[Pair]:
    """Statements of one chat that were not written as a pair."""
    written = {(pair.old, pair.new) for pair in given}
    for chat in sorted({pair.chat for pair in given}):
        own = [pair for pair in given if pair.chat == chat]
        for one, other in combinations(own, 2):
            for old, new in ((one.old, other.new), (other.old, one.new), (one.old, other.old), (one.new, other.new)):
                if (old, new) not in written and alike(old, new).score < FEW:
                    yield Pair(chat, "unrelated", old, new)


def _embedder() -> Embedder:
    home = configuration.default_home()
    options = configuration.load(home).embedding
    create: Callable[..., Embedder] = registry.find("cortex.embedders", options.provider)
    return create(options.options, configuration.models_home(home))


def with_cosines(given: Sequence[Pair]) -> list[Pair]:
    """The pairs with the nearness that the model that comes with the engine sees."""
    embedder = _embedder()
    texts = sorted({text for pair in given for text in (pair.old, pair.new)})
    vectors = dict(zip(texts, embedder.embed_documents(texts), strict=True))
    scale = embedder.space.calibration.apply
    return [
        Pair(pair.chat, pair.relation, pair.old, pair.new, scale(float(vectors[pair.old] @ vectors[pair.new])))
        for pair in given
    ]


def denials(given: Iterable[Pair]) -> list[Row]:
    """What is fitted on to tell a denial. What is an update may deny as well: it says nothing either way."""
    return [
        Row(pair, signs, pair.relation == "contradiction", weight)
        for pair in given
        if pair.relation != "update"
        for cosine, weight in ((pair.cosine, 1.0), (None, WITHOUT_VECTORS))
        if (signs := relations.denial_signs(read(pair.old), read(pair.new), cosine)) is not None
    ]


def rows(given: Iterable[Pair]) -> list[Row]:
    """What is fitted on. What contradicts may also be taken for an update: it says nothing either way."""
    return [
        Row(pair, relations.update_signs(read(pair.old), read(pair.new), cosine), pair.relation == "update", weight)
        for pair in given
        if pair.relation != "contradiction"
        for cosine, weight in ((pair.cosine, 1.0), (None, WITHOUT_VECTORS))
    ]


def fit(given: Sequence[Row] | Sequence[ChangeRow]) -> dict[str, float]:
    """The weights of a logistic regression with a quadratic penalty, and its bias."""
    usable = [row for row in given if row.signs is not None]
    names = sorted({name for row in usable for name in row.signs or ()})
    signals: NDArray[np.float64] = np.array(
        [[1.0, *((row.signs or {}).get(name, 0.0) for name in names)] for row in usable], float
    )
    target = np.array([row.holds for row in usable], float)
    counts = np.array([row.weight for row in usable], float)
    penalty = np.r_[0.0, np.full(len(names), PENALTY)]
    weights = np.zeros(len(penalty))
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-signals @ weights))
        slope = signals.T @ (counts * (likely - target)) + penalty * weights
        curve = (signals * (counts * likely * (1 - likely))[:, None]).T @ signals + np.diag(penalty + 1e-6)
        weights -= np.linalg.solve(curve, slope)
    return dict(zip(("bias", *names), (round(float(weight), 2) for weight in weights), strict=True))


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """A sentence of a chat beside an earlier one; `related` if a later change lies between the two."""

    author: str
    signs: Signs
    holds: bool
    related: bool
    pair: Pair
    weight: float = 1.0


def change_rows(chats: Sequence[ChangedChat], embedder: Embedder) -> list[ChangeRow]:
    """Every sentence beside the earlier ones that an engine would compare it with.

    Whether a sentence tells news is judged by the other authors: by itself it would look surer than it is.
    """
    authors = sorted({chat.author for chat in chats})
    table: list[ChangeRow] = []
    for author in authors:
        news = _news([chat for chat in changed_chats.training() if chat.author != author], embedder)
        for chat in (chat for chat in chats if chat.author == author):
            table += _rows_of(chat, news, embedder)
    return table


News = Callable[[Sequence[str], Matrix], Matrix]


def _news(chats: Sequence[ChangedChat], embedder: Embedder) -> News:
    """Tells how likely sentences change something, as fitted on chats."""
    examples = worth_fit.news_examples(chats)
    problem = worth_fit.Problem.of(
        examples, _vectors(embedder, [each.text for each in examples]), worth_fit.FITS[WorthScale.NEWS]
    )
    scale = problem.as_dict(0.0)

    def scores(texts: Sequence[str], vectors: Matrix) -> Matrix:
        shown = [sum(scale["signs"].get(name, 0.0) for name in likely_changes.news_signs(text)) for text in texts]
        return np.array(scale["bias"] + np.array(shown) + vectors @ np.array(scale["vector"]))

    return scores


def _vectors(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    return np.array(embedder.embed_documents(list(texts)), dtype=np.float64)


def _rows_of(chat: ChangedChat, news: News, embedder: Embedder) -> Iterator[ChangeRow]:
    texts = [each.text for each in chat.said]
    vectors = _vectors(embedder, texts)
    scale = embedder.space.calibration.apply
    of_news = news(texts, vectors)
    for new, text in enumerate(texts):
        cosines = np.array([scale(float(each)) for each in vectors[:new] @ vectors[new]])
        found, earlier = chat.beside(new, cosines)
        for old, signs in zip(found, likely_changes.change_signs(text, float(of_news[new]), earlier), strict=False):
            pair = Pair(chat.name, chat.relations.get((old, new), "unrelated"), texts[old], text)
            yield ChangeRow(chat.author, signs, (old, new) in chat.relations, (old, new) in chat.of_one_thing, pair)


def check_changes(embedder: Embedder, *, show: bool) -> None:
    """Judge each author by the weights of the others, and the judging ones by those of all, within the limits."""
    counts = Counter[str]()
    for chat in (*changed_chats.training(), *changed_chats.judging()):
        counts[chat.author] += len(chat.relations)
    table = change_rows(changed_chats.training(), embedder)
    judging = change_rows(changed_chats.judging(), embedder)
    scored: dict[str, list[tuple[ChangeRow, float]]] = {"short, left out": [], "long, left out": []}
    for author in sorted({row.author for row in table}):
        weights = fit([row for row in table if row.author != author])
        own = [(row, relations.likely(row.signs, weights)) for row in table if row.author == author]
        scored["long, left out" if author in changed_chats.LONG else "short, left out"] += own
    weights = fit(table)
    for author in changed_chats.JUDGES:
        scored[author] = [(row, relations.likely(row.signs, weights)) for row in judging if row.author == author]
    for name, rows_of in scored.items():
        labeled = sum(count for author, count in counts.items() if author in {row.author for row, _ in rows_of})
        judged = [(row, score) for row, score in rows_of if _is_judged(row)]
        for at in (0.5, likely_changes.LIKELY, 0.7):
            chosen = [row for row, score in judged if score >= at]
            right, near = sum(row.holds for row in chosen), sum(row.holds or row.related for row in chosen)
            print(f"change, {name} from {at}: found {right} of {labeled}, precision {near / max(1, len(chosen)):.3f}")
        for row, score in judged if show and name not in changed_chats.JUDGES else ():
            if score >= likely_changes.LIKELY and not row.related:
                print(f"{score:.2f} {row.author}: {row.pair.old} || {row.pair.new}")


def _is_judged(row: ChangeRow) -> bool:
    """Whether an engine asks at all."""
    crowd = row.signs["cosine"] - row.signs["margin"]
    return likely_changes.is_news(row.signs["news"]) and crowd <= likely_changes.CROWDED


def check_flags(given: Sequence[Pair]) -> None:
    """How many contradictions are found without weighing anything, and what is taken for one."""
    related = ((pair.relation, relations.compare(pair.old, pair.new)) for pair in given)
    found = Counter(name for name, relation in related if relation.denied or relation.restated)
    print(f"flagged by rule: {dict(found)} of {sum(pair.relation == 'contradiction' for pair in given)} contradictions")


def check(given: Sequence[Pair], name_of: str, table: Sequence[Row], *, show: bool) -> None:
    """Judge each chat by weights fitted on the others."""
    judged: list[tuple[Row, float]] = []
    for chat in sorted({pair.chat for pair in given}):
        weights = fit([row for row in table if row.pair.chat != chat])
        judged += [(row, relations.likely(row.signs, weights)) for row in table if row.pair.chat == chat]
    for name, rows_of in (("with vectors", 1.0), ("without", WITHOUT_VECTORS)):
        own = [(row, score) for row, score in judged if row.weight == rows_of]
        for at in (0.5, 0.7, 0.8, 0.9, 0.95):
            chosen = [row for row, score in own if score >= at]
            right = sum(row.holds for row in chosen)
            wrong = Counter(row.pair.relation for row in chosen if not row.holds)
            print(
                f"{name_of} {name} at {at}: found {right} of {sum(row.holds for row, _ in own)},"
                f" precision {right / max(1, len(chosen)):.3f}, wrong {dict(wrong)}"
            )
    if show:
        for row, score in sorted(judged, key=lambda each: -each[1]):
            if row.weight == 1.0 and (score >= 0.4) != row.holds:
                print(f"{score:.2f} {row.pair.relation}: {row.pair.old} || {row.pair.new}")
                print("    ", {name: round(sign, 2) for name, sign in (row.signs or {}).items() if sign})


def module(fitted: Mapping[str, Mapping[str, float]]) -> str:
    """The weights as the module that holds them."""
    head = '"""What each sign of `relations` weighs, as `python -m bench.capture.fit_relations` fitted it."""'
    body = "\n\n".join(
        f"{name}: Mapping[str, float] = {{\n"
        + "".join(f'    "{sign}": {weight},\n' for sign, weight in weights.items())
        + "}"
        for name, weights in fitted.items()
    )
    return f"{head}\n\nfrom __future__ import annotations\n\nfrom collections.abc import Mapping\n\n{body}\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.capture.fit_relations")
    parser.add_argument("--check", action="store_true", help="judge each chat by the others, and write nothing")
    parser.add_argument("--show", action="store_true", help="with --check, show what was judged wrong")
    options = parser.parse_args()
    own = pairs()
    given = with_cosines([*own, *unrelated(own), *chats()])
    print(len(own), "pairs and", len(given) - len(own), "unrelated ones")
    if options.check:
        check(given, "update", rows(given), show=options.show)
        check(given, "denial", denials(given), show=options.show)
        check_flags(given)
        check_changes(_embedder(), show=options.show)
    else:
        change = fit(change_rows(changed_chats.training(), _embedder()))
        fitted = {"UPDATE": fit(rows(given)), "DENIAL": fit(denials(given)), "CHANGE": change}
        INTO.write_text(module(fitted), encoding="utf-8")


if __name__ == "__main__":
    main()
