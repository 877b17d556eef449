"""How a new statement stands to an earlier one that has no slot: an update, a contradiction, or neither.

Two statements are aligned by a value of one kind and by the words around it. Signs of the pair are weighed; the weights
are fitted on pairs written for this purpose (`bench/capture/pairs.jsonl`), and none on anybody's conversations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, product

from cortex.capture import amounts, relation_words
from cortex.capture.amounts import AmountChange
from cortex.capture.claims import (
    CALENDAR,
    DETERMINERS,
    ORDINALS,
    PASSING_OVER,
    PREPOSITIONS,
    Claim,
    ClaimToken,
    ClaimValue,
    Denial,
    DeniedThing,
    ValueKind,
    differ,
    read,
    stands_at,
)
from cortex.capture.relation_weights import DENIAL, UPDATE
from cortex.capture.replacement import Replaced, replaced
from cortex.domain.terms import spelling
from cortex.domain.text_similarity import alike, same_value
from cortex.domain.text_similarity import denies as denies_by_words
from cortex.languages.lists import listed

CERTAIN = 0.9
"""From here on a later statement replaces an earlier one."""

LIKELY = 0.7
"""From here on two statements are flagged: they cannot both be true, and nobody knows which is."""

MOST_WORDS_AROUND_A_NAME = 9
"""In longer clauses names come and go without any of them being a value."""

ALIKE_AROUND_A_NAME = 0.2
"""How much two statements have in common at least where one names another thing or person."""

SURE_SHARED = 1.25
"""How much two statements have in common at least, for one to replace the other: a telling word, and then some."""

SURE_ALIKE = 0.25
"""And how much of all they say: two long statements share a few words without being about one thing."""

SURE_COVER = 0.9
"""How much of the clause of a value the other has to hold: nothing but the value may differ."""

BRIEF_COVER = 0.6
"""The same in brief statements, which say little else."""

SURE_EXCHANGE = 0.25
"""How much a clause may say instead: hardly more than a word of little weight."""

ASKED_SHARED = 2.0
ASKED_ALIKE = 0.35
ASKED_COVER = 0.6
"""What long statements have in common at least, to ask a person whether one is the new value of the other."""

ASKED_EXCHANGE = 0.5
"""How much two statements may say instead of each other where neither tells of a change."""

MANY = 2
"""A statement with more values of one kind is not replaced whole because one of them changed."""

ALL_BUT_THE_SAME = 0.75
"""How much of two clauses has to be in common where they have one telling word."""

_COUNTS = frozenset({ValueKind.COUNT, ValueKind.NUMBER})
_AMOUNTS = _COUNTS | {ValueKind.MONEY, ValueKind.PERCENT, ValueKind.RATIO, ValueKind.MEASURE, ValueKind.DURATION}


@dataclass(frozen=True, slots=True)
class Relation:
    """How likely the later of two statements gives a new value, and whether one denies the other."""

    update: float = 0.0
    denied: bool = False
    sure: bool = False
    """Whether the later one tells of a change that took place."""
    worth_asking: bool = False
    """Whether the two are about one thing, as far as their words tell."""
    restated: bool = False
    """Whether they are the same words but for a value that holds until another is given."""

    @property
    def is_update(self) -> bool:
        return self.sure and self.update >= CERTAIN and not self.denied

    @property
    def is_contradiction(self) -> bool:
        """Whether both cannot be true."""
        return self.denied or self.restated or (self.worth_asking and self.update >= LIKELY)


def compare(old: str, new: str, cosine: float | None = None) -> Relation:
    """How `new`, said later, stands to `old`. `cosine` is their calibrated nearness, None where it is not known."""
    first, second = read(old), read(new)
    update = update_signs(first, second, cosine)
    is_brief = max(len(old.split()), len(new.split())) <= LONG
    signs = {**(update or {}), "brief": float(is_brief)}
    amount = amounts.change(old, new)
    is_reported = amount is AmountChange.REPORTED
    if amounts.are_unlike(old, new):
        update = None
    replacing = replaced(old, new)
    return Relation(
        update=1.0 if is_reported or replacing else likely(update, UPDATE),
        denied=denies(first, second) or reverses(first, second) or _is_likely_denied(first, second, cosine),
        sure=is_reported or replacing is Replaced.SURELY or _is_sure(signs),
        worth_asking=is_reported or bool(replacing) or _is_worth_asking(signs),
        restated=(
            amount is AmountChange.STATED
            or (is_brief and _is_restated(first, second))
            or _is_counted_again(first, second)
        ),
    )


def is_counted_lower(old: str, new: str) -> bool:
    """Whether both count what was done, and `new`, said later, less, though nothing tells of a change."""
    first, second = read(old), read(new)
    return any(
        _is_tallied(was, now, first, second) and _falls(was, now) and not _is_changed(second, now)
        for was, now in product(first.values, second.values)
    )


def gives_another_value(old: str, new: str) -> bool:
    """Whether `new`, said as a correction, has another value of a kind, and all it says of it is in `old`."""
    first, second = read(old), read(new)
    for was, now in product(first.values, second.values):
        named = _telling(second.clause(now.clause), now)
        if _is_of_kind(was, now) and differ(was, now) and not now.denied and named and named <= first.words.keys():
            return True
    return False


def _telling(clause: Mapping[str, float], value: ClaimValue) -> Set[str]:
    """What a clause says beside a value."""
    own = read(value.text).stems
    return {word for word, weight in clause.items() if weight >= 1.0 and word not in own}


def _is_sure(signs: Mapping[str, float]) -> bool:
    """Whether a state is said to have changed, not only planned to, and more than one word says of what.

    In long statements all that a clause says beside its value has to be the same, and the value is no date: people do
    many things on many days, unless it is the date something was moved to.
    """
    if any(signs.get(name) for name in _IN_DOUBT):
        return False
    is_alike = signs.get("shared", 0.0) >= SURE_SHARED and signs.get("dice", 0.0) >= SURE_ALIKE
    if signs.get("brief"):
        has_changed = bool(signs.get("change") or signs.get("progress"))
        return has_changed and is_alike and signs.get("cover", 1.0) >= BRIEF_COVER
    is_same = signs.get("cover", 0.0) >= SURE_COVER and signs.get("exchange", 0.0) <= SURE_EXCHANGE
    is_vague = bool(signs.get("indefinite")) or (bool(signs.get("is calendar")) and not signs.get("moved to"))
    return bool(signs.get("change")) and is_alike and is_same and not is_vague


def _is_worth_asking(signs: Mapping[str, float]) -> bool:
    """Whether both are about one thing, as far as their words tell.

    Where no change is stated, they have to say it of the same thing in nearly the same words, and not of two things
    that happened; long ones have to count the same, or tell what lasts. Where one is, two values of one kind are of
    one thing, unless they are days, names or some of many; those have to have much in common.
    """
    if _is_sure(signs):
        return True
    is_brief, counts_the_same = bool(signs.get("brief")), signs.get("unit", 0.0) > 0.0
    if not signs.get("change") and not signs.get("progress"):
        is_same = signs.get("exchange", 0.0) <= ASKED_EXCHANGE and not signs.get("narrower")
        return is_same and (is_brief or counts_the_same or bool(signs.get("lasting"))) and not signs.get("happened")
    if signs.get("no value") or signs.get("is calendar") or signs.get("is name"):
        return is_brief or _has_moved(signs)
    if signs.get("one of many") and signs.get("cover", 0.0) < SURE_COVER:
        return is_brief
    goes_on = bool(signs.get("tally")) and not signs.get("falls")
    return goes_on or not signs.get("tally")


def _has_moved(signs: Mapping[str, float]) -> bool:
    """Whether a long statement tells that the thing another is about has moved on to its value."""
    if signs.get("falls") or signs.get("no value") or (signs.get("indefinite") and not signs.get("is calendar")):
        return False
    if signs.get("dice", 0.0) < ASKED_ALIKE or signs.get("shared", 0.0) < ASKED_SHARED:
        return False
    if signs.get("is calendar"):
        least = SURE_COVER if signs.get("indefinite") else ASKED_COVER
        return bool(signs.get("moved to")) and signs.get("cover", 0.0) >= least
    return bool(signs.get("moved to")) or (bool(signs.get("progress")) and signs.get("cover", 0.0) >= ASKED_COVER)


_IN_DOUBT = ("goals", "falls", "changing", "one of many")

LONG = 12
"""Statements of more words say so much that one value or slot in common does not make them about one thing."""


def are_plain(one: str, other: str) -> bool:
    """Whether one of two statements is so short that the slot it fills is all it says."""
    return min(len(one.split()), len(other.split())) <= LONG


def may_be_several(subject: str) -> bool:
    """Whether somebody may have more than one of what a subject names: "user's sister"."""
    return not relation_words.words("several").isdisjoint(subject.casefold().split())


def are_counted_apart(old: str, new: str, was: str, now: str) -> bool:
    """Whether two amounts are of two times or of two sorts of a thing, or are no states: "12 bowls on June 3"."""
    if amounts.are_apart(old, new):
        return True
    first, second = read(old), read(new)
    before, after = _amounts_in(first, was), _amounts_in(second, now)
    if not before or not after:
        return False
    if any(one.is_step or other.is_step or one.period != other.period for one, other in product(before, after)):
        return True
    # What was changed to a value on another day is no longer as it was.
    is_stated = any(_is_changed(second, each) for each in after)
    return _modifiers_differ(first, second) or (not is_stated and _are_dated_apart(first, second, tallied=True))


def _amounts_in(statement: Claim, value: str) -> list[ClaimValue]:
    """The amounts of a statement that the value of its slot holds."""
    return [each for each in statement.values if each.kind in _AMOUNTS and each.text in value]


def _have_common_ground(a: Claim, b: Claim) -> bool:
    """Whether they share a telling word at all: most pairs end here."""
    return any(b.words.get(word, 0.0) >= 1.0 for word, weight in a.words.items() if weight >= 1.0)


def likely(signs: Mapping[str, float] | None, weights: Mapping[str, float]) -> float:
    if signs is None:
        return 0.0
    total = weights["bias"] + sum(weights.get(name, 0.0) * sign for name, sign in signs.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


# --- a new value ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Aligned:
    """Two values of one kind that differ and are of the same thing, as far as their clauses tell."""

    old: ClaimValue
    new: ClaimValue
    shared: float
    """The weight of the words their clauses have in common."""
    cover: float
    """The share of the shorter clause that is in the other."""
    exchange: float
    """The weight of the words each has instead of the other's."""
    dice: float
    """How much of both clauses is in the other."""
    unit: float
    changed: bool
    moved_on: bool
    tallied: bool
    lasting: bool

    @property
    def fit(self) -> float:
        return self.cover + 0.25 * self.shared + self.unit


