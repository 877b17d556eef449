"""Whether a message hands over somebody else's words, judged clause by clause and not by listed wordings.

What its clauses speak of tells a hand-over: "rate my brother's profile" names a verdict, a person and a text. What the
next clauses state in the first person is then not the user's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from itertools import pairwise, takewhile

from cortex.domain.ownership.clauses import (
    KANA,
    PAUSES,
    SHORT,
    Clause,
    asks_to_create,
    clause_at,
    clauses_of,
    folded,
    names_own_text,
)
from cortex.domain.ownership.words import alternatives, bounded, either
from cortex.languages.lists import finder

_APPROVES = finder("approves")
_ME = re.compile(rf"(?i){either('me')}")


_REQUEST = re.compile(rf"(?i)\s*{bounded('request_opens')}")


_LABEL = 3


class Handed(Enum):
    """What is handed over."""

    TEXT = "text"
    STORY = "story"
    KEYBOARD = "keyboard"


class Sure(IntEnum):
    """How sure a hand-over is."""

    NO = 0
    DOUBTFUL = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class HandOver:
    """From where to where the words of a message are not the user's."""

    start: int
    stop: int | None
    handed: Handed
    is_sure: bool
    lasts: bool = False
    """The next messages are not the user's either."""


def asks_for_work(text: str) -> bool:
    """Whether some words surely ask for work on a text, or for more of a story, that has to follow."""
    clause = clause_at(text, 0, len(text), "")
    return not clause.tells and Sure.YES in (hands_over_text(clause), hands_over_story(clause))


_OF_TEXTS = frozenset(
    {"work", "text", "this", "point", "judge", "come", "hire", "fraud", "answer", "unit", "tongue", "publish"}
)


def hands_over_text(clause: Clause) -> Sure:
    if not clause.any & _OF_TEXTS or _approves(clause):
        return Sure.NO
    return max((_hands_over(seen, clause) for seen in clause.seen.values()), default=Sure.NO)


def _hands_over(seen: frozenset[str], clause: Clause) -> Sure:
    """How sure a clause hands over a text, by what meets in it."""
    if "you" in clause.any or asks_to_create(seen) or ("code" in seen and "flaw" not in seen):
        return Sure.NO
    if clause.any & {"later", "recipe"} and not seen & {"pointed", "other"}:
        return Sure.NO
    works = bool(seen & {"work", "length"}) or _turns_into_language(seen)
    if "text" in seen and "people" not in seen and names_own_text(clause.said):
        return Sure.DOUBTFUL if works and "pointed" in seen else Sure.NO
    if clause.tells:
        return Sure.DOUBTFUL if "pointed" in seen and (works or "come" in seen) else Sure.NO
    if "pointed" in seen:
        return _points_at_text(seen, clause, works)
    if works:
        return _works_on_text(seen, clause)
    return _judges_text(seen, clause)


def _approves(clause: Clause) -> bool:
    """Whether a clause is pleased with what the assistant said, and asks for nothing: "That sounds like a plan"."""
    found = _APPROVES.match(clause.said)
    return found is not None and not clause.asks and (clause.tells or PAUSES.search(clause.said, found.end()) is None)


def _turns_into_language(seen: frozenset[str]) -> bool:
    """ "This in Dutch", and not "answer in Dutch"."""
    return "tongue" in seen and bool(seen & {"pointed", "text", "bare"}) and not seen & {"judge", "answer"}


def _points_at_text(seen: frozenset[str], clause: Clause, works: bool) -> Sure:
    """ "Make this shorter", "is this CV too long", "she sent me this"."""
    if works or "pointed_text" in seen or seen & {"fraud", "hire"}:
        return Sure.YES
    if seen & {"people", "text"} and seen & {"come", "judge", "publish"}:
        return Sure.YES
    is_request = clause.asks or not (clause.first & {"this", "point", "i", "the", "own"} or "intro" in seen)
    return Sure.DOUBTFUL if is_request or "come" in seen else Sure.NO


def _works_on_text(seen: frozenset[str], clause: Clause) -> Sure:
    """ "Proofread the letter", and "any typos?": where nothing else is named, the text has to be in the message."""
    if "learn" in seen:
        return Sure.NO
    if "definite" in seen or ("people" in seen and seen & {"text", "come", "publish"}):
        return Sure.YES
    if "other" not in seen and (_is_bare(seen, clause) or _needs_text(seen, clause)):
        return Sure.YES
    if "other" in seen:
        return Sure.YES if "rework" in seen else Sure.NO
    return Sure.DOUBTFUL if "text" in seen or ("people" in seen and clause.is_short) else Sure.NO


