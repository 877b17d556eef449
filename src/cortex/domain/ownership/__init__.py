"""Whose words a message holds: the speaker's own, quoted, pasted, another speaker's, or fiction.

One reader for all that asks: nothing but own words is extracted as the user's or taken for a rule, and a line of the
block that shows other words says so. The signs are general (a request to work on a text, marks of quotes and mail,
names before colons, the opening of a play, a change of hands); `languages` has the words of each.
Where the end of the other's words is not marked they go on to the end of the message, except for a closing question
after a blank line: a missed fact stays in its turn, a wrong one becomes the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from cortex.domain import instructions
from cortex.domain.ownership import signs
from cortex.domain.ownership.clauses import clauses_of
from cortex.domain.ownership.extents import QUOTES, end_of_text, stop_after
from cortex.domain.ownership.frames import framed_spans, letters, quoted_statements, received_spans, reported_spans
from cortex.domain.ownership.handover import Handed, announces_text, comes_back, hand_overs
from cortex.domain.ownership.marks import marked_spans
from cortex.domain.ownership.phrases import CALLS_ASSISTANTS, TO_ASSISTANTS, Found, compiled, find_phrases
from cortex.domain.ownership.requests import readable, requested_spans
from cortex.domain.ownership.signs import Framing
from cortex.domain.ownership.span import Owner as Owner
from cortex.domain.ownership.span import OwnershipReason as OwnershipReason
from cortex.domain.ownership.span import Place
from cortex.domain.ownership.span import Span as Span
from cortex.domain.ownership.speakers import (
    assistant_spans,
    chats,
    conversations,
    guest_spans,
    played_spans,
    transcripts,
)
from cortex.domain.ownership.style import paragraphs_between
from cortex.domain.ownership.words import either
from cortex.domain.text import sentences
from cortex.languages.lists import finder

GLANCE = 8_000
"""How much of a text is read where recall asks: it has no time for long ones."""
MOST_CARRIED = 20
"""How many messages of the user a play, or a guest at the keyboard, lasts where nothing ends it."""


def spans(text: str, speaker: str = "") -> tuple[Span, ...]:
    """The whole of `text` in order; `speaker` is the name the host gives to its speaker."""
    whole: list[Span] = []
    at = 0
    for each in foreign(text, speaker):
        if at < each.start:
            whole.append(Span(at, each.start, Owner.OWN))
        whole.append(each)
        at = each.stop
    return (*whole, Span(at, len(text), Owner.OWN)) if at < len(text) else tuple(whole)


def foreign(text: str, speaker: str = "") -> tuple[Span, ...]:
    """What of `text` is not its speaker's own, in order and apart."""
    return (_in_short if len(text) <= _SHORT_TEXT else _in_long)(text, speaker)


def _foreign(text: str, speaker: str) -> tuple[Span, ...]:
    plain = readable(text)
    phrases, marked = find_phrases(plain), [*marked_spans(plain)]
    found = [*marked, *_marks(text, plain, speaker, phrases)]
    read = _read(plain, speaker, phrases, marked)
    found += _weighed(plain, speaker, read, is_marked=any(each.is_sure for each in found))
    return tuple(_apart(sorted(found, key=lambda each: (each.start, -each.stop))))


def _marks(text: str, plain: str, speaker: str, phrases: Found) -> Iterator[Span]:
    """Words that marks beside `marked_spans` set apart as somebody else's: these need no weighing."""
    yield from transcripts(plain, speaker)
    yield from chats(text, speaker)
    yield from assistant_spans(plain, phrases)


def _read(plain: str, speaker: str, phrases: Found, marked: Sequence[Span]) -> list[Span]:
    """Words that may be somebody else's by the wordings beside them."""
    found = [*requested_spans(plain, phrases, marked), *conversations(plain, speaker)]
    for find in (received_spans, reported_spans, played_spans, guest_spans):
        found += find(plain, phrases)
    found += [*framed_spans(plain, speaker, phrases, [*marked, *found]), *quoted_statements(plain), *letters(plain)]
    return [*found, *_handed_over(plain, [*marked, *found])]


def signs_of(text: str) -> frozenset[str]:
    """All that a message shows of whose words it holds, for those who fit the weights; none where marks decide."""
    plain = readable(text)
    phrases, marked = find_phrases(plain), [*marked_spans(plain)]
    if any(each.is_sure for each in (*marked, *_marks(text, plain, "", phrases))):
        return frozenset()
    read = signs.framing(plain[:GLANCE])
    return read.signs | _of_readers(_read(plain, "", phrases, marked))


def _of_readers(found: Iterable[Span]) -> frozenset[str]:
    return frozenset(f"read: {each.reason}" for each in found if each.is_sure)


_SHORT_TEXT = 2_048
_in_short = lru_cache(maxsize=4_096)(_foreign)
_in_long = lru_cache(maxsize=64)(_foreign)
"""What is recalled is recalled again: a text is read once, as long as there is room. It depends on nothing else."""