def update_signs(old: Claim, new: Claim, cosine: float | None) -> dict[str, float] | None:
    """The signs that `new` gives another value of what `old` is about; None where no two values can be aligned."""
    if not _have_common_ground(old, new) or _modifiers_differ(old, new):
        return None
    aligned = max(_alignments(old, new), key=lambda each: each.fit, default=None)
    if aligned is None:
        return _ended_signs(old, new, cosine)
    kind = aligned.new.kind
    _, dice = _overlap(old.words, new.words)
    return {
        "shared": min(aligned.shared, 3.0),
        "cover": aligned.cover,
        "exchange": min(aligned.exchange, 3.0),
        "dice": dice,
        "unit": aligned.unit,
        "change": float(aligned.changed),
        "changing": float(aligned.changed and not _tells(new, aligned.new.clause, "changes")),
        "progress": float(aligned.moved_on),
        "tally": float(aligned.tallied),
        "falls": float(aligned.tallied and _falls(aligned.old, aligned.new)),
        "goals": float(_is_wish(new, aligned.new)),
        "former value": float(bool(_former(new, aligned.new))),
        "same values": min(2.0, _same_values(old, new)),
        "is name": float(kind is ValueKind.NAME),
        "is calendar": float(kind in CALENDAR),
        "moved to": float(aligned.changed and aligned.new.before in _MOVED_TO),
        "is count": float(kind in _COUNTS),
        "indefinite": float(aligned.old.indefinite or aligned.new.indefinite),
        "one of many": float(kind is not ValueKind.NAME and len(list(_same_kind(old, kind))) > MANY),
        "narrower": float(_is_narrower(old, new) or _is_narrower(new, old)),
        "happened": float(_happened(old, aligned.old.clause) and _happened(new, aligned.new.clause)),
        "lasting": float(aligned.lasting),
        "cosine": cosine or 0.0,
        "no cosine": float(cosine is None),
    }