def _is_bare(seen: frozenset[str], clause: Clause) -> bool:
    """Whether a request names nothing but the work; "Errors:" is a label."""
    return "bare" in seen and (clause.size > 1 or clause.asks or "flaw" not in seen)


def _needs_text(seen: frozenset[str], clause: Clause) -> bool:
    """Whether mistakes are looked for, or a length is set, in words that name little else."""
    if "flaw" in seen and ("\n" in clause.mark or "judge" in seen):
        return clause.is_short or clause.asks
    return "length" in seen and clause.is_short


def _judges_text(seen: frozenset[str], clause: Clause) -> Sure:
    """ "Would you hire her?", "thoughts on my sister's essay?", "what should I write back?"."""
    if clause.asks and "fraud" in seen:
        return Sure.YES
    if "hire" in seen and (clause.asks or "judge" in seen) and not _ME.search(clause.said):
        return Sure.YES
    is_fragment = clause.is_short and "come" not in seen and clause.mark not in {",", "，", "、"}
    reported = clause.early & {"people", "i"} and "judge" not in seen and not is_fragment and not clause.asks
    if {"text", "people"} <= seen and not reported and (clause.asks or "judge" in seen or clause.is_short):
        return Sure.YES
    if "definite" in seen and "judge" in seen and (clause.asks or "judge" in clause.early):
        return Sure.YES
    found = clause.is_short and "\n" in clause.mark and "come" in clause.early
    if {"text", "come"} <= seen and (clause.asks or found):
        return Sure.YES
    if "answer" in seen and (_says_what(clause) or "tongue" in seen):
        return Sure.NO
    if "answer" in seen:
        return Sure.YES if clause.asks else Sure.DOUBTFUL if "people" in seen else Sure.NO
    if clause.asks and "judge" in seen and seen & {"people", "come", "text"}:
        return Sure.DOUBTFUL
    is_line = "text" in clause.first and "people" not in seen
    return Sure.DOUBTFUL if "come" in seen and seen & {"people", "text"} and not is_line else Sure.NO


def _says_what(clause: Clause) -> bool:
    """Whether a clause tells what is to be answered, or when: "reply that I'm late"."""
    return clause.at.get("that", -1) > clause.at.get("answer", 0)


def hands_over_story(clause: Clause) -> Sure:
    if not clause.any & {"story", "play", "goes_on"}:
        return Sure.NO
    return max((_tells(seen, clause) for seen in clause.seen.values()), default=Sure.NO)


def _tells(seen: frozenset[str], clause: Clause) -> Sure:
    if "you" in clause.any or (clause.tells and not seen & {"second", "part"}):
        return Sure.NO
    goes_on = seen & {"story", "create", "pointed"} or ("bare" in seen and clause.is_apart)
    if "goes_on" in seen and not clause.tells and goes_on:
        return Sure.YES
    if "story" in seen and seen & {"play", "opening"} and not asks_to_create(seen):
        return Sure.YES
    if {"play", "part"} <= seen or ({"story", "part"} <= seen and clause.at["story"] < clause.at["part"]):
        return Sure.YES
    if "story" in seen and "second" in seen and not clause.asks and not _REQUEST.match(clause.said):
        return Sure.YES
    if {"play", "hero"} <= seen:
        return Sure.YES
    if "play" in seen or ("story" in seen and not clause.asks and (clause.is_short or clause.is_apart)):
        return Sure.DOUBTFUL
    return Sure.NO


def states(clause: Clause) -> bool:
    """Whether somebody speaks of themselves in a clause."""
    return "say" in clause.any and not clause.asks


def greets(clause: Clause) -> bool:
    return clause.at.get("greet") == 0


_CARD = re.compile(
    r"\s*[A-ZÀ-Þ][\w.'-]{1,20}(?: [A-ZÀ-Þ][\w.'-]{0,20}){0,3}(?:,| \() ?\d{2}\b"
    r"|\s*[\u3400-\u9fff\u3040-\u30ff]{2,8}[，、,（ (]\s?[\d一二三四五六七八九十]{1,4}"
    rf" ?(?:{alternatives('years_old', spaced=False)})"
)


