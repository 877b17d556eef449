"""The part of a text that bears on a question: whole sentences, never cut within a word or a value."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set

from cortex.domain.text import escaped, estimate_tokens, sentences
from cortex.languages.lists import alternatives
from cortex.recall.mentions import mentioned, mentions

GAP = "…"

_REACH = 80
"""How many characters after a term of the query its value stands."""

_NEIGHBOR = 0.5
"""What the terms of the sentence before and after count: the answer often stands beside the words of the query."""

# What does not end a sentence: "Dr. Lee", "e.g. tea", "J. Smith"; a number or mark of a list; a heading, whose text is
# what follows it.
_ABBREVIATED = re.compile(rf"\b(?:[A-Za-z]|{alternatives('abbreviations')})\.\Z", re.IGNORECASE)
_LIST_MARK = re.compile(r"\W*(?:\d{1,3}[.)])?")
_LONGEST_HEADING = 80
_FENCE = "```"
_LONGEST_BLOCK = 4_000
# Where a clause ends; a comma within a number ends none.
_CLAUSE = re.compile(r"(?<=[,;:])\s++|(?<=[、，；：])|(?<!\s)\s++(?=[–—])")
_WORD = re.compile(r"\S+\s*")
_DIGIT = re.compile(r"\d")
_WIDE = re.compile(r"[\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003fffd]")

Span = tuple[int, int]


def size(text: str) -> int:
    """The tokens of a text as it is packed."""
    return estimate_tokens(escaped(text))


def excerpt(
    text: str, terms: Mapping[str, float] | Set[str], most: int, best: Span | None = None, least: float = 0.0
) -> str:
    """`text` within `most` tokens: the sentences that hold most of the query, in their order. Empty if none fits.

    `terms` are those of the question, with their weights where some tell more than others; `best` is the stretch of
    the text that is nearest to the question by meaning, where that is known. A sentence that says less than `least`
    times what the best one says is left out, whatever room there is.
    """
    if size(text) <= most:
        return text.strip()
    weights = terms if isinstance(terms, Mapping) else dict.fromkeys(sorted(terms), 1.0)
    spans = list(pieces(text))
    worth = _worth([text[start:end] for start, end in spans], weights)
    if best is not None:
        lift = _NEIGHBOR * max(worth, default=0.0) or 1.0
        worth = [w + lift * (start < best[1] and best[0] < end) for w, (start, end) in zip(worth, spans, strict=True)]
    return _joined(text, _chosen(text, spans, worth, weights, most, least))


def _chosen(
    text: str, spans: Sequence[Span], worth: Sequence[float], weights: Mapping[str, float], most: int, least: float
) -> list[Span]:
    """The stretches worth most that fit, without what says too little of the question where something says more."""
    chosen: list[Span] = []
    left = most
    most_worth = max(worth, default=0.0)
    for at in sorted(range(len(spans)), key=lambda at: (-worth[at], at)):
        if chosen and (worth[at] < least * most_worth or (not worth[at] and most_worth)):
            break
        cost = size(text[slice(*spans[at])]) + 1
        if cost < left:
            chosen.append(spans[at])
            left -= cost
        elif not chosen:
            # Not even the best sentence fits: the part of it that holds most of the query.
            return list(_part(text, spans[at], weights, most, least))
    return sorted(chosen)


def _worth(said: Sequence[str], weights: Mapping[str, float]) -> list[float]:
    own = [sum(weights[term] for term in mentioned(piece, weights)) for piece in said]
    around = [0.0, *own, 0.0]
    return [own[at] + _NEIGHBOR * (around[at] + around[at + 2]) for at in range(len(own))]


def _part(text: str, span: Span, weights: Mapping[str, float], most: int, least: float) -> Iterator[Span]:
    """A stretch of a long sentence: its clauses, or else its words. Code and tables are shown whole or not at all."""
    start, end = span
    if _is_block(text[start:end]):
        return
    clauses = _with_values(text, list(_split(text, start, end, _CLAUSE)))
    if len(clauses) > 1:
        said = [text[begin:stop] for begin, stop in clauses]
        worth = [w + _value_of(each, weights) for w, each in zip(_worth(said, weights), said, strict=True)]
        yield from _chosen(text, clauses, worth, weights, most, least)
        return
    cuts = [start, *_breaks(text, start, end)]
    first, last = _up_to_the_value(text, cuts, weights, most)
    if last > first:
        yield cuts[first], cuts[last]


def _value_of(clause: str, weights: Mapping[str, float]) -> float:
    """What a value beside a term of the query counts: as much as the term that tells most."""
    return max(weights.values()) if _DIGIT.search(clause) and mentioned(clause, weights) else 0.0


def _with_values(text: str, clauses: Sequence[Span]) -> list[Span]:
    """`clauses`, each with the next one where only that has a value: "the amount we pay, which is 2,450 euros"."""
    joined: list[Span] = []
    for begin, stop in clauses:
        if joined and _DIGIT.search(text, begin, stop) and not _DIGIT.search(text, *joined[-1]):
            joined[-1] = joined[-1][0], stop
        else:
            joined.append((begin, stop))
    return joined


def _up_to_the_value(text: str, cuts: Sequence[int], weights: Mapping[str, float], most: int) -> tuple[int, int]:
    """Between which two of `cuts` a text is shown: its beginning, or the words around the best term of the query.

    That is the term with the most weight, and the value right after it.
    """
    last = _fitting(text, cuts, 0, most)
    at = _place_of_answer(text, cuts, weights)
    value = _DIGIT.search(text, at, min(at + _REACH, cuts[-1])) if at is not None else None
    wanted = value.end() if value else at
    if wanted is None or wanted < cuts[last]:
        return 0, last
    # One cut further, so that a value has its unit.
    end = min(bisect_right(cuts, wanted) + 1, len(cuts) - 1)
    first = next((begin for begin in range(end) if size(text[cuts[begin] : cuts[end]]) + 4 <= most), end)
    return (first, _fitting(text, cuts, first, most - 2)) if first < end else (0, last)


def _fitting(text: str, cuts: Sequence[int], first: int, most: int) -> int:
    """The last of `cuts` up to which there is room."""
    last = first
    while last + 1 < len(cuts) and size(text[cuts[first] : cuts[last + 1]]) + 2 <= most:
        last += 1
    return last


def _place_of_answer(text: str, cuts: Sequence[int], weights: Mapping[str, float]) -> int | None:
    """Where a text mentions the term that tells most, first; None where it has none."""
    places = [(cuts[0] + place, term) for place, term in mentions(text[cuts[0] : cuts[-1]], weights)]
    most = max((weights[term] for _, term in places), default=0.0)
    return next((place for place, term in places if weights[term] == most), None)


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


def pieces(text: str) -> Iterator[Span]:
    """What may be shown of a text: a sentence, an item of a list, a heading with what follows it, or a whole block."""
    begin = None
    for start, end in sentences(text):
        begin = start if begin is None else begin
        said = text[begin:end]
        if end < len(text) and len(said) < _LONGEST_BLOCK and (_is_open(said, text[end]) or _goes_on(said)):
            continue
        if said.strip():
            yield begin, end
        begin = None


def _goes_on(said: str) -> bool:
    """Whether what follows belongs to it: after an abbreviation, the mark of a list, or a heading."""
    bare = said.strip()
    if _LIST_MARK.fullmatch(bare) or _ABBREVIATED.search(bare, max(0, len(bare) - 10)):
        return True
    heads = bare.startswith("#") or bare.rstrip("*_").endswith(":")
    return heads and said.endswith("\n") and "\n" not in bare and len(bare) <= _LONGEST_HEADING


def _is_open(said: str, after: str) -> bool:
    """Whether a block of code, or a table, is not yet at its end."""
    if _FENCE in said:
        return said.count(_FENCE) % 2 == 1
    row = said[said.rstrip("\n").rfind("\n") + 1 :].lstrip()
    return row.startswith("|") and (not said.endswith("\n") or after == "|")


def _is_block(said: str) -> bool:
    return _FENCE in said or said.lstrip().startswith("|")


def _split(text: str, start: int, end: int, where: re.Pattern[str]) -> Iterator[Span]:
    begin = start
    for found in where.finditer(text, start, end):
        if found.end() > begin:
            yield begin, found.end()
            begin = found.end()
    if begin < end:
        yield begin, end


def _joined(text: str, spans: Sequence[Span]) -> str:
    """The stretches of a text, with a mark for what was left out between them."""
    runs: list[Span] = []
    for start, end in spans:
        if runs and not text[runs[-1][1] : start].strip():
            runs[-1] = runs[-1][0], end
        else:
            runs.append((start, end))
    if not runs:
        return ""
    said = f" {GAP} ".join(text[start:end].strip() for start, end in runs)
    before, after = text[: runs[0][0]].strip(), text[runs[-1][1] :].strip()
    return f"{f'{GAP} ' if before else ''}{said}{f' {GAP}' if after else ''}"