def _lasts(statement: Claim, value: ClaimValue) -> bool:
    """Whether a value is so for as long as nothing else is said: "it's been averaging 4/10", "14 units a night"."""
    if _tells(statement, value.clause, "undone") or _happened(statement, value.clause):
        return False
    return value.is_rate or _tells(statement, value.clause, "states")


def _happened(statement: Claim, clause: int) -> bool:
    """Whether a clause tells what was done once, not what has been done so far: "I paid", not "I've paid"."""
    tokens = [token for token in statement.tokens if token.clause == clause]
    is_stated = any(before.said in _DOER and _is_deed(token) for before, token in pairwise(tokens))
    return (is_stated and not _tells(statement, clause, "progress")) or _came_about(statement, clause)


def _came_about(statement: Claim, clause: int) -> bool:
    """Whether a clause tells what a thing did once: "version 3 went out", "the build failed"; not "failed builds"."""
    tokens = [token for token in statement.tokens if token.clause == clause]
    is_done = any(token.said in _CAME_ABOUT and (before.weight or before.kind) for before, token in pairwise(tokens))
    return is_done or _is_out(statement, clause)


def _is_out(statement: Claim, clause: int) -> bool:
    """Whether it says so in two words, of which the first alone may tell of a change: "went out", "went to 12"."""
    said = [token.said for token in statement.tokens if token.clause == clause]
    return any("/".join(pair) in _CAME_ABOUT for pair in pairwise(said))


_DOER = listed("doers")
_CAME_ABOUT = listed("came about")


def _ended_signs(old: Claim, new: Claim, cosine: float | None) -> dict[str, float] | None:
    """The signs of a change that is stated without a value: "switched from Redis to Postgres"."""
    _, dice = _overlap(old.words, new.words)
    shared = max((_overlap(old.words, new.clause(clause))[0] for clause in _ended(old, new)), default=0.0)
    if shared < 2.0:
        return None
    return {
        "no value": 1.0, "dice": dice, "shared": min(shared, 3.0), "change": 1.0,
        "cosine": cosine or 0.0, "no cosine": float(cosine is None),
    }  # fmt: skip


def _alignments(old: Claim, new: Claim) -> Iterator[_Aligned]:
    """Values that differ and may be of the same thing."""
    for was, now in product(old.values, new.values):
        if _may_align(was, now, old, new) and (aligned := _aligned(was, now, old, new)):
            yield aligned


def _may_align(was: ClaimValue, now: ClaimValue, old: Claim, new: Claim) -> bool:
    """Whether two values are of one kind and subject, and neither is denied, one of a list, or only wished for."""
    if not _is_of_kind(was, now) or was.subject != now.subject or _unit(was, now) < 0.0:
        return False
    if not _is_counted_elsewhere(was, now, old, new):
        return False
    if was.is_step or now.is_step or _are_of_two_periods(was, now, new):
        return False
    if was.is_rate != now.is_rate and not {ValueKind.COUNT, ValueKind.NUMBER}.isdisjoint((was.kind, now.kind)):
        return False
    if was.denied or now.denied or was.several or now.several or not differ(was, now) or _still_holds(was, now, new):
        return False
    # What already stood in the earlier statement is not news.
    if was.kind is not ValueKind.NAME and any(not differ(value, now) for value in _like(old, now)):
        return False
    if _is_wish_beside_fact(old, new, was, now) or _numbered_apart(old, new, was):
        return False
    former = _former(new, now)
    return not former or any(not differ(was, value) for value in former)


def _is_named(statement: Claim, value: ClaimValue) -> bool:
    """Whether a name is that of one whom somebody may have several of: "my sister is called Ana"; not "lives in"."""
    return value.before not in PREPOSITIONS and _tells(statement, value.clause, "several")


def _is_restated(old: Claim, new: Claim) -> bool:
    """Whether both say the same of one thing but for the amount: "My rent is $1,350", "My rent is $1,480"."""
    return any(
        was.kind in _AMOUNTS
        and not was.indefinite
        and not now.indefinite
        and _is_state(old, was.clause)
        and _is_state(new, now.clause)
        and sum(old.around(was).values()) >= 1.0
        and old.around(was).keys() == new.around(now).keys()
        and _may_align(was, now, old, new)
        and not _are_dated_apart(old, new, tallied=False)
        for was, now in product(old.values, new.values)
    )


def _is_counted_again(old: Claim, new: Claim) -> bool:
    """Whether both count the same of what is on one day: "the May 20 party, with 25 guests", "28 guests on May 20"."""
    days = [
        _overlap(old.around(was), new.around(now))[0]
        for was, now in product(old.values, new.values)
        if was.kind is now.kind is ValueKind.DATE and not differ(was, now)
    ]
    return max(days, default=0.0) >= 1.0 and any(
        _unit(was, now) > 0.0 and _may_align(was, now, old, new) for was, now in product(old.values, new.values)
    )


def _is_state(statement: Claim, clause: int) -> bool:
    """Whether a clause says what is so until something else is said, not what was done once."""
    if not _tells(statement, clause, "states") or _tells(statement, clause, "events"):
        return False
    return not any(_is_deed(token) for token in statement.tokens if token.clause == clause)


_TALLIES = frozenset({ValueKind.COUNT, ValueKind.NUMBER, ValueKind.DURATION})


