"""Cues of standing statements: what the user says once and means from then on."""

from __future__ import annotations

import re

from cortex.domain.memory import Kind
from cortex.domain.turn import Role

# An instruction that is meant to last: "always …", "never …", "from now on …", "whenever I ask …".
_INSTRUCTION = re.compile(
    r"(?:^|[.!?\n]\s*|,\s*(?:and|so|but)\s+|\bplease\s+)"
    r"(?:always|never|from now on|going forward|in (?:the )?future|whenever (?:i|you)|every time (?:i|you)|"
    r"(?:don't|do not) ever|make sure (?:to|you) always|remember to always|you (?:should|must) (?:always|never))\b"
    r"|\b(?:when|whenever|if|every time|each time) i (?:ask|request|mention|talk|say)\b"
    r"|\bi(?:'d| would)? (?:want|need|like|prefer|expect) you to (?:always|never)\b",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\bi(?:'d|'ve| have| would)?(?: also| really| always| usually| generally| typically| strongly| much| still)*"
    r" (?:prefer(?:red)?|favou?r|rather|like to (?:use|have|keep|see|work)|hate|dislike|can't stand|don't (?:like|want))\b"
    r"|\bmy prefer(?:ence|red)",
    re.IGNORECASE,
)


def standing_kind(text: str, role: Role) -> Kind:
    """`rule` or `preference` for what a user says to hold from then on; `episode` for everything else."""
    if role is not Role.USER:
        return Kind.EPISODE
    plain = text.replace("’", "'")
    if _INSTRUCTION.search(plain):
        return Kind.RULE
    return Kind.PREFERENCE if _PREFERENCE.search(plain) else Kind.EPISODE
