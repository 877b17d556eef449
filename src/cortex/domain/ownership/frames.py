"""Texts that others wrote, by the words before them, by quotation marks, or as a letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cortex.domain.ownership.clauses import asks_to_create, speaks_of
from cortex.domain.ownership.extents import (
    QUOTATION,
    QUOTES,
    announced,
    end_of_text,
    is_inside,
    only_closes,
    sentence_start,
    skip_space,
    stop_after,
)
from cortex.domain.ownership.phrases import (
    ANY_CASE,
    FIRST_PERSON,
    LANGUAGES,
    NOT_TEXTS,
    NOUN,
    PEOPLE,
    POINTS,
    STATED,
    SUBJECT,
    THESE_WORDS,
    TO_ASSISTANTS,
    Found,
    compiled,
    phrase_pattern,
)
from cortex.domain.ownership.span import Owner, OwnershipReason, Span
from cortex.domain.ownership.words import alternatives, bounded, either
from cortex.languages import OWNERSHIP as WORDS

_MINE = rf"{ANY_CASE}{bounded('my')} (?:\w{{1,24}} ){{0,1}}\Z"
_SELVES = rf"{ANY_CASE}{phrase_pattern('selves')} {{0,2}}(?:[\w']{{1,20}} ){{0,2}}\Z"
COLON = r"[^.!?\n:：\"“]{0,24}[:：](?!\d|//)"
_DASH = rf"{ANY_CASE}(?:{'|'.join(f'(?<={each.this})' for each in WORDS.values() if each.this)}) [-–—] "
_WHAT = rf"{ANY_CASE}{bounded('what')}[^.!?\n:：]{{1,60}}\Z"
_LINE_END = r"[^.!?\n:：]{0,60}\n"
_SALUTES = (
    rf"{ANY_CASE}(?m:^)[ >*]{{0,4}}(?:{phrase_pattern('salutes')} ?[^\n]{{1,60}}[,:，：!]?|"
    rf"[^\n。、:：]{{1,14}}(?:{alternatives('salutes_after', spaced=False)})) {{0,3}}\n"
)
_GREETS = rf"{ANY_CASE}(?m:^)[ >*]{{0,4}}{phrase_pattern('greets')} [^\n,:!]{{1,40}}[,:!] {{0,3}}\n"
_SIGNS_OFF = (
    rf"{ANY_CASE}(?m:^)[ >*]{{0,4}}{phrase_pattern('signs_off')}[,.!:，。]?(?: {{1,3}}[^\n]{{1,40}})? {{0,3}}(?=\n|\Z)"
)


def received_spans(text: str, phrases: Found) -> Iterator[Span]:
    """What follows "here is the mail I got:"."""
    for found in phrases["received"]:
        stop = stop_after(text, found.end())
        beside = text[found.start() : stop]
        named = compiled(NOUN).search(beside)
        is_named = named is not None and not compiled(_MINE).search(beside[: named.start()])
        opens = text[stop : stop + 1] in _OPENS_TEXT or (
            text[stop : stop + 1] == "." and compiled(_PIECES).search(beside)
        )
        if (
            opens
            and (is_named or compiled(THESE_WORDS).search(beside))
            and not _is_for_assistant(beside, text[stop + 1 :])
        ):
            yield from announced(text, stop + 1, Owner.PASTED, OwnershipReason.RECEIVED)
            return


_FOR_YOU = rf"{ANY_CASE}{either('for_you')}"
_REPORTS_ON = rf"{ANY_CASE}\s*{bounded('they')}|\s*{bounded('asks_on')}[^.!?\n]{{1,120}}\?"


def _is_for_assistant(frame: str, said: str) -> bool:
    """Whether words before a colon open what the user tells or asks: "a note for you", "I got a mail: they moved"."""
    return compiled(_FOR_YOU).search(frame) is not None or compiled(_REPORTS_ON).match(said) is not None


_OPENS_TEXT = frozenset(":：\n")
_PIECES = rf"{ANY_CASE}{bounded('pieces')}"


def reported_spans(text: str, phrases: Found) -> Iterator[Span]:
    """What follows "my boss wrote:", and "this is what my boss wrote" on a line of its own."""
    for found in phrases["wrote"]:
        start = max(0, found.start() - 48)
        sentence = text[sentence_start(text, found.start()) : stop_after(text, found.end())]
        if compiled(_SELVES).search(text[start : found.start()]) or asks_to_create(speaks_of(sentence)):
            continue
        end = compiled(COLON).match(text, found.end()) or compiled(_DASH).match(text, found.end())
        if end is None and compiled(_WHAT).search(text[start : found.start()]):
            end = compiled(_LINE_END).match(text, found.end())
        if end is None or compiled(FIRST_PERSON).search(end.group()) or compiled(_REPORTS_ON).match(text, end.end()):
            continue
        if "recipe" in speaks_of(sentence):
            # What a manual says is of use to the user, and ends with its sentence.
            yield Span(
                end.end(),
                stop_after(text, end.end()),
                Owner.OTHER_SPEAKER,
                OwnershipReason.SAID_BY_OTHERS,
                is_sure=False,
            )
            continue
        yield from announced(text, end.end(), Owner.QUOTED, OwnershipReason.SAID_BY_OTHERS)
        return


_LONGEST_FRAME = 160
_MOST_FRAMES = 40
_SHORT = 24
_LEAST_SAID = 12
_ENDS_FRAME = r"[:：](?!\d|//)|\n|[.!?](?=\s)|[。！？]|>{2,4}|[-=]>|→"
_COLONS = frozenset({":", "：", ">>", ">>>", ">>>>", "->", "=>", "→"})
_WORKS = rf"{ANY_CASE}{phrase_pattern('works')}"
_OWN_FRAMES = rf"{ANY_CASE}\W{{0,3}}(?:{bounded('frame_leads')} ){{0,2}}{phrase_pattern('own_frames')}"
_IMPERATIVE = rf"{ANY_CASE}\A\W{{0,3}}[\w'-]{{1,24}}(?= {bounded('after_imperative')})"
_BELOW = rf"{ANY_CASE}{either('below')}"
_ONLY_A_LANGUAGE = (
    rf"{ANY_CASE}\W{{0,3}}(?:{bounded('please', 'inserts', 'into')}[ ,]{{1,2}}){{0,2}}"
    rf"{phrase_pattern('languages', spaced=True)}(?:[ ,]{{1,2}}{bounded('please')})?\W{{0,3}}\Z"
)
_MY_PEOPLE = rf"{ANY_CASE}{bounded('my')} (?:\w{{1,20}} )?{phrase_pattern('people', spaced=True)}"
_MY = rf"{ANY_CASE}{bounded('my', 'our')}|{alternatives('my', spaced=False)}"
_GOT = rf"{ANY_CASE}{bounded('got')}"
_DUTY = rf"{ANY_CASE}{bounded('duty')}"


def framed_spans(text: str, speaker: str, phrases: Found, known: Sequence[Span]) -> Iterator[Span]:
    """First-person statements after words that tell of somebody else, of a text, or of work on it."""
    start = 0
    pointed_at = [each.start() for each in phrases["these"]]
    for number, end in enumerate(compiled(_ENDS_FRAME).finditer(text)):
        if number == _MOST_FRAMES:
            return
        begin, start = start, end.end()
        frame, mark = text[begin : end.start()], end.group()
        is_plain = mark not in _COLONS and (number or mark != "\n")
        points = any(begin <= at < start for at in pointed_at) or text[start : start + 1] == "\n"
        if is_plain and len(frame) > _SHORT and not points:
            continue
        if speaker and frame.strip().casefold() == speaker.casefold():
            continue
        after = skip_space(text, end.end())
        if not frame.strip() or len(frame) > _LONGEST_FRAME or after >= len(text):
            continue
        if is_inside(end.start(), known) or is_inside(after, known):
            continue
        stop = stop_after(text, after + 1)
        said = text[after : stop if stop > after + _LEAST_SAID else after + _LONGEST_FRAME]
        if text[after] in QUOTES or not compiled(FIRST_PERSON).search(said) or only_closes(text[after:]):
            continue
        if _is_for_assistant(frame, said):
            continue
        sets_apart = "\n" in text[end.start() : after]
        if _is_frame(frame, mark, is_first=number == 0, sets_apart=sets_apart):
            stop = end_of_text(text, after)
            yield Span(after, stop, Owner.QUOTED, OwnershipReason.FRAME, is_sure=not _is_vague(frame))
            return


def _is_vague(frame: str) -> bool:
    """Whether words before a colon name a person, and then something of theirs that is no text: "Grandma's garden"."""
    named = compiled(PEOPLE).search(frame)
    after = frame[named.end() :].split() if named else []
    tells = {"text", "work", "tongue", "come", "judge", "typing"}
    return bool(after) and not speaks_of(frame) & tells and not compiled(NOUN).search(frame)


def _is_frame(frame: str, mark: str, *, is_first: bool, sets_apart: bool) -> bool:
    """Whether words that end with `mark` announce somebody else's; `sets_apart` says that those begin a line."""
    points = compiled(POINTS).search(f"{frame}{mark}") is not None
    names_work = compiled(_WORKS).search(frame) is not None or (
        points and compiled(LANGUAGES).search(frame) is not None
    )
    spoken_of = speaks_of(frame)
    if compiled(NOT_TEXTS).search(frame) or "recipe" in spoken_of or asks_to_create(spoken_of):
        return False
    if compiled(_ONLY_A_LANGUAGE).match(frame):
        return True
    if mark not in _COLONS:
        # A full stop announces less than a colon does: the sentence has to point at the text, and name it or the work.
        named = names_work or (sets_apart and (is_first or compiled(NOUN).search(frame) is not None))
        below = sets_apart and compiled(_BELOW).search(frame) is not None and compiled(NOUN).search(frame) is not None
        if compiled(_DUTY).search(frame):
            return below
        return (points and named) or below or (mark == "\n" and is_first and _reports(frame))
    if compiled(_OWN_FRAMES).match(frame) and not (points and names_work):
        return False
    if compiled(SUBJECT).search(frame):
        return points or names_work or compiled(_GOT).search(frame) is not None
    if compiled(_MY_PEOPLE).search(frame):
        return True
    if compiled(_MY).search(frame):
        return points and names_work
    if points or names_work:
        return True
    rest = compiled(_IMPERATIVE).sub("", frame)
    return any(compiled(each).search(rest) for each in (LANGUAGES, NOUN, PEOPLE))