def _are_of_two_periods(was: ClaimValue, now: ClaimValue, new: Claim) -> bool:
    """Whether each counts within its own time: "12 visits in July" is no former value of "15 visits in all"."""
    if was.period == now.period or now.kind in CALENDAR:
        return False
    return now.kind in _TALLIES or not _is_changed(new, now)


def _former(statement: Claim, value: ClaimValue) -> list[ClaimValue]:
    """The values that a statement says were there before: "from 70% to 90%"."""
    return [other for other in _same_kind(statement, value.kind) if _is_former(other)]


def _aligned(was: ClaimValue, now: ClaimValue, old: Claim, new: Claim) -> _Aligned | None:
    """The two values with what their clauses have in common; None where that is too little."""
    before, after = old.around(was), new.around(now)
    if was.kind is ValueKind.NAME:
        if bool(old.denied) != bool(new.denied):
            return None
        if not _is_changed(new, now) and _is_named(new, now):
            return None
        before, after = _without_names(before, old), _without_names(after, new)
    elif _names_differ(before, after, old, new) or _purposes_differ(was, now, old, new):
        return None
    shared, _ = _overlap(before, after)
    least = min(sum(before.values()), sum(after.values()))
    if shared < 1.0 or least <= 0.0:
        return None
    found = _Aligned(
        was, now, shared, shared / least, least - shared, 2 * shared / (sum(before.values()) + sum(after.values())),
        _unit(was, now), _is_changed(new, now), _has_moved_on(new, now), _is_tallied(was, now, old, new),
        _lasts(old, was) and _lasts(new, now),
    )  # fmt: skip
    return found if _is_enough(found, old, new) else None


_MOVED_TO = listed("moved to")
_LEADING_TO = listed("leading to")


def _is_changed(statement: Claim, value: ClaimValue) -> bool:
    """Whether the clause of a value tells that it is no longer as it was, or is about to be."""
    if _has_other_change(statement, value) or _is_out(statement, value.clause):
        return False
    if _tells(statement, value.clause, "changes"):
        return True
    return value.before in _LEADING_TO and _tells(statement, value.clause, "changing")


def _has_moved_on(statement: Claim, value: ClaimValue) -> bool:
    """Whether the clause of a value tells how far something has come: not "version 3 came out"."""
    if stands_at(statement, value):
        return True
    return _tells(statement, value.clause, "progress") and not _is_out(statement, value.clause)


def _has_other_change(statement: Claim, value: ClaimValue) -> bool:
    """Whether what a clause says to have changed is of another kind: "moved from 3 PM to 5 PM on June 2"."""
    moved = {other.kind for other in statement.values if other.clause == value.clause and _is_former(other)}
    return bool(moved) and value.kind not in moved


def _is_former(value: ClaimValue) -> bool:
    return value.before == "from" and value.denied


def _is_tallied(was: ClaimValue, now: ClaimValue, old: Claim, new: Claim) -> bool:
    """Whether both count the same doing: "solved 6 problems", "solved 14 problems", and neither that of one day."""
    once = _tells(old, was.clause, "events") or _tells(new, now.clause, "events")
    once = once or any(_same_kind(old, ValueKind.WEEKDAY))
    is_deed = was.before in old.words or was.before in relation_words.stems("progress")
    return _unit(was, now) > 0.0 and was.before == now.before and is_deed and not once


def _falls(old: ClaimValue, new: ClaimValue) -> bool:
    """Whether the later of two tallies is lower: then it is an earlier one said again."""
    digits = [re.sub(r"\D", "", value.text) for value in (old, new)]
    return all(digits) and int(digits[1]) < int(digits[0])


def _is_enough(found: _Aligned, old: Claim, new: Claim) -> bool:
    """How much two clauses need in common: less where the later one tells of a change, most for names."""
    kind = found.new.kind
    if kind is ValueKind.NAME:
        if _overlap(old.words, new.words)[1] < ALIKE_AROUND_A_NAME:
            return False
        plain = found.old.before == found.new.before and not (_amounts(old) and _amounts(new))
        short = max(len(old.said(found.old.clause)), len(new.said(found.new.clause))) <= MOST_WORDS_AROUND_A_NAME
        return short and found.cover >= 0.75 and (found.changed or plain) and not _is_wish(new, found.new)
    if not found.changed and _are_dated_apart(old, new, found.tallied or found.moved_on or found.lasting):
        return False
    if not (found.changed or found.moved_on) and (found.old.indefinite or found.new.indefinite):
        return False
    if not (_is_next_to_the_same(old, new, found) or (found.changed and found.shared >= 2.0)):
        return False
    if found.tallied:
        return found.cover >= 0.4
    if kind in CALENDAR and found.shared < 1.25 and not (found.changed and found.dice >= ALL_BUT_THE_SAME):
        return False
    if found.changed:
        return found.cover >= 0.5 or (found.cover >= 0.4 and found.shared >= 2.0)
    if kind in CALENDAR or kind is ValueKind.VERSION:
        return False
    if found.moved_on:
        return found.cover >= 0.5
    # Without a word of change, all of it has to be the same.
    return found.cover >= 0.75 and found.shared >= (1.0 if found.unit else 2.0)


def _are_dated_apart(old: Claim, new: Claim, tallied: bool) -> bool:
    """Whether each is of its own day: then both are true. What was counted "by March 3" is not of that day alone."""
    before, after = (
        [
            value
            for value in statement.values
            if value.kind in CALENDAR and value.before not in _FROM_THEN_ON and not (tallied and value.before in _UP_TO)
        ]
        for statement in (old, new)
    )
    return bool(before and after) and all(differ(one, other) for one, other in product(before, after))


_FROM_THEN_ON = frozenset(spelling(" ".join(listed("from then on"))))
_UP_TO = listed("up to")
"""After these a date says how far is counted: "by March 3", "as of March 3"."""


def _is_wish_beside_fact(old: Claim, new: Claim, was: ClaimValue, now: ClaimValue) -> bool:
    """Whether one says what is planned and the other what is. A date that was planned may be moved."""
    if _is_wish(old, was) == _is_wish(new, now):
        return False
    return not (now.kind in CALENDAR and _is_changed(new, now))


