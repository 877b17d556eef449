"""Whether a sentence that a model wrote from memories says only what they say (C5).

A model that retells memories has nothing to add: every number, date, name and word that tells something must stand in
the memories it cites, in the same polarity and time, as sure as there, and of the same subject. What may differ is how
it is put: inflection, function words, pronouns, the passive voice, and a short list of plain synonyms. Time, certainty
and subject are compared in English; other languages are held to their words, names, numbers and polarity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from cortex.domain import paraphrase_words, participants, text_similarity
from cortex.domain.paraphrase_words import irregular, neutral, of_a_date, spelled
from cortex.domain.participants import BEING, structure
from cortex.domain.terms import index_terms, query_terms, spelling
from cortex.domain.text_similarity import ComparedText
from cortex.languages import WORDS
from cortex.languages.lists import alternatives, finder, listed
from cortex.languages.words import either

UNCASED = 0.8
"""How much of a sentence must stand in the memories, in scripts without capitals: names look like other words."""

_SHARED_START = 5  # "Antworten" was said where "antworte" was: no stemmer is needed for most languages
_MAX_SENTENCE = 1_000
_MAX_SOURCE = 4_000
_MAX_CLAUSES = 200

_UNSPACED_REPORTING = re.compile(either(each.reporting_pattern for each in WORDS))
_CLAUSE = re.compile(rf"[,;:.!?()，。；：！？、]|\s[-–—]\s|\b(?:{alternatives('clause ends')})\b", re.IGNORECASE)
_FIGURE = re.compile(r"[\d.,:/-]*\d")
_WORD = re.compile(r"[^\W\d_]+|'(?:s|re|ve|ll|m|d)\b")
_NOT = re.compile(r"\bcan(?:not|'t)\b|n't\b")

_AGE = finder("age")
_GIVEN_AGE = finder("age alone")
_WORKS_AS = finder("works as")
_EVERY = finder("every")
_WEEKLY = finder("weekly")
_WEEKDAYS = finder("on weekdays")
_REPEATS = finder("repeats")

_BOUNDS = frozenset(
    """
    only perhaps supposed seldom nearly wanted some few many several most half double twice often more less least fewer
    better worse already
    """.split()
)
"""The bounds of a statement (`likeness`) that nobody may add who retells it."""
_FREQUENT = listed("frequent")
_REPEATED = listed("repeated")
_OBLIGING = listed("obliging")
_PERFECT = listed("perfect")
_PRESENT = listed("present")
_FUTURE = listed("future")
_TO_COME = listed("to come")
_AUXILIARIES = {
    **dict.fromkeys(("am", "is", "are"), ("be", False)), **dict.fromkeys(("was", "were"), ("be", True)),
    **dict.fromkeys(("have", "has"), ("have", False)), "had": ("have", True),
}  # fmt: skip

# What a sentence may open with though no memory says it, and though it is written large.
_OPENERS = listed("openers")


def is_supported(sentence: str, sources: Sequence[str]) -> bool:
    """Whether `sentence` says only what these texts say."""
    if len(sentence) > _MAX_SENTENCE:
        return False
    texts = [source[:_MAX_SOURCE] for source in sources]
    plain = _plainly(_UNSPACED_REPORTING.sub(" ", sentence), texts)
    said, known = text_similarity.read(plain), [text_similarity.read(text) for text in texts]
    return (
        _has_figures(said, known)
        and all(any(_is_within(date, other) for each in known for other in each.dates) for date in said.dates)
        and _has_names(said, known)
        and _has_words(plain, said, texts, known)
        and _is_connected(said, known)
        and _agrees(plain, texts)
        and (not _has_grammar(plain) or _is_true_to(plain, said, texts, known))
    )


def _is_true_to(sentence: str, said: ComparedText, texts: Sequence[str], known: Sequence[ComparedText]) -> bool:
    """Whether a sentence changes neither how surely something is so, nor when, nor of whom."""
    return (
        _is_as_sure(sentence, said, texts, known)
        and _is_of_the_same_time(sentence, texts)
        and participants.agrees(structure(sentence), [structure(text) for text in texts])
    )


def _plainly(sentence: str, texts: Sequence[str]) -> str:
    """`sentence` with phrases as the memories may have them: "works as a vet" as "is a vet", "71 years old" as "71"."""
    plain = _plain_ages(_WORKS_AS.sub("is ", sentence), texts)
    if any(map(_WEEKDAYS.search, texts)):
        plain = _WEEKLY.sub(" ", plain)
    return _EVERY.sub("", plain) if any(map(_REPEATS.search, texts)) else plain


def _plain_ages(sentence: str, texts: Sequence[str]) -> str:
    if not _AGE.search(sentence):
        return sentence
    ages = {age for text in texts for age in (*_GIVEN_AGE.findall(text), *_AGE.findall(text))}
    counted = {figure for text in texts for figure in text_similarity.read(text).numbers}
    return _AGE.sub(lambda found: found[1] if found[1] in ages & counted else found[0], sentence)


# --- numbers, dates, names --------------------------------------------------------------------------------------------


def _has_figures(said: ComparedText, known: Sequence[ComparedText]) -> bool:
    """Whether every number is there, with the unit it is given; a number without one may leave it out."""
    figures = {figure for each in known for figure in each.numbers}
    years = {date.partition("-")[0] for each in known for date in each.dates}
    bare = {_bare(figure) for figure in figures} | years
    return all(figure in figures or (figure == _bare(figure) and figure in bare) for figure in said.numbers)


def _bare(figure: str) -> str:
    found = _FIGURE.match(figure)
    return found.group() if found else figure


def _is_within(date: str, other: str) -> bool:
    """Whether a date says no more than another: May is within 3 May, and 2024 within 2024-05-03."""
    if date == other:
        return True
    parts, others = date.split("-"), other.split("-")
    return len(parts) == len(others) == 3 and all(
        not part or part == more for part, more in zip(parts, others, strict=True)
    )


def _has_names(said: ComparedText, known: Sequence[ComparedText]) -> bool:
    words = frozenset(word for each in known for word in each.spelled)
    relations = frozenset(word for each in known for word in each.relations)
    names = {*said.names, *({said.opening} - _opening_terms())} - _reporting_terms() - {""}
    return all(_has(name, words) for name in names) and relations >= said.relations


def _is_connected(said: ComparedText, known: Sequence[ComparedText]) -> bool:
    """Whether each name stands in a memory that has something else of the sentence, too: two memories make no third."""
    words = frozenset((*said.order, *said.names)) - neutral()
    figures = frozenset((*said.numbers, *said.dates))
    for name in said.names:
        others = words - {name}
        holding = [each for each in known if name in each.spelled]
        if holding and (others or figures) and not any(_shares(each, others, figures) for each in holding):
            return False
    return True


def _shares(memory: ComparedText, words: frozenset[str], figures: frozenset[str]) -> bool:
    return any(_has(word, _all_words(memory)) for word in words) or not figures.isdisjoint(
        (*memory.numbers, *memory.dates)
    )


# --- words ------------------------------------------------------------------------------------------------------------


def _has_words(sentence: str, said: ComparedText, texts: Sequence[str], known: Sequence[ComparedText]) -> bool:
    """Whether every word that tells something is there, and the sentence tells something at all."""
    if sentence.upper() == sentence.lower():
        terms, has = query_terms(sentence), frozenset(term for text in texts for term in index_terms(text))
        whole = sum(term.weight for term in terms)
        return whole > 0 and sum(term.weight for term in terms if term.text in has) >= UNCASED * whole
    plain = neutral() | of_a_date() if said.dates else neutral()
    words = [word for word in said.order if word not in plain]
    if not words:
        return bool(said.numbers or said.dates or said.names)
    there = frozenset(word for each in known for word in _all_words(each))
    return all(_has(word, there) for word in words)


def _has(word: str, words: frozenset[str]) -> bool:
    """Whether a word is among others: itself, another form of it, or one that may stand for it."""
    if word in words or not paraphrase_words.standing_for(word).isdisjoint(words):
        return True
    return word.isalpha() and len(word) >= _SHARED_START and word[:_SHARED_START] in _starts(words)


def _all_words(memory: ComparedText) -> frozenset[str]:
    return frozenset((*memory.words, *memory.spelled))


@lru_cache(maxsize=64)
def _starts(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:_SHARED_START] for word in words if len(word) >= _SHARED_START)


# --- polarity, certainty, time ----------------------------------------------------------------------------------------


def _agrees(sentence: str, sources: Sequence[str]) -> bool:
    """Whether each clause affirms or denies as the clause does that is most like it."""
    known = [each for source in sources for each in _clauses(source)]
    return all(_agrees_with(clause, known) for clause in _clauses(sentence))


def _agrees_with(clause: ComparedText, known: Sequence[ComparedText]) -> bool:
    shared = [(clause.words & other.words).total() for other in known]
    most = max(shared, default=0)
    return most == 0 or any(
        other.denies == clause.denies for other, common in zip(known, shared, strict=True) if common == most
    )


def _clauses(text: str) -> list[ComparedText]:
    return [text_similarity.read(part) for part in _CLAUSE.split(text, maxsplit=_MAX_CLAUSES) if part.strip()]


def _is_as_sure(sentence: str, said: ComparedText, texts: Sequence[str], known: Sequence[ComparedText]) -> bool:
    """Whether nothing is more or less certain, frequent or obliged than the memories say."""
    bounds = frozenset(bound for each in known for bound in each.limits)
    words, others = frozenset(_words(sentence)), frozenset(word for text in texts for word in _words(text))
    if not said.limits & _BOUNDS <= bounds or not words & _OBLIGING <= others:
        return False
    if words & _FREQUENT and not others & (_FREQUENT | _REPEATED):
        return False
    is_to_come = "to come" in bounds or bool(others & (_FUTURE | _TO_COME)) or any(each.dates for each in known)
    return is_to_come or not words & _FUTURE


def _is_of_the_same_time(sentence: str, texts: Sequence[str]) -> bool:
    """Whether no verb of the memories is put into another time: "I lived in Rome" is no "lives in Rome"."""
    known: dict[str, set[str]] = {}
    for text in texts:
        for verb, times in _times_of_verbs(text).items():
            known.setdefault(verb, set()).update(times)
    return all(times & known[verb] for verb, times in _times_of_verbs(sentence).items() if verb in known)


def _times_of_verbs(text: str) -> dict[str, set[str]]:
    """What may be a verb, each with the times it stands in. Other words are of the present in any text."""
    found: dict[str, set[str]] = {}
    words = _words(text)
    for at, word in enumerate(words):
        verb, is_past = _verb(word)
        if verb and verb not in paraphrase_words.reporting():
            times = _times(word, is_past, words[max(0, at - 3) : at], words[at + 1 : at + 2])
            found.setdefault(verb, set()).update(times)
    return found


def _verb(word: str) -> tuple[str, bool]:
    """The verb a word may be a form of, and whether that is the past."""
    if known := _AUXILIARIES.get(word) or irregular().get(word):
        return known
    stem = next(iter(spelling(word)), "")
    return stem, word.endswith("ed") and len(word) > 4 and stem != word


def _times(word: str, is_past: bool, before: Sequence[str], after: Sequence[str]) -> set[str]:
    """The times a form of a verb may stand in, by the words around it; what is so now may be still to come."""
    if not _FUTURE.isdisjoint(before):
        return {"to come"}
    if word.endswith("ing") and not _PRESENT.isdisjoint(before):
        return {"present", "to come"}
    is_participle = word.endswith("ing") or (is_past and "by" in after) or not (BEING | _PERFECT).isdisjoint(before)
    if is_participle and word not in _AUXILIARIES:
        return {"past", "present", "to come"}
    return {"past"} if is_past else {"present", "to come"}


# --- words as they are compared ---------------------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    """The words as they are written; "cannot" and "can't" are both "can not"."""
    folded = text.casefold().replace("’", "'")
    return _WORD.findall(_NOT.sub(lambda found: "can not" if found[0].startswith("can") else " not", folded))


def _has_grammar(text: str) -> bool:
    """Whether no language has more of its commonest words in a text than one whose grammar is compared."""
    words = frozenset(_words(text))
    read, unread = _common_words()
    return max(len(words & common) for common in read) >= max(len(words & common) for common in unread)


@cache
def _common_words() -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """The commonest words of the languages whose grammar is compared, and of the others."""
    read = [frozenset(each.stop_words.split()) for each in WORDS if each.paraphrase is not None]
    return read, [frozenset(each.stop_words.split()) for each in WORDS if each.paraphrase is None]


@cache
def _reporting_terms() -> frozenset[str]:
    return frozenset(index_terms(" ".join(each.reporting for each in WORDS)))


@cache
def _opening_terms() -> frozenset[str]:
    return spelled(_OPENERS)