def is_card(clause: Clause) -> bool:
    """Whether a clause opens a profile: a name and an age."""
    return _CARD.match(clause.said) is not None


_IT = re.compile(rf"(?i){bounded('it')}")
_ASIDE = re.compile(rf"(?i)\W{{0,3}}{either('opens_aside')}")
_REPORTED = re.compile(rf"(?:{alternatives('reported', spaced=False)})\s*\Z")


def _talks(clause: Clause) -> bool:
    """Whether the user speaks of the task, or aside."""
    of_task = clause.any & {"pointed", "text", "work", "create"} or _IT.search(clause.said) is not None
    if _ASIDE.match(clause.said) or _REPORTED.search(clause.said):
        return True
    return "talk" in clause.first and bool(of_task)


# --- a message ------------------------------------------------------------------------------------------------------


def hand_overs(text: str) -> Iterator[HandOver]:
    """Which words of `text` are handed over, where some are."""
    clauses = clauses_of(text)
    if visitor := guest(text, clauses):
        yield visitor
    yield from _play(text, clauses[:3])
    if len(clauses) < 2:
        return
    if found := _handed(text, clauses) or _handed_before(text, clauses) or _cv(clauses):
        yield found


def comes_back(text: str) -> bool:
    """Whether the user says at the start to have the keyboard again."""
    opening = [piece for clause in clauses_of(text)[:2] for piece in _pieces(text, clause)]
    return any("back" in each.any and each.is_short for each in opening[:3])


def announces_text(text: str) -> bool:
    """Whether a short message asks for work on a text that is still to come: "can you proofread something?"."""
    clauses = clauses_of(text)
    seen = [fields for each in clauses for fields in each.seen.values() if not each.any & {"you", "later", "create"}]
    is_new = any(each & {"rework", "flaw"} and "text" in each and not each & {"pointed", "definite"} for each in seen)
    is_brief = len(clauses) <= 2 and not any(each.is_long for each in clauses)
    return is_new and is_brief and not names_own_text(text)


def _play(text: str, clauses: Sequence[Clause]) -> Iterator[HandOver]:
    """A play that begins at the end of a message: nothing of it is said yet."""
    seen = [fields for each in clauses if not each.asks for fields in each.seen.values()]
    parts = any("play" in one.any and "part" in next_.early for one, next_ in pairwise(clauses))
    if parts or any("play" in each and each & {"part", "story"} for each in seen):
        yield HandOver(len(text), len(text), Handed.STORY, True, lasts=True)


def _handed(text: str, clauses: Sequence[Clause]) -> HandOver | None:
    """What follows the clauses that hand it over."""
    sure = story = Sure.NO
    opens = False
    for number, (clause, after) in enumerate(pairwise(clauses)):
        tale = hands_over_story(clause)
        opens = opens or (bool(sure or story) and "opening" in clause.any)
        is_aside = number == 1 and is_aside_after(clauses[0], clause)
        ours = Sure.NO if is_aside else hands_over_text(clause)
        sure = _sum(sure, ours)
        handed_parts = "play" in clause.any and ("part" in after.early or "hero" in after.any)
        story = Sure.YES if handed_parts or (story and opens) else _sum(story, tale)
        if _is_letter_after(clause, after) or (is_card(after) and (sure or clause.asks)):
            sure = Sure.YES
        if not sure and not story and not is_aside and _is_introduced(clause, after):
            sure = Sure.DOUBTFUL
        level = max(sure, story)
        is_strong = sure is Sure.YES or any(each.any & {"goes_on", "play", "second"} for each in clauses[: number + 1])
        may_be_any = level is Sure.YES and is_strong
        if not level or not _begins(after, clause.is_apart, may_be_any, clauses[number + 1 :]):
            continue
        if level is Sure.DOUBTFUL and (greets(after) or (clause.is_apart and states(after))) and (sure or tale):
            level = Sure.YES
        if clause.mark == "," and (ours or tale):
            if level is Sure.DOUBTFUL:
                continue
            level = Sure.YES if handed_parts else Sure.DOUBTFUL
        handed = Handed.STORY if story > sure or (story and story == sure) else Handed.TEXT
        lasts = handed is Handed.STORY and any("play" in each.any for each in clauses[: number + 1])
        return HandOver(_skip(text, after.start), None, handed, level is Sure.YES, lasts)
    return None


