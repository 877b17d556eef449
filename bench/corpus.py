"""Texts to remember and questions: real ones where they are at hand, made-up ones with the same shape otherwise."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cortex.domain.vectors import Calibration, EmbeddingSpace, Vector

DIMENSION = 384
_CLUSTERS = 512
_SEED = 7


@dataclass(frozen=True, slots=True)
class Text:
    """One thing to remember; a turn where it has a session, a memory otherwise."""

    text: str
    scope: str
    session: str = ""
    speaker: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and its scope."""

    text: str
    scope: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Conversations first, then as many foreign texts as wanted."""

    name: str
    talks: tuple[Text, ...]
    foreign: tuple[Text, ...]
    questions: tuple[Question, ...]

    def texts(self, count: int) -> Iterator[Text]:
        """The first `count` texts; when the foreign ones run out, pairs of them make new ones."""
        yield from islice(chain(self.talks, self._foreign()), count)

    def _foreign(self) -> Iterator[Text]:
        yield from self.foreign
        step = 1
        while True:
            for at, text in enumerate(self.foreign):
                other = self.foreign[(at * 7 + step) % len(self.foreign)]
                yield Text(f"{text.text} {other.text}", f"{text.scope}-{step}")
            step += 1

    def broad_questions(self) -> list[Question]:
        """Questions for a search over everything: as many about the foreign texts as about the talks."""
        step = max(1, len(self.foreign) // max(1, len(self.questions)))
        foreign = [Question(text.text.partition(": ")[2] or text.text, text.scope) for text in self.foreign[::step]]
        return [each for pair in zip(self.questions, foreign, strict=False) for each in pair]


def load(directory: Path) -> Corpus:
    """LoCoMo and the SGD turns of `directory`, or made-up texts where they are not there."""
    talks, foreign = directory / "locomo" / "records.jsonl", directory / "sgd-turns" / "records.jsonl.gz"
    if not talks.exists() or not foreign.exists():
        return synthetic()
    with talks.open(encoding="utf-8") as file:
        turns = tuple(_turn(json.loads(line)) for line in file)
    with gzip.open(foreign, "rt", encoding="utf-8") as file:
        others = tuple(Text(row["text"], row["scope"]) for row in map(json.loads, file))
    with (directory / "locomo" / "queries.jsonl").open(encoding="utf-8") as file:
        questions = tuple(Question(row["query"], row["scope"]) for row in map(json.loads, file))
    return Corpus("locomo + sgd-turns", turns, others, questions)


def _turn(row: dict[str, Any]) -> Text:
    return Text(row["text"], row["scope"], f"{row['scope']}/{row['session']}", row.get("speaker", ""))


def synthetic(talks: int = 2_000, foreign: int = 30_000) -> Corpus:
    """Texts of words whose frequencies follow Zipf's law, as those of people do."""
    random = np.random.default_rng(_SEED)
    weights = 1.0 / np.arange(1, 20_001) ** 1.05
    vocabulary = [f"{_syllables(rank)}" for rank in range(len(weights))]

    def sentence(low: int, high: int) -> str:
        ranks = random.choice(len(vocabulary), size=int(random.integers(low, high)), p=weights / weights.sum())
        return " ".join(vocabulary[rank] for rank in ranks)

    turns = tuple(
        Text(sentence(6, 40), f"talk-{at % 4}", f"talk-{at % 4}/{at // 80}", "Ada" if at % 8 < 4 else "Ben")
        for at in range(talks)
    )
    others = tuple(Text(sentence(8, 25), f"scope-{at // 1_500}") for at in range(foreign))
    questions = tuple(Question(sentence(4, 12), f"talk-{at % 4}") for at in range(400))
    return Corpus("synthetic", turns, others, questions)


def _syllables(number: int) -> str:
    word = ""
    while True:
        number, at = divmod(number, 100)
        word += "bdfghklmnprstvwzcjxy"[at // 5] + "aeiou"[at % 5]
        if not number:
            return word


class SyntheticEmbedder:
    """Clustered unit vectors made from a hash of the text: they mean nothing, but cost what real ones cost to search.

    Every vector that was made is kept, so that a query's vector is at hand when it is measured.
    """

    def __init__(self) -> None:
        self._centres = _rows(np.random.default_rng(_SEED), _CLUSTERS)
        self._made: dict[str, Vector] = {}

    @property
    def space(self) -> EmbeddingSpace:
        return EmbeddingSpace("bench", "synthetic", DIMENSION, calibration=Calibration(floor=0.0))

    def embed_query(self, text: str) -> Vector:
        if text not in self._made:
            self._made[text] = self._vector(text)
        return self._made[text]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        random = np.random.default_rng(int.from_bytes(digest, "big"))
        centre = self._centres[int(random.zipf(1.3)) % _CLUSTERS]
        vector = centre + 0.8 * random.standard_normal(DIMENSION, dtype=np.float32) / np.sqrt(np.float32(DIMENSION))
        scaled: Vector = (vector / np.linalg.norm(vector)).astype(np.float32)
        return scaled


def _rows(random: np.random.Generator, count: int) -> NDArray[np.float32]:
    rows = random.standard_normal((count, DIMENSION), dtype=np.float32)
    unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
