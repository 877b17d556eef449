"""The search over an agent's files, by the built-in index or by a program beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from cortex.domain.hits import SearchMode
from cortex.domain.provenance import Provenance
from cortex.errors import EngineError

SourceName = Literal["memory", "docs", "sessions"]
"""Where lines come from: the agent's own notes, the operator's documents, or what was said in sessions."""


class ProgressCallback(Protocol):
    """Receives how much of the work is done, of how much, and of what."""

    def __call__(self, done: int, total: int, label: str) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLines:
    """Some lines of a file that answer a query (B9)."""

    path: str
    """As the file is cited, never where it lies on this machine."""
    start_line: int
    end_line: int
    """Lines count from 1, and the last is included."""
    score: float
    """Higher is better; compares only within one answer."""
    snippet: str
    """The lines as they were indexed, or as many as there was room for. Untrusted: escape it before it is shown."""
    source: SourceName
    citation: str | None = None
    provenance: Provenance | None = None
    """Who wrote them; None where the search does not know."""


class LinesFound(list[FoundLines]):
    """Lines, and what they were really found by."""

    def __init__(self, lines: Iterable[FoundLines] = (), *, mode: SearchMode | None = None) -> None:
        super().__init__(lines)
        self.mode = mode


class LineSearch(Protocol):
    """Finds lines in files. It may fail in any way, and says so by an exception."""

    def search(
        self, query: str, *, max_results: int | None = None, min_score: float | None = None, session: str | None = None
    ) -> Sequence[FoundLines]:
        """The lines that answer `query`, best first; empty where nothing does. `session` is the one that asks."""

    def status(self) -> Mapping[str, Any]:
        """What it is and how it stands, to be shown as JSON: at least `backend`, and the `mode` a search would have.

        Quick, and never raises.
        """

    def sync(self, *, force: bool = False, reason: str = "", progress: ProgressCallback | None = None) -> object:
        """Follow what is on disk; with `force`, all of it anew. Returns what was done, as far as it is known."""

    def probe_embedding(self) -> EngineError | None:
        """Why texts could not be embedded now; None where they can be, as far as can be seen."""

    def probe_vectors(self) -> bool:
        """Whether searches also compare vectors."""

    def close(self) -> None:
        """Release what is held and end what is running. Harmless when called twice."""


class FileSearch(LineSearch, Protocol):
    """Finds lines in an agent's files, and reads them: one for each agent, workspace and settings (B1)."""

    def read_file(self, path: str, *, start: int | None = None, lines: int | None = None) -> tuple[str, str]:
        """The text of the file cited as `path`, from line `start` on and at most `lines` of it, and its path."""
