"""What is shown of lines that were found (B9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from cortex.domain.terms import index_terms
from cortex.domain.text import sentences

_PIECES = 4
"""A sentence is cut where it is longer than the room divided by this."""

Span = tuple[int, int]


def snippet(text: str, terms: Set[str], most: int) -> str:
    """The stretch of `text` that holds most of the `terms`, as long as `most` characters allow; else its beginning."""
    text = text.strip()
    if len(text) <= most:
        return text
    pieces = list(_pieces(text, max(1, most // _PIECES)))
    first, last = _widened(pieces, *_tightest(text, pieces, terms, most), most)
    return text[pieces[first][0] : pieces[last][1]].strip()


def _pieces(text: str, most: int) -> Iterator[Span]:
    """The sentences of `text`; those longer than `most` characters in parts, between words where there are any."""
    for start, end in sentences(text):
        while end - start > most:
            space = text.rfind(" ", start + 1, start + most)
            cut = space + 1 if space > 0 else start + most
            yield start, cut
            start = cut
        yield start, end


def _tightest(text: str, pieces: Sequence[Span], terms: Set[str], most: int) -> tuple[int, int]:
    """The shortest stretch of pieces with the most terms, the earliest of several."""
    held = [terms & set(index_terms(text[start:end])) for start, end in pieces]
    best, choice = (0, 0), (0, 0)  # how many terms and how short; from which piece to which
    for first, begins in enumerate(held):
        if not begins:
            continue
        found: set[str] = set()
        for last in range(first, len(pieces)):
            length = pieces[last][1] - pieces[first][0]
            if length > most:
                break
            found |= held[last]
            if (len(found), -length) > best:
                best, choice = (len(found), -length), (first, last)
    return choice


def _widened(pieces: Sequence[Span], first: int, last: int, most: int) -> tuple[int, int]:
    """The stretch with what stands around it, evenly, while there is room."""
    while True:
        narrow = first, last
        if last + 1 < len(pieces) and pieces[last + 1][1] - pieces[first][0] <= most:
            last += 1
        if first and pieces[last][1] - pieces[first - 1][0] <= most:
            first -= 1
        if (first, last) == narrow:
            return narrow
