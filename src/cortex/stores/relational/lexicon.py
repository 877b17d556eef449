"""The packed terms of each trace, and BM25 over them.

A term is kept as the upper 28 bits of its CRC-32 with its count in the lower four. Two terms of one
text and one query share 28 bits about once in a million; nothing worse follows than a count that is
too high.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from struct import Struct
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cortex.domain.lexical import BEFORE, MAX_OCCURRENCES, rarity, saturation
from cortex.domain.terms import QueryTerm

_HASH = 0xFFFFFFF0
_COUNT = 0x0000000F
_MOST_HASHES = 65_536

Packed = NDArray[np.uint32]


class _Once(dict[str, int]):
    """Every term seen recently, packed as it is when it occurs once: a lookup costs less than a call."""

    def __missing__(self, term: str) -> int:
        if len(self) >= _MOST_HASHES:
            self.clear()
        self[term] = value = crc32(term.encode("utf-8", "surrogatepass")) & _HASH | 1
        return value


_once = _Once()


def term_hash(term: str) -> int:
    return _once[term] & _HASH


def pack(terms: Sequence[str]) -> bytes:
    """The distinct terms of a text with their counts."""
    packed = [*map(_once.__getitem__, terms)]
    if len(set(packed)) < len(packed):
        # A dict rather than a Counter, which is slow to make for the few terms of a text.
        counts: dict[int, int] = {}
        for once in packed:
            counts[once] = counts.get(once, 0) + 1
        packed = [once - 1 + (n if n < MAX_OCCURRENCES else MAX_OCCURRENCES) for once, n in counts.items()]
    return _packing(len(packed))(*packed)


@lru_cache(maxsize=1_024)
def _packing(number: int) -> Callable[..., bytes]:
    """What makes so many numbers four bytes each: to read the format anew costs more than to follow it."""
    return Struct(f"<{number}I").pack


class Unit(NamedTuple):
    """One passage of a trace, as it is scored. A turn's place is its thread and its number there; others have -1."""

    row: int
    passage: int
    length: int
    terms: bytes
    thread: int = -1
    seq: int = -1


UNIT_COLUMNS = "l.row, l.passage, l.length, l.terms, coalesce(l.thread, -1), coalesce(l.seq, -1)"
"""The fields of a unit in a query of `lexicon l`."""

Passage = tuple[int, int, int, bytes, int, int]
"""A unit as SQLite gives it: to make each a `Unit` costs more than to score it."""


class Passages(NamedTuple):
    """Many passages in columns, by row and passage."""

    columns: NDArray[np.int64]
    """Row, passage, length, thread, number in the thread, and how many packed terms there are."""
    terms: Packed
    """The terms of one passage after the other."""
    left_out: int = 0
    """How many could not be read."""

    @classmethod
    def of(cls, units: Iterable[Passage]) -> Passages:
        """Passages in any order; one that is damaged is left out."""
        found = list(units)
        try:
            return cls._laid_out(sorted(found))  # by row and passage, which no two share
        except (TypeError, ValueError):
            whole = _whole(found)
            return cls._laid_out(sorted(whole))._replace(left_out=len(found) - len(whole))

    @classmethod
    def _laid_out(cls, units: list[Passage]) -> Passages:
        rows, passages, lengths, terms, threads, seqs = zip(*units, strict=True) if units else [()] * len(Unit._fields)
        sizes = [len(some) >> 2 for some in terms]
        columns = np.array([rows, passages, lengths, threads, seqs, sizes], dtype=np.int64)
        return cls(columns, np.frombuffer(b"".join(terms), dtype="<u4"))

    @property
    def rows(self) -> NDArray[np.int64]:
        rows: NDArray[np.int64] = self.columns[0]
        return rows

    @property
    def sizes(self) -> NDArray[np.int64]:
        sizes: NDArray[np.int64] = self.columns[5]
        return sizes

    def firsts(self) -> Passages:
        """Only the first passage of each row."""
        return self._taken(np.flatnonzero(self.columns[1] == 0))

    def joined(self, others: Passages) -> Passages:
        """These and others, which are of other rows."""
        both = Passages(np.hstack([self.columns, others.columns]), np.append(self.terms, others.terms))
        return both._taken(np.lexsort((both.columns[1], both.rows)))

    def _taken(self, at: NDArray[np.int64]) -> Passages:
        columns = self.columns[:, at]
        starts = np.cumsum(self.sizes) - self.sizes
        return Passages(columns, self.terms[spread(starts[at], columns[5])])


