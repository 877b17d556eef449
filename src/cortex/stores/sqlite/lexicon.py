"""The packed terms of each trace, and BM25 over them.

A term is kept as the upper 28 bits of its CRC-32 with its count in the lower four. Two terms of one
text and one query share 28 bits about once in a million; nothing worse follows than a count that is
too high.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cortex.domain.lexical import MAX_OCCURRENCES, rarity, saturation
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


class Bag:
    """The packed terms of many traces side by side, ready to be counted and scored together."""

    def __init__(self, lengths: Sequence[int], packed: Sequence[bytes]) -> None:
        self.lengths = np.asarray(lengths, dtype=np.float64)
        self._terms: Packed = np.frombuffer(b"".join(packed), dtype="<u4")
        self._hashes = self._terms & np.uint32(_HASH)
        sizes = np.fromiter((len(each) >> 2 for each in packed), dtype=np.int64, count=len(packed))
        self._owner = np.repeat(np.arange(len(packed)), sizes)

    def holders(self, term: str) -> NDArray[np.int64]:
        """Which of the traces hold `term`."""
        holders: NDArray[np.int64] = self._owner[self._hashes == np.uint32(term_hash(term))]
        return holders

    def scores(
        self, terms: Sequence[QueryTerm], frequencies: Sequence[int], documents: int, mean_length: float
    ) -> NDArray[np.float64]:
        """BM25 of each trace, as a share of what the terms weigh together."""
        total = np.zeros(len(self.lengths))
        mass = 0.0
        for term, frequency in zip(terms, frequencies, strict=True):
            at = np.flatnonzero(self._hashes == np.uint32(term_hash(term.text)))
            owners = self._owner[at]
            counts = (self._terms[at] & np.uint32(_COUNT)).astype(np.float64)
            weight = term.weight * rarity(documents, frequency)
            mass += weight
            # Two terms with one hash in one text would be lost by `total[owners] +=`.
            np.add.at(total, owners, weight * saturation(counts, self.lengths[owners], mean_length))
        return total / mass if mass else total
