"""Instructions to the assistant: which sentences give one that lasts, on what condition, and whether it is of manner.

"When I ask about recipes, give metric units" has a condition, the recipes. "Keep your answers short" is of manner: it
says how to answer any question. "Only book aisle seats" is of its own subject. A statement about the speaker ("I
always take the stairs"), encouragement ("never give up") and what is wanted once ("book a seat for tomorrow") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from cortex.domain import limits
from cortex.languages import WORDS
from cortex.languages import instruction_grammar as words
from cortex.languages.words import either

_MANNER = either((words.MANNER, *(each.manner for each in WORDS)))
_CONDITIONS = tuple(condition for each in WORDS for condition in each.conditions)
_LONGEST = 400
_MOST_SENTENCES = 80


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, as it was given."""

    text: str
    condition: str = ""
    """What must be spoken about for it to apply, in its own words; empty where it applies by itself."""
    of_manner: bool = False
    """Whether it says how to answer: in which language, how long, in which units, how addressed."""
    subject: str = ""
    """What it is done with: "aisle seats" of "only book aisle seats"."""
    of_writing: bool = False
    """Whether its condition is that something is written: "when you write to customers, …"."""

    @property
    def topic(self) -> str:
        """What must be spoken about for it to matter: its condition, or what it is done with."""
        return self.condition or self.subject


def instructions(text: str) -> Iterator[Instruction]:
    """The lasting instructions that the sentences of `text` give."""
    for sentence in islice(_sentences(text), _MOST_SENTENCES):
        if is_instruction(sentence):
            yield split(sentence)


def is_instruction(sentence: str) -> bool:
    """Whether an English sentence tells an assistant what to hold to from then on."""
    plain = _plain(sentence)
    if len(plain) > _LONGEST:
        return False
    if limited := limits.limited(plain.rstrip("?"), words.LANG):
        return _is_limited_instruction(*limited)
    at = _end(words.LEAD, plain, 0)
    if _matches(words.CALL_ME, plain, at) or _matches(words.STYLE, plain, at):
        return True
    if plain.endswith("?"):
        polite = _compiled(words.POLITE_REQUEST).match(plain, at)
        return polite is not None and _instructs(plain.rstrip("? "), polite.end(), lasting=True)
    if _matches(words.NORM_OF_ANSWERS, plain, at):
        return True
    if condition := _condition_in_front(plain, at):
        return _instructs(plain, condition.end(), lasting=True, conditioned=True)
    return _instructs(plain, at, lasting=False)


def split(rule: str) -> Instruction:
    """A rule taken apart; in English and, by the usual openings, in the other languages capture reads."""
    plain = _plain(rule)[:_LONGEST]
    order, limit = limits.limited(plain) or (plain, limits.Front(0))
    condition = limit.about or _condition(order)
    of_manner = not condition and bool(_compiled(_MANNER).search(order))
    of_writing = bool(condition) and bool(_compiled(words.WHEN_WRITING).search(order))
    return Instruction(rule.strip(), condition, of_manner, _subject(order), of_writing)


def only_asks_for_a_fact(text: str) -> bool:
    """Whether a message is an English question that calls for nothing to be written."""
    return _matches(words.ASKS_FOR_A_FACT, _plain(text), 0)


def is_plain_order(sentence: str) -> bool:
    """Whether a sentence says outright what is always or never to be done on somebody's behalf."""
    plain = _plain(sentence)
    at = _end(words.POLITELY, plain, _end(words.LEAD, plain, 0))
    order = _compiled(words.ON_BEHALF).match(plain, at)
    if order is None or len(plain) > _LONGEST or plain.endswith("?") or _compiled(words.TO_PEOPLE).search(plain):
        return False
    return bool(_compiled(words.KIND_OF_THING).match(plain, order.end()) or _compiled(words.RELEASING).match(plain, at))


def opens_with_condition(sentence: str) -> bool:
    """Whether an English sentence opens with what its order depends on: "while I'm in Lisbon, …"."""
    return _matches(words.OPENS_WITH_CONDITION, _plain(sentence), 0)


def _is_limited_instruction(order: str, limit: limits.Front) -> bool:
    """Whether what stands beside a limit is an order that holds as long as that, or in that project."""
    if limit.is_explicit or (limit.of_project and _compiled(words.OF_ALL).search(order)):
        return is_instruction(limits.lasting(order, words.LANG))
    return is_instruction(order)


# --- the parts of a sentence -----------------------------------------------------------------------------------------