def _is_wish(statement: Claim, value: ClaimValue) -> bool:
    """Whether a value is what is planned; "trying to see how it improved to 90%" says what is."""
    said = statement.said(value.clause) & relation_words.words("goals")
    moved = _tells(statement, value.clause, "progress") or _tells(statement, value.clause, "changes")
    if (value.planned or _is_scheduled(statement, value)) and not moved:
        return True
    return bool(said) and not (said <= _TRYING and (moved or value.before == "with"))


def _is_scheduled(statement: Claim, value: ClaimValue) -> bool:
    """Whether an amount is of what is still to come: "my next 4 lessons"."""
    return value.kind not in CALENDAR and not _SCHEDULED.isdisjoint(statement.said(value.clause))


_SCHEDULED = listed("scheduled")

_TRYING = listed("trying")
"""Who tries to build something says how it is: "trying to build a page with 6 tiles"."""


def _without_names(words: Mapping[str, float], statement: Claim) -> dict[str, float]:
    return {word: weight for word, weight in words.items() if word not in statement.names}


def _is_next_to_the_same(old: Claim, new: Claim, found: _Aligned) -> bool:
    """Whether the telling words next to the two values have one in common."""
    return not _nearest(old, found.old).isdisjoint(_nearest(new, found.new))


def _nearest(statement: Claim, value: ClaimValue) -> frozenset[str]:
    """The nearest telling words on either side of a value, and what it counts."""
    near = [token for token in statement.tokens[: value.place] if token.weight >= 1.0][-3:]
    near += [token for token in statement.tokens[value.place + 1 :] if token.weight >= 1.0][:3]
    return frozenset(token.stem for token in near) | value.unit


def _is_of_kind(was: ClaimValue, now: ClaimValue) -> bool:
    return was.kind is now.kind or (was.kind in _COUNTS and now.kind in _COUNTS)


def _still_holds(was: ClaimValue, now: ClaimValue, new: Claim) -> bool:
    """Whether `new` also has the earlier value: then another was added. Who left may be named in a clause before."""
    again = [value for value in _like(new, was) if not value.denied and not differ(was, value)]
    if was.kind is ValueKind.NAME:
        again = [value for value in again if new.tokens[value.place].clause == new.tokens[now.place].clause]
    return bool(again)


def _unit(was: ClaimValue, now: ClaimValue) -> float:
    """How far two counts count the same: 1 the same words, 0 unknown, below 0 something else."""
    if was.unit and now.unit:
        common = len(was.unit & now.unit)
        return common / min(len(was.unit), len(now.unit)) if common else -1.0
    return 0.0


def _is_counted_elsewhere(was: ClaimValue, now: ClaimValue, old: Claim, new: Claim) -> bool:
    """Whether the clause of a bare number names what the other counts: "the number of guests rose to 40"."""
    if bool(was.unit) == bool(now.unit) or was.kind not in _COUNTS:
        return True
    return not was.unit.isdisjoint(new.around(now)) if was.unit else not now.unit.isdisjoint(old.around(was))


def _same_kind(statement: Claim, kind: ValueKind) -> Iterator[ClaimValue]:
    return (value for value in statement.values if value.kind is kind)


def _like(statement: Claim, value: ClaimValue) -> Iterator[ClaimValue]:
    """The values that another may be compared with; "12 meals" and "the number of meals is 12" are alike."""
    return (other for other in statement.values if _is_of_kind(other, value))


def _overlap(a: Mapping[str, float], b: Mapping[str, float]) -> tuple[float, float]:
    """The weight of the words two have in common, and its share of all (Dice)."""
    shared = sum(min(weight, b[word]) for word, weight in a.items() if word in b)
    total = sum(a.values()) + sum(b.values())
    return shared, 2 * shared / total if total else 0.0


def _tells(statement: Claim, clause: int, name: str) -> bool:
    """Whether a clause has a word of one of the lists."""
    return not relation_words.words(name).isdisjoint(statement.said(clause))


def _same_values(old: Claim, new: Claim) -> float:
    pairs = product(old.values, new.values)
    return float(sum(a.kind is b.kind is not ValueKind.NAME and not differ(a, b) for a, b in pairs))


def _names_differ(a: Mapping[str, float], b: Mapping[str, float], old: Claim, new: Claim) -> bool:
    """Whether each of two clauses names somebody or something that the other statement does not."""
    only_old = (old.names & a.keys()) - new.stems - new.words.keys()
    only_new = (new.names & b.keys()) - old.stems - old.words.keys()
    return bool(only_old) and bool(only_new)


def _purposes_differ(was: ClaimValue, now: ClaimValue, old: Claim, new: Claim) -> bool:
    """Whether two values are for different things: "$40 for the piano lessons", "$18 for the tires"."""
    before, after = _purpose(old, was), _purpose(new, now)
    return bool(before and after) and before.isdisjoint(new.words) and after.isdisjoint(old.words)


def _purpose(statement: Claim, value: ClaimValue) -> frozenset[str]:
    """The telling words after a "for" in the clause of a value."""
    clause = [token for token in statement.tokens[value.place + 1 :] if token.clause == value.clause]
    at = next((at for at, token in enumerate(clause) if token.said == "for"), len(clause))
    return frozenset(token.stem for token in clause[at + 1 :][:3] if token.weight >= 1.0)


def _modifiers_differ(old: Claim, new: Claim) -> bool:
    """Whether a common word has another word before it: "car fund", "emergency fund"."""
    before, after = _modified(old), _modified(new)
    return any(
        before[word].isdisjoint(after[word])
        and before[word].isdisjoint(new.words)
        and after[word].isdisjoint(old.words)
        for word in before.keys() & after.keys()
    )


def _is_narrower(one: Claim, other: Claim) -> bool:
    """Whether one speaks of a part or a sort of what the other speaks of: "fasting blood sugar", "blood sugar"."""
    described = _modified(other)
    return any(
        word in other.words and word not in described and words.isdisjoint(other.words)
        for word, words in _modified(one).items()
    )


