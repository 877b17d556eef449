"""Turns as parts of a conversation: the reply stands for the question, and a line comes with what it needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import lru_cache

from cortex.domain.changes import opens_with_correction
from cortex.domain.hits import Around, Hit
from cortex.domain.identity import TraceId
from cortex.domain.lanes import State
from cortex.domain.memory import Memory
from cortex.domain.small_talk import SMALL_TALK, passing_reason
from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import QueryTerm, query_terms
from cortex.domain.text import estimate_tokens, sentences
from cortex.domain.trace import Trace
from cortex.domain.turn import Role, Turn
from cortex.languages import WORDS
from cortex.languages.words import either
from cortex.ports.store import Filter, View
from cortex.recall.dates import Dated, dates_in
from cortex.recall.labels import said, speaker_of
from cortex.recall.questions import QUESTION_MARK
from cortex.recall.ranking import Scored
from cortex.recall.standing_rules import telling_terms

MOST_ASKING = 64
"""A longer turn is no mere question: it says something while it asks."""

_MOST_ASKING_BACK = 24
"""A longer question of one's own says something while it asks."""

_IN_PASSING = 12
"""How many tokens a question may have around it that say nothing: "Thanks! You play any instruments?"."""

_LIFTED = 20
"""Among how many of the best a question gives its place to the reply."""

SHORT = 24
"""A turn below this many tokens is shown with the question it answers."""

_LONGEST_REACTION = 80

_MOST_SAID = 400
"""How many of the latest turns of a time are looked at."""

_FOLLOWED = 3
"""For how many of the best hits it is shown what followed,"""

_AS_GOOD = 0.6
"""if they score at least this share of the best."""

_GOES_ON = 4
"""How many turns later still belongs to what was spoken of."""

_FEW = 12
"""An answer of so many tokens says nothing without the question."""

_MOST_FOLLOWING = 40
"""A longer turn names what it is about, and is found by that."""

_MOST_REACTING = 8
"""How many words a mere reaction has: "Wow, that's great!", "Cute!"."""

