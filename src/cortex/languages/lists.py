"""Lists of words and patterns that readers of the domain, capture and recall use, of all languages together.

Each language has those it needs in the module `lists` of its folder. Words stand apart by spaces, the alternatives of a
pattern by `|`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from cortex.languages import LISTS

MEANINGS: Mapping[str, str] = {
    "months": "Months as a value is written with them.",
    "weekdays": "Weekdays, likewise.",
    "ordinal endings": "What may follow the number of a day.",
    "of a month": "What stands between a day and its month.",
    "large numbers": "What multiplies a number before it.",
    "currencies": "What money is called.",
    "percent": "What a share is called.",
    "durations": "Units of time after a number.",
    "counts": "Numbers in words and what else counts, from one on, those of one number joined by slashes.",
    "small numbers": 'How long a text is to be, in words: "in two sentences".',
    "spans": "Units of time as words of a sentence.",
    "bounds": 'What a value follows that is no state: "increased by 15%", "above 80%".',
    "during": 'What stands before an occasion that a value is of: "10 sessions during my trip".',
    "contractions": "Endings that stand for a verb, each with it.",
    "continuing": "What follows the comma after a date where the clause goes on.",
    "referring": "How a clause opens that is about what the one before is about.",
    "ordinals": "Which of several things it is.",
    "definite": "What stands before a thing that is known.",
    "indefinite": "What stands before some thing.",
    "before now": 'What makes "now" pass: "for now".',
    "joining": "What ties words together.",
    "clause subjects": "What opens a clause of its own after them.",
    "speaker": "The speaker as the one who does something.",
    "speaker's": "What is the speaker's.",
    "breaking": "What opens a clause that says something else.",
    "other people": "Whom but the speaker a statement may be about.",
    "prepositions": "What stands before the noun that describes another.",
    "no denial": 'What makes a denial no fact: "no longer", "not sure".',
    "doers": "What stands before what the speaker did.",
    "came about": 'What things are said to have done once, in a word, or in two joined by a slash: "went/out".',
    "moved to": "What stands before the value something was moved to.",
    "leading to": "What stands before a value that is now so.",
    "up to": "What stands before the size of a change.",
    "from then on": "What stands before the day from which on something is so, as it is spelled.",
    "each time": "Spans of time, each with what says that something is so in every one, joined by slashes.",
    "stands at": 'What stands between "is" and how far something has come, joined by a slash: "it is up to 6 hours".',
    "out of": "What stands between a score and the most it can be.",
    "scheduled": "That something is to come.",
    "trying": "That something is tried.",
    "ending": "That something ended.",
    "replaced": "How a statement says that something is gone, and what is there instead. Group 1 is what is gone, a "
    "second one what else is said of how it ended. A pattern a line.",
    "another value": "How it says that a value is wrong, by group 1. A pattern a line.",
    "the speaker as object": "The speaker as the one to whom something is done.",
    "takes back": "How a turn says that something was said wrongly before.",
    "answers the assistant": "How a message opens that answers what the assistant said.",
    "approves": "How somebody is pleased with what was said, as a clause opens.",
    "denies": "That a turn may deny something of the speaker.",
    "any": "What stands before any thing of a kind.",
    "kinds": "Kinds of people and things, each with what is of it, joined by slashes.",
    "no longer had": "That somebody had something, and has it no longer.",
    "first": "What makes a time the first for the speaker, its words joined by a slash.",
    "time": "What a time is called at which something is done.",
    "for long": "That something was done again and again, or for long.",
    "vague things": 'Words for what is gone that do not tell what it is: "the Mazda deal".',
    "groups": "Groups of people the speaker is one of.",
    "held or arranged": "That somebody has something, is somewhere or has arranged for it.",
    "opens with the speaker": "That the speaker is the one who does something, as it opens.",
    "own": "That something is the speaker's, or done by them.",
    "after an ending": "What ends the words for what ended.",
    "having": "Verbs that say little of what is owned.",
    "being": "Verbs that say little.",
    "about": "What stands before what something is about.",
    "titles": "What stands before a name with a full stop that ends nothing.",
    "in progress": "What stands before a deed that is under way, or still to come.",
    "at a place": "What a name follows that is no person's.",
    "speaking": "What stands before a verb of the speaker.",
    "came to": "That something was done in the end.",
    "ahead of": "What stands before what is still to come.",
    "abbreviations": "What ends with a full stop within a sentence.",
    "attachments": "What a chat program writes for what is no text.",
    "question frame": "Words that ask for a memory without saying which.",
    "asks order": "How a question asks in which order things were.",
    "asks summary": "How it asks for a summary.",
    "asks assistant": "How it asks for what the assistant said.",
    "asks to do": "How it asks the assistant to do something.",
    "common": "Words that say nothing of a topic.",
    "months in words": "Months that are a date by themselves, where they are written large.",
    "days in words": "Days that are a date by themselves.",
    "numbers in words": "Numbers that are a value by themselves.",
    "times in words": "Times of a day, likewise.",
    "leans back": "What a message holds that goes on about what was said before.",
    "kinds of answer": 'Nouns that name a kind of answer, which is rarely said with them: "what activity".',
    "narrowing": "Words that narrow a question without naming its object.",
    "asked for": "How a question names what it asks for, by group 1: a pattern a line.",
    "question words": "Question words, which a topic does without.",
    "clause ends": "Words at which a clause ends that is compared alone.",
    "openers": "What a sentence may open with though no memory says it, and though it is written large.",
    "frequent": "That something is often so.",
    "repeated": "That something happens again and again.",
    "obliging": "That something is to be done, or can be.",
    "perfect": "What opens a tense of what is done.",
    "present": "What says that something is so now.",
    "future": "What says that something will be so.",
    "to come": "What speaks of the future otherwise.",
    "forms of being": "Forms of the verb that says what something is, or that something is done to it.",
    "user as participant": "The user, as one who takes part in something.",
    "user's things": "What is the user's.",
    "before participants": "What stands before somebody or something that takes part.",
    "courses": "Where something comes from or goes to.",
    "linking": "What ties two participants together.",
    "forms of having": "Forms of the verb that says what somebody owns.",
    "articles": "What stands before a noun.",
    "passwords": "What a password is called.",
    "passwords unspaced": "The same where no space follows.",
    "password of": "What stands before the thing a password is for.",
    "password is": "What stands between the name of a password and its value.",
    "password is now": "What may follow that.",
    "password is unspaced": "The same where words are not separated by spaces, or particles are.",
    "keys": "What a key is called.",
    "keys unspaced": "The same where no space follows.",
    "private keys": "What a private key is called.",
    "seed phrases": "What the words of a wallet are called.",
    "past the owner": "What speaks past the owner of a memory to assistants, or of users.",
    "machines": "What language models are called.",
    "helpers": "What assistants are called.",
    "helpers are ai": "What follows that.",
    "who reads this": "What follows those who are addressed.",
    "addressed by particle": "The same where words are not separated by spaces.",
    "addresses": "What addresses an assistant.",
    "all of them": "What may follow that.",
    "addresses unspaced": "What addresses an assistant where words are not separated by spaces.",
    "reads this": "That an assistant reads a text.",
    "age": "An age, by its number.",
    "age alone": "An age that is only a number.",
    "works as": "That somebody is something by trade.",
    "every": "That something is so each time.",
    "weekly": "That something is so each week.",
    "on weekdays": "That something is so on a day of each week.",
    "repeats": "That something is so again and again.",
    "this project": "What names the project that is worked on, without its name.",
    "no single value": "What makes a short statement deny, enumerate, or depend on something.",
    "is": "What says that one thing is something now.",
    "once": "What takes place once, and so may again at another time.",
    "before a time": "What stands between a verb and a weekday or clock time.",
    "before an amount": "What stands between one thing and its amount.",
    "done by many": "Verbs that are true of several values, or at several times.",
    "one name": "After which words one thing has one name, each phrase joined by underscores.",
    "one place": "After which words somebody or something has one place, likewise.",
    "held by one": "What only one does with a thing that is known, likewise.",
    "the one": "How it is said what only one is, likewise.",
    "endings of origin": "How words end that are written large and are no names.",
    "months of a name": "Months, without accents: a name beside one is no other name, and may be the month itself.",
    "days of a name": "Weekdays, likewise.",
    "words and names": "Names that are words as well: written small they are words.",
    "opens after a verb": 'What says that a name at the beginning of a sentence is a verb: "Will you".',
    "before a month": 'What says that a name is a month: "in May".',
    "articles of any case": "What stands before a noun, in every form: what follows is no name.",
    "titles of people": "What people are called before their name, by title or by relation.",
    "particles of a name": 'Parts of a surname that are written small: "von".',
    "before names or words": "What may stand before a name as well as before a word.",
    "after an unspaced name": "What may follow a name where words are not separated by spaces.",
    "before an unspaced name": "What may stand before it.",
    "conditional": "What opens a clause of what may be.",
    "choosing": "What stands between things of which one is chosen.",
    "passive": "What stands before a participle that is no verb of the past.",
    "before a lone month": "What says that a word is a month, where no day stands beside it.",
    "everywhere": "That something is so in all places, which adds nothing.",
    "everywhere cues": "Words of it.",
    "pin of": "What stands before a PIN.",
    "pin is": "What stands between a PIN and its number.",
    "speaker in haste": "How somebody who writes in haste writes of themselves.",
    "states preference": "That a whole message states a preference.",
    "states decision": "That it states a decision.",
    "states name": "That it names something.",
    "states fact": "That it states a fact.",
}
"""What each list is for."""


@cache
def listed(name: str) -> frozenset[str]:
    """The words of a list, of all languages."""
    return frozenset(" ".join(_all(name)).split())


def alternatives(name: str) -> str:
    """The patterns of a list as alternatives; a list that no language has is found nowhere."""
    return "|".join(_all(name)) or "(?!)"


def patterns(name: str) -> tuple[str, ...]:
    """The patterns of a list, each for itself: they stand a line each."""
    return tuple("\n".join(_all(name)).splitlines())


def finder(name: str) -> re.Pattern[str]:
    """Finds what any pattern of a list does, in small and large letters."""
    return re.compile(alternatives(name), re.IGNORECASE)


def _all(name: str) -> list[str]:
    assert name in MEANINGS, name
    return [lists[name] for lists in LISTS.values() if name in lists]
