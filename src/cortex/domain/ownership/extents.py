"""Where somebody else's words begin and end in a message, once something tells that they are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cortex.domain.ownership.phrases import ANY_CASE, CLOSES, STATED, compiled
from cortex.domain.ownership.span import Owner, OwnershipReason, Span
from cortex.domain.ownership.words import either

FENCE = r"(?m)^ {0,3}(`{3,}|~{3,})[ \t]*([\w+#.-]*)"
LONGEST_REQUEST = 240
_STOP = r"[:：](?!\d|//)|\n|[\"“„«「『]|(?<=[\s(])'(?=\S)|[.!?](?=\s|\Z)|[。！？]"
QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "「": "」", "『": "』", "'": "'"}
_LEAST_QUOTED = 8
_REST_OF_SENTENCE = r" {0,2},? {0,2}(?=[a-zà-ÿа-я])[^.!?\n]{1,400}[.!?]?"
_SENTENCE_STARTS = r"[.!?。！？\n:：]\s{0,3}"


def quotation_at(text: str, at: int, *, goes_on: bool = False) -> Iterator[Span]:
    """The quotation that opens at `at`; one that is never closed goes to the end of its line.

    It `goes_on` to the end of the sentence where that goes on after it.
    """
    closing = QUOTES[text[at]]
    found = [place for mark in closing if (place := text.find(mark, at + 1, at + 4_000)) > 0]
    line = text.find("\n", at)
    stop = min(found) if found else line if line >= 0 else len(text)
    if goes_on and (rest := compiled(_REST_OF_SENTENCE).match(text, stop + 1)):
        stop = rest.end() - 1
    if stop - at >= _LEAST_QUOTED or not text[at + 1 : stop].isascii():
        yield Span(at, min(stop + 1, len(text)), Owner.QUOTED, OwnershipReason.REQUEST)


def pasted_from(
    text: str, start: int, owner: Owner = Owner.PASTED, reason: OwnershipReason = OwnershipReason.REQUEST
) -> Span:
    return Span(start, end_of_text(text, start), owner, reason)


def end_of_text(text: str, start: int) -> int:
    """Where a text ends that begins at `start`: at the end of the message, or before the question that closes it."""
    stop = len(text)
    for paragraph in reversed(list(compiled(r"\n[ ]*\n\s*").finditer(text, start))):
        after = text[paragraph.end() : stop]
        if not (only_closes(after) or _speaks_aside(after)):
            break
        stop = paragraph.start()
    return stop


_LONGEST_CLOSING = 240
_SENTENCES = r"[^.!?。！？\n]+[.!?。！？\n]*"


def only_closes(text: str) -> bool:
    """Whether some words are only a question to the assistant about what stands before them, or a thank you."""
    said = text.strip()
    if len(said) > _LONGEST_CLOSING:
        return False
    pieces = [each for each in compiled(_SENTENCES).findall(said) if each.strip()]
    return all(compiled(CLOSES).search(each) or _is_question(each.strip()) for each in pieces)


_ASIDE = rf"{ANY_CASE}{either('asides')}"


def _speaks_aside(text: str) -> bool:
    """Whether a last paragraph is the user's again: an aside, or what to do about the text above."""
    return len(text) <= _LONGEST_CLOSING and compiled(_ASIDE).search(text) is not None


def _is_question(sentence: str) -> bool:
    return sentence.endswith(("?", "？")) and not compiled(STATED).match(sentence)


def stop_after(text: str, at: int) -> int:
    found = compiled(_STOP).search(text, at, min(len(text), at + LONGEST_REQUEST))
    return found.start() if found else min(len(text), at + LONGEST_REQUEST)


def sentence_start(text: str, at: int) -> int:
    start = max(0, at - LONGEST_REQUEST)
    for found in compiled(_SENTENCE_STARTS).finditer(text, start, at):
        start = found.end()
    return start


def skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def is_inside(at: int, others: Iterable[Span]) -> bool:
    return any(each.start <= at < each.stop for each in others)


def announced(text: str, at: int, owner: Owner, reason: OwnershipReason) -> Iterator[Span]:
    """What stands after an announcement: a quotation, a block with marks of its own, or the rest."""
    start = skip_space(text, at)
    if start >= len(text) or compiled(FENCE).match(text, start) or text[start] in ">＞<":
        return
    if text[start] in QUOTES:
        yield from quotation_at(text, start)
    elif not only_closes(text[start:]):
        yield pasted_from(text, start, owner, reason)


QUOTATION = (
    r"\"[^\"\n]{8,2000}\"|“[^“”\n]{4,2000}”|«[^«»\n]{8,2000}»|„[^„“”\n]{8,2000}[“”]"
    r"|「[^「」\n]{4,2000}」|『[^『』\n]{4,2000}』"
)
