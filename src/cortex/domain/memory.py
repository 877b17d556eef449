"""A memory: one remembered statement, typed, with confidence, importance, trust, scope and retention."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from cortex.domain.choices import aware, chosen
from cortex.domain.identity import TraceId, checked_id
from cortex.domain.importance import NO_ORIGINS, Grade, Origin, Origins
from cortex.domain.importance import ImportanceLabel as ImportanceLabel
from cortex.domain.injection_detection import tier_for
from cortex.domain.lanes import Lane, State
from cortex.domain.scope import DEFAULT_SCOPE, checked_label
from cortex.domain.text import DEFAULT_MAX_BYTES, checked_text
from cortex.domain.trust import SourceKind, TrustTier, least, tier_of
from cortex.errors import InvalidRequest
from cortex.kinds import Kind as Kind

STANDING_KINDS = frozenset({Kind.RULE})
"""Kinds that apply by situation, not by sharing words with the query. Preferences are found by what they are about."""


class Retention(StrEnum):
    """How long a memory lives."""

    PERMANENT = "permanent"
    PROJECT = "project"
    SESSION = "session"
    TTL = "ttl"


MAX_SOURCE_REFS = 50
"""How many references to its sources a memory holds."""

SESSION_LIFE = timedelta(hours=24)
DEFAULT_TTL = timedelta(hours=720)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One remembered statement and everything recall, policy and the operator need to know of it."""

    id: TraceId
    text: str
    created_at: datetime
    kind: Kind = Kind.FACT
    topic: str = ""
    tags: tuple[str, ...] = ()
    scope: str = DEFAULT_SCOPE
    retention: Retention = Retention.PERMANENT
    ttl: timedelta | None = None
    confidence: float = 1.0
    importance: float = 0.5
    label: ImportanceLabel = ImportanceLabel.UNKNOWN
    trust: TrustTier = TrustTier.TRUSTED
    source_kind: SourceKind = SourceKind.OPERATOR
    source_ref: str = ""
    other_source_refs: tuple[str, ...] = ()
    """Where else it comes from: the references of sources that said the same later."""
    source_turns: tuple[TraceId, ...] = ()
    lang: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    supersedes: TraceId | None = None
    superseded_by: TraceId | None = None
    contradicts: tuple[TraceId, ...] = ()
    """Memories that say otherwise, where it could not be decided which is true; they point back."""
    grade: Grade | None = None
    """What a grader says of it; by itself it changes no answer."""
    origins: Origins = NO_ORIGINS
    """Who set its governed fields, where that was recorded; `origin_of` knows the rest."""
    reinforced: int = 0
    """How often it was said again."""
    media_refs: tuple[str, ...] = ()
    media_kind: str = ""
    state: State = State.ACTIVE
    # Counters of use: kept by the store, not part of what a version says.
    last_accessed_at: datetime | None = None
    access_count: int = 0

    @property
    def lane(self) -> Lane:
        return Lane.MEMORIES

    @property
    def slot(self) -> str | None:
        """What it is the value of: one attribute of one subject. A newer value of a slot replaces the older."""
        return slot_of(self.subject, self.attribute)

    @property
    def source_refs(self) -> tuple[str, ...]:
        """Every reference to where it comes from, the first one first."""
        return tuple(ref for ref in (self.source_ref, *self.other_source_refs) if ref)

    def from_also(self, *refs: str) -> Memory:
        """The memory with further references to its sources; of too many, the first and the newest are kept."""
        known = tuple(dict.fromkeys((*self.source_refs, *filter(None, refs))))
        if len(known) > MAX_SOURCE_REFS:
            known = (known[0], *known[1 - MAX_SOURCE_REFS :])
        first, others = known[:1], known[1:]
        return self if known == self.source_refs else replace(self, source_ref=first[0], other_source_refs=others)

    @property
    def used_at(self) -> datetime:
        """When it was last recalled, or else made."""
        return self.last_accessed_at or self.created_at

    @property
    def expires_at(self) -> datetime | None:
        """When it ceases to be recalled; None for what is kept without a limit."""
        if self.retention is Retention.SESSION:
            return self.used_at + SESSION_LIFE
        if self.retention is Retention.TTL:
            return self.created_at + (self.ttl or DEFAULT_TTL)
        return None

    def is_alive(self, now: datetime) -> bool:
        """Whether its retention has not run out at `now`."""
        return (expires := self.expires_at) is None or now < expires

    def is_due(self, now: datetime) -> bool:
        """Whether it may be recalled at `now`: not expired, and within the time it is valid for."""
        begun = self.valid_from is None or self.valid_from <= now
        return self.is_alive(now) and begun and (self.valid_to is None or now < self.valid_to)

    def origin_of(self, field: str) -> Origin:
        """Who set one of `GOVERNED`. Where it was not recorded: nobody, if it is at its default."""
        if (recorded := self.origins.get(field)) is not None:
            return recorded
        if getattr(self, field) in ((tier_of(self.source_kind),) if field == "trust" else _DEFAULTS[field]):
            return Origin.DEFAULT
        return Origin.EXTRACTOR if self.source_turns else Origin.OPERATOR

    def revised(self, **changes: Any) -> Memory:
        return replace(self, **changes)


_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "importance": (0.5,),
    "label": (ImportanceLabel.UNKNOWN,),
    "scope": (DEFAULT_SCOPE,),
    "kind": (Kind.FACT, Kind.OTHER),
}
GOVERNED = (*_DEFAULTS, "trust")
"""The fields whose origins are known: those that grades are written back to."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories that cannot both be true, the earlier first: somebody has to say which is."""

    earlier: Memory
    later: Memory


