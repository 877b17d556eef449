"""A chunk: some lines of a file on disk. The file is the truth, the chunk follows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from cortex.domain.identity import TraceId
from cortex.domain.lanes import Lane, State
from cortex.domain.memory import Kind
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
    kind: Kind = Kind.FACT
    """What its words say it is, as far as they do (X15)."""
    section: tuple[str, ...] = ()
    """The headings it stands under, the outermost first."""
    dated: datetime | None = None
    """The day a dated note is of; what has no date does not decay (B8)."""
    summary: str = ""
    """What a language model said its section is about, where one was called (X15)."""
    media_refs: tuple[str, ...] = ()
    media_kind: str = ""
    """The pictures, recordings and documents it shows, and what they are (E19)."""
    scope: str = DEFAULT_SCOPE
    trust: TrustTier = TrustTier.TRUSTED
    state: State = State.ACTIVE

    @property
    def source_kind(self) -> SourceKind:
        """The operator, who lets the file be memory; where others write it too, it counts as an import."""
        return SourceKind.OPERATOR if self.trust is TrustTier.TRUSTED else SourceKind.IMPORT

    @property
    def citation(self) -> str:
        return cited(self.path, self.start_line, self.end_line)

    @property
    def context(self) -> str:
        """What tells where it stands: found by, never shown as its text."""
        return context_of(self.path, self.section, self.summary)

    def revised(self, **changes: Any) -> Chunk:
        return replace(self, **changes)


def cited(path: str, start_line: int, end_line: int) -> str:
    """How lines of a file are cited (B11)."""
    return f"{path}#L{start_line}-L{end_line}"


def context_of(path: str, section: Sequence[str], summary: str) -> str:
    """The headings a chunk stands under, or the name of its file where there are none; and its summary."""
    place = " > ".join(section) or path.rpartition("/")[2].removesuffix(".md")
    return f"{place}\n{summary}" if summary else place