def _modified(statement: Claim) -> dict[str, frozenset[str]]:
    """Each telling word that always has another telling word right before it."""
    found: dict[str, frozenset[str]] = {}
    bare: set[str] = set()
    for left, right in zip((None, *statement.tokens), statement.tokens, strict=False):
        if right.kind is not None or not right.weight:
            continue
        if left and (left.weight or left.said in ORDINALS) and left.kind is None and left.clause == right.clause:
            found[right.stem] = found.get(right.stem, frozenset()) | {left.stem}
        else:
            bare.add(right.stem)
    return {word: words for word, words in found.items() if word not in bare}


def _numbered_apart(old: Claim, new: Claim, was: ClaimValue) -> bool:
    """Whether the two are about two of a row, and say something else of each: "chapter 4", "chapter 7"."""
    numbered = [
        (one, other)
        for one, other in product(old.values, new.values)
        if one.kind is other.kind is ValueKind.NUMBER and one.before == other.before and one.before in old.words
    ]
    return any(differ(one, other) and (one is not was or len(_amounts(new)) > 1) for one, other in numbered)


def _amounts(statement: Claim) -> list[ClaimValue]:
    return [value for value in statement.values if value.kind not in (ValueKind.NAME, ValueKind.WEEKDAY)]


_ENDING = listed("ending")
_ENDING_STOPS = listed("after an ending")


def _ended(old: Claim, new: Claim) -> Iterator[int]:
    """The clauses of `new` that say something of `old` is over: "switched from Redis", "quit piano"."""
    for clause, words in _endings(new):
        if sum(words.values()) >= 1.0 and all(word in old.words for word in words):
            yield clause


def _endings(statement: Claim) -> Iterator[tuple[int, dict[str, float]]]:
    """What is said to be over, and in which clause."""
    tokens = statement.tokens
    said = [token.said for token in tokens]
    for place, word in enumerate(said):
        ends = word in _ENDING or (place and f"{said[place - 1]}/{word}" in _ENDING)
        ends = ends or (word == "from" and "to" in said[place + 1 : place + 6] and _has_change(tokens[:place]))
        if ends and (found := dict(_until_its_end(tokens[place + 1 : place + 6], tokens[place].clause))):
            yield tokens[place].clause, found


def _until_its_end(tokens: Sequence[ClaimToken], clause: int) -> Iterator[tuple[str, float]]:
    begun = False
    for token in tokens:
        if token.clause != clause or (token.said in _ENDING_STOPS and begun):
            return
        if token.weight:
            begun = True
            yield token.stem, token.weight


def _has_change(tokens: Sequence[ClaimToken]) -> bool:
    """Whether the last words tell of a change: "switched the app from Redis to"."""
    return any(token.said.endswith("ed") and token.said in relation_words.words("changes") for token in tokens[-6:])


# --- a denial ---------------------------------------------------------------------------------------------------------

COVERED = 0.6
"""How much of what somebody says they have never done stands in a statement that they did."""
COVERED_WITHOUT_NEVER = 0.9

FEWEST_REVERSED = 2.0
"""How much a clause says at least, for its reverse to be about the same: two telling words."""


def denies(old: Claim, new: Claim) -> bool:
    """Whether one of two statements says of the speaker what the other denies: "I've never …", "I've … since May"."""
    # "I haven't sent it yet" is no contradiction of what came later.
    earlier = (denial for denial in old.denied if denial.never or not denial.yet)
    return any(_is_affirmed(denial, old.names, new) for denial in earlier) or any(
        _is_affirmed(denial, new.names, old) for denial in new.denied
    )


DENIED = 0.9
"""From here on one of two statements denies the other, though they say it in other words."""


def _is_likely_denied(old: Claim, new: Claim, cosine: float | None) -> bool:
    return likely(denial_signs(old, new, cosine), DENIAL) >= DENIED


def denial_signs(old: Claim, new: Claim, cosine: float | None) -> dict[str, float] | None:
    """The signs that one of two statements says of the speaker what the other says never was; None where it cannot."""
    pairs = [
        (denial, own, other)
        for own, other in ((old, new), (new, old))
        for denial in own.denied
        if denial.never and not denial.is_first
    ]
    found = (signs for denial, own, other in pairs for signs in _signs_of_a_denial(denial, own, other, cosine))
    return max(found, key=lambda signs: signs["met"] + signs["deed"] + signs["names"], default=None)


def _signs_of_a_denial(denial: Denial, own: Claim, other: Claim, cosine: float | None) -> Iterator[dict[str, float]]:
    """The signs that another statement says of one of the things denied that it was so, clause by clause."""
    if any(denial.words.keys() & theirs.words.keys() for theirs in other.denied):
        return
    for choice, clause in product(denial.choices, sorted({token.clause for token in other.tokens})):
        if _is_said_by_self(other, clause) and (signs := _signs_of_a_choice(choice, denial, own, other, clause)):
            yield signs | {"cosine": cosine or 0.0, "no cosine": float(cosine is None)}


def _signs_of_a_choice(
    choice: DeniedThing, denial: Denial, own: Claim, other: Claim, clause: int
) -> dict[str, float] | None:
    near = other.clause(clause) | (other.clause(clause - 1) if clause else {})
    names = choice.objects.keys() & own.names
    things = {word: weight for word, weight in choice.objects.items() if word not in names}
    if names - other.words.keys() and _names_somebody_else(own, other):
        return None
    met, _ = _overlap(things, near)
    deeds = [at for at, token in enumerate(other.tokens) if token.stem in choice.deeds and token.clause == clause]
    is_done = any(_is_past(other.tokens, at) and _is_own_deed(other.tokens, at) for at in deeds)
    if deeds and not is_done:
        return None
    has_deed = is_done or _has_stated_deed(other, clause)
    is_all = met >= 2.0 and met >= sum(things.values())
    if not has_deed or not (is_all or (is_done and met)):
        return None
    places = [at for at, token in enumerate(other.tokens) if token.clause == clause and token.stem in choice.objects]
    if any(_is_negated(other.tokens, at) or not _is_past(other.tokens, at) for at in places):
        return None
    return {
        "met": min(met, 3.0),
        "cover": met / (sum(things.values()) or 1.0),
        "left": min(3.0, sum(things.values()) - met),
        "of all": _overlap(denial.words, other.words)[0] / sum(denial.words.values()),
        "deed": float(is_done),
        "vague": float(choice.is_vague),
        "head": float(bool(choice.head) and _has_head(choice, other)),
        "names": float(min(2, len(names & other.words.keys()))),
        "names left": float(min(2, len(names - other.words.keys()))),
        "in this clause": float(bool(places)),
        "sort": float(_modifiers_differ(own, other)),
        "did": float(_tells(other, clause, "did")),
        "dated": float(any(value.kind in CALENDAR for value in other.values)),
        "dice": _overlap(own.words, other.words)[1],
    }