def _instructs(plain: str, at: int, *, lasting: bool, conditioned: bool = False) -> bool:
    """Whether the clause that begins at `at` is an order, and one that lasts."""
    clause = plain[at:]
    if _compiled(words.TO_PEOPLE).search(clause):
        return False
    front = _compiled(words.FRONT).match(clause)
    marked = (
        lasting
        or bool(front and not _matches(words.POLITE, front.group(), 0))
        or bool(_compiled(words.MARK).search(clause))
    )
    at = front.end() if front else 0
    if request := _compiled(words.REQUEST).match(clause, at):
        marked = marked or _matches(words.ALWAYS, clause, request.end())
        at = _end(words.FRONT, clause, request.end())
    if conditioned and (_matches(words.WHAT_IS_WANTED, clause, at) or _matches(words.ANY_ORDER, clause, 0)):
        return True
    if marked and _matches(words.FRAGMENT, clause, at):
        return True
    if _matches(words.WISH, clause, at) or _matches(words.MAKE_SURE, clause, at):
        return True
    verb = _compiled(words.VERB).match(clause, at)
    if not verb or _compiled(words.NOT_MEANT).match(clause, verb.start("verb")):
        return False
    if marked or (_is_pressed(request, verb) and _compiled(words.OF_ALL).search(clause)):
        return len(clause) > verb.end() + 1 and (lasting or not _compiled(words.ONCE).search(clause))
    of_kind = _is_of_kind(clause, verb) or bool(request and _compiled(_MANNER).search(clause))
    return of_kind and not _compiled(words.ONCE_OR_DEFINITE).search(clause)


def _is_pressed(request: re.Match[str] | None, verb: re.Match[str]) -> bool:
    """Whether an order says by itself that it is more than a task: "I want you to …", "don't …", "only …"."""
    return bool(request or verb["only"] or verb["not"] or verb["verb"].lower() in words.SETTLING)


def _is_of_kind(clause: str, verb: re.Match[str]) -> bool:
    """Whether a bare order is about all of a kind, and so holds beyond the moment: "don't use emojis"."""
    said, rest = verb["verb"].lower(), clause[verb.end() :]
    if verb["only"] or verb["not"] or said in words.REFRAINING:
        return bool(_compiled(words.KIND_OF_THING).match(rest))
    if said in words.OF_POLICY and _compiled(words.KIND_OF_THING).match(rest) and _compiled(_MANNER).search(clause):
        return True
    return bool(_compiled(words.OF_WHOLE).match(clause, verb.start("verb")))


def _subject(plain: str) -> str:
    at = _end(words.FRONT, plain, _end(words.LEAD, plain, 0))
    at = _end(words.FRONT, plain, _end(words.REQUEST, plain, at))
    at = _end(words.MAKE_SURE, plain, at)
    if verb := _compiled(words.VERB).match(plain, at):
        # "Never deploy on Fridays" is about deploying; what is used, kept or given says nothing by its verb.
        at = verb.end() if verb["verb"].lower() in words.PLAIN_ACTS else verb.start("verb")
    return _bare(plain[at:]) or _bare(plain)


def _condition_in_front(plain: str, at: int) -> re.Match[str] | None:
    front = _end(words.FRONT, plain, at)
    for pattern in (words.WHEN_ASKED, words.WHEN_THE_SUBJECT, words.WHENEVER, words.FOR_A_KIND):
        if found := _compiled(pattern).match(plain, front):
            return found
    return None


def _condition(plain: str) -> str:
    at = _end(words.FRONT, plain, _end(words.LEAD, plain, 0))
    if found := _condition_in_front(plain, at):
        who = found.groupdict().get("who") or ""
        # "When my daughter asks about homework" is a matter of the daughter, too.
        return _bare(f"{who} {found['about']}" if who.lower().startswith("my ") else found["about"])
    for pattern in (*_CONDITIONS, words.WHEN_AT_THE_END, words.WHERE_AT_THE_END):
        if found := _compiled(pattern).search(plain):
            return _bare(found["about"])
    return ""


def _bare(condition: str) -> str:
    return _compiled(words.CONDITION_EDGES).sub("", condition.strip(" \t,;:.!?，、。\"'“”「」")).strip()


def _plain(text: str) -> str:
    return " ".join(text.translate(words.STRAIGHT).split())


def _end(pattern: str, text: str, at: int) -> int:
    found = _compiled(pattern).match(text, at)
    return found.end() if found else at


def _matches(pattern: str, text: str, at: int) -> bool:
    return _compiled(pattern).match(text, at) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _sentences(text: str) -> Iterator[str]:
    for piece in _compiled(words.BREAK).split(text.translate(words.STRAIGHT)):
        if sentence := _compiled(words.MARKS_OF_A_LIST).sub("", piece).strip():
            yield sentence
