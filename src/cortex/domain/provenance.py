"""Where found lines come from, in the words by which hosts decide what they may do with them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.lanes import Lane
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Role, Turn


class Authorship(StrEnum):
    """Who wrote it, as far as that can be relied on."""

    OWNER = "owner"
    AGENT = "agent"
    UNTRUSTED = "untrusted"
    SYSTEM = "system"


_OF_ROLE = {Role.USER: Authorship.OWNER, Role.ASSISTANT: Authorship.AGENT, Role.SYSTEM: Authorship.SYSTEM}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who wrote some lines, in what kind of session, and when they were read."""

    origin: Authorship
    observed_at: datetime
    session_kind: str = "unknown"
    """`interactive` or `subagent`; `unknown` for files. Heartbeats and cron jobs leave nothing behind."""

    def to_json(self) -> dict[str, Any]:
        """The host's `MemoryEntryProvenance`."""
        return {
            "originClass": self.origin.value,
            "sessionKind": self.session_kind,
            "observedAt": int(self.observed_at.timestamp() * 1000),
        }


def provenance_of(trace: Chunk | Turn, *, is_shared: bool = False) -> Provenance:
    """The provenance of a trace; `is_shared` says that it is of a group, where a user need not be the owner.

    The agent writes notes as well as its owner does, so they count as the agent's.
    """
    if isinstance(trace, Chunk):
        written_by = Authorship.OWNER if trace.lane is Lane.DOCS else Authorship.AGENT
        return Provenance(_trusted(trace, written_by), trace.created_at)
    said_by = _OF_ROLE.get(trace.role, Authorship.UNTRUSTED)
    if is_shared and said_by is Authorship.OWNER:
        said_by = Authorship.UNTRUSTED
    kind = "subagent" if "subagent" in re.split(r"[:/]", trace.session.casefold()) else "interactive"
    return Provenance(_trusted(trace, said_by), trace.created_at, kind)


def _trusted(trace: Chunk | Turn, origin: Authorship) -> Authorship:
    return origin if trace.trust is TrustTier.TRUSTED else Authorship.UNTRUSTED