_LEAST_SAID = 3


def _is_letter_after(clause: Clause, after: Clause) -> bool:
    """Whether somebody greets and speaks of themselves, after words that greet nobody."""
    is_label = clause.size <= _LABEL and ":" in clause.mark
    return (
        greets(after) and states(after) and not is_label and not greets(clause) and not hands_over_text(after)
    )  # fmt: skip


def is_aside_after(greeting: Clause, clause: Clause) -> bool:
    """Whether a word or two still belong to a greeting: "Hey! New here. …"."""
    return (
        greets(greeting) and greeting.is_short and clause.size <= _LABEL and not clause.asks and ":" not in clause.mark
    )


def _is_introduced(clause: Clause, after: Clause) -> bool:
    """Whether somebody tells a name after other words, or speaks another language than those."""
    if "name" in after.any and not greets(clause) and clause.mark != "," and "name" not in clause.any:
        return clause.asks or not clause.any & {"i"}
    return bool(clause.seen and after.seen) and not clause.seen.keys() & after.seen.keys() and after.size > SHORT


def _sum(one: Sure, other: Sure) -> Sure:
    """Two doubtful signs make a sure one."""
    return max(one, other) if not one or not other else Sure.YES


def _begins(clause: Clause, apart: bool, may_be_any: bool, rest: Sequence[Clause]) -> bool:
    """Whether another's words begin with a clause, after one that hands them over or goes on about it.

    Where the hand-over is sure they `may_be_any`; else somebody has to speak of themselves, or give orders.
    """
    if greets(clause) or is_card(clause):
        return True
    if hands_over_text(clause) is Sure.YES or hands_over_story(clause) is Sure.YES or (_talks(clause) and not apart):
        return False
    if not states(clause) and (clause.asks or clause.size < _LEAST_SAID):
        return False
    if not states(clause) and not may_be_any and not ORDERS.search(clause.said):
        return False
    # A blank line sets the text apart: what stands before it is still said about it.
    return apart or not any("\n\n" in each.mark for each in rest[:-1])


ORDERS = re.compile(rf"(?i){either('orders')}")
_LEAST_BEFORE = 3


def _handed_before(text: str, clauses: Sequence[Clause]) -> HandOver | None:
    """What stands above a last line that only asks for work on it."""
    *before, last = clauses
    if last.size > 2 * SHORT or not any(map(states, before)):
        return None
    sure = hands_over_text(last)
    if "\n" not in before[-1].mark:
        if sure is not Sure.YES or "pointed" not in last.any or not last.any & {"work", "tongue"}:
            return None
        is_sure = len(before) >= _LEAST_BEFORE and "pointed_text" in last.any
        return HandOver(_skip(text, clauses[0].start), before[-1].stop, Handed.TEXT, is_sure)
    if sure is Sure.YES or any(
        "work" in seen and "create" not in seen and (last.is_short or "pointed" in seen) for seen in last.seen.values()
    ):
        return HandOver(_skip(text, clauses[0].start), before[-1].stop, Handed.TEXT, sure is Sure.YES)
    return None


_LEAST_HEADINGS = 2


def _cv(clauses: Sequence[Clause]) -> HandOver | None:
    """A CV by its headings, each on a line of its own."""
    found = [
        each for each in clauses if "heading" in each.first and each.size <= 2 * (1 + 2 * (not each.said.isascii()))
        and ("\n" in each.mark or ":" in each.mark)
    ]  # fmt: skip
    return HandOver(found[0].start, None, Handed.TEXT, True) if len(found) >= _LEAST_HEADINGS else None


_MINE = re.compile(bounded("my", "our"))
_OF_SOMEBODY = re.compile(f"{alternatives('genitive', spaced=True)}|{alternatives('genitive', spaced=False)}")


_NAMED = re.compile(rf"\s*[A-ZÀ-Þ][a-zà-ÿ]{{1,20}} (?!{bounded('not_after_name')})[a-zà-ÿ]")
_IS_BUSY = re.compile(alternatives("is_busy", spaced=False))
_IS_NAMED = re.compile(rf"{bounded('introduces')} [A-ZÀ-Þ][a-zà-ÿ]")


