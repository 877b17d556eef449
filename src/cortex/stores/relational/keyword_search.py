"""Keyword search: which traces are candidates, and their BM25 scores. A store only reads postings and passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from cortex.domain.terms import QueryTerm
from cortex.stores.relational.lexicon import Bag, Passages

Rows = NDArray[np.int64]

POSTING_BUDGET = 4_000
"""How many candidates a search scores at most."""

MOST_FOLLOWED = 512
"""After how many of the best candidates the turn that follows is looked at as well."""

_MOST_FREQUENCIES = 4_096


class Facets:
    """The facets a filter allows, and the statistics of what lies in them."""

    def __init__(self, rows: Iterable[tuple[int, int, int, int]]) -> None:
        self.ids: list[int] = []
        self.traces = self.passages = self.terms = 0
        self.frequencies: dict[str, int] = {}
        """In how many traces each term occurs, for the terms of earlier searches."""
        self.rows_at: dict[tuple[int, int], list[int]] = {}
        """The rows at places that earlier searches looked at, where a store remembers them."""
        for id, traces, passages, terms in rows:
            self.ids.append(id)
            self.traces += traces
            self.passages += passages
            self.terms += terms

    @property
    def mean_length(self) -> float:
        """The mean length of a passage, in terms."""
        return self.terms / self.passages if self.terms else 1.0


class Postings(Protocol):
    """What a search reads."""

    def posted(self, any_of: Sequence[str], facets: Facets, required: str | None = None, most: int = -1) -> Rows:
        """The rows of the newest `most` traces that hold `required` and any of the others, in rising order."""
        ...

    def frequency(self, term: str, facets: Facets) -> int:
        """In how many traces a term occurs."""
        ...

    def passages(self, rows: Rows) -> Passages:
        """The passages of `rows`, which are in rising order."""
        ...

    def rows_at(self, places: Sequence[tuple[int, int]], facets: Facets) -> Rows:
        """The rows of the turns at these places, each a thread and a number."""
        ...


def search(postings: Postings, terms: Sequence[QueryTerm], facets: Facets) -> tuple[list[int], NDArray[np.float64]]:
    """The rows of the candidates, and the score of each."""
    bag, frequencies = _candidates(postings, [term.text for term in terms], facets)
    scores = bag.scores(terms, frequencies, facets.traces, facets.mean_length)
    following = _following(postings, bag, scores, facets)
    if len(following):
        bag = Bag(bag.passages.joined(postings.passages(following).firsts()))
        scores = bag.scores(terms, frequencies, facets.traces, facets.mean_length)
    return bag.rows, scores


def _candidates(postings: Postings, texts: Sequence[str], facets: Facets) -> tuple[Bag, list[int]]:
    """The passages of traces that hold some of the terms, and in how many traces each term occurs."""
    indexed = [text for text in texts if is_term(text)]
    if not indexed:
        return Bag(Passages.of(())), [0] * len(texts)
    if facets.traces <= POSTING_BUDGET:
        bag = Bag(postings.passages(postings.posted(indexed, facets)))
        return bag, [bag.frequency(text) for text in texts]
    frequencies = [_frequency(postings, text, facets) for text in texts]
    found = np.zeros(0, dtype=np.int64)
    for required, any_of, most in candidate_plan(texts, frequencies):
        more = postings.posted(any_of, facets, required, most - len(found))
        found = np.union1d(found, more) if len(found) else more  # no row is posted twice
    return Bag(postings.passages(found)), frequencies


def _frequency(postings: Postings, term: str, facets: Facets) -> int:
    """In how many traces a term occurs; counted once, as long as nothing changes in the store."""
    known = facets.frequencies
    frequency = known.get(term)
    if frequency is None:
        if len(known) >= _MOST_FREQUENCIES:
            known.clear()
        frequency = known[term] = postings.frequency(term, facets) if is_term(term) else 0
    return frequency


def _following(postings: Postings, bag: Bag, scores: NDArray[np.float64], facets: Facets) -> Rows:
    """The rows of the turns right after the best candidates that hold none of the terms themselves."""
    # Stable, and the rows of a bag rise: ties go by row.
    places = bag.next_places(np.argsort(-scores, kind="stable")[:MOST_FOLLOWED])
    if not places:
        return np.zeros(0, dtype=np.int64)
    return np.setdiff1d(postings.rows_at(places, facets), bag.passages.rows)


def is_term(text: str) -> bool:
    """Whether `text` can be a term of the index: no quote to end it, no `=` to forge a facet, no space."""
    return bool(text) and not any(char in '"=' or char.isspace() for char in text)


def candidate_plan(terms: Sequence[str], frequencies: Sequence[int]) -> list[tuple[str | None, list[str], int]]:
    """Which postings to read when there are too many to score: (required term, any of these, at most).

    Rarest terms first, as many as fit the budget. Where even the rarest is too common, what holds it
    together with another term comes first, then the newest that hold it.
    """
    order = sorted((frequency, term) for frequency, term in zip(frequencies, terms, strict=True) if frequency)
    rare: list[str] = []
    used = 0
    for frequency, term in order:
        if used + frequency > POSTING_BUDGET:
            break
        used += frequency
        rare.append(term)
    if rare:
        return [(None, rare, POSTING_BUDGET)]
    if not order:
        return []
    rarest, others = order[0][1], [term for _, term in order[1:]]
    together: list[tuple[str | None, list[str], int]] = [(rarest, others, POSTING_BUDGET)] if others else []
    return [*together, (None, [rarest], POSTING_BUDGET)]
