"""Statements within a sentence: what a person says of themself often stands beside what they ask for.

"Given that my budget is $450, can you suggest a bike?" states one thing and asks another. A sentence is cut where a new
subject begins; the parts that only ask are left out, and what is left together is one statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from cortex.capture.prose import BLANK
from cortex.languages.pack import ClauseWords, compiled

LONGEST_WORDS = 40
"""A statement of more words is cut into several."""
_MOST_CLAUSES = 40
_FEWEST_WORDS = 3
_FIGURE = re.compile(r"\d")
_WORD = re.compile(r"\w+")
"""Contractions are two: "I'm vegetarian" states as much as "I am vegetarian"."""
_EDGES = f" \t\n,;:–—{BLANK}"


@dataclass(frozen=True, slots=True)
class ClauseSpan:
    start: int
    end: int
    asks: bool


def statements(text: str, start: int, end: int, words: ClauseWords) -> list[tuple[int, int]]:
    """The spans of what the sentence states, each of at most forty words where its clauses allow."""
    runs: list[tuple[int, int]] = []
    is_open = False
    for clause in clauses(text, start, end, words):
        if clause.asks or (is_open and compiled(words.trails).match(text, clause.start, clause.end)):
            is_open = False
        elif is_open and len(text[runs[-1][0] : clause.end].split()) <= LONGEST_WORDS:
            runs[-1] = (runs[-1][0], clause.end)
        else:
            runs.append((clause.start, clause.end))
            is_open = True
    trimmed = (_trimmed(text, begin, stop, words) for begin, stop in runs)
    return [span for span in trimmed if _states(text, *span, words)]


def mentions(text: str, start: int, end: int, words: ClauseWords) -> Iterator[tuple[int, int]]:
    """The spans of what a sentence names of the speaker's with a value, where it only asks."""
    if _FIGURE.search(text, start, end):
        for clause in clauses(text, start, end, words):
            if clause.asks and (found := compiled(words.mentions).search(text, clause.start, clause.end)):
                yield found.span()


def _states(text: str, start: int, end: int, words: ClauseWords) -> bool:
    said = text[start:end]
    passes = (compiled(pattern).search(said) for pattern in (words.phrases, words.unreal, words.errands))
    return len(_WORD.findall(said)) >= _FEWEST_WORDS and not any(passes)


def clauses(text: str, start: int, end: int, words: ClauseWords) -> list[ClauseSpan]:
    """The clauses of a sentence, and whether each only asks. What hangs on a question by "and" asks too."""
    spans = list(_whole(text, _spans(text, start, end, words), words))
    is_question = text[start:end].rstrip(" )\"'").endswith("?")
    found: list[ClauseSpan] = []
    for begin, stop in spans:
        asks = bool(compiled(words.asks).match(text, begin, stop))
        link = text[found[-1].end : begin].strip(" ,").casefold() if found else ""
        hangs = bool(found) and found[-1].asks and link in words.joins
        if not asks and hangs:
            asks = not compiled(words.stands).match(text, begin, stop)
        if is_question and stop == end and not asks:
            asks = not found or hangs
        found.append(ClauseSpan(begin, stop, asks))
    return found


def _spans(text: str, start: int, end: int, words: ClauseWords) -> Iterator[tuple[int, int]]:
    at = start
    for cut in islice(compiled(words.breaks).finditer(text, start, end), _MOST_CLAUSES):
        if compiled(words.couples).search(text, at, cut.start()) and cut.group().strip(" ,") in words.joins:
            continue
        if cut.start() > at:
            yield at, cut.start()
        at = cut.end()
    if at < end:
        yield at, end


def _whole(text: str, spans: Iterator[tuple[int, int]], words: ClauseWords) -> Iterator[tuple[int, int]]:
    """The spans, where what is no clause of its own belongs to the one before."""
    held: tuple[int, int] | None = None
    for begin, stop in spans:
        has_verb = len(text[begin:stop].split()) >= _FEWEST_WORDS and compiled(words.verb).search(text, begin, stop)
        if held is None or has_verb or _is_short_question(text, begin, stop, words):
            if held is not None:
                yield held
            held = (begin, stop)
        else:
            held = (held[0], stop)
    if held is not None:
        yield held


def _is_short_question(text: str, begin: int, stop: int, words: ClauseWords) -> bool:
    """Whether a sentence ends by asking without a verb: "…, any ideas?"."""
    return text[stop - 1 : stop] == "?" and compiled(words.asks).match(text, begin, stop) is not None


def _trimmed(text: str, start: int, end: int, words: ClauseWords) -> tuple[int, int]:
    while start < end and text[start] in _EDGES:
        start += 1
    while end > start and text[end - 1] in _EDGES:
        end -= 1
    if opening := compiled(words.opens).match(text, start, end):
        start = opening.end()
    if closing := compiled(words.closes).search(text[start:end]):
        end = start + closing.start()
    return start, end
