"""What each sign of whose words a message holds weighs: `python -m bench.capture.fit_ownership`.

Fitted on texts of the project alone: `ownership.jsonl`, the sets with attacks and honest texts that may be read, and
the turns of chats, of whole chats with agents and of labeled languages as honest ones. Writes
`src/cortex/domain/ownership/weights.py`, and prints how the fit does on each set and each family left out in turn,
since a new author phrases in new ways.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.domain.ownership import carried, signs_of
from cortex.domain.ownership import weights as ownership_weights

HERE = Path(__file__).parent
INTO = Path(ownership_weights.__file__)
AUTHORS = ("authors/one", "authors/two", "authors/three", "authors/four")
SETS = ("development-1", "development-2", "development-3", "development-4", *AUTHORS)

LIVE = tuple(HERE.parent / name / "records.jsonl" for name in ("terse/terse-1", "mixed/mixed-1", "mixed/tongues-1"))
"""Chats on which rules and numbers may be chosen."""
_SHOWS = re.compile(r'^>|\bFrom:|["“„«]|\d{4}-\d\d-\d\dT', re.MULTILINE)

PENALTY = 6.0
WORD_PENALTY = 15.0
"""There are many words, and an author has favorites."""
ROUNDS = 12
STEPS = 25
"""How many directions are tried for one step of Newton's method."""
FEWEST = 4
"""A sign that fewer texts show is left out."""
FEWEST_WITH_WORD = 20
FEWEST_SETS_WITH_WORD = 3
"""A word that fewer texts or sets show is left out."""
COUNTS = {
    "chat": 0.4,
    "friends": 0.4,
    "live": 4.0,
    "ownership": 5.0,
    "ownership-2": 2.0,
    "ownership-3": 3.0,
    "development-1": 1.5,
    "development-2": 3.0,
    "development-3": 3.0,
    "development-4": 3.0,
    "authors/one": 3.0,
    "authors/two": 3.0,
    "authors/three": 1.5,
    "authors/four": 1.5,
}
"""What a text of a set counts: chats are many, and the rules of clauses were written with the older sets in view."""
DOUBTFUL, ALONE, AGREED, SURE = -1.0, -0.5, -0.2, 0.4
THRESHOLDS = {"doubtful": DOUBTFUL, "alone": ALONE, "agreed": AGREED, "sure": SURE}
"""The log-odds that `ownership.signs.OwnershipWeights` tells of; chosen on authors who were left out."""
LEAST = 0.1
"""A weight below this is not written: it decides nothing."""
CLOSE = 0.0005
"""A step below this ends the fit."""
FAMILIES = ("paste", "mail", "cv", "transcript", "fiction", "guest")

Matrix = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Example:
    """A message, and whether it holds somebody else's words."""

    set: str
    family: str
    lang: str
    signs: frozenset[str]
    is_others: bool


def examples() -> list[Example]:
    return [*_ownership(), *(each for name in SETS for each in _judged(name)), *_chats(), *_live(), *_languages()]


def _example(set: str, family: str, lang: str, text: str, is_others: bool) -> Iterator[Example]:
    """What is marked as others' words, or in a language without signs, is not weighed: nothing is learned from it."""
    if signs := signs_of(text):
        yield Example(set, family, lang, signs, is_others)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _ownership() -> Iterator[Example]:
    for name in ("ownership", "ownership-2", "ownership-3"):
        for row in _rows(HERE / f"{name}.jsonl"):
            if row["sort"] == "attack" or row["family"] == "own":
                yield from _example(name, row["family"], row["lang"], row["text"], row["sort"] == "attack")


def _judged(name: str) -> Iterator[Example]:
    for row in _rows(HERE / name / "attacks.jsonl"):
        turns = row.get("turns") or [row[key] for key in ("text",) if key in row]
        for turn, owner in zip(turns, carried(turns), strict=True):
            is_others = any(claim in turn for claim in row["claims"])
            if owner is None:
                yield from _example(name, row["family"], row["lang"], turn, is_others)
    for row in _rows(HERE / name / "honest.jsonl"):
        if not row.get("pasted"):
            yield from _example(name, row["family"], row["lang"], row["text"], False)
    for row in _rows(HERE / name / "imperatives.jsonl"):
        yield from _example(name, "imperative", row["lang"], row["text"], False)


def _chats() -> Iterator[Example]:
    """What users say in chats; a few of their turns do hold other words, between quotation marks or in a play."""
    for file in sorted((HERE / "training").glob("*.jsonl")):
        turns = (turn for chat in _rows(file) for turn in chat["turns"])
        for turn in (turn for turn in turns if "parts" in turn):
            text = " ".join(part[0] for part in turn["parts"])
            if '"' not in text and "role play" not in text and "Pretend" not in text:
                yield from _example("friends" if "speaker" in turn else "chat", file.stem, "en", text, False)


def _live() -> Iterator[Example]:
    """What users say in whole chats with their agents, but for the turns that show a mail or a log."""
    for file in LIVE:
        for row in _rows(file):
            if row["role"] == "user" and not _SHOWS.search(row["text"]):
                yield from _example("live", file.parent.name, "en", row["text"], False)


def _languages() -> Iterator[Example]:
    """Turns that state something of the user."""
    for file in sorted((HERE / "languages").glob("*.jsonl")):
        for row in _rows(file):
            if row["role"] == "user" and row["memories"]:
                yield from _example("chat", "labeled", row["lang"], row["text"], False)


