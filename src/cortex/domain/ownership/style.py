"""How a message is laid out and worded: signs that need no table of a language.

Who passes on a text writes a line above or below it in another manner: without capitals or full stops, a question,
a short last paragraph that does not say "I". And some words are more common around other people's texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from cortex.domain.ownership.span import Place
from cortex.domain.ownership.words import either
from cortex.languages.lists import alternatives

_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?!\s*(?:\n|\Z)))*")
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s*|\n+")
_BREAKS = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+|(?<=[:：])\s*")
_STOPS = frozenset(".!?…。！？:：")
_ASKS = frozenset("?？")
_QUOTES = frozenset("\"“„«「'")
_SELF = re.compile(rf"(?i){either('first_person')}")
_SMALL_I = re.compile(rf"\b(?:{alternatives('speaker in haste')})\b")
_LARGE_I = re.compile(r"\bI\b")
_LINE_HEAD = re.compile(r"[^\W\d_][\w.'-]{0,20}(?: \d{1,4})?")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|[?？!！:：]")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_BRIEF = 0.3
_HEAD, _TAIL = 1_500, 500
"""How much of a long message is read."""
_LONGEST_SENTENCE = 300
_LENGTH, _LONGEST = 120, 5
_MOST_LINES, _MOST_PARAGRAPHS = 5, 4
_FEWEST_LINES = 3


def style_of(text: str) -> frozenset[str]:
    """The signs of how `text` is laid out, and of its words."""
    text = text.strip()
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return frozenset((*_layout(text, lines), *_wording(text))) if lines else frozenset()


def paragraphs_between(text: str) -> Place | None:
    """Where the body of a message stands, without a brief first or last paragraph; None in a single paragraph."""
    places = [each.span() for each in _PARAGRAPH.finditer(text)]
    if len(places) < 2:
        return None
    most = _BRIEF * len(text)
    first = int(places[0][1] - places[0][0] < most)
    last = len(places) - int(places[-1][1] - places[-1][0] < most)
    return (places[first][0], places[last - 1][1]) if first < last else (places[0][0], places[-1][1])


# --- layout -----------------------------------------------------------------------------------------------------------


def _layout(text: str, lines: Sequence[str]) -> Iterator[str]:
    paragraphs = [each.group().strip() for each in _PARAGRAPH.finditer(text)]
    yield f"layout: {min(len(paragraphs), _MOST_PARAGRAPHS)} paragraphs"
    yield f"layout: {min(len(lines), _MOST_LINES)} lines"
    yield f"layout: length {min(_LONGEST, len(text) // _LENGTH)}"
    if text[0] in _QUOTES:
        yield "layout: opens with a quote"
    if len(lines) > 1:
        yield from _of_edges("line", lines, len(text))
    if len(paragraphs) > 1:
        yield from _of_edges("paragraph", paragraphs, len(text))
        yield from (f"layout: {name} paragraph without I"
                    for name, each in (("first", paragraphs[0]), ("last", paragraphs[-1]))
                    if not _SELF.search(each))  # fmt: skip
    if _SMALL_I.search(text):
        yield "layout: small i and large I" if _LARGE_I.search(text) else "layout: small i"
    yield from _of_case([each.strip() for each in _SENTENCES.split(text) if each.strip()])
    if len(lines) >= _FEWEST_LINES:
        heads = Counter(found.group() for line in lines if (found := _LINE_HEAD.match(line)))
        again = sum(count > 1 for count in heads.values())
        if again:
            yield "layout: a line head again"
        if again > 1:
            yield "layout: two line heads again"


def _of_edges(unit: str, pieces: Sequence[str], length: int) -> Iterator[str]:
    """How the first and the last line or paragraph end, and how long they are beside the whole."""
    for name, each in (("first", pieces[0]), ("last", pieces[-1])):
        if each[-1] not in _STOPS:
            yield f"layout: {name} {unit} open"
        if each[-1] in _ASKS:
            yield f"layout: {name} {unit} asks"
        if each[-1] in ":：":
            yield f"layout: {name} {unit} ends with a colon"
        if len(each) < _BRIEF * length:
            yield f"layout: {name} {unit} brief"
    if pieces[0][0].islower() and any(each[0].isupper() for each in pieces[1:]):
        yield f"layout: first {unit} small, later large"
    if pieces[-1][0].islower() and any(each[0].isupper() for each in pieces[:-1]):
        yield f"layout: last {unit} small, earlier large"


def _of_case(sentences: Sequence[str]) -> Iterator[str]:
    """Which sentences begin with a small letter."""
    small = [each[0].islower() for each in sentences]
    if small[0]:
        yield "layout: begins small"
    if len(small) > 1 and small[0] and not any(small[1:]):
        yield "layout: only the first sentence small"
    if len(small) > 1 and small[-1] and not any(small[:-1]):
        yield "layout: only the last sentence small"


# --- words ------------------------------------------------------------------------------------------------------------


def _wording(text: str) -> Iterator[str]:
    """The words of a message, and those of its first and last sentence."""
    yield from (f"word: {each}" for each in _words(text))
    sentences = [each.strip() for each in _BREAKS.split(text) if each and each.strip()]
    yield from (f"first word: {each}" for each in _words(sentences[0][:_LONGEST_SENTENCE]))
    yield from (f"last word: {each}" for each in _words(sentences[-1][:_LONGEST_SENTENCE]))


def _words(text: str) -> Iterator[str]:
    """Words in small letters; of a script without spaces, each letter and each pair of letters."""
    for word in _WORD.findall(text.casefold()):
        if len(word) > 1 and _UNSPACED.search(word):
            yield from word
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word