def slot_of(subject: str, attribute: str) -> str | None:
    """The name of a slot; None where a memory is not about one."""
    parts = [" ".join(part.casefold().split()) for part in (subject, attribute)]
    return "\x1f".join(parts) if all(parts) else None


MAX_TAGS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What someone asks to be remembered; checked before it becomes a memory."""

    text: str
    kind: Kind = Kind.FACT
    topic: str = ""
    tags: tuple[str, ...] = ()
    scope: str = DEFAULT_SCOPE
    retention: Retention = Retention.PERMANENT
    ttl: timedelta | None = None
    confidence: float = 1.0
    importance: float | None = None
    label: ImportanceLabel | None = None
    trust: TrustTier | None = None
    source_kind: SourceKind = SourceKind.OPERATOR
    source_ref: str = ""
    source_turns: tuple[TraceId, ...] = ()
    lang: str = ""
    subject: str = ""
    attribute: str = ""
    value: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    supersedes: TraceId | None = None
    media_refs: tuple[str, ...] = ()
    media_kind: str = ""
    created_at: datetime | None = None

    def checked(self, max_text_bytes: int = DEFAULT_MAX_BYTES) -> Draft:
        """Itself, with plain values made typed, or an error naming the field and the fix."""
        return self._typed()._within_limits(max_text_bytes)

    def _typed(self) -> Draft:
        typed: dict[str, Any] = {}
        for field, choices in _CHOICES.items():
            value = getattr(self, field)
            if value is not None and not isinstance(value, choices):
                typed[field] = chosen(choices, value, field)
        for field in _TIMES:
            if (at := getattr(self, field)) is not None:
                typed[field] = aware(at, field)
        for field in _SEVERAL:
            if not isinstance(value := getattr(self, field), tuple):
                typed[field] = _several(value, field)
        if self.supersedes is not None:
            typed["supersedes"] = checked_id(self.supersedes, field="supersedes")
        # Most drafts are typed already, and a copy costs more than all the checks.
        return replace(self, **typed) if typed else self

    def _within_limits(self, max_text_bytes: int) -> Draft:
        checked_text(self.text, max_bytes=max_text_bytes)
        checked_label(self.scope, "scope")
        for field, value in (("confidence", self.confidence), ("importance", self.importance)):
            if value is not None and not isinstance(value, int | float):
                raise InvalidRequest("is not a number", field=field, hint="give a number from 0 to 1")
            # `not` rather than `<`: it also refuses NaN.
            if value is not None and not 0.0 <= value <= 1.0:
                raise InvalidRequest(f"{value} is outside 0 to 1", field=field, hint="give a number from 0 to 1")
        if self.ttl is not None and self.ttl <= timedelta(0):
            raise InvalidRequest("is not positive", field="ttl", hint="give the time to live, such as 720h")
        for field in _SHORT:
            _checked_short(getattr(self, field), field)
        for field in _SEVERAL:
            if len(values := getattr(self, field)) > MAX_TAGS:
                raise InvalidRequest(f"has {len(values)} entries", field=field, hint=f"give at most {MAX_TAGS}")
            for value in values:
                _checked_short(value, field)
        if self.valid_from and self.valid_to and self.valid_to <= self.valid_from:
            raise InvalidRequest("is not after valid_from", field="valid_to", hint="swap the two times")
        return self

    def memory(self, id: TraceId, now: datetime) -> Memory:
        """The memory this becomes. Trust is never above what its source and its words allow."""
        allowed = tier_for(self.source_kind, self.text)
        graded = ImportanceLabel.UNKNOWN if self.importance is None else ImportanceLabel.of(self.importance)
        # Field by field: a loop over names would take three times as long, for every memory there is.
        return Memory(
            id=id,
            text=self.text,
            created_at=self.created_at or now,
            kind=self.kind,
            topic=self.topic,
            tags=self.tags,
            scope=self.scope,
            retention=self.retention,
            ttl=self.ttl or (DEFAULT_TTL if self.retention is Retention.TTL else None),
            confidence=self.confidence,
            importance=0.5 if self.importance is None else self.importance,
            label=self.label or graded,
            trust=allowed if self.trust is None else least((self.trust, allowed)),
            source_kind=self.source_kind,
            source_ref=self.source_ref,
            source_turns=self.source_turns,
            lang=self.lang,
            subject=self.subject,
            attribute=self.attribute,
            value=self.value,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            supersedes=self.supersedes,
            media_refs=self.media_refs,
            media_kind=self.media_kind,
        )


_CHOICES: dict[str, type[StrEnum]] = {
    "kind": Kind,
    "retention": Retention,
    "label": ImportanceLabel,
    "trust": TrustTier,
    "source_kind": SourceKind,
}
_TIMES = ("valid_from", "valid_to", "created_at")
_SHORT = ("topic", "subject", "attribute", "value", "source_ref", "media_kind")
_SEVERAL = ("tags", "media_refs")


def _several(value: Any, field: str) -> tuple[Any, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise InvalidRequest("is not a list", field=field, hint="give a list of names")
    return tuple(value)


def _checked_short(text: str, field: str) -> None:
    if not isinstance(text, str):
        raise InvalidRequest("is not text", field=field, hint="give a string")
    if len(text) > 1_024 or "\x00" in text:
        raise InvalidRequest("is over 1024 characters or has a NUL byte", field=field, hint="shorten it")
