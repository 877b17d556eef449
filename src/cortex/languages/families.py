"""The families of rules that are alike in every language: a pack gives their patterns, this gives what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import dropwhile
from typing import TypedDict

from cortex.kinds import Kind
from cortex.languages.pack import Fill, Rule, RuleMatch, Slot, about_me

QUESTION = r"[?？]\s*$"
"""What ends like a question: there no family holds, unless a language says so."""


class Unlike(TypedDict, total=False):
    """In what the rule of a language is unlike its family."""

    question: str
    """What ends like a question; empty where the rule holds in questions too."""
    confidence: float
    whole: bool
    in_requests: bool
    fill: Fill
    attribute: str
    """What the `value` of a thing fills."""


Given = str | tuple[str, str] | tuple[str, str, Unlike]
"""How a language words a family: a pattern, where it does not hold, and in what it is unlike the family."""
Thing = Callable[[RuleMatch, str], Slot]
"""Builds the slot of a match about its group `thing`, for an attribute."""


def _whose(match: RuleMatch) -> Slot:
    return Slot(f"{match.mine} {match['whose'].casefold()}")


def _name_of_whose(match: RuleMatch) -> Slot:
    return Slot(f"{match.mine} {match['whose'].casefold()}", "name", match["value"])


def _favorite(match: RuleMatch) -> Slot:
    return Slot(match.me, f"favourite {match['thing'].casefold()}", match["value"])


def _named(match: RuleMatch) -> Slot:
    return Slot(match["name"].casefold() or match.me)


_RULES = (
    Rule("rule.from_now_on", Kind.RULE, 0.85, 0.92, whole=True, in_requests=True),
    Rule("rule.when", Kind.RULE, 0.85, 0.9, whole=True, in_requests=True),
    Rule("rule.every_time", Kind.RULE, 0.85, 0.9, whole=True, in_requests=True),
    Rule("rule.always", Kind.RULE, 0.85, 0.9, whole=True),
    Rule("rule.never", Kind.RULE, 0.85, 0.9, whole=True),
    Rule("rule.dont", Kind.RULE, 0.82, 0.86, whole=True),
    Rule("rule.order", Kind.RULE, 0.82, 0.85, whole=True, in_requests=True),
    Rule("rule.call_me", Kind.RULE, 0.85, 0.9, about_me("preferred name"), whole=True),
    Rule("rule.must", Kind.RULE, 0.8, 0.8),
    Rule("remember", Kind.FACT, 0.9, 0.9, whole=True, in_requests=True),
    Rule("procedure", Kind.PROCEDURE, 0.7, 0.85, whole=True, in_requests=True, listing=True),
    Rule("procedure.steps", Kind.PROCEDURE, 0.7, 0.85, whole=True, listing=True),
    Rule("negation", Kind.FACT, 0.6, 0.9, negated=True),
    Rule("negation.no_longer", Kind.FACT, 0.6, 0.88, negated=True),
    Rule("decision", Kind.DECISION, 0.7, 0.9, whole=True),
    Rule("decision.decided", Kind.DECISION, 0.7, 0.9),
    Rule("fact.name", Kind.FACT, 0.7, 0.93, about_me("name")),
    Rule("fact.home", Kind.FACT, 0.65, 0.92, about_me("home city")),
    Rule("fact.from", Kind.FACT, 0.6, 0.86),
    Rule("fact.job", Kind.FACT, 0.62, 0.9),
    Rule("fact.age", Kind.FACT, 0.6, 0.9, about_me("age")),
    Rule("fact.birthday", Kind.FACT, 0.65, 0.92, about_me("birthday")),
    Rule("health", Kind.FACT, 0.85, 0.94),
    Rule("health.theirs", Kind.FACT, 0.82, 0.92, _whose),
    Rule("health.diet", Kind.PREFERENCE, 0.78, 0.9),
    Rule("preference.favourite", Kind.PREFERENCE, 0.72, 0.92, _favorite),
    Rule("preference", Kind.PREFERENCE, 0.72, 0.88),
    Rule("preference.like", Kind.PREFERENCE, 0.72, 0.88),
    Rule("person.name", Kind.ENTITY, 0.65, 0.92, _name_of_whose),
    Rule("person.is_my", Kind.ENTITY, 0.65, 0.88, _named),
    Rule("person.my", Kind.FACT, 0.62, 0.85, _whose),
    Rule("person.have", Kind.FACT, 0.6, 0.88),
    Rule("fact.language", Kind.FACT, 0.6, 0.88),
    Rule("state.deadline", Kind.FACT, 0.62, 0.9),
    Rule("state.date", Kind.FACT, 0.62, 0.9),
    Rule("state.moved", Kind.FACT, 0.62, 0.88),
    Rule("state.change", Kind.FACT, 0.55, 0.85),
    Rule("state.count", Kind.FACT, 0.53, 0.83),
    Rule("fact.mine", Kind.FACT, 0.58, 0.82),
    Rule("fact.owns", Kind.FACT, 0.56, 0.84),
    Rule("fact.goal", Kind.FACT, 0.58, 0.82),
    Rule("fact.uses", Kind.FACT, 0.58, 0.84),
    Rule("project.runs", Kind.FACT, 0.58, 0.82),
    Rule("fact.location", Kind.FACT, 0.58, 0.8),
    Rule("fact.event", Kind.EPISODE, 0.58, 0.8),
    Rule("correction.not", Kind.FACT, 0.6, 0.76, whole=True),
)
_FAMILIES: Mapping[str, Rule] = {rule.name: rule for rule in _RULES}
_OF_THINGS = {
    "state.deadline": "date",
    "state.date": "date",
    "state.moved": "date",
    "state.change": "value",
    "fact.mine": "",
    "fact.location": "location",
}
"""Families whose group `thing` is the subject, with the attribute that its `value` fills."""


def families(
    given: Mapping[str, Given], *, question: str = QUESTION, determiners: str = "", thing: Thing | None = None
) -> tuple[Rule, ...]:
    """The rules of a language, in the order given.

    `determiners` are left out where a thing is named; `thing` names it where that is not all there is to it.
    """
    named = thing or _without(frozenset(determiners.split()))
    return tuple(_member(name, each, question, named) for name, each in given.items())


def _member(name: str, given: Given, question: str, thing: Thing) -> Rule:
    pattern, veto, unlike = _in_full(given)
    family = _FAMILIES[name]
    asked = unlike.get("question", question)
    return replace(
        family,
        pattern=pattern,
        veto="|".join(filter(None, (asked, veto))),
        fill=unlike.get("fill", _fill(family, unlike.get("attribute", _OF_THINGS.get(name)), thing)),
        confidence=unlike.get("confidence", family.confidence),
        whole=unlike.get("whole", family.whole),
        in_requests=unlike.get("in_requests", family.in_requests),
    )


def _in_full(given: Given) -> tuple[str, str, Unlike]:
    if isinstance(given, str):
        return given, "", {}
    return (*given, {}) if len(given) == 2 else given


def _fill(family: Rule, attribute: str | None, thing: Thing) -> Fill | None:
    return family.fill if attribute is None else lambda match: thing(match, attribute)


def _without(determiners: frozenset[str]) -> Thing:
    def named(match: RuleMatch, attribute: str) -> Slot:
        words = match["thing"].casefold().replace("'", "' ").replace("’", "' ").split()
        while len(words) > 1 and words[0] in determiners:
            words = words[1:]
        return Slot(" ".join(words).replace("' ", "'"), attribute, match["value"])

    return named


def bare(phrase: str, determiners: frozenset[str]) -> str:
    """The phrase in small letters, without the determiners it opens with."""
    return " ".join(dropwhile(determiners.__contains__, phrase.casefold().split()))


def request_of(verbs: str, standing: str) -> str:
    """A request for this once, by its verbs; one that says `standing` ("always") holds from then on."""
    return rf"(?:{verbs})\b(?![^.!?\n]{{0,80}}\b(?:{standing})\b)"


def plain(*letters: str) -> dict[int, int]:
    """Letters read as others, one for one: `plain("éèe", …)` reads each as the last, in both cases."""
    pairs = [(letter, group[-1]) for group in letters for letter in group[:-1]]
    return {ord(a): ord(b) for a, b in pairs} | {ord(a.upper()): ord(b.upper()) for a, b in pairs}


def phrase_of(openings: str, articles: str) -> str:
    """Looks ahead to a phrase that ends its clause: what follows "but" in "not on Tuesday but on Wednesday".

    A clause of its own may follow there too: "I don't live in Rome but my sister does".
    """
    word = r"(?:[^\s,;.!?]|[.,]\d)+"
    return rf"(?=(?:(?:{openings})\s(?:{word}\s){{0,3}}|(?:{articles})\s)?{word}\s*(?:[,;.!?]|$))"