_POLAR = re.compile(rf"(?:^|[,;:]\s)\W{{0,4}}(?:{either(each.questions.polar for each in WORDS)})", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_ASKS = re.compile(rf"{QUESTION_MARK.pattern}\W*$")
# A question may say something of the asker as well: "I moved to Lyon, what is there to see?". "Should I go?" does not.
_OF_ONESELF = re.compile(either(each.questions.oneself for each in WORDS), re.IGNORECASE)
_ASKS_OF_ONESELF = re.compile(either(each.questions.asks_of_oneself for each in WORDS), re.IGNORECASE)
_STATES_OF_ONESELF = re.compile(either(each.questions.states_of_oneself for each in WORDS), re.IGNORECASE)
_UNANSWERED = re.compile(either(each.questions.unanswered for each in WORDS), re.IGNORECASE)
_REFERS = re.compile(either(each.questions.refers for each in WORDS), re.IGNORECASE)
_REQUESTS = re.compile(either(each.questions.requests for each in WORDS), re.IGNORECASE)
_DECIDES = re.compile(either(each.questions.decides for each in WORDS), re.IGNORECASE)
_INTRODUCES = re.compile(either(each.questions.introduces for each in WORDS), re.IGNORECASE)
_CONJUNCTIONS = re.compile(either(each.questions.conjunctions for each in WORDS), re.IGNORECASE)
_BARE = re.compile(r"\W")
_VALUE = re.compile(r"\d")
_READ_LATELY = 1_024
"""Of how many texts it is known what they do: a recall asks of each more than once."""

Allows = Callable[[Trace], bool]


def only_asks(turn: Turn) -> bool:
    """Whether a turn asks and says nothing else: no value, nothing of the asker, hardly a word beside the question."""
    text = said(turn)
    if QUESTION_MARK.search(text) is None:
        return False  # most turns ask nothing at all
    return _is_only_question(text) or asks_back(turn)


def asks_back(turn: Turn) -> bool:
    """Whether a user only asks an assistant for what they once said: "who's my manager again?"."""
    text = said(turn)
    is_own = turn.role is Role.USER and not turn.speaker
    return is_own and QUESTION_MARK.search(text) is not None and _is_asked_back(text)


@lru_cache(maxsize=_READ_LATELY)
def _is_only_question(text: str) -> bool:
    if estimate_tokens(text) > MOST_ASKING or _VALUE.search(text) or _OF_ONESELF.search(text):
        return False
    pieces = [text[start:end].strip() for start, end in sentences(text)]
    questions = [piece for piece in pieces if _ASKS.search(piece)]
    beside = sum(estimate_tokens(piece) for piece in pieces if not _ASKS.search(piece))
    return bool(questions) and beside <= _IN_PASSING


@lru_cache(maxsize=_READ_LATELY)
def _is_asked_back(text: str) -> bool:
    if estimate_tokens(text) > _MOST_ASKING_BACK or _VALUE.search(text) or not _OF_ONESELF.search(text):
        return False
    pieces = [_opening(text[start:end].strip())[1] for start, end in sentences(text)]
    asked = [(piece, _ASKS_OF_ONESELF.match(piece)) for piece in pieces if piece]
    return all(found and not _STATES_OF_ONESELF.search(piece, found.end()) for piece, found in asked)


def is_question(trace: Trace) -> bool:
    """Whether a trace is a turn that only asks."""
    return isinstance(trace, Turn) and only_asks(trace)


def has_terms(trace: Trace, terms: Sequence[QueryTerm]) -> bool:
    """Whether a trace has the telling words of a query, and no others."""
    return set(query_terms(trace.text)) == set(terms)


def asks(turn: Turn) -> bool:
    """Whether a turn asks something, whatever else it says."""
    return any(_ASKS.search(turn.text[start:end].rstrip()) for start, end in sentences(turn.text))


def replies_first(ranked: Sequence[Scored], view: View, allows: Allows) -> list[Scored]:
    """`ranked` with each reply right above the question it answers; a question nobody answered leads nothing."""
    places = {each.trace.id: each for each in ranked}
    kept: dict[TraceId, Scored] = {}
    for at, each in enumerate(ranked):
        if each.trace.id in kept:
            continue
        if at < _LIFTED and isinstance(each.trace, Turn) and only_asks(each.trace):
            reply = reply_to(each.trace, view, allows)
            if reply is not None and reply.id not in kept and _answers(reply):
                kept[reply.id] = _lifted(each, reply, places.get(reply.id))
        kept[each.trace.id] = each
    return _no_question_first(list(kept.values()))


def _answers(reply: Turn) -> bool:
    """Whether a reply says what still holds."""
    return reply.outdated_by is None and not only_asks(reply) and not knows_nothing(reply)


def _no_question_first(ranked: list[Scored]) -> list[Scored]:
    says = next((at for at, each in enumerate(ranked) if not is_question(each.trace)), 0)
    return [ranked[says], *ranked[:says], *ranked[says + 1 :]] if says else ranked


def said_before(turn: Turn, view: View) -> str:
    """The text of the turn before; empty where it is the first."""
    before = view.turn_at(turn.session, turn.seq - 1)
    return before.text if before is not None else ""


def reply_to(turn: Turn, view: View, allows: Allows) -> Turn | None:
    """What was said next, where it may be shown."""
    return _active(view.turn_at(turn.session, turn.seq + 1), allows)


def _lifted(question: Scored, reply: Turn, known: Scored | None) -> Scored:
    reason = f"answers {question.trace.id}"
    if known is None:
        return replace(question, trace=reply, reasons=[*question.reasons, reason])
    known.set_part("answers", known.parts.get("answers", 0.0) + max(0.0, question.score - known.score))
    known.reasons.append(reason)
    return known


def says_nothing(trace: Trace, view: View) -> bool:
    """Whether a turn only acknowledges or reacts; what answers a question says something, if it is but "Yes."."""
    if not isinstance(trace, Turn):
        return False
    if knows_nothing(trace):
        return True
    acknowledges, exclaims = _reacts(said(trace))
    if not acknowledges and not exclaims:
        return False
    before = view.turn_at(trace.session, trace.seq - 1)
    if before is None or before.state is not State.ACTIVE:
        return True
    return not (is_polar(before) if acknowledges else asks(before))


def knows_nothing(turn: Turn) -> bool:
    """Whether a turn only says that the answer is not known: "I don't know, sorry."."""
    text = said(turn)
    return len(text) <= _LONGEST_REACTION and _UNANSWERED.search(text) is not None and _is_unanswered(text)


@lru_cache(maxsize=_READ_LATELY)
def _is_unanswered(text: str) -> bool:
    pieces = [text[start:end].strip() for start, end in sentences(text)]
    return not _VALUE.search(text) and all(
        _UNANSWERED.search(piece) or _ASKS.search(piece) or any(_reacts(piece)) for piece in pieces
    )


def is_polar(turn: Turn) -> bool:
    """Whether the last thing a turn does is to ask what yes or no answers; "Can you …?" is a request."""
    text = said(turn)
    last = [piece for start, end in sentences(text) if (piece := text[start:end].strip())][-1:]
    return any(_ASKS.search(piece) and _POLAR.search(piece) for piece in last)


def _only_exclaims(text: str) -> bool:
    """Whether a text is an exclamation that hardly names anything: "Wow, that's great!", "Cute!"."""
    if not text.rstrip().endswith(("!", "！")) or _VALUE.search(text):
        return False
    words = _WORD.findall(text[:_LONGEST_REACTION].casefold())
    telling = [word for word in words if len(word) > 1 and word not in STOP_WORDS and word not in SMALL_TALK]
    return len(text) <= _LONGEST_REACTION and len(words) <= _MOST_REACTING and len(telling) <= 1


def with_surroundings(hits: Sequence[Hit], view: View, allows: Allows) -> list[Hit]:
    """`hits` with what a reader needs beside each, of what may be shown."""
    left = view.derived([hit.trace.id for hit in hits if isinstance(hit.trace, Turn)])
    disputed, dates = _disputed_turns(left, view), _dates_of_turns(left)
    surroundings = [
        _around(hit.trace, view, allows, disputed.get(hit.trace.id), leads=at == 0) for at, hit in enumerate(hits)
    ]
    return [
        replace(hit, around=replace(around, dates=dates[hit.trace.id]) if hit.trace.id in dates else around)
        for hit, around in zip(hits, surroundings, strict=True)
    ]


def said_in(view: View, filter: Filter, *, last: bool) -> list[Turn]:
    """What users said that passes a filter, without what says nothing; with `last` in the last conversation alone."""
    found = [turn for turn in view.latest(filter, limit=_MOST_SAID) if isinstance(turn, Turn)]
    session = found[0].session if last and found else None
    return [
        turn
        for turn in found
        if turn.role is Role.USER and session in (None, turn.session) and not any(_reacts(said(turn)))
    ]


def with_what_followed(hits: Sequence[Hit], view: View, allows: Allows) -> list[Hit]:
    """`hits`, the best of them with what the user went on to say.

    "They paid yesterday" and "booked for 7pm" name nothing that a question would, so they are rarely found themselves.
    """
    least = _AS_GOOD * max((hit.score for hit in hits), default=0.0)
    return [
        replace(hit, around=replace(hit.around, follows=_follows(hit.trace, view, allows)))
        if at < _FOLLOWED and hit.score >= least
        else hit
        for at, hit in enumerate(hits)
    ]


def _follows(trace: Trace, view: View, allows: Allows) -> tuple[Turn, ...]:
    """What the user said next to it in a talk with an assistant, until they turn to something else."""
    if not isinstance(trace, Turn) or trace.speaker:
        return ()
    follows: list[Turn] = []
    spoken_of = telling_terms(said(trace))
    before: Turn = trace
    for offset in range(1, _GOES_ON + 1):
        turn = _active(view.turn_at(trace.session, trace.seq + offset), allows)
        if turn is None:
            continue
        if turn.role is Role.USER:
            if turn.speaker or _turns_away(turn, before, spoken_of):
                break
            if not only_asks(turn) and not any(_reacts(said(turn))):
                follows.append(turn)
        spoken_of |= telling_terms(said(turn))
        before = turn
    return tuple(follows)


def _turns_away(turn: Turn, before: Turn, spoken_of: Set[str]) -> bool:
    """Whether a turn neither reacts to what was spoken of nor decides about it, but brings up something else."""
    text = said(turn)
    if any(_reacts(text)) or opens_with_correction(text):
        return False
    if estimate_tokens(text) > _MOST_FOLLOWING:
        return True
    opening, rest = _opening(text)
    if _REQUESTS.match(rest):
        return True
    if telling_terms(text) & spoken_of or _DECIDES.match(rest) or _refers_back(rest):
        return False
    is_answer = bool(opening) or (before.role is Role.ASSISTANT and asks(before))
    return not is_answer or estimate_tokens(text) > _FEW or _INTRODUCES.search(rest) is not None


def _opening(text: str) -> tuple[str, str]:
    """The yes, no or thanks that a text begins with, and the rest."""
    words = text.split(" ")
    at = next((at for at, word in enumerate(words) if _BARE.sub("", word).lower() not in SMALL_TALK), len(words))
    return " ".join(words[:at]), " ".join(words[at:])


def _refers_back(text: str) -> bool:
    """Whether a word stands for what was said before, and not for what the text itself has named."""
    word = _REFERS.search(_CONJUNCTIONS.sub(_blank, text))
    named = _INTRODUCES.search(text)
    return word is not None and (named is None or word.start() < named.start())


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _dates_of_turns(memories: Sequence[Memory]) -> dict[TraceId, tuple[Dated, ...]]:
    """The dates that were worked out of turns, as the memories they left tell them."""
    found: dict[TraceId, dict[Dated, None]] = {}
    for memory in memories:
        for turn in memory.source_turns if (dates := dict.fromkeys(dates_in(memory.text))) else ():
            found.setdefault(turn, {}).update(dates)
    return {turn: tuple(dates) for turn, dates in found.items()}


def _disputed_turns(memories: Sequence[Memory], view: View) -> dict[TraceId, datetime]:
    """The turns that left a memory which another one contradicts, and when that was said."""
    disputed: dict[TraceId, datetime] = {}
    for memory in memories:
        if memory.state is State.ACTIVE and (at := _contradicted_at(memory, view)):
            disputed |= {turn: max(at, disputed.get(turn, at)) for turn in memory.source_turns}
    return disputed


def _around(trace: Trace, view: View, allows: Allows, contradicted_at: datetime | None, *, leads: bool) -> Around:
    if isinstance(trace, Turn):
        # Among people, what was said is understood by what was said around it; to an assistant a turn stands alone.
        whole = leads and bool(trace.speaker)
        return Around(
            before=_before(trace, view, allows, whole=whole),
            after=_after(trace, view, allows, whole=whole, leads=leads),
            only_asks=only_asks(trace),
            replaced_at=_time_of(trace.outdated_by, view),
            contradicted_at=contradicted_at,
        )
    if isinstance(trace, Memory):
        source = next(iter(view.load(trace.source_turns[-1:])), None) if trace.source_turns else None
        return Around(
            speaker=speaker_of(source) if isinstance(source, Turn) else "",
            replaced_at=trace.valid_to if trace.state is State.SUPERSEDED else None,
            contradicted_at=_contradicted_at(trace, view),
        )
    return Around()


def _before(turn: Turn, view: View, allows: Allows, *, whole: bool) -> Turn | None:
    """The turn before: the question this short one answers, or what else was said to the best hit."""
    if not whole and estimate_tokens(said(turn)) > SHORT:
        return None
    before = _turn_at(turn, -1, view, allows)
    return before if before is not None and (whole or asks(before)) else None


def _after(turn: Turn, view: View, allows: Allows, *, whole: bool, leads: bool) -> Turn | None:
    """The turn after, where it corrects this one, or says in few words what came of the assistant's best answer."""
    after = _turn_at(turn, 1, view, allows)
    if after is None or whole or opens_with_correction(said(after)):
        return after
    is_reaction = leads and turn.role is Role.ASSISTANT and after.role is Role.USER
    return after if is_reaction and estimate_tokens(after.text) <= SHORT and not asks(after) else None


def _turn_at(turn: Turn, offset: int, view: View, allows: Allows) -> Turn | None:
    """What was said so many turns later, where it says something and may be shown."""
    found = _active(view.turn_at(turn.session, turn.seq + offset), allows)
    return None if found is None or any(_reacts(said(found))) else found


@lru_cache(maxsize=_READ_LATELY)
def _reacts(text: str) -> tuple[bool, bool]:
    """Whether a text only acknowledges, and whether it only exclaims."""
    return passing_reason(text) is not None, _only_exclaims(text)


def _active(turn: Turn | None, allows: Allows) -> Turn | None:
    return turn if turn is not None and turn.state is State.ACTIVE and allows(turn) else None


def _contradicted_at(memory: Memory, view: View) -> datetime | None:
    """When the last of those that say otherwise was said, as long as one still holds; of one's own, where named."""
    if not memory.contradicts:
        return None
    others = [each for each in view.load(memory.contradicts) if each.state is State.ACTIVE]
    speakers = speakers_of([memory, *others], view) if others else {}
    own = speakers.get(memory.id)
    said_at = [each.created_at for each in others if not own or speakers.get(each.id, own) == own]
    return max(said_at, default=None)


def speakers_of(traces: Sequence[Trace], view: View) -> dict[TraceId, str]:
    """Who said what memories were extracted from, where a name is known."""
    sources = {each.id: each.source_turns[-1] for each in traces if isinstance(each, Memory) and each.source_turns}
    turns = {each.id: each for each in view.load(list(sources.values()))}
    found = {id: turns.get(source) for id, source in sources.items()}
    return {id: turn.speaker for id, turn in found.items() if isinstance(turn, Turn) and turn.speaker}


def _time_of(id: TraceId | None, view: View) -> datetime | None:
    found = view.load([id]) if id is not None else []
    return found[0].created_at if found else None