def _weighed(text: str, speaker: str, found: Sequence[Span], *, is_marked: bool) -> Iterator[Span]:
    """`found`, as sure as all that the message shows makes it, and its body where that makes it somebody else's.

    Where marks set somebody else's words apart, the rest of the message is not handed over by signs alone.
    """
    if speaker and not found:
        return  # a speaker the host names hands nothing over by signs alone, so none have to be weighed
    read = signs.framing(text[:GLANCE])
    if not read.is_known or (found and "one clause" in read.signs):
        yield from found  # there is too little to weigh: the wordings decide
        return
    if not found and _is_reply(text, read.signs):
        return
    weights = signs.weights()
    score = weights.score(read.signs | _of_readers(found))
    if speaker:
        # A speaker that the host names talks with people, and hands them no text to work on.
        found = [each for each in found if each.reason is not OwnershipReason.HAND_OVER or score >= weights.sure]
    is_read = any(each.is_sure for each in found)
    least = weights.sure if read.signs >= _TELLS else weights.alone
    if score < (weights.doubtful if found else least):
        return
    if score < weights.sure and instructions.split(text).condition:
        # "When you give me chords, write them above the lyrics": what is to be done each time hands nothing over now.
        found = [each for each in found if each.reason is not OwnershipReason.HAND_OVER]
    is_sure = score >= (weights.agreed if is_read else weights.sure)
    yield from (replace(each, is_sure=is_sure and (each.is_sure or not is_read)) for each in found)
    if not found and (_only_instructs(text) or compiled(TO_ASSISTANTS).search(text[: stop_after(text, 0)])):
        return
    if (
        (is_sure or not found)
        and not (speaker or is_marked)
        and all(each.reason is OwnershipReason.HAND_OVER for each in found)
    ):
        yield Span(*_body(text, read), _owner(read.signs), OwnershipReason.HAND_OVER, is_sure=is_sure)


def _only_instructs(text: str) -> bool:
    """Whether all that a message says, after a word or two, is a rule for the assistant: "Perfect. Btw always …"."""
    said = [text[start:end].split() for start, end in sentences(text)]
    while said and len(said[0]) <= _IN_PASSING:
        del said[0]
    return len(said) == 1 and instructions.is_instruction(" ".join(said[0]))


_IN_PASSING = 2
_TELLS = frozenset({"opens with I", "layout: 1 lines"})
"""Who begins with themselves and goes on in the same line tells something, unless much speaks against it."""


def _is_reply(text: str, signs: frozenset[str]) -> bool:
    """Whether a message answers the assistant, and none of it hands over a text."""
    if len(text) > _LONGEST_REPLY or not _HANDED.isdisjoint(signs) or _ANSWERS.match(text.lstrip(_EDGES)) is None:
        return False
    return all(compiled(_SELF).search(each[1]) for each in _LEADS.finditer(text))


_ANSWERS = finder("answers the assistant")
_EDGES = " \t\n*_¡¿"
_LEADS = re.compile(r"(?:^|(?<=[.!?。！？\n]))([^.!?。！？\n]*)[:：][ \t]*\n")
"""What leads to the lines below it: "Next one:" hands them over, "I have two questions:" does not."""
_SELF = rf"(?i){either('first_person')}"
_LONGEST_REPLY = 600
_HANDED = frozenset(
    {
        "frame: hands over, yes",
        "frame: hands",
        "frame: story",
        "guest",
        "body: orders",
        "body: signs off",
        "body: greets later",
    }
)


def _body(text: str, read: Framing) -> Place:
    """The words of a message that are handed over: a guest says all of it."""
    if _owner(read.signs) is Owner.OTHER_SPEAKER:
        return 0, len(text)
    return paragraphs_between(text) or (read.start, read.stop)


def _owner(signs: frozenset[str]) -> Owner:
    hands_over = any(each.startswith("frame: hands over") for each in signs)
    if any(each.startswith("frame: story") for each in signs):
        return Owner.FICTION
    is_there = any(each.startswith(("opening: ", "first: relation", "first: device")) for each in signs)
    return Owner.OTHER_SPEAKER if "guest" in signs or (is_there and not hands_over) else Owner.PASTED


def warm() -> None:
    """Compile what most texts need, so that the first recall does not wait for it."""
    foreign(_SAMPLE)
    instructions.split(_SAMPLE)  # few texts need it, but its patterns take a fifth of what a turn may wait


_SAMPLE = (
    "I can't find the report you sent me yesterday, could you look at it in the app? My sister said: this is what we"
    " have to do here, as it was, so let me now send them a note. He is on the way, she will go, they are at home.\n"
    "What would you like for dinner? Here are my plans: I go to the gym on Monday."
)


def own_words(text: str, speaker: str = "") -> str:
    """`text` without what is not its speaker's own."""
    return "".join(text[each.start : each.stop] for each in spans(text, speaker) if each.owner is Owner.OWN)


def is_own(text: str, start: int, stop: int, speaker: str = "") -> bool:
    """Whether nothing between two places of `text` is somebody else's."""
    return not any(each.start < stop and start < each.stop for each in foreign(text, speaker))


