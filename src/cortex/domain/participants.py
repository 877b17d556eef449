"""Who does what in an English text, and what belongs to whom, as far as the order of its words tells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from cortex.domain import text_similarity
from cortex.domain.paraphrase_words import canonical
from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import spelling
from cortex.languages.lists import listed

USER = "user"
BEING = listed("forms of being")

_FEWEST_WORDS = 3  # a line of fewer words is the label of a memory, and no clause
_TOKEN = re.compile(r"[^\W\d_](?:[\w-]|['’.](?=\w)){0,60}|['’]s\b")
_SENTENCE = re.compile(r"[.;!?](?:\s|$)")
_FIRST = listed("user as participant")
_OWN = listed("user's things")
_PREPOSITIONS = listed("before participants")
_COURSES = listed("courses")
_JOINING = listed("linking")
_HAVING = listed("forms of having")
_ARTICLES = listed("articles")

Pairs = set[tuple[str, str]]

_REACH = 12
"""How many words before a name it may be the object of, and how many names one subject has: more are no sentence."""


@dataclass(slots=True)
class Structure:
    """Who does what, and whose things are. Participants are the user, and everybody and everything that has a name."""

    doing: Pairs = field(default_factory=set)
    """A participant, and a word it stands before as its subject."""
    undergoing: Pairs = field(default_factory=set)
    """A participant, and a word it stands behind as its object."""
    owners: Pairs = field(default_factory=set)
    """A thing, and the participant it belongs to."""
    courses: Pairs = field(default_factory=set)
    """A participant, and whether something comes `from` it or goes `to` it."""
    participants: set[str] = field(default_factory=set)
    has_relatives: bool = False
    """Whether it speaks of somebody by what they are to the user: "my mother"."""

    @property
    def is_of_others(self) -> bool:
        """Whether it speaks of somebody or something, and not of the user."""
        return USER not in self.participants and (self.has_relatives or bool(self.participants))


def agrees(said: Structure, known: Sequence[Structure]) -> bool:
    """Whether nobody does in `said` what another does in what is `known`, and nothing belongs to another."""
    doing = {pair for each in known for pair in each.doing}
    undergoing = {pair for each in known for pair in each.undergoing}
    done = {word for _, word in doing}
    if any(pair not in doing and pair in undergoing and pair[1] in done for pair in said.doing):
        return False
    owners = {pair for each in known for pair in each.owners}
    courses = {pair for each in known for pair in each.courses}
    if _differ(said.owners, owners) or _differ(said.courses, courses):
        return False
    known_words = done | {word for _, word in undergoing}
    is_of_the_user = any(who == USER and word in known_words for who, word in said.doing)
    return not (is_of_the_user and known and all(each.is_of_others for each in known))


def _differ(said: Pairs, known: Pairs) -> bool:
    """Whether something is paired with another than in what is known of it."""
    given = {what for what, _ in known}
    return any(pair[0] in given and pair not in known for pair in said)


@lru_cache(maxsize=512)
def structure(text: str) -> Structure:
    reading = text_similarity.read(text)
    found = Structure()
    names = frozenset((*reading.names, reading.opening))
    for line in text.splitlines():
        if len(line.split()) >= _FEWEST_WORDS:
            found.has_relatives |= bool(text_similarity.read(line).relations)
            for sentence in _SENTENCE.split(line):
                _Sentence(names, found).read(sentence)
    return found


class _Sentence:
    """Reads one sentence word by word."""

    def __init__(self, names: frozenset[str], found: Structure) -> None:
        self._names = names
        self._found = found
        self._subject: frozenset[str] = frozenset()
        self._is_open = False
        """Whether the next name belongs to the subject, too."""
        self._owner = self._preposition = self._before = ""
        self._words: list[str] = []
        self._passive: list[tuple[str, frozenset[str]]] = []
        """What "is" or "was" stands before, with its subject."""

    def read(self, text: str) -> None:
        for token in _TOKEN.findall(text):
            token = token.replace("’", "'")
            who, is_owner = self._participant(token)
            if who and is_owner:
                self._owner = who
            elif who:
                self._name(who)
            else:
                self._take(token.casefold())
            self._before = token.casefold()
        # What "is written", and not by anybody, is said of its subject, as is what "is allergic".
        self._found.doing |= {(each, word) for word, subject in self._passive for each in subject}

    def _participant(self, token: str) -> tuple[str, bool]:
        """Whom a word names, and whether as an owner."""
        folded = token.casefold()
        if folded in _OWN:
            return USER, True
        bare, _, ending = folded.partition("'")
        if bare in _FIRST:
            return USER, ending == "s"
        stem = next(iter(spelling(bare)), "")
        return (stem, ending == "s") if token[0].isupper() and stem in self._names else ("", False)

    def _name(self, who: str) -> None:
        found, preposition = self._found, self._preposition
        found.participants.add(who)
        if preposition == "of" and self._words:
            found.owners.add((self._words[-1], who))
        if preposition in _COURSES:
            found.courses.add((who, preposition))
        if preposition == "by" and self._passive:
            word, subject = self._passive.pop()
            found.doing.add((who, word))
            found.undergoing |= {(each, word) for each in subject}
        elif preposition != "for":
            found.undergoing |= {(who, word) for word in self._words[-_REACH:]}
        is_object = bool(self._subject) and not self._is_open and self._before not in _JOINING
        if not preposition and not is_object and len(self._subject) < _REACH:
            self._subject |= {who}
            self._is_open = True
        self._preposition = ""

    def _take(self, word: str) -> None:
        """A word that names nobody."""
        if word in _HAVING and self._subject == {USER}:
            self._subject, self._owner = frozenset(), USER
        elif word in _PREPOSITIONS:
            self._preposition, self._owner = word, ""
        elif word in STOP_WORDS:
            self._owner = self._owner if word in _ARTICLES else ""
        else:
            self._say(canonical(word))
        self._is_open = self._is_open and word in _JOINING

    def _say(self, word: str) -> None:
        if self._owner:
            self._found.owners.add((word, self._owner))
        if self._before in BEING:
            self._passive.append((word, self._subject))
        else:
            self._found.doing |= {(each, word) for each in self._subject}
        self._words.append(word)
        self._preposition = ""
