"""What a message shows of whose words it holds, as named signs, and what they weigh together.

A message that hands over a text has a frame, at its start or at its end ("shortlist or bin?"), and a body in which
somebody speaks. No list of wordings finds either: the frame is described by what its clauses speak of, the body
by how it speaks, and a logistic regression weighs both. `python -m bench.capture.fit_ownership` fits the weights.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum

from cortex.domain.ownership import weights as fitted
from cortex.domain.ownership.clauses import Clause, asks_to_create, clauses_of, names_own_text, speaks_of
from cortex.domain.ownership.handover import (
    ORDERS,
    greets,
    guest,
    hands_over_story,
    hands_over_text,
    is_aside_after,
    is_card,
)
from cortex.domain.ownership.style import style_of
from cortex.domain.ownership.words import alternatives, bounded, either
from cortex.languages import HANDOVER
from cortex.languages import OWNERSHIP as WORDS

# Words that every language has few of. They open no text and name nothing, so that an author cannot choose others.

_SPEAKS = re.compile(rf"(?i){either('opens_with_i', 'speaks')}")
_OPENS_WITH_I = re.compile(
    rf"(?i)\W{{0,3}}(?:\w{{1,12}}[, ]{{1,2}}){{0,2}}{bounded('opens_with_i')}"
    rf"|\W{{0,3}}.{{0,3}}(?:{alternatives('opens_with_i', spaced=False)})"
)
_OPENS_WITH_MINE = re.compile(
    rf"(?i)\W{{0,3}}(?:(?:{alternatives('before_mine', spaced=True)}) )?{bounded('my', 'our', 'opens_with_mine')}"
    rf"|\W{{0,3}}.{{0,2}}(?:{alternatives('opens_with_mine', spaced=False)})"
)
_MY = re.compile(
    rf"(?i){bounded('my', 'our')}(?= ((?:[\w'-]{{1,24}} )?[\w'-]{{1,24}}))"
    rf"|(?:{alternatives('my', 'our', spaced=False)})(?=(.{{1,6}}))"
)
_ME = re.compile(rf"(?i){either('to_me')}")
_FOR = re.compile(rf"(?i){either('recipient')}")
_FROM = re.compile(rf"(?i){either('origin')}")
_THIRD = re.compile(rf"(?i){either('third_person')}")
_INTRODUCES = re.compile(
    rf"{bounded('introduces', 'introduces_loosely')} (?:{alternatives('titles', spaced=True)})?[A-ZÀ-Þ][a-zà-ÿ]+"
    rf"|(?i:{either('names_self')})"
)
_YOU = re.compile(rf"(?i){either('you')}")
_FILLS = re.compile(rf"(?i){either('interjections')}")
_SIGNS_OFF = re.compile(
    rf"(?i){bounded('closings')}[,.! ]{{0,3}}(?:[A-ZÀ-Þ]\w|\Z)|{alternatives('closings', spaced=False)}"
)
_UNKNOWN = re.compile("(?i)" + "|".join(rf"\b(?:{WORDS[code].known_by})\b" for code in WORDS if code not in HANDOVER))
"""A language that does not list its words for what a clause speaks of."""
_MINE = re.compile(rf"(?i){either('own')}")
_AUTHORS = re.compile(rf"(?i){either('authors')}")
_FOR_MINE = re.compile(rf"(?i){either('for_mine')}")
_BULLET = re.compile(r"(?m)^ {0,4}(?:[-*•・]|\d{1,2}[.)]? )")
_QUOTE = re.compile(r"[\"“„«「『»]")

_FIELDS = frozenset(
    "work tone rework code flaw unit tongue learn judge text this point the fraud hire come publish people story hero"
    " opening goes_on play part second create answer that own later recipe you talk relation their typing device away"
    " hands pointed pointed_text definite new_text length bare of_others other".split()
)
_PAIRS = (
    ("text", "people"),
    ("text", "come"),
    ("text", "create"),
    ("text", "work"),
    ("people", "come"),
    ("people", "judge"),
    ("people", "pointed"),
    ("people", "answer"),
    ("people", "away"),
    ("people", "device"),
    ("pointed", "work"),
    ("pointed", "judge"),
    ("definite", "work"),
    ("definite", "judge"),
    ("story", "opening"),
    ("story", "play"),
    ("story", "second"),
    ("play", "part"),
    ("relation", "intro"),
    ("relation", "their"),
    ("relation", "typing"),
    ("relation", "away"),
    ("relation", "device"),
    ("device", "away"),
    ("device", "their"),
)
_FIRST = ("greet", "relation", "their", "intro", "name", "typing", "device", "away", "hands")
_OPENING_PAIRS = (
    ("relation", "intro"),
    ("relation", "their"),
    ("relation", "typing"),
    ("relation", "away"),
    ("relation", "device"),
    ("people", "device"),
    ("people", "away"),
    ("people", "typing"),
    ("device", "away"),
    ("device", "their"),
    ("device", "intro"),
    ("device", "name"),
    ("intro", "their"),
)
_MOST_FRAMING = 3
_MOST_I = 4
_MOST_CLAUSES = 5
_LONGEST_LAST_PARAGRAPH = 2
_ENOUGH_TO_TELL = 7


@dataclass(frozen=True, slots=True)
class Framing:
    """A message as a frame and a body, with all that it shows."""

    start: int
    stop: int
    """Where the body stands; nowhere if both are equal."""
    signs: frozenset[str]
    is_known: bool
    """Whether some clause is in a language whose words are known; else there are too few signs to weigh."""


def framing(text: str) -> Framing:
    """What of `text` is frame and what is body, and the signs of both."""
    clauses = clauses_of(text)
    if not clauses:
        return Framing(0, 0, frozenset(), is_known=False)
    speaking = [_speaks(each) for each in clauses]
    start = next((at for at in range(1, len(clauses)) if speaking[at] or greets(clauses[at])), None)
    begin = min(1, len(clauses)) if start is None else start
    end = max(begin, _end(clauses, speaking, begin))
    head, body, foot = clauses[:begin][-_MOST_FRAMING:], clauses[begin:end], clauses[end:][-_MOST_FRAMING:]
    signs = {*_of_frame(head, "head"), *_of_frame(foot, "foot"), *_of_opening(text, clauses)}
    if start is None and len(clauses) > 1:
        signs.add("nobody speaks")
    hands_over = any(each.startswith(("frame: hands over", "frame: story")) for each in signs)
    signs.update(_of_body(body, hands_over=hands_over))
    if body:
        signs.update(_of_marks(text, clauses[begin - 1], body, foot))
        if sum(len(each.said) for each in body) > 2 * sum(len(each.said) for each in (*head, *foot)):
            signs.add("body: most of the message")
    if _BULLET.search(text):
        signs.add("bullets")
    signs.update(_of_owners(frozenset(signs)))
    signs.update(style_of(text))
    where = _place(clauses, speaking, end if foot else len(clauses))
    start = _skip(text, clauses[where].start)
    ends = bool(foot) and (any(map(_frames, foot)) or "\n" in clauses[end - 1].mark)
    stop = clauses[end - 1].stop if body and ends else len(text)
    is_known = any(each.seen for each in clauses) and _UNKNOWN.search(text) is None
    return Framing(start, max(start, stop), frozenset(signs), is_known=is_known)


def _place(clauses: Sequence[Clause], speaking: Sequence[bool], end: int) -> int:
    """Where the body begins: after the clauses that hand it over, or at the start where those stand at the end."""
    frames = [at for at in range(end) if not greets(clauses[at]) and _frames(clauses[at])]
    for at in frames:
        if at + 1 not in frames and any(speaking[at + 1 : end]):
            return at + 1
    if end < len(clauses) and _frames(clauses[end]):
        return 0
    return min(1, len(clauses) - 1)


def _frames(clause: Clause) -> bool:
    return clause.asks or bool(hands_over_text(clause) or hands_over_story(clause))


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _speaks(clause: Clause) -> bool:
    """Whether somebody speaks of themselves, and not of a text that they wrote or are about to send."""
    return not clause.asks and _SPEAKS.search(clause.said) is not None and not _is_of_text(clause)


def _is_of_text(clause: Clause) -> bool:
    return not clause.is_long and (_AUTHORS.search(clause.said) is not None or names_own_text(clause.said))


def _end(clauses: Sequence[Clause], speaking: Sequence[bool], begin: int) -> int:
    """The first clause of the frame at the end: where nobody speaks any more, or the last paragraph."""
    end = len(clauses)
    while end > 1 and not speaking[end - 1]:
        end -= 1
    lines = [at for at in range(1, len(clauses)) if "\n" in clauses[at - 1].mark]
    last = lines[-1] if lines else 0
    if begin < last and len(clauses) - last <= _LONGEST_LAST_PARAGRAPH:
        is_frame = not speaking[last] or clauses[last].asks or bool(hands_over_text(clauses[last]))
        end = min(end, last) if is_frame else end
    return end


def _of_frame(clauses: Sequence[Clause], where: str) -> Iterator[str]:
    """What the clauses before or after a body speak of."""
    if clauses:
        yield f"{where}: {len(clauses)} clauses"
    for each in clauses:
        yield from (f"frame: {field}" for field in each.any & _FIELDS)
        yield from (f"frame: {one}, {other}" for one, other in _PAIRS if one in each.any and other in each.any)
        if level := hands_over_text(each):
            yield f"frame: hands over, {level.name.lower()}"
            yield f"{where}: hands over, {level.name.lower()}"
        if level := hands_over_story(each):
            yield f"frame: story, {level.name.lower()}"
        if each.asks:
            yield "frame: asks"
            yield f"{where}: asks"
        yield from _of_people(each)
        if each.is_short:
            yield f"{where}: short"
        if each.is_long:
            yield f"{where}: long"


def _of_people(clause: Clause) -> Iterator[str]:
    """Whose the text of a frame may be."""
    if clause.tells:
        yield "frame: tells"
    if names_own_text(clause.said):
        yield "frame: own text"
    if any(map(asks_to_create, clause.seen.values())):
        yield "frame: creates"
    for found in _MY.finditer(clause.said):
        is_person = speaks_of(found.group(1) or found.group(2) or "") & {"people", "relation"}
        yield "frame: my people" if is_person else "frame: my thing"
    for name, pattern in _WHOSE:
        if pattern.search(clause.said):
            yield f"frame: {name}"
    if "text" in clause.any and _FOR.search(clause.said):
        yield "frame: text for"
    if clause.any & {"people", "relation"} and _FROM.search(clause.said):
        yield "frame: from people"
    if clause.asks and _THIRD.search(clause.said):
        yield "frame: asks about a third person"


_WHOSE = (
    ("me", _ME),
    ("for", _FOR),
    ("from", _FROM),
    ("third person", _THIRD),
    ("I", _SPEAKS),
    ("mine", _MINE),
    ("I author", _AUTHORS),
    ("for mine", _FOR_MINE),
)
_OWNERS = ("my thing", "my people", "own text", "mine", "I author", "for mine", "people", "relation", "third person")
_MADE_OF = ("hands over, yes", "hands over, doubtful", "work", "rework", "flaw", "judge", "tongue", "text")


def _of_owners(signs: frozenset[str]) -> Iterator[str]:
    """Which owners the frame names at all, and none beside the work on a text."""
    named = [each for each in _OWNERS if f"frame: {each}" in signs]
    about = [each for each in _MADE_OF if f"frame: {each}" in signs]
    if about and not named:
        yield "frame: of nobody"
    if "frame: own text" in signs or "frame: I author" in signs or "frame: mine" in signs:
        yield "frame: of the user"
        yield (
            "frame: of the user beside others"
            if {"frame: people", "frame: my people"} & signs
            else "frame: of the user alone"
        )
    yield from (f"frame: {one}, {other}" for one in named for other in about if one in _TELLING)
    if "apart: colon" in signs and not about and not named:
        yield "apart: colon after plain words"


_TELLING = frozenset({"my thing", "my people", "I author", "mine", "for mine"})


def _of_body(body: Sequence[Clause], *, hands_over: bool) -> Iterator[str]:
    """How somebody speaks in the body."""
    said = " ".join(each.said for each in body)
    count = len(_SPEAKS.findall(said))
    yield from (f"body: I {least} times" for least in range(1, _MOST_I + 1) if count >= least)
    yield f"body: {min(len(body), _MOST_CLAUSES)} clauses"
    shown = [name for name, pattern in _SPOKEN if pattern.search(said)]
    if body and greets(body[0]):
        shown.append("greets")
    for name in shown:
        yield f"body: {name}"
        yield f"body: {name} after {'a hand-over' if hands_over else 'no hand-over'}"
    if any(map(greets, body[1:])):
        yield "body: greets later"
    if _SIGNS_OFF.search(said, len(said) // 2):
        yield "body: signs off"
    if any(each.asks for each in body):
        yield "body: asks"
    if any(map(is_card, body)):
        yield "body: card"


_SPOKEN = (("introduces", _INTRODUCES), ("orders", ORDERS), ("you", _YOU), ("fills", _FILLS))


def _of_marks(text: str, before: Clause, body: Sequence[Clause], foot: Sequence[Clause]) -> Iterator[str]:
    """What sets the body apart."""
    yield f"apart: {_kind(before.mark)}"
    if _QUOTE.search(text, max(0, before.stop - 1), body[0].start + 3):
        yield "apart: in quotes"
    if text.lstrip()[:1].islower() and body[0].said.lstrip()[:1].isupper():
        yield "apart: large letters begin"
    if before.seen and body[0].seen and not before.seen.keys() & body[0].seen.keys() and body[0].size > _ENOUGH_TO_TELL:
        yield "apart: another language"
    if foot:
        yield f"foot apart: {_kind(body[-1].mark)}"


_MARKS = (
    ("blank line", "\n\n"),
    ("line", "\n"),
    ("colon", ":"),
    ("colon", "："),
    ("question", "?"),
    ("question", "？"),
)


def _kind(mark: str) -> str:
    found = next((name for name, sign in _MARKS if sign in mark), None)
    return found or ("comma" if mark.strip() in {",", "，", "、"} else "dash" if mark.strip(" -–—") == "" else "stop")


def _of_opening(text: str, clauses: Sequence[Clause]) -> Iterator[str]:
    """Who is there, by the first clauses."""
    first = clauses[0]
    yield "one clause" if len(clauses) == 1 else "two clauses" if len(clauses) == 2 else "more clauses"
    if _opens_with_i(clauses):
        yield "opens with I"
    if _OPENS_WITH_MINE.match(first.said):
        yield "opens with mine"
    yield from (f"first: {field}" for field in _FIRST if field in first.any)
    seen = frozenset().union(*(each.any for each in clauses[:3]))
    yield from (f"opening: {one}, {other}" for one, other in _OPENING_PAIRS if one in seen and other in seen)
    if found := guest(text, clauses):
        yield "guest" if found.is_sure else "guest, doubtful"


def _opens_with_i(clauses: Sequence[Clause]) -> bool:
    """Whether the user tells something of themselves at once, or right after a greeting: "Hi! I'm …"."""
    first = clauses[0]
    if len(clauses) > 1 and greets(first) and first.is_short:
        first = clauses[2] if len(clauses) > 2 and is_aside_after(first, clauses[1]) else clauses[1]
    return first.tells and _OPENS_WITH_I.match(first.said) is not None


# --- what they weigh ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnershipWeights:
    """What each sign adds, and from where on the words of a message are doubtful, or surely somebody else's."""

    bias: float
    signs: Mapping[str, float]
    doubtful: float
    """From here on words are not extracted that something beside them hands over."""
    alone: float
    """From here on others are not."""
    agreed: float
    """From here on words are labeled that a wording announces."""
    sure: float
    """From here on others are."""

    def score(self, signs: frozenset[str]) -> float:
        """The log-odds that a message with these signs holds somebody else's words."""
        return self.bias + fsum(self.signs.get(each, 0.0) for each in sorted(signs))


@cache
def weights() -> OwnershipWeights:
    """The weights that ship with the package."""
    return OwnershipWeights(fitted.BIAS, fitted.SIGNS, fitted.DOUBTFUL, fitted.ALONE, fitted.AGREED, fitted.SURE)
