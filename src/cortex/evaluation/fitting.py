"""How much each sign of a statement weighs, fitted on labelled turns: `python -m cortex.evaluation.fitting [FILE]`.

FILE is a set of small talk (records.jsonl of `User: …` lines), whose statements count as not worth remembering. What is
printed is the content of `capture/packs/english/weights.py`; the held-out half of the labels takes no part.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cortex.capture import prose, rules
from cortex.capture.packs import DEFAULT_PACKS
from cortex.capture.packs.english.evidence import SIGNS, barred, signs
from cortex.evaluation import capturing, sets

TRAINING = Path(__file__).with_name("data") / "capture.train.jsonl"
SMALL_TALK_TURNS = 9_000
PENALTY = 2.0
ROUNDS = 60

Shown = frozenset[str]


def statements(text: str) -> Iterator[tuple[Shown, str]]:
    """The signs of each stretch of English that would be weighed, and its words."""
    own = prose.own_prose(text)
    for pack, start, end in rules.by_language(own, DEFAULT_PACKS):
        if pack.lang == "en":
            for begin, stop in rules.unread(own, start, end, pack, []):
                if not barred(shown := signs(own[begin:stop])):
                    yield shown, text[begin:stop]


def labelled(turns: Iterable[capturing.LabelledTurn]) -> Iterator[tuple[Shown, bool]]:
    """Each statement, and whether it is worth remembering; what is optional says nothing either way."""
    for turn in turns:
        if turn.lang == "en":
            for shown, words in statements(turn.text):
                hit = [label for label in turn.labels if _folded(label.key) in _folded(words)]
                if not hit or not all(label.optional for label in hit):
                    yield shown, bool(hit)


def small_talk(records: Path) -> Iterator[tuple[Shown, bool]]:
    """Statements of people who only order something."""
    said = [each.text for each in sets.read_records(records) if each.text.startswith("User:")]
    for at in np.random.default_rng(0).permutation(len(said))[:SMALL_TALK_TURNS]:
        for shown, _ in statements(said[at].removeprefix("User:").strip()):
            yield shown, False


def fitted(rows: Iterable[tuple[Shown, bool]]) -> dict[str, float]:
    """The weights of a logistic regression with a quadratic penalty, and its bias."""
    shown, worth = zip(*rows, strict=True)
    signals: NDArray[np.float64] = np.array([[1.0, *(name in each for name in SIGNS)] for each in shown], float)
    target = np.array(worth, float)
    penalty = np.r_[0.0, np.full(len(SIGNS), PENALTY)]
    weights = np.zeros(len(penalty))
    for _ in range(ROUNDS):
        likely = 1 / (1 + np.exp(-signals @ weights))
        slope = signals.T @ (likely - target) + penalty * weights
        curve = (signals * (likely * (1 - likely))[:, None]).T @ signals + np.diag(penalty + 1e-6)
        weights -= np.linalg.solve(curve, slope)
    return dict(zip(("bias", *SIGNS), (round(float(weight), 1) for weight in weights), strict=True))


def module(weights: dict[str, float]) -> str:
    """The weights as the module that holds them."""
    rows = "\n".join(f'    "{name}": {weight},' for name, weight in weights.items() if name != "bias")
    return (
        '"""What each sign of `evidence` weighs, as `python -m cortex.evaluation.fitting` fitted it."""\n\n'
        f"BIAS = {weights['bias']}\nWEIGHTS = {{\n{rows}\n}}\n"
    )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def main(arguments: list[str]) -> None:
    rows = [*labelled(capturing.load(capturing.halves()["dev"])), *labelled(capturing.load(TRAINING))]
    for file in arguments:
        rows += small_talk(Path(file))
    sys.stdout.write(module(fitted(rows)))


if __name__ == "__main__":
    main(sys.argv[1:])
