"""The slot that one remembered statement fills, by the patterns that capture reads a user's sentence with."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from cortex.capture import prose, rules
from cortex.capture.candidate import Candidate
from cortex.domain.identity import TraceId
from cortex.domain.turn import Role, Turn
from cortex.languages.pack import Pack
from cortex.languages.packs import DEFAULT_PACKS

MAX_CHARACTERS = 400
"""A longer text says more than the value of one slot."""

MOST_OF = 0.5
"""The part of a text that has to fill the slot: what stands before it may only introduce it."""

_WORD = re.compile(r"[^\W\d_]+")
_OF_THE_USER = re.compile(r"(?:the )?user['’]s (?=\w)", re.IGNORECASE)
_BY_THE_USER = re.compile(r"(?:the )?user (?=(\w++))", re.IGNORECASE)
_FIRST_PERSON = {"is": "am", "has": "have", "was": "was", "does": "do"}


def slot_in(text: str) -> Candidate | None:
    """What `text` says of the one slot it fills; None where it fills none, or says something else as well.

    An assistant's "The user lives in Rome" fills the slot of the user's own "I live in Rome".
    """
    said = in_first_person(text.strip())
    if len(said) > MAX_CHARACTERS or len(list(prose.sentences(said))) != 1:
        return None
    found = rules.candidates(_turn(said))
    if len(found) != 1 or not found[0].attribute or len(found[0].text) < MOST_OF * len(said):
        return None
    return None if _goes_on(found[0]) else found[0]


def in_first_person(text: str) -> str:
    """An English report of the user in the user's own words, as far as its first verb: "The user lives" is "I live"."""
    if opening := _OF_THE_USER.match(text):
        return "My " + text[opening.end() :]
    if (opening := _BY_THE_USER.match(text)) is None:
        return text
    verb = opening.group(1)
    own = _FIRST_PERSON.get(verb) or (verb[:-1] if verb.endswith("s") else verb)
    return f"I {own}{text[opening.end() + len(verb) :]}"


def _turn(text: str) -> Turn:
    moment = datetime.min.replace(tzinfo=UTC)  # no rule reads the time
    return Turn(id=TraceId("given"), text=text, session="given", seq=0, created_at=moment, role=Role.USER)


def _goes_on(found: Candidate) -> bool:
    """Whether more is said after the value: "I live in Rome and work at Meridian" is no value of one slot."""
    at = found.text.casefold().find(found.value.casefold())
    rest = found.text[at + len(found.value) :] if at >= 0 else ""
    return any(word.casefold() in _pack(found.lang).joins for word in _WORD.findall(rest))


def _pack(lang: str) -> Pack:
    return next(pack for pack in DEFAULT_PACKS if pack.lang == lang)
