"""What a statement says, as far as two of them are compared: its values with their types, and the words around each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, lru_cache
from itertools import dropwhile, pairwise, takewhile

from cortex.capture import relation_words
from cortex.capture.replacement import replacements
from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import spelling
from cortex.domain.text import normal
from cortex.domain.text_similarity import denies, same_value
from cortex.languages import LISTS
from cortex.languages.lists import alternatives, listed

MAX_CHARACTERS = 1_200

MOST_WORDS_DENYING = 12
"""A longer statement denies something in passing."""

_MONTHS = alternatives("months")
_DAY = rf"\d\d?(?:{alternatives('ordinal endings')})?"
_SCALED = r"\d+(?:,\d{3})*(?:\.\d+)?(?:[-–]\d+(?:\.\d+)?(?![\d:–-]|\s?[ap]\.?m\b))?"
"""A number, or a range of them."""
_TOKEN = re.compile(
    rf"(?P<date>\d{{4}}-\d\d?-\d\d?\b|\b(?:{_MONTHS})\.?\s{_DAY}\b(?!:)(?:,?\s\d{{4}}\b)?"
    rf"|\b{_DAY}\s(?:(?:{alternatives('of a month')})\s)?(?:{_MONTHS})\b(?:,?\s\d{{4}}\b)?"
    r"|\b(?:19|20)\d\d[-–](?:19|20)\d\d\b)"
    rf"|(?P<weekday>\b(?:{alternatives('weekdays')})s?\b)"
    r"|(?P<time>\b\d\d?:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|\b\d\d?\s?[ap]\.?m\b\.?)"
    rf"|(?P<ratio>\b(?!24/7\b)\d{{1,3}}(?:\.\d+)?(?:/|\s(?:{alternatives('out of')})\s)\d{{1,3}}(?:\.\d+)?\b(?![/\d]))"
    rf"|(?P<money>[$€£¥]\s?{_SCALED}(?:\s?(?:k|m|{alternatives('large numbers')})\b)?"
    rf"|\b{_SCALED}\s?(?:{alternatives('currencies')}|usd|eur|gbp|€)(?!\w))"
    rf"|(?P<percent>\b{_SCALED}\s?(?:%|(?:{alternatives('percent')})\b))"
    r"|(?P<version>\bv\d+(?:\.\d+)+|\b\d+\.\d+\.\d+(?:\.\d+)*\b)"
    rf"|(?P<duration>\b{_SCALED}[\s-]?(?:ms|{alternatives('durations')})\b)"
    r"|(?P<code>\b[A-Z]{1,3}\d{1,4}\b)"
    rf"|(?P<number>\b{_SCALED}(?:\s?(?:kg|km|cm|mm|mb|gb|tb|lbs?|oz|g|k)\b)?)"
    r"|(?P<word>[^\W\d_](?:[\w'+#]|-(?=\w))*)"
    r"|(?P<stop>[;()–—…]|(?<![.,:!?])[.,:!?]++(?=\s|$|[\"'”)]))",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[\d.]+")
_MEASURED = re.compile(r"(?<![a-z])[a-z]+$", re.IGNORECASE)
_COUNTS = {
    word: str(number)
    for lists in LISTS.values()
    for number, words in enumerate(lists.get("counts", "").split(), start=1)
    for word in words.split("/")
    if word != words.split("/")[0] or number > 1
}
"""Numbers by their words; "one" is more often a pronoun."""
_SPANS = listed("spans")
_BOUNDS = listed("bounds")
"""What follows these is no state: "increased by 15%", "above 80%"."""
_CONTRACTED = {each.partition("/")[0]: each.partition("/")[2] for each in listed("contractions")}
_CONTINUING = re.compile(rf"\s*(?:{'|'.join(sorted(listed('continuing')))})\s", re.IGNORECASE)
"""What follows the comma after a date where the clause goes on: "due on May 3, 2025, for the first part"."""
_PRONOUNS = listed("referring")
ORDINALS = listed("ordinals")
_DEFINITE = listed("definite")
_INDEFINITE = listed("indefinite")
DETERMINERS = _DEFINITE | _INDEFINITE
_PASSING_NOW = listed("before now")
_JOINING = listed("joining")
_SUBJECTS = listed("clause subjects")
_SELF = listed("speaker")
_OWN = listed("speaker's")
_BREAKING = listed("breaking")
_OTHERS = listed("other people")
_TITLES = listed("titles")


class ValueKind(StrEnum):
    DATE = "date"
    WEEKDAY = "weekday"
    TIME = "time"
    MONEY = "money"
    PERCENT = "percent"
    RATIO = "ratio"
    VERSION = "version"
    DURATION = "duration"
    COUNT = "count"
    NUMBER = "number"
    MEASURE = "measure"
    CODE = "code"
    NAME = "name"


CALENDAR = frozenset({ValueKind.DATE, ValueKind.WEEKDAY, ValueKind.TIME})
_SAID_TO_CHANGE = CALENDAR | {ValueKind.VERSION, ValueKind.CODE, ValueKind.NAME}


@dataclass(frozen=True, slots=True)
class ClaimToken:
    """One word or value, at its place."""

    text: str
    said: str
    """As it is written, in small letters; "I'd" is "would"."""
    stem: str
    weight: float
    """How much the word tells: 0 where it stands everywhere, 1 where it is rare."""
    clause: int
    kind: ValueKind | None = None
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class ClaimValue:
    """A value, what it counts where it is a count, and how it stands in its clause."""

    kind: ValueKind
    text: str
    place: int
    unit: frozenset[str]
    before: str
    """The word it follows."""
    subject: str
    """Who its clause is about: empty for the speaker and for things, a relation or a pronoun for somebody else."""
    denied: bool
    several: bool
    """Whether more than two values of its kind stand in a row, or it is a range or a part: "three of the roses"."""
    indefinite: bool
    """Whether it is a value of some thing, not of the one that is known: "a triangle with sides of 7 cm"."""
    planned: bool
    """Whether it is what is to be reached: "to collect 15 samples"."""
    is_step: bool
    """Whether it says by how much something changed, not what it is: "rose 15%", "a 15% increase"."""
    is_rate: bool
    """Whether it is counted anew each time: "twice a week"."""
    period: frozenset[str]
    """The time in which it was counted: "in July", "during Q1 2025"."""
    clause: int


@dataclass(frozen=True, slots=True, eq=False)
class Claim:
    """A statement read for comparison. A text that is read again gives the same claim, so identity is enough."""

    tokens: tuple[ClaimToken, ...]
    said_in: tuple[frozenset[str], ...]
    """The words of each clause as they are written."""
    values: tuple[ClaimValue, ...]
    words: Mapping[str, float]
    """The telling words, each with its weight."""
    names: frozenset[str]
    stems: frozenset[str]
    """Every word, also those that tell nothing."""
    denied: tuple[Denial, ...]
    others: frozenset[str]
    """Whom but the speaker it is about."""

    def clause(self, number: int) -> dict[str, float]:
        """The telling words of one clause."""
        return {token.stem: token.weight for token in self.tokens if token.clause == number and token.weight}

    def around(self, value: ClaimValue) -> dict[str, float]:
        """The telling words that say what a value is of.

        Where its clause names nothing before it, as in "which improved to 78%", the clause before says it. So it does
        where the clause opens with a pronoun.
        """
        words = self.clause(value.clause)
        if value.clause and self._opens_with_pronoun(value.clause, past_joining=value.kind not in CALENDAR):
            return self.clause(value.clause - 1) | words
        before = any(token.weight >= 1.0 for token in self.tokens[: value.place] if token.clause == value.clause)
        if before or value.unit or value.kind in CALENDAR or value.clause == 0:
            return words
        return self.clause(value.clause - 1) | words

    def _opens_with_pronoun(self, clause: int, *, past_joining: bool) -> bool:
        said = (token.said for token in self.tokens if token.clause == clause)
        skipped = _JOINING if past_joining else frozenset()
        return next(dropwhile(skipped.__contains__, said), "") in _PRONOUNS

    def speaks_of_self(self, clause: int) -> bool:
        """Whether the speaker, or something of theirs, is what a clause is about."""
        said = self.said(clause)
        return not _SELF.isdisjoint(said) or (not _OWN.isdisjoint(said) and _OTHERS.isdisjoint(said))

    def text_of(self, clause: int) -> str:
        """One clause, word by word."""
        return " ".join(token.text for token in self.tokens if token.clause == clause)

    def said(self, clause: int) -> frozenset[str]:
        """The words of one clause as they are written."""
        return self.said_in[clause] if clause < len(self.said_in) else frozenset()


@dataclass(frozen=True, slots=True)
class DeniedThing:
    """One of the things that a denial names."""

    deeds: frozenset[str]
    """What was not done: the verbs, of which one is enough."""
    objects: Mapping[str, float]
    """To what it was not done; a name among them has to be met."""
    is_vague: bool
    """Whether the verb tells little: "never worked with", "don't have"."""
    head: str
    """The noun that the rest describes: "seminars" of "financial seminars in Rome"."""


@dataclass(frozen=True, slots=True)
class Denial:
    """What a part of a statement says is not so."""

    words: Mapping[str, float]
    choices: tuple[DeniedThing, ...]
    """What is denied, one by one: of "workshops or training sessions" one is enough."""
    values: tuple[str, ...]
    examples: frozenset[str]
    """What is named as one of the things denied: "any editor, like Emacs"."""
    never: bool
    yet: bool
    is_first: bool = False
    """Whether it is only said that something is done for the first time."""
    none_of: frozenset[str] = frozenset()
    """What the speaker says to have none of, and what is of its kind: "a car"; "siblings", brothers and sisters."""


@lru_cache(maxsize=8_192)
def read(text: str) -> Claim:
    """What there is to compare in a text."""
    plain = normal("NFKC", text[:MAX_CHARACTERS]).replace("’", "'")
    tokens = tuple(_tokens(plain))
    words = {token.stem: token.weight for token in tokens if token.weight and token.kind in (None, ValueKind.NAME)}
    said: defaultdict[int, set[str]] = defaultdict(set)
    for token in tokens:
        said[token.clause].add(token.said)
    return Claim(
        tokens=tokens,
        said_in=tuple(frozenset(said[clause]) for clause in range(max(said, default=-1) + 1)),
        values=tuple(_values(tokens)),
        words=words,
        names=frozenset(token.stem for token in tokens if token.is_name),
        stems=frozenset(stem for token in tokens for stem in _stems(token.text)),
        denied=tuple(_denials(tokens)),
        others=frozenset(token.text.casefold() for token in tokens) & _OTHERS,
    )


_stems = lru_cache(maxsize=20_000)(spelling)


def _tokens(plain: str) -> Iterator[ClaimToken]:
    clause, opens, joined, fresh = 0, True, False, True
    last, earlier = None, ""
    for found in _TOKEN.finditer(plain):
        group, text = found.lastgroup, found.group()
        folded = text.casefold()
        last, before = group, last
        if group == "stop":
            if before == "date" and text == "," and _CONTINUING.match(plain, found.end()):
                continue
            if text == "." and earlier in _TITLES:
                continue
            clause += 1
            opens, joined, fresh = text[-1] in ".!?:…", False, True
            continue
        # "And I've reached 65%" is a clause of its own; "bread and butter" is not two.
        clause += not fresh and (folded in _BREAKING or (joined and folded in _SUBJECTS))
        fresh = folded in _JOINING and fresh
        joined, opens = folded in _JOINING, opens and folded in _JOINING
        if group == "word":
            word = _word(text, folded, clause, opens or not found.start())
            # "Right now" and "for now" tell of no change.
            yield replace(word, said=f"{earlier} now") if folded == "now" and earlier in _PASSING_NOW else word
        else:
            assert group is not None
            said = "/".join(_NUMBER.findall(text)) if group == ValueKind.RATIO else text
            yield ClaimToken(said, said.casefold(), said.casefold(), 0.0, clause, ValueKind(group))
        opens, earlier = False, folded


def _word(text: str, folded: str, clause: int, opens: bool) -> ClaimToken:
    if folded in _COUNTS:
        return ClaimToken(_COUNTS[folded], folded, _COUNTS[folded], 0.0, clause, ValueKind.NUMBER)
    said = _CONTRACTED.get(folded[-3:], _CONTRACTED.get(folded[-2:], folded))
    stem = _each_time().get(folded) or "".join(_stems(relation_words.irregular().get(folded, folded)))
    is_name = text[0].isupper() and folded not in STOP_WORDS and not opens and folded.partition("'")[0] != "i"
    return ClaimToken(text, said, stem, _weight(folded, stem), clause, is_name=is_name)


@cache
def _each_time() -> Mapping[str, str]:
    """The span of time of each word for what is so in every one, as it is spelled: "nightly" is "a night"."""
    rows = (row.split("/") for row in listed("each time"))
    return {word: _stems(span)[0] for span, *words in rows for word in words}


_TELLING_OF_STATEMENTS = ("changes", "changing", "progress", "goals", "undone", "never", "not_")
"""Lists of words that say how something is stated, not what."""


@lru_cache(maxsize=20_000)
def _weight(folded: str, stem: str) -> float:
    if not STOP_WORDS.isdisjoint((folded, folded.partition("'")[0])) or len(stem) < 2 or folded in _SPANS:
        return 0.0
    if any(folded in relation_words.words(name) for name in _TELLING_OF_STATEMENTS):
        return 0.0
    return 0.25 if stem in relation_words.stems("generic") else 1.0


def _values(tokens: tuple[ClaimToken, ...]) -> Iterator[ClaimValue]:
    for place, token in enumerate(tokens):
        if token.kind is None and not (token.is_name and token.weight):
            continue
        if _is_year(token):
            continue
        kind = token.kind or ValueKind.NAME
        unit: frozenset[str] = frozenset()
        if kind is ValueKind.NUMBER:
            kind, unit = _counted(tokens, place)
        before = tokens[place - 1].stem if place and tokens[place - 1].kind is None else ""
        yield ClaimValue(
            kind=kind,
            text=token.text,
            place=place,
            unit=unit,
            before=before,
            subject=_subject(tokens, place),
            denied=_is_denied(tokens, place),
            several=_is_listed(tokens, place) or _is_part(tokens, place) or _is_range(token),
            indefinite=_is_of_some(tokens, place),
            planned=_is_planned(tokens, place),
            is_step=_is_step(tokens, place),
            is_rate=_is_rate(tokens, place),
            period=_period(tokens, token.clause),
            clause=token.clause,
        )


def _counted(tokens: tuple[ClaimToken, ...], place: int) -> tuple[ValueKind, frozenset[str]]:
    """What a number counts: the words right after it, up to the second that tells something."""
    unit: list[str] = []
    clause = tokens[place].clause
    if place and "." in tokens[place].text and (tokens[place - 1].is_name or tokens[place - 1].said == "version"):
        return ValueKind.VERSION, frozenset({tokens[place - 1].stem})
    if measured := _MEASURED.search(tokens[place].text):
        return ValueKind.MEASURE, frozenset({measured.group().casefold()})
    for token in tokens[_past_partitive(tokens, place) :][:3]:
        if token.kind is not None or token.clause != clause:
            break
        if token.said in _SPANS:
            return ValueKind.DURATION, frozenset({token.stem})
        if not token.weight or token.said in relation_words.words("states") or token.stem in _TIME:
            break
        if not token.is_name:
            unit.append(token.stem)
    return (ValueKind.COUNT, frozenset(unit)) if unit else (ValueKind.NUMBER, frozenset())


def _past_partitive(tokens: tuple[ClaimToken, ...], place: int) -> int:
    """Where the words after a number begin: "solved 30 of the puzzles" counts puzzles."""
    return place + 3 if _is_partitive(tokens, place) else place + 1


def _is_partitive(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    after = [token.said for token in tokens[place + 1 : place + 3]]
    return after[:1] == ["of"] and _DEFINITE.issuperset(after[1:])


def _is_part(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    """Whether a number begins what is said of a part: "three of the roses are white"."""
    opens = not place or tokens[place - 1].clause != tokens[place].clause
    return opens and tokens[place].kind is ValueKind.NUMBER and _is_partitive(tokens, place)


def _is_listed(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    near = tokens[max(0, place - 3) : place + 4]
    return tokens[place].kind is not None and sum(token.kind is tokens[place].kind for token in near) > 2


def _is_range(token: ClaimToken) -> bool:
    return token.kind in _RANGED and ("-" in token.text.strip("-") or "–" in token.text)


def _is_year(token: ClaimToken) -> bool:
    return token.kind is ValueKind.NUMBER and bool(_YEAR.fullmatch(token.text))


_YEAR = re.compile(r"(?:19|20)\d\d")
_RANGED = frozenset({ValueKind.NUMBER, ValueKind.PERCENT, ValueKind.MONEY})


def _is_of_some(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    """Whether the nearest article or possessive before a value is indefinite."""
    for at in range(place - 1, max(-1, place - 8), -1):
        if tokens[at].clause != tokens[place].clause:
            return False
        word = tokens[at].text.casefold()
        if word in _DEFINITE or word in relation_words.words("changing"):
            return False
        if word in _INDEFINITE and not (at + 1 < place and tokens[at + 1].text.casefold() in _SPANS):
            return True
    return False


def _is_planned(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    """Whether a value follows an infinitive: "to collect 15"."""
    return (
        place > 1
        and tokens[place - 2].said == "to"
        and tokens[place - 1].kind is None
        and bool(tokens[place - 1].weight)
    )


_AFTER_A_STEP = 4
"""How many words after an amount may name what it is the size of: "a 6% Q1 gain"."""


def _is_step(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    """Whether an amount is the size of a change."""
    if tokens[place].kind not in (ValueKind.PERCENT, ValueKind.MONEY):
        return False
    clause = tokens[place].clause
    before = [token.said for token in tokens[max(0, place - 2) : place] if token.clause == clause]
    if before[-1:] and before[-1] in _BOUNDS:
        before.pop()
    if before and before[-1] in relation_words.words("moved_by"):
        return True
    after = (token.said for token in tokens[place + 1 :][:_AFTER_A_STEP] if token.clause == clause)
    return not relation_words.words("by_how_much").isdisjoint(after)


def _is_rate(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    """Whether the clause of a value says that it is counted each day or week."""
    clause = [token for token in tokens if token.clause == tokens[place].clause]
    if any(token.said in relation_words.words("rates") for token in clause):
        return True
    return any(one.said in _INDEFINITE and other.said in _SPANS for one, other in pairwise(clause))


_PERIOD = re.compile(rf"(?:{_MONTHS}|(?:19|20)\d\d|q[1-4])", re.IGNORECASE)


def _period(tokens: tuple[ClaimToken, ...], clause: int) -> frozenset[str]:
    """The month, quarter, year or occasion in which what a clause says was so; empty where it names none."""
    found: set[str] = set()
    opened = during = False
    for token in (token for token in tokens if token.clause == clause):
        is_time = bool(_PERIOD.fullmatch(token.said))
        if (opened and is_time) or (during and token.weight >= 1.0):
            found.add(token.said)
            during = False
        opened = token.said in relation_words.words("periods") or (opened and is_time)
        during = token.said in _DURING or (during and not is_time)
    return frozenset(found)


_DURING = listed("during")
"""What follows these is an occasion: "10 sessions during my trip"."""


def _subject(tokens: tuple[ClaimToken, ...], place: int) -> str:
    """Somebody else, where the clause of a value speaks of one."""
    clause = [token.said.removesuffix("'s") for token in tokens if token.clause == tokens[place].clause]
    return " ".join(sorted(_OTHERS.intersection(clause)))


def _is_denied(tokens: tuple[ClaimToken, ...], place: int) -> bool:
    """Whether a value is named to say that it is not the one, or only might be: "not Tuesday", "if it is Tuesday"."""
    if next(token.said for token in tokens if token.clause == tokens[place].clause) in _CONDITIONAL:
        return True
    before = [token.text.casefold() for token in tokens[max(0, place - 3) : place]]
    after = [token.text.casefold() for token in tokens[place + 1 : place + 2]]
    if before[-1:] == ["not"] or before[-2:] in (["instead", "of"], ["rather", "than"], ["longer", "on"]):
        return True
    if before and before[-1] in _BOUNDS and tokens[place].kind not in CALENDAR:
        return True
    return before[-1:] in (["from"], ["was"]) and (after == ["to"] or before[-1:] == ["was"])


_CONDITIONAL = listed("conditional")


def _denials(tokens: tuple[ClaimToken, ...]) -> Iterator[Denial]:
    """What the speaker says of themselves is not so: the words after the one that denies, to the end of its clause."""
    folded = [token.text.casefold() for token in tokens]
    for place, (token, word) in enumerate(zip(tokens, folded, strict=True)):
        is_first = _is_first_time(folded, place)
        never = is_first or word in relation_words.words("never")
        if not never and word not in relation_words.words("not_"):
            continue
        before = [other.said for other in tokens[:place] if other.clause == token.clause]
        rest, examples = _denied(tokens, place)
        is_own = (
            is_first
            or _SELF.intersection(before[-3:])
            or (before[-1:] and before[-1] in _JOINING and _SELF.intersection(before))
        )
        if not is_own or PASSING_OVER.intersection(other.text.casefold() for other in rest):
            continue
        words = {other.stem: other.weight for other in rest if other.weight}
        if words:
            yield Denial(
                words,
                tuple(_choices(rest)),
                values=tuple(other.text for other in rest if other.kind is not None),
                examples=examples,
                never=never,
                yet=not relation_words.words("not_yet").isdisjoint(folded),
                is_first=is_first,
                none_of=_none_of(tokens[place - 1] if place else None, word, rest),
            )


def _is_first_time(folded: Sequence[str], place: int) -> bool:
    """Whether a word is the last of "my first time", before what is done."""
    return folded[place] in _TIME and "/".join(folded[max(0, place - 2) : place]) in _FIRST


_TIME = listed("time")
_FIRST = listed("first")


def _none_of(before: ClaimToken | None, denying: str, rest: Sequence[ClaimToken]) -> frozenset[str]:
    """What a denial says that the speaker does not have at all, where it is one thing: "never had a dog", "no kids"."""
    if denying == "no":
        has, things = before, rest
    else:
        has, things = (rest[0], rest[2:]) if rest[1:2] and rest[1].said in _ANY else (None, ())
    if has is None or _first_form(has) not in _HAVING:
        return frozenset()
    named = list(takewhile(lambda token: token.said not in PREPOSITIONS, things))
    if len(named) != 1 or named[0].weight < 1.0 or named[0].is_name:
        return frozenset()
    return _kinds().get(named[0].stem, frozenset()) | {named[0].stem}


def _first_form(token: ClaimToken) -> str:
    return relation_words.irregular().get(token.said, token.stem)


_ANY = listed("any")
_HAVING = listed("having")


@cache
def _kinds() -> Mapping[str, frozenset[str]]:
    """What is of a kind, by the name of the kind, as both are spelled."""
    rows = (row.split("/") for row in listed("kinds"))
    return {_stems(kind)[0]: frozenset(_stems(" ".join(members))) for kind, *members in rows}


def _denied(tokens: tuple[ClaimToken, ...], place: int) -> tuple[list[ClaimToken], frozenset[str]]:
    """What follows a denial in its clause, up to examples; and the names of those, also after a comma."""
    clause = tokens[place].clause
    rest: list[ClaimToken] = []
    examples: set[str] = set()
    names_examples = False
    for token in tokens[place + 1 :]:
        if not names_examples and token.said not in relation_words.words("examples"):
            if token.clause != clause:
                break
            rest.append(token)
        elif token.clause > clause + 1:
            break
        else:
            names_examples = True
            examples.update([token.stem] if token.is_name else [])
    return rest, frozenset(examples)


def _choices(tokens: list[ClaimToken]) -> Iterator[DeniedThing]:
    """The things that are denied. A verb holds for those after it: "prepared or sent any letters or cards"."""
    deeds: frozenset[str] = frozenset()
    bare, is_vague, found = False, False, 0
    for place, choice in enumerate(_split_at_or(tokens)):
        said = [token for token in choice if not token.said.endswith("ly")]
        if said and (not place or _is_done(said[0])):
            deeds = (deeds if bare else frozenset()) | {said[0].stem}
            is_vague = said[0].weight < 1.0
            said = said[1:]
        objects = {token.stem: token.weight for token in said if token.weight and token.stem not in deeds}
        if not is_vague and max(objects.values(), default=0.0) < 1.0:
            objects = {}
        bare = not objects
        if objects:
            found += 1
            yield DeniedThing(deeds, objects, is_vague, _head(said))
    if not found:
        yield DeniedThing(deeds, {}, is_vague, "")


def _split_at_or(tokens: list[ClaimToken]) -> Iterator[list[ClaimToken]]:
    choice: list[ClaimToken] = []
    for token in tokens:
        if token.said == "related":
            break
        if token.said in _CHOOSING:
            yield choice
            choice = []
        else:
            choice.append(token)
    yield choice


_CHOOSING = listed("choosing")


def _is_done(token: ClaimToken) -> bool:
    """Whether a word is a verb of something done."""
    return token.kind is None and (token.said.endswith("ed") or token.said in relation_words.irregular())


def _head(tokens: list[ClaimToken]) -> str:
    """The last telling word before a preposition."""
    head = ""
    for token in tokens:
        if token.said in PREPOSITIONS and head:
            break
        head = token.stem if token.weight and not token.is_name else head
    return head


PREPOSITIONS = listed("prepositions")


# "No longer" ends something and does not deny that it was; what is not sure, wanted or understood is no fact.
PASSING_OVER = listed("no denial")


def can_change(text: str) -> bool:
    """Whether a text states what may later be said otherwise: an amount, a date, or that something never was."""
    claim = read(text)
    return any(value.kind is not ValueKind.NAME for value in claim.values) or any(each.never for each in claim.denied)


def states_an_amount(text: str) -> bool:
    """Whether a text gives an amount that may be another than before, not one that is denied or planned.

    A day, a version or a name is another only where a text tells of a change (`may_say_otherwise`).
    """
    claim = read(text)
    return any(
        not (value.kind in _SAID_TO_CHANGE or value.denied or value.planned or value.is_step)
        and relation_words.words("goals").isdisjoint(claim.said(value.clause))
        for value in claim.values
    )


def may_say_otherwise(text: str) -> bool:
    """Whether a text denies something of the speaker, or tells that a value is no longer as it was."""
    claim = read(text)
    if claim.denied or replacements(text):
        return True
    if denies(text) and len(claim.tokens) <= MOST_WORDS_DENYING:
        return any(
            claim.speaks_of_self(token.clause) and PASSING_OVER.isdisjoint(claim.said(token.clause))
            for token in claim.tokens
        )
    return any(_has_moved(claim, value) for value in claim.values if value.kind is not ValueKind.NAME)


def may_be_denied(text: str) -> bool:
    """Whether a text tells what the speaker did, or what they have: what they may have denied before."""
    claim = read(text)
    return any(
        claim.speaks_of_self(number) and not claim.said(number) & relation_words.words("goals")
        for number in range(len(claim.said_in))
        if not _OWN.isdisjoint(claim.said(number))
        or any(_is_done(token) or token.said in _HAVING for token in claim.tokens if token.clause == number)
    )


def _has_moved(claim: Claim, value: ClaimValue) -> bool:
    """Whether the clause of a value tells of a change, and not of one that is wished for."""
    said = claim.said(value.clause)
    if not relation_words.words("goals").isdisjoint(said):
        return False
    if any(not relation_words.words(name).isdisjoint(said) for name in ("changes", "progress")):
        return True
    leads = value.before in _LEADING_TO and not relation_words.words("changing").isdisjoint(said)
    return leads or stands_at(claim, value)


_LEADING_TO = listed("leading to")


def stands_at(claim: Claim, value: ClaimValue) -> bool:
    """Whether a value is how far something has come: "I'm up to nearly 6 hours", "it's down to 10 minutes"."""
    said = [token.said for token in claim.tokens[: value.place] if token.clause == value.clause][-_BEFORE_A_STATE:]
    is_so = not (_IN_PROGRESS | relation_words.words("states")).isdisjoint(said)
    return is_so and any("/".join(pair) in _STANDS_AT for pair in pairwise(said))


_IN_PROGRESS = listed("in progress")
_STANDS_AT = listed("stands at")
_BEFORE_A_STATE = 4


def differ(a: ClaimValue, b: ClaimValue) -> bool:
    """Whether two values of one kind are not the same."""
    if a.kind is ValueKind.NAME:
        return a.text.casefold().removesuffix("'s") != b.text.casefold().removesuffix("'s")
    return not same_value(a.text, b.text)
