"""The kind of a statement by its words: for statements that came without one."""

from __future__ import annotations

from functools import cache
from re import IGNORECASE, Pattern, compile

from cortex.domain.memory import Kind
from cortex.languages import WORDS
from cortex.languages.words import either

_MAX_CHARS = 4_000

# A cue that settles the kind counts three, one that speaks for it two, one that only goes along with it one. How a
# language words a cue is in `Words.kinds` under its name; the other patterns hold in any language.
_NAMED: dict[Kind, tuple[tuple[int, str, str], ...]] = {
    Kind.RULE: ((3, "lasting", ""), (3, "opens", ""), (2, "strong", ""), (1, "weak", "")),
    Kind.PROCEDURE: (
        (3, "steps", ""),
        (2, "order", ""),
        (2, "goal", ""),
        (1, "acts", "`[^`]+`"),
        (1, "", r"^\s*1[.)]\s"),
    ),
    Kind.PREFERENCE: ((3, "states", ""), (2, "likes", ""), (1, "habit", "")),
    Kind.DECISION: ((3, "taken", ""), (2, "switched", ""), (1, "approved", "")),
    Kind.ENTITY: ((3, "relation", ""), (3, "called", ""), (2, "is_ours", ""), (1, "role", "")),
    Kind.EPISODE: ((2, "when", ""), (1, "verbs", "")),
    Kind.FACT: ((2, "about", ""), (1, "is", ""), (1, "", r"\d")),
}
_CUES: dict[Kind, tuple[tuple[int, str], ...]] = {
    kind: tuple(
        (weight, either((*(each.kinds.get(f"{kind.value}.{name}", "") for each in WORDS), pattern)))
        for weight, name, pattern in cues
    )
    for kind, cues in _NAMED.items()
}

_PRECEDENCE = (
    Kind.RULE, Kind.DECISION, Kind.PREFERENCE, Kind.PROCEDURE, Kind.ENTITY, Kind.EPISODE, Kind.FACT,
)  # fmt: skip
"""Who wins where the cues are even: what is to be held to before what merely is."""


@cache
def _compiled(pattern: str) -> Pattern[str]:
    return compile(pattern, IGNORECASE)


def scores(text: str) -> dict[Kind, int]:
    """How much the words of `text` speak for each kind."""
    plain = text[:_MAX_CHARS].replace("’", "'")
    return {
        kind: sum(weight for weight, pattern in cues if _compiled(pattern).search(plain))
        for kind, cues in _CUES.items()
    }


def classify(text: str) -> Kind:
    """The kind the words of `text` speak for most; `other` where they speak for none."""
    found = scores(text)
    best = max(_PRECEDENCE, key=lambda kind: found[kind])
    return best if found[best] else Kind.OTHER
