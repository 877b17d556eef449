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
from cortex.languages.lists import alternatives


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
    max_items_per_session: int = 30
    """How many memories a session leaves on one day: of more statements, the weightiest are kept."""
    min_chars: int = 0
    """A shorter turn is left alone."""
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
    refusals: tuple[Trigger, ...] = ()
    """Turns that match one of these are left alone, whatever else they match."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever a number does, and only then: other words about it are not another policy."""
        return fingerprint(replace(self, about=""))

    def trigger_of(self, text: str) -> str | None:
        """The first trigger that `text` matches."""
        return _first(self.triggers, text)

    def refusal_of(self, text: str) -> str | None:
        """Why `text` is left alone, whatever trigger it matches."""
        return _first(self.refusals, text)


def _first(shapes: tuple[Trigger, ...], text: str) -> str | None:
    return next((each.name for each in shapes if _compiled(each.shape).search(text)), None)


@cache
def _compiled(shape: str) -> re.Pattern[str]:
    return re.compile(shape, re.IGNORECASE | re.MULTILINE)


# What the plugin of the seed calls MEMORY_TRIGGERS (L4): parts of words count, in English and Czech.
_TRIGGERS = (
    Trigger("remember", r"remember|zapamatuj si|pamatuj"),
    Trigger("preference", r"prefer|radši|nechci|i (?:like|hate|love|want|need)"),
    Trigger("decision", r"rozhodli jsme|budeme používat"),
    Trigger("standing", r"always|never|important"),
    Trigger("attribute", r"my\s+\w+\s+is|is\s+my|můj\s+\w+\s+je|je\s+můj"),
    Trigger("e-mail", r"[\w.-]@[\w.-]{1,250}\.\w"),
    Trigger("phone", r"\+\d{10}"),
)

# What it leaves alone though a trigger matches: recalled memories, generated markup, an agent's own summary, prompts.
_REFUSALS = (
    Trigger("memory_block", r"relevant[-_]memories|^[ \t]*#{1,6}[ \t]*long-term memories"),
    Trigger("markup", r"\A\s*<(?s:.*)</"),
    Trigger("summary", r"\A(?=(?s:.*)\*\*)(?=(?s:.*)\n-)"),
    Trigger("emoji", r"\A(?:[^\U0001f300-\U0001f9ff]*[\U0001f300-\U0001f9ff]){4}"),
    Trigger("prompt", r"system prompt|developer message|<\s?(?:system|assistant|developer|tool|function)\b"),
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
            about="Whole user messages of 10 to 500 characters that match a trigger (L4).",
            max_items_per_turn=1,
            min_chars=10,
            max_chars=500,
            duplicate_at=0.95,
            min_confidence=0.0,
            importance=0.7,
            whole_messages=True,
            triggers=_TRIGGERS,
            refusals=_REFUSALS,
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
    (Kind.PREFERENCE, alternatives("states preference")),
    (Kind.DECISION, alternatives("states decision")),
    (Kind.ENTITY, rf"\+\d{{7,}}|[\w.+-]@[\w-]+\.\w|{alternatives('states name')}"),
    (Kind.FACT, alternatives("states fact")),
)


def detected_category(text: str) -> Kind:
    """What sort of statement a whole message is, by its words."""
    folded = text.replace("’", "'")
    return next((kind for kind, shape in _SIGNS if _compiled(shape).search(folded)), Kind.OTHER)
