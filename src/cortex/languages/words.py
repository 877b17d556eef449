"""What the words of a language are: tables that the domain, capture and recall read for all languages at once.

Words stand apart by spaces, phrases by a comma and a space. A pattern is a regular expression without groups that
count; the patterns of all languages are joined into one, so each has to be able to stand beside others after `|`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A way of giving orders to an assistant that a text from outside should not have."""

    sign: str
    """What it gives away: the value of a `Sign`."""
    weight: float
    needs: tuple[str, ...]
    """Patterns that one sentence has to hold, all of them, in lower case."""
    opens: str = ""
    """A pattern of what has to stand right before it."""


def phrase(sign: str, weight: float, *needs: str, opens: str = "") -> Phrase:
    """A phrase by what it gives away, how much that weighs, and what it needs."""
    return Phrase(sign=sign, weight=weight, needs=needs, opens=opens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """By what two statements are compared."""

    capitalized: bool = False
    """Whether months are written large."""
    ended: str = ""
    """A pattern of what says that something is no longer so."""
    ended_cues: str = ""
    """Words of `ended` in ASCII letters: without one of them, a text in ASCII is not searched for it."""
    denying: str = ""
    """Words that deny, each for itself."""
    denied: str = ""
    """A pattern of what denies and is no word."""
    concord: str = ""
    """Words that deny once where several stand together: "ne … pas"."""
    concord_pattern: str = ""
    never: str = ""
    """A pattern of what says that something has not been so at any time."""
    opposites: tuple[tuple[str, str, str], ...] = ()
    """Words that deny and name at once: letters they hold (separated by `|`), a pattern, and what stands for it."""
    rewrites: tuple[tuple[str, str, str], ...] = ()
    """Phrases that are read as others, in the same form."""
    answers: str = ""
    """A pattern of what may open a reply and is no part of the statement."""
    months: tuple[str, ...] = ()
    weekdays: tuple[str, ...] = ()
    """From Monday on."""
    numbers: Mapping[int, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    """The names of each unit, by its sign."""
    persons: Mapping[str, str] = field(default_factory=dict)
    """Pronouns, by `first`, `he`, `she` and `they`."""
    me: str = ""
    """What the speaker is called in the first person, however it is written."""
    relations: str = ""
    """Whom or what of the speaker's a statement may be about."""
    limits: Mapping[str, str] = field(default_factory=dict)
    """Words that set bounds to a statement, by what they do."""
    limit_patterns: Mapping[str, str] = field(default_factory=dict)
    limit_cues: str = ""
    """Letters of `limit_patterns` that a text in ASCII holds."""
    limiting: str = ""
    """Words that set bounds, each its own."""
    filling: str = ""
    """A pattern of phrases that add nothing."""
    filling_cues: str = ""
    fillers: str = ""
    """Words that add nothing."""
    directions: str = ""
    """Words that make the order of things tell."""
    preference: str = ""
    """A pattern that does."""
    synonyms: tuple[str, ...] = ()
    """Words of one meaning, the plainest first."""
    articles: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """How a question shows what it asks for. All are patterns, except words."""

    earlier: str = ""
    """It is about how something was before."""
    past: str = ""
    """Verbs of the past."""
    several: str = ""
    """It is about all that something has been."""
    advice: str = ""
    number: str = ""
    date: str = ""
    name: str = ""
    fact: str = ""
    twofold: str = ""
    """It asks for two things: "when does it start, and where?"."""
    rules: str = ""
    """It asks for the standing rules of the assistant."""
    recommendation: str = ""
    oneself: str = ""
    """The asker says something of themself."""
    asks_of_oneself: str = ""
    """How a question begins that asks back what the asker once said: "who is my …", "when did we …"."""
    states_of_oneself: str = ""
    """What in such a question says something of the asker as well: "my car, the Skoda", "now that I …"."""
    asked: str = ""
    """It is about what was asked."""
    polar: str = ""
    """How a question begins that yes or no answers; no request, which is answered by what is done."""
    refers: str = ""
    """A word for what was spoken of before: "they paid", "that works"."""
    requests: str = ""
    """How a request or an order to an assistant begins."""
    decides: str = ""
    """How somebody begins who accepts or rejects, decides, or says what came of it: "booked for two", "I'll take"."""
    introduces: str = ""
    """What brings up something new: "my sister …", "there's a …"."""
    conjunctions: str = ""
    """Words of `refers` that stand for nothing here: "that" of "remember that we"."""
    impersonal: str = ""
    """It asks for what anybody may know or do, and not about the asker."""
    known_thing: str = ""
    """It asks when, where, who or how much of one thing that it takes for known: "when is the concert?"."""
    unanswered: str = ""
    """How somebody says that they do not know."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Words that say what kind of value a number is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodWords:
    """How a question names the time of a conversation. Months and weekdays are those of `Similarity`."""

    days: Mapping[str, int] = field(default_factory=dict)
    """Phrases for a day, and how many days ago it was."""
    last_time: str = ""
    """A pattern for the last conversation."""
    last: str = ""
    """A pattern of what stands before a week or a month that is over,"""
    this: str = ""
    """before one that is not,"""
    on: str = ""
    """and before a weekday or a date."""
    in_: str = ""
    """A pattern of what stands before a month."""
    week: str = ""
    month: str = ""
    ago: str = ""
    """A pattern of a number of days or weeks ago, in its groups `number`, and `days` or `weeks`."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    requests: str = ""
    """A pattern of how somebody asks for what was said or done."""
    talk: str = ""
    """Words of such a question that name no topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationWords:
    """Words that decide how two statements stand to each other."""

    changes: str = ""
    """That something is no longer as it was."""
    changing: str = ""
    """That something is about to change, where a value follows: "to move the call to Friday"."""
    progress: str = ""
    """That a state has moved on."""
    goals: str = ""
    """That something is planned, wished or possible, not so."""
    undone: str = ""
    """That something is to come, where it would have to be so."""
    never: str = ""
    """That something has not been so at any time."""
    not_: str = ""
    """That something is not so."""
    refused: str = ""
    """That what follows was not done or is not there."""
    did: str = ""
    """That somebody has had to do with something, whatever it was they did."""
    not_yet: str = ""
    """That what is not so may come."""
    examples: str = ""
    """What comes before an example of what was named."""
    events: str = ""
    """That something happened on one day."""
    by_how_much: str = ""
    """What an amount before it is the size of: "a 15% increase"."""
    moved_by: str = ""
    """What an amount right after it is the size of: "rose 15%"."""
    rates: str = ""
    """That something is counted anew each time: "twice per week"."""
    states: str = ""
    """That something is so for as long as nothing else is said: "is", "costs"."""
    several: str = ""
    """Whom or what of theirs somebody may have more than one of: "sister", "dog"."""
    periods: str = ""
    """After what a month, a quarter or a year is the time in which something was counted."""
    generic: str = ""
    """Words that stand in statements about anything."""
    irregular: str = ""
    """Verbs whose forms no stem has in common, those of one verb joined by slashes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParaphraseWords:
    """Words by which a sentence may differ from the memories it retells."""

    neutral: str
    """Words that retell without adding anything."""
    of_a_date: str
    """What may be said of anything that has a date."""
    reporting: str
    """Verbs that only tell that something was said, whenever that was."""
    synonyms: str
    """Words of which one may stand for another, a group to a line; `Similarity` has more of them."""
    irregular: str
    """Verbs whose past no stemmer knows, separated by commas: present, past and participle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of one language."""

    lang: str
    order: int
    """When the language is tried: first those with letters of their own, kana before Han; then by common words."""
    spaced: bool = True
    """Words are separated by spaces."""
    letters: str = ""
    """A pattern of letters of its own: a text without any holds none of its phrases."""
    small_talk: str = ""
    """Words of greetings, thanks and assent."""
    small_talk_phrases: str = ""
    relations: RelationWords = RelationWords()
    stop_words: str = ""
    question_words: str = ""
    """A pattern of what a query is made of, where words are not separated by spaces."""
    changed: str = ""
    """Phrases that say that something changed; where words are not separated by spaces, a pattern."""
    corrected: str = ""
    """Phrases that say that something said before was wrong; or a pattern."""
    takes_back: str = ""
    """A pattern of words with which a reply takes back what was said just before."""
    manner: str = ""
    """A pattern of rules that say how to answer."""
    conditions: tuple[str, ...] = ()
    """Patterns of rules with a condition, which is their group `about`."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """Patterns that speak for the kind of a statement, by the names in `capture.classify`."""
    reporting: str = ""
    """Words by which a report speaks of what was said."""
    reporting_pattern: str = ""
    paraphrase: ParaphraseWords | None = None
    """None where a retold sentence is held to its words, names, numbers and polarity alone."""
    injection: tuple[Phrase, ...] = ()
    similarity: Similarity = Similarity()
    questions: Questions = Questions()
    periods: PeriodWords = PeriodWords()


def either(patterns: Iterable[str]) -> str:
    """One pattern that finds what any of them finds."""
    return "|".join(filter(None, patterns))
