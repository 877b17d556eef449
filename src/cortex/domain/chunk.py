"""A chunk: some lines of a file on disk. The file is the truth, the chunk follows it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.scope import DEFAULT_SCOPE
from cortex.domain.trust import SourceKind, TrustTier


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Lines `start_line` to `end_line` (both counted from 1, both included) of the file at `path`."""

    id: TraceId
    text: str
    path: str
    start_line: int
    end_line: int
    created_at: datetime
    lane: Lane = Lane.NOTES
    section: tuple[str, ...] = ()
    dated: datetime | None = None
    scope: str = DEFAULT_SCOPE
    trust: TrustTier = TrustTier.TRUSTED
    state: State = State.ACTIVE

    @property
    def source_kind(self) -> SourceKind:
        return SourceKind.OPERATOR

    @property
    def citation(self) -> str:
        return f"{self.path}#L{self.start_line}-L{self.end_line}"

    def revised(self, **changes: Any) -> Chunk:
        return replace(self, **changes)