def guest(text: str, clauses: Sequence[Clause]) -> HandOver | None:
    """Somebody else at the keyboard, who says at the start who they are."""
    greeting = list(takewhile(lambda clause: not clause.is_long, clauses[:3]))
    # What a clause in plain letters does not speak of, none of its pieces does.
    if not any(_OF_GUESTS & clause.at.keys() or not clause.said.isascii() for clause in greeting):
        return None
    opening = [piece for clause in greeting for piece in _pieces(text, clause)][:_MOST_PIECES]
    gone = any(_is_gone(each) for each in opening if not _is_mine(each))
    for number, piece in enumerate(opening):
        mine = _is_mine(piece)
        for seen in piece.seen.values():
            if sure := _is_guest(piece, seen, opening, number, mine=mine, gone=gone):
                start = _skip(text, piece.start if sure is Sure.DOUBTFUL or number == 0 else opening[0].start)
                return HandOver(start, None, Handed.KEYBOARD, sure is Sure.YES, lasts=sure is Sure.YES)
    return None


def _is_guest(
    piece: Clause, seen: frozenset[str], opening: Sequence[Clause], number: int, *, mine: bool, gone: bool
) -> Sure:
    """How sure somebody else says in one of the first clauses who they are, or is given the keyboard.

    `mine` says that the clause speaks of what is the user's, `gone` that one of the first tells that somebody left.
    """
    if "create" in piece.first:
        return Sure.NO
    before = opening[number - 1] if number else piece
    is_named = bool(number) and "intro" in before.any and before.size <= _LONGEST_INTRO and "i" not in seen
    is_intro = "relation" in seen and ("intro" in seen or is_named) and not mine and piece.size <= 2 * SHORT
    is_intro = is_intro and not _is_for_relation(piece)
    theirs = "their" in seen and not KANA.search(piece.said)
    of_somebody = theirs or _OF_SOMEBODY.search(piece.said) is not None
    presents = is_named or "i" not in seen or "typing" in seen
    if is_intro and (gone or (of_somebody and presents) or "typing" in seen):
        return Sure.YES
    if gone and len(opening) > 1 and (seen & {"name"} or "typing" in seen or _IS_NAMED.search(piece.said)):
        return Sure.YES
    if "hands" in seen and seen & {"relation", "people"} and seen & {"device", "typing"}:
        return Sure.YES
    takes_part = "device" in seen or ("i" in seen and piece.is_short and not mine and "come" not in seen)
    if number == 0 and {"typing", "relation"} <= seen and takes_part:
        return Sure.YES
    borrows = {"intro", "device"} <= piece.any and bool(piece.any & {"relation", "people"})
    is_likely = is_intro and of_somebody and (presents or "greet" in opening[0].first)
    return Sure.DOUBTFUL if is_likely or borrows else Sure.NO


_MOST_PIECES = 8
_OF_GUESTS = frozenset({"relation", "device", "away", "hands"})
"""Without one of these, nobody says who they are, and nobody is given the keyboard."""

_LONGEST_INTRO = 5


def _is_mine(piece: Clause) -> bool:
    return _MINE.search(folded(piece.said)) is not None


def _is_for_relation(piece: Clause) -> bool:
    """Whether some words speak of a relation only as of somebody something is for: "it's the Olive Tree for mum"."""
    found = _FOR.search(piece.said)
    return found is not None and "relation" not in clause_at(piece.said, 0, found.start(), "").any


_FOR = re.compile(rf"(?i){bounded('recipient')}")


def _is_gone(piece: Clause) -> bool:
    """Whether some words tell that somebody left, or lent something."""
    named = piece.any & {"people", "relation", "device"} or _NAMED.match(piece.said)
    named = named or _IS_BUSY.match(piece.said)
    lent = "device" in piece.any and bool(piece.any & {"people", "their"}) and piece.is_short
    return not piece.asks and (lent or ("away" in piece.any and bool(named)))


def _pieces(text: str, clause: Clause) -> Iterator[Clause]:
    """A clause cut at its pauses."""
    if not PAUSES.search(text, clause.start, clause.stop):
        yield clause
        return
    start = clause.start
    for pause in PAUSES.finditer(text, clause.start, clause.stop):
        if text[start : pause.start()].strip():
            yield clause_at(text, start, pause.start(), pause.group())
        start = pause.end()
    if text[start : clause.stop].strip():
        yield clause_at(text, start, clause.stop, clause.mark)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at
