"""Session transcripts that hosts write: what is new in them is remembered, as turns (B12, B19)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cortex.context import Context
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import PatchSession
from cortex.services.capture import CaptureService
from cortex.workspace import scan, transcripts
from cortex.workspace.sources import Shape, Source

TRANSCRIPT = "cortex:transcript:"
"""Prefix of the session state that holds how far a transcript was read."""


@dataclass(slots=True)
class SyncedTranscripts:
    """What was new in session transcripts."""

    transcripts: int = 0
    grown: int = 0
    turns: int = 0
    unreadable: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)

    def facts(self) -> dict[str, Any]:
        """For the receipt: counts."""
        return {
            "transcripts": self.transcripts,
            "transcripts_grown": self.grown,
            "turns": self.turns,
            "lines_passed_over": self.unreadable,
            "transcript_problems": len(self.problems),
        }


class TranscriptSync:
    """Reads the transcripts of one tenant on from where it stopped."""

    def __init__(self, context: Context) -> None:
        self._context = context
        sync = context.settings.files.sync
        self._rule = transcripts.Growth(enough_bytes=sync.transcript_bytes, enough_messages=sync.transcript_messages)

    def sync(self, known: Sequence[Source]) -> SyncedTranscripts:
        """Store what is new in the transcripts of these sources."""
        synced = SyncedTranscripts()
        scanned = scan.found(_transcripts(known))
        synced.transcripts = len(scanned.files)
        synced.problems += [(problem.path, problem.why) for problem in scanned.problems]
        for file in scanned.files:
            try:
                self._sync_file(file, synced)
            except (InvalidRequest, NotFound) as error:
                synced.problems.append((file.path, error.message))
        return synced

    def is_due(self, known: Sequence[Source]) -> bool:
        """Whether a transcript has grown enough to be read (B12). The caller waits until it is quiet."""
        return any(self._has_grown(file) for file in scan.found(_transcripts(known)).files)

    def _has_grown(self, file: scan.Found) -> bool:
        try:
            return transcripts.growth_of(file.absolute, self._bookmark(file), rule=self._rule).is_enough
        except (InvalidRequest, NotFound):  # gone since it was listed, or no file any more
            return False

    def _sync_file(self, file: scan.Found, synced: SyncedTranscripts) -> None:
        """Read on from the bookmark. Turns are stored before the new bookmark, so that none is lost."""
        mark = self._bookmark(file)
        while True:
            grown = transcripts.read_on(file.absolute, mark)
            if grown.how is transcripts.How.NOTHING:
                return
            synced.unreadable += grown.unreadable + grown.too_long
            if grown.messages:
                taken = CaptureService(self._context).ingest(
                    grown.messages, session=grown.session, scope=file.source.scope, trigger="transcript",
                    follows=grown.follows,
                )  # fmt: skip
                synced.turns += sum(id is not None for id in taken.ids)
            mark = grown.bookmark
            change = PatchSession(self._place_of(file), {"bookmark": mark.to_json()})
            self._context.apply([change])
            synced.grown += 1
            if not grown.more:
                return

    def _bookmark(self, file: scan.Found) -> transcripts.Bookmark | None:
        with self._context.store_view() as view:
            return transcripts.Bookmark.from_json((view.state(self._place_of(file)) or {}).get("bookmark"))

    def _place_of(self, file: scan.Found) -> str:
        # The same path on another host is another file.
        place = f"{self._context.host}:{file.absolute}" if self._context.host else file.absolute
        return f"{TRANSCRIPT}{hashlib.sha256(place.encode()).hexdigest()[:32]}"


def _transcripts(known: Sequence[Source]) -> list[Source]:
    return [source for source in known if source.shape is Shape.TRANSCRIPTS]
