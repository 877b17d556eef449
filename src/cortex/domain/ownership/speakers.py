"""Other speakers: transcripts, play, guests at the keyboard, assistants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from cortex.domain.ownership.extents import announced, end_of_text, sentence_start
from cortex.domain.ownership.frames import COLON
from cortex.domain.ownership.phrases import ANY_CASE, SUBJECT, Found, compiled, phrase_pattern
from cortex.domain.ownership.span import Owner, OwnershipReason, Span
from cortex.domain.ownership.words import alternatives, either

_ACTS = r"\A {0,3}\*[a-z]{2,20}s\b[^*\n]{0,80}\*(?!\*)"
_DIALOGUE = rf"{ANY_CASE}{phrase_pattern('dialogue')}\Z"
_FIELD = rf"{ANY_CASE}{phrase_pattern('fields')}\Z"
_CLOCK = r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? ?)?\d{1,2}[:.]\d{2}(?::\d{2})?(?: ?[ap]m)?"
_ASKED_AND_ANSWERED = (
    rf"(?m)(?:^|(?<=[.?!] ))(?:{alternatives('question_and_answer', spaced=True)}"
    rf"|{alternatives('question_and_answer', spaced=False)})[.)] (?=\S)"
)
_TIMED = rf"(?m)^[\[(]?{_CLOCK}[\])]?[ ,–-]{{1,3}}(?=[A-ZÀ-ÞА-ЯЁ][\w'-]{{1,20}} )"
_LABEL = (
    rf"(?im)(?:^[ *_-]{{0,4}}|(?<=[.!?…] )|(?<=[。！？]))(?P<time>[\[(]?{_CLOCK}[\])]?[ ,–-]{{0,3}})?"
    r"(?:<(?P<nick>[\w.|-]{1,24})>|[*_]{0,2}(?P<name>[^\W\d_][\w.'-]{0,23}(?: [\w.'-]{1,20}){0,2})[*_]{0,2}"
    rf"(?: ?[\[(]{_CLOCK}[\])])?[*_]{{0,2}} ?[:：](?!//|\d{{2}})[*_]{{0,2}}) {{0,2}}(?=\S)"
)
_SPEECH = rf"{ANY_CASE}{either('first_person', 'speech')}|[?？]"
_MOST_LABELS = 400


def transcripts(text: str, speaker: str) -> Iterator[Span]:
    """Lines with the names of those who say them; those of the speaker, where the host names one, are own."""
    timed = [each.start() for pattern in (_TIMED, _ASKED_AND_ANSWERED) for each in compiled(pattern).finditer(text)]
    if len(timed) >= 2 and not speaker:
        yield Span(timed[0], _end_of_line(text, timed[-1]), Owner.OTHER_SPEAKER, OwnershipReason.TRANSCRIPT)
    lines = _labeled_lines(text)
    if _takes_turns(lines):
        yield from _spoken_by(lines, text, speaker)


def conversations(text: str, speaker: str) -> Iterator[Span]:
    """Lines with a name each that nobody says twice: people who talk, or the fields of a form."""
    lines = _labeled_lines(text)
    if not _takes_turns(lines) and _may_talk(text, lines):
        yield from _spoken_by(lines, text, speaker)


def _labeled_lines(text: str) -> list[re.Match[str]]:
    if not any(mark in text for mark in ":：<"):
        return []
    found = list(islice(compiled(_LABEL).finditer(text), _MOST_LABELS))
    if len(found) < 2:
        return []
    return [each for each in found if each["time"] or each["nick"] or not _is_field(each["name"])]


def _spoken_by(lines: Sequence[re.Match[str]], text: str, speaker: str) -> Iterator[Span]:
    ends = [*(each.start() for each in lines[1:]), end_of_text(text, lines[-1].start())]
    for line, end in zip(lines, ends, strict=True):
        if not speaker or _who(line) != speaker.casefold():
            yield Span(line.start(), end, Owner.OTHER_SPEAKER, OwnershipReason.TRANSCRIPT)


_SPOKEN_LINE = (
    r"(?m)^[ *_]{0,4}(?P<name>[^\W\d_][\w.'-]{0,20}(?: [\w.'-]{1,16})?)(?:[ \t]{2,8}|\t|\u3000| [-–—] )(?=\S)"
    r"|^(?P<unspaced>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,6}) (?=\S)|^ {0,3}(?P<dash>[—–]) ?(?=\S)"
)
_FEWEST_LINES = 3


def chats(text: str, speaker: str) -> Iterator[Span]:
    """Lines that begin with names and a gap, without any colon: at least two take turns, and one speaks again."""
    if speaker or text.count("\n") < _FEWEST_LINES - 1:
        return
    lines = [each for each, _ in zip(compiled(_SPOKEN_LINE).finditer(text), range(_MOST_LABELS), strict=False)]
    names = [(each["name"] or each["unspaced"] or each["dash"]).casefold() for each in lines]
    takes_turns = len(set(names)) >= 2 and any(names.count(each) >= 2 for each in set(names))
    asks_and_answers = set(names) == {"—"} and "?" in text[lines[0].start() :]
    if len(lines) >= _FEWEST_LINES and (takes_turns or asks_and_answers):
        yield Span(
            lines[0].start(), _end_of_line(text, lines[-1].start()), Owner.OTHER_SPEAKER, OwnershipReason.TRANSCRIPT
        )


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _is_field(name: str) -> bool:
    return compiled(_FIELD).match(name) is not None


def _who(line: re.Match[str]) -> str:
    return (line["nick"] or line["name"] or "").casefold()


def _takes_turns(lines: Sequence[re.Match[str]]) -> bool:
    """Whether lines have times, somebody speaks twice, or the names are those of parts in a talk."""
    if len(lines) < 2:
        return False
    if sum(bool(each["time"] or each["nick"]) for each in lines) >= 2:
        return True
    names = [_who(each) for each in lines]
    if len(set(names)) < 2:
        return False
    return len(names) > len(set(names)) or sum(compiled(_DIALOGUE).match(name) is not None for name in names) >= 2


def _may_talk(text: str, lines: Sequence[re.Match[str]]) -> bool:
    """Whether there are two names, and what stands after them may be speech."""
    if len({_who(each) for each in lines}) < 2 or not all(_is_name(each["nick"] or each["name"]) for each in lines):
        return False
    ends = [*(each.start() for each in lines[1:]), len(text)]
    said = [text[line.end() : end].strip() for line, end in zip(lines, ends, strict=True)]
    return any(compiled(_SPEECH).search(each) for each in said) and all(
        len(each.split()) >= 3 or not each.isascii() for each in said[:2]
    )


def _is_name(name: str) -> bool:
    return name[:1].isupper() or not name[:1].isascii()


_CAST = rf"{ANY_CASE}{either('cast')}"


def played_spans(text: str, phrases: Found) -> Iterator[Span]:
    begun = phrases["plays"][0] if phrases["plays"] else compiled(_ACTS).search(text)
    # "Write a poem about my garden" plays nobody.
    if begun and (compiled(SUBJECT).search(text, begun.start()) or compiled(_CAST).search(text, begun.start())):
        yield _until(phrases["plays_no_more"], text, begun.start(), Owner.FICTION, OwnershipReason.PLAY)


def guest_spans(text: str, phrases: Found) -> Iterator[Span]:
    if phrases["guests"]:
        start = phrases["guests"][0].start()
        yield _until(phrases["guests_no_more"], text, start, Owner.OTHER_SPEAKER, OwnershipReason.GUEST)
    for passed_on in phrases["asks_for_others"]:
        if colon := compiled(COLON).match(text, passed_on.end()):
            yield from announced(text, colon.end(), Owner.OTHER_SPEAKER, OwnershipReason.GUEST)


def _until(ends: Sequence[re.Match[str]], text: str, at: int, owner: Owner, reason: OwnershipReason) -> Span:
    """From the sentence that `at` stands in to the first of `ends` after it, or to the end."""
    stop = next((each.start() for each in ends if each.start() > at), len(text))
    return Span(sentence_start(text, at), stop, owner, reason)


def assistant_spans(text: str, phrases: Found) -> Iterator[Span]:
    """What an assistant says, under whatever role it comes."""
    opens = next((each for each in phrases["assistant_opens"] if not text[: each.start()].strip(_EDGES)), None)
    closes = opens is not None and any(each.start() >= opens.end() for each in phrases["assistant_closes"])
    if phrases["is_assistant"] or closes:
        yield Span(0, len(text), Owner.OTHER_SPEAKER, OwnershipReason.ASSISTANT)


_EDGES = " \n*_#>-!¡¿"
