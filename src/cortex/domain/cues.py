"""Cues of standing statements: what the user says once and means from then on."""

from __future__ import annotations

import re

from cortex.domain.memory import Kind
from cortex.domain.turn import Role

# Only space of the same line is passed over: a line begins at its own break, however many stand before it.
# An instruction that is meant to last: "always …", "never …", "from now on …", "whenever I ask …".
_INSTRUCTION = re.compile(
    r"(?:^|[.!?\n][^\S\n]*+|,\s*+(?:and|so|but)\s++|\bplease\s++)"
    r"(?:always|never|from now on|going forward|in (?:the )?future|whenever (?:i|you)|every time (?:i|you)|"
    r"(?:don't|do not) ever|make sure (?:to|you) always|remember to always|you (?:should|must) (?:always|never))\b"
    r"|\b(?:when|whenever|if|every time|each time) i (?:ask|request|mention|talk|say)\b"
    r"|\bi(?:'d| would)? (?:want|need|like|prefer|expect) you to (?:always|never)\b",
    re.IGNORECASE,
)


def standing_kind(text: str, role: Role | None) -> Kind:
    """`rule` for what a user tells the assistant to hold to from then on; `episode` for everything else.

    Where no roles are known, people talk among themselves, and "always happy to help" is not an instruction.
    """
    told = role is Role.USER and _INSTRUCTION.search(text.replace("’", "'"))
    return Kind.RULE if told else Kind.EPISODE
