"""The families of rules that are alike in every language: a pack gives their patterns, this gives what they mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cortex.kinds import Kind
from cortex.languages.pack import Fill, Rule, RuleMatch, Slot, about_me

QUESTION = r"[?？]\s*$"
"""What ends like a question holds in no family."""

Given = str | tuple[str, str]
"""How a language words a family: a pattern, and where it does not hold."""


def _whose(match: RuleMatch) -> Slot:
    return Slot(f"{match.mine} {match['whose'].casefold()}")


def _name_of_whose(match: RuleMatch) -> Slot:
    return Slot(f"{match.mine} {match['whose'].casefold()}", "name", match["value"])


def _favorite(match: RuleMatch) -> Slot:
    return Slot(match.me, f"favourite {match['thing'].casefold()}", match["value"])


def _named(match: RuleMatch) -> Slot:
    return Slot(match["name"].casefold() or match.me)


def _rule(kind: Kind, importance: float, confidence: float, fill: Fill | None = None) -> Rule:
    return Rule(name="", pattern="", kind=kind, importance=importance, confidence=confidence, fill=fill)


def _whole(rule: Rule, *, in_requests: bool = False, listing: bool = False) -> Rule:
    return replace(rule, whole=True, in_requests=in_requests, listing=listing)


_FAMILIES: Mapping[str, Rule] = {
    "rule.from_now_on": _whole(_rule(Kind.RULE, 0.85, 0.92), in_requests=True),
    "rule.when": _whole(_rule(Kind.RULE, 0.85, 0.9), in_requests=True),
    "rule.always": _whole(_rule(Kind.RULE, 0.85, 0.9)),
    "rule.order": _whole(_rule(Kind.RULE, 0.82, 0.85), in_requests=True),
    "rule.call_me": _whole(_rule(Kind.RULE, 0.85, 0.9, about_me("preferred name"))),
    "rule.must": _rule(Kind.RULE, 0.8, 0.8),
    "remember": _whole(_rule(Kind.FACT, 0.9, 0.9), in_requests=True),
    "procedure": _whole(_rule(Kind.PROCEDURE, 0.7, 0.85), in_requests=True, listing=True),
    "negation": replace(_rule(Kind.FACT, 0.6, 0.9), negated=True),
    "decision": _whole(_rule(Kind.DECISION, 0.7, 0.9)),
    "fact.name": _rule(Kind.FACT, 0.7, 0.93, about_me("name")),
    "fact.home": _rule(Kind.FACT, 0.65, 0.92, about_me("home city")),
    "fact.from": _rule(Kind.FACT, 0.6, 0.86),
    "fact.job": _rule(Kind.FACT, 0.62, 0.9),
    "fact.age": _rule(Kind.FACT, 0.6, 0.9, about_me("age")),
    "fact.birthday": _rule(Kind.FACT, 0.65, 0.92, about_me("birthday")),
    "health": _rule(Kind.FACT, 0.85, 0.94),
    "health.theirs": _rule(Kind.FACT, 0.82, 0.92, _whose),
    "health.diet": _rule(Kind.PREFERENCE, 0.78, 0.9),
    "preference.favourite": _rule(Kind.PREFERENCE, 0.72, 0.92, _favorite),
    "preference": _rule(Kind.PREFERENCE, 0.72, 0.88),
    "person.name": _rule(Kind.ENTITY, 0.65, 0.92, _name_of_whose),
    "person.is_my": _rule(Kind.ENTITY, 0.65, 0.88, _named),
    "person.my": _rule(Kind.FACT, 0.62, 0.85, _whose),
    "person.have": _rule(Kind.FACT, 0.6, 0.88),
    "fact.language": _rule(Kind.FACT, 0.6, 0.88),
    "state.deadline": _rule(Kind.FACT, 0.62, 0.9),
    "state.change": _rule(Kind.FACT, 0.55, 0.85),
    "state.count": _rule(Kind.FACT, 0.53, 0.83),
    "fact.mine": _rule(Kind.FACT, 0.58, 0.82),
    "fact.uses": _rule(Kind.FACT, 0.58, 0.84),
    "fact.location": _rule(Kind.FACT, 0.58, 0.8),
    "fact.event": _rule(Kind.EPISODE, 0.58, 0.8),
    "correction.not": _whole(_rule(Kind.FACT, 0.6, 0.76)),
}
_OF_THINGS = {"state.deadline": "date", "state.change": "value", "fact.mine": "", "fact.location": "location"}
"""Families whose group `thing` is the subject, with the attribute that its `value` fills."""


def families(given: Mapping[str, Given], *, determiners: str = "") -> tuple[Rule, ...]:
    """The rules of a language, in the order given; `determiners` are left out where a thing is named."""
    return tuple(_member(name, each, frozenset(determiners.split())) for name, each in given.items())


def _member(name: str, given: Given, determiners: frozenset[str]) -> Rule:
    pattern, veto = (given, "") if isinstance(given, str) else given
    family = _FAMILIES[name]
    fill = _thing(_OF_THINGS[name], determiners) if name in _OF_THINGS else family.fill
    return replace(family, name=name, pattern=pattern, veto=f"{QUESTION}|{veto}" if veto else QUESTION, fill=fill)


def _thing(attribute: str, determiners: frozenset[str]) -> Fill:
    def fill(match: RuleMatch) -> Slot:
        words = match["thing"].casefold().replace("'", "' ").replace("’", "' ").split()
        while len(words) > 1 and words[0] in determiners:
            words = words[1:]
        return Slot(" ".join(words).replace("' ", "'"), attribute, match["value"])

    return fill


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
