"""What a person may change of a memory, and the digest that tells whether it was changed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime

from cortex.domain.memory import Draft, Kind, Memory, Retention
from cortex.domain.trust import SourceKind

DEFAULT_IMPORTANCE = 0.5

_DIGEST_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class EditableFields:
    """What a person may change of a memory."""

    text: str
    scope: str
    kind: Kind
    importance: float = DEFAULT_IMPORTANCE
    tags: tuple[str, ...] = ()
    retention: Retention = Retention.PERMANENT
    expires: datetime | None = None
    """When a memory with a time to live is over."""

    @classmethod
    def of(cls, memory: Memory) -> EditableFields:
        expires = memory.expires_at if memory.retention is Retention.TTL else None
        return cls(
            text=memory.text,
            scope=memory.scope,
            kind=memory.kind,
            importance=float(memory.importance),
            # An empty tag says nothing, and cannot be written down.
            tags=tuple(tag for tag in memory.tags if tag),
            retention=memory.retention,
            expires=expires.astimezone(UTC) if expires else None,
        )

    def digest(self, id: str) -> str:
        """Stands for exactly this, said by the memory `id`."""
        expires = self.expires.isoformat() if self.expires else None
        said = [id, self.text, self.scope, self.kind, self.importance, self.tags, self.retention, expires]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:_DIGEST_CHARS]

    def draft(self, born: datetime, source: SourceKind = SourceKind.OPERATOR) -> Draft:
        """What `remember` has rules for; `born` is when the memory was made."""
        return Draft(
            text=self.text,
            scope=self.scope,
            kind=self.kind,
            importance=None if self.importance == DEFAULT_IMPORTANCE else self.importance,
            tags=self.tags,
            retention=self.retention,
            ttl=self.expires - born if self.expires else None,
            source_kind=source,
        )


def revision_of(memory: Memory) -> str:
    """Stands for what `memory` says now, as far as a person may change it."""
    return EditableFields.of(memory).digest(memory.id)