def _is_own_deed(tokens: Sequence[ClaimToken], place: int) -> bool:
    """Whether a deed is the speaker's and has begun: not "Milo turned it down", not "I'm attending one on May 3"."""
    clause = tokens[place].clause
    before = [token for token in tokens[max(0, place - 2) : place] if token.clause == clause]
    has_day = any(token.kind in CALENDAR and token.clause == clause for token in tokens[place:])
    is_to_come = has_day and tokens[place].said.endswith("ing") and before and before[-1].said in _IN_PROGRESS
    return _is_verb_at(tokens, place) and not is_to_come and not any(token.is_name for token in before)


_IN_PROGRESS = listed("in progress")


def _is_said_by_self(statement: Claim, clause: int) -> bool:
    """Whether the speaker says of themselves what a clause says: "which I turned down", "my talk" after "I gave"."""
    said = statement.said(clause) | (statement.said(clause - 1) if clause else frozenset())
    return _is_said_of_self(statement, clause) and not _SELF.isdisjoint(said)


_AT_A_PLACE = listed("at a place")


def _names_somebody_else(own: Claim, other: Claim) -> bool:
    """Whether another statement names a person whom this one does not: "with Ines"; not "at Café Luna"."""
    named = (value for value in other.values if value.kind is ValueKind.NAME)
    return any(
        other.tokens[value.place].stem not in own.words
        and value.before not in _AT_A_PLACE
        and not other.tokens[value.place - 1].is_name
        for value in named
    )


def _has_stated_deed(statement: Claim, clause: int) -> bool:
    """Whether a clause tells what the speaker did or has done: "I added", "I've got", "since I joined"."""
    tokens = [token for token in statement.tokens if token.clause == clause]
    return any(_is_deed(token) and before.said in _SPEAKING | _DOER for before, token in pairwise(tokens))


def reverses(old: Claim, new: Claim) -> bool:
    """Whether a clause of one says what a clause of the other denies, in nearly the same words."""
    denied, affirmed = ([_stated(each, is_denied) for each in (old, new)] for is_denied in (True, False))
    pairs = (*product(denied[0], affirmed[1]), *product(affirmed[0], denied[1]))
    return any(alike(one, other).is_reversal for one, other in pairs)


@lru_cache(maxsize=2_048)
def _stated(statement: Claim, is_denied: bool) -> tuple[str, ...]:
    """The clauses that say what is so of the speaker, or what is not, in two telling words at least."""
    return tuple(
        said
        for clause in sorted({token.clause for token in statement.tokens})
        if _is_said_of_self(statement, clause)
        and sum(statement.clause(clause).values()) >= FEWEST_REVERSED
        and PASSING_OVER.isdisjoint(statement.said(clause))
        and denies_by_words(said := statement.text_of(clause)) is is_denied
    )


def _is_affirmed(denial: Denial, names: Set[str], other: Claim) -> bool:
    """Whether a clause of another statement says that what is denied was so, neither wished for nor still to come."""
    if any(denial.words.keys() & own.words.keys() for own in other.denied):
        return False
    if denial.is_first and not any(_REPEATED & said for said in other.said_in):
        return False
    values = [value.text for value in other.values]
    if denial.values and not any(same_value(one, value) for one, value in product(denial.values, values)):
        return False
    if any(_is_done(other, place) for place, token in enumerate(other.tokens) if token.stem in denial.examples):
        return True
    if denial.none_of and _is_had(denial, other):
        return True
    return any(_is_chosen(choice, denial.never, names, other) for choice in denial.choices)


def _is_had(denial: Denial, other: Claim) -> bool:
    """Whether the speaker, who said to have none, speaks of theirs: "I don't own a car", "my car needs new brakes"."""
    return any(
        token.stem in denial.none_of
        and _is_own_thing(other.tokens, place)
        and (denial.never or _OVER.isdisjoint(other.said(token.clause)))
        for place, token in enumerate(other.tokens)
    )


_REPEATED = listed("for long")
_OVER = listed("no longer had")


def _is_own_thing(tokens: Sequence[ClaimToken], place: int) -> bool:
    """Whether a noun is the speaker's, and describes no other: "my old car", not "my sister's car", "my car keys"."""
    clause = tokens[place].clause
    before = [token for token in tokens[max(0, place - _REACH) : place] if token.clause == clause]
    while before and before[-1].weight and before[-1].weight < 1.0:
        before.pop()
    after = next((token for token in tokens[place + 1 : place + 2] if token.clause == clause), None)
    goes_on = after is None or after.weight < 1.0 or after.is_name or _is_deed(after) or after.said.endswith("s")
    said = [token.said for token in before]
    is_had = said[-1:] and said[-1] in _HAVING and not _DOER.isdisjoint(said[-2:-1])
    return goes_on and bool(said) and (bool(is_had) or said[-1] in _OWN | _IN_PROGRESS)


def _is_chosen(choice: DeniedThing, never: bool, names: Set[str], other: Claim) -> bool:
    """Whether another statement says that one of the things denied was so."""
    # Someone who never took a class with Ann may have taken one with Ben.
    if not choice.objects.keys() & names <= other.words.keys():
        return False
    clauses = sorted({token.clause for token in other.tokens})
    named = choice.objects or dict.fromkeys(choice.deeds, 1.0)
    best = max(clauses, key=lambda number: _overlap(named, other.clause(number))[0])
    places = (at for at, token in enumerate(other.tokens) if token.clause == best and token.stem in named)
    object_at = next(places, None)
    if object_at is None or not _is_said_of_self(other, best) or not _is_met(choice, never, names, other, best):
        return False
    return _is_past(other.tokens, object_at) and not _is_negated(other.tokens, object_at)