def spread(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of stretches that begin at `starts`, one after the other."""
    ends = np.cumsum(sizes)
    return np.repeat(starts - ends + sizes, sizes) + np.arange(ends[-1] if len(ends) else 0)


class Bag:
    """Many passages side by side, ready to be counted and scored together."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        row, number, length, self._threads, self._seqs, sizes = passages.columns
        self._first = np.flatnonzero(np.diff(row, prepend=-1))
        self.rows: list[int] = row[self._first].tolist()
        self._lengths = length.astype(np.float64)
        self._before = _before(number, self._threads, self._seqs)
        self._terms = passages.terms
        self._hashes = self._terms & np.uint32(_HASH)
        self._owner = np.repeat(np.arange(len(row)), sizes)
        self._places: dict[str, NDArray[np.int64]] = {}

    def holders(self, term: str) -> list[int]:
        """The rows of the traces that hold `term`."""
        return [self.rows[at] for at in self._held(term).tolist()]

    def frequency(self, term: str) -> int:
        """How many of the traces hold `term`."""
        return len(self._held(term))

    def _held(self, term: str) -> NDArray[np.int64]:
        """Which traces hold `term`, in rising order."""
        # The places of a term rise, and so do the passages and the traces they lie in.
        trace = np.searchsorted(self._first, self._owner[self._where(term)], side="right")
        return trace[np.flatnonzero(np.diff(trace, prepend=0))] - 1

    def scores(
        self, terms: Sequence[QueryTerm], frequencies: Sequence[int], documents: int, mean_length: float
    ) -> NDArray[np.float64]:
        """BM25 of each trace by its best passage, as a share of what the terms weigh together."""
        total = np.zeros(len(self._lengths))
        mass = 0.0
        for term, frequency in zip(terms, frequencies, strict=True):
            weight = term.weight * rarity(documents, frequency)
            mass += weight
            at = self._where(term.text)
            if len(at):
                total += weight * saturation(self._counts(at), self._lengths, mean_length)
        best = np.maximum.reduceat(total, self._first) if self.rows else total
        return best / mass if mass else best

    def next_places(self, traces: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Thread and number of the turns that follow some of the traces and are not here themselves."""
        last = np.append(self._first[1:], len(self._lengths)) - 1
        followed = np.zeros(len(self._lengths) + 1, dtype=bool)
        followed[self._before] = True
        at = last[traces]
        open_ = at[(self._seqs[at] >= 0) & ~followed[at]]
        return list(zip(self._threads[open_].tolist(), (self._seqs[open_] + 1).tolist(), strict=True))

    def _where(self, term: str) -> NDArray[np.int64]:
        """Where a term stands; it is looked for once."""
        places = self._places.get(term)
        if places is None:
            places = self._places[term] = np.flatnonzero(self._hashes == np.uint32(term_hash(term)))
        return places

    def _counts(self, at: NDArray[np.int64]) -> NDArray[np.float64]:
        """How often the term found `at` these places occurs in each passage, with its share in the turn before."""
        # One place more than there are passages stands for "no turn before": nothing is ever counted there.
        counts = np.bincount(self._owner[at], self._terms[at] & np.uint32(_COUNT), len(self._lengths) + 1)
        shared: NDArray[np.float64] = counts[:-1] + BEFORE * counts[self._before]
        return shared


def _whole(units: Iterable[Passage]) -> list[Passage]:
    """Those that can be read; a damaged row is left out."""
    return [
        unit
        for unit in units
        if isinstance(unit[3], bytes)
        and not len(unit[3]) % 4
        and all(isinstance(each, int) for each in (*unit[:3], *unit[4:]))
    ]


def _before(passages: NDArray[np.int64], threads: NDArray[np.int64], seqs: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each first passage of a turn, the last passage of the turn before it; one past the end for all others."""
    nowhere = len(passages)
    before = np.full(nowhere, nowhere, dtype=np.int64)
    if not nowhere or seqs.max() < 0:
        return before
    # Passages in the order of their places: what comes right before a place is the last of the place before it.
    order = np.lexsort((seqs, threads))
    thread, seq = threads[order], seqs[order]
    starts = np.flatnonzero(np.append(True, (np.diff(thread) != 0) | (np.diff(seq) != 0)))
    ends = np.append(starts[1:], nowhere)
    follows = (thread[starts[1:]] == thread[starts[:-1]]) & (seq[starts[1:]] == seq[starts[:-1]] + 1)
    last = np.append(nowhere, np.where(follows, order[starts[1:] - 1], nowhere))
    before[order] = np.repeat(last, ends - starts)
    before[passages > 0] = nowhere
    return before
