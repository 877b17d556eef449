"""The packed terms of each trace, and BM25 over them.

A term is kept as the upper 28 bits of its CRC-32 with its count in the lower four. Two terms of one
text and one query share 28 bits about once in a million; nothing worse follows than a count that is
too high.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
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


class _Hashes(dict[str, int]):
    """The hash of every term seen lately: a lookup costs less than a call."""

    def __missing__(self, term: str) -> int:
        if len(self) >= _MOST_HASHES:
            self.clear()
        self[term] = value = crc32(term.encode("utf-8", "surrogatepass")) & _HASH
        return value


_hashes = _Hashes()


def term_hash(term: str) -> int:
    return _hashes[term]


def pack(terms: Sequence[str]) -> bytes:
    """The distinct terms of a text with their counts."""
    most = MAX_OCCURRENCES
    packed = array("I", [_hashes[term] | (n if n < most else most) for term, n in Counter(terms).items()])
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


class Unit(NamedTuple):
    """One passage of a trace, as it is scored. A turn's place is its thread and its number there."""

    row: int
    passage: int
    length: int
    terms: bytes
    thread: int | None = None
    seq: int | None = None


class Bag:
    """Many passages side by side, ready to be counted and scored together."""

    def __init__(self, units: Iterable[Unit]) -> None:
        ordered = sorted(units, key=lambda unit: (unit.row, unit.passage))
        self.rows = list(dict.fromkeys(unit.row for unit in ordered))
        number = {row: at for at, row in enumerate(self.rows)}
        self._trace = np.array([number[unit.row] for unit in ordered], dtype=np.int64)
        self._lengths = np.array([unit.length for unit in ordered], dtype=np.float64)
        self._before = _before(ordered)
        self._terms: Packed = np.frombuffer(b"".join(unit.terms for unit in ordered), dtype="<u4")
        self._hashes = self._terms & np.uint32(_HASH)
        sizes = np.fromiter((len(unit.terms) >> 2 for unit in ordered), dtype=np.int64, count=len(ordered))
        self._owner = np.repeat(np.arange(len(ordered)), sizes)

    def holders(self, term: str) -> set[int]:
        """The rows of the traces that hold `term`."""
        at = self._trace[self._owner[self._hashes == np.uint32(term_hash(term))]]
        return {self.rows[trace] for trace in at.tolist()}

    def scores(
        self, terms: Sequence[QueryTerm], frequencies: Sequence[int], documents: int, mean_length: float
    ) -> NDArray[np.float64]:
        """BM25 of each trace by its best passage, as a share of what the terms weigh together."""
        total = np.zeros(len(self._lengths))
        mass = 0.0
        for term, frequency in zip(terms, frequencies, strict=True):
            weight = term.weight * rarity(documents, frequency)
            mass += weight
            counts = self._counts(term.text)
            if counts.any():
                total += weight * saturation(counts, self._lengths, mean_length)
        best = np.zeros(len(self.rows))
        np.maximum.at(best, self._trace, total)
        return best / mass if mass else best

    def _counts(self, term: str) -> NDArray[np.float64]:
        """How often `term` occurs in each passage, with its share in the turn before."""
        at = np.flatnonzero(self._hashes == np.uint32(term_hash(term)))
        counts = np.zeros(len(self._lengths) + 1)
        np.add.at(counts, self._owner[at], (self._terms[at] & np.uint32(_COUNT)).astype(np.float64))
        # The last place stands for "no turn before": nothing is ever counted there.
        return counts[:-1] + BEFORE * counts[self._before]


def _before(units: Sequence[Unit]) -> NDArray[np.int64]:
    """For each first passage of a turn, the last passage of the turn before it; one past the end for all others."""
    last = {(unit.thread, unit.seq): at for at, unit in enumerate(units) if unit.seq is not None}
    nowhere = len(units)
    return np.array(
        [
            last.get((unit.thread, unit.seq - 1), nowhere) if unit.seq is not None and unit.passage == 0 else nowhere
            for unit in units
        ],
        dtype=np.int64,
    )
