"""Measuring where a model's cosines lie, on stored texts that have nothing to do with each other (decision 0021)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from cortex.domain.chunk import Chunk
from cortex.domain.identity import TraceId
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn
from cortex.domain.vectors import Basis, Calibration, Vector

LEAST_TEXTS = 12
"""Of fewer texts the level of unrelated ones cannot be measured."""

MOST_TEXTS = 256
"""How many texts are compared."""

PROBES = 8
"""How many of them are embedded as queries, where a model embeds queries in another way than documents."""

UNRELATED = 0.23
"""Where unrelated texts lie on the common scale: about where texts of different conversations lie with the built-in
model, with which the thresholds of the recipes were tuned."""

UNRELATED_SENTENCES = 0.0
"""Where `SENTENCES` lie: lower than stored texts, which have an author and a life in common. With the built-in model
their median is 0.69, the floor it declares 0.70."""

SENTENCES = (
    "My sister moved into a flat above the bakery.",
    "The server runs out of memory every night.",
    "We are planting beans behind the shed in April.",
    "He plays the trumpet in a brass band.",
    "Could you shorten the second paragraph?",
    "The dentist wants to see me again in May.",
    "Their team lost the final on penalties.",
    "I prefer the window seat on long flights.",
    "The invoice for the roof has not been paid.",
    "Our dog is afraid of thunder.",
    "The museum shows old maps of the coast.",
    "She is learning to bake bread with rye.",
    "What is the fastest way to sort a list?",
    "The heating in the office is broken.",
    "Grandfather kept bees on the hill.",
    "The new law is about used batteries.",
)
"""Sentences that have nothing to do with each other: what a model's scale is estimated on before there are texts."""

LOWEST, HIGHEST = -0.3, 0.95
"""The floors there can be: cosines of unrelated texts from 0 to 0.96."""

_LEAST_PAIRS = 50


def is_estimated(texts: int, known: Calibration | None) -> bool:
    """Whether there are texts to compare, and too few to measure on."""
    return known is None and 0 < texts < LEAST_TEXTS


def is_due(texts: int, known: Calibration | None) -> bool:
    """Whether so many texts are worth a measurement: the first, or twice those of the last one."""
    return texts >= max(LEAST_TEXTS, 2 * known.texts if known is not None else 0)


def chosen(ids: Iterable[TraceId], most: int = MOST_TEXTS) -> list[TraceId]:
    """The same few of `ids` every time, spread over all: by the end of an id, which is random, not by its time."""
    return sorted(ids, key=sample_key)[:most]


def sample_key(id: TraceId) -> tuple[str, str]:
    """The order in which texts are taken for a sample."""
    return id[-8:], id


def origin(trace: Trace) -> str:
    """Texts of one origin, a session or a file, are likely about the same."""
    if isinstance(trace, Turn):
        return f"session {trace.session}"
    return f"file {trace.path}" if isinstance(trace, Chunk) else trace.id


def estimate(documents: Sequence[Vector], queries: Mapping[int, Vector]) -> Calibration | None:
    """The scale that `SENTENCES` tell, as documents and some of them as queries."""
    made = measure([str(place) for place in range(len(documents))], documents, queries, 0, UNRELATED_SENTENCES)
    return None if made is None else replace(made, basis=Basis.ESTIMATED)


def measure(
    origins: Sequence[str],
    documents: Sequence[Vector],
    queries: Mapping[int, Vector],
    texts: int,
    level: float = UNRELATED,
) -> Calibration | None:
    """The scale on which unrelated texts lie at `level`; None where there are too few texts to tell.

    `queries` are some of the same texts, by their place, as queries are embedded. `texts` is how many there are in all.
    """
    if len(documents) < LEAST_TEXTS or not queries:
        return None
    places = np.array(list(queries))
    cosines = np.stack([queries[place] for place in queries]).astype(np.float64) @ np.stack(documents).astype(float).T
    groups = np.unique(np.array(origins), return_inverse=True)[1]
    others = places[:, None] != np.arange(len(documents))[None, :]
    apart = groups[places][:, None] != groups[None, :]
    unrelated = cosines[apart] if np.count_nonzero(apart) >= _LEAST_PAIRS else cosines[others]
    floor = (float(np.median(unrelated)) - level) / (1.0 - level)
    return Calibration(round(min(HIGHEST, max(LOWEST, floor)), 3), Basis.MEASURED, texts)


LEAST_SPREAD = 0.01
"""Fewer, or very even, cosines do not make a scale narrower than this."""

_NEARLY_ALL = 0.999
_BEYOND = 4.0
"""So many standard deviations above what unrelated questions reach, a medium is what was asked for."""


def media_scale(questions: Sequence[Vector], media: Sequence[Vector]) -> Calibration:
    """The scale on which media lie, by questions that have nothing to do with them (decision 0076).

    As near as such a question comes at most is the level of unrelated texts. No text is as near to a picture as to
    itself, so the upper end is measured by their spread.
    """
    cosines = np.stack(questions).astype(np.float64) @ np.stack(media).astype(np.float64).T
    spread = max(LEAST_SPREAD, float(cosines.std()))
    nearest = max(float(np.quantile(cosines, _NEARLY_ALL)), float(cosines.mean()) + 2 * spread)
    width = _BEYOND * spread / (1.0 - UNRELATED)
    floor = nearest - UNRELATED * width
    return Calibration(round(floor, 4), Basis.MEASURED, len(media), top=round(floor + width, 4))
