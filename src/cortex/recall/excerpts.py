"""The part of a text that bears on a question: whole sentences, never cut within a word or a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from cortex.domain.text import escaped, estimate_tokens, sentences
from cortex.recall.mentions import mentioned

GAP = "…"

_NEIGHBOR = 0.5
"""What the terms of the sentence before and after count: the answer often stands beside the words asked for."""

# "Dr. Lee", "e.g. tea", "J. Smith", "1. Milk": a point that ends no sentence.
_NO_END = re.compile(
    r"(?:\b(?:[A-Za-z]|dr|mr|mrs|ms|prof|st|vs|etc|no|nr|approx|inc|jr|sr|bzw|z\.b|ca)|^\W*\d+)\.\s*$", re.I
)
# Where a clause ends; a comma within a number ends none.
_CLAUSE = re.compile(r"(?<=[,;:])\s+|(?<=[、，；：])|\s+(?=[–—])")
_WORD = re.compile(r"\S+\s*")
_DIGIT = re.compile(r"\d")
_WIDE = re.compile(r"[\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd]")


def size(text: str) -> int:
    """The tokens of a text as it is packed."""
    return estimate_tokens(escaped(text))


def excerpt(text: str, terms: Mapping[str, float] | Set[str], most: int) -> str:
    """`text` within `most` tokens: the sentences that say most of what is asked, in their order. Empty if none fits.

    `terms` are those of the question, with their weights where some tell more than others.
    """
    text = text.strip()
    if size(text) <= most:
        return text
    weights = terms if isinstance(terms, Mapping) else dict.fromkeys(sorted(terms), 1.0)
    chosen = _chosen(text, list(_pieces(text)), weights, most)
    return _joined(text, chosen)


def _chosen(
    text: str, spans: Sequence[tuple[int, int]], weights: Mapping[str, float], most: int
) -> list[tuple[int, int]]:
    worth = _worth([text[start:end] for start, end in spans], weights)
    chosen: list[tuple[int, int]] = []
    left = most
    for at in sorted(range(len(spans)), key=lambda at: (-worth[at], at)):
        cost = size(text[slice(*spans[at])]) + 1
        if cost < left:
            chosen.append(spans[at])
            left -= cost
        elif not chosen:
            # Not even the best sentence fits: as much of it as says most of what is asked.
            return list(_part(text, spans[at], weights, most))
    return sorted(chosen)


def _worth(pieces: Sequence[str], weights: Mapping[str, float]) -> list[float]:
    own = [sum(weights[term] for term in mentioned(piece, weights)) for piece in pieces]
    around = [0.0, *own, 0.0]
    return [own[at] + _NEIGHBOR * (around[at] + around[at + 2]) for at in range(len(own))]


def _part(text: str, span: tuple[int, int], weights: Mapping[str, float], most: int) -> Iterator[tuple[int, int]]:
    """A stretch of a long sentence: its clauses, or else its words, from where most of what is asked stands."""
    start, end = span
    clauses = list(_split(text, start, end, _CLAUSE))
    if len(clauses) > 1:
        yield from _chosen(text, clauses, weights, most)
        return
    stop = start
    for cut in _breaks(text, start, end):
        if size(text[start:cut]) + 2 > most:
            break
        stop = cut
    if stop > start:
        yield start, stop


def _breaks(text: str, start: int, end: int) -> Iterator[int]:
    """Where a text without clauses may be cut: between two words, or two wide characters, neither of them a value."""
    words = [found.span() for found in _WORD.finditer(text, start, end)]
    for (begin, stop), (_, after) in zip(words, [*words[1:], (end, end)], strict=True):
        word = text[begin:stop]
        if _WIDE.search(word):
            yield from (
                at for at in range(begin + 1, stop) if not (_narrow(text[at - 1]) or _narrow(text[at : at + 1]))
            )
        if not _DIGIT.search(word) and not _DIGIT.search(text, stop, after):
            yield stop


def _narrow(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """The sentences of a text, where a point after an abbreviation ends none."""
    begin = None
    for start, end in sentences(text):
        begin = start if begin is None else begin
        if end < len(text) and "\n" not in text[start:end] and _NO_END.search(text, begin, end):
            continue
        if text[begin:end].strip():
            yield begin, end
        begin = None


def _split(text: str, start: int, end: int, where: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    begin = start
    for found in where.finditer(text, start, end):
        if found.end() > begin:
            yield begin, found.end()
            begin = found.end()
    if begin < end:
        yield begin, end


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The stretches of a text, with a mark for what was left out between them."""
    parts: list[str] = []
    reached = 0
    for start, end in spans:
        if text[reached:start].strip():
            parts.append(GAP)
        parts.append(text[start:end].strip())
        reached = end
    if parts and text[reached:].strip():
        parts.append(GAP)
    return " ".join(parts)