def _is_met(choice: DeniedThing, never: bool, names: Set[str], other: Claim, clause: int) -> bool:
    """Whether another statement speaks of the same as done: of nearly all that is named, or its noun and the deed."""
    things = {word: weight for word, weight in choice.objects.items() if word not in names}
    if sum(things.values()) >= 1.0 and things.keys().isdisjoint(other.words):
        return False
    if sum(things.values()) < 2.0:
        things = dict(choice.objects)
    shared, _ = _overlap(things, other.words)
    if deeds := [place for place, token in enumerate(other.tokens) if token.stem in choice.deeds]:
        if not any(_is_past(other.tokens, place) and _is_own_deed(other.tokens, place) for place in deeds):
            return False
        least = (COVERED if never else COVERED_WITHOUT_NEVER) * sum(things.values())
        is_there = shared >= min(1.0, sum(things.values()))
        return not things or (is_there and (shared >= least or (never and _has_head(choice, other))))
    # "Never missed a session" is not about who scheduled one: another deed has to be one, on the very same thing.
    if choice.is_vague and names & things.keys():
        things = {word: weight for word, weight in things.items() if weight >= 1.0}
    if shared < COVERED_WITHOUT_NEVER * sum(things.values()):
        return False
    telling = sum(word in other.words for word, weight in things.items() if weight >= 1.0)
    if telling < 2 and choice.deeds.isdisjoint(_BEING) and not (choice.is_vague and names & things.keys()):
        return False
    return bool(telling) and (_tells(other, clause, "did") or (choice.is_vague and _has_done(choice, other, clause)))


def _has_done(choice: DeniedThing, statement: Claim, clause: int) -> bool:
    """Whether the speaker is said to have done something, or to have it: "I wrote", "we've kept", "my loans"."""
    tokens = [token for token in statement.tokens if token.clause == clause]
    if not choice.deeds.isdisjoint(_HAVING) and any(token.said in _OWN for token in tokens):
        return True
    return any(_is_deed(token) and before.said in _SPEAKING for before, token in pairwise(tokens))


_HAVING = listed("having")
_BEING = listed("being")


def _has_head(choice: DeniedThing, other: Claim) -> bool:
    """Whether another statement has the noun of what is denied, and no other sort of it: "a dance session"."""
    return any(
        token.stem == choice.head
        and not (before.clause == token.clause and before.weight >= 1.0 and not before.is_name)
        and not _is_about_another(choice, other.tokens[place + 1 :], token.clause)
        for place, (before, token) in enumerate(pairwise(other.tokens), start=1)
    )


def _is_about_another(choice: DeniedThing, after: Sequence[ClaimToken], clause: int) -> bool:
    """Whether a noun is said to be of something that is not denied: "a class on glazing", "a class on throwing"."""
    if not after or after[0].clause != clause or after[0].said not in _ABOUT:
        return False
    words = {token.stem for token in after[1:4] if token.clause == clause and token.weight >= 1.0}
    return len(choice.objects) > 1 and bool(words) and words.isdisjoint(choice.objects)


_ABOUT = listed("about")


def _is_verb_at(tokens: Sequence[ClaimToken], place: int) -> bool:
    """Whether a deed is stated as one: "I led", "leading", "I use"; not "the lead", "a plan"."""
    if _is_deed(tokens[place]) or tokens[place].said.endswith("ing"):
        return True
    return bool(place) and (tokens[place - 1].said in _SPEAKING or tokens[place - 1].said.endswith("ly"))


def _is_deed(token: ClaimToken) -> bool:
    """Whether a word has the form of a verb of something done."""
    return token.said.endswith("ed") or relation_words.irregular().get(token.said, token.said) != token.said


_OWN = listed("speaker's")
_SELF = listed("speaker")
_SPEAKING = listed("speaking")


def _is_negated(tokens: Sequence[ClaimToken], place: int) -> bool:
    """Whether a word is itself denied: "with no missed doses"."""
    clause = tokens[place].clause
    before = [token.said for token in tokens[max(0, place - _REACH) : place] if token.clause == clause]
    return any(not relation_words.words(name).isdisjoint(before) for name in ("never", "not_", "refused"))


def _is_done(statement: Claim, place: int) -> bool:
    """Whether the speaker is said to have to do with what stands at a place."""
    return _is_said_of_self(statement, statement.tokens[place].clause) and _is_past(statement.tokens, place)


def _is_said_of_self(statement: Claim, clause: int) -> bool:
    """Whether a clause says what is so of the speaker, neither wished for nor still to come."""
    return statement.speaks_of_self(clause) and not any(_tells(statement, clause, name) for name in ("goals", "undone"))


_CAME_TO = listed("came to")
_AHEAD_OF = listed("ahead of")
_REACH = 3


def _is_past(tokens: Sequence[ClaimToken], place: int) -> bool:
    """Whether a word is of something done: not "to submit it", "for submitting it"; but "managed to submit it"."""
    token = tokens[place]
    if token.said.endswith("ing") and place and tokens[place - 1].said in _AHEAD_OF:
        return False
    if any(before.said == "about" and before.clause == token.clause for before in tokens[max(0, place - 2) : place]):
        return False
    for at in range(place - 1, max(-1, place - 1 - _REACH), -1):
        if tokens[at].clause != token.clause:
            return True
        if tokens[at].said == "to" and _is_verb(tokens[at + 1]):
            return at > 0 and tokens[at - 1].said in _CAME_TO
    return True


def _is_verb(token: ClaimToken) -> bool:
    """Whether the word after a "to" may be an infinitive, not an article, a name or a value."""
    return token.kind is None and not token.is_name and token.said not in DETERMINERS
