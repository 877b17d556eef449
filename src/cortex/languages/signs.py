"""What no rule knows by its wording is weighed by the signs it shows, alike in every language that names them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from cortex.kinds import Kind
from cortex.languages.pack import Rule, compiled

WEIGHTS: Mapping[str, int] = {
    # What it is about.
    "mine": 2,
    "kin": 2,
    "health": 2,
    "work": 2,
    "affair": 2,
    "project": 2,
    # How it is said to be.
    "telling": 3,
    "definite": 2,
    "label": 3,
    "aside": 3,
    "lasting": 2,
    "stative": 2,
    "event": 2,
    "life": 5,
    "milestone": 2,
    "change": 2,
    "due": 5,
    "role": 4,
    "taste": 5,
    "decision": 5,
    "norm": 5,
    "steps": 5,
    "corrects": 3,
    # How exact it is.
    "number": 1,
    "date": 1,
    "name": 1,
    # What speaks against it.
    "asks": -9,
    "request": -6,
    "unreal": -6,
    "hearsay": -9,
    "passing": -5,
    "mood": -5,
    "trouble": -7,
    "at hand": -5,
    "reaction": -7,
    "world": -8,
    "motto": -2,
    "short": -3,
}
"""How much each sign says for or against remembering a statement."""
ENOUGH = 5
"""What is remembered weighs this much: one strong sign, or two that agree."""


def any_of(words: str) -> str:
    """One of the words or phrases, each a pattern, which stand apart by a comma and a space."""
    return "(?:" + "|".join(re.split(r",\s+", " ".join(words.split()))) + ")"


def word_of(words: str, endings: str = "") -> str:
    """One of the words as a whole word; `endings` are what it may be inflected with."""
    return rf"\b{any_of(words)}(?:{endings})\b"


def failing(devices: str, how: str) -> str:
    """A device that does not do what it should: that is over when it is fixed."""
    return rf"\b{any_of(devices)}\b[^.;]{{0,20}}?\b{any_of(how)}\b"


def opening(subject: str, *, words: int = 3) -> str:
    """A statement of at least so many words that opens with `subject`, a pattern: the speaker, or what is theirs."""
    return rf"^(?=\s*(?:[^\s,;:]+[\s,;:]+){{{words - 1}}}\S)\s*{subject}"


def without_accents(pattern: str, letters: str) -> str:
    """The pattern for a text whose writer leaves out accents: each of `letters` also stands bare."""
    bare = {letter: letter + unicodedata.normalize("NFD", letter)[0] for letter in letters}
    inside = str.maketrans(bare)
    outside = str.maketrans({letter: f"[{both}]" for letter, both in bare.items()})
    parts = re.split(r"(\[[^]]{0,400}+\])", pattern)
    return "".join(part.translate(inside if at % 2 else outside) for at, part in enumerate(parts))


_MATTERS = frozenset("mine kin health work affair project role name due label aside decision taste event date".split())
"""What makes a statement one about the speaker, or about a matter of theirs."""
_EXACT = frozenset({"number", "date", "name"})


def weigher(signs: Mapping[str, str]) -> Callable[[str], Rule | None]:
    """Weighs a statement by `signs`: for each name in `WEIGHTS`, how the language shows it."""

    def weigh(text: str) -> Rule | None:
        shown = {name for name, pattern in signs.items() if compiled(pattern).search(text)}
        if "norm" in shown:
            shown.discard("request")  # a request for every time is a rule
        if "due" in shown:
            shown.discard("request")  # what has to be done by a date is a plan
        if "at hand" in shown:
            shown.discard("taste")  # who likes what was just written tells no taste
        if "motto" in shown:
            shown.discard("norm")  # what people tell each other, or always do, asks nothing of an assistant
        if "health" in shown:
            shown.discard("trouble")  # what somebody cannot eat or do is no fault to fix
        if "hearsay" in shown:
            shown -= {"norm", "steps"}  # what somebody else says has to be done
        if shown & {"life", "milestone"}:
            shown -= {"passing", "trouble"}  # what happened in a life yesterday is still so in a year
        if "passing" in shown:
            shown.discard("definite")  # where somebody is just now is soon over
        if not shown & _MATTERS - {"mine"} and not shown & _EXACT:
            shown.discard("corrects")  # that something was said wrongly says not what is right
        if sum(WEIGHTS[name] for name in shown) < ENOUGH:
            return None
        return next((rule for name, rule in _STRONG.items() if name in shown), _FACT)

    return weigh


_STRONG: Mapping[str, Rule] = {
    "steps": Rule("weighed.steps", Kind.PROCEDURE, 0.65, 0.7, listing=True),
    "norm": Rule("weighed.norm", Kind.RULE, 0.75, 0.7),
    "decision": Rule("weighed.decision", Kind.DECISION, 0.65, 0.7),
    "taste": Rule("weighed.taste", Kind.PREFERENCE, 0.65, 0.7),
    "life": Rule("weighed.life", Kind.EPISODE, 0.7, 0.7),
    "health": Rule("weighed.health", Kind.FACT, 0.75, 0.7),
    "role": Rule("weighed.role", Kind.ENTITY, 0.58, 0.7),
}
"""The kind of a statement by its strongest sign, in this order."""
_FACT = Rule("weighed.fact", Kind.FACT, 0.55, 0.7)