def owners(text: str, speaker: str = "", shown: str | None = None, *, is_note: bool = False) -> tuple[Owner, ...]:
    """Who else speaks in `text`, near its beginning; with `shown`, in the sentences of it that are shown. Not code.

    A note has headings and lists, whoever wrote it, and speaks of others. So the signs of a message hand over only what
    speaks of itself, or to assistants.
    """
    found = [each for each in foreign(text[:GLANCE], speaker) if each.is_sure and not each.is_code]
    if is_note:
        found = [
            each
            for each in found
            if each.reason is not OwnershipReason.HAND_OVER or _speaks(text[each.start : each.stop])
        ]
    if shown is not None and found and len(shown) < len(text):
        places = list(_places(text, shown))
        found = [each for each in found if any(each.start < stop and start < each.stop for start, stop in places)]
    return tuple(dict.fromkeys(each.owner for each in found))


def _speaks(text: str) -> bool:
    return any("say" in clause.any for clause in clauses_of(text)) or bool(compiled(CALLS_ASSISTANTS).search(text))


def _places(text: str, shown: str) -> Iterator[Place]:
    """Where the pieces of an excerpt stand in its text; a piece that is not found may stand anywhere."""
    for piece in shown.split("…"):
        if piece := piece.strip():
            at = text.find(piece)
            yield (at, at + len(piece)) if at >= 0 else (0, len(text))


def carried(messages: Sequence[str]) -> list[Owner | None]:
    """Of a user's messages in their order: whose words each is by what was said before it, where that is another's.

    A play in which the user takes a part, and a guest at the keyboard, last until they are ended. A text that was
    announced is the next message.
    """
    found: list[Owner | None] = []
    lasting: Owner | None = None
    left = 0
    for message in messages:
        plain = readable(message[:GLANCE])
        phrases = find_phrases(plain, _LASTING)
        ends = bool(phrases["plays_no_more"] or phrases["guests_no_more"])
        ends = ends or (lasting is Owner.OTHER_SPEAKER and comes_back(plain))
        if ends or left == 0:
            lasting = None
        found.append(lasting)
        left = max(0, left - 1)
        if opened := _opens(phrases) or (None if ends else _hands_on(plain)):
            lasting, left = opened, 1 if opened is Owner.PASTED else MOST_CARRIED
    return found


_LASTING = ("plays_on", "plays_no_more", "guests", "guests_no_more", "announces", "asks", "asks_after")


def _opens(phrases: Found) -> Owner | None:
    """Whose words the next messages are, after one with these phrases."""
    ended = max((each.end() for each in (*phrases["plays_no_more"], *phrases["guests_no_more"])), default=0)
    if any(each.start() >= ended for each in phrases["plays_on"]):
        return Owner.FICTION
    if any(each.start() >= ended for each in phrases["guests"]):
        return Owner.OTHER_SPEAKER
    return Owner.PASTED if phrases["announces"] and (phrases["asks"] or phrases["asks_after"]) else None


def _hands_on(text: str) -> Owner | None:
    """Who goes on to speak in the next messages, where the keyboard, or a part in a play, is handed over."""
    found = list(hand_overs(text))
    if not found and announces_text(text):
        return Owner.PASTED
    return next((_OWNER_OF[each.handed] for each in found if each.is_sure and each.lasts), None)


_OWNER_OF = {
    Handed.TEXT: Owner.PASTED,
    Handed.STORY: Owner.FICTION,
    Handed.KEYBOARD: Owner.OTHER_SPEAKER,
}
_REQUESTED = frozenset({OwnershipReason.REQUEST, OwnershipReason.FRAME, OwnershipReason.RECEIVED})


def _handed_over(text: str, known: Sequence[Span]) -> Iterator[Span]:
    """What follows clauses that speak of a text, of others or of a story, where no other sign says more."""
    is_known = any(each.is_sure for each in known)
    if any(each.reason not in _REQUESTED or text[each.start] in QUOTES for each in known):
        return
    for each in hand_overs(text[:GLANCE]):
        stop = end_of_text(text, each.start) if each.stop is None else each.stop
        is_sure = each.is_sure and not is_known
        yield Span(each.start, stop, _OWNER_OF[each.handed], OwnershipReason.HAND_OVER, is_sure=is_sure)


_RANK = (Owner.PASTED, Owner.QUOTED, Owner.OTHER_SPEAKER, Owner.FICTION)
"""Whose words are counted first where signs overlap: what comes from outside may carry orders."""


def _apart(found: Sequence[Span]) -> list[Span]:
    """`found` in order, those that overlap made one; one with prose in it is prose."""
    apart: list[Span] = []
    for each in found:
        if each.start >= each.stop:
            continue
        if apart and each.start < apart[-1].stop:
            last = apart.pop()
            most = min(last, each, key=lambda one: _RANK.index(one.owner))
            is_code = last.is_code and each.is_code
            is_sure = last.is_sure or each.is_sure
            each = Span(last.start, max(last.stop, each.stop), most.owner, most.reason, is_code, is_sure)
        apart.append(each)
    return apart