def _reports(line: str) -> bool:
    """Whether a line without an end tells of somebody else's text: "Our CEO's memo says"."""
    return all(compiled(each).search(line) for each in (NOUN, PEOPLE)) and not compiled(SUBJECT).search(line)


_STATED_AT_THE_END = rf"(?:{alternatives('states_at_end', spaced=False)})[。.！!]?\Z"


def quoted_statements(text: str) -> Iterator[Span]:
    """Quotations in which somebody speaks of themselves."""
    for found in compiled(QUOTATION).finditer(text):
        said = found.group()[1:-1]
        is_long = len(said.split()) >= 3 or (not said.isascii() and len(said) >= 6)
        if is_long and (compiled(STATED).match(said.lstrip()) or compiled(_STATED_AT_THE_END).search(said)):
            said_in = text[sentence_start(text, found.start()) : stop_after(text, found.end())]
            is_sure = not _is_title(text, *found.span()) and "recipe" not in speaks_of(said_in)
            yield Span(*found.span(), Owner.QUOTED, OwnershipReason.QUOTATION, is_sure=is_sure)


_LONGEST_TITLE = 9
_LONGEST_UNSPACED_TITLE = 16
_ENDS_SENTENCE = r"[.!?。！？]\s*\Z"
_SAID_SO = rf"{ANY_CASE}[:：]\s*\Z|{either('said_so')}"