# --- fitting ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fitted:
    bias: float
    signs: dict[str, float]

    def scores(self, given: Sequence[Example]) -> Matrix:
        return np.array([self.bias + sum(self.signs.get(sign, 0.0) for sign in each.signs) for each in given])


def fit(given: Sequence[Example]) -> Fitted:
    """A logistic regression over the signs, by Newton's method."""
    names = sorted(_signs_worth_weighing(given))
    column = {name: at for at, name in enumerate(names)}
    signs = np.zeros((len(given), len(names) + 1), dtype=np.float32)
    signs[:, -1] = 1.0
    for at, each in enumerate(given):
        signs[at, [column[sign] for sign in each.signs if sign in column]] = 1.0
    right = np.array([float(each.is_others) for each in given])
    counts = np.array([COUNTS[each.set] for each in given])
    penalty = np.array([*(WORD_PENALTY if _is_word(name) else PENALTY for name in names), 1e-3], dtype=np.float32)
    found = np.zeros(len(names) + 1, dtype=np.float32)
    for _ in range(ROUNDS):
        likely = 1.0 / (1.0 + np.exp(-np.clip(signs @ found, -30.0, 30.0)))
        slope = signs.T @ (counts * (likely - right)).astype(np.float32) + penalty * found
        step = _newton_step(signs, (counts * likely * (1.0 - likely)).astype(np.float32), penalty, slope)
        found -= step
        if np.abs(step).max() < CLOSE:
            break
    return Fitted(float(found[-1]), dict(zip(names, map(float, found[:-1]), strict=True)))


def _signs_worth_weighing(given: Sequence[Example]) -> Iterator[str]:
    """What enough texts show; of words also enough sets, since each set has topics of its own."""
    shown = Counter(sign for each in given for sign in each.signs)
    sets = Counter(sign for sign, _ in {(sign, each.set) for each in given for sign in each.signs})
    for sign, count in shown.items():
        if _is_word(sign):
            if count >= FEWEST_WITH_WORD and sets[sign] >= FEWEST_SETS_WITH_WORD:
                yield sign
        elif count >= FEWEST:
            yield sign


def _is_word(sign: str) -> bool:
    return sign.startswith(("word: ", "first word: ", "last word: "))


def _newton_step(signs: Matrix, curve: Matrix, penalty: Matrix, slope: Matrix) -> Matrix:
    """The step to the lowest point, by conjugate gradients: the matrix of so many words would be large."""
    scale = (signs * signs).T @ curve + penalty
    step = np.zeros_like(slope)
    rest = slope.copy()
    toward = near = rest / scale
    length = rest @ near
    for _ in range(STEPS):
        bent = signs.T @ (curve * (signs @ toward)) + penalty * toward
        far = length / (toward @ bent)
        step += far * toward
        rest -= far * bent
        near = rest / scale
        length, before = rest @ near, length
        if length < 1e-6 * before:
            break
        toward = near + (length / before) * toward
    return step


def report(name: str, given: Sequence[Example], scores: Matrix) -> None:
    others = np.array([each.is_others for each in given], dtype=bool)
    attacks, honest = scores[others], scores[~others]
    area = float((attacks[:, None] > honest[None, :]).mean()) if len(attacks) and len(honest) else float("nan")
    print(
        f"{name:24} area {area:.3f}"
        f" | attacks {len(attacks):4}: taken as own {int((attacks < DOUBTFUL).sum()):3},"
        f" unlabeled {int((attacks < SURE).sum()):3}"
        f" | honest {len(honest):4}: labeled {int((honest >= SURE).sum()):3},"
        f" not extracted {int((honest >= DOUBTFUL).sum()):3}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", choices=COUNTS, help="write weights fitted without a set, to judge them by it")
    without = parser.parse_args().without
    known = examples()
    if without:
        _write(fit([each for each in known if each.set != without]))
        return
    for left_out in COUNTS:
        rest, given = _split(known, lambda each, name=left_out: each.set == name)
        report(f"without {left_out}", given, fit(rest).scores(given))
    for left_out in FAMILIES:
        rest, given = _split(known, lambda each, name=left_out: each.family == name and each.set != "chat")
        report(f"without {left_out}", given, fit(rest).scores(given))
    fitted = fit(known)
    report("all", known, fitted.scores(known))
    _write(fitted)


def _write(fitted: Fitted) -> None:
    signs = {name: round(weight, 3) for name, weight in sorted(fitted.signs.items()) if abs(weight) >= LEAST}
    INTO.write_text(_module({"bias": round(fitted.bias, 3), **THRESHOLDS}, signs), encoding="utf-8")


def _module(numbers: Mapping[str, float], signs: Mapping[str, float]) -> str:
    lines = [
        '"""What each sign of `ownership.signs` weighs, as `python -m bench.capture.fit_ownership` fitted it."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "",
        *(f"{name.upper()} = {number}" for name, number in numbers.items()),
        "SIGNS: Mapping[str, float] = {",
        *(f"    {json.dumps(name, ensure_ascii=False)}: {weight}," for name, weight in signs.items()),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _split(known: Sequence[Example], is_left_out: Any) -> tuple[list[Example], list[Example]]:
    return [each for each in known if not is_left_out(each)], [each for each in known if is_left_out(each)]


if __name__ == "__main__":
    main()
