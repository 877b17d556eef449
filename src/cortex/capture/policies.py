"""Capture policies: named, versioned rules of what becomes a memory. A change of numbers is a new version."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from cortex.domain.canonical import fingerprint
from cortex.domain.memory import Kind
from cortex.domain.turn import Role
from cortex.errors import NotFound


@dataclass(frozen=True, slots=True)
class Trigger:
    """Words that make a message worth storing."""

    name: str
    shape: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturePolicy:
    """One way to capture."""

    name: str
    about: str
    roles: tuple[Role, ...] = (Role.USER,)
    """Whose words are listened to; a tool's never are."""
    kinds: tuple[Kind, ...] | None = None
    """Which kinds are kept; None for all."""
    max_items_per_turn: int = 3
    max_chars: int | None = None
    """A longer turn is left alone; None for no limit."""
    duplicate_at: float = 0.92
    min_confidence: float = 0.5
    importance: float | None = None
    """The importance of all it captures; None for what the rule says of each."""
    whole_messages: bool = False
    """Whether the message is remembered as it stands, instead of the statements in it."""
    triggers: tuple[Trigger, ...] = ()
    """Where there are any, only turns that match one are listened to."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever a number does, and only then: other words about it are not another policy."""
        return fingerprint(replace(self, about=""))

    def trigger_of(self, text: str) -> str | None:
        """The first trigger that `text` matches."""
        folded = text.replace("’", "'")
        return next((trigger.name for trigger in self.triggers if _compiled(trigger.shape).search(folded)), None)


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(shape, re.IGNORECASE)


_TRIGGERS = (
    Trigger(
        "remember", r"\b(?:remember|don't forget|do not forget|keep in mind|make a note|note that)\b|记住|記住|覚えて"
    ),
    Trigger(
        "preference",
        r"\bi(?:'d| would)?(?: (?:really|do|don't|do not|always|usually|also)){0,2}"
        r" (?:prefer|like|love|hate|enjoy|dislike|want|need)\b"
        r"|\bmy favou?rite\b|\bi can't stand\b|我(?:更|不)?喜欢|我想要|我偏好|好きです|嫌いです",
    ),
    Trigger(
        "decision",
        r"\b(?:we|i)(?:'ve| have| had)? (?:decided|agreed|chose|settled on)\b|\b(?:we|i)(?:'ll| will) use\b"
        r"|决定|決めました",
    ),
    Trigger("standing", r"\b(?:always|never|important)\b|总是|从不|從不|重要"),
    Trigger(
        "attribute",
        r"\bmy\s(?:[\w'-]{1,40}\s){1,3}(?:is|are|was)\b|\b(?:is|am|are) called\b|\bcall me\b"
        r"|我的\S{1,8}是|私の\S{1,8}は",
    ),
    Trigger("e-mail", r"\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}\b"),
    Trigger("phone", r"(?<![\w.])\+\d[\d ()/-]{7,18}\d|(?<![\w.-])\(?\d{3}\)?[ -]\d{3}[ -]\d{4}(?![\w-])"),
)

POLICIES: Mapping[str, CapturePolicy] = {
    policy.name: policy
    for policy in (
        CapturePolicy(
            name="standard.v1",
            about="The default: up to three statements of a user's turn, of every kind (X11, X13).",
        ),
        CapturePolicy(
            name="governed.v1",
            about="Strict: one to three preferences and decisions a turn (E11).",
            kinds=(Kind.PREFERENCE, Kind.DECISION),
        ),
        CapturePolicy(
            name="lancedb.v1",
            about="Whole user messages of up to 500 characters that match a trigger (L4).",
            max_items_per_turn=1,
            max_chars=500,
            duplicate_at=0.95,
            min_confidence=0.0,
            importance=0.7,
            whole_messages=True,
            triggers=_TRIGGERS,
        ),
    )
}

DEFAULT = "standard.v1"


def named(name: str) -> CapturePolicy:
    """The policy of that name, or an error that says which there are."""
    if name in POLICIES:
        return POLICIES[name]
    near = difflib.get_close_matches(name, POLICIES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(POLICIES)}"
    raise NotFound(f"no capture policy {name!r}", hint=hint)


# --- the five categories (L2) -----------------------------------------------------------------------

CATEGORIES = (Kind.PREFERENCE, Kind.FACT, Kind.DECISION, Kind.ENTITY, Kind.OTHER)

_CATEGORY_OF = {Kind.RULE: Kind.PREFERENCE, Kind.PROCEDURE: Kind.FACT, Kind.EPISODE: Kind.FACT}


def category_of(kind: Kind) -> Kind:
    """The one of the five categories that a kind counts as, where a host knows no others."""
    return _CATEGORY_OF.get(kind, kind)


_SIGNS = (
    (
        Kind.PREFERENCE,
        r"\b(?:prefer|like|love|hate|enjoy|dislike|want|favou?rite|rather|can't stand)s?\b|喜欢|偏好|好き|嫌い",
    ),
    (Kind.DECISION, r"\b(?:decided|agreed|chose|settled on|going with)\b|(?:\bwill|'ll) use\b|决定|決め"),
    (Kind.ENTITY, r"\+\d{7,}|[\w.+-]@[\w-]+\.\w|\b(?:is|am|are) called\b|\bcall me\b|\bmy name is\b|叫做|名前は"),
    (Kind.FACT, r"\b(?:is|are|was|were|has|have|had|lives?|works?)\b|是|有|です|ます"),
)


def detected_category(text: str) -> Kind:
    """What sort of statement a whole message is, by its words."""
    folded = text.replace("’", "'")
    return next((kind for kind, shape in _SIGNS if _compiled(shape).search(folded)), Kind.OTHER)
