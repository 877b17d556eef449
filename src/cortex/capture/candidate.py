"""A candidate: a statement found in a conversation, before it is decided what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cortex.domain.identity import TraceId
from cortex.domain.importance import Origin
from cortex.domain.memory import Draft, Kind, Retention
from cortex.domain.trust import SourceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What an extractor found. It says where it was found, so that every memory can be traced to what was said."""

    text: str
    """The statement as it will be remembered: the words of the turn, able to stand alone."""
    kind: Kind
    confidence: float
    source_turns: tuple[TraceId, ...]
    span: tuple[int, int] | None = None
    """Where in the text of the first source turn it stands; None where a model put it into its own words."""
    subject: str = ""
    """Who or what it is about: `user`, `user's sister`, `project atlas`, …"""
    attribute: str = ""
    """Which single-valued property it gives: `home city`, `employer`, `deadline`. Empty where it gives none:
    a subject and an attribute make a slot, and a newer value of a slot replaces the older."""
    value: str = ""
    negated: bool = False
    """It says that something is no longer so."""
    corrects: bool = False
    """It is said as a correction of what was said before."""
    provisional: bool = False
    """It is not worth remembering by itself: it is kept only where it says otherwise than what is remembered."""
    news: float | None = None
    """How likely a statement in such words changes what was said before, as log-odds; None where nobody judged it."""
    importance: float = 0.5
    retention: Retention = Retention.PERMANENT
    ttl: timedelta | None = None
    topic: str = ""
    """The label it is grouped by; empty where nobody gave one."""
    tags: tuple[str, ...] = ()
    lang: str = ""
    found_by: str = ""
    """The rule or the model that found it."""
    origin: Origin = Origin.EXTRACTOR
    """Who chose its kind, importance and scope."""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    entities: tuple[str, ...] = field(default=())

    def draft(self, *, scope: str, source_kind: SourceKind, said_at: datetime) -> Draft:
        """What is to be remembered, as of the time it was said."""
        return Draft(
            text=self.text,
            kind=self.kind,
            topic=self.topic,
            tags=self.tags,
            scope=scope,
            retention=self.retention,
            ttl=self.ttl,
            confidence=self.confidence,
            importance=self.importance,
            source_kind=source_kind,
            source_ref=self.found_by,
            source_turns=self.source_turns,
            lang=self.lang,
            subject=self.subject,
            attribute=self.attribute,
            value=self.value,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            created_at=said_at,
        )