def _is_title(text: str, start: int, stop: int) -> bool:
    """Whether a quotation may be the title of a book or a song: short, no sentence, and said by nobody."""
    said = text[start + 1 : stop - 1].strip()
    is_spaced = said.isascii() or " " in said
    is_short = len(said.split()) <= _LONGEST_TITLE and (is_spaced or len(said) <= _LONGEST_UNSPACED_TITLE)
    before = text[sentence_start(text, start) : start]
    if not is_short or not before.strip() or compiled(_ENDS_SENTENCE).search(said):
        return False
    return not compiled(_SAID_SO).search(before) and "work" not in speaks_of(before)


def letters(text: str) -> Iterator[Span]:
    """Letters: a salutation to somebody else, up to the name below its ending."""
    if "\n" not in text:
        return
    for pattern in (_SALUTES, _GREETS):
        opened = compiled(pattern).search(text)
        if opened is None or compiled(TO_ASSISTANTS).search(opened.group().strip()):
            continue
        closed = compiled(_SIGNS_OFF).search(text, opened.end())
        if closed is None and pattern is _GREETS:
            continue
        yield Span(opened.start(), _below(text, closed.end()) if closed else end_of_text(text, opened.start()),
                   Owner.QUOTED, OwnershipReason.MAIL)  # fmt: skip
        return


_SIGNATURE = r"\n(?: {0,3}\n)? {0,3}[^\n]{1,40}(?=\n|\Z)(?:\n {0,3}[^\s][^\n]{0,39}(?=\n|\Z)){0,2}"


def _below(text: str, at: int) -> int:
    """The end of the lines with a name below the ending of a letter."""
    signed = compiled(_SIGNATURE).match(text, at)
    return signed.end() if signed else at
